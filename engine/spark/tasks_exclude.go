package spark

import (
	"math"
	"slices"

	"replay/engine/spark/conf"
	"replay/engine/spark/scala"
)

// taskSetExclusion counts the failures of one task set and says where its tasks may no longer run. It is nil
// while none has failed.
//
// Source: org.apache.spark.scheduler.TaskSetExcludelist.
type taskSetExclusion struct {
	execs []execFailures // in order of the first failure
	nodes []nodeFailures
}

type execFailures struct {
	exec, host int32
	tasks      []taskFailures
	excluded   bool // for the whole set
}

type taskFailures struct {
	index, count int32
	last         int64 // time of the last one
}

type nodeFailures struct {
	host     int32
	execs    []int32 // with failures
	tasks    []int32 // excluded from the node
	excluded bool    // for the whole set
}

func (x *taskSetExclusion) exec(id int32) *execFailures {
	if x == nil {
		return nil
	}
	if i := slices.IndexFunc(x.execs, func(e execFailures) bool { return e.exec == id }); i >= 0 {
		return &x.execs[i]
	}
	return nil
}

func (x *taskSetExclusion) node(host int32) *nodeFailures {
	if x == nil {
		return nil
	}
	if i := slices.IndexFunc(x.nodes, func(n nodeFailures) bool { return n.host == host }); i >= 0 {
		return &x.nodes[i]
	}
	return nil
}

func (e *execFailures) of(index int32) int32 {
	for _, t := range e.tasks {
		if t.index == index {
			return t.count
		}
	}
	return 0
}

// failed counts one failure of a task.
//
// Source: TaskSetExcludelist.updateExcludedForFailedTask.
func (x *taskSetExclusion) failed(c *conf.Conf, now int64, index, exec, host int32) {
	e := x.exec(exec)
	if e == nil {
		x.execs = append(x.execs, execFailures{exec: exec, host: host})
		e = &x.execs[len(x.execs)-1]
	}
	if i := slices.IndexFunc(e.tasks, func(t taskFailures) bool { return t.index == index }); i >= 0 {
		e.tasks[i].count++
		e.tasks[i].last = now
	} else {
		e.tasks = append(e.tasks, taskFailures{index, 1, now})
	}
	n := x.node(host)
	if n == nil {
		x.nodes = append(x.nodes, nodeFailures{host: host})
		n = &x.nodes[len(x.nodes)-1]
	}
	if !slices.Contains(n.execs, exec) {
		n.execs = append(n.execs, exec)
	}
	onNode, bad := int32(0), 0
	for _, id := range n.execs {
		onNode += x.exec(id).of(index)
	}
	if int(onNode) >= c.Exclude.TaskPerNode && !slices.Contains(n.tasks, index) {
		n.tasks = append(n.tasks, index)
	}
	if len(e.tasks) < c.Exclude.StagePerExecutor || e.excluded {
		return
	}
	e.excluded = true
	for _, id := range n.execs {
		if x.exec(id).excluded {
			bad++
		}
	}
	if bad >= c.Exclude.StageExecutorsOnNode {
		n.excluded = true
	}
}

// fromSet reports whether no task of the set may run on the executor.
func (x *taskSetExclusion) fromSet(exec, host int32) bool {
	if n := x.node(host); n != nil && n.excluded {
		return true
	}
	e := x.exec(exec)
	return e != nil && e.excluded
}

// fromTask reports whether one task may not run on the executor.
func (x *taskSetExclusion) fromTask(c *conf.Conf, index, exec, host int32) bool {
	if n := x.node(host); n != nil && slices.Contains(n.tasks, index) {
		return true
	}
	e := x.exec(exec)
	return e != nil && int(e.of(index)) >= c.Exclude.TaskPerExecutor
}

// health excludes executors and nodes from the whole application for a time.
//
// Source: org.apache.spark.scheduler.HealthTracker.
type health struct {
	execs []execHealth
	nodes []nodeHealth
	next  int64                 // nothing expires before
	known *scala.HashMap[int32] // executors in the order in which Spark looks for an idle one; nil for ascending numbers
}

type execHealth struct {
	exec, host int32
	failures   []appFailure
	excluded   bool
	until      int64
}

type appFailure struct{ expiry int64 }

type nodeHealth struct {
	host     int32
	execs    []int32 // excluded
	excluded bool
	until    int64
}

func newHealth(order *HashOrder) *health {
	h := &health{next: math.MaxInt64}
	if order != nil {
		h.known = &scala.HashMap[int32]{Hash: order.Exec}
	}
	return h
}

func (h *health) executorAdded(exec int32) {
	if h.known != nil {
		h.known.Put(exec)
	}
}

// idle returns an executor without tasks, -1 for none.
//
// Source: TaskSchedulerImpl.executorIdToRunningTaskIds.
func (s *TaskScheduler) idle() int32 {
	if s.health.known == nil {
		return int32(slices.IndexFunc(s.execs, func(e executor) bool { return e.known && e.running == 0 }))
	}
	for exec := range s.health.known.All {
		if s.execs[exec].running == 0 {
			return exec
		}
	}
	return -1
}

