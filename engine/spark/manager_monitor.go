package spark

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"replay/engine/reuse"
	"replay/engine/spark/conf"
)

const unknownProfile int32 = -1

const busy int64 = -1 // see [executorState.idleStart]

// monitor knows which executors are idle, since when, and what they hold.
//
// Source: ExecutorMonitor.
type monitor struct {
	idleTimeout, cachedTimeout, shuffleTimeout int64
	trackShuffles, serviceServesRDD            bool

	executors []executorState // by number
	few       []cachedBlock   // room for those of executors
	ids       []int32         // tracked ones, in no order
	profiles  []monitorCounts // by profile + 1

	shuffles     []shuffleState // by shuffle
	stageShuffle []int32        // by stage: its shuffle + 1
	jobStages    [][]int32      // by job: its stages that write a shuffle

	moved bool // see [Manager.Moved]: an executor came, or has the first deadline of its profile
}

type executorState struct {
	tracked, pendingRemoval, decommissioning, activeShuffle bool

	profile   int32
	position  int32 // in ids
	running   int
	idleStart int64         // busy while it has tasks
	deadline  int64         // Never while it is busy
	cached    []cachedBlock // few: the driver tells of the first one of an RDD
	shuffles  indexSet
}

// emptied returns an executor that is not tracked in the memory of x.
func (x *executorState) emptied() executorState {
	return executorState{cached: x.cached[:0], shuffles: x.shuffles.emptied()}
}

type cachedBlock struct{ rdd, split int32 }

type shuffleState struct {
	known bool
	jobs  []int32 // active ones; a job with two stages of the shuffle is there twice
}

type monitorCounts struct {
	executors, pendingRemoval, decommissioning int
	idle                                       []idleUntil // ascending by deadline; what does not hold any more goes when it is the first
}

// idleUntil is a deadline of an executor, which holds as long as the executor has it and may be removed.
type idleUntil struct {
	deadline int64
	executor int32
}

// renewed returns the monitor of another application in the memory of m.
func (m *monitor) renewed(c *conf.Conf, profiles int) monitor {
	counts := reuse.Roomy(m.profiles[:0], profiles+1)[:profiles+1]
	for p := range counts {
		counts[p] = monitorCounts{idle: counts[p].idle[:0]}
	}
	return monitor{
		idleTimeout: c.IdleTimeout, cachedTimeout: c.CachedIdleTimeout, shuffleTimeout: c.ShuffleTimeout,
		trackShuffles:    c.TracksShuffles(),
		serviceServesRDD: c.ShuffleService && c.ShuffleServiceFetchRDD,
		profiles:         counts, executors: m.executors[:0], few: m.few, ids: m.ids[:0], shuffles: m.shuffles[:0], stageShuffle: m.stageShuffle[:0], jobStages: m.jobStages[:0],
	}
}

func (m *monitor) reset() {
	for _, e := range m.ids {
		m.executors[e] = m.executors[e].emptied()
	}
	m.ids = m.ids[:0]
	for p := range m.profiles {
		m.profiles[p] = monitorCounts{idle: m.profiles[p].idle[:0]}
	}
}

func (m *monitor) counts(p int32) *monitorCounts { return &m.profiles[p+1] }

// count returns how many executors of profile p exist, those being removed included.
func (m *monitor) count(p int32) int { return m.counts(p).executors }

// remaining returns how many executors of profile p there will be when those being removed are gone.
func (m *monitor) remaining(p int32) int {
	c := m.counts(p)
	return c.executors - c.pendingRemoval - c.decommissioning
}

// ensure returns the state of an executor, tracking it from now on.
//
// Source: ExecutorMonitor.ensureExecutorIsTracked.
func (m *monitor) ensure(e, profile int32) *executorState {
	for int(e) >= len(m.executors) {
		m.executors = reuse.Longer(m.executors)
		x := &m.executors[len(m.executors)-1]
		*x = x.emptied()
	}
	x := &m.executors[e]
	if !x.tracked {
		m.moved = true
		x.tracked, x.profile, x.position, x.idleStart, x.deadline = true, profile, int32(len(m.ids)), busy, Never
		m.ids = append(m.ids, e)
		m.counts(profile).executors++
	} else if x.profile == unknownProfile && profile != unknownProfile {
		m.moved = true
		m.counts(unknownProfile).executors--
		m.counts(profile).executors++
		x.profile = profile
		m.expect(e)
	}
	return x
}

// expect puts the executor's deadline among those of its profile.
func (m *monitor) expect(e int32) {
	x := &m.executors[e]
	if x.deadline == Never {
		return
	}
	c := m.counts(x.profile)
	if len(c.idle) > 16+4*c.executors {
		c.idle = slices.DeleteFunc(c.idle, func(d idleUntil) bool { return !m.holds(d, x.profile) })
	}
	i := len(c.idle)
	c.idle = append(c.idle, idleUntil{x.deadline, e})
	for ; i > 0 && c.idle[i-1].deadline > x.deadline; i-- {
		c.idle[i], c.idle[i-1] = c.idle[i-1], c.idle[i]
	}
	m.moved = m.moved || i == 0 // else what comes first comes no later
}

