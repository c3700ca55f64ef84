package edit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"replay/counted"
	"replay/trace"
	"replay/trace/view"
)

// A Cut is a part of a trace.
type Cut struct {
	FromMS, ToMS int64   // submissions from, and to before; ToMS [trace.Unset] = to the end
	Share        float64 // of the jobs, above 0 to 1; those of a smaller share are among those of a larger one with the same seed
	Seed         uint64
	KeepLoad     bool    // with a share: submissions move together, so that the offered load stays
	Without      []int64 // numbers of jobs that are left out, in order
}

// ErrEmpty says that no job is submitted in the span of a cut.
var ErrEmpty = errors.New("no job is in the cut")

// Make writes the cut of a trace to a directory, which is absent or empty. Times count from the beginning of the cut; the cluster begins as it
// is then, without the jobs that run. With [Cut.KeepLoad] a gap between submissions becomes Share of itself, and node events stay where they are.
func (c *Cut) Make(ctx context.Context, t *trace.Trace, out, name string) (*Result, error) {
	if !(c.Share > 0 && c.Share <= 1) {
		return nil, fmt.Errorf("share is %v, want above 0 to 1", c.Share)
	}
	to := c.ToMS
	if to == trace.Unset {
		to = math.MaxInt64
	}
	if c.FromMS < 0 || c.FromMS >= to {
		return nil, fmt.Errorf("from %d to %d ms, want a span", c.FromMS, c.ToMS)
	}
	if name == "" {
		name = c.name(t.Name())
	}
	if err := t.ReadFiles(); err != nil {
		return nil, err
	}
	m := metaOf(t, name, c.note())
	w := view.Window{FromMS: c.FromMS, ToMS: to}
	m.Nodes, m.Events = w.Cluster(t.Nodes, t.Events)
	if m.OriginUnixMS != trace.Unset {
		m.OriginUnixMS += c.FromMS
	}
	r, err := begin(out, m)
	if err != nil {
		return nil, err
	}
	defer r.Abort()
	ids, by := map[int64]int64{}, map[int64]int64{} // numbers, and how far each job was moved, by its old number
	var whole, kept offering
	err = each(ctx, t, func(j *trace.Job) error {
		if j.SubmitMS < c.FromMS || j.SubmitMS >= to {
			return nil
		}
		whole.add(j, j.SubmitMS-c.FromMS)
		if !c.takes(j.ID) || c.leavesOut(j.ID) {
			return nil
		}
		kept.add(j, c.scaled(j.SubmitMS-c.FromMS))
		id, at := j.ID, j.SubmitMS
		r.alone += renumber(j, int64(len(ids)), ids)
		move(j, func(ms int64) int64 { return c.scaled(ms - c.FromMS) })
		by[id] = j.SubmitMS - at
		return r.AddJob(j)
	})
	if err != nil {
		return nil, err
	}
	switch {
	case len(ids) > 0:
	case whole.jobs == 0:
		return nil, ErrEmpty
	case c.Share < 1:
		return nil, fmt.Errorf("no job is in the cut: a share of %g %% has none of the %s of the span; another seed or a larger share may", 100*c.Share, counted.Of(whole.jobs, "jobs"))
	default:
		return nil, fmt.Errorf("no job is in the cut: all jobs of the span are left out: %s", counted.Of(whole.jobs, "jobs"))
	}
	err = r.executors(t, func(e *trace.Executor) bool {
		id, ok := ids[e.Job]
		if e.AddedMS += by[e.Job]; e.RemovedMS != trace.Unset {
			e.RemovedMS += by[e.Job]
		}
		e.Job = id
		return ok && e.AddedMS >= 0
	})
	if err == nil {
		err = r.attach(t, func(name string) bool { return !recording(name) })
	}
	if err != nil {
		return nil, err
	}
	made, err := r.finish()
	if err == nil && c.Share < 1 {
		size := trace.SizeAtStart(m.Nodes)
		made.Offered, made.Whole = trace.OfferedLoad(kept.work, size, kept.lastMS), trace.OfferedLoad(whole.work, size, whole.lastMS)
	}
	return made, err
}

// offering is work and when the last of it is submitted.
type offering struct {
	jobs   int
	work   trace.Work
	lastMS int64
}

func (o *offering) add(j *trace.Job, atMS int64) {
	o.jobs++
	o.work.Add(trace.WorkOf(j))
	o.lastMS = max(o.lastMS, atMS)
}

// takes reports whether a job is in the sample: a fixed number of its own is below the share.
func (c *Cut) takes(job int64) bool {
	return c.Share == 1 || trace.Stream(c.Seed, fmt.Sprintf("cut/%d", job)).Float64() < c.Share
}

func (c *Cut) leavesOut(job int64) bool {
	_, out := slices.BinarySearch(c.Without, job)
	return out
}

// scaled moves a time together.
func (c *Cut) scaled(ms int64) int64 {
	if !c.KeepLoad || c.Share == 1 {
		return ms
	}
	return int64(float64(ms) * c.Share)
}

// name is that of the cut of a trace, as results call it.
func (c *Cut) name(of string) string {
	const most = 150
	if r := []rune(of); len(r) > most {
		of = string(r[:most])
	}
	if c.FromMS > 0 || c.ToMS != trace.Unset {
		of += fmt.Sprintf(" from %d", c.FromMS)
		if c.ToMS != trace.Unset {
			of += fmt.Sprintf(" to %d", c.ToMS)
		}
		of += " ms"
	}
	if c.Share < 1 {
		of += fmt.Sprintf(" share=%g seed=%d", c.Share, c.Seed)
	}
	if n := len(c.Without); n == 1 {
		of += fmt.Sprintf(" without job %d", c.Without[0])
	} else if n > 1 {
		of += fmt.Sprintf(" without %d jobs", n)
	}
	return of
}

// note says what was cut, for the manifest.
func (c *Cut) note() string {
	text := "cut" + c.name("")
	if c.Share < 1 && c.KeepLoad {
		text += ", submissions moved together"
	}
	if len(c.Without) > 1 {
		text += ": " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(c.Without)), ", "), "[]")
	}
	return text
}
