// Package allocator is the container allocator of a MapReduce application master: what it asks the ResourceManager for, to which
// attempts it gives the containers that it gets, when reduces are asked for, and which of them make room for maps.
//
// It knows attempts by name only. The job tells it of attempts that want a container, fail or go, and of its own progress; the
// allocator answers each heartbeat of the ResourceManager with a list of events for the job. It holds no clock: times are given.
//
// Source: RMContainerAllocator, RMContainerRequestor and the AMPreemptionPolicy classes of Hadoop 3.4.1.
package allocator

import (
	"fmt"

	"replay/engine/protocol"
	"replay/policy/resource"
)

// Priorities of requests; a lower number is more urgent.
const (
	FailedMap        int32 = 5 // a map of which an attempt has failed
	Reduce           int32 = 10
	OpportunisticMap int32 = 19
	Map              int32 = 20
)

// An Attempt is an attempt of a task.
type Attempt struct {
	Reduce       bool
	Task, Number int32 // from 0
}

func (a Attempt) String() string {
	if a.Reduce {
		return fmt.Sprintf("r%d_%d", a.Task, a.Number)
	}
	return fmt.Sprintf("m%d_%d", a.Task, a.Number)
}

// Conf are the settings, with the key of each. Fractions are single precision as in Java.
type Conf struct {
	SlowStart                float32 // mapreduce.job.reduce.slowstart.completedmaps
	RampUpLimit              float32 // yarn.app.mapreduce.am.job.reduce.rampup.limit
	PreemptionLimit          float32 // yarn.app.mapreduce.am.job.reduce.preemption.limit
	UnconditionalPreemptS    int32   // mapreduce.job.reducer.unconditional-preempt.delay.sec; negative is off
	PreemptDelayS            int32   // mapreduce.job.reducer.preempt.delay.sec
	RunningMaps              int     // mapreduce.job.running.map.limit; 0 or less is no limit
	RunningReduces           int     // mapreduce.job.running.reduce.limit
	Blacklisting             bool    // yarn.app.mapreduce.am.job.node-blacklisting.enable
	FailuresPerNode          int     // mapreduce.job.maxtaskfailures.per.tracker
	IgnoreBlacklistPercent   int     // yarn.app.mapreduce.am.job.node-blacklisting.ignore-threshold-node-percent; -1 is never
	OpportunisticMapsPercent int     // mapreduce.job.num-opportunistic-maps-percent
	Preemption               Preemption
}

// Default is the configuration without any key set.
var Default = Conf{
	SlowStart: 0.05, RampUpLimit: 0.5, PreemptionLimit: 0.5, UnconditionalPreemptS: 300,
	Blacklisting: true, FailuresPerNode: 3, IgnoreBlacklistPercent: 33,
}

// A Job is what the allocator asks of its job.
type Job interface {
	// Totals are the tasks of the job.
	Totals() (maps, reduces int)
	// Completed are those that have succeeded, failed or been killed. Maps that run again are taken back.
	Completed() (maps, reduces int)
	// Progress of an attempt, from 0 to 1.
	Progress(Attempt) float32
}

// A Cluster is what the allocator knows of the cluster it registered with.
type Cluster struct {
	Names *protocol.Names
	protocol.Racks
	// Max is the largest container. CPU says that vcores count when sizes are compared, as the ResourceManager said at registration.
	Max resource.Resource
	CPU bool
}

// An Allocator is that of one application attempt.
type Allocator struct {
	conf Conf
	job  Job
	c    Cluster
	asks asks

	mapSize, reduceSize resource.Resource // as the first request of the type had it; zero before
	headroom            resource.Resource
	pending             []*request // reduces that are not asked for
	sched               scheduled
	assigned            assigned
	policy              policy
	reduceStarted       bool
	recalculate         bool
	lastCompleted       int
	totals              Totals
	events              []Event
	pass                Pass
}

// Totals are counts since registration.
type Totals struct{ Allocated, Released, HostLocal, RackLocal int }

