package driver

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/engine/spark"
	"replay/trace"
)

// recordedOn is an executor of one core that a recording gives on a node from a time on, which takes tasks at once.
func recordedOn(id, node int32, added int64, change ...func(*RecordedExecutor)) RecordedExecutor {
	x := RecordedExecutor{LeaveMS: trace.Unset, CausedBy: trace.Unset}
	x.ID, x.Node, x.VCores, x.MemMiB, x.AddedMS, x.RemovedMS = id, node, 1, 2048, added, trace.Unset
	for _, c := range change {
		c(&x)
	}
	return x
}

func removed(at int64, reason string) func(*RecordedExecutor) {
	return func(x *RecordedExecutor) { x.RemovedMS, x.Reason = at, reason }
}

const (
	byDriver = "Executor killed by driver."
	badNode  = "Container from a bad node: container_1 on host: h. Exit status: 143."
)

// given registers an application whose executors a recording gives.
func withRecorded(t *testing.T, j *trace.Job, s setup, executors ...RecordedExecutor) *app {
	t.Helper()
	s.recorded.Executors = executors
	return newApp(t, j, s).register()
}

// Executors come at their times from the recorded start of the application, in the order of their numbers, and take tasks a while
// later; the code begins when it did. Nothing is asked of a ResourceManager, and all end with the application.
func TestRecordedExecutorsCome(t *testing.T) {
	m := instant()
	m.ExecutorReadyMS = 200
	j := jobOf(stageOf(0, 4, 1000))
	j.SubmitMS, j.RecordedStartMS = 70_000, 90_000
	a := withRecorded(t, j, setup{model: m, conf: dynamic(), recorded: Recorded{CodeMS: map[int64]int64{0: 500}}},
		recordedOn(2, 1, 91_000, func(x *RecordedExecutor) { x.ReadyMS = trace.Unset }), recordedOn(1, 3, 90_400), recordedOn(3, 0, 1_000_000),
		recordedOn(4, 2, 80_000, func(x *RecordedExecutor) { x.ReadyMS = 5000 }), // before the start: at once
		RecordedExecutor{Executor: trace.Executor{Job: 7, ID: 1}})
	a.Run(20_000)
	if d := cmp.Diff([]string{"500 0.0 ex1 NO_PREF", "1200 0.1 ex2 NO_PREF", "1500 0.2 ex1 NO_PREF", "2200 0.3 ex2 NO_PREF"}, a.launches()); d != "" {
		t.Errorf("launches (-want +got)\n%s", d)
	}
	if d := cmp.Diff([]string{"0 bring 2 on h2", "400 bring 3 on h3", "1000 bring 4 on h1", "3200 unregister", "3200 leave"}, a.Log); d != "" {
		t.Errorf("log (-want +got)\n%s", d)
	}
	if len(a.Beats) > 0 {
		t.Errorf("heartbeats at %v, want none", a.Beats)
	}
	for c, want := range map[int64]int64{2: 0, 3: 400, 4: 1000} {
		if got := a.Container(c).Registered; got != want {
			t.Errorf("container %d registered at %d, want %d", c, got, want)
		}
	}
}

// Without a recorded start the times count from the submission.
func TestRecordedExecutorsOfAnApplicationWithoutStart(t *testing.T) {
	j := jobOf(stageOf(0, 1, 1000))
	j.SubmitMS = 70_000
	a := withRecorded(t, j, setup{}, recordedOn(1, 0, 70_300))
	a.Run(20_000)
	if d := cmp.Diff([]string{"300 bring 2 on h0", "1300 unregister", "1300 leave"}, a.Log); d != "" {
		t.Errorf("log (-want +got)\n%s", d)
	}
}

