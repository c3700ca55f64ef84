package spark

import (
	"slices"

	"replay/engine/reuse"
	"replay/engine/spark/scala"
)

// Offer is an executor with its free cores.
type Offer struct {
	Exec, Host int32
	Cores      int32
	Profile    int32 // resource profile of the executor
}

// ResourceOffers offers executors to the task sets, in the order given, and returns the attempts to
// launch, in order of their ids. AllFree tells that all executors are offered. The result is valid
// until the next call.
//
// Executors that are new become known. Offers without free cores only matter for that.
//
// Source: TaskSchedulerImpl.resourceOffers.
func (s *TaskScheduler) ResourceOffers(now int64, offers []Offer, allFree bool) []TaskRef {
	newExec := false
	for i := range offers {
		if exec := int(offers[i].Exec); exec >= len(s.execs) || !s.execs[exec].known {
			s.register(offers[i].Exec, offers[i].Host)
			newExec = true
		}
	}
	s.launched = s.launched[:0]
	if set := s.only(); set != nil {
		if newExec {
			set.recomputeLevels()
		}
		s.offerOnly(now, set, offers, allFree)
		return s.launched
	}
	s.barren = barren{}
	if s.health != nil {
		s.health.expire(now)
	}
	s.cores = s.cores[:0]
	for i := range offers {
		o := &offers[i]
		cores := o.Cores
		if s.health != nil && (s.health.nodeExcluded(o.Host) || s.health.execExcluded(o.Exec)) {
			cores = -1 // offers nothing, also to task sets that need no core
		}
		s.cores = append(s.cores, cores)
	}
	turn, all := s.pools.inOrder(), newExec || s.Excludes()
	if all = all || turn == nil; all {
		s.turn = s.pools.AppendSorted(s.turn[:0])
		turn = s.turn
	}
	if newExec {
		for _, p := range turn {
			s.sets[p.ID].recomputeLevels()
		}
	}
	spent := s.spent()
	for _, p := range turn {
		if spent && !s.costless {
			break
		}
		if !all && !p.waits() {
			continue
		}
		set := s.sets[p.ID]
		if set == nil || spent && set.Spec.TaskCPUs > 0 || set.Spec.Barrier && s.slots(set, offers) < set.Spec.Tasks {
			continue
		}
		before := len(s.launched)
		if s.offerSet(now, set, offers, allFree) {
			return nil
		}
		if len(s.launched) > before {
			spent = s.spent()
		}
	}
	return s.launched
}

// spent reports whether no executor that is offered has a core left: a set that needs one has nothing of its turn.
func (s *TaskScheduler) spent() bool {
	return !s.Excludes() && !slices.ContainsFunc(s.cores, func(cores int32) bool { return cores > 0 })
}

// OfferAlone is [TaskScheduler.ResourceOffers] for one executor.
func (s *TaskScheduler) OfferAlone(now int64, o Offer) []TaskRef {
	set := s.only()
	if set == nil {
		return s.ResourceOffers(now, []Offer{o}, false)
	}
	if exec := int(o.Exec); exec >= len(s.execs) || !s.execs[exec].known {
		s.register(o.Exec, o.Host)
		set.recomputeLevels()
	}
	if set.noPrefs {
		return s.ResourceOffers(now, []Offer{o}, false)
	}
	s.launched = s.launched[:0]
	s.offerOnlyOne(now, set, &o, false)
	return s.launched
}

// offerSet gives one task set its turn. See [TaskScheduler.launchBarrier] for what it returns.
func (s *TaskScheduler) offerSet(now int64, set *TaskSet, offers []Offer, allFree bool) (thrown bool) {
	var best Locality
	var noRejects bool
	if set.plain() {
		best, noRejects, _ = s.offerPlainly(now, set, offers)
	} else {
		best, noRejects = s.offerRounds(now, set, offers)
	}
	return s.offered(now, set, best, noRejects, allFree)
}

// offered ends the turn of a task set.
func (s *TaskScheduler) offered(now int64, set *TaskSet, best Locality, noRejects, allFree bool) (thrown bool) {
	launchedAny := best < numLocalities
	if !s.conf.LegacyLocalityReset {
		if !noRejects {
			set.noRejects = 0
		} else if launchedAny && (allFree || set.noRejects != 0) {
			set.resetTimer(now, best)
			set.noRejects = 1
		}
	}
	if !launchedAny {
		s.checkExcluded(now, set)
		return false
	}
	if len(s.unschedulable) > 0 {
		s.unschedulable = s.unschedulable[:0]
		s.emit(TaskEvent{Kind: UnschedulableGone, Set: set.ID, Stage: set.Stage, StageAttempt: set.Schedulable.Attempt})
	}
	return set.Spec.Barrier && s.launchBarrier(now, set)
}

