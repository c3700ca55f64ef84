package driver

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/engine/record"
	"replay/trace"
)

// failing is what a recording says of stages of which tasks failed as often as the trace counts retries: each attempt
// took as long as the one that succeeded.
func failing(stages ...trace.Stage) Recorded {
	var out []RecordedAttempt
	for _, st := range stages {
		for task, n := range st.Tasks.Retries {
			a := RecordedAttempt{Stage: st.ID, Task: int32(task), Executor: trace.Unset, DurationMS: st.Tasks.DurationMS[task], SchedDelayMS: trace.Unset, End: AttemptFailed}
			for range n {
				out = append(out, a)
			}
			a.End = AttemptSucceeded
			out = append(out, a)
		}
	}
	return Recorded{Attempts: map[int64][]RecordedAttempt{0: out}}
}

// tried is a recorded attempt of stage 0 without delays, launched in the order of its list.
func tried(task, executor int32, launch, ms int64, end AttemptEnd) RecordedAttempt {
	return RecordedAttempt{Task: task, Executor: executor, LaunchMS: launch, CoreMS: ms, DurationMS: ms, End: end}
}

func attempts(list ...RecordedAttempt) Recorded {
	return Recorded{Attempts: map[int64][]RecordedAttempt{0: list}}
}

// Failed attempts take their own time.
func TestFailuresTakeTheirTime(t *testing.T) {
	a := withRecorded(t, jobOf(stageOf(0, 1, 1000)), setup{recorded: attempts(
		tried(0, 1, 0, 5000, AttemptFailed), tried(0, 1, 5000, 200, AttemptFailed), tried(0, 1, 6000, 1000, AttemptSucceeded))}, recordedOn(1, 0, 0))
	a.Run(60_000)
	if d := cmp.Diff([]string{"5000 0.0 failed", "5200 0.0 failed", "6200 0.0 success"}, a.ends()); d != "" {
		t.Errorf("ends (-want +got)\n%s", d)
	}
}

// A task that failed and was not tried again, because its job had ended by then, has no attempt that the recording has not.
func TestFailuresNotTriedAgain(t *testing.T) {
	a := withRecorded(t, jobOf(stageOf(0, 2, 5000)), setup{recorded: attempts(
		tried(0, 1, 0, 5000, AttemptFailed), tried(0, 1, 5000, 200, AttemptFailed), tried(1, 1, 6000, 1000, AttemptSucceeded))}, recordedOn(1, 0, 0))
	a.Run(60_000)
	if d := cmp.Diff([]string{"5000 0.0 failed", "10000 0.1 success", "10200 0.0 success"}, a.ends()); d != "" {
		t.Errorf("ends (-want +got)\n%s", d)
	}
}

// A task that failed and was killed with its stage takes as long as it did then, not as long as its longest attempt.
func TestKilledWithItsStage(t *testing.T) {
	a := withRecorded(t, jobOf(stageOf(0, 1, 5000)), setup{recorded: attempts(
		tried(0, 1, 0, 5000, AttemptFailed), tried(0, 1, 5000, 300, AttemptKilled))}, recordedOn(1, 0, 0))
	a.Run(60_000)
	if d := cmp.Diff([]string{"5000 0.0 failed", "5300 0.0 success"}, a.ends()); d != "" {
		t.Errorf("ends (-want +got)\n%s", d)
	}
}

