package capacity

import (
	"cmp"
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn/conf"
	"replay/engine/yarn/jvm"
	"replay/policy"
	"replay/policy/resource"
)

// part is an application, or a user, of a leaf as a look at what is within it sees it.
//
// Source: TempAppPerPartition, TempUserPerPartition.
type part struct {
	app  *app
	user *part

	used, masters resource.Resource // with, and of, masters
	pending       resource.Resource
	ideal         resource.Resource
	selected      resource.Resource // chosen by selectors before
	excess        resource.Resource // that it could give
	obtain        resource.Resource // that it is to give
	lacks         resource.Resource // that others are to give it

	limit resource.Resource // of a user, without masters
	given bool              // a user has given all that is beyond his limit
}

func (p *part) own() resource.Resource { return p.used.Sub(p.masters) }

// withinQueues chooses containers of applications for others of the same leaf, which are more urgent or whose users have less than they may have.
//
// Source: IntraQueueCandidatesSelector.selectCandidates.
func (r *round) withinQueues() {
	for _, t := range r.needy {
		if q := t.q; q.leaf && q.stands().Used >= r.cfg.IntraThreshold {
			r.within(t)
		}
	}
	if r.deduct(); r.failed {
		return
	}
	for _, t := range r.needy {
		if t.q.leaf && !t.q.cfg.NonPreemptable && !t.q.cfg.NonPreemptableWithin {
			r.fromWithin(t)
		}
		if r.failed {
			return
		}
	}
}

// within finds what each application of a leaf should have and is to give.
//
// Source: FifoIntraQueuePreemptionPlugin.computeAppsIdealAllocation.
func (r *round) within(t *share) {
	q, s := t.q, r.s
	left := t.Used.Sub(t.Obtain)
	masters := map[*user]resource.Resource{}
	for _, a := range q.activeApps {
		masters[a.user] = masters[a.user].Add(a.am)
		left = left.Sub(a.am)
	}
	var apps jvm.HashMap[protocol.AppID, *app]
	for _, a := range slices.Concat(q.pendingApps, q.activeApps) {
		apps.Put(a.ID, a.Hash, a)
	}
	if apps.Len() == 1 {
		return
	}
	before := r.before(q)
	t.users = map[*user]*part{}
	urgent := jvm.NewPriorityQueue(before)
	for _, a := range apps.All {
		p := &part{app: a, used: a.Used.Clone(), pending: a.pending.Clone()}
		if !a.WaitingForAM {
			p.masters = a.am.Clone()
		}
		if p.user = t.users[a.user]; p.user == nil {
			q.users.add(a.user)
			p.user = &part{used: a.user.used.Clone(), masters: masters[a.user].Clone()}
			p.user.limit = q.users.limitOfAll(a.user).Clone().Sub(p.user.masters)
			t.users[a.user] = p.user
		}
		urgent.Add(p)
	}
	t.apps = r.ideals(urgent, left, before)

	most := t.Guaranteed.Mul(float64(r.cfg.IntraMost))
	if s.calc.Compare(s.cluster(), most, t.Obtain, false) > 0 {
		most = most.Sub(t.Obtain)
	} else {
		most = resource.Resource{}
	}
	r.excesses(t.apps, resource.Smaller(s.calc, s.cluster(), most, r.allowed).Clone())
	r.give(t.apps)
}

// before is the order of the applications of a leaf, the first of which has what it wants first.
//
// Source: IntraQueueCandidatesSelector.TAPriorityComparator, TAFairOrderingComparator.
func (r *round) before(q *queue) func(a, b *part) int {
	if !q.byUsage || !r.byLimit() {
		return func(a, b *part) int {
			return cmp.Or(cmp.Compare(b.app.rank.Priority, a.app.rank.Priority), cmp.Compare(a.app.ID, b.app.ID))
		}
	}
	s := q.s
	return func(a, b *part) int {
		if a.app.user == b.app.user {
			return q.compareApps(a.app, b.app)
		}
		x, y := a.user.own(), b.user.own()
		switch {
		case x.Equal(y):
			return cmp.Compare(a.app.ID, b.app.ID)
		case s.calc.Compare(s.cluster(), x, y, false) < 0:
			return -1
		}
		return 1
	}
}

func (m *monitor) byLimit() bool { return m.cfg.IntraOrder == conf.UserLimitFirst }

// ideals gives each application what it should have of what is left, and returns them with the one that is to give first in front.
//
// Source: FifoIntraQueuePreemptionPlugin.calculateIdealAssignedResourcePerApp.
func (r *round) ideals(urgent *jvm.PriorityQueue[*part], left resource.Resource, before func(a, b *part) int) []*part {
	calc, cluster, none := r.s.calc, r.s.cluster(), resource.Resource{}
	var set jvm.TreeSet[*part]
	for {
		p, ok := urgent.Poll()
		if !ok {
			break
		}
		set.Add(p, func(a, b *part) int { return before(b, a) })
		if calc.Compare(cluster, left, none, false) <= 0 || r.cfg.IntraConservativeDRF && calc.AnyZeroOrNegative(left) {
			continue
		}
		if v, ok := r.all.apps.Get(p.app.ID, p.app.Hash); ok {
			for _, c := range v.set.All {
				p.selected, p.user.selected = p.selected.Add(c.Size), p.user.selected.Add(c.Size)
			}
		}
		u := p.user
		if calc.Compare(cluster, u.ideal, u.limit, false) >= 0 {
			continue
		}
		want := resource.Smaller(calc, cluster, p.own().Add(p.pending).Sub(p.selected), u.limit.Sub(u.ideal))
		p.ideal = resource.Smaller(calc, cluster, left, want).Clone()
		u.ideal = u.ideal.Add(p.ideal)
		if has := p.own().Sub(p.selected); calc.Compare(cluster, p.ideal, has, false) > 0 {
			p.lacks = p.ideal.Sub(has)
		}
		left = left.SubNonNegative(p.ideal)
	}
	return set.AppendTo(nil)
}

