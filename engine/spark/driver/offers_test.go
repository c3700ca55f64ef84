package driver

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/engine/random"
	"replay/engine/spark"
	"replay/trace"
)

// TestWorkedTraces replays the traces of locality waits that are worked out for the real scheduler, all times moved by 1 s:
// one core each on node 0 (executor 1) and node 1, revives every second, nothing takes time but tasks.
//
// Source: TaskSchedulerImpl.resourceOffers, TaskSetManager.resourceOffer, CoarseGrainedSchedulerBackend.makeOffers.
func TestWorkedTraces(t *testing.T) {
	onA := func(n int, ms int64) trace.Stage { return near(stageOf(0, n, ms), all(n, 0)...) }
	cases := []struct {
		name     string
		stage    trace.Stage
		legacy   bool
		arrivals [2]int64 // of executors 1 and 2, ms after registration
		nodes    [2]int32
		want     []string
	}{
		{"one task more than the preferred host takes in the wait", onA(3, 5000), false, [2]int64{}, [2]int32{0, 1},
			[]string{"1000 0.0 ex1 NODE_LOCAL", "4000 0.1 ex2 RACK_LOCAL", "6000 0.2 ex1 NODE_LOCAL"}},
		{"the same by the legacy rule", onA(3, 5000), true, [2]int64{}, [2]int32{0, 1},
			[]string{"1000 0.0 ex1 NODE_LOCAL", "4000 0.1 ex2 RACK_LOCAL", "6000 0.2 ex1 NODE_LOCAL"}},
		{"launches in offers of one executor restart no wait after a reject", onA(4, 2000), false, [2]int64{}, [2]int32{0, 1},
			[]string{"1000 0.0 ex1 NODE_LOCAL", "3000 0.1 ex1 NODE_LOCAL", "4000 0.2 ex2 RACK_LOCAL", "5000 0.3 ex1 NODE_LOCAL"}},
		{"by the legacy rule each restarts it", onA(4, 2000), true, [2]int64{}, [2]int32{0, 1},
			[]string{"1000 0.0 ex1 NODE_LOCAL", "3000 0.1 ex1 NODE_LOCAL", "5000 0.2 ex1 NODE_LOCAL", "7000 0.3 ex1 NODE_LOCAL"}},
		{"an executor elsewhere waits for no host without executors", onA(4, 10_000), false, [2]int64{9000, 9500}, [2]int32{1, 0},
			[]string{"9000 0.0 ex1 RACK_LOCAL", "9500 0.1 ex2 NODE_LOCAL", "19000 0.2 ex1 RACK_LOCAL", "19500 0.3 ex2 NODE_LOCAL"}},
		{"one that comes after the preferred host's waits", onA(4, 10_000), false, [2]int64{9000, 9500}, [2]int32{0, 1},
			[]string{"9000 0.0 ex1 NODE_LOCAL", "12000 0.1 ex2 RACK_LOCAL", "19000 0.2 ex1 NODE_LOCAL", "22000 0.3 ex2 RACK_LOCAL"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := setup{racks: []int32{0, 0}, conf: static(2, "spark.locality.wait.legacyResetOnTaskLaunch", fmt.Sprint(c.legacy)),
				recorded: Recorded{Latencies: map[int64][]*Latencies{0: {{AMMS: trace.Unset, ExecutorMS: c.arrivals[:]}}}}}
			a := newApp(t, jobOf(delayed(c.stage, 1000)), s).executors(c.nodes[:]...).register()
			a.Run(60_000)
			if d := cmp.Diff(c.want, a.launches()); d != "" {
				t.Errorf("launches (-want +got)\n%s", d)
			}
		})
	}
}

