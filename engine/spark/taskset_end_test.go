package spark

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// told writes the events that are about attempts, as "kind task/row", and takes them.
func told(s *TaskScheduler) (out []string) {
	names := map[TaskEventKind]string{TaskEnded: "ended", TaskSetFailed: "set failed", KillTask: "kill", SpeculativeTask: "speculative",
		ReviveOffers: "revive", ExecutorGone: "gone"}
	for _, e := range s.Take() {
		switch name := names[e.Kind]; e.Kind {
		case TaskEnded:
			out = append(out, fmt.Sprintf("%s %d/%d %v", name, e.Index, e.Row, e.Reason))
		case KillTask, SpeculativeTask:
			out = append(out, fmt.Sprintf("%s %d/%d", name, e.Index, e.Row))
		case TaskSetFailed, ReviveOffers:
			out = append(out, name)
		case ExecutorGone:
			out = append(out, fmt.Sprint(name, " ", e.Exec))
		}
	}
	return out
}

// TaskSetManager.executorLost: finished map tasks run again when their output went with the executor.
func TestFinishedMapTasksOfALostExecutor(t *testing.T) {
	tests := []struct {
		name    string
		service bool
		loss    Loss
		result  bool // the set computes results, not shuffle output
		again   bool
	}{
		{"exited", false, Loss{Kind: LossExited}, false, true},
		{"exited by the application's fault", false, Loss{Kind: LossExited, ByApp: true}, false, true},
		{"killed", false, Loss{Kind: LossKilled}, false, true},
		{"exited, a service keeps the output", true, Loss{Kind: LossExited}, false, false},
		{"decommissioned", false, Loss{Kind: LossDecommissioned}, false, true},
		{"decommissioned, beside a service", true, Loss{Kind: LossDecommissioned}, false, true},
		{"decommissioned, its output has moved", false, Loss{Kind: LossDecommissioned, Migrated: true}, false, false},
		{"decommissioned, its output has moved, beside a service", true, Loss{Kind: LossDecommissioned, Migrated: true}, false, false},
		{"results stay", false, Loss{Kind: LossExited}, true, false},
		{"the reason is pending", false, Loss{Kind: LossPending}, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := NewTaskScheduler(testConf(t, map[string]string{"spark.shuffle.service.enabled": fmt.Sprint(tt.service)}), NewPools(FIFO, nil), nil, nil)
			set := s.Submit(0, &TaskSetSpec{Tasks: 4, TaskCPUs: 1, ShuffleMap: !tt.result})
			l := slices.Clone(s.ResourceOffers(0, offers(2, 1), true)) // tasks 0 and 2 on executor 0, 1 on executor 1
			finish(s, 1, l[0], EndSuccess)
			finish(s, 1, l[1], EndSuccess)
			told(s)
			s.ExecutorLost(2, 0, tt.loss)
			var want []string
			if tt.again {
				want = append(want, "ended 0/0 Resubmitted")
			}
			if tt.loss.Kind != LossPending {
				want = append(want, "ended 2/2 ExecutorLostFailure")
			}
			if d := cmp.Diff(append(want, "gone 0", "revive"), told(s)); d != "" {
				t.Errorf("told (-want +got)\n%s", d)
			}
			left := map[bool]int{true: 1, false: 2}[tt.again]
			if set.Succeeded() != left || set.TaskDone(0) == tt.again || !set.TaskDone(1) {
				t.Errorf("%d tasks succeeded (0: %t, 1: %t), want %d", set.Succeeded(), set.TaskDone(0), set.TaskDone(1), left)
			}
			got := ""
			for _, l := range s.ResourceOffers(3, offers(0, 4)[1:], true) {
				got += fmt.Sprint(set.Attempt(l.Row).Index, " ")
			}
			wantNext := map[bool]string{true: "2 0 3 ", false: "2 3 "}[tt.again] // what was lost last is tried first
			if tt.loss.Kind == LossPending {
				wantNext = "3 "
			}
			if got != wantNext {
				t.Errorf("next are tasks %s, want %s", got, wantNext)
			}
		})
	}
}

