package spark

import (
	"slices"
	"testing"
)

// scheduler makes a task scheduler with one rack, and a task set of n tasks without preference.
func scheduler(t *testing.T, values map[string]string, n int) (*TaskScheduler, *TaskSet) {
	t.Helper()
	s := NewTaskScheduler(testConf(t, values), NewPools(FIFO, nil), []int32{0, 0, 0, 0}, nil)
	return s, s.Submit(0, &TaskSetSpec{Tasks: n, TaskCPUs: 1})
}

// offers are free cores by executor; executor i is on host i/2.
func offers(cores ...int32) []Offer {
	o := make([]Offer, len(cores))
	for i, c := range cores {
		o[i] = Offer{Exec: int32(i), Host: int32(i / 2), Cores: c}
	}
	return o
}

// finish reports the end of an attempt and handles it.
func finish(s *TaskScheduler, now int64, ref TaskRef, reason EndReason) {
	if !s.StatusUpdate(ref) {
		return
	}
	if reason == EndSuccess {
		s.Succeeded(now, ref)
	} else {
		s.Failed(now, ref, reason)
	}
}

func kinds(events []TaskEvent) (k []TaskEventKind) {
	for _, e := range events {
		k = append(k, e.Kind)
	}
	return k
}

func TestOneTaskPerExecutorAndRound(t *testing.T) {
	s, set := scheduler(t, nil, 5)
	var got []int32
	for _, l := range s.ResourceOffers(0, offers(3, 2, 1), true) {
		got = append(got, set.Attempt(l.Row).Exec)
	}
	if want := []int32{0, 1, 2, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("executors %v, want %v", got, want)
	}
}

func TestMaxFailuresAbortTheSet(t *testing.T) {
	s, set := scheduler(t, map[string]string{"spark.task.maxFailures": "3"}, 1)
	for i, reason := range []EndReason{EndException, EndKilled, EndCommitDenied, EndResultLost, EndException} {
		l := s.ResourceOffers(int64(i), offers(1), true)
		if len(l) != 1 {
			t.Fatalf("offer %d launched %d tasks", i, len(l))
		}
		s.Take()
		finish(s, int64(i), l[0], reason)
		failed := slices.Contains(kinds(s.Take()), TaskSetFailed)
		if want := i == 4; failed != want {
			t.Errorf("after failure %d (%v) the set is given up: %v, want %v", i, reason, failed, want)
		}
	}
	s.Take()
	if !set.Zombie || s.Set(set.ID) != nil {
		t.Error("the set is still there")
	}
}

func TestSpeculativeCopyOnAnotherHost(t *testing.T) {
	s, set := scheduler(t, map[string]string{"spark.speculation": "true"}, 4)
	all := offers(2, 0, 2, 0)
	l := slices.Clone(s.ResourceOffers(0, all, true))
	for _, done := range l[:3] {
		finish(s, 1000, done, EndSuccess)
	}
	slow := set.Attempt(l[3].Row)
	s.Take()
	if due := s.SpeculationDue(); due != 1501 {
		t.Errorf("a look is due at %d, want the first above 1.5 times the median", due)
	}
	s.Speculate(1500)
	if k := kinds(s.Take()); len(k) != 0 {
		t.Fatalf("at 1.5 times the median, not above it: %v", k)
	}
	s.Speculate(1501)
	if k := kinds(s.Take()); !slices.Equal(k, []TaskEventKind{SpeculativeTask, ReviveOffers}) {
		t.Fatalf("above 1.5 times the median: %v, want a copy and offers", k)
	}
	same := s.ResourceOffers(1501, []Offer{{Exec: slow.Exec, Host: slow.Host, Cores: 2}}, false)
	if len(same) != 0 {
		t.Fatal("a copy was launched on the host of the first attempt")
	}
	other := slices.Clone(s.ResourceOffers(1501, []Offer{{Exec: 2 - slow.Exec, Host: 1 - slow.Host, Cores: 2}}, false))
	if len(other) != 1 || !set.Attempt(other[0].Row).Speculative {
		t.Fatalf("launched %v, want one copy", other)
	}
	s.Take()
	finish(s, 1600, other[0], EndSuccess)
	events := slices.Clone(s.Take())
	if k := kinds(events); !slices.Equal(k, []TaskEventKind{KillTask, TaskEnded}) || events[0].Row != l[3].Row {
		t.Fatalf("success of the copy: %v, want the first attempt killed", events)
	}
	finish(s, 1601, l[3], EndKilled)
	if set.Running != 0 || set.Succeeded() != 4 {
		t.Errorf("%d running, %d succeeded", set.Running, set.Succeeded())
	}
}

