// Package regress holds measurements of replays against a kept baseline: first what was decided, then how much work it took, then how
// long. Decisions and work are exact; times are judged by the spread of the baseline's own history.
package regress

import (
	"encoding/json"
	"fmt"

	"replay/input"
	"replay/outdir"
)

// A Count is how often something was done in one run of a case. It is exact.
type Count struct {
	Unit string `json:"unit"`
	N    int64  `json:"n"`
	Cost bool   `json:"cost,omitempty"` // done by the program for the answer, rather than part of the answer: more is worse
}

// An Entry is what is kept of a case.
type Entry struct {
	Case      string  `json:"case"`
	Input     string  `json:"input_sha256"`            // of the trace, "" for none
	Hash      string  `json:"decision_hash,omitempty"` // "" for a case that decides nothing
	Trail     Marks   `json:"trail"`
	Counts    []Count `json:"counts"`
	Times     History `json:"calibrated_cpu"`
	CPUMS     float64 `json:"cpu_ms"`     // median, on the machine of the baseline; compared with nothing
	PeakBytes int64   `json:"peak_bytes"` // as CPUMS
}

// Format and FormatVersion are those of a baseline.
const (
	Format        = "replay-bench"
	FormatVersion = 2 // 1 had other decision hashes
)

// A Baseline is a file of entries.
type Baseline struct {
	Format        string   `json:"format"`
	FormatVersion int      `json:"format_version"`
	Program       string   `json:"program"`
	Machine       string   `json:"machine"`
	Calibration   string   `json:"calibration"` // what the loop does: times beside another loop can't be compared
	Entries       []*Entry `json:"cases"`
}

// Read reads a baseline.
func Read(path string) (*Baseline, error) {
	text, err := input.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parse(path, text)
}

func parse(path string, text []byte) (*Baseline, error) {
	b := &Baseline{}
	if err := json.Unmarshal(text, b); err != nil {
		return nil, fmt.Errorf("%s: %w, want a baseline as replay bench --save writes it", path, err)
	}
	if b.Format != Format || b.FormatVersion != FormatVersion {
		return nil, fmt.Errorf("%s: format is %q, version %d; want %q, version %d (replay bench --save writes it)", path, b.Format, b.FormatVersion, Format, FormatVersion)
	}
	for i, e := range b.Entries {
		if e == nil || e.Case == "" {
			return nil, fmt.Errorf("%s: case %d has no name", path, i)
		}
	}
	return b, nil
}

// Entry returns the entry of a case, nil if there is none.
func (b *Baseline) Entry(name string) *Entry {
	if b == nil {
		return nil
	}
	for _, e := range b.Entries {
		if e.Case == name {
			return e
		}
	}
	return nil
}

// keptRuns is how long a history gets.
const keptRuns = 50

// Put adds a measured case. The history of one that is as it was, to the last decision and count, goes on; that of another begins.
func (b *Baseline) Put(e *Entry) {
	for i, old := range b.Entries {
		if old.Case != e.Case {
			continue
		}
		fresh := *e
		if old.same(e) {
			fresh.Times = append(append(History(nil), old.Times...), e.Times...)
			fresh.Times = fresh.Times[max(len(fresh.Times)-keptRuns, 0):]
		}
		b.Entries[i] = &fresh
		return
	}
	b.Entries = append(b.Entries, e)
}

func (e *Entry) same(o *Entry) bool {
	return e.Input == o.Input && e.Hash == o.Hash && len(moved(e.Counts, o.Counts)) == 0
}

// Write writes the baseline, whole or not at all.
func (b *Baseline) Write(path string) error {
	text, err := json.MarshalIndent(b, "", " ")
	if err != nil {
		return err
	}
	return outdir.WriteFile(path, append(text, '\n'))
}