// holds reports whether a deadline in profile p is still that of its executor.
func (m *monitor) holds(d idleUntil, p int32) bool {
	x := &m.executors[d.executor]
	return x.deadline == d.deadline && x.tracked && x.profile == p && x.removable()
}

// updateTimeout computes when the executor has been idle for too long.
//
// Source: ExecutorMonitor.Tracker.updateTimeout.
func (m *monitor) updateTimeout(e int32) {
	x := &m.executors[e]
	x.deadline = Never
	if x.idleStart == busy {
		return
	}
	timeout := m.idleTimeout
	if len(x.cached) > 0 {
		timeout = max(timeout, m.cachedTimeout)
	}
	if x.shuffles.n > 0 {
		timeout = max(timeout, m.shuffleTimeout)
	}
	// Spark's clock counts nanoseconds: what does not fit there is never.
	if timeout <= math.MaxInt64/1_000_000-x.idleStart {
		x.deadline = x.idleStart + timeout
	}
	m.expect(e)
}

// updateRunning adds delta to the executor's running tasks. Any call that leaves none starts its
// idle time again.
//
// Source: ExecutorMonitor.Tracker.updateRunningTasks.
func (m *monitor) updateRunning(now int64, e int32, delta int) {
	if int(e) >= len(m.executors) || !m.executors[e].tracked {
		m.ensure(e, unknownProfile)
	}
	m.run(now, e, &m.executors[e], delta)
}

func (m *monitor) run(now int64, e int32, x *executorState, delta int) {
	if x.running = max(0, x.running+delta); x.running > 0 {
		if x.idleStart != busy { // a look at its deadline finds that it is not idle
			x.idleStart, x.deadline = busy, Never
		}
		return
	}
	x.idleStart = now
	m.updateTimeout(e)
}

func (m *monitor) taskEnd(now int64, stage, e int32, success bool) {
	if int(e) >= len(m.executors) {
		return
	}
	x := &m.executors[e]
	if !x.tracked {
		return
	}
	if success && m.trackShuffles && int(stage) < len(m.stageShuffle) && m.stageShuffle[stage] != 0 {
		x.hold(m.stageShuffle[stage] - 1)
	}
	if x.running > 1 {
		x.running--
	} else {
		m.run(now, e, x, -1)
	}
}

// hold notes that the executor holds data of a shuffle; when it is new there, it is in use.
//
// Source: ExecutorMonitor.Tracker.addShuffle.
func (x *executorState) hold(shuffle int32) {
	if !x.shuffles.has(shuffle) {
		x.shuffles.add(shuffle)
		x.activeShuffle = true
	}
}

// timedOut appends to ids the executors that have been idle for too long and may be removed,
// ordered by their number as text ("10" before "2").
//
// Source: ExecutorMonitor.timedOutExecutors.
func (m *monitor) timedOut(now int64, ids []int32) []int32 {
	for p := range m.profiles {
		if len(m.profiles[p].idle) == 0 || m.nextTimeout(int32(p)-1) > now {
			continue
		}
		for _, d := range m.profiles[p].idle {
			if d.deadline > now {
				break
			}
			if m.holds(d, int32(p)-1) {
				ids = append(ids, d.executor)
			}
		}
	}
	if len(ids) > 1 {
		slices.SortFunc(ids, compareAsText)
		ids = slices.Compact(ids) // a deadline may have been set twice
	}
	return ids
}

func (x *executorState) removable() bool {
	return !x.pendingRemoval && !x.activeShuffle && !x.decommissioning
}

// nextTimeout returns the earliest deadline in profile p of an executor that may be removed, Never if there is none.
func (m *monitor) nextTimeout(p int32) int64 {
	c := m.counts(p)
	for i := range c.idle {
		if d := c.idle[i]; m.holds(d, p) {
			c.idle = slices.Delete(c.idle, 0, i)
			return d.deadline
		}
	}
	c.idle = c.idle[:0]
	return Never
}

// due is nextTimeout, which is asked only where there may be a deadline.
func (m *monitor) due(p int32) int64 {
	if len(m.counts(p).idle) == 0 {
		return Never
	}
	return m.nextTimeout(p)
}

// compareAsText compares two numbers as their decimal texts.
func compareAsText(a, b int32) int {
	var x, y [11]byte
	return bytes.Compare(strconv.AppendInt(x[:0], int64(a), 10), strconv.AppendInt(y[:0], int64(b), 10))
}

func (m *monitor) markKilled(ids []int32) {
	for _, e := range ids {
		if x := &m.executors[e]; x.tracked && !x.pendingRemoval {
			x.pendingRemoval = true
			m.counts(x.profile).pendingRemoval++
		}
	}
}

func (m *monitor) markDecommissioning(ids []int32) {
	for _, e := range ids {
		if x := &m.executors[e]; x.tracked && !x.decommissioning {
			x.decommissioning = true
			m.counts(x.profile).decommissioning++
		}
	}
}

func (m *monitor) tracked() (n int, killed []int32) {
	for _, e := range m.ids {
		if m.executors[e].pendingRemoval {
			killed = append(killed, e)
		}
	}
	slices.Sort(killed)
	return len(m.ids), killed
}
