package yarn

import (
	"slices"

	"replay/engine/yarn/jvm"
	"replay/policy"
)

// candidates is the order in which a node is offered: the seam between sorting at each visit, as YARN does, and
// keeping an order. The ID of a contender is its index in the queue's list.
type candidates interface {
	// children returns the children of q in serving order; apps its runnable applications whose demand as of the last
	// update differs from their usage. Both are valid until the next call for the same queue.
	children(q *queue) []*policy.Contender
	apps(q *queue) []*policy.Contender
}

// literal sorts at each visit, as FSParentQueue and FSLeafQueue fill a TreeSet at each visit.
type literal struct {
	cluster *policy.Resource // live capacity
	set     jvm.TreeSet[*policy.Contender]
}

func (l *literal) children(q *queue) []*policy.Contender {
	q.candidates = q.candidates[:0]
	for i, c := range q.children {
		c.ID = int32(i)
		q.candidates = append(q.candidates, &c.Contender)
	}
	q.candidates = l.sort(q.sharing, q.candidates)
	return q.candidates
}

func (l *literal) apps(q *queue) []*policy.Contender {
	q.candidates = q.candidates[:0]
	for i, a := range q.runnable {
		if a.Demand != a.Usage {
			a.Contender.ID = int32(i)
			q.candidates = append(q.candidates, &a.Contender)
		}
	}
	q.candidates = l.sort(q.sharing, q.candidates)
	return q.candidates
}

// sort returns cs in the order of a TreeSet filled with it. It sorts in place where the policy's order is total.
func (l *literal) sort(s policy.Sharing, cs []*policy.Contender) []*policy.Contender {
	if len(cs) < 2 {
		return cs
	}
	if !s.Total(cs, l.cluster) {
		l.set.Reset()
		for _, c := range cs {
			l.set.Add(c, func(a, b *policy.Contender) int { return s.Compare(a, b, l.cluster) })
		}
		return l.set.AppendTo(cs[:0])
	}
	if len(cs) <= 12 {
		for i := 1; i < len(cs); i++ {
			c, k := cs[i], i
			for ; k > 0 && s.Compare(c, cs[k-1], l.cluster) < 0; k-- {
				cs[k] = cs[k-1]
			}
			cs[k] = c
		}
	} else {
		slices.SortFunc(cs, func(a, b *policy.Contender) int { return s.Compare(a, b, l.cluster) })
	}
	return slices.Compact(cs) // an application can be twice in the list of runnable ones, never in a TreeSet
}
