package backtest

import (
	"context"
	"fmt"
	"slices"

	"replay/engine"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/spark/driver"
	"replay/report/prediction"
	"replay/trace"
	"replay/trace/importer/recorded"
)

// Options say how recordings are replayed.
type Options struct {
	Engine     scenario.Options // configuration, seed and model; the recording's own come under it
	Allocation string           // of event logs: recorded (default) or simulated
	Latency    string           // of clusters: recorded (default) or model
	Seeds      int              // replays of each recording, with seeds from that of Engine on; 0 = 1
	Tasks      bool             // give the tasks of the replays
}

// Replay replays a recording once. The result has its applications in order of submission.
func Replay(ctx context.Context, r *Recording, o Options) ([]prediction.App, *observed, []record.Warning, error) {
	opt, in := o.Engine, r.input
	byDriver := !r.IsCluster
	opt.Recorded.Attempts = map[int64][]driver.RecordedAttempt{}
	replayed, times := slices.Clone(r.jobs), make([][]stageTimes, len(r.jobs))
	for i := range r.apps {
		opt.Recorded.Attempts[r.apps[i].Job] = r.attempts(r.jobs[i], &r.apps[i])
	}
	if r.IsCluster {
		if o.Latency != "model" {
			opt.Recorded.Latencies = r.cluster.latencies()
			for job, list := range opt.Recorded.Latencies { // logs are those of the last attempts
				list[len(list)-1].FirstMS = r.firsts(job, opt.Recorded.Attempts[job])
			}
			for i := range r.apps {
				a := &r.apps[i]
				replayed[i] = asRecorded(r.jobs[i], a, r.stageTimes(r.jobs[i], a, opt.Recorded.Attempts[a.Job]), false)
			}
		}
	} else if o.Allocation != "simulated" {
		opt.Recorded.Executors = []driver.RecordedExecutor{}
		opt.Recorded.CodeMS = map[int64]int64{}
		for i := range r.apps {
			a := &r.apps[i]
			opt.Recorded.CodeMS[a.Job] = max(a.ReadyMS-a.StartMS, 0)
			all := opt.Recorded.Attempts[a.Job]
			opt.Recorded.Executors = append(opt.Recorded.Executors, r.usable(r.jobs[i], a, all)...)
			times[i] = r.stageTimes(r.jobs[i], a, all)
			replayed[i] = asRecorded(r.jobs[i], a, times[i], true)
		}
	}
	all := newObserved()
	if o.Tasks {
		all.tasks = map[int64][]record.Task{}
	}
	var warnings []record.Warning
	groups := [][]*trace.Job{replayed}
	if byDriver { // each application had a cluster of its own
		groups = groups[:0]
		for _, j := range replayed {
			groups = append(groups, []*trace.Job{j})
		}
	}
	for _, jobs := range groups {
		in.Jobs = &jobList{jobs: jobs}
		sc, err := scenario.New(in, opt)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		m, err := engine.Run(ctx, sc, all, nil)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		warnings = append(warnings, m.Warnings...)
	}
	var out []prediction.App
	for i, j := range r.jobs {
		out = append(out, r.compare(j, &r.apps[i], all, times[i], byDriver))
	}
	return out, all, warnings, nil
}

// compare sets one application's replay beside its recording.
//
// times are the driver's own, nil where they are not part of the replay.
func (r *Recording) compare(j *trace.Job, a *recorded.App, o *observed, times []stageTimes, byDriver bool) prediction.App {
	rec, ran := o.jobs[j.ID]
	out := prediction.App{
		Recording: r.Name, ID: a.ID, Name: a.Name, RecordedMS: trace.Unset, PredictedMS: trace.Unset,
		Outcome: rec.Outcome, Reason: rec.Reason,
	}
	if !ran {
		out.Outcome, out.Reason = "not submitted", "an end or a change of the replay keeps it out"
	}
	start, predictedStart := a.SubmitMS, rec.Submit
	if byDriver {
		start, predictedStart = a.StartMS, rec.AMRegistered
	}
	if a.FinishMS != trace.Unset {
		out.RecordedMS = a.FinishMS - start
	}
	if ran && rec.Outcome == record.JobSucceeded {
		out.PredictedMS = rec.Finish - predictedStart
	}
	jobs, last := map[int32]*span{}, int64(trace.Unset)
	for i := range j.Stages {
		st := &j.Stages[i]
		s := o.of(j.ID, st.ID)
		if times != nil && s.end != trace.Unset {
			s.start, s.end = s.start-times[i].prepare, s.end+times[i].finish
		}
		e := prediction.Stage{Stage: a.Stages[i].SparkStage, Job: st.SparkJob, Name: st.Name, Tasks: st.Tasks.Len(),
			RecordedMS: trace.Unset, PredictedMS: trace.Unset, Attempts: a.Stages[i].Attempts,
			RecordedStartMS: trace.Unset, PredictedStartMS: trace.Unset}
		if at := a.Stages[i].SubmitMS; at != trace.Unset {
			e.RecordedStartMS = at - start
			if a.Stages[i].FinishMS != trace.Unset {
				e.RecordedMS = a.Stages[i].FinishMS - at
			}
		}
		last = max(last, s.end)
		if s.end != trace.Unset {
			e.PredictedMS, e.PredictedStartMS = s.end-s.start, s.start-predictedStart
			if k := jobs[st.SparkJob]; k == nil {
				jobs[st.SparkJob] = &span{s.start, s.end}
			} else {
				k.start, k.end = min(k.start, s.start), max(k.end, s.end)
			}
		}
		out.Stages = append(out.Stages, e)
	}
	beside := map[int32]int64{}
	if times != nil {
		beside = around(j, a)
	}
	for _, k := range a.Jobs {
		e := prediction.Job{Job: k.ID, RecordedMS: trace.Unset, PredictedMS: trace.Unset, OK: k.OK}
		if k.FinishMS != trace.Unset {
			e.RecordedMS = k.FinishMS - k.SubmitMS
		}
		if s := jobs[k.ID]; s != nil {
			e.PredictedMS = s.end - s.start + beside[k.ID]
		}
		out.Jobs = append(out.Jobs, e)
	}
	if byDriver && rec.Outcome == record.JobSucceeded && last != trace.Unset && j.TailMS != trace.Unset {
		out.PredictedMS = last + j.TailMS - predictedStart // a log ends with its driver, not in the ResourceManager
	}
	out.Tasks = r.tasks(j, a, o.tasks[j.ID], start, predictedStart)
	if a.FinishMS == trace.Unset { // what came after the end of the recording is not in the trace
		out.PredictedMS, out.Reason = trace.Unset, "the recording stops before the application ended"
	}
	out.Finish()
	return out
}
