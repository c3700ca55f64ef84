package engine

import (
	"strings"
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

func TestApplicationMasterGoesOnAfterLastStage(t *testing.T) {
	// The driver works on for 5 minutes after its last stage: idle executors are given back meanwhile.
	j := sparkJob(0, 0, 3, stage(0, 12, 5000, nil))
	j.TailMS = 300_000
	k, _ := replay(t, input(cluster(3, 1), nil, j), scenario.Options{Model: noLatency()})
	last := int64(0)
	for _, r := range k.tasks {
		last = max(last, r.Finish)
	}
	for _, c := range k.containers {
		if !c.AM && c.Ended > last+70_000 {
			t.Errorf("executor in container %d ends at %d, want about 60 s after the last task ended at %d", c.Number, c.Ended, last)
		}
	}
	if got := k.jobs[0].Finish; got < last+300_000 {
		t.Errorf("job finishes at %d, want 300 s after %d", got, last)
	}
}

func TestGateSaysWhatItWaitsFor(t *testing.T) {
	// Room for one executor of the three, and a wait for 80 % of them without end.
	j := sparkJob(0, 0, 3, stage(0, 4, 1000, nil))
	j.MinExecs, j.MaxExecs, j.InitialExecs = trace.Unset, trace.Unset, trace.Unset
	nodes := cluster(1, 1)
	nodes[0].MemMiB = 4096
	k, _ := replay(t, input(nodes, nil, j), scenario.Options{Conf: map[string]string{
		"spark.executor.instances": "3", "spark.scheduler.maxRegisteredResourcesWaitingTime": "100000d"}})
	if r := k.jobs[0].Reason; !strings.Contains(r, "1 executors have registered") || !strings.Contains(r, "0.8 of 3") {
		t.Errorf("the job did not finish because %q, want what its code waits for", r)
	}
}

func TestProfilesWithStaticAllocation(t *testing.T) {
	run := func(cores, cpus int32) *record.Job {
		st := stage(1, 4, 1000, []int32{0})
		st.Profile, st.ExecVCores, st.TaskVCores = 1, cores, cpus
		j := sparkJob(0, 0, 0, stage(0, 4, 1000, nil), st)
		j.MinExecs, j.MaxExecs, j.InitialExecs = trace.Unset, trace.Unset, trace.Unset
		k, _ := replay(t, input(cluster(2, 1), nil, j), scenario.Options{})
		return &k.jobs[0]
	}
	if j := run(1, 1); j.Outcome != record.JobFailed || !strings.Contains(j.Reason, "spark.dynamicAllocation.enabled") {
		t.Errorf("a profile with executors of its own ended as %s (%s), want refused", j.Outcome, j.Reason)
	}
	if j := run(2, 2); j.Outcome != record.JobSucceeded {
		t.Errorf("a profile of tasks only ended as %s (%s), want success on the executors that are there", j.Outcome, j.Reason)
	}
}

func TestExecutorOnExcludedNodeIsRefused(t *testing.T) {
	// A failed fetch excludes node 0, which comes back. With static allocation nobody tells YARN of the
	// exclusion: it gives containers there, each executor is refused, and that is a failure of the executor:
	// the sixth (2 x 3) ends the application.
	c := lossCase{service: true, node: true, expiry: "15000"}
	calm, _ := c.replay(t, 0, 1)
	at := firstLaunch(calm, 1, 0, 0) + 15_000
	model := noLatency()
	model.FetchFailMS = 5000
	j := lossJob()
	for i := range j.Stages[2].Tasks.DurationMS {
		j.Stages[2].Tasks.DurationMS[i] = 600_000
	}
	k, _ := replay(t, input(lossNodes(), []trace.NodeEvent{nodeEvent(at, 0, 0, trace.Fail), nodeEvent(at+60_000, 1, 0, trace.Recover)}, j),
		scenario.Options{Model: model, Seed: 1, Conf: map[string]string{"yarn.nm.liveness-monitor.expiry-interval-ms": c.expiry,
			"spark.shuffle.service.enabled": "true", "spark.excludeOnFailure.enabled": "true",
			"spark.excludeOnFailure.application.fetchFailure.enabled": "true", "spark.yarn.maxAppAttempts": "1"}})
	if r := k.jobs[0]; r.Outcome != record.JobFailed || !strings.Contains(r.Reason, "executor failures") {
		t.Errorf("job ended as %s (%s), want failed by the failures of its executors", r.Outcome, r.Reason)
	}
	n := 0
	for _, c := range k.containers {
		if c.Node == 0 && c.Allocated > at {
			n++
			if c.Registered != record.None {
				t.Errorf("container %d on the excluded node has registered at %d", c.Number, c.Registered)
			}
		}
	}
	if n != 6 {
		t.Errorf("%d containers on the excluded node, want 6", n)
	}
}

func TestPoolsOfAFile(t *testing.T) {
	// Two stages at a time on one executor of two cores: weight 9 against 1.
	a, b := stage(0, 40, 1000, nil), stage(1, 40, 1000, nil)
	a.Pool, b.Pool = "light", "heavy"
	a.SparkJob, b.SparkJob = 0, 1
	pools := []byte(`<allocations><pool name="heavy"><weight>9</weight></pool><pool name="light"><weight>1</weight></pool></allocations>`)
	k, _ := replay(t, input(cluster(1, 1), nil, sparkJob(0, 0, 1, a, b)), scenario.Options{Model: noLatency(), Files: scenario.Files{scenario.SparkPools: {Name: "pools.xml", Text: pools}},
		Conf: map[string]string{"spark.scheduler.mode": "FAIR"}})
	last := map[int32]int64{}
	for _, r := range k.tasks {
		last[r.Stage] = max(last[r.Stage], r.Finish)
	}
	if last[1] >= last[0] {
		t.Errorf("the heavy pool ends at %d, the light one at %d, want the heavy one first", last[1], last[0])
	}
	if _, err := scenario.New(input(cluster(1, 1), nil), scenario.Options{Files: scenario.Files{scenario.SparkPools: {Name: "pools.xml", Text: []byte("<allocations>")}}}); err == nil || !strings.Contains(err.Error(), "pools.xml") {
		t.Errorf("a broken file gives %v, want an error that names it", err)
	}
}
