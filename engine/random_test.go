package engine

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"replay/engine/random"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// TestRandomScenarios replays small random traces under random configurations: every replay ends, the
// engine's own conservation checks hold (they are errors of Run), records agree with the totals, and both engines decide alike.
func TestRandomScenarios(t *testing.T) {
	for seed := range uint64(150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := random.Stream(seed, "test")
			nodes := cluster(1+r.IntN(8), 1+r.IntN(3))
			n := int32(len(nodes))
			var jobs []*trace.Job
			at := int64(0)
			for i := range int64(1 + r.IntN(5)) {
				var stages []trace.Stage
				for s := range int32(1 + r.IntN(4)) {
					var parents, prefs []int32
					if s > 0 && r.IntN(4) > 0 {
						parents = []int32{r.Int32N(s)}
					}
					if len(parents) == 0 && r.IntN(2) == 0 {
						prefs = []int32{r.Int32N(n)}
					}
					st := stage(s, r.IntN(30), int64(1+r.IntN(8000)), parents, prefs...)
					if s > 0 && r.IntN(3) == 0 {
						st.After = []int32{s - 1}
						st.DelayMS = r.Int64N(3000)
					}
					stages = append(stages, st)
				}
				j := sparkJob(i, at, 1+r.Int32N(6), stages...)
				if r.IntN(4) == 0 { // static allocation
					j.MinExecs, j.MaxExecs, j.InitialExecs = trace.Unset, trace.Unset, trace.Unset
					j.Conf = []trace.KeyValue{{Key: "spark.executor.instances", Value: fmt.Sprint(1 + r.IntN(3))}}
				}
				jobs = append(jobs, j)
				at += r.Int64N(20_000)
			}
			events := outage(r, n)
			pick := func(s ...string) string { return s[r.IntN(len(s))] }
			o := scenario.Options{Seed: seed, Decisions: true, Scheduler: pick("fair", "fair", "capacity", "fifo"),
				Placement: pick("locality-ratio", "none", "union", "top", "per-task"),
				Conf: map[string]string{
					"yarn.nm.liveness-monitor.expiry-interval-ms": "10000",
					"yarn.scheduler.fair.locality.threshold.node": pick("-1", "0.3", "1.0"),
					"yarn.scheduler.fair.locality.threshold.rack": pick("-1", "0.5"),
					"yarn.scheduler.fair.assignmultiple":          pick("true", "false"),
					"yarn.scheduler.fair.preemption":              pick("true", "false"),
					"spark.locality.wait":                         pick("0s", "3s"), "spark.speculation": pick("true", "false"),
					"spark.scheduler.mode": pick("FIFO", "FAIR"), "spark.shuffle.service.enabled": pick("true", "false"),
					"spark.dynamicAllocation.executorIdleTimeout": pick("2s", "60s"),
				}}
			if o.Scheduler == "fair" {
				o.Sharing = pick("fair", "drf")
			} else {
				maps.DeleteFunc(o.Conf, func(key, _ string) bool { return strings.HasPrefix(key, "yarn.scheduler.fair.") })
			}
			succeedAlike(t, func() scenario.Input { return input(nodes, events, jobs...) }, o)
		})
	}
}

// succeedAlike replays an input with both engines: all jobs succeed, the records agree with each other, and the decisions of the two are equal. It returns what the fast one gave.
func succeedAlike(t *testing.T, in func() scenario.Input, o scenario.Options) *keep {
	t.Helper()
	k, m := replay(t, in(), o)
	checkRecords(t, k, m)
	for _, j := range k.jobs {
		if j.Outcome != record.JobSucceeded {
			t.Errorf("job %d ended as %q: %s", j.ID, j.Outcome, j.Reason)
		}
	}
	o.Engine = "dense"
	d, dense := replay(t, in(), o)
	checkRecords(t, d, dense)
	if dense.DecisionHash != m.DecisionHash {
		t.Errorf("decision hash is %s, that of the dense engine %s", m.DecisionHash, dense.DecisionHash)
	}
	return k
}

