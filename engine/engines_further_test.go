package engine

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"replay/engine/model"
	"replay/engine/random"
	"replay/engine/scenario"
	"replay/engine/spark/driver"
	"replay/policy/starlark"
	"replay/trace"
)

// TestEnginesDecideAlikeWithFurtherSettings has, beside what the other tests have, executors that a recording gives, which share nodes with other applications under YARN, attempts that ended in any way,
// nodes that come back with another size, queues that the trace describes, policies in Starlark, and the keys that no other test draws.
func TestEnginesDecideAlikeWithFurtherSettings(t *testing.T) {
	for _, seed := range append(more(*seeds), 88100286) { // in that one a process whose node has not reported it expires
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			in, o := randomFurther(random.Stream(seed, "further settings"), seed)
			alike(t, in, o)
		})
	}
}

// TestEnginesDecideAlikeInHaste has masters and executors that start, are killed and speak within the time between two heartbeats of a node, in which containers expire that are not heard of.
func TestEnginesDecideAlikeInHaste(t *testing.T) {
	// In these a master would hear ahead of its time while it waits for containers, while a process ends before or may expire, and a result would be handled behind what comes before it.
	for _, seed := range append(more(*seeds), 92000032, 92000082, 92000129, 92000848) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			in, o := randomHaste(random.Stream(seed, "haste"), seed)
			alike(t, in, o)
		})
	}
}

// randomHaste is such a cluster, of some jobs of many tasks.
func randomHaste(r *rand.Rand, seed uint64) (func() scenario.Input, scenario.Options) {
	d := draw{r}
	var jobs []*trace.Job
	for id := range int64(1 + d.IntN(4)) {
		jobs = append(jobs, sparkJob(id, id*d.Int64N(3000), 1+d.Int32N(12), stage(0, 1+d.IntN(40), 1+d.Int64N(300), nil, d.Int32N(3)), stage(1, 1+d.IntN(10), 1+d.Int64N(3000), []int32{0})))
	}
	p := draw{random.Stream(seed, "profiles in haste")}
	if p.oneIn(3) {
		twoProfiles(p, jobs)
	}
	m := model.DefaultModel()
	m.NMStartMS, m.AMStartMS, m.ExecutorStartMS, m.KillMS, m.DisconnectMS = d.Int64N(50), d.Int64N(300), d.Int64N(300), 50+d.Int64N(1500), d.Int64N(50)
	if p.oneIn(3) { // messages that are on their way while masters speak
		for _, at := range []*int64{&m.ResultMS, &m.StatusMS, &m.DispatchMS, &m.StageSubmitMS} {
			*at = []int64{0, 1, p.Int64N(30), p.Int64N(600)}[p.IntN(4)]
		}
	}
	between := func(least, most int) string { return fmt.Sprint(least + d.IntN(most-least+1)) }
	o := scenario.Options{Seed: seed, Until: 60_000, Model: m, SeriesMS: 500, Scheduler: d.pick("fair", "capacity", "fifo"), Conf: map[string]string{
		"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms":         between(300, 1500),
		"yarn.resourcemanager.rm.container-allocation.expiry-interval-ms": between(300, 1500),
		"yarn.resourcemanager.am.max-attempts":                            "9",
		"yarn.resourcemanager.work-preserving-recovery.enabled":           "false",
		"spark.yarn.scheduler.heartbeat.interval-ms":                      between(100, 3000),
		"spark.yarn.scheduler.initial-allocation.interval":                between(20, 400) + "ms",
		"spark.yarn.maxAppAttempts":                                       "9",
		"spark.executor.maxNumFailures":                                   "1000",
		"spark.scheduler.minRegisteredResourcesRatio":                     d.pick("0", "0.5"),
		"spark.scheduler.revive.interval":                                 d.pick("30ms", "200ms", "1s"),
		"spark.dynamicAllocation.executorIdleTimeout":                     d.pick("0s", "1s", "3s"),
		"spark.locality.wait":                                             d.pick("0", "100ms", "1s"),
		"spark.speculation":                                               d.pick("true", "false"),
	}}
	nodes := cluster(3+d.IntN(6), 2)
	return func() scenario.Input { return input(nodes, nil, jobs...) }, o
}

