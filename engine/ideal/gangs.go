package ideal

import "replay/engine/record"

// gang is what a stage has more whose tasks start together or not at all.
type gang struct {
	round   int32  // how often it was lost with a member
	ms      int64  // of members that have succeeded in this round
	counted []bool // by task: it has succeeded in some round
}

// startGang starts all tasks of a stage at once, each on the first node with room beside those before it. False: they do not all have room.
func (l *loop) startGang(s *stage) bool {
	tasks := s.st.Tasks.Len()
	places := make([]int32, 0, tasks)
	for len(places) < tasks {
		z := s.sizeOf(int32(len(places)))
		n := z.first()
		if n < 0 {
			break
		}
		l.nodes.take(n, z.room, 1)
		places = append(places, n)
	}
	if len(places) < tasks {
		for i, n := range places {
			l.nodes.give(n, s.sizeOf(int32(i)).room)
		}
		return false
	}
	for _, n := range places {
		l.launch(s, n)
	}
	return true
}

// neverRoom reports whether the tasks of a gang would not even fit together on empty nodes of the largest sizes that they ever have.
func (ns *nodes) neverRoom(tasks int, rooms []room) bool {
	free := append([]room(nil), ns.most...)
	for i := range tasks {
		r := rooms[min(i, len(rooms)-1)]
		n := 0
		for n < len(free) && !free[n].holds(r) {
			n++
		}
		if n == len(free) {
			return true
		}
		free[n] = room{free[n].mem - r.mem, free[n].vcores - r.vcores}
	}
	return false
}

// scatter ends the rest of a gang of which a member was lost. All of its tasks are ready again, also those that had succeeded.
func (l *loop) scatter(s *stage) {
	for slot := range l.runs.list {
		if r := &l.runs.list[slot]; r.stage == s {
			l.cut(r, record.TaskKilled, record.EndReleased)
		}
	}
	g := s.gang
	s.job.rec.TaskMS -= g.ms
	s.job.rec.WastedTaskMS += g.ms
	g.ms = 0
	g.round++
	for i := range s.st.Tasks.Len() {
		l.again(s, repeat{index: int32(i), attempt: g.round, ready: l.now})
	}
	l.stages.list[s.slot].left = s.st.Tasks.Len()
}
