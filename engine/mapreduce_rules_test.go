package engine

import (
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// A second attempt of the application takes over what the first had done: only tasks that had not succeeded run again, with numbers of their own.
func TestMapReduceRecovers(t *testing.T) {
	job := mapReduceJob(0, 0, stage(0, 12, 5000, nil), stage(1, 4, 60_000, []int32{0}))
	am := int32(-1)
	run := func(events ...trace.NodeEvent) *keep {
		k, m := replay(t, input(cluster(4, 2), events, job), scenario.Options{Seed: 1, Conf: map[string]string{"yarn.nm.liveness-monitor.expiry-interval-ms": "10000"}})
		checkRecords(t, k, m)
		return k
	}
	calm := run()
	if n := calm.jobs[0].StageAttempts; n != 2 {
		t.Errorf("%d attempts of stages, want that of the maps and that of the reduces", n)
	}
	for _, c := range calm.containers {
		if c.AM {
			am = c.Node
		}
	}
	k := run(nodeEvent(40_000, 0, am, trace.Fail))
	if j := k.jobs[0]; j.Outcome != record.JobSucceeded || j.TasksSucceeded != 16 {
		t.Errorf("ended as %s with %d tasks: %s", j.Outcome, j.TasksSucceeded, j.Reason)
	}
	first, again := map[int32]bool{}, 0
	for _, r := range k.tasks {
		if r.Stage != 0 || r.End != record.TaskSuccess {
			continue
		}
		if r.AMAttempt == 1 {
			first[r.Index] = true
			continue
		}
		if again++; r.Attempt < 1000 {
			t.Errorf("map %d of the second attempt has number %d, want 1000 or more", r.Index, r.Attempt)
		}
	}
	if len(first) != 12 || again == 0 || again >= 12 {
		t.Errorf("%d maps succeeded in the first attempt and %d ran again, want all 12 and those whose output the lost node had", len(first), again)
	}
}

// Reduces are asked for when slow start says so, and hold their containers until all maps have ended.
func TestMapReduceSlowStart(t *testing.T) {
	for _, tt := range []struct {
		slowStart string
		early     bool
	}{{"0.05", true}, {"1", false}} {
		job := mapReduceJob(0, 0, stage(0, 60, 10_000, nil), stage(1, 4, 2000, []int32{0}))
		job.Conf = []trace.KeyValue{{Key: "mapreduce.job.reduce.slowstart.completedmaps", Value: tt.slowStart}}
		k, _ := replay(t, input(cluster(3, 1), nil, job), scenario.Options{Seed: 1})
		last, first := int64(0), int64(1)<<62
		for _, r := range k.tasks {
			if r.Stage == 0 {
				last = max(last, r.Finish)
			}
		}
		for _, r := range k.tasks {
			if r.Stage == 1 && r.End == record.TaskSuccess {
				if first = min(first, r.Launch); r.Finish < last+2000/3 {
					t.Errorf("slow start %s: reduce %d ends at %d, the last map at %d", tt.slowStart, r.Index, r.Finish, last)
				}
			}
		}
		if (first < last) != tt.early {
			t.Errorf("slow start %s: the first reduce starts at %d, the last map ends at %d", tt.slowStart, first, last)
		}
	}
}
