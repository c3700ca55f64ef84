package spark

import (
	"slices"

	"replay/engine/master"
	"replay/engine/spark"
	"replay/engine/spark/driver"
	"replay/trace"
)

// backendWork is what a stage says beside its tasks where Spark's own DAGScheduler submits it.
type backendWork struct {
	Job     int32   `json:"job"`
	Parents []int32 `json:"parents"` // stages whose output it reads
	Barrier bool    `json:"barrier"`
	Written []int64 `json:"written"`  // bytes by task; nil for a stage that computes a result
	CacheOf *int32  `json:"cache_of"` // the stage whose kept partitions it reads
}

// backendStages is what becomes of stages.
type backendStages struct {
	Submitted [][]int `json:"submitted"` // stage, attempt, tasks
	Timers    []int64 `json:"timer"`     // ms until failed stages are submitted again
	Checks    []int64 `json:"checks"`    // ms until a job comes again whose barrier stages find too few slots
}

// backendJobs are the Spark jobs of a case, which come when the script says so, and their stages, each as soon as its turn has come.
type backendJobs struct {
	stages  []backendStage
	came    map[int32]bool
	stopped map[int64]bool // attempts that were told to stop
	due     []int32        // stages whose turn has come
	again   []int32        // those of the job that waits for slots
}

func newBackendJobs(c *backendCase) *backendJobs {
	return &backendJobs{stages: c.Stages, came: map[int32]bool{}, stopped: map[int64]bool{}}
}

// describe gives the stages of a trace what a case says of its jobs.
func describe(j *trace.Job, c *backendCase) {
	for i := range c.Stages {
		s, st := &c.Stages[i], &j.Stages[i]
		st.SparkJob, st.DelayMS, st.Tasks.ShuffleWriteBytes = s.Job, turnMS, s.Written
		if s.CacheOf != nil {
			st.CacheOf = *s.CacheOf
		}
		if s.Barrier {
			st.Kind = trace.StageGang
		}
		for _, m := range c.Messages {
			if m.Op == "submit_job" && m.Job == s.Job && m.Pool != nil {
				st.Pool = *m.Pool
			}
		}
	}
}

const turnMS = 1 // from a stage's turn to its submission, as the driver counts it; a script says when its job comes

// give carries out a message about jobs and stages; it reports false for others.
func (w *backendJobs) give(p *driver.Played, m *backendMessage) bool {
	switch m.Op {
	case "submit_job":
		w.came[m.Job] = true
	case "submit_again":
		w.due, w.again = append(w.due, w.again...), nil
	case "resubmit":
		p.Resubmits()
	default:
		return false
	}
	return true
}

// once puts into order what Spark does in that of a hash table, and leaves of all that an attempt is told to stop the first time.
func (w *backendJobs) once(want, got *backendMessage) {
	for _, m := range []*backendMessage{want, got} {
		slices.SortStableFunc(m.Submitted, func(a, b []int) int { return slices.Compare(a[:2], b[:2]) })
		slices.Sort(m.KillTasks)
		m.KillTasks = slices.DeleteFunc(slices.Compact(m.KillTasks), func(id int64) bool { return w.stopped[id] })
	}
	for _, id := range want.KillTasks {
		w.stopped[id] = true
	}
}

// come has the stages come whose turn it is, if their job has.
func (w *backendJobs) come(p *driver.Played) {
	for {
		i := slices.IndexFunc(w.due, func(s int32) bool { return int(s) < len(w.stages) && w.came[w.stages[s].Job] })
		if i < 0 {
			return
		}
		s := w.due[i]
		w.due = slices.Delete(w.due, i, i+1)
		p.Comes(s)
	}
}

// outputs returns which executor holds the output of each map task of the first stages.
func (w *backendJobs) outputs(p *driver.Played, stages int) (out [][]int32) {
	for s := range min(stages, len(w.stages)) {
		var at []int32
		if w.stages[s].Written != nil {
			if at = slices.Clone(p.Outputs(int32(s))); len(at) == 0 {
				at = slices.Repeat([]int32{-1}, len(w.stages[s].Tasks))
			}
		}
		out = append(out, at)
	}
	return out
}

// stageAt notes when the driver wants to submit a stage, or those that failed.
func (h *backendHost) stageAt(at int64, k master.EventKind, arg int64) {
	switch {
	case driver.ComesAgain(k):
		h.got.Timers = append(h.got.Timers, at-h.now)
	case !driver.Comes(k):
	case at-h.now <= turnMS || int(arg) >= len(h.work.stages):
		h.work.due = append(h.work.due, int32(arg))
	default:
		if h.work.again = append(h.work.again, int32(arg)); len(h.got.Checks) == 0 {
			h.got.Checks = append(h.got.Checks, at-h.now)
		}
	}
}

// submitted notes an attempt of a stage.
func (h *backendHost) submitted(stage, attempt int32, tasks int) {
	h.got.Submitted = append(h.got.Submitted, []int{int(stage), int(attempt), tasks})
}

// source is the output that a task could not read, nil for none.
func (h *backendHost) source(u *unreadable) *spark.FetchSource {
	if u == nil {
		return nil
	}
	from := &spark.FetchSource{Stage: u.stage, Partition: u.partition, Exec: -1, Host: -1}
	if u.exec != nil {
		from.Exec, from.Host = number(*u.exec), h.node[*u.host]
	}
	return from
}
