package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// lossCase is an application of three executors of two cores, one a node (0, 1, 2), its master on node 3:
// stage 0 of 6 map tasks, stage 1 of 12 that read it and write for stage 2 of 6; every task 10 s. Stage 1
// runs in two waves; in the second one the executor on node 0 is lost, with the node or alone: it has
// finished two tasks and runs two.
type lossCase struct {
	name    string
	service bool // external shuffle service
	node    bool // the whole node goes
	expiry  string
	// What is to run, by hand from the rules: partitions by stage and attempt, in "stage.attempt: n".
	attempts string
	after    int64 // of the loss, from the start of stage 1
	lost     int   // attempts that end with their executor
	failed   int   // attempts that end with a fetch failure
	checks   func(t *testing.T, k *keep, l *loss)
}

// loss is when things happened in a replay.
type loss struct {
	at      int64 // the executor's process ended
	known   int64 // the driver heard why: the running attempts ended
	again   int64 // first launch in stage 1 after that
	stage0  int64 // first launch of attempt 1 of stage 0, -1 = none
	stage1  int64 // the same of stage 1
	victims []int32
}

func lossJob() *trace.Job {
	j := sparkJob(0, 0, 3, stage(0, 6, 10_000, nil), stage(1, 12, 10_000, []int32{0}), stage(2, 6, 10_000, []int32{1}))
	j.AMMemMiB = 4096
	j.MinExecs, j.MaxExecs, j.InitialExecs = trace.Unset, trace.Unset, trace.Unset
	j.Conf = []trace.KeyValue{{Key: "spark.executor.instances", Value: "3"}}
	return j
}

func lossNodes() []trace.Node {
	nodes := cluster(4, 1)
	for i := range 3 {
		nodes[i].MemMiB, nodes[i].VCores = 2048, 2
	}
	nodes[3].MemMiB, nodes[3].VCores = 4096, 1
	return nodes
}

// killer ends the process of the executor on node 0 at a time, by itself.
type killer struct {
	keep
	s  *sim
	at int64
}

func (k *killer) Sample(r *record.Sample) {
	k.keep.Sample(r)
	if k.at == 0 || k.s.now > k.at || k.s.now+1000 <= k.at {
		return
	}
	a := k.s.apps[0]
	for _, c := range a.containers {
		if c.rec.Node == 0 && !c.rec.AM {
			k.s.endProcess(a, c.rec.Number, k.at)
		}
	}
}

func (c *lossCase) replay(t *testing.T, at int64, seed uint64) (*keep, *record.Manifest) {
	t.Helper()
	model := noLatency()
	model.FetchFailMS = 15_000
	o := scenario.Options{Model: model, Seed: seed, SeriesMS: 1000,
		Conf: map[string]string{"yarn.nm.liveness-monitor.expiry-interval-ms": c.expiry, "spark.shuffle.service.enabled": fmt.Sprint(c.service)}}
	var events []trace.NodeEvent
	if c.node && at > 0 {
		events = append(events, nodeEvent(at, 0, 0, trace.Fail))
	}
	sc, err := scenario.New(input(lossNodes(), events, lossJob()), o)
	if err != nil {
		t.Fatal(err)
	}
	k := &killer{}
	if !c.node {
		k.at = at
	}
	if k.s, err = newSim(sc, k, nil, true); err != nil {
		t.Fatal(err)
	}
	k.s.ahead.off = true // the killer is not in the event queue
	m, err := k.s.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &k.keep, m
}

// nextRevive returns the first periodic offer at t or later: every second from the driver's start.
func nextRevive(k *keep, t int64) int64 {
	start := k.jobs[0].AMRegistered
	return start + (t-start+999)/1000*1000
}

