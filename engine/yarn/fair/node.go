package fair

import (
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// node is a registered node with what the FairScheduler keeps on it, in a line of memory: what few nodes have is apart.
//
// Source: FSSchedulerNode.
type node struct {
	*yarn.Node
	ending resource.Resource // what it will have free at its next heartbeat besides, see [yarn.Ender]
	rank   int32             // of its heartbeats plus 1, 0 for none and while it sends none; it stays when the node is taken out and comes back between two of them
	own    *withheld         // nil while it has had nothing
	_      [8]byte
}

// withheld is what is held back on a node.
type withheld struct {
	claims      []preemptClaim
	claimed     resource.Resource // sum of the claims
	marked      []*yarn.Container // chosen to be preempted
	reservedBy  *app
	reservedFor *yarn.Table // of that application: what the reservation answers
}

// nothing is what is held back on most nodes. It is not changed.
var nothing withheld

// held is what is held back on the node, to be read.
func (n *node) held() *withheld {
	if n.own == nil {
		return &nothing
	}
	return n.own
}

// hold is what is held back on the node, to be changed.
func (n *node) hold() *withheld {
	if n.own == nil {
		n.own = new(withheld)
	}
	return n.own
}

// node returns the registered node of that number, nil when there is none.
func (f *Scheduler) node(id protocol.NodeID) *node {
	if int(id) >= len(f.nodes) || f.nodes[id].Node == nil {
		return nil
	}
	return &f.nodes[id]
}

// at returns a node with what is kept on it. Nothing is kept on one that has gone.
func (f *Scheduler) at(n *yarn.Node) *node {
	if k := f.node(n.ID); k != nil && k.Node == n {
		return k
	}
	return &node{Node: n}
}

// preemptClaim is room on the node that is being made, or was made, for a starved application.
type preemptClaim struct {
	app    *app
	amount resource.Resource
}

// reserved is what is held back on the node: its reservation and the claims.
//
// Source: FSSchedulerNode.getTotalReserved.
func (n *node) reserved() (r resource.Resource) {
	if n.Reserved != nil {
		r = n.Reserved.Size
	}
	return r.Add(n.held().claimed)
}

// claimedBy reports whether room on the node is held back for the application.
//
// Source: FSSchedulerNode.isPreemptedForApp.
func (n *node) claimedBy(a *app) bool {
	return slices.ContainsFunc(n.held().claims, func(c preemptClaim) bool { return c.app == a })
}

// mark chooses containers to be preempted for an application.
//
// Source: FSSchedulerNode.addContainersForPreemption.
func (n *node) mark(cs []*yarn.Container, a *app) {
	var sum resource.Resource
	h := n.hold()
	for _, c := range cs {
		if !slices.Contains(h.marked, c) {
			h.marked = append(h.marked, c)
			sum = sum.Add(c.Size)
		}
	}
	if sum.IsNone() {
		return
	}
	n.Touch()
	h.claimed = h.claimed.Add(sum)
	for i := range h.claims {
		if h.claims[i].app == a {
			h.claims[i].amount = h.claims[i].amount.Add(sum)
			return
		}
	}
	h.claims = append(h.claims, preemptClaim{a, sum})
}

// cleanClaims drops the claims of applications that are no longer starved.
//
// Source: FSSchedulerNode.cleanupPreemptionList.
func (n *node) cleanClaims() {
	h := n.own
	if h == nil {
		return
	}
	h.claims = slices.DeleteFunc(h.claims, func(c preemptClaim) bool {
		a := c.app
		drop := a.Stopped || !a.starved() || a.fairStarvation.IsNone() && a.minStarvation.IsNone()
		if drop {
			h.claimed = h.claimed.Sub(c.amount)
			n.Touch()
		}
		return drop
	})
}

// placeFor puts a container on the node; it fulfils the application's claim.
//
// Source: FSSchedulerNode.allocateContainer.
func (n *node) placeFor(c *yarn.Container, a *app) {
	n.PlaceNew(c) // numbers are given once
	h := n.held()
	if len(h.claims) == 0 || c.Size.IsNone() {
		return
	}
	for i := range h.claims {
		claim := &h.claims[i]
		if claim.app != a {
			continue
		}
		fulfilled := claim.amount.Min(c.Size)
		claim.amount = claim.amount.Sub(fulfilled)
		h.claimed = h.claimed.Sub(fulfilled)
		if claim.amount.IsNone() {
			h.claims = slices.Delete(h.claims, i, i+1)
		}
		return
	}
}

// release takes a container off the node, see [yarn.Node.Release]. It is no longer chosen to be preempted, even
// when it stays until the node reports its end.
//
// Source: FSSchedulerNode.releaseContainer.
func (n *node) release(id protocol.ContainerID, hash int32, byNode bool) *yarn.Container {
	n.unmark(id, hash)
	return n.Release(id, hash, byNode)
}

// unmark notes that a container is no longer chosen to be preempted.
func (n *node) unmark(id protocol.ContainerID, hash int32) {
	h := n.held()
	if len(h.marked) == 0 {
		return
	}
	if c := n.Container(id, hash); c != nil {
		if i := slices.Index(h.marked, c); i >= 0 {
			h.marked = slices.Delete(h.marked, i, i+1)
		}
	}
}
