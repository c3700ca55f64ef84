package yarn

import (
	"replay/engine/protocol"
	"replay/policy/resource"
)

// ContainerState is the state of a container in the ResourceManager.
//
// Source: RMContainerState.
type ContainerState uint8

// States of a container; those from ContainerCompleted on are final.
const (
	ContainerNew ContainerState = iota
	ContainerReserved
	ContainerAllocated
	ContainerAcquired // handed to the application master
	ContainerRunning  // reported by the node
	ContainerCompleted
	ContainerExpired
	ContainerReleased
	ContainerKilled
)

// Final reports whether the container has ended.
func (s ContainerState) Final() bool { return s >= ContainerCompleted }

// ContainerEvent moves a container from state to state.
//
// Source: RMContainerEventType.
type ContainerEvent uint8

// Events of a container.
const (
	EventStart ContainerEvent = iota
	EventReserved
	EventAcquired
	EventLaunched
	EventFinished
	EventReleased
	EventExpire
	EventKill
)

// Container is a container, reservation or helper container in the ResourceManager.
//
// Source: RMContainerImpl, Container.
type Container struct {
	ID       protocol.ContainerID
	Hash     int32 // ContainerId.hashCode
	priority int32 // of its key
	State    ContainerState
	Type     protocol.NodeType
	AM       bool // the master container of its application
	placed   bool // its node holds it
	launched bool // its node holds it and has reported it as running
	Node     *Node
	App      *Attempt
	request  int64    // of its key
	changes  *changes // nil for most
	Size     resource.Resource
	Asks     []RememberAsk // what it took from the request table; nil once acquired or put back
	Created  int64         // ms
} // two cache lines

// changes is what there is of a container besides whose size was changed, or that is the growth of another one.
type changes struct {
	of      protocol.ContainerID // that grows, of its key
	version int32                // updates handed to the application master
	known   resource.Resource    // see [Container.Known]
}

// changed is what there is of changes of the container's size, which comes before the first one.
func (c *Container) changed() *changes {
	if c.changes == nil {
		c.changes = &changes{known: c.Size}
	}
	return c.changes
}

// Key is the key that the container was allocated under.
func (c *Container) Key() Key {
	return Key{Priority: c.priority, Request: c.request, Update: c.grows()}
}

// grows is the container whose growth it is, zero for most.
func (c *Container) grows() (id protocol.ContainerID) {
	if c.changes != nil {
		id = c.changes.of
	}
	return id
}

// Version is how many updates were handed to the application master.
func (c *Container) Version() int32 {
	if c.changes == nil {
		return 0
	}
	return c.changes.version
}

// Known is the size that the node is known to grant; it differs from Size while an increase is under way. Knows says so.
func (c *Container) Known() resource.Resource {
	if c.changes == nil {
		return c.Size
	}
	return c.changes.known
}

// Knows is described at [Container.Known].
func (c *Container) Knows(size resource.Resource) { c.changed().known = size }

// RememberAsk is a record of the request table, as it was when a container took one from it.
type RememberAsk struct {
	Name  protocol.Name
	Size  resource.Resource
	Relax bool
	// count is 1, and once the record was put back that of the table's record, for as long as that is the same object in YARN.
	count int32
}

// Launched reports whether the node holds the container and has reported it as running.
func (c *Container) Launched() bool { return c.launched }

// Spare gives the memory of a container to one that is to come. It has been released from its node by the node's own report, or is a reservation that was dropped, and the
// caller has no pointer to it left: then nobody has, once it has ended, but for attempts that have changed sizes of containers.
func (c *Container) Spare() {
	a := c.App
	if (c.State.Final() || c.State == ContainerReserved) && a.updates.increases == nil && a.updates.decreases == nil {
		*c = Container{}
		a.places.containers = append(a.places.containers, c)
	}
}

// Protocol returns the container as application masters see it.
func (c *Container) Protocol() (p protocol.Container) {
	c.Show(&p)
	return p
}

// Show is [Container.Protocol] in place.
func (c *Container) Show(p *protocol.Container) {
	p.ID, p.Node, p.Host, p.Size = c.ID, c.Node.ID, c.Node.host, c.Size
	p.Priority, p.Request, p.Type, p.Version = c.priority, c.request, c.Type, c.Version()
}

// Handle applies an event and reports whether it ended the container, so that the end is to be
// reported. A pair of state and event that YARN does not know changes nothing.
//
// Source: RMContainerImpl.stateMachineFactory.
func (c *Container) Handle(e ContainerEvent) (ended bool) {
	t := &transitions[c.State][e]
	switch t.to {
	case ContainerNew:
		return false
	case ContainerAcquired:
		c.acquire()
	}
	c.State = t.to
	return t.ends
}

// transition is what an event does to a container: the state that follows, ContainerNew for none, and whether it ends by that.
type transition struct {
	to   ContainerState
	ends bool
}

// transitions are by state and event.
var transitions = [ContainerKilled + 1][EventKill + 1]transition{
	ContainerNew: {
		EventStart:    {to: ContainerAllocated},
		EventReserved: {to: ContainerReserved},
		EventKill:     {to: ContainerKilled},
		EventAcquired: {to: ContainerAcquired},
	},
	ContainerReserved: {
		EventStart:    {to: ContainerAllocated},
		EventKill:     {to: ContainerKilled},
		EventReleased: {to: ContainerReleased},
	},
	ContainerAllocated: {
		EventAcquired: {to: ContainerAcquired},
		EventExpire:   {to: ContainerExpired, ends: true},
		EventKill:     {to: ContainerKilled, ends: true},
	},
	ContainerAcquired: {
		EventLaunched: {to: ContainerRunning},
		EventFinished: {to: ContainerCompleted, ends: true},
		EventReleased: {to: ContainerReleased, ends: true},
		EventKill:     {to: ContainerKilled, ends: true},
		EventExpire:   {to: ContainerExpired, ends: true},
	},
	ContainerRunning: {
		EventLaunched: {to: ContainerRunning},
		EventFinished: {to: ContainerCompleted, ends: true},
		EventReleased: {to: ContainerReleased, ends: true},
		EventKill:     {to: ContainerKilled, ends: true},
	},
}

// acquire gives the memory of what it asked for to others: it is not asked for again.
func (c *Container) acquire() {
	if cap(c.Asks) > 0 {
		c.App.places.asks = append(c.App.places.asks, c.Asks[:0])
	}
	c.Asks = nil
}
