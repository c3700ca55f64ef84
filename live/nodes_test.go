package live

import (
	"strings"
	"testing"
	"time"

	"replay/live/livetest"
)

// A node that the ResourceManager has lost died before: it was silent for the expiry interval, and somebody looks every third of it.
func TestLostNodeDiedBefore(t *testing.T) {
	for _, expiry := range []string{"300", "300ms", ""} {
		c, out := busy(t), t.TempDir()
		c.Expiry = expiry
		first := record(t, options(c, out)).Polls.LastMS
		time.Sleep(500 * time.Millisecond)
		between := record(t, options(c, out)).Polls.LastMS
		c.Nodes[0]["state"] = "LOST"
		r := record(t, options(c, out))
		e, seen := r.NodeEvents[0], r.Polls.LastMS
		want := NodeEvent{T: seen - 350, After: max(between-400, first), Before: seen - 300, Node: "node01", Event: "lost", What: "RUNNING to LOST"}
		if expiry == "" { // ten minutes ago: before the recording
			want.T, want.After, want.Before = first, first, first
		}
		if e != want {
			t.Errorf("expiry %q: %+v, want %+v", expiry, e, want)
		}
	}
}

// Whoever leaves for good does not come back: one that does was lost for a time.
func TestNodesThatComeBack(t *testing.T) {
	c, out := busy(t), t.TempDir()
	record(t, options(c, out))
	c.Nodes[0]["state"], c.Nodes[1]["state"] = "SHUTDOWN", "UNHEALTHY"
	events := func() string {
		var all []string
		r := record(t, options(c, out))
		for _, e := range r.NodeEvents {
			all = append(all, e.Event+" "+e.Node)
		}
		return strings.Join(all, ", ")
	}
	if got, want := events(), "removed node01, unhealthy node02"; got != want {
		t.Errorf("node events are %s, want %s", got, want)
	}
	c.Nodes[0]["state"] = "RUNNING"
	if got, want := events(), "lost node01, unhealthy node02, started node01"; got != want {
		t.Errorf("node events are %s, want %s", got, want)
	}
	c.Nodes = c.Nodes[1:]
	c.Nodes[0]["state"] = "RUNNING"
	if got, want := events(), "lost node01, unhealthy node02, started node01, healthy node02, removed node01"; got != want {
		t.Errorf("node events are %s, want %s", got, want)
	}
	c.Nodes = append(c.Nodes, livetest.Node("node01", "/rack1", "RUNNING", 8192, 8))
	if got, want := events(), "lost node01, unhealthy node02, started node01, healthy node02, lost node01, started node01"; got != want {
		t.Errorf("node events are %s, want %s", got, want)
	}
}

// A node that is not healthy may become healthy, be lost, go or be taken out of use; none of it is that it was lost when it said that it was not healthy.
func TestUnhealthyNodes(t *testing.T) {
	for _, tt := range []struct {
		states []string
		want   string
	}{
		{[]string{"UNHEALTHY", "RUNNING"}, "unhealthy, healthy"},
		{[]string{"UNHEALTHY", "LOST", "RUNNING"}, "unhealthy, lost, started"},
		{[]string{"UNHEALTHY", "SHUTDOWN"}, "unhealthy, removed"},
		{[]string{"UNHEALTHY", "DECOMMISSIONED"}, "unhealthy, decommissioned"},
		{[]string{"UNHEALTHY", "DECOMMISSIONING", "DECOMMISSIONED"}, "unhealthy, decommissioned"},
		{[]string{"UNHEALTHY", "DECOMMISSIONING", "RUNNING"}, "unhealthy, recommissioned"},
		{[]string{"DECOMMISSIONING", "UNHEALTHY"}, "draining, recommissioned, unhealthy"},
		{[]string{"LOST", "UNHEALTHY"}, "lost"},
		{[]string{"LOST", "UNHEALTHY", "RUNNING"}, "lost, started"},
		{[]string{"LOST", "UNHEALTHY", "LOST"}, "lost"},
	} {
		c, out := busy(t), t.TempDir()
		c.Expiry = "300"
		record(t, options(c, out))
		var r *Recording
		for _, s := range tt.states {
			c.Nodes[0]["state"] = s
			r = record(t, options(c, out))
		}
		var got []string
		for _, e := range r.NodeEvents {
			got = append(got, e.Event)
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%q: node events are %q, want %s", tt.states, got, tt.want)
		}
	}
}
