package fair

import (
	"slices"

	"replay/engine/yarn/jvm"
	"replay/policy"
	"replay/policy/resource"
)

// candidates is the order in which a node is offered: the seam between sorting at each visit, as YARN does, and
// keeping an order.
type candidates interface {
	// children returns the children of q in serving order, apps its runnable applications whose demand as of the last
	// update differs from their usage. Children without any below them may be left out. Both are valid until the next call for the
	// same queue, and until something is assigned.
	children(q *queue) []*queue
	apps(q *queue) []*app
	// offered is apps; those that would be over the limit of application masters may be left out.
	offered(q *queue) []*app
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
type literal struct{ sorter }

func (l *literal) children(q *queue) []*queue {
	q.reorder()
	if len(q.orderedQueues) > 1 {
		if total(&l.sorter, q.sharing, q.orderedQueues) {
			sort(&l.sorter, q.sharing, q.orderedQueues)
		} else {
			q.orderedQueues = treeSet(&l.sorter, q.sharing, append(q.orderedQueues[:0], q.children...))
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
	if !total(&l.sorter, q.sharing, list) {
		q.candidates = treeSet(&l.sorter, q.sharing, q.runnableWanting(list[:0]))
		return q.candidates
	}
	sort(&l.sorter, q.sharing, list)
	next := 0
	for i, a := range q.ordered {
		if a.Demand != a.Usage {
			q.ordered[i] = list[next]
			next++
		}
	}
	return list
}

func (l *literal) offered(q *queue) []*app { return l.apps(q) }

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

// kept sorts what is wanting, and only when something of it has changed since the last visit. Where the policy's order is total, that
// of some is the order of all without the others.
type kept struct {
	sorter
	f *Scheduler
}

func (k *kept) children(q *queue) []*queue {
	list := q.wantingQueues
	if len(list) < 2 {
		return list
	}
	if !q.moved {
		return q.servedQueues()
	}
	q.moved, q.partial = false, !total(&k.sorter, q.sharing, q.children)
	if q.partial {
		q.orderedQueues = treeSet(&k.sorter, q.sharing, append(q.orderedQueues[:0], q.children...))
	} else {
		sort(&k.sorter, q.sharing, list)
	}
	return q.servedQueues()
}

func (q *queue) servedQueues() []*queue {
	if q.partial {
		return q.orderedQueues
	}
	return q.wantingQueues
}

func (k *kept) apps(q *queue) []*app {
	list := q.wanting
	if len(list) < 2 {
		q.settled()
		return list
	}
	if q.moved || len(q.movedApps) > 0 {
		all := q.moved || q.partial || len(q.movedApps) > fewMoved
		q.partial = !total(&k.sorter, q.sharing, list)
		switch {
		case q.partial:
			q.ordered = treeSet(&k.sorter, q.sharing, q.runnableWanting(q.ordered[:0]))
		case all:
			sort(&k.sorter, q.sharing, list)
		default:
			k.reposition(q)
		}
		q.settled()
	}
	if q.partial {
		return q.ordered
	}
	return q.wanting
}

// fewMoved is how many applications are given their places one by one.
const fewMoved = 8

// reposition gives the applications that have moved their places among the others, which are in order.
func (k *kept) reposition(q *queue) {
	rest := slices.DeleteFunc(q.wanting, func(a *app) bool { return a.moved })
	for _, a := range q.movedApps {
		if a.wanting {
			i, _ := slices.BinarySearchFunc(rest, a, func(x, y *app) int { return q.sharing.Compare(&x.Contender, &y.Contender, k.cluster) })
			rest = slices.Insert(rest, i, a)
		}
	}
	q.wanting = rest
}

// settled notes that the applications of a leaf are in order.
func (q *queue) settled() {
	for _, a := range q.movedApps {
		a.moved = false
	}
	q.moved, q.movedApps, q.filtered = false, q.movedApps[:0], false
}

// manyWanting is from how many applications on it is worth while to leave out those that may have no application master.
const manyWanting = 16

// offered leaves out the applications of which none may have its master, judged once for each size of a master.
func (k *kept) offered(q *queue) []*app {
	list := k.apps(q)
	if len(list) < manyWanting {
		return list
	}
	same := q.filtered
	for i := range q.masters {
		m := &q.masters[i]
		may := k.f.canRunAM(q, m.size)
		same = same && may == m.may
		m.may = may
	}
	if same {
		return q.candidates
	}
	q.filtered, q.candidates, q.masters = true, q.candidates[:0], q.masters[:0]
	for _, a := range list {
		size, needs := a.master()
		if !needs {
			q.candidates = append(q.candidates, a)
			continue
		}
		i := slices.IndexFunc(q.masters, func(m verdict) bool { return m.size == size })
		if i < 0 {
			i = len(q.masters)
			q.masters = append(q.masters, verdict{size, k.f.canRunAM(q, size)})
		}
		if q.masters[i].may {
			q.candidates = append(q.candidates, a)
		}
	}
	return q.candidates
}

// verdict says whether an application master of a size may run in a queue now.
type verdict struct {
	size resource.Resource
	may  bool
}

// sorter sorts contenders.
type sorter struct {
	cluster *resource.Resource // live capacity
	list    []*policy.Contender
	set     jvm.TreeSet[int]
}

// total reports whether the policy's order of these is total.
func total[T contender](s *sorter, by *policy.Sharer, list []T) bool {
	s.list = s.list[:0]
	for _, x := range list {
		s.list = append(s.list, x.contends())
	}
	return by.Total(s.list, s.cluster)
}

// treeSet returns a list in the order of a TreeSet filled with it.
func treeSet[T contender](s *sorter, by *policy.Sharer, list []T) []T {
	s.set.Reset()
	for i := range list {
		s.set.Add(i, func(a, b int) int { return by.Compare(list[a].contends(), list[b].contends(), s.cluster) })
	}
	var out []T
	for _, i := range s.set.AppendTo(nil) {
		out = append(out, list[i])
	}
	return out
}

// sort sorts by insertion, and in another way when that moves too much.
func sort[T contender](s *sorter, by *policy.Sharer, list []T) {
	moves := 8 * len(list)
	for i := 1; i < len(list); i++ {
		c, k := list[i], i
		for ; k > 0 && by.Compare(c.contends(), list[k-1].contends(), s.cluster) < 0; k-- {
			list[k] = list[k-1]
		}
		list[k] = c
		if moves -= i - k; moves < 0 {
			slices.SortFunc(list, func(a, b T) int { return by.Compare(a.contends(), b.contends(), s.cluster) })
			return
		}
	}
}