func (h *health) exec(id, host int32) *execHealth {
	i := slices.IndexFunc(h.execs, func(e execHealth) bool { return e.exec == id })
	if i < 0 {
		i = len(h.execs)
		h.execs = append(h.execs, execHealth{exec: id, host: host})
	}
	return &h.execs[i]
}

func (h *health) node(host int32) *nodeHealth {
	i := slices.IndexFunc(h.nodes, func(n nodeHealth) bool { return n.host == host })
	if i < 0 {
		i = len(h.nodes)
		h.nodes = append(h.nodes, nodeHealth{host: host})
	}
	return &h.nodes[i]
}

// execExcluded reports whether an executor, or its node, is excluded.
func (h *health) execExcluded(exec int32) bool {
	return slices.ContainsFunc(h.execs, func(e execHealth) bool { return e.exec == exec && e.excluded })
}

func (h *health) nodeExcluded(host int32) bool {
	return slices.ContainsFunc(h.nodes, func(n nodeHealth) bool { return n.host == host && n.excluded })
}

// setSucceeded adds the failures of a task set whose tasks all succeeded in the end.
//
// Source: HealthTracker.updateExcludedForSuccessfulTaskSet.
func (h *health) setSucceeded(c *conf.Conf, now int64, s *TaskSet) {
	failures := slices.Clone(s.excluded.execs)
	slices.SortFunc(failures, func(a, b execFailures) int { return int(a.exec - b.exec) })
	for _, f := range failures {
		e := h.exec(f.exec, f.host)
		for _, t := range f.tasks {
			e.failures = append(e.failures, appFailure{t.last + c.Exclude.Timeout})
		}
		e.failures = slices.DeleteFunc(e.failures, func(a appFailure) bool { return a.expiry < now })
		if len(e.failures) < c.Exclude.AppPerExecutor || e.excluded {
			continue
		}
		until := now + c.Exclude.Timeout
		h.excludeExec(s.sched, e, until)
		e.failures = nil
		n := h.node(f.host)
		if len(n.execs) >= c.Exclude.AppExecutorsOnNode && !n.excluded {
			h.excludeNode(s.sched, n, until)
		}
	}
}

func (h *health) excludeExec(s *TaskScheduler, e *execHealth, until int64) {
	e.excluded, e.until = true, until
	h.next = min(h.next, until)
	if n := h.node(e.host); !slices.Contains(n.execs, e.exec) {
		n.execs = append(n.execs, e.exec)
	}
	if s.conf.Exclude.Kill {
		s.emit(TaskEvent{Kind: KillExecutor, Exec: e.exec})
	}
}

// excludeNode excludes a node; of its executors those are killed that are alive and not being decommissioned.
//
// Source: HealthTracker.killExecutorsOnExcludedNode, TaskSchedulerImpl.getExecutorsAliveOnHost.
func (h *health) excludeNode(s *TaskScheduler, n *nodeHealth, until int64) {
	n.excluded, n.until = true, until
	h.next = min(h.next, until)
	if !s.conf.Exclude.Kill {
		return
	}
	for id := range s.execs {
		if s.execs[id].host == n.host && s.execAlive(int32(id)) {
			s.emit(TaskEvent{Kind: KillExecutor, Exec: int32(id)})
		}
	}
}

// fetchFailed excludes where shuffle output could not be fetched from.
//
// Source: HealthTracker.updateExcludedForFetchFailure.
func (h *health) fetchFailed(s *TaskScheduler, now int64, exec, host int32) {
	if !s.conf.Exclude.FetchFailure {
		return
	}
	until := now + s.conf.Exclude.Timeout
	if s.conf.ShuffleService {
		if n := h.node(host); !n.excluded {
			h.excludeNode(s, n, until)
		}
	} else if e := h.exec(exec, host); !e.excluded {
		h.excludeExec(s, e, until)
	}
}

// expire ends exclusions whose time is over.
//
// Source: HealthTracker.applyExcludeOnFailureTimeout.
func (h *health) expire(now int64) {
	if now <= h.next {
		return
	}
	h.next = math.MaxInt64
	for i := range h.execs {
		e := &h.execs[i]
		if e.excluded && e.until < now {
			e.excluded = false
			n := h.node(e.host)
			n.execs = slices.DeleteFunc(n.execs, func(id int32) bool { return id == e.exec })
		}
		if e.excluded {
			h.next = min(h.next, e.until)
		}
	}
	for i := range h.nodes {
		n := &h.nodes[i]
		if n.excluded && n.until < now {
			n.excluded = false
		}
		if n.excluded {
			h.next = min(h.next, n.until)
		}
	}
}

// executorRemoved forgets an executor, and its failures that did not lead to its exclusion.
func (h *health) executorRemoved(exec int32) {
	if h.known != nil {
		h.known.Remove(exec)
	}
	for i := range h.execs {
		if h.execs[i].exec == exec {
			h.execs[i].failures = nil
		}
	}
}

