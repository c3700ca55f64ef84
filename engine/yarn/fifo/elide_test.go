package fifo

import (
	"testing"

	"replay/engine/protocol"
)

// A heartbeat is left out when the node has no room, or when nobody asks for anything and all know their headroom.
func TestHeartbeatsThatDoNothing(t *testing.T) {
	c := newCluster(t)
	c.node(0, 8192)
	c.node(1, 512)
	c.Epoch([]protocol.NodeID{1, 0})
	c.Beats(0, true)
	c.Beats(1, true)
	next := func(what string, want int64) {
		t.Helper()
		if got := c.NextHeartbeat(2, 9, 9); got != want {
			t.Errorf("%s: the next heartbeat is %d, want %d", what, got, want)
		}
	}
	c.app(1, ask(protocol.Any, 1, 1024))
	next("an ask", 3) // heartbeat 2 is that of node 1
	c.NodeUpdate(0, nil, nil)
	next("nothing is wanted", 9)
	c.app(2)
	next("an application that does not know its headroom", 3)
	c.NodeUpdate(0, nil, nil)
	next("it knows", 9)
	given := c.ask(1)
	var out protocol.AllocateResponse
	if err := c.Allocate(1, &protocol.AllocateRequest{Releases: []protocol.ContainerID{given[0].ID}}, &out); err != nil {
		t.Fatal(err)
	}
	next("room has come back", 3)
	c.app(3, ask(protocol.Any, 1, 4096))
	c.NodeUpdate(0, nil, nil)

	c.app(4, ask(protocol.Any, 1, 6144))
	next("more than the node has room for, which is not known yet", 3)
	c.NodeUpdate(0, nil, nil)
	next("there is no room", 9)
	c.app(5, ask(protocol.Any, 1, 2048))
	next("somebody asks for less", 3)
	c.NodeUpdate(0, nil, nil)
	c.NodeUpdate(0, nil, nil)
	next("only the large one is left", 9)
	c.app(6, ask(protocol.Any, 1, 6144), ask(c.host(0), 1, 1024))
	c.NodeUpdate(0, nil, nil)
	next("under one key less is asked for on a host", 3)
	c.app(7, ask(protocol.Any, 1, 6144))
	c.NodeUpdate(0, nil, nil)
	next("there is that key still when another application has asked", 3)
}

// A key's size may change while a record of it stays as it was.
func TestHeartbeatsForAKeyOfTwoSizes(t *testing.T) {
	c := newCluster(t)
	c.node(0, 2048)
	c.Epoch([]protocol.NodeID{0})
	c.Beats(0, true)
	c.app(1, ask(protocol.Any, 1, 1024), ask(c.host(0), 1, 1024))
	c.ask(1, ask(protocol.Any, 1, 6144))
	c.NodeUpdate(0, nil, nil)
	if len(c.made) > 0 {
		t.Fatalf("%+v", c.made)
	}
	if got := c.NextHeartbeat(1, 5, 5); got != 1 {
		t.Errorf("the next heartbeat is %d, want the first: less may be asked for on the host", got)
	}
}

// What a container was asked for with comes back when it ends before its application has heard of it, and may be less than all that was asked for since.
func TestHeartbeatsForWhatComesBack(t *testing.T) {
	c := newCluster(t)
	sizes := []int64{2048, 1024, 2048} // and so many without room that what is asked for is not looked at anew for two heartbeats in vain
	var ranks []protocol.NodeID
	for i := range 40 {
		mem := int64(512)
		if i < len(sizes) {
			mem = sizes[i]
		}
		c.node(i, mem)
		ranks = append(ranks, protocol.NodeID(i))
	}
	c.Epoch(ranks)
	for i := range ranks {
		c.Beats(i, true)
	}
	next := func() int64 { return c.NextHeartbeat(0, 40, 40) }
	c.app(1, ask(protocol.Any, 1, 2048))
	c.NodeUpdate(0, nil, nil)
	c.app(2, ask(protocol.Any, 1, 8192))
	for range 3 {
		c.NodeUpdate(1, nil, nil)
	}
	if got := next(); got != 40 || len(c.made) != 1 {
		t.Fatalf("the next heartbeat is %d, with %d containers given, want none and 1", got, len(c.made))
	}
	c.Expire(c.made[0].ID)
	c.Beats(0, false)
	c.RemoveNode(0)
	if got := next(); got != 1 {
		t.Errorf("the next heartbeat is %d, want 1: the headroom has changed", got)
	}
	c.NodeUpdate(1, nil, nil)
	if got := next(); got != 2 {
		t.Errorf("the next heartbeat is %d, want 2, that of the node with room for what came back", got)
	}
}

// What was asked for on a rack stays when all is allocated elsewhere, and may be less than what is asked for anywhere later.
func TestHeartbeatsForWhatIsLeftOnARack(t *testing.T) {
	c := newCluster(t)
	c.node(0, 2048)
	c.node(1, 2048) // on the other rack
	c.Epoch([]protocol.NodeID{0, 1})
	c.Beats(0, true)
	c.Beats(1, true)
	c.app(1, ask(protocol.Any, 1, 2048), ask(c.rack(1), 2, 2048))
	c.NodeUpdate(0, nil, nil)
	c.ask(1, ask(protocol.Any, 1, 8192))
	c.NodeUpdate(0, nil, nil)
	c.app(2, ask(protocol.Any, 1, 8192))
	c.node(2, 1024)
	c.NodeUpdate(2, nil, nil)
	if got := c.NextHeartbeat(0, 5, 5); got != 1 {
		t.Errorf("the next heartbeat is %d, want 1: there is room for what is asked for on its rack", got)
	}
	if c.NodeUpdate(1, nil, nil); len(c.made) != 2 {
		t.Errorf("%d containers, want 2", len(c.made))
	}
}
