// Package master is the seam between the engine and the applications that it runs. A [Kind] makes of a job a [Master]:
// all that happens inside one application attempt, its application master included. The engine plays the cluster
// around it and calls it; what a master may ask of the engine is its [Host].
//
// A kind of application is one folder that has a Kind, and one line in the engine's table of kinds. It has no clock, no files
// and no random numbers but those of its Host, and it touches nothing of another application: what happens in two of
// them in the same millisecond may be executed in any order.
//
// Times are milliseconds since the trace's origin, sizes [resource.Resource]. Containers are numbered within their attempt,
// from 1, which is the Number of a [protocol.ContainerID]; nodes are positions in the trace.
package master

import (
	"math"
	"slices"

	"replay/engine/protocol"
	"replay/engine/random"
	"replay/engine/record"
	"replay/policy/resource"
	"replay/trace"
)

// A Kind of application, such as Spark.
type Kind interface {
	// Events are the kinds of events that its masters schedule; an [EventKind] is a position here.
	Events() []Event
	// Plan resolves the configuration of a job. The error, which says why the job can't run, refuses it.
	Plan(*trace.Job) (*Plan, error)
}

// A Remarker is a kind that has something to say of all jobs at the end of a replay.
type Remarker interface {
	Remarks() []record.Warning
}

// A Modeller is a kind that says in words what of its jobs was drawn at random, at the end of a replay.
type Modeller interface {
	Models() []string
}

// A Literal is a kind whose masters leave out what is periodic and has no effect, or execute all of it.
type Literal interface {
	// SetDense says which. It holds for what a master schedules from then on.
	SetDense(on bool)
}

// An Expecter is the master of such a kind. Expect schedules what is periodic as if it had been SetDense's way since its last event.
type Expecter interface{ Expect() }

// A Plan is what the engine must know of an application before it is submitted. It serves all its attempts.
type Plan struct {
	AMSize    resource.Resource
	AMStartMS int64 // from the NodeManager's start of the master's container to its registration
	// LaterAMStartsMS are those of the second attempt and further ones, the last for all after it; nil = as the first.
	LaterAMStartsMS []int64
	Priority        int32 // for the CapacityScheduler; higher is more urgent
	MaxAttempts     int   // as the application asks for them; 0 or less = as many as the ResourceManager allows
	// FailuresValidityMS is for how long one that has failed counts among them; 0 or less = for ever.
	FailuresValidityMS int64
	Warnings           []record.Warning
	// ExecutorMiB is the memory that the client compares with the largest container of the cluster before it submits the application; 0 = it compares nothing.
	ExecutorMiB int64

	// WatchesNodes: what nodes the cluster has concerns the application, also of those on which it never had a container; its masters are told by [Master.NodesChanged].
	WatchesNodes bool

	// Recorded applications take no part in the cluster: the master registers at once, nothing is asked of a ResourceManager, and
	// their containers come by [Host.Bring].
	Recorded bool
	Maker
}

// A Maker makes the master of an attempt.
type Maker interface {
	New(Host, *trace.Job) Master
}

// AMStart returns from the NodeManager's start of the master's container to its registration, for an attempt from 1.
func (p *Plan) AMStart(attempt int) int64 {
	if later := p.LaterAMStartsMS; attempt > 1 && len(later) > 0 {
		return later[min(attempt-2, len(later)-1)]
	}
	return p.AMStartMS
}

// A Master is one attempt of an application. The engine calls it in the order of events; a call may ask anything of the Host.
type Master interface {
	// Register is the registration of the application master with the ResourceManager. An error is the reason why the
	// application ends; the engine then has it ended by [Master.Fail].
	Register() error
	// Handle executes an event that was scheduled with [Host.At].
	Handle(k EventKind, arg int64)

	// Started is a NodeManager's acceptance of container c, StartFailed a start call that none answered.
	Started(c int64)
	StartFailed(c int64)
	// Exited is the end of the process of container c, whether by itself, by a signal or with its node.
	Exited(c int64)
	// ExitStatus is what the process of container c returns when it ends by itself or by a signal.
	ExitStatus(c int64) int32
	// AMExited is the end of the application master's own process.
	AMExited()
	// News says that the ResourceManager has something to tell with the next heartbeat: a container that was allocated or has ended.
	// NodesChanged says how many nodes are in the cluster from now on, if the plan of the application asks for that.
	News()
	NodesChanged(n int)
	// NodeDown says that all processes on a node are gone, and what the node served with them. It may be left out if the application never had a container there.
	NodeDown(node int32)

	// Fail ends the application with a reason.
	Fail(reason string)
	// Stop says that the attempt has left the cluster. Work that still runs ends as killed.
	Stop()
	// Finish says that the replay ends here. Work that still runs is written as running.
	Finish()

	// Stopping reports whether the application is about to end by itself: containers that go then go with it.
	Stopping() bool
	// Waits says in words what the application waits for, given why the cluster has no room for a container of a size.
	Waits(why func(resource.Resource) string) string
}

