package engine

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"replay/engine/model"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// keep is a sink that keeps everything.
type keep struct {
	jobs       []record.Job
	containers []record.Container
	tasks      []record.Task
	samples    []record.Sample
	decisions  []record.Decision
	nodes      []record.Node
}

func (k *keep) Job(r *record.Job)             { k.jobs = append(k.jobs, *r) }
func (k *keep) Container(r *record.Container) { k.containers = append(k.containers, *r) }
func (k *keep) Task(r *record.Task)           { k.tasks = append(k.tasks, *r) }
func (k *keep) Sample(r *record.Sample)       { k.samples = append(k.samples, *r) }
func (k *keep) Node(r *record.Node)           { k.nodes = append(k.nodes, *r) }
func (k *keep) Decision(r *record.Decision)   { k.decisions = append(k.decisions, *r) }

// cluster makes n nodes of 8 GiB and 8 vcores on racks racks.
func cluster(n, racks int) []trace.Node {
	var nodes []trace.Node
	for i := range n {
		nodes = append(nodes, trace.Node{ID: int32(i), Host: fmt.Sprintf("node%02d", i), RackID: int32(i % racks),
			Rack: fmt.Sprintf("/rack%d", i%racks), MemMiB: 8192, VCores: 8, Present: true})
	}
	return nodes
}

// stage makes a stage of tasks of equal duration; prefs are the preferred nodes of every task.
func stage(id int32, tasks int, ms int64, parents []int32, prefs ...int32) trace.Stage {
	st := trace.NewStage(id, trace.StageShuffle, parents...)
	st.DelayMS, st.TaskVCores, st.Tasks = 0, 1, trace.NewTasks(tasks)
	for i := range tasks {
		st.Tasks.DurationMS[i] = ms
	}
	if len(prefs) > 0 {
		st.Kind = trace.StageInput
		st.Tasks.PrefStart = []int32{0}
		for range tasks {
			st.Tasks.Pref = append(st.Tasks.Pref, prefs...)
			st.Tasks.PrefStart = append(st.Tasks.PrefStart, int32(len(st.Tasks.Pref)))
		}
	}
	return st
}

// sparkJob makes a job of executors of 2 GiB and 2 vcores, at most most.
func sparkJob(id, submit int64, most int32, stages ...trace.Stage) *trace.Job {
	j := trace.NewJob(trace.KindSpark)
	j.ID, j.SubmitMS, j.Name, j.Stages = id, submit, fmt.Sprintf("job%d", id), stages
	j.AMMemMiB, j.AMVCores, j.ExecMemMiB, j.ExecVCores, j.TaskCPUs = 1024, 1, 2048, 2, 1
	j.MinExecs, j.MaxExecs, j.InitialExecs = 0, most, 0
	return j
}

func input(nodes []trace.Node, events []trace.NodeEvent, jobs ...*trace.Job) scenario.Input {
	m := trace.MemoryTrace{JobList: jobs}
	in := scenario.Input{Name: "test", LocalitySource: "modelled", DurationSource: "modelled", Nodes: nodes, Events: events,
		Queues: []trace.Queue{{ID: 0, Path: "root.default", Parent: trace.Unset, Weight: 1, MaxMemMiB: trace.Unset, MaxVCores: trace.Unset, MaxApps: trace.Unset, AMShare: math.NaN()}},
		Users:  []trace.User{{ID: 0, Name: "u", Weight: 1}}, Jobs: m.Jobs(), NumJobs: int64(len(jobs))}
	for _, j := range jobs {
		in.SpanMS = max(in.SpanMS, j.SubmitMS)
		in.NumTasks += j.NumTasks()
	}
	return in
}

// replay runs a scenario that must be valid and keeps its records.
func replay(t *testing.T, in scenario.Input, o scenario.Options) (*keep, *record.Manifest) {
	t.Helper()
	k := &keep{}
	return k, replayTo(t, k, in, o)
}

