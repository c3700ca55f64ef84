package rm

import (
	"replay/engine/protocol"
	"replay/engine/reuse"
	"replay/engine/yarn"
)

// A heartbeat of which is known beforehand that the node will report containers as running, or the ends of some that gives their room back, or be told to end some, and
// that nothing else happens, need not be executed: what it moves between node and ResourceManager is taken as moved as soon as the heartbeat has passed and somebody
// could see it. So is the end of a container that ends by itself, if its application has unregistered, so that nobody waits to hear of it: what follows is then observed
// late, for the time of the heartbeat.

// known are the nodes of which that is known.
type known struct {
	nodes yarn.Ranks
	ranks []protocol.NodeID // as of [RM.Epoch]
	cycle yarn.Cycle        // of these
	heard int64             // heartbeats before this one have been heard
	none  int64             // before this one there is none to be heard
}

func (k *known) begin(ranks []protocol.NodeID, host Host) {
	k.nodes.Reset(len(ranks))
	k.cycle.Reset(len(ranks))
	k.ranks = ranks
	if len(ranks) > 0 {
		k.heard = host.NextBeat()
	}
}

// takes notes that a heartbeat of the node is executed.
func (k *known) takes(n *node) {
	if n.moves {
		n.moves = false
		k.nodes.Set(int(n.rank-1), false)
	}
}

// note notes what of the node's next heartbeat is known.
func (r *RM) note(n *node) {
	if n.rank == 0 {
		return
	}
	executed, moves := n.next(r.leavesOut())
	r.isDue(n, executed)
	if moves != n.moves {
		n.moves = moves
		r.known.set(int(n.rank-1), moves, r.host)
	}
}

// isDue notes whether the node's next heartbeat is to be executed for its own sake.
func (r *RM) isDue(n *node, is bool) {
	if is == n.due {
		return
	}
	n.due = is
	r.due.Set(int(n.rank-1), is)
	if is {
		r.dues++
		r.news = true
	} else {
		r.dues--
	}
}

// set notes whether something is known of the next heartbeat of the node at a rank.
func (k *known) set(rank int, moves bool, host Host) {
	k.nodes.Set(rank, moves)
	if moves {
		k.none = min(k.none, k.next(rank, host))
	}
}

// next returns the next heartbeat of the node at a rank.
func (k *known) next(rank int, host Host) int64 { return k.cycle.After(host.NextBeat(), rank) }

// leavesOut reports whether heartbeats of which all is known are left out.
func (r *RM) leavesOut() bool { return r.decides != nil && !r.config.Dense }

// news is what a process means for the next heartbeat of its node.
type news uint8

const (
	noNews    news = iota
	knownNews      // all of what the heartbeat moves is known
	dueNews        // it is to be executed
)

// news is what a process means: whether there is something to report of it, or its node is to be told something.
func (p *proc) news() news {
	tell := p.cleanup && !p.told
	switch {
	case p.exited && !p.foreseen:
		return dueNews
	case p.exited:
		return knownNews
	case tell && !p.later:
		return dueNews
	case tell, !p.reported:
		return knownNews
	}
	return noNews
}

// renew notes a change of a process.
func (r *RM) renew(n *node, p *proc) {
	if is := p.news(); is != p.is {
		n.news[p.is]--
		n.news[is]++
		p.is = is
		r.note(n)
	}
}

// next reports whether the node's next heartbeat is to be executed for its own sake: it has something to report, or is to be told
// something, or drains or did so at the last one, or it may hold more than it has. If not, moves tells whether the heartbeat moves something all the same.
func (n *node) next(leavesOut bool) (executed, moves bool) {
	if n.draining || n.drainsFrom >= 0 || n.overcommit || n.news[dueNews] > 0 {
		return true, false
	}
	moves = n.news[knownNews] > 0
	return moves && !leavesOut, moves && leavesOut
}

// KillsLater reports whether the end of a process on a node is made known by [Host.KillLater].
func (r *RM) KillsLater(node protocol.NodeID) bool { return r.killsLater(&r.nodes[node]) }

