package engine

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"replay/engine/model"
	"replay/engine/random"
	"replay/engine/scenario"
	"replay/engine/spark/driver"
	"replay/trace"
)

// TestEnginesDecideAlikeWithAllSettings replays random clusters of every scheduler with both engines, of which each has some of the settings that decide something
// and that the other tests leave as they are. Samples and what passes without effect are compared, too.
func TestEnginesDecideAlikeWithAllSettings(t *testing.T) {
	executed, passed := int64(0), int64(0)
	for _, seed := range append(more(*seeds), 55001518) { // in that one a MapReduce attempt goes that waits for a container, and others of its type are speculated on
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			in, o := randomSettings(random.Stream(seed, "settings"), seed)
			a, b := alike(t, in, o)
			executed, passed = executed+a, passed+b
		})
	}
	t.Logf("%d of %d heartbeats were executed", executed, passed)
	if executed*2 > passed {
		t.Errorf("%d of %d heartbeats were executed, want less than half", executed, passed)
	}
}

// alike replays with both engines and compares all that is the same in both. It returns how many heartbeats the fast one executed, and how many there were.
func alike(t *testing.T, in func() scenario.Input, o scenario.Options) (executed, passed int64) {
	quick, slow := &keep{}, &keep{}
	fast := replayTo(t, disorderly{quick}, in(), o)
	o.Engine = scenario.Dense
	dense := replayTo(t, slow, in(), o)
	if fast.DecisionHash != dense.DecisionHash {
		t.Errorf("decision hash is %s, that of the dense engine %s", fast.DecisionHash, dense.DecisionHash)
	}
	a, b := &fast.Totals, &dense.Totals
	if a.NodeHeartbeats != b.NodeHeartbeats || a.Updates != b.Updates || a.AMHeartbeats != b.AMHeartbeats || a.EndMS != b.EndMS {
		t.Errorf("%d, %d, %d heartbeats, updates and heartbeats of masters passed until %d ms, in the dense engine %d, %d, %d until %d ms",
			a.NodeHeartbeats, a.Updates, a.AMHeartbeats, a.EndMS, b.NodeHeartbeats, b.Updates, b.AMHeartbeats, b.EndMS)
	}
	for i := range max(len(quick.samples), len(slow.samples)) {
		if i >= len(quick.samples) || i >= len(slow.samples) || quick.samples[i] != slow.samples[i] {
			t.Errorf("sample %d of %d is not that of the dense engine, which has %d", i, len(quick.samples), len(slow.samples))
			break
		}
	}
	if !reflect.DeepEqual(quick.nodes, slow.nodes) {
		t.Errorf("nodes come and go otherwise than in the dense engine")
	}
	if !reflect.DeepEqual(quick.decisions, slow.decisions) {
		t.Errorf("decisions come in another order than in the dense engine, or are others")
	}
	quick.inOrder()
	slow.inOrder()
	if !reflect.DeepEqual(quick.jobs, slow.jobs) || !reflect.DeepEqual(quick.containers, slow.containers) || !reflect.DeepEqual(quick.tasks, slow.tasks) {
		t.Errorf("what is told of jobs, containers or tasks is not what the dense engine tells")
	}
	return a.ExecutedHeartbeats, b.ExecutedHeartbeats
}

// randomSettings is a cluster of another random kind with some of all settings.
func randomSettings(r *rand.Rand, seed uint64) (func() scenario.Input, scenario.Options) {
	in, o := randomKind(r, seed, seed%6)
	return withSettings(r, seed, in, o)
}

// withSettings is a cluster with some of all settings.
func withSettings(r *rand.Rand, seed uint64, cluster func() scenario.Input, o scenario.Options) (func() scenario.Input, scenario.Options) {
	d := &drawn{draw: draw{r}, in: cluster, o: o}
	d.o.Conf = maps.Clone(d.o.Conf)
	if d.o.Model == (model.Model{}) {
		d.o.Model = model.DefaultModel()
	}
	if d.o.Until == 0 {
		d.o.Until = 600_000
	}
	in := d.in()
	for j := range trace.All(in.Jobs) {
		d.jobs = append(d.jobs, d.job(j))
	}
	d.nodes, d.events = slices.Clone(in.Nodes), slices.Clone(in.Events)
	d.join()
	d.resources()
	d.yarn()
	d.around()
	if d.oneIn(8) {
		letScale(r, &d.o, seed)
	}
	return func() scenario.Input {
		out := d.in()
		jobs := trace.MemoryTrace{JobList: d.jobs}
		out.Nodes, out.Events, out.Jobs = d.nodes, d.events, jobs.Jobs()
		return out
	}, d.o
}

