package fair

import (
	"replay/policy"
	"replay/policy/resource"
)

// Update recomputes demand and fair shares from the top, and finds starved applications when preemption is on.
// Nothing else recomputes them.
//
// Source: FairScheduler.update.
func (f *Scheduler) Update() {
	f.elision.dirty = false
	f.elision.change()
	f.updateDemand(f.tree.root)
	f.tree.root.fair = f.cluster.Capacity
	f.updateShares(f.tree.root)
	f.refresh()
	if f.shouldPreempt() {
		for _, q := range f.tree.leaves {
			f.findStarved(q)
		}
	}
}

// updateDemand sums what is used and wanted, capped by each queue's maximum.
//
// Source: FSLeafQueue.updateDemand, FSParentQueue.updateDemand.
func (f *Scheduler) updateDemand(q *queue) {
	var sum resource.Resource
	for _, c := range q.children {
		f.updateDemand(c)
		sum = sum.Add(c.Demand)
	}
	for _, list := range [...][]*app{q.runnable, q.waiting} {
		for _, a := range list {
			f.setDemand(a, a.Usage.Clone().Add(a.Pending()))
			sum = sum.Add(a.Demand)
		}
	}
	if q.parent != nil {
		q.parent.moved = true
	}
	q.Demand = sum.Min(q.maxShare)
	if !q.leaf {
		// A parent passes on memory and vcores only.
		q.Demand = resource.R(q.Demand[resource.Memory], q.Demand.CPU())
	}
}

// updateShares divides the fair share of q among its active children, or its runnable applications, and so on downwards.
//
// Source: FSParentQueue.updateInternal, FSLeafQueue.updateInternal.
func (f *Scheduler) updateShares(q *queue) {
	if q.leaf {
		claims := f.claims[:0]
		for _, a := range q.runnable {
			claims = append(claims, policy.Claim{Max: f.unbounded, Share: a.fair, Weight: a.Weight, Start: a.Contender.Start})
		}
		q.sharing.Shares(q.fair, claims)
		for i, a := range q.runnable {
			a.fair = claims[i].Share
		}
		f.claims = claims
		return
	}
	claims := f.queueClaims(q)
	q.sharing.Shares(q.fair, claims)
	for i, c := range q.children {
		c.fair = claims[i].Share
	}
	for _, c := range q.children {
		f.updateShares(c)
	}
}

// refresh sets what is available in the cluster, as the limit of application masters sees it.
//
// Source: FairScheduler.updateRootQueueMetrics.
func (f *Scheduler) refresh() {
	if now := f.unallocated(); now != f.available {
		f.available = now
		f.elision.change()
	}
}

// unallocated is the cluster's capacity without what is allocated.
func (f *Scheduler) unallocated() resource.Resource { return f.cluster.Capacity.Sub(f.allocated) }
