package spark

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"replay/engine/protocol"
	"replay/engine/spark/conf"
)

// managed is what the events of a listener bus go to: a [Manager], or the plain one below.
type managed interface {
	Reset()
	Tick(now int64)
	JobStart(job int32, stages []ShuffleStage)
	JobEnd(job int32)
	StageSubmitted(now int64, stage, attempt, profile int32, tasks int, hints StageHints)
	StageCompleted(stage, attempt int32)
	TaskStart(now int64, stage, attempt, index, executor int32, speculative, active bool)
	TaskEnd(now int64, stage, attempt, index, executor int32, speculative bool, end TaskEnd)
	SpeculativeTaskSubmitted(now int64, stage, attempt, index int32)
	UnschedulableAdded(now int64, stage, attempt int32)
	UnschedulableRemoved(stage, attempt int32)
	ExecutorAdded(now int64, executor, profile int32)
	ExecutorRemoved(executor int32)
	BlockUpdated(executor, rdd, split int32, valid, onDisk, active bool)
	UnpersistRDD(rdd int32)
	ShuffleMoved(executor, shuffle int32, active bool)
	ShuffleCleaned(shuffle int32)
}

type stageAttempt struct{ stage, attempt int32 }

type intSet map[int32]bool

// plainManager is ExecutorAllocationManager with its listener and ExecutorMonitor as they stand in Spark 3.5.5, table
// by table, without sums, bounds or anything else that is kept to be fast. An entry of a table may be there and empty.
type plainManager struct {
	c       *conf.Conf
	perExec []int
	backend Backend

	target, toAdd map[int32]int
	addTime       int64
	initializing  bool

	numTasks, numRunning              map[stageAttempt]int
	started, specPending, specRunning map[stageAttempt]intSet
	profileOf                         map[stageAttempt]int32 // resourceProfileIdToStageAttempt
	unschedulable                     map[stageAttempt]bool
	hints                             map[stageAttempt]plainHints

	execs        map[int32]*plainExec
	activeJobs   map[int32][]int32 // shuffleToActiveJobs
	stageShuffle map[int32]int32
	jobStages    map[int32][]int32
}

type plainHints struct {
	profile int32
	StageHints
}

type plainExec struct {
	profile                                        int32
	running                                        int
	idleStart, deadline                            int64
	pendingRemoval, decommissioning, activeShuffle bool
	cached                                         map[int32]intSet
	shuffles                                       intSet
}

func newPlainManager(c *conf.Conf, perExec []int, b Backend) *plainManager {
	return &plainManager{
		c: c, perExec: perExec, backend: b, target: map[int32]int{0: c.InitialTarget()}, toAdd: map[int32]int{0: 1}, addTime: Never, initializing: true,
		numTasks: map[stageAttempt]int{}, numRunning: map[stageAttempt]int{}, started: map[stageAttempt]intSet{}, specPending: map[stageAttempt]intSet{},
		specRunning: map[stageAttempt]intSet{}, profileOf: map[stageAttempt]int32{}, unschedulable: map[stageAttempt]bool{}, hints: map[stageAttempt]plainHints{},
		execs: map[int32]*plainExec{}, activeJobs: map[int32][]int32{}, stageShuffle: map[int32]int32{}, jobStages: map[int32][]int32{},
	}
}

func (m *plainManager) Reset() {
	m.addTime = 0
	for p := range m.target {
		m.target[p], m.toAdd[p] = m.c.InitialTarget(), 1
	}
	clear(m.execs)
}

// ExecutorAllocationManager.schedule, removeExecutors.
func (m *plainManager) Tick(now int64) {
	var idle []int32
	for e, x := range m.execs {
		if !x.pendingRemoval && !x.activeShuffle && !x.decommissioning && x.deadline <= now {
			idle = append(idle, e)
		}
	}
	slices.SortFunc(idle, func(a, b int32) int { return cmpText(a, b) })
	if len(idle) > 0 {
		m.initializing = false
	}
	m.updateTargets(now)
	left := map[int32]int{}
	var remove []int32
	for _, e := range idle {
		p := m.execs[e].profile
		if p == unknownProfile {
			continue
		}
		if _, ok := left[p]; !ok {
			for _, x := range m.execs {
				if x.profile == p && !x.pendingRemoval && !x.decommissioning {
					left[p]++
				}
			}
		}
		if left[p]-1 >= m.c.MinExecutors && left[p]-1 >= m.target[p] {
			left[p]--
			remove = append(remove, e)
		}
	}
	if len(remove) == 0 {
		return
	}
	var gone []int32
	if m.c.Decommission {
		gone = m.backend.Decommission(now, remove)
	} else {
		gone = m.backend.Kill(now, remove)
	}
	m.send(now)
	for _, e := range gone {
		m.execs[e].decommissioning = m.execs[e].decommissioning || m.c.Decommission
		m.execs[e].pendingRemoval = m.execs[e].pendingRemoval || !m.c.Decommission
	}
}

