package spark

import (
	"math"
	"slices"

	"replay/engine/fetch"
	"replay/engine/reuse"
	"replay/engine/spark/conf"
	"replay/engine/spark/scala"
)

// TaskEventKind is what a [TaskScheduler] tells.
type TaskEventKind uint8

// What the scheduler tells the DAGScheduler, the backend and the listeners.
const (
	ExecutorAdded      TaskEventKind = iota // to the DAGScheduler: Exec is known now, see [TaskScheduler.AddedUnheard]
	ExecutorGone                            // to the DAGScheduler: Exec is lost
	TaskEnded                               // to the DAGScheduler: the attempt ended with Reason
	TaskSetFailed                           // to the DAGScheduler: the stage attempt was given up
	SpeculativeTask                         // to the DAGScheduler and listeners: a copy of Index was put in the lists
	KillTask                                // to the backend: stop the attempt on Exec
	KillExecutor                            // to the cluster manager: exclusion wants Exec away
	ReviveOffers                            // to the backend: offer all executors again
	UnschedulableAdded                      // to the listeners: no executor may run what is left of the set
	UnschedulableGone                       // to the listeners: tasks are launched again
	AbortTimer                              // to the engine: call [TaskScheduler.AbortTimeout] at At
)

// TaskEvent is one thing that a [TaskScheduler] tells, see [TaskEventKind].
type TaskEvent struct {
	Kind   TaskEventKind
	Reason EndReason
	Exec   int32
	Set    int32 // [TaskSet.ID]
	Row    int32 // attempt, see [TaskSet.Attempt]
	Index  int32 // of the task in its set
	Task   int64 // task id of the attempt
	At     int64 // ms

	Stage, StageAttempt int32 // of the set

	From   FetchSource // EndFetchFailed
	Worker bool        // ExecutorGone: the whole host is gone
}

// TaskRef names an attempt: [TaskSet.Attempt] of row Row in task set Set.
type TaskRef struct {
	Set int32
	Row int32
}

// HashOrder gives the hashes of the names behind the numbers of executors, hosts and racks. With it
// a [TaskScheduler] takes every decision that depends on the order of a hash table as Spark built
// for Scala 2.12 does; names of executors are their ids in decimal.
type HashOrder struct{ Exec, Host, Rack func(int32) int32 }

// TaskScheduler offers executors to task sets.
//
// It is a state machine without a clock: the caller says what time it is (ms), in calls that do not
// go back in time. What it has to tell others is kept in order until [TaskScheduler.Take].
// Executors, hosts and racks are numbers from 0; memory grows with the largest executor number.
//
// Source: org.apache.spark.scheduler.TaskSchedulerImpl.
type TaskScheduler struct {
	// SlotsPerExecutor is how many tasks an executor runs at a time, by resource profile (ResourceProfile.maxTasksPerExecutor),
	// 1 of profiles that it does not have; only speculation by spark.speculation.task.duration.threshold reads it. It is not changed.
	SlotsPerExecutor []int

	// AddedUnheard says that nobody listens to [ExecutorAdded], which is not told then. It is not changed.
	AddedUnheard bool

	// Scratch is working memory, which may be shared with other schedulers; nil: its own.
	Scratch *Scratch

	conf   *conf.Conf
	racks  []int32 // by host
	order  *HashOrder
	pools  *Pools
	health *health // nil when exclusion is off

	failing int // task sets in the pools of which failures count for exclusion

	sets     []*TaskSet // by ID; nil when nothing of it is left
	lone     *TaskSet   // see [TaskScheduler.findLone]
	stages   map[int32][]int32
	nextTask int64
	stamps   int32 // given so far, see [TaskSet.filled]
	events   []TaskEvent
	taken    []TaskEvent
	leaving  []int32 // sets of which nothing is left
	gone     []int32 // those of them that events already taken are about
	launched []TaskRef
	turn     []*Schedulable
	costless bool // there is, or was, a set whose tasks need no core
	cores    []int32
	takers   []taker // scratch
	barren   barren

	execs   []executor
	few     []int32  // and for those of executors of a host and hosts of a rack
	hostAt  intTable // host -> position in hosts
	hosts   []hostState
	hosting hostBits
	rackAt  intTable
	racksOn []rackState // those with executors, by position in rackAt

	unschedulable []abortTimer
	from          FetchSource
}

// Scratch is working memory of task schedulers, and task sets of which nothing is left, for others.
type Scratch struct {
	filling
	sets  []*TaskSet
	prefs []prefLists
}

