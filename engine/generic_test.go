package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/scenario/scenariotest"
	"replay/trace"
)

// ofKind makes a job of a kind whose tasks have containers of 1 GiB and one core.
func ofKind(kind string, id, submit int64, stages ...trace.Stage) *trace.Job {
	j := sparkJob(id, submit, 0, stages...)
	j.Kind = kind
	j.ExecMemMiB, j.ExecVCores, j.TaskCPUs = trace.Unset, trace.Unset, trace.Unset
	j.MinExecs, j.MaxExecs, j.InitialExecs = trace.Unset, trace.Unset, trace.Unset
	for i := range j.Stages {
		j.Stages[i].TaskMemMiB, j.Stages[i].TaskVCores = 1024, 1
	}
	return j
}

// All kinds share a cluster: all jobs end under each scheduler, the two engines agree, and what a lost node takes with it runs again.
func TestKindsBesideEachOther(t *testing.T) {
	jobs := func() []*trace.Job {
		return []*trace.Job{
			ofKind(trace.KindGeneric, 0, 0, stage(0, 40, 20_000, nil, 0, 2), stage(1, 6, 4000, []int32{0})),
			sparkJob(1, 3000, 4, stage(0, 30, 3000, nil, 1), stage(1, 6, 1000, []int32{0})),
			ofKind(trace.KindGeneric, 2, 8000, stage(0, 7, 2000, nil)),
			mapReduceJob(3, 9000, stage(0, 9, 5000, nil, 1), stage(1, 3, 1000, []int32{0})),
		}
	}
	for _, scheduler := range []string{"fair", "capacity", "fifo"} {
		t.Run(scheduler, func(t *testing.T) {
			for _, events := range [][]trace.NodeEvent{nil, {nodeEvent(12_000, 0, 0, trace.Fail), nodeEvent(60_000, 1, 0, trace.Recover)}} {
				k := succeedAlike(t, func() scenario.Input { return input(cluster(4, 2), events, jobs()...) }, scenario.Options{Seed: 3, Scheduler: scheduler,
					Conf: map[string]string{"yarn.nm.liveness-monitor.expiry-interval-ms": "10000"}})
				lost := slices.ContainsFunc(k.tasks, func(r record.Task) bool { return r.Job == 0 && r.End != record.TaskSuccess })
				if lost != (len(events) > 0) {
					t.Errorf("%d node events: tasks of the generic job were lost: %v", len(events), lost)
				}
			}
		})
	}
}

// A container runs one task for its duration. It is asked for by the heartbeat of the millisecond in which its stage begins, or the next one; it is allocated by the
// node's heartbeat of that millisecond, handed over and started a second later, and ends with its task.
func TestGenericToTheMillisecond(t *testing.T) {
	latencies := noLatency()
	latencies.AMStartMS = 2000
	k, m := replay(t, input(cluster(1, 1), nil, ofKind(trace.KindGeneric, 0, 0, stage(0, 1, 5000, nil, 0), stage(1, 1, 700, []int32{0}))),
		scenario.Options{Model: latencies, Scheduler: "fifo"})
	j, begin := k.jobs[0], m.NodePhasesMS[0]+2000
	if j.AMRegistered != begin || j.FirstAsked != begin {
		t.Errorf("registered at %d, asked at %d, want both at %d", j.AMRegistered, j.FirstAsked, begin)
	}
	var got []int64
	for _, r := range k.tasks {
		got = append(got, r.Launch-begin, r.Finish-begin)
	}
	if want := []int64{1000, 6000, 8000, 8700}; !slices.Equal(got, want) {
		t.Errorf("launch and end of the tasks after registration %v, want %v", got, want)
	}
	for _, c := range k.containers {
		if !c.AM && (c.End != record.EndCompleted || c.Tasks != 1 || c.Acquired != c.Allocated+1000 || c.Started != c.Acquired) {
			t.Errorf("container %+v, want one that has run one task to its end", c)
		}
	}
}

