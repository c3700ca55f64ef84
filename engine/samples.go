package engine

import (
	"strings"

	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// queueUsage is what the containers that the engine has seen add up to, by queue, with what is below it: the other side
// of the scheduler's own books.
type queueUsage struct {
	index  map[string]int
	parent []int // -1 for none
	of     []usage
	rows   []row // queues in the order in which the scheduler tells them
}

// usage is that of a queue.
type usage struct {
	used       resource.Resource
	containers int64
	busy       int64 // cores that run task attempts
}

// row is a queue that the scheduler tells of.
type row struct {
	path string
	at   int // -1 while nothing was booked to it
	of   int // how many queues something had been booked to when it was looked for
}

func (q *queueUsage) at(path string) int {
	if q.index == nil {
		q.index = map[string]int{}
	}
	i, ok := q.index[path]
	if !ok {
		parent := -1
		if dot := strings.LastIndexByte(path, '.'); dot >= 0 {
			parent = q.at(path[:dot])
		}
		i = len(q.parent)
		q.index[path] = i
		q.parent = append(q.parent, parent)
		q.of = append(q.of, usage{})
	}
	return i
}

// add books n = +1 or -1 containers of this size to a queue.
func (q *queueUsage) add(i int, size resource.Resource, n int64) {
	for ; i >= 0; i = q.parent[i] {
		u := &q.of[i]
		if n > 0 {
			u.used.AddTo(&size)
		} else {
			u.used.SubtractFrom(&size)
		}
		u.containers += n
	}
}

// work books cores that begin, or end, to run a task.
func (q *queueUsage) work(i int, cores int64) {
	for ; i >= 0; i = q.parent[i] {
		q.of[i].busy += cores
	}
}

// under returns what is in the queue at path and below it. The scheduler tells it as number i of its queues.
func (q *queueUsage) under(i int, path string) *usage {
	if i == len(q.rows) {
		q.rows = append(q.rows, row{of: -1})
	}
	r := &q.rows[i]
	if r.path != path || r.at < 0 && r.of < len(q.parent) || r.of < 0 {
		at, ok := q.index[path]
		if !ok {
			at = -1
		}
		*r = row{path, at, len(q.parent)}
	}
	if r.at < 0 {
		return &unused
	}
	return &q.of[r.at]
}

// unused is the usage of a queue to which nothing was booked.
var unused usage

// use books a container to a node and checks that the node can hold it.
func (n *nodes) use(s *sim, id protocol.NodeID, size *resource.Resource) {
	u := &n.usage[id]
	u.used.AddTo(size)
	u.left.SubtractFrom(size)
	n.book(id, &u.left)
	if u.left[0]|u.left[1]|u.left[2]|u.left[3] < 0 {
		n.overuse(s, id)
	}
}

// overuse takes in that a node that is in the cluster may have less than is used of it, or checks one that is not.
func (n *nodes) overuse(s *sim, id protocol.NodeID) {
	used, total := &n.usage[id].used, &n.total[id]
	if cores, has := used[resource.VCores], total[resource.VCores]; cores > has && has > 0 {
		n.over[id] = max(n.over[id], float64(cores)/float64(has))
	}
	if n.shrunk[id] {
		return // capacity was taken away under running containers
	}
	if !n.holds(id, s.sc.MemoryOnly) {
		s.broken("node %s holds %v of %v", n.spec[id].Host, *used, *total)
	}
}

// holds reports whether a node has what is used of it, or as much memory.
func (n *nodes) holds(id protocol.NodeID, memoryOnly bool) bool {
	for t, used := range n.usage[id].used {
		if used > n.total[id][t] && !(memoryOnly && t == resource.VCores) {
			return false
		}
	}
	return true
}

func (n *nodes) release(id protocol.NodeID, size *resource.Resource) {
	u := &n.usage[id]
	u.used.SubtractFrom(size)
	u.left.AddTo(size)
	n.book(id, &u.left)
}

// eachQueue gives the state of every queue, and compares the scheduler's books with the engine's. It returns their sum.
func (s *sim) eachQueue(tell func(*record.Sample)) record.Sample {
	cluster := record.Sample{
		Time: s.now, Nodes: int64(len(s.nodes.registered)),
		CapacityMem: s.nodes.capacity[resource.Memory], CapacityVCores: s.nodes.capacity[resource.VCores],
	}
	s.rm.CatchUp()
	row := -1
	s.rm.Scheduler().Queues(func(q *yarn.QueueState) {
		row++
		u := s.queues.under(row, q.Path)
		if q.Leaf && q.Used != u.used && q.Used.Sub(q.Reserved) != u.used {
			s.broken("queue %s uses %v, its containers add up to %v", q.Path, q.Used, u.used)
		}
		r := &s.row // whose other fields are of rows of the cluster only
		r.Time, r.Queue, r.Nodes = s.now, q.Path, cluster.Nodes
		r.UsedMem, r.UsedVCores, r.ReservedMem = u.used[resource.Memory], u.used[resource.VCores], q.Reserved[resource.Memory]
		r.DemandMem, r.DemandVCores = q.Demand[resource.Memory], q.Demand[resource.VCores]
		r.PendingMem, r.PendingVCores = max(r.DemandMem-r.UsedMem, 0), max(r.DemandVCores-r.UsedVCores, 0)
		r.FairMem, r.FairVCores = q.Fair[resource.Memory], q.Fair[resource.VCores]
		r.SteadyMem, r.SteadyVCores = q.Steady[resource.Memory], q.Steady[resource.VCores]
		r.BusyCores, r.Running, r.Pending, r.Containers = u.busy, int64(q.Runnable), int64(q.NonRunnable), u.containers
		tell(r)
		if q.Leaf {
			cluster.Add(r)
		}
	})
	return cluster
}

// sample gives the state of every queue and of the cluster.
func (s *sim) sample() {
	s.sampled = s.now
	cluster := s.eachQueue(s.sink.Sample)
	if has := cluster.CapacityVCores; has > 0 {
		s.nodes.busy = max(s.nodes.busy, float64(cluster.BusyCores)/float64(has))
	}
	s.sink.Sample(&cluster)
}
