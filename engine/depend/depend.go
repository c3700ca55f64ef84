// Package depend holds back jobs that the trace has begin after the end of others (depends_on, think_ms of the job table).
//
// A job is submitted at its own time or, if that is later, think_ms after the last of the jobs that it depends on has ended, however these ended, and 1 ms after it at the
// least: who submits it has to hear of the end first. A job that is not replayed, as a change has taken it out, is not waited for.
package depend

import (
	"maps"
	"slices"

	"replay/engine/record"
	"replay/trace"
)

// Jobs are the jobs of a replay that are held back, and how far those are for which they may wait. The zero value knows of none.
type Jobs struct {
	Independent bool // no job depends on another, so nothing has to be remembered

	ends []int64           // by id: 1 + when a job ended, ms; open before that, and 0 before its own time has come
	held map[int64]*Held   // by id
	wait map[int64][]int64 // those that wait for the end of a job, by its id
}

// open is what stands in ends for a job that has not ended.
const open = -1

// Held is a job that is held back.
type Held struct {
	Job *trace.Job
	Own int64 // its own time, ms
	By  int64 // the job whose end allows it last, once it is due

	waits int   // for so many ends
	from  int64 // when all that is known allows it, ms
}

// A Due is a job that is to be submitted at a time, ms.
type Due struct{ Job, At int64 }

// Any reports whether a job is held back.
func (d *Jobs) Any() bool { return len(d.held) > 0 }

// Comes takes note of a job whose own time has come, and reports whether it is held back. It is due by what is returned if it waits for no more ends; else [Jobs.Ended]
// returns it.
func (d *Jobs) Comes(j *trace.Job, now int64) (due []Due, back bool) {
	if d.Independent {
		return nil, false
	}
	for int64(len(d.ends)) <= j.ID {
		d.ends = append(d.ends, 0)
	}
	d.ends[j.ID] = open
	h := Held{Job: j, Own: now, from: now}
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
		return nil, false
	}
	if d.held == nil {
		d.held = map[int64]*Held{}
	}
	d.held[j.ID] = &h
	return h.due(due), true
}

// due adds the job to a list if it waits for no more ends.
func (h *Held) due(list []Due) []Due {
	if h.waits > 0 {
		return list
	}
	return append(list, Due{h.Job.ID, h.from})
}

// allow notes that a job on which it depends ended at a time.
func (h *Held) allow(id, at int64) {
	if from := at + max(h.Job.ThinkMS, 1); from > h.from {
		h.from, h.By = from, id
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
		h.waits--
		due = h.due(due)
	}
	delete(d.wait, id)
	return due
}

// Take takes out a job that is due, nil if it is not held back.
func (d *Jobs) Take(id int64) *Held {
	h := d.held[id]
	delete(d.held, id)
	return h
}

// Note puts into the record of a job that is submitted how it was held back; of one that was not, h is nil.
func (h *Held) Note(rec *record.Job) {
	if h != nil {
		rec.HeldMS, rec.HeldBy = rec.Submit-h.Own, h.By
	}
}

// left are the jobs that are held back, by id.
func (d *Jobs) left() (jobs []*trace.Job) {
	for _, id := range slices.Sorted(maps.Keys(d.held)) {
		jobs = append(jobs, d.held[id].Job)
	}
	return jobs
}