func TestSpeculationLooksAtProcessRates(t *testing.T) {
	s, _ := scheduler(t, map[string]string{"spark.speculation": "true"}, 4)
	l := slices.Clone(s.ResourceOffers(0, offers(4, 4, 4, 4), true))
	for _, done := range l[:3] {
		s.Metrics(done, 1000, 1000)
		finish(s, 1000, done, EndSuccess)
	}
	s.Metrics(l[3], 1800, 2000) // 900 a second: not below 0.75 of the average
	s.Take()
	if due := s.SpeculationDue(); due != 3001 {
		t.Errorf("a look is due at %d, want the first above twice the threshold", due)
	}
	s.Speculate(2000)
	if k := kinds(s.Take()); len(k) != 0 {
		t.Fatalf("an efficient task was copied: %v", k)
	}
	s.Speculate(3001) // beyond twice the threshold its rate does not matter
	if k := kinds(s.Take()); len(k) != 2 {
		t.Fatalf("events %v, want a copy and offers", k)
	}
}

// A task that has read nothing adds its run time to the average: TaskProcessRateCalculator.updateAvgTaskProcessRate.
func TestAverageOfProcessRates(t *testing.T) {
	s, _ := scheduler(t, map[string]string{"spark.speculation": "true"}, 4)
	l := slices.Clone(s.ResourceOffers(0, offers(4, 4, 4, 4), true))
	for i, done := range l[:3] {
		s.Metrics(done, []int64{1000, 0, 0}[i], 1000) // 333 a second
		finish(s, 1000, done, EndSuccess)
	}
	s.Metrics(l[3], 300, 1000)
	s.Take()
	s.Speculate(2000)
	if k := kinds(s.Take()); len(k) != 0 {
		t.Errorf("a task that reads 300 records a second where the average is 333 was copied: %v", k)
	}
}

// TaskSetManager.checkSpeculatableTasks: whether an executor ends before its task shows in the median of the others, which does not count where a
// threshold is given.
func TestSpeculationByThreshold(t *testing.T) {
	values := map[string]string{"spark.speculation": "true", "spark.speculation.task.duration.threshold": "10s", "spark.executor.decommission.killInterval": "0"}
	for _, tt := range []struct {
		done int // tasks, after 1 s
		at   int64
		want int
	}{
		{1, 10_000, 0}, {1, 10_001, 3}, // fewer than the quantile wants
		{3, 1000, 1},
	} {
		s, _ := scheduler(t, values, 4)
		s.SlotsPerExecutor = []int{4}
		l := slices.Clone(s.ResourceOffers(0, offers(4), true))
		s.Decommission(500, 0, false)
		for _, ref := range l[:tt.done] {
			finish(s, 1000, ref, EndSuccess)
		}
		s.Take()
		due := s.SpeculationDue()
		s.Speculate(tt.at)
		copies := 0
		for _, e := range s.Take() {
			if e.Kind == SpeculativeTask {
				copies++
			}
		}
		if copies != tt.want || (copies > 0) != (due <= tt.at) {
			t.Errorf("%d tasks done: %d copies at %d, want %d; a look was due at %d", tt.done, copies, tt.at, tt.want, due)
		}
	}
}

