package workload

import "maps"

// Counter holds named counts.
type Counter map[string]int64

// Counts says what an import read, dropped and made up. They are stored with the trace as
// import.json; encoding/json sorts the names.
type Counts struct {
	Read      Counter `json:"read"`      // rows of the source, by what they are
	Kept      Counter `json:"kept"`      // rows of the trace
	Dropped   Counter `json:"dropped"`   // by reason
	Defaulted Counter `json:"defaulted"` // values the source does not have and a documented default has
	Modelled  Counter `json:"modelled"`  // values made by a rule
	Events    Counter `json:"events,omitempty"`
	Unknown   Counter `json:"unknown,omitempty"` // events and fields that this program does not know

	Notes   []string `json:"notes,omitempty"` // what the import took its input to be, where the input does not say
	LeftOut []Input  `json:"left_out,omitempty"`
}

// NewCounts returns counts of nothing.
func NewCounts() *Counts {
	return &Counts{Read: Counter{}, Kept: Counter{}, Dropped: Counter{}, Defaulted: Counter{}, Modelled: Counter{}, Events: Counter{}, Unknown: Counter{}}
}

// compact removes the counts of 0.
func (c *Counts) compact() {
	for _, part := range []Counter{c.Read, c.Kept, c.Dropped, c.Defaulted, c.Modelled, c.Unknown} {
		maps.DeleteFunc(part, func(_ string, n int64) bool { return n == 0 })
	}
}

// add adds what one of several recordings has. What a trace has of it is there once for each copy.
func (c *Counts) add(o *Counts, copies int64) {
	for _, part := range []struct {
		to, from Counter
		times    int64
	}{
		{c.Read, o.Read, 1}, {c.Kept, o.Kept, copies}, {c.Dropped, o.Dropped, 1}, {c.Defaulted, o.Defaulted, 1},
		{c.Modelled, o.Modelled, copies}, {c.Events, o.Events, 1}, {c.Unknown, o.Unknown, 1},
	} {
		for k, n := range part.from {
			part.to[k] += n * part.times
		}
	}
}
