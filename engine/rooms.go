package engine

import (
	"replay/engine/master"
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
	return size.Within(&n.usage[id].left)
}

// book takes in that another part of a node is used.
func (n *nodes) book(id protocol.NodeID, left *resource.Resource) {
	for _, r := range n.rooms {
		r.Set(int(id), r.size.Within(left))
	}
}

// placed are rooms by place, for those who keep no more than that of one. A place that is free keeps its memory.
type placed struct {
	list []placedRoom
	free []int32
}

type placedRoom struct {
	master.Room
	own []int32 // room for a list that does not stay
}

// put keeps the nodes with room of those that are preferred now, and returns 1 + the place; stays tells that their list does not change.
func (p *placed) put(preferred []int32, stays bool, room *room) int32 {
	at := int32(len(p.list))
	if n := len(p.free); n > 0 {
		at, p.free = p.free[n-1], p.free[:n-1]
	} else {
		p.list = append(p.list, placedRoom{})
	}
	r := &p.list[at]
	if !stays {
		r.own = append(r.own, preferred...)
		preferred = r.own
	}
	r.Preferred, r.Roomy = preferred, room.AppendTo(r.Roomy)
	return at + 1
}

// take returns what is at a place for the last time.
func (p *placed) take(at *int32) (r master.Room) {
	if *at == 0 {
		return r
	}
	i := *at - 1
	*at = 0
	x := &p.list[i]
	r = x.Room
	x.Preferred, x.Roomy, x.own = nil, r.Roomy[:0], x.own[:0]
	p.free = append(p.free, i)
	return r
}
