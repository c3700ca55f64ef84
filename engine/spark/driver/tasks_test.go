package driver

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/engine/model"
	"replay/engine/record"
	"replay/trace"
)

// How long tasks take: what the trace has, with the factors and latencies of the model around it.
func TestTimesOfTasks(t *testing.T) {
	latencies := func(change func(*model.Model)) *model.Model {
		m := instant()
		m.DispatchMS, m.StatusMS, m.ResultMS, m.DeserializeMS = 3, 5, 7, 8
		change(m)
		return m
	}
	none := func(*model.Model) {}
	type times struct{ Finish, Overhead, Penalty int64 } // of a task, the first one launched at 0, its executor free at Finish - result
	cases := []struct {
		name  string
		model *model.Model
		stage func(*trace.Stage) // of tasks of 1 s
		want  []times
	}{
		{"dispatch, deserialization, service, status, result", latencies(none), nil,
			[]times{{1023, 16, 0}, {2039, 16, 0}}},
		{"deserialization is in the recorded time", latencies(none), func(st *trace.Stage) { st.Tasks.DeserializeMS = []int64{20, 20} },
			[]times{{1015, 8, 0}, {2023, 8, 0}}},
		{"classes are loaded by the first task of an executor", latencies(func(m *model.Model) { m.FirstTaskMS = 100 }), nil,
			[]times{{1123, 116, 0}, {2139, 16, 0}}},
		{"but they are in the recorded time too", latencies(func(m *model.Model) { m.FirstTaskMS = 100 }), func(st *trace.Stage) { st.Tasks.DeserializeMS = []int64{20, 20} },
			[]times{{1015, 8, 0}, {2023, 8, 0}}},
		{"the first task of a stage on an executor, by the model", latencies(func(m *model.Model) { m.FirstFactor = 1.5 }), nil,
			[]times{{1523, 516, 0}, {2539, 16, 0}}},
		{"by the trace", latencies(func(m *model.Model) { m.FirstFactor = 1.5 }), func(st *trace.Stage) { st.FirstFactor = 1.2 },
			[]times{{1223, 216, 0}, {2239, 16, 0}}},
		{"and on a cold one", latencies(func(m *model.Model) { m.FirstFactor = 1.5 }), func(st *trace.Stage) { st.FirstFactor, st.FreshFactor = 1.2, 2 },
			[]times{{2023, 1016, 0}, {3039, 16, 0}}},
		{"a factor may make tasks shorter", latencies(none), func(st *trace.Stage) { st.FirstFactor, st.FreshFactor = 0.9, 0.5 },
			[]times{{523, -484, 0}, {1539, 16, 0}}},
		{"recorded delay without the result: the status has its part of it", latencies(none), func(st *trace.Stage) { st.Tasks.SchedDelayMS = []int64{50, 10} },
			[]times{{1058, 51, 0}, {2069, 11, 0}}},
		{"recorded delay that is less than the result takes", latencies(none), func(st *trace.Stage) { st.Tasks.SchedDelayMS = []int64{2, 7} },
			[]times{{1015, 8, 0}, {2023, 8, 0}}},
		{"recorded for some", latencies(none), func(st *trace.Stage) { st.Tasks.SchedDelayMS = []int64{trace.Unset, 10} },
			[]times{{1023, 16, 0}, {2034, 11, 0}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			st := stageOf(0, 2, 1000)
			if c.stage != nil {
				c.stage(&st)
			}
			a := newApp(t, jobOf(st), setup{conf: static(1), model: c.model}).executors(0).register()
			a.Run(60_000)
			var got []times
			for _, r := range a.Tasks {
				got = append(got, times{r.Finish, r.OverheadMS, r.PenaltyMS})
				if r.DurationMS != 1000 {
					t.Errorf("task %d takes %d ms in the trace, want 1000", r.Index, r.DurationMS)
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// An executor is warm for a stage while its last task was of that stage.
func TestFirstTaskOfAStageOnAnExecutor(t *testing.T) {
	m := instant()
	m.FirstFactor, m.FirstTaskMS = 2, 50
	other := delayed(stageOf(1, 1, 100), 150)
	a := newApp(t, jobOf(stageOf(0, 3, 100), other), setup{conf: static(1), model: m}).executors(0).register()
	a.Run(60_000)
	// The stage of the smaller number is served first; the other one has the core after it, for twice its time again.
	if d := cmp.Diff([]string{"250 0.0 success", "350 0.1 success", "450 0.2 success", "650 1.0 success"}, a.ends()); d != "" {
		t.Errorf("ends (-want +got)\n%s", d)
	}
}

// Input that is read from elsewhere takes longer: the part of a task that reads, at most all of it, by a factor of the level.
func TestPenaltyOfRemoteReads(t *testing.T) {
	cases := []struct {
		name   string
		racks  []int32 // of the preferred node and of the one that has the executor
		bytes  int64
		prefer bool
		want   int64
	}{
		{"on the rack", []int32{0, 0}, 5000 << 20, true, 25_000},
		{"off the rack", []int32{0, 1}, 5000 << 20, true, 50_000},
		{"no more than the whole task reads", []int32{0, 1}, 50_000 << 20, true, 100_000},
		{"nothing is read", []int32{0, 1}, 0, true, 0},
		{"nothing is preferred", []int32{0, 1}, 5000 << 20, false, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := instant()
			m.RackPenalty, m.AnyPenalty, m.ReadMiBPerS = 1.5, 2, 100
			st := stageOf(0, 1, 100_000)
			if c.prefer {
				st = near(st, []int32{0})
			}
			st.Tasks.InputBytes[0] = c.bytes
			a := newApp(t, jobOf(st), setup{racks: c.racks, conf: static(1), model: m}).executors(1).register()
			a.Run(300_000)
			if r := a.Tasks[0]; r.PenaltyMS != c.want || r.Finish != 100_000+c.want {
				t.Errorf("penalty %d ms, end at %d ms, want %d and %d", r.PenaltyMS, r.Finish, c.want, 100_000+c.want)
			}
		})
	}
	t.Run("local reads have none, and no factor makes a task shorter", func(t *testing.T) {
		m := instant()
		m.RackPenalty, m.AnyPenalty = 0.5, 2
		st := near(stageOf(0, 2, 1000), []int32{0}, []int32{2})
		st.Tasks.InputBytes = []int64{50 << 20, 50 << 20}
		a := newApp(t, jobOf(st), setup{racks: []int32{0, 0, 0}, conf: static(2), model: m}).executors(0, 1).register()
		a.Run(60_000)
		for _, r := range a.Tasks {
			if r.PenaltyMS != 0 {
				t.Errorf("task %d at %s has a penalty of %d ms", r.Index, r.Level, r.PenaltyMS)
			}
		}
	})
}

// Why a task is on none of its preferred hosts, as things stand when it is launched; the first reason that holds is given.
func TestTaskMisses(t *testing.T) {
	preferring := func(prefs ...int32) trace.Stage { return near(stageOf(0, 1, 1000), prefs) }
	cases := []struct {
		name  string
		wait  string
		stage trace.Stage
		want  record.Miss
	}{
		{"no preferred host is there", "3s", preferring(3), record.HostAbsent},
		{"one is there, without an executor", "3s", preferring(3, 2), record.NoExecutor},
		{"the same in another order", "3s", preferring(2, 3), record.NoExecutor},
		{"its executor has no core free", "3s", preferring(3, 2, 1), record.HostBusy},
		{"it has, without a wait for it", "0s", preferring(1, 0), record.DelayOff},
		{"it has, the wait is over", "3s", preferring(0, 1), record.DelayOver},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			// Nodes 0 and 1 have an executor each, that of 1 is busy; the one of node 2 is lost; node 3 is down.
			a := newApp(t, jobOf(delayed(near(stageOf(0, 1, 1_000_000), []int32{1}), 100)), setup{conf: static(3, "spark.locality.wait", c.wait)}).executors(0, 1, 2).register()
			a.Run(200)
			a.Crash(4, 1)
			a.FailNode(3)
			a.Run(10_000)
			prefs := c.stage.Tasks.Prefs(0)
			_, near := a.d.tasks.Near(prefs, -1)
			if got := a.d.taskMiss(prefs, near); got != c.want {
				t.Errorf("reason %v, want %v", got, c.want)
			}
		})
	}
	t.Run("it is written with the task", func(t *testing.T) {
		a := newApp(t, jobOf(near(stageOf(0, 1, 1000), []int32{3})), setup{conf: static(1)}).executors(0).register()
		a.Run(10_000)
		if r := a.Tasks[0]; !r.Preferring || r.Preferred || r.Miss != record.NoExecutor {
			t.Errorf("the task: %+v, want one that preferred a host without executor", r)
		}
	})
}

// Attempts fail as often as the trace says, one short of what ends the application; copies do not fail.
func TestRecordedFailures(t *testing.T) {
	st := stageOf(0, 3, 1000)
	st.Tasks.Retries = []int32{0, 1, 9}
	a := newApp(t, jobOf(st), setup{conf: static(1, "spark.task.maxFailures", "3"), recorded: failing(st)}).executors(0).register()
	a.Run(60_000)
	want := []string{"1000 0.0 success", "2000 0.1 failed", "3000 0.2 failed", "4000 0.1 success", "5000 0.2 failed", "6000 0.2 success"}
	if d := cmp.Diff(want, a.ends()); d != "" {
		t.Errorf("ends (-want +got)\n%s", d)
	}
	if r := a.Job(); r.Attempts != 6 || r.TasksSucceeded != 3 || r.TaskMS != 3000 || r.WastedTaskMS != 3000 {
		t.Errorf("job %+v, want 6 attempts, 3 tasks done, 3 s useful and 3 s wasted", r)
	}
	b := newApp(t, jobOf(st), setup{conf: static(1)}).executors(0).register()
	b.Run(60_000)
	if b.Job().Attempts != 3 {
		t.Errorf("%d attempts without recorded failures, want 3", b.Job().Attempts)
	}
}

// Copies do not fail as recorded, nor does an attempt that has failed for want of its input count as one that has.
func TestRecordedFailuresAreOfAttemptsThatRun(t *testing.T) {
	slow := stageOf(0, 4, 1000)
	slow.Tasks.DurationMS[3], slow.Tasks.Retries = 30_000, []int32{0, 0, 0, 1}
	a := newApp(t, jobOf(slow), setup{conf: static(2, "spark.speculation", "true", "spark.speculation.quantile", "0.5"), recorded: failing(slow)}).executors(0, 1).register()
	a.Run(60_000)
	if d := cmp.Diff([]string{"31000 0.3 failed", "32600 0.3 success"}, a.ends()[3:]); d != "" {
		t.Errorf("ends of the copied task's attempts (-want +got)\n%s\n%v", d, a.launches())
	}
	// Each attempt but the last fails; a copy that finishes before an attempt would fail succeeds.
	read := near(stageOf(0, 4, 1000), []int32{0}, []int32{0}, []int32{1}, []int32{1})
	for i := range read.Tasks.InputBytes {
		read.Tasks.InputBytes[i] = 1 << 30
	}
	read.Tasks.Retries = []int32{0, 3, 0, 0}
	far := instant()
	far.RackPenalty = 10
	x := newApp(t, jobOf(delayed(read, 100)), setup{racks: []int32{0, 0, 0}, model: far, recorded: failing(read),
		conf: static(3, "spark.locality.wait", "500ms", "spark.speculation", "true", "spark.speculation.quantile", "0.5")}).executors(0, 1, 2).register()
	x.Run(20_000)
	if d := cmp.Diff([]string{"3600 0.1 success", "3600 0.1 killed"}, x.ends()[3:]); d != "" {
		t.Errorf("ends of the attempts of a task that is copied (-want +got)\n%s\n%v", d, x.launches())
	}
	lost := stageOf(1, 6, 1000, 0)
	lost.Tasks.Retries = []int32{0, 0, 0, 0, 1, 0}
	m := instant()
	m.FetchFailMS, m.DispatchMS = 50, 3
	b := newApp(t, jobOf(stageOf(0, 2, 1000), lost), setup{conf: static(2), model: m, recorded: failing(lost)}).executors(0, 1).register()
	b.Run(2500)
	b.Crash(2, 1)
	b.Run(60_000)
	failed := 0
	for _, r := range b.Tasks {
		if r.Stage == 1 && r.Index == 4 && r.End == record.TaskFailed {
			failed++
		}
	}
	if failed != 2 {
		t.Errorf("task 4 fails %d times, want once for want of input and once as recorded: %v", failed, b.ends())
	}
}

// A copy of a slow task that succeeds first has the other attempt killed: its core is free when the executor reports so, and is
// offered alone; the killed attempt is no failure.
//
// Source: TaskSetManager.handleSuccessfulTask, CoarseGrainedSchedulerBackend.DriverEndpoint.receive(KillTask).
func TestSpeculativeCopy(t *testing.T) {
	m := instant()
	m.StatusMS, m.RackPenalty = 20, 10
	// Node 2 holds no block: what it reads takes ten times as long.
	st := near(stageOf(0, 4, 1000), []int32{0}, []int32{0}, []int32{1}, []int32{1})
	for i := range st.Tasks.InputBytes {
		st.Tasks.InputBytes[i] = 1 << 30
	}
	later := delayed(stageOf(1, 3, 60_000), 3000)
	a := newApp(t, jobOf(delayed(st, 100), later), setup{racks: []int32{0, 0, 0}, model: m,
		conf: static(3, "spark.locality.wait", "500ms", "spark.speculation", "true", "spark.speculation.quantile", "0.5", "spark.task.maxFailures", "1")}).executors(0, 1, 2).register()
	a.Run(20_000)
	want := []string{"1000 0.1 ex3 RACK_LOCAL", "1120 0.3 ex2 NODE_LOCAL", "2600 0.1 ex1 NODE_LOCAL", "3000 1.0 ex2 NO_PREF", "3620 1.1 ex1 NO_PREF", "3640 1.2 ex3 NO_PREF"}
	if d := cmp.Diff(want, a.launches()[2:]); d != "" {
		t.Errorf("launches behind the first two (-want +got)\n%s", d)
	}
	if d := cmp.Diff([]string{"2140 0.3 success", "3620 0.1 success", "3640 0.1 killed"}, a.ends()[2:]); d != "" {
		t.Errorf("ends behind the first two (-want +got)\n%s", d)
	}
	if a.Cores != 3 || a.Outcome != nil {
		t.Errorf("%d cores are busy, outcome %v, want 3 and none yet", a.Cores, a.Outcome)
	}
	for _, r := range a.Tasks {
		if copied := r.Launch == 2600; r.Speculative != copied {
			t.Errorf("attempt of %d at %d: speculative %v, want %v", r.Index, r.Launch, r.Speculative, copied)
		}
	}
}

// What was told to stop says so when it has, unless it has ended otherwise by then. Here the copy of task 1 wins at 3620, and the
// attempt on executor 3 is told by 3640.
//
// Source: CoarseGrainedSchedulerBackend.DriverEndpoint.receive(StatusUpdate).
func TestKilledAttemptThatEndsOtherwise(t *testing.T) {
	cases := []struct {
		name string
		do   func(*app) // at 3630
		want []string   // ends behind those of the other tasks
		busy int32      // cores at 3700
	}{
		{"it stops", func(*app) {}, []string{"3620 0.1 success", "3640 0.1 killed"}, 0},
		{"its executor is gone before", func(a *app) { a.Crash(4, 1); a.asked().wake() }, []string{"3620 0.1 success", "3630 0.1 lost"}, 0},
		{"its executor has died, which nobody knows", func(a *app) { a.d.m.DisconnectMS = 5000; a.Crash(4, 1) }, []string{"3620 0.1 success"}, 1},
		{"the application fails", func(a *app) { a.d.Fail("no more") }, []string{"3620 0.1 success"}, 1},
		{"the attempt is taken out", func(a *app) { a.Master.Stop() }, []string{"3620 0.1 success", "3630 0.1 killed"}, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := instant()
			m.StatusMS, m.RackPenalty, m.DriverStopMS = 20, 10, 10_000
			st := near(stageOf(0, 4, 1000), []int32{0}, []int32{0}, []int32{1}, []int32{1})
			for i := range st.Tasks.InputBytes {
				st.Tasks.InputBytes[i] = 1 << 30
			}
			a := newApp(t, jobOf(delayed(st, 100), delayed(stageOf(1, 1, 1000), 60_000)), setup{racks: []int32{0, 0, 0}, model: m,
				conf: static(3, "spark.locality.wait", "500ms", "spark.speculation", "true", "spark.speculation.quantile", "0.5")}).executors(0, 1, 2).register()
			a.Run(3630)
			c.do(a)
			a.Run(3700)
			if d := cmp.Diff(c.want, a.ends()[3:]); d != "" {
				t.Errorf("ends (-want +got)\n%s", d)
			}
			if a.Cores != c.busy {
				t.Errorf("%d cores are busy, want %d", a.Cores, c.busy)
			}
		})
	}
}

// The recorded delay of the scheduler without the handling of the result lies before the task, but for the report of its end.
//
// Source: AppStatusUtils.schedulerDelay.
func TestDelaysOfTasks(t *testing.T) {
	m := instant()
	m.DispatchMS, m.StatusMS, m.ResultMS = 7, 30, 10
	st := stageOf(0, 4, 1000)
	st.Tasks.SchedDelayMS = []int64{100, 25, 3, trace.Unset}
	a := newApp(t, jobOf(st), setup{conf: static(1), model: m}).register()
	for i, want := range [][2]int64{{60, 30}, {0, 15}, {0, 0}, {7, 30}} {
		if dispatch, status := a.d.taskDelays(a.d.history.next(&a.d.job.Stages[0], int32(i), 1, false, false, false).delayMS); dispatch != want[0] || status != want[1] {
			t.Errorf("task %d: %d ms before it and %d ms behind, want %v", i, dispatch, status, want)
		}
	}
}

// Of the tasks that succeed those are counted that prefer a node, and those that run on one that they prefer.
func TestCountsOfPreferences(t *testing.T) {
	st := near(stageOf(0, 5, 1000), []int32{0}, []int32{3}, nil, []int32{0}, nil)
	a := newApp(t, jobOf(st), setup{conf: static(1, "spark.locality.wait", "0s")}).executors(0).register()
	a.Run(9000)
	if r := a.Job(); r.TasksSucceeded != 5 || r.TasksPreferring != 3 || r.TasksPreferred != 2 {
		t.Errorf("of %d tasks %d prefer a node, %d run on one, want 5, 3, 2", r.TasksSucceeded, r.TasksPreferring, r.TasksPreferred)
	}
}