// twoProfiles has stages ask for executors of their own, while those of others are idle: applications give some back at the heartbeats at which they wait for others.
func twoProfiles(d draw, jobs []*trace.Job) {
	for _, j := range jobs {
		at := d.IntN(2)
		st := &j.Stages[at]
		st.Profile, st.ExecMemMiB, st.ExecVCores, st.TaskVCores = 1, []int64{1024, 3072, 6144}[d.IntN(3)], 1+d.Int32N(3), 1
		if d.oneIn(2) {
			j.Stages[1].Parents = nil
		}
	}
}

// randomFurther is a cluster of [randomSettings] with more.
func randomFurther(r *rand.Rand, seed uint64) (func() scenario.Input, scenario.Options) {
	cluster, o := randomSettings(r, seed)
	f := &further{drawn: drawn{draw: draw{r}, in: cluster, o: o.Clone()}}
	in := cluster()
	for j := range trace.All(in.Jobs) {
		c := *j
		c.Stages = slices.Clone(j.Stages)
		f.jobs = append(f.jobs, &c)
	}
	f.nodes, f.events, f.queues, f.users = slices.Clone(in.Nodes), slices.Clone(in.Events), slices.Clone(in.Queues), slices.Clone(in.Users)
	f.kinds()
	f.sizes()
	f.sizesOfNodes()
	f.keys()
	f.whatIf()
	f.files()
	f.scripts()
	f.recorded()
	f.barren()
	if f.o.Until = min(f.o.Until, 100_000); f.short() { // as the dense engine executes all of it
		f.o.Until = 5000 + f.Int64N(15_000)
	}
	return func() scenario.Input {
		out := cluster()
		jobs := trace.MemoryTrace{JobList: f.jobs}
		out.Nodes, out.Events, out.Queues, out.Users, out.Jobs = f.nodes, f.events, f.queues, f.users, jobs.Jobs()
		return out
	}, f.o
}

// further is a cluster of which more is drawn.
type further struct {
	drawn
	queues []trace.Queue
	users  []trace.User
}

// short reports whether something happens in each few milliseconds.
func (f *further) short() bool {
	for _, key := range []string{"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "yarn.scheduler.fair.update-interval-ms", "yarn.scheduler.fair.continuous-scheduling-sleep-ms"} {
		if n, err := strconv.Atoi(f.o.Conf[key]); err == nil && n < 50 {
			return true
		}
	}
	return false
}

// own sets keys of a job.
func own(j *trace.Job, set func(put func(key, value string))) {
	keys := keysOf(j)
	set(func(key, value string) { keys[key] = value })
	setKeys(j, keys)
}

// kinds makes generic jobs of some of Spark's, in clusters that have few of them.
func (f *further) kinds() {
	if f.oneIn(2) {
		return
	}
	for _, j := range f.jobs {
		if j.Kind != trace.KindSpark || !f.oneIn(3) {
			continue
		}
		j.Kind, j.Conf, j.TaskCPUs = trace.KindGeneric, nil, trace.Unset
		j.ExecMemMiB, j.ExecVCores, j.MinExecs, j.MaxExecs, j.InitialExecs = trace.Unset, trace.Unset, trace.Unset, trace.Unset, trace.Unset
		for i := range j.Stages {
			st := &j.Stages[i]
			st.TaskMemMiB, st.Profile, st.ExecMemMiB, st.ExecVCores, st.ExecTasks = f.number(512, 2048), 0, 0, 0, 0
		}
	}
}

// barren adds a type of which no node has anything: shares of it are no numbers, by which DRF orders partially.
func (f *further) barren() {
	if f.o.Conf["yarn.resource-types"] != "" || f.o.Scheduler == "capacity" || !f.oneIn(5) {
		return
	}
	f.o.Conf["yarn.resource-types"] = "yarn.io/gpu"
	if f.o.Sharing != "" && f.oneIn(2) {
		f.o.Sharing = "drf"
	}
}

