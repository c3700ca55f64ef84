package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// boundaries holds what a comparison becomes at its limit, and opposites what it becomes negated.
var (
	boundaries = map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR}
	opposites  = map[token.Token]token.Token{
		token.LSS: token.GEQ, token.LEQ: token.GTR, token.GTR: token.LEQ, token.GEQ: token.LSS, token.EQL: token.NEQ, token.NEQ: token.EQL,
	}
)

// A place is where a mutation of a file stands in its source: what is changed, the bytes of it, and what stands there instead.
type place struct {
	of         kind
	start, end int
	code       string
}

// kind is what a mutation changes.
type kind int

const (
	condition kind = iota // a value that is true or false
	statement             // that goes
	number                // one more or one less
)

const lessName = "one less"

// mutationsOf returns every mutation of a file, in the order of the source. Their tests are those of the file's package.
func mutationsOf(root, file string) ([]mutant, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil || strings.HasPrefix(rel, "..") {
		return nil, fmt.Errorf("%s: not in the module at %s", file, root)
	}
	src, err := os.ReadFile(abs)
	if err != nil {
		return nil, err
	}
	return mutate(filepath.ToSlash(rel), src)
}

// A mutator walks over one file and collects its mutants.
type mutator struct {
	file string
	src  []byte
	set  *token.FileSet
	out  []mutant
}

func mutate(file string, src []byte) ([]mutant, error) {
	m := &mutator{file: file, src: src, set: token.NewFileSet()}
	parsed, err := parser.ParseFile(m.set, file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			ast.Inspect(f.Body, m.visit)
		}
	}
	slices.SortStableFunc(m.out, func(a, b mutant) int { return a.line - b.line })
	return m.out, nil
}

func (m *mutator) at(p token.Pos) int { return m.set.Position(p).Offset }

func (m *mutator) source(n ast.Node) string { return string(m.src[m.at(n.Pos()):m.at(n.End())]) }

// replace adds a mutant in which code stands in place of a node; after is how it is shown.
func (m *mutator) replace(n ast.Node, name, after, code string) {
	of := condition
	switch n.(type) {
	case ast.Stmt:
		of = statement
	case *ast.BasicLit:
		of = number
	}
	m.out = append(m.out, mutant{
		name: name, file: m.file, line: m.set.Position(n.Pos()).Line, before: m.source(n), after: after,
		text:  slices.Concat(m.src[:m.at(n.Pos())], []byte(code), m.src[m.at(n.End()):]),
		tests: []string{"./" + path.Dir(m.file)},
		place: place{of: of, start: m.at(n.Pos()), end: m.at(n.End()), code: code},
	})
}

// drop adds a mutant in which a statement is never reached. It stays in the source, so that all that it names stays in use.
func (m *mutator) drop(s ast.Stmt) {
	m.replace(s, "dropped", "", "if false { "+m.source(s)+" }")
}

func (m *mutator) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		m.binary(n)
	case *ast.BasicLit:
		if v, err := strconv.ParseInt(n.Value, 0, 64); n.Kind == token.INT && err == nil {
			more, less := strconv.FormatInt(v+1, 10), strconv.FormatInt(v-1, 10)
			m.replace(n, "one more", more, more)
			m.replace(n, lessName, less, "("+less+")")
		}
	case *ast.IfStmt:
		if b, ok := n.Cond.(*ast.BinaryExpr); !ok || opposites[b.Op] == token.ILLEGAL {
			text := "!(" + m.source(n.Cond) + ")"
			m.replace(n.Cond, "negated", text, text)
		}
		m.earlyEnd(n.Body)
	case *ast.BlockStmt:
		m.statements(n.List)
	case *ast.CaseClause:
		m.statements(n.Body)
	}
	return true
}

func (m *mutator) binary(n *ast.BinaryExpr) {
	x, y := m.source(n.X), m.source(n.Y)
	swap := func(name string, to token.Token) {
		text := x + " " + to.String() + " " + y
		m.replace(n, name, text, text)
	}
	if to, ok := boundaries[n.Op]; ok {
		swap("limit", to)
	}
	if to, ok := opposites[n.Op]; ok {
		swap("negated", to)
	}
	other, off := token.LOR, "true || "
	switch n.Op {
	case token.LOR:
		other, off = token.LAND, "false && "
	case token.LAND:
	default:
		return
	}
	op := " " + n.Op.String() + " "
	m.replace(n, "exchanged", x+" "+other.String()+" "+y, "("+x+" "+other.String()+" "+y+")")
	// The operand that is dropped stays in the source without effect, so that all that it names stays in use.
	m.replace(n, "operand dropped", x, "("+x+op+"("+off+y+"))")
	m.replace(n, "operand dropped", y, "(("+off+"("+x+"))"+op+y+")") // x may be operands of the same kind
}

// statements drops each statement of a list that can go without another going too.
func (m *mutator) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt:
			m.drop(s)
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				m.drop(s)
			}
		}
	}
}

// earlyEnd drops the return, break or continue that ends the body of an if.
func (m *mutator) earlyEnd(body *ast.BlockStmt) {
	if len(body.List) == 0 {
		return
	}
	switch s := body.List[len(body.List)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		m.drop(s)
	}
}
