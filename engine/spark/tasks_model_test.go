package spark

import (
	"maps"
	"slices"

	"replay/engine/spark/conf"
)

// plainScheduler is TaskSchedulerImpl with its TaskSetManagers, TaskSetExcludelists and HealthTracker as they stand in
// Spark 3.5.5, table by table, without anything that is kept to be fast; pools are FIFO. What Spark does in the order
// of a hash table is done by number, racks get the lists of their hosts by descending host, and lists are walked over
// in the order in which their keys were first seen.
type plainScheduler struct {
	c      *conf.Conf
	rackOf []int32
	slots  [2]int // of an executor, by profile
	sets   []*plainSet
	inPool []*plainSet
	nextID int64
	from   FetchSource
	events []TaskEvent

	hostOf         map[int32]int32 // executorIdToHost
	runningOn      map[int32]map[TaskRef]bool
	onHost         map[int32][]int32
	decommissioned map[int32]plainDecommission
	lastHost       map[int32]int32 // of executors ever seen
	timers         map[int32]int64 // unschedulableTaskSetToExpiryTime

	execUntil, nodeUntil map[int32]int64 // HealthTracker: excluded until
	nodeExecs            map[int32]map[int32]bool
	failures             map[int32][]int64 // expiry times by executor
}

type plainDecommission struct {
	at        int64
	wholeHost bool
}

type plainSet struct {
	s              *plainScheduler
	id             int32
	spec           TaskSetSpec
	zombie         bool
	regular, again plainLists
	tasks          []plainTask
	attempts       []*plainAttempt
	durations      []int64
	speculatable   map[int32]bool
	levels         []Locality
	level          int
	lastReset      int64
	noRejects      int8
	collected      []plainBarrier
	failed         []plainFailure
	reports        map[int][2]int64 // records and run time of attempts
	read, readMS   int64
}

type plainTask struct {
	copies, failures int
	done             bool
}

type plainAttempt struct {
	id, launch                                              int64
	index, exec, host                                       int32
	number                                                  int
	level                                                   Locality
	counted, ended, killed, speculative, launching, tracked bool
}

type plainFailure struct {
	index, exec, host int32
	at                int64
}

type plainBarrier struct {
	task, exec, host int32
	offer            int
	level            Locality
}

// plainTable is a map of lists that remembers the order in which its keys were first seen.
type plainTable struct {
	seen  []int32
	lists map[int32][]int32
}

func (t *plainTable) add(key, task int32) {
	if t.lists == nil {
		t.lists = map[int32][]int32{}
	}
	t.see(key)
	t.lists[key] = append(t.lists[key], task)
}

func (t *plainTable) see(key int32) {
	if !slices.Contains(t.seen, key) {
		t.seen = append(t.seen, key)
	}
}

type plainLists struct {
	byExec, byHost, byRack plainTable
	noPrefs, all           []int32
}

func newPlainScheduler(c *conf.Conf, rackOf []int32) *plainScheduler {
	return &plainScheduler{c: c, rackOf: rackOf, slots: [2]int{1, 1}, hostOf: map[int32]int32{}, runningOn: map[int32]map[TaskRef]bool{}, onHost: map[int32][]int32{},
		decommissioned: map[int32]plainDecommission{}, lastHost: map[int32]int32{}, timers: map[int32]int64{},
		execUntil: map[int32]int64{}, nodeUntil: map[int32]int64{}, nodeExecs: map[int32]map[int32]bool{}, failures: map[int32][]int64{}}
}

func (s *plainScheduler) emit(e TaskEvent) { s.events = append(s.events, e) }

func (t *plainSet) emit(kind TaskEventKind, row int, reason EndReason) {
	a := t.attempts[row]
	var from FetchSource
	if reason == EndFetchFailed {
		from = t.s.from
	}
	t.s.emit(TaskEvent{Kind: kind, Reason: reason, Exec: a.exec, Set: t.id, Row: int32(row), Index: a.index, Task: a.id,
		Stage: t.spec.Stage, StageAttempt: t.spec.Attempt, From: from})
}

func (s *plainScheduler) rack(host int32) int32 {
	if int(host) < len(s.rackOf) {
		return s.rackOf[host]
	}
	return NoRack
}

// alive is isExecutorAlive: known, and not being decommissioned.
func (s *plainScheduler) alive(exec int32) bool {
	_, going := s.decommissioned[exec]
	return s.runningOn[exec] != nil && !going
}