// An executor goes at its recorded time. A driver kills idle ones only: one that is busy then goes when it has become idle; one that
// fails takes its tasks with it.
func TestRecordedExecutorsGo(t *testing.T) {
	cases := []struct {
		name   string
		change []func(*RecordedExecutor)
		want   []string // launches
		went   string
		ends   []string
	}{
		{"killed while it is busy", []func(*RecordedExecutor){removed(1500, byDriver)},
			[]string{"0 0.0 ex1 NO_PREF", "1000 0.1 ex1 NO_PREF", "5000 0.1 ex2 NO_PREF", "6000 0.2 ex2 NO_PREF"}, "1500 return 2", []string{"1000 0.0 success", "1500 0.1 lost"}},
		{"idle in the recording, and not in the replay", []func(*RecordedExecutor){removed(1500, byDriver), func(x *RecordedExecutor) { x.Idle = true }},
			[]string{"0 0.0 ex1 NO_PREF", "1000 0.1 ex1 NO_PREF", "2000 0.2 ex1 NO_PREF"}, "3100 return 2", []string{"1000 0.0 success", "2000 0.1 success", "3000 0.2 success"}}, // looked at every 100 ms
		{"it had been decided before that it goes: no more tasks", []func(*RecordedExecutor){removed(1500, byDriver), func(x *RecordedExecutor) { x.LeaveMS = 800 }},
			[]string{"0 0.0 ex1 NO_PREF", "5000 0.1 ex2 NO_PREF", "6000 0.2 ex2 NO_PREF"}, "1500 return 2", []string{"1000 0.0 success"}},
		{"failed", []func(*RecordedExecutor){removed(1500, badNode)},
			[]string{"0 0.0 ex1 NO_PREF", "1000 0.1 ex1 NO_PREF", "5000 0.1 ex2 NO_PREF", "6000 0.2 ex2 NO_PREF"}, "1500 return 2", []string{"1000 0.0 success", "1500 0.1 lost"}},
		{"failed before it was ready", []func(*RecordedExecutor){removed(1500, badNode), func(x *RecordedExecutor) { x.ReadyMS = 3000 }},
			[]string{"5000 0.0 ex2 NO_PREF", "6000 0.1 ex2 NO_PREF", "7000 0.2 ex2 NO_PREF"}, "1500 return 2", nil},
		{"never", nil,
			[]string{"0 0.0 ex1 NO_PREF", "1000 0.1 ex1 NO_PREF", "2000 0.2 ex1 NO_PREF"}, "", []string{"1000 0.0 success", "2000 0.1 success", "3000 0.2 success"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			j := jobOf(stageOf(0, 3, 1000))
			j.TailMS = 1000
			a := withRecorded(t, j, setup{}, recordedOn(1, 0, 0, c.change...), recordedOn(2, 1, 5000))
			a.Run(4900)
			if d := cmp.Diff(c.ends, a.ends()); d != "" {
				t.Errorf("ends before the second executor comes (-want +got)\n%s", d)
			}
			if ready := len(a.said("bring")) - len(a.said("return")); a.d.ready != ready && !strings.Contains(c.name, "before") || a.d.ready < 0 {
				t.Errorf("%d executors are registered, want %d", a.d.ready, ready)
			}
			went := a.said("return")
			if c.went == "" && len(went) > 0 || c.went != "" && !slices.Equal(went, []string{c.went}) {
				t.Errorf("the first executor: %v, want %q", went, c.went)
			}
			a.Run(20_000)
			if d := cmp.Diff(c.want, a.launches()); d != "" {
				t.Errorf("launches (-want +got)\n%s", d)
			}
			if a.Outcome == nil || *a.Outcome != "" || a.Cores != 0 {
				t.Errorf("log %v, %d busy cores, want success and none", a.Log, a.Cores)
			}
		})
	}
}

// An executor that a stage made fail goes as long after the first attempt of that stage as it did; later attempts do it no harm.
func TestRecordedExecutorsFailWithTheirStage(t *testing.T) {
	cause := func(stage int32, after int64) func(*RecordedExecutor) {
		return func(x *RecordedExecutor) { x.CausedBy, x.AfterMS = stage, after }
	}
	// Executor 1 holds output of stage 0 and goes 700 ms after stage 1 began, at 1700: stage 0 runs again, and stage 1. Executor 3, which
	// stage 1 makes fail after 2.5 s, fails once; executor 5 was not there at that time and stays. When they went in the recording
	// does not matter.
	a := withRecorded(t, jobOf(stageOf(0, 2, 1000), stageOf(1, 12, 1000, 0)), setup{},
		recordedOn(1, 0, 0, removed(300, badNode), cause(1, 700)), recordedOn(2, 1, 0),
		recordedOn(3, 2, 0, removed(400, badNode), cause(1, 2500)), recordedOn(4, 2, 0, cause(1, 100)), recordedOn(5, 3, 4000, removed(500, badNode), cause(1, 2500)))
	a.Run(6900)
	if d := cmp.Diff([]string{"1700 return 2", "3500 return 4"}, a.said("return")); d != "" {
		t.Errorf("executors that go (-want +got)\n%s", d)
	}
	if n := a.Job().StageAttempts; n < 4 || a.Outcome != nil {
		t.Fatalf("%d stage attempts, outcome %v, want both stages twice and no end yet", n, a.Outcome)
	}
	a.Run(60_000)
	if a.Outcome == nil || *a.Outcome != "" {
		t.Errorf("log %v, want success", a.Log)
	}
}

// What the first tasks of an executor took longer stays with the executor, in the order of launches; the tasks lose it elsewhere.
func TestFirstTasksOfRecordedExecutors(t *testing.T) {
	m := instant()
	m.DispatchMS = 30
	st := stageOf(0, 4, 1000)
	st.Tasks.DurationMS[3] = 40 // less than it is said to have taken longer
	first := func(task int32, ms int64) RecordedAttempt {
		return RecordedAttempt{Task: task, Executor: 1, LaunchMS: int64(task), SchedDelayMS: trace.Unset, First: true, FirstMS: ms}
	}
	a := withRecorded(t, jobOf(st), setup{model: m, recorded: Recorded{Attempts: map[int64][]RecordedAttempt{0: {first(1, 300), first(3, 60)}}}},
		recordedOn(1, 0, 0, func(x *RecordedExecutor) { x.FirstMS = []int64{300, 60} }))
	a.Run(60_000)
	// 0: 1000 + 300; 1: 1000 - 300 + 60; 2: 1000; 3: 40 - 60, of which 20 shorten the dispatch.
	if d := cmp.Diff([]string{"1330 0.0 success", "2120 0.1 success", "3150 0.2 success", "3160 0.3 success"}, a.ends()); d != "" {
		t.Errorf("ends (-want +got)\n%s", d)
	}
	b := withRecorded(t, jobOf(st), setup{recorded: Recorded{Attempts: map[int64][]RecordedAttempt{0: {first(3, 60)}}}},
		recordedOn(1, 0, 0, func(x *RecordedExecutor) { x.FirstMS = []int64{60} }))
	b.Run(60_000)
	if got := b.ends()[3]; got != "3060 0.3 success" {
		t.Errorf("without time to dispatch the task ends as %s, want at once", got)
	}
}

