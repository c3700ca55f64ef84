package engine

import (
	"cmp"
	"maps"
	"slices"

	"replay/engine/master"
	"replay/engine/record"
	"replay/engine/yarn"
)

// finish gives what is unfinished when the replay stops, in order of number, and checks conservation.
func (s *sim) finish() {
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
		return cmp.Or(cmp.Compare(a.job.ID, b.job.ID), cmp.Compare(a.attempt, b.attempt))
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
			s.warnings.ended("unfinished", "job %d (%s) did not finish: %s", a.job.ID, a.job.Name, reason)
			s.jobDone(a.rec)
		}
	}
	if v, counts := s.rm.Scheduler().(yarn.Visited); counts {
		s.totals.Visits = v.Visits()
	}
	s.totals.NodeHeartbeats, s.totals.Updates = s.beats.heartbeats, s.beats.updates
	s.sayOver()
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
	for _, name := range slices.Sorted(maps.Keys(s.kinds)) {
		if k, ok := s.kinds[name].Kind.(master.Remarker); ok {
			m.Warnings = append(m.Warnings, k.Remarks()...)
		}
	}
	return m
}
