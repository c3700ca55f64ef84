package fifo

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

// watched is a cluster of which all events are recorded.
func watched(t *testing.T) (c *cluster, events *[]yarn.Event) {
	t.Helper()
	site := conf.DefaultSite()
	site.WorkPreservingRecovery = false
	c, events = &cluster{names: protocol.NewNames()}, new([]yarn.Event)
	s, err := New(site, c.names, 0, func(e *yarn.Event) { *events = append(*events, *e) })
	if err != nil {
		t.Fatal(err)
	}
	c.Scheduler = s
	c.SetClock(60_000)
	return c, events
}

// told is what happened since the last call: "1 NODE_LOCAL 2048" for a container, the start of the text of what was averted.
func told(events *[]yarn.Event) string {
	var out []string
	for _, e := range *events {
		switch e.Kind {
		case yarn.Allocated:
			out = append(out, fmt.Sprintf("%d %v %d", e.App, e.Container.Type, e.Container.Size[0]))
		case yarn.Averted:
			out = append(out, e.Text[:strings.IndexByte(e.Text, ' ')])
		case yarn.Completed:
			out = append(out, fmt.Sprintf("%d-%d ends with %d, launched %v, acquired %v", e.App, e.Container.ID.N, e.Exit, e.Launched, e.Acquired))
		}
	}
	*events = nil
	return strings.Join(out, "; ")
}

