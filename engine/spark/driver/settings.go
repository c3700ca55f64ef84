package driver

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"replay/engine/master"
	"replay/engine/record"
	"replay/engine/spark/allocator"
	sparkconf "replay/engine/spark/conf"
	"replay/policy/resource"
	"replay/trace"
)

// settings are the resolved configuration of one job.
type settings struct {
	conf        *sparkconf.Conf
	amSize      resource.Resource
	profiles    []profile                   // by id, 0 is the application's own
	execs       []allocator.ExecutorProfile // of the profiles
	perExec     []int                       // likewise: tasks of an executor
	cpus        []int32                     // and cores of a task
	coreless    bool                        // tasks of one of them need no core
	plan        *master.Plan                // of jobs of which no latencies are recorded
	priority    int32
	maxAttempts int // 0 or less = as many as YARN allows
	warnings    []record.Warning
	own         []string // keys of spark-defaults.conf that the job sets itself
	idle        []string // keys of the user's that it does not read, each behind the switch
}

// profile is a Spark resource profile as far as containers and slots go.
type profile struct {
	over    sparkconf.Overrides
	size    resource.Resource // of its executors' containers, as asked
	cores   int
	cpus    int  // of a task
	perExec int  // tasks at a time
	limited bool // by further resources, not by cores
}

// offered returns how many cores of an executor tasks can use: all of them, also by tasks of another profile, but where custom resources run out
// before cores do.
func (p *profile) offered() int32 {
	if p.limited {
		return int32(min(p.cores, p.perExec*max(p.cpus, 1)))
	}
	return int32(p.cores)
}

// settings resolves a job's configuration, once for all jobs that say the same. What has to be said of a single job is not shared.
func (k *Kind) settings(j *trace.Job) (*settings, error) {
	k.jobs++
	key, shared := said(k.said[:0], j)
	k.said = key
	set := k.known[string(key)]
	if set == nil || !shared {
		var err error
		if set, err = k.resolve(j); err != nil {
			return nil, err
		}
		if shared && len(set.warnings) == 0 {
			if len(k.known) == mostKnown {
				clear(k.known)
			}
			k.known[string(key)] = set
		}
	}
	for _, key := range set.own {
		k.own[key]++
	}
	for _, key := range set.idle {
		k.idle[key]++
	}
	return set, nil
}

// mostKnown is how many different configurations are kept.
const mostKnown = 1000

// said appends everything of a job that its configuration depends on. Jobs with resource profiles of their own share nothing.
func said(b []byte, j *trace.Job) (key []byte, shared bool) {
	for i := range j.Stages {
		if j.Stages[i].Profile != 0 {
			return b, false
		}
	}
	for _, n := range [...]int64{j.AMMemMiB, int64(j.AMVCores), j.ExecMemMiB, int64(j.ExecVCores), int64(j.TaskCPUs),
		int64(j.MinExecs), int64(j.MaxExecs), int64(j.InitialExecs), int64(j.Priority)} {
		b = binary.AppendVarint(b, n)
	}
	for _, kv := range j.Conf {
		b = append(binary.AppendUvarint(b, uint64(len(kv.Key))), kv.Key...)
		b = append(binary.AppendUvarint(b, uint64(len(kv.Value))), kv.Value...)
	}
	return b, true
}

