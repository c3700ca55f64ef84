package result_test

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/record"
	"replay/report/result"
)

// Containers and task attempts add up to the same one by one and many at once, before the record of their job and behind it.
func TestManyRowsAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		many, rows := result.NewCollector(), result.NewCollector()
		var m record.Manifest
		var kept kept
		var jobs []record.Job
		for id := range rapid.Int64Range(1, 3).Draw(t, "jobs") {
			job := record.Job{ID: id, Queue: "root." + string(rune('a'+id%2))}
			w := waveOf(t, &job)
			count(&m.Totals, &job, w)
			w.Give(&kept)
			m.Totals.Jobs++
			jobs = append(jobs, job)
		}
		for i := range kept.tasks {
			if k := &kept.tasks[i]; i%5 == 0 {
				k.Finish = k.Launch + rapid.Int64Range(0, 1<<40).Draw(t, "ms")
			}
		}
		containers := rapid.Permutation(kept.containers).Draw(t, "containers")
		for i := range containers {
			k := &containers[i]
			k.Allocated += rapid.Int64Range(0, 50).Draw(t, "wait")
			k.Ended = k.Allocated + rapid.Int64Range(0, 1<<40).Draw(t, "span")
			k.Started, k.Registered = rapid.SampledFrom([]int64{record.None, k.Allocated + 9}).Draw(t, "started"), record.None
			if k.Started != record.None {
				k.Registered = rapid.SampledFrom([]int64{record.None, k.Allocated + 99}).Draw(t, "registered")
			}
		}
		m.Totals.EndMS = 1 << 42
		late := rapid.Bool().Draw(t, "late")
		for _, c := range []*result.Collector{many, rows} {
			for i := range jobs {
				if late {
					c.Job(&jobs[i])
				}
			}
			if c == many {
				for some := range slices.Chunk(containers, rapid.IntRange(1, 80).Draw(t, "containers at once")) {
					c.Containers(some)
				}
				for some := range slices.Chunk(kept.tasks, rapid.IntRange(1, 40).Draw(t, "at once")) {
					c.Tasks(some)
				}
			} else {
				for i := range containers {
					c.Container(&containers[i])
				}
				for i := range kept.tasks {
					c.Task(&kept.tasks[i])
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

// kept are containers and task attempts.
type kept struct {
	record.Sink
	containers []record.Container
	tasks      []record.Task
}

func (*kept) AnyOrder() (containers, tasks bool) { return true, true }

func (k *kept) Container(r *record.Container) { k.containers = append(k.containers, *r) }
func (k *kept) Task(r *record.Task)           { k.tasks = append(k.tasks, *r) }
