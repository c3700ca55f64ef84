package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"replay/input"
	"replay/outdir"
	"replay/sealed"
)

// A Sweep is which cells there are: sweep.json of a directory.
type Sweep struct {
	Format   string   `json:"format"`
	Plan     string   `json:"plan"` // name of the file
	Traces   []Source `json:"traces"`
	Settings []string `json:"settings"`
	Cells    []Cell   `json:"cells"`
	Hash     string   `json:"hash"`
}

// Source is a trace of a sweep.
type Source struct {
	Name string `json:"name"`
	Hash string `json:"sha256"`
}

const (
	sweepFormat = "replay-sweep"
	sweepFile   = "sweep.json"
	cellsFolder = "cells"
	// PackedFile is the plan with the files that it names, as an engine is given it.
	PackedFile = "packed-plan.json"
	// MergedFolder is where the merged table and page are.
	MergedFolder = "merged"
	// KubernetesFolder is where the Jobs are that were written for Kubernetes.
	KubernetesFolder = "kubernetes"
	// TunedFolder is where the answer is for which the cells were replayed.
	TunedFolder = "tuned"
)

// known are the files and folders that a sweep's directory may have, besides those that begin with a dot and what Slurm's jobs print.
var known = []string{sweepFile, PackedFile, cellsFolder, MergedFolder, KubernetesFolder, TunedFolder}

// Store is the directory of a sweep. Any number of processes may write cells to it at the same time, on any machines.
type Store struct{ Dir string }

// Create makes the directory ready for the sweep: it must be absent, empty or that of an earlier sweep, of which what writers left that were killed goes,
// and nothing that may be under way.
func (s Store) Create(w *Sweep) error {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); !slices.Contains(known, name) && !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".out") {
			return fmt.Errorf("%s: has %s, so it is no sweep's; want a new or empty directory, or that of an earlier sweep", s.Dir, name)
		}
	}
	cells := filepath.Join(s.Dir, cellsFolder)
	if err := errors.Join(outdir.MakeShared(cells), outdir.TidyShared(s.Dir), outdir.TidyShared(cells)); err != nil {
		return err
	}
	w.Format = sweepFormat
	text, err := sealed.Marshal(w, "", func(hash string) { w.Hash = hash })
	if err != nil {
		return err
	}
	path := filepath.Join(s.Dir, sweepFile)
	if has, err := input.ReadFile(path); err == nil && string(has) == string(text) {
		return nil // nothing is written where another process may be reading
	}
	return outdir.WriteShared(path, text)
}

// open reads which cells the sweep in the directory has.
func (s Store) open() (*Sweep, error) {
	path := filepath.Join(s.Dir, sweepFile)
	text, err := input.ReadFile(path)
	if err != nil {
		return nil, err
	}
	w := new(Sweep)
	if err := sealed.Unmarshal(text, w); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if w.Format != sweepFormat {
		return nil, fmt.Errorf("%s: format is %q, want %q", path, w.Format, sweepFormat)
	}
	for _, c := range w.Cells {
		if c.Trace < 0 || c.Trace >= len(w.Traces) || len(c.Values) != len(w.Settings) {
			return nil, fmt.Errorf("%s: cell %s has trace %d of %d and %d values of %d settings", path, c.ID, c.Trace, len(w.Traces), len(c.Values), len(w.Settings))
		}
	}
	return w, nil
}

func (s Store) path(id, ending string) string {
	return filepath.Join(s.Dir, cellsFolder, id+ending)
}

// Load returns the record of a cell. The error is [fs.ErrNotExist] where there is none, and another one where it is damaged.
func (s Store) Load(id string) (*Record, error) {
	path := s.path(id, ".json")
	text, err := input.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := new(Record)
	if err := r.unmarshal(id, text); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Save writes a record, whole or not at all. Another process may write the same cell at the same time.
func (s Store) Save(r *Record) error {
	text, err := r.marshal()
	if err != nil {
		return err
	}
	if err := outdir.WriteShared(s.path(r.ID, ".json"), text); err != nil {
		return err
	}
	return gone(os.Remove(s.path(r.ID, failed)))
}

const failed = ".failed"

// Fail notes why a cell could not be replayed.
func (s Store) Fail(id string, why error) error {
	return outdir.WriteShared(s.path(id, failed), []byte(why.Error()+"\n"))
}

// failure is why a cell could not be replayed, "" where nothing is known of it.
func (s Store) failure(id string) string {
	text, err := input.ReadFile(s.path(id, failed))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Merged begins the directory of the merged table and page.
func merged(dir string) (*outdir.Partial, error) {
	return outdir.Kind{Mark: tableName + ".csv", Files: mergedFiles}.Begin(dir)
}

// Status is how far a sweep is.
type Status struct {
	*Sweep
	Cells   int // different ones
	Missing []Missing
	Failed  int // of Missing, were tried and could not be replayed
}

// Status looks for the records of all cells.
func (s Store) Status() (*Status, error) {
	w, err := s.open()
	if err != nil {
		return nil, err
	}
	st := &Status{Sweep: w}
	seen := map[string]bool{}
	for i := range w.Cells {
		c := &w.Cells[i]
		if seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		r, why, err := find([]Store{s}, c.ID)
		if err != nil {
			return nil, err
		}
		if r == nil {
			st.Missing = append(st.Missing, Missing{c, why})
			if why != "" {
				st.Failed++
			}
		}
	}
	st.Cells = len(seen)
	return st, nil
}

// Answer is the status as JSON holds it.
func (st *Status) Answer() any {
	type missing struct {
		ID      string   `json:"id"`
		Trace   string   `json:"trace"`
		Variant string   `json:"variant"`
		Values  []string `json:"values"`
		Seed    uint64   `json:"seed"`
		Failed  string   `json:"failed"` // why, empty where it was not tried
	}
	list := []missing{}
	for _, m := range st.Missing {
		list = append(list, missing{m.Cell.ID, st.Traces[m.Cell.Trace].Name, m.Cell.Variant, append([]string{}, m.Cell.Values...), m.Cell.Seed, m.Why})
	}
	return struct {
		Cells    int       `json:"cells"`
		Failed   int       `json:"failed"`
		Settings []string  `json:"settings"`
		Missing  []missing `json:"missing"`
	}{st.Cells, st.Failed, append([]string{}, st.Settings...), list}
}