// outage is, in every other cluster of several nodes, a failure or a draining of the first one, which comes back.
func outage(r *rand.Rand, nodes int32) []trace.NodeEvent {
	if nodes == 1 || r.IntN(2) > 0 {
		return nil
	}
	down := 5000 + r.Int64N(40_000)
	kind := []trace.EventKind{trace.Fail, trace.Drain}[r.IntN(2)]
	back := map[trace.EventKind]trace.EventKind{trace.Fail: trace.Recover, trace.Drain: trace.Undrain}[kind]
	return []trace.NodeEvent{nodeEvent(down, 0, 0, kind), nodeEvent(down+1+r.Int64N(60_000), 1, 0, back)}
}

// checkRecords compares the records of a replay with each other and with its totals.
func checkRecords(t *testing.T, k *keep, m *record.Manifest) {
	t.Helper()
	ended := int64(0)
	keys := map[[3]int64]bool{}
	for _, c := range k.containers {
		if keys[[3]int64{c.Job, c.AMAttempt, c.Number}] = true; c.AMAttempt < 1 {
			t.Errorf("job %d container %d has attempt %d, want 1 or more", c.Job, c.Number, c.AMAttempt)
		}
		last := c.Allocated
		if c.Ended != record.None && c.Ended < max(last, c.Acquired, c.Started) {
			t.Errorf("job %d attempt %d container %d ends before it starts: %+v", c.Job, c.AMAttempt, c.Number, c)
		}
		for _, at := range []int64{c.Acquired, c.Started, c.Registered} {
			if at != record.None && at < last {
				t.Errorf("job %d attempt %d container %d: times go back: %+v", c.Job, c.AMAttempt, c.Number, c)
			}
			last = max(last, at)
		}
		if c.Ended != record.None {
			ended++
		}
	}
	if len(keys) != len(k.containers) {
		t.Errorf("%d containers with %d keys", len(k.containers), len(keys))
	}
	sampled := map[string]int64{}
	for i := range k.samples {
		r := &k.samples[i]
		if last, ok := sampled[r.Queue]; ok && last >= r.Time {
			t.Errorf("queue %q is sampled at %d and then at %d", r.Queue, last, r.Time)
		}
		sampled[r.Queue] = r.Time
	}
	done := map[[3]int64]bool{}
	succeeded := map[int64]int64{}
	for _, r := range k.tasks {
		if task := [3]int64{r.Job, int64(r.Stage), int64(r.Index)}; r.End == record.TaskSuccess && !done[task] {
			done[task] = true
			succeeded[r.Job]++
		}
	}
	for _, r := range k.tasks {
		if r.Launch < r.Ready || r.Finish != record.None && r.Finish < r.Launch {
			t.Errorf("job %d stage %d task %d: ready %d, launch %d, finish %d", r.Job, r.Stage, r.Index, r.Ready, r.Launch, r.Finish)
		}
	}
	for _, j := range k.jobs {
		if j.TasksSucceeded != succeeded[j.ID] {
			t.Errorf("job %d: %d tasks succeeded, their attempts say %d", j.ID, j.TasksSucceeded, succeeded[j.ID])
		}
		times := []int64{j.Submit, j.AMScheduled, j.AMAllocated, j.AMRegistered}
		for i := 1; i < len(times); i++ {
			if times[i] != record.None && times[i] < times[i-1] {
				t.Errorf("job %d: times of its start go back: %v", j.ID, times)
			}
		}
		if j.TasksSucceeded+j.TasksFailed != j.Tasks && j.Outcome != record.JobUnfinished {
			t.Errorf("job %d: %d tasks succeeded and %d failed of %d", j.ID, j.TasksSucceeded, j.TasksFailed, j.Tasks)
		}
	}
	tot := m.Totals
	if int64(len(k.containers)) != tot.ContainersAllocated || ended != tot.ContainersEnded || int64(len(k.tasks)) != tot.TaskAttempts || int64(len(k.jobs)) != tot.Jobs {
		t.Errorf("%d containers (%d ended), %d task attempts, %d jobs in the records; totals say %+v", len(k.containers), ended, len(k.tasks), len(k.jobs), tot)
	}
}
