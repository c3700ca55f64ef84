package workload

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"replay/trace"
)

// Input is one thing that an import found among its inputs: the recording of an application, or a file that is none.
type Input struct {
	Path        string `json:"-"`     // of the file, or of the folder whose files are one recording
	Label       string `json:"path"`  // the path from the input that was given on, which is the same on every machine
	Bytes       int64  `json:"bytes"` // on disk
	Application string `json:"application,omitempty"`
	Attempt     string `json:"attempt,omitempty"`
	Name        string `json:"name,omitempty"`
	Version     string `json:"version,omitempty"`  // of the program that wrote the recording
	StartMS     int64  `json:"start_ms"`           // ms since 1970, or trace.Unset
	EndMS       int64  `json:"end_ms"`             // of the application, or its last event; ms since 1970, or trace.Unset
	Ended       bool   `json:"ended"`              // the recording has the end of the application
	Cut         bool   `json:"-"`                  // it stops although its name says that the application ended
	Tasks       int64  `json:"tasks"`              // that ended
	LeftOut     Reason `json:"left_out,omitempty"` // "" = it is used
	Why         string `json:"why,omitempty"`      // it is left out: place, value and what was wanted, without the path

	Sources []trace.SourceFile `json:"-"` // its files, of one that is used
}

// NewInput is an input of which nothing is known yet, found at path below the given one.
func NewInput(given, path string) Input {
	label := filepath.Base(filepath.Clean(given))
	if rel, err := filepath.Rel(given, path); err == nil {
		label = filepath.Join(label, rel)
	}
	return Input{Path: path, Label: filepath.ToSlash(label), StartMS: trace.Unset, EndMS: trace.Unset}
}

// Reason is why an input is left out, in the words of tables. Reasons of one table are worth a count each.
type Reason string

// The reasons, in the order of tables.
const (
	Foreign      Reason = "no recording"
	Empty        Reason = "empty"
	Unreadable   Reason = "unreadable"
	TooOld       Reason = "too old"
	Damaged      Reason = "damaged"
	TooLarge     Reason = "too large"
	NoEnd        Reason = "killed or cut off"
	Unusable     Reason = "unusable"
	NoTask       Reason = "ran no task"
	EarlierTry   Reason = "earlier attempt"
	Twice        Reason = "there twice"
	OutsideTimes Reason = "outside --from and --to"
)

// Reasons are all reasons in the order of tables.
var Reasons = []Reason{Foreign, Empty, Unreadable, TooOld, Damaged, TooLarge, NoEnd, Unusable, NoTask, EarlierTry, Twice, OutsideTimes}

// LeftOutError says why an input is left out.
type LeftOutError struct {
	Path   string
	Reason Reason
	Err    error // without the path
}

func (e *LeftOutError) Error() string { return e.Path + ": " + e.Err.Error() }

func (e *LeftOutError) Unwrap() error { return e.Err }

// Leave returns the error that path is left out.
func Leave(path string, r Reason, format string, args ...any) error {
	return &LeftOutError{path, r, fmt.Errorf(format, args...)}
}

// Leave marks the input as left out for err, if err is a [LeftOutError], and tells whether it is.
func (in *Input) Leave(err error) bool {
	var left *LeftOutError
	if !errors.As(err, &left) {
		return false
	}
	in.LeftOut, in.Why = left.Reason, left.Err.Error()
	if left.Path != in.Path {
		in.Why = left.Error()
	}
	return true
}

// Err is why the input is left out, or nil.
func (in *Input) Err() error {
	if in.LeftOut == "" {
		return nil
	}
	return &LeftOutError{in.Path, in.LeftOut, errors.New(in.Why)}
}

// NothingError says that none of the inputs could be used.
type NothingError struct{ Inputs []Input }

func (e *NothingError) Error() string {
	if len(e.Inputs) == 1 {
		return e.Inputs[0].Err().Error()
	}
	return "nothing to use among " + Summary(e.Inputs)
}

// Used counts the inputs that are not left out.
func Used(inputs []Input) (n int) {
	for i := range inputs {
		if inputs[i].LeftOut == "" {
			n++
		}
	}
	return n
}

// Summary says in one line how many inputs are left out and why; it is "" when none is.
func Summary(inputs []Input) string {
	left, text := 0, ""
	for _, r := range Reasons {
		n := 0
		for i := range inputs {
			if inputs[i].LeftOut == r {
				n++
			}
		}
		if n == 0 {
			continue
		}
		if left += n; text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%d %s", n, r)
	}
	switch left {
	case 0:
		return ""
	case 1:
		return "1 file or recording: " + text
	}
	return fmt.Sprintf("%d files and recordings: %s", left, text)
}

// SortInputs puts inputs into the order of tables: the used ones, then by reason.
func SortInputs(inputs []Input) {
	slices.SortStableFunc(inputs, func(a, b Input) int {
		return cmp.Compare(slices.Index(Reasons, a.LeftOut), slices.Index(Reasons, b.LeftOut))
	})
}
