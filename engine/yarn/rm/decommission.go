package rm

import (
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// Drain starts a graceful decommission; until is the time at which it gives up waiting, or -1.
func (r *RM) Drain(id protocol.NodeID, until int64) {
	r.Hear()
	n := &r.nodes[id]
	if n.registered {
		r.drains(n, true)
		n.drainUntil = until
	}
}

// Undrain takes a graceful decommission back: the node has its capacity again.
func (r *RM) Undrain(now int64, id protocol.NodeID) {
	n := &r.nodes[id]
	if !n.draining {
		return
	}
	r.clock(now)
	r.drains(n, false)
	r.setTotal(n, n.spec.Total, true)
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

// ran notes that an application has had a process on a node.
func (r *RM) ran(n *node, app protocol.AppID) {
	if !r.config.Drains || slices.Contains(n.ran, app) {
		return
	}
	if len(n.ran) == cap(n.ran) {
		r.runs(n)
	}
	n.ran = append(n.ran, app)
}

// runs reports whether an application of which a process was started on the node has not ended: it may want the shuffle files that lie there.
//
// Source: RMNodeImpl (runningApplications), DecommissioningNodesWatcher (WAIT_APP).
func (r *RM) runs(n *node) bool {
	n.ran = slices.DeleteFunc(n.ran, func(id protocol.AppID) bool { return r.app(id) == nil })
	return len(n.ran) > 0
}

// decommissioning removes a draining node when nothing runs there and no application that has run there goes on, or when its time is up. Else it
// shrinks the node to what it held when it had reported.
//
// The events of such a heartbeat are handled in this order. AbstractYarnScheduler.nodeUpdate takes the reported ends in, posts the new total (an
// RMNodeResourceUpdateEvent) if it is another one, posts MARK_CONTAINER_FOR_KILLABLE for what was too much before, and gives away the room that the ends have
// made. The total reaches the scheduler behind all that: RMNodeImpl posts it again as a NODE_RESOURCE_UPDATE, behind the allocation of an application master's
// container and the end of an application. It comes with an overcommit timeout of 0, so what the heartbeat has given away is too much at once: the scheduler
// ends the newest containers that are no masters until the rest fits, see [yarn.Overcommitter].
//
// Source: AbstractYarnScheduler.nodeUpdate, updateNodeResource; RMNodeImpl.UpdateNodeResourceWhenRunningTransition.
func (r *RM) decommissioning(now int64, id protocol.NodeID, held resource.Resource) {
	n := &r.nodes[id]
	if n.live == 0 && len(n.procs) == 0 && !r.runs(n) || n.drainUntil >= 0 && now >= n.drainUntil {
		for _, p := range n.procs {
			r.host.Kill(p.id, now)
		}
		r.RemoveNode(now, id)
		r.host.NodeGone(id)
		return
	}
	if held != n.total {
		r.setTotal(n, held, true)
	}
}

// setTotal gives the scheduler the total of a node, with an overcommit timeout of 0 when it is to hold at once. Such a timeout stays with the node: a
// later total without one holds from the next heartbeat on.
//
// Source: AbstractYarnScheduler.updateNodeResource, SchedulerNode.setOvercommitTimeOut.
func (r *RM) setTotal(n *node, total resource.Resource, atOnce bool) {
	changed := total != n.total
	n.total = total
	r.sched.SetNodeTotal(n.spec.ID, total)
	if changed && atOnce {
		n.overcommit = true
		r.endExcess(n)
	}
	r.note(n)
}

// endExcess ends containers for which a node has no room any more.
func (r *RM) endExcess(n *node) {
	if s, ends := r.sched.(yarn.Overcommitter); ends {
		s.EndExcess(n.spec.ID)
	}
}
