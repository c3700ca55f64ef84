package engine

import (
	"math/bits"
	"slices"

	"replay/engine/master"
)

// event is something that happens at a known time. It has no pointers, so the queue costs the
// collector nothing.
type event struct {
	at  int64  // ms since the trace's origin
	ord uint64 // class, application, kind and number, see order
	seq uint64 // order of scheduling, for equal events of one thing
	arg int64  // container number, executor, task attempt, ...
}

func (e *event) before(o *event) bool {
	if e.at != o.at {
		return e.at < o.at
	}
	if e.ord != o.ord {
		return e.ord < o.ord
	}
	return e.seq < o.seq
}

// precedes is [event.before] for an event that was scheduled behind the other.
func (e *event) precedes(o *event) bool { return e.at < o.at || e.at == o.at && e.ord < o.ord }

// less is 1 if an event comes before another, else 0: [event.before] without a branch, for where none is likely.
func (e *event) less(o *event) uint64 {
	_, c := bits.Sub64(e.seq, o.seq, 0)
	_, c = bits.Sub64(e.ord, o.ord, c)
	_, c = bits.Sub64(uint64(e.at), uint64(o.at), c)
	return c
}

// firstChild returns where in a 4-ary heap the child of i is that comes before the others; ok is false when it has none. Their times alone decide where no two that are
// compared are equal, as nearly always.
func firstChild(heap []event, i int) (first int, ok bool) {
	from := 4*i + 1
	if from+4 <= len(heap) {
		k := (*[4]event)(heap[from:])
		a, b, at, bt := 0, 2, k[0].at, k[2].at
		if k[1].at < at {
			a, at = 1, k[1].at
		}
		if k[3].at < bt {
			b, bt = 3, k[3].at
		}
		if k[0].at != k[1].at && k[2].at != k[3].at && at != bt {
			if bt < at {
				a = b
			}
			return from + a, true
		}
		x, y := k[1].less(&k[0]), 2+k[3].less(&k[2])
		return from + int(x+(y-x)*k[y&3].less(&k[x&3])), true
	}
	if from >= len(heap) {
		return 0, false
	}
	first = from
	for c := from + 1; c < len(heap); c++ {
		if heap[c].before(&heap[first]) {
			first = c
		}
	}
	return first, true
}

// kind is what the event is.
func (e *event) kind() eventKind { return eventKind(e.ord >> numberBits & (1<<kindBits - 1)) }

// number is what the event is about.
func (e *event) number() int64 { return int64(e.ord & (1<<numberBits - 1)) }

// queue holds what is scheduled. Each application attempt has lanes of its own, and so has the ResourceManager with the trace; a heap
// of lanes knows which comes next. Lanes are short and lie together in memory, and the heap is as large as what is alive, however many
// events there are. The zero value is empty and has no lanes.
type queue struct {
	lanes []lane
	heap  []event // 4-ary: the first event of each lane, with the lane as its arg
	seq   uint64
	stale int32 // 1 + a lane whose head is not up to date, 0 for none
}

// lane holds the events of one thing: those that stay until they are due, of which the first ones are a sorted list and the others a heap, and timers, of which
// there is one of a kind at a time; and those of which there are many. What an event leads to comes right behind it or behind all others, most often, where next to nothing moves in a list.
type lane struct {
	list   []event // ascending, from a position on; what is before that was taken
	from   int
	far    []event // 4-ary heap of those behind the list; empty while the list is
	timers []event // at never where none is set
	many   master.Many
	ofMany uint64 // order of these, but for the number
	head   event  // the first of these, when it was asked for last
	first  int32  // 1 + position of the earliest timer that is set, 0 for none
	at     int32  // 1 + position in the heap of lanes, 0 outside

	// What was executed ahead of its time, last of all. An event that this led to at the same time comes behind it, although its own
	// place in the order is before: as it would have if everything were executed in turn.
	aheadAt  int64
	aheadOrd uint64
}

// longestList is how many events the list of a lane holds at most: so many are moved at less than what a heap costs.
const longestList = 512

// next returns the first event of the lane, nil when there is none.
func (l *lane) next() (first *event) {
	if l.from < len(l.list) {
		first = &l.list[l.from]
	}
	if l.first > 0 {
		if t := &l.timers[l.first-1]; first == nil || t.before(first) {
			first = t
		}
	}
	if at, number, ok := l.many.First(); ok {
		h := &l.head
		h.at, h.ord, h.arg = at, l.ofMany|uint64(number), number
		if first == nil || h.before(first) {
			return h
		}
	}
	return first
}

// clearTo returns the time of the first event but those of which there are many and those of the timer with an order, at most a time.
func (l *lane) clearTo(most int64, but uint64) int64 {
	if l.from < len(l.list) {
		most = min(most, l.list[l.from].at)
	}
	for i := range l.timers {
		if t := &l.timers[i]; t.at < most && t.ord != but {
			most = t.at
		}
	}
	return most
}

