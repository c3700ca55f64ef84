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
	kept *kept // what it was when it was asked for last
}

// kept are the nodes of a room as of some time, which all share that ask for them until one of the nodes has room or has none any more: the containers of an application come one
// after the other.
type kept struct {
	words   []uint64
	holders int
	last    bool // the room has it
	present bool // and has not changed since
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
		fits := r.size.Within(left)
		if fits == r.Has(int(id)) {
			continue
		}
		r.Set(int(id), fits)
		if r.kept != nil {
			r.kept.present = false
		}
	}
}

// placed are rooms by place, for those who keep no more than that of one. A place that is free keeps its memory.
type placed struct {
	list  []placedRoom
	free  []int32
	spare []*kept // which nobody has
}

type placedRoom struct {
	master.Room
	kept *kept   // where Roomy is from
	own  []int32 // room for a list that does not stay
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
	r.kept = p.keep(room)
	r.kept.holders++
	r.Preferred, r.Roomy = preferred, r.kept.words
	return at + 1
}

// keep returns what a room is now.
func (p *placed) keep(room *room) *kept {
	k := room.kept
	switch {
	case k == nil:
		k = &kept{}
	case k.present:
		return k
	case k.holders > 0:
		k.last = false
		if n := len(p.spare); n > 0 {
			k, p.spare = p.spare[n-1], p.spare[:n-1]
		} else {
			k = &kept{}
		}
	}
	k.words, k.last, k.present = room.AppendTo(k.words[:0]), true, true
	room.kept = k
	return k
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
	if x.kept.holders--; x.kept.holders == 0 && !x.kept.last {
		p.spare = append(p.spare, x.kept)
	}
	*x = placedRoom{own: x.own[:0]}
	p.free = append(p.free, i)
	return r
}
