package engine

import (
	"slices"
	"strings"
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// amNode replays a job on a cluster where nothing happens and returns the node of its application master.
func amNode(t *testing.T, nodes []trace.Node, job *trace.Job) int32 {
	t.Helper()
	k, _ := replay(t, input(nodes, nil, job), scenario.Options{Seed: 1})
	for _, c := range k.containers {
		if c.AM {
			return c.Node
		}
	}
	t.Fatal("no application master")
	return -1
}

// endedSo are the attempts of a stage's tasks that ended so, by their launch.
func endedSo(k *keep, stage int32, end string) (list []record.Task) {
	for _, r := range k.tasks {
		if r.Stage == stage && r.End == end {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b record.Task) int { return int(a.Launch - b.Launch) })
	return list
}

func setConf(j *trace.Job, pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		j.Conf = append(j.Conf, trace.KeyValue{Key: pairs[i], Value: pairs[i+1]})
	}
	slices.SortFunc(j.Conf, func(a, b trace.KeyValue) int { return strings.Compare(a.Key, b.Key) })
}

// The first report of a task's progress comes with its second interval. Before it nothing is estimated, so the maps of a second wave that take as long as
// the first are not copied; one whose process takes longer than 9 s to start is: the speculator takes it for one that makes no progress.
func TestMapReduceSpeculatesByReports(t *testing.T) {
	for _, tt := range []struct {
		name        string
		startMS     int64 // of the last map
		conf        []string
		speculative int
	}{
		{name: "all alike"},
		{name: "a slow start", startMS: 14_000, speculative: 1},
		{name: "no reports", conf: []string{"mapreduce.task.timeout", "0"}, speculative: 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := stage(0, 10, 6000, nil)
			if tt.startMS > 0 {
				st.Tasks.SchedDelayMS = slices.Repeat([]int64{1500}, 10)
				st.Tasks.SchedDelayMS[9] = tt.startMS
			}
			job := mapReduceJob(0, 0, st)
			setConf(job, tt.conf...)
			k, m := replay(t, input(cluster(1, 1), nil, job), scenario.Options{Seed: 1})
			checkRecords(t, k, m)
			var copies []record.Task
			for _, r := range k.tasks {
				if r.Speculative {
					copies = append(copies, r)
				}
			}
			if len(copies) != tt.speculative {
				t.Fatalf("%d speculative attempts, want %d: %+v", len(copies), tt.speculative, copies)
			}
			for _, c := range copies {
				var first record.Task
				for _, r := range k.tasks {
					if r.Index == c.Index && !r.Speculative {
						first = r
					}
				}
				if after := c.Ready - first.Launch; c.Index != 9 || after < 10_000 || after > 12_000 {
					t.Errorf("a copy of map %d, %d ms after its launch; want one of map 9 after 10 to 12 s", c.Index, after)
				}
			}
		})
	}
}

// A map on a node that has gone down is given up when it has said nothing for too long, at one of the looks every 30 s; it has failed when the call that
// stops its container has been given up too.
func TestMapReduceTimeout(t *testing.T) {
	nodes := cluster(2, 1)
	job := func() *trace.Job {
		j := mapReduceJob(0, 0, stage(0, 8, 100_000, nil))
		setConf(j, "mapreduce.task.timeout", "60000")
		return j
	}
	am := amNode(t, nodes, job())
	registered := int64(-1)
	k, m := replay(t, input(nodes, []trace.NodeEvent{nodeEvent(40_000, 0, 1-am, trace.Fail)}, job()), scenario.Options{Seed: 1})
	checkRecords(t, k, m)
	for _, c := range k.containers {
		if c.AM {
			registered = c.Registered
		}
	}
	failed := endedSo(k, 0, record.TaskFailed)
	if len(failed) == 0 {
		t.Fatal("no attempt has failed")
	}
	for _, r := range failed {
		if given := r.Finish - 180_000; (given-registered)%30_000 != 0 || given < 90_000 || given > 40_000+60_000+30_000 {
			t.Errorf("attempt %d of map %d failed at %d, its master registered at %d; want a look every 30 s and 180 s more", r.Attempt, r.Index, r.Finish, registered)
		}
	}
}