func TestExecutorLossInShuffleStage(t *testing.T) {
	cases := []lossCase{
		// The node's executor is found gone at once by the driver, but the AM can say why only when the
		// ResourceManager has missed the node: so long its tasks are neither failed nor offered. Then the two
		// finished tasks count as not done (their output is gone) and the two running ones have failed. No
		// revive follows that word, so all four start with the next periodic one. The executors left still have
		// the old locations of stage 0, try the dead one for 15 s, and the stage fails; 200 ms later stage 0 runs
		// for the two lost outputs, then attempt 1 of stage 1 for its four.
		{"node, no shuffle service", false, true, "15000", "0.0: 6, 0.1: 2, 1.0: 12+4, 1.1: 4, 2.0: 6", 15_000, 2, 4,
			func(t *testing.T, k *keep, l *loss) {
				l.word(t, k)
				if want := nextRevive(k, l.known); l.again != want {
					t.Errorf("tasks start again at %d, want %d: with the first periodic offer", l.again, want)
				}
				l.resubmitted(t, l.again+15_000)
			}},
		// With the service the finished tasks count until a fetch fails; the two that were running start
		// with the next periodic offer, cannot read what node 0 served, and its whole output is dropped.
		{"node, shuffle service", true, true, "15000", "0.0: 6, 0.1: 2, 1.0: 12+2, 1.1: 4, 2.0: 6", 15_000, 2, 2,
			func(t *testing.T, k *keep, l *loss) {
				l.word(t, k)
				if want := nextRevive(k, l.known); l.again != want {
					t.Errorf("tasks start again at %d, want %d: with the first periodic offer", l.again, want)
				}
				l.resubmitted(t, l.again+15_000)
			}},
		// The ResourceManager misses the node only after 10 minutes: the driver's question is answered by
		// nobody for 120 s (spark.network.timeout), then it takes the executor as lost by the application.
		{"node that is missed late", false, true, "600000", "0.0: 6, 0.1: 2, 1.0: 12+4, 1.1: 4, 2.0: 6", 15_000, 2, 4,
			func(t *testing.T, k *keep, l *loss) {
				if want := l.at + 120_000; l.known != want {
					t.Errorf("the running attempts ended at %d, want %d: 120 s after the loss", l.known, want)
				}
				l.resubmitted(t, l.again+15_000)
			}},
		// The executor alone: node and AM tell within two heartbeats, and a new executor comes to the node. It has
		// no old locations, so its first two tasks find at once that output is missing. A core is offered with the report of
		// a task's end, before its result is looked at: so the other two start and fail as well. Stage 1 fails, the tasks that
		// run elsewhere go on and count.
		{"executor, no shuffle service", false, false, "15000", "0.0: 6, 0.1: 2, 1.0: 12+4, 1.1: 4, 2.0: 6", 11_000, 2, 4,
			func(t *testing.T, k *keep, l *loss) {
				l.resubmitted(t, l.again)
				for _, r := range k.tasks {
					if r.Stage == 1 && r.StageAttempt == 0 && r.Launch < l.at && r.Finish > l.at && r.Node != 0 && r.End != record.TaskSuccess {
						t.Errorf("task %d of stage 1 on node %d ended as %s, want success: it ran on", r.Index, r.Node, r.End)
					}
				}
			}},
		// With the service nothing but the two running tasks is lost.
		{"executor, shuffle service", true, false, "15000", "0.0: 6, 1.0: 12+2, 2.0: 6", 11_000, 2, 0,
			func(t *testing.T, k *keep, l *loss) {
				if l.stage0 >= 0 || l.stage1 >= 0 {
					t.Errorf("stage 0 ran again at %d and stage 1 at %d, want no second attempt", l.stage0, l.stage1)
				}
			}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(3) {
				calm, _ := c.replay(t, 0, seed)
				begin := firstLaunch(calm, 1, 0, 0)
				k, m := c.replay(t, begin+c.after, seed)
				if j := k.jobs[0]; j.Outcome != record.JobSucceeded || j.TasksSucceeded != 24 {
					t.Fatalf("seed %d: job ended as %s (%s) with %d tasks, want success with 24", seed, j.Outcome, j.Reason, j.TasksSucceeded)
				}
				checkRecords(t, k, m)
				l := newLoss(k, begin+c.after)
				if got := attemptsOf(k, l.at); got != c.attempts {
					t.Errorf("seed %d: attempts\n%s, want\n%s", seed, got, c.attempts)
				}
				lost, failed := 0, 0
				work := int64(0)
				for _, r := range k.tasks {
					work += r.Finish - r.Launch
					switch r.End {
					case record.TaskLost:
						lost++
					case record.TaskFailed:
						failed++
					}
				}
				if lost != c.lost || failed != c.failed {
					t.Errorf("seed %d: %d attempts lost and %d failed, want %d and %d", seed, lost, failed, c.lost, c.failed)
				}
				if j := k.jobs[0]; j.TaskMS+j.WastedTaskMS != work {
					t.Errorf("seed %d: %d ms useful and %d ms wasted, all attempts took %d ms", seed, j.TaskMS, j.WastedTaskMS, work)
				}
				// Only partitions whose output was on the lost executor run again in stage 0.
				for _, r := range k.tasks {
					if r.Stage == 0 && r.StageAttempt == 1 && !slices.Contains(l.victims, r.Index) {
						t.Errorf("seed %d: partition %d of stage 0 ran again, lost were %v", seed, r.Index, l.victims)
					}
				}
				c.checks(t, k, l)
			}
		})
	}
}

