package scenariotest

import (
	"math/rand/v2"
	"slices"
	"strings"

	"replay/trace"
)

// withoutExecutors makes a Spark job one of another kind.
func withoutExecutors(j *trace.Job, kind string) {
	j.Kind, j.Conf = kind, nil
	j.ExecMemMiB, j.ExecVCores, j.TaskCPUs = trace.Unset, trace.Unset, trace.Unset
	j.MinExecs, j.MaxExecs, j.InitialExecs = trace.Unset, trace.Unset, trace.Unset
}

// mapReduce turns about a third of the jobs into MapReduce jobs: their first stage is the maps, their second, if there is one, the reduces.
func (m *maker) mapReduce(r *rand.Rand) {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	for _, j := range m.Jobs {
		if r.IntN(3) > 0 {
			continue
		}
		withoutExecutors(j, trace.KindMapReduce)
		j.AMMemMiB = 1536
		j.Stages = j.Stages[:min(len(j.Stages), 2)]
		for i := range j.Stages {
			st := &j.Stages[i]
			st.TaskMemMiB, st.DelayMS = []int64{512, 1024, 2048}[r.IntN(3)], trace.Unset
			if st.Parents, st.After = nil, nil; i > 0 {
				st.Kind, st.Parents = trace.StageShuffle, []int32{0}
				st.Tasks.SetPrefs(nil)
			}
		}
		j.Conf = []trace.KeyValue{
			{Key: "mapreduce.job.reduce.slowstart.completedmaps", Value: pick("0", "0.05", "0.8")},
			{Key: "mapreduce.job.running.map.limit", Value: pick("0", "0", "2")},
			{Key: "mapreduce.job.ubertask.enable", Value: pick("false", "false", "true")},
			{Key: "mapreduce.task.timeout", Value: pick("600000", "20000")},
		}
		slices.SortFunc(j.Conf, func(a, b trace.KeyValue) int { return strings.Compare(a.Key, b.Key) })
	}
}

// generic turns about a third of the other jobs into generic ones, gangs and services: tasks with sizes of their own, stages that begin early, recorded priorities, retries.
func (m *maker) generic(r *rand.Rand) {
	for _, j := range m.Jobs {
		if j.Kind != trace.KindSpark || r.IntN(3) > 0 {
			continue
		}
		withoutExecutors(j, []string{trace.KindGeneric, trace.KindGeneric, trace.KindGang, trace.KindService}[r.IntN(4)])
		if r.IntN(2) == 0 {
			j.Conf = []trace.KeyValue{{Key: "tez.am.container.reuse.enabled", Value: "true"}}
		}
		for i := range j.Stages {
			st := &j.Stages[i]
			n := st.Tasks.Len()
			st.TaskMemMiB, st.TaskVCores = []int64{512, 1024, 2048}[r.IntN(3)], 1+r.Int32N(2)
			if i > 1 && r.IntN(2) == 0 && !slices.Contains(st.Parents, 0) {
				st.Parents = append([]int32{0}, st.Parents...)
			}
			if r.IntN(3) == 0 {
				st.StartFraction = []float32{0, 0.3, 0.8}[r.IntN(3)]
			}
			if r.IntN(8) == 0 {
				st.Kind = trace.StageGang
			}
			if r.IntN(3) == 0 {
				st.Priority = 1 + r.Int32N(4)
			}
			if r.IntN(3) == 0 {
				st.Tasks.MemMiB, st.Tasks.VCores = make([]int64, n), make([]int32, n)
				for k := range n {
					st.Tasks.MemMiB[k], st.Tasks.VCores[k] = []int64{trace.Unset, 512, 1536}[r.IntN(3)], []int32{trace.Unset, 1, 2}[r.IntN(3)]
				}
			}
			if r.IntN(3) == 0 {
				st.Tasks.Retries = make([]int32, n)
				for k := range n {
					st.Tasks.Retries[k] = max(r.Int32N(8)-5, trace.Unset)
				}
			}
		}
	}
}

// patience draws how long gangs wait.
func (m *maker) patience(r *rand.Rand) {
	for _, at := range []*int64{&m.Options.Model.GangHoldMS, &m.Options.Model.GangBackoffMS} {
		*at = r.Int64N(20_000)
	}
}

// mode has some cases run in client mode, in which a driver outlives its application master.
func (m *maker) mode(r *rand.Rand) {
	if r.IntN(4) == 0 {
		m.Options.Conf["spark.submit.deployMode"] = "client"
	}
}
