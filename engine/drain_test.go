package engine

import (
	"slices"
	"testing"

	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// A draining node is not filled again while there is demand: the FairScheduler gives away there what has ended and takes it back at once, the
// CapacityScheduler gives nothing away, and the FifoScheduler, which ends nothing, does fill it.
func TestDrainingNodeIsNotFilledAgain(t *testing.T) {
	const drain = 30_000
	for scheduler, want := range map[string]func(ended, stayed, later int) bool{
		"fair":     func(ended, stayed, later int) bool { return ended > 0 && stayed == 0 && later == 0 },
		"capacity": func(ended, stayed, later int) bool { return ended == 0 && stayed == 0 && later == 0 },
		"fifo":     func(ended, stayed, later int) bool { return ended == 0 && stayed > 0 && later > 0 },
	} {
		for _, engine := range []string{"", "dense"} {
			in := input(cluster(2, 1), []trace.NodeEvent{nodeEvent(drain, 0, 0, trace.Drain)}, mapReduceJob(0, 0, stage(0, 600, 6000, nil)))
			k, m := replay(t, in, scenario.Options{Scheduler: scheduler, Engine: engine})
			checkRecords(t, k, m)
			ended, stayed, later := 0, 0, 0
			for _, c := range k.containers {
				if c.Node != 0 || c.AM {
					continue
				}
				if c.Allocated > drain+1000 {
					if c.Ended == c.Allocated && c.Exit == protocol.ExitPreempted && c.End == record.EndPreempted {
						ended++
					} else {
						stayed++
					}
				}
				if c.Exited > drain+15_000 {
					later++
				}
			}
			if !want(ended, stayed, later) {
				t.Errorf("%s %s: while the node drained %d containers came and were ended at once, %d stayed, %d ran 15 s after", scheduler, engine, ended, stayed, later)
			}
			if said := slices.ContainsFunc(m.Warnings, func(w record.Warning) bool { return w.Code == "total-stalls" }); said != (scheduler == "fifo") {
				t.Errorf("%s: that YARN's own would stall is said: %v", scheduler, said)
			}
			if j := &k.jobs[0]; j.Outcome != record.JobSucceeded || j.TasksFailed > 0 {
				t.Errorf("%s: the job ended as %s with %d tasks failed: %s", scheduler, j.Outcome, j.TasksFailed, j.Reason)
			}
		}
	}
}

// The overcommit timeout of a drain stays with the node: when it has come back and shrinks, containers end with its next heartbeat. On a node that
// never drained they go on.
func TestNodeThatDrainedAndShrinks(t *testing.T) {
	for _, drained := range []bool{false, true} {
		for _, scheduler := range []string{"fair", "capacity"} {
			shrink := nodeEvent(30_000, 2, 0, trace.Capacity)
			shrink.MemMiB, shrink.VCores = 4096, 4
			events := []trace.NodeEvent{nodeEvent(20_000, 0, 0, trace.Drain), nodeEvent(22_000, 1, 0, trace.Undrain), shrink}
			if !drained {
				events = events[2:]
			}
			var hash string
			for _, engine := range []string{"", "dense"} {
				k, m := replay(t, input(cluster(1, 1), events, mapReduceJob(0, 0, stage(0, 12, 60_000, nil))), scenario.Options{Scheduler: scheduler, Engine: engine})
				checkRecords(t, k, m)
				ended := 0
				for _, c := range k.containers {
					if c.Exit == protocol.ExitPreempted && c.Ended > 30_000 && c.Ended <= 31_000 {
						ended++
					}
				}
				if drained != (ended > 0) {
					t.Errorf("%s: drained before %v: %d containers were ended when the node shrank", scheduler, drained, ended)
				}
				if hash != "" && hash != m.DecisionHash {
					t.Errorf("%s: drained before %v: the engines decide differently", scheduler, drained)
				}
				hash = m.DecisionHash
			}
		}
	}
}

// A drained node goes with its first heartbeat, given nothing, when no application goes on of which it had reported a container, whoever asks for its room.
func TestDrainedNodeThatNobodyNeedsGoesAtOnce(t *testing.T) {
	for _, scheduler := range []string{"fair", "fifo"} {
		for seed := range uint64(8) {
			var jobs []*trace.Job
			for i := range int64(30) {
				jobs = append(jobs, sparkJob(i, 28_900+i*100, 1, stage(0, 1, 4000, nil)))
			}
			in := input(cluster(2, 1), []trace.NodeEvent{nodeEvent(29_000, 0, 1, trace.Drain)}, jobs...)
			k, m := replay(t, in, scenario.Options{Scheduler: scheduler, Seed: seed})
			checkRecords(t, k, m)
			for _, c := range k.containers {
				if c.Node == 1 {
					t.Errorf("%s, seed %d: a container at %d", scheduler, seed, c.Allocated)
				}
			}
			if last := k.nodes[len(k.nodes)-1]; last.Registered || last.Time > 30_000 {
				t.Errorf("%s, seed %d: the node is %+v", scheduler, seed, last)
			}
		}
	}
}

// TestWhatADecommissionTakesAlong: containers that run on a node when its patience is at an end are lost with their node, and not given back by their application.
func TestWhatADecommissionTakesAlong(t *testing.T) {
	events := []trace.NodeEvent{{TimeMS: 30_000, Node: 1, Kind: trace.Drain, MemMiB: trace.Unset, VCores: trace.Unset, DrainTimeoutMS: 10_000}}
	for _, o := range []scenario.Options{{}, {Engine: "dense"}, {Scheduler: "capacity"}, {Scheduler: "fifo"}} {
		k, _ := replay(t, input(cluster(2, 1), events, sparkJob(0, 0, 6, stage(0, 12, 60_000, nil))), o)
		ends := map[string]int{}
		for i := range k.containers {
			if c := &k.containers[i]; c.Node == 1 && !c.AM && c.Ended < 60_000 {
				ends[c.End]++
			}
		}
		if ends[record.EndNodeLost] == 0 || ends[record.EndReleased] > 0 {
			t.Errorf("%s, engine %q: containers of the node that was decommissioned end as %v, want %s", o.Scheduler, o.Engine, ends, record.EndNodeLost)
		}
	}
}

// A capacity that a node gets while it drains is forgotten with its next heartbeat: back in service it has what it had, and the answer says so.
func TestCapacityOfADrainingNode(t *testing.T) {
	less := nodeEvent(21_000, 1, 0, trace.Capacity)
	less.MemMiB, less.VCores = 2048, 2
	events := []trace.NodeEvent{nodeEvent(20_000, 0, 0, trace.Drain), less, nodeEvent(25_000, 2, 0, trace.Undrain)}
	for _, scheduler := range []string{"fair", "capacity"} {
		var hash string
		for _, engine := range []string{"", "dense"} {
			k, m := replay(t, input(cluster(1, 1), events, mapReduceJob(0, 0, stage(0, 12, 60_000, nil))), scenario.Options{Scheduler: scheduler, Engine: engine})
			checkRecords(t, k, m)
			if first, last := k.nodes[0], k.nodes[len(k.nodes)-1]; last.Draining || last.MemMiB != first.MemMiB || last.VCores != first.VCores {
				t.Errorf("%s: at first the node is %+v, in the end %+v", scheduler, first, last)
			}
			if !slices.ContainsFunc(m.Warnings, func(w record.Warning) bool { return w.Code == "capacity-draining" }) {
				t.Errorf("%s: nothing is said of the capacity", scheduler)
			}
			if hash != "" && hash != m.DecisionHash {
				t.Errorf("%s: the engines decide differently", scheduler)
			}
			hash = m.DecisionHash
		}
	}
}

// Passes of continuous scheduling fill a capacity that a node gets while it drains, which is more than it has, until its next heartbeat.
func TestMoreCapacityOfADrainingNode(t *testing.T) {
	more := nodeEvent(21_001, 1, 0, trace.Capacity)
	more.MemMiB, more.VCores = 1<<20, 512
	events := []trace.NodeEvent{nodeEvent(20_000, 0, 0, trace.Drain), more, nodeEvent(25_000, 2, 0, trace.Undrain)}
	k, m := replay(t, input(cluster(1, 1), events, mapReduceJob(0, 0, stage(0, 200, 60_000, nil))), scenario.Options{Conf: map[string]string{
		"yarn.scheduler.fair.continuous-scheduling-enabled": "true", "yarn.scheduler.fair.continuous-scheduling-sleep-ms": "5"}})
	checkRecords(t, k, m)
	if !slices.ContainsFunc(k.containers, func(c record.Container) bool { return c.Allocated > 21_000 && c.Allocated < 22_100 }) {
		t.Error("the capacity is not filled")
	}
}
