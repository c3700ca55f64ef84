package autoscale

import "replay/policy/resource"

// dataproc is the rule of Dataproc's autoscaling policies, with the keys of the API.
//
// When a cooldown period has passed, averages over it say how many workers there should be: enough for what is allocated, reserved, available and
// pending if anything was pending, else for what is allocated and reserved, rounded up. The difference to the workers there are is multiplied by
// scaleUpFactor and rounded up, or by scaleDownFactor and rounded towards zero. It is made if it is at least the minimum fraction of the cluster. A period
// begins when the update before has ended, that is, when its nodes have come or gone. A graceful decommission is cancelled if at the end of a period as
// many workers are to be added as are leaving.
//
// Source: https://cloud.google.com/dataproc/docs/concepts/configuring-clusters/autoscaling#how_autoscaling_works, and for keys, bounds, defaults and
// the meaning of the fractions https://cloud.google.com/dataproc/docs/reference/rest/v1/projects.locations.autoscalingPolicies.
type dataproc struct {
	cooldown   int64
	patience   int64
	up, down   int64  // factors, in billionths
	upMin      int64  // fractions, in billionths
	downMin    int64  // likewise
	weight     Counts // of the groups
	cores      bool   // vcores are looked at, too
	min, max   Counts
	began      int64 // the period
	updating   bool
	n          int64 // samples in the period
	all, inUse resource.Resource
	pending    resource.Resource
}

func newDataproc(r *Reader, f *Fleet) Autoscaler {
	const (
		basic = "basicAlgorithm."
		yarn  = "basicAlgorithm.yarnConfig."
		most  = 1_000_000
	)
	r.Ignored = []string{"id", "name", "labels", "clusterType"}
	r.Needs("workerConfig.maxInstances", yarn+"gracefulDecommissionTimeout", yarn+"scaleUpFactor", yarn+"scaleDownFactor")
	d := &dataproc{
		cooldown: r.Time(basic+"cooldownPeriod", "2m", 2*minute, day),
		patience: r.Time(yarn+"gracefulDecommissionTimeout", "0s", 0, day),
		up:       r.Fraction(yarn+"scaleUpFactor", "0"), down: r.Fraction(yarn+"scaleDownFactor", "0"),
		upMin: r.Fraction(yarn+"scaleUpMinWorkerFraction", "0.0"), downMin: r.Fraction(yarn+"scaleDownMinWorkerFraction", "0.0"),
		cores: r.Yes("coresBased"),
	}
	f.Max[Primary] = r.Count("workerConfig.maxInstances", 2, 2, most)
	f.Min[Primary] = r.Count("workerConfig.minInstances", 2, 2, f.Max[Primary])
	f.Max[Secondary] = r.Count("secondaryWorkerConfig.maxInstances", 0, 0, most)
	f.Min[Secondary] = r.Count("secondaryWorkerConfig.minInstances", 0, 0, f.Max[Secondary])
	weights := [Groups]string{"workerConfig.weight", "secondaryWorkerConfig.weight"}
	without := 1 // where neither is set
	if r.Has(weights[Primary]) || r.Has(weights[Secondary]) {
		without = 0
	}
	for g, key := range weights {
		d.weight[g] = r.Count(key, without, 0, most)
	}
	if d.weight.All() == 0 {
		r.Fail(weights[Primary], "one above 0, or a weight of secondary workers above 0")
	}
	d.min, d.max = f.Min, f.Max
	return d
}

func (d *dataproc) Evaluate(s *Shown) Change {
	for i := range s.Pending {
		d.pending[i] += s.Pending[i]
		d.inUse[i] += s.Allocated[i] + s.Reserved[i]
		d.all[i] += s.Pending[i] + s.Available[i] + s.Allocated[i] + s.Reserved[i]
	}
	d.n++
	updating := s.Coming.All()+s.Leaving.All() > 0
	if d.updating && !updating {
		d.begin(s.Now)
	}
	d.updating = updating
	if s.Now-d.began < d.cooldown {
		return Change{}
	}
	workers := s.Active.All()
	delta := d.actual(d.estimated(s.Worker) - int64(workers))
	d.begin(s.Now)
	if updating {
		leaving := int64(s.Leaving.All())
		return Change{Cancel: leaving > 0 && s.Coming.All() == 0 && d.patience > 0 && delta >= leaving}
	}
	if !d.enough(delta, int64(workers)) {
		delta = 0
	}
	return Change{Nodes: d.split(s.Active, int64(workers)+delta), PatienceMS: d.patience}
}

// begin begins a period.
func (d *dataproc) begin(now int64) {
	d.began, d.n = now, 0
	d.all, d.inUse, d.pending = resource.Resource{}, resource.Resource{}, resource.Resource{}
}

// estimated is how many workers there should be by the averages of the period.
func (d *dataproc) estimated(worker resource.Resource) int64 {
	of := func(i int) int64 {
		sum := d.inUse[i]
		if d.pending[i] > 0 {
			sum = d.all[i]
		}
		return ceil(sum, d.n*max(worker[i], 1))
	}
	n := of(resource.Memory)
	if d.cores {
		n = max(n, of(resource.VCores))
	}
	return n
}

// actual is the change of the number of workers that follows from an estimated one.
func (d *dataproc) actual(estimated int64) int64 {
	if estimated > 0 {
		return ceil(estimated*d.up, billion)
	}
	return estimated * d.down / billion // rounds towards zero
}

// enough reports whether a change is as large as it must be.
func (d *dataproc) enough(delta, workers int64) bool {
	if delta > 0 {
		return delta*billion >= d.upMin*workers
	}
	return -delta*billion >= d.downMin*workers
}

// split returns by how much each group changes for a number of workers in all, within the bounds of the groups and by their weights. No group shrinks
// while the cluster grows, and none grows while it shrinks, but for its bounds.
func (d *dataproc) split(have Counts, workers int64) Counts {
	least, most := d.min, d.max
	for g, n := range have {
		if workers >= int64(have.All()) {
			least[g] = min(max(least[g], n), most[g])
		} else {
			most[g] = max(min(most[g], n), least[g])
		}
	}
	total := min(max(int(workers), least.All()), most.All())
	primary := (2*total*d.weight[Primary] + d.weight.All()) / (2 * d.weight.All()) // rounds half up
	primary = min(max(primary, least[Primary], total-most[Secondary]), most[Primary], total-least[Secondary])
	return Counts{primary - have[Primary], total - primary - have[Secondary]}
}
