package scenariotest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"replay/trace"
)

// further is the first seed whose cases have more of Spark. Those of earlier seeds stay as they were, as some of them are kept for what was wrong once.
const further = 200_000_000

// sparkKeys are keys of a job with values that decide something.
var sparkKeys = [][]string{
	{"spark.dynamicAllocation.executorAllocationRatio", "0.1", "0.5"},
	{"spark.dynamicAllocation.schedulerBacklogTimeout", "4s"},
	{"spark.dynamicAllocation.executorIdleTimeout", "0s", "1s", "5s"},
	{"spark.dynamicAllocation.cachedExecutorIdleTimeout", "1s", "20s"},
	{"spark.decommission.enabled", "true"},
	{"spark.storage.decommission.enabled", "true"},
	{"spark.scheduler.revive.interval", "100ms", "3s"},
	{"spark.task.maxFailures", "1", "2", "9"},
	{"spark.locality.wait.process", "0", "2s"},
	{"spark.locality.wait.node", "-1", "0", "7s"},
	{"spark.locality.wait.rack", "0", "7s"},
	{"spark.locality.wait.legacyResetOnTaskLaunch", "true"},
	{"spark.speculation.quantile", "0", "0.3", "1"},
	{"spark.speculation.multiplier", "1", "3"},
	{"spark.speculation.minTaskRuntime", "0", "5s"},
	{"spark.speculation.task.duration.threshold", "0", "2s"},
	{"spark.excludeOnFailure.enabled", "true"},
	{"spark.excludeOnFailure.killExcludedExecutors", "true"},
	{"spark.excludeOnFailure.application.fetchFailure.enabled", "true"},
	{"spark.stage.maxConsecutiveAttempts", "1", "2"},
	{"spark.files.fetchFailure.unRegisterOutputOnHost", "true"},
	{"spark.executor.maxNumFailures", "0", "1", "3"},
	{"spark.executor.failuresValidityInterval", "5s"},
	{"spark.yarn.executor.launch.excludeOnFailure.enabled", "true"},
	{"spark.yarn.exclude.nodes", "node00", "node00,node01"},
	{"spark.scheduler.minRegisteredResourcesRatio", "0", "1"},
	{"spark.scheduler.maxRegisteredResourcesWaitingTime", "0", "2s"},
	{"spark.yarn.maxAppAttempts", "1", "3"},
	{"spark.rpc.askTimeout", "1s"},
	{"spark.yarn.containerLauncherMaxThreads", "1"},
}

// spark gives Spark's jobs settings of their own, and stages of other shapes: executors of their own, data that is kept in memory, barriers, shuffles of all sizes, code that makes stages wait.
func (m *maker) spark(r *rand.Rand) {
	pick := func(of ...int64) int64 { return of[r.IntN(len(of))] }
	for _, j := range m.Jobs {
		if j.Kind != trace.KindSpark {
			continue
		}
		own := map[string]string{}
		for _, kv := range j.Conf {
			own[kv.Key] = kv.Value
		}
		static := own["spark.executor.instances"] != ""
		if r.IntN(3) > 0 {
			for _, k := range sparkKeys {
				if r.IntN(10) == 0 {
					own[k[0]] = k[1+r.IntN(len(k)-1)]
				}
			}
		}
		if !static && r.IntN(3) == 0 {
			j.MinExecs, j.InitialExecs = min(1, j.MaxExecs), min(2, j.MaxExecs)
		}
		if r.IntN(4) == 0 {
			j.TailMS = pick(0, 1, 700, 6000)
		}
		if j.ExecVCores > 1 && r.IntN(4) == 0 {
			j.TaskCPUs = 1 + r.Int32N(j.ExecVCores)
		}
		j.Conf = nil
		for _, key := range slices.Sorted(maps.Keys(own)) {
			j.Conf = append(j.Conf, trace.KeyValue{Key: key, Value: own[key]})
		}
		for i := range j.Stages {
			sparkStage(r, j, i, static)
		}
	}
	if r.IntN(3) == 0 {
		m.Options.Conf["spark.network.timeout"] = fmt.Sprint(pick(3, 20), "s")
		m.Options.Conf["spark.executor.heartbeatInterval"] = "700ms"
		m.Options.Conf["spark.network.timeoutInterval"] = "2s"
		m.Options.Conf["spark.storage.blockManagerHeartbeatTimeoutMs"] = "2500"
	}
}

func sparkStage(r *rand.Rand, j *trace.Job, i int, static bool) {
	st := &j.Stages[i]
	n := st.Tasks.Len()
	bytes := func() []int64 {
		out := make([]int64, n)
		for k := range out {
			out[k] = []int64{0, 1 << 10, 30 << 20, 1 << 30}[r.IntN(4)]
		}
		return out
	}
	if r.IntN(4) == 0 {
		st.Tasks.ShuffleWriteBytes = bytes()
	}
	if r.IntN(6) == 0 {
		st.Tasks.ShuffleReadBytes = bytes()
	}
	if r.IntN(6) == 0 {
		st.Tasks.SchedDelayMS, st.Tasks.DeserializeMS = make([]int64, n), make([]int64, n)
		for k := range n {
			st.Tasks.SchedDelayMS[k], st.Tasks.DeserializeMS[k] = r.Int64N(900), r.Int64N(st.Tasks.DurationMS[k]+1)
		}
	}
	if r.IntN(6) == 0 {
		st.FreshFactor, st.FirstFactor = float32(1+r.IntN(3)), float32(1+r.IntN(2))
	}
	if i > 0 && r.IntN(4) == 0 {
		st.After = []int32{r.Int32N(int32(i))}
	}
	if i > 0 && r.IntN(5) == 0 {
		st.CacheOf = r.Int32N(int32(i))
	}
	if r.IntN(4) == 0 {
		st.SparkJob, st.Pool = r.Int32N(3), []string{"", "x", "y"}[r.IntN(3)]
	}
	switch {
	case static && n > 0 && r.IntN(4) == 0:
		st.Kind = trace.StageGang
	case !static && r.IntN(5) == 0:
		st.Profile = 1 + r.Int32N(2)
		st.ExecMemMiB, st.ExecVCores, st.ExecTasks = []int64{0, 2048, 3072}[st.Profile], st.Profile+1, r.Int32N(3)
	}
}
