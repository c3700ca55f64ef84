// Package mastertest plays the engine to one application under test: a [Host] is a [master.Host] whose cluster does what the
// test says, and nothing else.
//
// Time passes by [Host.Run]. Events of one millisecond come in the engine's order: by class; within a class what the cluster
// says before what the application scheduled; then by kind, number and order of scheduling. What a master asks is kept in
// [Host.Log], a line each, so that a test compares whole stories. A call that the seam does not allow fails the test.
package mastertest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"replay/engine/master"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/policy/resource"
	"replay/trace"
)

var _ master.Host = (*Host)(nil)

// Host is the cluster around one attempt of an application. Its nodes are there and empty of others' containers; the
// ResourceManager grants what the test grants. The fields may be changed at any time.
type Host struct {
	Master master.Master
	Plan   *master.Plan

	Number  int // of the attempt; 0 = the first
	Seed    uint64
	Largest resource.Resource // container that may be asked for
	Refusal error             // of heartbeats
	Rooms   map[int64][]int32 // by container: what [Host.Room] answers

	Log      []string          // what the master asked that is not the same each time: "TIME CALL"
	Beats    []int64           // times of its heartbeats
	Tasks    []record.Task     // in order of their end
	Cores    int32             // busy
	Until    int64             // work is known to go on
	Outcome  *string           // reason with which it unregistered, "" for success; nil before
	Headroom resource.Resource // in the next response
	KillMS   int64             // from the end of a container in the ResourceManager to that of its process

	tb         testing.TB
	kind       master.Kind
	events     []master.Event
	job        *trace.Job
	rec        record.Job
	cluster    master.Cluster
	down, lost []bool // by node
	now        int64
	reached    event // up to which everything has been executed
	queue      []event
	seq        int
	containers []*container // by number; 1 is the application master's
	granted    []*protocol.Container
	completed  []protocol.Status
	counted    int  // heartbeats, by the master
	gone       bool // has left the cluster
}

type container struct {
	rec   record.Container
	state state
	ended bool // for the ResourceManager
}

type state uint8

const (
	granted state = iota
	acquired
	starting
	running
	exited
)

// New returns the host of an attempt of a job. Node i has the name "h<i>" and lies in rack racks[i], "/r<rack>".
func New(tb testing.TB, kind master.Kind, job *trace.Job, racks ...int32) *Host {
	h := &Host{tb: tb, kind: kind, events: kind.Events(), job: job, Largest: resource.R(1<<20, 1<<10), Rooms: map[int64][]int32{}}
	h.cluster.Names = protocol.NewNames()
	for i, r := range racks {
		h.cluster.Add(fmt.Sprintf("h%d", i), fmt.Sprintf("/r%d", r), r)
	}
	h.down, h.lost = make([]bool, len(racks)), make([]bool, len(racks))
	h.containers = []*container{nil, {state: running, rec: record.Container{Job: job.ID, Number: 1, AM: true}}}
	h.rec = record.Job{ID: job.ID, Name: job.Name, Kind: job.Kind, Queue: "root.default", Submit: job.SubmitMS, Stages: int64(len(job.Stages)), Tasks: job.NumTasks(),
		FirstAsked: record.None, FirstAllocated: record.None, FirstRegistered: record.None, FirstTask: record.None, Finish: record.None}
	return h
}

// Register plans the job, whose application master's container runs, and registers the master at the host's time.
func (h *Host) Register() {
	h.tb.Helper()
	var err error
	if h.Plan, err = h.kind.Plan(h.job); err != nil {
		h.tb.Fatalf("job %d: %v", h.job.ID, err)
	}
	h.rec.AMRegistered = h.now
	h.Master = h.Plan.New(h, h.job)
	if err := h.Master.Register(); err != nil {
		h.Master.Fail(err.Error())
	}
}

// Grant allocates a container of a priority on a node, type NODE_LOCAL. The master gets it with its next heartbeat; until then it may be changed.
func (h *Host) Grant(node, priority int32, size resource.Resource) *protocol.Container {
	n := int64(len(h.containers))
	c := &protocol.Container{ID: protocol.ContainerID{App: 1, N: n}, Node: protocol.NodeID(node), Host: h.cluster.Host[node], Size: size, Priority: priority}
	h.containers = append(h.containers, &container{rec: newContainer(h.job.ID, n, node, h.now)})
	h.granted = append(h.granted, c)
	if h.rec.FirstAllocated == record.None {
		h.rec.FirstAllocated = h.now
	}
	h.rec.Containers++
	if h.Master != nil && !h.gone {
		h.Master.News()
	}
	return c
}

func newContainer(job, n int64, node int32, now int64) record.Container {
	return record.Container{Job: job, Number: n, Node: node, Allocated: now,
		Acquired: record.None, Started: record.None, Registered: record.None, Ended: record.None}
}

