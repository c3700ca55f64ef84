package ideal

import (
	"slices"

	"replay/engine/record"
)

// run is an attempt of a task that runs.
type run struct {
	stage         *stage // nil = the slot is free, or its attempt was lost
	launch, ready int64
	number        int64 // of its container within the job
	served        int64 // of a service: ms that earlier attempts have run
	index, node   int32
	attempt       int32
}

// runs are the attempts that run and are not written yet, by slot.
type runs struct {
	list []run
	free []int32
}

func (rs *runs) add(r *run) int32 {
	if k := len(rs.free); k > 0 {
		slot := rs.free[k-1]
		rs.free = rs.free[:k-1]
		rs.list[slot] = *r
		return slot
	}
	rs.list = append(rs.list, *r)
	return int32(len(rs.list) - 1)
}

// launch starts the next task of a stage on a node where it has room.
func (l *loop) launch(s *stage, n int32) {
	j := s.job
	j.given++
	var r run // field by field: a literal would be made aside and copied
	r.stage, r.launch, r.ready, r.number, r.node = s, l.now, s.ready, j.given, n
	if len(s.back) > 0 { // these were started before, so they come first
		b := s.back[0]
		s.back = slices.Delete(s.back, 0, 1)
		r.index, r.attempt, r.ready, r.served = b.index, b.attempt, b.ready, b.served
	} else {
		r.index = int32(s.next)
		s.next++
	}
	l.ends.push(end{at: l.now + s.st.Tasks.DurationMS[r.index] - r.served, slot: l.runs.add(&r), node: n})
	l.started(s, s.sizeOf(r.index).room, 1)
	if l.sc.Decisions {
		l.decide("allocate", &r)
	}
}

// started counts tasks of a size that have just been started.
func (l *loop) started(s *stage, r room, n int64) {
	if len(s.back) == 0 && s.next == s.st.Tasks.Len() {
		s.queued = false
		l.ready.pop()
	}
	s.job.queue.starts(r, n)
	rec := &s.job.rec
	rec.Attempts += n
	rec.Containers += n
	if rec.FirstTask == record.None {
		rec.FirstAllocated, rec.FirstRegistered, rec.FirstTask = l.now, l.now, l.now
	}
	l.totals.ContainersAllocated += n
}

// end is the end of an attempt whose duration is over.
func (l *loop) end(e end) {
	l.totals.Events++
	at := ^e.slot
	var z *size
	if e.slot >= 0 {
		r := &l.runs.list[e.slot]
		l.runs.free = append(l.runs.free, e.slot)
		if r.stage == nil {
			return // it was lost with its node
		}
		at = r.stage.slot
		if l.sc.Decisions {
			l.decide("complete", r)
		}
		z = r.stage.sizeOf(r.index)
		l.succeeded(r, l.now)
		r.stage = nil
	}
	l.totals.ContainersEnded++
	s := &l.stages.list[at]
	if z == nil {
		z = s.size
	}
	l.nodes.give(e.node, z.room)
	s.queue.ends(z.room)
	if l.nodes.at[e.node].draining {
		l.drained(e.node)
	}
	s.left--
	if s.left == 0 {
		l.stageDone(s.stage)
	}
}

// succeeded writes an attempt and counts it for its job.
func (l *loop) succeeded(r *run, finish int64) {
	l.writeRun(r, finish, record.TaskSuccess, record.EndCompleted)
	j := &r.stage.job.rec
	g := r.stage.gang
	if g == nil || !g.counted[r.index] {
		j.TasksSucceeded++
	}
	if g != nil {
		g.counted[r.index] = true
		g.ms += finish - r.launch
	}
	j.TaskMS += finish - r.launch
	j.TaskLevels[l.task.Level]++
	if l.task.Preferring {
		j.TasksPreferring++
		if l.task.Preferred {
			j.TasksPreferred++
		}
	}
}

// writeRun writes an attempt and its container, which is there from its launch until then; with an end of the replay instead, both have
// no finish. End of the task and of its container are those of package record.
func (l *loop) writeRun(r *run, until int64, task, container string) {
	s := r.stage
	j := s.job
	z := s.sizeOf(r.index)
	held, finish := until-r.launch, until
	if task == record.TaskRunning {
		finish = record.None
	}
	j.rec.MemMiBMS += z.mem * held
	j.rec.VCoreMS += z.vcores * held
	t, c := &l.task, &l.container
	if l.written != s {
		l.written = s
		*t = record.Task{Job: j.ID, AMAttempt: 1, Stage: s.st.ID}
		*c = record.Container{Job: j.ID, AMAttempt: 1, Queue: j.rec.Queue, Tasks: 1}
	}
	t.Cores, c.MemMiB, c.VCores, c.Cores = int32(z.vcores), z.mem, z.vcores, z.vcores
	t.Index, t.Attempt, t.Container, t.Node = r.index, r.attempt, r.number, r.node
	t.Ready, t.Launch, t.Freed, t.Finish, t.End, t.DurationMS = r.ready, r.launch, finish, finish, task, s.st.Tasks.DurationMS[r.index]-r.served
	t.Level, t.Preferring, t.Preferred = record.NoPref, false, false
	if prefs := s.st.Tasks.Prefs(int(r.index)); len(prefs) > 0 {
		t.Level = l.level(prefs, r.node)
		t.Preferring, t.Preferred = true, t.Level == record.TaskNodeLocal
	}
	c.Number, c.Node, c.Asked = r.number, r.node, r.ready
	c.Allocated, c.Acquired, c.Started, c.Registered = r.launch, r.launch, r.launch, r.launch
	c.Ended, c.Exited, c.End, c.Exit, c.BusyMS = finish, finish, container, 0, z.vcores*held
	if task == record.TaskLost {
		c.Exit = exitLost
	}
	l.sink.Task(t)
	l.sink.Container(c)
}

// exitLost is YARN's exit status of a container that was lost with its node.
const exitLost = -100

// level is the locality of a task on a node, given where it would have liked to run.
func (l *loop) level(prefs []int32, n int32) record.TaskLevel {
	level, rack := record.AnyLevel, l.nodes.rack
	home := rack[n]
	for _, p := range prefs {
		if p == n {
			return record.TaskNodeLocal
		}
		if rack[p] == home {
			level = record.TaskRackLocal
		}
	}
	return level
}

func (l *loop) decide(kind string, r *run) {
	l.seq++
	z := r.stage.sizeOf(r.index)
	l.decision = record.Decision{
		Seq: l.seq, Time: l.now, Kind: kind, Job: r.stage.job.ID, AMAttempt: 1, Container: r.number, Node: r.node, MemMiB: z.mem, VCores: z.vcores,
	}
	l.sink.Decision(&l.decision)
}
