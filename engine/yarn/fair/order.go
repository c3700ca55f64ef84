package fair

import (
	"slices"

	"replay/engine/lineup"
	"replay/engine/yarn/jvm"
	"replay/policy"
	"replay/policy/resource"
)

// The order in which a node is offered is the seam between sorting at each visit, as YARN does (literal), and keeping an order
// (kept.go). The two below are the seam. Nothing is asked for any more once something was assigned.

// children are those of a queue in serving order; those without a candidate below them may be left out.
type children struct {
	list []*queue // the rest, where there is no lineup
	at   *lineup.Place[*queue]
}

func (f *Scheduler) childrenOf(q *queue) children {
	if f.literally {
		return children{list: f.literal.children(q)}
	}
	return f.keptChildren(q)
}

// next returns the next one, nil when there is none.
func (c *children) next() (q *queue) {
	if p := c.at; p != nil {
		c.at = p.Next()
		return p.Member
	}
	if len(c.list) > 0 {
		q, c.list = c.list[0], c.list[1:]
	}
	return q
}

// candidates are those of a leaf in serving order: its runnable applications whose demand as of the last update differs from
// their usage.
type candidates struct {
	list []*app              // the rest, where there is no lineup
	last *lineup.Place[*app] // the latest from [Scheduler.heads], which stands there until the next one is asked for
	by   *policy.Sharer      // of the leaf
	some bool                // those of list that would be over the limit of application masters are left out
}

// candidatesOf returns all candidates of a leaf; those that would be over the limit of application masters may be left out unless all are asked for.
func (f *Scheduler) candidatesOf(q *queue, all bool) candidates {
	if f.literally {
		return candidates{list: f.literal.apps(q)}
	}
	return f.keptApps(q, all)
}

// contender is a queue or an application.
type contender interface {
	comparable
	contends() *policy.Contender
}

func (a *app) contends() *policy.Contender   { return &a.Contender }
func (q *queue) contends() *policy.Contender { return &q.Contender }

// literal sorts at each visit, as FSParentQueue and FSLeafQueue fill a TreeSet at each visit. Where the policy's order is
// total the outcome does not depend on the order before, so it starts from that of the last visit, which is nearly right.
type literal struct {
	cluster *resource.Resource // live capacity
	set     jvm.TreeSet[int]
}

func (l *literal) children(q *queue) []*queue {
	q.reorder()
	if len(q.orderedQueues) > 1 {
		if total(l, q.sharing, q.orderedQueues) {
			sort(l, q.sharing, q.orderedQueues)
		} else {
			q.orderedQueues = treeSet(l, q.sharing, append(q.orderedQueues[:0], q.children...))
		}
	}
	return q.orderedQueues
}

func (l *literal) apps(q *queue) []*app {
	q.reorder()
	list := q.candidates[:0]
	for _, a := range q.ordered {
		if a.Demand != a.Usage {
			list = append(list, a)
		}
	}
	q.candidates = list
	if len(list) < 2 {
		return list
	}
	if !total(l, q.sharing, list) {
		q.candidates = treeSet(l, q.sharing, q.runnableWanting(list[:0]))
		return q.candidates
	}
	sort(l, q.sharing, list)
	next := 0
	for i, a := range q.ordered {
		if a.Demand != a.Usage {
			q.ordered[i] = list[next]
			next++
		}
	}
	return list
}

// reorder makes the lists of the last visit again after the queue's own have changed. An application that is twice in the list of
// runnable ones is once in this one, as in a TreeSet.
func (q *queue) reorder() {
	if !q.changed {
		return
	}
	q.changed = false
	q.orderedQueues = append(q.orderedQueues[:0], q.children...)
	for _, a := range q.runnable {
		a.ordered = false
	}
	q.ordered = q.ordered[:0]
	for _, a := range q.runnable {
		if !a.ordered {
			a.ordered = true
			q.ordered = append(q.ordered, a)
		}
	}
}

// runnableWanting appends the runnable applications that are wanting, in the order of the queue's list.
func (q *queue) runnableWanting(list []*app) []*app {
	for _, a := range q.runnable {
		if a.Demand != a.Usage {
			list = append(list, a)
		}
	}
	return list
}

// total reports whether the policy's order of these is total.
func total[T contender](l *literal, by *policy.Sharer, list []T) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !by.Total(x.contends(), l.cluster) })
}

// treeSet returns a list in the order of a TreeSet filled with it.
func treeSet[T contender](l *literal, by *policy.Sharer, list []T) []T {
	l.set.Reset()
	for i := range list {
		l.set.Add(i, func(a, b int) int { return by.Compare(list[a].contends(), list[b].contends(), l.cluster) })
	}
	var out []T
	for _, i := range l.set.AppendTo(nil) {
		out = append(out, list[i])
	}
	return out
}

// sort sorts by insertion, and in another way when that moves too much.
func sort[T contender](l *literal, by *policy.Sharer, list []T) {
	moves := 8 * len(list)
	for i := 1; i < len(list); i++ {
		c, k := list[i], i
		for ; k > 0 && by.Compare(c.contends(), list[k-1].contends(), l.cluster) < 0; k-- {
			list[k] = list[k-1]
		}
		list[k] = c
		if moves -= i - k; moves < 0 {
			slices.SortFunc(list, func(a, b T) int { return by.Compare(a.contends(), b.contends(), l.cluster) })
			return
		}
	}
}
