package engine

import (
	"cmp"
	"iter"
	"slices"

	"replay/engine/protocol"
	"replay/policy/resource"
	"replay/trace"
)

// guests tell whom an event of a node concerns: the applications that have or have had a container there, until they have left. One that never had runs ahead of it, unless
// it watches all nodes ([master.Plan.WatchesNodes]). They are kept where the trace has such events from the beginning.
type guests struct {
	on    bool                // they are kept
	at    [][]protocol.AppID  // by node, some more than once; those that have left go when they are tidied
	most  []int               // by node, how many there may be before that, or more
	hosts [][]protocol.NodeID // by slot, those of its containers, and of those of the attempts before, whose master may go on
	until []int64             // by slot, no later than the next event of one of its hosts; before now: not known

	// Made of the trace:
	events  []trace.NodeEvent
	next    []int32 // by node, its next event, none
	after   []int32 // by event, the next one of its node, none
	down    []bool  // by event, whether the processes of its node are dead behind it
	applied int     // events
	vague   bool    // what follows from an event is not known beforehand
}

// none is no event.
const none = -1

// tidied is how many guests a node may have before it is looked which have left.
const tidied = 16

// newGuests returns the guests of nodes none of which has any. Whether the processes of a node are dead is known beforehand but for one that is smaller than the least one at some time,
// which may be refused, and one whose decommission is taken back while they are, which depends on whether it was found lost.
func newGuests(nodes []trace.Node, events []trace.NodeEvent, least resource.Resource) guests {
	g := guests{on: len(events) > 0, events: events, next: make([]int32, len(nodes)), after: make([]int32, len(events)), down: make([]bool, len(events))}
	if g.on {
		g.at, g.most = make([][]protocol.AppID, len(nodes)), make([]int, len(nodes))
	}
	for i := range g.next {
		g.next[i] = none
	}
	for i := len(events) - 1; i >= 0; i-- {
		next := &g.next[events[i].Node]
		g.after[i], *next = *next, int32(i)
	}
	small := func(memMiB, vcores int64) bool {
		return memMiB != trace.Unset && memMiB < least[resource.Memory] || vcores != trace.Unset && vcores < least[resource.VCores]
	}
	for id, i := range g.next {
		g.vague = g.vague || small(nodes[id].MemMiB, int64(nodes[id].VCores))
		for down := !nodes[id].Present; i != none; i = g.after[i] {
			e := &events[i]
			g.vague = g.vague || small(e.MemMiB, int64(e.VCores)) || down && e.Kind == trace.Undrain
			switch e.Kind {
			case trace.Join, trace.Recover:
				down = false
			case trace.Leave, trace.Fail:
				down = true
			}
			g.down[i] = down
		}
	}
	return g
}

// foreseen reports whether applications may run ahead of events that do not concern them.
func (g *guests) foreseen() bool { return g.on && !g.vague }

// apply goes on to event i of the trace, which is the next one if there is one.
func (g *guests) apply(i int) {
	for ; g.applied < min(i, len(g.events)); g.applied++ {
		g.next[g.events[g.applied].Node] = g.after[g.applied]
	}
}

// goOn goes on from a state at a time, whose events may have been others.
func (g *guests) goOn(at int64) {
	n, _ := slices.BinarySearchFunc(g.events, at, func(e trace.NodeEvent, at int64) int { return cmp.Compare(e.TimeMS, at) })
	g.apply(n)
	for i := range g.until {
		g.until[i] = -1
	}
}

// enter takes in an attempt, which has no containers yet.
func (g *guests) enter(a *app) {
	if !g.on {
		return
	}
	for int(a.slot) >= len(g.hosts) {
		g.hosts, g.until = append(g.hosts, nil), append(g.until, never)
	}
	hosts, until := g.hosts[a.slot][:0], int64(never)
	if a.before != nil {
		hosts, until = append(hosts, g.hosts[a.before.slot]...), g.until[a.before.slot]
	}
	g.hosts[a.slot], g.until[a.slot] = hosts, until
}

// hosted takes in that an application has a container on a node.
func (s *sim) hosted(a *app, on protocol.NodeID) {
	g := &s.guests
	if g.at[on] = append(g.at[on], a.id); len(g.at[on]) > max(g.most[on], tidied) {
		s.tidyGuests(on)
	}
	hosts := g.hosts[a.slot]
	if len(hosts) == cap(hosts) { // an application may have had many containers on each of its hosts
		slices.Sort(hosts)
		if hosts = slices.Compact(hosts); 2*len(hosts) > cap(hosts) {
			hosts = slices.Grow(hosts, cap(hosts)+1)
		}
	}
	g.hosts[a.slot] = append(hosts, on)
	g.until[a.slot] = min(g.until[a.slot], s.stays(on))
}

// stays returns up to when a node is not known to change: before now while it is being decommissioned, which happens at one of its heartbeats.
func (s *sim) stays(id protocol.NodeID) int64 {
	if s.nodes.draining > 0 && s.rm.Draining(id) {
		return -1
	}
	if i := s.guests.next[id]; i != none {
		return s.guests.events[i].TimeMS
	}
	return never
}

// isDown reports whether the processes of a node are dead at the time and place in the order that has been reached, ahead of others or not.
func (s *sim) isDown(id protocol.NodeID) bool {
	down, g := s.nodes.isDown(id), &s.guests
	if !s.ahead.on || !g.foreseen() {
		return down
	}
	for i := g.next[id]; i != none; i = g.after[i] {
		if at := g.events[i].TimeMS; at > s.now || at == s.now && order(kinds[evNodeEvent].class, 0, evNodeEvent, int64(i)) > s.reached {
			break
		}
		down = g.down[i]
	}
	return down
}

// hostsStay returns the time of the next event of a node that concerns an application.
func (s *sim) hostsStay(a *app) int64 {
	g := &s.guests
	if until := &g.until[a.slot]; *until <= s.now {
		*until = never
		for _, id := range g.hosts[a.slot] {
			*until = min(*until, s.stays(id))
		}
	}
	return g.until[a.slot]
}

// tidyGuests keeps each application once of which something is left.
func (s *sim) tidyGuests(id protocol.NodeID) {
	g := &s.guests
	list := slices.DeleteFunc(g.at[id], func(a protocol.AppID) bool { return s.left.latest(a) == nil })
	slices.Sort(list)
	g.at[id] = slices.Compact(list)
	g.most[id] = 2 * len(g.at[id])
}

// eachGuest are the attempts of applications that have or have had a container on a node, and others to which its events are nothing.
func (s *sim) eachGuest(id protocol.NodeID) iter.Seq[*app] {
	return func(yield func(*app) bool) {
		if s.beats.dense || !s.guests.on {
			for _, a := range s.apps {
				if a != nil && !yield(a) {
					return
				}
			}
			return
		}
		s.tidyGuests(id)
		for _, guest := range s.guests.at[id] {
			for a := s.left.latest(guest); a != nil; a = a.before {
				if !yield(a) {
					return
				}
			}
		}
	}
}

// eachWatcher are the attempts of applications that hear of all nodes, and others to which that is nothing.
func (s *sim) eachWatcher() iter.Seq[*app] {
	return func(yield func(*app) bool) {
		if !s.watched && !s.beats.dense {
			return
		}
		for _, a := range s.apps {
			if a != nil && (s.beats.dense || a.plan.WatchesNodes) && !yield(a) {
				return
			}
		}
	}
}
