package yarn

import (
	"replay/engine/fetch"
	"replay/engine/protocol"
	"replay/policy/resource"
)

// An Elider is a [Scheduler] that knows which node heartbeats and updates can change something. The fast loop has those
// executed and credits the others, so that every decision is the same as if all had been executed. A scheduler that is
// no Elider has all of them executed as long as there is an application.
//
// Heartbeats are numbered within an epoch: number h is that of node ranks[h mod len(ranks)]. Of a node that sends none they stand for nothing: they are
// neither executed nor count as an offer.
type Elider interface {
	// Epoch begins an epoch, in which no node sends heartbeats yet; everything before it has been settled.
	Epoch(ranks []protocol.NodeID)
	// Beats says that the node at a place of the epoch, which is registered, sends heartbeats from now on, or that it sends none any more.
	Beats(rank int, on bool)
	// NextHeartbeat returns the first heartbeat from h on, and before far, that could do more than count: far when there is none, or limit, which is not behind
	// far, when there is none before that and it was not looked for any further. The answer may be too early, never too late. Nothing is asked of the scheduler in between.
	NextHeartbeat(h, limit, far int64) int64
	// Still reports whether the last answer of NextHeartbeat holds, however many of the heartbeats before it have passed. It may say no at any time.
	Still() bool
	// CreditHeartbeats accounts for the heartbeats from h to before end, which are not executed.
	CreditHeartbeats(h, end int64)
	// Launched tells of containers that a node has reported as running with a heartbeat that was left out.
	Launched(protocol.NodeID, []protocol.ContainerID)
	// UpdateDue reports whether an update now could change something, CreditUpdate accounts for one at a time that could not.
	UpdateDue() bool
	CreditUpdate(at int64)
	// Settle brings everything that was credited up to date. It comes before any other call.
	Settle()
}

// An Ender is an [Elider] that has heartbeats left out, too, at which a node reports nothing but the ends of containers: they give their room back, and nobody but who wants
// that takes notice.
type Ender interface {
	// Ending says that a node will report with its next heartbeat that a container of a size has ended, which the scheduler has ended before and the node still holds. It
	// reports whether that heartbeat may be left out: [Elider.NextHeartbeat] then sees the room that the node will have at it.
	Ending(protocol.NodeID, resource.Resource) bool
	// Finishing is Ending of a container that has ended by itself, so that the scheduler ends it at that heartbeat. The answer holds until nodes or the configuration change,
	// and while ends do not matter.
	Finishing(protocol.NodeID, protocol.ContainerID) bool
	// EndsMatter reports whether the end of a container may concern others than those who want its room, as of the last answer of [Elider.NextHeartbeat]. Meanwhile heartbeats
	// at which some finish are executed.
	EndsMatter() bool
	// Ended tells of ends that a node has reported with a heartbeat that was left out, of all that were to come.
	Ended(protocol.NodeID, []protocol.Status)
}

// A Bounder is a [Scheduler] that knows of an application, without the name of its queue, what [Scheduler.MaxAllocation] is there.
type Bounder interface {
	MaxOf(protocol.AppID) resource.Resource
}

// A Fetcher is a scheduler that can have fetched (package fetch) what it will look at soon. It changes nothing.
type Fetcher interface {
	// FetchEnd is about an application of which a container is about to end: step 0 is what the scheduler has of it, step 1 its attempt.
	FetchEnd(app protocol.AppID, step int)
	// FetchNode is about a heartbeat of a node, or the end of a container on it.
	FetchNode(protocol.NodeID)
	// FetchCompleted is about containers of an application whose ends their nodes are about to report: step 0 is their nodes and where they are found, step 1 the containers and
	// where they are found on the nodes.
	FetchCompleted(app protocol.AppID, list []Placed, step int)
}

// FetchCompleted is [Fetcher]'s for what a scheduler has of it here, which may have no attempt of that number.
func (c *Cluster) FetchCompleted(a *Attempt, list []Placed, step int) {
	for i := range list {
		p := &list[i]
		switch n := c.likely(p.Node); {
		case step == 0:
			fetch.Of(n)
			if a != nil {
				a.FetchPlace(p.Number)
			}
		default:
			if n != nil {
				n.FetchContainers()
			}
			if a != nil {
				a.FetchLive(p.Number)
			}
		}
	}
}

// Placed is a container by its number within the attempt of its application, on a node.
type Placed struct {
	Number int64
	Node   protocol.NodeID
}

// A Listener is a scheduler for which a heartbeat of an application master counts although it asks for nothing and is told nothing. Listen gives it
// whom to ask for such heartbeats that were left out; without, it takes it that none were.
type Listener interface{ Listen(Masters) }

// Masters are the application masters as a scheduler sees them.
type Masters interface {
	// Place is the place of what is being executed.
	Place() Place
	// Spoke is the place of the latest heartbeat of an application's master that was left out, up to the present. It is zero before the first.
	Spoke(protocol.AppID) Place
}

// A Place is one in the order of events.
type Place struct {
	AtMS  int64
	Order uint64 // within the millisecond
}

// Before reports whether a place is before another.
func (p Place) Before(o Place) bool { return p.AtMS < o.AtMS || p.AtMS == o.AtMS && p.Order < o.Order }