// resolves a job's configuration: the defaults of Spark and of a replay, spark-defaults.conf, what was recorded
// with the job (its columns, then its keys), and the user's single keys, the last one winning.
func (k *Kind) resolve(j *trace.Job) (*settings, error) {
	recorded := map[string]string{}
	for _, kv := range j.Conf {
		recorded[kv.Key] = kv.Value
	}
	layers := []sparkconf.Layer{
		{Name: "default", Values: map[string]string{"spark.submit.deployMode": "cluster"}},
		k.Defaults,
		{Name: fmt.Sprintf("job %d", j.ID), Values: columns(j, recorded)},
		{Name: fmt.Sprintf("job %d", j.ID), Values: recorded},
	}
	conf, notes, err := sparkconf.Parse(append(layers, k.Over...)...)
	if err != nil {
		return nil, err
	}
	if !conf.DynamicAllocation && conf.InitialTarget() < 1 { // as spark-submit refuses it
		return nil, fmt.Errorf("spark.executor.instances is %d without spark.dynamicAllocation.enabled, want 1 or more", conf.InitialTarget())
	}
	set := &settings{conf: conf, priority: int32(conf.YarnPriority), own: k.ownKeys(j, layers[2:])}
	for _, w := range notes.Warnings {
		set.warnings = append(set.warnings, record.Warning{Code: w.Key, Text: w.Text})
	}
	if len(notes.Unknown) > 0 {
		set.warnings = append(set.warnings, record.Warning{Code: "unknown-keys",
			Text: fmt.Sprintf("job %d: keys that are not known here change nothing: %s", j.ID, strings.Join(notes.Unknown, ", "))})
	}
	if conf.FairMode && conf.AllocationFile != "" && conf.AllocationFile != k.PoolsFile {
		set.warnings = append(set.warnings, record.Warning{Code: "pools",
			Text: fmt.Sprintf("job %d: spark.scheduler.allocation.file=%s is not read, --conf names the file of a replay: pools have weight 1 and no minimum share", j.ID, conf.AllocationFile)})
	}
	if set.priority == 0 {
		set.priority = j.Priority
	}
	set.maxAttempts = conf.MaxAppAttempts
	own := k.without(layers, conf)
	if set.amSize, err = k.amSize(j, conf, own); err != nil {
		return nil, err
	}
	set.idle = k.idleKeys(conf)
	if conf.Decommission && !conf.ShuffleService {
		// The time that the blocks of an executor take to move is not known.
		if k.sets("spark.decommission.enabled", "spark.shuffle.service.enabled") {
			return nil, fmt.Errorf("spark.decommission.enabled without spark.shuffle.service.enabled is not modelled: want the shuffle service, or no decommissioning")
		}
		conf.Decommission = false
		set.warnings = append(set.warnings, record.Warning{Code: "decommission",
			Text: "spark.decommission.enabled without the shuffle service is not modelled: idle executors are killed"})
	}
	switch {
	case !conf.Decommission || !conf.DynamicAllocation:
	case conf.MigratesShuffles():
		set.warnings = append(set.warnings, record.Warning{Code: "decommission",
			Text: "spark.storage.decommission.enabled: shuffle blocks of a decommissioned executor move to others at once, as the time that it takes is not known"})
	default:
		set.warnings = append(set.warnings, record.Warning{Code: "decommission",
			Text: "spark.decommission.enabled without spark.storage.decommission.enabled: what map tasks of a running stage have written on an executor that is decommissioned when idle is written again, as Spark does with the shuffle service, too"})
	}
	if err := set.addProfiles(k, j, own); err != nil {
		return nil, err
	}
	return set, nil
}

// addProfiles resolves the resource profiles of the job's stages.
func (set *settings) addProfiles(k *Kind, j *trace.Job, own *sparkconf.Conf) error {
	const most = 64
	known := map[int32]bool{}
	add := func(id int32, st *trace.Stage) error {
		if known[id] {
			return nil
		}
		known[id] = true
		if id < 0 || id >= most {
			return fmt.Errorf("stage %d has resource profile %d, want 0 to %d", st.ID, id, most-1)
		}
		for int(id) >= len(set.profiles) {
			set.profiles = append(set.profiles, profile{})
		}
		var err error
		set.profiles[id], err = profileOf(k, j, id, st, set.conf, own)
		return err
	}
	if err := add(0, &trace.Stage{}); err != nil {
		return err
	}
	for i := range j.Stages {
		if err := add(j.Stages[i].Profile, &j.Stages[i]); err != nil {
			return err
		}
	}
	for id := range set.profiles {
		if !known[int32(id)] {
			set.profiles[id] = set.profiles[0] // a number between that no stage uses
		}
		p := &set.profiles[id]
		set.coreless = set.coreless || p.cpus < 1
		set.execs = append(set.execs, allocator.ExecutorProfile{Size: p.size, PerExec: p.perExec})
		set.perExec, set.cpus = append(set.perExec, p.perExec), append(set.cpus, int32(p.cpus))
	}
	return nil
}

