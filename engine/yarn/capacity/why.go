package capacity

import (
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy"
	"replay/policy/resource"
)

var _ yarn.Explainer = (*Scheduler)(nil)

// Why is part of [yarn.Explainer].
func (s *Scheduler) Why(id protocol.AppID) yarn.Refusal {
	a := s.appOf(id)
	if a == nil || len(a.Active()) == 0 {
		return yarn.Refusal{}
	}
	q, size := a.q, a.Active()[0].Any().Size
	found := yarn.Refusal{Size: size, AM: a.WaitingForAM, Node: -1}
	switch {
	case !a.runnable:
		s.whyNotRunnable(a, &found)
		return found
	case !a.active:
		found.Cause, found.Queue, found.Used, found.Limit = yarn.AMShare, q.cfg.Path, q.amUsed, q.amLimit
		if s.calc.Fits(a.am.Add(q.amUsed), q.amLimit) {
			q.users.listen()
			found.User, found.Used = a.user.name, a.user.amUsed
			found.Limit = policy.UserAMLimit(s.calc, q.lastCluster, &q.limits, q.users.numActive(), a.user.weight, q.amLimit)
		}
		return found
	}
	if limit := q.users.limitNow(a.user); a.user.present && s.calc.Compare(s.cluster(), a.user.used.Sub(a.reserved), limit, false) > 0 {
		found.Cause, found.Queue, found.User, found.Used, found.Limit = yarn.UserLimit, q.cfg.Path, a.user.name, a.user.used, limit
		return found
	}
	if p := q.limiting(a, size); p != nil {
		found.Cause, found.Queue, found.Used, found.Limit = yarn.QueueLimit, p.cfg.Path, p.used, p.limits.Max
		if s.calc.Fits(p.used.Sub(p.reserved).Add(size), p.limits.Max) { // what is reserved counts
			found.Cause = yarn.HeldForOther
			for n := range s.nodes.All {
				if r := n.Reserved; r != nil && r.ID.App != id && (found.Node < 0 || n.ID < found.Node) {
					found.Node, found.Free, found.Ahead = n.ID, n.Free, r.ID.App
				}
			}
		} else if p.parent == nil { // the root is full when the cluster is
			r := s.nodes.Seek(a.Attempt, size, s.hasRoom,
				func(*yarn.Node) yarn.Acceptance { return yarn.Accepted })
			if r.Cause == yarn.NoRoom {
				return r
			}
		}
		return found
	}
	for _, b := range q.activeApps {
		if b == a {
			break
		}
		if len(b.Active()) > 0 && q.limiting(b, b.Active()[0].Any().Size) != nil && s.calc.Compare(s.cluster(), b.user.used, q.users.limitNow(b.user), false) <= 0 {
			found.Cause, found.Queue, found.Ahead = yarn.Behind, q.cfg.Path, b.ID
			return found
		}
	}
	return a.Why(func(t *yarn.Table) yarn.Refusal {
		each := t.Any().Size
		r := s.nodes.Seek(a.Attempt, each, s.hasRoom,
			func(n *yarn.Node) yarn.Acceptance { return s.accepts(t, n) })
		if r.Cause == yarn.LocalityDelay {
			r.Level = policy.NodeLevel
			if s.delay.AcceptsRack(t.Offers+1, int32(s.nodes.Len())) {
				r.Level = policy.RackLevel
			}
		}
		return r
	})
}

// Ways of waiting, see [yarn.Alike].
const (
	waitsToRun   = iota // for a limit on running applications
	waitsToEnter        // for the queue's or the user's room for masters
)

var _ yarn.Turner = (*Scheduler)(nil)

// OnTurn is part of [yarn.Turner]: an application turns when its queue has room for its master.
func (s *Scheduler) OnTurn(turns func(protocol.AppID)) { s.turns = turns }

// Alike is part of [yarn.Explainer]: those that may have containers stand in the order of their queue, and wait each as one of its place does.
func (s *Scheduler) Alike(id protocol.AppID) (like yarn.Alike, ok bool) {
	a := s.appOf(id)
	if a == nil || a.active {
		return like, false
	}
	t, ok := a.Anywhere()
	if !ok {
		return like, false
	}
	like = yarn.Alike{Queue: a.q.cfg.Path, User: a.user.name, Size: t.Any().Size, AM: a.WaitingForAM, Way: waitsToRun}
	if a.runnable {
		like.Master, like.Way = a.am, waitsToEnter
	}
	return like, true
}

// limiting returns the first queue, from the leaf up, whose maximum a container of an application would exceed, nil when none.
func (q *queue) limiting(a *app, size resource.Resource) *queue {
	for ; q != nil; q = q.parent {
		if !q.s.calc.Fits(q.used.Sub(a.reserved).Add(size), q.limits.Max) {
			return q
		}
	}
	return nil
}

// whyNotRunnable finds the limit on running applications that holds.
func (s *Scheduler) whyNotRunnable(a *app, found *yarn.Refusal) {
	found.Cause = yarn.RunningLimit
	if u := s.running.of(a.user.name); u.running >= u.limit {
		found.User, found.Running, found.Most = a.user.name, int64(u.running), int64(u.limit)
		return
	}
	for q := a.q; q != nil; q = q.parent {
		if q.running >= q.cfg.MaxParallel {
			found.Queue, found.Running, found.Most = q.cfg.Path, int64(q.running), int64(q.cfg.MaxParallel)
			return
		}
	}
	found.Cause = yarn.Turn
}

// limitNow is what a user may use, as [users.userLimit] has it, without taking note of it.
func (m *users) limitNow(u *user) resource.Resource {
	limit := m.limit
	if m.computed != m.version {
		limit = policy.ActiveUserLimit(m.q.s.calc, m.q.s.cluster(), &m.q.limits, m.consumed, m.askingUsed, m.askingWeights)
	}
	return m.weighted(limit, u)
}

// accepts is [app.tryLevels] without the offer.
func (s *Scheduler) accepts(t *yarn.Table, n *yarn.Node) yarn.Acceptance {
	nodes, offers := int32(s.nodes.Len()), t.Offers+1
	host := t.Host(n).Asked()
	rack, anywhere := t.Rack(n), t.Any()
	onRack := rack.Asked() > 0
	switch {
	case n.Decommissioning:
		return yarn.Never
	case host > 0 && onRack:
		return yarn.Accepted
	case onRack && !rack.Relax:
		return yarn.Never
	case onRack && s.delay.AcceptsRack(offers, nodes):
		return yarn.Accepted
	case anywhere.Relax && s.delay.AcceptsAny(offers, nodes, anywhere.Count, t.Locations()):
		return yarn.Accepted
	case onRack || anywhere.Relax:
		return yarn.Later
	}
	return yarn.Never
}

// Could is part of [yarn.Explainer].
func (s *Scheduler) Could(id protocol.AppID, c protocol.Container) bool {
	a := s.appOf(id)
	return a != nil && a.Could(s.nodes.Node(c.Node), c.Size, s.hasRoom, s.accepts)
}

func (s *Scheduler) hasRoom(free, size resource.Resource) bool {
	return s.calc.Available(free, size) > 0
}

// NodeChanges is part of [yarn.Explainer]. A heartbeat that is executed may compute limits, of which nothing is told.
func (s *Scheduler) NodeChanges() int64 { return s.nodes.Changes() + s.heard }
