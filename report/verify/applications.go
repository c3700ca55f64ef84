package verify

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"replay/spill"
)

// applications looks at the containers and task attempts of one job after another. Its memory is used again.
type applications struct {
	v *verifier

	containerKeys, masters, home, order, taskKeys, counts, cores, sums *checker

	containers []container
	tasks      []task
	number     map[[2]int64]int32 // place of a container by attempt and number
	master     map[int64]int64    // number of the master's container by attempt
	succeeded  map[[2]int32]bool  // tasks, by stage and index
	list       []int32
	running    []*task
}

// checkApplications compares jobs, containers and task attempts with each other, by job.
func (v *verifier) checkApplications() error {
	const ofContainers, ofTasks = "containers.parquet", "tasks.parquet"
	a := &applications{
		v: v, number: map[[2]int64]int32{}, master: map[int64]int64{}, succeeded: map[[2]int32]bool{},
		containerKeys: v.home,
		masters:       v.check("containers: one application master for each attempt, its first container", ofContainers),
	}
	if v.hasTasks {
		a.home = v.check("tasks: their container and job are there, and the node is its", ofTasks)
		a.order = v.check("tasks: times in order, within the life of their container", ofTasks)
		a.taskKeys = v.check("tasks: (job, am_attempt, stage, stage_attempt, task, attempt) is unique", ofTasks)
		a.counts = v.check("containers: tasks and busy core time are those of their task attempts", ofContainers)
		a.cores = v.check("tasks: never more than the cores of their executor", ofTasks)
	}
	a.sums = v.check("jobs: sums are those of their containers and task attempts", "jobs.parquet")
	err := v.byJob.Each(context.Background(), func(key []byte, records [][]byte) error {
		id, _ := binary.Varint(key)
		a.unpack(records)
		a.check(id)
		return nil
	})
	for _, j := range v.jobList {
		if !j.summed {
			a.checkSums(j, &jobSums{})
		}
	}
	return err
}

func (a *applications) unpack(records [][]byte) {
	a.containers, a.tasks = a.containers[:0], a.tasks[:0]
	for _, record := range records {
		u := spill.Unpacker(record)
		if u.Int() == ofContainer {
			a.containers = append(a.containers, container{})
			a.containers[len(a.containers)-1].unpack(u)
		} else {
			a.tasks = append(a.tasks, task{})
			a.tasks[len(a.tasks)-1].unpack(u)
		}
	}
}

// check looks at a job, which is in jobs.parquet or not.
func (a *applications) check(id int64) {
	j := a.v.jobs[id]
	a.checkContainers(id)
	var sums jobSums
	if a.v.hasTasks {
		sums = a.checkTasks(id, j)
		a.checkTaskKeys(id)
		a.checkExecutors()
	}
	if j != nil {
		a.addContainers(&sums)
		a.checkSums(j, &sums)
	}
}

// checkContainers looks at numbers of containers and at masters.
func (a *applications) checkContainers(id int64) {
	clear(a.number)
	clear(a.master)
	for i := range a.containers {
		c := &a.containers[i]
		k := [2]int64{c.attempt, c.number}
		before, twice := a.number[k]
		if !a.containerKeys.holds(!twice) {
			a.containerKeys.not(c.row, "job, am_attempt, container", []int64{id, c.attempt, c.number}, "another key than row %d", a.containers[before].row)
		}
		a.number[k] = int32(i)
		if c.am {
			if !a.masters.holds(a.master[c.attempt] == 0) {
				a.masters.not(c.row, "am", true, "one master for each attempt, and container %d is one", a.master[c.attempt])
			}
			a.master[c.attempt] = c.number
		}
	}
	for i := range a.containers {
		c := &a.containers[i]
		number, ok := a.master[c.attempt]
		switch {
		case a.v.manifest.masters() && !a.masters.holds(ok && number <= c.number):
			a.masters.not(c.row, "container", c.number, "a number from that of the attempt's master, %d", number)
		case !a.v.manifest.masters() && !a.masters.holds(!ok):
			a.masters.not(c.row, "am", ok, "no master under the %s scheduler", a.v.manifest.Scheduler)
		}
	}
}

// checkTasks compares task attempts with their containers and adds them up. Those without a container or job are left out of what follows.
func (a *applications) checkTasks(id int64, j *job) (sums jobSums) {
	clear(a.succeeded)
	v, queue := a.v, int32(0)
	if j != nil {
		queue = v.held.queue(j.Queue)
	}
	kept := a.tasks[:0]
	for _, t := range a.tasks {
		place, ok := a.number[[2]int64{t.attempt, t.container}]
		t.place = place
		if !a.home.holds(ok && j != nil) {
			a.home.not(t.row, "job, am_attempt, container", []int64{id, t.attempt, t.container}, "a row of containers.parquet")
		}
		if !a.order.holds((t.finish == none) == t.running && (t.freed != none || t.running)) {
			a.order.not(t.row, "finish_ms", t.finish, "a time, and freed_ms too, just when it does not run at the end; freed_ms alone when its result was under way")
		}
		if !ok || j == nil {
			continue
		}
		if t.freed == none { // it holds its cores at the end, and after it
			t.freed = math.MaxInt64
		}
		if t.finish == none {
			t.finish = max(v.manifest.Totals.EndMS, t.launch)
		}
		c := &a.containers[place]
		a.checkTask(&t, c, j)
		t.count(c)
		sums.add(&t)
		if t.success {
			a.succeeded[[2]int32{t.stage, t.index}] = true
			sums.successMS += t.finish - t.launch
		}
		s := &v.sums
		s.tasks++
		s.launches.add(float64(t.launch - t.ready))
		if !t.running {
			s.runs.add(float64(t.finish - t.launch))
		}
		v.held.add(t.launch, queue, state{busy: int64(t.cores)})
		v.held.add(t.freed, queue, state{busy: -int64(t.cores)})
		kept = append(kept, t)
	}
	a.tasks = kept
	sums.TasksSucceeded = int64(len(a.succeeded))
	return sums
}