// Gangs of k on n slots: no more than n/k run at once, and each of them as a whole. Gangs that hold halves of what they need give them back in time,
// so all end although no two fit.
func TestGangsOnSlots(t *testing.T) {
	for _, tt := range []struct{ gangs, k, slots int }{{2, 4, 6}, {3, 4, 9}, {5, 3, 7}, {4, 2, 8}} {
		t.Run(fmt.Sprintf("%d of %d on %d", tt.gangs, tt.k, tt.slots), func(t *testing.T) {
			nodes := cluster(1, 1)
			nodes[0].MemMiB, nodes[0].VCores = int64(1024*(tt.slots+tt.gangs)), 64 // an application master takes a slot, too
			var jobs []*trace.Job
			for i := range int64(tt.gangs) {
				jobs = append(jobs, ofKind(trace.KindGang, i, 0, stage(0, tt.k, 30_000, nil)))
			}
			k, m := replay(t, input(nodes, nil, jobs...), scenario.Options{Seed: 1, Files: scenario.Files{"fair-scheduler.xml": {Text: []byte(`<allocations><queueMaxAMShareDefault>-1</queueMaxAMShareDefault></allocations>`)}}})
			checkRecords(t, k, m)
			starts := map[int64]map[int64]int{} // by job: tasks by launch
			for _, r := range k.tasks {
				if starts[r.Job] == nil {
					starts[r.Job] = map[int64]int{}
				}
				starts[r.Job][r.Launch]++
			}
			for _, j := range k.jobs {
				if j.Outcome != record.JobSucceeded || len(starts[j.ID]) != 1 {
					t.Errorf("job %d ended as %s, its tasks started at %v: %s", j.ID, j.Outcome, starts[j.ID], j.Reason)
				}
			}
			for _, r := range k.tasks {
				beside := map[int64]bool{}
				for _, o := range k.tasks {
					if o.Launch <= r.Launch && r.Launch < o.Finish {
						beside[o.Job] = true
					}
				}
				if most := tt.slots / tt.k; len(beside) > most {
					t.Fatalf("%d gangs run at %d, want at most %d", len(beside), r.Launch, most)
				}
			}
		})
	}
}

// Many gangs that each need more than their share: they ask ever more rarely, so that one after the other gets all that it needs.
func TestManyGangs(t *testing.T) {
	const gangs, k, slots = 60, 20, 40
	nodes := cluster(1, 1)
	nodes[0].MemMiB, nodes[0].VCores = 1024*(slots+gangs), 200 // an application master takes a slot, too
	var jobs []*trace.Job
	for i := range int64(gangs) {
		jobs = append(jobs, ofKind(trace.KindGang, i, 0, stage(0, k, 600_000, nil)))
	}
	ks, _ := replay(t, input(nodes, nil, jobs...), scenario.Options{Seed: 1, Files: scenario.Files{"fair-scheduler.xml": {Text: []byte(`<allocations><queueMaxAMShareDefault>-1</queueMaxAMShareDefault></allocations>`)}}})
	for _, j := range ks.jobs {
		if j.Outcome != record.JobSucceeded {
			t.Fatalf("job %d ended as %s: %s", j.ID, j.Outcome, j.Reason)
		}
	}
	if n := len(ks.containers); n > 10*gangs*k {
		t.Errorf("%d containers for %d gangs of %d", n, gangs, k)
	}
}

// A gang that can never have all of its containers does not keep a replay going for ever, and says what it holds.
func TestGangTooLarge(t *testing.T) {
	k, _ := replay(t, input(cluster(1, 1), nil, ofKind(trace.KindGang, 0, 0, stage(0, 9, 1000, nil))), scenario.Options{Seed: 1})
	if j := k.jobs[0]; j.Outcome != record.JobUnfinished || !strings.Contains(j.Reason, "times: at most 7 of the 9 containers that it needs at once") {
		t.Errorf("ended as %s: %s", j.Outcome, j.Reason)
	}
}

// A service is not without one of its containers for longer than it takes to find a node lost, to say so, to ask, to allocate and to start: where there is room. It
// ends when each has run for as long as recorded.
func TestServiceKeepsItsCount(t *testing.T) {
	const n, ms = 5, 200_000
	events := []trace.NodeEvent{nodeEvent(40_000, 0, 1, trace.Fail), nodeEvent(90_000, 1, 1, trace.Recover), nodeEvent(100_000, 2, 2, trace.Fail)}
	k, m := replay(t, input(cluster(4, 2), events, ofKind(trace.KindService, 0, 0, stage(0, n, ms, nil))), scenario.Options{Seed: 2, Scheduler: "capacity",
		Conf: map[string]string{"yarn.nm.liveness-monitor.expiry-interval-ms": "9000", "yarn.am.liveness-monitor.expiry-interval-ms": "600000"}})
	checkRecords(t, k, m)
	if k.jobs[0].Outcome != record.JobSucceeded {
		t.Fatalf("%+v", k.jobs[0])
	}
	ran, last, replaced := make([]int64, n), make([]int64, n), 0
	for _, r := range k.tasks {
		if r.AMAttempt != k.tasks[len(k.tasks)-1].AMAttempt {
			t.Fatalf("the master was lost, which is not under test: %+v", r)
		}
		const round = 9000 + 3000 /* found lost: a third of it late */ + 1000 /* told */ + 1000 /* asked */ + 1000 /* allocated */ + 1000 /* handed over */ + 50
		if last[r.Index] > 0 {
			if replaced++; r.Launch-last[r.Index] > round {
				t.Errorf("task %d is without a container from %d to %d, want %d ms at most", r.Index, last[r.Index], r.Launch, round)
			}
		}
		end := r.Finish
		for _, c := range k.containers {
			if c.Number == r.Container && c.Exited != record.None {
				end = min(end, c.Exited)
			}
		}
		last[r.Index] = end
		ran[r.Index] += end - r.Launch
	}
	for i := range ran {
		if ran[i] != ms {
			t.Errorf("task %d ran for %d ms, want %d", i, ran[i], ms)
		}
	}
	if replaced == 0 {
		t.Error("no container was replaced")
	}
}

