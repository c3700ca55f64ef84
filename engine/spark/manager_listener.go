package spark

import (
	"cmp"
	"slices"

	"replay/engine/protocol"
	"replay/engine/reuse"
)

// attemptState is what the listener knows of one stage attempt. A table entry that Spark would
// have is told apart from one that it would not by the has fields.
type attemptState struct {
	stage   int32
	attempt int32
	profile int32 // unknownProfile: not submitted, or over
	tasks   int   // to run; 0 when completed
	running int
	pending int // tasks - started

	hasTasks, hasStarted, hasSpecPending, hasSpecRunning, unschedulable bool

	started     indexSet
	specPending indexSet
	specRunning indexSet
	hints       StageHints
}

// indexSet is a set of task indexes.
type indexSet struct {
	words []uint64
	n     int
}

// emptied returns an empty set in the memory of s.
func (s *indexSet) emptied() indexSet { return indexSet{words: s.words[:0]} }

func (s *indexSet) add(i int32) {
	w := int(i >> 6)
	if w >= len(s.words) {
		s.words = append(s.words, make([]uint64, w+1-len(s.words))...)
	}
	if bit := uint64(1) << (i & 63); s.words[w]&bit == 0 {
		s.words[w] |= bit
		s.n++
	}
}

func (s *indexSet) remove(i int32) {
	w := int(i >> 6)
	if w >= len(s.words) {
		return
	}
	if bit := uint64(1) << (i & 63); s.words[w]&bit != 0 {
		s.words[w] &^= bit
		s.n--
	}
}

func (s *indexSet) has(i int32) bool {
	w := int(i >> 6)
	return w < len(s.words) && s.words[w]>>(i&63)&1 != 0
}

// attempt returns the state of a stage attempt, making it when it is new. It is valid until the next call.
func (m *Manager) attempt(stage, attempt int32) *attemptState {
	if a := m.latest; a != nil && a.stage == stage && a.attempt == attempt {
		return a
	}
	m.latest = m.anyAttempt(stage, attempt)
	return m.latest
}

func (m *Manager) anyAttempt(stage, attempt int32) *attemptState {
	for int(stage) >= len(m.stages) {
		m.stages = reuse.Longer(m.stages)
		m.stages[len(m.stages)-1] = m.stages[len(m.stages)-1][:0]
	}
	all := m.stages[stage]
	for i := range all {
		if all[i].attempt == attempt {
			return &all[i]
		}
	}
	m.stages[stage] = reuse.Longer(all)
	a := &m.stages[stage][len(all)]
	*a = attemptState{stage: stage, attempt: attempt, profile: unknownProfile, started: a.started.emptied(), specPending: a.specPending.emptied(), specRunning: a.specRunning.emptied()}
	return a
}

// recount brings the sums of the attempt's profile up to date with its own sets.
func (m *Manager) recount(a *attemptState, specBefore, runningBefore int) {
	pending := a.tasks - a.started.n
	if a.profile != unknownProfile {
		s := &m.profiles[a.profile]
		s.pending += pending - a.pending
		s.specPending += a.specPending.n - specBefore
		s.running += a.running - runningBefore
		m.specPending += a.specPending.n - specBefore
		if a.pending > 0 {
			m.pendingAttempts--
		}
		if pending > 0 {
			m.pendingAttempts++
		}
	}
	a.pending = pending
}

func (m *Manager) onBacklogged(now int64) {
	if m.addTime == Never {
		m.moved, m.addTime = true, now+m.backlog
	}
}

func (m *Manager) onQueueEmpty() {
	m.moved = m.moved || m.addTime != Never
	m.addTime = Never
	for p := range m.profiles {
		if s := &m.profiles[p]; s.toAdd != 1 {
			m.moved, s.toAdd = true, 1
		}
	}
}

func (m *Manager) hasPendingTasks() bool { return m.pendingAttempts > 0 || m.specPending > 0 }

// StageSubmitted tells of a stage attempt with the number of tasks that it has to run and where
// they want to. The manager keeps hints and does not change them.
//
// Source: ExecutorAllocationListener.onStageSubmitted.
func (m *Manager) StageSubmitted(now int64, stage, attempt, profile int32, tasks int, hints StageHints) {
	m.moved = true
	m.initializing = false
	a := m.attempt(stage, attempt)
	specBefore, runningBefore := a.specPending.n, a.running
	if a.profile == unknownProfile { // what came too early counts from now on
		a.profile, a.pending, specBefore, runningBefore = profile, 0, 0, 0
		if a.unschedulable {
			m.profiles[profile].unschedulable++
		}
	}
	put(&a.hasTasks, &m.withTasks)
	a.tasks = tasks
	m.recount(a, specBefore, runningBefore)
	m.onBacklogged(now)
	m.addHints(a.profile, &a.hints, -1)
	a.hints = hints
	m.addHints(a.profile, &a.hints, 1)
	s := &m.profiles[profile]
	if !s.targeted {
		s.targeted, s.target = true, m.initial
		if m.initial > 0 {
			m.send(now)
		}
	}
}

