// Package edit makes traces of traces: a part of one, several laid over one another, or one without its names.
package edit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"replay/trace"
)

// A Result says what was written.
type Result struct {
	Counts   trace.Counts
	Never    int64 // nodes that are there at no time
	Hash     string
	Warnings []string
	LeftOut  []string // attached files that would speak of another trace, and what else was lost, in words

	Offered, Whole trace.Offered // of a cut with a share: the load that it offers, and that of all jobs of its span
}

// recordings are attached files that speak of jobs by number and of times.
func recording(name string) bool {
	return name == trace.ImportReport || strings.HasPrefix(name, "recorded")
}

// metaOf is all of a trace but its jobs, with a note of what was done to it. Its files have been read.
func metaOf(t *trace.Trace, name, note string) trace.Meta {
	m := t.Meta
	m.Name = name
	src := trace.Source{Format: trace.Format}
	if m.Source != nil {
		src = *m.Source
	}
	if src.Notes != "" {
		note = src.Notes + "; " + note
	}
	src.Notes = note
	m.Source = &src
	return m
}

// rewriting is a trace while it is written from others.
type rewriting struct {
	*trace.Writer
	res   Result
	alone int64 // dependencies of jobs on others that are not in the trace
}

func begin(out string, m trace.Meta) (*rewriting, error) {
	w, err := trace.Create(out, m)
	return &rewriting{Writer: w, res: Result{Never: trace.NeverThere(m.Nodes, m.Events)}}, err
}

// attach copies the attached files of a trace but those that keep refuses.
func (w *rewriting) attach(t *trace.Trace, keep func(name string) bool) error {
	for _, name := range t.Attachments() {
		if !keep(name) {
			w.res.LeftOut = append(w.res.LeftOut, name)
			continue
		}
		data, err := t.Attachment(name)
		if err == nil {
			err = w.Attach(name, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// executors copies the recorded executors of a trace, each as change makes it; false leaves it out.
func (w *rewriting) executors(t *trace.Trace, change func(*trace.Executor) bool) error {
	list, err := t.Executors()
	if err != nil {
		return err
	}
	for _, e := range list {
		if !change(&e) {
			continue
		}
		if err := w.AddExecutor(e); err != nil {
			return err
		}
	}
	return nil
}

func (w *rewriting) finish() (*Result, error) {
	if err := w.Close(); err != nil {
		return nil, err
	}
	w.res.Counts, w.res.Hash = w.Counts(), w.Hash()
	if w.alone > 0 {
		w.res.LeftOut = append(w.res.LeftOut, fmt.Sprintf("dependencies on jobs that are not in it: %d", w.alone))
	}
	return &w.res, nil
}

// renumber gives a job its number and what it depends on; what is not in the trace it depends on no longer, and lost is how many these are.
func renumber(j *trace.Job, id int64, ids map[int64]int64) (lost int64) {
	ids[j.ID] = id
	j.ID = id
	var kept []int64
	for _, d := range j.DependsOn {
		if n, ok := ids[d]; ok {
			kept = append(kept, n)
		} else {
			lost++
		}
	}
	slices.Sort(kept)
	j.DependsOn = kept
	return lost
}

// move changes every time of a job that is known.
func move(j *trace.Job, to func(ms int64) int64) {
	at := j.SubmitMS
	j.SubmitMS = to(at)
	for _, t := range []*int64{&j.RecordedStartMS, &j.RecordedFinishMS} {
		if *t != trace.Unset { // as long after the submission as it was
			*t += j.SubmitMS - at
		}
	}
}

// each calls do for every job of a trace.
func each(ctx context.Context, t *trace.Trace, do func(*trace.Job) error) error {
	for j, err := range trace.All(t.Jobs()) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = do(j)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.Dir(), err)
		}
	}
	return nil
}
