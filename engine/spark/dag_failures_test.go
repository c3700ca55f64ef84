package spark

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/trace"
)

// DAGScheduler.handleTaskCompletion, FetchFailed.
func TestFetchFailure(t *testing.T) {
	from := FetchSource{Stage: 0, Partition: 1, Exec: 3, Host: 2}
	r := newDAGRig(t, nil, rigStage(0, 0, 4), rigStage(1, 0, 3, 0))
	r.Start(0)
	r.succeed(0, 2, 3, 3, 4)
	r.told()
	r.now = 1000
	r.end(1, 0, 0, 2, EndFetchFailed, from)
	r.expect("the first", "1.0 failed, resubmit at 1200")
	if got := r.stages[0].out; !slices.Equal(got, []int32{2, -1, -1, 4}) {
		t.Errorf("output is on %v, want all of executor 3 forgotten", got)
	}
	r.now = 1100
	r.end(1, 0, 1, 2, EndFetchFailed, from)
	r.expect("the second of the attempt", "")
	r.end(1, 0, 2, 2, EndSuccess)
	r.expect("a success of the attempt that failed", "")
	r.Resubmit(1200)
	r.expect("resubmission", "0.1 submitted for [1 2]")
	r.end(1, 0, 1, 2, EndFetchFailed, from)
	r.expect("one more of the attempt, while its stage waits", "resubmit at 1300")
	r.Resubmit(1300)
	r.end(0, 0, 1, 2, EndSuccess)
	r.end(0, 0, 2, 2, EndSuccess)
	r.expect("computed again", "0.1 done, 1.1 submitted for [0 1]")
	r.end(1, -1, 1, 2, EndFetchFailed, FetchSource{Stage: 0, Partition: 0, Exec: 2, Host: 1})
	r.expect("of an older attempt", "")
	if got := r.stages[0].out; !slices.Equal(got, []int32{2, 2, 2, 4}) {
		t.Errorf("output is on %v, an older attempt changes nothing", got)
	}
}

// What a fetch failure unregisters.
func TestFetchFailureUnregisters(t *testing.T) {
	// Stage 0 is on executors 0, 1, 2 and 3; 0 and 1 are on one host. So is stage 1, which is not named.
	const onHost, service = "spark.files.fetchFailure.unRegisterOutputOnHost", "spark.shuffle.service.enabled"
	all := []int32{0, 1, 2, 3}
	for _, tt := range []struct {
		name   string
		values map[string]string
		from   FetchSource
		gang   bool
		want   []int32 // of stage 0
		other  []int32 // of stage 1
	}{
		{"the executor", nil, FetchSource{0, 1, 1, 0}, false, []int32{0, -1, 2, 3}, []int32{0, -1, 2, 3}},
		{"the executor, beside a service", map[string]string{service: "true"}, FetchSource{0, 1, 1, 0}, false, []int32{0, -1, 2, 3}, []int32{0, -1, 2, 3}},
		{"the host of the service", map[string]string{service: "true", onHost: "true"}, FetchSource{0, 1, 1, 0}, false, []int32{-1, -1, 2, 3}, []int32{-1, -1, 2, 3}},
		{"no service, so no host", map[string]string{onHost: "true"}, FetchSource{0, 1, 1, 0}, false, []int32{0, -1, 2, 3}, []int32{0, -1, 2, 3}},
		{"the first partition", nil, FetchSource{0, 0, 0, 0}, false, []int32{-1, 1, 2, 3}, []int32{-1, 1, 2, 3}},
		{"output that was computed elsewhere meanwhile", nil, FetchSource{0, 1, 5, 4}, false, all, all},
		{"output whose place is not known", nil, FetchSource{0, -1, -1, -1}, false, all, all},
		{"all of a barrier stage", nil, FetchSource{0, 1, 1, 0}, true, []int32{-1, -1, -1, -1}, []int32{0, -1, 2, 3}},
		{"all of a barrier stage, place not known", nil, FetchSource{0, -1, -1, -1}, true, []int32{-1, -1, -1, -1}, all},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first := rigStage(0, 0, 4)
			if tt.gang {
				first.Kind = trace.StageGang
			}
			r := newDAGRig(t, tt.values, first, rigStage(1, 0, 4), rigStage(2, 0, 1, 0, 1))
			r.Start(0)
			r.succeed(0, all...)
			r.succeed(1, all...)
			r.end(2, 0, 0, 5, EndFetchFailed, tt.from)
			left := func(stage int32) int {
				n := 0
				for _, e := range r.stages[stage].out {
					if e >= 0 {
						n++
					}
				}
				return n
			}
			if d := cmp.Diff([][]int32{tt.want, tt.other}, [][]int32{r.stages[0].out, r.stages[1].out}); d != "" {
				t.Errorf("output (-want +got)\n%s", d)
			}
			if r.availableOf(0) != left(0) || r.availableOf(1) != left(1) {
				t.Errorf("%d and %d partitions are available, want %d and %d", r.availableOf(0), r.availableOf(1), left(0), left(1))
			}
		})
	}
}

