package spark

import (
	"iter"
	"math/bits"
	"slices"

	"replay/engine/reuse"
)

// resourceOffer takes a task for one executor, at most at level limit. It returns the row of the
// attempt launched, [noTask], or [collectedTask] for a task of a barrier set, which is launched
// only when all of them have an offer; and the locality. Rejected tells that delay scheduling held
// all tasks back.
//
// Source: TaskSetManager.resourceOffer.
func (s *TaskSet) resourceOffer(now int64, exec, host int32, limit Locality) (row int32, at Locality, rejected bool) {
	if s.Zombie || s.excluded != nil && s.excluded.fromSet(exec, host) {
		return noTask, 0, false
	}
	allowed := limit
	if limit != NoPref {
		allowed = min(s.allowed(now), limit)
	}
	if s.drained() {
		return noTask, 0, false
	}
	task, at, speculative := s.dequeue(&s.pending, exec, host, ProcessLocal, allowed, false)
	if task < 0 && s.speculatable > 0 {
		task, at, speculative = s.dequeue(&s.again, exec, host, ProcessLocal, allowed, true)
	}
	if task < 0 {
		return noTask, 0, limit == AnyLocality && s.Backlog > 0
	}
	if s.sched.conf.LegacyLocalityReset && limit != NoPref {
		s.resetTimer(now, at)
	}
	if s.Spec.Barrier {
		s.tasks[task].collected = true
		s.barrier = append(s.barrier, barrierTask{task: task, exec: exec, host: host, level: at})
		return collectedTask, at, false
	}
	return s.launch(now, task, exec, host, at, speculative), at, false
}

// barren says that each executor with a free core has been offered to a set and has found nothing up to a level. Tasks only leave the lists, until one is put back.
type barren struct {
	stamp int32 // of the set, 0 for none
	to    Locality
}

// OfferDue returns the earliest time, not before now, at which an offer of all executors could launch a task or change anything, if nothing happens before it
// and each executor was offered when it was new and when cores of it became free; now if that is not easily said.
func (s *TaskScheduler) OfferDue(now int64) int64 {
	set := s.only()
	if set == nil || s.barren.stamp != set.stamp || set.noPrefs {
		return now
	}
	return max(now, set.waitsTo(now, s.barren.to))
}

// drained reports whether the lists can give no task to anyone, and it does not matter that those which are not searched for that
// keep what is stale: a task that fails goes back to the same lists, but to those of the executors that are on a host with a cache then.
func (s *TaskSet) drained() bool {
	return s.Backlog == 0 && !s.cached && len(s.pending.noPrefs) == 0 && len(s.again.noPrefs) == 0
}

// Answers of [TaskSet.resourceOffer] that are no row.
const (
	noTask        int32 = -1
	collectedTask int32 = -2
)

// barrierTask is a task of a barrier set that has an offer in the call under way.
type barrierTask struct {
	task, exec, host, offer int32
	level                   Locality
}

// dequeue takes the most local task that executor may run, at one of the levels from one to another.
//
// Source: TaskSetManager.dequeueTaskHelper.
func (s *TaskSet) dequeue(p *pendingTasks, exec, host int32, from, to Locality, speculative bool) (int32, Locality, bool) {
	if from == ProcessLocal && len(p.byExec.lists) > 0 {
		if at := p.byExec.keysAt.find(exec); at >= 0 && p.byExec.lists[at].top >= 0 {
			if t := s.takeAt(&p.byExec, at, exec, host, speculative); t >= 0 {
				return t, ProcessLocal, speculative
			}
		}
	}
	if from <= NodeLocal && to >= NodeLocal && len(p.byHost.lists) > 0 {
		if at := s.placeOfHost(p, exec, host); at >= 0 && p.byHost.lists[at].top >= 0 {
			if t := s.takeAt(&p.byHost, at, exec, host, speculative); t >= 0 {
				return t, NodeLocal, speculative
			}
		}
	}
	if from <= NoPref && to >= NoPref && len(p.noPrefs) > 0 {
		if t := s.take(&p.noPrefs, exec, host, speculative); t >= 0 {
			return t, ProcessLocal, speculative
		}
	}
	if from <= RackLocal && to >= RackLocal && len(p.byRack.lists) > 0 {
		if at := s.placeOfRack(p, exec); at >= 0 && p.byRack.lists[at].top >= 0 {
			if t := s.takeAt(&p.byRack, at, exec, host, speculative); t >= 0 {
				return t, RackLocal, speculative
			}
		}
	}
	if to == AnyLocality {
		before := len(p.all)
		t := s.take(&p.all, exec, host, speculative)
		s.addBacklog(int32(len(p.all) - before))
		if t >= 0 {
			return t, AnyLocality, speculative
		}
	}
	return -1, 0, false
}

