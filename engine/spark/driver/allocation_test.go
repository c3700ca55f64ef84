package driver

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/engine/protocol"
	"replay/policy/resource"
	"replay/trace"
)

// What dynamic allocation is told shows in what it asks for and gives back: each case is a job with what happens to its executors, and
// all that its master says to the ResourceManager.
//
// Source: ExecutorAllocationListener, ExecutorMonitor.
func TestDynamicAllocationIsTold(t *testing.T) {
	type step struct {
		at int64
		do func(*app)
	}
	granted := func(at int64, node int32) step {
		return step{at, func(a *app) { a.Grant(node, 0, resource.R(2048, 1)) }}
	}
	granted2 := func(at int64, node int32) step {
		return step{at, func(a *app) { a.Grant(node, 0, resource.R(2048, 2)) }}
	}
	crashed := func(at, c int64) step { return step{at, func(a *app) { a.Crash(c, 1) }} }
	long := func(n int) trace.Stage { return stageOf(0, n, 1_000_000) }
	after := func(st trace.Stage, stage int32) trace.Stage {
		st.After = []int32{stage}
		return st
	}
	inJob := func(job int32, st trace.Stage) trace.Stage {
		st.SparkJob = job
		return st
	}
	tracked := func(more ...string) map[string]string {
		return dynamic(append([]string{"spark.shuffle.service.enabled", "false", "spark.dynamicAllocation.shuffleTracking.enabled", "true",
			"spark.dynamicAllocation.executorIdleTimeout", "5s", "spark.dynamicAllocation.initialExecutors", "2"}, more...)...)
	}
	cases := []struct {
		name    string
		stages  []trace.Stage
		cores   int32
		retries []int32 // of stage 0
		cacheOf bool    // stage 1 reads what stage 0 has cached
		slow    bool    // input is read from elsewhere at a tenth of the speed
		conf    map[string]string
		steps   []step
		until   int64
		want    []string
	}{
		{name: "an executor that has registered: idle for 10 s, it goes", stages: []trace.Stage{delayed(long(1), 500_000)},
			conf:  dynamic("spark.dynamicAllocation.initialExecutors", "1", "spark.dynamicAllocation.executorIdleTimeout", "10s"),
			steps: []step{granted(0, 0)}, until: 20_000, want: []string{"0 ask *=1", "3200 ask *=0", "10200 ask release 2"}},
		{name: "a task that starts: its executor is not idle", stages: []trace.Stage{long(1)},
			conf:  dynamic("spark.dynamicAllocation.executorIdleTimeout", "10s"),
			steps: []step{granted(0, 0)}, until: 30_000, want: []string{"0 ask *=1", "3200 ask *=0"}},
		{name: "a task that ends: its executor is idle from then on", stages: []trace.Stage{stageOf(0, 1, 15_000), delayed(long(1), 500_000)},
			conf:  dynamic("spark.dynamicAllocation.executorIdleTimeout", "10s"),
			steps: []step{granted(0, 0)}, until: 40_000, want: []string{"0 ask *=1", "3200 ask *=0", "27200 ask release 2"}},
		{name: "tasks that start and end: no more are asked for than those left need", stages: []trace.Stage{stageOf(0, 4, 3000)},
			conf: dynamic(), steps: []step{granted(0, 0), granted(1000, 1)}, until: 30_000,
			want: []string{"0 ask *=1", "1000 ask *=2", "1600 ask *=1", "2000 ask *=2", "3200 ask *=1", "4200 ask *=0"}},
		{name: "an executor that is gone: it is not among those that are there", stages: []trace.Stage{stageOf(0, 2, 3000), delayed(long(3), 20_000)},
			conf:  dynamic("spark.dynamicAllocation.executorIdleTimeout", "1000s"),
			steps: []step{granted(0, 0), granted(1000, 1), crashed(10_000, 3)}, until: 21_500,
			want: []string{"0 ask *=1", "1000 ask *=1", "3200 ask *=0", "21000 ask *=1"}},
		{name: "a lost task: it needs an executor again", stages: []trace.Stage{long(1)}, conf: dynamic(),
			steps: []step{granted(0, 0), crashed(10_000, 2)}, until: 20_000, want: []string{"0 ask *=1", "3200 ask *=0", "13000 ask *=1"}},
		{name: "a copy that is wanted: it needs an executor too", stages: []trace.Stage{near(stageOf(0, 3, 1000), []int32{0}, []int32{0}, []int32{0})}, slow: true,
			conf: dynamic("spark.dynamicAllocation.executorIdleTimeout", "1s", "spark.speculation", "true", "spark.speculation.multiplier", "5", "spark.locality.wait", "0s",
				"spark.dynamicAllocation.initialExecutors", "3"),
			steps: []step{granted(0, 0), granted(0, 0), granted(0, 1)}, until: 9000,
			want: []string{"0 ask *=3", "1200 ask *=0", "4200 ask release 2 release 3", "6300 ask *=1 /r0=1 h0=1"}},
		{name: "a task whose copy was faster: it is not wanted again", stages: []trace.Stage{changed(near(stageOf(0, 4, 1000), all(4, 0)...), func(st *trace.Stage) { st.Tasks.DurationMS[0] = 1_000_000 })}, slow: true,
			conf: dynamic("spark.dynamicAllocation.executorIdleTimeout", "5s", "spark.speculation", "true", "spark.speculation.multiplier", "5", "spark.speculation.quantile", "0.5", "spark.locality.wait", "0s",
				"spark.dynamicAllocation.initialExecutors", "4"),
			steps: []step{granted(0, 0), granted(0, 0), granted(0, 0), granted(0, 1)}, until: 30_000,
			want: []string{"0 ask *=4", "1200 ask *=0", "7200 ask release 3", "13200 ask release 4"}},
		{name: "a Spark job with shuffle output: its executors are kept for it, and go after it", conf: tracked("spark.dynamicAllocation.shuffleTracking.timeout", "3s"),
			stages: []trace.Stage{inJob(0, stageOf(0, 2, 1000)), inJob(0, stageOf(1, 1, 20_000, 0)), inJob(1, after(delayed(long(1), 60_000), 1))},
			steps:  []step{granted(0, 0), granted(0, 1)}, until: 40_000, want: []string{"0 ask *=2", "1200 ask *=0", "21200 ask release 2", "27200 ask release 3"}},
		{name: "a Spark job without: its executors go when they are idle", conf: tracked("spark.dynamicAllocation.shuffleTracking.timeout", "3s"),
			stages: []trace.Stage{inJob(0, stageOf(0, 2, 1000)), inJob(1, after(delayed(long(1), 60_000), 0))},
			steps:  []step{granted(0, 0), granted(0, 1)}, until: 40_000, want: []string{"0 ask *=2", "1200 ask *=0", "7200 ask release 2 release 3"}},
		{name: "a block that is cached: its executor is kept", conf: dynamic("spark.dynamicAllocation.executorIdleTimeout", "5s", "spark.dynamicAllocation.cachedExecutorIdleTimeout", "20s"),
			stages: []trace.Stage{stageOf(0, 1, 1000), after(delayed(long(1), 60_000), 0)}, cacheOf: true,
			steps: []step{granted(0, 0)}, until: 40_000, want: []string{"0 ask *=1", "1200 ask *=0", "22200 ask release 2"}},
		{name: "tasks that can run nowhere: one executor more than there are, while it lasts", stages: []trace.Stage{stageOf(0, 2, 3000), long(1)}, cores: 2, retries: []int32{1, 0},
			conf:  dynamic("spark.excludeOnFailure.enabled", "true"),
			steps: []step{granted2(0, 0), granted2(7000, 1)}, until: 30_000, want: []string{"0 ask *=1", "1000 ask *=1", "10000 ask *=0"}},
		{name: "finished tasks whose output is lost: they need executors again", stages: []trace.Stage{stageOf(0, 3, 10_000), stageOf(1, 1, 1000, 0)}, conf: tracked(),
			steps: []step{granted(0, 0), granted(0, 1), crashed(12_000, 2)}, until: 20_000,
			want: []string{"0 ask *=2", "0 ask *=3", "600 ask *=1", "10200 ask *=0", "13000 ask *=1"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := instant()
			if c.slow {
				m.RackPenalty = 10
			}
			j := jobOf(c.stages...)
			for i := range j.Stages {
				j.Stages[i].ID = int32(i)
				if c.slow {
					for k := range j.Stages[i].Tasks.InputBytes {
						j.Stages[i].Tasks.InputBytes[k] = 1 << 30
					}
				}
			}
			j.Stages[0].Tasks.Retries = c.retries
			if c.cacheOf {
				j.Stages[1].CacheOf = 0
			}
			j.ExecVCores = max(c.cores, 1)
			a := newApp(t, j, setup{conf: c.conf, model: m, recorded: failing(j.Stages...)}).register()
			for _, s := range c.steps {
				a.Run(s.at)
				s.do(a)
			}
			a.Run(c.until)
			if d := cmp.Diff(c.want, a.said("ask")); d != "" {
				t.Errorf("asks (-want +got)\n%s\n%v\n%v", d, a.launches(), a.ends())
			}
		})
	}
}

