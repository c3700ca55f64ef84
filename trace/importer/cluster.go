package importer

import (
	"cmp"
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

func (c *cluster) add(host, rack string, memMiB int64, vcores int32, present bool) {
	r, ok := c.racks[rack]
	if !ok {
		r = int32(len(c.racks))
		c.racks[rack] = r
	}
	n := trace.Node{ID: int32(len(c.nodes)), Host: host, RackID: r, Rack: rack, MemMiB: memMiB, VCores: vcores, Present: present}
	c.nodes = append(c.nodes, n)
	c.id[host] = n.ID
	if present {
		c.inRack[r] = append(c.inRack[r], n.ID)
		c.there = append(c.there, n.ID)
	}
}

// addAbsent adds the hosts that are no nodes, so that what was recorded on them is kept.
func (c *cluster) addAbsent(hosts map[string]bool, memMiB int64, vcores int32) (added int64) {
	for _, h := range slices.Sorted(maps.Keys(hosts)) {
		if _, ok := c.id[h]; !ok {
			c.add(h, "/not-in-the-cluster", memMiB, vcores, false)
			added++
		}
	}
	return added
}

// residents collects how much the recorded executors took of each host.
type residents struct {
	changes map[string][]residentChange
	am      shape // the largest
}

type residentChange struct {
	at, memMiB int64
	vcores     int32
}

func (r *residents) add(a *sparkApp) {
	if r.changes == nil {
		r.changes = map[string][]residentChange{}
	}
	for _, e := range a.Executors {
		host := a.Hosts[e.Node]
		r.changes[host] = append(r.changes[host], residentChange{e.AddedMS, e.MemMiB, e.VCores})
		if e.RemovedMS != trace.Unset {
			r.changes[host] = append(r.changes[host], residentChange{e.RemovedMS, -e.MemMiB, -e.VCores})
		} else if a.Job.RecordedFinishMS != trace.Unset {
			r.changes[host] = append(r.changes[host], residentChange{max(a.Job.RecordedFinishMS, e.AddedMS), -e.MemMiB, -e.VCores})
		}
	}
	r.am = shape{max(r.am.memMiB, a.Job.AMMemMiB), max(r.am.vcores, a.Job.AMVCores)}
}

// most is the size of a node that could have held all executors of its host at any time and an
// application master, in whole GiB.
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
	return shape{(most.memMiB + r.am.memMiB + 1023) / 1024 * 1024, most.vcores + r.am.vcores}
}

// nodeClass is the node size of a given cluster when no flag says otherwise.
var nodeClass = shape{64 << 10, 16}

// eventLogCluster makes the cluster for event logs: the given number of nodes, or the recorded hosts.
// Logs know neither racks nor node sizes.
func eventLogCluster(opt *Options, hosts map[string]bool, r *residents, counts *Counts) *cluster {
	c, size := newCluster(), nodeClass
	if opt.Nodes == 0 {
		size = r.most()
	}
	if opt.NodeMemMiB > 0 {
		size.memMiB = opt.NodeMemMiB
	}
	if opt.NodeVCores > 0 {
		size.vcores = opt.NodeVCores
	}
	names := slices.Sorted(maps.Keys(hosts))
	if opt.Nodes > 0 {
		names = names[:0]
		for i := range opt.Nodes {
			names = append(names, fmt.Sprintf("host%0*d", len(fmt.Sprint(opt.Nodes)), i+1))
		}
	}
	for i, name := range names {
		rack := defaultRack
		if opt.Racks > 1 {
			rack = fmt.Sprintf("/rack%d", i%opt.Racks+1)
		}
		c.add(name, rack, size.memMiB, size.vcores, true)
	}
	counts.Modelled["node_sizes"] += int64(len(names))
	counts.Modelled["node_racks"] += int64(len(names))
	counts.Modelled["recorded_hosts_outside_the_cluster"] += c.addAbsent(hosts, size.memMiB, size.vcores)
	return c
}
