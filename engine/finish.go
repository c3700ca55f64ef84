package engine

import (
	"cmp"
	"fmt"
	"slices"

	"replay/engine/depend"
	"replay/engine/master"
	"replay/engine/record"
	"replay/engine/reuse"
	"replay/engine/scenario"
	"replay/engine/yarn"
	"replay/policy"
	"replay/policy/resource"
	"replay/trace"
)

// finish gives what is unfinished when the replay stops, in order of number, and checks conservation.
func (s *sim) finish() {
	s.rm.Hear()
	s.catchUp(never, 0)
	for len(s.ahead.later) > 0 {
		s.sampledTo(never)
	}
	if s.reasons != nil {
		s.reasons.finish()
	}
	if s.sampled != s.now {
		s.sample()
	}
	s.progress.NowMS.Store(s.now)
	left := slices.DeleteFunc(slices.Clone(s.apps), func(a *app) bool { return a == nil })
	slices.SortFunc(left, func(a, b *app) int {
		return cmp.Or(cmp.Compare(a.rec.ID, b.rec.ID), cmp.Compare(a.attempt, b.attempt))
	})
	for _, a := range left {
		reason := a.whyUnfinished(s)
		if a.master != nil {
			a.master.Finish()
		}
		for _, c := range a.containers {
			if c == nil || c.written {
				continue
			}
			if !c.ended {
				s.totals.ContainersRunning++
				c.rec.End = record.EndRunning
				a.held(c, s.totals.EndMS)
			}
			c.written = true
			s.sink.Container(&c.rec)
		}
		if !a.gone {
			a.countDone()
			a.rec.TasksFailed = 0 // none is given up
			a.rec.Outcome, a.rec.Reason = record.JobUnfinished, reason
			s.warnings.ended("unfinished", "%s did not finish: %s", record.JobCalled(a.rec.ID, a.rec.Name, a.rec.ExternalID), reason)
			s.jobDone(a.rec)
		}
	}
	if said := s.depend.NeverSubmitted(); said != "" {
		s.warnings.add(depend.NeverSubmitted, "%s", said)
	}
	s.summed.flush()
	if v, counts := s.rm.Scheduler().(yarn.Visited); counts {
		s.totals.Visits = v.Visits()
	}
	s.totals.NodeHeartbeats, s.totals.Updates = s.beats.count(), s.beats.updates
	s.sayOver()
	s.sayUnchanged()
	s.conserve()
}

// sayOver says that vcores were given away more than once.
func (s *sim) sayOver() {
	const so = "the scheduler counts memory alone, and tasks on oversubscribed cores are not slowed. Shares of vcores above 100 % are oversubscription"
	nodes, most := int64(0), 0.0
	for _, x := range s.nodes.over {
		if x > 0 {
			nodes++
			most = max(most, x)
		}
	}
	switch {
	case nodes > 0:
		s.warnings.add("oversubscribed", "vcores of %d of %d nodes were oversubscribed, up to %.3g times: %s", nodes, len(s.nodes.spec), most, so)
	case s.nodes.busy > 1:
		s.warnings.add("oversubscribed", "vcores were oversubscribed: executors ran tasks on up to %.3g times the vcores of the cluster: %s", s.nodes.busy, so)
	}
}

// sayUnchanged says which changes are about containers that there were not or nodes to which nothing happens, and which files come after the end.
func (s *sim) sayUnchanged() {
	s.warnings.list = append(s.warnings.list, s.sc.Unchanged()...)
	for _, r := range s.sc.Reloads {
		if r.AtMS > s.now {
			text := fmt.Sprintf("--reload %dms=%s: the replay ends before the file comes into force", r.AtMS, r.Name)
			s.warnings.list = append(s.warnings.list, record.Warning{Code: "change", Text: text, Count: 1})
		}
	}
	for i, last := range s.numbers {
		c := &s.sc.Changes[i]
		job, number, ok := c.Container()
		if !ok || number > 0 && number <= last {
			continue
		}
		text := fmt.Sprintf("--change %q: job %d got no container", c.Text, job)
		if last > 0 {
			text += fmt.Sprintf(" %d, only 1 to %d", number, last)
		}
		s.warnings.list = append(s.warnings.list, record.Warning{Code: "change", Text: text, Count: 1})
	}
}

// conserve checks that nothing got lost.
func (s *sim) conserve() {
	t := &s.totals
	if t.ContainersAllocated != t.ContainersEnded+t.ContainersRunning {
		s.broken("%d containers were allocated, %d ended and %d run", t.ContainersAllocated, t.ContainersEnded, t.ContainersRunning)
	}
	if t.Jobs != t.JobsSucceeded+t.JobsFailed+t.JobsUnfinished {
		s.broken("%d jobs arrived, %d succeeded, %d failed, %d are unfinished", t.Jobs, t.JobsSucceeded, t.JobsFailed, t.JobsUnfinished)
	}
	if t.JobsUnfinished == 0 && t.Tasks != t.TasksSucceeded+t.TasksFailed {
		s.broken("%d tasks arrived, %d succeeded and %d failed for good", t.Tasks, t.TasksSucceeded, t.TasksFailed)
	}
}

