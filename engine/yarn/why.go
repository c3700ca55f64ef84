package yarn

import (
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
	// Offers says that offers, or time, may lead to another cause though nothing else changes.
	Offers bool
	Ahead  protocol.AppID // that holds the reservation, of HeldForOther, or is waited behind, of Behind
}

// An Explainer is a [Scheduler] that says why an application waits. Asking changes nothing.
type Explainer interface {
	// Why says what keeps an application from its next container. A heartbeat of a node at which the scheduler does nothing that it tells and no node changes leaves the
	// cause of all as it was, but for [Refusal.Offers].
	Why(protocol.AppID) Refusal
	// Alike says as which others an application waits, and is false for one that may wait as no other does. It stays so, and those that are equal wait for the same by Why and have the same by Could, until
	// something is told of one ([Observer]), it is spoken for or leaves, or turns ([Turner]). None of those that wait alike is ever offered nodes to wait for nearer ones.
	Alike(protocol.AppID) (Alike, bool)
	// NodeChanges counts changes of nodes, see [Cluster.Changes], and what else heartbeats may change that leads to another cause.
	NodeChanges() int64
	// Could reports whether an application could have had the room of a container that another one has just got, as far as the
	// node goes.
	Could(protocol.AppID, protocol.Container) bool
}

// Alike is what those that wait alike have in common.
type Alike struct {
	Queue, User string
	Size        resource.Resource // of the container that is wanted
	Master      resource.Resource // that its queue has no room for
	AM          bool              // the container is the application master's
	Way         uint8             // of waiting, of those that a scheduler knows
}

// A Turner is an [Explainer] in which applications turn from one way of waiting to another one without being spoken of: OnTurn has a function called with each of these.
type Turner interface{ OnTurn(func(protocol.AppID)) }

// Anywhere reports whether an attempt wants containers for one key alone, on whatever node, and no node is refused; t is the key's table.
func (a *Attempt) Anywhere() (t *Table, ok bool) {
	if len(a.Active()) != 1 || len(a.Bars) > 0 || a.HasBlacklist() {
		return nil, false
	}
	t = a.Active()[0]
	return t, !t.Located() && t.Any().Relax
}

// Acceptance is whether a node is taken for a container.
type Acceptance uint8

// A node is never taken as things stand, later if nothing nearer comes, or at once.
const (
	Never Acceptance = iota
	Later
	Accepted
)

// Seek looks for a node for a container of an application: one with room, by fits, that it takes, by accepts, and that is free for it. Nodes
// are looked at by number. Of a cluster fits is always the same.
func (c *Cluster) Seek(a *Attempt, size resource.Resource, fits Fit, accepts func(*Node) Acceptance) Refusal {
	found := Refusal{Cause: NoRoom, Size: size, AM: a.WaitingForAM, Node: -1}
	at := func(cause Cause, n *Node) {
		if found.Cause == NoRoom || found.Cause < cause {
			found.Cause, found.Node, found.Free = cause, n.ID, n.Free
		}
	}
	room := c.roomFor(size, fits)
	if room.nodes.Empty() {
		if i, ok := room.nearest(); ok {
			found.Node, found.Free = c.byID[i].ID, c.byID[i].Free
		}
		return found
	}
	for i := room.nodes.Next(0); i < room.nodes.Room(); i = room.nodes.Next(i + 1) {
		n := c.byID[i]
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
				return Refusal{Cause: Turn, Size: size, AM: found.AM, Node: n.ID, Free: n.Free}
			case Later:
				found.Offers = true
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
func (a *Attempt) Could(n *Node, ended resource.Resource, fits Fit, accepts func(*Table, *Node) Acceptance) bool {
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
	offers := false
	for i, t := range a.Active() {
		r := of(t)
		if r.Cause == Turn {
			return r
		}
		if i == 0 {
			found = r
		}
		offers = offers || r.Offers
	}
	found.Offers = offers
	return found
}
