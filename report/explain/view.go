package explain

import (
	"cmp"
	"slices"

	"replay/engine/record"
	"replay/report/result"
	"replay/trace"
)

// A View is what an application could have done at best, from its first task on, of the tasks as they ran: stages begin when those before
// them have ended and the driver has taken as long as it did; tasks are served in order. Times are ms.
//
//   - Took is the time from its first task to its end, and Modelled the same by the simple model that the others come from, with as many cores as it
//     had at most, from the start.
//   - Infinite is with a core for each task: the longest chain of stages, which is Critical, and what the driver does between them.
//   - NoSkew is with as many cores as it had, and each task as long as the mean of its stage.
//   - In Driver no task ran. Executors and Cores are the most that it had at a time.
//   - HeldCoreMS is core time of executors, from ready to end; for UsedCoreMS of it, tasks ran.
type View result.View

// A Point is the time that an application takes from its first task on so many executors.
type Point = result.Point

// viewed is a stage of a view.
type viewed struct {
	id     int32
	before []int
	gap    int64 // of the driver, before it
	tasks  []int64
	cores  int64
}

// ViewOf makes the view of a job, nil of one that ran no task. Shares are where the points of the curve are wanted, as parts of the executors that it had:
// a point is the whole number of executors next to it, one at least, with what part that is and with that part of the cores.
func ViewOf(l *Life, j *Job, shares []float64) *View {
	if j.FirstTask == record.None {
		return nil
	}
	v := &View{Took: j.End - j.FirstTask}
	v.executors(l, j)
	stages, tail := v.stages(l, j)
	if len(stages) == 0 || v.Cores == 0 {
		return nil
	}
	r := newRunner(stages, tail)
	v.Modelled = r.run(v.Cores)
	v.Infinite, v.Critical = longest(stages, tail)
	for _, s := range shares {
		if s < 1 && j.Kind == trace.KindGang {
			continue // its tasks don't run one after another
		}
		n := max(int64(float64(s*float64(v.Executors))+0.5), 1)
		if k := len(v.Curve); k > 0 && v.Curve[k-1].Executors == n {
			continue
		}
		part := float64(n) / float64(v.Executors)
		cores := max(int64(float64(part*float64(v.Cores))+0.5), 1)
		v.Curve = append(v.Curve, Point{Share: part, Executors: n, MS: r.run(cores)})
	}
	for i := range stages {
		even(stages[i].tasks)
	}
	v.NoSkew, _ = r.onCores(v.Cores)
	return v
}

// even makes tasks as long as their mean.
func even(tasks []int64) {
	sum, n := int64(0), int64(len(tasks))
	for _, t := range tasks {
		sum += t
	}
	for i := range tasks {
		tasks[i] = (sum + n/2) / n
	}
}

// executors counts what the application held and used.
func (v *View) executors(l *Life, j *Job) {
	type step struct{ at, n, cores int64 }
	var steps []step
	for i := range l.Containers {
		c := &l.Containers[i]
		if c.AM || c.Registered == record.None {
			continue
		}
		end := max(min(or(c.Ended, j.End), j.End), c.Registered)
		cores := max(c.Cores, 1)
		steps = append(steps, step{c.Registered, 1, cores}, step{end, -1, -cores})
		v.HeldCoreMS += (end - c.Registered) * cores
		v.UsedCoreMS += min(c.BusyMS, (end-c.Registered)*cores)
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.n, b.n)) })
	n, cores := int64(0), int64(0)
	for _, s := range steps {
		n, cores = n+s.n, cores+s.cores
		v.Executors, v.Cores = max(v.Executors, n), max(v.Cores, cores)
	}
}

// stages are those of the trace that ran, with what the driver did before each, and the time from the last task to the end.
func (v *View) stages(l *Life, j *Job) (list []viewed, tail int64) {
	type ran struct {
		ready, end int64
		tasks      []*record.Task
		cores      int64
	}
	of := map[int32]*ran{}
	var spans [][2]int64
	last := j.FirstTask
	for i := range l.Tasks {
		t := &l.Tasks[i]
		if t.Finish != record.None {
			spans = append(spans, [2]int64{t.Launch, t.Finish})
		}
		if t.End != record.TaskSuccess {
			continue
		}
		r := of[t.Stage]
		if r == nil {
			r = &ran{ready: t.Ready}
			of[t.Stage] = r
		}
		r.ready, r.end = min(r.ready, t.Ready), max(r.end, t.Finish)
		r.tasks = append(r.tasks, t)
		r.cores = max(r.cores, int64(t.Cores))
		last = max(last, t.Finish)
	}
	place := map[int32]int{}
	before := map[int32][]int32{}
	for _, s := range l.Stages {
		before[s.ID] = s.Before
		r := of[s.ID]
		if r == nil {
			continue
		}
		x := viewed{id: s.ID, tasks: inOrder(r.tasks), cores: max(r.cores, 1)}
		from := j.FirstTask
		seen := map[int32]bool{}
		for queue := slices.Clone(s.Before); len(queue) > 0; {
			b := queue[0]
			queue = queue[1:]
			if seen[b] {
				continue
			}
			seen[b] = true
			if at, placed := place[b]; placed {
				p := of[b]
				x.before = append(x.before, at)
				from = max(from, p.end)
			} else {
				queue = append(queue, before[b]...)
			}
		}
		x.gap = max(r.ready-from, 0)
		place[s.ID] = len(list)
		list = append(list, x)
	}
	slices.SortFunc(spans, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	at := j.FirstTask
	for _, s := range spans {
		if s[0] > at {
			v.Driver += s[0] - at
		}
		at = max(at, s[1])
	}
	v.Driver += max(j.End-at, 0)
	return list, max(j.End-last, 0)
}

// inOrder returns how long tasks took, in the order in which they were launched. Records come in the order of ends, in which the longest tasks are last:
// on fewer cores these would begin when all others are done.
func inOrder(tasks []*record.Task) []int64 {
	slices.SortFunc(tasks, func(a, b *record.Task) int {
		return cmp.Or(cmp.Compare(a.Launch, b.Launch), cmp.Compare(a.Index, b.Index))
	})
	ms := make([]int64, len(tasks))
	for i, t := range tasks {
		ms[i] = t.Finish - t.Launch
	}
	return ms
}

// longest returns the length of the longest chain of stages with a core for each task, and the chain.
func longest(stages []viewed, tail int64) (int64, []int32) {
	ends, from := make([]int64, len(stages)), make([]int, len(stages))
	best := 0
	for i := range stages {
		s := &stages[i]
		start := int64(0)
		from[i] = -1
		for _, b := range s.before {
			if ends[b] > start || from[i] < 0 {
				start, from[i] = max(ends[b], start), b
			}
		}
		ends[i] = start + s.gap + slices.Max(s.tasks)
		if ends[i] > ends[best] {
			best = i
		}
	}
	var chain []int32
	for i := best; i >= 0; i = from[i] {
		chain = append(chain, stages[i].id)
	}
	slices.Reverse(chain)
	return ends[best] + tail, chain
}