// placeOfHost returns where the list of the host of an executor is among those that there are, -1 for none; it is kept of regular tasks.
func (s *TaskSet) placeOfHost(p *pendingTasks, exec, host int32) int32 {
	if p != &s.pending {
		return p.byHost.keysAt.find(host)
	}
	return s.sched.hostOn(exec).lists.in(&p.byHost, s.ID, host)
}

// placeOfRack is as placeOfHost, for its rack.
func (s *TaskSet) placeOfRack(p *pendingTasks, exec int32) int32 {
	at := s.sched.hostOn(exec).rack
	if at < 0 {
		return -1
	}
	rack := s.sched.rackAt.keys[at]
	if p != &s.pending {
		return p.byRack.keysAt.find(rack)
	}
	return s.sched.racksOn[at].lists.in(&p.byRack, s.ID, rack)
}

// takeAt is [TaskSet.take] from the list at a position.
func (s *TaskSet) takeAt(k *keyedLists, at, exec, host int32, speculative bool) int32 {
	l := &k.lists[at]
	if s.excluded == nil && !speculative { // none may not run there
		for l.top >= 0 {
			task := k.links[l.top].task
			l.top = k.below(l, l.top)
			if t := &s.tasks[task]; t.waits() && !t.collected {
				return task
			}
		}
		return -1
	}
	s.pending.byRack.own() // which shares the links of hosts
	above := nothing
	for place := l.top; place >= 0; {
		task, below := k.links[place].task, k.below(l, place)
		stays, takes := s.judge(task, exec, host, speculative)
		switch {
		case stays:
			above = place
		case above < 0:
			l.top = below
		case below < 0:
			l.bottom = above
		default:
			k.links[above].below = below
		}
		if takes {
			return task
		}
		place = below
	}
	return -1
}

// take takes the last task of a list that may run there, and drops tasks from the list that no
// longer wait. Tasks that may not run there stay.
//
// Source: TaskSetManager.dequeueTaskFromList.
func (s *TaskSet) take(list *[]int32, exec, host int32, speculative bool) int32 {
	if s.excluded == nil && !speculative { // none may not run there
		rest := *list
		for i := len(rest) - 1; i >= 0; i-- {
			if t := &s.tasks[rest[i]]; t.waits() && !t.collected {
				*list = rest[:i]
				return rest[i]
			}
		}
		*list = rest[:0]
		return -1
	}
	for i := len(*list) - 1; i >= 0; i-- {
		task := (*list)[i]
		stays, takes := s.judge(task, exec, host, speculative)
		if stays {
			continue
		}
		if i == len(*list)-1 {
			*list = (*list)[:i]
		} else {
			*list = slices.Delete(*list, i, i+1)
		}
		if takes {
			return task
		}
	}
	return -1
}

// judge reports whether a task stays in a list as it may not run there, and else whether it is taken.
func (s *TaskSet) judge(task, exec, host int32, speculative bool) (stays, takes bool) {
	if s.excluded != nil && s.excluded.fromTask(s.sched.conf, task, exec, host) || speculative && s.ranOn(task, host) {
		return true, false
	}
	t := &s.tasks[task]
	if takes = t.waits() && !t.collected || !t.done && speculative && t.copies == 1; takes && speculative && t.speculatable {
		t.speculatable = false
		s.speculatable--
	}
	return false, takes
}

