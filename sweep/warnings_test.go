package sweep

import (
	"fmt"
	"slices"
	"testing"

	"replay/engine/record"
	"replay/report/metric"
	"replay/report/result"
)

// Quiet leaves out how replays went, and of too many warnings the last says how many more there are.
func TestWarnings(t *testing.T) {
	s := &metric.Summary{Data: &result.Data{Manifest: record.Manifest{TraceName: "week 1", Warnings: []record.Warning{
		{Code: "oversubscribed", Text: "crowded", Count: 1}, {Code: "unmodelled", Text: "no such thing", Count: 1}, {Code: "load", Text: "nothing holds", Count: 1, Jobs: 1, Voids: true}}}}}
	var w Warnings
	for range 2 {
		w.Add(RecordOf("id", s), "week-1")
	}
	if all, quiet := w.Said(false), w.Said(true); !slices.Equal(all, []string{"crowded", "no such thing", "week-1: nothing holds"}) || !slices.Equal(quiet, all[1:]) {
		t.Errorf("said are %q, under quiet %q", all, quiet)
	}
	for i := range mostWarnings {
		w.Add(&Record{Warnings: []string{fmt.Sprint(i)}}, "week-1")
	}
	if all := w.Texts(); len(all) != mostWarnings+1 || all[mostWarnings] != "and 3 more warnings, which the records of the cells have" {
		t.Errorf("%d texts, the last %q", len(all), all[len(all)-1])
	}
}
