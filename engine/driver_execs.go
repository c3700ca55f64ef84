package engine

import (
	"slices"

	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/spark"
	"replay/policy"
)

// exec returns an executor that the driver may still hear of, or nil.
func (d *driver) exec(id int32) *executor {
	if id < 1 || int(id) >= len(d.execs) || d.execs[id].container == 0 {
		return nil
	}
	return &d.execs[id]
}

// launch starts a container that the allocator took: one thread of the launcher pool calls the
// NodeManager.
func (d *driver) launch(l spark.ExecutorLaunch) {
	s := d.s
	id, n := l.Executor, l.Container.N
	for int(id) >= len(d.execs) {
		d.execs = append(d.execs, executor{})
	}
	c := d.a.containerOf(n)
	c.exec = id
	d.execs[id] = executor{launch: l, container: n, node: c.rec.Node, profile: l.Profile, lastStage: -1, died: never,
		cores: d.a.set.profiles[l.Profile].offered()}
	thread := 0
	for t := range d.pool {
		if d.pool[t] < d.pool[thread] {
			thread = t
		}
	}
	d.pool[thread] = max(d.pool[thread], s.now) + s.sc.Model.NMStartMS
	d.execs[id].startMS = s.executorStart(d.a.job.ID, d.launched, d.pool[thread]-s.now)
	d.launched++
	s.startContainer(d.a, n, d.pool[thread])
}

// started is the NodeManager's acceptance of a container.
func (a *app) started(s *sim, n int64) {
	if n == a.am {
		s.pushApp(s.now+s.amStart(a.job.ID), evRegisterAM, a, 0, n)
		return
	}
	d := a.driver
	if d == nil || a.gone {
		return
	}
	c := a.containerOf(n)
	d.alloc.LaunchDone(d.execs[c.exec].launch)
	s.pushApp(s.now+d.execs[c.exec].startMS, evExecReady, a, n, n)
	c.rec.Started = s.now
}

// startFailed is a start call that the NodeManager did not answer.
func (a *app) startFailed(s *sim, n int64) {
	if n != a.am && a.driver != nil && !a.gone {
		a.driver.alloc.LaunchFailed(a.driver.execs[a.containerOf(n).exec].launch)
	}
}

// execReady is an executor that has registered with the driver and has free cores: it alone is offered.
func (d *driver) execReady(n int64) {
	s := d.s
	c := d.a.containerOf(n)
	if c.process != running || d.stopping {
		return
	}
	e := &d.execs[c.exec]
	if e.state != execLaunching {
		return
	}
	if d.tasks.HostExcluded(e.node) { // refused: the process gives up, as one that failed
		s.endProcess(d.a, n, s.now)
		return
	}
	e.state = execAlive
	e.free = e.cores
	d.ready++
	c.rec.Registered = s.now
	if d.a.rec.FirstRegistered == record.None {
		d.a.rec.FirstRegistered = s.now
	}
	if d.mgr != nil {
		d.mgr.ExecutorAdded(s.now, c.exec, e.profile)
	}
	d.offer(c.exec)
}

// Kill is part of [spark.Backend]: idle executors are given back. Busy and unknown ones are not.
func (d *driver) Kill(now int64, ids []int32) []int32 { return d.kill(ids, false) }

// kill gives executors back; with force also busy ones, whose tasks are lost. An executor whose
// connection dropped counts as idle, as its tasks are no longer the scheduler's.
//
// Source: CoarseGrainedSchedulerBackend.killExecutors.
func (d *driver) kill(ids []int32, force bool) []int32 {
	var out []int32
	for _, id := range ids {
		e := d.exec(id)
		if e == nil || e.killing || e.state != execLost && (e.state != execAlive || e.running > 0 && !force) || d.alloc == nil {
			continue
		}
		e.killing = true
		out = append(out, id)
	}
	for _, id := range out {
		if d.alloc != nil {
			d.alloc.KillExecutor(id)
		}
	}
	return out
}

// decommissionCheckMS is how often a decommissioned executor looks whether it may end.
//
// Source: CoarseGrainedExecutorBackend.decommissionSelf.
const decommissionCheckMS = 1000

