package engine

// event is something that happens at a known time. It has no pointers, so the queue costs the
// collector nothing.
type event struct {
	at   int64  // ms since the trace's origin
	ord  uint64 // class, application, kind and number, see order
	seq  uint64 // order of scheduling, for equal events of one thing
	kind eventKind
	app  int32 // slot of the application, or node
	arg  int64 // container number, executor, task attempt, ...
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

// queue is a 4-ary heap of events. The zero value is empty and ready.
type queue struct {
	heap []event
	seq  uint64
}

func (q *queue) len() int { return len(q.heap) }

// peek returns the earliest event; the queue must not be empty.
func (q *queue) peek() *event { return &q.heap[0] }

// push adds an event at time at. Events of equal time and order come out in the order of pushing.
func (q *queue) push(at int64, ord uint64, kind eventKind, app int32, arg int64) {
	q.seq++
	e := event{at: at, ord: ord, seq: q.seq, kind: kind, app: app, arg: arg}
	q.heap = append(q.heap, e)
	i := len(q.heap) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(&q.heap[p]) {
			break
		}
		q.heap[i] = q.heap[p]
		i = p
	}
	q.heap[i] = e
}

// pop removes and returns the earliest event; the queue must not be empty.
func (q *queue) pop() event {
	top := q.heap[0]
	n := len(q.heap) - 1
	last := q.heap[n]
	q.heap = q.heap[:n]
	if n == 0 {
		return top
	}
	i := 0
	for {
		first := 4*i + 1
		if first >= n {
			break
		}
		best := first
		for c := first + 1; c < min(first+4, n); c++ {
			if q.heap[c].before(&q.heap[best]) {
				best = c
			}
		}
		if !q.heap[best].before(&last) {
			break
		}
		q.heap[i] = q.heap[best]
		i = best
	}
	q.heap[i] = last
	return top
}