func newLoss(k *keep, at int64) *loss {
	l := &loss{at: at, known: -1, again: -1, stage0: firstLaunch(k, 0, 1, 0), stage1: firstLaunch(k, 1, 1, 0)}
	for _, r := range k.tasks {
		if r.End == record.TaskLost {
			l.known = r.Finish
		}
		if r.Stage == 0 && r.StageAttempt == 0 && r.Node == 0 {
			l.victims = append(l.victims, r.Index)
		}
	}
	l.again = firstLaunch(k, 1, 0, l.known)
	return l
}

// word checks that the driver heard the reason when the ResourceManager had missed the node, with the
// heartbeat of the AM after that.
func (l *loss) word(t *testing.T, k *keep) {
	t.Helper()
	for _, c := range k.containers {
		if c.Node == 0 && (l.known < c.Ended || l.known > c.Ended+3000) {
			t.Errorf("the running attempts ended at %d, want at most 3 s after the ResourceManager missed the node at %d", l.known, c.Ended)
		}
	}
}

// resubmitted checks the times of the second attempts after the fetch failure.
func (l *loss) resubmitted(t *testing.T, failure int64) {
	t.Helper()
	if l.stage0 != failure+200 || l.stage1 != l.stage0+10_000 {
		t.Errorf("stage 0 runs again at %d and stage 1 at %d, want %d and %d: 200 ms after the fetch failure, then 10 s later",
			l.stage0, l.stage1, failure+200, failure+10_200)
	}
}

// firstLaunch returns the first launch at a time or later in a stage attempt, or -1.
func firstLaunch(k *keep, stage, attempt int32, after int64) int64 {
	first := int64(-1)
	for _, r := range k.tasks {
		if r.Stage == stage && r.StageAttempt == attempt && r.Launch >= after && (first < 0 || r.Launch < first) {
			first = r.Launch
		}
	}
	return first
}

// attemptsOf lists stage attempts with their task attempts, those launched after the loss behind a plus
// for the attempt that was running.
func attemptsOf(k *keep, at int64) string {
	count := map[[3]int32]int{}
	for _, r := range k.tasks {
		late := int32(0)
		if r.Launch > at && r.Stage == 1 && r.StageAttempt == 0 {
			late = 1
		}
		count[[3]int32{r.Stage, r.StageAttempt, late}]++
	}
	var out []string
	for stage := range int32(3) {
		for attempt := range int32(3) {
			n, late := count[[3]int32{stage, attempt, 0}], count[[3]int32{stage, attempt, 1}]
			switch {
			case late > 0:
				out = append(out, fmt.Sprintf("%d.%d: %d+%d", stage, attempt, n, late))
			case n > 0:
				out = append(out, fmt.Sprintf("%d.%d: %d", stage, attempt, n))
			}
		}
	}
	return strings.Join(out, ", ")
}
