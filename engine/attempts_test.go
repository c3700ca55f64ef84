package engine

import (
	"fmt"
	"strings"
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// The node of an application master fails with it: the ResourceManager misses the node, a second attempt comes elsewhere and does all work
// again, what the first had done is wasted, and neither its executors nor the node's room are held any longer.
func TestNodeLostWithItsMaster(t *testing.T) {
	const expiry = 10_000
	for _, scheduler := range []string{"fair", "capacity", "fifo"} {
		for _, engine := range scenario.Engines {
			t.Run(scheduler+"/"+engine, func(t *testing.T) {
				run := func(events ...trace.NodeEvent) (*keep, *record.Manifest) {
					nodes := cluster(3, 1)
					nodes[0].MemMiB, nodes[0].VCores = 2048, 1 // the master's, and nothing beside it
					j := sparkJob(0, 0, 4, stage(0, 30, 4000, nil), stage(1, 10, 4000, []int32{0}))
					return replay(t, input(nodes, events, j), scenario.Options{Scheduler: scheduler, Engine: engine,
						Conf: map[string]string{"yarn.nm.liveness-monitor.expiry-interval-ms": fmt.Sprint(expiry)}})
				}
				calm, _ := run()
				node, at := mastersOf(calm)[0].Node, calm.jobs[0].FirstTask+6000
				k, m := run(nodeEvent(at, 0, node, trace.Fail))
				checkRecords(t, k, m)
				j, ms := k.jobs[0], mastersOf(k)
				if j.Outcome != record.JobSucceeded || j.TasksSucceeded != 40 || len(ms) != 2 {
					t.Fatalf("job ended as %s (%s) with %d tasks and %d masters, want success with 40 and 2", j.Outcome, j.Reason, j.TasksSucceeded, len(ms))
				}
				first, second := ms[0], ms[1]
				if first.End != record.EndNodeLost || first.Ended < at+expiry || first.Ended > at+2*expiry || second.Allocated < first.Ended || second.Node == node {
					t.Errorf("the first master ended as %s at %d, the second came at %d on node %d; the node failed at %d", first.End, first.Ended, second.Allocated, second.Node, at)
				}
				for _, c := range k.containers {
					if c.Allocated < at && c.Ended > first.Ended+5000 {
						t.Errorf("container %d of the first attempt is held until %d", c.Number, c.Ended)
					}
				}
				done, wasted := 0, 0
				for _, r := range k.tasks {
					switch {
					case r.Launch > first.Ended && r.End == record.TaskSuccess:
						done++
					case r.Launch < at:
						wasted++
						if r.Finish > first.Ended {
							t.Errorf("task %d of stage %d of the first attempt ends at %d", r.Index, r.Stage, r.Finish)
						}
					}
				}
				if done != 40 || wasted == 0 || j.Attempts != int64(len(k.tasks)) || j.WastedTaskMS == 0 {
					t.Errorf("%d tasks done by the second attempt, %d by the first, %d attempts, %d ms wasted; want 40, some, all and some", done, wasted, j.Attempts, j.WastedTaskMS)
				}
				var said []string
				for _, w := range m.Warnings {
					said = append(said, w.Text)
				}
				if text := strings.Join(said, "\n"); !strings.Contains(text, "its application master was started again: its node was lost") {
					t.Errorf("warnings %q, want why it was started again", said)
				}
			})
		}
	}
}

// mastersOf are the containers of application masters, in order.
func mastersOf(k *keep) (out []record.Container) {
	for _, c := range k.containers {
		if c.AM {
			out = append(out, c)
		}
	}
	return out
}