func (s *plainScheduler) hostAlive(host int32) bool {
	return slices.ContainsFunc(s.onHost[host], s.alive)
}

func (s *plainScheduler) rackAlive(rack int32) bool {
	for host, execs := range s.onHost {
		going := slices.ContainsFunc(execs, func(e int32) bool { return s.decommissioned[e].wholeHost })
		if len(execs) > 0 && s.rack(host) == rack && !going {
			return true
		}
	}
	return false
}

// TaskSchedulerImpl.submitTasks, and the constructor of TaskSetManager.
func (s *plainScheduler) submit(now int64, spec TaskSetSpec) {
	t := &plainSet{s: s, id: int32(len(s.sets)), spec: spec, tasks: make([]plainTask, spec.Tasks), speculatable: map[int32]bool{},
		lastReset: now, noRejects: -1, reports: map[int][2]int64{}}
	for _, host := range slices.Backward(spec.Hosts) { // hosts are first seen from the last location to the first
		t.regular.byHost.see(host)
	}
	for i := int32(spec.Tasks) - 1; i >= 0; i-- {
		t.addPending(&t.regular, i, false)
	}
	for _, host := range slices.Backward(slices.Sorted(maps.Keys(t.regular.byHost.lists))) {
		for _, i := range t.regular.byHost.lists[host] {
			if rack := s.rack(host); rack != NoRack {
				t.regular.byRack.add(rack, i)
			}
		}
	}
	t.levels = t.validLevels()
	for _, old := range s.inPool {
		if old.spec.Stage == spec.Stage {
			old.zombie = true
		}
	}
	s.sets, s.inPool = append(s.sets, t), append(s.inPool, t)
	s.emit(TaskEvent{Kind: ReviveOffers})
}

// TaskSetManager.addPendingTask.
func (t *plainSet) addPending(l *plainLists, i int32, racks bool) {
	if t.zombie {
		return
	}
	from, to := t.spec.prefs(i)
	for at := from; at < to; at++ {
		host := t.spec.Hosts[at]
		if t.spec.Execs != nil {
			switch exec := t.spec.Execs[at]; exec {
			case OnHost:
			case HDFSCache:
				for _, e := range slices.Sorted(slices.Values(t.s.onHost[host])) {
					if t.s.alive(e) {
						l.byExec.add(e, i)
					}
				}
			default:
				l.byExec.add(exec, i)
			}
		}
		l.byHost.add(host, i)
		if rack := t.s.rack(host); racks && rack != NoRack {
			l.byRack.add(rack, i)
		}
	}
	if from == to {
		l.noPrefs = append(l.noPrefs, i)
	}
	l.all = append(l.all, i)
}

// TaskSetManager.computeValidLocalityLevels.
func (t *plainSet) validLevels() (levels []Locality) {
	some := func(m plainTable, ok func(int32) bool) bool {
		for key := range m.lists {
			if ok(key) {
				return true
			}
		}
		return false
	}
	if some(t.regular.byExec, t.s.alive) {
		levels = append(levels, ProcessLocal)
	}
	if some(t.regular.byHost, t.s.hostAlive) {
		levels = append(levels, NodeLocal)
	}
	if len(t.regular.noPrefs) > 0 {
		levels = append(levels, NoPref)
	}
	if some(t.regular.byRack, t.s.rackAlive) {
		levels = append(levels, RackLocal)
	}
	return append(levels, AnyLocality)
}

func (t *plainSet) indexOf(l Locality) int {
	return slices.IndexFunc(t.levels, func(x Locality) bool { return x >= l })
}

// TaskSetManager.recomputeLocality.
func (t *plainSet) recomputeLevels() {
	if t.zombie {
		return
	}
	before, old := t.levels, t.level
	t.levels = t.validLevels()
	t.level = t.indexOf(before[old])
	if t.level > old {
		t.level = slices.IndexFunc(t.levels, func(l Locality) bool { return !slices.Contains(before, l) })
	}
}

