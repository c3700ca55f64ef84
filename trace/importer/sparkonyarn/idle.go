package sparkonyarn

import (
	"replay/trace"
	"replay/trace/importer/eventlog"
	"replay/trace/importer/recorded"
)

// keepIdle gives an application that ran no task a stage with one task that takes no time, and the driver the rest of its
// recorded life: its master and the executors that it asked for were a load on the cluster.
func (s *scenario) keepIdle(a *eventlog.Application, rec *recordedApp) {
	j := &a.Job
	if len(j.Stages) > 0 || rec.Finished <= 0 {
		return
	}
	st := trace.NewStage(0, trace.StageResult)
	st.Name, st.DelayMS = "nothing", 0
	st.TaskVCores = max(j.TaskCPUs, 1)
	st.TaskMemMiB = j.ExecMemMiB / int64(max(j.ExecVCores/st.TaskVCores, 1))
	st.Tasks.DurationMS, st.Tasks.InputBytes = []int64{0}, nil
	j.Stages = []trace.Stage{st}
	j.TailMS = max(rec.Finished-max(a.Recorded.ReadyMS, j.RecordedStartMS), 0)
	a.Recorded.Stages = []recorded.Stage{{SparkStage: trace.Unset, SubmitMS: trace.Unset, FinishMS: trace.Unset}}
	s.Counts.Modelled["applications_without_a_task"]++
}