// StageCompleted tells that a stage attempt has ended, in whatever way. Its tasks may still run.
//
// Source: ExecutorAllocationListener.onStageCompleted.
func (m *Manager) StageCompleted(stage, attempt int32) {
	m.moved = true
	a := m.attempt(stage, attempt)
	specBefore := a.specPending.n
	a.tasks, a.hasStarted = 0, false
	a.started, a.specPending, a.specRunning = a.started.emptied(), a.specPending.emptied(), a.specRunning.emptied()
	m.recount(a, specBefore, a.running)
	drop(&a.hasTasks, &m.withTasks)
	drop(&a.hasSpecPending, &m.withSpecPending)
	drop(&a.hasSpecRunning, &m.withSpecRunning)
	if a.profile != unknownProfile {
		m.addHints(a.profile, &a.hints, -1)
		a.hints = StageHints{}
	}
	m.forget(a)
	if m.withTasks == 0 && m.withSpecPending == 0 && m.withSpecRunning == 0 {
		m.onQueueEmpty()
	}
}

// forget takes the attempt out of its profile when no table has an entry for it any more. Tasks
// that start after that are counted nowhere.
//
// Source: ExecutorAllocationListener.removeStageFromResourceProfileIfUnused.
func (m *Manager) forget(a *attemptState) {
	if a.profile == unknownProfile || a.running > 0 || a.hasTasks || a.hasStarted || a.hasSpecPending || a.hasSpecRunning {
		return
	}
	if a.unschedulable {
		m.profiles[a.profile].unschedulable--
	}
	a.profile = unknownProfile
}

// drop takes an entry out of a table of n.
func drop(has *bool, n *int) {
	if *has {
		*has = false
		*n--
	}
}

// put is the opposite of drop.
func put(has *bool, n *int) {
	if !*has {
		*has = true
		*n++
	}
}

// TaskStart tells of a task attempt that an executor started; active says whether the backend
// still counts the executor as its own.
//
// Source: ExecutorAllocationListener.onTaskStart, ExecutorMonitor.onTaskStart.
func (m *Manager) TaskStart(now int64, stage, attempt, index, executor int32, speculative, active bool) {
	a := m.attempt(stage, attempt)
	specBefore, startedBefore := a.specPending.n, a.started.n
	a.running++
	if speculative {
		put(&a.hasSpecRunning, &m.withSpecRunning)
		a.specRunning.add(index)
		a.specPending.remove(index)
	} else {
		a.hasStarted = true
		a.started.add(index)
	}
	if a.pending > 1 && a.started.n > startedBefore && a.profile != unknownProfile { // as most often: one that was pending runs, and others are left
		s := &m.profiles[a.profile]
		s.pending, s.running, a.pending = s.pending-1, s.running+1, a.pending-1
	} else {
		m.counted = true
		m.recount(a, specBefore, a.running-1)
		if !m.hasPendingTasks() {
			m.onQueueEmpty()
		}
	}
	if !active {
		return
	}
	if mon := &m.monitor; int(executor) < len(mon.executors) && mon.executors[executor].running > 0 { // it is busy already
		mon.executors[executor].running++
	} else {
		mon.updateRunning(now, executor, 1)
	}
}

// TaskEnd is how a task attempt ended, as far as dynamic allocation cares.
type TaskEnd uint8

// Ends of a task attempt.
const (
	TaskSucceeded TaskEnd = iota
	TaskKilled            // on purpose: another copy was faster, or its job ended
	TaskFailed            // anything else: it will run again
)

// TaskEnd tells of a task attempt that ended.
//
// Source: ExecutorAllocationListener.onTaskEnd, ExecutorMonitor.onTaskEnd.
func (m *Manager) TaskEnd(now int64, stage, attempt, index, executor int32, speculative bool, end TaskEnd) {
	a := m.attempt(stage, attempt)
	specBefore, runningBefore := a.specPending.n, a.running
	a.running = max(0, a.running-1)
	if end == TaskSucceeded && !speculative && specBefore == 0 { // as most do: nothing else of the attempt changes
		if a.profile != unknownProfile {
			s := &m.profiles[a.profile]
			s.running += a.running - runningBefore
			if n := s.pending + s.running; n < m.least || n > m.most { // else as many are needed
				m.counted = true
			}
		}
		if runningBefore == 1 {
			m.forget(a)
		}
		m.monitor.taskEnd(now, stage, executor, true)
		return
	}
	m.counted = true
	if speculative {
		a.specRunning.remove(index)
	}
	switch end {
	case TaskSucceeded:
		a.specPending.remove(index)
	case TaskFailed:
		if !m.hasPendingTasks() {
			m.onBacklogged(now)
		}
		if !speculative {
			a.started.remove(index)
		}
	}
	m.recount(a, specBefore, runningBefore)
	if runningBefore == 1 {
		m.forget(a)
	}
	m.monitor.taskEnd(now, stage, executor, end == TaskSucceeded)
}