// DAGScheduler.removeExecutorAndUnregisterOutputs acts once for the failures of one epoch.
func TestFetchFailuresOfOneEpoch(t *testing.T) {
	r := newDAGRig(t, nil, rigStage(0, 0, 2), rigStage(1, 0, 2), rigStage(2, 0, 1, 0), rigStage(3, 0, 1, 1), rigStage(4, 0, 1, 2, 3))
	r.Start(0)
	r.succeed(0, 3, 4)
	r.succeed(1, 3, 3)
	r.end(3, 0, 0, 5, EndFetchFailed, FetchSource{1, 0, 3, 2}) // a task set of a later epoch than that of stage 2
	r.Resubmit(200)
	r.end(1, 0, 0, 3, EndSuccess) // on the same executor, later still
	r.end(1, 0, 1, 3, EndSuccess)
	if r.availableOf(0) != 1 || r.availableOf(1) != 2 {
		t.Fatalf("%d and %d partitions are available, want 1 and 2", r.availableOf(0), r.availableOf(1))
	}
	r.end(2, 0, 0, 5, EndFetchFailed, FetchSource{0, 0, 3, 2})
	if r.availableOf(1) != 2 {
		t.Error("a failure of an earlier epoch takes output of a later one")
	}
	r.end(3, 0, 0, 5, EndFetchFailed, FetchSource{1, 0, 3, 2})
	if r.availableOf(1) != 0 {
		t.Errorf("%d partitions are available after a failure of their epoch, want none", r.availableOf(1))
	}
}

// A second failure of one attempt takes only the output that it names: what has been computed again on the executor meanwhile stays.
func TestSecondFetchFailureOfAnAttempt(t *testing.T) {
	r := newDAGRig(t, nil, rigStage(0, 0, 3), rigStage(1, 0, 3, 0))
	r.Start(0)
	r.succeed(0, 3, 3, 3)
	r.end(1, 0, 0, 5, EndFetchFailed, FetchSource{0, 1, 3, 2})
	r.Resubmit(200)
	r.end(0, 0, 0, 3, EndSuccess)
	r.end(0, 0, 2, 3, EndSuccess)
	r.end(1, 0, 1, 5, EndFetchFailed, FetchSource{0, 0, 3, 2})
	if got := r.stages[0].out; !slices.Equal(got, []int32{-1, -1, 3}) || r.availableOf(0) != 1 {
		t.Errorf("output is on %v, %d available, want that of the last partition alone", got, r.availableOf(0))
	}
}

