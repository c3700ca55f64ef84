// Package conform runs golden vectors, recorded from the real YARN, Spark and MapReduce classes, through
// this program and counts where the answers are equal.
//
// A file of vectors is JSON Lines, plain or gzip. What it holds is told by the shape of its first
// line and by its name; the kinds known are the lines of [Kinds]. To add a kind, write one file
// with a [golden.Kind] in it in the package of its family and add its line there: the runner, the table and the command do the rest.
package conform

import (
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

	"replay/bench/conform/golden"
)

// Totals are sums over files.
type Totals struct {
	Cases       int `json:"cases"`
	Equal       int `json:"equal"`
	Different   int `json:"different"`
	Unsupported int `json:"unsupported"`
}

// Summary is the outcome of a directory, files in order of their names.
type Summary struct {
	Files  []*golden.Results `json:"files"`
	Totals Totals            `json:"totals"`
}

// OK reports whether all cases of every file are equal.
func (s *Summary) OK() bool { return s.Totals.Equal == s.Totals.Cases }

// AtLeast reports whether in every file this share of the cases is equal, as [golden.Results.AtLeast] counts them.
func (s *Summary) AtLeast(share float64) bool {
	return !slices.ContainsFunc(s.Files, func(r *golden.Results) bool { return !r.AtLeast(share) })
}

// Dirs runs the vector files of several directories, each as [Dir] does. A file among them is that file of its directory alone. Files are named with their directory when there is more than one.
func Dirs(dirs []string) (*Summary, error) {
	var all []*golden.Results
	for _, dir := range dirs {
		only := ""
		if info, err := os.Stat(dir); err == nil && !info.IsDir() {
			dir, only = filepath.Split(dir)
			dir = filepath.Clean(dir)
		}
		s, err := Dir(dir, only)
		if err != nil || len(dirs) == 1 {
			return s, err
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
	results := make([]*golden.Results, len(names))
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
		if !isVectors(only) {
			return nil, fmt.Errorf("%s: no golden vectors, want *.jsonl or *.jsonl.gz", filepath.Join(dir, only))
		}
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
	return isVectors(name) && slices.ContainsFunc(Kinds, func(k golden.Kind) bool { return k.Recording != "" && k.Recording == baseName(name) })
}

func isVectors(name string) bool {
	return strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".jsonl.gz")
}

func baseName(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".jsonl")
}

// file runs one file of vectors. A panic of the code under test ends the file with a difference.
func file(path string) (*golden.Results, error) {
	in, err := golden.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return vectors(in)
}

// vectors runs the vectors of a file.
func vectors(in *golden.Input) (out *golden.Results, err error) {
	out = &golden.Results{File: filepath.Base(in.Path), Differences: []golden.Difference{}}
	first, err := in.First()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(Kinds, func(k golden.Kind) bool { return k.Match(baseName(out.File), first) })
	if i < 0 {
		out.AddUnsupported(out.File, "no kind of vectors has this shape")
		return out, nil
	}
	out.Kind, out.Of = Kinds[i].Name, Kinds[i].Of(first)
	defer func() {
		if p := recover(); p != nil {
			out.AddDifferent(golden.Difference{
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

func summarize(files []*golden.Results) *Summary {
	s := &Summary{Files: files}
	for _, f := range files {
		s.Totals.Cases += f.Cases
		s.Totals.Equal += f.Equal
		s.Totals.Different += f.Different
		s.Totals.Unsupported += f.Unsupported
	}
	return s
}
