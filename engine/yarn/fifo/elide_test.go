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
}