// A recorded executor has the resource profile that the recording gives it, also one that no stage has, and as many slots as its further
// resources leave.
func TestProfilesOfRecordedExecutors(t *testing.T) {
	gpus := changed(stageOf(0, 9, 1000), func(st *trace.Stage) {
		st.Profile, st.ExecVCores, st.ExecExtra, st.ExecTasks = 2, 4, []trace.NamedValue{{Name: "yarn.io/gpu", Value: 2}}, 2
	})
	for _, c := range []struct{ profile, cores int32 }{{0, 4}, {2, 2}, {7, 4}} {
		a := withRecorded(t, jobOf(gpus), setup{conf: dynamic(), types: []string{"memory-mb", "vcores", "yarn.io/gpu"}},
			recordedOn(1, 0, 0, func(x *RecordedExecutor) { x.VCores, x.Profile = 4, c.profile }))
		a.Run(10)
		if e := a.d.execs[1]; e.profile != c.profile || e.cores != c.cores {
			t.Errorf("executor of profile %d has profile %d and %d cores, want %d", c.profile, e.profile, e.cores, c.cores)
		}
	}
}

// Executors are not killed on the driver's demand: they end as they did.
func TestRecordedExecutorsAreNotKilled(t *testing.T) {
	a := withRecorded(t, jobOf(stageOf(0, 1, 1000)), setup{}, recordedOn(1, 0, 0))
	a.Run(100)
	if got := a.d.source.kill([]int32{1}, true); len(got) > 0 {
		t.Errorf("killed %v, want none", got)
	}
	if !a.d.source.enough() {
		t.Error("the code waits for executors, want it to begin as recorded")
	}
}

// The output of a recorded executor is lost with it, or stays with the shuffle service of its host, unless that is lost too.
func TestOutputOfRecordedExecutors(t *testing.T) {
	for _, c := range []struct {
		name    string
		service string
		reason  string
		want    int64 // stage attempts
	}{
		{"its process held it", "false", badNode, 4},
		{"the shuffle service serves it", "true", badNode, 2},
		{"its node was lost", "true", "Container marked as failed: c on host: h. Exit status: -100. Diagnostics: Container released on a *lost* node.", 4},
		{"its worker was lost", "true", "worker lost: Not receiving heartbeat for 60 seconds", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := instant()
			m.FetchFailMS = 50
			a := withRecorded(t, jobOf(stageOf(0, 2, 1000), stageOf(1, 6, 1000, 0)), setup{model: m, conf: keys([]string{"spark.shuffle.service.enabled", c.service})},
				recordedOn(1, 0, 0, removed(1500, c.reason)), recordedOn(2, 1, 0))
			a.Run(60_000)
			if got := a.Job().StageAttempts; got != c.want || a.Outcome == nil || *a.Outcome != "" {
				t.Errorf("%d stage attempts, want %d; log %v, want success", got, c.want, a.Log)
			}
		})
	}
}

// What the text of an ExecutorRemoved event means for the tasks that ran there.
func TestLossOfReason(t *testing.T) {
	for reason, want := range map[string]spark.Loss{
		"Executor killed by driver.":                      {Kind: spark.LossKilled},
		"Executor decommission: worker decommissioned":    {Kind: spark.LossDecommissioned},
		"Container container_1 on host: h was preempted.": {Kind: spark.LossExited},
		"Container marked as failed: c on host: h. Exit status: -100. Diagnostics: Container released on a *lost* node.": {Kind: spark.LossExited},
		"Container c exited from explicit termination request.":                                                          {Kind: spark.LossKilled},
		"Container c exited because of a YARN event (e.g. preemption) and not because of an error in the running job.":   {Kind: spark.LossExited},
		"Command exited with code 52":                               {Kind: spark.LossExited, ByApp: true},
		"worker lost: Not receiving heartbeat for 60 seconds":       {Kind: spark.LossProcess, Worker: true},
		"Worker shutting down":                                      {Kind: spark.LossProcess, Worker: true},
		"Executor heartbeat timed out after 125000 ms":              {Kind: spark.LossProcess, ByApp: true},
		"Remote RPC client disassociated. Likely due to containers": {Kind: spark.LossProcess, ByApp: true},
	} {
		if got := lossOfReason(reason); got != want {
			t.Errorf("%q is %+v, want %+v", reason, got, want)
		}
	}
}
