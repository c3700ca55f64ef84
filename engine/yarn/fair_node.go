package yarn

import (
	"slices"

	"replay/engine/protocol"
	"replay/policy"
)

// fairNode is what the FairScheduler keeps on a node for preemption.
//
// Source: FSSchedulerNode.
type fairNode struct {
	reservedBy *fairApp
	marked     []*Container // chosen to be preempted
	claims     []preemptClaim
	claimed    policy.Resource // sum of the claims
}

// preemptClaim is room on the node that is being made, or was made, for a starved application.
type preemptClaim struct {
	app    *fairApp
	amount policy.Resource
}

// reserved is what is held back on the node: its reservation and the claims.
//
// Source: FSSchedulerNode.getTotalReserved.
func (n *Node) reserved() (r policy.Resource) {
	if n.Reserved != nil {
		r = n.Reserved.Size
	}
	return r.Add(n.fair.claimed)
}

// claimedBy reports whether room on the node is held back for the application.
//
// Source: FSSchedulerNode.isPreemptedForApp.
func (n *Node) claimedBy(a *fairApp) bool {
	return slices.ContainsFunc(n.fair.claims, func(c preemptClaim) bool { return c.app == a })
}

// mark chooses containers to be preempted for an application.
//
// Source: FSSchedulerNode.addContainersForPreemption.
func (n *Node) mark(cs []*Container, a *fairApp) {
	var sum policy.Resource
	for _, c := range cs {
		if !slices.Contains(n.fair.marked, c) {
			n.fair.marked = append(n.fair.marked, c)
			sum = sum.Add(c.Size)
		}
	}
	if sum.IsNone() {
		return
	}
	n.fair.claimed = n.fair.claimed.Add(sum)
	for i := range n.fair.claims {
		if n.fair.claims[i].app == a {
			n.fair.claims[i].amount = n.fair.claims[i].amount.Add(sum)
			return
		}
	}
	n.fair.claims = append(n.fair.claims, preemptClaim{a, sum})
}

// cleanClaims drops the claims of applications that are no longer starved.
//
// Source: FSSchedulerNode.cleanupPreemptionList.
func (n *Node) cleanClaims() {
	n.fair.claims = slices.DeleteFunc(n.fair.claims, func(c preemptClaim) bool {
		a := c.app
		drop := a.Stopped || !a.starved() || a.fairStarvation.IsNone() && a.minStarvation.IsNone()
		if drop {
			n.fair.claimed = n.fair.claimed.Sub(c.amount)
		}
		return drop
	})
}

// placeFair puts a container on the node; it fulfils the application's claim.
//
// Source: FSSchedulerNode.allocateContainer.
func (n *Node) placeFair(c *Container, a *fairApp) {
	n.Place(c)
	if len(n.fair.claims) == 0 || c.Size.IsNone() {
		return
	}
	for i := range n.fair.claims {
		claim := &n.fair.claims[i]
		if claim.app != a {
			continue
		}
		fulfilled := claim.amount.Min(c.Size)
		claim.amount = claim.amount.Sub(fulfilled)
		n.fair.claimed = n.fair.claimed.Sub(fulfilled)
		if claim.amount.IsNone() {
			n.fair.claims = slices.Delete(n.fair.claims, i, i+1)
		}
		return
	}
}

// releaseFair takes a container off the node, see [Node.Release]. It is no longer chosen to be preempted, even
// when it stays until the node reports its end.
//
// Source: FSSchedulerNode.releaseContainer.
func (n *Node) releaseFair(id protocol.ContainerID, hash int32, byNode bool) {
	if len(n.fair.marked) > 0 {
		if c := n.Container(id, hash); c != nil {
			if i := slices.Index(n.fair.marked, c); i >= 0 {
				n.fair.marked = slices.Delete(n.fair.marked, i, i+1)
			}
		}
	}
	n.Release(id, hash, byNode)
}