// drawn is a cluster whose settings are drawn.
type drawn struct {
	draw
	in     func() scenario.Input
	o      scenario.Options
	jobs   []*trace.Job
	nodes  []trace.Node
	events []trace.NodeEvent
	static bool // the job that is drawn has no dynamic allocation
}

// draw is a stream that settings are drawn from.
type draw struct{ *rand.Rand }

func (d draw) oneIn(n int) bool         { return d.IntN(n) == 0 }
func (d draw) pick(of ...string) string { return of[d.IntN(len(of))] }

func (d *drawn) number(of ...int64) int64   { return of[d.IntN(len(of))] }
func (d *drawn) fraction(of ...float64) any { return of[d.IntN(len(of))] }

// some draws keys, each one time in n.
func (d *drawn) some(n int, settings [][]string, set func(key, value string)) {
	for _, s := range settings {
		if d.oneIn(n) {
			set(s[0], d.pick(s[1:]...))
		}
	}
}

// job returns a job like j with settings of its own.
func (d *drawn) job(j *trace.Job) *trace.Job {
	c := *j
	c.Stages = slices.Clone(j.Stages)
	own := keysOf(j)
	set := func(key, value string) { own[key] = value }
	c.Priority = d.Int32N(4)
	switch c.Kind {
	case trace.KindSpark:
		d.static = own["spark.executor.instances"] != ""
		if !d.static && d.oneIn(6) {
			c.MinExecs, c.MaxExecs, c.InitialExecs = trace.Unset, trace.Unset, trace.Unset
			own["spark.executor.instances"], d.static = fmt.Sprint(1+d.IntN(4)), true
		}
		if d.oneIn(2) {
			d.some(12, sparkSettings, set)
		}
		if d.static {
			delete(own, "spark.dynamicAllocation.minExecutors")
		} else {
			if own["spark.shuffle.service.enabled"] == "false" && d.oneIn(2) {
				own["spark.dynamicAllocation.shuffleTracking.enabled"] = "true"
			}
			if own["spark.dynamicAllocation.minExecutors"] == "" && d.oneIn(4) {
				c.InitialExecs = min(c.MaxExecs, d.Int32N(5))
			}
		}
	case trace.KindMapReduce:
		d.some(8, mapReduceSettings, set)
	case trace.KindGeneric:
		d.some(5, tezSettings, set)
	}
	if d.oneIn(4) {
		c.TailMS = d.number(0, 1, 700, 6000)
	}
	for i := range c.Stages {
		d.stage(&c, i)
	}
	setKeys(&c, own)
	return &c
}

// keysOf returns what a job sets itself.
func keysOf(j *trace.Job) map[string]string {
	keys := map[string]string{}
	for _, kv := range j.Conf {
		keys[kv.Key] = kv.Value
	}
	return keys
}

// setKeys has a job set keys itself, and no others.
func setKeys(j *trace.Job, keys map[string]string) {
	j.Conf = nil
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		j.Conf = append(j.Conf, trace.KeyValue{Key: key, Value: keys[key]})
	}
}