func TestExclusionByTaskStageAndApplication(t *testing.T) {
	s, set := scheduler(t, map[string]string{"spark.excludeOnFailure.enabled": "true"}, 3)
	failing := int64(0)
	excludes := func(when string, want bool) {
		t.Helper()
		if got := s.Excludes(); got != want {
			t.Errorf("%s something is excluded, or may be: %t", when, got)
		}
	}
	excludes("before a failure", false)
	// Two tasks fail once each on executor 0: each is excluded from it, then the whole set is.
	for range 2 {
		l := slices.Clone(s.ResourceOffers(failing, offers(1), true))
		if len(l) != 1 {
			t.Fatalf("launched %d", len(l))
		}
		finish(s, failing, l[0], EndException)
		failing++
		excludes("while a set has failures", true)
	}
	if l := s.ResourceOffers(2, offers(1), true); len(l) != 0 {
		t.Fatal("executor 0 got a task after two tasks failed on it")
	}
	if !slices.Contains(kinds(s.Take()), KillExecutor) {
		t.Fatal("no executor is left for the set and an idle one is not killed")
	}
	// The other executors finish the set; only then the application excludes executor 0.
	for _, l := range slices.Clone(s.ResourceOffers(3, offers(1, 1, 1, 1), true)) {
		finish(s, 3, l, EndSuccess)
	}
	if set.Succeeded() != 3 {
		t.Fatalf("%d succeeded", set.Succeeded())
	}
	excludes("while the application excludes an executor", true)
	next := s.Submit(4, &TaskSetSpec{Stage: 1, Tasks: 4, TaskCPUs: 1})
	for _, l := range s.ResourceOffers(4, offers(4, 0, 0, 0), true) {
		t.Fatalf("executor %d is excluded and got a task", next.Attempt(l.Row).Exec)
	}
	hour := int64(3600 * 1000)
	if l := s.ResourceOffers(3+hour, offers(4, 0, 0, 0), true); len(l) != 0 {
		t.Fatal("the exclusion ended in the millisecond of its timeout")
	}
	if l := s.ResourceOffers(4+hour, offers(4, 0, 0, 0), true); len(l) != 4 {
		t.Fatalf("after the timeout %d tasks were launched, want 4", len(l))
	}
	excludes("after the timeout", false)
}

func TestUnschedulableSetIsGivenUp(t *testing.T) {
	s, _ := scheduler(t, map[string]string{"spark.excludeOnFailure.enabled": "true"}, 1)
	l := slices.Clone(s.ResourceOffers(0, offers(1), true))
	finish(s, 0, l[0], EndException)
	s.Take()
	s.ResourceOffers(1, offers(1), true)
	events := slices.Clone(s.Take())
	if k := kinds(events); !slices.Equal(k, []TaskEventKind{KillExecutor, AbortTimer}) || events[1].At != 1+120_000 {
		t.Fatalf("events %v, want an executor killed and a timer of 120 s", events)
	}
	s.AbortTimeout(events[1].At, events[1].Set)
	if !slices.Contains(kinds(s.Take()), TaskSetFailed) {
		t.Error("the timer ended and the set goes on")
	}
}

func TestLateStatusOfLostExecutorIsIgnored(t *testing.T) {
	s, set := scheduler(t, nil, 1)
	l := slices.Clone(s.ResourceOffers(0, offers(1), true))
	s.Running(l[0])
	s.ExecutorLost(1, 0, Loss{Kind: LossPending})
	if s.StatusUpdate(l[0]) {
		t.Error("the status was taken")
	}
	if set.Running != 1 {
		t.Errorf("%d running before the reason is known, want 1", set.Running)
	}
	s.Take()
	s.ExecutorLost(2, 0, Loss{Kind: LossExited})
	if k := kinds(s.Take()); !slices.Equal(k, []TaskEventKind{TaskEnded}) {
		t.Errorf("second call told %v, want only the end of the task", k)
	}
	s.ExecutorLost(3, 0, Loss{Kind: LossExited, ByApp: true})
	if k := kinds(s.Take()); len(k) != 0 || set.Running != 0 {
		t.Errorf("third call told %v, %d running", k, set.Running)
	}
}

func TestFairPoolsShareOverCalls(t *testing.T) {
	s := NewTaskScheduler(testConf(t, nil), NewPools(FAIR, []Pool{{Name: "a", Weight: 1}, {Name: "b", Weight: 3}}), nil, nil)
	a := s.Submit(0, &TaskSetSpec{Stage: 0, Pool: "a", Tasks: 100, TaskCPUs: 1})
	b := s.Submit(0, &TaskSetSpec{Stage: 1, Pool: "b", Tasks: 100, TaskCPUs: 1})
	for i := range 40 {
		s.ResourceOffers(0, []Offer{{Exec: int32(i), Cores: 1}}, false)
	}
	if a.Running != 10 || b.Running != 30 {
		t.Errorf("running %d and %d, want 10 and 30", a.Running, b.Running)
	}
}