// sizes gives masters, tasks and executors other sizes, and jobs that are submitted in the same millisecond.
func (f *further) sizes() {
	gpu := f.o.Conf["yarn.resource-types"] != ""
	for i, j := range f.jobs {
		if f.oneIn(4) {
			j.AMMemMiB, j.AMVCores = f.number(1, 512, 1025, 3000), 1+f.Int32N(3)
		}
		if i > 0 && f.oneIn(5) {
			j.SubmitMS = f.jobs[i-1].SubmitMS
		}
		if j.Kind == trace.KindSpark && j.ExecVCores > 1 && f.oneIn(4) {
			j.TaskCPUs = 1 + f.Int32N(j.ExecVCores)
		}
		for k := range j.Stages {
			st := &j.Stages[k]
			if j.Kind == trace.KindGeneric && f.oneIn(6) {
				st.TaskMilliVCores = int32(f.number(1, 500, 1001, 2500))
			}
			if gpu && st.Profile > 0 && f.oneIn(2) {
				st.ExecExtra = []trace.NamedValue{{Name: "yarn.io/gpu", Value: f.Int64N(3)}}
			}
		}
	}
	for i := range f.jobs[1:] { // those behind one that was put forward
		f.jobs[i+1].SubmitMS = max(f.jobs[i+1].SubmitMS, f.jobs[i].SubmitMS)
	}
}

// sizesOfNodes has nodes come, and come back, with another size, change it while they drain, and hosts that are in no cluster.
func (f *further) sizesOfNodes() {
	if len(f.nodes) == 1 || f.o.Nodes > 0 {
		return
	}
	size := func(e *trace.NodeEvent) { e.MemMiB, e.VCores = f.number(700, 2048, 5000, 16_384), 1+f.Int32N(12) }
	up := make([]bool, len(f.nodes)) // or draining
	for i := range f.nodes {
		up[i] = f.nodes[i].Present
	}
	often := f.oneIn(2)
	var out []trace.NodeEvent
	for _, e := range f.events {
		switch e.Kind {
		case trace.Join, trace.Recover:
			if up[e.Node] = true; often && f.oneIn(3) {
				size(&e)
			}
		case trace.Leave, trace.Fail:
			up[e.Node] = false
		}
		out = append(out, e)
		if node := f.Int32N(int32(len(f.nodes) - 1)); often && up[node] && f.oneIn(4) {
			c := trace.NewNodeEvent(e.TimeMS, node, trace.Capacity)
			if size(&c); f.oneIn(3) {
				c.MemMiB = trace.Unset
			}
			out = append(out, c)
		}
		if up[e.Node] && f.oneIn(20) {
			out = append(out, trace.NewNodeEvent(e.TimeMS, e.Node, trace.Labels))
		}
	}
	f.events = out
	if f.oneIn(6) {
		id := f.IntN(len(f.nodes) - 1)
		f.nodes[id].Present = false
		f.events = slices.DeleteFunc(f.events, func(e trace.NodeEvent) bool { return e.Node == int32(id) })
	}
	slices.SortStableFunc(f.events, func(a, b trace.NodeEvent) int { return cmp.Compare(a.TimeMS, b.TimeMS) })
	for i := range f.events {
		f.events[i].Seq = int32(i)
	}
}

// keys draws those that the other tests do not.
func (f *further) keys() {
	for _, j := range f.jobs {
		own(j, func(put func(key, value string)) {
			if j.Kind == trace.KindSpark && f.oneIn(6) { // silent ones are given up soon
				put("spark.executor.heartbeatInterval", "500ms")
				put("spark.network.timeout", f.pick("2s", "20s"))
				put("spark.storage.blockManagerHeartbeatTimeoutMs", f.pick("2000", "6000"))
				put("spark.network.timeoutInterval", f.pick("300ms", "2s"))
			}
			f.some(12, map[string][][]string{trace.KindSpark: furtherSpark, trace.KindMapReduce: furtherMapReduce, trace.KindGeneric: furtherTez}[j.Kind], put)
		})
	}
	put := func(key, value string) { f.o.Conf[key] = value }
	f.some(8, furtherYARN[""], put)
	f.some(8, furtherYARN[cmp.Or(f.o.Scheduler, "fair")], put)
	if f.o.Conf["yarn.resource-types"] != "" {
		f.some(4, [][]string{{"yarn.resource-types.yarn.io/gpu.minimum-allocation", "0", "1"}, {"yarn.resource-types.yarn.io/gpu.maximum-allocation", "2"}, {"yarn.resource-types.yarn.io/gpu.increment-allocation", "2"}}, put)
	}
	if f.oneIn(4) {
		f.o.Files["fairscheduler.xml"] = scenario.File{Name: "pools.xml", Text: []byte(fmt.Sprintf("<allocations><pool name='x'><weight>%d</weight><schedulingMode>%s</schedulingMode></pool><pool name='y'><schedulingMode>%s</schedulingMode><minShare>%d</minShare></pool></allocations>",
			1+f.IntN(4), f.pick("FAIR", "FIFO"), f.pick("FAIR", "FIFO"), f.IntN(4)))}
	}
}

