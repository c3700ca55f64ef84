// Package golden is what kinds of golden vectors have in common: how a file is read, how a case is reported, and
// names of nodes and sizes as vectors write them.
package golden

import (
	"encoding/json"
	"slices"
)

// A Kind is one form of golden vectors.
type Kind struct {
	Name string

	// Of names the real classes that gave the answers.
	Of func(first Shape) string

	// Match tells whether a file is of this kind. Name is the file's base name without
	// .jsonl and .gz, first the shape of its first line. Kinds are asked in the order of conform.Kinds.
	Match func(name string, first Shape) bool

	// Run reads the input to its end, runs each case and reports it once: as equal, different or
	// not supported. An error says that the input is malformed; [Input.Errorf] gives the place.
	Run func(in *Input, out *Results) error

	// Recording, if not "", is the name (as given to Match) of a file that makes its folder one
	// recording: the other files of the folder belong to the same case (Run opens those that it
	// wants beside [Input.Path]) and are not vectors themselves.
	Recording string
}

// AnswersOf is [Kind.Of] of a kind whose files all come from the same classes.
func AnswersOf(classes string) func(Shape) string { return func(Shape) string { return classes } }

// Shape is the first line of a file: its members by name.
type Shape map[string]json.RawMessage

// Has reports whether all the members are there.
func (s Shape) Has(members ...string) bool {
	for _, m := range members {
		if _, ok := s[m]; !ok {
			return false
		}
	}
	return true
}

// Text returns the member as a string, "" if it is absent or something else.
func (s Shape) Text(member string) (text string) {
	if json.Unmarshal(s[member], &text) != nil {
		return ""
	}
	return text
}

// Difference is the first place where a case and this program part.
type Difference struct {
	Case     string `json:"case"`
	Event    int    `json:"event"` // position within the case, from 0
	Expected any    `json:"expected"`
	Got      any    `json:"got"`
	State    any    `json:"state,omitempty"` // of the two applications, queues or task sets concerned
}

// Results counts the cases of one file.
type Results struct {
	File        string       `json:"file"`
	Kind        string       `json:"kind"` // "" when no kind knows the file
	Of          string       `json:"-"`    // the real classes, see [Kind.Of]
	Folder      string       `json:"-"`    // that the file is in, as given to [Dir]
	Cases       int          `json:"cases"`
	Equal       int          `json:"equal"`
	Different   int          `json:"different"`
	Unsupported int          `json:"unsupported"`
	Differences []Difference `json:"differences"`
	Reasons     []string     `json:"unsupported_reasons,omitempty"` // "case: why"

	// Of a recorded cluster: the cases by sort, and what had to be assumed about things that are not recorded.
	Parts []Part   `json:"parts,omitempty"`
	Notes []string `json:"notes,omitempty"`
}

// Part counts the cases of one sort.
type Part struct {
	Name  string `json:"name"`
	Cases int    `json:"cases"`
	Equal int    `json:"equal"`

	Decision bool `json:"decision,omitempty"` // else something that is seen while calls are under way
}

// OK reports whether all cases are equal.
func (r *Results) OK() bool { return r.Equal == r.Cases }

// AtLeast reports whether this share of all cases and, of a recorded cluster, of each sort of decisions is equal and no case is
// unsupported.
func (r *Results) AtLeast(share float64) bool {
	if r.Unsupported > 0 {
		return false
	}
	enough := func(equal, cases int) bool { return float64(equal) >= share*float64(cases) }
	return enough(r.Equal, r.Cases) &&
		!slices.ContainsFunc(r.Parts, func(p Part) bool { return p.Decision && !enough(p.Equal, p.Cases) })
}

// AddEqual reports a case that gave the recorded answers.
func (r *Results) AddEqual() { r.Cases++; r.Equal++ }

// AddDifferent reports a case by its first difference.
func (r *Results) AddDifferent(d Difference) {
	r.Cases++
	r.Different++
	r.Differences = append(r.Differences, d)
}

// AddUnsupported reports a case that asks for something that is not modelled.
func (r *Results) AddUnsupported(id, why string) {
	r.Cases++
	r.Unsupported++
	r.Reasons = append(r.Reasons, id+": "+why)
}