// An executor that has registered is there for locality, with the next offer of all executors, which is each second, before it takes tasks; without one, with its own.
func TestExecutorsThatDoNotTakeTasksYet(t *testing.T) {
	for _, c := range []struct {
		name     string
		stageMS  int64
		arrivals [2]int64 // of an executor on the preferred host and one elsewhere, ms after registration
		want     []string
	}{
		{name: "known before the stage", stageMS: 1500, arrivals: [2]int64{900, 200}, want: []string{"5900 0.0 ex1 NODE_LOCAL", "7900 0.1 ex1 NODE_LOCAL"}},
		{name: "known by an offer for the stage", stageMS: 1500, arrivals: [2]int64{1300, 1200}, want: []string{"6300 0.0 ex1 NODE_LOCAL", "8300 0.1 ex1 NODE_LOCAL"}},
		{name: "known by an offer for the second task", stageMS: 100, arrivals: [2]int64{5050, 150}, want: []string{"5150 0.0 ex2 RACK_LOCAL", "10050 0.1 ex1 NODE_LOCAL"}},
		{name: "registered, and no offer before the second task", stageMS: 100, arrivals: [2]int64{7050, 150}, want: []string{"5150 0.0 ex2 RACK_LOCAL", "7150 0.1 ex2 RACK_LOCAL"}},
	} {
		for _, dense := range []bool{false, true} {
			m := instant()
			m.ExecutorReadyMS = 5000
			s := setup{dense: dense, racks: []int32{0, 0}, model: m, conf: static(2, "spark.locality.wait", "20s"),
				recorded: Recorded{Latencies: map[int64][]*Latencies{0: {{AMMS: trace.Unset, ExecutorMS: c.arrivals[:]}}}}}
			a := newApp(t, jobOf(delayed(near(stageOf(0, 2, 2000), all(2, 0)...), c.stageMS)), s).executors(0, 1).register()
			a.Run(60_000)
			if d := cmp.Diff(c.want, a.launches()); d != "" {
				t.Errorf("%s, dense %v: launches (-want +got)\n%s", c.name, dense, d)
			}
		}
	}
}

// The next offer of all executors has an executor that has registered, though there is no task to offer it to.
func TestOfferOfAnExecutorWithoutTasks(t *testing.T) {
	for _, dense := range []bool{false, true} {
		for _, conf := range []map[string]string{static(1), dynamic("spark.dynamicAllocation.initialExecutors", "1")} {
			m := instant()
			m.ExecutorReadyMS = 5000
			s := setup{dense: dense, model: m, conf: conf, recorded: Recorded{Latencies: map[int64][]*Latencies{0: {{AMMS: trace.Unset, ExecutorMS: []int64{2350}}}}}}
			a := newApp(t, jobOf(delayed(stageOf(0, 1, 2000), 30_000)), s).executors(0).register()
			for _, c := range []struct {
				at    int64
				fresh int
			}{{2349, 0}, {2999, 1}, {3001, 0}} {
				if a.Run(c.at); len(a.d.fresh) != c.fresh {
					t.Errorf("dense %v, %v: at %d ms no offer had %v, want %d executors", dense, conf, c.at, a.d.fresh, c.fresh)
				}
			}
		}
	}
}

// An executor that is lost before it takes tasks never does, and counts as registered until then.
func TestExecutorLostBeforeItTakesTasks(t *testing.T) {
	m := instant()
	m.ExecutorReadyMS, m.DisconnectMS = 5000, 1000
	s := setup{racks: []int32{0, 0}, model: m, conf: static(3), recorded: Recorded{Latencies: map[int64][]*Latencies{0: {{AMMS: trace.Unset, ExecutorMS: []int64{400, 300, 200}}}}}}
	a := newApp(t, jobOf(delayed(stageOf(0, 2, 2000), 100)), s).executors(0, 1, 1).register()
	a.Run(600)
	if a.d.ready != 3 || a.d.free != 0 {
		t.Errorf("%d executors are registered, with %d free cores, want 3 and 0", a.d.ready, a.d.free)
	}
	a.d.removeExecutor(1, spark.Loss{Kind: spark.LossExited})
	if a.d.ready != 2 || len(a.d.fresh) != 2 {
		t.Errorf("%d executors are registered, of which no offer had %v, want 2 of 2", a.d.ready, a.d.fresh)
	}
	a.End(4, 5000) // which the driver has not noticed when executor 3 would take tasks
	a.Run(60_000)
	if d := cmp.Diff([]string{"5300 0.0 ex2 NO_PREF", "7300 0.1 ex2 NO_PREF"}, a.launches()); d != "" {
		t.Errorf("launches (-want +got)\n%s", d)
	}
}

// A task without preference is launched as process-local by Spark, and written as one without preference; with tasks that prefer
// hosts beside it, each has its own level.
func TestLevelsOfTasks(t *testing.T) {
	a := newApp(t, jobOf(delayed(near(stageOf(0, 4, 2000), []int32{0}, nil, []int32{0}, nil), 1000)), setup{racks: []int32{0, 0}, conf: static(2)}).executors(0, 1).register()
	a.Run(60_000)
	want := []string{"1000 0.0 ex1 NODE_LOCAL", "1000 0.1 ex2 NO_PREF", "3000 0.2 ex1 NODE_LOCAL", "3000 0.3 ex2 NO_PREF"}
	got := a.launches()
	slices.Sort(got) // the offers of all at 1 s are in random order
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("launches (-want +got)\n%s", d)
	}
	j := a.Job()
	if want := [5]int64{1: 2, 2: 2}; j.TaskLevels != want || j.TasksPreferring != 2 || j.TasksPreferred != 2 {
		t.Errorf("tasks by level %v, %d prefer a host and %d run on it, want %v, 2 and 2", j.TaskLevels, j.TasksPreferring, j.TasksPreferred, want)
	}
	for _, r := range a.Tasks {
		if prefers := r.Index%2 == 0; r.Preferring != prefers || r.Preferred != prefers {
			t.Errorf("task %d: preferring %v, preferred %v, want both %v", r.Index, r.Preferring, r.Preferred, prefers)
		}
	}
}