func replayTo(t *testing.T, sink record.Sink, in scenario.Input, o scenario.Options) *record.Manifest {
	t.Helper()
	if o.Model == (model.Model{}) {
		o.Model = model.DefaultModel()
	}
	sc, err := scenario.New(in, o)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Run(t.Context(), sc, sink, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// noLatency makes only decisions take time.
func noLatency() model.Model {
	return model.Model{RackPenalty: 1, AnyPenalty: 1, ReadMiBPerS: 100, FirstFactor: 1, FetchFailMS: 1}
}

func TestOneJobToTheMillisecond(t *testing.T) {
	// One node, heartbeats at its phase p; one task of 5 s on one executor; nothing but decisions takes time.
	k, m := replay(t, input(cluster(1, 1), nil, sparkJob(0, 0, 1, stage(0, 1, 5000, nil))), scenario.Options{Model: noLatency()})
	p := m.NodePhasesMS[0]
	// The AM's ask of time 0 is seen by the update at 500 and granted by the first heartbeat after it.
	am := p
	if p < 500 {
		am += 1000
	}
	j := k.jobs[0]
	if j.AMAllocated != am || j.AMRegistered != am {
		t.Errorf("AM allocated at %d and registered at %d, want both at %d (phase %d)", j.AMAllocated, j.AMRegistered, am, p)
	}
	// The stage is submitted then; the allocation tick of that millisecond raises the target, which wakes the AM.
	if j.FirstAsked != am {
		t.Errorf("executors asked for at %d, want %d", j.FirstAsked, am)
	}
	// The next update sees the ask, the next heartbeat allocates.
	update := (am/500 + 1) * 500
	exec := update - update%1000 + p
	if exec < update {
		exec += 1000
	}
	if j.FirstAllocated != exec {
		t.Errorf("executor allocated at %d, want %d", j.FirstAllocated, exec)
	}
	// The AM picks it up on its ladder of pauses: 200, 400, 800, ... ms after the ask.
	pick := am
	for pause := int64(200); pick <= exec; pause *= 2 {
		pick += min(pause, 3000)
	}
	if j.FirstTask != pick || k.tasks[0].Finish != pick+5000 {
		t.Errorf("task from %d to %d, want %d to %d", j.FirstTask, k.tasks[0].Finish, pick, pick+5000)
	}
	if j.Outcome != record.JobSucceeded || j.TasksSucceeded != 1 {
		t.Errorf("job ended as %s with %d tasks, want success with 1", j.Outcome, j.TasksSucceeded)
	}
}

func TestStagesFollowTheirParents(t *testing.T) {
	k, _ := replay(t, input(cluster(4, 2), nil, sparkJob(0, 0, 4,
		stage(0, 8, 2000, nil), stage(1, 4, 1000, nil), stage(2, 2, 500, []int32{0, 1}))), scenario.Options{})
	end := map[int32]int64{}
	for _, r := range k.tasks {
		end[r.Stage] = max(end[r.Stage], r.Finish)
	}
	for _, r := range k.tasks {
		if r.Stage == 2 && r.Launch < max(end[0], end[1]) {
			t.Errorf("task %d of stage 2 starts at %d, its parents end at %d and %d", r.Index, r.Launch, end[0], end[1])
		}
	}
	if len(k.tasks) != 14 {
		t.Errorf("%d task attempts, want 14", len(k.tasks))
	}
}

func TestPreferredHosts(t *testing.T) {
	job := func() *trace.Job { return sparkJob(0, 0, 2, stage(0, 40, 3000, nil, 5)) }
	delay := map[string]string{"yarn.scheduler.fair.locality.threshold.node": "1.0", "yarn.scheduler.fair.locality.threshold.rack": "1.0"}
	local, _ := replay(t, input(cluster(8, 2), nil, job()), scenario.Options{Placement: "locality-ratio", Conf: delay})
	naive, _ := replay(t, input(cluster(8, 2), nil, job()), scenario.Options{Placement: "naive", Conf: delay})
	on := func(k *keep) (n int) {
		for _, c := range k.containers {
			if !c.AM && c.Node == 5 {
				n++
			}
		}
		return n
	}
	if on(local) == 0 {
		t.Error("locality-ratio puts no executor on the one host that all tasks prefer")
	}
	for _, c := range naive.containers {
		if !c.AM && c.Match != record.NoPreference {
			t.Errorf("naive has a container matched as %s, want no preference", c.Match)
		}
	}
}

func nodeEvent(at int64, seq int32, node int32, kind trace.EventKind) trace.NodeEvent {
	e := trace.NewNodeEvent(at, node, kind)
	e.Seq = seq
	return e
}

func TestNodeEvents(t *testing.T) {
	site := map[string]string{"yarn.nm.liveness-monitor.expiry-interval-ms": "15000"}
	long := func() *trace.Job { return sparkJob(0, 0, 3, stage(0, 60, 4000, nil), stage(1, 6, 1000, []int32{0})) }
	tests := []struct {
		name   string
		events []trace.NodeEvent
		check  func(t *testing.T, k *keep, m *record.Manifest)
	}{
		{"a failed node loses its executors, their tasks run again", []trace.NodeEvent{nodeEvent(20_000, 0, 0, trace.Fail), nodeEvent(90_000, 1, 0, trace.Recover)},
			func(t *testing.T, k *keep, m *record.Manifest) {
				lost := 0
				for _, r := range k.tasks {
					if r.End == record.TaskLost {
						lost++
					}
				}
				onNode := false
				for _, c := range k.containers {
					onNode = onNode || c.Node == 0 && c.End == record.EndNodeLost
				}
				if onNode && lost == 0 && k.jobs[0].Attempts == k.jobs[0].Tasks {
					t.Error("a container was lost with its node, but no task ran again")
				}
			}},
		{"a node that leaves and one that joins", []trace.NodeEvent{nodeEvent(12_000, 0, 1, trace.Leave), nodeEvent(14_000, 1, 3, trace.Join)},
			func(t *testing.T, k *keep, m *record.Manifest) {
				for _, c := range k.containers {
					if c.Node == 1 && c.Allocated >= 12_000 {
						t.Errorf("container on node 1 allocated at %d, after it left", c.Allocated)
					}
				}
			}},
		{"a drained node gets nothing new", []trace.NodeEvent{nodeEvent(5_000, 0, 2, trace.Drain), nodeEvent(80_000, 1, 2, trace.Undrain)},
			func(t *testing.T, k *keep, m *record.Manifest) {
				for _, c := range k.containers {
					if c.Node == 2 && c.Allocated > 6_000 && c.Allocated < 80_000 {
						t.Errorf("container on a draining node allocated at %d", c.Allocated)
					}
				}
			}},
		{"a node that shrinks", []trace.NodeEvent{{TimeMS: 9_000, Node: 0, Kind: trace.Capacity, MemMiB: 1024, VCores: 1, DrainTimeoutMS: trace.Unset, Group: trace.Unset}},
			func(t *testing.T, k *keep, m *record.Manifest) {
				for _, c := range k.containers {
					if c.Node == 0 && c.Allocated > 9_000 && c.MemMiB > 1024 {
						t.Errorf("container of %d MiB on a node of 1024 MiB", c.MemMiB)
					}
				}
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			nodes := cluster(4, 2)
			nodes[3].Present = !strings.Contains(tt.name, "joins")
			for seed := range uint64(5) {
				k, m := replay(t, input(nodes, tt.events, long()), scenario.Options{Seed: seed, Conf: site})
				if j := k.jobs[len(k.jobs)-1]; j.Outcome != record.JobSucceeded || j.TasksSucceeded != j.Tasks {
					t.Errorf("seed %d: job ended as %q (%s) with %d of %d tasks", seed, j.Outcome, j.Reason, j.TasksSucceeded, j.Tasks)
				}
				tt.check(t, k, m)
			}
		})
	}
}

// Spark's client compares the memory of executors with the largest container of the cluster before it submits an application, and nothing else: vcores, and what a queue
// allows, are the application master's to hear of.
func TestClientDoesNotSubmit(t *testing.T) {
	few := scenario.Options{Files: scenario.Files{"fair-scheduler.xml": {Text: []byte(`<allocations><queue name="default"><maxContainerAllocation>2048 mb, 4 vcores</maxContainerAllocation></queue></allocations>`)}}}
	for _, tt := range []struct {
		name         string
		mib          int64
		vcores       int32
		o            scenario.Options
		reason       string
		applications bool // one came to the ResourceManager
	}{
		{"memory", 8193, 1, scenario.Options{}, "its client does not submit it: an executor asks for 8193 MiB, the largest container of the cluster has 8192 MiB", false},
		{"memory, CapacityScheduler", 8193, 1, scenario.Options{Scheduler: "capacity"}, "its client does not submit it: an executor asks for 8193 MiB", false},
		{"vcores", 1024, 64, scenario.Options{}, "asks for 64 vcores, the largest allocation of queue root.default is", true},
		{"a queue's maximum", 4096, 1, few, "asks for 4096 MiB, the largest allocation of queue root.default is 2048 MiB", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := sparkJob(0, 0, 2, stage(0, 4, 1000, nil))
			j.ExecMemMiB, j.ExecVCores = tt.mib, tt.vcores
			k, _ := replay(t, input(cluster(2, 1), nil, j), tt.o)
			got := k.jobs[0]
			if got.Outcome != record.JobFailed || !strings.Contains(got.Reason, tt.reason) || (got.AMAllocated != record.None) != tt.applications || (len(k.containers) > 0) != tt.applications {
				t.Errorf("ended as %q because %q, %d containers; want %q, and containers: %v", got.Outcome, got.Reason, len(k.containers), tt.reason, tt.applications)
			}
		})
	}
}

// A stage whose executors are larger than any container ends its application when it asks for them: what comes before it is done.
func TestStageWithTooLargeExecutors(t *testing.T) {
	for _, scheduler := range []string{"fair", "capacity"} {
		k, _ := replay(t, oversized(), scenario.Options{Scheduler: scheduler})
		got, want := k.jobs[0], "an executor of resource profile 1 asks for 9000 MiB, the largest allocation of queue root.default is 8192 MiB"
		if got.ID != 0 {
			got = k.jobs[1]
		}
		if got.Outcome != record.JobFailed || got.Reason != want || got.TasksSucceeded != 12 {
			t.Errorf("%s: ended as %q because %q after %d tasks, want %q after 12", scheduler, got.Outcome, got.Reason, got.TasksSucceeded, want)
		}
	}
}

func TestJobsThatCannotRun(t *testing.T) {
	tests := []struct {
		name string
		job  func(*trace.Job)
		o    scenario.Options
		want string
	}{
		{"AM larger than any node", func(j *trace.Job) { j.AMMemMiB = 1 << 20 }, scenario.Options{}, "the largest allocation of queue root.default is 8192 MiB"},
		{"executor larger than any node", func(j *trace.Job) { j.ExecMemMiB = 1 << 20 }, scenario.Options{}, "asks for 1048576 MiB"},
		{"executor larger than the nodes that are there", func(j *trace.Job) { j.ExecMemMiB = 9000 },
			scenario.Options{Conf: map[string]string{"yarn.scheduler.maximum-allocation-mb": "65536", "yarn.resourcemanager.work-preserving-recovery.enabled": "true", "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms": "1000000000"}}, ""},
		{"queue too small for the AM", nil, scenario.Options{Files: scenario.Files{"fair-scheduler.xml": {Text: []byte(`<allocations><queue name="default"><maxResources>512 mb, 1 vcores</maxResources></queue></allocations>`)}}}, "queue root.default uses"},
		{"queue that runs no application", nil, scenario.Options{Files: scenario.Files{"fair-scheduler.xml": {Text: []byte(`<allocations><queue name="default"><maxRunningApps>0</maxRunningApps></queue></allocations>`)}}}, "as many as it may"},
		{"kind that is not replayed", func(j *trace.Job) { j.Kind = "flink" }, scenario.Options{}, `"flink"`},
		{"task that needs more cores than an executor has", func(j *trace.Job) { j.TaskCPUs = 3 }, scenario.Options{}, "want at least spark.task.cpus (3)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := sparkJob(0, 0, 2, stage(0, 4, 1000, nil))
			if tt.job != nil {
				tt.job(j)
			}
			k, m := replay(t, input(cluster(2, 1), nil, j, sparkJob(1, 1000, 2)), tt.o)
			got := k.jobs[0]
			if got.ID != 0 {
				got = k.jobs[1]
			}
			if got.Outcome == record.JobSucceeded || !strings.Contains(got.Reason, tt.want) {
				t.Errorf("job ended as %q because %q, want a failure that says %q", got.Outcome, got.Reason, tt.want)
			}
			if m.Totals.Jobs != 2 || len(m.Warnings) == 0 {
				t.Errorf("%d jobs and %d warnings, want 2 and some", m.Totals.Jobs, len(m.Warnings))
			}
		})
	}
}

