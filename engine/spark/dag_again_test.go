package spark

import (
	"slices"
	"strings"
	"testing"
)

// DAGScheduler.submitWaitingChildStages: a stage that waits for several is looked at with the end of each, and submits what was lost meanwhile.
func TestLostOutputIsComputedAgainWithTheNextParent(t *testing.T) {
	r := newDAGRig(t, nil, rigStage(0, 0, 2), rigStage(1, 0, 1), rigStage(2, 0, 1), rigStage(3, 0, 1, 0, 1, 2))
	r.Start(0)
	r.succeed(0, 1, 2)
	r.gone(1, false)
	r.told()
	r.succeed(1, 3)
	r.expect("another parent ends", "1.0 done, 0.1 submitted for [0]")
	r.end(0, 0, 0, 3, EndSuccess)
	r.expect("computed again", "0.1 done")
	r.succeed(2, 3)
	r.expect("the last parent ends", "2.0 done, 3.0 submitted")
}

// secondJob is a job of two stages, the last one of which reads output of the job before it, too. It begins some time after that has ended.
func secondJob(t *testing.T, values map[string]string) *dagRig {
	t.Helper()
	first := rigStage(2, 1, 1)
	first.After, first.DelayMS = []int32{1}, 500
	r := newDAGRig(t, values, rigStage(0, 0, 2), rigStage(1, 0, 1, 0), first, rigStage(3, 1, 1, 0, 2))
	r.Start(0)
	r.succeed(0, 1, 2)
	r.succeed(1, 3)
	if got := r.told(); !strings.HasSuffix(got, "job 0 ends, stage 2 at 500") {
		t.Fatalf("the first job: told %q", got)
	}
	return r
}

// DAGScheduler.handleJobSubmitted: the last stage of a job is submitted, and with it what is missing for any of its stages.
func TestLostOutputIsComputedAgainWhenAJobBegins(t *testing.T) {
	r := secondJob(t, nil)
	r.gone(1, false)
	r.StageDue(500, 2)
	r.expect("the second job", "job 1 starts, 0.1 submitted for [0], 2.0 submitted")
}

// DAGScheduler.handleTaskCompletion: of tasks of a stage that was forgotten with its job nothing becomes, also where another job has made one anew for the same output.
func TestLateResultsForAnEndedJobAreOfNoUseToALaterOne(t *testing.T) {
	r := secondJob(t, nil)
	r.gone(1, false)
	r.StageDue(500, 2)
	r.expect("the second job", "job 1 starts, 0.1 submitted for [0], 2.0 submitted")
	r.end(0, -1, 0, 5, EndSuccess)
	r.expect("a late result", "")
	r.end(0, 0, 0, 4, EndSuccess)
	r.expect("computed again", "0.1 done")
	if got := r.Outputs(0); !slices.Equal(got, []int32{4, 2}) {
		t.Errorf("output is on %v, want [4 2]", got)
	}
}

// DAGScheduler.getOrCreateShuffleMapStage, Stage.increaseAttemptIdOnFirstSkip: a job makes a stage of its own for output of an ended one.
func TestAttemptsAreCountedAnewForALaterJob(t *testing.T) {
	const refused = "given up: stage 0: 2 attempts reach the larger of spark.stage.maxAttempts and spark.stage.maxConsecutiveAttempts"
	for _, tt := range []struct {
		name   string
		before bool // the output is lost before the job begins
		most   string
		want   string
	}{
		{"lost before", true, "1", "0.1 submitted for [0], 2.0 submitted"},
		{"lost behind, where having been skipped counts", false, "2", "2.0 submitted, 2.0 done, 0.1 submitted for [0]"},
		{"lost twice", true, "2", "0.1 submitted for [0], 2.0 submitted, 0.1 done, 2.0 done, 0.2 submitted for [0]"},
		{"lost once more than may be", false, "2", "2.0 submitted, 2.0 done, 0.1 submitted for [0], 0.1 done, 3.0 submitted, 3.0 failed, resubmit at 700, " + refused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := secondJob(t, map[string]string{"spark.stage.maxAttempts": tt.most, "spark.stage.maxConsecutiveAttempts": "1"})
			r.now = 500
			if strings.HasSuffix(tt.want, refused) { // two attempts in a row may fail, so that the limit of all is met
				r.conf.MaxConsecutiveAttempts = 2
			}
			if tt.before {
				r.gone(1, false)
			}
			r.StageDue(500, 2)
			if !tt.before {
				r.gone(1, false)
				r.succeed(2, 3)
			}
			if tt.name == "lost twice" {
				r.end(0, 0, 0, 4, EndSuccess)
				r.gone(4, false)
				r.succeed(2, 3)
			}
			if strings.HasSuffix(tt.want, refused) {
				r.end(0, 0, 0, 4, EndSuccess)
				r.end(3, 0, 0, 3, EndFetchFailed, FetchSource{0, 0, 4, 3})
				r.Resubmit(700)
			}
			r.expect("the second job", "job 1 starts, "+tt.want)
		})
	}
}

// DAGScheduler.abortStage, stageDependsOn: no job depends on a stage whose output is there, so a limit that it meets ends nothing.
func TestLimitOfAStageWhoseOutputIsThere(t *testing.T) {
	r := newDAGRig(t, map[string]string{"spark.stage.maxAttempts": "1", "spark.stage.maxConsecutiveAttempts": "2"},
		rigStage(0, 0, 1), rigStage(1, 0, 1, 0), rigStage(2, 0, 1, 0), rigStage(3, 0, 1, 1, 2))
	r.Start(0)
	r.succeed(0, 1)
	r.told()
	elsewhere := FetchSource{0, 0, 7, 6} // where the output was before
	r.end(1, 0, 0, 3, EndFetchFailed, elsewhere)
	r.Resubmit(200)
	r.expect("the first reader", "1.0 failed, resubmit at 200, 0.1 submitted empty, 0.1 done, 1.1 submitted")
	r.end(2, 0, 0, 3, EndFetchFailed, elsewhere)
	r.Resubmit(400)
	r.expect("the second reader", "2.0 failed, resubmit at 200, 2.1 submitted")
}

// DAGScheduler.stageDependsOn follows what a cached input is computed from, whether it is cached or not.
func TestJobsDependOnWhatCachedInputComesFrom(t *testing.T) {
	again := rigStage(2, 0, 2)
	again.After, again.CacheOf = []int32{1}, 1
	d := dagOf(t, nil, rigStage(0, 0, 1), rigStage(1, 0, 2, 0), again)
	d.Start(0)
	d.stages[1].ended = true // as if it had been: stage 2 alone is left
	if !d.dependedOn(0) {
		t.Error("nothing depends on stage 0, want stage 2 to")
	}
	d.stages[2].ended = true
	if d.dependedOn(0) || d.dependedOn(2) {
		t.Error("something depends on stages whose results are there")
	}
}
