package backtest

import (
	"replay/engine/record"
	"replay/report/prediction"
	"replay/trace"
	"replay/trace/importer/recorded"
)

// tasks sets the task attempts of a replay beside what was recorded of their tasks; start and predictedStart are those of
// the application.
func (r *Recording) tasks(j *trace.Job, a *recorded.App, ran []record.Task, start, predictedStart int64) []prediction.Task {
	host := func(node int32) string {
		if node < 0 || int(node) >= len(r.input.Nodes) {
			return ""
		}
		return r.input.Nodes[node].Host
	}
	var out []prediction.Task
	for i := range ran {
		t := &ran[i]
		st := &j.Stages[t.Stage]
		row := prediction.Task{
			Recording: r.Name, Application: a.ID, Job: st.SparkJob, Stage: a.Stages[t.Stage].SparkStage, StageAttempt: t.StageAttempt,
			Index: t.Index, Attempt: t.Attempt, Speculative: t.Speculative, End: t.End, Container: t.Container,
			Host: host(t.Node), Level: t.Level.String(), LaunchMS: t.Launch - predictedStart,
		}
		if t.Finish != record.None {
			ms := t.Finish - t.Launch
			row.CoreMS = &ms
		}
		tasks := &st.Tasks
		if tasks.RecordedNode != nil {
			row.RecordedHost = host(tasks.RecordedNode[t.Index])
		}
		if tasks.RecordedLocality != nil {
			row.RecordedLevel = tasks.RecordedLocality[t.Index]
		}
		if at := a.Stages[t.Stage].SubmitMS; at != trace.Unset && tasks.RecordedWaitMS != nil && tasks.RecordedWaitMS[t.Index] != trace.Unset {
			ms := at + tasks.RecordedWaitMS[t.Index] - start
			row.RecordedLaunchMS = &ms
			core := tasks.DurationMS[t.Index]
			if tasks.SchedDelayMS != nil {
				core += max(tasks.SchedDelayMS[t.Index], 0)
			}
			row.RecordedCoreMS = &core
		}
		out = append(out, row)
	}
	return out
}
