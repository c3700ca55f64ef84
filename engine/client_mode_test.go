package engine

import (
	"strings"
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// In client mode a replay differs from Spark where an application master is lost, and says so only there.
func TestClientModeIsSaidWhereItMatters(t *testing.T) {
	for _, lost := range []bool{false, true} {
		var events []trace.NodeEvent
		if lost {
			events = []trace.NodeEvent{nodeEvent(20_000, 0, 0, trace.Fail), nodeEvent(60_000, 1, 0, trace.Recover)}
		}
		o := scenario.Options{Conf: map[string]string{"spark.submit.deployMode": "client", "yarn.nm.liveness-monitor.expiry-interval-ms": "10000"}}
		k, m := replay(t, input(cluster(1, 1), events, sparkJob(0, 0, 1, stage(0, 10, 5000, nil))), o)
		said := 0
		for _, w := range m.Warnings {
			if w.Code == "client-mode" && strings.Contains(w.Text, "job 0 (") {
				said++
			}
		}
		if (said > 0) != lost || k.jobs[0].Outcome != record.JobSucceeded {
			t.Errorf("lost %v: job %s, warnings %+v", lost, k.jobs[0].Outcome, m.Warnings)
		}
	}
}
