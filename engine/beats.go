package engine

import (
	"cmp"
	"slices"

	"replay/engine/protocol"
)

// beats is the first of the two seams between the dense and the fast engine: which node heartbeats
// and fair-share updates are executed, and how the others are credited. Both kinds are computed
// positions in time and never enter the event queue.
type beats interface {
	// next returns time and order of the next heartbeat or update to execute.
	next() (at int64, ord uint64)
	// run executes it.
	run(s *sim)
	// nodesChanged is called after a node came or went; now is the time of that event.
	nodesChanged(now int64, nodes []protocol.NodeID)
	// counts returns how many node heartbeats and updates have passed, executed or credited.
	counts() (heartbeats, updates int64)
}

// denseBeats executes every heartbeat and every update: the definition of correct.
type denseBeats struct {
	interval int64 // of node heartbeats, ms
	update   int64 // of fair-share updates, ms; 0 = none, nothing is ever scheduled
	phase    []int64

	ranks      []protocol.NodeID // by (phase, node)
	cycle      int64             // start of the current cycle
	pos        int               // next rank in it
	nextUpdate int64
	lastAt     int64 // time and node of the last heartbeat that ran
	last       protocol.NodeID

	heartbeats, updates int64
}

func newDenseBeats(interval, update int64, phase []int64) *denseBeats {
	return &denseBeats{interval: interval, update: update, phase: phase, lastAt: -1, nextUpdate: update}
}

func (d *denseBeats) heartbeatTime() int64 {
	if len(d.ranks) == 0 {
		return never
	}
	return d.cycle + d.phase[d.ranks[d.pos]]
}

func (d *denseBeats) updateTime() int64 {
	if d.update <= 0 {
		return never
	}
	return d.nextUpdate
}

func (d *denseBeats) next() (int64, uint64) {
	h, u := d.heartbeatTime(), d.updateTime()
	if u <= h {
		return u, order(classUpdate, 0, evUpdate, 0)
	}
	return h, order(classNodeBeat, 0, evNodeBeat, int64(d.pos))
}

func (d *denseBeats) run(s *sim) {
	h, u := d.heartbeatTime(), d.updateTime()
	if u <= h {
		d.nextUpdate += d.update
		d.updates++
		s.rm.Update(s.now)
		return
	}
	n := d.ranks[d.pos]
	d.lastAt, d.last = h, n
	d.advance()
	d.heartbeats++
	s.nodeHeartbeat(n)
}

// nodesChanged starts a new epoch: ranks are made anew, and the next heartbeat is the first one
// at or after now that has not run.
func (d *denseBeats) nodesChanged(now int64, nodes []protocol.NodeID) {
	d.ranks = slices.Clone(nodes)
	slices.SortFunc(d.ranks, func(a, b protocol.NodeID) int {
		return cmp.Or(cmp.Compare(d.phase[a], d.phase[b]), cmp.Compare(a, b))
	})
	d.cycle, d.pos = now-now%d.interval, 0
	if len(d.ranks) == 0 {
		return
	}
	for {
		n, at := d.ranks[d.pos], d.heartbeatTime()
		ran := at < now || at == d.lastAt && n <= d.last
		if !ran {
			return
		}
		d.advance()
	}
}

func (d *denseBeats) advance() {
	if d.pos++; d.pos == len(d.ranks) {
		d.pos = 0
		d.cycle += d.interval
	}
}

func (d *denseBeats) counts() (int64, int64) { return d.heartbeats, d.updates }
