// Package mapreduce makes the stages of MapReduce jobs from what any history says of their tasks.
package mapreduce

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"replay/policy/resource"
	"replay/trace"
	"replay/trace/importer/recorded"
	"replay/trace/importer/workload"
)

// Attempt is an attempt of a task. Times are ms of the source's clock.
type Attempt struct {
	Begin    int64 // of its work
	Finish   int64
	Shuffled int64 // of a reduce: when it had fetched its input; 0 = not known
	DelayMS  int64 // from the assignment of its container to Begin, or trace.Unset
	Host     string
	Locality string // as [trace.Tasks] has it; "" = not known
}

// Task is a task with its attempts.
type Task struct {
	Done       *Attempt // the one that succeeded, nil = none
	Tried      *Attempt // of the others the one whose time stands for the task if none succeeded; nil = none
	Lost       bool     // one succeeded, and its times are not known: that of the task is the median of the others of its kind
	Failed     int32    // attempts that failed by themselves
	Preferred  []string // hosts
	WaitMS     int64    // before the attempt began, or trace.Unset
	InputBytes int64
	FetchMS    int64 // of a reduce: time for its shuffle by a rule, in place of the recorded one; trace.Unset = as recorded
}

// Size is that of a container.
type Size struct {
	MemMiB int64
	VCores int32
}

// The kinds of tasks.
const (
	Map = iota
	Reduce
)

// Stage makes the maps or reduces of a job, behind the stages that it has. A task's time is that of the attempt that succeeded, from the moment at which its process
// asked for its work. A reduce's counts from the last map's end, if that came later: it waited until then.
func Stage(c *workload.Counts, a *workload.Application, kind int, size Size, tasks []Task, lastMap int64) (trace.Stage, recorded.Stage) {
	name := [...]string{"map", "reduce"}[kind]
	st := trace.NewStage(int32(len(a.Job.Stages)), [...]string{trace.StageInput, trace.StageResult}[kind])
	st.Name = name
	if kind == Reduce && st.ID > 0 {
		st.Parents = []int32{st.ID - 1}
	}
	st.TaskMemMiB, st.TaskVCores = size.MemMiB, size.VCores
	n := len(tasks)
	st.Tasks = trace.NewTasks(n)
	t := &st.Tasks
	t.SchedDelayMS, t.Retries = make([]int64, n), make([]int32, n)
	t.RecordedNode, t.RecordedLocality = make([]int32, n), make([]string, n)
	if kind == Reduce {
		t.DeserializeMS = make([]int64, n)
	}
	if slices.ContainsFunc(tasks, func(t Task) bool { return t.WaitMS > 0 }) {
		t.RecordedWaitMS = make([]int64, n)
	}
	prefs := make([][]int32, n)
	seen := recorded.Stage{SparkStage: st.ID, Attempts: 1, SubmitMS: trace.Unset, FinishMS: trace.Unset}
	var lost []int
	var known []int64 // durations of those that succeeded
	for i := range tasks {
		x := &tasks[i]
		t.InputBytes[i], t.Retries[i], t.SchedDelayMS[i], t.RecordedNode[i] = x.InputBytes, x.Failed, trace.Unset, trace.Unset
		if t.RecordedWaitMS != nil {
			t.RecordedWaitMS[i] = x.WaitMS
		}
		for _, h := range x.Preferred {
			if n := a.Host(h); !slices.Contains(prefs[i], n) {
				prefs[i] = append(prefs[i], n)
			}
		}
		ran := x.Done
		switch {
		case ran == nil && x.Lost:
			lost = append(lost, i)
			continue
		case ran == nil && x.Tried == nil:
			c.Defaulted["tasks_that_did_not_succeed_have_no_time"]++
			continue
		case ran == nil:
			c.Modelled["times_of_tasks_that_did_not_succeed"]++
			ran = x.Tried
		}
		begin := ran.Begin
		if kind == Reduce {
			begin = max(begin, lastMap)
			t.DeserializeMS[i] = max(ran.Shuffled-begin, 0)
		}
		t.DurationMS[i], t.SchedDelayMS[i] = max(ran.Finish-begin, 0), ran.DelayMS
		if kind == Reduce {
			if x.FetchMS != trace.Unset {
				t.DurationMS[i] = max(ran.Finish-max(ran.Shuffled, begin), 0) + x.FetchMS
				t.DeserializeMS[i] = x.FetchMS
				c.Modelled["times_of_shuffles"]++
			}
			t.DeserializeMS[i] = min(t.DeserializeMS[i], t.DurationMS[i])
		}
		if ran.Host != "" {
			t.RecordedNode[i] = a.Host(ran.Host)
		}
		t.RecordedLocality[i] = ran.Locality
		if x.Done != nil {
			seen.FinishMS = max(seen.FinishMS, ran.Finish)
			known = append(known, t.DurationMS[i])
		}
	}
	if len(lost) > 0 {
		c.Modelled["times_of_attempts_that_cannot_be"] += int64(len(lost))
		slices.Sort(known)
		for _, i := range lost {
			if len(known) > 0 {
				t.DurationMS[i] = known[len(known)/2]
			}
		}
	}
	t.SetPrefs(prefs)
	return st, seen
}

