package fair

import (
	"cmp"
	"slices"

	"replay/policy"
	"replay/policy/resource"
)

// outdated is what has changed since the last update: the next one looks at nothing else.
type outdated struct {
	all    bool     // the queues, the configuration or the cluster
	apps   []*app   // whose usage or asks have changed
	leaves []*queue // whose lists of applications have
	shares []*queue // where what shares are divided by has
}

// outdate notes a change of what an application asks for, once all of it is done, used one of what it uses.
func (f *Scheduler) outdate(a *app) {
	f.stale(a.queue)
	f.used(a)
}

func (f *Scheduler) used(a *app) {
	f.touch()
	if a.wantingAt > 0 {
		a.move() // its master may be of another size
	}
	if !a.outdated {
		a.outdated = true
		f.outdated.apps = append(f.outdated.apps, a)
	}
}

// relisted notes a change of the lists of applications of a leaf, or of the number of those that run in a queue.
func (f *Scheduler) relisted(q *queue) {
	f.touch()
	f.stale(q)
	if q.leaf && !q.relisted {
		q.relisted = true
		f.outdated.leaves = append(f.outdated.leaves, q)
		f.reshare(q)
	}
	for ; q.parent != nil; q = q.parent {
		if idle := q.numRunnable() <= 0; idle != q.idle {
			q.idle = idle
			q.parent.claims.idle(q)
			f.reshare(q.parent)
		}
	}
}

// reshare notes a change of what the share of a queue is divided by.
func (f *Scheduler) reshare(q *queue) {
	if !q.reshare {
		q.reshare = true
		f.outdated.shares = append(f.outdated.shares, q)
	}
}

// Update recomputes demand and fair shares from the top, and finds starved applications when preemption is on.
// Nothing else recomputes them.
//
// Source: FairScheduler.update.
func (f *Scheduler) Update() {
	f.elision.dirty = false
	f.elision.change()
	o := &f.outdated
	all := o.all || f.literally
	if all {
		f.elision.changeAll()
	}
	f.updateDemands(all)
	if all {
		f.tree.root.fair = f.cluster.Capacity
		f.updateShares(f.tree.root, true)
	}
	slices.SortFunc(o.shares, func(a, b *queue) int { return cmp.Compare(a.depth, b.depth) })
	for _, q := range o.shares {
		if q.reshare {
			f.updateShares(q, false)
		}
	}
	o.all, o.shares = false, o.shares[:0]
	f.refresh()
	if f.shouldPreempt() {
		for _, q := range f.tree.leaves {
			f.findStarved(q)
		}
	}
}

// updateDemands brings demands up to date where something has changed, or all.
func (f *Scheduler) updateDemands(all bool) {
	o := &f.outdated
	if all {
		f.updateDemand(f.tree.root)
	}
	for _, a := range o.apps {
		a.outdated = false
		if !all {
			a.updateDemand()
			a.queue.capDemand()
		}
	}
	for _, q := range o.leaves {
		q.relisted = false
		if !all {
			q.capDemand()
		}
	}
	o.apps, o.leaves = o.apps[:0], o.leaves[:0]
}

// updateDemand sums what is used and wanted in a queue and below it.
//
// Source: FSLeafQueue.updateDemand, FSParentQueue.updateDemand.
func (f *Scheduler) updateDemand(q *queue) {
	q.wanted = resource.Resource{}
	for _, c := range q.children {
		f.updateDemand(c)
		q.wanted = q.wanted.Add(c.Demand)
	}
	q.sum()
	q.Demand = q.capped()
	q.moved = true
}

// sum brings the demand of the applications of a leaf up to date. What the queue wants follows with each of them; the sum is the
// definition.
func (q *queue) sum() {
	if !q.leaf {
		return
	}
	lists := [...][]*app{q.runnable, q.waiting}
	for _, list := range lists {
		for _, a := range list {
			a.updateDemand()
		}
	}
	q.wanted = resource.Resource{}
	for _, list := range lists {
		for _, a := range list {
			q.wanted = q.wanted.Add(a.Demand)
		}
	}
}

// updateDemand is FSAppAttempt.updateDemand.
func (a *app) updateDemand() { a.f.setDemand(a, a.Usage.Clone().Add(a.Pending())) }

// capped is what is wanted in a queue, up to its maximum share. A parent passes on memory and vcores only.
func (q *queue) capped() resource.Resource {
	d := q.wanted.Min(q.maxShare)
	if !q.leaf {
		return resource.R(d[resource.Memory], d.CPU())
	}
	return d
}

// capDemand follows a change of what is wanted in a queue, up to the root. Sums of integers do not depend on what is added first.
func (q *queue) capDemand() {
	for ; ; q = q.parent {
		old := q.Demand
		q.Demand = q.capped()
		if q.parent == nil || q.Demand == old {
			return
		}
		q.parent.wanted = q.parent.wanted.Add(q.Demand.Sub(old))
		q.shift()
	}
}

