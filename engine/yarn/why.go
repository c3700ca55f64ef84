package yarn

import (
	"slices"

	"replay/engine/protocol"
	"replay/policy"
	"replay/policy/resource"
)

// A Cause is what keeps an application from its next container.
type Cause uint8

// Causes, in the order in which a scheduler meets them: of several that hold the first one counts.
const (
	WaitsForNone  Cause = iota // nothing is wanted
	RunningLimit               // a queue or the user runs as many applications as it may
	AMShare                    // the application masters of the queue, or of the user in it, have all that they may have
	QueueLimit                 // the queue, or one above it, has all that it may have
	UserLimit                  // the user has all that a user of the queue may have
	Behind                     // one before it in the queue waits for a limit, and none behind that one is served
	NoRoom                     // no node has room
	Unwanted                   // nodes with room are all refused: asked for elsewhere without relaxed locality, or on the blacklist
	LocalityDelay              // nodes with room are all farther away than is accepted yet
	HeldForOther               // nodes with room are all reserved for other applications
	Turn                       // a node with room, whose turn has not come
)

// A Refusal is the cause with the numbers that it stands on, as they are at a moment.
type Refusal struct {
	Cause Cause
	Size  resource.Resource // of the container that is wanted
	AM    bool              // it is the application master's

	Queue         string            // whose limit it is
	User          string            // whose limit it is, within Queue if that is set
	Used, Limit   resource.Resource // of AMShare, QueueLimit and UserLimit
	Running, Most int64             // applications, of RunningLimit

	Node  protocol.NodeID   // the one that lacks least of NoRoom, else the first with room; -1 for none
	Free  resource.Resource // on it
	Level policy.Level      // accepted so far, of LocalityDelay
	Ahead protocol.AppID    // that holds the reservation, of HeldForOther, or is waited behind, of Behind
}

// An Explainer is a [Scheduler] that says why an application waits. Asking changes nothing.
type Explainer interface {
	// Why says what keeps an application from its next container.
	Why(protocol.AppID) Refusal
	// Could reports whether an application could have had the room of a container that another one has just got, as far as the
	// node goes.
	Could(protocol.AppID, protocol.Container) bool
}

// Acceptance is whether a node is taken for a container.
type Acceptance uint8

// A node is never taken as things stand, later if nothing nearer comes, or at once.
const (
	Never Acceptance = iota
	Later
	Accepted
)

// roomy is which nodes have room for a container, by number, as of a change of the cluster.
type roomy struct {
	size    resource.Resource
	changes int64
	nodes   []*Node
	nearest *Node // the one that lacks least, if none has room
}

// mostSought is for how many sizes the nodes with room are kept.
const mostSought = 16

// roomFor finds the nodes with room for a size, once until a node changes.
func (c *Cluster) roomFor(size resource.Resource, fits func(free resource.Resource) bool) *roomy {
	i := slices.IndexFunc(c.sought, func(r roomy) bool { return r.size == size })
	if i < 0 {
		if len(c.sought) == mostSought {
			c.sought = c.sought[:0]
		}
		i = len(c.sought)
		c.sought = append(c.sought, roomy{size: size, changes: -1})
	}
	r := &c.sought[i]
	if r.changes == c.changes {
		return r
	}
	r.changes, r.nodes, r.nearest = c.changes, r.nodes[:0], nil
	lack := 0.0
	for _, n := range c.byID {
		switch {
		case n == nil:
		case fits(n.Free):
			r.nodes = append(r.nodes, n)
		case len(r.nodes) == 0:
			if l := lacking(size, n.Free); r.nearest == nil || l < lack {
				r.nearest, lack = n, l
			}
		}
	}
	return r
}

// Seek looks for a node for a container of an application: one with room, by fits, that it takes, by accepts, and that is free for it. Nodes
// are looked at by number. Of a size fits must say the same until a node changes.
func (c *Cluster) Seek(a *Attempt, size resource.Resource, fits func(free resource.Resource) bool, accepts func(*Node) Acceptance) Refusal {
	found := Refusal{Cause: NoRoom, Size: size, AM: a.WaitingForAM, Node: -1}
	at := func(cause Cause, n *Node) {
		if found.Cause == NoRoom || found.Cause < cause {
			found.Cause, found.Node, found.Free = cause, n.ID, n.Free
		}
	}
	room := c.roomFor(size, fits)
	if len(room.nodes) == 0 && room.nearest != nil {
		found.Node, found.Free = room.nearest.ID, room.nearest.Free
	}
	for _, n := range room.nodes {
		switch {
		case a.Blacklisted(n):
			at(Unwanted, n)
		case n.Reserved != nil && n.Reserved.ID.App != a.ID:
			if found.Cause != HeldForOther {
				at(HeldForOther, n)
				found.Ahead = n.Reserved.ID.App
			}
		default:
			switch accepts(n) {
			case Accepted:
				found.Cause, found.Node, found.Free, found.Ahead = Turn, n.ID, n.Free, 0
				return found
			case Later:
				if found.Cause != LocalityDelay {
					at(LocalityDelay, n)
				}
			default:
				at(Unwanted, n)
			}
		}
	}
	return found
}

// Could reports whether one of an application's keys has room, by fits, and takes a node, by accepts, once a container on the node has ended.
func (a *Attempt) Could(n *Node, ended resource.Resource, fits func(free, size resource.Resource) bool, accepts func(*Table, *Node) Acceptance) bool {
	if n == nil || a.Blacklisted(n) {
		return false
	}
	room := n.Free.Add(ended)
	for _, t := range a.Active() {
		if fits(room, t.Any().Size) && accepts(t, n) == Accepted {
			return true
		}
	}
	return false
}

// Why is the refusal of an application's first key, unless another key has its turn.
func (a *Attempt) Why(of func(*Table) Refusal) (found Refusal) {
	for i, t := range a.Active() {
		r := of(t)
		if r.Cause == Turn {
			return r
		}
		if i == 0 {
			found = r
		}
	}
	return found
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
