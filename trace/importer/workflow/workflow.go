// Package workflow makes applications of workflows whose edges are between tasks: tasks that are alike and have the same neighbours
// become one stage.
package workflow

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"replay/trace"
	"replay/trace/importer/containers"
	"replay/trace/importer/workload"
)

// Task is a task of a workflow. Children are edges as Parents are, from their other end; an edge that both have is one.
type Task struct {
	ID       string
	Type     string // what alike tasks have in common; "" = nothing is known
	SubmitMS int64
	Parents  []string
	Children []string
	Size     containers.Size
	Task     containers.Task
}

// most bounds what times and sizes may be, so that sums of them stay numbers.
const (
	MostMS     = 100 * 366 * 86_400_000 // a duration
	MostTimeMS = 253_402_300_800_000    // the year 10000
	MostMiB    = 1 << 40
	MostVCores = 1_000_000
)

// Dropped says that a workflow is left out.
type Dropped struct{ Reason, Why string }

func (e *Dropped) Error() string { return e.Why }

// build makes j the application of the tasks of a workflow, submitted with the first of them. Tasks of one type with the same parents and the
// same children are a stage: each of its tasks then has an edge to each task of its neighbours, so nothing is added or lost. The error
// is a [Dropped] for a cycle or a task before which too many come.
func build(b *workload.Builder, j *containers.Job, tasks []Task) (*workload.Application, error) {
	id := j.App.Job.ExternalID
	tasks, at := unique(b, tasks)
	if len(tasks) == 0 {
		return nil, &Dropped{"workflows_without_a_task", fmt.Sprintf("workflow %s: has no task", id)}
	}
	if err := b.CheckTasks(int64(len(tasks))); err != nil {
		return nil, &Dropped{"applications_with_too_many_tasks", fmt.Sprintf("workflow %s: %v", id, err)}
	}
	parents, children := edges(b, tasks, at)
	stages := map[string]int{}
	stage := make([]int, len(tasks))
	var key []byte
	submit, later := tasks[0].SubmitMS, int64(0)
	for i := range tasks {
		t := &tasks[i]
		key = append(key[:0], t.Type...)
		for _, list := range [][]int32{parents[i], children[i]} {
			key = binary.AppendUvarint(append(key, 0), uint64(len(list)))
			for _, p := range list {
				key = binary.AppendUvarint(key, uint64(p))
			}
		}
		s, ok := stages[string(key)]
		if !ok {
			s = len(stages)
			stages[string(key)] = s
		}
		stage[i] = s
		submit = min(submit, t.SubmitMS)
	}
	j.App.Job.SubmitMS = submit
	names := make([]string, len(stages))
	for i := range tasks {
		t, s := &tasks[i], stage[i]
		first := names[s] == ""
		if first {
			names[s] = strconv.Itoa(s+1) + ":" + cmp.Or(t.Type, "task")
		}
		if t.SubmitMS > submit {
			later++
		}
		if err := j.Add(names[s], t.Size, trace.Unset, 1, t.Task); err != nil {
			return nil, &Dropped{"workflows_that_are_too_large", err.Error()}
		}
	}
	done := make([]bool, len(stages))
	for i := range tasks {
		if s := stage[i]; !done[s] {
			done[s] = true
			seen := map[int]bool{}
			for _, p := range parents[i] {
				if from := stage[p]; !seen[from] {
					seen[from] = true
					j.After(names[s], names[from])
				}
			}
		}
	}
	a, err := j.Finish(b)
	if err != nil {
		return nil, &Dropped{"workflows_with_a_cycle", err.Error()}
	}
	b.Counts.Modelled["tasks_asked_for_with_their_job_or_stage"] += later
	return a, nil
}

// unique leaves out tasks whose id is taken.
func unique(b *workload.Builder, tasks []Task) ([]Task, map[string]int32) {
	at := make(map[string]int32, len(tasks))
	kept := tasks[:0]
	for _, t := range tasks {
		if _, ok := at[t.ID]; ok {
			b.Odd("tasks_with_the_id_of_another", 1, "task %s: is there twice in its workflow, want an id that no other has", t.ID)
			continue
		}
		at[t.ID] = int32(len(kept))
		kept = append(kept, t)
	}
	return kept, at
}

// edges are the parents and children of each task, sorted, each once.
func edges(b *workload.Builder, tasks []Task, at map[string]int32) (parents, children [][]int32) {
	parents, children = make([][]int32, len(tasks)), make([][]int32, len(tasks))
	for i := range tasks {
		for _, name := range tasks[i].Parents {
			if p, ok := at[name]; ok {
				parents[i] = append(parents[i], p)
			} else {
				b.Odd("parents_that_are_not_in_the_job", 1, "task %s: comes after %s, want a task of its workflow", tasks[i].ID, name)
			}
		}
		for _, name := range tasks[i].Children {
			if c, ok := at[name]; ok {
				parents[c] = append(parents[c], int32(i))
			} else {
				b.Odd("children_that_are_not_in_the_job", 1, "task %s: comes before %s, want a task of its workflow", tasks[i].ID, name)
			}
		}
	}
	for i := range parents {
		slices.Sort(parents[i])
		parents[i] = slices.Compact(parents[i])
		for _, p := range parents[i] {
			children[p] = append(children[p], int32(i))
		}
	}
	return parents, children
}

// Add makes a workflow of the records of its tasks and gives it to b, or drops it.
func Add(b *workload.Builder, id string, records [][]byte, set func(*workload.Application, []Record)) error {
	b.Begin()
	all := make([]Record, len(records))
	tasks := make([]Task, len(records))
	for i, packed := range records {
		all[i] = unpack(packed)
		tasks[i] = all[i].sized(b)
	}
	j := containers.New(b, trace.KindGeneric, id, 0)
	defer j.Done()
	a, err := build(b, j, tasks)
	var dropped *Dropped
	if errors.As(err, &dropped) {
		return b.Drop(dropped.Reason, "%s", dropped.Why)
	}
	if err != nil {
		return err
	}
	if set != nil {
		set(a, all)
	}
	_, err = b.Add(a)
	return err
}

// sized is the task with defaults for what is not known.
func (r *Record) sized(b *workload.Builder) Task {
	t := r.Task
	t.Size = containers.Size{MilliVCores: vcores(b, r.VCores), MemMiB: memMiB(b, r.MemMiB)}
	return t
}

// vcores is a number of processors as the size of a container; what is none is 1, which is counted.
func vcores(b *workload.Builder, n float64) int64 {
	if !(n > 0) {
		b.Counts.Defaulted["task_vcores"]++
		return 1000
	}
	return containers.Milli(min(n, MostVCores))
}

// memMiB is the memory of a task; what is none is 1024 MiB, which is counted.
func memMiB(b *workload.Builder, mib float64) int64 {
	if !(mib > 0) {
		b.Counts.Defaulted["task_memory"]++
		return 1024
	}
	return containers.MiB(min(mib, MostMiB), 1)
}

// Units are the units of memory by name, in MiB.
var Units = map[string]float64{"KB": 1. / 1024, "MB": 1, "GB": 1024, "B": 1. / (1 << 20)}

// Unit is the unit that an option names.
func Unit(b *workload.Builder, param string) (float64, error) {
	name, err := b.ParamOneOf(param, "B", "KB", "MB", "GB")
	return Units[name], err
}
