package scenariotest

import (
	"math/rand/v2"

	"replay/engine/spark/driver"
	"replay/trace"
)

// recorded has some cases follow a recording: what each attempt of a task did, how long masters and executors took to start.
func (m *maker) recorded(r *rand.Rand) {
	if r.IntN(3) > 0 {
		return
	}
	latencies := r.IntN(2) == 0
	rec := driver.Recorded{CodeMS: map[int64]int64{}, Attempts: map[int64][]driver.RecordedAttempt{}, Latencies: map[int64][]*driver.Latencies{}}
	for _, j := range m.Jobs {
		if j.Kind != trace.KindSpark {
			continue
		}
		rec.CodeMS[j.ID] = []int64{0, 900, 8000}[r.IntN(3)]
		executors := 1 + r.Int32N(5)
		if latencies && r.IntN(2) == 0 {
			l := &driver.Latencies{AMMS: r.Int64N(7000), Halts: r.IntN(4) == 0, HaltMS: r.Int64N(30_000), HaltExit: r.Int32N(3)}
			for range r.IntN(6) {
				l.ExecutorMS = append(l.ExecutorMS, r.Int64N(5000))
				l.FirstMS = append(l.FirstMS, []int64{r.Int64N(500)}[:r.IntN(2)])
			}
			rec.Latencies[j.ID] = []*driver.Latencies{l}
		}
		if r.IntN(2) == 0 {
			rec.Attempts[j.ID] = attempts(r, j, executors)
		}
	}
	m.Options.Recorded = rec
}

// attempts are recorded ones of the tasks of a job on executors, which end in any way.
func attempts(r *rand.Rand, j *trace.Job, executors int32) (list []driver.RecordedAttempt) {
	for i := range j.Stages {
		st := &j.Stages[i]
		at := j.SubmitMS + r.Int64N(20_000)
		for task := range st.Tasks.Len() {
			for again := true; again; again = r.IntN(5) == 0 {
				a := driver.RecordedAttempt{Stage: st.ID, Task: int32(task), StageAttempt: r.Int32N(8) / 7, Executor: r.Int32N(executors) + 1, LaunchMS: at + r.Int64N(3000), DurationMS: r.Int64N(6000),
					SchedDelayMS: r.Int64N(50), Speculative: r.IntN(8) == 0, End: driver.AttemptSucceeded}
				if r.IntN(2) == 0 {
					a.End = driver.AttemptEnd(r.IntN(5))
				}
				a.CoreMS = a.DurationMS + a.SchedDelayMS
				list = append(list, a)
			}
		}
	}
	return list
}
