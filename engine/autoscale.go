package engine

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"replay/engine/protocol"
	"replay/engine/random"
	"replay/engine/record"
	"replay/policy/autoscale"
	"replay/policy/resource"
)

// scaling has nodes come and go as the policy of the scenario says. A node that it adds is one of those that the scenario keeps for it; its host
// may come again when the node has gone, as a machine with nothing on it. Nodes of the trace that it has decommissioned stay away.
//
// An evaluation sees everything else of its millisecond, and its queues are settled as for a sample. Because nodes concern every application,
// none runs ahead while nodes come and go.
type scaling struct {
	s       *sim
	plan    *autoscale.Plan
	group   []autoscale.Group // by node
	coming  []bool
	leaving []bool  // being decommissioned by the policy
	noticed []bool  // to be taken away as a spot node, and told so
	taken   []int64 // when a node was last taken out by scaling or as a spot node, -1 for never
	life    []int64 // how often a node has come, to tell old notices
	arrive  *rand.Rand
	spot    *rand.Rand
	totals  record.Scaling
}

// startScaling schedules the first evaluation.
func (s *sim) startScaling() {
	if s.sc.Scaling == nil {
		return
	}
	n := len(s.sc.Input.Nodes)
	x := &scaling{s: s, plan: s.sc.Scaling, group: s.sc.Groups, coming: make([]bool, n), leaving: make([]bool, n), noticed: make([]bool, n), taken: make([]int64, n), life: make([]int64, n),
		arrive: random.Stream(s.sc.Seed, "autoscale-provisioning"), spot: random.Stream(s.sc.Seed, "autoscale-spot-life")}
	for i := range x.taken {
		x.taken[i] = record.None
	}
	s.scaling = x
	for _, id := range s.nodes.registered {
		x.lives(id)
	}
	s.push(x.plan.IntervalMS, evAutoscale, 0, 0)
}

// evaluate shows the cluster to the policy and does what it wants.
func (x *scaling) evaluate() {
	s := x.s
	shown := x.show()
	c := x.plan.Policy.Evaluate(&shown)
	if c.Cancel {
		x.cancel()
	}
	left := false
	for g, n := range c.Nodes {
		if n > 0 {
			x.add(autoscale.Group(g), n)
		} else if n < 0 {
			x.remove(autoscale.Group(g), -n, c.PatienceMS)
			left = true
		}
	}
	if left || c.Cancel {
		s.nodesChanged(s.everyNode()...)
	}
	s.push(s.now+x.plan.IntervalMS, evAutoscale, 0, 0)
}

// inService reports whether a node is in the cluster and not on its way out.
func (x *scaling) inService(id protocol.NodeID) bool {
	return x.s.rm.Registered(id) && !x.s.rm.Draining(id)
}

// show is what the policy sees now.
func (x *scaling) show() autoscale.Shown {
	s := x.s
	cluster := s.eachQueue(func(*record.Sample) {})
	shown := autoscale.Shown{Now: s.now, Pending: resource.R(cluster.PendingMem, cluster.PendingVCores), Allocated: resource.R(cluster.UsedMem, cluster.UsedVCores),
		Reserved: resource.R(cluster.ReservedMem, 0), Worker: x.s.size(&s.sc.Input.Nodes[len(s.sc.Input.Nodes)-1])}
	for _, id := range s.nodes.registered {
		if x.inService(id) {
			shown.Active[x.group[id]]++
			shown.Available = shown.Available.Add(s.total(id)).Sub(s.nodes.usage[id].used)
		}
	}
	for i := range shown.Available {
		shown.Available[i] = max(shown.Available[i]-shown.Reserved[i], 0)
	}
	for id := range x.group {
		if x.coming[id] {
			shown.Coming[x.group[id]]++
		}
		if x.leaving[id] {
			shown.Leaving[x.group[id]]++
		}
	}
	return shown
}

// add asks for nodes, of which each comes after its own time. Where all hosts of a group are in use there are fewer.
func (x *scaling) add(g autoscale.Group, n int) {
	s := x.s
	for id := s.sc.OfTrace; id < len(x.group) && n > 0; id++ {
		if x.group[id] != g || x.coming[id] || s.rm.Registered(protocol.NodeID(id)) {
			continue
		}
		x.coming[id] = true
		n--
		x.totals.Asked++
		at := s.now + x.plan.ProvisionMS
		if more := x.plan.ProvisionMax - x.plan.ProvisionMS; more > 0 {
			at += x.arrive.Int64N(more + 1)
		}
		s.push(at, evNodeComes, int64(id), 0)
	}
}

