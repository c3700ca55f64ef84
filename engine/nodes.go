package engine

import (
	"cmp"
	"math"
	"slices"

	"replay/engine/protocol"
	"replay/engine/random"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/yarn"
	"replay/policy/resource"
	"replay/trace"
)

// nodes is the cluster as it really is; what the ResourceManager knows of it is in rm.
type nodes struct {
	spec       []trace.Node // capacity as of the last event
	phase      []int64
	down       []bool // its processes are dead
	dead       int    // how many are down
	total      []resource.Resource
	usage      []nodeUsage
	shrunk     []bool            // lost capacity at some time
	busy       float64           // most cores that ran tasks, of the cluster's vcores, in a sample
	told       []record.Node     // what was last said of each
	over       []float64         // most vcores in use for each that there is, 0 while never more than one
	registered []protocol.NodeID // in the order of their numbers
	in         []bool            // registered
	has        []resource.Resource
	capacity   resource.Resource // the sum of has, which is that of a node while it is registered
	rooms      []*room
	draining   int               // how many are being decommissioned
	event      int64             // time of the next event of the trace, never behind the last
	looks      []int64           // times at which nodes that have failed are found lost
	changes    int64             // the first of all these, see [sim.nodesStay]; before now: not known
	on, off    []protocol.NodeID // scratch: those that send heartbeats, and those that do not, as they have died or are not registered
}

// nodeUsage is what the containers on a node add up to, a line of memory.
type nodeUsage struct {
	used resource.Resource
	left resource.Resource // of what it has, below 0 where there is no room; see [nodes.measure]
}

// outside is what is left of the memory of a node that is not in the cluster: whatever is released there, there is no room.
const outside = math.MinInt64 / 2

// measure finds what is left of a node of which something else than its containers has changed.
func (n *nodes) measure(id protocol.NodeID) {
	u := &n.usage[id]
	if u.left = n.total[id].Sub(u.used); !n.in[id] {
		u.left[resource.Memory] = outside
	}
}

// setDown says whether the processes of a node are dead.
func (n *nodes) setDown(id protocol.NodeID, down bool) {
	if n.down[id] != down {
		n.down[id] = down
		if down {
			n.dead++
		} else {
			n.dead--
		}
	}
}

// isDown reports whether they are; most often those of no node are.
func (n *nodes) isDown(id protocol.NodeID) bool { return n.dead > 0 && n.down[id] }

// startNodes registers the nodes that are there at the origin and schedules the first node event.
func (s *sim) startNodes() {
	n := &s.nodes
	in := s.sc.Input
	interval := s.sc.Site.HeartbeatInterval
	phases := random.Stream(s.sc.Seed, "node-heartbeat-phase")
	count := len(in.Nodes)
	n.spec, n.phase, n.down, n.shrunk, n.in = slices.Clone(in.Nodes), make([]int64, count), make([]bool, count), make([]bool, count), make([]bool, count)
	n.total, n.usage, n.has = make([]resource.Resource, count), make([]nodeUsage, count), make([]resource.Resource, count)
	n.over, n.told = make([]float64, count), make([]record.Node, count)
	hosts := make([]string, count)
	for i := range n.spec {
		hosts[i] = n.spec[i].Host
	}
	s.names.InternInOrder(hosts)
	for i := range n.spec {
		spec := &n.spec[i]
		s.cluster.Add(spec.Host, spec.Rack, spec.RackID)
		n.phase[i], n.total[i], n.told[i].Time = phases.Int64N(interval), s.size(spec), record.None
		n.setDown(protocol.NodeID(i), !spec.Present)
	}
	s.beats = newBeats(s.sc.Engine == scenario.Dense, s.rm, interval, s.sc.Site.UpdateInterval, n.phase)
	var present []protocol.NodeID
	for i := range n.spec {
		if n.spec[i].Present {
			present = append(present, protocol.NodeID(i))
		}
	}
	s.addNode(present...)
	s.rm.Woken() // before the beginning
	s.nodesChanged(s.everyNode()...)
	s.nextNodeEvent(0)
}

func (s *sim) nextNodeEvent(i int) {
	s.nodes.event, s.nodes.changes = never, -1
	s.guests.apply(i)
	if i < len(s.sc.Input.Events) {
		s.comes = s.sc.Input.Events[i].TimeMS
		s.nodes.event = s.comes
		s.push(s.comes, evNodeEvent, int64(i), int64(i))
	}
}

// nodesStay returns up to when no node that concerns an application comes, goes, changes or ends containers because it has.
func (s *sim) nodesStay(a *app) int64 {
	n := &s.nodes
	switch {
	case s.rm.Exceeding():
		return s.now - 1
	case s.guests.foreseen() && !a.plan.WatchesNodes && !a.plan.Recorded: // whose containers come from elsewhere at any time
		return s.hostsStay(a) - 1
	case n.draining > 0:
		return s.now - 1
	}
	if n.changes < s.now {
		n.looks = slices.DeleteFunc(n.looks, func(at int64) bool { return at < s.now })
		n.changes = n.event
		for _, at := range n.looks {
			n.changes = min(n.changes, at)
		}
	}
	return n.changes - 1
}

