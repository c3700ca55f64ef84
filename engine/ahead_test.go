package engine

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"replay/engine/master"
	"replay/engine/model"
	"replay/engine/random"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/yarn/conf"
	"replay/policy/autoscale"
	"replay/trace"
)

// randomDense is a cluster of randomFair whose nodes send heartbeats so often that much happens in the same millisecond, and where
// applications may run ahead.
func randomDense(r *rand.Rand, seed uint64) (func() scenario.Input, scenario.Options) {
	in, o := randomFair(r, seed)
	o.Conf["yarn.resourcemanager.nodemanagers.heartbeat-interval-ms"] = []string{"3", "10", "40"}[r.IntN(3)]
	o.Conf["yarn.scheduler.fair.update-interval-ms"] = "50"
	o.Conf["yarn.scheduler.fair.preemption"] = []string{"true", "false", "false"}[random.Stream(seed, "preempts").IntN(3)]
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

// Nothing runs ahead where each heartbeat is executed, nor where nodes can go at any time.
func TestWhereApplicationsMayRunAhead(t *testing.T) {
	for _, tt := range []struct {
		engine     string
		scaling    *autoscale.Plan
		preemption bool
		want       bool
	}{
		{scenario.Engines[0], nil, false, true},
		{scenario.Dense, nil, false, false},
		{scenario.Engines[0], &autoscale.Plan{}, false, false},
		{scenario.Engines[0], nil, true, true},
		{scenario.Dense, &autoscale.Plan{}, true, false},
	} {
		sc := &scenario.Scenario{Options: scenario.Options{Engine: tt.engine}, Scaling: tt.scaling, Site: &conf.Site{Preemption: tt.preemption}}
		if got := mayRunAhead(sc); got != tt.want {
			t.Errorf("%+v: may run ahead is %v", tt, got)
		}
	}
}

// disorderly is a sink that takes task attempts and containers in any order.
type disorderly struct{ *keep }

func (disorderly) AnyOrder() (containers, tasks bool) { return true, true }

// inOrder sorts containers and tasks, which may come in any order.
func (k *keep) inOrder() {
	slices.SortFunc(k.tasks, func(a, b record.Task) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.AMAttempt, b.AMAttempt), cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.StageAttempt, b.StageAttempt),
			cmp.Compare(a.Index, b.Index), cmp.Compare(a.Attempt, b.Attempt))
	})
	slices.SortFunc(k.containers, func(a, b record.Container) int {
		return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.AMAttempt, b.AMAttempt), cmp.Compare(a.Number, b.Number))
	})
}

func TestEnginesDecideAlikeInTheSameMillisecond(t *testing.T) {
	decideAlike(t, randomDense, more((*seeds+9)/10))
}

