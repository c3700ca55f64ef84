package result_test

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/record"
	"replay/report/result"
)

// Task attempts add up to the same one by one and many at once, before the record of their job and behind it.
func TestManyTasksAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		many, rows := result.NewCollector(), result.NewCollector()
		var m record.Manifest
		var tasks []record.Task
		var jobs []record.Job
		for id := range rapid.Int64Range(1, 3).Draw(t, "jobs") {
			job := record.Job{ID: id, Queue: "root.a"}
			w := waveOf(t, &job)
			count(&m.Totals, &job, w)
			w.Give(split{many, &tasks})
			for i := range tasks {
				if k := &tasks[i]; k.Job == id && i%5 == 0 {
					k.Finish = k.Launch + rapid.Int64Range(0, 1<<40).Draw(t, "ms")
				}
			}
			w.Give(split{rows, nil})
			m.Totals.Jobs++
			jobs = append(jobs, job)
		}
		late := rapid.Bool().Draw(t, "late")
		for _, c := range []*result.Collector{many, rows} {
			for i := range jobs {
				if late {
					c.Job(&jobs[i])
				}
			}
			if c == many {
				for some := range slices.Chunk(tasks, rapid.IntRange(1, 40).Draw(t, "at once")) {
					c.Tasks(some)
				}
			} else {
				for i := range tasks {
					c.Task(&tasks[i])
				}
			}
			for i := range jobs {
				if !late {
					c.Job(&jobs[i])
				}
			}
		}
		got, want := aggregatesOf(t, many, m), aggregatesOf(t, rows, m)
		if !bytes.Equal(got, want) {
			t.Fatalf("many at once add up to\n%q, one by one they do to\n%q", got, want)
		}
	})
}

// split keeps task attempts for later and gives containers to a collector.
type split struct {
	record.Sink
	tasks *[]record.Task
}

func (split) AnyOrder() (containers, tasks bool) { return true, true }

func (s split) Task(r *record.Task) {
	if s.tasks != nil {
		*s.tasks = append(*s.tasks, *r)
	}
}
