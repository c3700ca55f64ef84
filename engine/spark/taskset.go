package spark

import (
	"fmt"
	"slices"

	"replay/engine/spark/scala"
)

// Locality is the level of a task launch, best first, as Spark's TaskLocality.
type Locality uint8

// The levels. A task without preference is reported as ProcessLocal; NoPref is a level of the
// search only.
const (
	ProcessLocal Locality = iota
	NodeLocal
	NoPref
	RackLocal
	AnyLocality
	numLocalities
)

func (l Locality) String() string {
	return [...]string{"PROCESS_LOCAL", "NODE_LOCAL", "NO_PREF", "RACK_LOCAL", "ANY"}[l]
}

// Values of [TaskSetSpec.Execs] that are no executor.
const (
	OnHost    int32 = -1 // the host, whichever executor
	HDFSCache int32 = -2 // the executors that are on the host when the task becomes pending
)

// NoRack is the rack of a host whose rack is not known.
const NoRack int32 = -1

// TaskSetSpec is a stage attempt as it is submitted. The slices are kept and not changed.
type TaskSetSpec struct {
	Stage, Attempt int32
	Priority       int32 // job id
	Pool           string
	Profile        int32 // resource profile, 0 = default
	AnyExecutor    bool  // the profile says something of tasks only, and allocation is static
	TaskCPUs       int32
	ShuffleMap     bool
	Barrier        bool
	Tasks          int
	Partitions     []int32 // of the stage, by task index, ascending; nil = all of them

	// Preferred locations of task i are Hosts[PrefStart[i]:PrefStart[i+1]], in order. Execs has one
	// entry for each: an executor that holds the block, [OnHost] or [HDFSCache]; nil means all OnHost.
	// PrefStart nil means that no task has a preference.
	PrefStart, Hosts, Execs []int32

	own bool // these lists are nobody else's: they are there for others with the set
}

func (s *TaskSetSpec) prefs(i int32) (from, to int32) {
	if s.PrefStart == nil {
		return 0, 0
	}
	return s.PrefStart[i], s.PrefStart[i+1]
}

// runsOn reports whether executors of a profile run the tasks.
//
// Source: ResourceProfileManager.canBeScheduled.
func (s *TaskSetSpec) runsOn(profile int32) bool { return s.AnyExecutor || s.Profile == profile }

// Partition returns the partition of the stage that a task computes.
func (s *TaskSetSpec) Partition(index int32) int32 {
	if s.Partitions == nil {
		return index
	}
	return s.Partitions[index]
}

// TaskSet manages the tasks of one stage attempt.
//
// Source: org.apache.spark.scheduler.TaskSetManager.
type TaskSet struct {
	Schedulable
	Spec TaskSetSpec

	sched    *TaskScheduler
	tasks    []taskState
	attempts []Attempt // rows in order of launch
	pending  pendingTasks
	again    pendingTasks // speculative copies to launch
	done     int32        // tasks that succeeded
	handled  int32        // attempts whose end was handled
	ended    int32        // before this row all have
	running  runningRows

	levels    [numLocalities]Locality
	numLevels int
	valid     levelSet // of the same
	noPrefs   bool     // NoPref is one of them
	level     int      // index of the current level
	lastReset int64

	noRejects    int8 // since the last reset: 1 yes, 0 no, -1 not yet known
	speculatable int32
	durations    durations // of successful attempts; only with speculation
	copiedTo     int32     // no running attempt in a row before this one may be copied
	barrier      []barrierTask
	excluded     *taskSetExclusion // nil while nothing has failed, or exclusion is off
	stamp        int32             // of all sets, another one whenever tasks have come into its lists
	inPool       bool
	cached       bool          // some task prefers what is in the cache of HDFS
	order        *taskSetOrder // nil in canonical order
	rates        processRates
}

// taskState is one task of a set.
type taskState struct {
	copies       int16 // running attempts; a successful attempt stays counted, as in Spark
	failures     int16
	attempts     int16
	done         bool // succeeded, here or in another attempt of the stage
	speculatable bool
	collected    bool  // barrier: has an offer in the call under way
	last         int32 // row of its newest attempt, or -1
}