// profileOf resolves resource profile id, as stage st has it; own is the job's configuration without the user's keys.
func profileOf(k *Kind, j *trace.Job, id int32, st *trace.Stage, conf, own *sparkconf.Conf) (profile, error) {
	p := profile{over: sparkconf.DefaultProfile}
	if id != 0 {
		if st.ExecVCores > 0 {
			p.over.Cores = int(st.ExecVCores)
		}
		if st.TaskVCores > 0 {
			p.over.TaskCPUs = int(st.TaskVCores)
		}
		p.over.Resources = []sparkconf.CustomResource{}
		for _, x := range st.ExecExtra {
			p.over.Resources = append(p.over.Resources, sparkconf.CustomResource{Name: x.Name, Executor: x.Value})
		}
	}
	mem := j.ExecMemMiB
	if id != 0 && st.ExecMemMiB > 0 {
		mem = st.ExecMemMiB
	}
	var err error
	if p.size, err = k.containerSize(mem, p.over, conf, own); err != nil {
		return p, err
	}
	p.cores, p.cpus, p.perExec = conf.ExecutorCores, conf.TaskCPUs, conf.TasksPerExecutor(p.over)
	if p.over.Cores != sparkconf.Unset {
		p.cores = p.over.Cores
	}
	if p.over.TaskCPUs != sparkconf.Unset {
		p.cpus = p.over.TaskCPUs
	}
	if id != 0 && st.ExecTasks > 0 {
		p.perExec = min(p.perExec, int(st.ExecTasks))
	}
	if id != 0 && !conf.DynamicAllocation && (p.cores != conf.ExecutorCores || len(st.ExecExtra) > 0 || st.ExecMemMiB > 0 && st.ExecMemMiB != j.ExecMemMiB) {
		return p, fmt.Errorf("stage %d has resource profile %d with executors of its own, which needs spark.dynamicAllocation.enabled", st.ID, id)
	}
	p.limited = p.perExec < p.cores/max(p.cpus, 1)
	if p.perExec < 1 {
		return p, fmt.Errorf("an executor of %d cores can't run a task of %d (spark.executor.cores, spark.task.cpus)", p.cores, p.cpus)
	}
	return p, nil
}

// columns turns what the jobs table says into Spark's keys. A job that names bounds of its executors
// and no setting of its own is taken to run with dynamic allocation and the external shuffle service,
// as is usual on YARN.
func columns(j *trace.Job, recorded map[string]string) map[string]string {
	out := map[string]string{}
	put := func(key string, v int32) {
		if v > 0 {
			out[key] = strconv.Itoa(int(v))
		}
	}
	put("spark.executor.cores", j.ExecVCores)
	put("spark.task.cpus", j.TaskCPUs)
	enabled, ok := recorded["spark.dynamicAllocation.enabled"]
	if !ok && (j.MaxExecs > 0 || j.MinExecs > 0 || j.InitialExecs > 0) {
		out["spark.dynamicAllocation.enabled"] = "true"
		out["spark.shuffle.service.enabled"] = "true"
		enabled = "true"
	}
	if strings.EqualFold(strings.TrimSpace(enabled), "true") {
		put("spark.dynamicAllocation.minExecutors", j.MinExecs)
		put("spark.dynamicAllocation.maxExecutors", j.MaxExecs)
		put("spark.dynamicAllocation.initialExecutors", j.InitialExecs)
	}
	return out
}
