// Package capacity is YARN's CapacityScheduler: a tree of queues with guaranteed and largest shares, limits of users
// and of application masters, locality delays and reservations.
//
// It schedules at heartbeats of nodes (schedule-asynchronously is not modelled), without node labels,
// queues made on the fly and queue mappings. Package [conf] warns of these by key.
package capacity

import (
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/policy"
	"replay/policy/resource"
)

// Scheduler is YARN's CapacityScheduler.
//
// Source: org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler.
type Scheduler struct {
	site      *conf.Site
	cfg       *conf.Capacity
	nodes     *yarn.Cluster
	observe   yarn.Observer
	turns     func(protocol.AppID) // see [Scheduler.OnTurn]; nil where nobody asks
	masters   yarn.Masters         // nil unless heartbeats of theirs are left out
	timestamp int64                // of the ResourceManager's start, part of every id
	now       int64
	heard     int64 // heartbeats of nodes that were executed
	searches  int64 // at nodes that are not reserved
	event     yarn.Event

	calc        resource.Calculator
	types       int
	counted     int               // types that the calculator looks at
	least       resource.Resource // minimum allocation, also the step of all rounding
	literally   bool              // queues are sorted and visited at each search
	keepLooking bool              // a reservation does not keep an application from other nodes
	rackReset   bool              // a rack-local container starts the locality delay again
	delay       policy.CapacityDelay

	root     *queue
	queues   []*queue          // by number in the configuration
	byName   map[string]*queue // by path and by its last part, nil when several queues have that
	admitted map[protocol.AppID]*submission
	apps     []*app               // by number; nil when there is no attempt
	asks     []protocol.Ask       // scratch
	resized  []protocol.Container // reported by a node, to be handled in its heartbeat
	running  running
	elision  elision

	sized   int64    // changes of what follows from the size of the cluster
	marked  []*app   // attempts of which containers are marked, see [monitor]
	monitor *monitor // nil before it is needed

	observeProposals func(*Proposal)
	observeMonitor   func(what string, c protocol.Container)
}

var (
	_ yarn.Scheduler      = (*Scheduler)(nil)
	_ yarn.Submitter      = (*Scheduler)(nil)
	_ yarn.Cutter         = (*Scheduler)(nil)
	_ yarn.Resizer        = (*Scheduler)(nil)
	_ yarn.Decommissioner = (*Scheduler)(nil)
	_ yarn.Listener       = (*Scheduler)(nil)
	_ yarn.Barrer         = (*Scheduler)(nil)
	_ yarn.Overcommitter  = (*Scheduler)(nil)
	_ yarn.LocalityTaker  = (*Scheduler)(nil)
	_ yarn.Literal        = (*Scheduler)(nil)
	_ yarn.Monitored      = (*Scheduler)(nil)
)

// New returns a scheduler without nodes; it changes cfg when nodes come and go. Timestamp is the ResourceManager's
// start in ms, which is also the first time on the clock.
func New(site *conf.Site, cfg *conf.Capacity, names *protocol.Names, timestamp int64, observe yarn.Observer) *Scheduler {
	s := &Scheduler{
		site: site, cfg: cfg, nodes: yarn.NewCluster(names, site.PortInNodeName), observe: observe, timestamp: timestamp, now: timestamp,
		calc: cfg.Calculator, types: len(site.Types), least: site.MinAllocation,
		keepLooking: cfg.ReservationsLookOn, rackReset: cfg.RackFullReset,
		delay:  policy.CapacityDelay{Node: cfg.NodeLocalityDelay, Rack: cfg.RackAdditionalDelay},
		queues: make([]*queue, len(cfg.Queues)), byName: map[string]*queue{},
		admitted: map[protocol.AppID]*submission{},
	}
	if s.counted = s.types; cfg.CalculatorName == "default" {
		s.counted = 1
	}
	s.running = running{byUser: map[string]*runner{}, cfg: cfg}
	s.root = s.newQueue(0, nil)
	for _, q := range s.queues {
		if _, taken := s.byName[q.cfg.Name]; taken {
			s.byName[q.cfg.Name] = nil
		} else {
			s.byName[q.cfg.Name] = q
		}
	}
	for _, q := range s.queues {
		s.byName[q.cfg.Path] = q
	}
	s.root.clusterChanged(resource.Resource{})
	s.elision.NodeSets = yarn.NewNodeSets(s.nodes, effects, s.effect)
	return s
}