// stage changes a stage of a job.
func (d *drawn) stage(j *trace.Job, i int) {
	st := &j.Stages[i]
	n := st.Tasks.Len()
	bytes := func() (out []int64) {
		for range n {
			out = append(out, d.number(0, 1<<10, 30<<20, 1<<30))
		}
		return out
	}
	if d.oneIn(5) {
		st.Tasks.DurationMS = slices.Clone(st.Tasks.DurationMS)
		for k := range n {
			st.Tasks.DurationMS[k] = d.number(0, 1, 100, 3000, st.Tasks.DurationMS[k], 5*st.Tasks.DurationMS[k])
		}
	}
	if d.oneIn(6) {
		st.Tasks.ShuffleWriteBytes = bytes()
	}
	if d.oneIn(6) {
		st.Tasks.ShuffleReadBytes = bytes()
	}
	if d.oneIn(8) {
		st.Tasks.InputBytes = bytes()
	}
	if d.oneIn(6) {
		st.Tasks.SchedDelayMS = make([]int64, n)
		for k := range n {
			st.Tasks.SchedDelayMS[k] = d.number(trace.Unset, 0, 3, 900)
		}
	}
	if d.oneIn(6) {
		st.Tasks.DeserializeMS = make([]int64, n)
		for k := range n {
			st.Tasks.DeserializeMS[k] = d.Int64N(st.Tasks.DurationMS[k] + 1)
		}
	}
	if j.Kind == trace.KindMapReduce && d.oneIn(4) {
		st.Tasks.Retries = make([]int32, n)
		for k := range n {
			st.Tasks.Retries[k] = max(d.Int32N(9)-6, trace.Unset)
		}
	}
	if j.Kind != trace.KindSpark {
		return
	}
	if d.oneIn(3) {
		st.DelayMS = d.number(0, 1, 800, 9000, 40_000)
	}
	if i > 0 && len(st.After) == 0 && d.oneIn(4) {
		st.After = []int32{d.Int32N(int32(i))}
	}
	if i > 0 && d.oneIn(5) {
		st.CacheOf = d.Int32N(int32(i))
	}
	if d.oneIn(4) {
		st.SparkJob, st.Pool = d.Int32N(3), d.pick("", "x", "y")
	}
	if d.oneIn(6) {
		st.FreshFactor, st.FirstFactor = float32(d.number(trace.Unset, 1, 2, 3)), float32(d.number(trace.Unset, 1, 2))
	}
	switch {
	case d.static && d.oneIn(4) && n > 0:
		st.Kind = trace.StageGang
	case !d.static && d.oneIn(6):
		st.Profile, st.ExecTasks = 1+d.Int32N(2), d.Int32N(3)
		st.ExecMemMiB, st.ExecVCores, st.TaskVCores = []int64{0, 2048, 3072}[st.Profile], []int32{0, 2, 3}[st.Profile], 1
	}
}

// join has nodes to which nothing happens come later.
func (d *drawn) join() {
	came := len(d.events)
	for i := range d.nodes[1:] {
		id := int32(i)
		if d.oneIn(8) && !slices.ContainsFunc(d.events, func(e trace.NodeEvent) bool { return e.Node == id }) {
			d.nodes[i].Present = false
			d.events = append(d.events, trace.NewNodeEvent(d.Int64N(60_000), id, trace.Join))
		}
	}
	if len(d.events) == came {
		return
	}
	slices.SortStableFunc(d.events, func(a, b trace.NodeEvent) int { return cmp.Compare(a.TimeMS, b.TimeMS) })
	for i := range d.events {
		d.events[i].Seq = int32(i)
	}
}

// resources gives nodes and jobs a further resource now and then.
func (d *drawn) resources() {
	if !d.oneIn(6) {
		return
	}
	d.o.Conf["yarn.resource-types"] = "yarn.io/gpu"
	if d.o.Scheduler == "capacity" {
		d.o.Conf["yarn.scheduler.capacity.resource-calculator"] = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
	}
	for i := range d.nodes {
		d.nodes[i].Extra = []trace.NamedValue{{Name: "yarn.io/gpu", Value: 1 + d.Int64N(4)}}
	}
	for _, j := range d.jobs {
		for i := range j.Stages {
			if j.Kind == trace.KindGeneric && d.oneIn(2) {
				j.Stages[i].Extra = []trace.NamedValue{{Name: "yarn.io/gpu", Value: d.Int64N(2)}}
			}
		}
		if j.Kind == trace.KindSpark && d.oneIn(2) {
			for _, key := range []string{"spark.executor.resource.gpu.amount", "spark.task.resource.gpu.amount"} {
				j.Conf = append(j.Conf, trace.KeyValue{Key: key, Value: "1"})
			}
			slices.SortFunc(j.Conf, func(a, b trace.KeyValue) int { return strings.Compare(a.Key, b.Key) })
		}
	}
}

