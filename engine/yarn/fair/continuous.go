package fair

import (
	"cmp"
	"slices"

	"replay/engine/reuse"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// ContinuousPass offers the nodes with room, most free memory first. Of nodes with equally much only one is visited, the first in YARN's order.
//
// Source: FairScheduler.continuousSchedulingAttempt, ClusterNodeTracker.sortedNodeSet.
func (f *Scheduler) ContinuousPass() {
	if f.literally {
		f.pass.Reset()
		for n := range f.cluster.All {
			f.pass.Add(n, func(a, b *yarn.Node) int {
				return resource.DefaultCalculator{}.Compare(f.cluster.Capacity, b.Free, a.Free, false)
			})
		}
		f.passNodes = f.pass.AppendTo(f.passNodes[:0])
	} else {
		f.follow()
		f.passNodes = slices.AppendSeq(f.passNodes[:0], f.freest.each(f))
	}
	for _, n := range f.passNodes {
		if f.site.MinAllocation.FitsIn(n.Free) {
			f.schedule(f.at(n))
		}
	}
}

// PassDue is part of [yarn.Passer].
func (f *Scheduler) PassDue() bool {
	e := &f.elision
	if f.literally || !f.known() || e.counted > 0 {
		return true
	}
	for n := range f.freest.each(f) {
		if !f.site.MinAllocation.FitsIn(n.Free) {
			continue
		}
		// Of a node that sends no heartbeats it is not known whether somebody accepts it.
		if i, sends := f.at(n).sends(); !sends || e.accepts(i) {
			return true
		}
	}
	return false
}

// Changes is part of [yarn.Passer].
func (f *Scheduler) Changes() int64 { return f.elision.changes + f.cluster.Changes() }

// freest are the nodes by how much memory is free on them.
type freest struct {
	members int64             // of the cluster, as of which the rest is; see [yarn.Cluster.Members]
	nodes   []*yarn.Node      // in YARN's order
	place   []int32           // by node: its place there plus 1
	free    []int64           // by place
	of      map[int64][]int32 // places with so much memory, ascending
	sizes   []int64           // of them, descending
}

// each yields the first node of each size.
func (x *freest) each(f *Scheduler) func(func(*yarn.Node) bool) {
	if x.of == nil || x.members != f.cluster.Members() {
		x.begin(f)
	}
	return func(yield func(*yarn.Node) bool) {
		for _, free := range x.sizes {
			if !yield(x.nodes[x.of[free][0]]) {
				return
			}
		}
	}
}

func (x *freest) begin(f *Scheduler) {
	x.members, x.nodes, x.free, x.sizes = f.cluster.Members(), x.nodes[:0], x.free[:0], x.sizes[:0]
	x.of = map[int64][]int32{}
	clear(x.place)
	for n := range f.cluster.All {
		for int(n.ID) >= len(x.place) {
			x.place = append(x.place, 0)
		}
		x.nodes, x.free = append(x.nodes, n), append(x.free, n.Free[resource.Memory])
		at := int32(len(x.nodes))
		x.place[n.ID] = at
		x.put(at - 1)
	}
}

// look takes in how much is free on a node now.
func (x *freest) look(n *yarn.Node) {
	if int(n.ID) >= len(x.place) || x.place[n.ID] == 0 {
		return
	}
	at := x.place[n.ID] - 1
	was, free := x.free[at], n.Free[resource.Memory]
	if was == free || x.nodes[at] != n {
		return
	}
	list := x.of[was]
	i, _ := slices.BinarySearch(list, at)
	if x.of[was] = slices.Delete(list, i, i+1); len(list) == 1 {
		delete(x.of, was)
		i, _ := slices.BinarySearchFunc(x.sizes, was, descending)
		x.sizes = slices.Delete(x.sizes, i, i+1)
	}
	x.free[at] = free
	x.put(at)
}

func (x *freest) put(at int32) {
	free := x.free[at]
	list := x.of[free]
	if len(list) == 0 {
		i, _ := slices.BinarySearchFunc(x.sizes, free, descending)
		x.sizes = reuse.Insert(x.sizes, i, free)
	}
	i, _ := slices.BinarySearch(list, at)
	x.of[free] = reuse.Insert(list, i, at)
}

func descending(a, b int64) int { return cmp.Compare(b, a) }

var _ yarn.Passer = (*Scheduler)(nil)
