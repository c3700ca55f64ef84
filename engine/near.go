package engine

import (
	"replay/engine/fetch"
	"replay/engine/protocol"
)

// What comes next is known while something else is executed, and what it will look at in memory has not been touched for long. So it is fetched beforehand, for the events that
// stand first in the queue: in steps, as one pointer leads to the next, a step each time that something was executed. Nothing but time depends on it.

// near is how far that has got.
type near struct {
	steps []uint8 // by lane of the queue: how many were taken for its first event
}

// nearest is how many events are fetched for: the first one and those that stand below it in the heap of lanes, of which one is the next.
const nearest = 5

// lastStep is the last one that is taken for an event: 3 but for those of a [master.EventFetcher].
const lastStep = 4

// passes notes that an event of a lane is executed.
func (n *near) passes(lane int32) {
	if int(lane) < len(n.steps) {
		n.steps[lane] = 0
	}
}

// fetch takes the next steps.
func (s *sim) fetch() {
	s.q.refresh()
	if n := len(s.q.lanes); n > len(s.near.steps) {
		s.near.steps = append(s.near.steps, make([]uint8, n-len(s.near.steps))...)
	}
	heap, steps := s.q.heap, s.near.steps
	for i := min(len(heap), nearest) - 1; i >= 0; i-- {
		lane := uint32(heap[i].arg)
		step := steps[lane]
		if step > lastStep || lane == 0 {
			continue
		}
		steps[lane]++
		a := s.apps[(lane-1)/2]
		if lane%2 == 1 {
			s.fetchTurn(a, int32(lane), step)
		} else {
			s.fetchBehind(a, &heap[i], int32(lane), step)
		}
	}
}

// fetchTurn takes a step for an event that an application executes.
func (s *sim) fetchTurn(a *app, lane int32, step uint8) {
	switch {
	case step == 0:
		fetch.Of(a)
		fetch.Of(&s.q.lanes[lane])
		return
	case step == 1:
		l := &s.q.lanes[lane]
		fetch.At(l.list, l.from)
		fetch.At(l.many.Keys(), 0)
	}
	switch {
	case a.events != nil:
		s.fetchFor(a, lane, int(step)-2)
	case step > 3:
	case a.fetcher != nil:
		a.fetcher.Fetch(int(step) - 1)
	}
}

// fetchFor takes a step for the next of the many events of an application whose master says what they are about, and for those of the same time that may come behind it. Their containers
// come last.
func (s *sim) fetchFor(a *app, lane int32, step int) {
	if step < 0 {
		return
	}
	for number := range s.q.lanes[lane].many.Next {
		if n := a.events.FetchFor(number, step); n > 0 {
			s.fetchContainer(a, n, step)
		}
	}
}

// fetchContainer takes a step for an event about a container.
func (s *sim) fetchContainer(a *app, n int64, step int) {
	switch step {
	case 1:
		fetch.At(a.containers, int(n-1))
	case 2:
		fetch.Of(a.containerAt(n))
	}
}

// fetchBehind takes a step for an event to which the cluster comes of what an application has done ahead: a container has been given back, or its process has ended.
func (s *sim) fetchBehind(a *app, e *event, lane int32, step uint8) {
	n := e.number()
	switch step {
	case 0:
		fetch.Of(a)
		fetch.Of(&s.q.lanes[lane])
	case 1:
		fetch.At(s.q.lanes[lane].list, s.q.lanes[lane].from)
		fetch.At(a.containers, int(n-1))
	case 2, 3:
		c := a.containerAt(n)
		if c == nil {
			return
		}
		if step == 2 {
			fetch.Of(c)
			break
		}
		fetch.At(s.nodes.usage, int(c.node))
		s.rm.FetchNode(c.node)
	}
	s.rm.FetchEnd(protocol.AppID(e.app()), n, int(step))
}
