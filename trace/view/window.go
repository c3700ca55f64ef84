// Package view is a trace as it is replayed without being written again: a [Window] of it, or its jobs on a cluster of another size, see [Resize]. Nodes,
// events and the source of jobs go in, those of the view come out; a job is changed as it passes.
package view

import (
	"io"
	"maps"
	"slices"

	"replay/trace"
)

// A Window is the part of a trace that was submitted in a span of time, as a trace of its own: its jobs with their numbers from 0 on
// and times from the start of the window, on the cluster as it was then. It knows nothing of jobs submitted before it: it begins
// with an empty cluster.
type Window struct {
	FromMS, ToMS int64 // submissions from, and to before
	NumJobs      int64
	NumTasks     int64
	Work         trace.Work
}

// Windows cuts what source submits into n windows of equal spans, from the first submission to the last.
func Windows(source trace.JobSource, n int) ([]Window, error) {
	type job struct {
		at, tasks int64
		work      trace.Work
	}
	var jobs []job
	for j, err := range trace.All(source) {
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, job{j.SubmitMS, j.NumTasks(), trace.WorkOf(j)})
	}
	if len(jobs) == 0 {
		return nil, nil
	}
	first, span := jobs[0].at, jobs[len(jobs)-1].at-jobs[0].at+1
	edge := func(i int) int64 { // without i * span, which may be large
		return first + int64(i)*(span/int64(n)) + int64(i)*(span%int64(n))/int64(n)
	}
	out := make([]Window, n)
	for i := range out {
		w := &out[i]
		w.FromMS, w.ToMS = edge(i), edge(i+1)
		for ; len(jobs) > 0 && jobs[0].at < w.ToMS; jobs = jobs[1:] {
			w.add(jobs[0].tasks, jobs[0].work)
		}
	}
	return out, nil
}

// WindowOf returns the window of what source submits from one time to before another.
func WindowOf(source trace.JobSource, fromMS, toMS int64) (Window, error) {
	w := Window{FromMS: fromMS, ToMS: toMS}
	for j, err := range trace.All(source) {
		if err != nil {
			return w, err
		}
		if j.SubmitMS >= toMS {
			break
		}
		if j.SubmitMS >= fromMS {
			w.add(j.NumTasks(), trace.WorkOf(j))
		}
	}
	return w, nil
}

func (w *Window) add(tasks int64, work trace.Work) {
	w.NumJobs++
	w.NumTasks += tasks
	w.Work.Add(work)
}

// Cluster returns the nodes as the events before the window leave them, and the events from its start on: those after its end meet
// jobs that still run. A node that drains at the start is given the event again, with the time that it has left. One that is not there then
// joins when it comes back, and nothing happens to it before.
func (w *Window) Cluster(nodes []trace.Node, events []trace.NodeEvent) ([]trace.Node, []trace.NodeEvent) {
	nodes = slices.Clone(nodes)
	draining := map[int32]trace.NodeEvent{}
	next := 0
	for ; next < len(events) && events[next].TimeMS < w.FromMS; next++ {
		e := events[next]
		n := &nodes[e.Node]
		if e.MemMiB != trace.Unset {
			n.MemMiB = e.MemMiB
		}
		if e.VCores != trace.Unset {
			n.VCores = e.VCores
		}
		switch e.Kind {
		case trace.Join, trace.Recover, trace.Undrain:
			n.Present = true
			delete(draining, e.Node)
		case trace.Leave, trace.Fail:
			n.Present = false
			delete(draining, e.Node)
		case trace.Drain:
			draining[e.Node] = e
		}
	}
	var out []trace.NodeEvent
	for _, id := range slices.Sorted(maps.Keys(draining)) {
		e := draining[id]
		if e.DrainTimeoutMS != trace.Unset {
			if e.DrainTimeoutMS -= w.FromMS - e.TimeMS; e.DrainTimeoutMS <= 0 {
				nodes[id].Present = false // it was decommissioned
				continue
			}
		}
		e.TimeMS, e.Seq = 0, int32(len(out))
		out = append(out, e)
	}
	again := int32(len(out))
	there := make([]bool, len(nodes))
	for i := range nodes {
		there[i] = nodes[i].Present
	}
	for _, e := range events[next:] {
		if n := &nodes[e.Node]; !there[e.Node] {
			switch e.Kind {
			case trace.Join, trace.Recover, trace.Undrain:
				e.Kind, there[e.Node] = trace.Join, true
			default:
				if e.MemMiB != trace.Unset {
					n.MemMiB = e.MemMiB
				}
				if e.VCores != trace.Unset {
					n.VCores = e.VCores
				}
				continue
			}
		}
		if e.TimeMS -= w.FromMS; e.TimeMS == 0 {
			e.Seq += again
		}
		out = append(out, e)
	}
	return nodes, out
}

// Jobs returns the jobs of the window from all of source.
func (w *Window) Jobs(source trace.JobSource) trace.JobSource { return &windowJobs{w, source, -1} }

type windowJobs struct {
	*Window
	source trace.JobSource
	before int64 // number of the first job; -1 before it is known
}

func (w *windowJobs) Next() (*trace.Job, error) {
	for {
		j, err := w.source.Next()
		if err != nil {
			return nil, err
		}
		switch {
		case j.SubmitMS >= w.ToMS:
			return nil, io.EOF
		case j.SubmitMS < w.FromMS:
			continue
		}
		if w.before < 0 {
			w.before = j.ID
		}
		w.move(j)
		return j, nil
	}
}

// move gives a job its number and times in the window. It depends no longer on what the window does not have.
func (w *windowJobs) move(j *trace.Job) {
	j.ID -= w.before
	j.SubmitMS -= w.FromMS
	for _, t := range []*int64{&j.RecordedStartMS, &j.RecordedFinishMS} {
		if *t != trace.Unset {
			*t -= w.FromMS
		}
	}
	var kept []int64
	for _, id := range j.DependsOn {
		if id >= w.before {
			kept = append(kept, id-w.before)
		}
	}
	j.DependsOn = kept
}
