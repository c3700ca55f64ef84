package fair

import "replay/policy/resource"

// schedule offers a node: to applications that containers were preempted for, to the application that has reserved it,
// then to the queues.
//
// Source: FairScheduler.attemptScheduling.
func (f *Scheduler) schedule(n *node) {
	e := &f.elision
	e.executed(len(n.held().claims) > 0)
	if f.recovering() {
		return
	}
	n.FetchContainers() // among which most find a place
	changes, all, visits := e.changes, f.Changes(), f.visits
	if len(n.held().claims) > 0 {
		f.assignPreempted(n)
	}
	if n.Reserved == nil || !f.assignReserved(n.held().reservedBy, n) {
		f.assignQueues(n)
	}
	if e.acted = f.Changes() != all; !e.acted {
		f.inVain()
	}
	if e.changes == changes {
		e.wasted += beatCost + visitCost*(f.visits-visits)
	}
	f.refresh()
}

// recovering reports whether nothing is scheduled yet: the ResourceManager waits for the nodes of before its start.
func (f *Scheduler) recovering() bool {
	return f.site.WorkPreservingRecovery && f.now-f.timestamp <= f.site.SchedulingWait
}

// assignQueues offers the node to the root queue until nothing more is assigned, the node is reserved or the limit of
// assignments in one heartbeat is reached.
func (f *Scheduler) assignQueues(n *node) {
	var got, half resource.Resource
	if f.site.AssignMultiple {
		half = n.Free.Mul(0.5)
	}
	for count := int32(1); n.Reserved == nil; count++ {
		if count > 1 {
			f.elision.met++
		}
		r := f.offer(f.tree.root, n)
		if r == nil {
			return
		}
		got.AddTo(r)
		if !f.continueAssigning(count, &got, &half) {
			return
		}
	}
}

// continueAssigning is FairScheduler.shouldContinueAssigning.
func (f *Scheduler) continueAssigning(count int32, got, half *resource.Resource) bool {
	switch {
	case !f.site.AssignMultiple:
		return false
	case f.site.DynamicMaxAssign:
		return got.FitsIn(*half)
	}
	return f.site.MaxAssign <= 0 || count < f.site.MaxAssign
}

// offer gives a node to a queue and returns what was assigned, as [Scheduler.assign] does.
//
// Source: FSParentQueue.assignContainer, FSLeafQueue.assignContainer.
func (f *Scheduler) offer(q *queue, n *node) *resource.Resource {
	if n.Reserved != nil || q.bounded && !q.Usage.Within(&q.maxShare) || q.leaf && f.refuses(q, n) {
		return nil
	}
	if q.leaf {
		if a, only := f.onlyCandidate(q); only {
			return f.offerTo(a, n)
		}
		c := f.candidatesOf(q, false)
		for a := c.next(f); a != nil; a = c.next(f) {
			if got := f.offerTo(a, n); got != nil {
				return got
			}
		}
		return nil
	}
	if child := f.onlyChild(q); child != nil {
		return f.offer(child, n)
	}
	c := f.childrenOf(q)
	for child := c.next(); child != nil; child = c.next() {
		if got := f.offer(child, n); got != nil {
			return got
		}
	}
	return nil
}

// offerTo gives a node to an application, if there is one.
func (f *Scheduler) offerTo(a *app, n *node) *resource.Resource {
	if a == nil {
		return nil
	}
	f.visits++
	if a.Blacklisted(n.Node) {
		return nil
	}
	return f.assign(a, n)
}
