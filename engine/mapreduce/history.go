package mapreduce

import (
	"maps"
	"slices"
)

// history is what an attempt of the application finds of those before it: the job history, from which it recovers tasks.
type history struct {
	attempts int // of the application that began
	done     [2]map[int32]recovered
}

// recovered is a task that had succeeded. The failures of its attempts before stay with it.
type recovered struct {
	node     int32
	ms       int64
	failures int
}

// firstNumber is that of the first attempt of each task: those of different attempts of the application do not meet.
func (h *history) firstNumber() int32 { return int32(1000 * (h.attempts - 1)) }

func (h *history) keep(j *job, reduce bool, index int32, t *task) {
	if !j.set.Recovery {
		return
	}
	i := typeOf(reduce)
	if h.done[i] == nil {
		h.done[i] = map[int32]recovered{}
	}
	h.done[i][index] = recovered{t.node, t.ms, t.failures}
}

// drop forgets a map that runs again.
func (h *history) drop(index int32) { delete(h.done[0], index) }

// recover takes over the tasks that an earlier attempt of the application has done. The speculator does not hear of them.
//
// Source: TaskImpl.recover.
func (j *job) recover() {
	for i := range j.tasks {
		for _, index := range slices.Sorted(maps.Keys(j.past.done[i])) {
			d := j.past.done[i][index]
			j.tasks[i][index] = task{over: true, succeeded: true, counted: true, node: d.node, ms: d.ms, failures: d.failures}
			j.inOrder(&j.tasks[i][index])
			j.completed[i]++
			j.Job.TasksSucceeded++
			j.Job.TaskMS += d.ms
			j.Job.WastedTaskMS -= d.ms
		}
	}
	if len(j.past.done[0]) > 0 {
		j.lastMap = j.h.Now()
	}
}
