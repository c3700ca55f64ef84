package eventlog

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"replay/trace"
	"replay/trace/importer/workload"
)

// seen is what tasks say of an executor that no event added, as where the begin of a log was lost.
type seen struct {
	host    int32
	profile int32 // of the stages that it worked for
	first   int64 // launch
	removed int64 // or absent
	reason  string
}

// see notes the executor of a task, if no event has added it.
func (a *appLog) see(st *stageLog, t *taskInfo) {
	if _, ok := a.unannounced[t.executor]; ok || t.executor < 0 {
		return
	}
	if _, ok := a.executor[t.executor]; !ok {
		a.unannounced[t.executor] = seen{host: a.hostID(t.host), profile: st.info.profile, first: t.launch, removed: absent}
	}
}

// addUnannounced makes the executors that ran tasks and that no event added: there since their first task was due, with the cores that the application's
// properties give executors, and at least as many as tasks that they worked on at a time.
func (a *appLog) addUnannounced(counts *workload.Counts) {
	lost := map[int32]seen{}
	for id, l := range a.unannounced {
		if _, ok := a.executor[id]; !ok && l.host >= 0 {
			lost[id] = l
		}
	}
	due := map[int64]int64{}
	if len(lost) > 0 {
		due = a.dueTimes()
	}
	for id, most := range a.mostAtATime(lost) {
		l := lost[id]
		at, ok := due[l.first]
		if !ok {
			at = l.first
		}
		a.executor[id] = len(a.executors)
		a.executors = append(a.executors, executorLog{hostID: l.host, removed: l.removed, reason: l.reason,
			executorAdded: executorAdded{id: id, host: a.hosts[l.host], profile: l.profile, cores: a.coresOf(l.profile, most), at: at, request: absent}})
		counts.Modelled["executors_that_no_event_added"]++
	}
	slices.SortStableFunc(a.executors, func(x, y executorLog) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.id, y.id)) })
	a.numberDriver()
}

// coresOf are those that the properties, or a resource profile, give an executor, and at least as many as the tasks that it worked on at a time need.
func (a *appLog) coresOf(profile int32, tasks int64) int64 {
	conf := &sparkConf{set: a.conf}
	cores, cpus := int64(1), float64(conf.count("spark.task.cpus", 1))
	if !strings.HasPrefix(conf.text("spark.master", ""), "local") { // which pass over it
		cores = max(1, conf.count("spark.executor.cores", 1))
	}
	if p, ok := a.profiles[profile]; ok && profile != 0 {
		cpus = cmp.Or(p.taskCPUs, cpus)
		if p.cores != absent {
			cores = max(1, p.cores)
		}
	}
	return max(cores, int64(min(cpus*float64(tasks), math.MaxInt32)))
}

// dueTimes are when stages were submitted, by the launch of their first task; of several the first.
func (a *appLog) dueTimes() map[int64]int64 {
	due := map[int64]int64{}
	for _, st := range a.stages {
		for i, begun := range st.begun {
			if at := st.submitted[i]; begun != absent && at != absent && at <= begun {
				if first, ok := due[begun]; !ok || at < first {
					due[begun] = at
				}
			}
		}
	}
	return due
}

// mostAtATime is on how many tasks executors worked at a time, at most. Without the times of dispatch and of results, in which an executor has the next task already:
// a task that has no such times counts only where no task of its executor has them.
func (a *appLog) mostAtATime(of map[int32]seen) map[int32]int64 {
	type change struct {
		at int64
		by int64
	}
	var worked, held = map[int32][]change{}, map[int32][]change{}
	add := func(executor int32, launch, ms int64, metrics bool) {
		if _, ok := of[executor]; !ok || launch == absent {
			return
		}
		to := held
		if metrics {
			to = worked
		}
		to[executor] = append(to[executor], change{launch, 1}, change{launch + max(ms, 0), -1})
	}
	for _, st := range a.stages {
		for i := range st.parts {
			if p := &st.parts[i]; p.done {
				add(p.executor, p.launch, p.busyMS, p.metrics)
			}
		}
		for i := range st.more {
			m := &st.more[i]
			add(m.Executor, m.LaunchMS, m.DurationMS, m.SchedDelayMS != trace.Unset)
		}
	}
	most := map[int32]int64{}
	for id := range of {
		changes := worked[id]
		if len(changes) == 0 {
			changes = held[id]
		}
		slices.SortFunc(changes, func(x, y change) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.by, y.by)) })
		running := int64(0)
		for _, c := range changes {
			running += c.by
			most[id] = max(most[id], running)
		}
		most[id] = max(most[id], 1)
	}
	return most
}

// addEnds finds the ends that the log has lost of executors whose tasks were lost with them, and of jobs whose last stage has succeeded.
func (a *appLog) addEnds(counts *workload.Counts) {
	for i := range a.executors {
		if e := &a.executors[i]; e.removed == absent {
			if at, lost := a.lostAt[e.id]; lost {
				e.removed, e.reason = max(at, e.at), "lost with its tasks"
				counts.Modelled["removals_of_lost_executors"]++
			}
		}
	}
	for _, j := range a.jobs {
		if j.done = j.end; j.end != absent || len(j.stageIDs) == 0 {
			continue
		}
		if st := a.stages[slices.Max(j.stageIDs)]; st != nil && st.result && st.firstReady != absent && st.failure == "" && st.completed >= j.at {
			j.done = st.completed
		}
		for _, id := range j.stageIDs {
			if st := a.stages[id]; st != nil && st.completed >= j.at && failedItsJob(st.failure) {
				j.done = max(j.done, st.completed)
			}
		}
		if j.done != absent {
			counts.Modelled["ends_of_spark_jobs"]++
		}
	}
}

// failedItsJob tells by why a stage failed whether its job failed with it; that of a stage that another attempt follows did not. What failed as the application
// ended has no event of its end.
//
// Source: DAGScheduler.abortStage, handleJobCancellation, cleanUpAfterSchedulerStop.
func failedItsJob(why string) bool {
	if strings.HasPrefix(why, "Job aborted due to stage failure") {
		return true
	}
	return strings.HasPrefix(why, "Job ") && strings.Contains(why, " cancelled") && !strings.Contains(why, "SparkContext was shut down")
}
