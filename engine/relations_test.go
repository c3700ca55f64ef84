package engine

import (
	"cmp"
	"flag"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"replay/engine/random"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/scenario/scenariotest"
	"replay/trace"
)

var relations = flag.Uint64("relations", 0, "how many random cases each relation is tried on, from -first on; 0 is a few from 0 on")

// related are the seeds of the cases that a relation is tried on: those that it failed on once, and n others. More of them:
//
//	go test ./engine -run 'TestNames|TestTimesScale|TestMoreNodes' -args -first 1000 -relations 1000
func related(n uint64, failed ...uint64) []uint64 {
	from := uint64(0)
	if *relations > 0 {
		from, n = *firstSeed, *relations
	}
	for seed := from; seed < from+n; seed++ {
		failed = append(failed, seed)
	}
	return failed
}

// Names of users change nothing as long as their order stays: decisions are the same to the last digit of the hash.
func TestNamesOfUsersDecideNothing(t *testing.T) {
	for _, seed := range related(30) {
		c := scenariotest.Random(seed)
		_, before := replay(t, c.Input(), c.Options)
		for i := range c.Users {
			c.Users[i].Name = "zz-" + c.Users[i].Name
		}
		if _, after := replay(t, c.Input(), c.Options); before.DecisionHash != after.DecisionHash {
			t.Errorf("seed %d, %s: decision hash %s, with other names of users %s", seed, c.Options.Scheduler, before.DecisionHash, after.DecisionHash)
		}
	}
}

// Nor do names of hosts, as long as their order and their hash codes stay: Spark and YARN keep what is asked for by host in hash maps, whose order is followed.
func TestNamesOfHostsDecideNothing(t *testing.T) {
	for _, seed := range related(60) {
		c := scenariotest.Random(seed)
		_, before := replay(t, c.Input(), c.Options)
		for i := range c.Nodes {
			c.Nodes[i].Host = "oP" + strings.TrimPrefix(c.Nodes[i].Host, "no") // 31·'n' + 'o' = 31·'o' + 'P'
		}
		if _, after := replay(t, c.Input(), c.Options); before.DecisionHash != after.DecisionHash {
			t.Errorf("seed %d, %s: decision hash %s, with other names of hosts %s", seed, c.Options.Scheduler, before.DecisionHash, after.DecisionHash)
		}
	}
}

// Nor do names of racks, with their order and hash codes, and of queues. With seed 30243 other hash codes of racks decide.
func TestNamesOfPlacesDecideNothing(t *testing.T) {
	tried := map[string]int{}
	for _, seed := range related(60, 30243) {
		c := scenariotest.Random(seed)
		tried[c.Options.Scheduler]++
		was, before := replay(t, c.Input(), c.Options)
		for i := range c.Nodes {
			c.Nodes[i].Rack = "0S" + strings.TrimPrefix(c.Nodes[i].Rack, "/r") // 31·'/' + 'r' = 31·'0' + 'S'
		}
		for i := range c.Queues {
			c.Queues[i].Path = renamed(c.Queues[i].Path)
		}
		for kind, f := range c.Options.Files {
			f.Text = queueNames.ReplaceAllFunc(f.Text, func(b []byte) []byte { return []byte(oneLetter.ReplaceAllString(string(b), "zz$0")) })
			c.Options.Files[kind] = f
		}
		is, after := replay(t, c.Input(), c.Options)
		for i := range is.jobs {
			for k := range was.jobs {
				if was.jobs[k].ID == is.jobs[i].ID {
					was.jobs[k].Queue, was.jobs[k].Reason, is.jobs[i].Reason = is.jobs[i].Queue, "", ""
				}
			}
		}
		for _, m := range []*record.Manifest{before, after} { // what was left out is no decision
			m.Totals.ExecutedHeartbeats, m.Totals.ExecutedUpdates, m.Totals.Visits, m.Totals.Events = 0, 0, 0, 0
		}
		if before.Totals != after.Totals || !slices.EqualFunc(was.jobs, is.jobs, func(a, b record.Job) bool { return reflect.DeepEqual(a, b) }) {
			t.Errorf("seed %d: with other names of racks and queues\n%+v, want\n%+v", seed, after.Totals, before.Totals)
		}
	}
	for _, scheduler := range []string{"fair", "capacity", "fifo"} {
		if tried[scheduler] < 5 && *relations == 0 {
			t.Errorf("%d cases under %s, want 5 or more", tried[scheduler], scheduler)
		}
	}
}