// TaskSchedulerImpl.resourceOffers: a task set that exclusion leaves no executor.
func TestCompletelyExcluded(t *testing.T) {
	start := func(values map[string]string, tasks int) (*TaskScheduler, *TaskSet) {
		values["spark.excludeOnFailure.enabled"] = "true"
		s, set := scheduler(t, values, tasks)
		finish(s, 0, s.ResourceOffers(0, offers(1), true)[0], EndException)
		s.Take()
		return s, set
	}
	dynamic := map[string]string{"spark.dynamicAllocation.enabled": "true", "spark.excludeOnFailure.stage.maxFailedTasksPerExecutor": "9"}

	// An idle executor is killed once; the timer runs from the first time.
	s, set := start(map[string]string{}, 1)
	s.ResourceOffers(10, offers(1), true)
	s.ResourceOffers(20, offers(1), true)
	e := slices.Clone(s.Take())
	if k := kinds(e); !slices.Equal(k, []TaskEventKind{KillExecutor, AbortTimer}) || e[0].Exec != 0 || e[1].At != 120_010 || e[1].Set != set.ID {
		t.Errorf("told %+v, want executor 0 killed and a timer", e)
	}
	s.AbortTimeout(120_009, set.ID)
	s.AbortTimeout(120_010, set.ID)
	if k := kinds(s.Take()); !slices.Equal(k, []TaskEventKind{TaskSetFailed}) {
		t.Errorf("told %v at the end of the timer, want the set given up once", k)
	}

	// None is idle and dynamic allocation may bring others.
	s, set = start(dynamic, 2)
	other := slices.Clone(s.ResourceOffers(10, offers(1), true)) // task 1 runs, task 0 may not
	s.Take()
	s.ResourceOffers(20, offers(1), true)
	e = slices.Clone(s.Take())
	if k := kinds(e); len(other) != 1 || !slices.Equal(k, []TaskEventKind{UnschedulableAdded, AbortTimer}) || e[0].Set != set.ID {
		t.Errorf("told %v, want the set to be unschedulable and a timer", k)
	}
	l := slices.Clone(s.ResourceOffers(30, []Offer{{Exec: 2, Host: 1, Cores: 1}}, false)) // another executor
	e = slices.Clone(s.Take())
	if k := kinds(e); len(l) != 1 || !slices.Equal(k, []TaskEventKind{ExecutorAdded, UnschedulableGone}) || e[1].Set != set.ID {
		t.Errorf("told %v, want a launch to end it", k)
	}
	s.AbortTimeout(200_000, set.ID)
	finish(s, 200_000, l[0], EndKilled)
	s.Take()
	s.ResourceOffers(200_001, []Offer{{Exec: 2, Host: 1, Cores: 1}}, false)
	if k := kinds(s.Take()); len(k) != 0 {
		t.Errorf("told %v: the timer was off, and its end is told once", k)
	}

	// None is idle and none will come.
	s, _ = start(map[string]string{"spark.excludeOnFailure.stage.maxFailedTasksPerExecutor": "9"}, 2)
	s.ResourceOffers(10, offers(1), true)
	s.Take()
	s.ResourceOffers(20, offers(1), true)
	if k := kinds(s.Take()); !slices.Equal(k, []TaskEventKind{TaskSetFailed}) {
		t.Errorf("told %v, want the set given up", k)
	}

	// The timers of all sets end with a launch of any.
	s, set = start(map[string]string{}, 1)
	second := s.Submit(0, &TaskSetSpec{Stage: 1, Tasks: 1, TaskCPUs: 1})
	s.Take()
	s.ResourceOffers(10, offers(1), true)
	if k := kinds(s.Take()); !slices.Equal(k, []TaskEventKind{KillExecutor, AbortTimer, UnschedulableGone}) || second.Running != 1 {
		t.Errorf("told %v, want the launch of the second set to end the timer of the first", k)
	}
	s.AbortTimeout(200_000, set.ID)
	if k := kinds(s.Take()); len(k) != 0 {
		t.Errorf("told %v, want nothing", k)
	}

	// The last live task of the list decides, and an executor that may run it is enough.
	s, _ = start(map[string]string{"spark.excludeOnFailure.stage.maxFailedTasksPerExecutor": "9"}, 1)
	s.ResourceOffers(10, []Offer{{Exec: 0, Cores: 1}, {Exec: 2, Host: 1}}, true)
	if k := kinds(s.Take()); !slices.Equal(k, []TaskEventKind{ExecutorAdded}) {
		t.Errorf("told %v, want nothing: executor 2 may run the task, it has only no core", k)
	}
	// Nothing waits, or nobody is there.
	s, _ = start(map[string]string{}, 1)
	s.ExecutorLost(5, 0, Loss{Kind: LossExited})
	s.Take()
	s.ResourceOffers(10, nil, true)
	if k := kinds(s.Take()); len(k) != 0 {
		t.Errorf("told %v, want nothing: there is no executor", k)
	}
}