func cmpText(a, b int32) int {
	x, y := strconv.Itoa(int(a)), strconv.Itoa(int(b))
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// ExecutorAllocationManager.updateAndSyncNumExecutorsTarget, addExecutors, doUpdateRequest.
func (m *plainManager) updateTargets(now int64) {
	if m.initializing {
		return
	}
	type update struct{ delta, old int }
	updates := map[int32]update{}
	for _, p := range slices.Sorted(maps.Keys(m.target)) {
		old, need := m.target[p], m.MaxNeeded(p)
		switch {
		case need < old:
			m.target[p], m.toAdd[p] = max(need, m.c.MinExecutors), 1
			if m.target[p] != old {
				updates[p] = update{m.target[p] - old, old}
			}
		case m.addTime != Never && now >= m.addTime:
			n := old
			if old < m.c.MaxExecutors {
				n = max(min(min(max(old, m.count(p))+m.toAdd[p], need), m.c.MaxExecutors), m.c.MinExecutors)
			}
			m.target[p] = n
			if n == old {
				m.toAdd[p] = 1
			} else {
				updates[p] = update{n - old, old}
			}
		}
	}
	if len(updates) == 0 {
		return
	}
	if !m.send(now) {
		for p, u := range updates {
			m.target[p] = u.old
		}
		return
	}
	for p, u := range updates {
		if u.delta > 0 {
			if u.delta == m.toAdd[p] {
				m.toAdd[p] *= 2
			} else {
				m.toAdd[p] = 1
			}
			m.addTime = now + m.c.SustainedTimeout
		}
	}
}

func (m *plainManager) count(p int32) (n int) {
	for _, x := range m.execs {
		if x.profile == p {
			n++
		}
	}
	return n
}

func (m *plainManager) pending(sa stageAttempt) int { return m.numTasks[sa] - len(m.started[sa]) }

// ExecutorAllocationManager.maxNumExecutorsNeededPerResourceProfile.
func (m *plainManager) MaxNeeded(p int32) int {
	tasks, spec, blocked := 0, 0, 0
	for sa, of := range m.profileOf {
		if of == p {
			tasks += m.pending(sa) + m.numRunning[sa]
			spec += len(m.specPending[sa])
			if m.unschedulable[sa] {
				blocked++
			}
		}
	}
	executors := func(n int) int { return int(math.Ceil(float64(n) * m.c.AllocationRatio / float64(m.perExec[p]))) }
	need := executors(tasks + spec)
	if m.perExec[p] > 1 && need == 1 && spec > 0 {
		need++
	}
	if blocked > 0 {
		need = max(need, m.count(p)+executors(blocked))
	}
	return need
}

func (m *plainManager) hintsOf(p int32) StageHints {
	var h StageHints
	hosts := map[protocol.Name]int{}
	for _, x := range m.hints {
		if x.profile == p {
			h.LocalTasks += x.LocalTasks
			for _, t := range x.Hosts {
				hosts[t.Host] += int(t.Tasks)
			}
		}
	}
	for _, host := range slices.Sorted(maps.Keys(hosts)) {
		h.Hosts = append(h.Hosts, HostTasks{host, int32(hosts[host])})
	}
	return h
}

func (m *plainManager) send(now int64) bool {
	var r TotalRequest
	for _, p := range slices.Sorted(maps.Keys(m.target)) {
		r.Profiles = append(r.Profiles, ProfileTotal{Profile: p, Total: m.target[p], Hints: m.hintsOf(p)})
	}
	return m.backend.RequestTotal(now, &r)
}

func (m *plainManager) onBacklogged(now int64) {
	if m.addTime == Never {
		m.addTime = now + m.c.BacklogTimeout
	}
}

func (m *plainManager) onQueueEmpty() {
	m.addTime = Never
	for p := range m.toAdd {
		m.toAdd[p] = 1
	}
}

func (m *plainManager) hasPendingTasks() bool {
	for sa := range m.profileOf {
		if m.pending(sa) > 0 || len(m.specPending[sa]) > 0 {
			return true
		}
	}
	return false
}

func (m *plainManager) StageSubmitted(now int64, stage, attempt, profile int32, tasks int, hints StageHints) {
	sa := stageAttempt{stage, attempt}
	m.initializing = false
	m.numTasks[sa] = tasks
	m.onBacklogged(now)
	m.profileOf[sa] = profile
	if _, ok := m.toAdd[profile]; !ok {
		m.toAdd[profile] = 1
	}
	m.hints[sa] = plainHints{profile, hints}
	if _, ok := m.target[profile]; !ok {
		m.target[profile] = m.c.InitialTarget()
		if m.target[profile] > 0 {
			m.send(now)
		}
	}
}

func (m *plainManager) StageCompleted(stage, attempt int32) {
	sa := stageAttempt{stage, attempt}
	delete(m.numTasks, sa)
	delete(m.specPending, sa)
	delete(m.started, sa)
	delete(m.specRunning, sa)
	delete(m.hints, sa)
	m.removeIfUnused(sa)
	if len(m.numTasks) == 0 && len(m.specPending) == 0 && len(m.specRunning) == 0 {
		m.onQueueEmpty()
	}
}

func (m *plainManager) removeIfUnused(sa stageAttempt) {
	_, a := m.numTasks[sa]
	_, b := m.numRunning[sa]
	_, c := m.started[sa]
	_, d := m.specPending[sa]
	_, e := m.specRunning[sa]
	if !a && !b && !c && !d && !e {
		delete(m.profileOf, sa)
	}
}

func put1(table map[stageAttempt]intSet, sa stageAttempt, index int32) {
	if table[sa] == nil {
		table[sa] = intSet{}
	}
	table[sa][index] = true
}

func (m *plainManager) TaskStart(now int64, stage, attempt, index, executor int32, speculative, active bool) {
	sa := stageAttempt{stage, attempt}
	m.numRunning[sa]++
	if speculative {
		put1(m.specRunning, sa, index)
		delete(m.specPending[sa], index)
	} else {
		put1(m.started, sa, index)
	}
	if !m.hasPendingTasks() {
		m.onQueueEmpty()
	}
	if active {
		m.updateRunning(now, executor, 1)
	}
}

func (m *plainManager) TaskEnd(now int64, stage, attempt, index, executor int32, speculative bool, end TaskEnd) {
	sa := stageAttempt{stage, attempt}
	if _, ok := m.numRunning[sa]; ok {
		if m.numRunning[sa]--; m.numRunning[sa] == 0 {
			delete(m.numRunning, sa)
			m.removeIfUnused(sa)
		}
	}
	if speculative {
		delete(m.specRunning[sa], index)
	}
	switch end {
	case TaskSucceeded:
		delete(m.specPending[sa], index)
	case TaskFailed:
		if !m.hasPendingTasks() {
			m.onBacklogged(now)
		}
		if !speculative {
			delete(m.started[sa], index)
		}
	}
	x := m.execs[executor]
	if x == nil {
		return
	}
	if shuffle, ok := m.stageShuffle[stage]; ok && end == TaskSucceeded && m.c.TracksShuffles() {
		m.hold(x, shuffle)
	}
	m.updateRunning(now, executor, -1)
}

func (m *plainManager) SpeculativeTaskSubmitted(now int64, stage, attempt, index int32) {
	put1(m.specPending, stageAttempt{stage, attempt}, index)
	m.onBacklogged(now)
}

func (m *plainManager) UnschedulableAdded(now int64, stage, attempt int32) {
	m.unschedulable[stageAttempt{stage, attempt}] = true
	m.onBacklogged(now)
}

func (m *plainManager) UnschedulableRemoved(stage, attempt int32) {
	delete(m.unschedulable, stageAttempt{stage, attempt})
}

// ExecutorMonitor.ensureExecutorIsTracked.
func (m *plainManager) ensure(executor, profile int32) *plainExec {
	x := m.execs[executor]
	if x == nil {
		x = &plainExec{profile: profile, idleStart: -1, deadline: Never, cached: map[int32]intSet{}, shuffles: intSet{}}
		m.execs[executor] = x
	}
	if x.profile == unknownProfile {
		x.profile = profile
	}
	return x
}

// ExecutorMonitor.Tracker.updateTimeout.
func (m *plainManager) updateTimeout(x *plainExec) {
	x.deadline = Never
	if x.idleStart < 0 {
		return
	}
	timeout := m.c.IdleTimeout
	if len(x.cached) > 0 {
		timeout = max(timeout, m.c.CachedIdleTimeout)
	}
	if len(x.shuffles) > 0 {
		timeout = max(timeout, m.c.ShuffleTimeout)
	}
	if timeout <= math.MaxInt64/1_000_000-x.idleStart {
		x.deadline = x.idleStart + timeout
	}
}

func (m *plainManager) updateRunning(now int64, executor int32, delta int) {
	x := m.ensure(executor, unknownProfile)
	x.running = max(0, x.running+delta)
	x.idleStart = -1
	if x.running == 0 {
		x.idleStart = now
	}
	m.updateTimeout(x)
}

func (m *plainManager) hold(x *plainExec, shuffle int32) {
	if !x.shuffles[shuffle] {
		x.shuffles[shuffle], x.activeShuffle = true, true
	}
}

func (m *plainManager) ExecutorAdded(now int64, executor, profile int32) {
	m.ensure(executor, profile)
	m.updateRunning(now, executor, 0)
}

func (m *plainManager) ExecutorRemoved(executor int32) { delete(m.execs, executor) }

func (m *plainManager) JobStart(job int32, stages []ShuffleStage) {
	if !m.c.TracksShuffles() {
		return
	}
	var shuffles []int32
	reused := false
	for _, s := range stages {
		if s.Shuffle != NoShuffle {
			_, known := m.activeJobs[s.Shuffle]
			reused = reused || known
			m.activeJobs[s.Shuffle] = append(m.activeJobs[s.Shuffle], job)
			shuffles = append(shuffles, s.Shuffle)
			m.stageShuffle[s.Stage] = s.Shuffle
			m.jobStages[job] = append(m.jobStages[job], s.Stage)
		}
	}
	for _, x := range m.execs {
		if reused && !x.activeShuffle {
			x.activeShuffle = slices.ContainsFunc(shuffles, func(s int32) bool { return x.shuffles[s] })
		}
	}
}

func (m *plainManager) JobEnd(job int32) {
	if !m.c.TracksShuffles() {
		return
	}
	ended := false
	for s, jobs := range m.activeJobs {
		if i := slices.Index(jobs, job); i >= 0 {
			m.activeJobs[s] = slices.Delete(jobs, i, i+1)
		}
		ended = ended || len(m.activeJobs[s]) == 0
	}
	for _, x := range m.execs {
		if ended && x.activeShuffle {
			x.activeShuffle = false
			for s := range x.shuffles {
				x.activeShuffle = x.activeShuffle || len(m.activeJobs[s]) > 0
			}
			if !x.activeShuffle {
				m.updateTimeout(x)
			}
		}
	}
	for _, s := range m.jobStages[job] {
		delete(m.stageShuffle, s)
	}
	delete(m.jobStages, job)
}

func (m *plainManager) ShuffleCleaned(shuffle int32) {
	delete(m.activeJobs, shuffle)
	for _, x := range m.execs {
		if x.shuffles[shuffle] {
			delete(x.shuffles, shuffle)
			if len(x.shuffles) == 0 {
				x.activeShuffle = false
				m.updateTimeout(x)
			}
		}
	}
}

func (m *plainManager) BlockUpdated(executor, rdd, split int32, valid, onDisk, active bool) {
	if !active {
		return
	}
	x := m.ensure(executor, unknownProfile)
	served := onDisk && m.c.ShuffleService && m.c.ShuffleServiceFetchRDD
	switch {
	case valid && !served:
		first := len(x.cached) == 0
		if x.cached[rdd] == nil {
			x.cached[rdd] = intSet{}
		}
		x.cached[rdd][split] = true
		if first {
			m.updateTimeout(x)
		}
	case x.cached[rdd] != nil:
		if delete(x.cached[rdd], split); len(x.cached[rdd]) == 0 {
			m.forget(x, rdd)
		}
	}
}

func (m *plainManager) forget(x *plainExec, rdd int32) {
	if delete(x.cached, rdd); len(x.cached) == 0 {
		m.updateTimeout(x)
	}
}

func (m *plainManager) UnpersistRDD(rdd int32) {
	for _, x := range m.execs {
		m.forget(x, rdd)
	}
}

func (m *plainManager) ShuffleMoved(executor, shuffle int32, active bool) {
	if !active {
		return
	}
	if x := m.ensure(executor, unknownProfile); m.c.TracksShuffles() {
		m.hold(x, shuffle)
	}
}
