package verify

// jobSums is what the containers and task attempts of a job add up to, under the columns of jobs.parquet.
type jobSums struct {
	jobRow
	spanMS    int64 // of all its task attempts
	successMS int64 // of attempts that succeeded, in whichever attempt of the application: the tables do not say whether it began again
}

// add counts a task attempt.
func (s *jobSums) add(t *task) {
	s.spanMS += t.finish - t.launch
	if t.running {
		s.RunningMS += t.finish - t.launch
	}
	s.Attempts++
	s.TaskWaitMS += t.launch - t.ready
	if !t.success {
		return
	}
	if t.level >= 0 {
		*[]*int64{&s.ProcessLocal, &s.NodeLocal, &s.NoPref, &s.RackLocal, &s.Any}[t.level]++ // as in levels
	}
	if t.preferring {
		s.TasksPreferring++
	}
	if t.preferred {
		s.TasksPreferred++
	}
}

// addContainers counts the containers of the job.
func (a *applications) addContainers(s *jobSums) {
	end := a.v.manifest.Totals.EndMS
	for i := range a.containers {
		c := &a.containers[i]
		held := max(heldUntil(c.ended, c.allocated, end)-c.allocated, 0)
		s.MemMiBMS += c.mem * held
		s.VCoreMS += c.vcores * held
		if c.am {
			continue
		}
		s.Containers++
		if c.asked != none {
			s.Asks++
			s.AskMS += c.allocated - c.asked
		}
		if c.match >= 0 {
			s.Preferring++
			*[]*int64{&s.Preferred, &s.RackPreferred, new(int64)}[c.match]++ // as in matches
		}
		if c.hinting {
			s.Hinting++
		}
		if c.hinted {
			s.Hinted++
		}
	}
}

// checkSums compares the sums in jobs.parquet with those of containers and task attempts.
func (a *applications) checkSums(j *job, s *jobSums) {
	j.summed = true
	for _, x := range []struct {
		column    string
		got, want int64
	}{
		{"memory_mib_ms", j.MemMiBMS, s.MemMiBMS}, {"vcore_ms", j.VCoreMS, s.VCoreMS}, {"containers", j.Containers, s.Containers},
		{"containers_waited", j.Asks, s.Asks}, {"containers_wait_allocation_ms", j.AskMS, s.AskMS},
		{"containers_preferring", j.Preferring, s.Preferring}, {"containers_preferred", j.Preferred, s.Preferred}, {"containers_rack_preferred", j.RackPreferred, s.RackPreferred},
		{"containers_hinting", j.Hinting, s.Hinting}, {"containers_hinted", j.Hinted, s.Hinted},
	} {
		a.sums.equal(x.got, x.want, j.row, x.column, "what its rows add up to")
	}
	if !a.v.hasTasks {
		return
	}
	a.sums.that(j.UsefulMS <= s.successMS, j.row, "task_useful_ms", j.UsefulMS, "at most %d, the time of task attempts that succeeded", s.successMS)
	for _, x := range []struct {
		column    string
		got, want int64
	}{
		{"task_attempts", j.Attempts, s.Attempts}, {"tasks_waited", j.TaskWaits, s.Attempts}, {"tasks_wait_launch_ms", j.TaskWaitMS, s.TaskWaitMS},
		{"tasks_process_local", j.ProcessLocal, s.ProcessLocal}, {"tasks_node_local", j.NodeLocal, s.NodeLocal}, {"tasks_no_pref", j.NoPref, s.NoPref},
		{"tasks_rack_local", j.RackLocal, s.RackLocal}, {"tasks_any", j.Any, s.Any},
		{"tasks_preferring", j.TasksPreferring, s.TasksPreferring}, {"tasks_preferred", j.TasksPreferred, s.TasksPreferred},
		{"tasks_succeeded", j.TasksSucceeded, s.TasksSucceeded}, {"task_running_ms", j.RunningMS, s.RunningMS}, {"task_useful_ms + task_wasted_ms + task_running_ms", j.UsefulMS + j.WastedMS + j.RunningMS, s.spanMS},
	} {
		a.sums.equal(x.got, x.want, j.row, x.column, "what its rows add up to")
	}
}