// prefLists are lists of preferred locations, see [TaskSetSpec].
type prefLists struct{ start, hosts, execs []int32 }

// locate gives a set lists of preferred locations of its own, up to its first task.
func (w *Scratch) locate(spec *TaskSetSpec) {
	var l prefLists
	if n := len(w.prefs); n > 0 {
		l, w.prefs = w.prefs[n-1], w.prefs[:n-1]
	}
	spec.own = true
	spec.PrefStart, spec.Hosts, spec.Execs = append(slices.Grow(l.start[:0], spec.Tasks+1), 0), l.hosts[:0], l.execs[:0]
}

// work returns the working memory.
func (s *TaskScheduler) work() *Scratch {
	if s.Scratch == nil {
		s.Scratch = new(Scratch)
	}
	return s.Scratch
}

// set returns a task set, whose lists are memory to be used again.
func (w *Scratch) set() *TaskSet {
	n := len(w.sets)
	if n == 0 {
		return new(TaskSet)
	}
	set := w.sets[n-1]
	w.sets = w.sets[:n-1]
	return set
}

// spare lets a task set go.
func (s *TaskScheduler) spare(id int32) {
	if set := s.sets[id]; set != nil {
		s.sets[id] = nil
		w := s.work()
		if l := &set.Spec; l.own {
			w.prefs = append(w.prefs, prefLists{l.PrefStart, l.Hosts, l.Execs})
		}
		set.Spec, set.sched = TaskSetSpec{}, nil
		w.sets = append(w.sets, set)
	}
}

type executor struct {
	host             int32
	known            bool // gets offers, counts as alive (executorIdToRunningTaskIds)
	mapped           bool // its loss has not been explained yet (executorIdToHost)
	decommissioned   bool
	wholeHost        bool // decommissioned with its host
	decommissionedAt int64
	running          int32 // attempts that the scheduler knows by their id
	open             int32 // attempts whose end was not handled
	at               int32 // its host's position in hosts
	searched         int32 // stamp of the set of which it finds no task below the level from; 0 = of none
	from             Locality
}

// listPlace is where the list of a host or rack is among those of a set's pending tasks, as of when these had so many keys, at least one. A key
// keeps its position.
type listPlace struct {
	set, keys int32
	at        int32 // -1 for none
}

// in returns the position of a key's list in k, which is that of a set and not empty, -1 for none.
func (p *listPlace) in(k *keyedLists, set, key int32) int32 {
	if p.set == set && int(p.keys) == len(k.lists) {
		return p.at
	}
	return p.find(k, set, key)
}

//go:noinline
func (p *listPlace) find(k *keyedLists, set, key int32) int32 {
	*p = listPlace{set: set, keys: int32(len(k.lists)), at: k.keysAt.find(key)}
	return p.at
}

// hostBits say of most hosts without executors that they have none, by their last bits: an application has executors on few of the hosts that it prefers.
type hostBits [8]uint64

func (b *hostBits) put(host int32) { b[host>>6&7] |= 1 << (host & 63) }

func (b *hostBits) may(host int32) bool { return b[host>>6&7]>>(host&63)&1 != 0 }

// rackState is a rack that has had executors.
type rackState struct {
	hosts []int32 // with executors, positions
	lists listPlace
}

type hostState struct {
	execs []int32 // known, in order of arrival
	alive int32   // of them, those that are not being decommissioned
	rack  int32   // position in racksOn, -1 for none
	lists listPlace
	order *scala.HashSet[int32]
}

// NewTaskScheduler makes the scheduler of one application. RackOf gives the rack of each host, or
// [NoRack]; it is kept and not changed. Order is nil for the canonical order of things where Spark's
// own depends on hashes: by number, rack lists by descending host.
func NewTaskScheduler(conf *conf.Conf, pools *Pools, rackOf []int32, order *HashOrder) *TaskScheduler {
	s := &TaskScheduler{stages: map[int32][]int32{}}
	s.Renew(conf, pools, rackOf, order)
	return s
}

