package spark

import (
	"fmt"
	"slices"
	"testing"
)

// Blocks of a cached stage are where its tasks ran; a reader that computes a lost one keeps it where it was computed.
func TestCachedBlocks(t *testing.T) {
	again := rigStage(1, 1, 4)
	again.CacheOf, again.After = 0, []int32{0}
	r := newDAGRig(t, nil, rigStage(0, 0, 3), again)
	r.Start(0)
	r.told()
	r.succeed(0, 0, 2, 3)
	r.expect("the first", "0[0] cached on 0, 0[1] cached on 2, 0[2] cached on 3, 0.0 done, job 0 ends, job 1 starts, 1.0 submitted")
	r.end(1, 0, 0, 4, EndSuccess)
	r.expect("a block that is there", "")
	r.gone(2, false)
	r.gone(5, false)
	r.end(1, 0, 1, 0, EndSuccess)
	r.expect("a block that was lost, on an executor that has another", "")
	r.gone(3, false)
	r.end(1, 0, 2, 5, EndSuccess)
	r.expect("a block that was lost, read on an executor that is lost", "")
	r.end(1, 0, 3, 4, EndSuccess)
	r.expect("a partition without block", "1.0 done, job 1 ends, all done")
	if got := r.stages[0].cached; !slices.Equal(got, []int32{0, 0, -1}) {
		t.Errorf("blocks are on %v, want 0, 0 and none", got)
	}

	r = newDAGRig(t, nil, rigStage(0, 0, 2), again)
	r.Start(0)
	r.gone(2, false)
	r.told()
	r.succeed(0, 2, 3)
	r.expect("a task of a lost executor", "0[1] cached on 3, 0.0 done, job 0 ends, job 1 starts, 1.0 submitted")
}

// A reader whose cached input is not all there needs what that was computed from, whether a trace has that among its parents, as an event log does, or not.
func TestParentsOfACachedInput(t *testing.T) {
	for _, parents := range [][]int32{nil, {0}} {
		for _, tt := range []struct {
			lost []int32
			want string
		}{
			{nil, "job 1 starts, 2.0 submitted"},
			{[]int32{2}, "job 1 starts, 2.0 submitted"}, // executor 2 holds a block of stage 1 alone: stage 0 is there
			{[]int32{3}, "job 1 starts, 2.0 submitted"}, // output of stage 0 is gone, and nobody needs it
			{[]int32{2, 3}, "job 1 starts, 0.1 submitted for [1]"},
		} {
			again := rigStage(2, 1, 2, parents...)
			again.CacheOf, again.After, again.DelayMS = 1, []int32{1}, 10
			r := newDAGRig(t, nil, rigStage(0, 0, 2), rigStage(1, 0, 2, 0), again)
			r.Start(0)
			r.succeed(0, 1, 3)
			r.succeed(1, 1, 2)
			r.told()
			for _, exec := range tt.lost {
				r.gone(exec, false)
			}
			r.StageDue(10, 2)
			r.expect(fmt.Sprint("parents ", parents, ", lost ", tt.lost), tt.want)
			if len(tt.lost) == 2 {
				r.end(0, 0, 1, 4, EndSuccess)
				r.expect("computed again", "0.1 done, 2.0 submitted")
			}
		}
	}
}

// Of blocks that were computed from others the look goes on behind those that are not there: to the other blocks, then to what these were computed from.
func TestCachedInputOfACachedInput(t *testing.T) {
	for _, tt := range []struct {
		lost    []int32
		want    string
		prefers []string
		kept    string
	}{
		{nil, "job 2 starts, 3.0 submitted", []string{"h0/e1", "h3/e4"}, ""},
		{[]int32{3}, "job 2 starts, 3.0 submitted", []string{"h0/e1", "h3/e4"}, ""},
		{[]int32{4}, "job 2 starts, 3.0 submitted", []string{"h0/e1", "h1/e2"}, "2[1] cached on 5"},
		{[]int32{3, 4}, "job 2 starts, 3.0 submitted", []string{"h0/e1", "h1/e2"}, "2[1] cached on 5"},
		{[]int32{2, 3, 4}, "job 2 starts, 0.1 submitted for [1]", []string{"h0/e1", ""}, "2[1] cached on 5, 1[1] cached on 5"},
	} {
		second, last := rigStage(2, 1, 2, 0), rigStage(3, 2, 3, 0)
		second.CacheOf, second.After = 1, []int32{1}
		last.CacheOf, last.After, last.DelayMS = 2, []int32{2}, 10
		r := newDAGRig(t, nil, rigStage(0, 0, 2), rigStage(1, 0, 2, 0), second, last)
		r.Start(0)
		r.succeed(0, 1, 3)
		r.succeed(1, 1, 2)
		r.succeed(2, 1, 4)
		r.told()
		for _, exec := range tt.lost {
			r.gone(exec, false)
		}
		r.StageDue(10, 3)
		what := fmt.Sprint("lost ", tt.lost)
		r.expect(what, tt.want)
		if len(tt.lost) == 3 {
			r.end(0, 0, 1, 5, EndSuccess)
			r.expect("computed again", "0.1 done, 3.0 submitted")
		}
		if got := locations(&r.s.Set(r.stages[3].set).Spec); !slices.Equal(got, append(tt.prefers, "")) {
			t.Errorf("%s: locations are %q, want %q and none", what, got, tt.prefers)
		}
		r.end(3, 0, 1, 5, EndSuccess)
		r.expect(what+": a task on another executor", tt.kept)
	}
}