// excesses finds what each application could give, within what may be taken.
//
// Source: FifoIntraQueuePreemptionPlugin.calculateToBePreemptedResourcePerApp.
func (r *round) excesses(apps []*part, limit resource.Resource) {
	calc, cluster, none := r.s.calc, r.s.cluster(), resource.Resource{}
	for _, p := range apps {
		if calc.Compare(cluster, limit, none, false) <= 0 || calc.Compare(cluster, p.used, none, false) <= 0 {
			continue
		}
		could := p.used.Sub(p.ideal).SubNonNegative(p.selected).SubNonNegative(p.masters)
		if r.byLimit() {
			could = could.SubNonNegative(r.s.least)
		}
		p.excess = resource.Smaller(calc, cluster, resource.Larger(calc, cluster, could, none), limit.Clone())
		limit = limit.SubNonNegative(p.excess)
	}
}

// give has each application that lacks something take it from those that are to give first, unless they are of the same user and no less urgent.
//
// Source: FifoIntraQueuePreemptionPlugin.validateOutSameAppPriorityFromDemand.
func (r *round) give(apps []*part) {
	calc, cluster, none := r.s.calc, r.s.cluster(), resource.Resource{}
	for _, to := range slices.Backward(apps) {
		if calc.Compare(cluster, to.lacks, none, false) <= 0 {
			continue
		}
		for _, from := range apps {
			own, less := to.app.user == from.app.user, cmp.Compare(from.app.rank.Priority, to.app.rank.Priority)
			switch {
			case calc.Compare(cluster, from.excess, none, false) <= 0, own && less >= 0,
				calc.Compare(cluster, from.excess, from.obtain, false) <= 0, to.lacks.Equal(none):
				continue
			}
			u := from.user
			beyond := calc.Compare(cluster, u.own(), u.limit, false) > 0
			if !own && !beyond && r.byLimit() {
				continue
			}
			could := from.excess.Sub(from.obtain)
			if !own && less == 0 && beyond {
				most := u.own().Sub(u.selected).Sub(u.limit)
				if u.given {
					most = none
				}
				if calc.Compare(cluster, most, could, false) < 0 {
					u.given, could = true, most
				}
			}
			if calc.Compare(cluster, could, none, false) > 0 {
				take := resource.Smaller(calc, cluster, to.lacks, could)
				to.lacks, from.obtain = to.lacks.Sub(take), from.obtain.Add(take)
			}
		}
	}
}

// fromWithin chooses containers of the applications of a leaf that are to give something, as long as their users keep what they may have.
//
// Source: IntraQueueCandidatesSelector.preemptFromLeastStarvedApp, FifoIntraQueuePreemptionPlugin.skipContainerBasedOnIntraQueuePolicy.
func (r *round) fromWithin(t *share) {
	calc, cluster := r.s.calc, r.s.cluster()
	c := choice{round: r, conservative: r.cfg.IntraConservativeDRF}
	used := map[*user]resource.Resource{}
	for _, p := range t.apps {
		c.obtain = c.obtain.Add(p.obtain)
		used[p.app.user] = p.app.user.used.Clone()
	}
	for _, p := range t.apps {
		if p.obtain.Equal(resource.Resource{}) {
			continue
		}
		a := p.app
		for _, x := range r.inOrder(a) {
			if c.done {
				break
			}
			if r.all.has(x) || x.AM {
				continue
			}
			if !t.q.known() {
				r.failed = true // NullPointerException
				return
			}
			u := p.user
			if r.byLimit() && calc.Compare(cluster, used[a.user].Sub(x.Size), u.limit.Add(u.masters), false) <= 0 {
				break
			}
			if c.try(a, x) && r.byLimit() {
				used[a.user] = used[a.user].Sub(x.Size)
			}
		}
	}
}

// limitOfAll is what a user may use if all users of the queue are taken for active ones, computed when something has changed since the last time.
//
// Source: UsersManager.getComputedResourceLimitForAllUsers.
func (m *users) limitOfAll(u *user) resource.Resource {
	q := m.q
	if m.computedAll != m.version {
		var weights float32
		for _, u := range m.order.All {
			weights += u.weight
		}
		m.listen()
		m.limitAll = policy.AllUsersLimit(q.s.calc, q.s.cluster(), &q.limits, m.consumed, weights)
		m.onlyPending = m.waiting
		m.computedAll = m.version
	}
	return m.weighted(m.limitAll, u)
}
