package eventlog

import (
	"slices"
	"strings"
	"testing"
)

// What is not read is emptied, with all that it holds; everything else of a line stays, also where it looks like it.
func TestWithoutUnread(t *testing.T) {
	for line, want := range map[string]string{
		`{"Task Info":{"Accumulables":[{"ID":1,"Value":"]}\"["},[]],"Index":3},"Task Executor Metrics":{"a":{}},"x":1}`: `{"Task Info":{"Accumulables":[],"Index":3},"Task Executor Metrics":{},"x":1}`,
		`{"a":{"Accumulables":[1]},"b":{"Accumulables":[2]}}`:                                                           `{"a":{"Accumulables":[]},"b":{"Accumulables":[]}}`,
		`{"Accumulables":[]}`: `{"Accumulables":[]}`,
		`{"Accumulables":null,"Reason":"\"Accumulables\":[1]"}`:    `{"Accumulables":null,"Reason":"\"Accumulables\":[1]"}`,
		`{"Accumulables":[{"Name":"cut`:                            `{"Accumulables":[{"Name":"cut`,
		`{"Accumulables":[{"Name":"a\`:                             `{"Accumulables":[{"Name":"a\`,
		`{"Accumulables":[1],"b":{"Accumulables":[`:                `{"Accumulables":[],"b":{"Accumulables":[`,
		`{"Task Executor Metrics":{"a":[}]},"Accumulables":["["]}`: `{"Task Executor Metrics":{]},"Accumulables":[]}`,
		strings.Repeat(`{"Accumulables":[`, 3) + `]}]}]}`:          `{"Accumulables":[]}`,
	} {
		if got := string(withoutUnread([]byte(line))); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}

// A line is used or refused alike, with and without what is not read.
func TestCheckKeeps(t *testing.T) {
	for i, line := range slices.Collect(strings.Lines(logText)) {
		line = strings.TrimSuffix(line, "\n")
		kept, bad := check([]byte(line))
		if (bad == nil) != (valid([]byte(line)) == nil) || len(kept) > len(line) {
			t.Errorf("line %d: %v of %s", i+1, bad, kept)
		}
	}
}
