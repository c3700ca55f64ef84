// Package conform runs golden vectors, recorded from the real YARN and Spark classes, through
// this program and counts where the answers are equal.
//
// A file of vectors is JSON Lines, plain or gzip. What it holds is told by the shape of its first
// line and by its name; the kinds known are the lines of [Kinds]. To add a kind, write one file
// with a [Kind] in it and add its line there: the runner, the table and the command do the rest.
package conform

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// A Kind is one form of golden vectors.
type Kind struct {
	Name string

	// Of names the real classes that gave the answers.
	Of func(first Shape) string

	// Match tells whether a file is of this kind. Name is the file's base name without
	// .jsonl and .gz, first the shape of its first line. Kinds are asked in the order of [Kinds].
	Match func(name string, first Shape) bool

	// Run reads the input to its end, runs each case and reports it once: as equal, different or
	// not supported. An error says that the input is malformed; [Input.Errorf] gives the place.
	Run func(in *Input, out *Results) error

	// Recording, if not "", is the name (as given to Match) of a file that makes its folder one
	// recording: the other files of the folder belong to the same case (Run opens those that it
	// wants beside [Input.Path]) and are not vectors themselves.
	Recording string
}

// answersOf is [Kind.Of] of a kind whose files all come from the same classes.
func answersOf(classes string) func(Shape) string { return func(Shape) string { return classes } }

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

// MaxDifferences is how many differences (and reasons of cases not supported) are kept of each file.
const MaxDifferences = 3

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
	Reasons     []string     `json:"unsupported_reasons,omitempty"` // the first ones, "case: why"

	// Of a recorded cluster: the cases by sort, the share that has to be equal of each sort of decisions and of all cases
	// (0: all), and what had to be assumed about things that are not recorded.
	Parts []Part   `json:"parts,omitempty"`
	Floor float64  `json:"floor,omitempty"`
	Notes []string `json:"notes,omitempty"`
}

// Part counts the cases of one sort.
type Part struct {
	Name  string `json:"name"`
	Cases int    `json:"cases"`
	Equal int    `json:"equal"`

	Decision bool `json:"decision,omitempty"` // else something that is seen while calls are under way
}

// OK reports whether the file passes.
func (r *Results) OK() bool {
	if r.Floor == 0 || r.Unsupported > 0 {
		return r.Equal == r.Cases
	}
	enough := func(equal, cases int) bool { return float64(equal) >= r.Floor*float64(cases) }
	return enough(r.Equal, r.Cases) &&
		!slices.ContainsFunc(r.Parts, func(p Part) bool { return p.Decision && !enough(p.Equal, p.Cases) })
}

// AddEqual reports a case that gave the recorded answers.
func (r *Results) AddEqual() { r.Cases++; r.Equal++ }

// AddDifferent reports a case by its first difference.
func (r *Results) AddDifferent(d Difference) {
	r.Cases++
	r.Different++
	if len(r.Differences) < MaxDifferences {
		r.Differences = append(r.Differences, d)
	}
}

// AddUnsupported reports a case that asks for something that is not modelled.
func (r *Results) AddUnsupported(id, why string) {
	r.Cases++
	r.Unsupported++
	if len(r.Reasons) < MaxDifferences {
		r.Reasons = append(r.Reasons, id+": "+why)
	}
}

// Totals are sums over files.
type Totals struct {
	Cases       int `json:"cases"`
	Equal       int `json:"equal"`
	Different   int `json:"different"`
	Unsupported int `json:"unsupported"`
}

// Summary is the outcome of a directory, files in order of their names.
type Summary struct {
	Files  []*Results `json:"files"`
	Totals Totals     `json:"totals"`
}

// OK reports whether every file passes: all its cases are equal, or enough of them where a part may differ.
func (s *Summary) OK() bool {
	return !slices.ContainsFunc(s.Files, func(r *Results) bool { return !r.OK() })
}