// An executor that is larger than any container is the ResourceManager's to refuse, when it is asked for. The first call makes the application master fail, later
// ones are made again: what they were to tell is told by the first one that is taken.
//
// Source: ApplicationMaster.createAllocator, allocationThreadImpl (spark.yarn.scheduler.reporterThread.maxFailures).
func TestExecutorLargerThanAnyContainer(t *testing.T) {
	own := func(st *trace.Stage) { st.Profile, st.ExecMemMiB, st.ExecVCores = 1, 5000, 7 }
	const of0, of1 = "an executor of resource profile 0 asks for", "an executor of resource profile 1 asks for 5000 MiB, the largest allocation of queue root.default is 4096 MiB"
	run := func(j *trace.Job, conf map[string]string, largest int64) *app {
		a := newApp(t, j, setup{dense: true, conf: conf})
		a.Largest = resource.R(largest, 8)
		a.register()
		a.Run(0)
		if conf["spark.executor.instances"] != "" {
			return a
		}
		a.Grant(0, 0, resource.R(2048, 4))
		a.Run(60_000)
		return a
	}
	later := jobOf(stageOf(0, 1, 5000), changed(stageOf(1, 1, 1000, 0), own))
	elastic := func(more ...string) map[string]string {
		return dynamic(append([]string{"spark.dynamicAllocation.initialExecutors", "1", "spark.dynamicAllocation.executorIdleTimeout", "1000s"}, more...)...)
	}
	t.Run("at the beginning", func(t *testing.T) {
		if a := run(jobOf(stageOf(0, 1, 1000)), static(1), 512); len(a.Beats) != 1 || a.d.exit != exitUncaught || !strings.HasPrefix(a.d.failed, of0) {
			t.Errorf("log %v, exit %d, because %q, %d heartbeats; want it to fail with exit %d because %s", a.Log, a.d.exit, a.d.failed, len(a.Beats), exitUncaught, of0)
		}
	})
	for _, c := range []struct {
		most string // spark.yarn.scheduler.reporterThread.maxFailures
		want []int64
	}{
		{"", []int64{5200, 5400, 5800, 6600, 8200}},
		{"2", []int64{5200, 5400}},
		{"0", []int64{5200}},
	} {
		t.Run("of a later stage, "+c.most, func(t *testing.T) {
			conf := elastic()
			if c.most != "" {
				conf = elastic("spark.yarn.scheduler.reporterThread.maxFailures", c.most)
			}
			a := run(later, conf, 4096)
			if len(a.Tasks) != 1 || a.Outcome == nil || *a.Outcome != of1 || a.d.exit != exitReporter {
				t.Errorf("%d tasks, log %v, exit %d, want the first stage and failed because %q", len(a.Tasks), a.Log, a.d.exit, of1)
			}
			if d := cmp.Diff(c.want, slices.DeleteFunc(slices.Clone(a.Beats), func(at int64) bool { return at < 5000 })); d != "" {
				t.Errorf("heartbeats of the second stage (-want +got)\n%s", d)
			}
		})
	}
	t.Run("until there are larger ones", func(t *testing.T) {
		a := newApp(t, later, setup{dense: true, conf: elastic()})
		a.Largest = resource.R(4096, 8)
		a.register()
		a.Run(0)
		a.Grant(0, 0, resource.R(2048, 4))
		a.Run(6000)
		a.Largest = resource.R(8192, 8)
		a.Run(7000) // three calls were refused before
		a.Refusal = protocol.InvalidAsk("once more")
		a.Run(12_000)
		a.Refusal = nil
		a.Run(20_000)
		if a.Outcome != nil || a.d.failed != "" || !slices.Contains(a.Log, "6600 ask 1:*=1") {
			t.Errorf("log %v, want it to go on and ask for an executor at 6600", a.Log)
		}
	})
}