// An executor on which every task of a stage failed, and no other executor, fails the tasks that it gets, as many as it
// failed; the tasks do not fail elsewhere. One failure alone is the task's.
func TestFailuresOfAnExecutor(t *testing.T) {
	list := []RecordedAttempt{
		tried(0, 7, 0, 300, AttemptFailed), tried(1, 8, 0, 1000, AttemptSucceeded),
		tried(2, 7, 400, 300, AttemptFailed), tried(0, 8, 1000, 1000, AttemptSucceeded), tried(2, 8, 2000, 1000, AttemptSucceeded), tried(3, 8, 3000, 1000, AttemptSucceeded)}
	run := func(list []RecordedAttempt) (byExecutor map[int32]int) {
		a := withRecorded(t, jobOf(stageOf(0, 4, 1000)), setup{recorded: attempts(list...)},
			recordedOn(7, 0, 500), recordedOn(8, 1, 0)) // the failing one comes late: it gets other tasks
		a.Run(60_000)
		byExecutor = map[int32]int{}
		for _, r := range a.Tasks {
			if r.End == record.TaskFailed {
				byExecutor[r.Node]++
			}
		}
		if a.Outcome == nil || *a.Outcome != "" {
			t.Errorf("log %v, want success", a.Log)
		}
		return byExecutor
	}
	if d := cmp.Diff(map[int32]int{0: 2}, run(list)); d != "" {
		t.Errorf("failures by node (-want +got)\n%s", d)
	}
	if d := cmp.Diff(map[int32]int{1: 1}, run(append([]RecordedAttempt{list[0]}, list[3:]...))); d != "" {
		t.Errorf("one failure, by node (-want +got)\n%s", d)
	}
}

// A task whose output was lost takes as long as it did when it ran again; where it did not, as long as tasks that were not
// the first of their executor.
func TestTasksThatRunAgain(t *testing.T) {
	st := stageOf(0, 3, 9000)
	st.Tasks.DurationMS = []int64{9000, 9000, 400}
	first := func(a RecordedAttempt) RecordedAttempt {
		a.First, a.FirstMS = true, 1000
		return a
	}
	list := []RecordedAttempt{
		first(tried(0, 1, 0, 9000, AttemptSucceeded)), first(tried(1, 2, 0, 9000, AttemptSucceeded)), tried(2, 1, 9000, 400, AttemptSucceeded),
		tried(0, 2, 20_000, 700, AttemptSucceeded)}
	h := newHistory(list, true, 4)
	if d := cmp.Diff([]int64{9000, 9000, 400}, []int64{h.next(&st, 0, 1, false, false, false).durationMS, h.next(&st, 1, 2, false, false, false).durationMS, h.next(&st, 2, 1, false, false, false).durationMS}); d != "" {
		t.Errorf("first runs (-want +got)\n%s", d)
	}
	again := []past{h.next(&st, 0, 2, false, true, false), h.next(&st, 1, 2, false, true, false), h.next(&st, 2, 2, false, true, false), h.next(&st, 0, 2, false, true, false)}
	for i, want := range []int64{700, 400, 400, 700} {
		if again[i].durationMS != want || again[i].firstMS != 0 {
			t.Errorf("run %d again takes %+v, want %d ms", i, again[i], want)
		}
	}
}

// Executors of a full offer take their tasks as the recording has it, whatever the seed.
func TestOrderOfOffersAsRecorded(t *testing.T) {
	for seed := range uint64(5) {
		a := withRecorded(t, jobOf(delayed(stageOf(0, 4, 1000), 500)), setup{seed: seed, recorded: attempts(
			tried(0, 3, 500, 1000, AttemptSucceeded), tried(1, 1, 501, 1000, AttemptSucceeded), tried(2, 4, 502, 1000, AttemptSucceeded), tried(3, 2, 503, 1000, AttemptSucceeded))},
			recordedOn(1, 0, 0), recordedOn(2, 1, 0), recordedOn(3, 2, 0), recordedOn(4, 3, 0))
		a.Run(60_000)
		if d := cmp.Diff([]string{"500 0.0 ex3 NO_PREF", "500 0.1 ex1 NO_PREF", "500 0.2 ex4 NO_PREF", "500 0.3 ex2 NO_PREF"}, a.launches()); d != "" {
			t.Errorf("seed %d: launches (-want +got)\n%s", seed, d)
		}
	}
}

// With dynamic allocation an executor that left because it was idle has to be idle for as long in the replay.
func TestIdleExecutorsStayForTheTimeOut(t *testing.T) {
	second := delayed(stageOf(1, 1, 1000), 90_000)
	second.After = []int32{0}
	a := withRecorded(t, jobOf(stageOf(0, 1, 1000), second),
		setup{conf: dynamic("spark.dynamicAllocation.executorIdleTimeout", "10s")},
		recordedOn(1, 0, 0, removed(5000, byDriver), func(x *RecordedExecutor) { x.Idle = true }), recordedOn(2, 1, 30_000))
	a.Run(60_000)
	if d := cmp.Diff([]string{"11000 return 2"}, a.said("return")); d != "" {
		t.Errorf("ends of executors (-want +got)\n%s", d)
	}
}