// Renew makes of s what [NewTaskScheduler] returns, in the memory that it has. Its task sets, and what it has returned, are not there any more.
func (s *TaskScheduler) Renew(conf *conf.Conf, pools *Pools, rackOf []int32, order *HashOrder) {
	for id := range s.sets {
		s.spare(int32(id))
	}
	clear(s.stages)
	*s = TaskScheduler{
		conf: conf, racks: rackOf, order: order, pools: pools, Scratch: s.Scratch,
		sets: s.sets[:0], stages: s.stages, events: s.events[:0], taken: s.taken[:0], leaving: s.leaving[:0], gone: s.gone[:0], launched: s.launched[:0],
		turn: s.turn[:0], cores: s.cores[:0], takers: s.takers[:0], execs: s.execs[:0], few: s.few, hosts: s.hosts[:0], racksOn: s.racksOn[:0], hostAt: s.hostAt.emptied(), rackAt: s.rackAt.emptied(),
		unschedulable: s.unschedulable[:0],
	}
	if conf.Exclude.Enabled {
		s.health = newHealth(order)
	}
}

// FetchMemory has fetched (package fetch) what [TaskScheduler.Renew] will look at, in steps from 0.
func (s *TaskScheduler) FetchMemory(step int) {
	if step == 0 {
		fetch.List(s.sets, 8)
	}
}

// Reserve makes room for executors with numbers below n.
func (s *TaskScheduler) Reserve(n int) {
	s.execs = reuse.Roomy(s.execs, n)
	s.hosts = reuse.Roomy(s.hosts, n)
}

// FetchExecutors asks for the memory of the executors that register next, at most so many.
func (s *TaskScheduler) FetchExecutors(most int) {
	fetch.Next(s.execs, most)
	fetch.Next(s.hosts, most)
	fetch.Next(s.racksOn, most)
	s.hostAt.fetch(most)
	s.rackAt.fetch(most)
}

// FetchHost asks for what is known of a host on which an executor registers.
func (s *TaskScheduler) FetchHost(host int32) { fetch.At(s.racks, int(host)) }

// Take returns what the scheduler has told since the last call. The slice, and the task sets that it
// is about, are there until the next call of Take.
func (s *TaskScheduler) Take() []TaskEvent {
	if len(s.gone)|len(s.leaving) > 0 {
		for _, id := range s.gone {
			s.spare(id)
		}
		s.gone, s.leaving = s.leaving, s.gone[:0]
	}
	s.events, s.taken = s.taken[:0], s.events
	return s.taken
}

// Silent reports whether Take would return nothing and let nothing go.
func (s *TaskScheduler) Silent() bool { return len(s.events)|len(s.leaving)|len(s.gone) == 0 }

func (s *TaskScheduler) emit(e TaskEvent) { s.events = append(s.events, e) }

// Set returns a task set by its ID. It is nil when nothing of the set is left: it is out of its pool,
// and the ends of all its attempts were handled and taken.
func (s *TaskScheduler) Set(id int32) *TaskSet { return s.sets[id] }

// Sets yields the task sets in the pools, pool by pool in order of submission.
func (s *TaskScheduler) Sets(yield func(*TaskSet) bool) {
	for p := range s.pools.Each {
		if !yield(s.sets[p.ID]) {
			return
		}
	}
}

// Pending reports whether any task set may have tasks to launch. While it has none, an offer of
// known executors changes nothing.
func (s *TaskScheduler) Pending() bool { return s.pools.backlog > 0 }

// OffersMatter reports whether an offer of known executors may change anything: a task may wait, or an exclusion end.
func (s *TaskScheduler) OffersMatter() bool { return s.pools.backlog > 0 || s.MayExclude() }

// Submit takes a stage attempt in; earlier attempts of the stage become zombies: they launch nothing
// more. It asks for offers.
//
// Source: TaskSchedulerImpl.submitTasks.
func (s *TaskScheduler) Submit(now int64, spec *TaskSetSpec) *TaskSet {
	set := newTaskSet(s, spec, now)
	s.sets = append(s.sets, set)
	s.costless = s.costless || spec.TaskCPUs <= 0
	for _, id := range s.stages[spec.Stage] {
		if old := s.sets[id]; old != nil {
			old.stop()
		}
	}
	s.stages[spec.Stage] = append(s.stages[spec.Stage], set.ID)
	s.pools.Add(&set.Schedulable, spec.Pool)
	s.findLone()
	s.emit(TaskEvent{Kind: ReviveOffers})
	return set
}

// remove takes a set out of its pool.
func (s *TaskScheduler) remove(set *TaskSet) {
	if !set.inPool {
		return
	}
	set.inPool = false
	if set.excluded != nil {
		s.failing--
	}
	s.pools.Remove(&set.Schedulable)
	s.findLone()
	ids := s.stages[set.Stage]
	if ids = slices.DeleteFunc(ids, func(id int32) bool { return id == set.ID }); len(ids) == 0 {
		delete(s.stages, set.Stage)
	} else {
		s.stages[set.Stage] = ids
	}
	s.forget(set)
}