// New returns the allocator of an application attempt that has just registered.
func New(conf Conf, c Cluster, job Job) *Allocator {
	a := &Allocator{conf: conf, c: c, job: job, policy: policy{kind: conf.Preemption}}
	a.asks = newAsks(&a.conf, c.Names)
	a.sched = scheduled{
		maps: newLinked[*request](), reduces: newLinked[*request](),
		byHost: map[protocol.Name]*fifo{}, byRack: map[protocol.Name]*fifo{},
	}
	a.assigned = assigned{
		maps: newLinked[*protocol.Container](), reduces: newLinked[*protocol.Container](), byContainer: map[protocol.ContainerID]Attempt{},
	}
	return a
}

// A request is an attempt's wish for a container.
type request struct {
	attempt      Attempt
	size         resource.Resource
	hosts, racks []protocol.Name
	priority     int32
	created      int64 // ms
}

// Request asks for a container for an attempt at time now. Hosts and racks are those of its input, each once. FailedBefore says that an
// attempt of the task has failed, or was killed to run again; then it comes without hosts and racks. The events say whether the size, if it is the
// first of its type, fixes that of all, and whether it is larger than the cluster allows.
func (a *Allocator) Request(now int64, at Attempt, size resource.Resource, hosts, racks []protocol.Name, failedBefore bool) []Event {
	a.events = a.events[:0]
	a.recalculate = true
	fixed := &a.mapSize
	if at.Reduce {
		fixed = &a.reduceSize
	}
	if fixed.IsNone() {
		*fixed = size
		a.tell(Event{Kind: SizeFixed, Attempt: at, Size: size})
	}
	if fixed[resource.Memory] > a.c.Max[resource.Memory] || fixed[resource.VCores] > a.c.Max[resource.VCores] {
		a.tell(Event{Kind: TooLarge, Attempt: at, Size: *fixed})
		return a.events
	}
	r := &request{attempt: at, size: *fixed, hosts: hosts, racks: racks, created: now}
	switch {
	case !at.Reduce:
		a.addMap(r, failedBefore)
	case failedBefore:
		r.priority = Reduce
		a.pending = append([]*request{r}, a.pending...)
	default:
		r.priority = Reduce
		a.pending = append(a.pending, r)
	}
	return a.events
}

// Deallocate takes back what an attempt waits for, or releases its container. A reduce that is still pending stays, as in Hadoop: it will
// be asked for, and given a container that nobody starts.
func (a *Allocator) Deallocate(at Attempt) {
	a.recalculate = true
	if r, ok := a.sched.of(at).remove(at); ok {
		a.asks.remove(r)
	} else if c, ok := a.assigned.of(at).get(at); ok {
		a.assigned.remove(at)
		a.totals.Released++
		a.asks.releaseContainer(c.ID)
	}
	a.policy.completed(at)
}

// Failed counts the failure of an attempt on a host.
func (a *Allocator) Failed(at Attempt, host protocol.Name) {
	a.recalculate = true
	a.asks.failedOn(host)
	a.policy.failed(at)
}

// tell gives the job an event.
func (a *Allocator) tell(e Event) { a.events = append(a.events, e) }

// Room says how many containers of a size fit into an amount: truncated toward zero, also where the amount is negative.
//
// Source: ResourceCalculatorUtils.computeAvailableContainers.
func (a *Allocator) room(amount, size resource.Resource) int {
	n := ratio(amount[resource.Memory], size[resource.Memory])
	if a.c.CPU {
		n = min(n, ratio(amount.CPU(), size.CPU()))
	}
	return n
}

func ratio(amount, size int64) int {
	if size == 0 {
		return 1<<31 - 1
	}
	return int(int32(amount / size))
}

// needed says how many containers of a size hold an amount.
//
// Source: ResourceCalculatorUtils.divideAndCeilContainers.
func (a *Allocator) needed(amount, size resource.Resource) int {
	n := ceil(amount[resource.Memory], size[resource.Memory])
	if a.c.CPU {
		n = max(n, ceil(amount.CPU(), size.CPU()))
	}
	return n
}

func ceil(amount, size int64) int {
	if size == 0 {
		return 0
	}
	return int(int32((amount + size - 1) / size))
}
