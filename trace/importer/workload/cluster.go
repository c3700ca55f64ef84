package workload

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"replay/trace"
)

// cluster is the nodes of a trace, with what is needed to find them by host.
type cluster struct {
	nodes  []trace.Node
	id     map[string]int32 // host -> node
	racks  map[string]int32
	inRack map[int32][]int32 // nodes that are there, by rack
	there  []int32
}

const defaultRack = "/default-rack"

func newCluster() *cluster {
	return &cluster{id: map[string]int32{}, racks: map[string]int32{}, inRack: map[int32][]int32{}}
}

// add takes a node; its rack gets a number when it is new.
func (c *cluster) add(n trace.Node) {
	if n.Rack == "" {
		n.Rack = defaultRack
	}
	r, ok := c.racks[n.Rack]
	if !ok {
		r = int32(len(c.racks))
		c.racks[n.Rack] = r
	}
	n.ID, n.RackID = int32(len(c.nodes)), r
	c.nodes = append(c.nodes, n)
	c.id[n.Host] = n.ID
	if n.Present {
		c.inRack[r] = append(c.inRack[r], n.ID)
		c.there = append(c.there, n.ID)
	}
}

// residents collects how much the recorded executors took of each host.
type residents struct {
	changes map[string][]residentChange
	am      shape // the largest
	tasks   bool  // an application runs each task in a container of its own, which no executor shows
}

type residentChange struct {
	at, memMiB int64
	vcores     int32
}

// resident is what one application took.
type resident struct {
	hosts     []string
	executors []trace.Executor // on hosts, by position
	finishMS  int64
	am        shape
	tasks     bool
}

func residentOf(a *Application) resident {
	return resident{
		hosts: slices.Clone(a.Hosts), executors: slices.Clone(a.Executors), finishMS: a.Job.RecordedFinishMS, am: shape{a.Job.AMMemMiB, a.Job.AMVCores},
		tasks: a.Job.Kind != trace.KindSpark,
	}
}

func (r *residents) add(a *resident) {
	if r.changes == nil {
		r.changes = map[string][]residentChange{}
	}
	for _, e := range a.executors {
		host := a.hosts[e.Node]
		r.changes[host] = append(r.changes[host], residentChange{e.AddedMS, e.MemMiB, e.VCores})
		if e.RemovedMS != trace.Unset {
			r.changes[host] = append(r.changes[host], residentChange{e.RemovedMS, -e.MemMiB, -e.VCores})
		} else if a.finishMS != trace.Unset {
			r.changes[host] = append(r.changes[host], residentChange{max(a.finishMS, e.AddedMS), -e.MemMiB, -e.VCores})
		}
	}
	r.tasks = r.tasks || a.tasks
	r.am = shape{max(r.am.memMiB, a.am.memMiB), max(r.am.vcores, a.am.vcores)}
}

// most is the size of a node that could have held all executors of its host at any time and an
// application master, in whole GiB. Where containers were not recorded it is nodeClass at least.
func (r *residents) most() shape {
	var most shape
	for _, cs := range r.changes {
		slices.SortFunc(cs, func(a, b residentChange) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.memMiB, b.memMiB), cmp.Compare(a.vcores, b.vcores))
		})
		var now shape
		for _, c := range cs {
			now.memMiB += c.memMiB
			now.vcores += c.vcores
			most = shape{max(most.memMiB, now.memMiB), max(most.vcores, now.vcores)}
		}
	}
	most = shape{(most.memMiB + r.am.memMiB + 1023) / 1024 * 1024, most.vcores + r.am.vcores}
	if r.tasks {
		most = shape{max(most.memMiB, nodeClass.memMiB), max(most.vcores, nodeClass.vcores)}
	}
	return most
}

// nodeClass is the node size of a given cluster when no flag says otherwise.
var nodeClass = shape{64 << 10, 16}

// shape is a container or node size.
type shape struct {
	memMiB int64
	vcores int32
}

// or returns s, and o where s says nothing.
func (s shape) or(o shape) shape {
	if s.memMiB > 0 {
		o.memMiB = s.memMiB
	}
	if s.vcores > 0 {
		o.vcores = s.vcores
	}
	return o
}

// makeCluster makes the nodes of the trace: the number of them that the options give, else those of the source, else
// the recorded hosts. A host that is none of them stays as a node that is never there, so that what was recorded
// of it is kept.
func (b *Builder) makeCluster() (*cluster, error) {
	c, opt := newCluster(), b.Options
	flag := shape{opt.NodeMemMiB, opt.NodeVCores}
	if len(b.nodes) > 0 && opt.Nodes == 0 {
		for _, n := range b.nodes {
			size := flag.or(shape{n.MemMiB, n.VCores}.or(b.took.most()))
			n.MemMiB, n.VCores = size.memMiB, size.vcores
			c.add(n)
		}
	} else {
		b.Counts.Dropped["nodes_of_the_source"] += int64(len(b.nodes))
		b.Counts.Dropped["node_events_of_the_source"] += int64(len(b.events))
		b.events = nil
		b.makeNodes(c, flag)
	}
	if len(c.nodes) == 0 {
		return nil, errors.New("the source names no host and no node, want a number of nodes")
	}
	size, outside := c.nodes[0], "recorded_hosts_outside_the_cluster"
	if b.Locality == trace.LocalityRecorded {
		outside = "preferred_hosts_outside_the_cluster"
	}
	for _, h := range slices.Sorted(maps.Keys(b.hosts)) {
		if _, ok := c.id[h]; !ok {
			c.add(trace.Node{Host: h, Rack: "/not-in-the-cluster", MemMiB: size.MemMiB, VCores: size.VCores})
			b.Counts.Modelled[outside]++
		}
	}
	return c, nil
}

// makeNodes makes as many nodes as the options say, or one for each recorded host.
func (b *Builder) makeNodes(c *cluster, flag shape) {
	opt, size := b.Options, flag.or(nodeClass)
	var names []string
	for i := range opt.Nodes {
		names = append(names, fmt.Sprintf("host%0*d", len(fmt.Sprint(opt.Nodes)), i+1))
	}
	if opt.Nodes == 0 {
		names, size = slices.Sorted(maps.Keys(b.hosts)), flag.or(b.took.most())
	}
	for i, name := range names {
		rack := defaultRack
		if opt.Racks > 1 {
			rack = fmt.Sprintf("/rack%d", i%opt.Racks+1)
		}
		c.add(trace.Node{Host: name, Rack: rack, MemMiB: size.memMiB, VCores: size.vcores, Present: true})
	}
	b.Counts.Modelled["node_sizes"] += int64(len(names))
	b.Counts.Modelled["node_racks"] += int64(len(names))
}
