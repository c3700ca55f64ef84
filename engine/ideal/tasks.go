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
	index, node   int32
	attempt       int32
}

// runs are the attempts that run, by slot.
type runs struct {
	list []run
	free []int32
}

// launch starts the next task of a stage on a node.
func (l *loop) launch(s *stage, n int32) {
	var index, attempt int32
	since := s.ready
	if len(s.back) > 0 { // these were started before, so they come first
		b := s.back[0]
		s.back = slices.Delete(s.back, 0, 1)
		index, attempt, since = b.index, b.attempt, b.ready
	} else {
		index = int32(s.next)
		s.next++
	}
	if len(s.back) == 0 && s.next == s.st.Tasks.Len() {
		s.queued = false
		l.ready.pop()
	}
	rs := &l.runs
	var slot int32
	if k := len(rs.free); k > 0 {
		slot = rs.free[k-1]
		rs.free = rs.free[:k-1]
	} else {
		slot = int32(len(rs.list))
		rs.list = append(rs.list, run{})
	}
	j := s.job
	j.given++
	rs.list[slot] = run{s, l.now, since, j.given, index, n, attempt}
	l.ends.push(end{l.now + s.st.Tasks.DurationMS[index], slot})
	l.nodes.take(n, s.size.room)
	j.queue.starts(s.size.room)
	r := &j.rec
	r.Attempts++
	r.Containers++
	if r.FirstTask == record.None {
		r.FirstAllocated, r.FirstRegistered, r.FirstTask = l.now, l.now, l.now
	}
	l.totals.ContainersAllocated++
	l.watch.Containers.Add(1)
	if l.sc.Decisions {
		l.decide("allocate", s, j.given, n)
	}
}

// end is the end of an attempt whose duration is over.
func (l *loop) end(e end) {
	l.totals.Events++
	rs := &l.runs
	r := &rs.list[e.slot]
	rs.free = append(rs.free, e.slot)
	s := r.stage
	if s == nil {
		return // it was lost with its node
	}
	l.totals.ContainersEnded++
	l.ended(r, record.TaskSuccess, record.EndCompleted)
	j := &s.job.rec
	j.TasksSucceeded++
	j.TaskMS += l.now - r.launch
	j.TaskLevels[l.task.Level]++
	if l.task.Preferring {
		j.TasksPreferring++
		if l.task.Preferred {
			j.TasksPreferred++
		}
	}
	n := r.node
	r.stage = nil
	if l.nodes.draining[n] {
		l.drained(n)
	}
	s.left--
	if s.left == 0 {
		l.stageDone(s)
	}
}

// ended gives back what an attempt took and writes it. End of the task and of its container are those of package record.
func (l *loop) ended(r *run, task, container string) {
	s := r.stage
	l.nodes.give(r.node, s.size.room)
	s.job.queue.ends(s.size.room)
	if l.sc.Decisions {
		l.decide("complete", s, r.number, r.node)
	}
	l.writeRun(r, l.now, task, container)
}

// writeRun writes an attempt and its container, which is there from its launch to its end. With an end of the replay instead,
// finish is [record.None].
func (l *loop) writeRun(r *run, finish int64, task, container string) {
	s := r.stage
	j := s.job
	held := l.now - r.launch
	j.rec.MemMiBMS += s.size.mem * held
	j.rec.VCoreMS += s.size.vcores * held
	t := &l.task
	*t = record.Task{
		Job: j.ID, AMAttempt: 1, Stage: s.st.ID, Index: r.index, Attempt: r.attempt, Container: r.number, Node: r.node, Cores: int32(s.size.vcores),
		Ready: r.ready, Launch: r.launch, Freed: finish, Finish: finish, Level: record.NoPref, End: task, DurationMS: s.st.Tasks.DurationMS[r.index],
	}
	if prefs := s.st.Tasks.Prefs(int(r.index)); len(prefs) > 0 {
		t.Preferring = true
		t.Level, t.Preferred = l.level(prefs, r.node)
	}
	c := &l.container
	*c = record.Container{
		Job: j.ID, AMAttempt: 1, Number: r.number, Node: r.node, Queue: j.rec.Queue, MemMiB: s.size.mem, VCores: s.size.vcores, Cores: s.size.vcores,
		Asked: r.ready, Allocated: r.launch, Acquired: r.launch, Started: r.launch, Registered: r.launch, Ended: finish, Exited: finish, End: container,
		Tasks: 1, BusyMS: s.size.vcores * held,
	}
	if task == record.TaskLost {
		c.Exit = exitLost
	}
	l.watch.Tasks.Add(1)
	l.sink.Task(t)
	l.sink.Container(c)
}

// exitLost is YARN's exit status of a container that was lost with its node.
const exitLost = -100

// level is the locality of a task on a node, given where it would have liked to run.
func (l *loop) level(prefs []int32, n int32) (record.TaskLevel, bool) {
	level := record.AnyLevel
	for _, p := range prefs {
		if p == n {
			return record.TaskNodeLocal, true
		}
		if l.nodes.rack[p] == l.nodes.rack[n] {
			level = record.TaskRackLocal
		}
	}
	return level, false
}

func (l *loop) decide(kind string, s *stage, number int64, n int32) {
	l.seq++
	l.decision = record.Decision{
		Seq: l.seq, Time: l.now, Kind: kind, Job: s.job.ID, AMAttempt: 1, Container: number, Node: n, MemMiB: s.size.mem, VCores: s.size.vcores,
	}
	l.sink.Decision(&l.decision)
}
