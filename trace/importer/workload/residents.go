package workload

import (
	"cmp"
	"maps"
	"slices"

	"replay/trace"
)

// residents collects how much the recorded executors took of each host.
type residents struct {
	changes map[string][]residentChange
	am      shape // the largest
	amExtra map[string]int64
	largest shape            // executor, or container of a task
	further map[string]int64 // the largest amounts that a task has of further resources
	tasks   bool             // an application runs each task in a container of its own, which no executor shows

	work      trace.Work
	longestMS int64           // of a task
	gangs     map[shape]*gang // by the size of a task in whole GiB
}

// gang is as many containers of a size as one application holds at a time.
type gang struct {
	shape
	tasks int64
}

// perNode is how many of its containers a node holds, at least 1.
func (g *gang) perNode(node shape) int64 {
	n := int64(1) << 40
	if g.memMiB > 0 {
		n = node.memMiB / g.memMiB
	}
	if g.vcores > 0 {
		n = min(n, int64(node.vcores/g.vcores))
	}
	return max(n, 1)
}

// residentChange is an executor that comes, by 1, or goes, by -1.
type residentChange struct {
	at    int64
	by    int64
	size  shape
	extra []trace.NamedValue
}

// resident is what one application took.
type resident struct {
	hosts     []string
	executors []trace.Executor // on hosts, by position
	extra     [][]trace.NamedValue
	finishMS  int64 // when executors went whose end is not known, or trace.Unset
	am        shape
	amExtra   []trace.NamedValue
	tasks     bool
	largest   shape              // of its tasks, if each is in a container of its own
	further   []trace.NamedValue // of all stages
	work      trace.Work
	longestMS int64
	gangs     []gang
}

// residentOf is what the application took; its slices are the application's.
func residentOf(a *Application) resident {
	r := resident{
		hosts: a.Hosts, executors: a.Executors, extra: a.ExecutorExtra,
		finishMS: a.Job.RecordedFinishMS, am: shape{a.Job.AMMemMiB, a.Job.AMVCores}, amExtra: a.AMExtra, tasks: a.Job.Kind != trace.KindSpark,
		work: trace.WorkOf(&a.Job),
	}
	for i := range a.Job.Stages {
		s := &a.Job.Stages[i]
		for _, ms := range s.Tasks.DurationMS {
			r.longestMS = max(r.longestMS, ms)
		}
		if !r.tasks {
			continue
		}
		if a.Job.Kind == trace.KindGang {
			r.gangs = append(r.gangs, gang{shape{(s.TaskMemMiB + 1023) / 1024 * 1024, s.TaskVCores}, int64(s.Tasks.Len())})
		}
		r.largest = r.largest.atLeast(shape{s.TaskMemMiB, s.TaskVCores})
		r.further = append(r.further, s.Extra...)
		for _, n := range s.Tasks.MemMiB {
			r.largest.memMiB = max(r.largest.memMiB, n)
		}
		for _, n := range s.Tasks.VCores {
			r.largest.vcores = max(r.largest.vcores, n)
		}
	}
	return r
}

// clone is r with slices of its own.
func (r resident) clone() resident {
	r.hosts, r.executors, r.extra, r.amExtra = slices.Clone(r.hosts), slices.Clone(r.executors), slices.Clone(r.extra), slices.Clone(r.amExtra)
	return r
}

func (r *residents) add(a *resident) {
	if r.changes == nil {
		r.changes, r.amExtra, r.further, r.gangs = map[string][]residentChange{}, map[string]int64{}, map[string]int64{}, map[shape]*gang{}
	}
	r.work.Add(a.work)
	r.longestMS = max(r.longestMS, a.longestMS)
	for _, g := range a.gangs {
		if same := r.gangs[g.shape]; same == nil {
			r.gangs[g.shape] = &g
		} else {
			same.tasks = max(same.tasks, g.tasks)
		}
	}
	for i, e := range a.executors {
		host, c := a.hosts[e.Node], residentChange{at: e.AddedMS, by: 1, size: shape{e.MemMiB, e.VCores}}
		if a.extra != nil {
			c.extra = slices.Clone(a.extra[i])
		}
		r.changes[host] = append(r.changes[host], c)
		r.largest = r.largest.atLeast(c.size)
		if c.by = -1; e.RemovedMS != trace.Unset {
			c.at = e.RemovedMS
		} else if a.finishMS != trace.Unset {
			c.at = max(a.finishMS, e.AddedMS)
		} else {
			continue
		}
		r.changes[host] = append(r.changes[host], c)
	}
	r.tasks, r.largest = r.tasks || a.tasks, r.largest.atLeast(a.largest)
	r.am = r.am.atLeast(a.am)
	for _, x := range a.further {
		r.further[x.Name] = max(r.further[x.Name], x.Value)
	}
	for _, x := range a.amExtra {
		r.amExtra[x.Name] = max(r.amExtra[x.Name], x.Value)
	}
}

// most is the size of a node that could have held all executors of its host at any time and an application master, in
// whole GiB, and the further resources that these, or one task, had. Where containers were not recorded the size is
// nodeClass at least.
func (r *residents) most() (size shape, extra []trace.NamedValue) {
	mostOf := map[string]int64{}
	for _, cs := range r.changes {
		slices.SortStableFunc(cs, func(a, b residentChange) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
		var now shape
		has := map[string]int64{}
		for _, c := range cs {
			now.memMiB += c.by * c.size.memMiB
			now.vcores += int32(c.by) * c.size.vcores
			size = size.atLeast(now).atLeast(c.size) // one that went when it came was never there with others
			for _, x := range c.extra {
				has[x.Name] += c.by * x.Value
				mostOf[x.Name] = max(mostOf[x.Name], has[x.Name])
			}
		}
	}
	size = shape{(size.memMiB + r.am.memMiB + 1023) / 1024 * 1024, size.vcores + r.am.vcores}
	if r.tasks {
		size = size.atLeast(nodeClass).atLeast(r.container())
	}
	for name, n := range r.further {
		mostOf[name] = max(mostOf[name], n)
	}
	for name, n := range r.amExtra {
		mostOf[name] += n
	}
	for _, name := range slices.Sorted(maps.Keys(mostOf)) {
		extra = append(extra, trace.NamedValue{Name: name, Value: mostOf[name]})
	}
	return size, extra
}

// container is the largest container that was recorded, in whole GiB.
func (r *residents) container() shape {
	s := r.largest.atLeast(r.am)
	return shape{(s.memMiB + 1023) / 1024 * 1024, s.vcores}
}
