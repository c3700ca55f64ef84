package capacity

import (
	"replay/engine/fetch"
	"replay/engine/protocol"
	"replay/engine/yarn"
)

var _ yarn.Fetcher = (*Scheduler)(nil)

// FetchEnd is part of [yarn.Fetcher].
func (s *Scheduler) FetchEnd(id protocol.AppID, number int64, step int) {
	a := s.appOf(id)
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
func (s *Scheduler) FetchNode(id protocol.NodeID) {
	fetch.Of(s.nodes.Node(id))
	fetch.At(s.elision.held, int(id))
	fetch.At(s.elision.ending, int(id))
}

// FetchCompleted is part of [yarn.Fetcher].
func (s *Scheduler) FetchCompleted(id protocol.AppID, list []yarn.Placed, step int) {
	var of *yarn.Attempt
	if a := s.appOf(id); a != nil {
		of = a.Attempt
	}
	s.nodes.FetchCompleted(of, list, step)
}