// checkTask compares the times of a task attempt with each other, with those of its container and those of its job.
func (a *applications) checkTask(t *task, c *container, j *job) {
	if !a.home.holds(t.node == c.node && (!c.am || j.mapReduce())) {
		a.home.not(t.row, "node", t.node, "%d, that of its container, which is an application master's just for an uber job of MapReduce", c.node)
	}
	if !a.order.holds(t.ready <= t.launch && t.launch <= t.freed && (t.freed <= t.finish || t.running)) {
		a.order.not(t.row, "ready_ms, launch_ms, freed_ms, finish_ms", []int64{t.ready, t.launch, t.freed, t.finish}, "times in order")
	}
	if !a.order.holds(t.ready >= j.Submit && (j.Finish == nil || t.finish <= *j.Finish)) {
		a.order.not(t.row, "finish_ms", t.finish, "a time within its job, %d to %d", j.Submit, or(j.Finish))
	}
	if !a.order.holds(c.registered != none && t.launch >= c.registered) {
		a.order.not(t.row, "launch_ms", t.launch, "%d or more, when its executor was ready", c.registered)
	}
	if c.exited != none {
		last := c.exited + a.v.manifest.statusMS() // its last report may still be under way
		if !a.order.holds(!t.success || t.freed <= last) {
			a.order.not(t.row, "freed_ms", t.freed, "at most %d, when the last report of its executor arrived, as it succeeded", last)
		}
	}
}

// count adds a task attempt to those of its container.
func (t *task) count(c *container) {
	exited := t.finish
	if c.exited != none {
		exited = min(exited, c.exited)
	}
	switch {
	case c.exited == none || t.launch < c.exited:
		c.launched++
	case t.launch == c.exited:
		c.launched++
		c.late++
	}
	c.ranMS += max(exited-t.launch, 0) * int64(t.cores)
}

// checkTaskKeys sorts the attempts by their key and compares neighbours.
func (a *applications) checkTaskKeys(id int64) {
	byKey := func(x, y *task) int {
		return cmp.Or(cmp.Compare(x.attempt, y.attempt), cmp.Compare(x.stage, y.stage), cmp.Compare(x.stageAttempt, y.stageAttempt),
			cmp.Compare(x.index, y.index), cmp.Compare(x.taskAttempt, y.taskAttempt))
	}
	a.sortTasks(byKey)
	for i, at := range a.list {
		t := &a.tasks[at]
		if !a.taskKeys.holds(i == 0 || byKey(&a.tasks[a.list[i-1]], t) != 0) {
			a.taskKeys.not(t.row, "job, am_attempt, stage, stage_attempt, task, attempt",
				[]int64{id, t.attempt, int64(t.stage), int64(t.stageAttempt), int64(t.index), int64(t.taskAttempt)}, "a key of its own")
		}
	}
}

// sortTasks makes the list of the places of the task attempts in an order, and in that of their rows where it leaves them equal.
func (a *applications) sortTasks(order func(x, y *task) int) {
	a.list = slices.Grow(a.list[:0], len(a.tasks))[:len(a.tasks)]
	for i := range a.list {
		a.list[i] = int32(i)
	}
	slices.SortFunc(a.list, func(x, y int32) int { return cmp.Or(order(&a.tasks[x], &a.tasks[y]), cmp.Compare(x, y)) })
}

// checkExecutors sweeps over the task attempts of each container: never more cores than it has.
func (a *applications) checkExecutors() {
	for i := range a.containers {
		c := &a.containers[i]
		if !a.counts.holds(c.tasks <= c.launched && c.tasks >= c.launched-c.late) {
			a.counts.not(c.row, "tasks", c.tasks, "%d, the rows of tasks.parquet that were launched before its process had gone", c.launched)
		}
		a.counts.equal(c.busyMS, c.ranMS, c.row, "busy_core_ms", "what its task attempts add up to")
	}
	a.sortTasks(func(x, y *task) int { return cmp.Or(cmp.Compare(x.place, y.place), cmp.Compare(x.launch, y.launch)) })
	a.running = a.running[:0]
	used := int64(0)
	for k, i := range a.list {
		t := &a.tasks[i]
		if k > 0 && a.tasks[a.list[k-1]].place != t.place {
			a.running, used = a.running[:0], 0
		}
		a.running = slices.DeleteFunc(a.running, func(o *task) bool {
			if o.freed <= t.launch {
				used -= int64(o.cores)
				return true
			}
			return false
		})
		a.running = append(a.running, t)
		used += int64(t.cores)
		if has := a.containers[t.place].cores; !a.cores.holds(used <= has) {
			a.cores.not(t.row, "cores", t.cores, "room in its executor: then %d of its %d cores run tasks", used, has)
		}
	}
}