// manifest describes the replay.
func (s *sim) manifest() *record.Manifest {
	m := s.sc.Manifest()
	m.NodePhasesMS = s.nodes.phase
	for i := range s.nodes.spec {
		m.Hosts = append(m.Hosts, s.nodes.spec[i].Host)
	}
	m.Totals = s.totals
	if s.scaling != nil {
		m.Scaling = &s.scaling.totals
	}
	m.DecisionHash = s.digest.Hash(&s.totals)
	m.Warnings = s.warnings.list
	var models []string
	for k := range s.eachKind {
		if r, ok := k.Kind.(master.Remarker); ok {
			m.Warnings = append(m.Warnings, r.Remarks()...)
		}
		if r, ok := k.Kind.(master.Modeller); ok {
			models = append(models, r.Models()...)
		}
	}
	at := slices.Index(m.Modelled, scenario.OrderOfExecutors)
	m.Modelled = slices.Insert(m.Modelled, at+1, models...)
	if s.kinds[trace.KindSpark].jobs == 0 {
		m.Modelled = slices.Delete(m.Modelled, at, at+1)
		if p := s.sc.Placement; p != policy.DefaultPlacement {
			m.Warnings = append(m.Warnings, record.Warning{Code: record.NoJob, Count: 1, Text: "container placement " + p + ": no Spark application is replayed, so it has no effect"})
		}
	}
	return m
}

// whyUnfinished says in words what an application that did not finish was waiting for.
func (a *app) whyUnfinished(s *sim) string {
	if s.sc.Until > 0 && s.now >= s.sc.Until {
		return record.StoppedAt(s.now)
	}
	switch {
	case a.circle.closed(a.rec.TasksSucceeded):
		return a.circle.text(a.rec.Tasks)
	case a.am == 0 && a.attempt > 1:
		return fmt.Sprintf("it waits for an AM container after %d attempts: %s", a.attempt-1, s.whyWaiting(a, a.plan.AMSize))
	case a.am == 0:
		return "it waits for its AM container: " + s.whyWaiting(a, a.plan.AMSize)
	case a.master == nil:
		return "its application master did not register"
	}
	return a.master.Waits(func(size resource.Resource) string { return s.whyWaiting(a, size) })
}

// whyNoNode says why no node is in the cluster: those that are up are refused, or none is up.
func (s *sim) whyNoNode() string {
	for _, id := range s.everyNode() {
		if total := s.total(id); !s.nodes.isDown(id) && !s.sc.Site.LeastNode().FitsIn(total) {
			return fmt.Sprintf("no node is in the cluster, as YARN refuses those with less than its smallest container: %s has %s", s.nodes.spec[id].Host, total.Text(s.sc.Site.Types))
		}
	}
	return "no node is in the cluster"
}

// whyWaiting says what keeps a container of this size from the application.
func (s *sim) whyWaiting(a *app, size resource.Resource) string {
	fits, fitsEmpty := false, false
	for _, id := range s.nodes.registered {
		total := s.total(id)
		fitsEmpty = fitsEmpty || size.FitsIn(total)
		fits = fits || s.nodes.usage[id].used.Add(size).FitsIn(total)
	}
	text := size.Text(s.sc.Site.Types)
	switch {
	case len(s.nodes.registered) == 0:
		return s.whyNoNode()
	case !fitsEmpty:
		return fmt.Sprintf("no node is large enough for %s", text)
	case !fits:
		return fmt.Sprintf("no node has room for %s", text)
	}
	why := "room is there"
	if s.sc.Kind().Updates && s.sc.Site.UpdateInterval == 0 {
		return why + ", but shares are never computed (yarn.scheduler.fair.update-interval-ms is 0)"
	}
	s.rm.Scheduler().Queues(func(q *yarn.QueueState) {
		if q.Path != a.rec.Queue {
			return
		}
		switch {
		case !q.Used.Add(size).FitsIn(q.MaxShare):
			why = fmt.Sprintf("queue %s uses %d MiB and %d vcores of at most %d MiB and %d vcores, %s do not fit", q.Path,
				q.Used[resource.Memory], q.Used[resource.VCores], q.MaxShare[resource.Memory], q.MaxShare[resource.VCores], text)
		case q.NonRunnable > 0 && a.am == 0:
			why = fmt.Sprintf("queue %s runs %d applications, as many as it may, and %d wait", q.Path, q.Runnable, q.NonRunnable)
		case a.am == 0:
			why = fmt.Sprintf("queue %s gives no more to application masters (maxAMShare)", q.Path)
		}
	})
	return why
}

// done is the set of a job's tasks that have succeeded, in whichever attempt of its application. The zero value is empty.
type done struct {
	n     int64
	bits  []uint64
	first []int64 // task number of each stage's first task

	containers int64 // largest number of one, of the attempts before the latest
}

// add notes that a task has succeeded.
func (d *done) add(j *trace.Job, stage, index int32) {
	if len(d.first) == 0 {
		all := int64(0)
		for i := range j.Stages {
			d.first = append(d.first, all)
			all += int64(j.Stages[i].Tasks.Len())
		}
		d.bits = reuse.Zeros(d.bits, int((all+63)/64))
	}
	k := d.first[stage] + int64(index)
	if bit := uint64(1) << (k & 63); d.bits[k>>6]&bit == 0 {
		d.bits[k>>6] |= bit
		d.n++
	}
}

// countDone sets what became of the job's tasks: those that succeeded in any attempt, and the rest.
func (a *app) countDone() {
	a.rec.TasksSucceeded = a.done.n
	a.rec.TasksFailed = a.rec.Tasks - a.done.n
}