func TestSameSeedSameRecords(t *testing.T) {
	run := func(seed uint64) string {
		var jobs []*trace.Job
		for i := range int64(6) {
			jobs = append(jobs, sparkJob(i, i*3000, 4, stage(0, 20, 2500, nil, int32(i%5), int32((i+2)%5)), stage(1, 6, 1500, []int32{0})))
		}
		k, m := replay(t, input(cluster(5, 2), nil, jobs...), scenario.Options{Seed: seed, Decisions: true})
		return fmt.Sprintf("%+v %+v", k, m)
	}
	first, again := run(3), run(3)
	if first != again {
		t.Error("the same seed gave two different replays")
	}
	if run(3) == run(4) {
		t.Error("another seed gave the same replay: phases and offers do not depend on it")
	}
}

func TestUntil(t *testing.T) {
	k, m := replay(t, input(cluster(2, 1), nil, sparkJob(0, 0, 2, stage(0, 40, 5000, nil))), scenario.Options{Until: 30_000})
	if j := k.jobs[0]; j.Outcome != record.JobUnfinished || !strings.Contains(j.Reason, "30s") {
		t.Errorf("job ended as %q because %q, want unfinished at 30s", j.Outcome, j.Reason)
	}
	if m.Totals.ContainersRunning == 0 {
		t.Error("no container runs at the end of a replay that stopped in the middle")
	}
}

