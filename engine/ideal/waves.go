package ideal

import (
	"slices"

	"replay/engine/record"
	"replay/trace"
)

// place takes room for the next tasks of a ready stage, each on the first node that has it, until one finds none. It returns their nodes,
// which are good until the next call: none when the first finds no room, and no more than one at a time of tasks with sizes of their own.
func (l *loop) place(s *stage) []int32 {
	z, left := s.sizeOf(s.nextTask()), 1
	if len(s.sizes) == 1 {
		left = len(s.back) + s.st.Tasks.Len() - s.next
	}
	list := l.places[:0]
	for left > len(list) {
		n := z.first()
		if n < 0 {
			break
		}
		had := len(list)
		for free := l.nodes.at[n].free; left > len(list) && free.holds(z.room); free = free.minus(z.room, 1) {
			list = append(list, n)
		}
		l.nodes.take(n, z.room, len(list)-had)
	}
	l.places = list
	return list
}

// certain is how many of the next tasks of a stage end when their time is over, whatever happens, if they are started now, and may be
// written at once: their nodes stay, the replay goes on until then, and the sink needs no order.
func (l *loop) certain(s *stage, tasks int) int {
	if l.waves == nil || l.sc.Decisions || l.event < len(l.sc.Input.Events) || len(s.sizes) > 1 || len(s.back) > 0 {
		return 0
	}
	if l.sc.Until > 0 {
		for i, ms := range s.st.Tasks.DurationMS[s.next : s.next+tasks] {
			if l.now+ms > l.sc.Until {
				return i
			}
		}
	}
	return tasks
}

// launchWave starts the next tasks of a stage on nodes where they have room, and writes them.
func (l *loop) launchWave(s *stage, nodes []int32) {
	j, z, n, w := s.job, s.sizes[0], len(nodes), &l.wave
	from := s.next
	s.next += n
	w.Task = record.Task{Job: j.ID, AMAttempt: 1, Stage: s.st.ID, Index: int32(from), Container: j.given + 1, Ready: s.ready, Launch: l.now, Cores: int32(z.vcores), Level: record.NoPref, End: record.TaskSuccess}
	w.Container = record.Container{
		Job: j.ID, AMAttempt: 1, Number: j.given + 1, Queue: j.rec.Queue, MemMiB: z.mem, VCores: z.vcores, Asked: s.ready, Allocated: l.now, Acquired: l.now,
		Started: l.now, Registered: l.now, End: record.EndCompleted, Cores: z.vcores, Tasks: 1,
	}
	j.given += int64(n)
	w.Nodes, w.DurationMS, w.Levels = nodes, s.st.Tasks.DurationMS[from:s.next], l.levels(&s.st.Tasks, from, nodes)
	ms := int64(0)
	for i, d := range w.DurationMS {
		ms += d
		l.ends.push(end{at: l.now + d, slot: ^s.slot, node: nodes[i]})
	}
	l.started(s, z.room, int64(n))
	rec := &j.rec
	rec.TasksSucceeded += int64(n)
	rec.TaskMS += ms
	rec.MemMiBMS += z.mem * ms
	rec.VCoreMS += z.vcores * ms
	if w.Levels == nil {
		rec.TaskLevels[record.NoPref] += int64(n)
	}
	for _, level := range w.Levels {
		rec.TaskLevels[level]++
		if level != record.NoPref {
			rec.TasksPreferring++
		}
		if level == record.TaskNodeLocal {
			rec.TasksPreferred++
		}
	}
	l.waves.Wave(w)
}

// levels are the localities of tasks from one on, on their nodes; nil where none of the stage has a preference.
func (l *loop) levels(t *trace.Tasks, from int, nodes []int32) []record.TaskLevel {
	if t.PrefStart == nil {
		return nil
	}
	list, begin := slices.Grow(l.local[:0], len(nodes)), t.PrefStart[from]
	for i, end := range t.PrefStart[from+1 : from+1+len(nodes)] {
		level := record.NoPref
		if begin < end {
			level = l.level(t.Pref[begin:end], nodes[i])
		}
		list = append(list, level)
		begin = end
	}
	l.local = list
	return list
}