// waits reports whether no attempt of the task runs or has succeeded.
func (t *taskState) waits() bool { return t.copies == 0 && !t.done }

// Attempt is one launch of a task.
type Attempt struct {
	ID      int64 // task id: number of the launch within the application
	Launch  int64 // ms
	Index   int32 // of the task in its set
	Exec    int32
	Host    int32
	Number  int16 // attempts of this task before it
	Level   Locality
	Counted bool // with the running tasks of its set
	Ended   bool // its end was handled
	Killed  bool // told to stop because another attempt succeeded

	Speculative bool
	// Launching until the executor reports the task as running: until then the loss of the
	// executor is not held against the task.
	Launching bool
	tracked   bool // the scheduler still knows it by its id

	previous int32 // attempt of the same task, or -1
}

// taskSetOrder reproduces the orders of Spark's own hash tables.
type taskSetOrder struct {
	infos   scala.HashMap[int64] // task ids ever launched
	running scala.HashSet[int64]
	row     map[int64]int32
	barrier scala.HashMap[int32] // tasks of a barrier set that have an offer
}

func newTaskSet(sched *TaskScheduler, spec *TaskSetSpec, now int64) *TaskSet {
	n := spec.Tasks
	if spec.PrefStart != nil && len(spec.PrefStart) != n+1 {
		panic(fmt.Sprintf("stage %d.%d: %d preference offsets for %d tasks", spec.Stage, spec.Attempt, len(spec.PrefStart), n))
	}
	s := sched.work().set()
	*s = TaskSet{
		Schedulable: Schedulable{ID: int32(len(sched.sets)), Priority: spec.Priority, Stage: spec.Stage, Attempt: spec.Attempt},
		Spec:        *spec,
		sched:       sched,
		tasks:       append(s.tasks[:0], sched.work().waiting(n)...),
		attempts:    s.attempts[:0],
		pending:     s.pending.emptied(),
		again:       s.again.emptied(),
		durations:   durations{s.durations.small[:0], s.durations.large[:0]},
		barrier:     s.barrier[:0],
		running:     s.running.emptied(),
		noRejects:   -1,
		lastReset:   now,
		inPool:      true,
		cached:      slices.Contains(spec.Execs, HDFSCache),
	}
	if order := sched.order; order != nil {
		s.order = &taskSetOrder{row: map[int64]int32{}}
		s.order.infos.Hash = longHash
		s.order.running.Hash = longHash
		s.order.barrier.Hash = func(task int32) int32 { return task }
		for _, p := range []*pendingTasks{&s.pending, &s.again} {
			p.byExec.order = &scala.HashMap[int32]{Hash: order.Exec}
			p.byHost.order = &scala.HashMap[int32]{Hash: order.Host}
			p.byRack.order = &scala.HashMap[int32]{Hash: order.Rack}
		}
	}
	s.filled()
	s.addAllPending()
	s.setLevels(s.validLevels())
	return s
}

// longHash is the hash of a task id in Scala's tables.
func longHash(id int64) int32 { return int32(id ^ id>>32) }

// addAllPending fills the lists of a new set: indexes from the last to the first, so that they are
// taken in ascending order. The lists of the racks are those of their hosts one after the other, in the order of Spark's table of hosts
// or the canonical one.
func (s *TaskSet) addAllPending() {
	n := int32(s.Spec.Tasks)
	p := &s.pending
	p.all = append(p.all, s.sched.work().downFrom(int(n))...)
	s.Backlog = n
	if s.Spec.PrefStart == nil {
		p.noPrefs = append(p.noPrefs, p.all...)
		return
	}
	if s.order != nil || s.Spec.Execs != nil {
		for i := n - 1; i >= 0; i-- {
			for at, to := s.Spec.prefs(i); at < to; at++ {
				s.addByExec(p, i, at)
				if s.order != nil {
					p.byHost.add(s.Spec.Hosts[at], i)
				}
			}
		}
	}
	if s.order == nil {
		s.fill()
		return
	}
	for i := n - 1; i >= 0; i-- {
		if from, to := s.Spec.prefs(i); from == to {
			p.noPrefs = append(p.noPrefs, i)
		}
	}
	for host := range p.byHost.walk {
		if rack := s.sched.rackOf(host); rack != NoRack {
			for _, task := range p.byHost.of(p.byHost.at(host)) {
				p.byRack.add(rack, task)
			}
		}
	}
}