// TaskSetManager.getAllowedLocalityLevel.
func (t *plainSet) allowed(now int64) Locality {
	live := func(i int32) bool { return t.tasks[i].copies == 0 && !t.tasks[i].done }
	anyPending := func(m *plainTable) bool {
		for _, key := range m.seen {
			list, there := m.lists[key]
			if !there {
				continue
			}
			for len(list) > 0 && !live(list[len(list)-1]) {
				list = list[:len(list)-1]
			}
			if m.lists[key] = list; len(list) > 0 {
				return true
			}
			delete(m.lists, key)
		}
		return false
	}
	for t.level < len(t.levels)-1 {
		var more bool
		var wait int64
		switch t.levels[t.level] {
		case ProcessLocal:
			more, wait = anyPending(&t.regular.byExec), t.s.c.WaitProcess
		case NodeLocal:
			more, wait = anyPending(&t.regular.byHost), t.s.c.WaitNode
		case NoPref:
			more = len(t.regular.noPrefs) > 0
		case RackLocal:
			more, wait = anyPending(&t.regular.byRack), t.s.c.WaitRack
		}
		if t.s.c.LegacyLocalityReset && t.spec.Barrier {
			wait = 0
		}
		switch {
		case !more:
			t.lastReset = now
		case now-t.lastReset >= wait:
			t.lastReset += wait
		default:
			return t.levels[t.level]
		}
		t.level++
	}
	return t.levels[t.level]
}

func (t *plainSet) resetTimer(now int64, l Locality) { t.lastReset, t.level = now, t.indexOf(l) }

func (t *plainSet) schedulable() bool {
	return !t.zombie && len(t.regular.all)+len(t.again.all) > 0
}

// TaskSchedulerImpl.resourceOffers.
func (s *plainScheduler) resourceOffers(now int64, offers []Offer, allFree bool) (launched []TaskRef) {
	newExec := false
	for _, o := range offers {
		if s.runningOn[o.Exec] == nil {
			s.runningOn[o.Exec], s.hostOf[o.Exec], s.lastHost[o.Exec] = map[TaskRef]bool{}, o.Host, o.Host
			s.onHost[o.Host] = append(s.onHost[o.Host], o.Exec)
			s.emit(TaskEvent{Kind: ExecutorAdded, Exec: o.Exec})
			newExec = true
		}
	}
	s.expire(now)
	cores := make([]int32, len(offers))
	for i, o := range offers {
		if cores[i] = o.Cores; s.excluded(o.Exec, o.Host) {
			cores[i] = -1
		}
	}
	sorted := slices.DeleteFunc(slices.Clone(s.inPool), func(t *plainSet) bool { return !t.schedulable() })
	slices.SortStableFunc(sorted, func(a, b *plainSet) int {
		if a.spec.Priority != b.spec.Priority {
			return int(a.spec.Priority - b.spec.Priority)
		}
		return int(a.spec.Stage - b.spec.Stage)
	})
	for _, t := range sorted {
		if newExec {
			t.recomputeLevels()
		}
	}
	for _, t := range sorted {
		slots := int32(0)
		for i, o := range offers {
			if t.spec.runsOn(o.Profile) && cores[i] > 0 {
				slots += cores[i] / t.spec.TaskCPUs
			}
		}
		if t.spec.Barrier && int(slots) < t.spec.Tasks {
			continue
		}
		more, thrown := t.turn(now, offers, cores, allFree)
		if thrown {
			return nil
		}
		launched = append(launched, more...)
	}
	return launched
}

// turn is what resourceOffers does for one task set, until it throws.
func (t *plainSet) turn(now int64, offers []Offer, cores []int32, allFree bool) (launched []TaskRef, thrown bool) {
	s := t.s
	best, rejects, any := numLocalities, false, false
	for _, limit := range slices.Clone(t.levels) {
		for again := true; again; {
			again = false
			for i, o := range offers {
				if !t.spec.runsOn(o.Profile) || cores[i] < t.spec.TaskCPUs || cores[i] < 0 {
					continue
				}
				task, level, speculative, rejected := t.offer(now, o, limit)
				rejects = rejects || rejected
				if task < 0 {
					continue
				}
				again, any, best = true, true, min(best, level)
				cores[i] -= t.spec.TaskCPUs
				if t.spec.Barrier {
					t.collected = append(t.collected, plainBarrier{task, o.Exec, o.Host, i, level})
				} else {
					launched = append(launched, t.launch(now, task, o.Exec, o.Host, level, speculative))
				}
			}
		}
	}
	if !s.c.LegacyLocalityReset {
		switch {
		case rejects:
			t.noRejects = 0
		case any && (allFree || t.noRejects != 0):
			t.resetTimer(now, best)
			t.noRejects = 1
		}
	}
	if !any {
		t.completelyExcluded(now)
		return nil, false
	}
	if len(s.timers) > 0 {
		clear(s.timers)
		s.emit(TaskEvent{Kind: UnschedulableGone, Set: t.id, Stage: t.spec.Stage, StageAttempt: t.spec.Attempt})
	}
	if !t.spec.Barrier {
		return launched, false
	}
	tasks := t.collected
	t.collected = nil
	slices.SortFunc(tasks, func(a, b plainBarrier) int { return int(a.task - b.task) })
	switch {
	case len(tasks) == t.spec.Tasks:
		for _, b := range tasks {
			launched = append(launched, t.launch(now, b.task, b.exec, b.host, b.level, false))
		}
	case s.c.LegacyLocalityReset:
		t.abort(now)
		return nil, true
	default:
		for _, b := range tasks {
			cores[b.offer] += t.spec.TaskCPUs
			t.addPending(&t.regular, b.task, true)
		}
	}
	return launched, false
}

