package engine

import (
	"replay/engine/fetch"
	"replay/engine/master"
	"replay/engine/protocol"
	"replay/engine/yarn"
)

// What comes next is known while something else is executed, and what it will look at in memory has not been touched for long. So it is fetched beforehand, for the events that
// stand first in the queue: in steps, as one pointer leads to the next, a step each time that something was executed. Nothing but time depends on it.

// near is how far that has got.
type near struct {
	steps   []uint8 // by lane of the queue: how many were taken for its first event
	numbers []int64 // scratch
}

// nearest is how many events are fetched for: the first one and those that stand below it in the heap of lanes, of which one is the next.
const nearest = 5

// The last step that is taken for an event that an application executes, and for one that comes behind it.
const (
	lastStep   = 3
	lastBehind = 4
)

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
		if step > lastBehind || step > lastStep && lane%2 == 1 || lane == 0 && heap[i].kind() != evArrival {
			continue
		}
		steps[lane]++
		if lane == 0 {
			s.fetchArrival(step)
			continue
		}
		a := s.apps[(lane-1)/2]
		if lane%2 == 1 {
			s.fetchTurn(a, &heap[i], int32(lane), step)
		} else {
			s.fetchBehind(a, &heap[i], int32(lane), step)
		}
	}
}

// fetchArrival takes a step for the submission of an application: the job, which another goroutine has read, and the memory in which it is replayed.
func (s *sim) fetchArrival(step uint8) {
	if s.arriving == nil && step > 0 { // it is that of a job that had to wait for others
		return
	}
	var a *app
	if n := len(s.departed); n > 0 {
		a = s.departed[n-1]
	}
	switch step {
	case 0:
		fetch.Of(s.arriving)
		fetch.Of(a)
		s.rm.FetchSubmission()
		if n := len(s.free); n > 0 {
			fetch.At(s.q.lanes, 2*int(s.free[n-1])+1)
			fetch.At(s.q.lanes, 2*int(s.free[n-1])+2)
		}
	case 1:
		fetch.List(s.arriving.Stages, fewStages)
		if a != nil {
			fetch.Of(a.rec)
			fetch.Of(a.done)
			fetch.List(a.containers, mostContainers)
		}
	case 2:
		for i := range min(len(s.arriving.Stages), fewStages) {
			fetch.List(s.arriving.Stages[i].Tasks.DurationMS, fewTasks)
		}
	}
}

// How much is fetched of a job that is submitted, and of the containers that an application had before.
const (
	fewStages      = 4
	fewTasks       = 128
	mostContainers = 64
)

// fetchTurn takes a step for an event that an application executes.
func (s *sim) fetchTurn(a *app, e *event, lane int32, step uint8) {
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
	if a.fetcher != nil {
		a.fetcher.Fetch(int(step) - 1)
	} else if e.kind() == evRegisterAM {
		if p, ok := a.plan.Maker.(master.Preparer); ok {
			p.Prepare(int(step) - 1)
		}
	}
	if a.events == nil {
		return
	}
	switch step { // the books of its tasks
	case 1:
		fetch.Of(a.done)
		fetch.Of(a.rec)
	case 2:
		fetch.At(a.done.bits, 0)
	}
}

// stepsFor is how many steps a [master.EventFetcher] takes for an event.
const stepsFor = 3

// fetchTogether has fetched what one of many events, which is executed now, and those of its time, which come right behind it, will look at: in steps, each for all of them, so that what
// they wait for comes at once. The last is for the nodes on which processes are about to end.
func (s *sim) fetchTogether(a *app, e *event, lane int32) {
	numbers := append(s.near.numbers[:0], e.number())
	numbers = s.q.lanes[lane].many.At(e.at, numbers)
	s.near.numbers = numbers
	s.placed = s.placed[:0]
	for step := range stepsFor + 1 {
		for _, number := range numbers {
			n := a.events.FetchFor(number, step)
			switch {
			case n == 0:
			case step < stepsFor-1:
				fetch.At(a.containers, int(n-1))
			case step < stepsFor:
				fetch.Of(a.containerAt(n))
			default:
				if c := a.containerAt(n); c != nil {
					s.placed = append(s.placed, yarn.Placed{Number: n, Node: c.node})
				}
			}
		}
	}
	for step := range 2 {
		s.rm.FetchStarts(a.id, s.placed, step)
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
	case 2:
		fetch.Of(a.containerAt(n))
	default:
		if c := a.containerAt(n); c != nil {
			fetch.At(s.nodes.usage, int(c.node))
			s.placed = append(s.placed[:0], yarn.Placed{Number: n, Node: c.node})
			s.rm.FetchExits(protocol.AppID(e.app()), s.placed, int(step)-3)
		}
		return
	}
	s.rm.FetchEnd(protocol.AppID(e.app()), n, int(step))
}