// yarn draws keys and files of YARN.
func (d *drawn) yarn() {
	scheduler := d.o.Scheduler
	if scheduler == "" {
		scheduler = "fair"
	}
	set := func(key, value string) { d.o.Conf[key] = value }
	if d.oneIn(2) {
		d.some(8, yarnSettings[""], set)
		d.some(8, yarnSettings[scheduler], set)
		if scheduler == "fair" && d.oneIn(12) {
			set("yarn.scheduler.fair.continuous-scheduling-enabled", "true")
			set("yarn.scheduler.fair.locality-delay-node-ms", d.pick("0", "900", "6000"))
			set("yarn.scheduler.fair.locality-delay-rack-ms", d.pick("0", "900", "6000"))
		}
	}
	if d.oneIn(3) {
		d.some(10, sparkSettings[:len(sparkSettings)-2], func(key, value string) {
			if key != "spark.dynamicAllocation.minExecutors" && key != "spark.decommission.enabled" {
				set(key, value)
			}
		})
	}
	if file, ok := d.o.Files["capacity-scheduler.xml"]; ok && d.oneIn(4) { // weights, or amounts
		amount := d.oneIn(2)
		file.Text = capacityOf.ReplaceAllFunc(file.Text, func(b []byte) []byte {
			if text := capacityOf.ReplaceAllString(string(b), "${1}${2}w${3}"); !amount {
				return []byte(text)
			}
			return []byte(capacityOf.ReplaceAllString(string(b), "${1}[memory=${2}00,vcores=${2}]${3}"))
		})
		if amount {
			set("yarn.scheduler.capacity.legacy-queue-mode.enabled", "false")
		}
		d.o.Files = scenario.Files{"capacity-scheduler.xml": file}
	}
	file, ok := d.o.Files["fair-scheduler.xml"]
	if scheduler != "fair" || !ok {
		return
	}
	files := maps.Clone(d.o.Files)
	if d.oneIn(2) {
		file.Text = d.allocations(file.Text)
	}
	files["fair-scheduler.xml"] = file
	d.o.Files = files
	for at := int64(0); d.oneIn(4); {
		at += 1 + d.Int64N(60_000)
		d.o.Reloads = append(d.o.Reloads, scenario.Reload{AtMS: at, File: scenario.File{Name: "next.xml", Text: d.allocations([]byte(randomAllocations(d.Rand)))}})
	}
}

var capacityOf = regexp.MustCompile(`(\.capacity</name><value>)(\d+)(</value>)`)

var leafTag = regexp.MustCompile(`<queue name="[abxy]">`)

// allocations puts further elements into an allocation file.
func (d *drawn) allocations(text []byte) []byte {
	kind := regexp.MustCompile(`<\w+`)
	text = leafTag.ReplaceAllFunc(text, func(tag []byte) []byte {
		for n := d.IntN(3); n > 0; n-- {
			tag = append(slices.Clone(tag), d.pick(queueElements...)...)
		}
		return tag
	})
	var root []string
	for n := d.IntN(4); n > 0; n-- {
		e := d.pick(rootElements...)
		if !slices.ContainsFunc(root, func(o string) bool { return kind.FindString(o) == kind.FindString(e) }) {
			root = append(root, e)
		}
	}
	return []byte(strings.Replace(string(text), "</allocations>", strings.Join(root, "")+"</allocations>", 1))
}

// around draws what is neither YARN's nor Spark's.
func (d *drawn) around() {
	for _, p := range model.Parameters {
		if !d.oneIn(8) {
			continue
		}
		value := fmt.Sprint(d.number(0, 1, 7, 100, 1500, 6000))
		switch p.Name {
		case "rack-penalty", "any-penalty", "first-factor":
			value = fmt.Sprint(d.fraction(0.5, 1, 2.5))
		case "nm-start-ms": // containers that are not started expire
			value = fmt.Sprint(d.number(0, 1, 300))
		case "read-mib-per-s":
			value = fmt.Sprint(d.number(1, 1000))
		}
		if err := d.o.Model.Set(p.Name, value); err != nil {
			panic(err)
		}
	}
	if d.oneIn(3) {
		d.o.SeriesMS = d.number(100, 333, 1000, 60_000)
	}
	if d.oneIn(5) {
		d.o.Faster = []float64{0.3, 2, 50}[d.IntN(3)]
	}
	if d.oneIn(5) {
		d.o.Placement = d.pick("locality-ratio", "none", "union", "top", "per-task")
	}
	d.o.Decisions = d.oneIn(4)
	if len(d.events) == 0 && d.oneIn(8) {
		d.o.Nodes = 1 + d.IntN(2*len(d.nodes))
	}
	for d.oneIn(5) {
		job := d.IntN(len(d.jobs))
		text := d.pick(fmt.Sprintf("without job %d", job), "keep node "+d.nodes[0].Host, fmt.Sprintf("container %d of job %d not on %s", 1+d.IntN(4), job, d.nodes[0].Host),
			fmt.Sprintf("container %d of job %d on %s", 1+d.IntN(4), job, d.nodes[len(d.nodes)-1].Host))
		if strings.HasPrefix(text, "container") && len(d.nodes) == 1 {
			continue // two of them may leave no node
		}
		c, err := scenario.ParseChange(text)
		if err != nil {
			panic(err)
		}
		d.o.Changes = append(d.o.Changes, c)
	}
	if d.oneIn(10) {
		d.o.StallMS = d.number(5000, 60_000)
	}
	if d.oneIn(6) {
		d.o.Recorded.Latencies = map[int64][]*driver.Latencies{}
		for _, j := range d.jobs {
			if j.Kind == trace.KindSpark && d.oneIn(2) {
				d.o.Recorded.Latencies[j.ID] = d.latencies()
			}
		}
	}
	if !d.oneIn(5) {
		return
	}
	d.o.Recorded.Attempts = map[int64][]driver.RecordedAttempt{}
	for _, j := range d.jobs {
		if j.Kind == trace.KindSpark && d.oneIn(2) {
			d.o.Recorded.Attempts[j.ID] = d.attempts(j)
		}
	}
}

