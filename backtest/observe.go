package backtest

import (
	"maps"

	"replay/engine/record"
	"replay/trace"
)

// observed is a record.Sink that keeps what is compared: times of applications and stages, containers.
type observed struct {
	jobs       map[int64]record.Job
	stages     map[stageKey]*stageSeen
	containers []record.Container
	tasks      map[int64][]record.Task // by job; nil when they are not asked for
	levels     [5]int64                // successful attempts by level
	ends       map[string]int64
	first      map[taskKey]bool // tasks of which the first attempt in the first attempt of the stage has ended
}

type taskKey struct {
	job          int64
	stage, index int32
}

type stageKey struct {
	job   int64
	stage int32
}

// stageSeen is a stage until each of its tasks had succeeded once.
type stageSeen struct {
	span
	done map[int32]bool
}

// span is from the first submission of a stage to its last task's end.
type span struct{ start, end int64 }

func newObserved() *observed {
	return &observed{jobs: map[int64]record.Job{}, stages: map[stageKey]*stageSeen{}, ends: map[string]int64{}, first: map[taskKey]bool{}}
}

func (o *observed) Job(j *record.Job) { o.jobs[j.ID] = *j }

func (o *observed) Container(c *record.Container) { o.containers = append(o.containers, *c) }

func (o *observed) Task(t *record.Task) {
	o.ends[t.End]++
	if first := (taskKey{t.Job, t.Stage, t.Index}); t.StageAttempt == 0 && t.Attempt == 0 {
		if o.first[first] { // the application began again: its stages are those of its last attempt
			maps.DeleteFunc(o.stages, func(k stageKey, _ *stageSeen) bool { return k.job == t.Job })
			maps.DeleteFunc(o.first, func(k taskKey, _ bool) bool { return k.job == t.Job })
			delete(o.tasks, t.Job)
		}
		o.first[first] = true
	}
	if o.tasks != nil {
		o.tasks[t.Job] = append(o.tasks[t.Job], *t)
	}
	k := stageKey{t.Job, t.Stage}
	s := o.stages[k]
	if s == nil {
		s = &stageSeen{span: span{t.Ready, trace.Unset}, done: map[int32]bool{}}
		o.stages[k] = s
	}
	s.start = min(s.start, t.Ready)
	if t.End != record.TaskSuccess {
		return
	}
	o.levels[t.Level]++
	if s.done[t.Index] {
		return // its output was lost and made again
	}
	s.done[t.Index] = true
	s.end = max(s.end, t.Finish)
}

func (o *observed) Sample(*record.Sample)     {}
func (o *observed) Node(*record.Node)         {}
func (o *observed) Decision(*record.Decision) {}

// of returns the span of a stage, unset when no task of it succeeded.
func (o *observed) of(job int64, stage int32) span {
	if s := o.stages[stageKey{job, stage}]; s != nil && s.end != trace.Unset {
		return s.span
	}
	return span{trace.Unset, trace.Unset}
}
