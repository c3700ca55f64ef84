package backtest

import (
	"slices"

	"replay/engine/model"
	"replay/engine/scenario"
	"replay/report/prediction"
	"replay/trace"
	"replay/trace/importer/recorded"
)

// estimated are the model's parameters, as recordings say: each is the median of what the logs say of it.
// A parameter that no recording says anything about is left out. Every recording counts with all its
// samples.
func estimated(recs []*Recording) []prediction.Fitted {
	f := samples{}
	for _, r := range recs {
		for i, j := range r.jobs {
			f.tasks(j)
			f.driver(j)
			f.executors(j, r.executorsOf(j.ID), &r.apps[i].Stages)
		}
		if r.cluster != nil {
			f.launches(r.cluster)
		}
	}
	var out []prediction.Fitted
	for _, p := range fitted {
		if xs := f[p.name]; len(xs) > 0 {
			slices.Sort(xs)
			out = append(out, prediction.Fitted{Name: p.name, Value: xs[len(xs)/2], N: len(xs), How: p.how})
		}
	}
	return out
}

// apply sets the fitted parameters.
func apply(m *model.Model, fit []prediction.Fitted) error {
	for _, f := range fit {
		if err := m.Set(f.Name, f.ValueText()); err != nil {
			return err
		}
	}
	return nil
}

// fittedOptions lays fitted parameters over the model file and under single ones.
func fittedOptions(o scenario.Options, fit []prediction.Fitted) (scenario.Options, error) {
	file := o
	file.Parameters = nil
	m, err := file.ResolveModel()
	if err != nil {
		return o, err
	}
	o = o.Clone()
	delete(o.Files, scenario.ModelFile)
	o.Model = m
	return o, apply(&o.Model, fit)
}

// fitted says from what each parameter is estimated.
var fitted = []struct{ name, how string }{
	{"dispatch-ms", "scheduler delay of a task, without the model's status-ms and result-ms"},
	{"deserialize-ms", "executor deserialize time of tasks that are not the first on their host"},
	{"first-task-ms", "executor deserialize time of the first task on a host beyond the median of its stage"},
	{"stage-submit-ms", "submission of a stage after the last of its parents ended, in one Spark job"},
	{"driver-stop-ms", "end of an application after its last stage"},
	{"executor-ready-ms", "first task after the registration of an executor that tasks waited for"},
	{"nm-start-ms", "call of the NodeManager after the master began to launch a container"},
	{"am-start-ms", "registration of an application master after its launch"},
	{"executor-start-ms", "registration of an executor after the NodeManager was called"},
	{"kill-ms", "end of a container's process after the order to kill it"},
	{"stop-ms", "end of the master's process after it unregistered"},
}

// samples are what was found for each parameter, ms.
type samples map[string][]int64

func (f samples) add(name string, ms int64) { f[name] = append(f[name], max(ms, 0)) }

func (f samples) between(name string, from, to *int64) {
	if from != nil && to != nil {
		f.add(name, *to-*from)
	}
}

// tasks takes the parts of the tasks of a job.
func (f samples) tasks(j *trace.Job) {
	m := model.DefaultModel()
	first := firstTasks(j)
	for i := range j.Stages {
		t := &j.Stages[i].Tasks
		for k, ms := range t.SchedDelayMS {
			if ms != trace.Unset && !first[taskOf{i, k}] {
				f.add("dispatch-ms", ms-m.StatusMS-m.ResultMS)
			}
		}
		var usual []int64
		for k, ms := range t.DeserializeMS {
			if ms != trace.Unset && !first[taskOf{i, k}] {
				usual = append(usual, ms)
				f.add("deserialize-ms", ms)
			}
		}
		if len(usual) == 0 {
			continue
		}
		slices.Sort(usual)
		for k, ms := range t.DeserializeMS {
			if ms != trace.Unset && first[taskOf{i, k}] {
				f.add("first-task-ms", ms-usual[len(usual)/2])
			}
		}
	}
}

type taskOf struct{ stage, index int }

// firstTasks finds the first task on each host. A trace does not tell executors of one host apart.
func firstTasks(j *trace.Job) map[taskOf]bool {
	type start struct {
		at   int64
		task taskOf
	}
	starts := map[int32]start{}
	for i := range j.Stages { // stages come in the order of submission
		t := &j.Stages[i].Tasks
		for k, node := range t.RecordedNode {
			if node == trace.Unset || t.RecordedWaitMS == nil || t.RecordedWaitMS[k] == trace.Unset {
				continue
			}
			s, ok := starts[node]
			if !ok || s.task.stage == i && t.RecordedWaitMS[k] < s.at {
				starts[node] = start{t.RecordedWaitMS[k], taskOf{i, k}}
			}
		}
	}
	out := map[taskOf]bool{}
	for _, s := range starts {
		out[s.task] = true
	}
	return out
}

// driver takes the latencies of the driver.
func (f samples) driver(j *trace.Job) {
	for i := range j.Stages {
		st := &j.Stages[i]
		if len(st.Parents) == 0 || len(st.After) > 0 || st.DelayMS == trace.Unset {
			continue
		}
		if !slices.ContainsFunc(st.Parents, func(p int32) bool { return j.Stages[p].SparkJob != st.SparkJob }) {
			f.add("stage-submit-ms", st.DelayMS)
		}
	}
	if j.TailMS != trace.Unset {
		f.add("driver-stop-ms", j.TailMS)
	}
}

func (r *Recording) executorsOf(job int64) []trace.Executor {
	var out []trace.Executor
	for _, e := range r.executors {
		if e.Job == job {
			out = append(out, e)
		}
	}
	return out
}

// launches takes the latencies of containers.
func (f samples) launches(c *clusterRecord) {
	unregistered := map[int64]*int64{}
	for i := range c.Applications {
		a := &c.Applications[i]
		f.between("am-start-ms", a.AMLaunched, a.Registered)
		unregistered[a.Job] = a.Unregistering
	}
	for i := range c.Containers {
		k := &c.Containers[i]
		f.between("kill-ms", k.Killing, k.NMDone)
		if k.AM {
			f.between("stop-ms", unregistered[k.Job], k.NMDone)
			continue
		}
		f.between("nm-start-ms", k.Launching, k.StartCalled)
		f.between("executor-start-ms", k.StartCalled, k.Registered)
	}
}

// executors takes how long registered executors were not ready while tasks waited: from the registration
// to the first task on the host, where that task's stage had been submitted before.
func (f samples) executors(j *trace.Job, execs []trace.Executor, stages *[]recorded.Stage) {
	onHost := map[int32]int{}
	for _, e := range execs {
		onHost[e.Node]++
	}
	first := map[int32]int64{}
	for i := range j.Stages {
		t := &j.Stages[i].Tasks
		at := (*stages)[i].SubmitMS
		for k, node := range t.RecordedNode {
			if at == trace.Unset || node == trace.Unset || onHost[node] != 1 || t.RecordedWaitMS == nil || t.RecordedWaitMS[k] == trace.Unset {
				continue
			}
			if launch, ok := first[node]; !ok || at+t.RecordedWaitMS[k] < launch {
				first[node] = at + t.RecordedWaitMS[k]
			}
		}
	}
	for _, e := range execs {
		launch, ok := first[e.Node]
		if !ok || launch < e.AddedMS {
			continue
		}
		for i := range *stages {
			if s := &(*stages)[i]; s.SubmitMS != trace.Unset && s.SubmitMS < e.AddedMS && (s.FinishMS == trace.Unset || s.FinishMS >= launch) {
				f.add("executor-ready-ms", launch-e.AddedMS)
				break
			}
		}
	}
}