// Calls that come too late, or are about nothing, change nothing.
func TestCallsAboutNothing(t *testing.T) {
	s, set := scheduler(t, map[string]string{"spark.excludeOnFailure.enabled": "true", "spark.excludeOnFailure.application.fetchFailure.enabled": "true"}, 2)
	nothing := func(what string, call func()) {
		t.Helper()
		call()
		if e := s.Take(); len(e) != 0 {
			t.Errorf("%s: told %+v", what, e)
		}
	}
	s.Take()
	nothing("an unknown executor is lost", func() { s.ExecutorLost(0, 0, Loss{Kind: LossExited}); s.ExecutorLost(0, 7, Loss{Kind: LossExited}) })
	nothing("a timer that is not set", func() { s.AbortTimeout(1<<40, set.ID) })
	s.Decommission(0, 9, true)
	if k := kinds(s.Take()); !slices.Equal(k, []TaskEventKind{ReviveOffers}) {
		t.Errorf("an unknown executor is decommissioned: told %v, want offers", k)
	}
	l := slices.Clone(s.ResourceOffers(0, offers(2, 1), true))
	s.Take()
	finish(s, 1, l[0], EndException)
	s.Take()
	s.FetchFailed(2, l[0], FetchSource{Exec: 1})
	if k := kinds(s.Take()); !slices.Equal(k, []TaskEventKind{ReviveOffers}) { // as its task waits: TaskSchedulerImpl.handleFailedTask
		t.Errorf("the failure of an attempt that failed: told %v, want offers", k)
	}
	nothing("the success of an attempt that failed", func() { s.Succeeded(2, l[0]) })
	if s.StatusUpdate(l[0]) {
		t.Error("the end of an attempt is taken twice")
	}
	if got := s.ResourceOffers(3, offers(0, 1)[1:], false); len(got) != 1 { // executor 1 was not excluded by it
		t.Fatalf("launched %v on executor 1, want one", got)
	} else {
		l = append(l, got[0])
	}
	s.Take()
	s.ExecutorLost(4, 1, Loss{Kind: LossExited})
	s.Take()
	nothing("a second loss", func() { s.ExecutorLost(5, 1, Loss{Kind: LossExited}) })
	s.Cancel(6, set.ID)
	s.Take()
	nothing("a set that is cancelled", func() { s.Cancel(7, set.ID); s.PartitionDone(7, set.ID, 0) })
	s.Take()
	if s.Set(set.ID) != nil {
		t.Fatal("the set is not gone")
	}
	nothing("a set that is gone", func() {
		s.Cancel(8, set.ID)
		s.PartitionDone(8, set.ID, 0)
		s.AbortTimeout(8, set.ID)
		s.Metrics(l[0], 1, 1)
		s.Succeeded(8, l[0])
		s.Failed(8, l[0], EndException)
		s.FetchFailed(8, l[0], FetchSource{Exec: 0})
		s.Running(l[0])
	})
	if s.StatusUpdate(l[0]) || s.HostExcluded(0) {
		t.Error("an attempt of a set that is gone is taken")
	}
}