// files has queues be as the trace describes them, and other elements in the allocation file.
func (f *further) files() {
	for i := range f.queues {
		q := &f.queues[i]
		leaf := !slices.ContainsFunc(f.queues, func(o trace.Queue) bool { return strings.HasPrefix(o.Path, q.Path+".") })
		if f.oneIn(3) {
			q.Weight = float64(f.number(0, 1, 3))
		}
		if f.oneIn(4) {
			q.MinMemMiB, q.MinVCores = f.number(0, 1500, 6000), f.Int32N(5)
		}
		if f.oneIn(4) {
			q.MaxMemMiB, q.MaxVCores = f.number(trace.Unset, 6000, 20_000), int32(f.number(trace.Unset, 6, 20))
		}
		if f.oneIn(5) {
			q.MaxApps = 1 + f.Int32N(4)
		}
		if leaf && f.oneIn(4) {
			q.AMShare = []float64{trace.NoAMLimit, 0.3, 0.9}[f.IntN(3)]
		}
		if f.oneIn(3) {
			if q.Policy = f.pick("fair", "drf", "fifo"); !leaf && q.Policy == "fifo" {
				q.Policy = ""
			}
		}
	}
	if f.o.Scheduler == "capacity" {
		for i := range f.users {
			if f.oneIn(3) {
				f.users[i].Weight = []float64{0.4, 1, 2}[f.IntN(3)]
			}
		}
		return
	}
	if file, ok := f.o.Files["fair-scheduler.xml"]; ok && f.o.Scheduler != "fifo" {
		switch f.IntN(4) {
		case 0:
			delete(f.o.Files, "fair-scheduler.xml")
		case 1: // of the parent
			if text := string(file.Text); f.oneIn(2) {
				file.Text = []byte(strings.Replace(text, `type="parent">`, `type="parent">`+f.pick(furtherQueueElements...), 1))
				f.o.Files["fair-scheduler.xml"] = file
			}
		case 2: // applications of queues that are not in the file, and that go with one that comes into force later
			if len(f.o.Changes) > 0 { // of one of them
				return
			}
			file.Text = []byte(`<allocations><queue name="a"><maxRunningApps>3</maxRunningApps></queue></allocations>`)
			f.o.Files["fair-scheduler.xml"] = file
		}
	}
}

// scripts has policies in Starlark.
func (f *further) scripts() {
	for f.oneIn(5) {
		name := f.pick(slices.Sorted(maps.Keys(furtherScripts))...)
		if slices.ContainsFunc(f.o.Scripts, func(s scenario.Script) bool { return s.Name == name }) {
			continue
		}
		text := []byte(furtherScripts[name])
		file, err := starlark.Read(name, text)
		if err != nil {
			panic(err)
		}
		f.o.Scripts = append(f.o.Scripts, scenario.Script{File: scenario.File{Name: name, Text: text}, Policy: file.Policy, Policies: file.Policies})
		if f.oneIn(2) {
			if len(file.Policies.Sharings) > 0 {
				f.o.Sharing = ""
			}
			if len(file.Policies.Placements) > 0 {
				f.o.Placement = ""
			}
		}
	}
}

// whatIf has queues and users without limits, or with another weight.
func (f *further) whatIf() {
	for f.o.Scheduler != "fifo" && f.oneIn(6) {
		text := "user " + f.users[f.IntN(len(f.users))].Name + " without limits"
		if q := f.queues[f.IntN(len(f.queues))].Path; f.oneIn(2) {
			if text = "queue " + q + " without limits"; f.o.Scheduler != "capacity" && f.oneIn(2) {
				text = "queue " + q + f.pick(" weight 0.5", " weight 7")
			}
		}
		c, err := scenario.ParseChange(text)
		if err != nil {
			panic(err)
		}
		f.o.Changes = append(f.o.Changes, c)
	}
}

