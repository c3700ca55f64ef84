package rm

import (
	"slices"

	"replay/engine/protocol"
	"replay/engine/reuse"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// node is a NodeManager. What is asked of it most stands before its specification, and what each heartbeat and each process asks in the first line of memory (64 bytes), up to drainsFrom.
type node struct {
	procs      []proc             // in the order of their start
	news       [dueNews + 1]int32 // how many of them are news for its next heartbeat, and of which kind
	rank       int32              // of its heartbeat plus 1, see [RM.Beats]; 0 while it sends none
	due, moves bool               // of its next heartbeat, see [RM.note]; neither while it sends none
	registered bool
	draining   bool
	overcommit bool                   // has an overcommit timeout, of 0: containers for which it has no room end
	exceeding  bool                   // they end at its next heartbeat, see [RM.Exceeding]
	drainsFrom int64                  // its first heartbeat as a draining node, -1 before and from a heartbeat as another one on
	masters    []protocol.ContainerID // of application masters, which the scheduler has on it
	allocated  resource.Resource      // by the scheduler's allocations, for draining
	spec       yarn.NodeSpec
	total      resource.Resource // as the scheduler was told
	patience   int64             // for how long a graceful decommission waits from then on, in ms, or -1
	ran        []protocol.AppID  // of which it has reported a container, while [Config.Drains]; some may have ended
	silences   int64             // how often its processes died, to tell old expiries
	ends       []end             // of its processes
}

// proc is a container as its NodeManager knows it. Heartbeats go through all of a node, so it is small: what there is of few is in [node.ends].
type proc struct {
	id       protocol.ContainerID
	exit     int32
	is       news // as of [proc.news]
	reported bool // as running
	exited   bool
	cleanup  bool // the ResourceManager wants it ended
	later    bool // the host knows when it is told so, see [Host.KillLater]
	told     bool // it has been told so
	killed   bool // while it ran
	held     bool // the scheduler has ended it, the node still counts size
	foreseen bool // it has exited, which the scheduler knows that the next heartbeat will tell it
}

// end is what there is of a process that is held, or was told to end.
type end struct {
	id     protocol.ContainerID
	killAt int64
	size   resource.Resource
}

// end returns that of a process.
func (n *node) end(id protocol.ContainerID) *end {
	i := slices.IndexFunc(n.ends, func(e end) bool { return e.id == id })
	if i < 0 {
		i = len(n.ends)
		n.ends = append(n.ends, end{id: id})
	}
	return &n.ends[i]
}

// gone frees what a process that has ended held.
func (n *node) gone(p *proc) {
	if p.held {
		n.free(p.id, n.end(p.id).size)
	}
	if p.held || p.told {
		n.ends = slices.DeleteFunc(n.ends, func(e end) bool { return e.id == p.id })
	}
}

// tell has a node tell a process to end, at a time.
func (n *node) tell(p *proc, at int64) {
	p.told, p.killed = true, true
	n.end(p.id).killAt = at
}

// proc returns the process of a container, nil when the node knows none.
func (n *node) proc(id protocol.ContainerID) *proc {
	for i := range n.procs {
		if p := &n.procs[i]; p.id == id {
			return p
		}
	}
	return nil
}

// AddNode registers nodes that come at one time, and returns those that are refused as they have less than the smallest container. One that is in the cluster
// runs nothing of what it did: it goes and comes before anything follows from its going, and what it has reported as running before still counts when it drains. If it is
// refused it stays as it was, until it is found lost.
//
// Source: ResourceTrackerService.registerNodeManager, RMNodeImpl.ReconnectNodeTransition.
func (r *RM) AddNode(now int64, specs ...yarn.NodeSpec) (refused []protocol.NodeID) {
	r.clock(now)
	r.matter()
	r.nodes = yarn.WithRoom(r.nodes, specs)
	r.exited = reuse.Reaching(r.exited, len(r.nodes))
	taken := make([]yarn.NodeSpec, 0, len(specs))
	for _, spec := range specs {
		n := &r.nodes[spec.ID]
		fits := r.config.LeastNode.FitsIn(spec.Total)
		if !fits {
			refused = append(refused, spec.ID)
			if n.registered {
				continue
			}
		}
		ran := n.ran[:0]
		if n.registered {
			r.takeOut(n)
			ran = n.ran
		}
		r.forget(n)
		*n = node{spec: spec, registered: fits, total: spec.Total, drainsFrom: -1, ran: ran, silences: n.silences + 1}
		if fits {
			taken = append(taken, spec)
		}
	}
	if len(taken) > 0 {
		r.sched.AddNode(taken...)
		r.woken = true
	}
	r.drain(now)
	return refused
}

// NodeDown says that the node's processes are gone, without the ResourceManager knowing. It returns
// the containers whose processes ended.
func (r *RM) NodeDown(id protocol.NodeID) []protocol.ContainerID {
	r.Hear()
	n := &r.nodes[id]
	var gone []protocol.ContainerID
	for i := range n.procs {
		if !n.procs[i].exited {
			gone = append(gone, n.procs[i].id)
		}
	}
	r.clear(n)
	return gone
}

// clear drops the processes that a node has to report on. Those that it was told to end do end.
func (r *RM) clear(n *node) {
	for i := range n.procs {
		if p := &n.procs[i]; p.later && p.killed {
			r.host.Kill(p.id, n.end(p.id).killAt)
		}
	}
	r.unheard -= len(n.procs)
	n.procs, n.ends, n.news = nil, nil, [dueNews + 1]int32{}
	r.note(n)
}

// forget drops what a node has to report.
func (r *RM) forget(n *node) {
	n.overcommit = false
	r.exceeds(n, false)
	r.clear(n)
	r.drains(n, false)
}

// NodeSilent says that a node sends no more heartbeats since its last one, at lastMS. The liveness monitor finds it lost when
// it looks, every third of the expiry interval, and more than the interval has passed.
//
// Source: NMLivelinessMonitor, AbstractLivelinessMonitor.
func (r *RM) NodeSilent(now int64, id protocol.NodeID, lastMS int64) {
	r.nodes[id].silences++
	r.host.At(max(expires(lastMS, r.config.NodeExpiryMS), now), NodeExpired, int64(id), r.nodes[id].silences)
}

// nodeExpired takes a node out that has been silent since.
func (r *RM) nodeExpired(now int64, id protocol.NodeID, silence int64) {
	if r.nodes[id].silences == silence && r.Registered(id) {
		r.RemoveNode(now, id)
		r.host.NodeGone(id)
	}
}

// RemoveNode takes a node out of the cluster: lost, decommissioned or shut down. Its containers end with -100.
func (r *RM) RemoveNode(now int64, id protocol.NodeID) {
	if !r.Registered(id) {
		return
	}
	r.clock(now)
	r.matter()
	r.takeOut(&r.nodes[id])
	r.forget(&r.nodes[id])
	r.drain(now)
}

// takeOut takes a node out of the scheduler.
func (r *RM) takeOut(n *node) {
	n.registered = false
	r.sched.RemoveNode(n.spec.ID)
	r.woken = true
}

// SetNodeTotal changes a node's capacity. That of one that drains lasts until its next heartbeat: if its decommission is taken back it has what it had before.
//
// Source: RMNodeImpl.UpdateNodeResourceWhenRunningTransition, RecommissionNodeTransition (originalTotalCapability).
func (r *RM) SetNodeTotal(now int64, id protocol.NodeID, total resource.Resource) {
	r.clock(now)
	n := &r.nodes[id]
	if !n.draining {
		n.spec.Total = total
	}
	if n.registered && r.setTotal(n, total, false) {
		r.totalChanged(n, nil)
	}
	r.drain(now)
}

// Registered reports whether the node is in the cluster.
func (r *RM) Registered(id protocol.NodeID) bool {
	return int(id) < len(r.nodes) && r.nodes[id].registered
}

// Held returns what the node's containers hold by the ResourceManager's own count, the other side of the scheduler's.
func (r *RM) Held(id protocol.NodeID) resource.Resource { return r.nodes[id].allocated }

// ContainerStarted says that the NodeManager accepted the start of a container.
func (r *RM) ContainerStarted(node protocol.NodeID, id protocol.ContainerID) {
	r.Hear()
	n := &r.nodes[node]
	n.procs = reuse.Longer(n.procs) // and fills it there
	p := &n.procs[len(n.procs)-1]
	*p = proc{}
	p.id, p.is = id, knownNews
	n.news[knownNews]++
	r.unheard++
	r.note(n)
	if a := r.attemptOf(id); a != nil && a.am == id && !a.unregistered {
		r.watchMaster(a)
	}
}

// MarkForCleanup tells the NodeManager to end a container that it started although the
// ResourceManager had given it up.
func (r *RM) MarkForCleanup(node protocol.NodeID, id protocol.ContainerID) {
	r.Hear()
	n := &r.nodes[node]
	if p := n.proc(id); p != nil {
		r.cleanUp(n, p)
	}
}

// ProcessExited says that the process of a container ended with exit. The node reports it with its next heartbeat.
func (r *RM) ProcessExited(node protocol.NodeID, id protocol.ContainerID, exit int32) {
	r.Hear()
	n := &r.nodes[node]
	if p := n.proc(id); p != nil && !p.exited {
		p.exited, p.exit = true, exit
		r.exited[node] = id
		p.foreseen = r.foresees(node, n, p)
		r.renew(n, p)
	}
}

// free says that the scheduler has a container on the node no more.
func (n *node) free(id protocol.ContainerID, size resource.Resource) {
	n.allocated.SubtractFrom(&size)
	if len(n.masters) == 0 {
		return
	}
	if i := slices.Index(n.masters, id); i >= 0 {
		n.masters = slices.Delete(n.masters, i, i+1)
	}
}

// starts takes in that a node reports a process as running. One that the ResourceManager wants ended was ended there before it was reported: the
// scheduler knows nothing of it any more.
func (r *RM) starts(n *node, p *proc) {
	p.reported = true
	r.ran(n, p.id.App)
	if !p.cleanup {
		r.launched = append(r.launched, p.id)
		if a := r.attemptOf(p.id); a != nil {
			r.unwatch(a, p.id)
		}
	}
}

// reportsStart is [RM.report] where the start of the node's last process is all that it has to report, which that is told apart for: it is most of what there is. It
// reports false where there is more, or nothing.
func (r *RM) reportsStart(n *node) bool {
	last := len(n.procs) - 1
	if n.news[knownNews] != 1 || n.news[dueNews] > 0 {
		return false
	}
	p := &n.procs[last]
	if p.reported || p.exited || p.cleanup {
		return false
	}
	r.launched = r.launched[:0]
	r.starts(n, p)
	p.is = noNews
	n.news[noNews], n.news[knownNews] = n.news[noNews]+1, 0
	r.note(n)
	return true
}

// report takes in what a node reports and is told with a heartbeat at a time: what it has launched and completed, and what the host is to be told to end.
func (r *RM) report(id protocol.NodeID, n *node, at int64) {
	r.launched, r.completed, r.kills = r.launched[:0], r.completed[:0], r.kills[:0]
	left := n.news[knownNews] + n.news[dueNews]
	if left == 0 && !n.due && !n.moves {
		return
	}
	keep, next, procs := 0, 0, n.procs // which stay where they are meanwhile

	// One that has started is the last.
	if last := len(procs) - 1; left == 1 && procs[last].is != noNews {
		keep, next = last, last
	}
	for ; left > 0; left-- {
		from := next
		for procs[next].is == noNews {
			next++
		}
		if keep < from {
			copy(procs[keep:], procs[from:next])
		}
		keep += next - from
		p := &procs[next]
		next++
		if p.exited {
			if (!p.foreseen || p.held) && r.exited[id] != p.id { // else all of it was looked at less than a heartbeat ago, or came with [RM.fetchAt]
				r.fetchCompleted(id, p.id, 1)
			}
			r.completed = append(r.completed, protocol.Status{ID: p.id, Exit: p.exit})
			n.gone(p)
			if !p.reported {
				r.ran(n, p.id.App)
			}
			continue
		}
		if !p.reported {
			r.starts(n, p)
		}
		if p.cleanup && !p.told {
			n.tell(p, at)
			if !p.later {
				r.kills = append(r.kills, p.id)
			}
		}
		p.is = noNews
		if keep < next-1 {
			procs[keep] = *p
		}
		keep++
	}
	if keep < next {
		keep += copy(procs[keep:], procs[next:])
		r.unheard += keep - len(procs)
		n.procs = procs[:keep]
	} else {
		keep = len(procs)
	}
	n.news = [dueNews + 1]int32{noNews: int32(keep)}
	r.note(n)
}

// NodeHeartbeat is a heartbeat of a NodeManager: it reports, the scheduler assigns, and the answer
// says which containers to end.
//
// Source: ResourceTrackerService.nodeHeartbeat, RMNodeImpl, AbstractYarnScheduler.nodeUpdate.
func (r *RM) NodeHeartbeat(now int64, id protocol.NodeID) {
	n := &r.nodes[id]
	if !n.registered {
		return
	}
	r.known.takes(n)
	if n.draining && r.leaves(now, n) {
		return
	}
	if !n.draining {
		n.drainsFrom = -1
	}
	r.clock(now)
	r.report(id, n, now)
	r.given = resource.Resource{}
	excess := r.nodeUpdate(id, n.overcommit)
	r.completed = r.completed[:0]
	var held resource.Resource
	if n.draining {
		held = n.allocated.Sub(r.given)
	}
	if n.overcommit {
		r.endExcess(excess)
		r.exceeds(n, len(r.excess(n)) > 0) // by a reservation that it has filled
	}
	for _, c := range r.kills {
		r.host.Kill(c, now)
	}
	if n.draining && held != n.total {
		r.dispatch(now, true)
		r.setTotal(n, held, true)
		excess = r.excess(n)
		r.drain(now)
		r.totalChanged(n, excess)
	}
	r.drain(now)
}

// nodeUpdate has the scheduler take a node's heartbeat in. It returns the excess of one that is overcommitted.
func (r *RM) nodeUpdate(id protocol.NodeID, overcommitted bool) (excess []*yarn.Container) {
	if overcommitted {
		if s, ends := r.sched.(yarn.Overcommitter); ends {
			return s.OvercommittedUpdate(id, r.launched, r.completed)
		}
	}
	r.sched.NodeUpdate(id, r.launched, r.completed)
	return nil
}