// A block that an executor holds makes its task process-local, which is not the same as no preference.
func TestCachedInputIsProcessLocal(t *testing.T) {
	reads := near(stageOf(1, 2, 1000), []int32{0}, []int32{1})
	reads.CacheOf, reads.After = 0, []int32{0}
	a := newApp(t, jobOf(near(stageOf(0, 2, 1000), []int32{0}, []int32{1}), reads), setup{racks: []int32{0, 0}, conf: static(2)}).executors(0, 1).register()
	a.Run(60_000)
	if got, want := a.Job().TaskLevels, [5]int64{0: 2, 1: 2}; got != want {
		t.Errorf("tasks by level %v, want two on their hosts and two on their executors", got)
	}
}

// orderOfOffers returns in which order the 8 single-core executors of a job take the tasks of a stage that is submitted some time
// after the code begins; an earlier stage of one task may have had offers before.
func orderOfOffers(t *testing.T, seed uint64, job, delay int64, earlier bool) []int32 {
	t.Helper()
	stages := []trace.Stage{delayed(stageOf(0, 8, 1000), delay)}
	if earlier {
		stages = append(stages, delayed(stageOf(1, 1, 10), 500))
	}
	j := jobOf(stages...)
	j.ID = job
	a := newApp(t, j, setup{conf: static(8), seed: seed}).executors(0, 1, 2, 3, 0, 1, 2, 3).register()
	a.Run(delay)
	var order []int32
	for _, r := range a.launched {
		if r.stage == 0 {
			order = append(order, r.exec)
		}
	}
	return order
}

// Source: TaskSchedulerImpl.shuffleOffers.
func TestOffersOfAllAreShuffled(t *testing.T) {
	for _, delay := range []int64{1000, 2000, 12_345} {
		want := []int32{1, 2, 3, 4, 5, 6, 7, 8}
		random.NewMomentary(5, "offers-3").At(delay).Shuffle(8, func(i, k int) { want[i], want[k] = want[k], want[i] })
		for _, earlier := range []bool{false, true} {
			if got := orderOfOffers(t, 5, 3, delay, earlier); !slices.Equal(got, want) {
				t.Errorf("at %d ms, offers before: %v: order %v, want %v", delay, earlier, got, want)
			}
		}
	}
	base := orderOfOffers(t, 5, 3, 1000, false)
	for name, other := range map[string][]int32{
		"seed": orderOfOffers(t, 6, 3, 1000, false), "job": orderOfOffers(t, 5, 4, 1000, false), "time": orderOfOffers(t, 5, 3, 1001, false),
	} {
		if slices.Equal(base, other) {
			t.Errorf("another %s gives the same order %v", name, other)
		}
	}
}

// Many revives of one millisecond are one offer of all executors, behind the messages of that millisecond: two stages that
// are submitted together are both there when it comes, and the one with the smaller number is served first.
//
// Source: CoarseGrainedSchedulerBackend.DriverEndpoint.receive(ReviveOffers).
func TestRevivesOfOneMillisecondAreOne(t *testing.T) {
	a := newApp(t, jobOf(delayed(stageOf(0, 2, 1000), 500), delayed(stageOf(1, 2, 1000), 500)), setup{conf: static(2)}).executors(0, 1).register()
	a.Run(500)
	got := a.launches()
	slices.Sort(got)
	if len(got) != 2 || got[0][:7] != "500 0.0" || got[1][:7] != "500 0.1" {
		t.Errorf("launches %v, want both of stage 0", got)
	}
}

// A revive that comes behind the offer of its millisecond makes another offer: two tasks whose failures are handled one after
// the other both run again at once.
func TestReviveBehindAnOffer(t *testing.T) {
	st := stageOf(0, 2, 1500)
	st.Tasks.Retries = []int32{1, 1}
	a := newApp(t, jobOf(st), setup{conf: static(2), recorded: failing(st)}).executors(0, 1).register()
	a.Run(1600)
	if n := len(a.launched); n != 4 {
		t.Errorf("launches %v, want both tasks again at 1500 ms", a.launches())
	}
}

