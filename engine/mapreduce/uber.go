package mapreduce

import (
	"replay/engine/pertask"
	"replay/engine/record"
	"replay/policy/resource"
)

// uber is a job that runs in its application master: its tasks one after another, maps first.
type uber struct {
	container int64 // of the application master
	node      int32
	begun     int64 // since when all tasks are ready
	todo      []uberTask
	at        pertask.Attempt // that runs
	running   bool
	fails     bool
	maps      int  // that have succeeded here
	apart     bool // a reduce failed for want of others
}

type uberTask struct {
	reduce bool
	index  int32
}

func (j *job) beginUber() {
	u := &uber{begun: j.h.Now()}
	for n := int64(1); u.container == 0; n++ {
		if c := j.h.Container(n); c != nil && c.AM {
			u.container, u.node = n, c.Node
		}
	}
	for i := range j.tasks {
		for t := range j.tasks[i] {
			if !j.tasks[i][t].over {
				u.todo = append(u.todo, uberTask{i == 1, int32(t)})
			}
		}
	}
	j.uber = u
	j.nextUber()
}

// nextUber runs the next task. A reduce fails at once unless all maps have succeeded in this attempt of the application, as their outputs are files of its
// own: after a recovery too.
//
// Source: LocalContainerLauncher.runSubtask.
func (j *job) nextUber() {
	u := j.uber
	if len(u.todo) == 0 {
		j.look()
		return
	}
	t := u.todo[0]
	st := j.set.stage(t.reduce)
	now := j.h.Now()
	ms := st.Tasks.DurationMS[t.index]
	u.at = pertask.New(st, t.index, j.past.firstNumber(), int32(j.set.AMSize[resource.VCores]), u.begun)
	a := &u.at
	a.Container, a.Node, a.Launch, a.Level, a.Preferring = u.container, u.node, now, record.NoPref, false
	if u.at.Fails(0) {
		u.fails = true // it has one attempt
		ms /= 2
	}
	if t.reduce && u.maps < len(j.tasks[0]) {
		u.fails, u.apart, ms = true, true, 0
	}
	u.running = true
	j.Job.Attempts++
	if j.Job.FirstTask == record.None {
		j.Job.FirstTask = now
	}
	c := j.h.Container(u.container)
	c.Tasks++
	j.h.Busy(u.at.Cores)
	j.h.GoesOn(now + ms)
	j.h.At(now+ms, evDone, 0, 0)
}

func (j *job) uberDone() {
	u := j.uber
	t := u.todo[0]
	i := typeOf(t.reduce)
	u.todo = u.todo[1:]
	x := &j.tasks[i][t.index]
	x.over = true
	j.completed[i]++
	if u.fails {
		u.fails = false
		j.failed[i]++
		j.endUber(record.TaskFailed)
		j.look()
	} else {
		x.succeeded, x.counted = true, true
		if !t.reduce {
			u.maps++
		}
		x.node, x.ms = u.node, j.h.Now()-u.at.Launch
		j.Job.TasksSucceeded++
		j.past.keep(j, t.reduce, t.index, x)
		j.endUber(record.TaskSuccess)
	}
	if !j.over {
		j.nextUber()
	}
}

// endUber writes the task that runs.
func (j *job) endUber(end string) {
	u := j.uber
	if !u.running {
		return
	}
	u.running = false
	j.End(&u.at, end)
}
