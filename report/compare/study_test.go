package compare

import (
	"runtime"
	"testing"
	"weak"

	"replay/report/metric"
	"replay/report/reporttest"
	"replay/report/result"
)

// A study keeps numbers of a replay and not the replay, so that a comparison of many is bounded by what its table needs.
func TestStudyLetsReplaysGo(t *testing.T) {
	s, err := New([]Variant{{Name: "a"}, {Name: "b"}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var given []weak.Pointer[result.Data]
	var jobs []weak.Pointer[result.Job]
	for seed := range uint64(3) {
		var replays []*metric.Summary
		for range 2 {
			m := reporttest.Usual
			m.Seed, m.LostJobs = seed+1, 3 // open times are computed again from jobs
			d := reporttest.DataOf(t, m.Feed)
			given, jobs = append(given, weak.Make(d)), append(jobs, weak.Make(d.Jobs.At(0)))
			replays = append(replays, metric.Of(d))
		}
		if err := s.Add(replays...); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	for i := range given {
		if given[i].Value() != nil || jobs[i].Value() != nil {
			t.Errorf("replay %d is held: its data %v, its jobs %v", i, given[i].Value() != nil, jobs[i].Value() != nil)
		}
	}
	if c, err := s.Compare(); err != nil || len(c.Units) != 3 {
		t.Errorf("compared %v", err)
	}
}
