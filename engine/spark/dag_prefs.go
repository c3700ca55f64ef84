package spark

import (
	"math"
	"slices"
)

// prefer sets the preferred locations of an attempt: executors with its own block when it runs again, or with the cached input, else what the
// trace says, else the hosts that hold much of a parent's output. They are not revised while the
// attempt lives.
//
// Source: DAGScheduler.getPreferredLocsInternal.
func (d *DAG) prefer(stage int32, spec *TaskSetSpec) {
	t := &d.job.Stages[stage]
	cached := d.anyCached(stage)
	if t.Tasks.PrefStart != nil && spec.Partitions == nil && !cached {
		spec.PrefStart, spec.Hosts = t.Tasks.PrefStart, t.Tasks.Pref
		return
	}
	var reduce []int32
	if t.Tasks.PrefStart == nil {
		reduce = d.reduceHosts(stage)
	}
	if !cached && t.Tasks.PrefStart == nil && len(reduce) == 0 {
		return
	}
	d.tasks.work().locate(spec)
	for i := range int32(spec.Tasks) {
		p := spec.Partition(i)
		if exec := d.blockOn(stage, p); exec >= 0 {
			d.addLocation(spec, d.tasks.hostOf(exec), exec)
		} else if t.Tasks.PrefStart != nil {
			for _, host := range t.Tasks.Prefs(int(p)) {
				d.addLocation(spec, host, OnHost)
			}
		} else {
			for _, host := range reduce {
				d.addLocation(spec, host, OnHost)
			}
		}
		spec.PrefStart = append(spec.PrefStart, int32(len(spec.Hosts)))
	}
}

func (d *DAG) addLocation(spec *TaskSetSpec, host, exec int32) {
	spec.Hosts = append(spec.Hosts, host)
	spec.Execs = append(spec.Execs, exec)
}

// anyCached reports whether any block of a stage is there, or of one whose blocks it was computed from.
func (d *DAG) anyCached(stage int32) bool {
	for c := range d.lineage(stage) {
		if slices.ContainsFunc(d.stages[c].cached, func(e int32) bool { return e >= 0 }) {
			return true
		}
	}
	return false
}

// blockOn returns the executor that holds the cached block of a stage, else the one that it would be computed from, or -1.
func (d *DAG) blockOn(stage, partition int32) int32 {
	for c := range d.lineage(stage) {
		if exec := d.cachedOn(c, partition); exec >= 0 {
			return exec
		}
	}
	return -1
}

// cachedOn returns the executor that holds the cached block, or -1.
func (d *DAG) cachedOn(stage, partition int32) int32 {
	if int(partition) >= len(d.stages[stage].cached) {
		return -1
	}
	return d.stages[stage].cached[partition]
}

// Limits of the preference for where a parent's output is.
//
// Source: MapOutputTrackerMaster.SHUFFLE_PREF_MAP_THRESHOLD, REDUCER_PREF_LOCS_FRACTION.
const (
	reducePrefMaps     = 1000
	reducePrefFraction = 0.2
)

// reduceHosts returns the hosts of executors that hold at least a fifth of the output of a parent: of
// the first parent that has any. The trace knows what a map task wrote and not for whom, so all
// partitions get an equal part; parents whose sizes are not known give no preference.
//
// Source: MapOutputTrackerMaster.getLocationsWithLargestOutputs.
func (d *DAG) reduceHosts(stage int32) []int32 {
	reducers := d.stages[stage].tasks
	if !d.conf.ReduceLocality || reducers >= reducePrefMaps {
		return nil
	}
	for from := range d.lineage(stage) {
		for _, p := range d.job.Stages[from].Parents {
			if hosts := d.largestOutputs(p, reducers); len(hosts) > 0 {
				return hosts
			}
		}
	}
	return nil
}

// largestOutputs returns the hosts with at least a fifth of the output of a map stage that so many tasks read.
func (d *DAG) largestOutputs(stage int32, reducers int) (hosts []int32) {
	written := d.job.Stages[stage].Tasks.ShuffleWriteBytes
	if written == nil || len(written) >= reducePrefMaps {
		return nil
	}
	bytes := make([]int64, len(d.tasks.execs))
	total := int64(0)
	for m, exec := range d.stages[stage].out {
		if size := blockSize(written[m] / int64(reducers)); exec >= 0 && size > 0 {
			bytes[exec] += size
			total += size
		}
	}
	for exec, b := range bytes {
		if host := d.tasks.hostOf(int32(exec)); b > 0 && float64(b)/float64(total) >= reducePrefFraction && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// blockSize is the size of a shuffle block as the driver knows it, through 8 bits on a log scale.
//
// Source: MapStatus.compressSize, decompressSize.
func blockSize(bytes int64) int64 {
	switch {
	case bytes <= 0:
		return 0
	case bytes == 1:
		return 1
	}
	const base = 1.1
	step := min(255, int64(math.Ceil(math.Log(float64(bytes))/math.Log(base))))
	return int64(math.Pow(base, float64(step)))
}
