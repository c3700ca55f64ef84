package engine

import (
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
)

// Progress has what is known beforehand of a replay of too much work, and of others nothing.
func TestProgressKnowsBeforehand(t *testing.T) {
	for code, want := range map[string]string{record.HighLoad: "too much", record.LowLoad: ""} {
		var p Progress
		p.start(&scenario.Scenario{Warnings: []record.Warning{{Code: "named", Text: "x"}, {Code: code, Text: "too much"}}})
		got := ""
		if text := p.Beforehand.Load(); text != nil {
			got = *text
		}
		if got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}
