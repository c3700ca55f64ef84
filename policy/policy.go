// Package policy decides which containers are asked for, which queue and application
// is served next, and when a worse locality is accepted. It holds no clock, no files
// and no randomness: given the same arguments in the same order, a policy returns the
// same answer.
//
// A policy is one file. It defines one type, a constructor and one line in the table
// of its kind ([Placements], [Sharings], [Delays] or [LeafOrders]); nothing else changes.
// A program of one's own adds entries by [Tables].
//
// All memory is in MiB, all CPU in vcores, all times in milliseconds of simulated
// time since the start of the trace.
package policy

import "replay/policy/resource"

// A Mistake is the panic of a policy that cannot decide, such as one written by a user that fails on a value. It ends the replay as an error of what was
// given to the program and not of the program.
type Mistake struct{ Err error }

func (m *Mistake) Error() string { return m.Err.Error() }

func (m *Mistake) Unwrap() error { return m.Err }

// Concrete are values of the types of all policies of this package, and of calculators: what stands behind interfaces in the state of a replay.
func Concrete() []any {
	list := []any{resource.DefaultCalculator{}, resource.DominantCalculator{}}
	for _, e := range Sharings {
		list = append(list, e.New(2))
	}
	for _, e := range Placements {
		list = append(list, e.New())
	}
	for _, e := range LeafOrders {
		list = append(list, e.New(LeafOrderSettings{}))
	}
	for _, e := range Delays {
		list = append(list, e.New(DelaySettings{}))
	}
	return list
}
