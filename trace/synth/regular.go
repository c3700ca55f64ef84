package synth

import (
	"math/rand/v2"

	"replay/trace"
)

const mib = 1 << 20

// fixedGap gives arrivals every gap ms.
func fixedGap(gap int64) func(*rand.Rand, int) []int64 {
	return func(_ *rand.Rand, n int) []int64 {
		times := make([]int64, n)
		for i := range times {
			times[i] = int64(i) * gap
		}
		return times
	}
}

// poisson gives arrivals with exponential gaps of a mean in ms; the first is at 0.
func poisson(mean float64) func(*rand.Rand, int) []int64 {
	return func(r *rand.Rand, n int) []int64 {
		times := make([]int64, n)
		at := 0.0
		for i := 1; i < n; i++ {
			at += float64(r.ExpFloat64() * mean)
			times[i] = int64(at)
		}
		return times
	}
}

// newJob is a job without stages whose master has one vcore.
func newJob(kind string, amMemMiB int64) *trace.Job {
	j := trace.NewJob(kind)
	j.AMMemMiB, j.AMVCores = amMemMiB, 1
	return j
}

// executors gives a Spark job executors of heapMiB and vcores under dynamic allocation up to most.
// The container has the overhead of Spark on top: a tenth of the heap, at least 384 MiB.
func executors(j *trace.Job, heapMiB int64, vcores, most int32) {
	j.ExecMemMiB, j.ExecVCores, j.TaskCPUs = heapMiB+max(384, heapMiB/10), vcores, 1
	j.MinExecs, j.MaxExecs, j.InitialExecs = 0, most, 0
	j.Conf = []trace.KeyValue{
		{Key: "spark.dynamicAllocation.enabled", Value: "true"},
		{Key: "spark.shuffle.service.enabled", Value: "true"},
	}
}

// newStage is a stage with n tasks of one vcore and no duration yet.
func newStage(id int32, kind string, n int, memMiB int64, parents ...int32) trace.Stage {
	s := trace.NewStage(id, kind, parents...)
	s.TaskMemMiB, s.TaskVCores, s.Tasks = memMiB, 1, trace.NewTasks(n)
	return s
}