// offerRounds offers the executors to a task set at each level, as long as one gets a task there. It returns the best locality launched, numLocalities if
// there was none, and whether delay scheduling held no task back.
func (s *TaskScheduler) offerRounds(now int64, set *TaskSet, offers []Offer) (best Locality, noRejects bool) {
	best, noRejects = numLocalities, true
	able := true
	for i := 0; i < set.numLevels && able; {
		var at Locality
		var rejected bool
		at, rejected, able = s.offerRound(now, set, offers, set.levels[i])
		noRejects = noRejects && !rejected
		best = min(best, at)
		if at == numLocalities {
			i++
		}
	}
	return best, noRejects
}

// offerRound gives every executor at most one task of the set. It returns the best locality
// launched, numLocalities if there was none, and whether an executor is able to take more.
//
// Source: TaskSchedulerImpl.resourceOfferSingleTaskSet.
func (s *TaskScheduler) offerRound(now int64, set *TaskSet, offers []Offer, limit Locality) (best Locality, rejected, able bool) {
	best = numLocalities
	need := set.Spec.TaskCPUs
	for i := range offers {
		if s.cores[i] < need || s.cores[i] < 0 || !set.Spec.runsOn(offers[i].Profile) {
			continue
		}
		row, at, rej := set.resourceOffer(now, offers[i].Exec, offers[i].Host, limit)
		rejected = rejected || rej
		if row == noTask {
			able = true
			if set.drained() {
				return best, rejected, able // the other offers would change nothing
			}
			continue
		}
		s.cores[i] -= need
		able = able || s.cores[i] >= need
		best = min(best, at)
		if row == collectedTask {
			set.barrier[len(set.barrier)-1].offer = int32(i)
			continue
		}
		s.launchOn(set, offers[i].Exec, row)
	}
	return best, rejected, able
}

// taker is an executor that may take tasks of a set in a call of [TaskScheduler.ResourceOffers], at levels from one on, see [TaskSet.from].
type taker struct {
	offer int32
	cores int32
	from  Locality
}

// from returns the first level at which an executor may find a task of the set, as it has found none below it, see [TaskSet.found]: their lists are empty for it,
// and no task has come into one of the set's lists since.
func (s *TaskSet) from(e *executor) Locality {
	if e.searched == s.stamp {
		return e.from
	}
	return ProcessLocal
}

// found notes that an executor finds no task of the set below a level.
func (s *TaskSet) found(e *executor, from Locality) { e.searched, e.from = s.stamp, from }

// filled says that tasks have come into lists of the set.
func (s *TaskSet) filled() {
	s.sched.stamps++
	s.stamp = s.sched.stamps
}

// plain reports whether each task of the set may run on each executor, and starts alone.
func (s *TaskSet) plain() bool {
	return s.excluded == nil && s.speculatable == 0 && !s.Spec.Barrier && !s.sched.conf.LegacyLocalityReset
}

// only returns the task set that alone has its turn, where that is easily seen, as most often, if it is plain; else nil.
func (s *TaskScheduler) only() *TaskSet {
	if set := s.lone; set != nil && !set.Zombie && set.Backlog > 0 && set.plain() {
		return set
	}
	return nil
}

// findLone finds the task set that is in the pools alone, where none are excluded for failures.
func (s *TaskScheduler) findLone() {
	s.lone = nil
	if s.health == nil && len(s.pools.Pools) == 1 && len(s.pools.Pools[0].sets) == 1 {
		s.lone = s.sets[s.pools.Pools[0].sets[0].ID]
	}
}

// offerOnly gives the set that alone has its turn that.
func (s *TaskScheduler) offerOnly(now int64, set *TaskSet, offers []Offer, allFree bool) {
	if len(offers) == 1 && !set.noPrefs {
		s.offerOnlyOne(now, set, &offers[0], allFree)
		return
	}
	s.cores = s.cores[:0]
	for i := range offers {
		s.cores = append(s.cores, offers[i].Cores)
	}
	best, noRejects, to := s.offerPlainly(now, set, offers)
	s.offeredOnly(now, set, best, noRejects, to, allFree)
}

func (s *TaskScheduler) offerOnlyOne(now int64, set *TaskSet, o *Offer, allFree bool) {
	best, noRejects, to := s.offerOne(now, set, o)
	s.offeredOnly(now, set, best, noRejects, to, allFree)
}

