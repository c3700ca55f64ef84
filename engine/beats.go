package engine

import (
	"cmp"
	"slices"
	"sort"

	"replay/engine/fetch"
	"replay/engine/protocol"
	"replay/engine/yarn"
)

// elider is the ResourceManager as the loop asks it; see yarn.Elider.
type elider interface {
	Epoch(ranks []protocol.NodeID)
	Beats(rank int, on bool)
	NextHeartbeat(h, limit, far int64) int64
	Still() bool
	CreditHeartbeats(h, end int64)
	Quiet() bool
	FetchNode(protocol.NodeID)
	UpdateDue() bool
	CreditUpdate(at int64)
}

// beats are the node heartbeats and fair-share updates: computed positions in time that never enter the event queue. Which
// of them are executed is the ResourceManager's to say (elider); the others are counted and
// credited. The dense loop executes all: it is the definition of correct, and the fast one decides the same.
//
// Heartbeats are numbered within an epoch: number h is that of ranks[h mod len(ranks)] in cycle h div len(ranks). Some of these nodes may send none, as
// those that have failed and those that are to join: numbers of theirs stand for nothing. A node that comes which has no rank begins another epoch.
type beats struct {
	dense    bool
	watched  bool // all are executed for now, as somebody wants to know when a count of offers reaches what
	rm       elider
	interval int64 // of node heartbeats, ms
	update   int64 // of fair-share updates, ms; 0 = none, nothing is ever scheduled
	phase    []int64

	order   []protocol.NodeID // all nodes, by (phase, node)
	ranks   []protocol.NodeID // those of the epoch, in this order
	rank    []int32           // by node: its place there plus 1, 0 for none
	sending yarn.Ranks        // those that send heartbeats
	senders int               // how many
	phases  []int64           // by rank
	short   []uint16          // likewise, where intervals are short: the time of a heartbeat is asked for at each event, all over them
	before  []int32           // by phase: how many ranks have a smaller one, where intervals are short
	start   int64             // of the epoch's first cycle
	cycle   yarn.Cycle        // of ranks
	passed  int64             // heartbeats before this one have passed
	counted int64             // those before this one are in heartbeats
	h       int64             // the next heartbeat: passed, or the first of a node that sends some behind it
	at      int64             // its time, never while no node sends any
	atRank  int64             // place of its node among the ranks

	clear int64 // before this time nothing is to be executed while the ResourceManager is still
	to    int64 // what comes before this place, its time and order, has passed and is not taken in: see [beats.sync]; -1 for nothing
	toOrd uint64

	nextUpdate int64 // an interval after the last, which a node that came or went may have brought forward
	first      int64 // heartbeat of the epoch
	lastAt     int64 // time and node of the last heartbeat that passed in the epochs before
	last       protocol.NodeID

	heartbeats, updates int64 // that have passed, executed or not; see [beats.count] for the former
}

func newBeats(dense bool, rm elider, interval, update int64, phase []int64) *beats {
	return &beats{dense: dense, rm: rm, interval: interval, update: update, phase: phase, at: never, to: -1, nextUpdate: update, lastAt: -1}
}

// timeOf returns the time of heartbeat h.
func (b *beats) timeOf(h int64) int64 {
	at, _ := b.placeOf(h)
	return at
}

// placeOf returns the time of heartbeat h and the place of its node among the ranks.
func (b *beats) placeOf(h int64) (at, rank int64) {
	rank = int64(b.cycle.Rank(h))
	at = b.start + b.cycle.Number()*b.interval
	if b.short != nil {
		return at + int64(b.short[rank]), rank
	}
	return at + b.phases[rank], rank
}

// firstAt returns the first heartbeat at a time of the epoch or later.
func (b *beats) firstAt(at int64) int64 {
	n := len(b.ranks)
	cycle := b.cycle.Number() // mostly, as it takes no division
	phase := at - b.start - cycle*b.interval
	if uint64(phase) >= uint64(b.interval) {
		cycle = (at - b.start) / b.interval
		phase = at - b.start - cycle*b.interval
	}
	if b.before != nil {
		return cycle*int64(n) + int64(b.before[phase])
	}
	rank := sort.Search(n, func(i int) bool { return b.phases[i] >= phase })
	return cycle*int64(n) + int64(rank)
}

// mostPhases is the longest interval of heartbeats that counts as short: counts are kept for its milliseconds, which fit into 16 bits.
const mostPhases = 10_000

