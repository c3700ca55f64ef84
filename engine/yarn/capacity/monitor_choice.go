package capacity

import (
	"cmp"
	"slices"

	"replay/engine/yarn"
	"replay/engine/yarn/capacity/ideal"
	"replay/policy/resource"
)

// deduct takes off what is to be obtained what selectors have chosen before.
//
// Source: CapacitySchedulerPreemptionUtils.deductPreemptableResourcesBasedSelectedCandidates, TempQueuePerPartition.deductActuallyToBePreempted.
func (r *round) deduct() {
	cluster, calc := r.s.cluster(), r.s.calc
	for _, v := range r.all.apps.All {
		if !v.app.q.known() {
			r.failed = true // YarnRuntimeException
			return
		}
		t := &r.shares[v.app.q.index]
		for _, c := range v.set.All {
			if calc.Compare(cluster, t.Obtain, c.Size, false) > 0 {
				t.Obtain = t.Obtain.Sub(c.Size)
			}
			t.Obtain = resource.Larger(calc, cluster, t.Obtain, resource.Resource{})
			for _, a := range t.apps {
				if calc.Compare(cluster, a.obtain, c.Size, false) > 0 {
					a.obtain = a.obtain.Sub(c.Size)
				}
			}
		}
	}
}

// known reports whether the last part of a leaf's name is that of no other queue: by that part containers name their queue, which is replaced by the path where it can be.
//
// Source: CapacityScheduler.normalizeQueueName.
func (q *queue) known() bool { return q.s.byName[q.cfg.Name] == q }

// byShares chooses containers by what queues should have.
type byShares struct{ solver *ideal.Solver }

// compute finds what is to be obtained from each leaf.
func (d *byShares) compute(r *round) {
	d.solver.Compute(&r.shares[0].Share, r.leaves, &ideal.Round{Cluster: r.s.cluster(), Allowed: r.allowed, NaturalTermination: r.cfg.NaturalTermination, Lacks: r.lacks})
}

// fromQueues chooses containers of queues that have more than they should.
//
// Source: FifoCandidatesSelector.selectCandidates.
func (d *byShares) fromQueues(r *round) {
	d.compute(r)
	if r.deduct(); r.failed {
		return
	}
	for _, t := range r.leaves {
		if t.Tempting {
			c := choice{round: r, obtain: t.Obtain, conservative: r.cfg.ConservativeDRF}
			c.from(r.of(t).q)
		}
	}
}

// A choice chooses containers of one leaf until enough is obtained.
type choice struct {
	*round
	obtain       resource.Resource // still
	done         bool
	conservative bool              // nothing is chosen any more when one type is obtained
	ams          resource.Resource // of the masters that were passed over
}

// from takes containers of the applications that would be served last: what is reserved, then those of the least urgent asks, the latest first. Masters come last, and
// some stay.
//
// Source: FifoCandidatesSelector.selectCandidates, preemptAMContainers.
func (c *choice) from(q *queue) {
	s := c.s
	if c.done = s.calc.Compare(s.cluster(), c.obtain, resource.Resource{}, false) <= 0; c.done {
		return
	}
	c.skipped = c.skipped[:0]
	apps := q.served()
	for i := len(apps) - 1; i >= 0 && !c.done; i-- {
		c.fromApp(apps[i])
	}
	keeps := q.cfg.EffectiveMin.Clone().Mul(float64(q.limits.AMPercent))
	for _, x := range c.skipped {
		if c.done || s.calc.Compare(s.cluster(), c.ams, keeps, false) <= 0 {
			break
		}
		if c.try(s.appOf(x.ID.App), x) {
			c.ams = c.ams.Sub(x.Size)
		}
	}
}

// fromApp chooses containers of an application.
//
// Source: FifoCandidatesSelector.preemptFrom.
func (c *choice) fromApp(a *app) {
	for _, k := range a.held.All {
		for _, x := range k.reserved.All {
			if c.all.has(x) {
				continue
			}
			if c.done {
				return
			}
			c.try(a, x)
			c.drops = append(c.drops, x)
		}
	}
	for _, x := range c.inOrder(a) {
		switch {
		case c.done:
			return
		case c.all.has(x):
		case x.AM:
			c.skipped = append(c.skipped, x)
			c.ams = c.ams.Add(x.Size)
		default:
			c.try(a, x)
		}
	}
}

// inOrder returns the containers of an application in the order in which they are chosen, until the next call.
//
// Source: PreemptionCandidatesSelector.sortContainers.
func (m *monitor) inOrder(a *app) []*yarn.Container {
	m.live = m.live[:0]
	for _, x := range a.live.All {
		m.live = append(m.live, x)
	}
	slices.SortStableFunc(m.live, func(x, y *yarn.Container) int {
		return cmp.Or(y.Key().Compare(x.Key()), cmp.Compare(y.ID.N, x.ID.N))
	})
	return m.live
}

// try chooses a container if that brings what is to be obtained nearer, and reports whether it has.
//
// Source: CapacitySchedulerPreemptionUtils.tryPreemptContainerAndDeductResToObtain.
func (c *choice) try(a *app, x *yarn.Container) bool {
	if c.all.has(x) || c.done {
		return false
	}
	calc, cluster, none := c.s.calc, c.s.cluster(), resource.Resource{}
	for i := range c.s.types {
		if c.obtain[i] == 0 { // it is not to look as if something were wanted of it
			c.obtain[i] = -1
		}
	}
	if !calc.AnyAboveZero(c.obtain) || !calc.Fits(x.Size, c.allowed) {
		return false
	}
	left := c.obtain.Sub(x.Size)
	if c.conservative {
		if calc.AnyZeroOrNegative(c.obtain) {
			return false
		}
	} else if calc.Compare(cluster, left.Max(none), c.obtain.Max(none), false) >= 0 {
		return false
	}
	c.obtain, c.allowed = left, c.allowed.Sub(x.Size)
	c.done = calc.Compare(cluster, left, none, false) <= 0
	c.choose(a, x)
	return true
}

// choose notes that a container is chosen.
func (r *round) choose(a *app, x *yarn.Container) {
	r.all.add(a, x)
	r.now.add(a, x)
}
