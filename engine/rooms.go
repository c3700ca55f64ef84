package engine

import (
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// room is the nodes of the cluster that have room for a container of a size.
type room struct {
	size resource.Resource
	yarn.Ranks
}

// mostRooms is how many sizes the room is kept for.
const mostRooms = 32

// roomFor returns the nodes in the cluster that have room for a container of a size now. It is valid until something changes.
func (s *sim) roomFor(size resource.Resource) *room {
	n := &s.nodes
	for _, r := range n.rooms {
		if r.size == size {
			return r
		}
	}
	if len(n.rooms) == mostRooms {
		n.rooms = n.rooms[:0]
	}
	r := &room{size: size}
	r.Reset(len(n.spec))
	for _, id := range n.registered {
		r.Set(int(id), n.fits(id, &size))
	}
	n.rooms = append(n.rooms, r)
	return r
}

// fits reports whether a node in the cluster has room for a container of a size.
func (n *nodes) fits(id protocol.NodeID, size *resource.Resource) bool {
	return n.in[id] && size.FitsBeside(&n.used[id], &n.total[id])
}

// book takes in that another part of a node is used.
func (n *nodes) book(id protocol.NodeID) {
	for _, r := range n.rooms {
		r.Set(int(id), n.fits(id, &r.size))
	}
}

// lists are empty lists of nodes, for those who need one for a while.
type lists [][]int32

// spare returns an empty list.
func (l *lists) spare() []int32 {
	n := len(*l)
	if n == 0 {
		return nil
	}
	list := (*l)[n-1]
	*l = (*l)[:n-1]
	return list
}

// gave takes a list back that was read for the last time.
func (l *lists) gave(list []int32) {
	if cap(list) > 0 {
		*l = append(*l, list[:0])
	}
}

// placed are lists of nodes by place, for those who keep no more than that of one.
type placed struct {
	list [][]int32
	free []int32
}

// put returns 1 + the place of a list.
func (p *placed) put(list []int32) int32 {
	if n := len(p.free); n > 0 {
		at := p.free[n-1]
		p.free = p.free[:n-1]
		p.list[at] = list
		return at + 1
	}
	p.list = append(p.list, list)
	return int32(len(p.list))
}

// take returns a list for the last time.
func (p *placed) take(at *int32) (list []int32) {
	if *at == 0 {
		return nil
	}
	i := *at - 1
	*at = 0
	list, p.list[i] = p.list[i], nil
	p.free = append(p.free, i)
	return list
}
