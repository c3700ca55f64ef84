package spark

import (
	"slices"

	"replay/engine/reuse"
)

// ExecutorAdded tells of an executor that registered; its idle time starts.
//
// Source: ExecutorMonitor.onExecutorAdded.
func (m *Manager) ExecutorAdded(now int64, executor, profile int32) {
	m.monitor.ensure(executor, profile)
	m.monitor.updateRunning(now, executor, 0)
}

// ExecutorRemoved tells of an executor that is gone.
//
// Source: ExecutorMonitor.onExecutorRemoved.
func (m *Manager) ExecutorRemoved(executor int32) {
	m.moved = true
	mon := &m.monitor
	if int(executor) >= len(mon.executors) || !mon.executors[executor].tracked {
		return
	}
	x := &mon.executors[executor]
	c := mon.counts(x.profile)
	c.executors--
	if x.pendingRemoval {
		c.pendingRemoval--
	}
	if x.decommissioning {
		c.decommissioning--
	}
	last := mon.ids[len(mon.ids)-1]
	mon.ids[x.position] = last
	mon.executors[last].position = x.position
	mon.ids = mon.ids[:len(mon.ids)-1]
	*x = x.emptied()
}

// ShuffleStage is a stage of a job and the shuffle that it writes, or NoShuffle.
type ShuffleStage struct{ Stage, Shuffle int32 }

// NoShuffle marks a stage that writes no shuffle.
const NoShuffle int32 = -1

// JobStart tells of a job with all its stages, those that will be skipped included.
//
// Source: ExecutorMonitor.onJobStart.
func (m *Manager) JobStart(job int32, stages []ShuffleStage) {
	m.moved = true
	mon := &m.monitor
	if !mon.trackShuffles {
		return
	}
	var writing, shuffles []int32
	reused := false
	for _, s := range stages {
		if s.Shuffle == NoShuffle {
			continue
		}
		writing, shuffles = append(writing, s.Stage), append(shuffles, s.Shuffle)
		for int(s.Shuffle) >= len(mon.shuffles) {
			mon.shuffles = append(mon.shuffles, shuffleState{})
		}
		sh := &mon.shuffles[s.Shuffle]
		reused = reused || sh.known
		sh.known = true
		sh.jobs = append(sh.jobs, job)
	}
	if reused {
		for _, e := range mon.ids {
			if x := &mon.executors[e]; !x.activeShuffle {
				x.activeShuffle = slices.ContainsFunc(shuffles, x.shuffles.has)
			}
		}
	}
	for i, stage := range writing {
		for int(stage) >= len(mon.stageShuffle) {
			mon.stageShuffle = append(mon.stageShuffle, 0)
		}
		mon.stageShuffle[stage] = shuffles[i] + 1
	}
	for int(job) >= len(mon.jobStages) {
		mon.jobStages = append(mon.jobStages, nil)
	}
	mon.jobStages[job] = writing
}

// JobEnd tells that a job has ended, in whatever way.
//
// Source: ExecutorMonitor.onJobEnd.
func (m *Manager) JobEnd(job int32) {
	m.moved = true
	mon := &m.monitor
	if !mon.trackShuffles {
		return
	}
	ended := false
	for s := range mon.shuffles {
		sh := &mon.shuffles[s]
		if !sh.known {
			continue
		}
		if i := slices.Index(sh.jobs, job); i >= 0 {
			sh.jobs = slices.Delete(sh.jobs, i, i+1)
		}
		ended = ended || len(sh.jobs) == 0
	}
	if ended {
		for _, e := range mon.ids {
			x := &mon.executors[e]
			if !x.activeShuffle {
				continue
			}
			x.activeShuffle = false
			for s := range mon.shuffles {
				if len(mon.shuffles[s].jobs) > 0 && x.shuffles.has(int32(s)) {
					x.activeShuffle = true
					break
				}
			}
			if !x.activeShuffle {
				mon.updateTimeout(e) // from the idle start as it is
			}
		}
	}
	if int(job) < len(mon.jobStages) {
		for _, stage := range mon.jobStages[job] {
			mon.stageShuffle[stage] = 0
		}
		mon.jobStages[job] = nil
	}
}

// ShuffleCleaned tells that the driver has dropped a shuffle, so that no executor holds it.
//
// Source: ExecutorMonitor.cleanupShuffle.
func (m *Manager) ShuffleCleaned(shuffle int32) {
	m.moved = true
	mon := &m.monitor
	if int(shuffle) < len(mon.shuffles) {
		mon.shuffles[shuffle] = shuffleState{}
	}
	for _, e := range mon.ids {
		if x := &mon.executors[e]; x.shuffles.has(shuffle) {
			x.shuffles.remove(shuffle)
			if x.shuffles.n == 0 {
				x.activeShuffle = false
				mon.updateTimeout(e)
			}
		}
	}
}

// BlockUpdated tells that an executor holds a block of an RDD (valid), on disk or not, or that it
// no longer does; active says whether the backend still counts the executor as its own.
//
// Source: ExecutorMonitor.onBlockUpdated.
func (m *Manager) BlockUpdated(executor, rdd, split int32, valid, onDisk, active bool) {
	if !active {
		return
	}
	mon := &m.monitor
	x := mon.ensure(executor, unknownProfile)
	i := slices.IndexFunc(x.cached, func(c cachedBlock) bool { return c.rdd == rdd && c.split == split })
	if valid && !(onDisk && mon.serviceServesRDD) {
		if i < 0 {
			if cap(x.cached) == 0 {
				x.cached = reuse.Cut(&mon.few, 2, 2*usualExecs)
			}
			x.cached = append(x.cached, cachedBlock{rdd, split})
		}
		if len(x.cached) == 1 && x.idleStart != busy { // for longer, if anything
			mon.updateTimeout(executor)
		}
	} else if i >= 0 {
		x.cached = slices.Delete(x.cached, i, i+1)
		if !slices.ContainsFunc(x.cached, func(c cachedBlock) bool { return c.rdd == rdd }) {
			m.moved = true
			mon.forget(executor, rdd)
		}
	}
}

// ShuffleMoved tells that an executor got blocks of a shuffle from one that is being
// decommissioned. Its deadline stays as it is until it has been busy again.
//
// Source: ExecutorMonitor.onBlockUpdated.
func (m *Manager) ShuffleMoved(executor, shuffle int32, active bool) {
	m.moved = true
	if !active {
		return
	}
	if x := m.monitor.ensure(executor, unknownProfile); m.monitor.trackShuffles {
		x.hold(shuffle)
	}
}

// UnpersistRDD tells that no executor holds a block of the RDD any more.
//
// Source: ExecutorMonitor.onUnpersistRDD.
func (m *Manager) UnpersistRDD(rdd int32) {
	m.moved = true
	for _, e := range m.monitor.ids {
		m.monitor.forget(e, rdd)
	}
}

func (m *monitor) forget(e, rdd int32) {
	x := &m.executors[e]
	x.cached = slices.DeleteFunc(x.cached, func(c cachedBlock) bool { return c.rdd == rdd })
	if len(x.cached) == 0 {
		m.updateTimeout(e)
	}
}
