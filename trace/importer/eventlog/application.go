package eventlog

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"replay/trace"
	"replay/trace/importer/recorded"
	"replay/trace/importer/workload"
)

// TaskID says which task of Spark's a task of a stage is, where it was first seen: the attempt of the stage, the
// index within it, and the partition.
type TaskID struct{ Attempt, Index, Partition int32 }

// buildApp turns a log into an application of a trace. The error says what the log lacks.
func buildApp(a *appLog, counts *workload.Counts) (*Application, error) {
	if !a.started {
		return nil, fmt.Errorf("no SparkListenerApplicationStart, want one near the beginning")
	}
	a.addUnannounced(counts)
	a.addEnds(counts)
	if n := len(a.unknownKeys()); n > 0 {
		counts.Defaulted["redacted_properties"] += int64(n)
	}
	manager := a.manager(counts)
	conf := yarnConf(a, manager, counts)
	own := conf.executorShape(nil)
	am := conf.amShape()
	b := &appBuilder{log: a, conf: conf, counts: counts, dag: newDAG(a, counts.Dropped), own: own, makers: map[int32]int32{}, behind: map[int32][]int32{}}
	out := &Application{Application: workload.Application{
		User: a.start.user, Queue: conf.text("spark.yarn.queue", "default"), Attempt: a.start.attempt, Manager: manager, Hosts: a.hosts,
	}}
	out.Job = *trace.NewJob(trace.KindSpark)
	j := &out.Job
	j.Name, j.ExternalID, j.AMMemMiB, j.AMVCores = a.start.name, a.start.id, am.memMiB, am.vcores
	j.ExecMemMiB, j.ExecVCores, j.TaskCPUs = own.memMiB, own.vcores, int32(conf.within("spark.task.cpus", 1, 1, int64(own.vcores), "spark.executor.cores"))
	j.Priority = int32(conf.count("spark.yarn.priority", 0))
	out.AMExtra = conf.amFurtherResources()
	j.RecordedStartMS, j.RecordedOutcome = a.start.at, outcome(a)
	j.SubmitMS = a.submitted(counts)
	if a.end != absent {
		j.RecordedFinishMS = max(a.end, j.RecordedStartMS)
	}
	setBounds(j, conf)
	for _, k := range slices.Sorted(maps.Keys(conf.set)) {
		if len(k) > 6 && k[:6] == "spark." {
			j.Conf = append(j.Conf, trace.KeyValue{Key: k, Value: conf.set[k]})
		}
	}
	ready := conf.gate(max(a.start.at, a.amAt), a.registrations())
	if err := b.stages(out, ready); err != nil {
		return nil, err
	}
	if last := b.lastEnd; a.end != absent && last != absent {
		if j.TailMS = max(0, a.end-last); j.TailMS > trace.LongestMS {
			return nil, fmt.Errorf("the application ended at %d ms, and its last stage at %d ms, want at most a year between them", a.end, last)
		}
	}
	out.Executors, out.ExecutorExtra = b.executors(j.SubmitMS)
	if conf.err != nil {
		return nil, conf.err
	}
	out.Containers = map[string]int32{}
	for _, e := range a.executors {
		if e.container != "" {
			out.Containers[e.container] = e.id
		}
	}
	out.Recorded = &recorded.App{
		ID: a.start.id, Name: a.start.name, SubmitMS: j.SubmitMS, StartMS: a.start.at, ReadyMS: ready, FinishMS: unset(a.end),
		Stages: b.recorded,
	}
	for _, k := range a.jobs {
		out.Recorded.Jobs = append(out.Recorded.Jobs, recorded.Job{ID: k.id, SubmitMS: k.at, FinishMS: unset(k.end), OK: k.ok})
	}
	return out, nil
}

// outcome is how the application ended. Before Spark 4 a log does not say: what ended with a Spark job that failed, or within one, is taken for
// neither a success nor a failure.
func outcome(a *appLog) string {
	switch {
	case a.end == absent:
		return "censored"
	case a.exitCode != absent && a.exitCode != 0:
		return "failed"
	case a.exitCode == absent && !a.lastJobOK():
		return ""
	}
	return "success"
}

// lastJobOK reports whether all jobs have ended, the last of them well.
func (a *appLog) lastJobOK() bool {
	last, ok := int64(absent), true
	for _, j := range a.jobs {
		if j.done == absent {
			return false
		}
		if j.done >= last {
			last, ok = j.done, j.ok // which one without an end of its own is not
		}
	}
	return ok
}