// Cluster returns the registered nodes.
func (s *Scheduler) Cluster() *yarn.Cluster { return s.nodes }

// cluster is the capacity of all registered nodes.
func (s *Scheduler) cluster() resource.Resource { return s.nodes.Capacity }

// positive reports whether r is more than nothing, as the calculator sees it: more than 0 of a type that the cluster has.
func (s *Scheduler) positive(r resource.Resource) bool {
	has := false
	for i := range s.counted {
		if s.nodes.Capacity[i] != 0 {
			if r[i] > 0 {
				return true
			}
			has = true
		}
	}
	return !has && s.calc.Compare(s.nodes.Capacity, r, resource.Resource{}, false) > 0
}

// Literally is part of [yarn.Literal].
func (s *Scheduler) Literally() { s.literally = true }

// TakesLocalities is part of [yarn.LocalityTaker].
func (s *Scheduler) TakesLocalities() bool { return !s.literally }

// SetClock is described at [yarn.Scheduler].
func (s *Scheduler) SetClock(now int64) { s.now = now }

// AddNode registers nodes. Before the first application, what follows from the size of the cluster follows from the last size alone.
func (s *Scheduler) AddNode(specs ...yarn.NodeSpec) {
	s.elision.held, s.elision.ending = yarn.WithRoom(s.elision.held, specs), yarn.WithRoom(s.elision.ending, specs)
	for i, n := range specs {
		s.elision.ending[n.ID] = resource.Resource{}
		s.nodes.Add(n)
		if len(s.apps) > 0 || i == len(specs)-1 {
			s.clusterChanged()
		}
	}
}

// RemoveNode ends what runs on the node and gives back its reservation.
func (s *Scheduler) RemoveNode(id protocol.NodeID) {
	n := s.nodes.Node(id)
	if n == nil {
		return
	}
	var list []*yarn.Container
	for c := range n.Containers {
		list = append(list, c)
	}
	for _, c := range list {
		s.end(c, protocol.ExitAborted, yarn.EventKill)
		n.Release(c.ID, c.Hash, true)
	}
	if n.Reserved != nil {
		s.end(n.Reserved, protocol.ExitAborted, yarn.EventKill)
	}
	s.nodes.Remove(id)
	s.clusterChanged()
}

// SetNodeTotal changes a node's capability.
func (s *Scheduler) SetNodeTotal(id protocol.NodeID, total resource.Resource) {
	s.nodes.SetTotal(id, total)
	s.clusterChanged()
}

// Unreserve is part of [yarn.Unreserver].
//
// Source: CapacityScheduler.updateNodeLabelsAndQueueResource, killReservedContainer.
func (s *Scheduler) Unreserve(id protocol.NodeID) {
	n := s.nodes.Node(id)
	if n == nil {
		return
	}
	if n.Reserved != nil {
		s.end(n.Reserved, protocol.ExitAborted, yarn.EventKill)
	}
	s.clusterChanged()
}

// Decommissioning is described at [yarn.Decommissioner]: proposals for the node are refused, see [Scheduler.carryOut].
func (s *Scheduler) Decommissioning(id protocol.NodeID, on bool) {
	if n := s.nodes.Node(id); n != nil {
		n.Decommissioning = on
		n.Touch()
	}
}

// clusterChanged computes all that depends on the size of the cluster.
func (s *Scheduler) clusterChanged() {
	s.touch()
	s.sized++
	s.cfg.Update(s.nodes.Capacity)
	s.root.clusterChanged(s.nodes.Capacity)
}

// NodeUpdate is a heartbeat of the node.
//
// Source: CapacityScheduler.nodeUpdate.
func (s *Scheduler) NodeUpdate(id protocol.NodeID, launched []protocol.ContainerID, completed []protocol.Status) {
	s.update(id, launched, completed, false)
}

// OvercommittedUpdate is part of [yarn.Overcommitter].
func (s *Scheduler) OvercommittedUpdate(id protocol.NodeID, launched []protocol.ContainerID, completed []protocol.Status) (excess []*yarn.Container) {
	return s.update(id, launched, completed, true)
}

