package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"replay/trace"
)

// Machine is a shape of nodes and its share of them, against those of the other shapes.
type Machine struct {
	VCores int64
	MemMiB int64
	Extra  []trace.NamedValue // further resources, such as GPUs
	Labels []string
	Weight float64
}

// Machines are the nodes of a cluster.
type Machines struct {
	Mix []Machine

	// Racks of one size are given with the number of racks. Else their sizes are log-normal with a limit.
	RackMedian float64 // 0 = racks of one size
	RackLnSD   float64
	RackMost   int64

	JoinShare float64 // of the nodes that come later
	JoinDays  float64 // within which they come
}

// Parameters names those of the nodes.
func (m *Machines) Parameters(p *Parameters) {
	for i := range m.Mix {
		name, shape := "node", &m.Mix[i]
		if len(m.Mix) > 1 {
			name = fmt.Sprintf("node%d", i+1)
		}
		p.In(name, func(p *Parameters) {
			p.Int("vcores", &shape.VCores, 1, math.MaxInt32, "of a node")
			p.Int("mem_mib", &shape.MemMiB, 1, 1<<40, "of a node")
			if len(m.Mix) > 1 {
				p.Float("weight", &shape.Weight, 0, 1e9, "share of the nodes, against those of the other shapes")
			}
		})
	}
	if m.RackMedian > 0 {
		p.Float("rack.median", &m.RackMedian, 1, 1e6, "median of the nodes in a rack, where the number of racks is not given")
		p.Float("rack.lnsd", &m.RackLnSD, 0, 5, "standard deviation of their logarithm")
		p.Int("rack.most", &m.RackMost, 1, 1_000_000, "the most nodes in a rack")
	}
	p.Float("joins.share", &m.JoinShare, 0, 0.9, "share of the nodes that are not there at the start")
	p.Float("joins.days", &m.JoinDays, 0, 36500, "days within which they join")
}

// Largest is the most memory and vcores of a shape that occurs.
func (m *Machines) Largest() (memMiB, vcores int64) {
	for _, shape := range m.Mix {
		if shape.Weight > 0 {
			memMiB, vcores = max(memMiB, shape.MemMiB), max(vcores, shape.VCores)
		}
	}
	return memMiB, vcores
}

// Nodes makes n nodes in so many racks of one size; racks 0 draws the sizes of racks.
func (m *Machines) Nodes(stream func(purpose string) *rand.Rand, n, racks int) []trace.Node {
	shapes, sizes := stream("node-shapes"), stream("rack-sizes")
	var mix Choice
	for i, shape := range m.Mix {
		mix = append(mix, [2]float64{float64(i), shape.Weight})
	}
	nodes := make([]trace.Node, n)
	rack, left := int32(-1), 0
	for i := range nodes {
		if racks > 0 {
			rack = int32(int64(i) * int64(racks) / int64(n))
		} else if left--; left < 0 {
			rack++
			left = m.rackSize(sizes) - 1
		}
		shape := m.Mix[int(mix.Draw(shapes))]
		nodes[i] = trace.Node{
			ID: int32(i), Host: fmt.Sprintf("node%d", i), RackID: rack, Rack: fmt.Sprintf("/rack%d", rack),
			MemMiB: shape.MemMiB, VCores: int32(shape.VCores), Extra: slices.Clone(shape.Extra), Labels: slices.Clone(shape.Labels), Present: true,
		}
	}
	return nodes
}

// rackSize draws a size, within the limit.
func (m *Machines) rackSize(r *rand.Rand) int {
	v := math.Round(LogNormal(r, m.RackMedian, m.RackLnSD))
	return int(min(max(v, 1), float64(m.RackMost)))
}

// Joins makes nodes join later and returns the events, by node.
func (m *Machines) Joins(r *rand.Rand, nodes []trace.Node) (events []trace.NodeEvent) {
	for i := range nodes {
		later, at := r.Float64() < m.JoinShare, r.Float64()
		if !later || i == 0 { // one node is there, so that blocks have a place
			continue
		}
		nodes[i].Present = false
		events = append(events, trace.NewNodeEvent(1+int64(at*m.JoinDays*dayMS), nodes[i].ID, trace.Join))
	}
	return events
}
