package verify

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"replay/spill"
)

func (v *verifier) readNodes() error {
	const file = "nodes.parquet"
	c := v.check("nodes: states in order of time", file)
	numbers := v.check("nodes: numbers are fewer than rows", file)
	last := int64(0)
	var all []nodeRow
	err := rows(v, file, func(_ int64, r *nodeRow) { all = append(all, *r) })
	for row, r := range all {
		c.that(r.Time >= last, int64(row), "time_ms", r.Time, "%d of the row before, or more", last)
		last = r.Time
		ok := r.Node >= 0 && int(r.Node) < len(all)
		numbers.that(ok, int64(row), "node", r.Node, "0 to %d, as each node has a row", len(all)-1)
		if !ok {
			continue
		}
		for int(r.Node) >= len(v.nodes) {
			v.nodes = append(v.nodes, nil)
		}
		v.nodes[r.Node] = append(v.nodes[r.Node], r)
	}
	return err
}

// checkNodes goes through the life of each node: containers begin while it is registered and end with it, and when one begins all fit.
func (v *verifier) checkNodes() error {
	fit := v.check("containers: fit their node when they are allocated", "containers.parquet")
	memoryOnly := v.manifest.warned("oversubscribed")
	var list []onNode
	return v.byNode.Each(context.Background(), func(key []byte, records [][]byte) error {
		n, _ := binary.Varint(key)
		list = slices.Grow(list[:0], len(records))[:len(records)]
		for i, record := range records {
			list[i].unpack(spill.Unpacker(record))
		}
		checkNode(n, v.nodes[n], list, memoryOnly, v.life, fit)
		return nil
	})
}

// checkNode sweeps over the times of one node: ends, then states, then allocations of a millisecond. Containers come in the order of their rows.
func checkNode(node int64, states []nodeRow, containers []onNode, memoryOnly bool, life, fit *checker) {
	list := make([]int32, len(containers))
	for i := range list {
		list[i] = int32(i)
	}
	ends := slices.Clone(list)
	by := func(at func(c *onNode) int64) func(a, b int32) int {
		return func(a, b int32) int {
			return cmp.Or(cmp.Compare(at(&containers[a]), at(&containers[b])), cmp.Compare(a, b))
		}
	}
	slices.SortFunc(list, by(func(c *onNode) int64 { return c.allocated }))
	slices.SortFunc(ends, by(func(c *onNode) int64 { return c.until }))
	var mem, vcores int64
	s, e := 0, 0
	var most, mostBefore nodeRow // the most memory and vcores since the node registered, and until it left
	open := map[int32]bool{}
	leave := func(at int64) { // everything has ended when the node is no longer registered
		for i := range open {
			c := &containers[i]
			life.that(c.ended != none && c.ended <= at, c.row, "ended_ms", c.ended, "%d or before, when its node left", at)
		}
	}
	for _, i := range list {
		c := &containers[i]
		at := c.allocated
		for {
			nextEnd := e < len(ends) && containers[ends[e]].until <= at && open[ends[e]]
			nextState := s < len(states) && states[s].Time <= at
			switch {
			case nextEnd && (!nextState || containers[ends[e]].until <= states[s].Time):
				x := &containers[ends[e]]
				mem, vcores = mem-x.mem, vcores-x.vcores
				delete(open, ends[e])
				e++
				continue
			case nextState:
				if !states[s].Registered {
					leave(states[s].Time)
					most, mostBefore = nodeRow{}, most
					mostBefore.Time = states[s].Time
				} else {
					most.MemMiB, most.VCores = max(most.MemMiB, states[s].MemMiB), max(most.VCores, states[s].VCores)
				}
				s++
				continue
			}
			break
		}
		there := s > 0 && (states[s-1].Registered || s > 1 && states[s-1].Time == at)
		if !life.holds(there) {
			life.not(c.row, "allocated_ms", at, "a time at which node %d is registered", node)
		}
		open[i] = true
		mem, vcores = mem+c.mem, vcores+c.vcores
		if !there {
			continue
		}
		has := states[s-1]
		for k := s - 1; k > 0 && states[k].Time == at; k-- { // what held before this millisecond, where that is more
			has.MemMiB, has.VCores, has.Draining = max(has.MemMiB, states[k-1].MemMiB), max(has.VCores, states[k-1].VCores), has.Draining || states[k-1].Draining
		}
		if has.Draining { // its total is what it holds, and that may be more than a capacity that was taken back
			has.MemMiB, has.VCores = max(has.MemMiB, most.MemMiB), max(has.VCores, most.VCores)
			if mostBefore.Time == at { // it left in this millisecond, perhaps after the allocation
				has.MemMiB, has.VCores = max(has.MemMiB, mostBefore.MemMiB), max(has.VCores, mostBefore.VCores)
			}
		}
		if !fit.holds(mem <= has.MemMiB) {
			fit.not(c.row, "memory_mib", c.mem, "room on node %d: then %d of its %d MiB are in use", node, mem, has.MemMiB)
		}
		if !fit.holds(vcores <= has.VCores || memoryOnly) {
			fit.not(c.row, "vcores", c.vcores, "room on node %d: then %d of its %d vcores are in use, and run.json does not say that they are oversubscribed", node, vcores, has.VCores)
		}
	}
	for ; s < len(states); s++ {
		for e < len(ends) && containers[ends[e]].until <= states[s].Time {
			delete(open, ends[e])
			e++
		}
		if !states[s].Registered {
			leave(states[s].Time)
		}
	}
}

// nodesAt is what is registered at the end of a millisecond.
type nodesAt struct {
	states             [][]nodeRow // of each node, in time
	begun              []int       // by node: states that have
	nodes, mem, vcores int64
	at                 int64
}

// advance goes on to a time, which must not be before the last one.
func (n *nodesAt) advance(at int64) {
	if n.begun != nil && at == n.at {
		return
	}
	if n.begun == nil {
		n.begun = make([]int, len(n.states))
	}
	n.at, n.nodes, n.mem, n.vcores = at, 0, 0, 0
	for i, states := range n.states {
		k := n.begun[i]
		for k < len(states) && states[k].Time <= at {
			k++
		}
		n.begun[i] = k
		if k > 0 && states[k-1].Registered {
			n.nodes++
			n.mem += states[k-1].MemMiB
			n.vcores += states[k-1].VCores
		}
	}
}
