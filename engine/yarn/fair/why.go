package fair

import (
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy"
	"replay/policy/resource"
)

var _ yarn.Explainer = (*Scheduler)(nil)

// Why is part of [yarn.Explainer].
func (f *Scheduler) Why(id protocol.AppID) yarn.Refusal {
	a := f.attempt(id)
	if a == nil || len(a.Active()) == 0 {
		return yarn.Refusal{}
	}
	size, master := a.master()
	found := yarn.Refusal{Size: a.Active()[0].Any().Size, AM: master, Node: -1}
	if a.listed == 0 {
		f.whyNotRunnable(a, &found)
		return found
	}
	if master && !f.canRunAM(a.queue, size) {
		found.Cause, found.Queue, found.Used, found.Limit = yarn.AMShare, a.queue.name, a.queue.amUsed, f.amLimit(a.queue)
		return found
	}
	found = a.Why(func(t *yarn.Table) yarn.Refusal { return f.whyNot(a, t) })
	found.AM = master
	return found
}

// Ways of waiting, see [yarn.Alike].
const (
	waitsToRun  = iota // for a limit on running applications
	waitsToHave        // for a container
)

// Alike is part of [yarn.Explainer]: what an application of its own has does not count.
func (f *Scheduler) Alike(id protocol.AppID) (like yarn.Alike, ok bool) {
	a := f.attempt(id)
	if a == nil || len(a.reserved) > 0 {
		return like, false
	}
	t, ok := a.Anywhere()
	if !ok {
		return like, false
	}
	_, master := a.master()
	like = yarn.Alike{Queue: a.queue.name, Size: t.Any().Size, AM: master, Way: waitsToHave}
	if a.listed == 0 {
		like.User, like.Way = a.User, waitsToRun
	}
	return like, true
}

// whyNotRunnable finds the limit on running applications that holds.
func (f *Scheduler) whyNotRunnable(a *app, found *yarn.Refusal) {
	found.Cause = yarn.RunningLimit
	if u, most := a.user, f.alloc.UserLimit(a.User); u.running >= most {
		found.User, found.Running, found.Most = a.User, int64(u.running), int64(most)
		return
	}
	for q := a.queue; q != nil; q = q.parent {
		if q.numRunnable() >= q.maxRunning {
			found.Queue, found.Running, found.Most = q.name, int64(q.numRunnable()), int64(q.maxRunning)
			return
		}
	}
	found.Cause = yarn.Turn
}

// whyNot says why no node is taken for a key.
func (f *Scheduler) whyNot(a *app, t *yarn.Table) yarn.Refusal {
	size := t.Any().Size
	limited := yarn.Refusal{Cause: yarn.QueueLimit, Size: size, Node: -1}
	for q := a.queue; q != nil; q = q.parent {
		if q.parent == nil { // the root is full when the cluster is
			break
		}
		if !q.Usage.Add(size).FitsIn(q.maxShare) {
			limited.Queue, limited.Used, limited.Limit = q.name, q.Usage, q.maxShare
			return limited
		}
	}
	level := f.nextLevel(t)
	found := f.cluster.Seek(a.Attempt, size, hasRoom,
		func(n *yarn.Node) yarn.Acceptance { return takes(t, n, level) })
	switch root := f.tree.root; {
	case found.Cause == yarn.Turn && !root.Usage.Add(size).FitsIn(root.maxShare):
		limited.Queue, limited.Used, limited.Limit = root.name, root.Usage, root.maxShare
		return limited
	case found.Cause == yarn.LocalityDelay:
		found.Level = level
	}
	return found
}

// nextLevel is the level that the next offer to a key would accept, the same at all nodes.
func (f *Scheduler) nextLevel(t *yarn.Table) policy.Level {
	if !t.Located() { // which has no level
		return policy.AnyLevel
	}
	f.elision.fold(t)
	p := t.Patience
	p.Offers++
	return f.delay.Level(&p, f.cluster.Len(), f.now)
}

// accepts is [Scheduler.match] without the offer.
func (f *Scheduler) accepts(t *yarn.Table, n *yarn.Node) yarn.Acceptance {
	return takes(t, n, f.nextLevel(t))
}

// takes is accepts at a level that is accepted.
func takes(t *yarn.Table, n *yarn.Node, level policy.Level) yarn.Acceptance {
	anywhere := t.Any()
	if !t.Located() {
		if anywhere.Relax {
			return yarn.Accepted
		}
		return yarn.Never
	}
	// Records are valid until the next ones are asked for.
	at, rack := t.At(n)
	host := at.Asked()
	switch {
	case !anywhere.Relax && rack.Asked() <= 0 || rack.Asked() > 0 && !rack.Relax && host <= 0:
		return yarn.Never
	case rack.Asked() > 0 && host > 0:
		return yarn.Accepted
	case !rack.Relaxed():
		return yarn.Never
	case rack.Asked() > 0 && level >= policy.RackLevel:
		return yarn.Accepted
	case anywhere.Relax && level == policy.AnyLevel:
		return yarn.Accepted
	case rack.Asked() > 0 || anywhere.Relax:
		return yarn.Later
	}
	return yarn.Never
}

// Could is part of [yarn.Explainer].
func (f *Scheduler) Could(id protocol.AppID, c protocol.Container) bool {
	a := f.attempt(id)
	return a != nil && a.Could(f.cluster.Node(c.Node), c.Size, hasRoom, f.accepts)
}

func hasRoom(free, size resource.Resource) bool { return size.FitsIn(free) }

// NodeChanges is part of [yarn.Explainer].
func (f *Scheduler) NodeChanges() int64 { return f.cluster.Changes() }