// What runs at the end of a replay is neither of use nor wasted yet.
func TestRunningAtTheEndIsNoWaste(t *testing.T) {
	reduces := stage(1, 2, 20_000, []int32{0})
	for _, scheduler := range []string{"fair", "ideal"} {
		for kind, job := range map[string]*trace.Job{
			"spark":     sparkJob(0, 0, 2, stage(0, 60, 11_000, nil)),
			"mapreduce": mapReduceJob(0, 0, stage(0, 60, 11_000, nil), reduces),
		} {
			k, m := replay(t, input(cluster(2, 1), nil, job), scenario.Options{Until: 30_000, Scheduler: scheduler})
			running := int64(0)
			for _, r := range k.tasks {
				if r.End == record.TaskRunning {
					running += m.Totals.EndMS - r.Launch
				}
			}
			if j := k.jobs[0]; running == 0 || j.RunningTaskMS != running || j.WastedTaskMS != 0 || j.TaskMS == 0 {
				t.Errorf("%s, %s: %d ms running, %d wasted, %d useful; want %d, 0 and some", scheduler, kind, j.RunningTaskMS, j.WastedTaskMS, j.TaskMS, running)
			}
		}
	}
}

func TestReload(t *testing.T) {
	one := []byte(`<allocations><queue name="default"><maxResources>2048 mb, 2 vcores</maxResources></queue></allocations>`)
	all := []byte(`<allocations><queue name="default"><maxResources>100000 mb, 100 vcores</maxResources></queue></allocations>`)
	job := func() *trace.Job { return sparkJob(0, 0, 6, stage(0, 60, 4000, nil)) }
	k, _ := replay(t, input(cluster(4, 2), nil, job()), scenario.Options{Files: scenario.Files{"fair-scheduler.xml": {Text: one}}, Reloads: []scenario.Reload{{AtMS: 40_000, File: scenario.File{Name: "later.xml", Text: all}}}})
	for _, c := range k.containers {
		if !c.AM && c.Allocated < 40_000 {
			t.Errorf("container of %d MiB allocated at %d in a queue of 2048 MiB with an AM of 1024 MiB", c.MemMiB, c.Allocated)
		}
	}
	if j := k.jobs[0]; j.Outcome != record.JobSucceeded {
		t.Errorf("job ended as %q (%s) although its queue grew", j.Outcome, j.Reason)
	}
	late := scenario.Options{Reloads: []scenario.Reload{{AtMS: 40_000_000, File: scenario.File{Name: "later.xml", Text: all}}}}
	_, m := replay(t, input(cluster(4, 2), nil, job()), late)
	if w := m.Warnings; len(w) != 1 || w[0].Text != "--reload 40000000ms=later.xml: the replay ends before the file comes into force" {
		t.Errorf("a file after the end: warnings %v", w)
	}
	sc := scenario.Options{Files: scenario.Files{"fair-scheduler.xml": {Text: one}}, Scheduler: "capacity", Reloads: []scenario.Reload{{AtMS: 1, File: scenario.File{Text: all}}}, Model: model.DefaultModel()}
	if _, err := scenario.New(input(cluster(1, 1), nil), sc); err == nil {
		t.Error("a reload for the CapacityScheduler has no error")
	}
}

