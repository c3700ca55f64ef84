package verify

import (
	"cmp"
	"math"
	"slices"
)

// task is what is kept of a task attempt.
type task struct {
	container           int32 // place in containers, -1 for none
	cores               int32
	launch, freed       int64
	ready, finish       int64
	stage, stageAttempt int32
	index, attempt      int32
	job                 int32 // place in jobList
	amAttempt           int32
	row                 int32
	running             bool
}

func (v *verifier) readTasks() error {
	const file = "tasks.parquet"
	ok, err := v.exists(file)
	if err != nil || !ok {
		return err
	}
	v.hasTasks = true
	place := map[int64]int32{}
	for i, j := range v.jobList {
		place[j.ID] = int32(i)
	}
	home := v.check("tasks: their container and job are there, and the node is its", file)
	order := v.check("tasks: times in order, within the life of their container", file)
	if err := rows(v, file, func(row int64, r *taskRow) {
		at, ok := v.byKey[containerKey{r.Job, r.AMAttempt, r.Container}]
		j := v.jobs[r.Job]
		home.that(ok && j != nil, row, "job, am_attempt, container", []int64{r.Job, r.AMAttempt, r.Container}, "a row of containers.parquet")
		running := r.End == "running"
		order.that((r.Finish == nil) == running && (r.Freed != nil || running), row, "finish_ms", or(r.Finish), "a time, and freed_ms too, just when it does not run at the end; freed_ms alone when its result was under way")
		if !ok || j == nil {
			return
		}
		freed, finish := or(r.Freed), or(r.Finish)
		if r.Freed == nil { // it holds its cores at the end, and after it
			freed = math.MaxInt64
		}
		if r.Finish == nil {
			finish = max(v.manifest.Totals.EndMS, r.Launch)
		}
		c := &v.containers[at]
		home.that(r.Node == c.Node && (!c.AM || j.mapReduce()), row, "node", r.Node, "%d, that of its container, which is an application master's just for an uber job of MapReduce", c.Node)
		order.that(r.Ready <= r.Launch && r.Launch <= freed && (freed <= finish || running), row, "ready_ms, launch_ms, freed_ms, finish_ms",
			[]int64{r.Ready, r.Launch, freed, finish}, "times in order")
		order.that(r.Ready >= j.Submit && (j.Finish == nil || finish <= *j.Finish), row, "finish_ms", finish, "a time within its job, %d to %d", j.Submit, or(j.Finish))
		order.that(c.Registered != nil && r.Launch >= *c.Registered, row, "launch_ms", r.Launch, "%d or more, when its executor was ready", or(c.Registered))
		exited := finish
		if c.Exited != nil {
			exited = min(exited, *c.Exited)
			last := *c.Exited + v.manifest.statusMS() // its last report may still be under way
			order.that(r.End != "success" || freed <= last, row, "freed_ms", freed, "at most %d, when the last report of its executor arrived, as it succeeded", last)
		}
		switch {
		case c.Exited == nil || r.Launch < *c.Exited:
			c.tasks++
		case r.Launch == *c.Exited:
			c.tasks++
			c.late++
		}
		c.busyMS += max(exited-r.Launch, 0) * int64(r.Cores)
		span := finish - r.Launch
		j.spanMS += span
		j.sum.Attempts++
		j.sum.TaskWaitMS += r.Launch - r.Ready
		if r.End == "success" {
			j.distinct[[2]int32{r.Stage, r.Index}] = true
			if r.AMAttempt == j.amAttempts || j.mapReduce() {
				j.successMS += span
			}
			switch r.Level {
			case "PROCESS_LOCAL":
				j.sum.ProcessLocal++
			case "NODE_LOCAL":
				j.sum.NodeLocal++
			case "NO_PREF":
				j.sum.NoPref++
			case "RACK_LOCAL":
				j.sum.RackLocal++
			case "ANY":
				j.sum.Any++
			}
			if r.Preferring {
				j.sum.TasksPreferring++
			}
			if r.Preferred {
				j.sum.TasksPreferred++
			}
		}
		v.tasks = append(v.tasks, task{
			container: at, cores: r.Cores, launch: r.Launch, freed: freed, ready: r.Ready, finish: finish, running: running,
			stage: r.Stage, stageAttempt: r.StageAttempt, index: r.Index, attempt: r.Attempt,
			job: place[r.Job], amAttempt: int32(r.AMAttempt), row: int32(row),
		})
	}); err != nil {
		return err
	}
	v.checkTaskKeys()
	return nil
}

// checkTaskKeys sorts the attempts by their key and compares neighbours.
func (v *verifier) checkTaskKeys() {
	c := v.check("tasks: (job, am_attempt, stage, stage_attempt, task, attempt) is unique", "tasks.parquet")
	byKey := func(a, b *task) int {
		return cmp.Or(cmp.Compare(a.job, b.job), cmp.Compare(a.amAttempt, b.amAttempt), cmp.Compare(a.stage, b.stage), cmp.Compare(a.stageAttempt, b.stageAttempt),
			cmp.Compare(a.index, b.index), cmp.Compare(a.attempt, b.attempt))
	}
	list := make([]*task, len(v.tasks))
	for i := range v.tasks {
		list[i] = &v.tasks[i]
	}
	slices.SortFunc(list, func(a, b *task) int { return cmp.Or(byKey(a, b), cmp.Compare(a.row, b.row)) })
	for i, t := range list {
		c.that(i == 0 || byKey(list[i-1], t) != 0, int64(t.row), "job, am_attempt, stage, stage_attempt, task, attempt",
			[]int64{v.jobList[t.job].ID, int64(t.amAttempt), int64(t.stage), int64(t.stageAttempt), int64(t.index), int64(t.attempt)}, "a key of its own")
	}
}

// checkExecutors sweeps over the task attempts of each container: never more cores than it has.
func (v *verifier) checkExecutors() {
	if !v.hasTasks {
		return
	}
	counts := v.check("containers: tasks and busy core time are those of their task attempts", "containers.parquet")
	for i := range v.containers {
		x := &v.containers[i]
		counts.that(x.Tasks <= x.tasks && x.Tasks >= x.tasks-x.late, int64(i), "tasks", x.Tasks, "%d, the rows of tasks.parquet that were launched before its process had gone", x.tasks)
		counts.equal(x.BusyMS, x.busyMS, int64(i), "busy_core_ms", "what its task attempts add up to")
	}
	c := v.check("tasks: never more than the cores of their executor", "tasks.parquet")
	list := make([]int32, len(v.tasks))
	for i := range list {
		list[i] = int32(i)
	}
	slices.SortFunc(list, func(a, b int32) int {
		x, y := &v.tasks[a], &v.tasks[b]
		return cmp.Or(cmp.Compare(x.container, y.container), cmp.Compare(x.launch, y.launch), cmp.Compare(a, b))
	})
	var running []*task
	used := int64(0)
	for k, i := range list {
		t := &v.tasks[i]
		if k > 0 && v.tasks[list[k-1]].container != t.container {
			running, used = running[:0], 0
		}
		running = slices.DeleteFunc(running, func(o *task) bool {
			if o.freed <= t.launch {
				used -= int64(o.cores)
				return true
			}
			return false
		})
		running = append(running, t)
		used += int64(t.cores)
		c.that(used <= v.containers[t.container].Cores, int64(t.row), "cores", t.cores, "room in its executor: then %d of its %d cores run tasks", used, v.containers[t.container].Cores)
	}
}
