package rm

import (
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// Drain starts a graceful decommission, which waits for so many ms after the node's next heartbeat, or with -1 for ever. Of one that is under way
// it changes the patience, and so it does of one that begins again before a heartbeat of the node since the last was taken back.
//
// Source: RMNodeImpl.DecommissioningNodeTransition, DecommissioningNodesWatcher.update.
func (r *RM) Drain(id protocol.NodeID, patience int64) {
	r.Hear()
	n := &r.nodes[id]
	if !n.registered {
		return
	}
	r.drains(n, true)
	n.patience = patience
}

// Undrain takes a graceful decommission back: the node has its capacity again.
func (r *RM) Undrain(now int64, id protocol.NodeID) {
	n := &r.nodes[id]
	if !n.draining {
		return
	}
	r.clock(now)
	r.drains(n, false)
	if r.setTotal(n, n.spec.Total, true) {
		r.totalChanged(n, r.excess(n))
	}
	r.drain(now)
}

// Draining reports whether the node is in the cluster and being decommissioned.
func (r *RM) Draining(id protocol.NodeID) bool { return r.Registered(id) && r.nodes[id].draining }

// drains sets whether a node drains.
func (r *RM) drains(n *node, draining bool) {
	if draining != n.draining {
		n.draining = draining
		if draining {
			r.unheard++
		} else {
			r.unheard--
		}
		r.note(n)
		if s, looks := r.sched.(yarn.Decommissioner); looks {
			s.Decommissioning(n.spec.ID, draining)
		}
	}
}

// ran notes that a node has reported a container of an application.
//
// Source: RMNodeImpl.handleRunningAppOnNode.
func (r *RM) ran(n *node, app protocol.AppID) {
	if !r.config.Drains || slices.Contains(n.ran, app) {
		return
	}
	if len(n.ran) == cap(n.ran) {
		r.runs(n)
	}
	n.ran = append(n.ran, app)
}

// runs reports whether an application of which the node has reported a container has not ended: it may want the shuffle files that lie there.
//
// Source: RMNodeImpl (runningApplications), DecommissioningNodesWatcher (WAIT_APP).
func (r *RM) runs(n *node) bool {
	n.ran = slices.DeleteFunc(n.ran, func(id protocol.AppID) bool { return r.app(id) == nil })
	return len(n.ran) > 0
}

// leaves removes a draining node at its heartbeat when that is all it waited for, and reports whether it has. What the heartbeat reports counts for what runs on
// the node and else for nothing: ends that come with it are those of a node that has gone.
//
// The watcher finds the node ready when no application of which it has reported a container before goes on and nothing runs, or when its patience is at an end;
// it is then told to shut down. Else the node goes if no such application goes on and there is no application master; what other containers are there is
// lost, and the NodeManager hears of it with its next heartbeat.
//
// Source: ResourceTrackerService.nodeHeartbeat, DecommissioningNodesWatcher.checkDecommissioningStatus, RMNodeImpl.StatusUpdateWhenHealthyTransition.
func (r *RM) leaves(now int64, n *node) bool {
	if n.drainsFrom < 0 {
		n.drainsFrom = now
	}
	stops := now
	idle := !slices.ContainsFunc(n.procs, func(p proc) bool { return !p.exited })
	switch late := n.patience >= 0 && now-n.drainsFrom >= n.patience; {
	case late:
	case r.runs(n):
		return false
	case idle:
	case len(n.masters) == 0:
		stops += r.config.HeartbeatMS
	default:
		return false
	}
	for i := range n.procs {
		if p := &n.procs[i]; !p.exited {
			r.host.Kill(p.id, stops)
		}
	}
	r.RemoveNode(now, n.spec.ID)
	r.host.NodeGone(n.spec.ID)
	return true
}

// setTotal gives the scheduler the total of a node, with an overcommit timeout of 0 when it is to hold at once. If it reports that it is another one,
// [RM.totalChanged] is to follow. Such a timeout stays with
// the node: a later total without one holds from the next heartbeat on.
//
// The events of the heartbeat of a draining node are handled in this order. AbstractYarnScheduler.nodeUpdate takes the reported ends in, posts what the node
// holds then as its total (an RMNodeResourceUpdateEvent) if it is another one, posts MARK_CONTAINER_FOR_KILLABLE for what was too much before, and gives away
// the room that the ends have made. The total reaches the scheduler behind all that: RMNodeImpl posts it again as a NODE_RESOURCE_UPDATE, behind the allocation
// of an application master's container and the end of an application, before that of an attempt that has failed, which is stored first. It comes with a timeout of 0, so what the heartbeat has given away is too much at once:
// behind the end of such an attempt the scheduler ends the newest containers that are no masters until the rest fits, see [yarn.Overcommitter].
//
// Source: AbstractYarnScheduler.nodeUpdate, updateNodeResource; RMNodeImpl.UpdateNodeResourceWhenRunningTransition; SchedulerNode.setOvercommitTimeOut.
func (r *RM) setTotal(n *node, total resource.Resource, atOnce bool) (changed bool) {
	changed = total != n.total
	r.matter()
	n.total = total
	r.sched.SetNodeTotal(n.spec.ID, total)
	if changed && atOnce {
		n.overcommit = true
	}
	r.exceeds(n, changed && !atOnce && n.overcommit)
	r.note(n)
	return changed
}

// totalChanged is what follows from another total: nothing stays reserved there, and what was too much ends.
func (r *RM) totalChanged(n *node, excess []*yarn.Container) {
	if s, drops := r.sched.(yarn.Unreserver); drops {
		s.Unreserve(n.spec.ID)
	}
	r.endExcess(excess)
}

// exceeds notes whether containers of a node may have no room, which end at its next heartbeat.
func (r *RM) exceeds(n *node, may bool) {
	if may != n.exceeding {
		if n.exceeding = may; may {
			r.exceeding++
		} else {
			r.exceeding--
		}
	}
}

// Exceeding reports whether containers may end at the next heartbeat of a node because it has shrunk.
func (r *RM) Exceeding() bool { return r.exceeding > 0 }

// excess returns the containers for which a node has no room any more, if they end by that. endExcess ends them.
func (r *RM) excess(n *node) []*yarn.Container {
	if s, ends := r.sched.(yarn.Overcommitter); ends {
		return s.Excess(n.spec.ID)
	}
	return nil
}

func (r *RM) endExcess(excess []*yarn.Container) {
	if len(excess) > 0 {
		r.sched.(yarn.Overcommitter).EndExcess(excess)
	}
}