// submitted is when the application was handed in: spark.app.submitTime, which spark-submit sets,
// else the start of its driver.
func (a *appLog) submitted(counts *workload.Counts) int64 {
	const day = 86_400_000
	if at, err := strconv.ParseInt(a.conf["spark.app.submitTime"], 10, 64); err == nil && at <= a.start.at && at > a.start.at-day {
		return at
	}
	counts.Defaulted["submit_time_is_driver_start"]++
	return a.start.at
}

func (a *appLog) registrations() []int64 {
	var at []int64
	for _, e := range a.executors {
		at = append(at, e.at)
	}
	slices.Sort(at)
	return at
}

// standalone, localMaster and mesos pass over spark.executor.instances: how many executors there are follows from spark.cores.max
// and the machines.
const standalone, localMaster, mesos = "standalone Spark", "a local master", "Mesos"

// managers are the cluster managers by what spark.master begins with, and by the ids that they give.
var managers = []struct {
	master, name string
	id           *regexp.Regexp
}{
	{"yarn", trace.YARN, regexp.MustCompile(`^application_[0-9]+_[0-9]+$`)},
	{"k8s:", "Kubernetes", regexp.MustCompile(`^spark-[0-9a-f]{32}$`)},
	{"spark:", standalone, regexp.MustCompile(`^app-[0-9]+-[0-9]+$`)},
	{"local", localMaster, regexp.MustCompile(`^local-[0-9]+$`)},
	{"mesos:", mesos, nil},
}

// manager returns what ran the application: by its spark.master, or by its id if the log lost that or hides it. Another
// master is named as it is; "" if nothing tells.
func (a *appLog) manager(counts *workload.Counts) string {
	master := a.conf["spark.master"]
	hidden := master == "" || strings.HasSuffix(master, redacted)
	for _, m := range managers {
		switch {
		case !hidden && strings.HasPrefix(master, m.master):
			return m.name
		case !hidden || m.id == nil || !m.id.MatchString(a.start.id):
			continue
		case m.name == trace.YARN: // which makes a difference to what follows
			if a.conf == nil {
				a.conf = map[string]string{}
			}
			a.conf["spark.master"] = m.master
			counts.Defaulted["spark.master_by_application_id"]++
		}
		return m.name
	}
	if hidden {
		return ""
	}
	return fmt.Sprintf("the master %.40q", master)
}

// yarnConf returns the properties of the application as they would be on YARN: a log of another
// cluster manager gets the executors that it had.
func yarnConf(a *appLog, manager string, counts *workload.Counts) *sparkConf {
	c := &sparkConf{set: maps.Clone(a.conf)}
	if c.set == nil {
		c.set = map[string]string{}
	}
	if _, ok := c.set["spark.dynamicAllocation.enabled"]; !ok && a.ownExecutors() {
		// Spark runs executors of a profile with dynamic allocation alone: the log lost its properties.
		c.set["spark.dynamicAllocation.enabled"], c.set["spark.dynamicAllocation.shuffleTracking.enabled"] = "true", "true"
		counts.Defaulted["spark.dynamicAllocation.enabled_by_resource_profile"]++
	}
	if _, ok := c.set["spark.submit.deployMode"]; !ok && c.set["spark.master"] == "yarn-cluster" { // of Spark 1
		c.set["spark.submit.deployMode"] = "cluster"
		counts.Defaulted["spark.submit.deployMode_by_spark.master"]++
	}
	model := func(key, value string, always bool) {
		if set, ok := c.set[key]; set != value && (!ok || always) {
			c.set[key] = value
			counts.Modelled["set_"+key]++
		}
	}
	if p, ok := a.profiles[0]; ok {
		c.fromProfile(p, model)
	}
	if cores := a.ownCores(c.onYARN()); cores > 1 || cores == 1 && !c.onYARN() {
		model("spark.executor.cores", strconv.FormatInt(cores, 10), manager == localMaster)
	}
	if c.onYARN() {
		if n := a.mostExecutors(); n > 0 && slices.Contains(a.hidden, "spark.executor.instances") && !c.bool("spark.dynamicAllocation.enabled", false) {
			model("spark.executor.instances", strconv.Itoa(n), false)
		}
		return c
	}
	counts.Modelled["applications_of_another_cluster_manager_on_yarn"]++
	if memory, ok := c.set["spark.driver.memory"]; ok && manager == localMaster && !a.cluster() { // whose executor is the driver
		model("spark.executor.memory", memory, true)
	}
	if manager == localMaster && !a.cluster() && c.bool("spark.dynamicAllocation.enabled", false) { // Utils.isDynamicAllocationEnabled
		model("spark.dynamicAllocation.enabled", "false", true)
	}
	if n := a.mostExecutors(); n > 0 && !c.bool("spark.dynamicAllocation.enabled", false) {
		model("spark.executor.instances", strconv.Itoa(n), manager == localMaster || manager == standalone || manager == mesos)
	}
	return c
}