// Where the files of random cases name queues, which have names of one letter.
var (
	queueNames = regexp.MustCompile(`<queue name="[a-z]"|root(\.[a-z]\b)+|<value>[a-z](,[a-z])*</value>`)
	oneLetter  = regexp.MustCompile(`\b[a-z]\b`)
)

// renamed puts two letters before each name of a path but root.
func renamed(path string) string { return strings.ReplaceAll(path, ".", ".zz") }

// Times that are all twice as long make all waits twice as long, to the millisecond: under the ideal scheduler, where nothing takes a time of its own.
func TestTimesScale(t *testing.T) {
	for _, seed := range related(60) {
		c := scenariotest.Random(seed)
		c.Options = scenario.Options{Scheduler: "ideal", Seed: seed}
		was, _ := replay(t, c.Input(), c.Options)
		slower(t, c)
		is, _ := replay(t, c.Input(), c.Options)
		scaled(t, seed, was, is)
	}
}

// And under YARN's schedulers, with nodes that fail and drain, where every interval and latency that can be set is twice as long too. Some things of Spark cannot:
// the 100 ms of dynamic allocation, so executors are of a fixed number; what is drawn from the time, so tasks have no preferred hosts and
// executors one core; and the 200 ms before a stage is submitted again that lost its input, so cases with such a stage are left out; seed 10 is one whose times do not scale.
func TestTimesScaleUnderYARN(t *testing.T) {
	tried, again := map[string]int{}, []uint64{}
	for _, seed := range related(40, 10) {
		c := scenariotest.Random(seed)
		o := &c.Options
		o.Until = 0
		for _, j := range c.Jobs {
			j.MinExecs, j.MaxExecs, j.InitialExecs = trace.Unset, trace.Unset, trace.Unset
			j.Conf = []trace.KeyValue{{Key: "spark.executor.instances", Value: "2"}}
			j.ExecVCores = 1
			if j.Kind != trace.KindSpark { // the others have timers of their own that cannot be set
				j.Kind, j.ExecMemMiB, j.TaskCPUs = trace.KindSpark, 2048, 1
			}
			for i := range j.Stages {
				st := &j.Stages[i]
				st.DelayMS, st.TaskMemMiB = max(st.DelayMS, 0), trace.Unset
				if st.Kind == trace.StageGang { // barriers of Spark are not under test
					st.Kind = trace.StageShuffle
				}
				st.Tasks.SetPrefs(make([][]int32, st.Tasks.Len()))
			}
		}
		for key, value := range map[string]string{
			"spark.speculation": "false", "spark.scheduler.minRegisteredResourcesRatio": "0", "spark.scheduler.revive.interval": "1000ms",
			"spark.yarn.scheduler.initial-allocation.interval": "200ms",
		} {
			o.Conf[key] = value
		}
		for _, key := range []string{"yarn.scheduler.fair.preemption", "yarn.scheduler.fair.continuous-scheduling-enabled"} { // may take a master again and again; sleeps between attempts
			delete(o.Conf, key)
		}
		for _, key := range []string{"yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "yarn.nm.liveness-monitor.expiry-interval-ms"} {
			n, err := strconv.Atoi(o.Conf[key])
			if err != nil {
				t.Fatal(err)
			}
			o.Conf[key] = strconv.Itoa(n - n%3) // monitors look three times in an interval
		}
		_, hashed := replay(t, c.Input(), *o)
		was := replayWithPhases(t, c, hashed.NodePhasesMS)
		slower(t, c)
		var phases []int64
		for _, p := range hashed.NodePhasesMS {
			phases = append(phases, 2*p)
		}
		is := replayWithPhases(t, c, phases)
		if slices.ContainsFunc(was.tasks, func(x record.Task) bool { return x.StageAttempt > 0 }) {
			again = append(again, seed)
			continue
		}
		tried[o.Scheduler]++
		scaled(t, seed, was, is)
	}
	if len(tried) != 3 || !slices.Contains(again, 10) || len(again) > len(related(40))/4+1 {
		t.Errorf("tried %v, and left out %v: want three schedulers, and a few seeds", tried, again)
	}
}