// TestRunningAheadTellsTheSame: what is told of a replay is the same, row by row, whether applications run ahead or not.
func TestRunningAheadTellsTheSame(t *testing.T) {
	ahead, gave, spans := 0, 0, 0
	for _, seed := range more((*seeds + 4) / 5) {
		in, o := randomDense(random.Stream(seed, "ahead"), seed)
		if seed%2 == 1 {
			in, o = anyCluster("ahead", seed)
		}
		if o.Model == (model.Model{}) {
			o.Model = model.DefaultModel()
		}
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
		got.inOrder()
		want.inOrder()
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

// TestApplicationsRunFarAhead counts what is executed apart, by the loop, how often it comes to an application, and what has a place in the queue, of the events of some clusters: where an
// application stops before it must, nothing else than these counts tells. They may only become less.
func TestApplicationsRunFarAhead(t *testing.T) {
	events, apart, turns, queued := int64(0), int64(0), int64(0), uint64(0)
	for seed := range uint64(24) {
		in, o := randomDense(random.Stream(seed, "far ahead"), seed)
		o.Conf["yarn.scheduler.fair.preemption"] = "false"
		if seed%3 > 0 { // heartbeats as far from each other as in other clusters
			delete(o.Conf, "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms")
			o.Model.KillMS = model.DefaultModel().KillMS
		}
		if seed%3 == 2 { // executors that are idle are given back, and end, while the last task runs
			in = func() scenario.Input {
				return input(cluster(6, 2), nil, sparkJob(0, 0, 9, stage(0, 20, 2000, nil), stage(1, 1, 60_000, []int32{0}), stage(2, 20, 2000, []int32{1})))
			}
			o = scenario.Options{Seed: seed, Model: o.Model, Conf: map[string]string{"spark.dynamicAllocation.executorIdleTimeout": "3s"}}
		}
		sc, err := scenario.New(in(), o)
		if err != nil {
			t.Fatal(err)
		}
		var to record.Sink = &keep{}
		if seed%2 == 0 {
			to = disorderly{&keep{}}
		}
		s, err := newSim(sc, to, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		s.after = func() {
			apart++
			for k := range kinds {
				if s.doing == &kinds[k] {
					return
				}
			}
			turns++
		}
		m, err := s.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		events, queued = events+m.Totals.Events, queued+s.q.seq
	}
	if apart > 12_197 || turns > 2379 || queued > 13_177 {
		t.Errorf("of %d events %d were executed apart, %d of them of applications, and %d had a place in the queue, want no more than 12197, 2379 and 13177", events, apart, turns, queued)
	}
}

// TestMastersThatWaitToLeave: an application whose code ends ahead of time keeps no master for its work until then, unless something may come before that: a node that goes, or a state
// that is written.
func TestMastersThatWaitToLeave(t *testing.T) {
	const apps, nodes, looked = 12, 40, 300_000
	jobs := func() (list []*trace.Job) {
		for id := range int64(apps) {
			j := sparkJob(id, id, 3, stage(0, 6, 2000, nil))
			j.TailMS = 600_000
			list = append(list, j)
		}
		return list
	}
	var all []trace.NodeEvent
	for node := range int32(nodes) {
		all = append(all, nodeEvent(400_000, node, node, trace.Fail))
	}
	for _, tt := range []struct {
		name        string
		events      []trace.NodeEvent
		checkpoints []int64
		o           scenario.Options
		want        int // masters of live applications at that time
	}{
		{name: "nothing comes"},
		{name: "their nodes fail before", events: all, want: apps},
		{name: "a node fails before on which they have nothing", events: all[:1]},
		{name: "that is something to them", events: all[:1], o: scenario.Options{Conf: map[string]string{"spark.excludeOnFailure.enabled": "true"}}, want: apps},
		{name: "a node fails behind", events: []trace.NodeEvent{nodeEvent(4_000_000, 0, 0, trace.Fail)}},
		{name: "a state is written before", checkpoints: []int64{400_000}, want: apps},
		{name: "containers may come", o: scenario.Options{Conf: map[string]string{"spark.dynamicAllocation.enabled": "false", "spark.executor.instances": "200"}}, want: apps},
		{name: "client mode", o: scenario.Options{Conf: map[string]string{"spark.submit.deployMode": "client"}}, want: apps},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var told [2]*keep
			for i, engine := range []string{scenario.Dense, scenario.Engines[0]} {
				o := tt.o
				o.Engine = engine
				sc, err := scenario.New(input(cluster(nodes, 2), tt.events, jobs()...), o)
				if err != nil {
					t.Fatal(err)
				}
				told[i] = &keep{}
				s, err := newSim(sc, told[i], nil, true)
				if err != nil {
					t.Fatal(err)
				}
				s.checkpoints = Checkpoints{At: tt.checkpoints, Take: func(*Checkpoint) error { return nil }}
				counted := engine == scenario.Dense
				s.after = func() {
					if counted || s.now < looked {
						return
					}
					counted = true
					got, live := 0, 0
					for _, a := range s.apps {
						if a != nil && !a.gone {
							live++
							if _, ok := a.master.(master.Retirer); ok {
								got++
							}
						}
					}
					if live != apps || got != tt.want {
						t.Errorf("%d of %d live applications have a master that works, want %d of %d", got, live, tt.want, apps)
					}
				}
				if _, err := s.run(t.Context()); err != nil {
					t.Fatal(err)
				}
				if !counted {
					t.Fatal("the replay ends before")
				}
			}
			told[0].inOrder()
			told[1].inOrder()
			if !reflect.DeepEqual(told[0], told[1]) {
				t.Error("the engines tell of different replays")
			}
		})
	}
}