// A set that has computed everything is not touched, whatever is lost then.
func TestLossAfterTheLastTask(t *testing.T) {
	s := NewTaskScheduler(testConf(t, nil), NewPools(FIFO, nil), nil, nil)
	s.Submit(0, &TaskSetSpec{Tasks: 1, TaskCPUs: 1, ShuffleMap: true})
	l := slices.Clone(s.ResourceOffers(0, offers(1), true))
	finish(s, 1, l[0], EndSuccess)
	told(s)
	s.ExecutorLost(2, 0, Loss{Kind: LossExited})
	if d := cmp.Diff([]string{"gone 0", "revive"}, told(s)); d != "" {
		t.Errorf("told (-want +got)\n%s", d)
	}
}

// Of two copies only the output of the one that succeeded is lost with its executor.
func TestLossOfTheCopyThatLost(t *testing.T) {
	s := NewTaskScheduler(testConf(t, map[string]string{"spark.speculation": "true"}), NewPools(FIFO, nil), nil, nil)
	s.Submit(0, &TaskSetSpec{Tasks: 5, TaskCPUs: 1, ShuffleMap: true})
	l := slices.Clone(s.ResourceOffers(0, offers(1, 0, 4), true)) // task 0 on executor 0, the others on executor 2
	for _, done := range l[1:4] {
		finish(s, 1000, done, EndSuccess)
	}
	s.Speculate(2000)
	told(s)
	// Tasks 0 and 4 are copied; the copy of task 0 runs on executor 2 and wins.
	c := slices.Clone(s.ResourceOffers(2000, []Offer{{Exec: 2, Host: 1, Cores: 1}}, false))
	if len(c) != 1 {
		t.Fatalf("launched %v, want a copy", c)
	}
	finish(s, 2100, c[0], EndSuccess)
	finish(s, 2100, l[0], EndKilled)
	told(s)
	s.ExecutorLost(2200, 0, Loss{Kind: LossExited})
	if d := cmp.Diff([]string{"gone 0", "revive"}, told(s)); d != "" {
		t.Errorf("with the copy that lost (-want +got)\n%s", d)
	}
	s.ExecutorLost(2300, 2, Loss{Kind: LossExited})
	want := []string{"ended 1/1 Resubmitted", "ended 2/2 Resubmitted", "ended 3/3 Resubmitted", "ended 0/5 Resubmitted", "ended 4/4 ExecutorLostFailure", "gone 2", "revive"}
	if d := cmp.Diff(want, told(s)); d != "" {
		t.Errorf("with the others (-want +got)\n%s", d)
	}
}

// TaskSetManager.executorLost, ExecutorLostFailure.countTowardsTaskFailures: whose fault the loss is.
func TestLossesHeldAgainstTasks(t *testing.T) {
	for _, tt := range []struct {
		loss   Loss
		counts bool // for a task that had reported that it runs; one that was only launched never counts
	}{
		{Loss{Kind: LossExited, ByApp: true}, true},
		{Loss{Kind: LossExited}, false},
		{Loss{Kind: LossProcess, ByApp: true}, true},
		{Loss{Kind: LossProcess}, false},
		{Loss{Kind: LossKilled, ByApp: true}, false},
		{Loss{Kind: LossDecommissioned, ByApp: true}, false},
	} {
		for _, running := range []bool{true, false} {
			s, set := scheduler(t, map[string]string{"spark.task.maxFailures": "1"}, 1)
			l := s.ResourceOffers(0, offers(1), true)[0]
			if running {
				s.Running(l)
			}
			told(s)
			s.ExecutorLost(1, 0, tt.loss)
			want := []string{"ended 0/0 ExecutorLostFailure"}
			counts := running && tt.counts
			if counts {
				want = append(want, "set failed")
			}
			if d := cmp.Diff(append(want, "gone 0", "revive"), told(s)); d != "" {
				t.Errorf("%+v, running %t (-want +got)\n%s", tt.loss, running, d)
			}
			if set.Zombie != counts {
				t.Errorf("%+v, running %t: the set is given up: %t", tt.loss, running, set.Zombie)
			}
		}
	}
}

