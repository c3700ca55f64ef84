package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/spark/driver"
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

// A Spark application that fails begins again until its application master takes an attempt to be the last; it counts also those that YARN does not. Each attempt
// here finds too few slots for a barrier stage.
func TestFailedApplicationBeginsAgain(t *testing.T) {
	const most, asked = "yarn.resourcemanager.am.max-attempts", "spark.yarn.maxAppAttempts"
	lost := []trace.NodeEvent{nodeEvent(15_000, 0, 0, trace.Fail), nodeEvent(30_000, 1, 0, trace.Recover)}
	for _, tt := range []struct {
		name    string
		conf    map[string]string
		events  []trace.NodeEvent
		masters int
	}{
		{"by default", map[string]string{}, nil, 2},
		{"one is asked for", map[string]string{asked: "1"}, nil, 1},
		{"YARN allows three", map[string]string{most: "3"}, nil, 3},
		{"client mode", map[string]string{"spark.submit.deployMode": "client"}, nil, 1},
		{"one was lost with its node", map[string]string{}, lost, 2},
	} {
		for _, engine := range scenario.Engines {
			t.Run(tt.name+"/"+engine, func(t *testing.T) {
				j := sparkJob(0, 0, 0, stage(0, 50, 1000, nil))
				j.Stages[0].Kind, j.Stages[0].DelayMS, j.MinExecs, j.MaxExecs, j.InitialExecs = trace.StageGang, 5000, trace.Unset, trace.Unset, trace.Unset
				conf := map[string]string{"spark.executor.instances": "2", "spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures": "1",
					"spark.scheduler.barrier.maxConcurrentTasksCheck.interval": "5s", "yarn.nm.liveness-monitor.expiry-interval-ms": "2000"}
				maps.Copy(conf, tt.conf)
				k, m := replay(t, input(cluster(1, 1), tt.events, j), scenario.Options{Engine: engine, Conf: conf})
				checkRecords(t, k, m)
				ms := mastersOf(k)
				if len(ms) != tt.masters || k.jobs[0].Outcome != record.JobFailed || !strings.Contains(k.jobs[0].Reason, "slots") {
					t.Fatalf("%d masters, job %s (%s), want %d, and that it fails for want of slots", len(ms), k.jobs[0].Outcome, k.jobs[0].Reason, tt.masters)
				}
				said := 0
				for _, w := range m.Warnings {
					if strings.Contains(w.Text, "its application master was started again: its process failed (exit 15): stage 0: a barrier stage of 50 tasks finds 4 slots") {
						said++
					}
				}
				if (said > 0) != (len(ms) > 1 && tt.events == nil) {
					t.Errorf("warnings %+v, want why it began again", m.Warnings)
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

// The driver of the first of two applications halts in the millisecond in which the other is submitted. Its second attempt is the same
// application to the scheduler: with all else equal, the start of the attempts too, the smaller number gets the only executor that there
// is room for.
func TestSecondAttemptKeepsItsNumber(t *testing.T) {
	for _, scheduler := range []string{"fair", "capacity", "fifo"} {
		for _, engine := range scenario.Engines {
			t.Run(scheduler+"/"+engine, func(t *testing.T) {
				run := func(jobs ...*trace.Job) *keep {
					nodes := cluster(2, 1)
					nodes[0].MemMiB = 2048 // two masters
					nodes[1].MemMiB, nodes[1].Present = 3072, false
					for _, j := range jobs {
						j.ExecMemMiB = 3072
					}
					halts := []*driver.Latencies{{AMMS: trace.Unset, Halts: true, HaltMS: 20_000, HaltExit: 7}, {AMMS: trace.Unset}}
					in := input(nodes, []trace.NodeEvent{nodeEvent(60_000, 0, 1, trace.Join)}, jobs...)
					in.Queues[0].AMShare = 1
					conf := map[string]string{"yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms": "100000"}
					if scheduler == "capacity" {
						conf["yarn.scheduler.capacity.maximum-am-resource-percent"] = "1"
					}
					// Until the wait is over an executor that only the node to come has room for may be asked for.
					k, m := replay(t, in, scenario.Options{Scheduler: scheduler, Engine: engine,
						Recorded: driver.Recorded{Latencies: map[int64][]*driver.Latencies{0: halts}}, Conf: conf})
					checkRecords(t, k, m)
					return k
				}
				job := func(id, submit int64) *trace.Job { return sparkJob(id, submit, 1, stage(0, 2, 1000, nil)) }
				ended := mastersOf(run(job(0, 0)))[0].Ended
				k := run(job(0, 0), job(1, ended))
				var got []string
				for _, c := range k.containers {
					if !c.AM {
						got = append(got, fmt.Sprintf("job %d attempt %d", c.Job, c.AMAttempt))
					}
				}
				for _, c := range mastersOf(k) {
					if c.Number != 1 || c.Allocated > 50_000 {
						t.Errorf("container %d of attempt %d of job %d is its master, from %d on; want number 1 before the node joins", c.Number, c.AMAttempt, c.Job, c.Allocated)
					}
				}
				if want := []string{"job 0 attempt 2", "job 1 attempt 1"}; !slices.Equal(got, want) {
					t.Errorf("executors of %q, in order of their end, want %q", got, want)
				}
			})
		}
	}
}

// A master that fell silent with its node is missed by a monitor of its own, which may be sooner than that of the node: its attempt has failed, and with one
// attempt the application. Its last heartbeat is the same whether heartbeats are executed or left out.
func TestSilentMasterExpires(t *testing.T) {
	const fail = 20_400
	for _, scheduler := range []string{"fair", "capacity", "fifo"} {
		for name, job := range map[string]func() *trace.Job{
			"spark":     func() *trace.Job { return sparkJob(0, 0, 4, stage(0, 30, 9000, nil), stage(1, 10, 4000, []int32{0})) },
			"mapreduce": func() *trace.Job { return mapReduceJob(0, 0, stage(0, 60, 9000, nil)) },
		} {
			for _, expiry := range []int64{900_000, 60_000, 30_000, 7000} {
				for _, again := range []bool{true, false} {
					run := func(engine string, events ...trace.NodeEvent) (*keep, *record.Manifest) {
						conf := map[string]string{"yarn.am.liveness-monitor.expiry-interval-ms": fmt.Sprint(expiry), "yarn.nm.liveness-monitor.expiry-interval-ms": "300000"}
						if !again {
							conf["yarn.resourcemanager.am.max-attempts"] = "1"
						}
						k, m := replay(t, input(cluster(3, 1), events, job()), scenario.Options{Scheduler: scheduler, Engine: engine, Conf: conf})
						checkRecords(t, k, m)
						return k, m
					}
					calm, _ := run("")
					node := mastersOf(calm)[0].Node
					k, m := run("", nodeEvent(fail, 0, node, trace.Fail))
					what := fmt.Sprintf("%s, %s, %d ms, again %v", scheduler, name, expiry, again)
					if _, dense := run("dense", nodeEvent(fail, 0, node, trace.Fail)); dense.DecisionHash != m.DecisionHash {
						t.Errorf("%s: the engines decide differently", what)
					}
					first := mastersOf(k)[0]
					// The last heartbeat was at most 3 s before; the monitor looks every third of the interval.
					lost := fail + expiry - 3000
					if expiry > 300_000 {
						lost = fail + 300_000 - 1000
					}
					if first.End != record.EndNodeLost || first.Ended < lost || first.Ended > fail+min(expiry, 300_000)*4/3 {
						t.Errorf("%s: the first master ended as %s at %d", what, first.End, first.Ended)
					}
					j := &k.jobs[0]
					if again != (j.Outcome == record.JobSucceeded) || len(mastersOf(k)) != map[bool]int{true: 2, false: 1}[again] {
						t.Errorf("%s: %d masters, the job ended as %s: %s", what, len(mastersOf(k)), j.Outcome, j.Reason)
					}
					if want := "in attempt 1: it was not heard of for longer than yarn.am.liveness-monitor.expiry-interval-ms"; !again && expiry < 300_000 && !strings.Contains(j.Reason, want) {
						t.Errorf("%s: reason %q, want one with %q", what, j.Reason, want)
					}
				}
			}
		}
	}
}