// What a result stage has done stays done when output that it read is lost with the executor that did it.
func TestResultsOutliveTheirExecutor(t *testing.T) {
	for name, service := range map[string]string{"executor": "false", "host": "true"} {
		values := map[string]string{"spark.shuffle.service.enabled": service, "spark.files.fetchFailure.unRegisterOutputOnHost": service}
		r := newDAGRig(t, values, rigStage(0, 0, 2), rigStage(1, 0, 3, 0))
		r.Start(0)
		r.succeed(0, 3, 4)
		r.end(1, 0, 0, 3, EndSuccess)
		r.end(1, 0, 1, 4, EndFetchFailed, FetchSource{0, 0, 3, 2})
		r.Resubmit(200)
		r.told()
		r.end(0, 0, 0, 4, EndSuccess)
		r.expect(name, "0.1 done, 1.1 submitted for [1 2]")
	}
}

// A fetch failure takes the cached blocks of the executor along, as its loss does.
func TestFetchFailureDropsCachedBlocks(t *testing.T) {
	again := rigStage(3, 1, 2)
	again.CacheOf, again.After = 0, []int32{2}
	r := newDAGRig(t, nil, rigStage(0, 0, 2), rigStage(1, 0, 2), rigStage(2, 0, 1, 1), again)
	r.Start(0)
	r.succeed(0, 3, 4)
	r.succeed(1, 3, 4)
	r.end(2, 0, 0, 5, EndFetchFailed, FetchSource{1, 0, 3, 2})
	if got := r.stages[0].cached; !slices.Equal(got, []int32{-1, 4}) {
		t.Errorf("blocks are on %v, want none on executor 3", got)
	}
	r.gone(4, false)
	if got := r.stages[0].cached; !slices.Equal(got, []int32{-1, -1}) {
		t.Errorf("blocks are on %v, want none", got)
	}
}

// spark.stage.maxConsecutiveAttempts counts attempts that failed one after another.
func TestConsecutiveFailures(t *testing.T) {
	fail := func(r *dagRig, p int32) {
		r.end(1, 0, 0, 5, EndFetchFailed, FetchSource{0, p, 3, 2})
		r.end(1, 0, 1, 5, EndFetchFailed, FetchSource{0, p, 3, 2}) // the same attempt
		r.Resubmit(r.now)
	}
	r := newDAGRig(t, map[string]string{"spark.stage.maxConsecutiveAttempts": "2"}, rigStage(0, 0, 1), rigStage(1, 0, 2, 0), rigStage(2, 1, 1, 1))
	r.Start(0)
	r.succeed(0, 3)
	r.told()
	fail(r, 0)
	r.expect("once", "1.0 failed, resubmit at 200, 0.1 submitted")
	r.succeed(0, 3)
	r.succeed(1, 4, 4) // it succeeds: the count starts again
	r.expect("again", "0.1 done, 1.1 submitted, 1.1 done, job 0 ends, job 1 starts, 2.0 submitted")
	r.gone(4, false)
	r.gone(3, false)
	r.end(2, 0, 0, 5, EndFetchFailed, FetchSource{1, 0, 4, 3})
	r.Resubmit(0)
	r.succeed(0, 3)
	r.told()
	fail(r, 0)
	r.expect("once since it succeeded", "1.2 failed, resubmit at 200, 0.3 submitted")
	r.succeed(0, 3)
	r.told()
	r.end(1, 0, 0, 5, EndFetchFailed, FetchSource{0, 0, 3, 2})
	r.expect("twice", "1.3 failed, given up: stage 1: 2 consecutive attempts failed (spark.stage.maxConsecutiveAttempts)")
	r.Resubmit(400)
	r.succeed(1, 4, 4)
	r.gone(5, true)
	r.expect("after the end", "")
}

