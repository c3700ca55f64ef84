package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replay/engine/random"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// mapReduceJob makes a MapReduce job with containers of 1 GiB and one core.
func mapReduceJob(id, submit int64, stages ...trace.Stage) *trace.Job {
	j := sparkJob(id, submit, 0, stages...)
	j.Kind = trace.KindMapReduce
	j.AMMemMiB, j.AMVCores = 1536, 1
	for i := range j.Stages {
		j.Stages[i].TaskMemMiB, j.Stages[i].TaskVCores = 1024, 1
	}
	return j
}

// MapReduce and Spark jobs share a cluster: all end under each scheduler, the two engines agree, and what a lost node takes with it runs again.
func TestMapReduceBesideSpark(t *testing.T) {
	jobs := func() []*trace.Job {
		return []*trace.Job{
			mapReduceJob(0, 0, stage(0, 40, 20_000, nil, 0, 2), stage(1, 6, 4000, []int32{0})),
			sparkJob(1, 3000, 4, stage(0, 30, 3000, nil, 1), stage(1, 6, 1000, []int32{0})),
			mapReduceJob(2, 8000, stage(0, 7, 2000, nil)),
		}
	}
	for _, scheduler := range []string{"fair", "capacity", "fifo"} {
		t.Run(scheduler, func(t *testing.T) {
			run := func(engine string, events ...trace.NodeEvent) (*keep, *record.Manifest) {
				k, m := replay(t, input(cluster(4, 2), events, jobs()...), scenario.Options{
					Seed: 3, Scheduler: scheduler, Engine: engine,
					Conf: map[string]string{"yarn.nm.liveness-monitor.expiry-interval-ms": "10000"},
				})
				checkRecords(t, k, m)
				return k, m
			}
			for _, events := range [][]trace.NodeEvent{nil, {nodeEvent(30_000, 0, 0, trace.Fail), nodeEvent(60_000, 1, 0, trace.Recover)}} {
				k, m := run("", events...)
				for _, j := range k.jobs {
					if j.Outcome != record.JobSucceeded {
						t.Errorf("%d node events: job %d ended as %s: %s", len(events), j.ID, j.Outcome, j.Reason)
					}
				}
				if _, dense := run("dense", events...); dense.DecisionHash != m.DecisionHash {
					t.Errorf("%d node events: decision hash %s, of the dense engine %s", len(events), m.DecisionHash, dense.DecisionHash)
				}
			}
		})
	}
}

// Small random jobs under random settings of MapReduce: every replay ends, records agree with the totals, and both engines decide alike.
func TestRandomMapReduce(t *testing.T) {
	for seed := range uint64(100) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := random.Stream(seed, "mapreduce-test")
			nodes := cluster(1+r.IntN(6), 1+r.IntN(3))
			n := int32(len(nodes))
			pick := func(s ...string) string { return s[r.IntN(len(s))] }
			var jobs []*trace.Job
			at := int64(0)
			for i := range int64(1 + r.IntN(4)) {
				var prefs []int32
				if r.IntN(3) > 0 {
					prefs = append(prefs, r.Int32N(n))
				}
				stages := []trace.Stage{stage(0, 1+r.IntN(30), int64(1+r.IntN(15_000)), nil, prefs...)}
				if r.IntN(4) > 0 {
					stages = append(stages, stage(1, r.IntN(12), int64(1+r.IntN(8000)), []int32{0}))
				}
				uber := pick("false", "false", "true")
				if uber == "false" && r.IntN(3) == 0 { // an uber job gives each task one attempt
					stages[0].Tasks.Retries = make([]int32, stages[0].Tasks.Len())
					stages[0].Tasks.Retries[0] = r.Int32N(3)
				}
				if r.IntN(3) == 0 {
					stages[0].Tasks.DurationMS[0] *= 8 // one to speculate on
				}
				j := mapReduceJob(i, at, stages...)
				set := map[string]string{
					"mapreduce.job.reduce.slowstart.completedmaps":    pick("0", "0.05", "0.5", "1"),
					"yarn.app.mapreduce.am.job.reduce.rampup.limit":   pick("0.1", "0.5", "1"),
					"mapreduce.job.reducer.preempt.delay.sec":         pick("0", "0", "5"),
					"mapreduce.job.running.map.limit":                 pick("0", "0", "3"),
					"mapreduce.job.running.reduce.limit":              pick("0", "0", "2"),
					"mapreduce.job.maxtaskfailures.per.tracker":       pick("1", "3"),
					"mapreduce.job.speculative.minimum-allowed-tasks": pick("1", "10"),
					"mapreduce.job.ubertask.enable":                   uber,
					"mapreduce.reduce.memory.mb":                      pick("512", "1024", "2048"),
				}
				for key, v := range set {
					j.Conf = append(j.Conf, trace.KeyValue{Key: key, Value: v})
				}
				slices.SortFunc(j.Conf, func(a, b trace.KeyValue) int { return strings.Compare(a.Key, b.Key) })
				jobs = append(jobs, j)
				at += r.Int64N(20_000)
			}
			events := outage(r, n)
			o := scenario.Options{Seed: seed, Decisions: true, Scheduler: pick("fair", "fair", "capacity", "fifo"),
				Conf: map[string]string{"yarn.nm.liveness-monitor.expiry-interval-ms": "10000"}}
			if o.Scheduler == "fair" {
				o.Conf["yarn.scheduler.fair.preemption"] = pick("true", "false")
			}
			succeedAlike(t, func() scenario.Input { return input(nodes, events, jobs...) }, o)
		})
	}
}
