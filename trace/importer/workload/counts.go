package workload

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

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

// Print writes the counts in lines for people.
func (c *Counts) Print(w io.Writer) error {
	for _, part := range []struct {
		name string
		c    Counter
	}{{"read", c.Read}, {"kept", c.Kept}, {"dropped", c.Dropped}, {"defaulted", c.Defaulted}, {"modelled", c.Modelled}, {"unknown", c.Unknown}} {
		for _, k := range slices.Sorted(maps.Keys(part.c)) {
			if _, err := fmt.Fprintf(w, "%-10s %-44s %d\n", part.name, k, part.c[k]); err != nil {
				return err
			}
		}
	}
	return nil
}
