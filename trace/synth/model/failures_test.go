package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"replay/trace"
)

// streams are those of a seed.
func streams(seed uint64) func(string) *rand.Rand {
	return func(purpose string) *rand.Rand { return trace.Stream(seed, purpose) }
}

// thousand nodes in racks of 20.
func thousand() (nodes []trace.Node) {
	for i := range 1000 {
		nodes = append(nodes, trace.Node{ID: int32(i), RackID: int32(i / 20), Present: true})
	}
	return nodes
}

// The laws have the mean that they claim, and failures of pairs the share.
func TestFailureModels(t *testing.T) {
	for _, name := range []string{"exponential", "weibull"} {
		f := DefaultFailures()
		f.Law = name
		r := trace.Stream(1, name)
		sum := 0.0
		const n = 400_000
		for range n {
			sum += f.Draw(r)
		}
		if mean := sum / n; math.Abs(mean-1) > 0.02 {
			t.Errorf("%s: mean %v, want 1", name, mean)
		}
	}
	f := DefaultFailures()
	f.Law, f.MTBFDays = "exponential", 10
	events := f.Events(streams(3), thousand(), nil, 100*dayMS)
	fails, pairs := 0.0, 0.0
	for _, e := range events {
		if e.Kind == trace.Fail {
			fails++
			if e.Group != trace.Unset {
				pairs++
			}
		}
	}
	if perNode := fails / 1000; math.Abs(perNode-10) > 0.5 {
		t.Errorf("%v failures of a node in 100 days, want about 10", perNode)
	}
	if share := pairs / fails; math.Abs(share-0.37) > 0.02 {
		t.Errorf("%v of the failures are in pairs, want 0.37", share)
	}
}

// Whatever the outages, events can happen: no failure of a node that is down, no recovery of one that is up.
func TestEventsOfOutages(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var outages []outage
		for range rapid.IntRange(0, 30).Draw(rt, "outages") {
			start := rapid.Int64Range(0, 50).Draw(rt, "start")
			outages = append(outages, outage{rapid.Int32Range(0, 3).Draw(rt, "node"), start, start + rapid.Int64Range(1, 20).Draw(rt, "down"), trace.Unset, 0, ""})
		}
		down := make([]bool, 4)
		last := trace.NodeEvent{TimeMS: -1}
		for _, e := range eventsOf(nil, outages, 60) {
			if e.TimeMS < last.TimeMS || e.TimeMS == last.TimeMS && e.Seq <= last.Seq {
				rt.Fatalf("%+v after %+v", e, last)
			}
			last = e
			if down[e.Node] != (e.Kind == trace.Recover) {
				rt.Fatalf("%s of node %d, which is down: %v", e.Kind, e.Node, down[e.Node])
			}
			down[e.Node] = !down[e.Node]
		}
	})
}

// Outages of racks, maintenance and spot nodes come as often and last as long as their parameters say.
func TestPlannedAndSharedOutages(t *testing.T) {
	const days = 300
	count := func(words string) (events []trace.NodeEvent, by map[trace.EventKind]float64) {
		f := DefaultFailures()
		if err := f.Take(words); err != nil {
			t.Fatal(err)
		}
		by = map[trace.EventKind]float64{}
		events = f.Events(streams(1), thousand(), nil, days*dayMS)
		for _, e := range events {
			by[e.Kind]++
		}
		return events, by
	}
	near := func(what string, got, want, part float64) {
		if math.Abs(got-want) > part*want {
			t.Errorf("%s: %v, want about %v", what, got, want)
		}
	}
	events, by := count("racks")
	near("failures of nodes with their racks", by[trace.Fail], 1000*days/548., 0.35)
	if first := events[0].Group; events[19].Group != first || events[19].Reason != "rack" || events[19].TimeMS != events[0].TimeMS {
		t.Errorf("a rack of 20 nodes fails as %+v to %+v", events[0], events[19])
	}
	_, by = count("maintenance")
	near("drains", by[trace.Drain], 1000*days/30, 0.02)
	if by[trace.Fail] < by[trace.Drain]-10 {
		t.Errorf("%v of %v drained nodes went down", by[trace.Fail], by[trace.Drain])
	}
	events, by = count("spot")
	notice := map[int32]int64{}
	for _, e := range events {
		switch e.Kind {
		case trace.Drain:
			notice[e.Node] = e.TimeMS
		case trace.Fail:
			if e.TimeMS-notice[e.Node] != 120_000 || e.Reason != "spot" {
				t.Fatalf("%+v after a notice at %d", e, notice[e.Node])
			}
		}
	}
	near("nodes that are taken back", float64(len(notice)), 200, 0.2)
	near("times that they are", by[trace.Fail], float64(len(notice))*days*24/(12+(2+10)/60.), 0.02)
}
