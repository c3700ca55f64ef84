package workload

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"replay/trace"
)

// residents collects how much the recorded executors took of each host.
type residents struct {
	hosts   names   // of all applications
	there   []bool  // by host: an application of the trace was there
	sizes   []sized // of executors
	sizeOf  map[sizeKey]int32
	changes [][]residentChange // by host

	am      shape // the largest
	amExtra map[string]int64
	largest shape            // executor, or container of a task
	further map[string]int64 // the largest amounts that a task has of further resources
	tasks   bool             // an application runs each task in a container of its own, which no executor shows

	work      trace.Work
	longestMS int64           // of a task
	gangs     map[shape]*gang // by the size of a task in whole GiB
}

// sized is a size that executors have.
type sized struct {
	shape
	extra []trace.NamedValue
}

type sizeKey struct {
	shape
	extra string // as text
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
	at   int64
	size int32 // among those of the residents
	by   int8
}

// held is an executor. Recordings wait for a choice among them, and there may be many: it takes little memory.
type held struct {
	from, to   int64 // ms; to is trace.Unset where it is not known
	host, size int32 // among those of the residents
}

// resident is what one application took.
type resident struct {
	hosts     []int32 // that it names, among those of the residents
	executors []held
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

// of is what the application took.
func (r *residents) of(a *Application) *resident {
	x := &resident{
		hosts: make([]int32, len(a.Hosts)), executors: make([]held, len(a.Executors)),
		finishMS: a.Job.RecordedFinishMS, am: shape{a.Job.AMMemMiB, a.Job.AMVCores}.asYARN(), amExtra: slices.Clone(a.AMExtra), tasks: a.Job.Kind != trace.KindSpark,
		work: trace.WorkOf(&a.Job),
	}
	for i, h := range a.Hosts {
		x.hosts[i] = r.hosts.of(h)
	}
	for i := range a.Executors {
		e := &a.Executors[i]
		var extra []trace.NamedValue
		if a.ExecutorExtra != nil {
			extra = a.ExecutorExtra[i]
		}
		x.executors[i] = held{e.AddedMS, e.RemovedMS, x.hosts[e.Node], r.size(shape{e.MemMiB, e.VCores}.asYARN(), extra)}
	}
	for i := range a.Job.Stages {
		s := &a.Job.Stages[i]
		for _, ms := range s.Tasks.DurationMS {
			x.longestMS = max(x.longestMS, ms)
		}
		if !x.tasks {
			continue
		}
		if a.Job.Kind == trace.KindGang {
			x.gangs = append(x.gangs, gang{shape{s.TaskMemMiB, s.TaskVCores}.asYARN(), int64(s.Tasks.Len())})
		}
		x.largest = x.largest.atLeast(shape{s.TaskMemMiB, s.TaskVCores})
		x.further = append(x.further, s.Extra...)
		for _, n := range s.Tasks.MemMiB {
			x.largest.memMiB = max(x.largest.memMiB, n)
		}
		for _, n := range s.Tasks.VCores {
			x.largest.vcores = max(x.largest.vcores, n)
		}
	}
	x.largest = x.largest.asYARN()
	return x
}

// size numbers a size of executors.
func (r *residents) size(of shape, extra []trace.NamedValue) int32 {
	key := sizeKey{shape: of}
	if len(extra) > 0 {
		key.extra = fmt.Sprint(extra)
	}
	id, ok := r.sizeOf[key]
	if !ok {
		if r.sizeOf == nil {
			r.sizeOf = map[sizeKey]int32{}
		}
		id = int32(len(r.sizes))
		r.sizeOf[key] = id
		r.sizes = append(r.sizes, sized{of, slices.Clone(extra)})
	}
	return id
}

// names are the hosts of the applications of the trace, in order.
func (r *residents) names() (list []string) {
	for i, there := range r.there {
		if there {
			list = append(list, r.hosts.text[i])
		}
	}
	slices.Sort(list)
	return list
}

// add takes an application into the trace.
func (r *residents) add(a *resident) {
	if r.amExtra == nil {
		r.amExtra, r.further, r.gangs = map[string]int64{}, map[string]int64{}, map[shape]*gang{}
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
	for len(r.there) < len(r.hosts.text) {
		r.there, r.changes = append(r.there, false), append(r.changes, nil)
	}
	for _, h := range a.hosts {
		r.there[h] = true
	}
	for _, e := range a.executors {
		c := residentChange{at: e.from, size: e.size, by: 1}
		list := &r.changes[e.host]
		*list = append(*list, c)
		r.largest = r.largest.atLeast(r.sizes[c.size].shape)
		if c.by = -1; e.to != trace.Unset {
			c.at = e.to
		} else if a.finishMS != trace.Unset {
			c.at = max(a.finishMS, e.from)
		} else {
			continue
		}
		*list = append(*list, c)
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

// most is the size of a node that could have held all executors of its host at any time and an application master,
// and the further resources that these, or one task, had. Where containers were not recorded the size is
// at least nodeClass with room for each.
func (r *residents) most() (size shape, extra []trace.NamedValue) {
	mostOf := map[string]int64{}
	for _, cs := range r.changes {
		slices.SortStableFunc(cs, func(a, b residentChange) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
		var now shape
		has := map[string]int64{}
		for _, c := range cs {
			of := &r.sizes[c.size]
			now.memMiB += int64(c.by) * of.memMiB
			now.vcores += int32(c.by) * of.vcores
			size = size.atLeast(now).atLeast(of.shape) // one that went when it came was never there with others
			for _, x := range of.extra {
				has[x.Name] += int64(c.by) * x.Value
				mostOf[x.Name] = max(mostOf[x.Name], has[x.Name])
			}
		}
	}
	size = shape{size.memMiB + r.am.memMiB, size.vcores + r.am.vcores}
	if r.tasks {
		size = size.atLeast(r.roomFor(nodeClass))
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

// from is from what the size of nodes comes that is [residents.most].
func (r *residents) from() string {
	if r.tasks {
		return trace.NodesFromClass
	}
	return trace.NodesFromUse
}

// roomFor is a node of a class, each part of it doubled until the node holds the largest container beside the largest application master:
// on nodes that a container fills, none starts once each has a master.
func (r *residents) roomFor(class shape) shape {
	for class.memMiB < min(r.largest.memMiB+r.am.memMiB, trace.MostMemMiB) {
		class.memMiB = min(2*class.memMiB, trace.MostMemMiB)
	}
	for class.vcores < min(r.largest.vcores+r.am.vcores, trace.MostVCores) {
		class.vcores = min(2*class.vcores, trace.MostVCores)
	}
	return class
}
