package importer

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// counter holds named counts.
type counter map[string]int64

// Counts says what an import read, dropped and made up. They are stored with the trace as
// import.json; encoding/json sorts the names.
type Counts struct {
	Read      counter `json:"read"`      // rows of the source, by what they are
	Kept      counter `json:"kept"`      // rows of the trace
	Dropped   counter `json:"dropped"`   // by reason
	Defaulted counter `json:"defaulted"` // values the source does not have and a documented default has
	Modelled  counter `json:"modelled"`  // values made by a rule
	Events    counter `json:"events,omitempty"`
	Unknown   counter `json:"unknown,omitempty"` // events and fields that this program does not know
}

func newCounts() *Counts {
	return &Counts{Read: counter{}, Kept: counter{}, Dropped: counter{}, Defaulted: counter{}, Modelled: counter{}, Events: counter{}, Unknown: counter{}}
}

// Print writes the counts in lines for people.
func (c *Counts) Print(w io.Writer) error {
	for _, part := range []struct {
		name string
		c    counter
	}{{"read", c.Read}, {"kept", c.Kept}, {"dropped", c.Dropped}, {"defaulted", c.Defaulted}, {"modelled", c.Modelled}, {"unknown", c.Unknown}} {
		for _, k := range slices.Sorted(maps.Keys(part.c)) {
			if _, err := fmt.Fprintf(w, "%-10s %-44s %d\n", part.name, k, part.c[k]); err != nil {
				return err
			}
		}
	}
	return nil
}