// countPhases counts the ranks below each phase.
func (b *beats) countPhases() {
	if b.interval > mostPhases {
		return
	}
	b.short = b.short[:0]
	for _, phase := range b.phases {
		b.short = append(b.short, uint16(phase))
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
	literal := b.dense || b.watched
	if limit < b.clear && !literal && b.rm.Still() {
		if limit > b.to {
			b.to, b.toOrd = limit, limitOrd
		}
		b.toOrd = max(b.toOrd, limitOrd) // an event may have led to one that comes before it in the order
		return 0, 0, false
	}
	b.sync()
	b.clear = 0
	if !literal && b.rm.Quiet() {
		b.passTo(limit)
	}
	for {
		at, update := b.at, b.updateTime()
		if update <= at {
			ord := order(classUpdate, 0, evUpdate, 0)
			if update == never || update > limit || update == limit && ord >= limitOrd {
				return 0, 0, false
			}
			if literal || b.rm.UpdateDue() {
				return update, ord, true
			}
			b.rm.CreditUpdate(update)
			b.passUpdate()
			continue
		}
		ord := order(classNodeBeat, 0, evNodeBeat, b.atRank)
		if at > limit || at == limit && ord >= limitOrd {
			return 0, 0, false
		}
		if literal {
			return at, ord, true
		}
		end := b.beforePlace(limit, limitOrd)
		if update <= limit {
			end = b.firstAt(update)
		}
		n := int64(len(b.ranks))
		h := b.sent(b.rm.NextHeartbeat(b.h, end, max(end, b.h+n)))
		if rank := b.atRank + h - b.h; h < b.h+n { // as soon as it is known
			if rank >= n {
				rank -= n
			}
			b.rm.FetchNode(b.ranks[rank])
		}
		if next := min(h, end); next > b.h {
			b.rm.CreditHeartbeats(b.h, next)
			b.pass(next)
		}
		if h < end {
			return b.at, order(classNodeBeat, 0, evNodeBeat, b.atRank), true
		}
		b.clear = min(b.timeOf(h), update)
	}
}

// The order of what comes behind all node heartbeats of a millisecond, and that of the first of them. What an application does that has run ahead from a heartbeat on
// has that one's place.
var (
	afterBeats = order(classNodeBeat+1, 0, 0, 0)
	firstBeat  = order(classNodeBeat, 0, evNodeBeat, 0)
)

// beforePlace returns the first heartbeat that does not come before a place in the order of events.
func (b *beats) beforePlace(at int64, ord uint64) int64 {
	if ord >= afterBeats {
		return b.firstAt(at + 1)
	}
	h := b.firstAt(at)
	for ord > firstBeat {
		if t, rank := b.placeOf(h); t != at || order(classNodeBeat, 0, evNodeBeat, rank) >= ord {
			break
		}
		h++
	}
	return h
}

// sync takes in the heartbeats that have passed while the ResourceManager was still. It is asked for how far they are whenever somebody could change something.
func (b *beats) sync() {
	if b.to >= 0 {
		b.passStill()
	}
}

func (b *beats) passStill() {
	end := b.beforePlace(b.to, b.toOrd)
	if b.to = -1; end > b.h {
		b.rm.CreditHeartbeats(b.h, end)
		b.pass(end)
	}
}

// nextBeat returns the first heartbeat that has not passed.
func (b *beats) nextBeat() int64 {
	b.sync()
	return b.h
}

// any reports whether heartbeats or updates go on for ever.
func (b *beats) any() bool { return b.senders > 0 || b.update > 0 }

// run executes what next has returned.
func (b *beats) run(s *sim) {
	if b.updateTime() <= b.at {
		s.doing = &kinds[evUpdate]
		b.updateNow(s)
		return
	}
	n := b.ranks[b.atRank]
	fetch.At(s.nodes.usage, int(n))
	b.pass(b.h + 1)
	s.doing = &kinds[evNodeBeat]
	s.nodeHeartbeat(n)
}

// updateNow executes an update, at its time or before it. The wait for the next one begins with it.
//
// Source: AbstractYarnScheduler.UpdateThread.
func (b *beats) updateNow(s *sim) {
	if b.update <= 0 {
		return
	}
	b.nextUpdate = s.now
	b.passUpdate()
	s.totals.ExecutedUpdates++
	s.rm.Update(s.now)
	if s.reasons != nil {
		s.reasons.all = true
	}
}

// pass lets the heartbeats before h pass.
func (b *beats) pass(h int64) {
	b.passed = h
	b.look()
}

// look finds the next heartbeat.
func (b *beats) look() {
	if b.senders == 0 {
		b.h, b.at = b.passed, never
		return
	}
	b.h = b.sent(b.passed)
	b.at, b.atRank = b.placeOf(b.h)
}

// of returns the time of the first heartbeat of a node that sends some, at a time or later.
func (b *beats) of(id protocol.NodeID, at int64) int64 {
	b.sync()
	return b.timeOf(b.cycle.After(max(b.firstAt(at), b.passed), int(b.rank[id]-1)))
}

// sent returns the first heartbeat from h on of a node that sends some.
func (b *beats) sent(h int64) int64 {
	if b.senders == len(b.ranks) {
		return h
	}
	return b.nextSent(h)
}

// nextSent is [beats.sent] where some nodes send none.
func (b *beats) nextSent(h int64) int64 {
	far, _ := b.sending.After(b.cycle.Rank(h))
	return h + int64(far)
}

// count brings the number of heartbeats up to date.
func (b *beats) count() int64 {
	b.sync()
	if b.passed > b.counted {
		b.heartbeats += b.sending.Within(b.counted, b.passed)
		b.counted = b.passed
	}
	return b.heartbeats
}

func (b *beats) passUpdate() {
	b.nextUpdate += b.update
	b.updates++
}

// passTo lets all pass that comes before a time, while the ResourceManager is quiet.
func (b *beats) passTo(at int64) {
	if b.at < at {
		b.pass(b.firstAt(at))
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
	b.order, b.rank = b.order[:0], make([]int32, len(b.phase))
	for id := range b.phase {
		b.order = append(b.order, protocol.NodeID(id))
	}
	slices.SortFunc(b.order, b.compare)
}

func (b *beats) compare(x, y protocol.NodeID) int {
	return cmp.Or(cmp.Compare(b.phase[x], b.phase[y]), cmp.Compare(x, y))
}

// sends reports whether a node sends heartbeats.
func (b *beats) sends(id protocol.NodeID) bool {
	return int(id) < len(b.rank) && b.rank[id] > 0 && b.sending.Has(int(b.rank[id]-1))
}

// fewest is how many nodes have a rank although they send nothing, however few send some.
const fewest = 64

// change says that nodes send heartbeats from now on, or that they send none any more. The next heartbeat is the first one at or after now that has not
// passed, and none of this millisecond where what is executed comes behind its heartbeats: reached is how far its order has come.
func (b *beats) change(now int64, reached uint64, on, off []protocol.NodeID) {
	b.count()
	b.clear = 0
	from := now
	if reached >= afterBeats {
		from++
	}
	if len(b.ranks) > 0 {
		b.passed = max(b.passed, b.firstAt(from))
		b.counted = b.passed
	}
	for _, id := range off {
		b.turn(id, false)
	}
	if b.sort(); slices.ContainsFunc(on, func(id protocol.NodeID) bool { return b.rank[id] == 0 }) {
		b.begin(now, from, on)
	}
	for _, id := range on {
		b.turn(id, true)
	}
	b.look()
}

func (b *beats) turn(id protocol.NodeID, on bool) {
	if b.sends(id) == on {
		return
	}
	rank := int(b.rank[id] - 1)
	b.sending.Set(rank, on)
	if on {
		b.senders++
	} else {
		b.senders--
	}
	b.rm.Beats(rank, on)
}

// begin starts an epoch in which nodes have a rank that send heartbeats, and those that are about to. All others have one as well unless they are most:
// the longer ranks are, the more time it takes to go through them. Heartbeats before a time have passed.
func (b *beats) begin(now, from int64, on []protocol.NodeID) {
	if b.passed > b.first {
		at, rank := b.placeOf(b.passed - 1)
		b.lastAt, b.last = at, b.ranks[rank]
	}
	wants := make([]bool, len(b.phase))
	for _, id := range on {
		wants[id] = true
	}
	var senders []protocol.NodeID
	for i, id := range b.ranks {
		if b.sending.Has(i) {
			senders = append(senders, id)
			wants[id] = true
		}
	}
	all := len(b.phase) <= 2*(len(senders)+len(on))+fewest
	b.ranks, b.phases = make([]protocol.NodeID, 0, len(b.order)), b.phases[:0]
	clear(b.rank)
	for _, id := range b.order {
		if all || wants[id] {
			b.ranks, b.phases = append(b.ranks, id), append(b.phases, b.phase[id])
			b.rank[id] = int32(len(b.ranks))
		}
	}
	b.countPhases()
	b.cycle.Reset(len(b.ranks))
	b.sending.Reset(len(b.ranks))
	b.start, b.senders = now-now%b.interval, 0
	b.passed = b.firstAt(from)
	for at, rank := b.placeOf(b.passed); at == b.lastAt && b.ranks[rank] <= b.last; at, rank = b.placeOf(b.passed) {
		b.passed++
	}
	b.first, b.counted, b.h = b.passed, b.passed, b.passed
	b.rm.Epoch(b.ranks)
	for _, id := range senders {
		b.turn(id, true)
	}
}
