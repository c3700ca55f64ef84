package engine

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"replay/engine/model"
	"replay/engine/random"
	"replay/engine/record"
	"replay/engine/scenario"
)

// randomDense is a cluster of randomFair whose nodes send heartbeats so often that much happens in the same millisecond, and where
// applications may run ahead.
func randomDense(r *rand.Rand, seed uint64) (func() scenario.Input, scenario.Options) {
	in, o := randomFair(r, seed)
	o.Conf["yarn.resourcemanager.nodemanagers.heartbeat-interval-ms"] = []string{"3", "10", "40"}[r.IntN(3)]
	o.Conf["yarn.scheduler.fair.update-interval-ms"] = "50"
	o.Conf["yarn.scheduler.fair.preemption"] = "false"
	o.Conf["spark.dynamicAllocation.executorIdleTimeout"] = []string{"1s", "3s"}[r.IntN(2)]
	o.Model = model.DefaultModel()
	o.Model.KillMS = []int64{1, 2, o.Model.KillMS}[r.IntN(3)] // less than between two heartbeats, or more
	o.StallMS = 60_000
	return func() scenario.Input {
		i := in()
		i.Events = nil
		return i
	}, o
}

// disorderly is a sink that takes task attempts and containers in any order.
type disorderly struct{ *keep }

func (disorderly) AnyOrder() (containers, tasks bool) { return true, true }

func TestEnginesDecideAlikeInTheSameMillisecond(t *testing.T) {
	decideAlike(t, randomDense, more((*seeds+9)/10))
}

// TestRunningAheadTellsTheSame: what is told of a replay is the same, row by row, whether applications run ahead or not.
func TestRunningAheadTellsTheSame(t *testing.T) {
	ahead, gave, spans := 0, 0, 0
	for _, seed := range more((*seeds + 4) / 5) {
		in, o := randomDense(random.Stream(seed, "ahead"), seed)
		o.SeriesMS = 700
		tell := func(off, anyOrder bool) *keep {
			sc, err := scenario.New(in(), o)
			if err != nil {
				t.Fatal(err)
			}
			k := &keep{}
			var to record.Sink = k
			if anyOrder {
				to = disorderly{k}
			}
			s, err := newSim(sc, to, nil, true)
			if err != nil {
				t.Fatal(err)
			}
			s.ahead.off = s.ahead.off || off
			if _, err := s.run(t.Context()); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if s.ahead.at > 0 {
				ahead++
			}
			if len(s.giving.req.Releases) > 0 {
				gave++
			}
			if s.ahead.span.Taken > 0 { // the last one
				spans++
			}
			return k
		}
		want := tell(true, false)
		if got := tell(false, false); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: applications that run ahead change what is told", seed)
		}
		got := tell(false, true)
		for _, k := range []*keep{got, want} {
			slices.SortFunc(k.tasks, func(a, b record.Task) int {
				return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.AMAttempt, b.AMAttempt), cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.StageAttempt, b.StageAttempt),
					cmp.Compare(a.Index, b.Index), cmp.Compare(a.Attempt, b.Attempt))
			})
			slices.SortFunc(k.containers, func(a, b record.Container) int {
				return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.AMAttempt, b.AMAttempt), cmp.Compare(a.Number, b.Number))
			})
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: applications that run ahead as far as they can change what is told", seed)
		}
	}
	if ahead == 0 || gave == 0 || spans == 0 {
		t.Errorf("applications ran ahead in %d replays, gave containers back in %d, and executed ends of tasks by themselves in %d", ahead, gave, spans)
	}
}

// A tick of dynamic allocation that lowers what is wanted wakes the loop of an application master, which then speaks sooner than was known when its application began to go ahead, while a container
// that is about to start expires: the application goes no further than to that.
func TestApplicationsGoAheadUntilTheirMastersSpeak(t *testing.T) {
	o := scenario.Options{Scheduler: "fifo", Model: model.DefaultModel(), Conf: map[string]string{
		"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "145", "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms": "3881"}}
	o.Model.NMStartMS, o.Model.KillMS, o.Model.ExecutorStartMS = 3554, 2534, 6000
	for o.Seed = range uint64(8) {
		j := sparkJob(0, 905, 33, stage(0, 37, 1, nil))
		j.ExecMemMiB, j.ExecVCores = 512, 1
		alike(t, func() scenario.Input { return input(cluster(8, 2), nil, j) }, o)
	}
}