// comes registers a node that was asked for.
func (x *scaling) comes(id protocol.NodeID) {
	x.coming[id], x.noticed[id] = false, false
	x.totals.Came++
	x.s.survivorsDie(id)
	x.s.addNode(id)
	x.s.nodesChanged(id)
	x.lives(id)
}

// lives draws how long a secondary node lives that can be taken away.
func (x *scaling) lives(id protocol.NodeID) {
	x.life[id]++
	if x.plan.SpotLifeMS == 0 || x.group[id] != autoscale.Secondary {
		return
	}
	at := x.s.now + 1 + int64(x.spot.ExpFloat64()*float64(x.plan.SpotLifeMS))
	if x.s.sc.Keeps(id) {
		return
	}
	x.s.push(max(at-x.plan.NoticeMS, x.s.now), evNodeNotice, int64(id), x.life[id])
	x.s.push(at, evNodeTaken, int64(id), x.life[id])
}

// notice begins to decommission a node that is to be taken away. A node that is on its way out already goes on.
func (x *scaling) notice(id protocol.NodeID, life int64) {
	if x.life[id] == life && x.inService(id) {
		x.noticed[id] = true
		x.s.rm.Drain(id, -1)
		x.s.nodesChanged(id)
	}
}

// takes takes a node away with everything on it.
func (x *scaling) takes(id protocol.NodeID, life int64) {
	if x.life[id] != life || !x.s.rm.Registered(id) {
		return
	}
	x.totals.SpotLost++
	x.leaving[id], x.noticed[id] = false, false
	x.dies(id)
	x.s.rm.RemoveNode(x.s.now, id)
	x.s.nodesChanged(id)
}

// dies ends all processes on a node, which is no more.
func (x *scaling) dies(id protocol.NodeID) {
	s := x.s
	x.taken[id] = s.now
	for _, a := range s.apps {
		if a == nil {
			continue
		}
		for _, c := range a.containers {
			if c != nil && !c.written && c.rec.Node == int32(id) && (c.process == running || c.process == starting) {
				x.totals.Containers++
			}
		}
	}
	s.nodeProcessesDie(id)
}

// gone sees a node leave by the ResourceManager's decision. A spot node may do so before it is taken, when nothing keeps it any longer.
func (x *scaling) gone(id protocol.NodeID) {
	if x.noticed[id] {
		x.noticed[id] = false
		x.totals.SpotLost++
	}
	if !x.leaving[id] {
		return
	}
	x.leaving[id] = false
	x.totals.Left++
	x.dies(id)
}

// remove decommissions nodes of a group that no change keeps: those without an application master first, then those on which least memory is held, then the latest.
func (x *scaling) remove(g autoscale.Group, n int, patience int64) {
	s := x.s
	masters := make([]int, len(x.group))
	for _, a := range s.apps {
		if a == nil || a.gone {
			continue
		}
		if c := a.containerOf(a.am); c != nil && !c.ended {
			masters[c.rec.Node]++
		}
	}
	var from []protocol.NodeID
	for _, id := range s.nodes.registered {
		if x.group[id] == g && x.inService(id) && !x.s.sc.Keeps(id) {
			from = append(from, id)
		}
	}
	slices.SortFunc(from, func(a, b protocol.NodeID) int {
		return cmp.Or(cmp.Compare(masters[a], masters[b]), cmp.Compare(s.nodes.usage[a].used[resource.Memory], s.nodes.usage[b].used[resource.Memory]), cmp.Compare(b, a))
	})
	for _, id := range from[:min(n, len(from))] {
		x.leaving[id] = true
		x.totals.Decommissioned++
		s.rm.Drain(id, patience)
	}
}

// cancel takes all decommissions of the policy back.
func (x *scaling) cancel() {
	for id := range x.leaving {
		if x.leaving[id] {
			x.leaving[id] = false
			x.totals.Cancelled++
			x.s.rm.Undrain(x.s.now, protocol.NodeID(id))
		}
	}
}

// sawTask counts a task attempt that was lost with a node that was taken out while it ran.
func (x *scaling) sawTask(r *record.Task) {
	if r.End == record.TaskLost && x.taken[r.Node] >= r.Launch {
		x.totals.Tasks++
		x.totals.TaskMS += x.taken[r.Node] - r.Launch
	}
}
