// Package fifo is YARN's FifoScheduler: one queue, applications by number, each served as far as the node goes.
// There are no limits, reservations or locality delays, and only memory counts.
package fifo

import (
	"fmt"
	"math"
	"slices"

	"replay/engine/protocol"
	"replay/engine/reuse"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

// Queue is the name of the only queue.
const Queue = "root.default"

// Literally is part of [yarn.Literal].
func (s *Scheduler) Literally() { s.literally = true }

// TakesLocalities is part of [yarn.LocalityTaker]. Where names of nodes have a port, what is asked for at the host of its address is looked at, too, by its name.
func (s *Scheduler) TakesLocalities() bool { return !s.literally && !s.site.PortInNodeName }

// Place returns the only queue there is.
func (*Scheduler) Place(_, _ string) (string, error) { return Queue, nil }

// Scheduler is YARN's FifoScheduler.
//
// Source: org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler.
type Scheduler struct {
	site      *conf.Site
	nodes     *yarn.Cluster
	observe   yarn.Observer
	timestamp int64 // of the ResourceManager's start, part of every id
	now       int64
	calc      resource.DefaultCalculator

	apps      []*app            // by number
	used      resource.Resource // what headroom is made from: less than is allocated once a container was given back twice
	allocated resource.Resource // what runs, as the metrics of the root queue show it
	asks      []protocol.Ask    // scratch, as the following
	scratch   []*yarn.Table
	event     yarn.Event

	sets     yarn.NodeSets
	asking   asking
	told     resource.Resource // headroom as of the last look at the applications
	looks    int64             // how many there were
	newcomer bool              // an attempt was made since
	least    int64             // MiB; no application asks for a container of less
	wasted   int               // heartbeats at which nothing was allocated, on nodes without room for the least

	literally bool // asks are kept as they are told
}

// app is an application and its attempt.
type app struct {
	spec     yarn.AppSpec
	attempt  *yarn.Attempt // nil while there is none
	attempts int32         // ever added
	looks    int64         // of the scheduler before the attempt was made
	pending  resource.Resource
	least    int64 // MiB of the smallest container that it asks for, the largest number for none; as pending, of the last time that asks were settled
	stale    bool
}

var (
	_ yarn.Scheduler     = (*Scheduler)(nil)
	_ yarn.Submitter     = (*Scheduler)(nil)
	_ yarn.Literal       = (*Scheduler)(nil)
	_ yarn.LocalityTaker = (*Scheduler)(nil)
)

// New returns a scheduler without nodes. Timestamp is the ResourceManager's start in ms, which is also the first time
// on the clock. The error names a minimum allocation that YARN does not start with.
func New(site *conf.Site, names *protocol.Names, timestamp int64, observe yarn.Observer) (*Scheduler, error) {
	least, most := site.MinAllocation[resource.Memory], site.MaxAllocation[resource.Memory]
	if least <= 0 || least > most {
		return nil, fmt.Errorf("yarn.scheduler.minimum-allocation-mb is %d, want more than 0 and at most the maximum, %d", least, most)
	}
	s := &Scheduler{
		site: site, nodes: yarn.NewCluster(names, site.PortInNodeName), observe: observe, timestamp: timestamp, now: timestamp,
	}
	s.sets = s.newSets()
	return s, nil
}

// Cluster returns the registered nodes, to be read only.
func (s *Scheduler) Cluster() *yarn.Cluster { return s.nodes }

// SetClock is described at [yarn.Scheduler].
func (s *Scheduler) SetClock(now int64) { s.now = now }

// AddNode registers nodes.
func (s *Scheduler) AddNode(specs ...yarn.NodeSpec) {
	for _, n := range specs {
		s.nodes.Add(n)
	}
}

// RemoveNode ends what runs on the node. A container that ended before without the node's having said so is given back
// for a second time, as by FifoScheduler.removeNode: headroom is too large by its size from then on.
func (s *Scheduler) RemoveNode(id protocol.NodeID) {
	n := s.nodes.Node(id)
	if n == nil {
		return
	}
	for _, c := range slices.Collect(n.Containers) {
		s.end(c, protocol.ExitAborted, yarn.EventKill)
	}
	s.nodes.Remove(id)
}

// SetNodeTotal changes a node's capability.
func (s *Scheduler) SetNodeTotal(id protocol.NodeID, total resource.Resource) {
	s.nodes.SetTotal(id, total)
}

// Submission rounds the size of the master container.
func (s *Scheduler) Submission(spec yarn.AppSpec) yarn.AppSpec {
	spec.AMSize = s.calc.Normalize(spec.AMSize, s.site.MinAllocation, s.MaxAllocation(""), s.site.MinAllocation)
	return spec
}

// AddApp admits every application, whatever queue it names.
func (s *Scheduler) AddApp(spec yarn.AppSpec) error {
	i, found := search(s.apps, spec.ID)
	if found {
		panic(fmt.Sprintf("fifo: application %d was submitted twice", spec.ID))
	}
	s.apps = reuse.Insert(s.apps, i, &app{spec: spec, least: math.MaxInt64})
	return nil
}

// AddAttempt makes the application's attempt.
func (s *Scheduler) AddAttempt(id protocol.AppID) {
	if a := s.app(id); a != nil {
		s.newcomer = true
		a.attempts++
		a.looks = s.looks
		a.attempt = yarn.NewAttempt(a.spec, a.attempts, s.timestamp, s.now, s.nodes.Places)
	}
}

// RemoveApp ends what the application runs and forgets it.
func (s *Scheduler) RemoveApp(id protocol.AppID) {
	i, found := search(s.apps, id)
	if !found {
		return
	}
	s.RemoveAttempt(id)
	s.apps = slices.Delete(s.apps, i, i+1)
}

// RemoveAttempt is described at [yarn.Scheduler].
func (s *Scheduler) RemoveAttempt(id protocol.AppID) {
	app := s.app(id)
	if app == nil {
		return
	}
	if a := app.attempt; a != nil {
		for _, c := range slices.Collect(a.AllLive) {
			s.end(c, protocol.ExitAborted, yarn.EventKill)
		}
		a.Stopped = true
		a.Stop()
	}
	app.attempt = nil
	s.asking.changed(app)
}

// Allocate stores asks and hands over what was allocated. Requests for another size are checked and then ignored.
func (s *Scheduler) Allocate(id protocol.AppID, in *protocol.AllocateRequest, out *protocol.AllocateResponse) error {
	out.Reset()
	out.Nodes = s.nodes.Len()
	app := s.app(id)
	if app == nil || app.attempt == nil {
		return nil
	}
	a := app.attempt
	most := s.MaxAllocation("")
	if len(in.Updates) > 0 {
		_, out.UpdateErrors = yarn.CheckUpdates(in.Updates, s.container, most, out.UpdateErrors)
	}
	s.asks = append(s.asks[:0], in.Asks...)
	for i := range s.asks {
		ask := &s.asks[i]
		ask.Size = s.calc.Normalize(ask.Size, s.site.MinAllocation, most, s.site.MinAllocation)
	}
	for _, c := range in.Releases {
		s.end(s.container(c), protocol.ExitAborted, yarn.EventReleased)
	}
	a.Update(s.asks, false, in.Localities...)
	s.asking.changed(app)
	a.Blacklist(in.BlacklistAdd, in.BlacklistRemove)
	if out.Headroom = s.told; app.looks == s.looks { // nothing until the next heartbeat
		out.Headroom = resource.Resource{}
	}
	for _, c := range a.Pull() {
		out.Allocated = append(out.Allocated, c.Protocol())
	}
	return nil
}

// PullAM makes the first container that was allocated the master container.
func (s *Scheduler) PullAM(id protocol.AppID) (protocol.Container, bool) {
	app := s.app(id)
	if app == nil || app.attempt == nil {
		return protocol.Container{}, false
	}
	got := app.attempt.Pull()
	if len(got) == 0 {
		return protocol.Container{}, false
	}
	got[0].AM = true
	app.attempt.WaitingForAM = false
	return got[0].Protocol(), true
}

// NodeUpdate is a heartbeat of the node: it may fill the whole node.
func (s *Scheduler) NodeUpdate(id protocol.NodeID, launched []protocol.ContainerID, completed []protocol.Status) {
	n := s.nodes.Node(id)
	if n == nil {
		return
	}
	s.Launched(id, launched)
	for _, c := range completed {
		s.end(s.container(c.ID), c.Exit, yarn.EventFinished)
		n.Release(c.ID, yarn.ContainerHash(s.timestamp, c.ID), true)
	}
	if s.site.WorkPreservingRecovery && s.now-s.timestamp <= s.site.SchedulingWait {
		return
	}
	if s.hasRoom(n) {
		s.assign(n)
	}
}

// Launched is part of [yarn.Elider].
func (s *Scheduler) Launched(id protocol.NodeID, launched []protocol.ContainerID) {
	n := s.nodes.Node(id)
	for _, l := range launched {
		if a := s.attempt(l.App); a != nil {
			c := a.Live(l)
			if c != nil {
				c.Handle(yarn.EventLaunched)
			}
			n.Launched(l, a.ContainerHash(l), c)
		}
	}
}

// Expire ends a container that was never started.
func (s *Scheduler) Expire(id protocol.ContainerID) {
	s.end(s.container(id), protocol.ExitAborted, yarn.EventExpire)
}

// Update does nothing: there are no shares.
func (s *Scheduler) Update() {}

// NodeName is that of the cluster.
func (s *Scheduler) NodeName(id protocol.NodeID) (protocol.Name, bool) { return s.nodes.NodeName(id) }

// MaxAllocation is the same for all queues.
func (s *Scheduler) MaxAllocation(string) resource.Resource {
	return s.nodes.MaxAllocation(s.site.MaxAllocation, s.now-s.timestamp > s.site.SchedulingWait)
}

// Queues yields root and the only queue.
func (s *Scheduler) Queues(yield func(*yarn.QueueState)) {
	s.settle()
	q := yarn.QueueState{
		Path: "root", Weight: 1, Used: s.allocated, Demand: s.allocated.Add(s.asking.pending), MaxShare: s.nodes.Capacity, Runnable: len(s.apps),
	}
	yield(&q)
	q.Path, q.Leaf = Queue, true
	yield(&q)
}

// search returns where an application is, or belongs, among those by number.
func search(apps []*app, id protocol.AppID) (int, bool) {
	return slices.BinarySearchFunc(apps, id, func(a *app, id protocol.AppID) int { return int(a.spec.ID - id) })
}

func (s *Scheduler) app(id protocol.AppID) *app {
	if i, found := search(s.apps, id); found {
		return s.apps[i]
	}
	return nil
}

func (s *Scheduler) attempt(id protocol.AppID) *yarn.Attempt {
	if a := s.app(id); a != nil {
		return a.attempt
	}
	return nil
}

// Bar is part of [yarn.Barrer].
func (s *Scheduler) Bar(id protocol.AppID, bars []yarn.Bar) bool {
	a := s.app(id)
	if a == nil || a.attempt == nil || !a.attempt.Bar(bars) {
		return false
	}
	a.spec.Bars = bars
	return true
}

// container returns a live container, nil when there is none of that number.
func (s *Scheduler) container(id protocol.ContainerID) *yarn.Container {
	if a := s.attempt(id.App); a != nil {
		return a.Live(id)
	}
	return nil
}
