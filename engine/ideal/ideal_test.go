package ideal

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// kept is a sink that keeps what it is given.
type kept struct {
	jobs       []record.Job
	tasks      []record.Task
	containers []record.Container
	samples    []record.Sample
	decisions  []record.Decision
	nodes      []record.Node
}

func (k *kept) Job(r *record.Job)             { k.jobs = append(k.jobs, *r) }
func (k *kept) Container(r *record.Container) { k.containers = append(k.containers, *r) }
func (k *kept) Task(r *record.Task)           { k.tasks = append(k.tasks, *r) }
func (k *kept) Sample(r *record.Sample)       { k.samples = append(k.samples, *r) }
func (k *kept) Node(r *record.Node)           { k.nodes = append(k.nodes, *r) }
func (k *kept) Decision(r *record.Decision)   { k.decisions = append(k.decisions, *r) }

// nodesOf makes nodes of so many vcores and MiB each.
func nodesOf(sizes ...[2]int64) (list []trace.Node) {
	for i, s := range sizes {
		list = append(list, trace.Node{ID: int32(i), Host: fmt.Sprintf("host%d", i), Rack: fmt.Sprintf("/rack%d", i/2), RackID: int32(i / 2), VCores: int32(s[0]), MemMiB: s[1], Present: true})
	}
	return list
}

// stageOf makes a stage of tasks with these durations.
func stageOf(id int32, parents []int32, ms ...int64) trace.Stage {
	s := trace.NewStage(id, trace.StageShuffle, parents...)
	s.TaskVCores, s.TaskMemMiB = 1, 1024
	s.Tasks = trace.NewTasks(len(ms))
	copy(s.Tasks.DurationMS, ms)
	return s
}

// jobOf makes a job whose tasks have a size of their own stage.
func jobOf(id, submit int64, stages ...trace.Stage) *trace.Job {
	j := trace.NewJob(trace.KindGeneric)
	j.ID, j.SubmitMS, j.Stages, j.Name = id, submit, stages, fmt.Sprintf("job%d", id)
	return j
}

// sized gives the tasks of a stage another size.
func sized(s trace.Stage, vcores int32, mem int64) trace.Stage {
	s.TaskVCores, s.TaskMemMiB = vcores, mem
	return s
}

func watch() Watch {
	return Watch{new(atomic.Int64), new(atomic.Int64), new(atomic.Int64), new(atomic.Int64)}
}