// put adds an event to those that stay, which was scheduled behind all of them, and reports whether it is the first one.
func (l *lane) put(e event) (first bool) {
	list, n := l.list, len(l.list)
	at, high := l.from, n-1
	switch {
	case at > high:
		l.list, l.from = append(list[:0], e), 0
		return true
	case !e.precedes(&list[high]):
		switch {
		case len(l.far) > 0:
			l.putFar(e)
			return false
		case n < cap(list) && n+1-at < longestList:
			l.list = list[:n+1]
			l.list[n] = e
			return false
		}
		at = n
	case e.precedes(&list[at]):
		high = at
	}
	for at < high {
		if mid := int(uint(at+high) >> 1); e.precedes(&list[mid]) {
			high = mid
		} else {
			at = mid + 1
		}
	}
	first = at == l.from
	if l.from == 0 && n >= 32 && at < n/4 { // room for others that come first
		room := n / 4
		list = slices.Grow(list, room)[:n+room]
		copy(list[room:], list[:n])
		l.list, l.from, at, n = list, room, at+room, n+room
	}
	if l.from > 0 && at-l.from <= n-at {
		copy(list[l.from-1:], list[l.from:at])
		at, l.from = at-1, l.from-1
	} else {
		if n == cap(list) && 4*l.from > n {
			n = copy(list, list[l.from:])
			list, at, l.from = list[:n], at-l.from, 0
		}
		list = append(list, e)
		copy(list[at+1:], list[at:])
		l.list = list
	}
	list[at] = e
	if n = len(l.list) - 1; n-l.from == longestList {
		l.putFar(l.list[n])
		l.list = l.list[:n]
	}
	return first
}

// putFar adds an event to those behind the list.
func (l *lane) putFar(e event) {
	l.far = append(l.far, e)
	i := len(l.far) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(&l.far[p]) {
			break
		}
		l.far[i] = l.far[p]
		i = p
	}
	l.far[i] = e
}

// refill goes on with those behind the list when it is empty.
func (l *lane) refill() {
	l.list, l.from = l.list[:0], 0
	for len(l.far) > 0 && len(l.list) < longestList/2 {
		l.list = append(l.list, l.far[0])
		n := len(l.far) - 1
		last := l.far[n]
		if l.far = l.far[:n]; n > 0 {
			l.sink(last)
		}
	}
}

// sink puts an event into the place of the first of those behind the list, and then below those that come before it.
func (l *lane) sink(e event) {
	heap, i := l.far, 0
	for {
		c, ok := firstChild(heap, i)
		if !ok || !heap[c].before(&e) {
			break
		}
		heap[i] = heap[c]
		i = c
	}
	heap[i] = e
}

// timed finds the earliest timer again.
func (l *lane) timed() {
	l.first = 0
	var first *event
	for i := range l.timers {
		if t := &l.timers[i]; t.at != never && (first == nil || t.before(first)) {
			first, l.first = t, int32(i)+1
		}
	}
}

// empty reports whether nothing is scheduled.
func (q *queue) empty() bool {
	q.refresh()
	return len(q.heap) == 0
}

// emptyLane reports whether nothing is scheduled in a lane.
func (q *queue) emptyLane(n int32) bool { return int(n) >= len(q.lanes) || q.lanes[n].next() == nil }

// peek returns when the earliest event comes; the queue must not be empty.
func (q *queue) peek() (at int64, ord uint64) {
	q.refresh()
	return q.heap[0].at, q.heap[0].ord
}

// push adds an event at time at to a lane. Events of equal time and order come out in the order of pushing.
func (q *queue) push(lane int32, at int64, ord uint64, arg int64) {
	l := &q.lanes[lane]
	q.seq++
	e := event{at: at, ord: ord, seq: q.seq, arg: arg}
	if i := l.from - 1; i >= 0 && e.precedes(&l.list[l.from]) { // right behind what is executed, most often
		l.list[i], l.from = e, i
	} else if !l.put(e) {
		return
	}
	q.touch(lane)
}

// set schedules the timer of a lane with this order for a time, in place of the time before; at never it is off.
func (q *queue) set(lane int32, at int64, ord uint64) {
	l := &q.lanes[lane]
	i := len(l.timers)
	for k := range l.timers {
		if l.timers[k].ord == ord {
			i = k
			break
		}
	}
	if i == len(l.timers) {
		l.timers = append(l.timers, event{at: never, ord: ord})
	}
	if t := &l.timers[i]; t.at != at {
		q.seq++
		t.at, t.seq = at, q.seq
		switch first := l.first - 1; {
		case int(first) == i:
			l.timed()
		case at != never && (first < 0 || t.before(&l.timers[first])):
			l.first = int32(i) + 1
		}
		q.touch(lane)
	}
}

// scheduled reports whether an event with this order is in a lane, which has none of which there are many.
func (q *queue) scheduled(lane int32, ord uint64) bool {
	l := &q.lanes[lane]
	is := func(e event) bool { return e.ord == ord }
	return slices.ContainsFunc(l.list[l.from:], is) || slices.ContainsFunc(l.far, is)
}

