package fair

import (
	"replay/engine/fetch"
	"replay/engine/protocol"
	"replay/engine/yarn"
)

var _ yarn.Fetcher = (*Scheduler)(nil)

// FetchEnd is part of [yarn.Fetcher].
func (f *Scheduler) FetchEnd(id protocol.AppID, number int64, step int) {
	a := f.attempt(id)
	switch {
	case step == 0:
		fetch.Of(a)
	case a == nil:
	case step == 1:
		a.Attempt.Fetch()
	case step == 2:
		a.FetchLive(number)
	}
}

// FetchNode is part of [yarn.Fetcher].
func (f *Scheduler) FetchNode(id protocol.NodeID) {
	fetch.At(f.elision.rank, int(id))
	if n := f.node(id); n != nil {
		fetch.Of(n.Node)
	}
}

// FetchCompleted is part of [yarn.Fetcher].
func (f *Scheduler) FetchCompleted(id protocol.NodeID, c protocol.ContainerID, step int) {
	if step == 0 {
		fetch.At(f.nodes, int(id))
		if a := f.attempt(c.App); a != nil {
			a.FetchPlace(c.Number())
		}
		return
	}
	if n := f.node(id); n != nil {
		n.FetchContainers()
	}
	fetch.Of(f.live(c))
}