// Maps whose output is lost run again in the order in which they had succeeded, not in that of their numbers.
func TestMapReduceRerunsInOrder(t *testing.T) {
	nodes := cluster(3, 1)
	nodes[2].Present = false
	job := func(prefs ...int32) *trace.Job {
		st := stage(0, 3, 6000, nil, prefs...)
		st.Tasks.DurationMS = []int64{9000, 6000, 3000}
		return mapReduceJob(0, 0, st, stage(1, 1, 90_000, []int32{0}))
	}
	am := amNode(t, nodes, job(0))
	nodes[am].MemMiB, nodes[1-am].MemMiB, nodes[2].MemMiB = 2048, 3072, 1024 // the master's, that of the maps, and one where a map runs at a time
	j := job(1 - am)
	setConf(j, "mapreduce.job.reduce.slowstart.completedmaps", "1")
	k, m := replay(t, input(nodes, []trace.NodeEvent{nodeEvent(50_000, 0, 1-am, trace.Fail), nodeEvent(55_000, 1, 2, trace.Join)}, j),
		scenario.Options{Seed: 1, Conf: map[string]string{"yarn.nm.liveness-monitor.expiry-interval-ms": "10000"}})
	checkRecords(t, k, m)
	var first, again []int32
	for _, r := range k.tasks { // in the order of their ends
		if r.Stage == 0 && r.End == record.TaskSuccess && r.Attempt == 0 {
			first = append(first, r.Index)
		}
	}
	for _, r := range endedSo(k, 0, record.TaskSuccess) {
		if r.Attempt > 0 {
			again = append(again, r.Index)
		}
	}
	if want := []int32{2, 1, 0}; !slices.Equal(first, want) || !slices.Equal(again, want) {
		t.Errorf("maps ended as %v and began again as %v, want %v both times", first, again, want)
	}
}

// That reduces notice nothing of a node that is gone is told while they still want what is on it: not before maps have ended, not for a job without reduces, and not once all has been fetched.
func TestMapReduceTellsOfFetchesThatDoNotFail(t *testing.T) {
	maps := stage(0, 12, 5000, nil)
	for _, c := range []struct {
		name   string
		at     int64
		stages []trace.Stage
		want   bool
	}{
		{"reduces wait for maps", 60_000, []trace.Stage{stage(0, 24, 20_000, nil), stage(1, 2, 60_000, []int32{0})}, true},
		{"no map has ended", 1000, []trace.Stage{maps, stage(1, 4, 60_000, []int32{0})}, false},
		{"there are no reduces", 60_000, []trace.Stage{stage(0, 24, 20_000, nil)}, false},
		{"all is fetched", 70_000, []trace.Stage{maps, stage(1, 2, 90_000, []int32{0})}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			nodes := cluster(3, 1)
			job := mapReduceJob(0, 0, c.stages...)
			am := amNode(t, nodes, job)
			k, m := replay(t, input(nodes, []trace.NodeEvent{nodeEvent(c.at, 0, (am+1)%3, trace.Fail)}, job), scenario.Options{Seed: 1})
			checkRecords(t, k, m)
			told := slices.IndexFunc(m.Warnings, func(w record.Warning) bool { return w.Code == "fetch-failures" })
			if (told >= 0) != c.want || c.want && !strings.Contains(m.Warnings[told].Text, "maps that reduces had still to fetch") {
				t.Errorf("warnings %v, want one of fetches: %v", m.Warnings, c.want)
			}
		})
	}
}

// A task that is taken over from an earlier attempt of the application keeps the failures of its attempts.
func TestMapReduceRecoversFailures(t *testing.T) {
	nodes := cluster(3, 1)
	job := func() *trace.Job {
		st := stage(0, 4, 4000, nil)
		st.Tasks.Retries = []int32{1, 1, 1, 1}
		j := mapReduceJob(0, 0, st, stage(1, 1, 200_000, []int32{0}))
		setConf(j, "yarn.app.mapreduce.am.job.node-blacklisting.enable", "false")
		return j
	}
	am := amNode(t, nodes, job())
	events := []trace.NodeEvent{nodeEvent(60_000, 0, am, trace.Fail)}
	for n := range nodes {
		if int32(n) != am {
			events = append(events, nodeEvent(160_000, int32(len(events)), int32(n), trace.Fail), nodeEvent(200_000, int32(len(events)+1), int32(n), trace.Recover))
		}
	}
	slices.SortStableFunc(events, func(a, b trace.NodeEvent) int { return int(a.TimeMS - b.TimeMS) })
	for i := range events {
		events[i].Seq = int32(i)
	}
	k, m := replay(t, input(nodes, events, job()), scenario.Options{Seed: 1, Conf: map[string]string{"yarn.nm.liveness-monitor.expiry-interval-ms": "10000", "yarn.resourcemanager.am.max-attempts": "4"}})
	checkRecords(t, k, m)
	if again := len(endedSo(k, 0, record.TaskSuccess)); again <= 4 {
		t.Fatalf("%d maps succeeded, want some to run again", again)
	}
	if failed := endedSo(k, 0, record.TaskFailed); len(failed) != 4 {
		t.Errorf("%d attempts of maps failed, want the four of the first attempt of the application: %+v", len(failed), failed)
	}
}