// forget lets a set go, behind the events about it, when nothing of it is to come.
func (s *TaskScheduler) forget(set *TaskSet) {
	if !set.inPool && int(set.handled) == len(set.attempts) {
		s.leaving = append(s.leaving, set.ID)
	}
}

// tracked returns the attempt while the scheduler knows it by its id.
func (s *TaskScheduler) tracked(ref TaskRef) (*TaskSet, *Attempt) {
	set := s.sets[ref.Set]
	if set == nil || !set.attempts[ref.Row].tracked {
		return nil, nil
	}
	return set, &set.attempts[ref.Row]
}

// Running notes that the executor reported the attempt as running.
func (s *TaskScheduler) Running(ref TaskRef) {
	if _, a := s.tracked(ref); a != nil {
		a.Launching = false
	}
}

// StatusUpdate notes that the executor reported the end of the attempt. It reports false when the
// attempt is not known any more (its executor is lost); then nothing else is to be done. Otherwise
// the backend gives the cores back and offers that executor alone, and after that the result is
// handled: by [TaskScheduler.Succeeded], [TaskScheduler.Failed] or [TaskScheduler.FetchFailed].
//
// Source: TaskSchedulerImpl.statusUpdate.
func (s *TaskScheduler) StatusUpdate(ref TaskRef) bool {
	set, _ := s.Reported(ref)
	return set != nil
}

// Reported is [TaskScheduler.StatusUpdate], which answers with the set and the attempt, or nil. The attempt is valid until the next launch.
func (s *TaskScheduler) Reported(ref TaskRef) (*TaskSet, *Attempt) {
	set, a := s.tracked(ref)
	if a == nil {
		return nil, nil
	}
	a.tracked = false
	s.execs[a.Exec].running--
	if a.Counted {
		set.uncount(ref.Row, a)
	}
	return set, a
}

// Succeeded handles the result of an attempt.
func (s *TaskScheduler) Succeeded(now int64, ref TaskRef) {
	if set := s.sets[ref.Set]; set != nil {
		set.succeed(now, ref.Row)
	}
}

// SucceededAlone is [TaskScheduler.Succeeded] for the only attempt of a task, the one in a row of the set, where nothing is left that [TaskScheduler.Take] would tell: its end is told by the answer
// and not by Take, and the set is there until the next call of that. It is false where it does nothing, as there would be more to tell, or might be: with exclusion the
// end of a set may exclude executors.
func (s *TaskSet) SucceededAlone(now int64, row int32, a *Attempt) bool {
	t := &s.tasks[a.Index]
	if s.excluded != nil || len(s.sched.events) > 0 || a.Ended || t.done || t.last != row || a.previous >= 0 {
		return false
	}
	s.complete(now, row, a, t)
	if s.Zombie {
		s.maybeFinish(now)
	}
	return true
}

// Failed handles the failure of an attempt, and asks for offers when it is to run again.
func (s *TaskScheduler) Failed(now int64, ref TaskRef, reason EndReason) {
	set := s.sets[ref.Set]
	if set == nil {
		return
	}
	index := set.attempts[ref.Row].Index
	set.fail(now, ref.Row, reason, false)
	if !set.Zombie && !set.tasks[index].done {
		s.emit(TaskEvent{Kind: ReviveOffers})
	}
}

// FetchSource is the output of a map task that could not be read. Without executor (-1) no location of
// the output was known.
type FetchSource struct {
	Stage, Partition int32
	Exec, Host       int32
}

// FetchFailed handles an attempt that could not read the output of a map task.
func (s *TaskScheduler) FetchFailed(now int64, ref TaskRef, from FetchSource) {
	set := s.sets[ref.Set]
	if set == nil {
		return
	}
	if s.health != nil && from.Exec >= 0 && !set.attempts[ref.Row].Ended {
		s.health.fetchFailed(s, now, from.Exec, from.Host)
	}
	s.from = from
	s.Failed(now, ref, EndFetchFailed)
}

// Metrics notes what an executor heartbeat, or the result, says of an attempt: records read (input
// and shuffle) and run time. Only the efficiency of speculation reads it.
func (s *TaskScheduler) Metrics(ref TaskRef, recordsRead, runMS int64) {
	if set := s.sets[ref.Set]; set != nil {
		set.rates.report(ref.Row, recordsRead, runMS)
	}
}