// A task whose block is there reads nothing of what the blocks were computed from; one whose block is not meets what is lost of it.
func TestUnreadableOutputBehindACachedInput(t *testing.T) {
	for _, parents := range [][]int32{nil, {0}} {
		again := rigStage(2, 1, 2, parents...)
		again.CacheOf, again.After = 1, []int32{1}
		r := newDAGRig(t, nil, rigStage(0, 0, 2), rigStage(1, 0, 2, 0), again)
		r.Start(0)
		r.succeed(0, 1, 3)
		r.succeed(1, 1, 2)
		r.told()
		check := func(what string, want ...bool) {
			t.Helper()
			for p, fails := range want {
				if _, got := r.FetchFailure(2, int32(p), func() bool { return false }); got != fails {
					t.Errorf("parents %v, %s: partition %d fails to read its input: %t, want %t", parents, what, p, got, fails)
				}
			}
		}
		r.ServerLost(3)
		check("output is lost", false, false)
		r.ServerLost(2)
		check("the executor of a block has died, too", false, true)
		r.gone(3, false)
		r.gone(2, false)
		check("the driver knows it", false, true)
	}
}

// A block is lost with the process that kept it, also where a shuffle service has the output that the process wrote: a task that would read it, while the driver
// does not know yet, computes it and keeps it where it runs. What it computes it from is lost without a service alone.
func TestBlockOfAnEndedProcess(t *testing.T) {
	for _, service := range []bool{false, true} {
		again := rigStage(2, 1, 2)
		again.CacheOf, again.After = 1, []int32{1}
		r := newDAGRig(t, map[string]string{"spark.shuffle.service.enabled": fmt.Sprint(service)}, rigStage(0, 0, 2), rigStage(1, 0, 2, 0), again)
		r.Start(0)
		r.succeed(0, 1, 3)
		r.succeed(1, 1, 2)
		r.told()
		r.ProcessEnded(2)
		r.ProcessEnded(3)
		if _, fails := r.FetchFailure(2, 1, func() bool { return false }); fails == service {
			t.Errorf("shuffle service %t: computing the block fails to read its input: %t", service, fails)
		}
		r.end(2, 0, 1, 4, EndSuccess)
		r.expect(fmt.Sprintf("shuffle service %t", service), "1[1] cached on 4")
	}
}

// A stage of which blocks are kept and that runs again, as its output is lost, reads the blocks that are there: it needs nothing of its own parents if all are, its
// tasks prefer their executors, do not meet what is lost of the parents, and leave the blocks where they are.
func TestStageRunsAgainOverItsOwnBlocks(t *testing.T) {
	for _, tt := range []struct {
		lost    []int32
		want    string
		prefers []string
		fails   bool
		end     string
	}{
		{[]int32{1}, "job 2 starts, 1.1 submitted for [0]", []string{"h4/e5"}, false, "1.1 done, 3.0 submitted"},
		{[]int32{1, 4}, "job 2 starts, 0.1 submitted for [0]", []string{"h4/e5", ""}, false, "1[1] cached on 2, 1.1 done, 3.0 submitted"},
		{[]int32{1, 5}, "job 2 starts, 0.1 submitted for [0]", []string{""}, true, "1[0] cached on 2, 1.1 done, 3.0 submitted"},
	} {
		reader, last := rigStage(2, 1, 2), rigStage(3, 2, 1, 1)
		reader.CacheOf, reader.After = 1, []int32{1}
		last.After, last.DelayMS = []int32{2}, 10
		r := newDAGRig(t, nil, rigStage(0, 0, 2), rigStage(1, 0, 2, 0), reader, last)
		r.Start(0)
		r.succeed(0, 1, 2)
		r.succeed(1, 3, 4)
		r.told()
		r.gone(3, false) // with it the first block and the output beside it
		r.end(2, 0, 0, 5, EndSuccess)
		r.expect("the block computed by its reader", "1[0] cached on 5")
		r.end(2, 0, 1, 4, EndSuccess)
		r.told()
		for _, exec := range tt.lost {
			r.ServerLost(exec)
			r.gone(exec, false)
		}
		what := fmt.Sprint("lost ", tt.lost)
		r.StageDue(10, 3)
		r.expect(what, tt.want)
		if _, fails := r.FetchFailure(1, 0, func() bool { return false }); fails != tt.fails {
			t.Errorf("%s: task 0 fails to read its input: %t, want %t", what, fails, tt.fails)
		}
		if len(tt.lost) > 1 {
			r.end(0, 0, 0, 2, EndSuccess)
			r.told()
		}
		if got := locations(&r.s.Set(r.stages[1].set).Spec); !slices.Equal(got, tt.prefers) {
			t.Errorf("%s: locations are %q, want %q", what, got, tt.prefers)
		}
		r.end(1, 0, 0, 2, EndSuccess)
		if len(tt.prefers) > 1 {
			r.end(1, 0, 1, 2, EndSuccess)
		}
		r.expect(what+": the end", tt.end)
	}
}