// Priority is YARN's number for the priority of a job: VERY_LOW to VERY_HIGH, or a number; 0 for DEFAULT, UNDEFINED_PRIORITY and none. Another word is 0, too, and counted in c.
//
// Source: TypeConverter.toYarnApplicationPriority.
func Priority(name string, c *workload.Counts) int32 {
	if i := slices.Index([]string{"", "VERY_LOW", "LOW", "NORMAL", "HIGH", "VERY_HIGH"}, strings.ToUpper(name)); i > 0 {
		return int32(i)
	}
	n, err := strconv.ParseInt(name, 10, 32)
	if err == nil && n >= 0 {
		return int32(n)
	}
	if !slices.Contains([]string{"", "DEFAULT", "UNDEFINED_PRIORITY"}, strings.ToUpper(name)) {
		c.Defaulted["priorities_of_words_that_are_not_known"]++
	}
	return 0
}

// followed are keys of a job's configuration that decide something in a replay, in order, with what their values can be.
var followed = []struct {
	key  string
	good func(string) bool
}{
	{"mapreduce.job.reduce.slowstart.completedmaps", share},
	{"mapreduce.job.running.map.limit", whole(0, 31)}, {"mapreduce.job.running.reduce.limit", whole(0, 31)},
	{"mapreduce.job.ubertask.enable", truth}, {"mapreduce.job.ubertask.maxbytes", whole(0, 63)},
	{"mapreduce.job.ubertask.maxmaps", whole(0, 31)}, {"mapreduce.job.ubertask.maxreduces", whole(0, 31)},
	{"mapreduce.map.failures.maxpercent", whole(0, 31)}, {"mapreduce.map.maxattempts", whole(1, 31)}, {"mapreduce.map.speculative", truth},
	{"mapreduce.reduce.failures.maxpercent", whole(0, 31)}, {"mapreduce.reduce.maxattempts", whole(1, 31)}, {"mapreduce.reduce.speculative", truth},
}

func share(text string) bool {
	v, err := strconv.ParseFloat(text, 32)
	return err == nil && v >= 0 && v <= 1
}

func truth(text string) bool { return text == "true" || text == "false" }

// whole tells of whole numbers of least or more that have so many bits.
func whole(least uint64, bits int) func(string) bool {
	return func(text string) bool {
		n, err := strconv.ParseUint(text, 10, bits)
		return err == nil && n >= least
	}
}

// Conf takes the keys of a job's configuration that decide something in a replay and have a value that can be: whole numbers for sizes and counts, shares
// of 0 to 1 for slow start, true or false.
func Conf(j *trace.Job, value func(key string) string) {
	for _, f := range followed {
		if text := strings.TrimSpace(value(f.key)); f.good(text) {
			j.Conf = append(j.Conf, trace.KeyValue{Key: f.key, Value: text})
		}
	}
}

