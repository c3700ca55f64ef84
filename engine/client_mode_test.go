package engine

import (
	"strings"
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// withoutMaster replays a job of which the node of the application master fails at 20 s and is found lost ten seconds later.
func withoutMaster(t *testing.T, mode, engine string, job func() *trace.Job) (*keep, *record.Manifest) {
	t.Helper()
	o := scenario.Options{Engine: engine, Conf: map[string]string{"spark.submit.deployMode": mode, "yarn.nm.liveness-monitor.expiry-interval-ms": "10000"}}
	calm, _ := replay(t, input(cluster(4, 2), nil, job()), o)
	node := mastersOf(calm)[0].Node
	events := []trace.NodeEvent{nodeEvent(20_000, 0, node, trace.Fail), nodeEvent(70_000, 1, node, trace.Recover)}
	k, m := replay(t, input(cluster(4, 2), events, job()), o)
	checkRecords(t, k, m)
	return k, m
}

// In client mode the driver outlives its application master: executors work on until the ResourceManager has the attempt ended, what has succeeded stays, and the next attempt goes on with
// the rest. In cluster mode the application begins again.
func TestDriverOutlivesItsMaster(t *testing.T) {
	for _, engine := range scenario.Engines {
		for _, mode := range []string{"client", "cluster"} {
			k, m := withoutMaster(t, mode, engine, func() *trace.Job { return sparkJob(0, 0, 3, stage(0, 60, 4000, nil), stage(1, 6, 1000, []int32{0})) })
			masters, j := mastersOf(k), &k.jobs[0]
			if len(masters) != 2 || j.Outcome != record.JobSucceeded {
				t.Fatalf("%s, %s mode: %d masters, job %s", engine, mode, len(masters), j.Outcome)
			}
			ended := masters[0].Ended
			var first, meanwhile, stale, second int64
			for i := range k.tasks {
				x := &k.tasks[i]
				if x.End != record.TaskSuccess {
					if x.AMAttempt == 1 && x.Finish > ended {
						stale++
					}
					continue
				}
				if x.Launch > 20_000 && x.Finish < ended {
					meanwhile++
				}
				if x.AMAttempt == 1 {
					first++
				} else {
					second += x.Finish - x.Launch
				}
			}
			if client := mode == "client"; (meanwhile > 0) != client || (stale > 0) != client || first == 0 || (j.TaskMS > second) != client {
				t.Errorf("%s, %s mode: %d tasks succeeded in attempt 1, %d began and ended without a master, %d were lost with the attempt; %d ms counted, %d of attempt 2", engine, mode, first, meanwhile, stale, j.TaskMS, second)
			}
			for _, w := range m.Warnings {
				if strings.Contains(w.Text, "client mode") {
					t.Errorf("%s, %s mode: warning %s", engine, mode, w.Text)
				}
			}
		}
	}
}

// A driver that ends while it has no application master ends the application, whatever the ResourceManager knows of that.
func TestDriverEndsWithoutAMaster(t *testing.T) {
	for _, engine := range scenario.Engines {
		k, _ := withoutMaster(t, "client", engine, func() *trace.Job { return sparkJob(0, 0, 3, stage(0, 15, 4000, nil)) })
		if j := &k.jobs[0]; j.Outcome != record.JobSucceeded || len(mastersOf(k)) != 1 || j.Finish <= 20_000 || j.Finish >= 30_000 {
			t.Errorf("%s: job %s at %d ms with %d masters, want that it succeeds before the ResourceManager finds the node lost", engine, j.Outcome, j.Finish, len(mastersOf(k)))
		}
	}
}
