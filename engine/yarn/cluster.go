package yarn

import (
	"slices"
	"strconv"

	"replay/engine/fetch"
	"replay/engine/protocol"
	"replay/engine/reuse"
	"replay/engine/yarn/jvm"
	"replay/policy/resource"
)

// Places gives the hash codes of interned resource names.
type Places struct {
	names   *protocol.Names
	hash    []int32
	scratch batches

	host, rack Record // of the last look at tables by localities
	sight      sight  // likewise

	ordered bool                                           // see [Places.KeepOrder]
	list    []protocol.Name                                // scratch of [Places.message]
	sorted  []protocol.Name                                // scratch of seat
	seats   jvm.HashMap[protocol.Name, struct{}]           // likewise
	order   jvm.ConcurrentHashMap[protocol.Name, struct{}] // scratch of [Table.InOrder]

	asks [][]RememberAsk // room for those of a container

	containers []*Container // see [Container.Spare]

	// Of tables and attempts that have stopped: all are empty, and nobody has them.
	records  []jvm.ConcurrentHashMap[protocol.Name, Record]
	lists    []groupLists
	united   []*protocol.Locality
	attempts []containerLists
	requests []requestLists
	tables   []*Table // see [Places.SpareTables]
}

// spared takes the last element out of a list, a zero one when there is none.
func spared[E any](list *[]E) (e E) {
	if n := len(*list); n > 0 {
		e, (*list)[n-1] = (*list)[n-1], e
		*list = (*list)[:n-1]
	}
	return e
}

// room returns room for what a container takes from a table, that of a container which was given out if there is one.
func (p *Places) room() []RememberAsk {
	if r := spared(&p.asks); r != nil {
		return r
	}
	return make([]RememberAsk, 0, 3)
}

// NewPlaces returns the hash codes of names; names may be interned later.
func NewPlaces(names *protocol.Names) *Places { return &Places{names: names} }

// Hash returns String.hashCode of the text of n.
func (p *Places) Hash(n protocol.Name) int32 {
	if int(n) >= len(p.hash) {
		for i := len(p.hash); i < p.names.Len(); i++ {
			p.hash = append(p.hash, jvm.StringHash(p.names.Text(protocol.Name(i))))
		}
	}
	return p.hash[n]
}

// Cluster holds the registered nodes.
//
// Source: ClusterNodeTracker.
type Cluster struct {
	*Places
	Capacity resource.Resource // sum over the nodes
	ports    bool              // see [NewCluster]

	byID    []*Node  // by number, nil when not registered
	blocks  [][]Node // by number, in blocks: the memory of each node that registers for the first time
	order   jvm.HashMap[protocol.NodeID, *Node]
	byRack  map[protocol.Name][]*Node
	byHost  map[protocol.Name]*Node // the last one registered; none after a node of the name went
	largest resource.Resource       // per type over the nodes, and never below [noNode]
	touched []*Node
	changes int64  // of nodes, and of which there are
	members int64  // changes of which there are, and of their order
	sought  sought // what [Cluster.Seek] found of late
}

// noNode is what the largest container has before there are nodes. It is seen where no node has anything of a type, as those that drain and hold
// containers of -1 vcores.
//
// Source: ClusterNodeTracker.maxAllocation.
var noNode = resource.Resource{-1, -1, -1, -1}

// NewCluster returns a cluster without nodes. With ports requests call a node by its host and the port of its NodeManager, as HOST:PORT; else by its host.
//
// Source: SchedulerNode.getNodeName (usePortForNodeName).
func NewCluster(names *protocol.Names, ports bool) *Cluster {
	return &Cluster{Places: NewPlaces(names), ports: ports, byRack: map[protocol.Name][]*Node{}, byHost: map[protocol.Name]*Node{}, largest: noNode}
}

// Len returns the number of registered nodes.
func (c *Cluster) Len() int { return c.order.Len() }

// Changes counts changes of nodes, and of which there are; Members only the latter, and changes of their order.
func (c *Cluster) Changes() int64 { return c.changes }

// Members is described at [Cluster.Changes].
func (c *Cluster) Members() int64 { return c.members }

// Node returns the node, nil when it is not registered.
func (c *Cluster) Node(id protocol.NodeID) *Node {
	if int(id) >= len(c.byID) {
		return nil
	}
	return c.byID[id]
}

// NodeName returns by which name requests call a node, and false for one that is not registered.
//
// Source: AbstractYarnScheduler.getSchedulerNode, SchedulerNode.getNodeName.
func (c *Cluster) NodeName(id protocol.NodeID) (protocol.Name, bool) {
	if n := c.Node(id); n != nil {
		return n.Host, true
	}
	return 0, false
}

// Touched calls yield for the nodes that changed since the last call; see [Node.Touch].
func (c *Cluster) Touched(yield func(*Node)) {
	for _, n := range c.touched {
		n.touched = false
		yield(n)
		n.resized = false
	}
	c.touched = c.touched[:0]
}

// AnyTouched reports whether there are such nodes.
func (c *Cluster) AnyTouched() bool { return len(c.touched) > 0 }

