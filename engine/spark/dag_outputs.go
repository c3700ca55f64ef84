package spark

import "slices"

// Where the output of map tasks and cached blocks are. Numbers of executors are never used again, so
// the death of an executor is one mark, which stages follow when they are looked at.

func lost(marks []bool, exec int32) bool { return int(exec) < len(marks) && marks[exec] }

// at returns the epoch noted for an executor, -1 if there is none.
func at(epochs []int64, exec int32) int64 {
	if int(exec) >= len(epochs) {
		return -1
	}
	return epochs[exec]
}

// raise notes an epoch for an executor and reports whether it is a newer one.
func raise(epochs *[]int64, exec int32, epoch int64) bool {
	for int(exec) >= len(*epochs) {
		*epochs = append(*epochs, -1)
	}
	if (*epochs)[exec] >= epoch {
		return false
	}
	(*epochs)[exec] = epoch
	return true
}

func mark(marks *[]bool, exec int32) bool {
	for int(exec) >= len(*marks) {
		*marks = append(*marks, false)
	}
	was := (*marks)[exec]
	(*marks)[exec] = true
	return !was
}

// availableOf returns how many partitions of a stage have their output registered.
func (d *DAG) availableOf(stage int32) int {
	s := &d.stages[stage]
	if s.isMap && s.version != d.goneVersion {
		s.version = d.goneVersion
		for p, exec := range s.out {
			if exec >= 0 && lost(d.gone, exec) {
				s.out[p] = -1
				s.available--
				s.lastGone = exec
			}
		}
	}
	return s.available
}

// Outputs returns which executor holds the registered output of each partition of a stage, -1 where there is none; it is empty before the first attempt. It
// is valid until the next call.
func (d *DAG) Outputs(stage int32) []int32 {
	d.availableOf(stage)
	return d.stages[stage].out
}

// dropAll forgets all output of a stage.
func (d *DAG) dropAll(stage int32) {
	s := &d.stages[stage]
	if s.available > 0 {
		missing(s.out, len(s.out))
		s.available = 0
	}
	d.epoch++
}

// executorGone handles the loss of an executor: its cached blocks are gone, and its map output where
// no shuffle service keeps it. No stage is submitted by this alone.
//
// Source: DAGScheduler.handleExecutorLost.
func (d *DAG) executorGone(exec int32, worker bool) {
	raise(&d.failedAt, exec, d.epoch)
	d.dropCached(exec)
	if d.conf.ShuffleService && !worker {
		return
	}
	if mark(&d.gone, exec) {
		d.goneVersion++
		d.epoch++
	}
	if worker {
		d.dropHost(d.tasks.hostOf(exec))
	}
}

// dropOutput forgets the output that could not be read, with all others of the same server: once for
// the failures of one attempt.
//
// Source: DAGScheduler.removeExecutorAndUnregisterOutputs.
func (d *DAG) dropOutput(from FetchSource, epoch int64) {
	if raise(&d.failedAt, from.Exec, epoch) {
		d.dropCached(from.Exec)
	}
	if !raise(&d.filesLostAt, from.Exec, epoch) && !d.tasks.hostDecommissioned(from.Exec) {
		return
	}
	if d.conf.UnregisterOutputOnHost && (d.conf.ShuffleService || d.tasks.hostDecommissioned(from.Exec)) {
		d.dropHost(from.Host)
		return
	}
	d.dropWhere(func(exec int32) bool { return exec == from.Exec })
}

func (d *DAG) dropHost(host int32) {
	d.dropWhere(func(exec int32) bool { return d.tasks.hostOf(exec) == host })
}

// dropWhere forgets the map output of some executors.
func (d *DAG) dropWhere(of func(exec int32) bool) {
	for i := range d.stages {
		s := &d.stages[i]
		if !s.isMap {
			continue
		}
		for p, exec := range s.out {
			if exec >= 0 && of(exec) {
				s.out[p] = -1
				s.available--
				s.lastGone = exec
			}
		}
	}
	d.epoch++
}

// dropCached forgets the cached blocks of an executor.
func (d *DAG) dropCached(exec int32) {
	for i := range d.stages {
		s := &d.stages[i]
		s.holders.remove(exec)
		for p, e := range s.cached {
			if e == exec {
				s.cached[p] = -1
			}
		}
	}
}