// Dirs runs the vector files of several directories, each as [Dir] does. Files are named with their directory when there is more than one.
func Dirs(dirs []string) (*Summary, error) {
	if len(dirs) == 1 {
		return Dir(dirs[0], "")
	}
	var all []*Results
	for _, dir := range dirs {
		s, err := Dir(dir, "")
		if err != nil {
			return nil, err
		}
		for _, f := range s.Files {
			f.File = filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(f.File)))
		}
		all = append(all, s.Files...)
	}
	return summarize(all), nil
}

// Dir runs the vector files of a directory, or only the one named, on GOMAXPROCS goroutines. A directory of recordings stands for
// all of them; its own files are no vectors.
//
// The error joins those of all files that could not be read, each with file and line. A file that
// no kind knows counts as one case that is not supported.
func Dir(dir, only string) (*Summary, error) {
	names, err := vectorFiles(dir, only)
	if err != nil {
		return nil, err
	}
	results := make([]*Results, len(names))
	errs := make([]error, len(names))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(names)) {
		wg.Go(func() {
			for i := range next {
				if results[i], errs[i] = file(filepath.Join(dir, names[i])); errs[i] == nil {
					results[i].File, results[i].Folder = filepath.ToSlash(names[i]), dir
				}
			}
		})
	}
	for i := range names {
		next <- i
	}
	close(next)
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return summarize(results), nil
}

// vectorFiles returns the names of the vector files of dir, sorted; of a directory of recordings the paths below it.
func vectorFiles(dir, only string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names, recordings []string
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() {
			inside, err := filepath.Glob(filepath.Join(dir, name, "*"))
			if err != nil {
				return nil, err
			}
			for _, path := range inside {
				if isRecording(path) {
					recordings = append(recordings, filepath.Join(name, filepath.Base(path)))
				}
			}
		} else if isVectors(name) {
			names = append(names, name)
		}
	}
	if i := slices.IndexFunc(names, isRecording); i >= 0 {
		names = names[i : i+1]
	} else if len(recordings) > 0 {
		names = recordings
	}
	if only != "" {
		if !slices.Contains(names, only) {
			return nil, fmt.Errorf("%s: %w (vector files there: %s)", filepath.Join(dir, only), fs.ErrNotExist, strings.Join(names, ", "))
		}
		return []string{only}, nil
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: no golden vectors (*.jsonl, *.jsonl.gz)", dir)
	}
	return names, nil
}

// isRecording tells whether a file makes its folder a recording.
func isRecording(path string) bool {
	name := filepath.Base(path)
	return isVectors(name) && slices.ContainsFunc(Kinds, func(k Kind) bool { return k.Recording != "" && k.Recording == baseName(name) })
}

func isVectors(name string) bool {
	return strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".jsonl.gz")
}

func baseName(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".jsonl")
}

// file runs one file of vectors. A panic of the code under test ends the file with a difference.
func file(path string) (out *Results, err error) {
	in, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	out = &Results{File: filepath.Base(path), Differences: []Difference{}}
	first, err := in.shape()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Match(baseName(out.File), first) })
	if i < 0 {
		out.AddUnsupported(out.File, "no kind of vectors has this shape")
		return out, nil
	}
	out.Kind, out.Of = Kinds[i].Name, Kinds[i].Of(first)
	defer func() {
		if p := recover(); p != nil {
			out.AddDifferent(Difference{
				Case: fmt.Sprintf("line %d", in.Line()), Expected: "an answer",
				Got: fmt.Sprint("panic: ", p), State: strings.Split(string(debug.Stack()), "\n"),
			})
			err = nil
		}
	}()
	if err := Kinds[i].Run(in, out); err != nil {
		return nil, err
	}
	return out, nil
}

func summarize(files []*Results) *Summary {
	s := &Summary{Files: files}
	for _, f := range files {
		s.Totals.Cases += f.Cases
		s.Totals.Equal += f.Equal
		s.Totals.Different += f.Different
		s.Totals.Unsupported += f.Unsupported
	}
	return s
}
