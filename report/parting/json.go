package parting

import "replay/engine/record"

// An Answer is a parting for other programs.
type Answer struct {
	Differs bool                        `json:"differs"`
	At      int64                       `json:"decision"` // from 1; 0 when none differs
	Sides   map[string]*Decision        `json:"sides"`    // null for a replay that has ended
	Kinds   map[string]map[string]int64 `json:"decisions_by_kind"`
	Moved   []Shift                     `json:"moved"`
}

// A Decision for other programs; times are ms from the trace's origin.
type Decision struct {
	Text      string `json:"text"`
	TimeMS    int64  `json:"time_ms"`
	Kind      string `json:"kind"`
	Job       int64  `json:"job"` // -1 when it is about none
	AMAttempt int64  `json:"am_attempt"`
	Container int64  `json:"container"`
	Node      int32  `json:"node"`
	Type      string `json:"type,omitempty"`
	Priority  int32  `json:"priority"`
	MemMiB    int64  `json:"memory_mib"`
	VCores    int64  `json:"vcores"`
}

// Answer returns the parting, and the jobs that moved, for other programs.
func (p *Parting) Answer(n *Names, moved []Shift) *Answer {
	a := &Answer{Differs: p.At > 0, At: p.At, Sides: map[string]*Decision{}, Kinds: map[string]map[string]int64{}, Moved: append([]Shift{}, moved...)}
	for i, side := range n.Sides {
		a.Kinds[side] = p.Kinds[i]
		if p.At > 0 {
			a.Sides[side] = n.decision(p.Sides[i])
		}
	}
	return a
}

func (n *Names) decision(d *record.Decision) *Decision {
	if d == nil {
		return nil
	}
	return &Decision{n.Say(d), d.Time, d.Kind, d.Job, d.AMAttempt, d.Container, d.Node, d.Type, d.Priority, d.MemMiB, d.VCores}
}
