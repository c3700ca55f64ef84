package yarn

import (
	"cmp"
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn/jvm"
	"replay/policy/resource"
)

// Node is a registered node in the scheduler.
//
// Source: SchedulerNode.
type Node struct {
	NodeSpec
	Decommissioning bool // of schedulers that look at it, see [Decommissioner]
	gone            bool
	touched         bool // stands in the cluster's list of touched nodes
	resized         bool // see [Node.Resized]
	sought          bool // stands in the list of [sought]
	Reserved        *Container
	Free, Used      resource.Resource
	cluster         *Cluster
	containers      jvm.Bag[*Container]

	HostHash, RackHash int32         // String.hashCode of the names
	Hash               int32         // NodeId.hashCode
	host               protocol.Name // of its address, which application masters see; Host is what requests call the node
	_                  [8]byte       // three cache lines, of which the first has what is asked for most, the second the room
}

// FetchContainers has fetched (package fetch) where the containers on the node are found.
func (n *Node) FetchContainers() { n.containers.Fetch() }

// Touch notes that something about the node has changed that decides what it can be given; see [Cluster.Touched].
func (n *Node) Touch() {
	if n.cluster != nil {
		n.cluster.changes++
		n.cluster.sought.note(n)
	}
	if !n.touched && n.cluster != nil {
		n.touched = true
		n.cluster.touched = append(n.cluster.touched, n)
	}
}

// Resized reports, of a node that [Cluster.Touched] tells of, whether its capability may be another one than when it told of it before.
func (n *Node) Resized() bool { return n.resized }

// Gone reports whether the node is no longer registered.
func (n *Node) Gone() bool { return n.gone }

// Count returns the number of containers, helper containers included.
func (n *Node) Count() int { return n.containers.Len() }

// Containers yields the containers on the node in YARN's order, the hash order of their numbers.
func (n *Node) Containers(yield func(*Container) bool) {
	n.containers.All(yield)
}

// PreemptionOrder is the containers of the node, the last in hash order first, application masters at the end.
//
// Source: SchedulerNode.getRunningContainersWithAMsAtTheEnd.
func (n *Node) PreemptionOrder() (list []*Container) {
	var ams []*Container
	for c := range n.Containers {
		if c.AM {
			ams = append(ams, c)
		} else {
			list = append(list, c)
		}
	}
	slices.Reverse(list)
	return append(list, ams...)
}

// Excess is the containers without which the others fit on the node as the calculator sees it: those that are no application masters first,
// then the newest. One that has ended and whose end the node has not reported counts, and may be among them.
//
// Source: AbstractYarnScheduler.signalContainersIfOvercommitted, SchedulerNode.getContainersToKill.
func (n *Node) Excess(calc resource.Calculator) []*Container {
	free := n.Free
	if calc.Fits(resource.Resource{}, free) {
		return nil
	}
	list := slices.Collect(n.Containers)
	slices.SortStableFunc(list, func(a, b *Container) int {
		if a.AM != b.AM {
			if b.AM {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.Created, a.Created)
	})
	for i, c := range list {
		if free = free.Add(c.Size); calc.Fits(resource.Resource{}, free) {
			return list[:i+1]
		}
	}
	return list
}

// Container returns the container called id, nil when the node does not hold it.
func (n *Node) Container(id protocol.ContainerID, hash int32) *Container {
	if at := n.place(id, hash); at >= 0 {
		return n.containers.At(at)
	}
	return nil
}

// place returns the place of a container among those of the node, -1 when it does not hold it.
func (n *Node) place(id protocol.ContainerID, hash int32) int {
	at := n.containers.Next(hash, 0)
	for at >= 0 && n.containers.At(at).ID != id {
		at = n.containers.Next(hash, at+1)
	}
	return at
}

// Place puts a container on the node.
//
// Source: SchedulerNode.allocateContainer.
func (n *Node) Place(c *Container) {
	if at := n.place(c.ID, c.Hash); at >= 0 {
		n.containers.Set(at, c)
		n.fill(c)
	} else {
		n.PlaceNew(c)
	}
}

// PlaceNew is [Node.Place] of a container of whose number the node holds none.
func (n *Node) PlaceNew(c *Container) {
	n.containers.Put(c.Hash, c)
	n.fill(c)
}

func (n *Node) fill(c *Container) {
	n.Used.AddTo(&c.Size)
	n.Free.SubtractFrom(&c.Size)
	n.Touch()
	c.placed = true
	c.App.placed++
}

// Launched marks that the node has reported the container as running. The live container of that number, if there is one, spares a search.
//
// Source: SchedulerNode.containerStarted.
func (n *Node) Launched(id protocol.ContainerID, hash int32, live *Container) {
	if live == nil || !live.placed || live.ID != id || live.Node != n {
		live = n.Container(id, hash)
	}
	if live != nil {
		live.launched = true
	}
}

// Release takes a container off the node and returns it, nil when it did not. A container that the node has
// reported as running stays until the node reports its end (byNode).
//
// Source: SchedulerNode.releaseContainer.
func (n *Node) Release(id protocol.ContainerID, hash int32, byNode bool) *Container {
	at := n.place(id, hash)
	if at < 0 {
		return nil
	}
	c := n.containers.At(at)
	if c.launched && !byNode {
		return nil
	}
	n.takeOff(at, c)
	n.Touch()
	return c
}

// Ended is [Node.Release] of a container of which the node has reported the end, without a [Node.Touch]: the caller knows whether the room was known to come.
func (n *Node) Ended(id protocol.ContainerID, hash int32) *Container {
	at := n.place(id, hash)
	if at < 0 {
		return nil
	}
	c := n.containers.At(at)
	n.takeOff(at, c)
	return c
}

func (n *Node) takeOff(at int, c *Container) {
	n.containers.Remove(at)
	c.launched, c.placed = false, false
	c.App.placed--
	n.Used.SubtractFrom(&c.Size)
	n.Free.AddTo(&c.Size)
}

// SetTotal changes the capability; what is allocated stays, so Free may become negative.
//
// Source: SchedulerNode.updateTotalResource.
func (n *Node) SetTotal(total resource.Resource) {
	n.Total, n.resized = total, true
	n.Free = total.Sub(n.Used)
	n.Touch()
}