// Attempts that run are gone through by task id, whichever have ended before.
func TestRunningAttemptsInOrder(t *testing.T) {
	for _, tt := range []struct {
		ended []int
		want  string
	}{
		{nil, "kill 0/0, kill 1/1, kill 2/2, kill 3/3"},
		{[]int{0}, "kill 1/1, kill 2/2, kill 3/3"},
		{[]int{3}, "kill 0/0, kill 1/1, kill 2/2"},
		{[]int{1, 2}, "kill 0/0, kill 3/3"},
		{[]int{2, 1}, "kill 0/0, kill 3/3"},
		{[]int{0, 1, 3}, "kill 2/2"},
		{[]int{1, 2, 3}, "kill 0/0"},
		{[]int{3, 2, 1}, "kill 0/0"},
	} {
		s, set := scheduler(t, nil, 5)
		l := slices.Clone(s.ResourceOffers(0, offers(4), true))
		for _, i := range tt.ended {
			finish(s, 1, l[i], EndSuccess)
		}
		told(s)
		s.Cancel(2, set.ID)
		if got := strings.Join(told(s), ", "); got != tt.want {
			t.Errorf("without %v: %s, want %s", tt.ended, got, tt.want)
		}
		for row := range set.runs {
			finish(s, 3, TaskRef{set.ID, row}, EndKilled)
		}
		if set.Running != 0 || set.inPool {
			t.Errorf("without %v: %d running, in its pool %t", tt.ended, set.Running, set.inPool)
		}
	}
	s, set := scheduler(t, nil, 1)
	for range set.runs {
		t.Error("nothing was launched, but something runs")
	}
	s.Cancel(0, set.ID)
	if set.inPool || !set.Zombie {
		t.Error("a set without running tasks stays in its pool when it is cancelled")
	}
	s.Cancel(1, set.ID) // nothing is left of it
	told(s)
}

// A result that comes when its executor is lost, and the attempt has failed with it, is ignored.
func TestResultAfterLoss(t *testing.T) {
	for name, result := range map[string]func(*TaskScheduler, TaskRef){
		"success":       func(s *TaskScheduler, l TaskRef) { s.Succeeded(3, l) },
		"failure":       func(s *TaskScheduler, l TaskRef) { s.Failed(3, l, EndException) },
		"fetch failure": func(s *TaskScheduler, l TaskRef) { s.FetchFailed(3, l, FetchSource{Exec: 1}) },
	} {
		s, set := scheduler(t, nil, 2)
		l := slices.Clone(s.ResourceOffers(0, offers(2), true))
		s.StatusUpdate(l[0])
		told(s)
		s.ExecutorLost(2, 0, Loss{Kind: LossExited})
		if d := cmp.Diff([]string{"ended 0/0 ExecutorLostFailure", "ended 1/1 ExecutorLostFailure", "gone 0", "revive"}, told(s)); d != "" {
			t.Fatalf("%s: told (-want +got)\n%s", name, d)
		}
		result(s, l[0])
		ended := slices.DeleteFunc(told(s), func(what string) bool { return what == "revive" })
		if len(ended) != 0 || set.Succeeded() != 0 || set.Zombie {
			t.Errorf("%s: told %q, %d succeeded, zombie %t; want nothing", name, ended, set.Succeeded(), set.Zombie)
		}
	}
}

