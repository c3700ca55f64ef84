// Package depend holds back jobs that the trace has begin after the end of others (depends_on, think_ms of the job table).
//
// A job is submitted at its own time or, if that is later, think_ms after the last of the jobs that it depends on has ended, however these ended, and 1 ms after it at the
// least: who submits it has to hear of the end first. A job that is not replayed, as a change has taken it out, is not waited for.
package depend

import (
	"maps"
	"slices"

	"replay/trace"
)

// Jobs are the jobs of a replay that are held back, and how far those are for which they may wait. The zero value knows of none.
type Jobs struct {
	Independent bool // no job depends on another, so nothing has to be remembered

	ends []int64           // by id: 1 + when a job ended, ms; open before that, and 0 before its own time has come
	held map[int64]*held   // by id
	wait map[int64][]int64 // those that wait for the end of a job, by its id
}

// open is what stands in ends for a job that has not ended.
const open = -1

// held is a job that is held back.
type held struct {
	job   *trace.Job
	waits int   // for so many ends
	from  int64 // when all that is known allows it, ms
	after int64 // the job that does so last, if that is later than its own time
}

// A Due is a job that is to be submitted at a time, ms.
type Due struct{ Job, At int64 }

// Any reports whether a job is held back.
func (d *Jobs) Any() bool { return len(d.held) > 0 }

// Comes takes note of a job whose own time has come, and reports whether it is held back. When that is over is said at once, in ms, if it waits for no more ends; else due
// is -1, and [Jobs.Ended] says it.
func (d *Jobs) Comes(j *trace.Job, now int64) (due int64, back bool) {
	if d.Independent {
		return now, false
	}
	for int64(len(d.ends)) <= j.ID {
		d.ends = append(d.ends, 0)
	}
	d.ends[j.ID] = open
	h := held{job: j, from: now}
	for _, id := range j.DependsOn {
		switch end := d.ends[id]; end {
		case 0:
		case open:
			h.waits++
			if d.wait == nil {
				d.wait = map[int64][]int64{}
			}
			d.wait[id] = append(d.wait[id], j.ID)
		default:
			h.allow(id, end-1)
		}
	}
	if h.waits == 0 && h.from == now {
		return now, false
	}
	if d.held == nil {
		d.held = map[int64]*held{}
	}
	d.held[j.ID] = &h
	if h.waits > 0 {
		return -1, true
	}
	return h.from, true
}

// allow notes that a job on which it depends ended at a time.
func (h *held) allow(id, at int64) {
	if from := at + max(h.job.ThinkMS, 1); from > h.from {
		h.from, h.after = from, id
	}
}

// Ended takes note of the end of a job and returns those that wait for no other any more.
func (d *Jobs) Ended(id, now int64) (due []Due) {
	if d.Independent {
		return nil
	}
	d.ends[id] = now + 1
	for _, waiting := range d.wait[id] {
		h := d.held[waiting]
		h.allow(id, now)
		if h.waits--; h.waits == 0 {
			due = append(due, Due{waiting, h.from})
		}
	}
	delete(d.wait, id)
	return due
}

// Take takes out a job that is due, nil if it is not held back, with the one after whose end it comes.
func (d *Jobs) Take(id int64) (j *trace.Job, after int64) {
	h := d.held[id]
	if h == nil {
		return nil, 0
	}
	delete(d.held, id)
	return h.job, h.after
}

// Left returns the jobs that are held back, by id.
func (d *Jobs) Left() (jobs []*trace.Job) {
	for _, id := range slices.Sorted(maps.Keys(d.held)) {
		jobs = append(jobs, d.held[id].job)
	}
	return jobs
}
