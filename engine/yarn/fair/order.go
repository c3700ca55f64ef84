package fair

import (
	"slices"

	"replay/engine/yarn/jvm"
	"replay/policy"
	"replay/policy/resource"
)

// candidates is the order in which a node is offered: the seam between sorting at each visit, as YARN does, and
// keeping an order. The ID of a contender is its index in the queue's list.
type candidates interface {
	// children returns the children of q in serving order; apps its runnable applications whose demand as of the last
	// update differs from their usage. Both are valid until the next call for the same queue.
	children(q *queue) []*policy.Contender
	apps(q *queue) []*policy.Contender
}

// literal sorts at each visit, as FSParentQueue and FSLeafQueue fill a TreeSet at each visit. Where the policy's order is
// total the outcome does not depend on the order before, so it starts from that of the last visit, which is nearly right.
type literal struct {
	cluster *resource.Resource // live capacity
	set     jvm.TreeSet[*policy.Contender]
}

func (l *literal) children(q *queue) []*policy.Contender {
	q.reorder()
	if len(q.order) < 2 {
		return q.order
	}
	if !q.sharing.Total(q.order, l.cluster) {
		list := q.candidates[:0]
		for _, c := range q.children {
			list = append(list, &c.Contender)
		}
		q.candidates = l.treeSet(q.sharing, list)
		return q.candidates
	}
	l.sort(q.sharing, q.order)
	return q.order
}

func (l *literal) apps(q *queue) []*policy.Contender {
	q.reorder()
	list := q.candidates[:0]
	for _, c := range q.order {
		if c.Demand != c.Usage {
			list = append(list, c)
		}
	}
	q.candidates = list
	if len(list) < 2 {
		return list
	}
	if !q.sharing.Total(list, l.cluster) {
		list = list[:0]
		for _, a := range q.runnable {
			if a.Demand != a.Usage {
				list = append(list, &a.Contender)
			}
		}
		q.candidates = l.treeSet(q.sharing, list)
		return q.candidates
	}
	l.sort(q.sharing, list)
	next := 0
	for i, c := range q.order {
		if c.Demand != c.Usage {
			q.order[i] = list[next]
			next++
		}
	}
	return list
}

// treeSet returns cs in the order of a TreeSet filled with it.
func (l *literal) treeSet(s *policy.Sharer, cs []*policy.Contender) []*policy.Contender {
	l.set.Reset()
	for _, c := range cs {
		l.set.Add(c, func(a, b *policy.Contender) int { return s.Compare(a, b, l.cluster) })
	}
	return l.set.AppendTo(cs[:0])
}

// sort sorts by insertion, and in another way when that moves too much.
func (l *literal) sort(s *policy.Sharer, cs []*policy.Contender) {
	moves := 8 * len(cs)
	for i := 1; i < len(cs); i++ {
		c, k := cs[i], i
		for ; k > 0 && s.Compare(c, cs[k-1], l.cluster) < 0; k-- {
			cs[k] = cs[k-1]
		}
		cs[k] = c
		if moves -= i - k; moves < 0 {
			slices.SortFunc(cs, func(a, b *policy.Contender) int { return s.Compare(a, b, l.cluster) })
			return
		}
	}
}

// reorder makes the list of contenders again after the queue's list has changed. An application that is twice in the list of
// runnable ones is once in this one, as in a TreeSet.
func (q *queue) reorder() {
	if !q.changed {
		return
	}
	q.changed = false
	q.order = q.order[:0]
	for i, c := range q.children {
		c.ID = int32(i)
		q.order = append(q.order, &c.Contender)
	}
	for _, a := range q.runnable {
		a.Contender.ID = -1
	}
	for i, a := range q.runnable {
		if a.Contender.ID < 0 {
			a.Contender.ID = int32(i)
			q.order = append(q.order, &a.Contender)
		}
	}
}