// A second attempt of a job that runs in its application master has no outputs of maps: its reduce fails, and the job with it.
func TestMapReduceUberRecovers(t *testing.T) {
	for _, tt := range []struct {
		name            string
		stages          []trace.Stage
		outcome, reason string
	}{
		{"maps only", []trace.Stage{stage(0, 3, 10_000, nil)}, record.JobSucceeded, ""},
		{"with a reduce", []trace.Stage{stage(0, 3, 10_000, nil), stage(1, 1, 5000, []int32{0})}, record.JobFailed, "needs all maps to end in the same attempt of it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			job := mapReduceJob(0, 0, tt.stages...)
			setConf(job, "mapreduce.job.ubertask.enable", "true")
			nodes := cluster(2, 1)
			am := amNode(t, nodes, job)
			k, m := replay(t, input(nodes, []trace.NodeEvent{nodeEvent(30_000, 0, am, trace.Fail)}, job),
				scenario.Options{Seed: 1, Conf: map[string]string{"yarn.nm.liveness-monitor.expiry-interval-ms": "10000"}})
			checkRecords(t, k, m)
			if j := k.jobs[0]; j.Outcome != tt.outcome || !strings.Contains(j.Reason, tt.reason) || k.tasks[len(k.tasks)-1].AMAttempt != 2 {
				t.Errorf("ended as %s: %s, its last task in attempt %d; want %s, in 2", j.Outcome, j.Reason, k.tasks[len(k.tasks)-1].AMAttempt, tt.outcome)
			}
		})
	}
}

// A job runs in its application master if it is small by the keys that Hadoop looks at: input of at most a block, and sizes as memory.mb and cpu.vcores
// have them, whatever else gives the containers their size.
func TestMapReduceUberDecision(t *testing.T) {
	for _, tt := range []struct {
		name string
		mib  int64 // of input, of each of two maps
		conf []string
		uber bool
	}{
		{name: "small", mib: 64, uber: true},
		{name: "more than a block", mib: 65},
		{name: "a larger bound", mib: 65, conf: []string{"mapreduce.job.ubertask.maxbytes", "200000000"}, uber: true},
		{name: "large maps", conf: []string{"mapreduce.map.memory.mb", "2048"}},
		{name: "many vcores", conf: []string{"mapreduce.map.cpu.vcores", "2"}},
		{name: "containers of another size", conf: []string{"mapreduce.map.resource.memory-mb", "2048"}, uber: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := stage(0, 2, 1000, nil)
			st.Tasks.InputBytes = []int64{tt.mib << 20, tt.mib << 20}
			job := mapReduceJob(0, 0, st)
			setConf(job, append(tt.conf, "mapreduce.job.ubertask.enable", "true")...)
			k, m := replay(t, input(cluster(2, 1), nil, job), scenario.Options{Seed: 1})
			checkRecords(t, k, m)
			if uber := len(k.containers) == 1; uber != tt.uber {
				t.Errorf("in the application master: %v, want %v", uber, tt.uber)
			}
			if first, second := k.tasks[0], k.tasks[1]; tt.uber && (second.Launch != first.Finish || second.Ready != first.Ready) {
				t.Errorf("tasks %+v, want one after the other, and both ready at once", k.tasks)
			}
		})
	}
}

// A policy for the ResourceManager's messages of preemption is said to change nothing.
func TestMapReducePreemptionPolicy(t *testing.T) {
	job := mapReduceJob(0, 0, stage(0, 2, 1000, nil))
	setConf(job, "yarn.app.mapreduce.am.preemption.policy", "org.apache.hadoop.mapreduce.v2.app.rm.preemption.KillAMPreemptionPolicy")
	_, m := replay(t, input(cluster(2, 1), nil, job), scenario.Options{Seed: 1})
	if !slices.ContainsFunc(m.Warnings, func(w record.Warning) bool { return w.Code == "conf:am-preemption-policy" && w.Count == 1 }) {
		t.Errorf("warnings %+v, want one of the policy", m.Warnings)
	}
}

