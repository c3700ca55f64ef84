package view_test

import (
	"io"
	"slices"
	"testing"

	"replay/trace"
	"replay/trace/view"
)

// rackNodes are nodes by rack, all present but those in away.
func rackNodes(away []int32, racks ...int32) (nodes []trace.Node) {
	for i, r := range racks {
		nodes = append(nodes, trace.Node{ID: int32(i), Host: string(rune('a' + i)), RackID: r, MemMiB: 1000 * int64(i+1), VCores: 4, Present: !slices.Contains(away, int32(i))})
	}
	return nodes
}

func present(nodes []trace.Node) (ids []int32) {
	for i := range nodes {
		if nodes[i].Present {
			ids = append(ids, nodes[i].ID)
		}
	}
	return ids
}

func TestResize(t *testing.T) {
	nodes := rackNodes([]int32{3}, 0, 0, 0, 1, 1, 2)
	events := []trace.NodeEvent{{TimeMS: 1, Node: 2, Kind: trace.Fail}, {TimeMS: 2, Node: 3, Kind: trace.Join}, {TimeMS: 3, Node: 0, Kind: trace.Fail}}
	for _, tt := range []struct {
		n      int
		want   []int32
		events []int64
	}{
		{5, []int32{0, 1, 2, 4, 5}, []int64{1, 2, 3}},
		{4, []int32{0, 1, 4, 5}, []int64{2, 3}}, // the rack with most gives one
		{3, []int32{0, 4, 5}, []int64{2, 3}},
		{1, []int32{0}, []int64{2, 3}},
		{7, []int32{0, 1, 2, 4, 5, 6, 7}, []int64{1, 2, 3}},
	} {
		r, err := view.Resize(nodes, events, tt.n)
		if err != nil {
			t.Fatal(err)
		}
		var at []int64
		for _, e := range r.Events {
			at = append(at, e.TimeMS)
		}
		if got := present(r.Nodes); !slices.Equal(got, tt.want) || !slices.Equal(at, tt.events) {
			t.Errorf("%d nodes: %v are present with events at %v, want %v and %v", tt.n, got, at, tt.want, tt.events)
		}
		for i := 6; i < tt.n+1; i++ {
			if a, like := r.Nodes[i], nodes[i-6]; a.MemMiB != like.MemMiB || a.RackID != like.RackID || a.Host == like.Host {
				t.Errorf("added node %+v, want one like %+v", a, like)
			}
		}
	}
	if len(present(nodes)) != 5 {
		t.Error("the nodes given were changed")
	}
	if _, err := view.Resize(rackNodes([]int32{0}, 0), nil, 3); err == nil {
		t.Error("a cluster without nodes was resized")
	}
}

// Blocks of nodes that were taken away lie on others, each task's on distinct ones, and not all on one.
func TestResizedPreferences(t *testing.T) {
	job := func() *trace.Job {
		j := &trace.Job{Stages: []trace.Stage{{Tasks: trace.Tasks{DurationMS: make([]int64, 30)}}, {Tasks: trace.Tasks{DurationMS: []int64{1}}}}}
		prefs := make([][]int32, 30)
		for i := range prefs {
			prefs[i] = []int32{int32(i % 10), int32((i + 3) % 10), int32((i + 7) % 10)}
		}
		prefs[4] = nil
		j.Stages[0].Tasks.SetPrefs(prefs)
		return j
	}
	r, err := view.Resize(rackNodes(nil, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1), nil, 4)
	if err != nil {
		t.Fatal(err)
	}
	source := r.Jobs((&trace.MemoryTrace{JobList: []*trace.Job{job()}}).Jobs())
	j, err := source.Next()
	if err != nil {
		t.Fatal(err)
	}
	held := map[int32]int{}
	for i := range 30 {
		prefs := j.Stages[0].Tasks.Prefs(i)
		if want := min(3, 4); len(prefs) != want && i != 4 || i == 4 && len(prefs) != 0 {
			t.Errorf("task %d prefers %v, want %d nodes", i, prefs, want)
		}
		for k, id := range prefs {
			if !r.Nodes[id].Present || slices.Contains(prefs[:k], id) {
				t.Errorf("task %d prefers %v", i, prefs)
			}
			held[id]++
		}
		for _, id := range job().Stages[0].Tasks.Prefs(i) {
			if r.Nodes[id].Present && !slices.Contains(prefs, id) {
				t.Errorf("task %d prefers %v, no longer %d, which stays", i, prefs, id)
			}
		}
	}
	for _, id := range present(r.Nodes) {
		if held[id] < 15 || held[id] > 30 {
			t.Errorf("node %d holds %d of 87 replicas", id, held[id])
		}
	}
	if _, err := source.Next(); err != io.EOF {
		t.Errorf("%v after the last job", err)
	}
}