// spark.stage.ignoreDecommissionFetchFailure: what is not fetched from an executor that is being decommissioned is nobody's fault. Of one that has
// gone Spark does not know any more that it was.
func TestFetchFailureOfADecommissionedExecutor(t *testing.T) {
	for _, tt := range []struct {
		ignore         string
		decommissioned bool
		gone           bool
		failed         int
	}{
		{"true", true, false, 0}, {"true", true, true, 1}, {"true", false, false, 1}, {"false", true, false, 1}, {"false", false, false, 1},
	} {
		r := newDAGRig(t, map[string]string{"spark.stage.ignoreDecommissionFetchFailure": tt.ignore}, rigStage(0, 0, 1), rigStage(1, 0, 1, 0))
		r.Start(0)
		r.succeed(0, 3)
		if tt.decommissioned {
			r.s.Decommission(0, 3, false)
		}
		if tt.gone {
			r.s.ExecutorLost(0, 3, Loss{Kind: LossDecommissioned})
		}
		r.end(1, 0, 0, 5, EndFetchFailed, FetchSource{0, 0, 3, 2})
		if got := len(r.stages[1].failedAttempts); got != tt.failed {
			t.Errorf("ignored %s, decommissioned %t, gone %t: %d failed attempts, want %d", tt.ignore, tt.decommissioned, tt.gone, got, tt.failed)
		}
	}
}

// The output on a host that is decommissioned goes as a whole, also without a shuffle service.
func TestFetchFailureOfADecommissionedHost(t *testing.T) {
	for _, tt := range []struct {
		onHost string
		whole  bool
		want   []int32
	}{
		{"true", true, []int32{-1, -1, 2}}, {"true", false, []int32{0, -1, 2}}, {"false", true, []int32{0, -1, 2}},
	} {
		r := newDAGRig(t, map[string]string{"spark.files.fetchFailure.unRegisterOutputOnHost": tt.onHost}, rigStage(0, 0, 3), rigStage(1, 0, 1, 0))
		r.Start(0)
		r.succeed(0, 0, 1, 2)
		r.s.Decommission(0, 1, tt.whole)
		r.end(1, 0, 0, 5, EndFetchFailed, FetchSource{0, 1, 1, 0})
		if got := r.stages[0].out; !slices.Equal(got, tt.want) {
			t.Errorf("by host %s, whole host %t: output is on %v, want %v", tt.onHost, tt.whole, got, tt.want)
		}
	}
}

// A task set that is given up ends the application.
func TestTaskSetGivenUp(t *testing.T) {
	later := rigStage(2, 2, 1)
	later.DelayMS = 100
	r := newDAGRig(t, nil, rigStage(0, 0, 1), rigStage(1, 1, 1), later)
	r.Start(0)
	r.told()
	r.Handle(0, &TaskEvent{Kind: TaskSetFailed, Stage: 1, StageAttempt: 0})
	r.Handle(0, &TaskEvent{Kind: TaskSetFailed, Stage: 0, StageAttempt: 0})
	r.expect("given up", "given up: stage 1, attempt 0: a task failed 4 times or may run nowhere")
	r.succeed(0, 1)
	r.StageDue(0, 0)
	r.Resubmit(0)
	r.StageDue(0, 2) // the first of its job
	r.expect("after the end", "")
}

// DAGScheduler.abortStage: an attempt that is given up when what it computes is there, or no job needs it, ends no job.
func TestTaskSetGivenUpForNothing(t *testing.T) {
	r := newDAGRig(t, nil, rigStage(0, 0, 1), rigStage(1, 0, 2, 0), rigStage(2, 0, 1, 1), rigStage(3, 1, 1))
	given := func(stage int32) { r.Handle(0, &TaskEvent{Kind: TaskSetFailed, Stage: stage}) }
	r.Start(0)
	r.succeed(0, 1)
	r.told()
	given(0)
	r.expect("its output is there", "")
	r.succeed(1, 1, 2)
	r.succeed(2, 1)
	r.expect("the end of the first job", "1.0 done, 2.0 submitted, 2.0 done, job 0 ends")
	given(2)
	r.gone(1, false)
	given(0)
	r.expect("no job needs it", "")
	given(3)
	r.expect("another job does", "given up: stage 3, attempt 0: a task failed 4 times or may run nowhere")
}