func (s *TaskSet) addByExec(p *pendingTasks, task, at int32) {
	if s.Spec.Execs == nil {
		return
	}
	switch exec := s.Spec.Execs[at]; exec {
	case OnHost:
	case HDFSCache:
		for _, e := range s.sched.aliveOnHost(s.Spec.Hosts[at]) {
			p.byExec.add(e, task)
		}
	default:
		p.byExec.add(exec, task)
	}
}

// addPending puts a task back: it is the next one taken from each of its lists.
//
// Source: TaskSetManager.addPendingTask.
func (s *TaskSet) addPending(p *pendingTasks, task int32) {
	if s.Zombie {
		return
	}
	s.filled()
	from, to := s.Spec.prefs(task)
	for at := from; at < to; at++ {
		host := s.Spec.Hosts[at]
		s.addByExec(p, task, at)
		p.byHost.add(host, task)
		if rack := s.sched.rackOf(host); rack != NoRack {
			p.byRack.add(rack, task)
		}
	}
	if from == to {
		p.noPrefs = append(p.noPrefs, task)
	}
	p.all = append(p.all, task)
	s.addBacklog(1)
}

// NamedHosts returns the hosts that tasks of a set which has launched none prefer, ascending, and how often each is named; room gives an empty list
// with room for so many numbers, in which they lie. It reports false when it does not know them in that order.
func (s *TaskSet) NamedHosts(room func(n int) []int32) (hosts, times []int32, ok bool) {
	h := &s.pending.byHost
	if h.keysAt.sorted == nil || len(s.attempts) > 0 {
		return nil, nil, false
	}
	n := len(h.keysAt.sorted)
	both := room(2 * n)[:2*n]
	hosts, times = both[:n:n], both[n:]
	copy(hosts, h.keysAt.sorted)
	lists := h.lists[:len(times)]
	for i := range lists {
		times[i] = lists[i].n
	}
	return hosts, times, true
}

// Preferring returns how many tasks of a set that has launched none prefer hosts.
func (s *TaskSet) Preferring() int { return s.Spec.Tasks - len(s.pending.noPrefs) }

// Levels returns the valid locality levels, best first. Do not change it.
func (s *TaskSet) Levels() []Locality { return s.levels[:s.numLevels] }

// Level returns the index of the current level in [TaskSet.Levels].
func (s *TaskSet) Level() int { return s.level }

// LastReset returns when the timer of the locality wait was last reset.
func (s *TaskSet) LastReset() int64 { return s.lastReset }

// NoRejectsSinceReset returns whether there was no delay-scheduling reject since the last reset,
// and whether that is known yet.
func (s *TaskSet) NoRejectsSinceReset() (yes, known bool) { return s.noRejects == 1, s.noRejects >= 0 }

// Succeeded returns how many tasks have succeeded.
func (s *TaskSet) Succeeded() int { return int(s.done) }

// TaskDone reports whether a task has succeeded.
func (s *TaskSet) TaskDone(index int32) bool { return s.tasks[index].done }

// Attempt returns an attempt by its row. It is valid until the next launch.
func (s *TaskSet) Attempt(row int32) *Attempt { return &s.attempts[row] }

// Attempts returns how many attempts were launched.
func (s *TaskSet) Attempts() int { return len(s.attempts) }

// levelSet is a set of levels, a bit each.
type levelSet uint8

func (v levelSet) has(l Locality) bool { return v>>l&1 != 0 }