func resolve(t testing.TB, nodes []trace.Node, events []trace.NodeEvent, jobs trace.JobSource, o scenario.Options) *scenario.Scenario {
	t.Helper()
	o.Scheduler = "ideal"
	in := scenario.Input{Name: "case", Nodes: nodes, Events: events, Queues: trace.QueueTree([]string{"root.default"})[1:], Jobs: jobs, SpanMS: 10_000}
	sc, err := scenario.New(in, o)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

func replay(t *testing.T, nodes []trace.Node, events []trace.NodeEvent, o scenario.Options, jobs ...*trace.Job) (*kept, *Result) {
	t.Helper()
	k := &kept{}
	r, err := Run(t.Context(), resolve(t, nodes, events, (&trace.MemoryTrace{JobList: jobs}).Jobs(), o), k, watch())
	if err != nil {
		t.Fatal(err)
	}
	return k, r
}

// told writes attempts as job.stage.task@node launch-finish, in order of their launch; an attempt that did not succeed says how it ended.
func told(k *kept) string {
	tasks := slices.Clone(k.tasks)
	slices.SortStableFunc(tasks, func(a, b record.Task) int {
		if a.Launch != b.Launch {
			return int(a.Launch - b.Launch)
		}
		return int((a.Job-b.Job)*1_000_000 + int64(a.Stage-b.Stage)*1000 + int64(a.Index-b.Index))
	})
	var out []string
	for _, r := range tasks {
		text := fmt.Sprintf("%d.%d.%d@%d %d-%d", r.Job, r.Stage, r.Index, r.Node, r.Launch, r.Finish)
		if r.End != record.TaskSuccess {
			text += " " + r.End
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// Small clusters, by hand: who starts when and where.
func TestByHand(t *testing.T) {
	event := func(at int64, n int32, kind trace.EventKind) trace.NodeEvent {
		return trace.NewNodeEvent(at, n, kind)
	}
	bigger := event(50, 0, trace.Capacity)
	bigger.VCores = 2
	drain := event(50, 0, trace.Drain)
	drain.DrainTimeoutMS = 30
	later := nodesOf([2]int64{1, 4096}, [2]int64{1, 4096})
	later[1].Present = false
	paused := stageOf(1, []int32{0}, 100)
	paused.DelayMS = 7
	tailed := jobOf(0, 0, stageOf(0, nil, 100))
	tailed.TailMS = 11
	after := stageOf(1, nil, 10)
	after.After = []int32{0}
	for _, tt := range []struct {
		name   string
		nodes  []trace.Node
		events []trace.NodeEvent
		jobs   []*trace.Job
		want   string
		end    int64
	}{
		{"first node with room", nodesOf([2]int64{1, 4096}, [2]int64{2, 4096}), nil,
			[]*trace.Job{jobOf(0, 0, stageOf(0, nil, 100, 200, 300, 50))}, "0.0.0@0 0-100, 0.0.1@1 0-200, 0.0.2@1 0-300, 0.0.3@0 100-150", 300},
		{"memory counts as vcores do", nodesOf([2]int64{4, 2048}), nil,
			[]*trace.Job{jobOf(0, 0, stageOf(0, nil, 100, 100, 100))}, "0.0.0@0 0-100, 0.0.1@0 0-100, 0.0.2@0 100-200", 200},
		{"an end before a submission of the same time", nodesOf([2]int64{1, 1024}), nil,
			[]*trace.Job{jobOf(0, 0, stageOf(0, nil, 100)), jobOf(1, 100, stageOf(0, nil, 10))}, "0.0.0@0 0-100, 1.0.0@0 100-110", 110},
		{"a stage after its parents, and before younger jobs", nodesOf([2]int64{2, 4096}), nil,
			[]*trace.Job{jobOf(0, 0, stageOf(0, nil, 100, 150), stageOf(1, nil, 30), stageOf(2, []int32{0, 1}, 40, 40)), jobOf(1, 1, stageOf(0, nil, 20, 20, 20))},
			"0.0.0@0 0-100, 0.0.1@0 0-150, 0.1.0@0 100-130, 1.0.0@0 130-150, 0.2.0@0 150-190, 0.2.1@0 150-190, 1.0.1@0 190-210, 1.0.2@0 190-210", 210},
		{"two sizes: the first in line holds up all behind it", nodesOf([2]int64{3, 8192}), nil,
			[]*trace.Job{jobOf(0, 0, stageOf(0, nil, 100)), jobOf(1, 1, sized(stageOf(0, nil, 50), 3, 1024)), jobOf(2, 2, stageOf(0, nil, 10))},
			"0.0.0@0 0-100, 1.0.0@0 100-150, 2.0.0@0 150-160", 160},
		{"two sizes on two nodes", nodesOf([2]int64{1, 8192}, [2]int64{4, 2048}), nil,
			[]*trace.Job{jobOf(0, 0, sized(stageOf(0, nil, 50, 50), 1, 2048), sized(stageOf(1, nil, 70), 1, 1024), sized(stageOf(2, nil, 70), 1, 1024))},
			"0.0.0@0 0-50, 0.0.1@1 0-50, 0.1.0@0 50-120, 0.2.0@1 50-120", 120},
		{"a lost node: its tasks run again, first", nodesOf([2]int64{2, 4096}, [2]int64{1, 4096}), []trace.NodeEvent{event(40, 0, trace.Fail)},
			[]*trace.Job{jobOf(0, 0, stageOf(0, nil, 100, 100, 60, 70))},
			"0.0.0@0 0-40 lost, 0.0.1@0 0-40 lost, 0.0.2@1 0-60, 0.0.0@1 60-160, 0.0.1@1 160-260, 0.0.3@1 260-330", 330},
		{"an end at the time of the loss counts", nodesOf([2]int64{1, 4096}, [2]int64{1, 4096}), []trace.NodeEvent{event(100, 0, trace.Leave)},
			[]*trace.Job{jobOf(0, 0, stageOf(0, nil, 100))}, "0.0.0@0 0-100", 100},
		{"a node joins", later, []trace.NodeEvent{event(30, 1, trace.Join)},
			[]*trace.Job{jobOf(0, 0, stageOf(0, nil, 100, 100, 10))}, "0.0.0@0 0-100, 0.0.1@1 30-130, 0.0.2@0 100-110", 130},
		{"a node comes back", nodesOf([2]int64{1, 4096}), []trace.NodeEvent{event(30, 0, trace.Fail), event(90, 0, trace.Recover)},
			[]*trace.Job{jobOf(0, 0, stageOf(0, nil, 100))}, "0.0.0@0 0-30 lost, 0.0.0@0 90-190", 190},
		{"processes are new when a node comes back that never left", nodesOf([2]int64{1, 4096}), []trace.NodeEvent{event(30, 0, trace.Recover)},
			[]*trace.Job{jobOf(0, 0, stageOf(0, nil, 100))}, "0.0.0@0 0-30 lost, 0.0.0@0 30-130", 130},
		{"more room", nodesOf([2]int64{1, 4096}), []trace.NodeEvent{bigger},
			[]*trace.Job{jobOf(0, 0, stageOf(0, nil, 100, 100, 5))}, "0.0.0@0 0-100, 0.0.1@0 50-150, 0.0.2@0 100-105", 150},
		{"a draining node ends what it runs in time, or loses it", nodesOf([2]int64{3, 4096}, [2]int64{1, 4096}), []trace.NodeEvent{drain},
			[]*trace.Job{jobOf(0, 0, stageOf(0, nil, 70, 100, 100, 60, 10))},
			"0.0.0@0 0-70, 0.0.1@0 0-80 lost, 0.0.2@0 0-80 lost, 0.0.3@1 0-60, 0.0.4@1 60-70, 0.0.1@1 80-180, 0.0.2@1 180-280", 280},
		{"pauses and tails of the driver", nodesOf([2]int64{1, 1024}), nil,
			[]*trace.Job{jobOf(0, 0, stageOf(0, nil, 100), paused)}, "0.0.0@0 0-100, 0.1.0@0 107-207", 207},
		{"the tail of a job", nodesOf([2]int64{1, 1024}), nil, []*trace.Job{tailed}, "0.0.0@0 0-100", 111},
		{"a stage for which the driver waits", nodesOf([2]int64{4, 8192}), nil, []*trace.Job{jobOf(0, 5, stageOf(0, nil, 20), after)}, "0.0.0@0 5-25, 0.1.0@0 25-35", 35},
		{"tasks of no duration", nodesOf([2]int64{1, 1024}), nil, []*trace.Job{jobOf(0, 5, stageOf(0, nil, 0, 0), stageOf(1, []int32{0}, 0))}, "0.0.0@0 5-5, 0.0.1@0 5-5, 0.1.0@0 5-5", 5},
		{"a stage without tasks", nodesOf([2]int64{1, 1024}), nil, []*trace.Job{jobOf(0, 0, stageOf(0, nil), stageOf(1, []int32{0}, 9))}, "0.1.0@0 0-9", 9},
		{"a job without stages", nodesOf([2]int64{1, 1024}), nil, []*trace.Job{jobOf(0, 3)}, "", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k, r := replay(t, tt.nodes, tt.events, scenario.Options{}, tt.jobs...)
			if got := told(k); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if r.Totals.EndMS != tt.end || r.Totals.JobsSucceeded != int64(len(tt.jobs)) || len(r.Warnings) > 0 {
				t.Errorf("ends at %d with %+v, %v; want %d", r.Totals.EndMS, r.Totals, r.Warnings, tt.end)
			}
		})
	}
}

// A job that fits no node that ever is is refused; one that could is waited for, and says so, as do those behind it.
func TestWithoutRoom(t *testing.T) {
	small := nodesOf([2]int64{2, 2048}, [2]int64{8, 8192})
	small[1].Present = false
	jobs := func() []*trace.Job {
		return []*trace.Job{jobOf(0, 0, sized(stageOf(0, nil, 10), 8, 1024)), jobOf(1, 8, stageOf(0, nil, 10))}
	}
	k, _ := replay(t, small, nil, scenario.Options{}, jobs()...)
	if k.jobs[0].Outcome != record.JobFailed || !strings.Contains(k.jobs[0].Reason, "no node is ever large enough for a task of stage 0: 1024 MiB and 8 vcores") || k.jobs[1].Outcome != record.JobSucceeded {
		t.Errorf("%+v", k.jobs)
	}
	events := []trace.NodeEvent{trace.NewNodeEvent(5, 1, trace.Join), trace.NewNodeEvent(7, 1, trace.Fail)}
	var r *Result
	k, r = replay(t, small, events, scenario.Options{}, jobs()...)
	if want := "no node has room for a task of stage 0: 1024 MiB and 8 vcores"; k.jobs[0].Reason != want || r.Totals.JobsUnfinished != 2 {
		t.Errorf("%q, want %q; %+v", k.jobs[0].Reason, want, r.Totals)
	}
	if want := "it waits behind job 0, whose next task has no room: first come, first served"; k.jobs[1].Reason != want {
		t.Errorf("%q, want %q", k.jobs[1].Reason, want)
	}
	if len(r.Warnings) != 1 || !r.Warnings[0].Voids || r.Warnings[0].Jobs != 2 {
		t.Errorf("%+v", r.Warnings)
	}
}

// Spark's tasks take their cores and their share of an executor.
func TestSizesOfSparkTasks(t *testing.T) {
	j := trace.NewJob(trace.KindSpark)
	j.ExecMemMiB, j.ExecVCores, j.TaskCPUs, j.MaxExecs = 7001, 7, 2, 10 // three at a time
	j.Stages = []trace.Stage{stageOf(0, nil, 100)}
	k, _ := replay(t, nodesOf([2]int64{8, 8192}), nil, scenario.Options{}, j)
	if c := k.containers[0]; c.MemMiB != 2333 || c.VCores != 2 {
		t.Errorf("a task takes %d MiB and %d vcores, want 2333 and 2", c.MemMiB, c.VCores)
	}
	j.ID, j.Stages = 0, []trace.Stage{stageOf(0, nil, 100)}
	k, _ = replay(t, nodesOf([2]int64{8, 8192}), nil, scenario.Options{Conf: map[string]string{"spark.task.cpus": "7"}}, j)
	if c := k.containers[0]; c.MemMiB != 7001 || c.VCores != 7 {
		t.Errorf("with --conf a task takes %d MiB and %d vcores, want 7001 and 7", c.MemMiB, c.VCores)
	}
}

// A task of a MapReduce job takes what its container would be asked for: by the user's keys, the job's own, those of mapred-site.xml, or its stage.
func TestSizesOfMapReduceTasks(t *testing.T) {
	site := scenario.Files{scenario.MapredSite: {Name: "mapred-site.xml", Text: []byte("<configuration><property><name>mapreduce.map.memory.mb</name><value>3072</value></property></configuration>")}}
	for _, tt := range []struct {
		name      string
		own       []trace.KeyValue
		o         scenario.Options
		maps, red [2]int64 // MiB and vcores
	}{
		{"its stages", nil, scenario.Options{}, [2]int64{1024, 1}, [2]int64{2048, 2}},
		{"its own keys", []trace.KeyValue{{Key: "mapreduce.map.memory.mb", Value: "1536"}, {Key: "mapreduce.reduce.cpu.vcores", Value: "3"}}, scenario.Options{}, [2]int64{1536, 1}, [2]int64{2048, 3}},
		{"the file", nil, scenario.Options{Files: site}, [2]int64{3072, 1}, [2]int64{2048, 2}},
		{"single keys", []trace.KeyValue{{Key: "mapreduce.map.memory.mb", Value: "1536"}}, scenario.Options{Files: site, Conf: map[string]string{"mapreduce.map.memory.mb": "512"}}, [2]int64{512, 1}, [2]int64{2048, 2}},
	} {
		j := jobOf(0, 0, stageOf(0, nil, 100), sized(stageOf(1, []int32{0}, 100), 2, 2048))
		j.Kind, j.Conf = trace.KindMapReduce, tt.own
		k, r := replay(t, nodesOf([2]int64{8, 8192}), nil, tt.o, j)
		if m, red := k.containers[0], k.containers[1]; m.MemMiB != tt.maps[0] || m.VCores != tt.maps[1] || red.MemMiB != tt.red[0] || red.VCores != tt.red[1] {
			t.Errorf("%s: containers %+v and %+v, want %v and %v", tt.name, m, red, tt.maps, tt.red)
		}
		for _, w := range r.Warnings {
			if tt.name != "single keys" { // of which the file has some that the job sets
				t.Errorf("%s: warned %q", tt.name, w.Text)
			}
		}
	}
}

// Samples, decisions and locality say what happened.
func TestRecords(t *testing.T) {
	s := stageOf(0, nil, 1500, 1500, 1500)
	s.Tasks.SetPrefs([][]int32{{0}, {0, 1}, {2}})
	k, r := replay(t, nodesOf([2]int64{1, 1024}, [2]int64{1, 1024}, [2]int64{0, 0}), nil, scenario.Options{Decisions: true, SeriesMS: 1000}, jobOf(0, 0, s))
	var levels []string
	for _, x := range k.tasks {
		levels = append(levels, x.Level.String())
	}
	if got := strings.Join(levels, " "); got != "NODE_LOCAL NODE_LOCAL ANY" || k.jobs[0].TasksPreferred != 2 || k.jobs[0].TasksPreferring != 3 {
		t.Errorf("levels %s, %+v", got, k.jobs[0])
	}
	var samples []string
	for _, x := range k.samples {
		samples = append(samples, fmt.Sprintf("%d %q %d/%d +%d", x.Time, x.Queue, x.UsedVCores, x.CapacityVCores, x.PendingVCores))
	}
	if got, want := strings.Join(samples, ", "), `1000 "root.default" 2/0 +1, 1000 "" 2/2 +1, 2000 "root.default" 1/0 +0, 2000 "" 1/2 +0, 3000 "root.default" 0/0 +0, 3000 "" 0/2 +0`; got != want {
		t.Errorf("samples %s\nwant %s", got, want)
	}
	var decisions []string
	for _, x := range k.decisions {
		decisions = append(decisions, fmt.Sprintf("%d %s %d@%d", x.Time, x.Kind, x.Container, x.Node))
	}
	if got, want := strings.Join(decisions, ", "), "0 allocate 1@0, 0 allocate 2@1, 1500 complete 1@0, 1500 complete 2@1, 1500 allocate 3@0, 3000 complete 3@0"; got != want {
		t.Errorf("decisions %s\nwant %s", got, want)
	}
	if j := k.jobs[0]; j.VCoreMS != 4500 || j.MemMiBMS != 4500*1024 || j.TaskMS != 4500 || j.Containers != 3 || r.Totals.TaskAttempts != 3 {
		t.Errorf("%+v %+v", j, r.Totals)
	}
}

// The states of nodes are told when they change, also when a draining node has ended its last task.
func TestNodesAreTold(t *testing.T) {
	k, _ := replay(t, nodesOf([2]int64{1, 1024}, [2]int64{1, 1024}), []trace.NodeEvent{trace.NewNodeEvent(10, 0, trace.Drain), trace.NewNodeEvent(20, 1, trace.Undrain), trace.NewNodeEvent(80, 1, trace.Fail)}, scenario.Options{},
		jobOf(0, 0, stageOf(0, nil, 50, 60)), jobOf(1, 90, stageOf(0, nil)))
	var got []string
	for _, n := range k.nodes {
		got = append(got, fmt.Sprintf("%d %s %v", n.Time, n.Host, n.Registered))
	}
	if got, want := strings.Join(got, ", "), "0 host0 true, 0 host1 true, 50 host0 false, 80 host1 false"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A replay that is stopped says what runs and what does not.
func TestUntil(t *testing.T) {
	k, r := replay(t, nodesOf([2]int64{1, 1024}), nil, scenario.Options{Until: 150}, jobOf(0, 0, stageOf(0, nil, 100, 100, 100)))
	if got, want := told(k), "0.0.0@0 0-100, 0.0.1@0 100--1 running"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if j := k.jobs[0]; r.Totals.EndMS != 150 || r.Totals.ContainersRunning != 1 || j.Reason != "the replay stopped at 150ms" || j.VCoreMS != 150 || j.TaskMS != 100 || j.WastedTaskMS != 0 || j.RunningTaskMS != 50 {
		t.Errorf("%+v, %+v", r.Totals, j)
	}
}

// Gangs start when all of their tasks have room at once, hold up those behind them until then, and are lost as a whole.
func TestGangs(t *testing.T) {
	gangOf := func(id, submit int64, ms ...int64) *trace.Job {
		j := jobOf(id, submit, stageOf(0, nil, ms...))
		j.Kind = trace.KindGang
		return j
	}
	fail := trace.NewNodeEvent(150, 1, trace.Fail)
	back := trace.NewNodeEvent(170, 1, trace.Recover)
	for _, tt := range []struct {
		name   string
		events []trace.NodeEvent
		jobs   []*trace.Job
		want   string
	}{
		{"together, over nodes", nil, []*trace.Job{jobOf(0, 0, stageOf(0, nil, 50)), gangOf(1, 0, 10, 20, 30, 40), jobOf(2, 0, stageOf(0, nil, 5))},
			"0.0.0@0 0-50, 1.0.0@0 50-60, 1.0.1@0 50-70, 1.0.2@1 50-80, 1.0.3@1 50-90, 2.0.0@0 60-65"},
		{"lost as a whole", []trace.NodeEvent{fail, back}, []*trace.Job{gangOf(0, 100, 20, 200, 300, 400)},
			"0.0.0@0 100-120, 0.0.1@0 100-150 killed, 0.0.2@1 100-150 lost, 0.0.3@1 100-150 killed, 0.0.0@0 170-190, 0.0.1@0 170-370, 0.0.2@1 170-470, 0.0.3@1 170-570"},
	} {
		k, r := replay(t, nodesOf([2]int64{2, 4096}, [2]int64{2, 4096}), tt.events, scenario.Options{}, tt.jobs...)
		if got := told(k); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		for _, j := range k.jobs {
			if span := j.TaskMS + j.WastedTaskMS; j.Outcome != record.JobSucceeded || j.TasksSucceeded != j.Tasks || r.Totals.JobsSucceeded != int64(len(tt.jobs)) || span == 0 {
				t.Errorf("%s: %+v", tt.name, j)
			}
		}
	}
	k, _ := replay(t, nodesOf([2]int64{2, 4096}, [2]int64{2, 4096}), nil, scenario.Options{}, gangOf(0, 0, 1, 1, 1, 1, 1), jobOf(1, 0, stageOf(0, nil, 5)))
	if j := k.jobs[0]; j.Reason != "the 5 tasks of stage 0 start together, and the nodes are never large enough for all of them" || k.jobs[1].Outcome != record.JobSucceeded {
		t.Errorf("%+v", k.jobs)
	}
}

// Tasks with sizes of their own take these; milli-vcores are rounded up.
func TestOwnSizes(t *testing.T) {
	st := stageOf(0, nil, 100, 100, 100)
	st.Tasks.MemMiB, st.Tasks.VCores = []int64{3072, trace.Unset, 1024}, []int32{1, 2, trace.Unset}
	st.TaskMilliVCores = 1001
	k, _ := replay(t, nodesOf([2]int64{3, 4096}), nil, scenario.Options{}, jobOf(0, 0, st))
	if got, want := told(k), "0.0.0@0 0-100, 0.0.1@0 0-100, 0.0.2@0 100-200"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if j := k.jobs[0]; j.MemMiBMS != 100*(3072+1024+1024) || j.VCoreMS != 100*(1+2+2) {
		t.Errorf("%+v", j)
	}
}

// What takes the place of a container of a service runs for what was left.
func TestServices(t *testing.T) {
	j := jobOf(0, 0, stageOf(0, nil, 100, 100))
	j.Kind = trace.KindService
	k, _ := replay(t, nodesOf([2]int64{1, 4096}, [2]int64{1, 4096}), []trace.NodeEvent{trace.NewNodeEvent(30, 1, trace.Fail), trace.NewNodeEvent(70, 1, trace.Recover)}, scenario.Options{}, j)
	if got, want := told(k), "0.0.0@0 0-100, 0.0.1@1 0-30 lost, 0.0.1@1 70-140"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestStagesWithoutTasks: each is begun and done once, with what waits for it.
func TestStagesWithoutTasks(t *testing.T) {
	k, r := replay(t, nodesOf([2]int64{4, 8192}), nil, scenario.Options{}, jobOf(0, 0, stageOf(0, nil), stageOf(1, []int32{0}), stageOf(2, []int32{1}, 7)), jobOf(1, 0, stageOf(0, nil, 5)))
	if j := k.jobs; r.Totals.JobsSucceeded != 2 || j[0].ID != 1 || j[1].StageAttempts != 3 || j[1].Finish != 7 {
		t.Errorf("jobs are %+v, totals %+v", k.jobs, r.Totals)
	}
}
