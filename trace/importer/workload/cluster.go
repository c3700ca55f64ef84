package workload

import (
	"fmt"
	"math"
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

// nodeClass is the node size of a given cluster when neither a flag nor the format says otherwise.
var nodeClass = shape{64 << 10, 16}

// Machine says what a node has that is made up, where no flag says it.
func (b *Builder) Machine(memMiB int64, vcores int32) { b.machine = shape{memMiB, vcores} }

// NodesIn says what the source could have that names nodes, such as "machine_meta".
func (b *Builder) NodesIn(tables string) { b.nodesIn = tables }

// shape is a container or node size.
type shape struct {
	memMiB int64
	vcores int32
}

func (s shape) String() string {
	vcores := fmt.Sprintf("%d vcores", s.vcores)
	if s.vcores == 1 {
		vcores = "1 vcore"
	}
	if s.memMiB%1024 == 0 {
		return fmt.Sprintf("%d GiB and %s", s.memMiB/1024, vcores)
	}
	return fmt.Sprintf("%d MiB and %s", s.memMiB, vcores)
}

// asYARN is what YARN gives a container that is asked for with s where no configuration says otherwise: whole GiB
// (yarn.scheduler.minimum-allocation-mb, and yarn.resource-types.memory-mb.increment-allocation of the FairScheduler).
func (s shape) asYARN() shape { return shape{(s.memMiB + 1023) / 1024 * 1024, s.vcores} }

// atLeast returns the larger of each part.
func (s shape) atLeast(o shape) shape { return shape{max(s.memMiB, o.memMiB), max(s.vcores, o.vcores)} }

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

// stated reports whether both parts are given.
func (s shape) stated() bool { return s.memMiB > 0 && s.vcores > 0 }

// makeCluster makes the nodes of the trace: the number of them that the options give, else those of the source, else
// the recorded hosts, else as many as the work takes, which is noted. A host that is none of them stays as a node that
// is never there, so that what was recorded of it is kept.
func (b *Builder) makeCluster() (*cluster, error) {
	c, opt := newCluster(), b.Options
	flag := shape{opt.NodeMemMiB, opt.NodeVCores}
	if len(b.nodes) > 0 && opt.Nodes == 0 {
		if opt.Racks > 1 {
			b.Warn("--racks %d has no effect: the source has nodes, which are in racks of its own; --nodes makes others", opt.Racks)
		}
		most, extra := b.took.most()
		for _, n := range b.nodes {
			size := flag.or(shape{n.MemMiB, n.VCores})
			if !size.stated() {
				size, b.source.NodesFrom = size.or(most), b.took.from()
			}
			n.MemMiB, n.VCores = size.memMiB, size.vcores
			if n.Extra == nil {
				n.Extra = extra
			}
			c.add(n)
		}
		b.sayOutside(c)
		if b.source.NodesFrom != "" {
			b.sayApart() // nobody has listed them
		}
	} else {
		b.Counts.Dropped["nodes_of_the_source"] += int64(len(b.nodes))
		b.makeNodes(c, flag)
		all := len(b.events)
		b.events = slices.DeleteFunc(b.events, func(e event) bool { _, ok := c.id[e.host]; return !ok })
		b.Counts.Dropped["node_events_of_the_source"] += int64(all - len(b.events))
	}
	b.sayWhatNeverFits(c)
	size, outside := c.nodes[0], "recorded_hosts_outside_the_cluster"
	if b.Locality == trace.LocalityRecorded {
		outside = "preferred_hosts_outside_the_cluster"
	}
	for _, h := range b.took.names() {
		if _, ok := c.id[h]; !ok {
			c.add(trace.Node{Host: h, Rack: "/not-in-the-cluster", MemMiB: size.MemMiB, VCores: size.VCores})
			b.Counts.Modelled[outside]++
		}
	}
	return c, nil
}

// sayWhatNeverFits warns of a cluster without a node for the largest container, or with one node that has no room for it beside an application master: a replay on it would not end.
func (b *Builder) sayWhatNeverFits(c *cluster) {
	var node shape
	for _, n := range c.nodes {
		node = node.atLeast(shape{n.MemMiB, n.VCores})
	}
	need, with := b.took.largest.atLeast(b.took.am), ""
	if len(c.nodes) == 1 {
		need, with = shape{b.took.largest.memMiB + b.took.am.memMiB, b.took.largest.vcores + b.took.am.vcores}, " with an application master beside them"
	}
	if need.memMiB > node.memMiB || need.vcores > node.vcores {
		b.Warn("containers take up to %v%s, and nodes have at most %v: what fits on none never starts; --node-mem and --node-vcores say others", need, with, node)
	}
}

// MadeHost is the host of node i of the cluster that the options give. A source whose nodes have no names may have events of it.
func (b *Builder) MadeHost(i int) string {
	return fmt.Sprintf("host%0*d", len(fmt.Sprint(b.Options.Nodes)), i+1)
}

// makeNodes makes as many nodes as the options say, or one for each recorded host.
func (b *Builder) makeNodes(c *cluster, flag shape) {
	most, extra := b.took.most()
	class, opt := flag.or(b.machine.or(nodeClass)), b.Options
	size := flag.or(b.took.roomFor(b.machine.or(nodeClass)))
	if opt.Nodes > 0 && size != class {
		b.Warn("nodes are of %v and not of %v: the largest container asks for %v, and an application master beside it for %v; --node-mem and --node-vcores say others", size, class, b.took.largest, b.took.am)
	}
	if opt.Nodes == 0 && len(b.took.names()) == 0 {
		b.enoughNodes(size, extra)
		b.source.NodesFrom = trace.NodesFromLoad
	}
	var names []string
	for i := range opt.Nodes {
		names = append(names, b.MadeHost(i))
	}
	if opt.Nodes == 0 {
		names, size = b.took.names(), flag.or(most)
		b.sayApart()
		if !flag.stated() {
			b.source.NodesFrom = b.took.from()
		}
	}
	for i, name := range names {
		rack := defaultRack
		if opt.Racks > 1 {
			rack = fmt.Sprintf("/rack%d", i%opt.Racks+1)
		}
		c.add(trace.Node{Host: name, Rack: rack, MemMiB: size.memMiB, VCores: size.vcores, Extra: extra, Present: true})
	}
	b.Counts.Modelled["node_sizes"] += int64(len(names))
	b.Counts.Modelled["node_racks"] += int64(len(names))
	if len(extra) > 0 {
		b.Counts.Modelled["node_further_resources"] += int64(len(names))
	}
}

const (
	// roomyLoad is the offered load of a cluster that is as large as the work takes, or what the work keeps busy of it as long as its longest task runs, where that is longer than the
	// time of submissions. Application masters are no part of it, and few traces arrive evenly: with more load jobs wait for most of a replay.
	roomyLoad = 0.5
	mostNodes = 100_000 // of such a cluster
)

// enoughNodes sets the number of nodes of a size on which the load of all applications is about roomyLoad, also of further resources, and which hold the largest gang together with an
// application master.
func (b *Builder) enoughNodes(size shape, extra []trace.NamedValue) {
	span, busy := b.submissionsMS(), "on which the offered load is "
	until := ""
	if longest := max(b.took.longestMS, 1); span < longest {
		span, busy, until = longest, "which the work keeps busy by ", " as long as its longest task runs, which is longer than jobs are submitted"
	}
	each := trace.Size{Nodes: 1, VCores: int64(size.vcores), MemMiB: size.memMiB, Further: map[string]int64{}}
	for _, x := range extra {
		each.Further[x.Name] = x.Value
	}
	one := trace.OfferedLoad(b.work(), each, span)
	n := max(1, math.Ceil(one.Most()/roomyLoad))
	for _, g := range b.took.gangs {
		n = max(n, math.Ceil(float64(g.tasks)/float64(g.perNode(size)))+1)
	}
	b.Options.Nodes = int(min(n, mostNodes))
	b.Counts.Modelled["nodes"] += int64(b.Options.Nodes)
	others := "--nodes, --node-mem and --node-vcores say others"
	if b.nodesIn != "" {
		others += ", and " + b.nodesIn + " among the inputs has the real ones"
	}
	b.Note("the source names no nodes: made up are %d of %v, %s%v%s; %s", b.Options.Nodes, size, busy, one.Faster(1/float64(b.Options.Nodes)), until, others)
}

// work is that of all copies of the applications.
func (b *Builder) work() trace.Work {
	copies, w := float64(b.Options.Copies), b.took.work
	all := trace.Work{VCoreMS: w.VCoreMS * copies, MemMiBMS: w.MemMiBMS * copies, Further: map[string]float64{}}
	for name, ms := range w.Further {
		all.Further[name] = ms * copies
	}
	return all
}

// submissionsMS is the time from the first submission to the last.
func (b *Builder) submissionsMS() int64 {
	how, _ := parseArrivals(b.Options.Arrivals) // was checked
	if how.kind == "recorded" {
		return b.spool.index.last - b.spool.index.first
	}
	return int64(b.spool.index.len()*b.Options.Copies-1) * how.gap.Milliseconds()
}