// updateShares divides the fair share of q among its active children, or its runnable applications, and so on downwards, wherever the
// share has changed or what it is divided by; with all set, everywhere.
//
// Source: FSParentQueue.updateInternal, FSLeafQueue.updateInternal.
func (f *Scheduler) updateShares(q *queue, all bool) {
	q.reshare = false
	if q.leaf {
		f.updateAppShares(q, all)
		return
	}
	k := &q.claims
	if all || len(k.list) != len(q.children) { // of one that has been removed, too, whose children are gone
		k.make(q)
	}
	q.sharing.Shares(q.fair, k.list)
	for i := range k.list {
		if share := &k.list[i].Share; *share != k.shares[i] {
			c := q.children[i]
			c.fair = *share
			f.limited(c)
		}
	}
	for i := range k.list {
		if share := &k.list[i].Share; all || *share != k.shares[i] {
			k.shares[i] = *share
			f.updateShares(q.children[i], all)
		}
	}
}

// childClaims are the children of a queue as claims on its share, so that a division of it need not read all of them. The queues and the configuration
// change with [outdated.all] alone, and then they are made again; whether a child is idle follows.
type childClaims struct {
	list   []policy.Claim
	shares []resource.Resource // of the children: what the last division but the one under way has given
}

func (k *childClaims) make(q *queue) {
	k.list, k.shares = appendClaims(k.list[:0], q), k.shares[:0]
	for i, c := range q.children {
		c.at = i
		k.shares = append(k.shares, c.fair)
	}
}

// idle takes in whether a child is.
func (k *childClaims) idle(c *queue) {
	if c.at < len(k.list) {
		k.list[c.at].Idle = c.idle
	}
}

// evenShare is the division of a leaf's fair share among applications of which none has more weight than another, as of an update. It
// is made when somebody asks.
type evenShare struct {
	by          *policy.Sharer
	count       int64
	entered     int64 // the last application that became runnable before, by [Scheduler.entered]
	divided     bool  // share is that of an application that had kept
	total       resource.Resource
	kept, share resource.Resource
}

// updateAppShares divides the fair share of a leaf; with now set at once.
func (f *Scheduler) updateAppShares(q *queue, now bool) {
	if q.found.shares {
		f.stale(q)
	}
	if !now && !f.site.SizeBasedWeight && q.sharing.DividesEqually() {
		e := &q.even
		e.by, e.count, e.entered, e.divided, e.total = q.sharing, int64(len(q.runnable)), f.entered, false, q.fair
		return
	}
	claims := f.claims[:0]
	for _, a := range q.runnable {
		claims = append(claims, f.claim(a, f.share(a)))
	}
	q.sharing.Shares(q.fair, claims)
	for i, a := range q.runnable {
		a.fair = claims[i].Share
	}
	f.claims, q.even = claims, evenShare{}
}

// claim is the part of an application that has a share in the division of its queue's.
func (f *Scheduler) claim(a *app, has resource.Resource) policy.Claim {
	return policy.Claim{Max: f.unbounded, Share: has, Weight: a.Weight, Start: a.Contender.Start}
}

// share returns the fair share of an application as of the last update.
func (f *Scheduler) share(a *app) resource.Resource {
	e := &a.queue.even
	if e.by == nil || a.entered == 0 || a.entered > e.entered {
		return a.fair
	}
	if !e.divided || e.kept != a.fair {
		c := f.claim(a, a.fair)
		e.by.Equal(e.total, &c, e.count)
		e.kept, e.share, e.divided = a.fair, c.Share, true
	}
	return e.share
}

// refresh sets what is available in the cluster, as the limit of application masters sees it.
//
// Source: FairScheduler.updateRootQueueMetrics.
func (f *Scheduler) refresh() {
	fresh := f.fresh()
	f.charged = false
	if fresh {
		return
	}
	f.available.SetRest(&f.cluster.Capacity, &f.allocated)
	e := &f.elision
	e.change()
	if len(e.loose) == 0 {
		return
	}
	e.loose = slices.DeleteFunc(e.loose, func(q *queue) bool {
		f.limited(q)
		q.found.loose = q.found.at > 0 && !q.found.stale
		return !q.found.loose
	})
}

// fresh reports whether what is available in the cluster is as of now.
func (f *Scheduler) fresh() bool {
	return !f.charged || f.available.IsRest(&f.cluster.Capacity, &f.allocated)
}

// unallocated is the cluster's capacity without what is allocated.
func (f *Scheduler) unallocated() resource.Resource { return f.cluster.Capacity.Sub(f.allocated) }