// cluster reports whether a local master began executors of their own: local-cluster[N,CORES,MEMORY].
func (a *appLog) cluster() bool { return strings.HasPrefix(a.conf["spark.master"], "local-cluster") }

// ownCores are the cores of the largest executor that came for no resource profile, 0 if there was none; of those that
// an event added, where announced is wanted.
func (a *appLog) ownCores(announced bool) (most int64) {
	for _, e := range a.executors {
		if e.profile == 0 && (e.announced || !announced) {
			most = max(most, e.cores)
		}
	}
	return most
}

// ownExecutors reports whether an executor came for a resource profile that says what its executors are.
func (a *appLog) ownExecutors() bool {
	return slices.ContainsFunc(a.executors, func(e executorLog) bool { return e.profile != 0 && a.profiles[e.profile].ownExecutors })
}

// mostExecutors is how many executors lived at a time, at most.
func (a *appLog) mostExecutors() int {
	type change struct {
		at int64
		by int
	}
	var cs []change
	for _, e := range a.executors {
		cs = append(cs, change{e.at, 1})
		if e.removed != absent {
			cs = append(cs, change{e.removed, -1})
		}
	}
	slices.SortFunc(cs, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	now, most := 0, 0
	for _, c := range cs {
		now += c.by
		most = max(most, now)
	}
	return most
}

// setBounds sets the bounds of dynamic allocation; an application without it has none.
func setBounds(j *trace.Job, c *sparkConf) {
	if c.bool("spark.dynamicAllocation.enabled", false) {
		j.MinExecs = int32(c.count("spark.dynamicAllocation.minExecutors", 0))
		j.MaxExecs = int32(c.count("spark.dynamicAllocation.maxExecutors", math.MaxInt32))
		if j.MinExecs > j.MaxExecs {
			c.fail("spark.dynamicAllocation.maxExecutors", fmt.Sprintf("spark.dynamicAllocation.minExecutors (%d) or more", j.MinExecs))
		}
		j.InitialExecs = min(int32(c.initialExecutors()), j.MaxExecs)
	}
}

// clockStepMS is how far the clocks of a log may differ.
const clockStepMS = 60_000

// executors are the recorded ones, by id, with the further resources of each.
func (b *appBuilder) executors(submitMS int64) (kept []trace.Executor, extra [][]trace.NamedValue) {
	rows := slices.Clone(b.log.executors)
	slices.SortStableFunc(rows, func(x, y executorLog) int { return cmp.Compare(x.id, y.id) })
	unique := slices.CompactFunc(rows, func(x, y executorLog) bool { return x.id == y.id })
	b.counts.Dropped["executors_with_the_id_of_another"] += int64(len(rows) - len(unique))
	any := false
	for _, e := range unique {
		size, more := b.shape(e.profile), b.conf.furtherResources(b.profile(e.profile))
		x := trace.Executor{
			ID: e.id, Node: e.hostID, VCores: int32(e.cores), MemMiB: size.memMiB, Profile: e.profile,
			AddedMS: e.at, RemovedMS: unset(e.removed), Reason: e.reason,
		}
		if d := submitMS - x.AddedMS; d > 0 && d <= clockStepMS {
			x.AddedMS = submitMS
			b.counts.Modelled["executors_added_before_the_submission"]++
		}
		if x.RemovedMS != trace.Unset {
			x.RemovedMS = max(x.RemovedMS, x.AddedMS)
		}
		kept, extra, any = append(kept, x), append(extra, more), any || len(more) > 0
	}
	if !any {
		extra = nil
	}
	return kept, extra
}
