package engine

import (
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// TestSpark18886 replays the case of SPARK-18886 as a whole: 1,000 tasks of 1 s that all prefer the host of
// one executor, on an application with five of them.
func TestSpark18886(t *testing.T) {
	run := func(legacy string) (byNode []int, first []int64, makespan int64) {
		nodes := cluster(6, 1)
		for i := range 5 {
			nodes[i].MemMiB, nodes[i].VCores = 2048, 2
		}
		nodes[5].MemMiB, nodes[5].VCores = 4096, 1
		j := sparkJob(0, 0, 0, stage(0, 1000, 1000, nil, 0))
		j.AMMemMiB = 4096
		j.MinExecs, j.MaxExecs, j.InitialExecs = trace.Unset, trace.Unset, trace.Unset
		k, _ := replay(t, input(nodes, nil, j), scenario.Options{Seed: 1, Conf: map[string]string{
			"spark.executor.instances": "5", "spark.locality.wait.legacyResetOnTaskLaunch": legacy}})
		if j := k.jobs[0]; j.Outcome != record.JobSucceeded {
			t.Fatalf("legacy=%s: job ended as %s: %s", legacy, j.Outcome, j.Reason)
		}
		byNode, first = make([]int, 6), make([]int64, 6)
		begin, end := k.tasks[0].Launch, int64(0)
		for _, r := range k.tasks {
			if byNode[r.Node]++; byNode[r.Node] == 1 {
				first[r.Node] = r.Launch - begin
			}
			begin, end = min(begin, r.Launch), max(end, r.Finish)
		}
		return byNode, first, end - begin
	}
	legacy, _, slow := run("true")
	spread, first, fast := run("false")
	if legacy[0] < 990 {
		t.Errorf("legacy rule: tasks by node %v, want nearly all on node 0: every launch there restarts the wait", legacy)
	}
	for node := 1; node < 5; node++ {
		if spread[node] < 100 || first[node] < 3000 || first[node] > 4100 {
			t.Errorf("new rule: node %d runs %d tasks, the first after %d ms, want 100 or more and the first after the wait of 3 s and a revive", node, spread[node], first[node])
		}
	}
	if spread[0] > 600 || fast > slow*6/10 {
		t.Errorf("new rule: tasks by node %v in %d ms, legacy %d ms, want at most 600 on node 0 and 60 %% of the time", spread, fast, slow)
	}
}