func TestContinuousScheduling(t *testing.T) {
	job := func() *trace.Job { return sparkJob(0, 0, 4, stage(0, 30, 2000, nil)) }
	site := map[string]string{"yarn.scheduler.fair.continuous-scheduling-enabled": "true"}
	beat, _ := replay(t, input(cluster(4, 2), nil, job()), scenario.Options{})
	cont, _ := replay(t, input(cluster(4, 2), nil, job()), scenario.Options{Conf: site})
	if a, b := beat.jobs[0].AMAllocated, cont.jobs[0].AMAllocated; b != 505 && b >= a {
		t.Errorf("AM allocated at %d with continuous scheduling and at %d without, want it right after the first update", b, a)
	}
	if j := cont.jobs[0]; j.Outcome != record.JobSucceeded {
		t.Errorf("job ended as %q (%s)", j.Outcome, j.Reason)
	}
}

// A node that has failed is offered between heartbeats until it expires.
func TestContinuousSchedulingOnSilentNodes(t *testing.T) {
	failed := []trace.NodeEvent{trace.NewNodeEvent(10_000, 0, trace.Fail), trace.NewNodeEvent(10_000, 1, trace.Fail)}
	for _, kind := range scenario.Engines {
		k, _ := replay(t, input(cluster(2, 1), failed, sparkJob(0, 20_000, 4, stage(0, 3, 2000, nil))), scenario.Options{
			Engine: kind, Until: 60_000, Conf: map[string]string{"yarn.scheduler.fair.continuous-scheduling-enabled": "true"},
		})
		if at := k.jobs[0].AMAllocated; at < 20_000 || at > 21_000 {
			t.Errorf("%s engine: the container of the AM is allocated at %d, want within a second of its submission at 20000", kind, at)
		}
	}
}