// One application asks for one key; node 0 on rack 0 has 8 GiB.
func TestWhatOneKeyGets(t *testing.T) {
	const averted = "FifoScheduler.assignContainersOnNode"
	tests := []struct {
		name            string
		host, rack, any int32 // -1: no record
		free            int64 // GiB
		want            string
	}{
		{"each level in turn", 1, 2, 4, 8, "1 NODE_LOCAL 1024; 1 RACK_LOCAL 1024; 1 OFF_SWITCH 1024; 1 OFF_SWITCH 1024"},
		{"the host alone", 2, 2, 2, 8, "1 NODE_LOCAL 1024; 1 NODE_LOCAL 1024"},
		{"no more than anywhere", 3, 3, 1, 8, "1 NODE_LOCAL 1024"},
		{"no more of the rack than anywhere", -1, 3, 1, 8, "1 RACK_LOCAL 1024"},
		{"no more than there is room", 3, 3, 3, 2, "1 NODE_LOCAL 1024; 1 NODE_LOCAL 1024"},
		{"host and rack once", 1, 1, 1, 8, "1 NODE_LOCAL 1024"},
		{"the host without its rack", 2, -1, 1, 8, "1 OFF_SWITCH 1024"},
		{"the host with nothing left for the rack", 2, 0, 1, 8, "1 OFF_SWITCH 1024"},
		{"nothing left for the host", 0, 1, 1, 8, "1 RACK_LOCAL 1024"},
		{"neither host nor rack", 0, 0, 1, 8, "1 OFF_SWITCH 1024"},
		{"no host", -1, 1, 2, 8, "1 RACK_LOCAL 1024; 1 OFF_SWITCH 1024"},
		{"anywhere alone", -1, -1, 2, 8, "1 OFF_SWITCH 1024; 1 OFF_SWITCH 1024"},
		{"nothing anywhere", 2, 2, 0, 8, ""},
		{"no ask for anywhere", 2, 2, -1, 8, ""},
		{"no room", 1, 1, 1, 0, ""},
		{"the host more often than its rack", 3, 2, 3, 8, averted + "; 1 NODE_LOCAL 1024; 1 NODE_LOCAL 1024; 1 OFF_SWITCH 1024"},
		{"and no room for that", 3, 2, 3, 2, "1 NODE_LOCAL 1024; 1 NODE_LOCAL 1024"},
		{"and not wanted so often", 3, 2, 2, 8, "1 NODE_LOCAL 1024; 1 NODE_LOCAL 1024"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, events := watched(t)
			c.node(0, max(tt.free, 1)*1024)
			c.node(2, 8192)
			var asks []protocol.Ask
			for _, a := range []struct {
				name  protocol.Name
				count int32
			}{{c.host(0), tt.host}, {c.rack(0), tt.rack}, {protocol.Any, tt.any}} {
				if a.count >= 0 {
					asks = append(asks, ask(a.name, a.count, 1024))
				}
			}
			c.app(1, asks...)
			if tt.free == 0 {
				c.SetNodeTotal(0, resource.R(0, 1))
			}
			c.NodeUpdate(0, nil, nil)
			if got := told(events); got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// While all nodes are being decommissioned and hold nothing, the largest node has no memory.
func TestAskCutToNothing(t *testing.T) {
	c, events := watched(t)
	c.node(0, 0)
	c.app(1, ask(protocol.Any, 2, 1024))
	c.node(1, 2048)
	c.NodeUpdate(1, nil, nil)
	c.NodeUpdate(1, nil, nil)
	if got, want := told(events), "FifoScheduler.assignContainer; 1 OFF_SWITCH 0; 1 OFF_SWITCH 0"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestApplicationsInTurn(t *testing.T) {
	c, events := watched(t)
	c.node(0, 4096)
	two := func(size1, size2 int64) []protocol.Ask {
		first, second := ask(protocol.Any, 1, size1), ask(protocol.Any, 1, size2)
		first.Priority, second.Priority = 1, 2
		return []protocol.Ask{first, second}
	}
	if err := c.AddApp(yarn.AppSpec{ID: 1}); err != nil { // without an attempt
		t.Fatal(err)
	}
	c.app(2, two(1024, 1024)...)
	c.app(3, two(4096, 1024)...)
	c.app(4, two(1024, 1024)...)
	// A key that gets nothing keeps the keys behind it from the node, and no other application.
	c.NodeUpdate(0, nil, nil)
	if got, want := told(events), "2 OFF_SWITCH 1024; 2 OFF_SWITCH 1024; 4 OFF_SWITCH 1024; 4 OFF_SWITCH 1024"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}

	// A key that wants nothing any more is passed over.
	c, events = watched(t)
	c.node(0, 4096)
	c.app(2, append(two(1024, 2048), ask(c.rack(0), 1, 1024))...)
	c.ask(2, ask(protocol.Any, 0, 1024))
	c.NodeUpdate(0, nil, nil)
	if got, want := told(events), "2 OFF_SWITCH 2048"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}

	// A count below 0 is nothing, and does not make up for a key that gets nothing.
	c, events = watched(t)
	c.node(0, 2048)
	c.node(2, 4096)
	c.app(2, append(two(4096, 1024), ask(c.rack(0), -1, 1024))...)
	c.NodeUpdate(0, nil, nil)
	if got := told(events); got != "" {
		t.Errorf("got %s, want nothing", got)
	}

	// A blacklisted node goes to others.
	c, events = watched(t)
	c.node(0, 4096)
	c.app(1, ask(protocol.Any, 1, 1024))
	c.app(2, ask(protocol.Any, 1, 1024))
	c.Scheduler.app(1).attempt.WaitingForAM = false
	var out protocol.AllocateResponse
	if err := c.Allocate(1, &protocol.AllocateRequest{BlacklistAdd: []protocol.Name{c.host(0)}}, &out); err != nil {
		t.Fatal(err)
	}
	c.NodeUpdate(0, nil, nil)
	if got, want := told(events), "2 OFF_SWITCH 1024"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Asks that were cut to the largest node can be smaller than the minimum: a node with less than the minimum left is offered
// to nobody, and one with the minimum is.
func TestNodeWithLessThanTheMinimum(t *testing.T) {
	c, events := watched(t)
	c.node(0, 512)
	c.app(1, ask(protocol.Any, 2, 1024))
	c.app(2, ask(protocol.Any, 9, 1024))
	c.node(1, 1536)
	c.NodeUpdate(1, nil, nil)
	if got, want := told(events), "1 OFF_SWITCH 512; 1 OFF_SWITCH 512"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	c.node(2, 2048)
	a := c.Scheduler.app(1)
	a.attempt.Update([]protocol.Ask{ask(protocol.Any, 2, 512)}, false)
	c.asking.changed(a)
	c.NodeUpdate(2, nil, nil)
	if got, want := told(events), "1 OFF_SWITCH 512; 1 OFF_SWITCH 512; 2 OFF_SWITCH 512; 2 OFF_SWITCH 512"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What an application is told that it may still get is as of the last node that was offered, and never negative.
func TestHeadroom(t *testing.T) {
	c, _ := watched(t)
	c.node(0, 4096)
	c.app(1, ask(protocol.Any, 3, 1024))
	headroom := func(of protocol.AppID) resource.Resource {
		t.Helper()
		var out protocol.AllocateResponse
		if err := c.Allocate(of, &protocol.AllocateRequest{}, &out); err != nil {
			t.Fatal(err)
		}
		return out.Headroom
	}
	want := func(when string, want resource.Resource) {
		t.Helper()
		if got := headroom(1); got != want {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	want("before a node was offered", resource.Resource{})
	if err := c.AddApp(yarn.AppSpec{ID: 2}); err != nil {
		t.Fatal(err)
	}
	c.NodeUpdate(0, nil, nil)
	want("after three containers", resource.R(1024, 1))
	c.AddAttempt(2)
	if got := headroom(2); got != (resource.Resource{}) {
		t.Errorf("an attempt made since has %v", got)
	}
	c.SetNodeTotal(0, resource.R(2048, 1))
	want("still", resource.R(1024, 1))
	c.NodeUpdate(0, nil, nil)
	want("there is no room to offer", resource.R(1024, 1))
	c.node(1, 1024)
	c.ask(1, ask(protocol.Any, 1, 1024))
	c.SetNodeTotal(0, resource.R(1024, 1))
	c.NodeUpdate(1, nil, nil)
	want("less memory than is used", resource.R(0, 1))
	c.SetNodeTotal(0, resource.R(8192, 8))
	c.NodeUpdate(0, nil, nil)
	if headroom(1) == (resource.Resource{}) {
		t.Error("no room on a node that has grown")
	}
	c.RemoveAttempt(1)
	c.AddAttempt(1)
	want("the next attempt, before a node was offered", resource.Resource{})
}

func TestEndsOfContainers(t *testing.T) {
	c, events := watched(t)
	c.node(0, 8192)
	c.app(1, ask(protocol.Any, 5, 1024), ask(c.host(0), 1, 1024), ask(c.rack(0), 1, 1024))
	c.NodeUpdate(0, nil, nil)
	id := func(n int64) protocol.ContainerID { return protocol.ContainerID{App: 1, N: n} }
	used := func() (q yarn.QueueState) {
		c.Queues(func(s *yarn.QueueState) { q = *s })
		return q
	}
	step := func(what, wantTold string, wantUsed, wantPending, wantFree int64) {
		t.Helper()
		if got := told(events); got != wantTold {
			t.Errorf("%s: %s, want %s", what, got, wantTold)
		}
		q := used()
		if a := c.Scheduler.app(1); a != nil && a.attempt.Used != q.Used {
			t.Errorf("%s: the application uses %v, want %v", what, a.attempt.Used, q.Used)
		}
		if used, pending, free := q.Used[0]/1024, (q.Demand[0]-q.Used[0])/1024, c.nodes.Node(0).Free[0]/1024; used != wantUsed || pending != wantPending || free != wantFree {
			t.Errorf("%s: %d GiB used, %d wanted, %d free; want %d, %d, %d", what, used, pending, free, wantUsed, wantPending, wantFree)
		}
	}
	*events = nil
	step("five run", "", 5, 0, 3)
	// What was never given out is asked for again, at its level.
	c.Scheduler.end(c.container(id(1)), 9, yarn.EventKill)
	step("killed before it was given out", "1-1 ends with 9, launched false, acquired false", 4, 1, 4)
	c.Scheduler.end(c.container(id(1)), 9, yarn.EventKill)
	step("which ends nothing more", "", 4, 1, 4)
	c.ask(1, ask(protocol.Any, 0, 1024))
	c.Scheduler.end(c.container(id(2)), 9, yarn.EventKill)
	step("acquired and not asked for again", "1-2 ends with 9, launched false, acquired true", 3, 0, 5)
	c.NodeUpdate(0, []protocol.ContainerID{id(3)}, nil)
	c.Scheduler.end(c.container(id(3)), 9, yarn.EventKill)
	step("a running one keeps its room", "1-3 ends with 9, launched true, acquired true", 2, 0, 5)
	c.NodeUpdate(0, nil, []protocol.Status{{ID: id(3), Exit: 137}})
	step("until its node reports the end", "", 2, 0, 6)
	c.NodeUpdate(0, []protocol.ContainerID{id(4)}, nil)
	c.NodeUpdate(0, nil, []protocol.Status{{ID: id(4), Exit: 3}})
	step("ended by itself", "1-4 ends with 3, launched true, acquired true", 1, 0, 7)
	c.ask(1, ask(protocol.Any, 1, 1024))
	c.NodeUpdate(0, nil, nil)
	c.ask(1)
	c.NodeUpdate(0, []protocol.ContainerID{id(6)}, nil)
	*events = nil
	c.RemoveApp(1)
	step("ended with their application", "1-5 ends with -100, launched false, acquired true; 1-6 ends with -100, launched true, acquired true", 0, 0, 7)
	c.RemoveNode(0)
	if got := told(events); got != "" {
		t.Errorf("with the node: %s, want nothing", got)
	}
	if got, want := c.Scheduler.used, (resource.Resource{}); got != want {
		t.Errorf("%v is used, want nothing", got)
	}
	if slices.ContainsFunc(c.apps, func(a *app) bool { return a.spec.ID == 1 }) {
		t.Error("the application is still there")
	}
}

// Under one key a host may be asked for smaller containers than anywhere, which are those that fit.
func TestSmallerOnAHost(t *testing.T) {
	c, events := watched(t)
	c.node(0, 2048)
	c.app(1, ask(protocol.Any, 1, 4096))
	c.ask(1, ask(protocol.Any, 2, 4096), ask(c.rack(0), 2, 1024), ask(c.host(0), 2, 1024))
	c.NodeUpdate(0, nil, nil)
	if got, want := told(events), "1 NODE_LOCAL 1024; 1 NODE_LOCAL 1024"; got != want {
		t.Errorf("got %q, want %s", got, want)
	}
}
