package backtest

import (
	"cmp"
	"slices"
	"strings"

	"replay/engine/spark/driver"
	"replay/trace"
	"replay/trace/importer/workload"
)

// launch is a recorded task launch, as far as a trace tells.
type launch struct {
	at    int64
	stage int32
	index int32
}

// usable returns the executors of a job with what the recording says of their beginning: when they took
// their first task, if one was waiting, and by how much their first tasks took longer than usual. A trace
// names the host of a task and not its executor, so executors that shared a host at some time are given
// without that.
func (r *Recording) usable(j *trace.Job, a *workload.RecordedApp) []driver.RecordedExecutor {
	execs := r.executorsOf(j.ID)
	byNode := launches(j, a)
	usual := usualOf(j)
	out := make([]driver.RecordedExecutor, len(execs))
	for i, e := range execs {
		out[i] = driver.RecordedExecutor{Executor: e, ReadyMS: trace.Unset, LeaveMS: trace.Unset, CausedBy: trace.Unset}
		out[i].CausedBy, out[i].AfterMS = cause(j, a, &e)
		if sharesHost(execs, i) {
			continue
		}
		out[i].LeaveMS = leaving(j, a, &e, byNode)
		slots := max(int(e.VCores)/max(int(j.TaskCPUs), 1), 1)
		taken := 0
		for _, l := range byNode[e.Node] {
			if l.at < e.AddedMS || e.RemovedMS != trace.Unset && l.at > e.RemovedMS {
				continue
			}
			if taken == 0 && a.Stages[l.stage].SubmitMS < e.AddedMS {
				out[i].ReadyMS = l.at - e.AddedMS
			}
			if taken++; taken > slots {
				break
			}
			t := &j.Stages[l.stage].Tasks
			ms := over(t.DeserializeMS, l.index, usual[0]) + over(t.SchedDelayMS, l.index, usual[1])
			out[i].First = append(out[i].First, driver.FirstTask{Stage: l.stage, Index: l.index, MoreMS: ms})
		}
	}
	return out
}

// leaving returns when the driver decided to have an executor killed, or trace.Unset: it took no task of
// a stage that was submitted after its last task and whose tasks began only when it was gone, so it was
// on its way out by then. The middle of that time is taken.
func leaving(j *trace.Job, a *workload.RecordedApp, e *trace.Executor, byNode map[int32][]launch) int64 {
	if e.RemovedMS == trace.Unset || !strings.HasPrefix(e.Reason, "Executor killed by driver") {
		return trace.Unset
	}
	last := e.AddedMS
	for _, l := range byNode[e.Node] {
		if l.at >= e.AddedMS && l.at <= e.RemovedMS {
			last = max(last, l.at+j.Stages[l.stage].Tasks.DurationMS[l.index])
		}
	}
	first := map[int32]int64{}
	for _, list := range byNode {
		for _, l := range list {
			if at, ok := first[l.stage]; !ok || l.at < at {
				first[l.stage] = l.at
			}
		}
	}
	out := int64(trace.Unset)
	for i := range a.Stages {
		at, began := a.Stages[i].SubmitMS, first[int32(i)]
		if at > last && at < e.RemovedMS && began > e.RemovedMS && (out == trace.Unset || at < out) {
			out = at
		}
	}
	if out == trace.Unset {
		return out
	}
	return last + (out-last)/2
}

// cause returns the stage that had been submitted last, and how long before, when the process of an
// executor ended by itself, which its tasks bring about.
func cause(j *trace.Job, a *workload.RecordedApp, e *trace.Executor) (stage int32, after int64) {
	stage = trace.Unset
	if e.RemovedMS == trace.Unset || !strings.Contains(e.Reason, "exited with code") && !strings.Contains(e.Reason, "Exit status: 52") {
		return stage, 0
	}
	for i := range a.Stages {
		s := &a.Stages[i]
		if s.SubmitMS != trace.Unset && s.SubmitMS <= e.RemovedMS && (s.FinishMS == trace.Unset || s.FinishMS >= e.RemovedMS) &&
			(stage == trace.Unset || s.SubmitMS > a.Stages[stage].SubmitMS) {
			stage, after = int32(i), e.RemovedMS-s.SubmitMS
		}
	}
	return stage, after
}

// launches lists the tasks of stages with one attempt by node, in order of launch.
func launches(j *trace.Job, a *workload.RecordedApp) map[int32][]launch {
	out := map[int32][]launch{}
	for i := range j.Stages {
		t := &j.Stages[i].Tasks
		at := a.Stages[i].SubmitMS
		if at == trace.Unset || t.RecordedWaitMS == nil {
			continue
		}
		for k, node := range t.RecordedNode {
			if node != trace.Unset && t.RecordedWaitMS[k] != trace.Unset {
				out[node] = append(out[node], launch{at + t.RecordedWaitMS[k], int32(i), int32(k)})
			}
		}
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b launch) int { return cmp.Compare(a.at, b.at) })
	}
	return out
}

// usualOf returns the medians of deserialization and scheduler delay over all tasks of a job, ms.
func usualOf(j *trace.Job) (out [2]int64) {
	var all [2][]int64
	for i := range j.Stages {
		for c, column := range [2][]int64{j.Stages[i].Tasks.DeserializeMS, j.Stages[i].Tasks.SchedDelayMS} {
			for _, ms := range column {
				if ms != trace.Unset {
					all[c] = append(all[c], ms)
				}
			}
		}
	}
	for c := range all {
		if slices.Sort(all[c]); len(all[c]) > 0 {
			out[c] = all[c][len(all[c])/2]
		}
	}
	return out
}

// over returns by how much entry i of a column exceeds what is usual.
func over(column []int64, i int32, usual int64) int64 {
	if column == nil || column[i] == trace.Unset {
		return 0
	}
	return max(column[i]-usual, 0)
}

// sharesHost reports whether another executor was on the host of executor i at the same time.
func sharesHost(execs []trace.Executor, i int) bool {
	e := &execs[i]
	for k := range execs {
		o := &execs[k]
		if k != i && o.Node == e.Node && (o.RemovedMS == trace.Unset || o.RemovedMS > e.AddedMS) && (e.RemovedMS == trace.Unset || o.AddedMS < e.RemovedMS) {
			return true
		}
	}
	return false
}