// An attempt stops counting when its end is reported; its result, which may come later, asks for offers when the task
// is to run again.
func TestReportAndResult(t *testing.T) {
	s, set := scheduler(t, nil, 2)
	l := slices.Clone(s.ResourceOffers(0, offers(2), true))
	s.Take()
	if !s.StatusUpdate(l[0]) || set.Running != 1 || len(kinds(s.Take())) != 0 {
		t.Errorf("%d run after the report, want 1", set.Running)
	}
	s.Failed(1, l[0], EndException)
	if k := kinds(s.Take()); !slices.Equal(k, []TaskEventKind{TaskEnded, ReviveOffers}) {
		t.Errorf("told %v, want the end and offers", k)
	}
	s.PartitionDone(2, set.ID, 1) // another attempt of the stage computed it
	finish(s, 3, l[1], EndException)
	if k := kinds(s.Take()); !slices.Equal(k, []TaskEventKind{TaskEnded}) {
		t.Errorf("told %v, want the end alone: the task has succeeded", k)
	}
	again := s.ResourceOffers(4, offers(2), true)[0]
	s.Submit(4, &TaskSetSpec{Tasks: 1, TaskCPUs: 1, Attempt: 1}) // the next attempt of the stage
	s.Take()
	finish(s, 5, again, EndException)
	if k := kinds(s.Take()); !slices.Equal(k, []TaskEventKind{TaskEnded}) {
		t.Errorf("told %v, want the end alone: the set launches nothing more", k)
	}
}

// TaskSchedulerImpl.checkSpeculatableTasks looks at all sets and asks for offers once.
func TestSpeculationOfTwoSets(t *testing.T) {
	s, first := scheduler(t, map[string]string{"spark.speculation": "true", "spark.speculation.quantile": "0.5"}, 2)
	second := s.Submit(0, &TaskSetSpec{Stage: 1, Tasks: 2, TaskCPUs: 1})
	l := slices.Clone(s.ResourceOffers(0, offers(4), true))
	for _, ref := range l {
		if set := s.Set(ref.Set); set.Attempt(ref.Row).Index == 0 {
			finish(s, 100, ref, EndSuccess)
		}
	}
	s.Take()
	s.Speculate(10_000)
	var sets []int32
	for _, e := range s.Take() {
		if e.Kind == SpeculativeTask {
			sets = append(sets, e.Set)
		}
	}
	if !slices.Equal(sets, []int32{first.ID, second.ID}) {
		t.Errorf("copies of sets %v, want both", sets)
	}
	for set := range s.Sets {
		if set != first {
			t.Errorf("the sets begin with %s", set.Name())
		}
		break
	}
	third := s.Submit(10_000, &TaskSetSpec{Stage: 2, Tasks: 2, TaskCPUs: 1}) // nothing of it is slow
	s.Take()
	for _, ref := range slices.Clone(s.ResourceOffers(10_000, []Offer{{Exec: 2, Host: 1, Cores: 9}}, true)) {
		if ref.Set != third.ID {
			finish(s, 10_001, ref, EndKilled) // the copies are gone, and wanted again
		}
	}
	s.Take()
	s.Speculate(20_000)
	if k := kinds(s.Take()); len(k) == 0 || k[len(k)-1] != ReviveOffers {
		t.Errorf("told %v, want offers: the first sets have slow tasks, the last one has none", k)
	}
}

// A set that needs no core has its turn when others have taken all of them, one that needs some has nothing of its own.
func TestTurnsWhenNoCoreIsLeft(t *testing.T) {
	s, first := scheduler(t, nil, 3)
	s.Submit(0, &TaskSetSpec{Stage: 1, Tasks: 3, TaskCPUs: 1})
	free := s.Submit(0, &TaskSetSpec{Stage: 2, Tasks: 1, TaskCPUs: 0})
	var sets []int32
	for _, l := range s.ResourceOffers(0, offers(2, 1), true) {
		sets = append(sets, l.Set)
	}
	if want := []int32{first.ID, first.ID, first.ID, free.ID}; !slices.Equal(sets, want) {
		t.Errorf("launched tasks of %v, want %v", sets, want)
	}
}