// A Talker is a master that hears of others, and tells others, when its application master speaks to the ResourceManager, and at no
// other time; but for the start and the end of its processes.
type Talker interface {
	// Talks returns when it may speak next, now or later; 0 when that is not known.
	Talks() int64
}

// A Passer is a master that leaves heartbeats out. Pass brings [Books.HeartbeatsPass] up to the present.
type Passer interface{ Pass() }

// A Knower is a master that may know of the end of a container before the ResourceManager tells of it. Knows says so of one that has just ended there: it is told with the next heartbeat,
// which is not executed for that, see [Books.HeartbeatsHear].
type Knower interface{ Knows(c int64) bool }

// A Hearer is a master whose heartbeat may be executed ahead of its time if it does no more than hear of containers that have ended and give some back: it asks the
// ResourceManager for nothing, and reads nothing else of the answer but how many nodes there are. Nor does it ask for anything when a process ends.
type Hearer interface {
	// Hears says so of an event that is executed next, at a time, and which containers it gives back.
	Hears(k EventKind, at int64) (gives []protocol.ContainerID, ok bool)
}

// A Fetcher is a master that can have what its next event will look at fetched (package fetch). Step 0 is the first; each step may read what the one before it has fetched.
// It changes nothing.
type Fetcher interface{ Fetch(step int) }

// An EventFetcher is a Fetcher whose events of the kind of which there are many are each about another thing. FetchFor is about one of them that is about to be executed; it returns the container
// that this is about, as soon as it knows, or 0.
type EventFetcher interface {
	Fetcher
	FetchFor(number int64, step int) (container int64)
}

// A Preparer is a [Maker] that can have fetched (package fetch) what [Maker.New] and [Master.Register] of the master that it makes next will look at, in steps as a [Fetcher].
type Preparer interface{ Prepare(step int) }

// A Sparer is a kind that makes masters in the memory of those of which nothing is left. Spare gives it one: nothing calls it any more.
type Sparer interface{ Spare(Master) }

// A Preferrer is a master whose work wants to run on certain nodes. It is asked about each container that is
// allocated to it, for the locality of containers (docs/metrics.md).
type Preferrer interface {
	// Preferred returns the nodes that pending or running work prefers, ascending. The list is valid until the next event of the application, or stays as it is
	// as long as anything is left of that. Prefers reports whether a node is one of them.
	Preferred() (nodes []int32, stays bool)
	Prefers(node int32) bool
}

// Room is nodes that work prefers and that have room for a container. They are told apart from the others only when somebody asks.
type Room struct {
	Preferred []int32  // all that the work prefers, ascending
	Roomy     []uint64 // by node, a bit each: whether it has room
}

func (r *Room) roomy(node int32) bool { return r.Roomy[node>>6]&(1<<(node&63)) != 0 }

// Has reports whether a node is one of them.
func (r *Room) Has(node int32) bool {
	_, preferred := slices.BinarySearch(r.Preferred, node)
	return preferred && r.roomy(node)
}

// Any reports whether one of them passes a test.
func (r *Room) Any(test func(node int32) bool) bool {
	return slices.ContainsFunc(r.Preferred, func(node int32) bool { return r.roomy(node) && test(node) })
}

// An Outliver is a master of which a part runs outside of the cluster, and may go on when its application master is lost.
type Outliver interface {
	Master
	// GoesOn is called in place of [Master.Stop] of an attempt that another one will follow, and reports whether the master goes on; else it is to be stopped.
	GoesOn() bool
	// Heir returns the master of the attempt that follows, whose application master registers next. The events that are left of this attempt still come here.
	Heir(Host) Master
}

// A Retirer is a master that may have nothing left to do but to leave. It is asked while nothing that happens elsewhere reaches it up to its next event, which is of a kind. Retire returns
// another one that has its events and does in its place what is left, so that its own memory is free for others, or nil where there is more to do.
type Retirer interface {
	Retire(next EventKind) Master
}

// A Gated master does not begin with its application's own code when it has registered. Began returns when it did, [record.None] while it has not.
type Gated interface{ Began() int64 }

// Repeats is how many times the same work may begin before it is no longer believed to come to an end.
const Repeats = 100

