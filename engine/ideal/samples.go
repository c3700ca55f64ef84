package ideal

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"replay/engine/depend"
	"replay/engine/record"
)

// queue is what the jobs of a leaf queue use and wait for. Queues share nothing out here.
type queue struct {
	path          string
	used, pending room
	running, jobs int64 // tasks that run, live jobs
}

func (q *queue) wants(r room, n int64) {
	q.pending.mem += n * r.mem
	q.pending.vcores += n * r.vcores
}

func (q *queue) starts(r room, n int64) {
	q.wants(r, -n)
	q.used.mem += n * r.mem
	q.used.vcores += n * r.vcores
	q.running += n
}

func (q *queue) ends(r room) {
	q.used.mem -= r.mem
	q.used.vcores -= r.vcores
	q.running--
}

// usage is by queue.
type usage struct {
	index map[string]*queue
	list  []*queue // in order of appearance
}

func (u *usage) at(path string) *queue {
	if q, ok := u.index[path]; ok {
		return q
	}
	if u.index == nil {
		u.index = map[string]*queue{}
	}
	q := &queue{path: path}
	u.index[path] = q
	u.list = append(u.list, q)
	return q
}

// sample takes the samples that are due before a time.
func (l *loop) sample(before int64) {
	for l.sampleAt < before {
		l.totals.Events++
		l.sampleNow(l.sampleAt)
		l.samples++
		l.sampleAt += l.sc.BetweenSamples(l.samples)
	}
}

// sampleNow gives the state of every queue and of the cluster, once at a time.
func (l *loop) sampleNow(at int64) {
	if at == l.sampled {
		return
	}
	l.sampled = at
	cluster := record.Sample{
		Time: at, Nodes: l.nodes.count, CapacityMem: l.nodes.capacity.mem, CapacityVCores: l.nodes.capacity.vcores,
	}
	for _, q := range l.queues.list {
		r := &l.row
		*r = record.Sample{
			Time: at, Queue: q.path, Nodes: l.nodes.count, UsedMem: q.used.mem, UsedVCores: q.used.vcores, PendingMem: q.pending.mem, PendingVCores: q.pending.vcores,
			DemandMem: q.used.mem + q.pending.mem, DemandVCores: q.used.vcores + q.pending.vcores, FairMem: record.None, FairVCores: record.None,
			SteadyMem: record.None, SteadyVCores: record.None, BusyCores: q.used.vcores, Running: q.jobs, Containers: q.running,
		}
		l.sink.Sample(r)
		cluster.Add(r)
	}
	l.sink.Sample(&cluster)
}

// finish gives what is unfinished when the replay stops, in order of number, and checks that nothing got lost.
func (l *loop) finish() error {
	l.sampleNow(l.now)
	var running []*run
	for i := range l.runs.list {
		if r := &l.runs.list[i]; r.stage != nil {
			running = append(running, r)
		}
	}
	slices.SortFunc(running, func(a, b *run) int {
		return cmp.Or(cmp.Compare(a.stage.job.ID, b.stage.job.ID), cmp.Compare(a.number, b.number))
	})
	for _, r := range running {
		l.totals.ContainersRunning++
		r.stage.job.rec.RunningTaskMS += l.now - r.launch
		l.writeRun(r, l.now, record.TaskRunning, record.EndRunning)
	}
	head := l.ready.first()
	for _, id := range slices.Sorted(maps.Keys(l.jobs)) {
		j := l.jobs[id]
		j.rec.Outcome, j.rec.Reason = record.JobUnfinished, l.whyUnfinished(j, head)
		l.warn("unfinished", true, true, "%s did not finish: %s", record.JobCalled(j.ID, j.Name, j.ExternalID), j.rec.Reason)
		l.write(j)
	}
	if said := l.depend.NeverSubmitted(); said != "" {
		l.warn(depend.NeverSubmitted, false, false, "%s", said)
	}
	return l.conserve()
}

// whyUnfinished says in words what a job that did not finish was waiting for.
func (l *loop) whyUnfinished(j *job, head *stage) string {
	switch {
	case l.sc.Until > 0 && l.now >= l.sc.Until:
		return record.StoppedAt(l.now)
	case head == nil:
		return "nothing of it is ready" // does not happen: a job without a ready stage has running tasks or a timer
	case head.job == j && l.nodes.count == 0:
		return "no node is in the cluster"
	case head.job == j && head.gang != nil:
		return fmt.Sprintf("the nodes have no room for all %d tasks of stage %d at once", head.st.Tasks.Len(), head.st.ID)
	case head.job == j:
		z := head.sizeOf(head.nextTask())
		return fmt.Sprintf("no node has room for a task of stage %d: %d MiB and %d vcores", head.st.ID, z.mem, z.vcores)
	}
	return fmt.Sprintf("it waits behind job %d, whose next task has no room: first come, first served", head.job.ID)
}

// conserve checks that nothing got lost.
func (l *loop) conserve() error {
	t := &l.totals
	switch {
	case t.ContainersAllocated != t.ContainersEnded+t.ContainersRunning || t.ContainersAllocated != t.TaskAttempts:
		return l.broken("%d containers were allocated for %d task attempts, %d ended and %d run", t.ContainersAllocated, t.TaskAttempts, t.ContainersEnded, t.ContainersRunning)
	case t.Jobs != t.JobsSucceeded+t.JobsFailed+t.JobsUnfinished:
		return l.broken("%d jobs arrived, %d succeeded, %d failed, %d are unfinished", t.Jobs, t.JobsSucceeded, t.JobsFailed, t.JobsUnfinished)
	case t.JobsUnfinished == 0 && t.Tasks != t.TasksSucceeded+t.TasksFailed:
		return l.broken("%d tasks arrived, %d succeeded and %d failed for good", t.Tasks, t.TasksSucceeded, t.TasksFailed)
	}
	without := slices.Clone(l.nodes.at)
	for i := range l.runs.list {
		if r := &l.runs.list[i]; r.stage != nil {
			x := &without[r.node]
			x.running--
			z := r.stage.sizeOf(r.index)
			x.free.mem += z.mem
			x.free.vcores += z.vcores
		}
	}
	for n, total := range l.nodes.total {
		if is, x := &l.nodes.at[n], &without[n]; is.in && (x.running != 0 || x.free != total) {
			return l.broken("node %d has %v free with %d tasks; without those that run %v of %v and %d tasks", n, is.free, is.running, x.free, total, x.running)
		}
	}
	return nil
}
