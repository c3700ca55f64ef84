package capacity

import (
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// Proposal is one decision of the scheduler as it is checked and carried out.
//
// Source: ResourceCommitRequest.
type Proposal struct {
	What         ProposalKind
	App          protocol.AppID
	Container    protocol.ContainerID // of a reservation that is filled, met again or given back; zero where the number is not taken yet
	Node         protocol.NodeID
	Size         resource.Resource
	Type         protocol.NodeType
	FromReserved bool // it fills the reservation
	Accepted     bool
}

// ProposalKind is what is proposed.
type ProposalKind uint8

// The kinds of proposals.
const (
	ToAllocate ProposalKind = iota
	ToReserve
	ToRelease // a reservation, and nothing instead
)

func (k ProposalKind) String() string { return [...]string{"allocate", "reserve", "release"}[k] }

// ObserveProposals has f called with each proposal after it was carried out or refused. f must not keep it.
func (s *Scheduler) ObserveProposals(f func(*Proposal)) { s.observeProposals = f }

// proposal describes an assignment that is not yet carried out.
func (s *Scheduler) proposal(n *yarn.Node, got *assignment) Proposal {
	if !s.positive(got.size) {
		c := got.excess
		return Proposal{What: ToRelease, App: c.ID.App, Container: c.ID, Node: c.Node.ID, Size: c.Size}
	}
	p := Proposal{App: got.app.ID, Node: n.ID, Size: got.size, Type: got.kind}
	if got.reserve {
		p.What = ToReserve
	}
	if got.fulfilled != nil {
		p.Container, p.FromReserved = got.fulfilled.ID, !got.reserve
	}
	return p
}

// LeafState is a leaf queue at one moment.
type LeafState struct {
	Path                        string
	Capacity, MaxCapacity, Used float32           // parts of the cluster
	Usage, Reserved, Pending    resource.Resource // Usage holds what is reserved
	AMUsed, AMLimit             resource.Resource
	Users                       []UserState // in no order that means anything
	Apps                        []AppState  // likewise
}

// UserState is a user of a leaf queue.
type UserState struct {
	Name   string
	Active bool              // he asks for something
	Usage  resource.Resource // with what is reserved
	Limit  resource.Resource // as last computed
	AMUsed resource.Resource
}

// AppState is an attempt in a leaf queue.
type AppState struct {
	ID                       protocol.AppID
	User                     string
	Active                   bool // the queue has room for its master
	Usage, Reserved, Pending resource.Resource
	WaitingForAM             bool
}

// Leaves yields the state of the leaf queues.
func (s *Scheduler) Leaves(yield func(LeafState) bool) {
	for _, q := range s.queues {
		if q.leaf && !yield(q.state()) {
			return
		}
	}
}

func (q *queue) state() LeafState {
	l := LeafState{
		Path: q.cfg.Path, Capacity: q.cfg.AbsoluteCapacity, MaxCapacity: q.cfg.AbsoluteMaxCapacity, Used: q.stands().AbsoluteUsed,
		Usage: q.used, Reserved: q.reserved, Pending: q.pending, AMUsed: q.amUsed, AMLimit: q.amLimit,
	}
	for _, u := range q.users.order.All {
		l.Users = append(l.Users, UserState{Name: u.name, Active: u.asking, Usage: u.used, Limit: u.account.limit, AMUsed: u.amUsed})
	}
	for _, list := range [][]*app{q.activeApps, q.pendingApps, q.waiting} {
		for _, a := range list {
			l.Apps = append(l.Apps, AppState{
				ID: a.ID, User: a.user.name, Active: a.active, Usage: a.Used, Reserved: a.reserved, Pending: a.pending, WaitingForAM: a.WaitingForAM,
			})
		}
	}
	return l
}
