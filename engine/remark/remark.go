// Package remark has what is to be said of configuration files that are read: what in them does not have the
// effect that their author may expect.
package remark

import "fmt"

// Kind is why a remark is made, the most important first.
type Kind uint8

// The kinds.
const (
	// Unmodelled decides in YARN or Spark and is not followed by a replay.
	Unmodelled Kind = iota
	// Odd is followed, and means something else than it looks.
	Odd
	// Unknown is nothing that YARN or Spark knows: it has no effect there either.
	Unknown
	// NoEffect decides nothing in a replay.
	NoEffect
)

// Remark is about one key or element. Those of one kind and text are said together.
type Remark struct {
	Kind Kind
	File string // "" for the one that the list is about
	Line int    // in the file, 1-based; 0 when unknown
	Of   string // the key with its value where that matters, or the element and what it belongs to
	Text string // what is to be said
}

// NoBoolean is what to say of a value that stands for true or false and is neither: Hadoop goes on with what is the default.
//
// Source: Configuration.getBoolean.
func NoBoolean(otherwise bool) string {
	return fmt.Sprintf("neither true nor false, so it is taken for the default, %v", otherwise)
}

// List gathers remarks.
type List []Remark

// Add appends a remark.
func (l *List) Add(k Kind, line int, of, text string) {
	*l = append(*l, Remark{Kind: k, Line: line, Of: of, Text: text})
}

// OwnQueues is why a key of the user's that names a queue is not followed.
const OwnQueues = "applications are submitted to the queues that the trace has"