// Decommission is part of [spark.Backend]: the executors get no more offers, and each ends by itself when
// none of its tasks runs.
//
// Source: CoarseGrainedSchedulerBackend.decommissionExecutors.
func (d *driver) Decommission(now int64, ids []int32) []int32 {
	var out []int32
	for _, id := range ids {
		e := d.exec(id)
		if e == nil || e.state != execAlive || e.killing {
			continue
		}
		e.killing, e.decommissioned = true, true
		d.tasks.Decommission(now, id, false)
		d.s.pushApp(now+decommissionCheckMS, evDecommission, d.a, int64(id), int64(id))
		out = append(out, id)
	}
	d.pump()
	return out
}

// mayEnd is a decommissioned executor's look at its tasks.
func (d *driver) mayEnd(id int32) {
	switch e := d.exec(id); {
	case e == nil || e.died != never || d.stopping:
	case e.running > 0:
		d.s.pushApp(d.s.now+decommissionCheckMS, evDecommission, d.a, int64(id), int64(id))
	default:
		d.s.endProcess(d.a, e.container, d.s.now)
	}
}

// RequestTotal is part of [spark.Backend]: the AM takes new totals, and its loop wakes when one changed.
func (d *driver) RequestTotal(now int64, r *spark.TotalRequest) bool {
	if d.alloc == nil {
		return true
	}
	if d.tasks != nil {
		r.Exclude(d.excludedHosts())
	}
	if d.alloc.RequestTotal(now, r) {
		d.wake()
	}
	return true
}

// hint notes whether a new container is on a host that active stages of its application prefer.
func (a *app) hint(c *container) {
	if a.driver == nil || a.driver.hints == 0 {
		return
	}
	c.rec.Hinting = true
	a.rec.ContainersHinting++
	if a.driver.wanted[c.rec.Node] > 0 {
		c.rec.Hinted = true
		a.rec.ContainersHinted++
	}
}

// hintedRoom returns the hosts that pending work of the application prefers and that have room for a
// container of this size now.
func (a *app) hintedRoom(s *sim, size policy.Resource) []int32 {
	if a.driver == nil {
		return nil
	}
	var out []int32
	for node, n := range a.driver.wanted {
		if n > 0 && s.hasRoom(protocol.NodeID(node), size) {
			out = append(out, int32(node))
		}
	}
	return out
}

func (s *sim) hasRoom(id protocol.NodeID, size policy.Resource) bool {
	return s.rm.Registered(id) && s.nodes.used[id].Add(size).FitsIn(s.total(id))
}

// matched notes what became of a granted container, and which hosts its request preferred.
func (d *driver) matched(g *spark.Grant) {
	s, a := d.s, d.a
	c := a.containerOf(g.Container.ID.N)
	hosts := g.Wanted
	switch g.Match {
	case spark.Unmatched:
		c.rec.Match = record.Unmatched
		c.rec.End = record.EndUnused
		return
	case spark.MatchedAny:
		return
	}
	a.rec.ContainersPreferring++
	node := c.rec.Node
	if slices.Contains(hosts, s.nodes.host[node]) {
		c.rec.Match = record.OnHost
		a.rec.ContainersPreferred++
		return
	}
	c.rec.Match = record.Elsewhere
	present, room := false, false
	for _, h := range hosts {
		p := s.nodes.byName[h]
		if p < 0 {
			continue
		}
		if s.nodes.rack[p] == s.nodes.rack[node] {
			c.rec.Match = record.OnRack
		}
		present = present || s.rm.Registered(protocol.NodeID(p))
		room = room || slices.Contains(c.room, p)
	}
	if c.rec.Match == record.OnRack {
		a.rec.ContainersRackPreferred++
	}
	site := s.sc.Site
	switch {
	case !present:
		c.rec.Miss = record.HostAbsent
	case !room:
		c.rec.Miss = record.HostBusy
	case site.LocalityThresholdNode < 0 || site.LocalityThresholdRack < 0:
		c.rec.Miss = record.DelayOff
	case c.rec.Type != protocol.NodeLocal.String():
		c.rec.Miss = record.DelayOver
	default:
		c.rec.Miss = record.MissedByOrder
	}
}