// Uber makes a job run in its application master in a replay, as it did when it was recorded, whatever bounds its tasks: see the keys that begin with
// mapreduce.job.ubertask. in [Conf].
func Uber(value func(key string) string, maps, reduces int, bytes int64) func(key string) string {
	bounds := map[string]struct{ bound, has int64 }{
		"mapreduce.job.ubertask.maxmaps":    {9, int64(maps)},
		"mapreduce.job.ubertask.maxreduces": {1, int64(reduces)},
		"mapreduce.job.ubertask.maxbytes":   {128 << 20, bytes},
	}
	return func(key string) string {
		if key == "mapreduce.job.ubertask.enable" {
			return "true"
		}
		b, ok := bounds[key]
		if text := value(key); !ok || Number(text, b.bound) >= b.has {
			return text
		}
		return strconv.FormatInt(b.has, 10)
	}
}

// sizeOf is the size of a container by a job's configuration, 0 for what is not set or no size: the resource requests PREFIXmemory-mb, PREFIXmemory and
// PREFIXvcores come before the keys mb and vcores.
//
// Source: YARNRunner.generateResourceRequests, TaskAttemptImpl.populateResourceCapability.
func sizeOf(value func(key string) string, prefix, mb, vcores string) Size {
	size := Size{Number(value(mb), 0), int32(Number(value(vcores), 0))}
	for _, name := range []string{"memory", "memory-mb"} {
		if n, ok := asked(value(prefix+name), "Mi"); ok {
			size.MemMiB = n
		}
	}
	if n, ok := asked(value(prefix+"vcores"), ""); ok {
		size.VCores = int32(n)
	}
	return size
}

// asked is the amount of a resource request; one that no container can have counts as not set.
func asked(text, unit string) (n int64, ok bool) {
	n, ok = resource.ParseAmount(strings.TrimSpace(text), unit)
	return n, ok && n > 0 && n <= math.MaxInt32
}

// MasterMiB is the memory of an application master whose configuration does not say it.
//
// Source: MRJobConfig.DEFAULT_MR_AM_VMEM_MB.
const MasterMiB = 1536

// Master is [sizeOf] of the application master.
func Master(value func(key string) string) Size {
	const prefix = "yarn.app.mapreduce.am.resource."
	return sizeOf(value, prefix, prefix+"mb", prefix+"cpu-vcores")
}

// OfTask is [sizeOf] of a map or a reduce.
func OfTask(value func(key string) string, kind string) Size {
	prefix := "mapreduce." + kind + "."
	return sizeOf(value, prefix+"resource.", prefix+"memory.mb", prefix+"cpu.vcores")
}

// Number is a whole number of 1 or more of a configuration; what is none counts as not set.
func Number(text string, otherwise int64) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
	if err != nil || n <= 0 {
		return otherwise
	}
	return n
}

// Locality is where a host stands to the preferred ones: "" without any, else NODE_LOCAL, RACK_LOCAL or ANY.
func Locality(host string, preferred []string, rackOf func(host string) string) string {
	switch {
	case len(preferred) == 0 || host == "":
		return ""
	case slices.Contains(preferred, host):
		return "NODE_LOCAL"
	case slices.ContainsFunc(preferred, func(p string) bool { return rackOf(p) == rackOf(host) }):
		return "RACK_LOCAL"
	}
	return "ANY"
}

// NoHost is the host of an attempt that was stopped before it had a container.
//
// Source: TaskAttemptImpl.createTaskAttemptUnsuccessfulCompletionEvent.
const NoHost = "UNKNOWN"

// HostOf takes a path such as /rack1/host apart; without a rack that is "".
func HostOf(path string) (host, rack string) {
	i := strings.LastIndexByte(path, '/')
	if i > 0 {
		rack = "/" + strings.Trim(path[:i], "/")
	}
	return path[i+1:], rack
}

// Outcome is the outcome of a job by its state; "" or an unknown one is censored: its history has no end.
func Outcome(state string) string {
	switch strings.ToUpper(state) {
	case "SUCCESS", "SUCCEEDED":
		return "success"
	case "FAILED", "ERROR":
		return "failed"
	case "KILLED":
		return "killed"
	}
	return "censored"
}