// ranOn reports whether any attempt of a task was launched on the host.
func (s *TaskSet) ranOn(task, host int32) bool {
	for row := s.tasks[task].last; row >= 0; row = s.attempts[row].previous {
		if s.attempts[row].Host == host {
			return true
		}
	}
	return false
}

// launch starts an attempt of a task and returns its row.
//
// Source: TaskSetManager.prepareLaunchingTask.
func (s *TaskSet) launch(now int64, task, exec, host int32, level Locality, speculative bool) int32 {
	t := &s.tasks[task]
	row := int32(len(s.attempts))
	id := s.sched.nextTask
	s.sched.nextTask++
	if len(s.attempts) == 0 {
		s.attempts = slices.Grow(s.attempts, s.Spec.Tasks)
	}
	s.attempts = reuse.Longer(s.attempts) // and fills it there
	a := &s.attempts[row]
	*a = Attempt{}
	a.ID, a.Launch, a.Index, a.Exec, a.Host, a.Number, a.Level = id, now, task, exec, host, t.attempts, level
	a.Counted, a.Speculative, a.Launching, a.tracked, a.previous = true, speculative, true, true, t.last
	s.running.put(row)
	t.copies++
	t.attempts++
	t.last = row
	s.AddRunning(1)
	if s.order != nil {
		s.order.infos.Put(id)
		s.order.running.Add(id)
		s.order.row[id] = row
	}
	return row
}

// uncount takes an attempt in a row that is counted out of the running tasks.
//
// Source: TaskSetManager.removeRunningTask.
func (s *TaskSet) uncount(row int32, a *Attempt) {
	a.Counted = false
	s.AddRunning(-1)
	s.running.drop(row)
	if s.order != nil {
		s.order.running.Remove(a.ID)
	}
}

// runningRows are the rows of the running attempts of a set, a bit each: a launch and an end touch no other attempt.
type runningRows struct {
	words []uint64
	first int // all words before this one are 0
}

// emptied returns no rows in the memory of r.
func (r *runningRows) emptied() runningRows { return runningRows{words: r.words[:0]} }

// put adds the row behind all that there were.
func (r *runningRows) put(row int32) {
	if int(row>>6) == len(r.words) {
		r.words = append(r.words, 0)
	}
	r.words[row>>6] |= 1 << (row & 63)
}

func (r *runningRows) drop(row int32) { r.words[row>>6] &^= 1 << (row & 63) }

// all yields the rows, ascending. The one that is yielded may be dropped.
func (r *runningRows) all(yield func(int32) bool) { r.from(0)(yield) }

// from is all for the rows from one on.
func (r *runningRows) from(row int32) iter.Seq[int32] {
	for r.first < len(r.words)-1 && r.words[r.first] == 0 {
		r.first++
	}
	return func(yield func(int32) bool) {
		begin := max(r.first, int(row>>6))
		for w := begin; w < len(r.words); w++ {
			word := r.words[w]
			if w == int(row>>6) {
				word &= ^uint64(0) << (row & 63)
			}
			for ; word != 0; word &= word - 1 {
				if !yield(int32(w<<6 + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

// runs yields the rows of the running attempts: in Spark's order, or by task id.
func (s *TaskSet) runs(yield func(int32) bool) {
	if s.order != nil {
		for id := range s.order.running.All {
			if !yield(s.order.row[id]) {
				return
			}
		}
		return
	}
	s.running.all(yield)
}

// rows yields the rows of all attempts: in Spark's order, or by task id.
func (s *TaskSet) rows(yield func(int32) bool) {
	if s.order != nil {
		for id := range s.order.infos.All {
			if !yield(s.order.row[id]) {
				return
			}
		}
		return
	}
	for row := range int32(len(s.attempts)) {
		if !yield(row) {
			return
		}
	}
}