// In FAIR mode pools share by weight: of two stages the one in the heavy pool has three of four cores, whoever comes first. In FIFO mode
// the stage of the earlier Spark job has all it can use.
//
// Source: FairSchedulableBuilder, FairSchedulingAlgorithm.
func TestPoolsOfStages(t *testing.T) {
	for mode, want := range map[string][2]int{"FAIR": {1, 3}, "FIFO": {4, 0}} {
		first, second := stageOf(0, 40, 1000), stageOf(1, 40, 1000)
		first.SparkJob, first.Pool, second.SparkJob, second.Pool = 0, "light", 1, "heavy"
		a := newApp(t, jobOf(first, second), setup{pools: []spark.Pool{{Name: "light", Weight: 1}, {Name: "heavy", Weight: 3}},
			conf: static(4, "spark.scheduler.mode", mode)}).executors(0, 1, 2, 3).register()
		a.Run(4900)
		var last [2]int // of the tasks that run at 4.9 s, by stage
		for _, r := range a.launched[len(a.launched)-4:] {
			last[r.stage]++
		}
		if last != want {
			t.Errorf("%s: %v tasks by stage, want %v", mode, last, want)
		}
	}
}

// Small stages are speculated on by a time alone, where an executor of their resource profile could run all their tasks at once.
//
// Source: TaskSetManager.checkSpeculatableTasks, speculationTasksLessEqToSlots (spark.speculation.task.duration.threshold).
func TestSpeculationByDuration(t *testing.T) {
	for _, c := range []struct {
		cores, cpus int32
		own         int32 // cores of a task by a profile of the stage, 0 for none
		want        int
	}{{1, 1, 0, 2}, {2, 1, 0, 4}, {2, 1, 2, 2}, {2, 2, 1, 4}} {
		st := stageOf(0, 2, 20_000)
		if c.own > 0 {
			st.Profile, st.TaskVCores = 1, c.own
		}
		j := jobOf(st)
		j.ExecVCores, j.TaskCPUs = c.cores, c.cpus
		a := newApp(t, j, setup{conf: static(4, "spark.speculation", "true", "spark.speculation.task.duration.threshold", "5s")}).executors(0, 1, 2, 3).register()
		a.Run(10_000)
		if got := len(a.launched); got != c.want {
			t.Errorf("%+v: launches %v", c, a.launches())
		}
	}
}

// A finished task's core is offered at once, alone, before its result is handled; a failed task comes back with the offer of all
// that its failure asks for.
//
// Source: CoarseGrainedSchedulerBackend.DriverEndpoint.receive(StatusUpdate).
func TestStatusUpdateOffersItsExecutorAlone(t *testing.T) {
	m := instant()
	m.StatusMS, m.ResultMS = 7, 30
	st := stageOf(0, 3, 1000)
	st.Tasks.Retries = []int32{1, 0, 0}
	a := newApp(t, jobOf(st), setup{conf: static(1), model: m, recorded: failing(st)}).executors(0).register()
	a.Run(60_000)
	want := []string{"0 0.0 ex1 NO_PREF", "1007 0.1 ex1 NO_PREF", "2014 0.0 ex1 NO_PREF", "3021 0.2 ex1 NO_PREF"}
	if d := cmp.Diff(want, a.launches()); d != "" {
		t.Errorf("launches (-want +got)\n%s", d)
	}
	if d := cmp.Diff([]string{"1037 0.0 failed", "2044 0.1 success", "3051 0.0 success", "4058 0.2 success"}, a.ends()); d != "" {
		t.Errorf("ends (-want +got)\n%s", d)
	}
}

// Tasks of several cores take and give back all of them.
func TestCoresOfTasks(t *testing.T) {
	j := jobOf(stageOf(0, 3, 1000))
	j.ExecVCores, j.TaskCPUs = 4, 2
	a := newApp(t, j, setup{conf: static(1)}).executors(0).register()
	for _, want := range []struct {
		at          int64
		tasks       int
		busy, free  int32
		containerMS int64 // of tasks that have ended
	}{{500, 2, 4, 0, 0}, {1500, 3, 2, 2, 4000}, {2000, 3, 0, 4, 6000}} {
		a.Run(want.at)
		e, c := &a.d.execs[1], a.Container(2)
		tasks, ms := c.Tasks+int64(e.began), c.BusyMS+e.busyMS
		if got := len(a.launched); got != want.tasks || tasks != int64(got) || a.Cores != want.busy || e.free != want.free || ms != want.containerMS {
			t.Errorf("%d tasks (%d in the container), %d busy cores, %d free ones, %d core-ms; want %+v", got, tasks, a.Cores, e.free, ms, want)
		}
	}
}