func (s *sim) total(id protocol.NodeID) resource.Resource { return s.nodes.total[id] }

// size returns the resources of a node.
func (s *sim) size(spec *trace.Node) resource.Resource {
	r := resource.R(spec.MemMiB, int64(spec.VCores))
	for _, x := range spec.Extra {
		if i := slices.Index(s.sc.Site.Types, x.Name); i > resource.VCores {
			r[i] = x.Value
		}
	}
	return r
}

func (s *sim) addNode(ids ...protocol.NodeID) {
	specs := make([]yarn.NodeSpec, len(ids))
	for i, id := range ids {
		s.nodes.setDown(id, false)
		specs[i] = yarn.NodeSpec{ID: id, Host: s.cluster.Host[id], Rack: s.cluster.Rack[id], Total: s.total(id)}
	}
	for _, id := range s.rm.AddNode(s.now, specs...) {
		has, least := s.total(id), s.sc.Site.LeastNode()
		s.warnings.add("node-refused", "nodes that have less memory or fewer vcores than the smallest container (%d MiB, %d vcores: yarn.scheduler.minimum-allocation-mb, -vcores) "+
			"are refused, as YARN does; the first is %s with %d MiB, %d vcores", least[resource.Memory], least.CPU(), s.nodes.spec[id].Host, has[resource.Memory], has.CPU())
		if s.rm.Registered(id) { // what it was before, until it is found lost
			s.nodes.setDown(id, true)
			s.nodes.total[id] = s.nodes.has[id]
		}
	}
}

// everyNode are all nodes of the trace.
func (s *sim) everyNode() []protocol.NodeID {
	list := make([]protocol.NodeID, len(s.nodes.spec))
	for i := range list {
		list[i] = protocol.NodeID(i)
	}
	return list
}

// nodesChanged takes in what has changed about nodes, in order of their numbers: whether they are in the cluster, send heartbeats, and what they have.
func (s *sim) nodesChanged(ids ...protocol.NodeID) {
	s.rm.Hear()
	n := &s.nodes
	n.on, n.off, n.rooms = n.on[:0], n.off[:0], n.rooms[:0]
	for _, id := range ids {
		if n.register(id, s.rm.Registered(id)); n.in[id] && !n.down[id] {
			n.on = append(n.on, id)
		} else {
			n.off = append(n.off, id)
		}
	}
	s.beats.change(s.now, s.reached, n.on, n.off)
	if s.reasons != nil {
		s.reasons.changed()
	}
	for _, id := range ids {
		s.tellNode(id)
	}
	for a := range s.eachWatcher() {
		if a.master != nil {
			a.master.NodesChanged(len(n.registered))
		}
	}
	if s.rm.Woken() && s.sc.Kind().Updates {
		s.beats.updateNow(s)
	}
}

// register notes whether a node is in the cluster, and what it has there.
func (n *nodes) register(id protocol.NodeID, in bool) {
	i, was := slices.BinarySearch(n.registered, id)
	switch {
	case in && !was:
		n.registered = slices.Insert(n.registered, i, id)
	case was && !in:
		n.registered = slices.Delete(n.registered, i, i+1)
	}
	n.capacity = n.capacity.Sub(n.has[id])
	if n.in[id], n.has[id] = in, (resource.Resource{}); in {
		n.has[id] = n.total[id]
	}
	n.capacity = n.capacity.Add(n.has[id])
	n.measure(id)
}

// tellNode gives the state of a node if something about it has changed.
func (s *sim) tellNode(id protocol.NodeID) {
	spec, told := &s.nodes.spec[id], &s.nodes.told[id]
	total := s.total(id)
	r := record.Node{Time: told.Time, Node: int32(id), Host: spec.Host, Rack: spec.Rack, MemMiB: total[resource.Memory], VCores: total.CPU(), Registered: s.nodes.in[id], Draining: s.rm.Draining(id)}
	if told.Time != record.None && r.Registered != told.Registered {
		s.nodeUpdated(id, r.Registered)
	}
	if r.Draining != told.Draining {
		if n := &s.nodes; r.Draining {
			n.draining++
		} else {
			n.draining--
		}
	}
	if r != *told {
		r.Time = s.now
		*told = r
		s.sink.Node(&r)
	}
}

// nodeUpdated has applications told, with their next heartbeat, that a node is in the cluster or no longer.
func (s *sim) nodeUpdated(id protocol.NodeID, registered bool) {
	u := protocol.NodeUpdate{Node: id, State: protocol.NodeRunning}
	switch {
	case !registered && s.nodes.down[id]:
		u.State = protocol.NodeLost
	case !registered:
		u.State = protocol.NodeDecommissioned
	}
	for a := range s.eachWatcher() {
		if !a.gone && !a.plan.Recorded {
			a.updates = append(a.updates, u)
		}
	}
}

func (s *sim) nodeHeartbeat(id protocol.NodeID) {
	s.totals.ExecutedHeartbeats++
	s.rm.NodeHeartbeat(s.now, id)
}

