package allocator

import "replay/policy/resource"

// A State is what decides later heartbeats, for explanations and comparisons.
type State struct {
	Maps, Reduces               []Attempt // asked for, oldest first
	Failed                      []Attempt // maps after a failure, stale ones too
	Pending                     []Attempt // reduces that are not asked for
	RunningMaps, RunningReduces []Attempt
	Totals                      Totals
	ReduceStarted               bool
	IgnoresBlacklist            bool
}

// State returns the state.
func (a *Allocator) State() State {
	s := State{
		Maps: a.sched.maps.keys(), Reduces: a.sched.reduces.keys(), Failed: a.sched.failed.left(), Pending: make([]Attempt, 0, len(a.pending)),
		RunningMaps: a.assigned.maps.keys(), RunningReduces: a.assigned.reduces.keys(), Totals: a.totals,
		ReduceStarted: a.reduceStarted, IgnoresBlacklist: a.asks.ignoring,
	}
	for _, r := range a.pending {
		s.Pending = append(s.Pending, r.attempt)
	}
	return s
}

// Counts are the lengths of the lists.
type Counts struct{ PendingReduces, Maps, Reduces, RunningMaps, RunningReduces int }

// Counts returns them.
func (a *Allocator) Counts() Counts {
	return Counts{len(a.pending), a.sched.maps.len(), a.sched.reduces.len(), a.assigned.maps.len(), a.assigned.reduces.len()}
}

// Sizes are those that were fixed for maps and for reduces; zero before.
func (a *Allocator) Sizes() (maps, reduces resource.Resource) { return a.mapSize, a.reduceSize }
