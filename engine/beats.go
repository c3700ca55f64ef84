package engine

import (
	"cmp"
	"slices"
	"sort"

	"replay/engine/protocol"
)

// elider is the ResourceManager as the loop asks it; see yarn.Elider.
type elider interface {
	Epoch(ranks []protocol.NodeID)
	NextHeartbeat(h, limit int64) int64
	CreditHeartbeats(h, end int64)
	Quiet() bool
	UpdateDue() bool
	CreditUpdate(at int64)
}

// beats are the node heartbeats and fair-share updates: computed positions in time that never enter the event queue. Which
// of them are executed is the ResourceManager's to say (elider); the others are counted and
// credited. The dense loop executes all: it is the definition of correct, and the fast one decides the same.
//
// Heartbeats are numbered within an epoch, in which the nodes stay the same: number h is that of ranks[h mod len(ranks)] in
// cycle h div len(ranks).
type beats struct {
	dense    bool
	rm       elider
	interval int64 // of node heartbeats, ms
	update   int64 // of fair-share updates, ms; 0 = none, nothing is ever scheduled
	phase    []int64

	order      []protocol.NodeID // all nodes, by (phase, node)
	sends      []bool            // scratch, by node
	nodes      []protocol.NodeID // that send them, as they were given
	ranks      []protocol.NodeID // by (phase, node)
	phases     []int64           // by rank
	before     []int32           // by phase: how many ranks have a smaller one
	start      int64             // of the epoch's first cycle
	first      int64             // heartbeat of the epoch
	h          int64             // the next heartbeat
	at         int64             // its time
	nextUpdate int64
	lastAt     int64 // time and node of the last heartbeat that passed in the epochs before
	last       protocol.NodeID

	heartbeats, updates int64 // that have passed, executed or not
}

func newBeats(dense bool, rm elider, interval, update int64, phase []int64) *beats {
	return &beats{dense: dense, rm: rm, interval: interval, update: update, phase: phase, at: never, lastAt: -1, nextUpdate: update}
}

// timeOf returns the time of heartbeat h.
func (b *beats) timeOf(h int64) int64 {
	n := int64(len(b.ranks))
	if n == 0 {
		return never
	}
	cycle := h / n
	return b.start + cycle*b.interval + b.phases[h-cycle*n]
}

// firstAt returns the first heartbeat at a time of the epoch or later.
func (b *beats) firstAt(at int64) int64 {
	n := len(b.ranks)
	cycle := (at - b.start) / b.interval
	phase := at - b.start - cycle*b.interval
	if b.before != nil {
		return cycle*int64(n) + int64(b.before[phase])
	}
	rank := sort.Search(n, func(i int) bool { return b.phases[i] >= phase })
	return cycle*int64(n) + int64(rank)
}

// mostPhases is the longest interval of heartbeats for whose milliseconds counts are kept.
const mostPhases = 10_000

// count counts the ranks below each phase.
func (b *beats) count() {
	if b.interval > mostPhases {
		return
	}
	b.before = slices.Grow(b.before[:0], int(b.interval))[:b.interval]
	rank := 0
	for phase := range b.before {
		for rank < len(b.phases) && b.phases[rank] < int64(phase) {
			rank++
		}
		b.before[phase] = int32(rank)
	}
}

func (b *beats) updateTime() int64 {
	if b.update <= 0 {
		return never
	}
	return b.nextUpdate
}