// nodeEvent applies event i of the trace and schedules the next one.
func (s *sim) nodeEvent(i int) {
	e := &s.sc.Input.Events[i]
	id := protocol.NodeID(e.Node)
	if k := s.sc.Kind(); k.Stalls && (e.Kind == trace.Capacity || e.Kind == trace.Drain) {
		s.warnings.add("total-stalls", "once a node is decommissioned gracefully or gets another capacity, YARN's %s starts and ends no application master any more (docs/oddities.md); here applications go on", k.SimpleClass())
	}
	if e.Kind == trace.Capacity && s.rm.Draining(id) {
		s.drainingCapacity(id, e)
		s.nextNodeEvent(i + 1)
		return
	}
	spec := &s.nodes.spec[id]
	if e.MemMiB != trace.Unset {
		spec.MemMiB = e.MemMiB
	}
	if e.VCores != trace.Unset {
		spec.VCores = e.VCores
	}
	s.nodes.total[id] = s.size(spec)
	s.nodes.measure(id)
	switch e.Kind {
	case trace.Join, trace.Recover:
		s.addNode(id) // one that comes back before it was found lost registers again
	case trace.Leave:
		s.nodeProcessesDie(id)
		s.rm.RemoveNode(s.now, id)
	case trace.Fail:
		s.mastersFallSilent(id)
		s.nodeProcessesDie(id)
		s.rm.NodeSilent(s.now, id, s.lastHeartbeat(id))
	case trace.Drain:
		s.rm.Drain(id, e.DrainTimeoutMS) // for ever when it is unset
	case trace.Undrain:
		if s.rm.Registered(id) {
			s.rm.Undrain(s.now, id)
		} else { // it was decommissioned, and a NodeManager registers anew
			s.survivorsDie(id)
			s.addNode(id)
		}
	case trace.Capacity:
		s.nodes.shrunk[id] = true
		s.rm.SetNodeTotal(s.now, id, s.total(id))
	default:
		s.warnings.add("node-event", "node events of kind %q are not modelled", e.Kind)
	}
	s.nodesChanged(id)
	s.nextNodeEvent(i + 1)
}

// drainingCapacity changes the capacity of a node that is being decommissioned, which the ResourceManager forgets with the node's next heartbeat: it is no more than what runs there
// then, and what it was before if the decommission is taken back.
func (s *sim) drainingCapacity(id protocol.NodeID, e *trace.NodeEvent) {
	spec := s.nodes.spec[id]
	if e.MemMiB != trace.Unset {
		spec.MemMiB = e.MemMiB
	}
	if e.VCores != trace.Unset {
		spec.VCores = e.VCores
	}
	s.nodes.shrunk[id] = true // it may be more than the node has, and be filled before the heartbeat
	s.rm.SetNodeTotal(s.now, id, s.size(&spec))
	s.warnings.add("capacity-draining", "YARN forgets a capacity that a node gets while it is being decommissioned; the first such node is %s", spec.Host)
}

// nodeProcessesDie ends every process on the node; the ResourceManager does not know yet.
func (s *sim) nodeProcessesDie(id protocol.NodeID) {
	s.nodes.setDown(id, true)
	for a := range s.eachGuest(id) {
		if a.master != nil {
			a.master.NodeDown(int32(id))
		}
	}
	for _, c := range s.rm.NodeDown(id) {
		s.processDied(c)
	}
	if !s.rm.Registered(id) {
		s.survivorsDie(id)
	}
}

// mastersFallSilent has the ResourceManager miss the application masters on a node that is about to fail. What was not started there is missed otherwise.
func (s *sim) mastersFallSilent(id protocol.NodeID) {
	for a := range s.eachGuest(id) {
		if a.gone || a.am == 0 {
			continue
		}
		if c := a.containerOf(a.am); c.rec.Node == int32(id) && (c.process == running || c.process == exited) {
			s.rm.MasterSilent(s.now, a.id, max(c.rec.Started, c.rec.Registered, s.Spoke(a.id).AtMS))
		}
	}
}

// survivorsDie ends what still runs on a node that was decommissioned, of which the ResourceManager knows nothing any more: when the node
// goes, or when its NodeManager does, before another starts. They end in the order of their numbers: that of slots is another one in each engine.
func (s *sim) survivorsDie(id protocol.NodeID) {
	var left []protocol.ContainerID
	for a := range s.eachGuest(id) {
		for _, c := range a.containers {
			if c != nil && c.process == running && c.rec.Node == int32(id) {
				left = append(left, a.containerID(c.rec.Number))
			}
		}
	}
	slices.SortFunc(left, func(a, b protocol.ContainerID) int { return cmp.Or(cmp.Compare(a.App, b.App), cmp.Compare(a.N, b.N)) })
	for _, c := range left {
		s.processDied(c)
	}
}

// lastHeartbeat returns the time of a node's last heartbeat.
func (s *sim) lastHeartbeat(id protocol.NodeID) int64 {
	interval := s.sc.Site.HeartbeatInterval
	last := s.now - (s.now-s.nodes.phase[id])%interval
	if last > s.now {
		last -= interval
	}
	return last
}