// MayExclude reports whether failures may have anything excluded.
func (s *TaskScheduler) MayExclude() bool { return s.health != nil }

// Excludes reports whether anything is excluded, or may be: if not, an offer of known executors without free cores changes nothing.
func (s *TaskScheduler) Excludes() bool {
	return s.failing > 0 || s.health != nil && s.health.next != math.MaxInt64
}

// ExclusionEnds returns the last millisecond of the exclusion that ends first, math.MaxInt64 for none: the offer after it ends it.
func (s *TaskScheduler) ExclusionEnds() int64 {
	if s.health == nil {
		return math.MaxInt64
	}
	return s.health.next
}

// EndExclusions is what an offer of known executors does while no task waits: exclusions end whose time is over.
func (s *TaskScheduler) EndExclusions(now int64) {
	if s.health != nil {
		s.health.expire(now)
	}
}

// HostExcluded reports whether the application wants no executor on a host.
func (s *TaskScheduler) HostExcluded(host int32) bool {
	return s.health != nil && s.health.nodeExcluded(host)
}

// ExcludedHosts returns the hosts on which the application wants no executor, in order of their exclusion.
//
// Source: HealthTracker.excludedNodeList.
func (s *TaskScheduler) ExcludedHosts() []int32 {
	if s.health == nil {
		return nil
	}
	var out []int32
	for i := range s.health.nodes {
		if n := &s.health.nodes[i]; n.excluded {
			out = append(out, n.host)
		}
	}
	return out
}

// Unwanted yields the executors that exclusion wants away by the events that [TaskScheduler.Take] would return.
func (s *TaskScheduler) Unwanted(yield func(int32) bool) {
	for i := range s.events {
		if e := &s.events[i]; e.Kind == KillExecutor && !yield(e.Exec) {
			return
		}
	}
}

// checkExcluded looks whether exclusion leaves a task set no executor at all: then an idle executor
// is killed, or more are asked for, and a timer is set; or the set is given up.
//
// Source: TaskSchedulerImpl.resourceOffers, TaskSetManager.getCompletelyExcludedTaskIfAny.
func (s *TaskScheduler) checkExcluded(now int64, set *TaskSet) {
	if !s.Excludes() || !s.excludedEverywhere(set) {
		return
	}
	idle := s.idle()
	switch {
	case idle < 0 && !s.conf.DynamicAllocation:
		set.abort(now)
		return
	case s.timerOf(set.ID) >= 0:
		return
	case idle >= 0:
		s.emit(TaskEvent{Kind: KillExecutor, Exec: idle})
	default:
		s.emit(TaskEvent{Kind: UnschedulableAdded, Set: set.ID, Stage: set.Stage, StageAttempt: set.Schedulable.Attempt})
	}
	t := abortTimer{set: set.ID, stage: set.Stage, attempt: set.Schedulable.Attempt, at: now + s.conf.Exclude.UnschedulableTimeout}
	s.unschedulable = append(s.unschedulable, t)
	s.emit(TaskEvent{Kind: AbortTimer, Set: set.ID, At: t.at})
}

// abortTimer gives a task set up that may run nowhere. It is there until a task of any set is launched, also when the set has gone.
//
// Source: TaskSchedulerImpl.unschedulableTaskSetToExpiryTime.
type abortTimer struct {
	set            int32
	stage, attempt int32
	at             int64
}

// timerOf returns the position of the abort timer of a set, -1 if it has none.
func (s *TaskScheduler) timerOf(set int32) int {
	return slices.IndexFunc(s.unschedulable, func(t abortTimer) bool { return t.set == set })
}

// AbortTimeout is the end of an abort timer: the set is given up if nothing was launched since. For one that has gone, the DAGScheduler
// gives its stage up nevertheless, where a job needs it.
//
// Source: TaskSchedulerImpl.createUnschedulableTaskSetAbortTimer.
func (s *TaskScheduler) AbortTimeout(now int64, set int32) {
	i := s.timerOf(set)
	if i < 0 || now < s.unschedulable[i].at {
		return
	}
	if t := s.sets[set]; t != nil {
		t.abort(now)
	} else {
		s.emit(TaskEvent{Kind: TaskSetFailed, Set: set, Stage: s.unschedulable[i].stage, StageAttempt: s.unschedulable[i].attempt})
	}
}

// excludedEverywhere reports whether the last waiting task may run on no known executor.
func (s *TaskScheduler) excludedEverywhere(set *TaskSet) bool {
	task := int32(-1)
	for _, t := range slices.Backward(set.pending.all) {
		if set.tasks[t].copies == 0 && !set.tasks[t].done {
			task = t
			break
		}
	}
	if task < 0 {
		return false
	}
	any := false
	for id := range s.execs {
		e := &s.execs[id]
		if !e.known {
			continue
		}
		any = true
		exec := int32(id)
		if !s.health.nodeExcluded(e.host) && !s.health.execExcluded(exec) &&
			!set.excluded.fromSet(exec, e.host) && !set.excluded.fromTask(s.conf, task, exec, e.host) {
			return false
		}
	}
	return any
}