// latencies are recorded ones of the attempts of a job.
func (d *drawn) latencies() (list []*driver.Latencies) {
	for range 1 + d.IntN(2) {
		l := &driver.Latencies{AMMS: d.number(trace.Unset, 900, 7000), Halts: d.oneIn(4), HaltMS: d.Int64N(30_000), HaltExit: d.Int32N(3)}
		for range d.IntN(6) {
			l.ExecutorMS = append(l.ExecutorMS, d.number(trace.Unset, 0, 1, 800, 5000))
			l.FirstMS = append(l.FirstMS, []int64{d.Int64N(500)}[:d.IntN(2)])
		}
		list = append(list, l)
	}
	return list
}

// attempts are recorded attempts of the tasks of a job, of which some fail.
func (d *drawn) attempts(j *trace.Job) (list []driver.RecordedAttempt) {
	for i := range j.Stages {
		st := &j.Stages[i]
		for task := range st.Tasks.Len() {
			a := driver.RecordedAttempt{Stage: st.ID, Task: int32(task), Executor: trace.Unset, DurationMS: d.Int64N(4000), SchedDelayMS: trace.Unset, End: driver.AttemptFailed}
			for d.oneIn(6) {
				list = append(list, a)
			}
			a.End, a.DurationMS = driver.AttemptSucceeded, st.Tasks.DurationMS[task]
			list = append(list, a)
		}
	}
	return list
}

// TestEnginesDecideAlikeWithBarredContainers has changes by which containers may be on some nodes alone: offers of others are not made to their applications, and not counted.
func TestEnginesDecideAlikeWithBarredContainers(t *testing.T) {
	decideAlike(t, func(r *rand.Rand, seed uint64) (func() scenario.Input, scenario.Options) {
		in, o := randomFair(r, seed)
		if o.Conf["yarn.scheduler.fair.locality.threshold.node"], o.Conf["yarn.scheduler.fair.locality.threshold.rack"] = "1.0", "0.5"; seed%2 == 1 { // all offers are counted
			in, o = randomCapacity(r, seed)
		}
		like := in()
		for _, job := range r.Perm(int(like.NumJobs))[:min(3, like.NumJobs)] {
			c, err := scenario.ParseChange(fmt.Sprintf("container %d of job %d %s%s", 1+r.IntN(6), job, []string{"on ", "not on "}[r.IntN(2)], like.Nodes[r.IntN(len(like.Nodes))].Host))
			if err != nil {
				panic(err)
			}
			o.Changes = append(o.Changes, c)
		}
		o.Until = 100_000 // one that cannot be placed waits for ever
		return in, o
	}, more((*seeds+1)/2))
}

// An application waits for the one node that it prefers, which is full once its third container is there, and the offers of all others are counted until it takes the next one anywhere:
// but for that it may take one node alone, and is offered no other.
func TestOffersToBarredApplicationsAreNotCounted(t *testing.T) {
	in := func() scenario.Input {
		j := sparkJob(0, 0, 3, stage(0, 24, 30_000, nil, 0))
		j.ExecMemMiB = 3072
		return input(cluster(8, 1), nil, j)
	}
	c, err := scenario.ParseChange("container 4 of job 0 on node07")
	if err != nil {
		t.Fatal(err)
	}
	o := scenario.Options{Until: 100_000, Changes: []scenario.Change{c}, Conf: map[string]string{
		"yarn.scheduler.fair.locality.threshold.node": "1.0", "yarn.scheduler.fair.locality.threshold.rack": "1.0", "yarn.scheduler.reservation-threshold.increment-multiple": "9"}}
	for o.Seed = range uint64(8) {
		alike(t, in, o)
	}
}
