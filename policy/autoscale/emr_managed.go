package autoscale

import "replay/policy/resource"

// emr is a model of Amazon EMR's managed scaling, of which the limits and their names, the interval of evaluations, the order of core and task nodes and
// the time of a graceful decommission are published, and the rule is not. Here:
//
// Nodes are added as soon as more memory is pending than is available: as many as hold the difference, less those that are coming, core (primary) nodes
// up to their limit and then task (secondary) nodes. Nodes are removed when over scaleDownAfter nothing was pending: as many as had room to spare all
// that time, task nodes first.
//
// Source: https://docs.aws.amazon.com/emr/latest/ManagementGuide/emr-managed-scaling.html,
// https://docs.aws.amazon.com/emr/latest/APIReference/API_ComputeLimits.html.
type emr struct {
	min, max Counts
	most     int // of both groups
	patience int64
	after    int64
	since    int64 // nothing has been pending, and nothing changed
	spare    int64 // least memory available since then
	quiet    bool
}

func newEMR(r *Reader, f *Fleet) Autoscaler {
	const limits, most = "ComputeLimits.", 1_000_000
	if r.Text(limits+"UnitType", "Instances") != "Instances" {
		r.Fail(limits+"UnitType", "Instances, the only unit that is modelled")
	}
	r.Needs(limits+"MinimumCapacityUnits", limits+"MaximumCapacityUnits")
	e := &emr{patience: r.Time("gracefulDecommissionTimeout", "1h", 0, day), after: r.Time("scaleDownAfter", "5m", 0, day)}
	e.most = r.Count(limits+"MaximumCapacityUnits", 1, 1, most)
	least := r.Count(limits+"MinimumCapacityUnits", 1, 1, e.most)
	demand := r.Count(limits+"MaximumOnDemandCapacityUnits", e.most, 0, e.most)
	core := r.Count(limits+"MaximumCoreCapacityUnits", e.most, 1, e.most)
	f.Max = Counts{min(demand, core), e.most}
	f.Min = Counts{min(least, f.Max[Primary]), max(least-f.Max[Primary], 0)}
	e.min, e.max = f.Min, f.Max
	return e
}

func (e *emr) Evaluate(s *Shown) Change {
	const mem = resource.Memory
	worker := max(s.Worker[mem], 1)
	have := Counts{s.Active[Primary] + s.Coming[Primary], s.Active[Secondary] + s.Coming[Secondary]}
	if more := s.Pending[mem] - s.Available[mem]; more > 0 || have.All() < e.min.All() {
		e.quiet = false
		want := max(int(ceil(max(more, 0), worker))-s.Coming.All(), e.min.All()-have.All(), 0)
		want = min(want, e.most-have.All())
		core := min(want, e.max[Primary]-have[Primary])
		return Change{Nodes: Counts{max(core, 0), max(want-max(core, 0), 0)}}
	}
	spare := s.Available[mem] / worker
	if !e.quiet || s.Pending[mem] > 0 || s.Coming.All()+s.Leaving.All() > 0 {
		e.quiet, e.since, e.spare = s.Pending[mem] == 0, s.Now, spare
		return Change{}
	}
	e.spare = min(e.spare, spare)
	if s.Now-e.since < e.after {
		return Change{}
	}
	e.quiet = false
	fewer := min(int(e.spare), have.All()-e.min.All())
	task := min(fewer, have[Secondary]-e.min[Secondary])
	core := min(fewer-max(task, 0), have[Primary]-e.min[Primary])
	return Change{Nodes: Counts{-max(core, 0), -max(task, 0)}, PatienceMS: e.patience}
}