// validLevels finds which levels are valid.
//
// Source: TaskSetManager.computeValidLocalityLevels.
func (s *TaskSet) validLevels() levelSet {
	p := &s.pending
	valid := levelSet(1 << AnyLocality)
	if len(p.byExec.lists) > 0 && p.byExec.any(s.sched.execAlive) {
		valid |= 1 << ProcessLocal
	}
	if s.sched.anyHostAlive(s) {
		valid |= 1 << NodeLocal
	}
	if len(p.noPrefs) > 0 {
		valid |= 1 << NoPref
	}
	if s.sched.anyRackAlive(s) {
		valid |= 1 << RackLocal
	}
	return valid
}

// setLevels takes over which levels are valid; it leaves the current one alone.
func (s *TaskSet) setLevels(valid levelSet) {
	s.valid, s.noPrefs, s.numLevels = valid, valid.has(NoPref), 0
	for l := range numLocalities {
		if valid.has(l) {
			s.levels[s.numLevels] = l
			s.numLevels++
		}
	}
}

// indexOf returns the index of the first valid level that is l or worse.
func (s *TaskSet) indexOf(l Locality) int {
	i := 0
	for s.levels[i] < l {
		i++
	}
	return i
}

// recomputeLevels follows executors that came, went or are being decommissioned. When better levels
// became valid the current level moves to the first of them; the timer is not touched.
//
// Source: TaskSetManager.recomputeLocality.
func (s *TaskSet) recomputeLevels() {
	if s.Zombie {
		return
	}
	valid := s.validLevels()
	if valid == s.valid {
		return
	}
	oldIndex, old, had := s.level, s.levels[s.level], s.valid
	s.setLevels(valid)
	s.level = s.indexOf(old)
	if s.level > oldIndex {
		for i, l := range s.Levels() {
			if !had.has(l) {
				s.level = i
				return
			}
		}
	}
}

// wait returns how long the current level is held while nothing is launched, in ms.
func (s *TaskSet) wait(l Locality) int64 {
	c := s.sched.conf
	if c.LegacyLocalityReset && s.Spec.Barrier {
		return 0
	}
	switch l {
	case ProcessLocal:
		return c.WaitProcess
	case NodeLocal:
		return c.WaitNode
	case RackLocal:
		return c.WaitRack
	}
	return 0
}

// allowed advances the current level over levels without waiting tasks and over those whose wait is
// over, and returns it.
//
// Source: TaskSetManager.getAllowedLocalityLevel.
func (s *TaskSet) allowed(now int64) Locality {
	for s.level < s.numLevels-1 {
		l := s.levels[s.level]
		var more bool
		switch l {
		case ProcessLocal:
			more = s.pending.byExec.anyLive(s)
		case NodeLocal:
			more = s.pending.byHost.anyLive(s)
		case NoPref:
			more = len(s.pending.noPrefs) > 0
		case RackLocal:
			more = s.pending.byRack.anyLive(s)
		}
		switch w := s.wait(l); {
		case !more:
			s.lastReset = now
		case now-s.lastReset >= w:
			s.lastReset += w // the rest counts for the next level
		default:
			return l
		}
		s.level++
	}
	return s.levels[s.level]
}

// waitsTo returns until when a call of [TaskSet.allowed] would change nothing and answer at most a level, if nothing happens before; now if that is not easily said.
func (s *TaskSet) waitsTo(now int64, level Locality) int64 {
	l := s.levels[s.level]
	if l > level {
		return now
	}
	var lists *keyedLists
	switch l {
	case ProcessLocal:
		lists = &s.pending.byExec
	case NodeLocal:
		lists = &s.pending.byHost
	case RackLocal:
		lists = &s.pending.byRack
	default:
		return now
	}
	if !lists.firstIsLive(s) {
		return now
	}
	return s.lastReset + s.wait(l)
}

// resetTimer starts the locality wait again at the level of a launch.
//
// Source: TaskSetManager.resetDelayScheduleTimer.
func (s *TaskSet) resetTimer(now int64, l Locality) {
	s.lastReset = now
	s.level = s.indexOf(l)
}