// slower makes every time of a case twice as long, where it has a place: of jobs, node events, latencies and keys.
func slower(t *testing.T, c *scenariotest.Case) {
	t.Helper()
	for _, j := range c.Jobs {
		j.SubmitMS *= 2
		for i := range j.Stages {
			s := &j.Stages[i]
			if s.DelayMS > 0 {
				s.DelayMS *= 2
			}
			for k := range s.Tasks.DurationMS {
				s.Tasks.DurationMS[k] *= 2
			}
		}
	}
	for i := range c.Events {
		if e := &c.Events[i]; e.DrainTimeoutMS > 0 {
			e.DrainTimeoutMS *= 2
		}
		c.Events[i].TimeMS *= 2
	}
	for name, text := range c.Options.Model.Values() {
		if strings.HasSuffix(name, "-ms") {
			n, err := strconv.ParseInt(text, 10, 64)
			if err == nil {
				err = c.Options.Model.Set(name, strconv.FormatInt(2*n, 10))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for key, value := range c.Options.Conf {
		number, unit := value, ""
		for _, u := range []string{"ms", "s"} {
			if rest, ok := strings.CutSuffix(value, u); ok {
				number, unit = rest, u
				break
			}
		}
		isTime := unit != "" || strings.HasSuffix(key, "-ms") || strings.HasSuffix(key, ".waitTimeBeforeKill")
		n, err := strconv.Atoi(number)
		if isTime && err != nil {
			t.Fatalf("%s is %q, want a time", key, value)
		}
		if isTime {
			c.Options.Conf[key] = strconv.Itoa(2*n) + unit
		}
	}
}

// scaled fails the test unless all times of jobs are twice as long.
func scaled(t *testing.T, seed uint64, was, is *keep) {
	t.Helper()
	if len(is.jobs) != len(was.jobs) {
		t.Fatalf("seed %d: %d jobs, want %d", seed, len(is.jobs), len(was.jobs))
	}
	for i := range is.jobs {
		a, b := &was.jobs[i], &is.jobs[i]
		if a.ID != b.ID || a.Outcome != b.Outcome || b.FirstTask != twice(a.FirstTask) || b.Finish != twice(a.Finish) {
			t.Errorf("seed %d: job %d %s: first task at %d and finish at %d, want job %d %s with twice %d and %d", seed, b.ID, b.Outcome, b.FirstTask, b.Finish, a.ID, a.Outcome, a.FirstTask, a.Finish)
		}
	}
}

// replayWithPhases replays a case in which the heartbeats of nodes have given phases.
func replayWithPhases(t *testing.T, c *scenariotest.Case, phases []int64) *keep {
	t.Helper()
	sc, err := scenario.New(c.Input(), c.Options)
	if err != nil {
		t.Fatal(err)
	}
	k := &keep{}
	s, err := newSim(sc, k, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	copy(s.nodes.phase, phases)
	s.beats = newBeats(false, s.rm, s.sc.Site.HeartbeatInterval, s.sc.Site.UpdateInterval, s.nodes.phase)
	s.nodesChanged(s.everyNode()...)
	if _, err := s.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return k
}

func twice(at int64) int64 {
	if at == record.None {
		return at
	}
	return 2 * at
}

// More nodes never lose a job, where nodes and processes do not fail and no application is preempted. Of a DAG of tasks with containers of their own one
// that begins before what it reads is there holds its container, and Tez's preemption of it is not modelled: in a queue with a maximum the others may
// then wait for ever, and more nodes may bring that about, as in the case of seed 30274.
func TestMoreNodesLoseNoJob(t *testing.T) {
	stuck := 0
	for _, seed := range related(30, 30274) {
		c := scenariotest.Random(seed)
		c.Events, c.Options.Until = nil, 0
		c.Options.Conf["yarn.resourcemanager.rm.container-allocation.expiry-interval-ms"] = "600000"
		delete(c.Options.Conf, "yarn.scheduler.fair.preemption")
		k, _ := replay(t, c.Input(), c.Options)
		for i := range 5 {
			n := c.Nodes[0]
			n.ID = int32(len(c.Nodes))
			n.Host = "more" + string(rune('a'+i))
			c.Nodes = append(c.Nodes, n)
		}
		more, _ := replay(t, c.Input(), c.Options)
		for i := range k.jobs {
			if k.jobs[i].Outcome != record.JobSucceeded {
				continue
			}
			switch j := jobOf(more, k.jobs[i].ID); {
			case j.Outcome == record.JobSucceeded:
			case j.Kind != trace.KindSpark && j.Kind != trace.KindMapReduce && strings.Contains(j.Reason, " of at most "):
				stuck++
			default:
				t.Errorf("seed %d, %s: job %d succeeds, and with more nodes ends as %s: %s", seed, c.Options.Scheduler, j.ID, j.Outcome, j.Reason)
			}
		}
	}
	if stuck == 0 && *relations == 0 {
		t.Error("no job is stuck with seed 30274: then none may be")
	}
}

func jobOf(k *keep, id int64) *record.Job {
	i := slices.IndexFunc(k.jobs, func(j record.Job) bool { return j.ID == id })
	return &k.jobs[i]
}

// Jobs with one executor on nodes that hold one each are an M/M/c queue, first come, first served: their waits are those of Kiefer and
// Wolfowitz's recursion over the same arrivals and service times, up to what starting and ending takes.
func TestWaitsAreThoseOfAQueueWithServers(t *testing.T) {
	const servers, jobs, meanMS = 3, 150, 100_000
	r := random.Stream(7, "queue with servers")
	draw := func(mean float64) int64 { return int64(-math.Log(1-r.Float64())*mean) + 1 }
	var nodes []trace.Node
	add := func(memMiB int64, vcores int32) {
		nodes = append(nodes, trace.Node{ID: int32(len(nodes)), Host: "n" + string(rune('0'+len(nodes)/100)) + string(rune('0'+len(nodes)/10%10)) + string(rune('0'+len(nodes)%10)), RackID: 0, Rack: "/r", MemMiB: memMiB, VCores: vcores, Present: true})
	}
	for range servers {
		add(65536, 1) // an executor, and no application master: those have two vcores
	}
	for range jobs {
		add(1024, 2) // an application master, and no executor
	}
	var list []*trace.Job
	var service []int64
	at := int64(0)
	for i := range int64(jobs) {
		at += draw(meanMS / (0.8 * servers))
		ms := draw(meanMS)
		j := sparkJob(i, at, 1, stage(0, 1, ms, nil))
		j.MinExecs, j.MaxExecs, j.InitialExecs = trace.Unset, trace.Unset, trace.Unset
		j.Conf = []trace.KeyValue{{Key: "spark.executor.instances", Value: "1"}}
		j.AMVCores, j.ExecMemMiB, j.ExecVCores = 2, 65536, 1
		list, service = append(list, j), append(service, ms)
	}
	k, _ := replay(t, input(nodes, nil, list...), scenario.Options{Seed: 1, Model: noLatency(), Sharing: "drf",
		Files: scenario.Files{"fair-scheduler.xml": {Text: []byte(`<allocations><queueMaxAMShareDefault>-1</queueMaxAMShareDefault></allocations>`)}},
		Conf: map[string]string{
			"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "200", "yarn.scheduler.fair.update-interval-ms": "200", "spark.yarn.scheduler.heartbeat.interval-ms": "200",
			"spark.yarn.scheduler.initial-allocation.interval": "200ms", "yarn.resourcemanager.work-preserving-recovery.enabled": "false", "yarn.scheduler.maximum-allocation-mb": "65536",
		}})
	slices.SortFunc(k.jobs, func(a, b record.Job) int { return cmp.Compare(a.ID, b.ID) })
	free := make([]int64, servers)
	var got, want float64
	for i, j := range list {
		slices.Sort(free)
		start := max(j.SubmitMS, free[0])
		free[0] = start + service[i]
		if k.jobs[i].Outcome != record.JobSucceeded {
			t.Fatalf("job %d ended as %s: %s", i, k.jobs[i].Outcome, k.jobs[i].Reason)
		}
		got += float64(k.jobs[i].FirstTask-k.jobs[i].Submit) / jobs
		want += float64(start-j.SubmitMS) / jobs
	}
	t.Logf("mean wait %.0f ms, by the recursion %.0f ms", got, want)
	if math.Abs(got-want) > 0.03*want+1500 {
		t.Errorf("mean wait %.0f ms, want %.0f ms by the recursion, within 3 %% and 1.5 s", got, want)
	}
}
