package fair

import (
	"replay/engine/protocol"
	"replay/engine/reuse"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// Allocate is a heartbeat of an application master.
//
// Source: FairScheduler.allocate.
func (f *Scheduler) Allocate(id protocol.AppID, req *protocol.AllocateRequest, resp *protocol.AllocateResponse) error {
	resp.Reset()
	a := f.attempt(id)
	if a == nil {
		return nil
	}
	for i := range req.Asks {
		if t, zero := f.zeroType(a.queue, req.Asks[i].Size); zero {
			return &yarn.Exception{Class: "SchedulerInvalidResoureRequestException", Text: "zero amount of resource " + f.site.Types[t] + " in " + a.queue.name + " for a requested resource"}
		}
	}
	if len(req.Updates) > 0 {
		f.resize(a, req.Updates, resp)
	}
	if len(req.Asks) > 0 {
		most := f.most(a.queue)
		f.asks = f.asks[:0]
		for _, ask := range req.Asks {
			ask.Size = f.calc.Normalize(ask.Size, f.site.MinAllocation, most, f.site.Increment)
			f.asks = append(f.asks, ask)
		}
	}
	for _, c := range req.Releases {
		if live := f.live(c); live != nil {
			f.completedAs(live, c, protocol.ExitAborted, yarn.EventReleased)
		}
	}
	if len(req.Asks) > 0 {
		a.Update(f.asks, false, req.Localities...)
	}
	for _, c := range a.marked {
		resp.Preempt = append(resp.Preempt, c.ID)
	}
	if len(req.BlacklistAdd)+len(req.BlacklistRemove) > 0 && a.Blacklist(req.BlacklistAdd, req.BlacklistRemove) {
		a.blackChanged = true
	}
	if len(req.Asks)+len(req.Updates)+len(req.Releases)+len(req.BlacklistAdd)+len(req.BlacklistRemove) > 0 {
		f.outdate(a)
	}
	for _, c := range a.Pull() {
		resp.Allocated = reuse.Longer(resp.Allocated)
		c.Show(&resp.Allocated[len(resp.Allocated)-1])
	}
	if f.findBlack(a); !req.NoHeadroom {
		resp.Headroom = f.headroom(a)
	}
	resp.Nodes = f.cluster.Len()
	return nil
}

// PullAM gives the container of the application master to the ResourceManager.
func (f *Scheduler) PullAM(id protocol.AppID) (protocol.Container, bool) {
	a := f.attempt(id)
	if a == nil {
		return protocol.Container{}, false
	}
	pulled := a.Pull()
	if len(pulled) == 0 {
		return protocol.Container{}, false
	}
	pulled[0].AM = true
	a.WaitingForAM = false // from now on its blacklist counts
	f.touch()
	f.stale(a.queue)
	f.findBlack(a)
	return pulled[0].Protocol(), true
}

// live returns a live container of any application, nil when there is none.
func (f *Scheduler) live(id protocol.ContainerID) *yarn.Container {
	if a := f.attempt(id.App); a != nil {
		return a.Live(id)
	}
	return nil
}

// NodeUpdate is a heartbeat of a node.
//
// Source: AbstractYarnScheduler.nodeUpdate, FairScheduler.nodeUpdate.
func (f *Scheduler) NodeUpdate(id protocol.NodeID, launched []protocol.ContainerID, completed []protocol.Status) {
	f.nodeUpdate(id, launched, completed, false)
}

// OvercommittedUpdate is part of [yarn.Overcommitter].
func (f *Scheduler) OvercommittedUpdate(id protocol.NodeID, launched []protocol.ContainerID, completed []protocol.Status) (excess []*yarn.Container) {
	return f.nodeUpdate(id, launched, completed, true)
}

func (f *Scheduler) nodeUpdate(id protocol.NodeID, launched []protocol.ContainerID, completed []protocol.Status, overcommitted bool) (excess []*yarn.Container) {
	n := f.node(id)
	if n == nil {
		return nil
	}
	if len(launched) > 0 {
		f.Launched(id, launched)
	}
	if len(completed) > 0 {
		f.ended(n, completed)
		n.Touch()
	}
	if overcommitted {
		excess = n.Excess(resource.DefaultCalculator{})
	}
	if !f.passes(n) {
		f.schedule(n)
	}
	return excess
}

// ended ends the containers of which a node has reported the end, as far as they live, and takes them off it. It is for the caller to say so of the node, if its room was not known
// beforehand.
func (f *Scheduler) ended(n *node, completed []protocol.Status) {
	for i := range completed {
		s := &completed[i]
		if live := f.live(s.ID); live != nil {
			f.completedAs(live, s.ID, s.Exit, yarn.EventFinished)
		}
	}
	n.ending = resource.Resource{}
	for i := range completed {
		id := completed[i].ID
		hash := yarn.ContainerHash(f.timestamp, id)
		n.unmark(id, hash)
		if c := n.Ended(id, hash); c != nil {
			f.spare(c)
		}
	}
}

// Ending is part of [yarn.Ender]. A node with a reservation or claims is offered for what it has free, and passes of continuous scheduling offer nodes between
// heartbeats.
func (f *Scheduler) Ending(id protocol.NodeID, size resource.Resource) bool {
	n := f.node(id)
	if n == nil || n.special() || f.site.Preemption || f.site.Continuous {
		return false
	}
	n.ending.AddTo(&size)
	n.Touch()
	return true
}

// Finishing is part of [yarn.Ender]. An application that asks for nothing more has its queues use less: that is nothing to others where no maximum keeps them from more and
// everybody has a place in the order, which that of an application without a minimum share has for good.
func (f *Scheduler) Finishing(id protocol.NodeID, c protocol.ContainerID) bool {
	live := f.live(c)
	if live == nil || !live.Launched() {
		return false
	}
	a := f.attempt(c.App)
	q := a.queue
	if len(a.Active()) > 0 || q.partial || !q.sharing.Total(&a.Contender, &f.cluster.Capacity) {
		return false
	}
	for ; q != nil; q = q.parent {
		if q.bounded {
			return false
		}
	}
	return f.Ending(id, live.Size)
}

// EndsMatter is part of [yarn.Ender]: what is available in the cluster may be what keeps an application from its master.
func (f *Scheduler) EndsMatter() bool { return len(f.elision.loose) > 0 }

// Ended is part of [yarn.Ender].
func (f *Scheduler) Ended(id protocol.NodeID, completed []protocol.Status) {
	if n := f.node(id); n != nil {
		f.ended(n, completed)
	}
}

// Launched is part of [yarn.Elider].
func (f *Scheduler) Launched(id protocol.NodeID, launched []protocol.ContainerID) {
	if len(launched) == 0 {
		return
	}
	n := f.node(id)
	for _, c := range launched {
		a := f.attempt(c.App)
		if a == nil {
			continue
		}
		live := a.Live(c)
		if live != nil {
			live.Handle(yarn.EventLaunched)
		}
		n.Launched(c, a.ContainerHash(c), live) // also that of a decrease, which leads to another container or to none any more
	}
}

// Expire ends a container that was acquired and never started.
func (f *Scheduler) Expire(id protocol.ContainerID) {
	if c := f.live(id); c != nil {
		f.completedAs(c, id, protocol.ExitAborted, yarn.EventExpire)
	}
}

// Excess is part of [yarn.Overcommitter].
//
// Source: FairScheduler.handle (MARK_CONTAINER_FOR_KILLABLE).
func (f *Scheduler) Excess(id protocol.NodeID) []*yarn.Container {
	if n := f.node(id); n != nil {
		return n.Excess(resource.DefaultCalculator{})
	}
	return nil
}

// EndExcess is part of [yarn.Overcommitter].
func (f *Scheduler) EndExcess(excess []*yarn.Container) {
	for _, c := range excess {
		f.completed(c, protocol.ExitPreempted, yarn.EventKill)
	}
}

// completed ends a container or a reservation.
//
// Source: AbstractYarnScheduler.completedContainer, FairScheduler.completedContainerInternal.
func (f *Scheduler) completed(c *yarn.Container, exit int32, e yarn.ContainerEvent) {
	f.completedAs(c, c.ID, exit, e)
}

// completedAs is [Scheduler.completed] of a container that was meant by a number: its own, or that of a decrease of it.
func (f *Scheduler) completedAs(c *yarn.Container, id protocol.ContainerID, exit int32, e yarn.ContainerEvent) {
	a := f.attempt(c.ID.App)
	if a == nil {
		return
	}
	f.completedOne(a, c, id, exit, e)
	// A reservation for the growth of this container goes with it, if it was meant by its own number.
	n := c.Node
	if n.Gone() {
		n = f.cluster.Node(n.ID)
	}
	if n != nil && n.Reserved != nil && n.Reserved.Key().Update == id {
		f.completedOne(a, n.Reserved, n.Reserved.ID, exit, e)
	}
	// What was never given out is asked for again.
	if c.Asks != nil {
		a.PutBack(c.Key(), c.Asks)
		f.outdate(a)
	}
}

func (f *Scheduler) completedOne(a *app, c *yarn.Container, id protocol.ContainerID, exit int32, e yarn.ContainerEvent) {
	gone := c.Node.Gone()
	if c.State == yarn.ContainerReserved {
		if !gone {
			f.unreserve(a, f.node(c.Node.ID))
		}
		return
	}
	launched := !gone && c.Launched()
	if a.Attempt == c.App { // of an earlier attempt, only the node may still have it
		f.containerCompleted(a, c, id, exit, e, launched)
	}
	if !gone && (!launched || f.site.Preemption) { // one that ran stays on the node, and only preemption keeps more of it there
		f.node(c.Node.ID).release(c.ID, c.Hash, false)
	}
	f.refresh()
}

// containerCompleted takes a container from its application.
//
// Source: FSAppAttempt.containerCompleted.
func (f *Scheduler) containerCompleted(a *app, c *yarn.Container, id protocol.ContainerID, exit int32, e yarn.ContainerEvent, launched bool) {
	if !a.RemoveLive(c.ID) {
		return
	}
	acquired := c.State >= yarn.ContainerAcquired
	ended := c.Handle(e)
	a.forget(c)
	a.Used.SubtractFrom(&c.Size)
	less := resource.Resource{}.Sub(c.Size)
	f.uses(a, &less, false)
	if ended {
		e := f.about(yarn.Completed, c)
		e.Exit, e.Launched, e.Acquired = exit, launched, acquired
		if id != c.ID {
			e.Update = id
		}
		f.tell(e)
	}
}

// resize handles requests of a change of size. FairScheduler takes them and never hands anything over: the difference of
// an increase is allocated and stays charged, a decrease only blocks later requests.
//
// Source: AbstractYarnScheduler.handleContainerUpdates.
func (f *Scheduler) resize(a *app, reqs []protocol.Update, resp *protocol.AllocateResponse) {
	most := f.most(a.queue)
	reqs, resp.UpdateErrors = yarn.CheckUpdates(reqs, f.live, most, resp.UpdateErrors)
	for _, u := range reqs {
		c := f.live(u.Container)
		if c == nil {
			continue
		}
		target := f.calc.Normalize(u.Size, f.site.MinAllocation, most, f.site.Increment)
		var cancelled resource.Resource
		var ok bool
		if u.Increase {
			cancelled, ok = a.Increase(c, target)
		} else {
			var helper *yarn.Container
			if helper, cancelled, ok = a.Decrease(c, target, f.now); ok {
				f.at(c.Node).placeFor(helper, a)
				f.emit(yarn.Event{Kind: yarn.Helper, Container: helper.Protocol(), App: a.ID(), Update: c.ID})
			}
		}
		f.allocated = f.allocated.Add(cancelled)
		f.charged = true
		if !ok {
			resp.UpdateErrors = append(resp.UpdateErrors, yarn.Outstanding(u.Container))
		}
	}
}
