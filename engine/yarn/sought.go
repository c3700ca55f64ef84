package yarn

import (
	"math"
	"slices"

	"replay/policy/resource"
)

// A Fit says whether a container of a size has room in what is free of a node. Of the same two it always says the same.
type Fit func(free, size resource.Resource) bool

// sought is which nodes have room for containers of the sizes that were looked for of late. A node is looked at again when it has changed.
type sought struct {
	sizes   []roomy
	members int64   // [Cluster.Members] as of which the nodes were gone through
	changed []*Node // since then, each once
}

// mostSought is for how many sizes the nodes with room are kept.
const mostSought = 16

// roomy is which nodes have room for a container of a size, by number.
type roomy struct {
	size  resource.Resource
	nodes Ranks
	lacks []float64 // a tree of minima over what nodes lack by [lacking], the root at 1, its leaves the nodes; those with room, and numbers without a node, are infinite
}

// note takes down that a node has changed.
func (s *sought) note(n *Node) {
	if !n.sought && len(s.sizes) > 0 {
		n.sought = true
		s.changed = append(s.changed, n)
	}
}

// roomFor finds the nodes with room for a size as they are.
func (c *Cluster) roomFor(size resource.Resource, fits Fit) *roomy {
	s := &c.sought
	if s.members != c.members {
		s.sizes, s.members = s.sizes[:0], c.members
	}
	for _, n := range s.changed {
		n.sought = false
		for i := range s.sizes {
			s.sizes[i].look(n, fits)
		}
	}
	s.changed = s.changed[:0]
	if i := slices.IndexFunc(s.sizes, func(r roomy) bool { return r.size == size }); i >= 0 {
		return &s.sizes[i]
	}
	if len(s.sizes) == mostSought {
		s.sizes = s.sizes[:0]
	}
	s.sizes = slices.Grow(s.sizes, 1)[:len(s.sizes)+1]
	r := &s.sizes[len(s.sizes)-1]
	r.survey(size, c.byID, fits)
	return r
}

// survey looks at all nodes.
func (r *roomy) survey(size resource.Resource, nodes []*Node, fits Fit) {
	leaves := 1
	for leaves < len(nodes) {
		leaves *= 2
	}
	r.size = size
	r.nodes.Reset(len(nodes))
	r.lacks = slices.Grow(r.lacks[:0], 2*leaves)[:2*leaves]
	for i := range r.lacks {
		r.lacks[i] = math.Inf(1)
	}
	for _, n := range nodes {
		if n != nil {
			r.lacks[leaves+int(n.ID)] = r.at(n, fits)
		}
	}
	for i := leaves - 1; i > 0; i-- {
		r.lacks[i] = min(r.lacks[2*i], r.lacks[2*i+1])
	}
}

// look looks at a node again.
func (r *roomy) look(n *Node, fits Fit) {
	i := len(r.lacks)/2 + int(n.ID)
	if lack := r.at(n, fits); r.lacks[i] != lack {
		for r.lacks[i] = lack; i > 1; {
			i /= 2
			r.lacks[i] = min(r.lacks[2*i], r.lacks[2*i+1])
		}
	}
}

// at puts a node among those with room, or takes it out, and returns what it lacks.
func (r *roomy) at(n *Node, fits Fit) float64 {
	room := fits(n.Free, r.size)
	r.nodes.Set(int(n.ID), room)
	if room {
		return math.Inf(1)
	}
	return lacking(r.size, n.Free)
}

// nearest is the number of the node that lacks least, the lowest of several; ok is false when none lacks anything.
func (r *roomy) nearest() (number int, ok bool) {
	least, i := r.lacks[1], 1
	for i < len(r.lacks)/2 {
		if i *= 2; r.lacks[i] != least {
			i++
		}
	}
	return i - len(r.lacks)/2, !math.IsInf(least, 1)
}

// lacking is how much of a container does not fit, as the largest part of it over the types.
func lacking(size, free resource.Resource) (most float64) {
	for i := range size {
		if size[i] > max(free[i], 0) {
			most = max(most, float64(size[i]-max(free[i], 0))/float64(size[i]))
		}
	}
	return most
}
