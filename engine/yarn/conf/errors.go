// Package conf reads YARN's configuration: yarn-site.xml ([Site]), fair-scheduler.xml
// ([Allocations], with the placement rules of [PlacementRules]), capacity-scheduler.xml
// ([Capacity]) and resource strings ([ParseResource]).
//
// The parsers accept and refuse what Hadoop 3.4.1 accepts and refuses, oddities included, and
// an [Error] carries YARN's own text beside the place in the user's file. What is accepted and
// not modelled is listed in warnings by name. Nothing here has a clock or opens a file except
// the functions that take a path.
//
// Memory is in MiB, CPU in vcores, times in milliseconds.
package conf

import (
	"errors"
	"fmt"
	"strings"
)

// Error is a refusal of a configuration, in the words of YARN, and the place in the user's
// input that caused it.
type Error struct {
	File  string // name of the file, "" when the text came from elsewhere
	Line  int    // 1-based, 0 when unknown
	Field string // element or key, with the queue it belongs to
	Value string // the value as written

	Class string // simple name of Java's exception
	Text  string // its message
	NoMsg bool   // the exception has no message (or one made by the Java runtime)
	Cause *Error // the exception inside, nil when there is none

	Instead string // what to write instead; "" when the text says it
	ours    bool   // YARN accepts it, although Class is set
}

// OfYARN reports whether YARN refuses it too.
func (e *Error) OfYARN() bool { return e.Class != "" && !e.ours }

// instead adds what to write instead, unless something closer to the mistake is known.
func (e *Error) instead(format string, args ...any) *Error {
	if e.Instead == "" {
		e.Instead = fmt.Sprintf(format, args...)
	}
	return e
}

// byReplay marks a refusal that is not YARN's.
func (e *Error) byReplay() *Error {
	e.ours = true
	return e
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		b.WriteString(": ")
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	if e.Field != "" {
		b.WriteString(e.Field)
		if e.Value != "" {
			fmt.Fprintf(&b, " is %q", e.Value)
		}
		b.WriteString(": ")
	}
	for c := e; c != nil; c = c.Cause {
		if c != e {
			b.WriteString(": ")
		}
		switch {
		case c.Text != "":
			b.WriteString(strings.TrimSuffix(c.Text, "."))
		default:
			b.WriteString(c.Class)
		}
	}
	return b.String()
}

// refuse returns the error that YARN raises as class with the formatted text.
func refuse(class, format string, args ...any) *Error {
	return &Error{Class: class, Text: fmt.Sprintf(format, args...)}
}

// because adds the inner exception.
func (e *Error) because(cause *Error) *Error {
	e.Cause = cause
	if cause != nil && e.Instead == "" {
		e.Instead = cause.Instead
	}
	return e
}

// at fills in the place where none is known yet.
func (e *Error) at(line int, field, value string) *Error {
	if e.Field == "" {
		e.Field, e.Value = field, value
	}
	if e.Line == 0 {
		e.Line = line
	}
	return e
}

// inFile names the file of an [Error] that has none; other errors get the name as a prefix.
func inFile(file string, err error) error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		if e.File == "" {
			e.File = file
		}
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}
