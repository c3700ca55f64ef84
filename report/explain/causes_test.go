package explain_test

import (
	"slices"
	"strings"
	"testing"

	"replay/engine"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/scenario/scenariotest"
	"replay/report"
	"replay/report/explain"
	"replay/trace"
)

// explained replays a case and returns its jobs by number.
func explained(t *testing.T, c *scenariotest.Case) map[int64]*explain.Job {
	t.Helper()
	sc, err := scenario.New(c.Input(), c.Options)
	if err != nil {
		t.Fatal(err)
	}
	jobs := map[int64]*explain.Job{}
	why := &explain.Collector{Sink: report.NewMemory(), Wants: func(int64) bool { return true }, Stages: explain.StagesOf(c.Jobs), Ideal: sc.Kind().Central,
		Tell: func(l *explain.Life, j *explain.Job) {
			if text := explain.Check(j); text != "" {
				t.Errorf("job %d: %s", j.ID, text)
			}
			j.View = explain.ViewOf(l, j, []float64{0.5, 1, 2})
			checkCurve(t, j)
			jobs[j.ID] = j
		}}
	m, err := engine.Run(t.Context(), sc, why, nil)
	if err != nil {
		t.Fatal(err)
	}
	why.Close(m.Totals.EndMS)
	if int64(len(jobs)) != m.Totals.Jobs {
		t.Fatalf("%d jobs explained, want %d", len(jobs), m.Totals.Jobs)
	}
	return jobs
}

// checkCurve checks that each point is for whole executors, with the part that they are of those that the job had, and that with all of them it is
// what the model gives.
func checkCurve(t *testing.T, j *explain.Job) {
	t.Helper()
	if j.View == nil {
		return
	}
	for _, p := range j.View.Curve {
		if want := float64(p.Executors) / float64(j.View.Executors); p.Share != want {
			t.Errorf("job %d: %d executors of %d are the part %v of them, want %v", j.ID, p.Executors, j.View.Executors, p.Share, want)
		}
		if p.Executors == j.View.Executors && p.MS != j.View.Modelled {
			t.Errorf("job %d: %d ms with the executors that it had, want %d as by the model", j.ID, p.MS, j.View.Modelled)
		}
	}
}

// What the application could have done takes its tasks in the order in which they were launched: a long one that came first, and others that ran beside it, take as long as the long one.
func TestViewOfALongFirstTask(t *testing.T) {
	c := cluster(5 * 1024)
	c.Options.Scheduler = "fifo"
	job(c, 0, 1024, 12, 2000).Stages[0].Tasks.DurationMS[0] = 100_000
	v := explained(t, c)[0].View
	if v.Modelled > v.Took || v.Modelled < 100_000 || v.Executors != 4 {
		t.Errorf("%d ms by the model with %d executors, want 100,000 to the %d that it took with 4", v.Modelled, v.Executors, v.Took)
	}
	for _, p := range v.Curve {
		if p.MS >= 106_000 {
			t.Errorf("%d ms with %d executors, want less than 106,000: the others run beside the long task", p.MS, p.Executors)
		}
	}
}

// cluster is nodes of so many MiB and plenty of vcores, on one rack.
func cluster(mem ...int64) *scenariotest.Case {
	c := &scenariotest.Case{Options: scenario.DefaultOptions(), Users: []trace.User{trace.NewUser(0, "ann")}}
	for i, m := range mem {
		host := string(rune('a' + i))
		c.Nodes = append(c.Nodes, trace.Node{ID: int32(i), Host: host, Rack: "/" + host, RackID: int32(i), MemMiB: m, VCores: 64, Present: true})
	}
	c.Queues = []trace.Queue{trace.NewQueue(0, "root.default")}
	return c
}

// job adds a generic job of one stage: an application master of 1 GiB, and tasks of a size that all run for a time.
func job(c *scenariotest.Case, submit int64, taskMiB int64, tasks int, runMS int64) *trace.Job {
	j := trace.NewJob(trace.KindGeneric)
	j.ID, j.SubmitMS, j.AMMemMiB, j.AMVCores = int64(len(c.Jobs)), submit, 1024, 1
	st := trace.NewStage(0, trace.StageInput)
	st.TaskMemMiB, st.TaskVCores, st.Tasks = taskMiB, 1, trace.NewTasks(tasks)
	for i := range st.Tasks.DurationMS {
		st.Tasks.DurationMS[i] = runMS
	}
	j.Stages = []trace.Stage{st}
	c.Jobs = append(c.Jobs, j)
	return j
}