// DAGScheduler.maxStageAttempts: the larger of spark.stage.maxAttempts and spark.stage.maxConsecutiveAttempts.
func TestStageAttempts(t *testing.T) {
	for _, tt := range []struct{ all, consecutive, want int }{{3, 2, 3}, {1, 2, 2}, {3, 4, 4}} {
		var readers []trace.Stage // of which each fails once, so that no stage fails twice in a row
		for id := range int32(tt.want) {
			readers = append(readers, rigStage(1+id, 0, 1, 0))
		}
		r := newDAGRig(t, map[string]string{"spark.stage.maxAttempts": fmt.Sprint(tt.all), "spark.stage.maxConsecutiveAttempts": fmt.Sprint(tt.consecutive)},
			append([]trace.Stage{rigStage(0, 0, 1)}, readers...)...)
		r.Start(0)
		for i := range readers {
			r.succeed(0, 3)
			r.told()
			r.end(int32(1+i), 0, 0, 5, EndFetchFailed, FetchSource{0, 0, 3, 2})
			r.Resubmit(0)
		}
		r.expect(fmt.Sprint("the failure behind the last attempt of ", tt), fmt.Sprintf("%d.0 failed, resubmit at 200, "+
			"given up: stage 0: %[1]d attempts reach the larger of spark.stage.maxAttempts and spark.stage.maxConsecutiveAttempts", tt.want))
	}
}

// DAGScheduler.resubmitFailedStages, submitWaitingChildStages: by job, then by number.
func TestOrderOfResubmission(t *testing.T) {
	// Stages 1 to 4 read stage 0; their jobs are 3, 2, 1 and 1.
	r := newDAGRig(t, nil, rigStage(0, 1, 1), rigStage(1, 3, 1, 0), rigStage(2, 2, 1, 0), rigStage(3, 1, 1, 0), rigStage(4, 1, 1, 0))
	r.Start(0)
	r.succeed(0, 3)
	r.expect("start", "job 1 starts, 0.0 submitted, 0.0 done, job 3 starts, 1.0 submitted, job 2 starts, 2.0 submitted, 3.0 submitted, 4.0 submitted")
	for _, s := range []int32{4, 1, 3, 2} {
		r.end(s, 0, 0, 5, EndFetchFailed, FetchSource{0, 0, 3, 2})
	}
	r.expect("failures", "4.0 failed, resubmit at 200, 1.0 failed, resubmit at 200, 3.0 failed, resubmit at 200, 2.0 failed, resubmit at 200")
	r.Resubmit(200)
	r.expect("resubmission", "0.1 submitted")
	r.Resubmit(200)
	r.expect("the second timer", "")
	r.succeed(0, 4)
	r.expect("again", "0.1 done, 3.1 submitted, 4.1 submitted, 2.1 submitted, 1.1 submitted")
}

// Stages that wait for two parents: one submission, whatever ends how often.
func TestWaitingForTwoParents(t *testing.T) {
	r := newDAGRig(t, nil, rigStage(0, 0, 1), rigStage(1, 0, 1), rigStage(2, 0, 1, 1, 0, 1))
	r.Start(0)
	r.succeed(0, 3)
	r.succeed(1, 3)
	r.told()
	r.end(2, 0, 0, 5, EndFetchFailed, FetchSource{1, 0, 3, 2})
	r.Resubmit(200)
	r.expect("resubmission", "2.0 failed, resubmit at 200, 1.1 submitted, 0.1 submitted")
	r.succeed(1, 4)
	r.expect("one parent", "1.1 done")
	r.succeed(0, 4)
	r.expect("both parents", "0.1 done, 2.1 submitted")
}

// DAGScheduler.getMissingParentStages: by number, each once.
func TestMissingParents(t *testing.T) {
	late := rigStage(2, 0, 1, 1, 0, 1)
	late.DelayMS = 100
	r := newDAGRig(t, nil, rigStage(0, 0, 1), rigStage(1, 0, 1), late)
	r.Start(0)
	r.succeed(0, 3)
	r.succeed(1, 3)
	r.told()
	r.gone(3, false)
	r.StageDue(100, 2)
	r.expect("both are lost", "0.1 submitted, 1.1 submitted")
	r.StageDue(100, 2)
	r.expect("it waits already", "")
}

