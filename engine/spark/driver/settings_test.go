package driver

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/engine/record"
	"replay/engine/spark/conf"
	"replay/policy/resource"
	"replay/trace"
)

// Containers of resource profiles: what a profile names is its own, the rest is the application's; sizes that were recorded count
// before those that follow from Spark's keys, unless the user sets those.
//
// Source: ResourceProfile.getResourcesForClusterManager.
func TestSizesOfProfiles(t *testing.T) {
	stage := func(profile int32, mem int64, cores, cpus int32) trace.Stage {
		return changed(stageOf(0, 1, 1), func(st *trace.Stage) {
			st.Profile, st.ExecMemMiB, st.ExecVCores, st.TaskVCores = profile, mem, cores, cpus
		})
	}
	type size struct {
		MiB, VCores    int64
		Tasks, Offered int
		CPUs           int // of a task
	}
	cases := []struct {
		name   string
		mem    int64 // of the job
		conf   map[string]string
		stages []trace.Stage
		want   []size // by profile
	}{
		{"recorded", 3000, dynamic(), nil, []size{{3000, 4, 4, 4, 1}}},
		{"by Spark's keys", 0, dynamic(), nil, []size{{1024 + 384, 4, 4, 4, 1}}},
		{"by the user's", 3000, dynamic("spark.executor.memory", "4g"), nil, []size{{4096 + 409, 4, 4, 4, 1}}},
		{"the overhead is the user's", 3000, dynamic("spark.executor.memoryOverhead", "1g"), nil, []size{{3000 + 1024 - 384, 4, 4, 4, 1}}},
		{"the overhead by its older name", 3000, dynamic("spark.yarn.executor.memoryOverhead", "1g"), nil, []size{{3000 + 1024 - 384, 4, 4, 4, 1}}},
		{"the factor is the user's", 3000, dynamic("spark.executor.memoryOverheadFactor", "0.5"), nil, []size{{3000 + 512 - 384, 4, 4, 4, 1}}},
		{"memory outside of the heap is the user's", 3000, dynamic("spark.memory.offHeap.enabled", "true", "spark.memory.offHeap.size", "2g"), nil, []size{{3000 + 2048, 4, 4, 4, 1}}},
		{"and is switched off", 3000, dynamic("spark.memory.offHeap.size", "2g"), nil, []size{{3000, 4, 4, 4, 1}}},
		{"memory of Python is the user's", 3000, dynamic("spark.yarn.isPython", "true", "spark.executor.pyspark.memory", "1g"), []trace.Stage{stage(1, 5000, 6, 2)}, []size{{4024, 4, 4, 4, 1}, {6024, 6, 3, 6, 2}}},
		{"less than nothing", 300, dynamic("spark.executor.memoryOverhead", "0"), nil, []size{{1, 4, 4, 4, 1}}},
		{"a profile of its own", 3000, dynamic(), []trace.Stage{stage(1, 5000, 6, 2)}, []size{{3000, 4, 4, 4, 1}, {5000, 6, 3, 6, 2}}},
		{"one that says nothing of memory", 3000, dynamic(), []trace.Stage{stage(1, 0, 6, 2)}, []size{{3000, 4, 4, 4, 1}, {3000, 6, 3, 6, 2}}},
		{"one that says nothing of cores", 3000, dynamic(), []trace.Stage{stage(1, 5000, 0, 0)}, []size{{3000, 4, 4, 4, 1}, {5000, 4, 4, 4, 1}}},
		{"the user's memory is everyone's", 3000, dynamic("spark.executor.memory", "4g"), []trace.Stage{stage(1, 5000, 6, 2)}, []size{{4505, 4, 4, 4, 1}, {4505, 6, 3, 6, 2}}},
		{"the application's profile is what its columns say, whatever a stage says", 3000, dynamic(), []trace.Stage{stage(0, 5000, 6, 2)}, []size{{3000, 4, 4, 4, 1}}},
		{"a number between that no stage uses", 3000, dynamic(), []trace.Stage{stage(2, 5000, 6, 2)}, []size{{3000, 4, 4, 4, 1}, {3000, 4, 4, 4, 1}, {5000, 6, 3, 6, 2}}},
		{"the first stage of a profile says what it is", 3000, dynamic(), []trace.Stage{stage(1, 5000, 6, 2), stage(1, 7000, 8, 1)}, []size{{3000, 4, 4, 4, 1}, {5000, 6, 3, 6, 2}}},
		{"one of a core and a task of one", 3000, dynamic("spark.task.cpus", "2"), []trace.Stage{stage(1, 0, 1, 1)}, []size{{3000, 4, 2, 4, 2}, {3000, 1, 1, 1, 1}}},
		{"cores that no task of the profile can use, but one of another may", 3000, dynamic("spark.task.cpus", "3"), nil, []size{{3000, 4, 1, 4, 3}}},
		{"a profile of tasks only, with static allocation", 3000, static(2), []trace.Stage{stage(1, 0, 0, 2)}, []size{{3000, 4, 4, 4, 1}, {3000, 4, 2, 4, 2}}},
		{"that names the application's own executors", 3000, static(2), []trace.Stage{stage(1, 3000, 4, 2)}, []size{{3000, 4, 4, 4, 1}, {3000, 4, 2, 4, 2}}},
		{"slots that the resources of a profile leave", 3000, dynamic(), []trace.Stage{changed(stage(1, 5000, 6, 2), func(st *trace.Stage) { st.ExecTasks = 1 })}, []size{{3000, 4, 4, 4, 1}, {5000, 6, 1, 2, 2}}},
		{"cores of tasks that no resource is left for", 3000, dynamic("spark.executor.resource.gpu.amount", "1", "spark.task.resource.gpu.amount", "0.5"), nil, []size{{3000, 4, 2, 2, 1}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			j := jobOf(c.stages...)
			j.ExecMemMiB, j.ExecVCores = c.mem, 4
			set, err := newKind(t, setup{conf: c.conf, types: []string{"memory-mb", "vcores", "yarn.io/gpu"}}).settings(j)
			if err != nil {
				t.Fatal(err)
			}
			var got []size
			for _, p := range set.profiles {
				got = append(got, size{p.size[resource.Memory], p.size[resource.VCores], p.perExec, int(p.offered()), p.cpus})
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestSettingsThatAreRefused(t *testing.T) {
	profile := func(id int32, mem int64, cores int32) func(*trace.Job) {
		return func(j *trace.Job) {
			j.Stages = []trace.Stage{changed(stageOf(0, 1, 1), func(st *trace.Stage) { st.ID, st.Profile, st.ExecMemMiB, st.ExecVCores = 0, id, mem, cores })}
		}
	}
	cases := []struct {
		name string
		conf map[string]string
		job  func(*trace.Job)
		want string // "" = accepted
	}{
		{"no executors", static(0), nil, "spark.executor.instances is 0"},
		{"none to begin with", dynamic("spark.executor.instances", "0"), nil, ""},
		{"decommissioning without the shuffle service", dynamic("spark.decommission.enabled", "true", "spark.shuffle.service.enabled", "false"), nil, "not modelled"},
		{"with it", dynamic("spark.decommission.enabled", "true"), nil, ""},
		{"executors of a profile with static allocation, of other cores", static(2), profile(1, 0, 7), "stage 0 has resource profile 1 with executors of its own"},
		{"of other memory", static(2), profile(1, 2047, 0), "stage 0 has resource profile 1 with executors of its own"},
		{"of neither", static(2), profile(1, 2048, 1), ""},
		{"of the application's profile", static(2), profile(0, 2047, 7), ""},
		{"a profile with a negative number", dynamic(), profile(-1, 0, 0), "stage 0 has resource profile -1, want 0 to 63"},
		{"the largest number", dynamic(), profile(63, 0, 0), ""},
		{"a larger one", dynamic(), profile(64, 0, 0), "stage 0 has resource profile 64, want 0 to 63"},
		{"an executor too small for a task", dynamic("spark.task.cpus", "2"), nil, "spark.task.cpus"},
		{"an executor of a profile too small for a task", dynamic(), func(j *trace.Job) {
			profile(1, 0, 2)(j)
			j.Stages[0].TaskVCores = 3
		}, "an executor of 2 cores can't run a task of 3"},
		{"a key that is not a number", dynamic("spark.executor.cores", "many"), nil, "many"},
		{"a profile's resource that the cluster does not have", dynamic("spark.executor.resource.fpga.amount", "1"), nil, "fpga"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			j := jobOf(stageOf(0, 1, 1))
			if c.job != nil {
				c.job(j)
			}
			_, err := newKind(t, setup{conf: c.conf, types: []string{"memory-mb", "vcores"}}).Plan(j)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// Containers of a profile ask for its own further resources and for no others, the application's for those of its keys, masters too.
func TestFurtherResourcesOfProfiles(t *testing.T) {
	gpus := func(profile int32, n int64) trace.Stage {
		return changed(stageOf(0, 1, 1), func(st *trace.Stage) {
			st.Profile, st.ExecExtra = profile, []trace.NamedValue{{Name: "yarn.io/gpu", Value: n}}
		})
	}
	none := changed(stageOf(0, 1, 1), func(st *trace.Stage) { st.Profile, st.ExecMemMiB, st.ExecVCores = 2, 2048, 1 })
	k := newKind(t, setup{conf: dynamic("spark.executor.resource.gpu.amount", "1", "spark.driver.resource.gpu.amount", "3"), types: []string{"memory-mb", "vcores", "yarn.io/gpu"}})
	set, err := k.settings(jobOf(gpus(1, 2), none))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := []int64{set.amSize[2], set.profiles[0].size[2], set.profiles[1].size[2], set.profiles[2].size[2]}, []int64{3, 1, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("GPUs of the master and of executors by profile: %v, want %v", got, want)
	}
	if _, err := newKind(t, setup{conf: static(2), types: []string{"memory-mb", "vcores", "yarn.io/gpu"}}).settings(jobOf(gpus(1, 2))); err == nil {
		t.Error("a profile with GPUs of its own runs with static allocation")
	}
}

// The order of layers: the defaults, what the columns of the job say, the keys that were recorded with it, what the user sets.
func TestLayersOfSettings(t *testing.T) {
	j := jobOf(stageOf(0, 1, 1))
	j.ExecVCores, j.MinExecs, j.MaxExecs, j.InitialExecs = 3, 2, 9, 4
	cores := func(defaults, recorded, over string) int {
		s := setup{defaults: map[string]string{}, conf: map[string]string{}}
		put := func(m map[string]string, v string) {
			if v != "" {
				m["spark.executor.cores"] = v
			}
		}
		put(s.defaults, defaults)
		put(s.conf, over)
		j.Conf = nil
		if recorded != "" {
			j.Conf = []trace.KeyValue{{Key: "spark.executor.cores", Value: recorded}}
		}
		set, err := newKind(t, s).settings(j)
		if err != nil {
			t.Fatal(err)
		}
		return set.profiles[0].cores
	}
	for _, c := range []struct {
		defaults, recorded, over string
		want                     int
	}{{"", "", "", 3}, {"5", "", "", 3}, {"5", "6", "", 6}, {"5", "6", "7", 7}, {"5", "", "7", 7}} {
		if got := cores(c.defaults, c.recorded, c.over); got != c.want {
			t.Errorf("defaults %q, recorded %q, user %q: %d cores, want %d", c.defaults, c.recorded, c.over, got, c.want)
		}
	}
}

// A job that names bounds of its executors and no setting of its own runs with dynamic allocation and the shuffle service.
func TestColumnsOfAJob(t *testing.T) {
	type shape struct {
		Dynamic, Service, Cluster bool
		Min, Max, Initial         int
	}
	const unset, most = trace.Unset, 1<<31 - 1
	cases := []struct {
		name               string
		min, most, initial int32
		recorded           map[string]string
		want               shape
	}{
		{"none", unset, unset, unset, nil, shape{false, false, true, 0, most, 2}},
		{"all bounds", 2, 9, 4, nil, shape{true, true, true, 2, 9, 4}},
		{"at least", 1, unset, unset, nil, shape{true, true, true, 1, most, 1}},
		{"at most", unset, 1, unset, nil, shape{true, true, true, 0, 1, 0}},
		{"at first", unset, unset, 1, nil, shape{true, true, true, 0, most, 1}},
		{"nothing but zeros", 0, 0, 0, nil, shape{false, false, true, 0, most, 2}},
		{"recorded as dynamic", 2, 9, 4, map[string]string{"spark.dynamicAllocation.enabled": " TRUE "}, shape{true, false, true, 2, 9, 4}},
		{"recorded as static", 2, 9, 4, map[string]string{"spark.dynamicAllocation.enabled": "false"}, shape{false, false, true, 0, most, 2}},
		{"recorded in client mode", unset, unset, unset, map[string]string{"spark.submit.deployMode": "client"}, shape{false, false, false, 0, most, 2}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			j := jobOf(stageOf(0, 1, 1))
			j.MinExecs, j.MaxExecs, j.InitialExecs = c.min, c.most, c.initial
			j.ExecVCores, j.TaskCPUs = 0, 0 // nor do these columns say anything
			for k, v := range c.recorded {
				j.Conf = append(j.Conf, trace.KeyValue{Key: k, Value: v})
			}
			set, err := newKind(t, setup{}).settings(j)
			if err != nil {
				t.Fatal(err)
			}
			k := set.conf
			got := shape{k.DynamicAllocation, k.ShuffleService, k.ClusterMode, k.MinExecutors, k.MaxExecutors, k.InitialTarget()}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// The container of the application master is the recorded one, with what the user's keys make of it: those of the deploy mode.
//
// Source: yarn.Client.createApplicationSubmissionContext.
func TestSizesOfMasters(t *testing.T) {
	client := map[string]string{"spark.submit.deployMode": "client"}
	for _, c := range []struct {
		name               string
		conf, job          map[string]string
		wantMiB, wantCores int64
		idle               string // in the warnings
	}{
		{"cores", static(1, "spark.driver.cores", "64"), nil, 3000, 64, ""},
		{"cores of the other mode", static(1, "spark.yarn.am.cores", "64", "spark.yarn.am.memory", "8g"), nil, 3000, 2, "spark.yarn.am.cores (1 of 1 jobs), spark.yarn.am.memory (1 of 1 jobs)"},
		{"cores in client mode", static(1, "spark.yarn.am.cores", "64"), client, 3000, 64, ""},
		{"the driver's in client mode", static(1, "spark.driver.cores", "64", "spark.driver.memory", "8g", "spark.driver.memoryOverheadFactor", "0.9"), client, 3000, 2, "spark.driver.cores (1 of 1 jobs), spark.driver.memory (1 of 1 jobs), spark.driver.memoryOverheadFactor (1 of 1 jobs)"},
		{"the factor", static(1, "spark.driver.memoryOverheadFactor", "0.9"), nil, 3000 + 921 - 384, 2, ""},
		{"the factor, and memory that the job set", static(1, "spark.driver.memoryOverheadFactor", "0.9"), map[string]string{"spark.driver.memory": "2g"}, 3000 + 1843 - 384, 2, ""},
		{"the overhead", static(1, "spark.yarn.driver.memoryOverhead", "1000"), nil, 3000 + 1000 - 384, 2, ""},
		{"memory in client mode", static(1, "spark.yarn.am.memory", "1g"), client, 1024 + 384, 2, ""},
		{"another mode", static(1, "spark.submit.deployMode", "client"), nil, 512 + 384, 1, ""},
		{"the same mode", static(1, "spark.submit.deployMode", "cluster"), nil, 3000, 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := jobOf(stageOf(0, 1, 1))
			j.AMMemMiB, j.AMVCores = 3000, 2
			for key, value := range c.job {
				j.Conf = append(j.Conf, trace.KeyValue{Key: key, Value: value})
			}
			k := newKind(t, setup{conf: c.conf})
			p, err := k.Plan(j)
			if err != nil || p.AMSize != resource.R(c.wantMiB, c.wantCores) {
				t.Errorf("size %v, %v, want %d MiB and %d cores", p.AMSize, err, c.wantMiB, c.wantCores)
			}
			said := ""
			for _, w := range k.Remarks() {
				said += strings.TrimPrefix(w.Text, k.Over[0].Name+": keys that jobs do not read under their deploy mode (spark.submit.deployMode): ")
			}
			if said != c.idle {
				t.Errorf("warnings %q, want %q", said, c.idle)
			}
		})
	}
}

// Keys of the user's that are switched off in a job are said, with how many jobs do not read them; those that are read are not.
func TestKeysThatAreSwitchedOff(t *testing.T) {
	dynamic := map[string]string{"spark.dynamicAllocation.enabled": "true", "spark.shuffle.service.enabled": "true"}
	for _, c := range []struct {
		name string
		conf map[string]string
		jobs []map[string]string
		want []string
	}{
		{"dynamic allocation", map[string]string{"spark.dynamicAllocation.maxExecutors": "4"}, []map[string]string{nil, dynamic, nil},
			[]string{"spark.dynamicAllocation.enabled=false: spark.dynamicAllocation.maxExecutors (2 of 3 jobs)"}},
		{"on in all", map[string]string{"spark.dynamicAllocation.maxExecutors": "4"}, []map[string]string{dynamic}, nil},
		{"switched on by the user", map[string]string{"spark.dynamicAllocation.maxExecutors": "4", "spark.dynamicAllocation.enabled": "true"}, []map[string]string{nil}, nil},
		{"the switch itself", map[string]string{"spark.dynamicAllocation.enabled": "false", "spark.speculation": "false"}, []map[string]string{nil}, nil},
		{"speculation", map[string]string{"spark.speculation.quantile": "0.5"}, []map[string]string{nil, {"spark.speculation": "true"}},
			[]string{"spark.speculation=false: spark.speculation.quantile (1 of 2 jobs)"}},
	} {
		k := newKind(t, setup{conf: c.conf})
		for i, job := range c.jobs {
			j := jobOf(stageOf(0, 1, 1))
			j.ID = int64(i)
			for _, key := range slices.Sorted(maps.Keys(job)) {
				j.Conf = append(j.Conf, trace.KeyValue{Key: key, Value: job[key]})
			}
			if _, err := k.Plan(j); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
		}
		var got []string
		for _, w := range k.Remarks() {
			if text, ok := strings.CutPrefix(w.Text, k.Over[0].Name+": keys that jobs do not read under their "); ok {
				got = append(got, text)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// The container of the application master: recorded, or by Spark's keys when the user sets one of them.
func TestPlan(t *testing.T) {
	cases := []struct {
		name             string
		conf             map[string]string
		mem              int64
		cores, priority  int32
		recorded         *Latencies
		wantMem, wantCPU int64
		wantPriority     int32
		wantStart        int64
	}{
		{"recorded", static(1), 3000, 2, 0, nil, 3000, 2, 0, 4000},
		{"recorded without cores", static(1), 3000, 0, 0, nil, 3000, 1, 0, 4000},
		{"not recorded", static(1), trace.Unset, 2, 0, nil, 1024 + 384, 1, 0, 4000},
		{"recorded as nothing", static(1), 0, 2, 0, nil, 1024 + 384, 1, 0, 4000},
		{"the user's", static(1, "spark.driver.memory", "2g", "spark.driver.cores", "3"), 3000, 2, 0, nil, 2048 + 384, 3, 0, 4000},
		{"priority of the job", static(1), 3000, 2, 7, nil, 3000, 2, 7, 4000},
		{"priority of the user", static(1, "spark.yarn.priority", "5"), 3000, 2, 7, nil, 3000, 2, 5, 4000},
		{"recorded time to its registration", static(1), 3000, 2, 0, &Latencies{AMMS: 2600}, 3000, 2, 0, 2550},
		{"shorter than the start call", static(1), 3000, 2, 0, &Latencies{AMMS: 20}, 3000, 2, 0, 0},
		{"not recorded for this job", static(1), 3000, 2, 0, &Latencies{AMMS: trace.Unset}, 3000, 2, 0, 4000},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := instant()
			m.NMStartMS, m.AMStartMS = 50, 4000
			j := jobOf(stageOf(0, 1, 1))
			j.AMMemMiB, j.AMVCores, j.Priority = c.mem, c.cores, c.priority
			p, err := newKind(t, setup{conf: c.conf, model: m, recorded: Recorded{Latencies: map[int64][]*Latencies{0: {c.recorded}}}}).Plan(j)
			if err != nil {
				t.Fatal(err)
			}
			if p.AMSize != resource.R(c.wantMem, c.wantCPU) || p.Priority != c.wantPriority || p.AMStartMS != c.wantStart || p.Recorded {
				t.Errorf("plan %+v, want %+v", p, c)
			}
		})
	}
	for attempts, want := range map[string]int{"": conf.Unset, "3": 3} {
		s := setup{conf: map[string]string{}}
		if attempts != "" {
			s.conf["spark.yarn.maxAppAttempts"] = attempts
		}
		if p, err := newKind(t, s).Plan(jobOf()); err != nil || p.MaxAttempts != want {
			t.Errorf("spark.yarn.maxAppAttempts %q: %v, %v, want %d", attempts, p, err, want)
		}
	}
	if p, err := newKind(t, setup{recorded: Recorded{Executors: []RecordedExecutor{}}}).Plan(jobOf()); err != nil || !p.Recorded {
		t.Errorf("with recorded executors: %+v, %v, want a recorded application", p, err)
	}
}

// Recorded decommissioning that is not modelled is replayed as killing.
func TestDecommissioningWithoutShuffleService(t *testing.T) {
	j := jobOf(stageOf(0, 1, 1))
	for service, want := range map[string]bool{"true": true, "false": false} {
		j.Conf = []trace.KeyValue{{Key: "spark.decommission.enabled", Value: "true"}, {Key: "spark.shuffle.service.enabled", Value: service}}
		set, err := newKind(t, setup{}).settings(j)
		if err != nil || set.conf.Decommission != want {
			t.Errorf("shuffle service %s: %v, executors are decommissioned: %v, want %v", service, err, set.conf.Decommission, want)
		}
	}
}

// An executor starts as recorded, counted from the acquisition of its container, or as the model has it.
func TestStartsOfExecutors(t *testing.T) {
	m := instant()
	m.NMStartMS, m.ExecutorStartMS, m.ExecutorReadyMS = 50, 3000, 200
	l := &Latencies{AMMS: trace.Unset, ExecutorMS: []int64{1000, trace.Unset, 20}}
	a := newApp(t, jobOf(delayed(stageOf(0, 1, 1), 600_000)), setup{conf: static(4), model: m, recorded: Recorded{Latencies: map[int64][]*Latencies{0: {l}}}}).register()
	a.Run(500)
	a.executors(0, 1, 2, 3).Run(10_000) // which come at 600
	for c, want := range map[int64]int64{2: 1600, 3: 3650, 4: 650, 5: 3650} {
		if got := a.Container(c).Registered; got != want {
			t.Errorf("the executor in container %d registers at %d ms, want %d", c, got, want)
		}
	}
}

// What a replay does not follow of a configuration is said.
func TestWarningsOfSettings(t *testing.T) {
	cases := []struct {
		name     string
		s        setup
		recorded map[string]string
		want     []string // codes
	}{
		{"nothing", setup{conf: static(1)}, nil, nil},
		{"client mode", setup{conf: static(1)}, map[string]string{"spark.submit.deployMode": "client"}, nil},
		{"recorded decommissioning", setup{}, map[string]string{"spark.decommission.enabled": "true"}, []string{"decommission"}},
		{"keys that are not known", setup{conf: static(1)}, map[string]string{"spark.locality.luck": "1"}, []string{"unknown-keys"}},
		{"a key that is not modelled", setup{conf: static(1)}, map[string]string{"spark.driver.maxResultSize": "4g"}, []string{"spark.driver.maxResultSize"}},
		{"a file of pools that is not read", setup{conf: static(1)}, map[string]string{"spark.scheduler.mode": "FAIR", "spark.scheduler.allocation.file": "pools.xml"}, []string{"pools"}},
		{"the file that is read", setup{conf: static(1), file: "pools.xml"}, map[string]string{"spark.scheduler.mode": "FAIR", "spark.scheduler.allocation.file": "pools.xml"}, nil},
		{"a file in FIFO mode", setup{conf: static(1)}, map[string]string{"spark.scheduler.allocation.file": "pools.xml"}, nil},
		{"FAIR mode without a file", setup{conf: static(1), file: "pools.xml"}, map[string]string{"spark.scheduler.mode": "FAIR"}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			j := jobOf(stageOf(0, 1, 1))
			for k, v := range c.recorded {
				j.Conf = append(j.Conf, trace.KeyValue{Key: k, Value: v})
			}
			p, err := newKind(t, c.s).Plan(j)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, w := range p.Warnings {
				got = append(got, w.Code)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("warnings (-want +got)\n%s", d)
			}
		})
	}
}

// Copies are made whatever records their tasks have read, which is said once, of the jobs that speculate by that.
func TestSpeculationSaysThatItKnowsNoRecords(t *testing.T) {
	const on, efficient = "spark.speculation", "spark.speculation.efficiency.enabled"
	for _, c := range []struct {
		name    string
		conf    map[string]string
		attempt int
		said    bool
	}{
		{"no speculation", static(1), 1, false},
		{"speculation", static(1, on, "true"), 1, true},
		{"without its efficiency", static(1, on, "true", efficient, "false"), 1, false},
		{"efficiency of nothing", static(1, efficient, "true"), 1, false},
		{"a second attempt of a job that was counted", static(1, on, "true"), 2, false},
	} {
		a := newApp(t, jobOf(stageOf(0, 1, 1)), setup{conf: c.conf})
		a.Number = c.attempt
		a.register()
		said := slices.DeleteFunc(a.d.kind.Remarks(), func(w record.Warning) bool { return w.Code != "speculation-efficiency" })
		if len(said) > 1 || (len(said) == 1) != c.said || c.said && !strings.Contains(said[0].Text, "in 1 of 1 jobs slow tasks have copies as with spark.speculation.efficiency.enabled=false") {
			t.Errorf("%s: %+v, want a remark: %v", c.name, said, c.said)
		}
	}
}

// Recorded failures that a replay is not given attempts of are not repeated, which is said once, with their sums.
func TestRetriesThatAreNotRepeated(t *testing.T) {
	failing := jobOf(stageOf(0, 3, 1))
	failing.Stages[0].Tasks.Retries = []int32{2, trace.Unset, 1}
	whole := jobOf(stageOf(0, 1, 1))
	whole.ID, whole.Stages[0].Tasks.Retries = 1, []int32{0}
	for _, c := range []struct {
		recorded Recorded
		want     string
	}{
		{Recorded{}, "tasks of 1 of 2 Spark applications failed by themselves when they were recorded, 3 times in all"},
		{Recorded{Attempts: map[int64][]RecordedAttempt{failing.ID: {{Stage: 0, Task: 0, End: AttemptFailed}}}}, ""},
	} {
		k := newKind(t, setup{conf: static(1), recorded: c.recorded})
		for _, j := range []*trace.Job{failing, whole} {
			if _, err := k.Plan(j); err != nil {
				t.Fatal(err)
			}
		}
		said := k.Remarks()
		if (c.want == "") != (len(said) == 0) || c.want != "" && !strings.Contains(said[0].Text, c.want) {
			t.Errorf("said %+v, want %q", said, c.want)
		}
	}
}