// Never is a time that does not come.
const Never = math.MaxInt64

// An EventKind is a position in [Kind.Events].
type EventKind uint8

// A Class is the place of an event among all those of its millisecond; see engine/event.go.
type Class uint8

// The classes of a master's events, in their order.
const (
	Message   Class = iota // something that was on its way in the cluster
	Heartbeat              // the application master's
	Inbox                  // a message to the driver
	Timer                  // of the driver
)

// An Event is what the loop must know of a kind of event. Events of one class, millisecond and application are ordered by
// their position in [Kind.Events], then by number.
type Event struct {
	Name   string
	Class  Class
	Number string // what the number is; empty = always 0
	Work   bool   // something will have happened; else a timer, which alone is no progress
	// Private says that the event asks nothing of the ResourceManager and of other applications: it schedules events, starts and ends
	// processes, and writes what its application does. It may be executed ahead of its time.
	Private bool
	// Hints says of a private event that it may change which nodes work prefers, see [Preferrer].
	Hints bool
	// Many says that there may be many of the kind at a time, and that the arg of each is its number. A master has at most one such kind.
	Many bool
}

// A Host is the engine as one master sees it: its clock, the cluster around it, and the books that are kept of it.
type Host interface {
	Clock
	ResourceManager
	Nodes
	Books
}

// A Clock schedules a master's events.
type Clock interface {
	// Now is the time of the event that is being executed, Time where it is: that holds for the life of the master.
	Now() int64
	Time() *int64
	// At schedules an event at a time, now or later, about the thing with this number.
	At(at int64, k EventKind, number, arg int64)
	// Follows reports whether what At would schedule is executed next, and may be now: then it is, by the master itself, and the time is that. It is asked last of all
	// that an event does.
	Follows(at int64, k EventKind, number int64) bool
	// Span returns a span that begins behind what is being executed, in which the master executes events of the kind of which there are many by itself, behind each of them one of
	// another kind, and those of a timer, which it keeps meanwhile and sets again at the end; nil if there is none. It is asked last of all that an event does, and is there until EndSpan.
	Span(follows, timer EventKind) *Span
	EndSpan()
	// Set schedules the timer of a kind of which there is one at a time, in place of the time before; at [Never] it is off. Its number and
	// arg are 0. A kind that is work has none.
	Set(k EventKind, at int64)
	// Passed reports whether events of a kind, of this application, that are scheduled for now have been executed.
	Passed(k EventKind) bool
	// GoesOn notes that work is known to go on until a time: the replay is not stuck before it. Work that has begun [Repeats]
	// times without coming to an end is not such work.
	GoesOn(until int64)
	// Momentary is the random stream for a purpose; it begins again at each time.
	Momentary(purpose string) *random.Momentary
}

// A ResourceManager is what an application master asks of YARN.
type ResourceManager interface {
	// MaxAllocation is the largest container that the application may ask for.
	MaxAllocation() resource.Resource
	// Attempt is the number of this attempt of the application, from 1.
	Attempt() int
	// Allocate is a heartbeat of the application master. The error voids the call and ends the application.
	Allocate(*protocol.AllocateRequest, *protocol.AllocateResponse) error
	// Unregister ends the application: with a reason it has failed, without it has succeeded. The attempt leaves the cluster
	// when the process of its application master has ended; see [Nodes.EndAM].
	Unregister(reason string)
	// Withdraw ends the application at once, as its client does, where there is no application master that could. The reason is as for Unregister.
	Withdraw(reason string)
	// Fails notes why the process of the application master is about to end although it has not unregistered: the ResourceManager
	// begins the next attempt, if there is to be one.
	Fails(reason string)
}

// Nodes are the cluster's nodes and the containers on them.
type Nodes interface {
	// Cluster is what does not change in a replay.
	Cluster() *Cluster
	// Down reports whether the processes of a node are dead, InCluster whether the ResourceManager knows the node.
	Down(node int32) bool
	InCluster(node int32) bool

	// Start asks the node of container c to start its process; the node has accepted at time at.
	Start(c int64, at int64)
	// End schedules the end of the process of container c, EndAM that of the application master, and EndAll that of all others that run.
	End(c int64, at int64)
	EndAll(at int64)
	EndAM(at int64)
	// Running reports whether the process of container c runs.
	Running(c int64) bool

	// Bring makes a container of a recorded application that runs from now on, Return ends it, and Leave ends the application.
	Bring(node int32, memMiB int64, vcores int32) (c int64)
	Return(c int64)
	Leave()
}