// DAGScheduler.handleTaskCompletion, TaskSchedulerImpl.killAllTaskAttempts: what the attempts of a result stage that is complete still run is told to stop. Their task
// sets stay as long as something of them is to come, so that a result that is under way is lost with its executor.
func TestResultStageStopsItsAttempts(t *testing.T) {
	r := newDAGRig(t, nil, rigStage(0, 0, 1), rigStage(1, 0, 2, 0))
	r.Start(0)
	r.succeed(0, 3)
	offer := func(exec, host, cores int32) []TaskRef {
		return slices.Clone(r.s.ResourceOffers(r.now, []Offer{{Exec: exec, Host: host, Cores: cores}}, false))
	}
	offer(3, 2, 1) // the task of stage 0
	first := offer(4, 2, 2)
	r.end(1, 0, 0, 5, EndFetchFailed, FetchSource{0, 0, 3, 2})
	r.Resubmit(200)
	r.succeed(0, 4)
	offer(6, 2, 1) // the task of stage 0 again
	second := offer(7, 2, 2)
	if len(first) != 2 || len(second) != 2 || !r.s.StatusUpdate(first[0]) {
		t.Fatalf("launched %v and %v", first, second)
	}
	r.s.Take()
	r.succeed(1, 5, 5)
	var stopped []TaskRef
	for _, e := range r.s.Take() {
		if e.Kind == KillTask {
			stopped = append(stopped, TaskRef{Set: e.Set, Row: e.Row})
		}
	}
	if want := []TaskRef{first[1], second[0], second[1]}; !slices.Equal(stopped, want) {
		t.Errorf("told to stop: %v, want %v", stopped, want)
	}
	r.s.ExecutorLost(300, 4, Loss{Kind: LossExited})
	lost := 0
	for _, e := range r.s.Take() {
		if e.Kind == TaskEnded && e.Set == first[0].Set {
			lost++
		}
	}
	if lost != 2 {
		t.Errorf("%d attempts are lost with their executor, want that whose result is under way too", lost)
	}
}

// DAGScheduler.handleTaskCompletion, ResultTask: a result stage ends with its last partition, whatever became of its attempt, and with it what its job alone
// still computes. What is told of it later changes nothing.
func TestResultOfAFailedAttempt(t *testing.T) {
	start := func(more ...trace.Stage) *dagRig {
		r := newDAGRig(t, nil, append(stages(rigStage(0, 0, 2), rigStage(1, 0, 2, 0)), more...)...)
		r.Start(0)
		r.succeed(0, 3, 4)
		r.end(1, 0, 0, 4, EndSuccess)
		r.told()
		r.end(1, 0, 1, 5, EndFetchFailed, FetchSource{0, 0, 3, 2})
		r.expect("a task cannot read its input", "1.0 failed, resubmit at 200")
		return r
	}
	r := start()
	r.end(1, 0, 1, 4, EndSuccess)
	r.expect("its copy can", "1.0 done, job 0 ends, all done")
	r.Resubmit(200)
	r.end(1, 0, 0, 5, EndFetchFailed, FetchSource{0, 1, 4, 3})
	r.end(1, 0, 0, 5, EndSuccess)
	r.end(0, 0, 0, 5, EndSuccess)
	r.expect("after the end", "")
	if len(r.failed) > 0 || r.availableOf(0) != 1 {
		t.Errorf("stages %v are to run again, %d partitions are available, want none and 1", r.failed, r.availableOf(0))
	}

	r = start()
	r.Resubmit(200)
	r.expect("resubmission", "0.1 submitted for [0]")
	again := r.s.Set(r.stages[0].set)
	r.end(1, 0, 1, 4, EndSuccess)
	r.expect("its copy can, while the stage waits", "1.0 done, 0.1 failed, job 0 ends, all done")
	r.end(0, 0, 0, 5, EndKilled)
	r.end(0, 0, 0, 5, EndSuccess)
	r.expect("what was computed for it", "")
	if !again.Zombie || r.stages[0].running || r.stages[1].waiting {
		t.Errorf("stage 0 is stopped: %t, runs: %t, stage 1 waits: %t; want yes, no, no", again.Zombie, r.stages[0].running, r.stages[1].waiting)
	}

	r = start(rigStage(2, 1, 1, 0)) // of another job, which reads stage 0 too
	r.Resubmit(200)
	r.expect("resubmission", "0.1 submitted for [0]")
	r.end(1, 0, 1, 4, EndSuccess)
	r.expect("its copy can, while another job runs", "1.0 done, job 0 ends")
	r.end(2, 0, 0, 4, EndFetchFailed, FetchSource{0, 0, 3, 2})
	r.Resubmit(400)
	r.end(0, 0, 0, 4, EndSuccess)
	r.expect("the other job", "2.0 failed, resubmit at 200, 0.1 done, 2.1 submitted")
}