// allCached reports whether some stage reads the cached blocks of a stage and all are there.
func (d *DAG) allCached(stage int32) bool {
	cached := d.stages[stage].cached
	return len(cached) > 0 && !slices.Contains(cached, -1)
}

// readable reports whether the cached block of a stage is there, on an executor whose process is.
func (d *DAG) readable(stage, partition int32) bool {
	exec := d.cachedOn(stage, partition)
	return exec >= 0 && !lost(d.ended, exec)
}

// ProcessEnded says that blocks which an executor kept cannot be read any more, although they are registered until the driver knows of its
// end. The output that it wrote is lost as well where no shuffle service has it.
func (d *DAG) ProcessEnded(exec int32) {
	mark(&d.ended, exec)
	if !d.conf.ShuffleService {
		d.ServerLost(exec)
	}
}

// ServerLost says that shuffle output written by an executor cannot be read any more, although it is
// registered until a fetch fails: its process died without a shuffle service, or its host did. The process has ended in either case.
func (d *DAG) ServerLost(exec int32) {
	mark(&d.ended, exec)
	if mark(&d.unreachable, exec) {
		d.deadVersion++
	}
}

// HostLost says so of all executors that ever ran on a host: with the shuffle service their output is
// served by the host. It reports whether there are some.
func (d *DAG) HostLost(host int32) bool {
	if d.tasks.hostAt.find(host) < 0 {
		return false
	}
	for exec := range d.tasks.execs {
		if d.tasks.execs[exec].host == host {
			d.ServerLost(int32(exec))
		}
	}
	return true
}

// FetchFailure reports whether a task of a stage that reads its input now meets output that cannot be
// read, and which. Output that is not registered fails at once, with a source that names no executor; but
// an executor that read the same input for this attempt before, as knows tells, still has the old
// locations and tries the executor that is gone. Tasks of one attempt meet all servers that are lost, in
// turn by partition. What a cached block, its own included, was computed from is read where the block cannot be.
//
// Source: MapOutputTracker.convertMapStatuses, MapOutputTrackerWorker.updateEpoch.
func (d *DAG) FetchFailure(stage, partition int32, knows func() bool) (FetchSource, bool) {
	if d.deadVersion == 0 && d.goneVersion == 0 {
		return FetchSource{}, false
	}
	for from := range d.lineage(stage) {
		if d.readable(from, partition) {
			break
		}
		if source, fails := d.fetchFailure(from, partition, knows); fails {
			return source, true
		}
	}
	return FetchSource{}, false
}

// fetchFailure is [DAG.FetchFailure] for the output that a stage reads whatever is cached.
func (d *DAG) fetchFailure(stage, partition int32, knows func() bool) (FetchSource, bool) {
	for _, p := range d.stages[stage].reads {
		m := &d.stages[p]
		if d.availableOf(p) == m.tasks {
			continue
		}
		if m.lastGone > 0 && knows() {
			return FetchSource{Stage: p, Partition: int32(slices.Index(m.out, -1)), Exec: m.lastGone, Host: d.tasks.hostOf(m.lastGone)}, true
		}
		return FetchSource{Stage: p, Partition: -1, Exec: -1, Host: -1}, true
	}
	s := &d.stages[stage]
	if at := [2]int64{d.epoch, int64(d.deadVersion)}; s.deadAt != at {
		s.deadAt = at
		s.dead = d.deadInputs(stage, s.dead[:0])
	}
	if len(s.dead) == 0 {
		return FetchSource{}, false
	}
	return s.dead[int(partition)%len(s.dead)], true
}

// deadInputs appends one output of each lost server that holds input of a stage, cached input left aside.
func (d *DAG) deadInputs(stage int32, dead []FetchSource) []FetchSource {
	for _, p := range d.stages[stage].reads {
		d.availableOf(p)
		for partition, exec := range d.stages[p].out {
			if exec < 0 || !lost(d.unreachable, exec) || slices.ContainsFunc(dead, func(f FetchSource) bool { return f.Exec == exec }) {
				continue
			}
			dead = append(dead, FetchSource{Stage: p, Partition: int32(partition), Exec: exec, Host: d.tasks.hostOf(exec)})
		}
	}
	return dead
}