// A job asks for its reduces when the only node that has room for one has gone: calls that ask for them are made again until one comes, or for 6 minutes. Then its
// master ends, and the next one can't ask for such containers at all.
//
// Source: RMContainerAllocator.getResources.
func TestMapReduceAsksForMoreThanThereIs(t *testing.T) {
	nodes := cluster(4, 1)
	for n := range nodes[:3] {
		nodes[n].MemMiB = 2048
	}
	nodes[3].Present = false
	job := func() *trace.Job {
		st := stage(0, 4, 60_000, nil)
		j := mapReduceJob(0, 0, st, stage(1, 2, 5000, []int32{0}))
		setConf(j, "mapreduce.job.reduce.slowstart.completedmaps", "1", "mapreduce.reduce.memory.mb", "4096")
		return j
	}
	for _, tt := range []struct {
		name    string
		joins   int64 // when a large node comes again, 0 for never
		outcome string
	}{
		{"one comes", 500_000, record.JobSucceeded},
		{"none comes", 0, record.JobFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			events := []trace.NodeEvent{nodeEvent(3000, 0, 3, trace.Join), nodeEvent(30_000, 1, 3, trace.Leave)}
			if tt.joins > 0 {
				events = append(events, nodeEvent(tt.joins, 2, 3, trace.Join))
			}
			k, m := replay(t, input(nodes, events, job()), scenario.Options{Seed: 1, Conf: map[string]string{"yarn.nm.liveness-monitor.expiry-interval-ms": "10000"}})
			checkRecords(t, k, m)
			if _, literal := replay(t, input(nodes, events, job()), scenario.Options{Seed: 1, Engine: "dense", Conf: map[string]string{"yarn.nm.liveness-monitor.expiry-interval-ms": "10000"}}); literal.DecisionHash != m.DecisionHash {
				t.Error("the engines decide differently")
			}
			got := k.jobs[0]
			maps := endedSo(k, 0, record.TaskSuccess)
			refused := int64(0) // at about that time
			for _, r := range maps {
				refused = max(refused, r.Finish)
			}
			if got.Outcome != tt.outcome {
				t.Errorf("ended as %q because %q at %d, maps by %d; want %q", got.Outcome, got.Reason, got.Finish, refused, tt.outcome)
			}
			if tt.joins == 0 && (got.Finish < refused+359_000 || got.Finish > refused+400_000) {
				t.Errorf("ended at %d because %q, the last map at %d: want a little more than 6 minutes later", got.Finish, got.Reason, refused)
			}
			for _, r := range endedSo(k, 1, record.TaskSuccess) {
				if r.Launch < tt.joins || r.Launch > tt.joins+10_000 {
					t.Errorf("reduce %d began at %d, want it soon after the node came at %d", r.Index, r.Launch, tt.joins)
				}
			}
		})
	}
}

// An attempt that fails after another one of its task has succeeded is no failure of its node: the node is not left out as it would be with three.
//
// Source: TaskImpl.RetroactiveFailureTransition, AttemptFailedTransition (ContainerFailedEvent).
func TestMapReduceFailuresThatComeTooLate(t *testing.T) {
	nodes := cluster(5, 1)
	job := func(slow ...int32) *trace.Job {
		st := stage(0, 24, 20_000, nil)
		for _, i := range slow {
			st.Tasks.DurationMS[i] = 300_000
		}
		j := mapReduceJob(0, 0, st, stage(1, 30, 5000, []int32{0}))
		setConf(j, "mapreduce.task.timeout", "20000", "mapreduce.job.speculative.retry-after-speculate", "16000", "mapreduce.job.reduce.slowstart.completedmaps", "1",
			"mapreduce.job.maxtaskfailures.per.tracker", "3")
		return j
	}
	b := (amNode(t, nodes, job()) + 1) % 5
	first, _ := replay(t, input(nodes, nil, job()), scenario.Options{Seed: 1})
	var on []int32 // maps on node b, of which two are copied while the look for silent ones has given up the first attempts; and one elsewhere
	for _, r := range first.tasks {
		if r.Stage == 0 && (r.Node == b || r.Index == 23) {
			on = append(on, r.Index)
		}
	}
	events := []trace.NodeEvent{nodeEvent(40_000, 0, b, trace.Fail), nodeEvent(250_000, 1, b, trace.Recover)}
	k, m := replay(t, input(nodes, events, job(on...)), scenario.Options{Seed: 1})
	checkRecords(t, k, m)
	late := map[int32]bool{}
	for _, r := range endedSo(k, 0, record.TaskFailed) {
		for _, other := range endedSo(k, 0, record.TaskSuccess) {
			if other.Index == r.Index && other.Finish < r.Finish && r.Node == b {
				late[r.Index] = true
			}
		}
	}
	if len(late) != 2 {
		t.Fatalf("attempts of %d maps failed after copies of them had succeeded, want 2", len(late))
	}
	if !slices.ContainsFunc(endedSo(k, 1, record.TaskSuccess), func(r record.Task) bool { return r.Node == b }) {
		t.Errorf("no reduce ran on node %d, want some", b)
	}
}