// MapOutputTracker: what a task meets that reads output now.
func TestUnreadableOutput(t *testing.T) {
	yes, no := func() bool { return true }, func() bool { return false }
	start := func() *dagRig {
		r := newDAGRig(t, nil, rigStage(0, 0, 4), rigStage(1, 0, 2), rigStage(2, 0, 4, 0, 1))
		r.Start(0)
		r.succeed(0, 1, 2, 3, 3)
		r.succeed(1, 4, 3)
		return r
	}
	check := func(r *dagRig, what string, partition int32, knows func() bool, want FetchSource, fails bool) {
		t.Helper()
		if got, ok := r.FetchFailure(2, partition, knows); ok != fails || got != want {
			t.Errorf("%s: partition %d meets %+v, %t; want %+v, %t", what, partition, got, ok, want, fails)
		}
	}
	r := start()
	check(r, "all there", 0, yes, FetchSource{}, false)
	r.ServerLost(5)
	check(r, "a server without output is lost", 0, yes, FetchSource{}, false)
	r.ServerLost(3)
	check(r, "a server is lost", 0, yes, FetchSource{0, 2, 3, 2}, true)
	check(r, "a server is lost", 1, yes, FetchSource{0, 2, 3, 2}, true)
	r.ServerLost(4)
	check(r, "two servers are lost", 0, yes, FetchSource{0, 2, 3, 2}, true)
	check(r, "two servers are lost", 1, yes, FetchSource{1, 0, 4, 3}, true)
	check(r, "two servers are lost", 2, yes, FetchSource{0, 2, 3, 2}, true)
	r.end(2, 0, 0, 5, EndFetchFailed, FetchSource{0, 2, 3, 2})
	check(r, "the output is unregistered", 0, no, FetchSource{0, -1, -1, -1}, true)
	check(r, "the output is unregistered, its place is remembered", 0, yes, FetchSource{0, 2, 3, 2}, true)

	r = start()
	r.gone(4, false)
	check(r, "the second parent lacks output", 0, no, FetchSource{1, -1, -1, -1}, true)
	check(r, "the second parent lacks output, its place is remembered", 3, yes, FetchSource{1, 0, 4, 3}, true)

	r = start()
	r.HostLost(0)
	check(r, "a host is lost", 0, yes, FetchSource{0, 0, 1, 0}, true)
	r.gone(1, true)
	check(r, "and all its executors", 0, yes, FetchSource{0, 0, 1, 0}, true)
	check(r, "and all its executors, nothing is remembered", 0, no, FetchSource{0, -1, -1, -1}, true)

	r = start()
	r.ServerLost(2)
	check(r, "before it is computed again", 0, yes, FetchSource{0, 1, 2, 1}, true)
	r.end(2, 0, 0, 5, EndFetchFailed, FetchSource{0, 1, 2, 1})
	r.Resubmit(200)
	r.end(0, 0, 1, 5, EndSuccess)
	check(r, "computed again", 0, yes, FetchSource{}, false)
}
