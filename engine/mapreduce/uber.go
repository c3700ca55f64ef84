package mapreduce

import (
	"replay/engine/record"
	"replay/trace"
)

// uber is a job that runs in its application master: its tasks one after another, maps first.
type uber struct {
	container int64 // of the application master
	node      int32
	todo      []uberTask
	rec       record.Task // of the one that runs
	running   bool
	fails     bool
}

type uberTask struct {
	reduce bool
	index  int32
}

func (j *job) beginUber() {
	u := &uber{}
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

// nextUber runs the next task.
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
	u.rec = record.Task{
		Job: j.job.ID, Stage: st.ID, Index: t.index, Attempt: j.past.firstNumber(), Container: u.container, Node: u.node, Ready: now, Launch: now, Freed: record.None,
		Finish: record.None, Cores: int32(j.set.AMSize[1]), Level: record.NoPref, DurationMS: ms,
	}
	if r := st.Tasks.Retries; r != nil && r[t.index] > 0 && r[t.index] != trace.Unset {
		u.fails = true // it has one attempt
		ms /= 2
	}
	u.running = true
	j.rec.Attempts++
	if j.rec.FirstTask == record.None {
		j.rec.FirstTask = now
	}
	c := j.h.Container(u.container)
	c.Tasks++
	j.h.Busy(u.rec.Cores)
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
		x.node, x.ms = u.node, j.h.Now()-u.rec.Launch
		j.rec.TasksSucceeded++
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
	now := j.h.Now()
	if end != record.TaskRunning {
		u.rec.Finish, u.rec.Freed = now, now
	}
	u.rec.End = end
	j.h.Busy(-u.rec.Cores)
	if c := j.h.Container(u.container); c != nil {
		c.BusyMS += (now - u.rec.Launch) * int64(u.rec.Cores)
		c.Cores = int64(u.rec.Cores)
	}
	if end == record.TaskSuccess {
		j.rec.TaskMS += now - u.rec.Launch
		j.rec.TaskLevels[record.NoPref]++
	} else {
		j.rec.WastedTaskMS += now - u.rec.Launch
	}
	j.h.Task(&u.rec)
}
