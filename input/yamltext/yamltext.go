// Package yamltext parses YAML files that come from anywhere: what a file may take of memory and time is bounded before it is parsed.
package yamltext

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// What a file may have at most.
const (
	mostBytes  = 1 << 20
	mostLevels = 32     // of brackets and of indentation: lists and keys in one another
	mostKeys   = 10_000 // the parser copies those of a mapping once for each
	// mostPaths bounds the texts of all keys above each value, one after the other: the parser keeps them for each.
	mostPaths = 32 << 20
)

// Error is what is wrong with a text, and where.
type Error struct {
	Line int    // from 1 on, 0 for the file as a whole
	Near string // what stands there, "" for the line as a whole
	Err  error
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Err.Error()
	}
	return fmt.Sprintf("line %d: %v", e.Line, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Parse returns the one document of a text, of which wants says what is to be in it. Errors are of type [*Error].
func Parse(text []byte, wants string) (ast.Node, error) {
	if len(text) > mostBytes {
		return nil, &Error{Err: fmt.Errorf("has %d bytes, want at most %d", len(text), mostBytes)}
	}
	tokens := lexer.Tokenize(string(text))
	if err := check(tokens); err != nil {
		return nil, err
	}
	f, err := parser.Parse(tokens, 0)
	if err != nil {
		var at yaml.Error
		if errors.As(err, &at) && at.GetToken() != nil {
			return nil, &Error{at.GetToken().Position.Line, strings.TrimSpace(at.GetToken().Value), errors.New(at.GetMessage())}
		}
		return nil, &Error{Err: err}
	}
	switch {
	case len(f.Docs) > 1:
		return nil, &Error{Err: fmt.Errorf("has %d documents, want one with %s", len(f.Docs), wants)}
	case len(f.Docs) == 0 || f.Docs[0].Body == nil:
		return nil, &Error{Err: fmt.Errorf("is empty, want %s", wants)}
	}
	return f.Docs[0].Body, nil
}

// A level is what others may stand in: a bracket, which has no column, or the first of what is indented like it.
type level struct {
	column, text int
	entry        bool // of a list without brackets, which may be indented like its key
}

// check holds the tokens against the bounds. Of a line each word is counted as standing in the one before it, which is more than the levels that it has.
func check(tokens token.Tokens) *Error {
	var in []level
	flow, keys, path, paths := 0, 0, 0, 0
	leave := func(while func(l level) bool) {
		for len(in) > 0 && while(in[len(in)-1]) {
			path -= in[len(in)-1].text
			in = in[:len(in)-1]
		}
	}
	inside := func(l level) bool { return l.column > 0 }
	for _, t := range tokens {
		l := level{t.Position.Column, len(t.Value), t.Type == token.SequenceEntryType}
		if flow == 0 {
			leave(func(above level) bool {
				return above.column > l.column || above.column == l.column && (above.entry || !l.entry)
			})
		}
		switch t.Type {
		case token.CommentType:
			continue
		case token.MappingValueType:
			if keys++; keys > mostKeys {
				return &Error{Line: t.Position.Line, Err: fmt.Errorf("has more than %d keys up to here, want fewer", mostKeys)}
			}
			continue
		case token.CollectEntryType:
			leave(inside)
			continue
		case token.SequenceEndType, token.MappingEndType:
			if leave(inside); len(in) > 0 {
				path -= in[len(in)-1].text
				in = in[:len(in)-1]
				flow--
			}
			continue
		case token.SequenceStartType, token.MappingStartType:
			flow++
			l.column = 0
		}
		in, path = append(in, l), path+l.text
		if len(in) > mostLevels {
			return &Error{Line: t.Position.Line, Err: fmt.Errorf("is nested too deep, want at most %d lists and keys in one another", mostLevels)}
		}
		if paths += path; paths > mostPaths {
			return &Error{Line: t.Position.Line, Err: fmt.Errorf("has more than %d MiB in the keys above its values, taken for each value up to here, want shorter keys or fewer values", mostPaths>>20)}
		}
	}
	return nil
}
