package bench_test

import (
	"replay/engine/scenario"
	"replay/trace"
)

// mapReduceOf makes a MapReduce job of a job: its first stage is the maps, its second, if there is one, the reduces.
func mapReduceOf(j *trace.Job, conf ...string) *trace.Job {
	j.Kind, j.AMMemMiB, j.AMVCores = trace.KindMapReduce, 1536, 1
	j.Stages = j.Stages[:min(len(j.Stages), 2)]
	for i := range j.Stages {
		j.Stages[i].TaskMemMiB, j.Stages[i].TaskVCores = 1024, 1
	}
	j.Conf = nil
	for i := 0; i < len(conf); i += 2 {
		j.Conf = append(j.Conf, trace.KeyValue{Key: conf[i], Value: conf[i+1]})
	}
	return j
}

// mapReduceCases are replays of MapReduce jobs, alone and beside Spark's.
func mapReduceCases() (out []pinnedCase) {
	add := func(name string, make func() (scenario.Input, scenario.Options), shows ...string) {
		out = append(out, pinnedCase{name, shows, make})
	}
	job := func(maps, reduces int, conf ...string) *trace.Job {
		return mapReduceOf(jobOf(0, 0, 0, 1, input(stageOf(0, maps, 8000), 4, 2), stageOf(1, reduces, 4000, 0)), conf...)
	}
	for _, scheduler := range []string{"fair", "capacity", "fifo"} {
		add("mapreduce/beside-spark/"+scheduler, func() (scenario.Input, scenario.Options) {
			var jobs []*trace.Job
			for i := range int64(6) {
				j := jobOf(i, i*4000, 0, 4, input(stageOf(0, 20, 6000), 5, 2), stageOf(1, 8, 2500, 0))
				if i%2 == 0 {
					j = mapReduceOf(j)
				}
				jobs = append(jobs, j)
			}
			return several(5, jobs), scenario.Options{Scheduler: scheduler}
		}, "node-local-containers", "off-switch-containers")
	}
	add("mapreduce/reduces-early", func() (scenario.Input, scenario.Options) {
		return lonely(4, job(120, 40, "mapreduce.job.reduce.slowstart.completedmaps", "0.05", "yarn.app.mapreduce.am.job.reduce.rampup.limit", "1")), scenario.Options{}
	})
	add("mapreduce/node-lost", func() (scenario.Input, scenario.Options) {
		return lonely(4, job(60, 10), at(20_000, 0, trace.Fail)), scenario.Options{Conf: keys("yarn.nm.liveness-monitor.expiry-interval-ms", "10000")}
	}, "tasks-killed", "node-lost")
	add("mapreduce/speculation", func() (scenario.Input, scenario.Options) {
		j := job(20, 2)
		j.Stages[0].Tasks.DurationMS[3] = 120_000
		return lonely(4, j), scenario.Options{}
	}, "speculative", "tasks-killed")
	add("mapreduce/retries-and-blacklist", func() (scenario.Input, scenario.Options) {
		j := job(20, 2, "mapreduce.job.maxtaskfailures.per.tracker", "1")
		j.Stages[0].Tasks.Retries = make([]int32, 20)
		j.Stages[0].Tasks.Retries[2], j.Stages[0].Tasks.Retries[5] = 2, 1
		return lonely(6, j), scenario.Options{}
	}, "tasks-failed")
	add("mapreduce/uber", func() (scenario.Input, scenario.Options) {
		return lonely(4, job(5, 1, "mapreduce.job.ubertask.enable", "true", "mapreduce.job.ubertask.maxbytes", "1000000000")), scenario.Options{}
	})
	return out
}