// All yields the nodes in YARN's order, the hash order of host and port.
func (c *Cluster) All(yield func(*Node) bool) {
	for _, n := range c.order.All {
		if !yield(n) {
			return
		}
	}
}

// Rack returns the nodes of a rack in the order of their registration.
func (c *Cluster) Rack(name protocol.Name) []*Node { return c.byRack[name] }

// Host returns the node called name, the last one registered, nil when there is none, or when one of several went.
func (c *Cluster) Host(name protocol.Name) *Node { return c.byHost[name] }

// Named returns the nodes that a resource name stands for: all in YARN's order, the one of that name, or those of the rack.
//
// Source: ClusterNodeTracker.getNodesByResourceName.
func (c *Cluster) Named(name protocol.Name) []*Node {
	if name == protocol.Any {
		all := make([]*Node, 0, c.Len())
		for n := range c.All {
			all = append(all, n)
		}
		return all
	}
	if n := c.Host(name); n != nil {
		return []*Node{n}
	}
	return c.Rack(name)
}

// Add registers a node, all free, and returns it. It panics if the node is registered.
func (c *Cluster) Add(s NodeSpec) *Node {
	n, host := c.place(s.ID), s.Host
	text := c.names.Text(host)
	if c.ports {
		s.Host = c.names.Intern(text + ":" + strconv.Itoa(int(s.Port)))
	}
	*n = Node{
		NodeSpec: s, host: host, HostHash: c.Hash(s.Host), RackHash: c.Hash(s.Rack),
		Hash: jvm.NodeHash(text, s.Port), Free: s.Total, cluster: c, resized: true,
	}
	n.Touch()
	c.link(n)
	return n
}

// place returns memory for a node: the first time it has that of its number, which is found without a look at a list of all, and later some of its own, as containers may know it as it was.
func (c *Cluster) place(id protocol.NodeID) *Node {
	block, at := int(id)/reuse.PerBlock, int(id)%reuse.PerBlock
	c.blocks = reuse.Reaching(c.blocks, block+1)
	if c.blocks[block] == nil {
		c.blocks[block] = reuse.Block[Node]()
	}
	if n := &c.blocks[block][at]; n.cluster == nil {
		return n
	}
	return new(Node)
}

// likely returns the place of a node of that number, nil when there is none. It may be there no more, or elsewhere.
func (c *Cluster) likely(id protocol.NodeID) *Node {
	if block := uint(id) / reuse.PerBlock; block < uint(len(c.blocks)) && c.blocks[block] != nil {
		return &c.blocks[block][uint(id)%reuse.PerBlock]
	}
	return nil
}

// FetchNode has fetched (package fetch) a node.
func (c *Cluster) FetchNode(id protocol.NodeID) { fetch.Of(c.likely(id)) }

func (c *Cluster) link(n *Node) {
	for int(n.ID) >= len(c.byID) {
		c.byID = append(c.byID, nil)
	}
	if c.byID[n.ID] != nil {
		panic("yarn: node " + c.names.Text(n.Host) + " is registered twice")
	}
	c.changes++
	c.members++
	c.byID[n.ID] = n
	c.order.Put(n.ID, n.Hash, n)
	c.byRack[n.Rack] = append(c.byRack[n.Rack], n)
	c.byHost[n.Host] = n
	c.Capacity = c.Capacity.Add(n.Total)
	c.largest = c.largest.Max(n.Total)
}

// Remove takes a node out and returns it, nil when it was not registered.
func (c *Cluster) Remove(id protocol.NodeID) *Node {
	n := c.Node(id)
	if n != nil {
		c.unlink(n)
		n.gone = true
	}
	return n
}

func (c *Cluster) unlink(n *Node) {
	c.changes++
	c.members++
	c.byID[n.ID] = nil
	c.order.Remove(n.ID, n.Hash)
	other := func(o *Node) bool { return o == n }
	c.byRack[n.Rack] = slices.DeleteFunc(c.byRack[n.Rack], other)
	delete(c.byHost, n.Host)
	c.Capacity = c.Capacity.Sub(n.Total)
	c.largest = noNode
	for _, o := range c.byID {
		if o != nil {
			c.largest = c.largest.Max(o.Total)
		}
	}
}

// SetTotal changes a node's capability. The node moves to the end of its rack and of its hash chain.
// It reports whether the node is registered and its capability is another one now.
func (c *Cluster) SetTotal(id protocol.NodeID, total resource.Resource) bool {
	n := c.Node(id)
	if n == nil || n.Total == total {
		return false
	}
	c.unlink(n)
	n.SetTotal(total)
	c.link(n)
	return true
}

// MaxAllocation returns the largest container: the configured one, and when byNodes is set and there is a
// node, no more of any type than the largest node has.
//
// Source: ClusterNodeTracker.getMaxAllowedAllocation.
func (c *Cluster) MaxAllocation(configured resource.Resource, byNodes bool) resource.Resource {
	if !byNodes || c.Len() == 0 {
		return configured
	}
	return configured.Min(c.largest)
}