func fairFile(c *scenariotest.Case, queue string) *scenariotest.Case {
	c.Options.Scheduler = "fair"
	c.Options.Files = scenario.Files{"fair-scheduler.xml": {Name: "fair-scheduler.xml", Text: []byte(`<?xml version="1.0"?><allocations><queue name="default">` + queue + `</queue></allocations>`)}}
	return c
}

// Small clusters of which it is known what the last job waits for.
func TestCauses(t *testing.T) {
	tests := []struct {
		name string
		make func() *scenariotest.Case
		want record.Reason // of the longest wait of the last job for the ResourceManager
	}{
		{"a queue has all that it may have", func() *scenariotest.Case {
			c := fairFile(cluster(65536), `<maxResources>4096 mb, 64 vcores</maxResources>`)
			job(c, 0, 1024, 3, 60_000)
			job(c, 20_000, 1024, 1, 1000)
			return c
		}, record.Reason{Cause: record.CauseQueueLimit, AM: true, MemMiB: 1024, Queue: "root.default", UsedMem: 4096, LimitMem: 4096, Ahead: record.None}},
		{"application masters have their share", func() *scenariotest.Case {
			c := fairFile(cluster(8192), `<maxAMShare>0.25</maxAMShare>`)
			job(c, 0, 1024, 1, 60_000)
			job(c, 0, 1024, 1, 60_000)
			job(c, 20_000, 1024, 1, 1000)
			return c
		}, record.Reason{Cause: record.CauseAMShare, AM: true, MemMiB: 1024, Queue: "root.default", UsedMem: 2048, LimitMem: 2048, Ahead: record.None}},
		{"a queue runs as many applications as it may", func() *scenariotest.Case {
			c := fairFile(cluster(8192), `<maxRunningApps>1</maxRunningApps>`)
			job(c, 0, 1024, 1, 60_000)
			job(c, 20_000, 1024, 1, 1000)
			return c
		}, record.Reason{Cause: record.CauseRunningLimit, AM: true, MemMiB: 1024, Queue: "root.default", Running: 1, Most: 1, Ahead: record.None}},
		{"application masters of the CapacityScheduler have their share", func() *scenariotest.Case {
			c := cluster(8192)
			c.Options.Scheduler, c.Options.Conf = "capacity", map[string]string{"yarn.scheduler.capacity.maximum-am-resource-percent": "0.25"}
			job(c, 0, 1024, 1, 60_000)
			job(c, 0, 1024, 1, 60_000)
			job(c, 20_000, 1024, 1, 1000)
			return c
		}, record.Reason{Cause: record.CauseAMShare, AM: true, MemMiB: 1024, Queue: "root.default", UsedMem: 2048, LimitMem: 2048, Ahead: record.None}},
		{"the cluster is full", func() *scenariotest.Case {
			c := cluster(4096, 2048)
			c.Options.Scheduler = "fifo"
			job(c, 0, 1024, 4, 60_000)
			job(c, 20_000, 3072, 1, 1000)
			return c
		}, record.Reason{Cause: record.CauseNoRoom, MemMiB: 3072, Ahead: record.None}},
		{"others are served first", func() *scenariotest.Case {
			c := cluster(4096)
			c.Options.Scheduler = "fifo"
			job(c, 0, 1024, 12, 20_000)
			job(c, 15_000, 1024, 1, 1000)
			return c
		}, record.Reason{Cause: record.CausePassedOver, AM: true, MemMiB: 1024, Ahead: 0}},
		{"the node is reserved for another", func() *scenariotest.Case {
			c := cluster(8192, 8192)
			c.Options.Scheduler, c.Options.Conf = "capacity", map[string]string{"yarn.scheduler.capacity.maximum-am-resource-percent": "1"}
			job(c, 0, 5120, 2, 120_000)
			job(c, 20_000, 4096, 1, 1000)
			job(c, 50_000, 1024, 1, 1000)
			return c
		}, record.Reason{Cause: record.CauseReservation, AM: true, MemMiB: 1024, Queue: "root.default", UsedMem: 16384, LimitMem: 16384, Ahead: 1}},
		{"one before it waits for the limit", func() *scenariotest.Case {
			c := cluster(4096)
			c.Options.Scheduler, c.Options.Conf = "capacity", map[string]string{"yarn.scheduler.capacity.maximum-am-resource-percent": "1"}
			job(c, 0, 1024, 1, 120_000)
			job(c, 20_000, 2048, 1, 1000)
			job(c, 50_000, 1024, 1, 1000)
			return c
		}, record.Reason{Cause: record.CauseBehind, AM: true, MemMiB: 1024, Queue: "root.default", Ahead: 1}},
		{"no host asked for has room, and others are not accepted yet", func() *scenariotest.Case {
			c := cluster(2048, 8192)
			c.Options.Scheduler, c.Options.Conf = "fair", map[string]string{"yarn.scheduler.fair.locality.threshold.node": "1", "yarn.scheduler.fair.locality.threshold.rack": "1"}
			first := job(c, 0, 2048, 1, 120_000)
			first.Stages[0].Tasks.SetPrefs([][]int32{{0}})
			j := job(c, 20_000, 1024, 1, 1000)
			j.Stages[0].Tasks.SetPrefs([][]int32{{0}})
			return c
		}, record.Reason{Cause: record.CauseDelay, MemMiB: 1024, Level: "NODE_LOCAL", Ahead: record.None}},
		{"a user has all that a user may have", func() *scenariotest.Case {
			c := cluster(8192)
			c.Options.Scheduler = "capacity"
			c.Options.Conf = map[string]string{"yarn.scheduler.capacity.root.queues": "default,other", "yarn.scheduler.capacity.root.default.capacity": "50", "yarn.scheduler.capacity.root.other.capacity": "50",
				"yarn.scheduler.capacity.root.default.maximum-capacity": "100", "yarn.scheduler.capacity.root.default.user-limit-factor": "0.5", "yarn.scheduler.capacity.maximum-am-resource-percent": "1"}
			job(c, 0, 2048, 1, 60_000)
			job(c, 20_000, 1024, 1, 1000)
			return c
		}, record.Reason{Cause: record.CauseUserLimit, AM: true, MemMiB: 1024, Queue: "root.default", User: "ann", UsedMem: 3072, LimitMem: 2048, Ahead: record.None}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := tt.make()
			jobs := explained(t, c)
			j := jobs[int64(len(c.Jobs)-1)]
			var longest *explain.Part
			for i := range j.Parts {
				if p := &j.Parts[i]; p.Reason != nil && (longest == nil || p.Length() > longest.Length()) {
					longest = p
				}
			}
			if longest == nil {
				t.Fatalf("it waits for nothing: %+v", j.Parts)
			}
			r := longest.Reason
			got := record.Reason{Cause: r.Cause, AM: r.AM, MemMiB: r.MemMiB, Queue: r.Queue, User: r.User, UsedMem: r.UsedMem, LimitMem: r.LimitMem, Running: r.Running, Most: r.Most, Level: r.Level, Ahead: r.Ahead}
			if got != tt.want || longest.Length() < 1000 {
				var all strings.Builder
				j.WriteText(&all, plainNames)
				t.Errorf("the longest wait is %d ms for\n%+v, want\n%+v\n%s", longest.Length(), got, tt.want, all.String())
			}
		})
	}
}

