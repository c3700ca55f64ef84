package capacity

import (
	"replay/engine/fetch"
	"replay/engine/protocol"
	"replay/engine/yarn"
)

var _ yarn.Fetcher = (*Scheduler)(nil)

// FetchEnd is part of [yarn.Fetcher].
func (s *Scheduler) FetchEnd(id protocol.AppID, step int) {
	if step == 0 {
		fetch.Of(s.appOf(id))
		return
	}
	s.attemptOf(id).FetchEnd()
}

// attemptOf returns the attempt of an application that is live, nil without one.
func (s *Scheduler) attemptOf(id protocol.AppID) *yarn.Attempt {
	if a := s.appOf(id); a != nil {
		return a.Attempt
	}
	return nil
}

// FetchNode is part of [yarn.Fetcher].
func (s *Scheduler) FetchNode(id protocol.NodeID) {
	s.nodes.FetchNode(id)
	fetch.At(s.elision.held, int(id))
	fetch.At(s.elision.ending, int(id))
}

// FetchCompleted is part of [yarn.Fetcher].
func (s *Scheduler) FetchCompleted(id protocol.AppID, list []yarn.Placed, step int) {
	s.nodes.FetchCompleted(s.attemptOf(id), list, step)
}