func TestDecommission(t *testing.T) {
	// A burst, a pause that is longer than the idle timeout, another burst.
	second := stage(1, 20, 2000, nil)
	second.After, second.DelayMS = []int32{0}, 20_000
	conf := map[string]string{"spark.decommission.enabled": "true", "spark.shuffle.service.enabled": "true", "spark.dynamicAllocation.executorIdleTimeout": "3s"}
	k, m := replay(t, input(cluster(4, 2), nil, sparkJob(0, 0, 5, stage(0, 20, 2000, nil), second)), scenario.Options{Conf: conf})
	gone := 0
	for _, c := range k.containers {
		if !c.AM && c.End == record.EndCompleted && c.Ended < k.jobs[0].Finish-5000 {
			gone++
		}
	}
	if gone == 0 || k.jobs[0].Outcome != record.JobSucceeded || m.Totals.TaskAttempts != 40 {
		t.Errorf("%d executors ended by themselves, job %s, %d attempts; want some, success and 40", gone, k.jobs[0].Outcome, m.Totals.TaskAttempts)
	}
	conf["spark.shuffle.service.enabled"] = "false"
	k, _ = replay(t, input(cluster(4, 2), nil, sparkJob(0, 0, 5, stage(0, 20, 2000, nil))), scenario.Options{Conf: conf})
	if j := k.jobs[0]; j.Outcome != record.JobFailed || !strings.Contains(j.Reason, "spark.decommission.enabled") {
		t.Errorf("job ended as %q because %q, want a refusal of spark.decommission.enabled", j.Outcome, j.Reason)
	}
}
