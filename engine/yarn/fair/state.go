package fair

import (
	"cmp"
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

// Queues calls yield for every queue, parents first.
func (f *Scheduler) Queues(yield func(*yarn.QueueState)) {
	var s yarn.QueueState
	f.tree.root.each(func(q *queue) {
		s.Path, s.Leaf, s.Weight = q.name, q.leaf, float64(q.Weight)
		s.Used = q.Usage // one by one: all at once they are copied twice
		s.Demand = q.Demand
		s.Fair = q.fair
		s.Steady = q.steady
		s.MaxShare = q.maxShare
		s.AMUsed = q.amUsed
		s.Runnable, s.NonRunnable = int(q.numRunnable()), len(q.waiting)
		yield(&s)
	})
}

// QueueInForce is what holds for a queue after defaults and inheritance.
type QueueInForce struct {
	Path         string
	Leaf         bool
	Dynamic      bool
	Policy       string // as YARN prints it
	Weight       float32
	Min          resource.Resource
	Max          conf.ConfigurableResource
	MaxRunning   int32
	MaxAMShare   float32
	MaxContainer resource.Resource
	Preemptable  bool
	Threshold    float32 // of fair share preemption
	FairTimeout  int64   // ms
	MinTimeout   int64   // ms
}

// Settings yields what is in force for every queue, parents first, children in the scheduler's order.
func (f *Scheduler) Settings(yield func(QueueInForce)) {
	f.tree.root.each(func(q *queue) {
		yield(QueueInForce{
			Path: q.name, Leaf: q.leaf, Dynamic: q.dynamic, Policy: q.sharing.Printed, Weight: q.Weight,
			Min: q.Min, Max: q.max, MaxRunning: q.maxRunning, MaxAMShare: q.maxAMShare,
			MaxContainer: *cmp.Or(q.largest(), &f.tree.root.maxContainer), Preemptable: q.preemptable,
			Threshold: q.threshold, FairTimeout: q.fairTimeout, MinTimeout: q.minTimeout,
		})
	})
}

// QueueInfo is what the placement rules ask about a queue.
func (f *Scheduler) QueueInfo(path string) conf.QueueInfo {
	q := f.tree.byName[path]
	if q == nil {
		return conf.QueueInfo{}
	}
	return conf.QueueInfo{Exists: true, Leaf: q.leaf, Dynamic: q.dynamic}
}

// AppState is an application as it stands.
type AppState struct {
	ID       protocol.AppID
	Fair     resource.Resource
	Demand   resource.Resource // as of the last update
	Used     resource.Resource
	Runnable bool
}

// Apps yields the applications with an attempt, by number.
func (f *Scheduler) Apps(yield func(AppState) bool) {
	for _, a := range f.attempts {
		if a == nil {
			continue
		}
		if !yield(AppState{a.ID(), f.share(a), a.Demand, a.Usage, slices.Contains(a.queue.runnable, a)}) {
			return
		}
	}
}

// Cluster returns the registered nodes, to be read only.
func (f *Scheduler) Cluster() *yarn.Cluster { return f.cluster }