// SpeculativeTaskSubmitted tells that a copy of a running task is wanted.
//
// Source: ExecutorAllocationListener.onSpeculativeTaskSubmitted.
func (m *Manager) SpeculativeTaskSubmitted(now int64, stage, attempt, index int32) {
	m.moved = true
	a := m.attempt(stage, attempt)
	specBefore := a.specPending.n
	put(&a.hasSpecPending, &m.withSpecPending)
	a.specPending.add(index)
	m.recount(a, specBefore, a.running)
	m.onBacklogged(now)
}

// UnschedulableAdded tells of a stage attempt that no executor may run, all being excluded for it.
//
// Source: ExecutorAllocationListener.onUnschedulableTaskSetAdded.
func (m *Manager) UnschedulableAdded(now int64, stage, attempt int32) {
	m.setUnschedulable(stage, attempt, true)
	m.onBacklogged(now)
}

// UnschedulableRemoved takes it back.
func (m *Manager) UnschedulableRemoved(stage, attempt int32) {
	m.setUnschedulable(stage, attempt, false)
}

func (m *Manager) setUnschedulable(stage, attempt int32, on bool) {
	m.moved = true
	a := m.attempt(stage, attempt)
	if a.unschedulable == on {
		return
	}
	a.unschedulable = on
	if a.profile == unknownProfile {
		return
	}
	if on {
		m.profiles[a.profile].unschedulable++
	} else {
		m.profiles[a.profile].unschedulable--
	}
}

// addHints adds (sign 1) the hints of a stage attempt to its profile's or takes them away (-1).
func (m *Manager) addHints(profile int32, h *StageHints, sign int) {
	if h.LocalTasks == 0 && len(h.TaskHosts) == 0 {
		return
	}
	all := &m.profiles[profile].hints
	all.LocalTasks += sign * h.LocalTasks
	a, b, by := all.Hosts, h.Hosts, int32(sign)
	var sum []HostTasks
	switch {
	case len(a) == 0 && sign > 0: // shared: neither is changed
		sum, b = b, nil
	case sign > 0:
		sum = make([]HostTasks, 0, len(a)+len(b))
	case len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b)): // none is left
		a, b = nil, nil
	default:
		sum = make([]HostTasks, 0, len(a))
	}
	if len(b) > 0 {
		a, b = ascending(a), ascending(b)
	}
	for len(a) > 0 || len(b) > 0 {
		var t HostTasks
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Host < b[0].Host:
			t, a = a[0], a[1:]
		case len(a) == 0 || b[0].Host < a[0].Host:
			t, b = HostTasks{b[0].Host, by * b[0].Tasks}, b[1:]
		default:
			t = HostTasks{a[0].Host, a[0].Tasks + by*b[0].Tasks}
			a, b = a[1:], b[1:]
		}
		if t.Tasks > 0 {
			sum = append(sum, t)
		}
	}
	all.Hosts = sum
	if len(h.TaskHosts) > 0 {
		all.TaskHosts = nil
		for s := range m.stages {
			for i := range m.stages[s] {
				if a := &m.stages[s][i]; a.profile == profile && (sign > 0 || &a.hints != h) {
					all.TaskHosts = append(all.TaskHosts, a.hints.TaskHosts...)
				}
			}
		}
	}
}

// ascending returns the hosts by ascending number.
func ascending(hosts []HostTasks) []HostTasks {
	byHost := func(x, y HostTasks) int { return cmp.Compare(x.Host, y.Host) }
	if slices.IsSortedFunc(hosts, byHost) {
		return hosts
	}
	return slices.SortedFunc(slices.Values(hosts), byHost)
}

// HintCounter counts the preferred hosts of tasks. One counter can serve any number of managers.
type HintCounter struct {
	tasks   []int // by host
	touched []protocol.Name
	local   int
}

// Task adds a task with its preferred locations; a host that is named twice counts twice.
func (c *HintCounter) Task(locations []protocol.Name) {
	if len(locations) > 0 {
		c.local++
	}
	for _, h := range locations {
		if int(h) >= len(c.tasks) {
			c.tasks = append(c.tasks, make([]int, int(h)+1-len(c.tasks))...)
		}
		if c.tasks[h] == 0 {
			c.touched = append(c.touched, h)
		}
		c.tasks[h]++
	}
}

// Take returns the hints of the tasks added since the last Take.
func (c *HintCounter) Take() StageHints {
	slices.Sort(c.touched)
	h := StageHints{LocalTasks: c.local, Hosts: make([]HostTasks, len(c.touched))}
	for i, host := range c.touched {
		h.Hosts[i] = HostTasks{host, int32(c.tasks[host])}
		c.tasks[host] = 0
	}
	c.touched, c.local = c.touched[:0], 0
	return h
}
