package scenario

import (
	"strings"
	"testing"

	"replay/engine/price"
	"replay/trace"
)

// said counts the warnings of a scenario with this code and text.
func said(sc *Scenario, code, text string) (n int) {
	for _, w := range sc.Warnings {
		if strings.HasPrefix(w.Code, code) && strings.Contains(w.Text, text) {
			n++
		}
	}
	return n
}

// What is not said has a default.
func TestDefaultsOfAScenario(t *testing.T) {
	sc := resolve(t, Input{}, Options{})
	if sc.StallMS != 3600_000 || sc.Engine != "fast" || sc.Placement != "locality-ratio" {
		t.Errorf("stall %d ms, engine %s, placement %s, want an hour, fast and locality-ratio", sc.StallMS, sc.Engine, sc.Placement)
	}
	sc = resolve(t, Input{SpanMS: 1e9}, Options{StallMS: 5, SeriesMS: 7, Engine: Dense, Placement: "none"})
	if sc.StallMS != 5 || sc.SeriesMS != 7 || sc.Engine != Dense || sc.Placement != "none" {
		t.Errorf("stall %d ms, samples each %d ms, engine %s, placement %s, want what was said", sc.StallMS, sc.SeriesMS, sc.Engine, sc.Placement)
	}
	if _, err := New(Input{}, Options{Engine: "slow"}); err == nil || err.Error() != `--engine is "slow", want fast or dense` {
		t.Errorf("an engine that is not there: %v", err)
	}
}

// Samples are a second apart or more, about a thousand of them at most, however long the trace is.
func TestIntervalOfSamples(t *testing.T) {
	const second = 1000
	for span, want := range map[int64]int64{0: 1, 1000: 1, 1000_999: 1, 1001_000: 2, 10_010_000: 15, 3600_000_000: 3600, 1e12: 3600} {
		if got := resolve(t, Input{SpanMS: span}, Options{}).SeriesMS; got != want*second {
			t.Errorf("a span of %d ms: samples each %d ms, want %d s", span, got, want)
		}
	}
	if got := resolve(t, Input{SpanMS: 10_000_000}, Options{Faster: 10}).SeriesMS; got != second {
		t.Errorf("ten times as fast: samples each %d ms, want 1 s", got)
	}
}

// Users and queues that the trace does not list are called default.
func TestNamesOfUsersAndQueues(t *testing.T) {
	in := Input{Users: []trace.User{{ID: 0, Name: "ann"}, {ID: 1, Name: "bob"}},
		Queues: []trace.Queue{bare(0, trace.Unset, "root"), bare(1, 0, "root.a")}}
	sc := resolve(t, in, Options{})
	for id, want := range map[int32][2]string{-1: {"default", "default"}, 0: {"ann", "root"}, 1: {"bob", "root.a"}, 2: {"default", "default"}} {
		if got := [2]string{sc.UserName(id), sc.QueuePath(id)}; got != want {
			t.Errorf("number %d is user and queue %v, want %v", id, got, want)
		}
	}
}

// Labels of nodes are not modelled, which is said once.
func TestLabelsOfNodes(t *testing.T) {
	node := func(labels ...string) trace.Node {
		return trace.Node{Host: "h", Rack: "/r", MemMiB: 8192, VCores: 8, Present: true, Labels: labels}
	}
	sc := resolve(t, Input{Nodes: []trace.Node{node(), node("gpu"), node("gpu")}}, Options{})
	if n := said(sc, "node-labels", "node labels are not modelled"); n != 1 {
		t.Errorf("labels of nodes are said %d times, want once", n)
	}
	sc = resolve(t, Input{Nodes: []trace.Node{node()}}, Options{})
	if n := said(sc, "node-labels", ""); n != 0 {
		t.Errorf("nodes without labels: said %d times", n)
	}
}

// An hour at the start costs what the nodes do that are there; those that come later have a price too.
func TestHourAtStart(t *testing.T) {
	list, err := price.Read("p", []byte("gpu=3\n*=.25"))
	if err != nil {
		t.Fatal(err)
	}
	nodes := []trace.Node{{Host: "a", MemMiB: 1024, VCores: 1, Present: true}, {Host: "b", MemMiB: 1024, VCores: 1, Labels: []string{"gpu"}, Present: true}, {Host: "c", MemMiB: 1024, VCores: 1, Labels: []string{"gpu"}}}
	sc := resolve(t, Input{Nodes: nodes}, Options{Prices: list})
	if p := sc.NodePrices(); sc.HourAtStart() != 3.25 || len(p.TypeOf) != len(nodes) {
		t.Errorf("an hour costs %v, by %+v, want 3.25 and a price of each node", sc.HourAtStart(), p)
	}
}