// next returns time and order of the next heartbeat or update that is to be executed before the event at limit; ok is false
// when there is none. Those before it that are not executed have passed.
func (b *beats) next(limit int64, limitOrd uint64) (at int64, ord uint64, ok bool) {
	before := func(at int64, ord uint64) bool { return at < limit || at == limit && ord < limitOrd }
	if !b.dense && b.rm.Quiet() {
		b.passTo(limit)
	}
	for {
		at, update := b.at, b.updateTime()
		if update <= at {
			ord := order(classUpdate, 0, evUpdate, 0)
			if update == never || !before(update, ord) {
				return 0, 0, false
			}
			if b.dense || b.rm.UpdateDue() {
				return update, ord, true
			}
			b.rm.CreditUpdate(update)
			b.passUpdate()
			continue
		}
		if at > limit {
			return 0, 0, false
		}
		ord := order(classNodeBeat, 0, evNodeBeat, b.h%int64(len(b.ranks)))
		if !before(at, ord) {
			return 0, 0, false
		}
		if b.dense {
			return at, ord, true
		}
		end := b.h + 1
		if at < limit {
			end = b.firstAt(min(limit, update))
		}
		h := b.rm.NextHeartbeat(b.h, end)
		if h > b.h {
			b.rm.CreditHeartbeats(b.h, h)
			b.pass(h)
		}
		if h < end {
			return b.at, order(classNodeBeat, 0, evNodeBeat, h%int64(len(b.ranks))), true
		}
	}
}

// any reports whether heartbeats or updates go on for ever.
func (b *beats) any() bool { return len(b.ranks) > 0 || b.update > 0 }

// run executes what next has returned.
func (b *beats) run(s *sim) {
	if b.updateTime() <= b.at {
		b.passUpdate()
		s.doing = &kinds[evUpdate]
		s.totals.ExecutedUpdates++
		s.rm.Update(s.now)
		return
	}
	n := b.ranks[b.h%int64(len(b.ranks))]
	b.pass(b.h + 1)
	s.doing = &kinds[evNodeBeat]
	s.nodeHeartbeat(n)
}

// pass counts the heartbeats before h.
func (b *beats) pass(h int64) {
	b.heartbeats += h - b.h
	b.h, b.at = h, b.timeOf(h)
}

func (b *beats) passUpdate() {
	b.nextUpdate += b.update
	b.updates++
}

// passTo lets all pass that comes before a time, while the ResourceManager is quiet.
func (b *beats) passTo(at int64) {
	if end := b.firstAt(at); end > b.h {
		b.pass(end)
	}
	if b.update > 0 && b.nextUpdate < at {
		n := (at-1-b.nextUpdate)/b.update + 1
		b.nextUpdate += n * b.update
		b.updates += n
		b.rm.CreditUpdate(b.nextUpdate - b.update)
	}
}

// sort puts all nodes in order, of which there may be more by now.
func (b *beats) sort() {
	if len(b.order) == len(b.phase) {
		return
	}
	b.sends = make([]bool, len(b.phase))
	b.order = b.order[:0]
	for id := range b.phase {
		b.order = append(b.order, protocol.NodeID(id))
	}
	slices.SortFunc(b.order, func(x, y protocol.NodeID) int {
		return cmp.Or(cmp.Compare(b.phase[x], b.phase[y]), cmp.Compare(x, y))
	})
}

// nodesChanged starts a new epoch: ranks are made again, and the next heartbeat is the first one
// at or after now that has not passed.
func (b *beats) nodesChanged(now int64, nodes []protocol.NodeID) {
	if b.h > b.first {
		b.lastAt, b.last = b.timeOf(b.h-1), b.ranks[(b.h-1)%int64(len(b.ranks))]
	}
	b.sort()
	if b.nodes != nil && slices.Equal(nodes, b.nodes) {
		return // as when one that sends none any more is missed
	}
	b.nodes = append(b.nodes[:0], nodes...)
	for _, id := range nodes {
		b.sends[id] = true
	}
	b.ranks, b.phases = make([]protocol.NodeID, 0, len(nodes)), b.phases[:0]
	for _, id := range b.order {
		if b.sends[id] {
			b.ranks, b.phases = append(b.ranks, id), append(b.phases, b.phase[id])
			b.sends[id] = false
		}
	}
	b.count()
	b.start, b.h = now-now%b.interval, 0
	if len(b.ranks) > 0 {
		b.h = b.firstAt(now)
		for b.timeOf(b.h) == b.lastAt && b.ranks[b.h%int64(len(b.ranks))] <= b.last {
			b.h++
		}
	}
	b.first, b.at = b.h, b.timeOf(b.h)
	b.rm.Epoch(b.ranks)
}