// A gang that has some of its containers waits for the rest, not for a process to start; one that has given them back stays away.
func TestGangCauses(t *testing.T) {
	for _, tt := range []struct {
		name       string
		hold, away int64
		gang       bool
	}{
		{"it holds", 600_000, 0, false},
		{"it gives back", 5000, 20_000, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := cluster(8192)
			c.Options.Model.GangHoldMS, c.Options.Model.GangBackoffMS = tt.hold, tt.away
			job(c, 0, 1024, 4, 60_000)
			job(c, 10_000, 1024, 4, 1000).Kind = trace.KindGang
			j := explained(t, c)[1]
			sums := map[record.Cause]int64{}
			for i := range j.Parts {
				if p := &j.Parts[i]; p.To <= j.FirstTask {
					sums[p.Cause] += p.Length()
				}
			}
			if sums[explain.ExecutorStart] > 1000 || sums[record.CauseNoRoom] == 0 || sums[explain.Ask] > 2000 || (sums[explain.Gang] > 1000) != tt.gang {
				t.Errorf("before its first task: %v; want no room for the rest of it, the rest of a gang: %v, and no long start or asking", sums, tt.gang)
			}
			if v := j.View; v == nil || len(v.Curve) != 2 {
				t.Errorf("view %+v, want one without fewer containers than it needs at once", v)
			}
		})
	}
}