// recorded has executors of Spark's jobs that a recording gives, and attempts that ended in any way.
func (f *further) recorded() {
	if f.oneIn(2) || f.o.Nodes > 0 {
		return
	}
	given := f.oneIn(2)
	r := &driver.Recorded{CodeMS: map[int64]int64{}, Attempts: map[int64][]driver.RecordedAttempt{}, Latencies: f.o.Recorded.Latencies}
	if given {
		r.Executors = []driver.RecordedExecutor{}
	}
	for _, j := range f.jobs {
		if j.Kind != trace.KindSpark {
			continue
		}
		r.CodeMS[j.ID] = f.number(0, 900, 8000)
		executors := 1 + f.Int32N(5)
		if given {
			if f.oneIn(2) {
				j.RecordedStartMS = j.SubmitMS + f.Int64N(4000)
			}
			for id := range executors {
				r.Executors = append(r.Executors, f.executor(j, id+1))
			}
		}
		if f.oneIn(2) {
			r.Attempts[j.ID] = f.anyAttempts(j, executors)
		}
	}
	f.o.Recorded = *r
}

// executor is one that a recording gives.
func (f *further) executor(j *trace.Job, id int32) driver.RecordedExecutor {
	x := driver.RecordedExecutor{ReadyMS: f.number(trace.Unset, 0, 700), LeaveMS: trace.Unset, CausedBy: trace.Unset, Idle: f.oneIn(3)}
	x.Job, x.ID, x.Node, x.VCores, x.MemMiB, x.AddedMS, x.RemovedMS = j.ID, id, f.Int32N(int32(len(f.nodes))), j.ExecVCores, j.ExecMemMiB, f.Int64N(20_000), trace.Unset
	if st := &j.Stages[f.IntN(len(j.Stages))]; st.Profile > 0 && f.oneIn(2) {
		x.Profile, x.VCores, x.MemMiB = st.Profile, st.ExecVCores, st.ExecMemMiB
	}
	for range f.IntN(3) {
		x.FirstMS = append(x.FirstMS, f.Int64N(900))
	}
	if f.oneIn(2) {
		x.RemovedMS = x.AddedMS + f.Int64N(40_000)
		x.Reason = f.pick("Executor killed by driver.", "Executor decommission.", "Container was preempted", "worker lost", "Executor heartbeat timed out", "Container from a bad node", "on a *lost* node")
		if f.oneIn(2) {
			x.LeaveMS = x.AddedMS + f.Int64N(x.RemovedMS-x.AddedMS+1)
		}
		if f.oneIn(4) {
			x.CausedBy, x.AfterMS = f.Int32N(int32(len(j.Stages))), f.Int64N(9000)
		}
	}
	return x
}

// anyAttempts are recorded attempts of the tasks of a job on executors, which end in any way.
func (f *further) anyAttempts(j *trace.Job, executors int32) (list []driver.RecordedAttempt) {
	for i := range j.Stages {
		st := &j.Stages[i]
		at := j.SubmitMS + f.Int64N(20_000)
		for task := range st.Tasks.Len() {
			for again := true; again; again = f.oneIn(5) {
				a := driver.RecordedAttempt{Stage: st.ID, Task: int32(task), StageAttempt: f.Int32N(8) / 7, Executor: f.Int32N(executors+1) + 1, LaunchMS: at + f.Int64N(3000), DurationMS: f.Int64N(6000),
					SchedDelayMS: f.number(trace.Unset, 0, 4, 50), Speculative: f.oneIn(8), End: driver.AttemptEnd(f.IntN(5))}
				if a.Executor > executors {
					a.Executor = trace.Unset
				}
				if f.oneIn(2) {
					a.End = driver.AttemptSucceeded
				}
				a.CoreMS = a.DurationMS + max(a.SchedDelayMS, 0)
				if a.First = f.oneIn(4); a.First {
					a.FirstMS = f.Int64N(a.DurationMS + 1)
				}
				list = append(list, a)
			}
		}
	}
	return list
}