// offeredOnly ends the turn of a set that alone had it.
func (s *TaskScheduler) offeredOnly(now int64, set *TaskSet, best Locality, noRejects bool, to Locality, allFree bool) {
	s.offered(now, set, best, noRejects, allFree)
	if allFree {
		s.barren = barren{set.stamp, to}
	} else {
		s.barren.to = min(s.barren.to, to)
	}
}

// offerOne is [TaskScheduler.offerPlainly] for one executor, and a set that does not have [NoPref] among its levels: level by level it comes to the most local task
// each time.
func (s *TaskScheduler) offerOne(now int64, set *TaskSet, o *Offer) (best Locality, noRejects bool, to Locality) {
	best, to = numLocalities, AnyLocality
	if !set.Spec.runsOn(o.Profile) {
		return best, true, to
	}
	e, need := &s.execs[o.Exec], set.Spec.TaskCPUs
	from := set.from(e)
	for cores := o.Cores; cores >= need && cores >= 0; cores -= need {
		held := set.allowed(now)
		if set.drained() {
			break
		}
		task, at := int32(-1), from
		if from <= held {
			task, at, _ = set.dequeue(&set.pending, o.Exec, o.Host, from, held, false)
		}
		if task < 0 {
			set.found(e, max(from, held+1))
			return best, set.Backlog == 0, held
		}
		s.launchOn(set, o.Exec, set.launch(now, task, o.Exec, o.Host, at, false))
		best, from = min(best, at), at
	}
	set.found(e, from)
	return best, true, to
}

// offerPlainly is [TaskScheduler.offerRounds] for a set that is plain. What the lists hold and which level
// is allowed changes with launches only, so no executor looks into a list again in which it found nothing. It returns up to which level
// no executor that can take more has found anything, too.
func (s *TaskScheduler) offerPlainly(now int64, set *TaskSet, offers []Offer) (best Locality, noRejects bool, to Locality) {
	best, noRejects = numLocalities, true
	need := set.Spec.TaskCPUs
	takers := s.takers[:0]
	for i := range offers {
		if c := s.cores[i]; c >= need && c >= 0 && set.Spec.runsOn(offers[i].Profile) {
			takers = append(takers, taker{int32(i), c, set.from(&s.execs[offers[i].Exec])})
		}
	}
	s.takers = takers[:0]
	held, known := AnyLocality, false
	for i := 0; i < set.numLevels && len(takers) > 0; {
		limit := set.levels[i]
		left, launched := 0, false
		for k := range takers {
			t := &takers[k]
			if !known && limit != NoPref {
				held, known = set.allowed(now), true
			}
			if set.drained() {
				if !known { // as at the last level
					set.allowed(now)
				}
				return best, noRejects, AnyLocality
			}
			allowed := limit
			if limit != NoPref {
				allowed = min(held, limit)
			}
			if allowed >= t.from {
				o := &offers[t.offer]
				if task, at, _ := set.dequeue(&set.pending, o.Exec, o.Host, t.from, allowed, false); task >= 0 {
					s.launchOn(set, o.Exec, set.launch(now, task, o.Exec, o.Host, at, false))
					known, launched, best = false, true, min(best, at)
					s.cores[t.offer] -= need
					if t.cores -= need; t.cores >= need {
						if left < k {
							takers[left] = *t
						}
						left++
					}
					continue
				}
				t.from = allowed + 1
				set.found(&s.execs[o.Exec], t.from)
			}
			if limit == AnyLocality && set.Backlog > 0 {
				noRejects = false
			}
			if left < k {
				takers[left] = *t
			}
			left++
		}
		takers = takers[:left]
		if !launched {
			i++
		}
	}
	if len(takers) == 0 {
		held = AnyLocality
	}
	return best, noRejects, held
}

// usualExecs is for how many executors room is made at once.
const usualExecs = 16

func (s *TaskScheduler) launchOn(set *TaskSet, exec, row int32) {
	ref := TaskRef{set.ID, row}
	e := &s.execs[exec]
	e.running++
	e.open++
	s.launched = append(s.launched, ref)
}

// slots is how many tasks of a barrier set the offers have room for.
func (s *TaskScheduler) slots(set *TaskSet, offers []Offer) (n int) {
	for i, o := range offers {
		if set.Spec.runsOn(o.Profile) && s.cores[i] > 0 {
			n += int(s.cores[i] / set.Spec.TaskCPUs)
		}
	}
	return n
}

