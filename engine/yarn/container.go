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
	State    ContainerState
	Type     protocol.NodeType
	AM       bool  // the master container of its application
	placed   bool  // its node holds it
	launched bool  // its node holds it and has reported it as running
	Version  int32 // updates handed to the application master
	Node     *Node
	App      *Attempt
	Asks     []RememberAsk // what it took from the request table; nil once acquired or put back
	Size     resource.Resource
	Key      Key               // that it was allocated under
	Known    resource.Resource // size that the node is known to grant; differs from Size while an increase is under way
	Created  int64             // ms
	_        [16]byte          // three cache lines, of which its end reads two
}

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
	p.Priority, p.Request, p.Type, p.Version = c.Key.Priority, c.Key.Request, c.Type, c.Version
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