// drop takes the events of a kind, of which there are not many, out of a lane and returns how many there were.
func (q *queue) drop(lane int32, k eventKind) int {
	l := &q.lanes[lane]
	all := append(l.list[l.from:], l.far...)
	n := len(all)
	all = slices.DeleteFunc(all, func(e event) bool { return e.kind() == k })
	slices.SortFunc(all, func(a, b event) int { // a sorted list is a heap
		if a.before(&b) {
			return -1
		}
		return 1
	})
	n -= len(all)
	l.far = append(l.far[:0], all...)
	l.refill()
	q.touch(lane)
	return n
}

// clear makes a lane, or empties it for another use.
func (q *queue) clear(n int32) {
	for int(n) >= len(q.lanes) {
		q.lanes = append(q.lanes, lane{})
	}
	l := &q.lanes[n]
	l.list, l.from, l.far, l.timers, l.first, l.aheadAt = l.list[:0], 0, l.far[:0], l.timers[:0], 0, -1
	l.many.Clear()
	q.touch(n)
}

// pop removes and returns the earliest event, with its lane; the queue must not be empty.
func (q *queue) pop() (event, int32) {
	q.refresh()
	lane := int32(q.heap[0].arg)
	first := q.lanes[lane].next()
	e := *first
	q.take(lane, first)
	return e, lane
}

// precedes reports whether an event of a lane comes before a place in the order.
func (q *queue) precedes(lane int32, at int64, ord uint64) bool {
	e := q.lanes[lane].next()
	return e != nil && (e.at < at || e.at == at && e.ord < ord)
}

// follows returns the first event of a lane of which one was popped and executed, if it is of the same time and the earliest of all: what the event led to, if it
// comes before that one in the order, or else the next one. It is nil otherwise, and may be if other lanes were changed. A lane that is still at
// the top of the heap has nothing before the event that was executed in others. Node heartbeats and updates come behind messages, and those of this time have been executed where
// a place behind heartbeats was reached.
func (q *queue) follows(lane int32, executed *event, reached uint64) *event {
	l := &q.lanes[lane]
	e := l.next()
	if e == nil || e.at != executed.at || e.at == l.aheadAt || l.at != 1 || q.stale != lane+1 {
		return nil
	}
	if e.ord >= executed.ord {
		if e.ord >= behindMessages && reached < afterBeats {
			return nil
		}
		if i, ok := firstChild(q.heap, 0); ok && q.heap[i].before(e) {
			return nil
		}
	}
	return e
}

// behindMessages is the first place in the order behind messages.
const behindMessages = uint64(classUpdate) << (appBits + kindBits + numberBits)

// take removes the first event of a lane.
func (q *queue) take(lane int32, first *event) {
	q.lanes[lane].take(first)
	q.touch(lane)
}

func (l *lane) take(first *event) {
	switch {
	case first == &l.head:
		l.many.Take()
	case l.from == len(l.list) || first != &l.list[l.from]: // a timer
		first.at = never
		l.timed()
	default:
		if l.from++; l.from == len(l.list) {
			l.refill()
		}
	}
}

// executed notes that an event of a lane was executed ahead of its time.
func (q *queue) executed(lane int32, at int64, ord uint64) {
	l := &q.lanes[lane]
	if at > l.aheadAt || ord > l.aheadOrd {
		l.aheadAt, l.aheadOrd = at, ord
	}
	q.touch(lane)
}

// touch notes that the head of a lane may have changed.
func (q *queue) touch(lane int32) {
	if q.stale != lane+1 {
		q.refresh()
		q.stale = lane + 1
	}
}

// refresh brings the heap of lanes up to date.
func (q *queue) refresh() {
	if q.stale != 0 {
		q.update()
	}
}

func (q *queue) update() {
	n := q.stale - 1
	q.stale = 0
	l := &q.lanes[n]
	first := l.next()
	i := int(l.at) - 1
	var h event
	if first != nil {
		h = *first
		h.arg = int64(n)
		if h.at == l.aheadAt {
			h.ord = max(h.ord, l.aheadOrd)
		}
	}
	switch {
	case first == nil && i < 0:
		return
	case first == nil:
		l.at = 0
		last := q.heap[len(q.heap)-1]
		q.heap = q.heap[:len(q.heap)-1]
		if i < len(q.heap) {
			q.place(i, last)
		}
		return
	case i < 0:
		i = len(q.heap)
		q.heap = append(q.heap, event{})
	case q.heap[i] == h:
		return
	}
	q.place(i, h)
}

// place puts the first event of a lane into the heap of lanes, beginning at a free position.
func (q *queue) place(i int, h event) {
	for i > 0 {
		p := (i - 1) / 4
		if !h.before(&q.heap[p]) {
			break
		}
		q.put(i, q.heap[p])
		i = p
	}
	for {
		c, ok := firstChild(q.heap, i)
		if !ok || !q.heap[c].before(&h) {
			break
		}
		q.put(i, q.heap[c])
		i = c
	}
	q.put(i, h)
}

func (q *queue) put(i int, h event) {
	q.heap[i] = h
	q.lanes[h.arg].at = int32(i) + 1
}