func (r *RM) killsLater(n *node) bool { return r.config.KillsLater && n.rank > 0 && r.leavesOut() }

// cleanUp has the node told, with its next heartbeat, to end a process.
func (r *RM) cleanUp(n *node, p *proc) {
	if !p.exited && !p.cleanup && r.killsLater(n) {
		p.later = true
		r.host.KillLater(n.spec.ID, p.id, r.host.BeatAt(r.known.next(int(n.rank-1), r.host)))
	}
	p.cleanup = true
	r.renew(n, p)
}

// Told reports whether the node was told to end a process while it ran; it is asked less than a heartbeat after that, see [Host.KillLater].
func (r *RM) Told(node protocol.NodeID, id protocol.ContainerID) bool {
	r.Hear()
	p := r.nodes[node].proc(id)
	return p != nil && p.killed
}

// Hear takes in what was known of the heartbeats that have passed.
func (r *RM) Hear() {
	k := &r.known
	if len(k.ranks) == 0 || !r.leavesOut() {
		return
	}
	h := r.host.NextBeat()
	if h > k.none {
		r.hearTo(h)
	}
	k.heard = h
}

// hearTo takes in what was known of the heartbeats before h. Each node in question is heard with its first one from the last that was heard on: what was known since then came with a
// call of [RM.Hear] before it.
func (r *RM) hearTo(h int64) {
	k := &r.known
	k.none = h + int64(len(k.ranks))
	for from := k.heard; ; from++ {
		far, ok := k.nodes.After(k.cycle.Rank(from))
		if from += int64(far); !ok {
			return
		}
		if from >= h {
			k.none = min(k.none, from)
			return
		}
		r.hear(k.ranks[k.cycle.Rank(from)], from)
	}
}

// hear does what a heartbeat of the node did.
func (r *RM) hear(id protocol.NodeID, h int64) {
	n := &r.nodes[id]
	if r.reportsStart(n) {
		r.decides.Launched(id, r.launched)
		return
	}
	at := r.host.BeatAt(h)
	r.report(id, n, at)
	if len(r.launched) > 0 {
		r.decides.Launched(id, r.launched)
	}
	if len(r.completed) > 0 {
		r.late, r.lateMS = true, at
		r.sched.SetClock(r.config.StartMS + at)
		r.ender.Ended(id, r.completed)
		r.late, r.completed = false, r.completed[:0]
	}
}

// ExecuteEnds has heartbeats executed at which nodes report ends of containers: somebody looks at the scheduler after each event.
func (r *RM) ExecuteEnds() { r.shown = true }

// EndLate has heartbeats left out, too, at which nodes report ends of containers that the scheduler has not ended, of applications that have unregistered: [Host.ObserveLate] tells of
// them.
func (r *RM) EndLate() { r.endLate = true }

// GoesOn comes when the ResourceManager has been given the state of another one, which may have been told to [RM.EndLate].
func (r *RM) GoesOn() {
	r.exited = reuse.Reaching(r.exited, len(r.nodes))
	if !r.endLate {
		r.matter()
	}
}

// foresees reports whether the next heartbeat of a node, at which it reports the end of a process, may be left out.
func (r *RM) foresees(id protocol.NodeID, n *node, p *proc) bool {
	if !p.reported || n.rank == 0 || !r.leavesOut() || r.ender == nil || r.shown {
		return false
	}
	if p.held {
		return r.ender.Ending(id, n.end(p.id).size)
	}
	a := r.attemptOf(p.id)
	return r.endLate && a != nil && a.unregistered && p.id != a.am && r.ender.Finishing(id, p.id)
}

// matter has heartbeats executed at which nodes report ends of containers that the scheduler has not ended: nodes or the configuration are about to change.
func (r *RM) matter() {
	for rank := range r.known.nodes.All {
		n := &r.nodes[r.known.ranks[rank]]
		for i := range n.procs {
			if p := &n.procs[i]; p.foreseen && !p.held {
				p.foreseen = false
				r.renew(n, p)
			}
		}
	}
}
