package fair

import (
	"replay/engine/fetch"
	"replay/engine/protocol"
	"replay/engine/yarn"
)

var _ yarn.Fetcher = (*Scheduler)(nil)

// FetchEnd is part of [yarn.Fetcher].
func (f *Scheduler) FetchEnd(id protocol.AppID, step int) {
	if step == 0 {
		fetch.Of(f.attempt(id))
		return
	}
	f.attemptOf(id).FetchEnd()
}

// attemptOf returns the attempt of an application that is live, nil without one.
func (f *Scheduler) attemptOf(id protocol.AppID) *yarn.Attempt {
	if a := f.attempt(id); a != nil {
		return a.Attempt
	}
	return nil
}

// FetchNode is part of [yarn.Fetcher].
func (f *Scheduler) FetchNode(id protocol.NodeID) {
	fetch.At(f.nodes, int(id))
	f.cluster.FetchNode(id)
}

// FetchCompleted is part of [yarn.Fetcher].
func (f *Scheduler) FetchCompleted(id protocol.AppID, list []yarn.Placed, step int) {
	if step == 0 {
		for i := range list {
			fetch.At(f.nodes, int(list[i].Node))
		}
	}
	f.cluster.FetchCompleted(f.attemptOf(id), list, step)
}
