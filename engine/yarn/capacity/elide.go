package capacity

import (
	"math"
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// Two kinds of heartbeats do nothing but count, or nothing at all.
//
// At an unreserved node the search goes through queues, users and applications before it looks at the node. When it came to nothing for reasons
// that are the same for all nodes, it comes to nothing at each of them until something else happens.
//
// A reserved node without room for its container is reserved again, until the node or what the application asks for has changed.
type elision struct {
	yarn.NodeSets
	held   []*key              // by node that is repeated or counting: what it is reserved for
	ending []resource.Resource // by node: what it gets back at its next heartbeat, see [Scheduler.Ending]

	// Of the last search, for the next ones.
	alike   bool                // while it goes on: nothing so far that another node or another time would change
	still   bool                // the next ones come to nothing either, whatever the node
	counted []*yarn.Table       // whose offers each of them counts
	content []*key              // that wanted no more than they have reserved, until it has been reserved again often enough
	until   int64               // the heartbeat at which the first of these has; they may come to something behind it
	bounded bool                // until is known
	far     []int64             // scratch
	taken   []resource.Resource // sizes that are taken on a node with room for them
	looked  int64               // from the heartbeat since on none of a node with room for one of taken comes before this one; 0 for what is not known
	since   int64
	beats   int64 // changes of which nodes send heartbeats, and when
}

// content is up to which heartbeat a key wants no more than it has reserved, as far as nothing of it changes: that is reserved again at the same heartbeats whatever else happens.
type content struct {
	until, beats int64
	enough       int32 // 0 for what is not known
}

// What a heartbeat of a node does by itself, the sets of nodes.
const (
	searched = iota // a search is made
	acting          // reserved, and the heartbeat does more than count
	repeated        // reserved, and is so again
	counting        // reserved, and the offer is counted without being reserved again
	effects
)

var (
	_ yarn.Elider = (*Scheduler)(nil)
	_ yarn.Ender  = (*Scheduler)(nil)
)

// Epoch is part of [yarn.Elider].
func (s *Scheduler) Epoch(ranks []protocol.NodeID) {
	s.elision.NodeSets.Epoch(ranks)
	s.elision.beatsChanged()
}

// Beats is part of [yarn.Elider].
func (s *Scheduler) Beats(rank int, on bool) {
	s.elision.NodeSets.Beats(rank, on)
	s.elision.beatsChanged()
}

func (e *elision) beatsChanged() {
	e.looked, e.bounded = 0, false
	e.beats++
}

// effect returns the set of a node, -1 for none.
func (s *Scheduler) effect(n *yarn.Node) int {
	r := n.Reserved
	if r == nil {
		if room := s.room(n); s.calc.Available(room, s.least) > 0 && s.calc.Fits(s.least, room) {
			return searched
		}
		return -1
	}
	a := s.appOf(r.ID.App) // which takes its reservations with it when it goes
	t := a.Table(r.Key())
	if t == nil || t.AnyCount() <= 0 || a.Barred() {
		return acting
	}
	if a.Blacklisted(n) {
		return -1
	}
	s.elision.held[n.ID] = a.of(t)
	if t.Rack(n).Asked() == 0 {
		return a.effect(n, t, r)
	}
	offers := t.Offers
	t.Offers = 0
	first := a.effect(n, t, r)
	t.Offers = math.MaxInt32 // from some offer on, the container may be one of the rack
	last := a.effect(n, t, r)
	if t.Offers = offers; first != last {
		return acting
	}
	return first
}

// effect is that of a node which is reserved for the application, after as many offers as there were.
func (a *app) effect(n *yarn.Node, t *yarn.Table, r *yarn.Container) int {
	switch got, result := a.tryLevels(n, &limits{}, a.of(t), r); {
	case result != proposed || n.Decommissioning:
		return counting
	case got.reserve:
		return repeated
	}
	return acting
}

// touch notes a change that a search may follow.
func (s *Scheduler) touch() { s.elision.still = false }

// touchHeld notes a change of what the application accepts.
func (a *app) touchHeld() {
	a.leavePeers()
	for _, k := range a.held.All {
		k.touchHeld()
	}
}

func (k *key) touchHeld() {
	for _, c := range k.reserved.All {
		c.Node.Touch()
	}
}

// begin is called before a search for an unreserved node, end after it; fruitless tells that it came to nothing.
func (e *elision) begin() {
	e.alike, e.bounded = true, false
	e.counted, e.content, e.taken, e.looked = e.counted[:0], e.content[:0], e.taken[:0], 0
}

func (e *elision) end(fruitless bool) {
	e.still = fruitless && e.alike
	e.alike = false
}

// differs notes that the search depends on the node, or has changed what the next one depends on.
func (e *elision) differs() { e.alike = false }

// takes notes that a container of a size came to nothing for want of room alone.
func (e *elision) takes(size resource.Resource) {
	if !slices.Contains(e.taken, size) {
		e.taken = append(e.taken, size)
	}
}

// tried notes that a key was tried: a search tries one with places until it is offered one of them, or was offered enough others.
func (e *elision) tried(a *app, t *yarn.Table, r result) {
	switch {
	case !e.alike:
	case t.Located() || a.HasBlacklist() || a.Barred():
		e.alike = false
	case r == nextApp:
		e.counted = append(e.counted, t)
	}
}

// satisfied notes that a key wants no more than it has reserved.
func (e *elision) satisfied(k *key) {
	if n := len(e.content); e.alike && (n == 0 || e.content[n-1] != k) {
		e.content = append(e.content, k)
	}
}

// goesOn reports whether the heartbeats from h on come to nothing for now, and finds out up to which.
func (s *Scheduler) goesOn(h int64) bool {
	e := &s.elision
	if e.still && !e.bounded {
		e.bounded, e.until = true, math.MaxInt64
		for _, k := range e.content {
			if c := &k.content; c.enough != k.enough.at || c.beats != e.beats || c.until < h {
				*c = content{until: e.repeats(k, h, int64(k.enough.at-k.rereserved)), beats: e.beats, enough: k.enough.at}
			}
			e.until = min(e.until, k.content.until)
		}
	}
	e.still = e.still && h <= e.until
	return e.still
}

// repeats returns the heartbeat from h on at which what a key has reserved is reserved again for so many times, or one before it: where much is reserved and its
// turn comes more than once, that of the last full cycle.
func (e *elision) repeats(k *key, h, times int64) int64 {
	if times <= 0 {
		return h - 1
	}
	if n := int64(k.reserved.Len()); n > manyReserved && times > n {
		return h + (times-1)/n*e.Cycle()
	}
	e.far = e.far[:0]
	for id := range k.reserved.All {
		if far, ok := e.Far(id, h); ok {
			e.far = append(e.far, far)
		}
	}
	n := int64(len(e.far))
	if n == 0 {
		return math.MaxInt64
	}
	slices.Sort(e.far)
	return h + (times-1)/n*e.Cycle() + e.far[(times-1)%n]
}

// manyReserved is from how many reservations on the heartbeats of their nodes are not put in order before they have to be.
const manyReserved = 2

// NextHeartbeat is part of [yarn.Elider].
func (s *Scheduler) NextHeartbeat(h, limit, _ int64) int64 {
	if s.root.leaf { // notes at each offer what it may use
		return h
	}
	e := &s.elision
	next := e.Next(acting, h, limit)
	switch {
	case !s.root.hasPending():
		return next
	case s.goesOn(h):
		behind := min(next-1, e.until) + 1
		if taking := s.nextTaking(h, behind); taking < behind {
			return taking
		}
		h = behind
	}
	return e.Next(searched, h, next)
}

// nextTaking returns the first heartbeat from h on and before limit of a node with room for what is taken where there is room, or limit.
// Until something else happens the rooms of nodes stay what they are.
func (s *Scheduler) nextTaking(h, limit int64) int64 {
	e := &s.elision
	if len(e.taken) == 0 {
		return limit
	}
	if e.looked == 0 {
		e.looked, e.since = h, h
	}
	end := min(limit, e.since+e.Cycle())
	for next := max(h, e.looked); next < end; next++ {
		if next = e.Next(searched, next, end); next == end {
			break
		}
		if s.takenBy(e.At(next)) {
			e.looked = next
			return next
		}
	}
	e.looked = max(e.looked, end)
	return limit
}

// takenBy reports whether a node has room for one of the sizes that are taken.
func (s *Scheduler) takenBy(n *yarn.Node) bool {
	room := s.room(n)
	return slices.ContainsFunc(s.elision.taken, func(size resource.Resource) bool { return s.calc.Available(room, size) > 0 })
}

// Still is part of [yarn.Elider].
func (s *Scheduler) Still() bool { return false }

// CreditHeartbeats is part of [yarn.Elider].
func (s *Scheduler) CreditHeartbeats(h, end int64) {
	e := &s.elision
	if e.still && len(e.counted) > 0 && s.root.hasPending() {
		times := int32(e.Within(searched, h, end))
		for _, t := range e.counted {
			t.Offers += times
		}
	}
	e.Each(repeated, h, end, func(n *yarn.Node, times int64) {
		k := e.held[n.ID]
		k.t.Offers += int32(times)
		k.rereserved += int32(times)
	})
	e.Each(counting, h, end, func(n *yarn.Node, times int64) { e.held[n.ID].t.Offers += int32(times) })
}

// room is what a node has free at its next heartbeat.
func (s *Scheduler) room(n *yarn.Node) resource.Resource {
	return n.Free.Add(s.elision.ending[n.ID])
}

// Ending is part of [yarn.Ender]. What a heartbeat of a reserved node does depends on what it has free now.
func (s *Scheduler) Ending(id protocol.NodeID, size resource.Resource) bool {
	n := s.nodes.Node(id)
	if n == nil || n.Reserved != nil {
		return false
	}
	s.elision.ending[id].AddTo(&size)
	s.elision.looked = 0 // it may have room for what is taken where there is
	n.Touch()
	return true
}

// Finishing is part of [yarn.Ender]: what such a container leaves of its queue and its user others may want.
func (s *Scheduler) Finishing(protocol.NodeID, protocol.ContainerID) bool { return false }

// EndsMatter is part of [yarn.Ender].
func (s *Scheduler) EndsMatter() bool { return false }

// Ended is part of [yarn.Ender].
func (s *Scheduler) Ended(id protocol.NodeID, completed []protocol.Status) {
	if n := s.nodes.Node(id); n != nil {
		s.ended(n, completed)
	}
}

// ended ends the containers of which a node has reported the end, as far as they live, and takes them off it.
func (s *Scheduler) ended(n *yarn.Node, completed []protocol.Status) {
	for i := range completed {
		c := &completed[i]
		s.endAs(s.container(c.ID), c.ID, c.Exit, yarn.EventFinished)
		if gone := n.Release(c.ID, yarn.ContainerHash(s.timestamp, c.ID), true); gone != nil {
			gone.Spare()
		}
	}
	s.elision.ending[n.ID] = resource.Resource{}
}

// UpdateDue is part of [yarn.Elider]: updates do nothing.
func (s *Scheduler) UpdateDue() bool { return false }

// CreditUpdate is part of [yarn.Elider].
func (s *Scheduler) CreditUpdate(int64) {}

// Settle is part of [yarn.Elider].
func (s *Scheduler) Settle() {}

// Listen is part of [yarn.Listener].
func (s *Scheduler) Listen(to yarn.Masters) { s.masters = to }
