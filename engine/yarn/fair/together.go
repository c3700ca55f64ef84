package fair

import (
	"container/heap"

	"replay/engine/yarn"
	"replay/policy"
)

// together counts offers for many tables at a time. An offer that nobody accepts is made to all of them, one that nobody in a leaf accepts to all of the leaf; each hears
// of those that there were when somebody looks at it, or when it is offered a node that another of its leaf may accept.
type together struct {
	counted int   // tables
	passed  int64 // offers that nobody has accepted
	met     int64 // offers that there may have been for one of them: those and the heartbeats that were executed
	dues    dues
}

// credit counts offers at which nothing happens.
func (e *together) credit(offers int64) {
	e.passed += offers
	e.met += offers
}

// until returns which of the next offers is the first at which one of the tables may accept more; each heartbeat makes one at most.
func (e *together) until() int64 {
	if len(e.dues) == 0 {
		return policy.Always
	}
	return e.dues[0].found.due - e.met
}

// count has the offers to a table of a leaf counted together with those to others.
func (e *elision) count(q *queue, t *yarn.Table, nodes int) {
	x := &q.found
	t.Leaf, t.Passed, t.Seen, t.SeenLevel = &q.passed, e.passed+q.passed, t.Version(), t.Level
	x.counted = append(x.counted, t)
	if until := e.foreseen.Until(&t.Patience, nodes); until != policy.Always {
		x.due = min(x.due, e.met+until)
	}
}

// holds reports whether nobody in the leaf of an application that asks for something accepts more than a survey found that counts offers, although the application has got a container: it goes
// on to be offered nodes for the same names, with the patience that it had. When that will be at an end is known by the number of offers. For having got more it reserves no sooner.
func (a *app) holds() bool {
	t := a.Active()[0] // the only one, if it is counted
	return a.wantingAt > 0 && t.Leaf != nil && t.Seen == t.Version() && max(t.SeenLevel, policy.NodeLevel) == t.Level && !a.Barred()
}

// fold tells a table of the offers that were counted for it.
func (e *elision) fold(t *yarn.Table) {
	if t.Leaf == nil {
		return
	}
	if passed := e.passed + *t.Leaf; t.Passed != passed {
		e.foreseen.Pass(&t.Patience, passed-t.Passed)
		t.Passed = passed
	}
}

// refuses reports whether nobody in a leaf accepts anything of a node that is offered, which is then counted for all of them.
func (f *Scheduler) refuses(q *queue, n *node) bool {
	e, x := &f.elision, &q.found
	i, sends := n.sends()
	if !sends || i == e.chosen.rank && q == e.chosen.leaf || x.stale || x.doubted || e.whole || x.all || x.reserves || x.due <= e.met { // so is one of which nothing was found
		return false
	}
	for _, r := range x.open {
		if r.size.Within(&n.Free) {
			return false
		}
	}
	for k := range x.named {
		if w := &x.named[k]; w.room.size.Within(&n.Free) && e.asks(w, i) {
			return false
		}
	}
	if e.counts {
		q.passed++
	}
	return true
}

// relax makes the offer of the node at a rank, which nobody accepts at present, to the tables that accept more from then on, if
// the node has no room for what they ask for. It reports whether it has not.
func (f *Scheduler) relax(rank int) bool {
	e, nodes := &f.elision, f.cluster.Len()
	each := func(do func(*queue, *yarn.Table) bool) bool {
		return e.dues.to(e.met+1, 0, func(q *queue) bool {
			for _, t := range q.found.counted {
				if e.fold(t); e.foreseen.Until(&t.Patience, nodes) <= 1 && !do(q, t) {
					return false
				}
			}
			return true
		})
	}
	if !each(func(q *queue, t *yarn.Table) bool { return !q.found.reserves && !f.roomFor(t.Any().Size).Has(rank) }) {
		return false
	}
	return each(func(_ *queue, t *yarn.Table) bool {
		t.Offers++
		f.delay.Level(&t.Patience, nodes, f.now)
		t.Passed++ // the offer is about to be credited to all
		return true
	})
}

// dues are the leaves with tables that are going to accept more, a heap by when. It is a [heap.Interface].
type dues []*queue

func (d dues) Len() int           { return len(d) }
func (d dues) Less(i, j int) bool { return d[i].found.due < d[j].found.due }
func (d dues) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].found.dueAt, d[j].found.dueAt = i+1, j+1
}

func (d *dues) Push(q any) {
	*d = append(*d, q.(*queue))
	q.(*queue).found.dueAt = len(*d)
}

func (d *dues) Pop() any {
	last := len(*d) - 1
	q := (*d)[last]
	q.found.dueAt = 0
	(*d)[last] = nil
	*d = (*d)[:last]
	return q
}

// to calls do for those that are due at an offer or before, from a place on; false ends it.
func (d dues) to(offer int64, at int, do func(*queue) bool) bool {
	if at >= len(d) || d[at].found.due > offer {
		return true
	}
	return do(d[at]) && d.to(offer, 2*at+1, do) && d.to(offer, 2*at+2, do)
}

// isDue puts a leaf into the heap if one of its tables is going to accept more; notDue takes it out.
func (e *together) isDue(q *queue) {
	if q.found.due != policy.Always {
		heap.Push(&e.dues, q)
	}
}

func (e *together) notDue(q *queue) {
	if at := q.found.dueAt; at > 0 {
		heap.Remove(&e.dues, at-1)
	}
}