// What is drawn at random is told of the kinds of jobs that there were.
func TestModelledByKind(t *testing.T) {
	const pauses, idle = "pauses of gangs that have given back what they held: drawn from the seed", "for how long containers are held that no task wants: drawn from the seed, within Tez's bounds"
	for _, tt := range []struct {
		name string
		job  *trace.Job
		conf map[string]string
		want []string
	}{
		{"Spark", sparkJob(0, 0, 1, stage(0, 1, 1000, nil)), nil, []string{scenario.OrderOfExecutors}},
		{"a gang", ofKind(trace.KindGang, 0, 0, stage(0, 1, 1000, nil)), nil, []string{pauses}},
		{"a service", ofKind(trace.KindService, 0, 0, stage(0, 1, 1000, nil)), nil, nil},
		{"containers used again", ofKind(trace.KindGeneric, 0, 0, stage(0, 1, 1000, nil)), map[string]string{"tez.am.container.reuse.enabled": "true"}, []string{idle}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, m := replay(t, input(cluster(1, 1), nil, tt.job), scenario.Options{Seed: 1, Conf: tt.conf})
			var got []string
			for _, text := range m.Modelled {
				if text == scenario.OrderOfExecutors || text == pauses || text == idle {
					got = append(got, text)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("modelled: %q, want %q of what kinds of jobs say", got, tt.want)
			}
		})
	}
}

// TestTasksAskedForAsOne: tasks of a stage that differ in nothing are asked for as one. Where each has a size of its own, which happens to be the same, each is asked for by itself: all
// decisions are equal.
func TestTasksAskedForAsOne(t *testing.T) {
	changed := 0
	for _, seed := range more((*seeds + 1) / 2) {
		c := scenariotest.Random(seed)
		each, before := c.Input(), changed
		var jobs []*trace.Job
		for shared, err := each.Jobs.Next(); err == nil; shared, err = each.Jobs.Next() {
			own := *shared
			j := &own
			j.Stages = slices.Clone(j.Stages)
			for i := range j.Stages {
				st := &j.Stages[i]
				if tasks := &st.Tasks; j.Kind == trace.KindGeneric && tasks.MemMiB == nil && tasks.VCores == nil && tasks.PrefStart == nil && tasks.Len() > 1 {
					tasks.MemMiB = slices.Repeat([]int64{st.TaskMemMiB}, tasks.Len())
					changed++
				}
			}
			jobs = append(jobs, j)
		}
		if changed == before {
			continue
		}
		each.Jobs = input(nil, nil, jobs...).Jobs
		together, alone := replayTo(t, disorderly{&keep{}}, c.Input(), c.Options), replayTo(t, disorderly{&keep{}}, each, c.Options)
		if alone.DecisionHash != together.DecisionHash {
			t.Errorf("seed %d: decision hash is %s, where each task is asked for by itself %s", seed, together.DecisionHash, alone.DecisionHash)
		}
	}
	if changed == 0 {
		t.Error("no stage is one whose tasks are asked for as one")
	}
}

// An application master hears nothing new of the end of a container whose task had reported its own: no heartbeat is executed for it. What it hears of nodes that fail later, in which order, is
// as if all of them had been.
func TestHeartbeatsOfKnownEndsPass(t *testing.T) {
	job := func() *trace.Job {
		st := stage(0, 40, 0, nil)
		for i := range st.Tasks.DurationMS {
			st.Tasks.DurationMS[i] = 5000 + int64(i*i%41)*1100
		}
		return ofKind(trace.KindGeneric, 0, 0, st)
	}
	k, m := replay(t, input(cluster(6, 2), nil, job()), scenario.Options{Seed: 1})
	checkRecords(t, k, m)
	if x := m.Totals; x.AMHeartbeats < 40 || x.ExecutedAMHeartbeats > 15 {
		t.Errorf("%d of %d heartbeats of the application master were executed, want few", x.ExecutedAMHeartbeats, x.AMHeartbeats)
	}
	for seed := range uint64(20) {
		var events []trace.NodeEvent
		for node := range int32(4) {
			events = append(events, nodeEvent(20_000+1000*int64(seed), node, node, trace.Fail))
		}
		for node := range int32(4) {
			events = append(events, nodeEvent(100_000, 4+node, node, trace.Recover))
		}
		succeedAlike(t, func() scenario.Input { return input(cluster(6, 2), events, job()) }, scenario.Options{Seed: seed,
			Conf: map[string]string{"yarn.nm.liveness-monitor.expiry-interval-ms": "3000"}})
	}
}
