package live

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/bench/conform/golden"
)

// In the recording of locality thresholds one application master's call began before a heartbeat and ended after it.
func TestOverlappingCallsAreExchanged(t *testing.T) {
	in, err := golden.Open(filepath.Join("..", "testdata", "recorded-locality-thresholds", "rm-calls.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r, err := readRecording(in)
	if err != nil {
		t.Fatal(err)
	}
	run, moved, err := r.settle()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"seq 659 (allocate appattempt_1795246785619_0003_000001) took effect after seq 660 (NODE_UPDATE node03), 2 ms apart",
		"differences in the order of the numbers alone: 1",
	}
	if d := cmp.Diff(want, moved); d != "" || len(run.differences) != 0 {
		t.Errorf("%d differences, exchanges (-want +got):\n%s", len(run.differences), d)
	}
}

// Calls of different threads that were numbered in the other order are put right, however many there are.
func TestExchangedCallsArePutRight(t *testing.T) {
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for _, name := range []string{"recorded-locality-thresholds", "recorded-preemption"} {
		for seed := range seeds {
			in, err := golden.Open(filepath.Join("..", "testdata", name, "rm-calls.jsonl.gz"))
			if err != nil {
				t.Fatal(err)
			}
			r, err := readRecording(in)
			in.Close()
			if err != nil {
				t.Fatal(err)
			}
			// What the ResourceManager does for an application master follows from an event and cannot be exchanged with it.
			started := map[string]bool{}
			var own []bool
			for i := range r.calls {
				started[r.calls[i].Attempt] = started[r.calls[i].Attempt] || r.calls[i].Kind == "allocate_reply"
				own = append(own, r.calls[i].Kind == "allocate" && !started[r.calls[i].Attempt])
			}
			random := rand.New(rand.NewPCG(seed, 7))
			for n := 0; n < 25; {
				i := random.IntN(len(r.calls) - 1)
				a, b := &r.calls[i], &r.calls[i+1]
				if own[i] || own[i+1] || a.thread() == b.thread() || a.thread() == "" || b.thread() == "" || b.T-a.T > 40 {
					continue
				}
				*a, *b = *b, *a
				own[i], own[i+1] = own[i+1], own[i]
				n++
			}
			run, moved, err := r.settle()
			if err != nil {
				t.Fatal(err)
			}
			if len(run.differences) != 0 {
				t.Errorf("%s, seed %d: %d differences with %q, the first is %+v", name, seed, len(run.differences), moved, run.differences[0])
			}
		}
	}
}

// A node's report of an end may miss the heartbeat that came right after it: put to the heartbeat before its own, it is found out.
func TestReportThatMissedItsHeartbeat(t *testing.T) {
	if testing.Short() {
		t.Skip("a play for each report")
	}
	in, err := golden.Open(filepath.Join("..", "testdata", "recorded-locality-thresholds", "rm-calls.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r, err := readRecording(in)
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]int{} // heartbeat of each node
	found := 0
	for i := range r.calls {
		c := &r.calls[i]
		if c.Type != "NODE_UPDATE" {
			continue
		}
		before, seen := last[c.Node]
		last[c.Node] = i
		k := slices.IndexFunc(c.reports, func(rep liveReport) bool { return rep.open })
		if !seen || k < 0 {
			continue
		}
		// The same recording with this report, made 10 ms before the heartbeat before, put to that.
		changed := *r
		changed.calls = slices.Clone(r.calls)
		report := c.reports[k]
		report.t = changed.calls[before].T - 10
		changed.calls[i].reports = slices.Delete(slices.Clone(c.reports), k, k+1)
		changed.calls[before].reports = append(slices.Clone(changed.calls[before].reports), report)
		run, moved, err := changed.settle()
		if err != nil {
			t.Fatal(err)
		}
		if len(run.differences) != 0 {
			t.Errorf("report %+v: %d differences with %q", report, len(run.differences), moved)
		}
		if slices.ContainsFunc(moved, func(text string) bool { return strings.Contains(text, "missed seq") }) {
			found++
		}
	}
	if found == 0 {
		t.Error("no report mattered")
	}
}

// The order in which nodes say things is their own: a heartbeat is never exchanged with another event.
func TestOnlyCallsOfOtherThreadsMove(t *testing.T) {
	r := &recording{calls: []liveCall{
		{Seq: 0, T: 100, Kind: "event", Type: "NODE_UPDATE", Node: "a"},
		{Seq: 1, T: 101, Kind: "allocate", Attempt: "appattempt_1_0001_000001"},
		{Seq: 2, T: 102, Kind: "allocate_reply", Attempt: "appattempt_1_0001_000001"},
		{Seq: 3, T: 103, Kind: "allocate", Attempt: "appattempt_1_0001_000001"},
		{Seq: 4, T: 104, Kind: "event", Type: "NODE_UPDATE", Node: "b"},
		{Seq: 5, T: 200, Kind: "update"},
	}}
	var got []string
	for _, m := range r.moves(liveOrder{calls: []int{0, 1, 2, 3, 4, 5}}, 4) {
		got = append(got, m.text)
	}
	want := []string{
		"seq 3 (allocate appattempt_1_0001_000001) took effect after seq 4 (NODE_UPDATE b), 1 ms apart",
		"seq 1 (allocate appattempt_1_0001_000001) took effect before seq 0 (NODE_UPDATE a), 1 ms apart",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
