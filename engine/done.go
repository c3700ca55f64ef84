package engine

import "replay/trace"

// done is the set of a job's tasks that have succeeded, in whichever attempt of its application. The zero value is empty.
type done struct {
	n     int64
	bits  []uint64
	first []int64 // task number of each stage's first task
}

// add notes that a task has succeeded.
func (d *done) add(j *trace.Job, stage, index int32) {
	if d.bits == nil {
		all := int64(0)
		for i := range j.Stages {
			d.first = append(d.first, all)
			all += int64(j.Stages[i].Tasks.Len())
		}
		d.bits = make([]uint64, (all+63)/64)
	}
	k := d.first[stage] + int64(index)
	if bit := uint64(1) << (k & 63); d.bits[k>>6]&bit == 0 {
		d.bits[k>>6] |= bit
		d.n++
	}
}

// countDone sets what became of the job's tasks: those that succeeded in any attempt, and the rest.
func (a *app) countDone() {
	a.rec.TasksSucceeded = a.done.n
	a.rec.TasksFailed = a.rec.Tasks - a.done.n
}
