package workload

import (
	"maps"
	"slices"
	"strings"

	"replay/counted"
)

// Counter holds named counts.
type Counter map[string]int64

// become makes a counter a copy of another one.
func (c Counter) become(other Counter) {
	clear(c)
	maps.Copy(c, other)
}

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

// BrokenLines is what lines of a recording that cannot be used are counted as, with lenient.
const BrokenLines = "broken_lines"

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

// found says what was read of inputs of which nothing could be used, and what was dropped.
func (c *Counts) found() string {
	text := ""
	for _, part := range []struct {
		name string
		of   Counter
	}{{"read", c.Read}, {"dropped", c.Dropped}} {
		var list []string
		for _, name := range slices.Sorted(maps.Keys(part.of)) {
			if n := part.of[name]; n > 0 {
				list = append(list, counted.Of(n, name))
			}
		}
		if len(list) > 0 {
			text += "; " + part.name + ": " + strings.Join(list, ", ")
		}
	}
	if text == "" {
		return "; no row was read"
	}
	return text
}

// parts are the counters; what a trace has of them, ofTrace, is there once for each copy of an application.
func (c *Counts) parts() [7]Counter {
	return [...]Counter{c.Read, c.Kept, c.Dropped, c.Defaulted, c.Modelled, c.Events, c.Unknown}
}

var ofTrace = [7]bool{1: true, 4: true}

// packed is a count of one of several recordings, which wait for a choice among them: counters take twenty times the memory.
type packed struct {
	n    int64
	name int32
	part uint8
}

// pack gives counts in no order, with numbers for their names.
func (c *Counts) pack(to *names) (list []packed) {
	for i, part := range c.parts() {
		for name, n := range part {
			list = append(list, packed{n, to.of(name), uint8(i)})
		}
	}
	return slices.Clip(list)
}

// add adds what one of several recordings has.
func (c *Counts) add(list []packed, from *names, copies int64) {
	parts := c.parts()
	for _, p := range list {
		if ofTrace[p.part] {
			p.n *= copies
		}
		parts[p.part][from.text[p.name]] += p.n
	}
}