func (s *Scheduler) update(id protocol.NodeID, launched []protocol.ContainerID, completed []protocol.Status, overcommitted bool) (excess []*yarn.Container) {
	n := s.nodes.Node(id)
	if n == nil {
		return nil
	}
	s.heard++
	s.Launched(id, launched)
	s.confirmResizes()
	if len(completed) > 0 {
		s.ended(n, completed)
	}
	if overcommitted {
		excess = n.Excess(s.calc)
	}
	if s.site.WorkPreservingRecovery && s.now-s.timestamp <= s.site.SchedulingWait {
		return excess
	}
	s.schedule(n)
	return excess
}

// schedule assigns containers to the node until it has had its share of this heartbeat.
//
// Source: CapacityScheduler.allocateContainersToNode.
func (s *Scheduler) schedule(n *yarn.Node) {
	offSwitch, assigned, refused := int32(0), int32(0), 0
	for {
		got, ok, done := s.scheduleOnce(n)
		if !ok {
			return
		}
		assigned++
		if got.kind == protocol.OffSwitch {
			offSwitch++
		}
		if !done {
			// Nothing has changed, so without a limit on assignments YARN would make the same proposal for ever.
			if refused++; s.cfg.MaxAssignments == -1 && refused == maxRefused {
				return
			}
		}
		if offSwitch >= s.cfg.MaxOffSwitch || got.reserve || !s.cfg.MultipleAssignments ||
			s.cfg.MaxAssignments != -1 && assigned >= s.cfg.MaxAssignments {
			return
		}
	}
}

// maxRefused is after how many refused proposals a heartbeat ends that has no limit of its own.
const maxRefused = 100

// scheduleOnce makes one proposal for the node and carries it out. Ok tells that there was one for something new.
//
// Source: CapacityScheduler.allocateContainerOnSingleNode.
func (s *Scheduler) scheduleOnce(n *yarn.Node) (got assignment, ok, done bool) {
	lim := newLimits(s.nodes.Capacity)
	if r := n.Reserved; r != nil {
		if a := s.appOf(r.ID.App); a != nil {
			got = a.q.assign(n, &lim)
			if !got.reserve {
				s.touch()
			}
			s.commit(n, &got)
		}
		return got, false, false
	}
	if s.calc.Available(n.Free, s.least) <= 0 {
		return got, false, false
	}
	s.searches++
	s.elision.begin()
	got = s.root.assign(n, &lim)
	s.elision.end(!s.positive(got.size) && got.excess == nil)
	done = s.commit(n, &got)
	return got, s.positive(got.size), done
}

// Launched is part of [yarn.Elider].
func (s *Scheduler) Launched(id protocol.NodeID, launched []protocol.ContainerID) {
	n := s.nodes.Node(id)
	for _, l := range launched {
		if a := s.appOf(l.App); a != nil {
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
	s.endAs(s.container(id), id, protocol.ExitAborted, yarn.EventExpire)
}

// Excess is part of [yarn.Overcommitter].
//
// Source: CapacityScheduler.markContainerForKillable.
func (s *Scheduler) Excess(id protocol.NodeID) []*yarn.Container {
	if n := s.nodes.Node(id); n != nil {
		return n.Excess(s.calc)
	}
	return nil
}

// EndExcess is part of [yarn.Overcommitter].
func (s *Scheduler) EndExcess(excess []*yarn.Container) {
	for _, c := range excess {
		s.end(c, protocol.ExitPreempted, yarn.EventKill)
	}
}

// Update does nothing: there are no shares to compute.
func (s *Scheduler) Update() {}

// NodeName is that of the cluster.
func (s *Scheduler) NodeName(id protocol.NodeID) (protocol.Name, bool) { return s.nodes.NodeName(id) }

// MaxAllocation is the largest container of the scheduler or of the queue, whichever is smaller.
//
// Source: CapacityScheduler.getMaximumResourceCapability.
func (s *Scheduler) MaxAllocation(name string) resource.Resource {
	if q := s.byName[name]; q != nil && q.leaf {
		return s.largest().Min(q.cfg.MaxAlloc)
	}
	return s.largest()
}

// largest is the largest container of the scheduler.
func (s *Scheduler) largest() resource.Resource {
	return s.nodes.MaxAllocation(s.site.MaxAllocation, s.now-s.timestamp > s.site.SchedulingWait)
}

// container returns a live container, nil when there is none of that number.
func (s *Scheduler) container(id protocol.ContainerID) *yarn.Container {
	if a := s.appOf(id.App); a != nil {
		return a.Live(id)
	}
	return nil
}