// launchBarrier launches the tasks of a barrier set together, or none of them. Where a wait can never bring them together Spark throws: the sets behind this one get no turn, and
// attempts of those before it that were to be launched by the same call never reach their executors.
func (s *TaskScheduler) launchBarrier(now int64, set *TaskSet) (thrown bool) {
	tasks := set.barrier
	set.barrier = set.barrier[:0]
	set.sortBarrier(tasks)
	for _, b := range tasks {
		set.tasks[b.task].collected = false
	}
	if len(tasks) == set.Spec.Tasks {
		for _, b := range tasks {
			row := set.launch(now, b.task, b.exec, b.host, b.level, false)
			s.launchOn(set, b.exec, row)
		}
		return false
	}
	if s.conf.LegacyLocalityReset {
		set.abort(now)
		return true
	}
	for _, b := range tasks {
		s.cores[b.offer] += set.Spec.TaskCPUs
		set.addPending(&set.pending, b.task)
	}
	return false
}

// sortBarrier sorts the collected tasks of a barrier set: by index, or in Spark's order.
func (s *TaskSet) sortBarrier(tasks []barrierTask) {
	if s.order == nil {
		slices.SortFunc(tasks, func(a, b barrierTask) int { return int(a.task - b.task) })
		return
	}
	for _, b := range tasks {
		s.order.barrier.Put(b.task)
	}
	at := 0
	for task := range s.order.barrier.All {
		i := at + slices.IndexFunc(tasks[at:], func(b barrierTask) bool { return b.task == task })
		tasks[at], tasks[i] = tasks[i], tasks[at]
		at++
	}
	s.order.barrier.Clear()
}

// Near reports whether a host is one of some, and false for near where no executor gets offers on any of these, but for few of which it is not known at once. It
// is not inlined: where it is called no registers are left.
//
//go:noinline
func (s *TaskScheduler) Near(hosts []int32, host int32) (among, near bool) {
	may, bits := uint64(0), &s.hosting
	for _, h := range hosts {
		if h == host {
			among = true
		}
		may |= bits[h>>6&7] >> (h & 63)
	}
	return among, may&1 != 0
}

// ExecutorsOn returns the executors on a host that get offers, in order of arrival. It must not be changed and is valid until the next call.
func (s *TaskScheduler) ExecutorsOn(host int32) []int32 {
	if !s.hosting.may(host) {
		return nil
	}
	return s.executorsOn(host)
}

func (s *TaskScheduler) executorsOn(host int32) []int32 {
	if at := s.hostAt.find(host); at >= 0 {
		return s.hosts[at].execs
	}
	return nil
}

// register makes an executor known that is new.
func (s *TaskScheduler) register(exec, host int32) {
	for int(exec) >= len(s.execs) {
		s.execs = reuse.Longer(s.execs)
		e := &s.execs[len(s.execs)-1]
		*e = executor{host: -1}
	}
	e := &s.execs[exec]
	s.hosting.put(host)
	at := s.hostAt.add(host)
	if int(at) == len(s.hosts) {
		s.hosts = reuse.Longer(s.hosts)
		s.hosts[at] = hostState{execs: s.hosts[at].execs[:0], rack: -1}
		if s.order != nil {
			s.hosts[at].order = &scala.HashSet[int32]{Hash: s.order.Exec}
		}
		if rack := s.rackOf(host); rack != NoRack {
			s.hosts[at].rack = s.rackAt.add(rack)
		}
	}
	if r := s.hosts[at].rack; r >= 0 {
		if int(r) == len(s.racksOn) {
			s.racksOn = reuse.Longer(s.racksOn)
			s.racksOn[r] = rackState{hosts: s.racksOn[r].hosts[:0]}
		}
		if on := &s.racksOn[r]; !slices.Contains(on.hosts, at) {
			if cap(on.hosts) == 0 {
				on.hosts = reuse.Cut(&s.few, 2, 2*usualExecs)
			}
			on.hosts = append(on.hosts, at)
		}
	}
	*e = executor{host: host, at: at, known: true, mapped: true}
	h := &s.hosts[at]
	if cap(h.execs) == 0 {
		h.execs = reuse.Cut(&s.few, 2, 2*usualExecs)
	}
	h.execs = append(h.execs, exec)
	h.alive++
	if h.order != nil {
		h.order.Add(exec)
	}
	if s.health != nil {
		s.health.executorAdded(exec)
	}
	if !s.AddedUnheard {
		s.emit(TaskEvent{Kind: ExecutorAdded, Exec: exec})
	}
}
