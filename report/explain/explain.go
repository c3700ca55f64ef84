// Package explain says where the time of an application went: a sequence of parts from its submission to its end, each with one cause.
// It is made of what a replay records of the job, its containers and task attempts, of the reasons for which it waited in the
// ResourceManager ([record.Reason]), and of which stage follows which.
//
// The parts follow one another without a gap, so they sum to the whole in milliseconds. Up to the first task they are the steps that lead to the
// executor that was ready first. From there on they are the path that decided when the job ended, followed back from its end: the task that
// ended last, what it waited for, the task that its stage waited for, and so on.
package explain

import (
	"cmp"
	"slices"

	"replay/engine/record"
	"replay/report/result"
)

// Causes of parts beside those for which an application waits in the ResourceManager.
const (
	AMStart       record.Cause = "am-start"       // from the AM container's allocation to the registration of the application master
	Ask           record.Cause = "ask"            // until the application master has asked
	Answer        record.Cause = "answer"         // from an allocation to the heartbeat of the application master that is told of it
	Gang          record.Cause = "gang"           // it holds containers and waits for the rest of a gang, or has given them back and stays away
	ExecutorStart record.Cause = "executor-start" // from there to the moment in which tasks can run in it
	Driver        record.Cause = "driver"         // the driver has nothing for executors to do
	LocalityWait  record.Cause = "locality-wait"  // a core is free, and the task is not launched on it: a preferred executor is waited for
	OwnTasks      record.Cause = "own-tasks"      // tasks of the application hold all cores that it has
	Work          record.Cause = "work"           // a task runs, as long as the median of its stage
	Overhead      record.Cause = "overhead"       // dispatch, deserialization and result of a task
	RemoteRead    record.Cause = "remote-read"    // what reading from another host costs
	Straggler     record.Cause = "straggler"      // a task runs longer than the median of its stage
	LostWork      record.Cause = "lost-work"      // attempts of a task, or of the application, that came to nothing
	Tail          record.Cause = "tail"           // from the end of the last task to that of the application
	Service       record.Cause = "service"        // it holds containers, as it should
)

// A Part is a span of an application's time with one cause.
type Part struct {
	From, To int64
	Cause    record.Cause
	Reason   *record.Reason // of a wait in the ResourceManager, as it began
	Stage    int32          // [record.None] when it is about none
	Task     int32          // index in the stage, or None
	Attempts int            // of the application or task that came to nothing, of LostWork
	Took     int64          // of the task, of Straggler
	Median   int64          // of its stage, of Straggler
	By       string         // what ended it, in words
	told     *result.Part   // in words, of a part that was read back
}

// Length is how long it is, in ms.
func (p *Part) Length() int64 { return p.To - p.From }

// A Job is an application explained.
type Job struct {
	record.Job
	End   int64  // its finish, or the end of the replay
	Parts []Part // from Submit to End, without a gap; one ends at FirstTask
	View  *View  // nil unless it was wanted
	Held  *Held  // nil unless it begins after other jobs, and these were wanted
}

// Wait is how long it was until the first task, or until the end when none was launched.
func (j *Job) Wait() int64 { return j.waited() - j.Submit }

func (j *Job) waited() int64 {
	if j.FirstTask == record.None {
		return j.End
	}
	return j.FirstTask
}

// A Stage is what must be known of a stage of the trace.
type Stage struct {
	ID     int32
	Before []int32 // stages that it comes after
}

// Life is all that a replay recorded of one application.
type Life struct {
	Job        record.Job
	Stages     []Stage
	Containers []record.Container
	Tasks      []record.Task
	Reasons    []record.Reason
	Ideal      bool // without YARN: there is no application master, and nobody but the cluster to wait for
}

// line is the parts so far.
type line struct {
	parts []Part
	at    int64
}

// add goes on to a time with a cause; it does nothing when that has passed.
func (l *line) add(to int64, p Part) {
	if to <= l.at {
		return
	}
	p.From, p.To = l.at, to
	l.at = to
	if n := len(l.parts); n > 0 && l.parts[n-1].continues(&p) {
		l.parts[n-1].To, l.parts[n-1].By = to, p.By
		return
	}
	l.parts = append(l.parts, p)
}

// continues reports whether q goes on with the same.
func (p *Part) continues(q *Part) bool {
	return p.Cause == q.Cause && p.Reason == q.Reason && p.Stage == q.Stage && p.Task == q.Task && p.To == q.From
}

func part(c record.Cause) Part { return Part{Cause: c, Stage: record.None, Task: record.None} }

func (p Part) by(text string) Part {
	p.By = text
	return p
}

// explain explains a job that was submitted before end, the end of the replay.
func explain(l *Life, end int64) *Job {
	j := &Job{Job: l.Job, End: l.Job.Finish}
	if j.End == record.None {
		j.End = max(end, j.Submit)
	}
	e := newExplainer(l, j)
	e.whole()
	j.Parts = cut(e.parts, j.FirstTask)
	return j
}

// cut divides the part that a time lies in.
func cut(parts []Part, at int64) []Part {
	i, found := slices.BinarySearchFunc(parts, at, func(p Part, at int64) int { return cmp.Compare(p.From, at) })
	if found || i == 0 || parts[i-1].To <= at {
		return parts
	}
	second := parts[i-1]
	parts[i-1].To, second.From = at, at
	return slices.Insert(parts, i, second)
}
