package allocator

import (
	"errors"

	"replay/engine/protocol"
	"replay/policy/resource"
)

// An EventKind says what an [Event] tells the job.
type EventKind uint8

// The kinds of events.
const (
	// SizeFixed: a size holds for all attempts of a type.
	SizeFixed EventKind = iota
	// TooLarge: the attempt asks for more than any container may have. It is not asked for, and the job is to be killed.
	TooLarge
	// PreemptionKill: the preemption policy wants the attempt killed.
	PreemptionKill
	// NodesChanged: nodes have changed their state; the answer names them.
	NodesChanged
	// NodeKill: the attempt is to be killed because its node is unusable.
	NodeKill
	// ContainerKilled and ContainerCompleted: the container of the attempt has ended, in the first case by the framework.
	ContainerKilled
	ContainerCompleted
	// Assigned: the attempt has a container.
	Assigned
	// Unassigned: a container was given back, no attempt took it.
	Unassigned
	// RampDownKill: the reduce attempt is to be killed to make room for maps.
	RampDownKill
)

// A Locality is that of an assignment by the input of the map.
type Locality uint8

// The localities.
const (
	NoLocality Locality = iota // of a reduce
	NodeLocal
	RackLocal
	OffSwitch
)

// An Event is what happened, for the job to act on when the heartbeat is over.
type Event struct {
	Kind       EventKind
	Attempt    Attempt
	Container  protocol.Container // of Assigned and Unassigned
	Locality   Locality           // of Assigned
	Reschedule bool               // of NodeKill: the next attempt is asked for as if this one had failed
	Count      int                // of NodesChanged
	Size       resource.Resource  // of SizeFixed and TooLarge
}

// A Pass is what a heartbeat did about reduces.
type Pass struct {
	Ran       bool // something had changed, so it was thought over
	Preempted bool // maps had no room, so that reduces were taken back; nothing was scheduled
	Ramps     []Ramp
}

// A Ramp is a change of how many reduces are asked for: up, down, or all at once. N is how many should be, [All] for each that is there.
type Ramp struct {
	Kind RampKind
	N    int
}

// A RampKind is a direction.
type RampKind uint8

// The kinds.
const (
	Up RampKind = iota
	Down
	Everything
)

// All reduces, whatever their number.
const All = 1<<31 - 1

// ErrNull is a null pointer that the real class falls over, which ends its heartbeat where it is.
var ErrNull = errors.New("a container or attempt that is not known")

// Build writes what the next heartbeat sends. It stays to be sent until [Allocator.Received].
func (a *Allocator) Build(req *protocol.AllocateRequest) {
	a.limitRunning()
	a.asks.applyLimits()
	a.asks.build(req)
}

// limitRunning keeps the asked for anywhere within the limits of running tasks. Retried maps come first; stale ones among them count.
func (a *Allocator) limitRunning() {
	maps, reduces := a.job.Totals()
	s := &a.sched
	if limit := a.conf.RunningMaps; limit > 0 && s.maps.len() > 0 && maps > limit {
		free := max(0, limit-a.assigned.maps.len())
		failed := min(free, s.failed.len())
		others := min(free-failed, s.maps.len()-s.failed.len())
		a.asks.limit(FailedMap, a.mapSize, failed)
		a.asks.limit(Map, a.mapSize, others)
		a.asks.limit(OpportunisticMap, a.mapSize, others)
	}
	if limit := a.conf.RunningReduces; limit > 0 && s.reduces.len() > 0 && reduces > limit {
		a.asks.limit(Reduce, a.reduceSize, min(max(0, limit-a.assigned.reduces.len()), s.reduces.len()))
	}
}

// Registered says that the ResourceManager had forgotten the application, which has registered again: all is sent once more. The heartbeat
// goes on without an answer.
func (a *Allocator) Registered(now int64) ([]Event, Pass) {
	a.events = a.events[:0]
	a.asks.resync()
	a.reduces(now)
	return a.events, a.pass
}

// Received handles the answer to a heartbeat at time now. The events are valid until the next call. An error is [ErrNull]: the
// rest of the heartbeat is left out.
func (a *Allocator) Received(now int64, resp *protocol.AllocateResponse, preempt *PreemptionMessage) ([]Event, Pass, error) {
	a.events, a.pass = a.events[:0], Pass{}
	before := a.headroom
	a.headroom = resp.Headroom
	a.asks.sent(resp)
	if preempt != nil {
		if err := a.preempt(preempt); err != nil {
			return a.events, a.pass, err
		}
	}
	if len(resp.Allocated)+len(resp.Completed) > 0 || before != a.headroom {
		a.recalculate = true
	}
	a.asks.reconsider()
	a.updatedNodes(resp.UpdatedNodes)
	for _, s := range resp.Completed {
		if err := a.ended(s); err != nil {
			return a.events, a.pass, err
		}
	}
	if len(resp.Allocated) > 0 {
		a.assign(now, resp.Allocated)
	}
	a.reduces(now)
	return a.events, a.pass, nil
}

// updatedNodes has the attempts killed whose node can't be used: maps first, then reduces.
func (a *Allocator) updatedNodes(list []protocol.NodeUpdate) {
	if len(list) == 0 {
		return
	}
	a.tell(Event{Kind: NodesChanged, Count: len(list)})
	unusable := map[protocol.NodeID]bool{}
	for _, u := range list {
		if u.State.Unusable() {
			unusable[u.Node] = true
		}
	}
	for at, c := range a.assigned.maps.all {
		if unusable[c.Node] {
			a.tell(Event{Kind: NodeKill, Attempt: at, Reschedule: true})
		}
	}
	for at, c := range a.assigned.reduces.all {
		if unusable[c.Node] {
			a.tell(Event{Kind: NodeKill, Attempt: at})
		}
	}
}

func (a *Allocator) ended(s protocol.Status) error {
	at, ok := a.assigned.byContainer[s.ID]
	if !ok {
		return nil
	}
	delete(a.asks.releasing, s.ID)
	if !a.assigned.remove(at) {
		return ErrNull
	}
	kind := ContainerCompleted
	switch s.Exit {
	case protocol.ExitAborted, protocol.ExitPreempted, protocol.ExitKilledByScheduler:
		kind = ContainerKilled
	}
	a.tell(Event{Kind: kind, Attempt: at})
	a.policy.completed(at)
	return nil
}
