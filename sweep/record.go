package sweep

import (
	"fmt"
	"math"

	"replay/engine/record"
	"replay/report/metric"
	"replay/report/quantity"
	"replay/sealed"
)

// Format is what a record says that it is.
const Format = "replay-sweep-cell"

// A Record is what a cell found. Two replays of a cell by one program have the same bytes.
type Record struct {
	Format    string         `json:"format"`
	ID        string         `json:"id"`
	Program   Program        `json:"program"`
	Decisions string         `json:"decision_hash"` // of the replay
	Outcome   Outcome        `json:"outcome"`
	Trace     string         `json:"trace,omitempty"` // what warnings that are about its jobs begin with
	Warnings  []string       `json:"warnings"`
	Chatter   []string       `json:"chatter,omitempty"`             // those of the warnings that --quiet leaves out: [record.Warning.Chatter]
	Faster    float64        `json:"arrivals_divided_by,omitempty"` // 1 when jobs arrive as recorded
	Cluster   record.Cluster `json:"cluster,omitempty"`
	Values    []Value        `json:"values"`
	Hash      string         `json:"hash"`
}

// Program says which program replayed a cell.
type Program struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"`
}

// Outcome counts jobs.
type Outcome struct {
	Jobs       int64 `json:"jobs"`
	Succeeded  int64 `json:"succeeded"`
	Unexpected int64 `json:"unexpected"`     // did not succeed though the trace does not record it so
	Lost       Jobs  `json:"lost,omitempty"` // which these are
}

// Value is a metric of a cell.
type Value struct {
	Name     string           `json:"name"`
	Unit     quantity.Unit    `json:"unit"`
	Better   string           `json:"better,omitempty"` // higher or lower
	Number   *float64         `json:"value"`            // null when absent
	Absent   string           `json:"absent,omitempty"` // why
	N        int64            `json:"n"`                // how many things it is about
	Things   string           `json:"things,omitempty"` // what they are called
	Headline string           `json:"headline,omitempty"`
	MovedBy  quantity.MovedBy `json:"moved_by,omitempty"`
	Thin     bool             `json:"thin,omitempty"`  // [metric.Value.Thin]: it says little of the cell
	Cut      bool             `json:"cut,omitempty"`   // --until ended the replay before all jobs were over, and decides what it is about: [metric.Value.Ends]
	Least    bool             `json:"least,omitempty"` // a mean that is known to be at least so much: [metric.Value.Least]
}

// RecordOf is the record of a replay.
func RecordOf(id string, s *metric.Summary) *Record {
	m, cut := &s.Manifest, s.Outcome().CutOff() > 0
	r := &Record{Format: Format, ID: id, Program: Program{m.ProgramVersion, m.Commit, m.Modified}, Decisions: m.DecisionHash,
		Outcome: outcomeOf(s), Trace: m.TraceName, Warnings: []string{}, Faster: m.Faster, Cluster: m.Cluster(), Values: make([]Value, 0, len(s.Values))}
	for i := range m.Warnings {
		text := metric.Counted(&m.Warnings[i])
		if m.Warnings[i].OfTrace() && m.TraceName != "" {
			text = m.TraceName + ": " + text
		}
		r.Warnings = append(r.Warnings, text)
		if m.Warnings[i].Chatter() {
			r.Chatter = append(r.Chatter, text)
		}
	}
	for i := range s.Values {
		v := &s.Values[i]
		x := Value{Name: v.Name, Unit: v.Unit, Better: v.Better.String(), MovedBy: v.MovedBy, Absent: v.Absent, N: v.N, Things: v.Things, Thin: v.Thin(), Cut: v.Ends && cut, Least: v.Least()}
		if v.Family == quantity.Headline {
			x.Headline = v.Plain
		}
		if v.Absent == "" && !math.IsNaN(v.Number) {
			x.Number = &v.Number
		}
		r.Values = append(r.Values, x)
	}
	return r
}

// Says reports whether the value says something of the cell beside others: a number, not over next to nothing, and over what the cell decides.
func (v *Value) Says() bool { return v.Number != nil && !v.Thin && !v.Cut }

// marshal returns the record as it is written.
func (r *Record) marshal() ([]byte, error) {
	return sealed.Marshal(r, "", func(hash string) { r.Hash = hash })
}

// unmarshal reads what marshal wrote.
func (r *Record) unmarshal(id string, text []byte) error {
	if err := sealed.Unmarshal(text, r); err != nil {
		return err
	}
	if r.Format != Format || r.ID != id {
		return fmt.Errorf("is a %q called %q, want a %s called %q", r.Format, r.ID, Format, id)
	}
	return nil
}
