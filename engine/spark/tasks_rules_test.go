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
	s.Speculate(2000)
	if k := kinds(s.Take()); len(k) != 0 {
		t.Fatalf("an efficient task was copied: %v", k)
	}
	s.Speculate(3001) // beyond twice the threshold its rate does not matter
	if k := kinds(s.Take()); len(k) != 2 {
		t.Fatalf("events %v, want a copy and offers", k)
	}
}

func TestExclusionByTaskStageAndApplication(t *testing.T) {
	s, set := scheduler(t, map[string]string{"spark.excludeOnFailure.enabled": "true"}, 3)
	failing := int64(0)
	// Two tasks fail once each on executor 0: each is excluded from it, then the whole set is.
	for range 2 {
		l := slices.Clone(s.ResourceOffers(failing, offers(1), true))
		if len(l) != 1 {
			t.Fatalf("launched %d", len(l))
		}
		finish(s, failing, l[0], EndException)
		failing++
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