// A set whose last task was computed by another attempt of its stage is over when nothing of it runs.
func TestLastPartitionDoneElsewhere(t *testing.T) {
	s, set := scheduler(t, nil, 2)
	l := slices.Clone(s.ResourceOffers(0, offers(1), true))
	s.PartitionDone(1, set.ID, 1)
	if set.Zombie {
		t.Error("one of two tasks is enough")
	}
	finish(s, 2, l[0], EndSuccess)
	if !set.Zombie || set.inPool {
		t.Errorf("all are done: zombie %t, in its pool %t", set.Zombie, set.inPool)
	}
	s, set = scheduler(t, nil, 1)
	s.PartitionDone(1, set.ID, 0)
	if !set.Zombie || set.inPool {
		t.Errorf("nothing ran: zombie %t, in its pool %t", set.Zombie, set.inPool)
	}
}

// An attempt that launches nothing more is not told what another one of its stage has computed.
func TestPartitionDoneBehindAFailedFetch(t *testing.T) {
	s, set := scheduler(t, nil, 3)
	l := slices.Clone(s.ResourceOffers(0, offers(2), true))
	s.StatusUpdate(l[0])
	s.FetchFailed(1, l[0], FetchSource{Exec: -1})
	s.PartitionDone(1, set.ID, 2)
	if !set.Zombie || set.Succeeded() != 1 || set.TaskDone(2) {
		t.Errorf("zombie %t, %d succeeded, the third one %t; want the task alone whose fetch failed", set.Zombie, set.Succeeded(), set.TaskDone(2))
	}
}

// What the scheduler says of executors that it does not know.
func TestUnknownExecutors(t *testing.T) {
	s, _ := scheduler(t, nil, 1)
	s.ResourceOffers(0, []Offer{{Exec: 1, Host: 3}}, true)
	s.Decommission(0, 1, false)
	for exec, want := range map[int32]int32{-1: -1, 0: -1, 1: 3, 2: -1, 9: -1} {
		if got := s.hostOf(exec); got != want {
			t.Errorf("executor %d is on host %d, want %d", exec, got, want)
		}
		if got := s.decommissioned(exec); got != (exec == 1) {
			t.Errorf("executor %d is decommissioned: %t", exec, got)
		}
		if s.hostDecommissioned(exec) {
			t.Errorf("the host of executor %d is decommissioned", exec)
		}
	}
	s.ExecutorLost(1, 2, Loss{Kind: LossExited}) // one more than there are
	s.Decommission(1, 2, true)
	if s.hostDecommissioned(2) {
		t.Error("an executor that never was is decommissioned")
	}
	s.ExecutorLost(1, 1, Loss{Kind: LossExited})
	s.Decommission(1, 1, true) // it is gone
	if s.hostOf(1) != 3 || s.hostDecommissioned(1) {
		t.Errorf("a lost executor was on host %d, want 3; decommissioned with its host afterwards: %t", s.hostOf(1), s.hostDecommissioned(1))
	}
}

// The rows of running attempts are those that were put and not dropped, whichever that are, and one may be dropped as it is yielded.
func TestRunningRows(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var rows runningRows
	for range 50 {
		rows = rows.emptied()
		var want []int32
		for row := range int32(1 + r.IntN(300)) {
			rows.put(row)
			want = append(want, row)
			for r.IntN(3) > 0 && len(want) > 0 {
				i := r.IntN(min(len(want), 1+r.IntN(70)))
				rows.drop(want[i])
				want = slices.Delete(want, i, i+1)
			}
			if got := slices.Collect(rows.all); !slices.Equal(got, want) {
				t.Fatalf("up to row %d: %v, want %v", row, got, want)
			}
			from := r.Int32N(row + 2)
			i, _ := slices.BinarySearch(want, from)
			if got := slices.Collect(rows.from(from)); !slices.Equal(got, want[i:]) {
				t.Fatalf("up to row %d, from %d: %v, want %v", row, from, got, want[i:])
			}
		}
		for row := range rows.all {
			rows.drop(row)
		}
		if got := slices.Collect(rows.all); len(got) > 0 {
			t.Fatalf("%v are left", got)
		}
	}
}
