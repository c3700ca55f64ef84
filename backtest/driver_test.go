package backtest

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"replay/engine/spark/driver"
	"replay/trace"
	"replay/trace/importer/recorded"
)

// An executor has a free slot where fewer of its attempts than it has cores have begun and not ended.
func TestFreeSlots(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	r := &Recording{executors: []trace.Executor{{ID: 1, VCores: 2, AddedMS: 20, RemovedMS: 150}, {ID: 2, VCores: 1, AddedMS: 0, RemovedMS: trace.Unset}, {Job: 1, ID: 3, VCores: 9, RemovedMS: trace.Unset}}}
	j := &trace.Job{TaskCPUs: 1}
	var all []driver.RecordedAttempt
	for range 20 {
		all = append(all, driver.RecordedAttempt{Executor: 1 + rnd.Int32N(2), LaunchMS: rnd.Int64N(200), CoreMS: rnd.Int64N(30)})
	}
	slices.SortFunc(all, func(a, b driver.RecordedAttempt) int { return cmp.Compare(a.LaunchMS, b.LaunchMS) })
	free, seen := r.freeSlots(j, all), map[bool]int{}
	for at := int64(-1); at <= 240; at++ {
		want := false
		for _, e := range r.executors[:2] {
			busy := int32(0)
			for _, x := range all {
				if x.Executor == e.ID && x.LaunchMS <= at && x.LaunchMS+x.CoreMS > at {
					busy++
				}
			}
			want = want || e.AddedMS <= at && (e.RemovedMS == trace.Unset || e.RemovedMS > at) && busy < e.VCores
		}
		if free(at) != want {
			t.Errorf("at %d a slot is free: %v, want %v", at, !want, want)
		}
		seen[want]++
	}
	if len(seen) != 2 {
		t.Errorf("free and not: %v, want both", seen)
	}
}

// The driver's time for a job is that before the first of its stages and after the last of them, as far as the recording says.
func TestAroundStages(t *testing.T) {
	j := &trace.Job{Stages: []trace.Stage{{SparkJob: 0}, {SparkJob: 1}, {SparkJob: 0}, {SparkJob: 2}, {SparkJob: 3}}}
	a := &recorded.App{
		Stages: []recorded.Stage{{SubmitMS: 12, FinishMS: 20}, {SubmitMS: 31, FinishMS: 40}, {SubmitMS: 11, FinishMS: 25}, {SubmitMS: trace.Unset, FinishMS: trace.Unset}, {SubmitMS: 61, FinishMS: 70}},
		Jobs: []recorded.Job{{ID: 0, SubmitMS: 10, FinishMS: 28}, {ID: 1, SubmitMS: 30, FinishMS: 39}, {ID: 2, SubmitMS: 50, FinishMS: 52}, {ID: 3, SubmitMS: 60, FinishMS: trace.Unset},
			{ID: 4, SubmitMS: 80, FinishMS: 90}},
	}
	got := around(j, a)
	maps.DeleteFunc(got, func(_ int32, ms int64) bool { return ms == 0 })
	if want := (map[int32]int64{0: 1 + 3, 1: 1, 3: 1}); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// What the driver took to end a stage counts from the last task that it waited for: of a stage that failed from the failure that was one too many.
func TestEndsOfStages(t *testing.T) {
	stages := make([]trace.Stage, 3)
	r, j := &Recording{}, &trace.Job{TaskCPUs: 1, Stages: stages}
	a := &recorded.App{Stages: []recorded.Stage{
		{Attempts: 1, SubmitMS: 10, FinishMS: 58}, {Attempts: 1, SubmitMS: 60, FinishMS: 105}, {Attempts: 1, SubmitMS: 110, FinishMS: 140},
	}}
	got := r.stageTimes(j, a, []driver.RecordedAttempt{
		{Stage: 0, LaunchMS: 10, CoreMS: 40, End: driver.AttemptSucceeded}, {Stage: 0, LaunchMS: 12, CoreMS: 20, End: driver.AttemptFailed},
		{Stage: 1, LaunchMS: 60, CoreMS: 5, End: driver.AttemptSucceeded}, {Stage: 1, LaunchMS: 60, CoreMS: 20, End: driver.AttemptFailed}, {Stage: 1, LaunchMS: 80, CoreMS: 20, End: driver.AttemptFailed},
		{Stage: 2, LaunchMS: 110, CoreMS: 20, End: driver.AttemptSucceeded}, {Stage: 2, LaunchMS: 110, CoreMS: 90, End: driver.AttemptFailed},
	})
	if want := []stageTimes{{finish: 8}, {finish: 5}, {finish: 10}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