// Books are what is written of an application.
type Books interface {
	// Job is the life of the application so far: the master keeps the counts of tasks and of matched containers in it.
	Job() *record.Job
	// Container is the record of container c, in which the master keeps what it knows, or nil. It is valid until it is written.
	Container(c int64) *record.Container
	// Room is the preferred nodes that had room for container c when it was allocated elsewhere; see [Preferrer]. It is asked
	// once: the answer is valid until another container is allocated.
	Room(c int64) Room
	// Busy books cores that begin (or, negative, end) to run a task.
	Busy(cores int32)
	// Heartbeat counts a heartbeat of the application master that is executed. HeartbeatsPass counts n that are left out, events of a kind of which the first was at a
	// time and each other a period later. HeartbeatNow says that one comes right behind what is being executed, although others of this time have passed.
	Heartbeat()
	HeartbeatsPass(k EventKind, first, period, n int64)
	HeartbeatNow()
	// HeartbeatsHear says that heartbeats that have passed have heard of the ends of so many containers, those that ended first of all that it has not heard of.
	HeartbeatsHear(n int)
	// Task writes a task attempt that has ended.
	Task(*record.Task)
	// Warn counts something that the user should know; Broken stops the replay because an invariant does not hold.
	Warn(code, format string, args ...any)
	Broken(format string, args ...any)
}

// Cluster is what masters know of the nodes of a trace: by node, its host and rack.
type Cluster struct {
	Names     *protocol.Names
	Host      []protocol.Name
	Rack      []protocol.Name
	RackIndex []int32

	// Localities tells that the ResourceManager takes asks by locality.
	Localities bool

	short      []uint16 // Host, as far as numbers are short
	node       []int32  // by name
	rackNumber []uint16 // by name of a host: number of its rack, plus 1, 0 for one that is no host or has a rack of a greater number
	racks      []protocol.Name
}

// Add adds a node.
func (c *Cluster) Add(host, rack string, rackIndex int32) {
	c.Host = append(c.Host, c.Names.Intern(host))
	c.Rack = append(c.Rack, c.Names.Intern(rack))
	c.RackIndex = append(c.RackIndex, rackIndex)
	last := len(c.Host) - 1
	if len(c.short) == last && c.Host[last] <= math.MaxUint16 {
		c.short = append(c.short, uint16(c.Host[last]))
	}
	for len(c.node) < c.Names.Len() {
		c.node, c.rackNumber = append(c.node, -1), append(c.rackNumber, 0)
	}
	if r := 1 + c.numberOf(c.Rack[last], rackIndex); r <= math.MaxUint16 {
		c.rackNumber[c.Host[last]] = uint16(r)
	}
	c.node[c.Host[last]] = int32(last)
}

// ShortHosts are the numbers of all hosts in half the memory, for those who look up many of them, all over it: nil where a number is too large for that.
func (c *Cluster) ShortHosts() []uint16 {
	if len(c.short) < len(c.Host) {
		return nil
	}
	return c.short
}

// numberOf returns the number of a rack among those of the nodes; they mostly have that of the trace.
func (c *Cluster) numberOf(rack protocol.Name, likely int32) int32 {
	if int(likely) < len(c.racks) && c.racks[likely] == rack {
		return likely
	}
	i := slices.Index(c.racks, rack)
	if i < 0 {
		i = len(c.racks)
		c.racks = append(c.racks, rack)
	}
	return int32(i)
}

// Apart reports whether no host is called like a rack, and nothing like "*".
func (c *Cluster) Apart() bool {
	hosts := make([]bool, c.Names.Len())
	for _, h := range c.Host {
		hosts[h] = true
	}
	return !hosts[protocol.Any] && !slices.ContainsFunc(c.Rack, func(r protocol.Name) bool { return hosts[r] || r == protocol.Any })
}

// NodeOf returns the node of a host, -1 for one that is not in the trace.
func (c *Cluster) NodeOf(host protocol.Name) int32 {
	if int(host) < len(c.node) {
		return c.node[host]
	}
	return -1
}

// RackNumbers is part of [protocol.Racks].
func (c *Cluster) RackNumbers() (of []uint16, racks []protocol.Name) { return c.rackNumber, c.racks }

// RackOf returns the rack of a host, YARN's default rack for one that is not in the trace.
func (c *Cluster) RackOf(host protocol.Name) protocol.Name {
	if int(host) < len(c.rackNumber) {
		if r := c.rackNumber[host]; r > 0 { // as nearly always, in one look
			return c.racks[r-1]
		}
	}
	if n := c.NodeOf(host); n >= 0 {
		return c.Rack[n]
	}
	return c.Names.Intern("/default-rack")
}