// PartitionDone marks a task as succeeded in a set because another attempt of the stage completed
// its partition. Sets that launch nothing more are not told.
//
// Source: TaskSchedulerImpl.handlePartitionCompleted.
func (s *TaskScheduler) PartitionDone(now int64, set, index int32) {
	if t := s.sets[set]; t != nil && !t.Zombie {
		t.partitionDone(now, index)
	}
}

// Cancel stops a stage attempt and asks the backend to kill its running tasks.
//
// Source: TaskSchedulerImpl.cancelTasks.
func (s *TaskScheduler) Cancel(now int64, set int32) {
	t := s.sets[set]
	if t == nil || !t.inPool {
		return
	}
	t.killRunning()
	t.stop()
	t.maybeFinish(now)
}

// cancelStage cancels what is left of all attempts of a stage.
func (s *TaskScheduler) cancelStage(now int64, stage int32) {
	for _, id := range slices.Clone(s.stages[stage]) {
		s.Cancel(now, id)
	}
}

// Speculate is the periodic check of spark.speculation.interval. It asks for offers if it found any.
//
// Source: TaskSchedulerImpl.checkSpeculatableTasks.
func (s *TaskScheduler) Speculate(now int64) {
	found := false
	for set := range s.Sets {
		found = set.speculate(now) || found
	}
	if found {
		s.emit(TaskEvent{Kind: ReviveOffers})
	}
}

// SpeculationDue returns the earliest time at which [TaskScheduler.Speculate] would find a task if nothing happens before it, in
// ms: math.MinInt64 for at once, math.MaxInt64 for never.
func (s *TaskScheduler) SpeculationDue() int64 {
	due := int64(math.MaxInt64)
	for set := range s.Sets {
		due = min(due, set.speculates())
	}
	return due
}

// hostOn returns the host of an executor that was offered.
func (s *TaskScheduler) hostOn(exec int32) *hostState { return &s.hosts[s.execs[exec].at] }

// rackOf returns the rack of a host, or [NoRack].
func (s *TaskScheduler) rackOf(host int32) int32 {
	if int(host) >= len(s.racks) {
		return NoRack
	}
	return s.racks[host]
}

func (s *TaskScheduler) execAlive(exec int32) bool {
	return int(exec) < len(s.execs) && s.execs[exec].known && !s.execs[exec].decommissioned
}

// anyHostAlive reports whether some key of the lists of a set's hosts is a host with an executor that is alive and not being decommissioned.
func (s *TaskScheduler) anyHostAlive(set *TaskSet) bool {
	k := &set.pending.byHost
	if len(k.lists) == 0 {
		return false
	}
	for i := range s.hosts {
		if h := &s.hosts[i]; h.alive > 0 {
			if at := h.lists.in(k, set.ID, s.hostAt.keys[i]); at >= 0 && k.lists[at].top != absent {
				return true
			}
		}
	}
	return false
}

// anyRackAlive reports whether some key of the lists of a set's racks is a rack with executors of which no host is being decommissioned.
func (s *TaskScheduler) anyRackAlive(set *TaskSet) bool {
	k := &set.pending.byRack
	if len(k.lists) == 0 {
		return false
	}
	for i := range s.racksOn {
		if r := &s.racksOn[i]; len(r.hosts) > 0 {
			if at := r.lists.in(k, set.ID, s.rackAt.keys[i]); at >= 0 && k.lists[at].top != absent && slices.ContainsFunc(r.hosts, s.staysInService) {
				return true
			}
		}
	}
	return false
}

// staysInService reports whether no executor of the host at a position is decommissioned with it.
func (s *TaskScheduler) staysInService(at int32) bool {
	for _, e := range s.hosts[at].execs {
		if s.execs[e].decommissioned && s.execs[e].wholeHost {
			return false
		}
	}
	return true
}

// aliveOnHost returns the executors of a host that are alive, by number or in Spark's order.
func (s *TaskScheduler) aliveOnHost(host int32) []int32 {
	at := s.hostAt.find(host)
	if at < 0 {
		return nil
	}
	h := &s.hosts[at]
	if h.order == nil {
		alive := slices.DeleteFunc(slices.Clone(h.execs), func(e int32) bool { return !s.execAlive(e) })
		slices.Sort(alive)
		return alive
	}
	kept := scala.HashSet[int32]{Hash: s.order.Exec}
	for e := range h.order.All {
		if s.execAlive(e) {
			kept.Add(e)
		}
	}
	set := scala.Immutable[int32]{Hash: s.order.Exec}
	for e := range kept.All {
		set.Put(e)
	}
	return slices.Collect(set.All)
}