// Complete ends a container in the ResourceManager, as preemption does: the master is told with its next heartbeat.
func (h *Host) Complete(c int64, exit int32) {
	h.complete(c, exit)
	h.end(c, h.now+h.KillMS)
}

// Crash ends the process of a container now, with this exit status.
func (h *Host) Crash(c int64, exit int32) { h.exit(c, exit) }

// CrashMaster ends the process of the application master now. The ResourceManager takes the attempt out with [master.Master.Stop], which
// is left to the test.
func (h *Host) CrashMaster() {
	h.containers[1].state = exited
	h.Master.AMExited()
}

// FailNode ends all processes on a node, without the ResourceManager knowing.
func (h *Host) FailNode(node int32) {
	h.down[node] = true
	h.Master.NodeDown(node)
	for n := range h.containers {
		if c := h.containers[n]; c != nil && c.rec.Node == node && c.state == running && !c.rec.AM {
			c.state = exited
			h.Master.Exited(int64(n))
		}
	}
}

// LoseNode is the ResourceManager's word that a node is lost: its containers end with -100.
func (h *Host) LoseNode(node int32) {
	h.lost[node] = true
	for n, c := range h.containers {
		if c != nil && c.rec.Node == node && !c.rec.AM {
			h.complete(int64(n), protocol.ExitAborted)
		}
	}
	left := 0
	for i := range h.lost {
		if !h.lost[i] {
			left++
		}
	}
	h.Master.NodesChanged(left)
}

// Run executes what is due up to a time, that included.
func (h *Host) Run(until int64) {
	for len(h.queue) > 0 && h.queue[0].at <= until {
		e := h.queue[0]
		h.queue = h.queue[1:]
		h.reach(e)
		h.execute(&e)
	}
	h.reach(event{at: until, class: master.Timer + 1})
}

// reach goes on to the place of an event.
func (h *Host) reach(e event) {
	if e.compare(h.reached) > 0 {
		h.now, h.reached = e.at, e
	}
}

// Counted returns how many heartbeats the master has counted.
func (h *Host) Counted() int { return h.counted }

// event is scheduled for one of the master's kinds, from 0, or one of the host's own, below.
type event struct {
	at          int64
	class       master.Class
	kind        int
	number, arg int64
	seq         int
}

// The host's own kinds.
const (
	evStarted = iota - 2
	evExit
)

func (e event) compare(o event) int {
	return cmp.Or(cmp.Compare(e.at, o.at), cmp.Compare(e.class, o.class), cmp.Compare(e.kind, o.kind), cmp.Compare(e.number, o.number), cmp.Compare(e.seq, o.seq))
}

func (h *Host) push(e event) {
	if e.at < h.now {
		h.tb.Errorf("at %d ms an event is scheduled for %d ms: %+v", h.now, e.at, e)
	}
	h.seq++
	e.seq = h.seq
	i, _ := slices.BinarySearchFunc(h.queue, e, event.compare)
	h.queue = slices.Insert(h.queue, i, e)
}

func (h *Host) execute(e *event) {
	switch e.kind {
	case evStarted:
		h.started(e.arg)
	case evExit:
		if e.arg == 1 {
			h.masterExited()
		} else if h.containers[e.arg].state == running {
			h.exit(e.arg, h.Master.ExitStatus(e.arg))
		}
	default:
		h.Master.Handle(master.EventKind(e.kind), e.arg)
	}
}

func (h *Host) started(n int64) {
	c := h.containers[n]
	if h.down[c.rec.Node] || c.state != starting {
		c.state = exited
		h.Master.StartFailed(n)
		return
	}
	c.state = running
	c.rec.Started = h.now
	if !h.gone {
		h.Master.Started(n)
	}
}

// exit is the end of a process by itself or by a signal: its node reports it at once.
func (h *Host) exit(n int64, status int32) {
	c := h.containers[n]
	if c.state != running {
		h.tb.Errorf("at %d ms the process of container %d ends, which does not run", h.now, n)
	}
	c.state = exited
	if !h.gone {
		h.Master.Exited(n)
	}
	h.complete(n, status)
}

func (h *Host) end(n, at int64) {
	h.push(event{at: at, class: master.Message, kind: evExit, number: n, arg: n})
}

func (h *Host) complete(n int64, exit int32) {
	c := h.containers[n]
	if c.ended {
		return
	}
	c.ended = true
	c.rec.Ended, c.rec.Exit = h.now, exit
	h.completed = append(h.completed, protocol.Status{ID: protocol.ContainerID{App: 1, N: n}, Exit: exit})
	if h.gone {
		return
	}
	if m, ok := h.Master.(master.Knower); !ok || !m.Knows(n) {
		h.Master.News()
	}
}

// masterExited is the end of a master that has unregistered: the attempt leaves the cluster.
func (h *Host) masterExited() {
	if h.containers[1].state != running {
		return
	}
	h.containers[1].state = exited
	h.Master.AMExited()
	h.gone = true
	h.Master.Stop()
}
