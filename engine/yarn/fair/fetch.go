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
	fetch.At(f.nodes, int(id))
	fetch.Of(f.cluster.Node(id)) // one of a list that is at hand, as it is small
}

// FetchCompleted is part of [yarn.Fetcher].
func (f *Scheduler) FetchCompleted(id protocol.AppID, list []yarn.Placed, step int) {
	if step == 0 {
		for i := range list {
			fetch.At(f.nodes, int(list[i].Node))
		}
	}
	var of *yarn.Attempt
	if a := f.attempt(id); a != nil {
		of = a.Attempt
	}
	f.cluster.FetchCompleted(of, list, step)
}