// TaskSetManager.resourceOffer, dequeueTask.
func (t *plainSet) offer(now int64, o Offer, limit Locality) (task int32, level Locality, speculative, rejected bool) {
	if t.zombie || t.fromSet(o.Exec, o.Host) {
		return -1, 0, false, false
	}
	allowed := limit
	if limit != NoPref {
		allowed = min(t.allowed(now), limit)
	}
	task, level = t.dequeue(&t.regular, o, allowed, false)
	if task < 0 && len(t.speculatable) > 0 {
		task, level = t.dequeue(&t.again, o, allowed, true)
		speculative = true
	}
	if task < 0 {
		return -1, 0, false, limit == AnyLocality && len(t.regular.all)+len(t.again.all) > 0
	}
	if t.s.c.LegacyLocalityReset && limit != NoPref {
		t.resetTimer(now, level)
	}
	return task, level, speculative, false
}

// TaskSetManager.dequeueTaskHelper, dequeueTaskFromList.
func (t *plainSet) dequeue(l *plainLists, o Offer, allowed Locality, speculative bool) (int32, Locality) {
	take := func(list []int32) ([]int32, int32) {
		for i := len(list) - 1; i >= 0; i-- {
			task := list[i]
			ran := slices.ContainsFunc(t.attempts, func(a *plainAttempt) bool { return a.index == task && a.host == o.Host })
			if t.fromTask(task, o.Exec, o.Host) || speculative && ran {
				continue
			}
			list = slices.Delete(list, i, i+1)
			waits := slices.ContainsFunc(t.collected, func(b plainBarrier) bool { return b.task == task })
			if x := &t.tasks[task]; !x.done && (x.copies == 0 && !waits || speculative && x.copies == 1) {
				if speculative {
					delete(t.speculatable, task)
				}
				return list, task
			}
		}
		return list, -1
	}
	keyed := func(m *plainTable, key int32) (task int32) {
		task = -1
		if list, there := m.lists[key]; there {
			m.lists[key], task = take(list)
		}
		return task
	}
	if task := keyed(&l.byExec, o.Exec); task >= 0 {
		return task, ProcessLocal
	}
	if allowed >= NodeLocal {
		if task := keyed(&l.byHost, o.Host); task >= 0 {
			return task, NodeLocal
		}
	}
	var task int32
	if allowed >= NoPref {
		if l.noPrefs, task = take(l.noPrefs); task >= 0 {
			return task, ProcessLocal
		}
	}
	if rack := t.s.rack(o.Host); allowed >= RackLocal && rack != NoRack {
		if task := keyed(&l.byRack, rack); task >= 0 {
			return task, RackLocal
		}
	}
	if allowed == AnyLocality {
		if l.all, task = take(l.all); task >= 0 {
			return task, AnyLocality
		}
	}
	return -1, 0
}

// TaskSetManager.prepareLaunchingTask.
func (t *plainSet) launch(now int64, task, exec, host int32, level Locality, speculative bool) TaskRef {
	a := &plainAttempt{id: t.s.nextID, launch: now, index: task, exec: exec, host: host, level: level, counted: true, speculative: speculative, launching: true, tracked: true}
	for _, b := range t.attempts {
		if b.index == task {
			a.number++
		}
	}
	t.s.nextID++
	t.tasks[task].copies++
	ref := TaskRef{t.id, int32(len(t.attempts))}
	t.attempts = append(t.attempts, a)
	t.s.runningOn[exec][ref] = true
	return ref
}

func (t *plainSet) running() (n int) {
	for _, a := range t.attempts {
		if a.counted {
			n++
		}
	}
	return n
}

func (t *plainSet) succeeded() (n int) {
	for _, x := range t.tasks {
		if x.done {
			n++
		}
	}
	return n
}