// An application whose executors are all gone fails, and the reason is its own.
func TestAllRecordedExecutorsGone(t *testing.T) {
	a := withRecorded(t, jobOf(stageOf(0, 9, 1000)), setup{}, recordedOn(1, 0, 0, removed(1500, badNode)), recordedOn(2, 1, 0, removed(2500, badNode)))
	a.Run(60_000)
	want := []string{"2500 unregister: the last of its 2 executors is gone (" + badNode + ") and the recording has no other: Spark waits for resources without end"}
	if d := cmp.Diff(want, a.said("unregister")); d != "" {
		t.Errorf("end (-want +got)\n%s", d)
	}
}

// An attempt that was lost with its executor would have taken longer: it is lost there again. Attempts that can't read their
// input take as long as those of the recording.
func TestLostAttempts(t *testing.T) {
	h := newHistory([]RecordedAttempt{tried(0, 1, 0, 3000, AttemptLost), tried(0, 2, 4000, 500, AttemptFetchFailed), tried(0, 2, 9000, 100, AttemptSucceeded),
		{Stage: 0, Task: 1, Executor: 2, LaunchMS: 5000, CoreMS: 100, DurationMS: 100}}, true, 4)
	st := stageOf(0, 2, 100)
	if got := h.next(&st, 0, 2, false, false, false).durationMS; got != 100 {
		t.Errorf("elsewhere it takes %d ms, want 100", got)
	}
	if got := h.next(&st, 0, 1, false, false, false).durationMS; got != 3000+lostSlackMS {
		t.Errorf("there it takes %d ms, want 3000 and the slack", got)
	}
	if got := []int64{h.fetchFailed(0, 0, 9), h.fetchFailed(0, 1, 9), (&history{fetch: trace.Unset}).fetchFailed(0, 0, 9)}; !cmp.Equal(got, []int64{500, 500, 9}) {
		t.Errorf("attempts without input take %v ms, want 500, 500 and the model's 9", got)
	}
	if h.reads(0, 0, 0) == false || h.reads(0, 0, 1) == false || h.reads(0, 1, 1) {
		t.Error("tasks that succeeded after one that could not read its input do without it, in that attempt of the stage")
	}
}

// A driver that halted halts again, as long after the registration of its master: the next attempt begins with the latencies of its own.
func TestDriverHaltsAsRecorded(t *testing.T) {
	l := []*Latencies{{AMMS: trace.Unset, Halts: true, HaltMS: 2500, HaltExit: 7}, {AMMS: 9000}}
	a := newApp(t, jobOf(stageOf(0, 9, 1000)), setup{conf: static(1), recorded: Recorded{Latencies: map[int64][]*Latencies{0: l}}}).executors(0).register()
	a.Run(2400)
	if len(a.said("end")) > 0 {
		t.Errorf("log %v, want no end yet", a.Log)
	}
	a.Run(10_000)
	if got := a.said("end"); len(got) == 0 || got[0] != "2500 end of the master at 2500" || len(a.said("unregister")) > 0 || len(a.launched) != 3 {
		t.Errorf("log %v, %d launches, want the end of the master at 2500, unregistered, after 3", a.Log, len(a.launched))
	}
	if got := a.d.ExitStatus(1); got != 7 {
		t.Errorf("the process of the master returns %d, want 7", got)
	}
	p, err := newKind(t, setup{conf: static(1), recorded: Recorded{Latencies: map[int64][]*Latencies{0: l}}, model: instant()}).Plan(jobOf(stageOf(0, 1, 1)))
	if err != nil || p.AMStart(1) != 0 || p.AMStart(2) != 9000 || p.AMStart(3) != 9000 {
		t.Errorf("plan %+v, %v: want 0, 9000 and 9000 ms to the registration", p, err)
	}
}
