// Package yarn is the ResourceManager's side of the replay: what YARN's schedulers share. It has the request tables,
// attempts, containers, nodes and changes of size; the schedulers are in yarn/fair, yarn/capacity and yarn/fifo.
// yarn/conf reads YARN's configuration, yarn/rm plays applications and NodeManagers around a
// [Scheduler].
//
// A scheduler is driven call by call, in the order of the ResourceManager's scheduler dispatcher.
// It has no clock and no threads: [Scheduler.SetClock] says what time it is.
//
// Sizes are [resource.Resource], times milliseconds.
package yarn

import (
	"replay/engine/protocol"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

// NodeSpec is a node as it registers.
type NodeSpec struct {
	ID    protocol.NodeID
	Host  protocol.Name
	Rack  protocol.Name
	Port  int32 // of the NodeManager; enters YARN's hash order, and what requests call a node where that is asked for
	Total resource.Resource
}

// WithRoom returns a list by node that has a place for each of the nodes.
func WithRoom[T any](list []T, nodes []NodeSpec) []T {
	last := protocol.NodeID(-1)
	for i := range nodes {
		last = max(last, nodes[i].ID)
	}
	return upTo(list, last)
}

// Unranked returns places by node that are all 0, with one for each of the nodes, in the memory of a list that is not needed any more.
func Unranked(list []int32, nodes []protocol.NodeID) []int32 {
	clear(list)
	last := protocol.NodeID(-1)
	for _, id := range nodes {
		last = max(last, id)
	}
	return upTo(list, last)
}

// upTo returns a list by node that has a place for each up to the last.
func upTo[T any](list []T, last protocol.NodeID) []T {
	if more := int(last) + 1 - len(list); more > 0 {
		list = append(list, make([]T, more)...)
	}
	return list
}

// AppSpec is an application as submitted, its queue already decided by the placement rules.
type AppSpec struct {
	ID        protocol.AppID
	User      string
	Queue     string // full path
	AMSize    resource.Resource
	Unmanaged bool
	Priority  int32 // CapacityScheduler only; higher is more urgent
	// MaxAttempts is how many attempts it asks for, 0 or less for the ResourceManager's default. Schedulers don't look.
	MaxAttempts int
	// FailuresValidityMS is for how long an attempt that has failed counts among them, 0 or less for ever. Schedulers don't look.
	FailuresValidityMS int64
	// Bars keep containers from nodes, as the replay is told to; YARN has nothing of the kind.
	Bars []Bar
}

// A Bar keeps a container from a node, or with Others from all but that node: while the container is the next one of its attempt, the
// application takes nothing there.
type Bar struct {
	Container int64
	Node      protocol.NodeID
	Others    bool
}

// A Rejection is the refusal of an application, with YARN's own text.
type Rejection struct {
	App    protocol.AppID
	Text   string
	Parent string // the queue that was asked for, if it is there and no leaf
}

func (r *Rejection) Error() string { return r.Text }

// Scheduler is one of YARN's schedulers: pure decisions on its inputs.
//
// Source: org.apache.hadoop.yarn.server.resourcemanager.scheduler.YarnScheduler.
type Scheduler interface {
	// SetClock sets the scheduler's clock, in ms; it never goes back.
	SetClock(now int64)

	// AddNode registers nodes that come at one time.
	AddNode(...NodeSpec)
	RemoveNode(protocol.NodeID)
	SetNodeTotal(protocol.NodeID, resource.Resource)

	// Place returns the queue of an application that a user submits to a queue; [conf.DefaultQueue] and "" stand for none.
	// The error is the refusal of the placement rules.
	Place(user, queue string) (string, error)
	// AddApp admits an application or returns a *Rejection.
	AddApp(AppSpec) error
	// AddAttempt makes the next attempt of an application that has none. Containers of the attempts have different
	// numbers, see [protocol.NewContainerID].
	AddAttempt(protocol.AppID)
	// RemoveAttempt ends the attempt; live containers end with -100, reservations go. The application stays.
	RemoveAttempt(protocol.AppID)
	// RemoveApp removes the attempt and then the application; live containers end with -100.
	RemoveApp(protocol.AppID)

	// Allocate is an AM heartbeat: stores asks, releases containers, hands over what was allocated.
	// It never schedules. It fills Allocated, Preempt, Headroom, Nodes, Increased and Decreased;
	// completed containers go through the [Observer].
	Allocate(protocol.AppID, *protocol.AllocateRequest, *protocol.AllocateResponse) error
	// PullAM is the ResourceManager's own empty allocate after the AM container was allocated:
	// the first container returned becomes the master container. It reports false when there is none.
	PullAM(protocol.AppID) (protocol.Container, bool)

	// NodeUpdate is a node heartbeat: containers launched since the last one, containers that ended,
	// then scheduling on the node.
	NodeUpdate(n protocol.NodeID, launched []protocol.ContainerID, completed []protocol.Status)
	// Expire ends a container that was acquired and never started.
	Expire(protocol.ContainerID)
	// Update recomputes demand and fair shares (FairScheduler.update); others do nothing.
	Update()

	// MaxAllocation is the largest container that an application of the queue may ask for
	// (YarnScheduler.getMaximumResourceCapability).
	MaxAllocation(queue string) resource.Resource

	// NodeName is by which name requests call a node, see [Cluster.NodeName].
	NodeName(protocol.NodeID) (protocol.Name, bool)

	// Queues calls yield for every queue, parents first, children in the scheduler's order. The state is another one's at the next call.
	Queues(yield func(*QueueState))
}

// A Planner runs some applications in a queue below the one that they are submitted to.
type Planner interface {
	// RunsIn returns the queue of an application that is submitted to a queue, most often that queue.
	RunsIn(queue string) string
}

// A Submitter makes of a submission what the ResourceManager makes of it before the scheduler sees it: the size of the
// master container is rounded, a priority filled in and cut.
//
// Source: RMAppManager.createAndPopulateNewRMApp.
type Submitter interface {
	Submission(AppSpec) AppSpec
}

// A Cutter is a [Scheduler] that counts the masters of an application's attempts by the size that was asked for when each was made.
type Cutter interface {
	// CutMaster says that the masters of later attempts are of another size, see [Submitter].
	CutMaster(protocol.AppID, resource.Resource)
}

// A Resizer is a [Scheduler] that carries out changes of size. Requests come with Allocate, whose checks include
// those of the application master service.
type Resizer interface {
	// NodeResized is part of the node's next heartbeat: increases that it has carried out, handled
	// after the launched and before the completed containers.
	NodeResized(n protocol.NodeID, done []protocol.Container)
	// ExpireIncrease takes an increase back that the application master did not use in time.
	ExpireIncrease(protocol.ContainerID)
}

// A Decommissioner is a [Scheduler] that gives nothing to a node that is being decommissioned, whatever room it has.
type Decommissioner interface {
	// Decommissioning says that the graceful decommission of a node has begun or was taken back.
	Decommissioning(n protocol.NodeID, on bool)
}

// An Overcommitter is a [Scheduler] that ends containers for which their node has no room any more, which the FifoScheduler does not.
type Overcommitter interface {
	// Excess returns the containers of a node whose overcommit timeout has passed that are to end, see [Node.Excess]. EndExcess ends them, with -102. What one was asked
	// for with that nobody has been given is asked for again by the attempt that its application has then, even if the container has ended meanwhile with an earlier one.
	Excess(protocol.NodeID) []*Container
	EndExcess([]*Container)
	// OvercommittedUpdate is NodeUpdate, and returns the excess as of when what has ended was taken in and nothing was given away: a reservation that is larger than the
	// room which it fills is too much from the next heartbeat on.
	//
	// Source: AbstractYarnScheduler.nodeUpdate.
	OvercommittedUpdate(n protocol.NodeID, launched []protocol.ContainerID, completed []protocol.Status) (excess []*Container)
}

// An Unreserver is a [Scheduler] that takes a node anew when its total has changed, and keeps no reservation there. What it is told of a node is
// told of the labels of the node, too, whether or not there are any.
//
// Source: RMNodeLabelsManager.updateNodeResource, CapacityScheduler.updateLabelsOnNode.
type Unreserver interface {
	// Unreserve gives back what is reserved on a node, the total of which has changed.
	Unreserve(protocol.NodeID)
}

// A Barrer is a [Scheduler] that takes bars for an application that has been submitted, see [Attempt.Bar]. It reports false, too, when the application has no attempt.
type Barrer interface {
	Bar(protocol.AppID, []Bar) bool
}

// A Preempter is a [Scheduler] that preempts containers.
type Preempter interface {
	// Preempt is called after each Update: it chooses containers for the starved applications and sets
	// them aside until their time has come. It does nothing when preemption is off.
	Preempt()
	// NextKill returns when the next chosen containers are to be killed, in ms, and whether there are any.
	NextKill() (at int64, ok bool)
	// KillDue kills what is due.
	KillDue()
	Sparing
}

// A Monitored scheduler preempts containers at looks of a monitor, which come at fixed times.
type Monitored interface {
	// Monitoring is the time from one look to the next, ms, 0 where there are none.
	Monitoring() int64
	// Look is a look: it marks containers and kills those that have been marked for long enough.
	Look()
	Sparing
}

// Sparing knows when containers can be killed by preemption.
type Sparing interface {
	// Spares returns from when on, ms, a container of an application may be killed by preemption at the earliest.
	Spares(id protocol.AppID, now int64) int64
}

// A Reloader is a [Scheduler] whose allocation file may change while it runs.
type Reloader interface {
	// Reload puts the file into force. An *Exception is one that YARN's class throws with the new settings partly in effect.
	Reload(*conf.Allocations) error
	// Cleanup removes empty queues that submissions made; YARN does so every 10 s if it has an allocation file.
	Cleanup()
}

// A Continuous scheduler can be asked to offer all nodes between heartbeats.
type Continuous interface {
	// ContinuousPass is one pass over the nodes.
	ContinuousPass()
}

// A Passer is a [Continuous] scheduler that knows whether a pass could do something.
type Passer interface {
	// PassDue reports whether a pass now could change something. If not, none can until Changes has changed, which counts what passes depend on.
	// The answer may be true where nothing happens. An [Elider] has been asked for the next heartbeat since the latest change: behind this answer it says that
	// what it has found then holds.
	PassDue() bool
	Changes() int64
}

// A Forgetter is a [Scheduler] that may give to others what it keeps of the asks of an application: nothing is asked for, and nothing will be.
type Forgetter interface{ ForgetAsks(protocol.AppID) }

// A Literal scheduler can be told to sort at each visit and to compute everything at each update, as YARN's does, and to keep nothing of
// it: the definition of correct, which the dense engine runs.
type Literal interface{ Literally() }

// A Visited scheduler counts how many applications were offered a node or passed over at one.
type Visited interface{ Visits() int64 }

// An Exception is one that YARN's own class throws: its simple name and message.
type Exception struct{ Class, Text string }

func (e *Exception) Error() string {
	if e.Text == "" {
		return e.Class
	}
	return e.Class + ": " + e.Text
}

// QueueState is a queue as it stands. Shares are zero where the scheduler has none.
type QueueState struct {
	Path        string
	Leaf        bool
	Weight      float64
	Used        resource.Resource
	Demand      resource.Resource
	Fair        resource.Resource
	Steady      resource.Resource
	MaxShare    resource.Resource
	AMUsed      resource.Resource
	Reserved    resource.Resource
	Runnable    int
	NonRunnable int
}

// EventKind says what a scheduler did.
type EventKind uint8

// What a scheduler does, in the order in which it happens inside.
const (
	Allocated    EventKind = iota // a container was allocated
	Reserved                      // a container was reserved on a node
	Rereserved                    // the same again
	Unreserved                    // a reservation went (before Allocated when it was filled)
	Completed                     // a container ended in the ResourceManager
	Rejected                      // an application was refused
	Runnable                      // an application waiting for its queue's limit may run now
	NodeToldSize                  // a node was told the new size of a container
	Averted                       // the real class throws here; the replay goes on, see Event.Text
	Helper                        // a decrease took a container number for an empty container
)

// Event is one thing that a scheduler did.
type Event struct {
	Kind      EventKind
	Container protocol.Container
	App       protocol.AppID
	Exit      int32 // Completed
	// Launched tells, for Completed, that the node had reported the container as running: it keeps
	// its space on the node until the node reports its end, so the node must be told to clean up.
	Launched bool
	// Acquired tells, for Completed, that the application master had been given the container.
	Acquired bool
	// Update is the container resized by an Allocated or Reserved. Of a Completed, it is the number under which the master hears of the end where that is
	// not the container's own but that of a decrease of it. Else it is zero.
	Update   protocol.ContainerID
	Increase bool   // NodeToldSize
	Text     string // Averted: the class, what it throws and what was done instead
}

// Observer receives what a scheduler does, synchronously. It must not call back.
type Observer func(*Event)