// A gang that is never complete holds a part of it, or stays away, for all of its time; what no application master asks for is not waited for.
func TestNothingComesOfIt(t *testing.T) {
	c := cluster(4096, 4096)
	c.Options.Model.GangHoldMS = 20_000
	job(c, 0, 1024, 20, 1000).Kind = trace.KindGang
	job(c, 0, 100_000, 1, 1000)
	all := explained(t, c)
	sums := map[record.Cause]int64{}
	for _, p := range all[0].Parts {
		sums[p.Cause] += p.To - p.From
	}
	if all[0].FirstTask != record.None || sums[explain.Gang] < (all[0].End-all[0].Submit)/2 || sums[explain.ExecutorStart] > 0 || sums[record.CauseTurn] > 60_000 {
		t.Errorf("a gang that is never complete: %v of %d ms", sums, all[0].End-all[0].Submit)
	}
	last := all[1].Parts[len(all[1].Parts)-1]
	if all[1].Outcome != record.JobFailed || last.Cause != explain.Tail || last.From != all[1].AMRegistered {
		t.Errorf("a task too large for every node: %s, last %+v", all[1].Outcome, last)
	}
}

// A limit of application masters that has come below what they have is said to have, so that it does not look like a mistake.
func TestLimitsOfMastersThatCameDown(t *testing.T) {
	for limit, want := range map[int64]string{
		3: "application masters of queue root.default have 3,072 MiB and 3 vcores of at most 8,192 MiB and 3 vcores; it wants 1,024 MiB and 1 vcore for its application master",
		2: "application masters of queue root.default have 3,072 MiB and 3 vcores of at most 8,192 MiB and 2 vcores, a limit that has come down since they were allocated; it wants 1,024 MiB and 1 vcore for its application master",
	} {
		p := explain.Part{Cause: record.CauseAMShare, Reason: &record.Reason{Cause: record.CauseAMShare, AM: true, MemMiB: 1024, VCores: 1, Queue: "root.default",
			UsedMem: 3072, UsedVCores: 3, LimitMem: 8192, LimitVCores: limit}}
		if got := explain.Says(&p, plainNames); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}

// A job in client mode of which the application master is lost is one story: until another one registers its time is that of its tasks, of a ResourceManager that has not found out, and of the
// next master's start. In cluster mode what was done until then is lost.
func TestDriverWithoutAMaster(t *testing.T) {
	for mode, want := range map[string]struct{ orphaned, lost bool }{"client": {true, false}, "cluster": {false, true}} {
		play := func(fails int32) *explain.Job {
			c := cluster(4*1024, 4*1024, 4*1024)
			c.Options.Conf = map[string]string{"spark.submit.deployMode": mode, "yarn.nm.liveness-monitor.expiry-interval-ms": "20000", "spark.executor.instances": "2",
				"spark.executor.memory": "2g", "spark.executor.cores": "4"}
			j := job(c, 0, 0, 80, 3000)
			j.Kind = trace.KindSpark
			if fails >= 0 {
				e := trace.NewNodeEvent(25_000, fails, trace.Fail)
				c.Events = append(c.Events, e)
			}
			return explained(t, c)[0]
		}
		calm := play(-1)
		// The master is alone on its node, or with one executor.
		node := int32(-1)
		for n := range int32(3) {
			if j := play(n); hasCause(j, explain.AMStart, 2) && j.End > calm.End {
				node = n
				if got := hasCause(j, record.CauseOrphaned, 1); got != want.orphaned {
					t.Errorf("%s mode: parts %v, want the time without a master: %v", mode, causesOf(j), want.orphaned)
				}
				if lost := slices.ContainsFunc(j.Parts, func(p explain.Part) bool { return p.Cause == explain.LostWork && p.Stage == record.None }); lost != want.lost {
					t.Errorf("%s mode: parts %v, want an attempt of the application that came to nothing: %v", mode, causesOf(j), want.lost)
				}
			}
		}
		if node < 0 {
			t.Errorf("%s mode: no node of a master, whose failure lasts", mode)
		}
	}
}

// hasCause reports whether so many parts of a job, one behind the other counting as one, have a cause.
func hasCause(j *explain.Job, c record.Cause, times int) bool {
	n := 0
	for i, p := range j.Parts {
		if p.Cause == c && (i == 0 || j.Parts[i-1].Cause != c) {
			n++
		}
	}
	return n >= times
}

func causesOf(j *explain.Job) (list []record.Cause) {
	for _, p := range j.Parts {
		list = append(list, p.Cause)
	}
	return list
}
