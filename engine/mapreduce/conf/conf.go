// Package conf reads the keys of a MapReduce job that decide what it asks for, how its tasks are retried and speculated, and when reduces begin.
//
// Source: MRJobConfig and mapred-default.xml of Hadoop 3.4.1.
package conf

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"replay/engine/mapreduce/allocator"
	"replay/engine/remark"
	"replay/policy/resource"
)

// A Task is what holds for all maps, or for all reduces.
type Task struct {
	Size               resource.Resource // of a container
	Uber               resource.Resource // what counts where a job may run in its application master
	MaxAttempts        int
	FailuresMaxPercent int // of the tasks, before the job fails
	Speculative        bool
}

// Speculation are the bounds of the speculator.
type Speculation struct {
	Allowed              int     // attempts at least
	RunningCap, TotalCap float64 // shares of the running and of all tasks
	RetryIdleMS, RetryMS int64   // wait after a scan without and with a launch
}

// Uber says which jobs run their tasks in the application master.
type Uber struct {
	Enabled       bool
	Maps, Reduces int
	Bytes         int64             // of input
	Room          resource.Resource // of the application master, as this decision counts it
}

// blockSize is that of a file system as HDFS has it (dfs.blocksize), which a job's input may have to run in the application master.
const blockSize = 128 << 20

// Conf is the configuration of a job.
type Conf struct {
	Allocator   allocator.Conf
	Map, Reduce Task
	Speculation Speculation
	Uber        Uber

	HeartbeatMS   int64
	ReportMS      int64 // interval of a task's reports of its progress; 0 is never
	TaskTimeoutMS int64 // a task that says nothing for so long fails; 0 or less is never
	StuckMS       int64 // likewise one that has not said anything yet
	CheckMS       int64 // interval of looking for such tasks

	FinishWhenReducesDone bool

	RefusedMS     int64 // since the ResourceManager last took a call, after which a master gives up that asks for too large containers
	AMSize        resource.Resource
	AMMaxAttempts int
	Recovery      bool
}

// reader reads values and keeps the first error.
type reader struct {
	values func(string) (string, bool)
	err    error
	odd    remark.List
}

// A ValueError says that the value of a key is none.
type ValueError struct{ Key, text string }

func (e *ValueError) Error() string { return e.text }

func (r *reader) text(key string) (string, bool) {
	v, ok := r.values(key)
	return strings.TrimSpace(v), ok
}

func (r *reader) wrong(key, value, wanted string) {
	if r.err == nil {
		text := fmt.Sprintf("%s is %q, want %s", key, value, wanted)
		if remark.HasPlaceholder(value) {
			text = fmt.Sprintf("%s is %q: %s", key, value, remark.NotFilledIn)
		}
		r.err = &ValueError{key, text}
	}
}

func (r *reader) long(key string, otherwise int64) int64 {
	v, ok := r.text(key)
	if !ok {
		return otherwise
	}
	digits, base, sign := v, 10, ""
	if strings.HasPrefix(digits, "-") {
		digits, sign = digits[1:], "-"
	}
	if hex, ok := strings.CutPrefix(strings.ToLower(digits), "0x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseInt(sign+digits, base, 64)
	if err != nil {
		r.wrong(key, v, "a whole number")
		return otherwise
	}
	return n
}

func (r *reader) int(key string, otherwise int64) int {
	n := r.long(key, otherwise)
	if n < math.MinInt32 || n > math.MaxInt32 {
		r.wrong(key, fmt.Sprint(n), "a number of 32 bits")
		return int(otherwise)
	}
	return int(n)
}

func (r *reader) float(key string, otherwise float64, bits int) float64 {
	v, ok := r.text(key)
	if !ok {
		return otherwise
	}
	f, is := resource.ParseFloat(v, bits)
	if !is {
		r.wrong(key, v, "a number")
		return otherwise
	}
	return f
}

func (r *reader) single(key string, otherwise float32) float32 {
	return float32(r.float(key, float64(otherwise), 32))
}

// slowStart is the share of the maps that must be complete for reduces to be asked for.
func (r *reader) slowStart() float32 {
	const key = "mapreduce.job.reduce.slowstart.completedmaps"
	share := r.single(key, 0.05)
	if v, _ := r.text(key); share > 1 {
		r.odd.Add(remark.Odd, 0, key+"="+v, "more than all maps, so reduces are never asked for, as in MapReduce, and jobs with reduces do not end")
	}
	return share
}

// bool is what stands there, or otherwise if it is neither true nor false.
func (r *reader) bool(key string, otherwise bool) bool { return r.flag(key, otherwise, otherwise) }

// flag is what stands there, unset without the key and neither for a value that is neither true nor false.
func (r *reader) flag(key string, unset, neither bool) bool {
	v, ok := r.text(key)
	switch strings.ToLower(v) {
	case "true":
		return true
	case "false":
		return false
	}
	if !ok {
		return unset
	}
	text := remark.NoBoolean(neither)
	if neither != unset {
		text = fmt.Sprintf("neither true nor false, which MapReduce takes for %t", neither)
	}
	r.odd.Add(remark.Odd, 0, key+"="+v, text)
	return neither
}

// policies are the preemption policies by their classes.
var policies = map[string]allocator.Preemption{
	"org.apache.hadoop.mapreduce.v2.app.rm.preemption.NoopAMPreemptionPolicy":       allocator.PreemptNothing,
	"org.apache.hadoop.mapreduce.v2.app.rm.preemption.KillAMPreemptionPolicy":       allocator.PreemptKill,
	"org.apache.hadoop.mapreduce.v2.app.rm.preemption.CheckpointAMPreemptionPolicy": allocator.PreemptCheckpoint,
}

// New reads a configuration; values gives the text of a key that is set. The error names key, value and what was wanted.
func New(values func(key string) (string, bool)) (*Conf, error) {
	r := &reader{values: values}
	return r.conf(), r.err
}

func (r *reader) conf() *Conf {
	c := &Conf{
		Allocator: allocator.Conf{
			SlowStart:                r.slowStart(),
			RampUpLimit:              r.single("yarn.app.mapreduce.am.job.reduce.rampup.limit", 0.5),
			PreemptionLimit:          r.single("yarn.app.mapreduce.am.job.reduce.preemption.limit", 0.5),
			UnconditionalPreemptS:    int32(r.int("mapreduce.job.reducer.unconditional-preempt.delay.sec", 300)),
			PreemptDelayS:            int32(r.int("mapreduce.job.reducer.preempt.delay.sec", 0)),
			RunningMaps:              r.int("mapreduce.job.running.map.limit", 0),
			RunningReduces:           r.int("mapreduce.job.running.reduce.limit", 0),
			Blacklisting:             r.bool("yarn.app.mapreduce.am.job.node-blacklisting.enable", true),
			FailuresPerNode:          r.int("mapreduce.job.maxtaskfailures.per.tracker", 3),
			IgnoreBlacklistPercent:   r.int("yarn.app.mapreduce.am.job.node-blacklisting.ignore-threshold-node-percent", 33),
			OpportunisticMapsPercent: r.int("mapreduce.job.num-opportunistic-maps-percent", 0),
		},
		Speculation: Speculation{
			Allowed:     r.int("mapreduce.job.speculative.minimum-allowed-tasks", 10),
			RunningCap:  r.float("mapreduce.job.speculative.speculative-cap-running-tasks", 0.1, 64),
			TotalCap:    r.float("mapreduce.job.speculative.speculative-cap-total-tasks", 0.01, 64),
			RetryIdleMS: r.long("mapreduce.job.speculative.retry-after-no-speculate", 1000),
			RetryMS:     r.long("mapreduce.job.speculative.retry-after-speculate", 15000),
		},
		Uber: Uber{
			Enabled: r.bool("mapreduce.job.ubertask.enable", false), Maps: r.int("mapreduce.job.ubertask.maxmaps", 9),
			Reduces: r.int("mapreduce.job.ubertask.maxreduces", 1), Bytes: r.long("mapreduce.job.ubertask.maxbytes", blockSize),
		},
		HeartbeatMS:           int64(r.int("yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", 1000)),
		TaskTimeoutMS:         r.long("mapreduce.task.timeout", 600_000),
		StuckMS:               r.long("mapreduce.task.stuck.timeout-ms", 600_000),
		CheckMS:               int64(r.int("mapreduce.task.timeout.check-interval-ms", 30_000)),
		FinishWhenReducesDone: r.bool("mapreduce.job.finish-when-all-reducers-done", true),
		RefusedMS:             r.long("yarn.app.mapreduce.am.scheduler.connection.wait.interval-ms", 360_000),
		AMMaxAttempts:         r.int("mapreduce.am.max-attempts", 2),
		Recovery:              r.bool("yarn.app.mapreduce.am.job.recovery.enable", true),
	}
	c.AMSize, c.Uber.Room = r.master()
	if r.bool("mapreduce.job.encrypted-intermediate-data", false) { // Source: JobSubmitter.submitJobInternal.
		c.AMMaxAttempts = 1
	}
	// A hundredth of the time-out, in single precision; and the time-out is two intervals at least. Source: MRJobConfUtil, TaskHeartbeatHandler.serviceInit.
	c.ReportMS = r.long("mapreduce.task.progress-report.interval", int64(float32(0.01)*float32(max(c.TaskTimeoutMS, 0))))
	if c.ReportMS < 0 {
		r.wrong("mapreduce.task.progress-report.interval", fmt.Sprint(c.ReportMS), "0 or more")
	}
	c.TaskTimeoutMS = max(c.TaskTimeoutMS, 2*c.ReportMS)
	if c.CheckMS < 1 {
		r.wrong("mapreduce.task.timeout.check-interval-ms", fmt.Sprint(c.CheckMS), "1 or more")
	}
	c.Map = r.task("map")
	c.Reduce = r.task("reduce")
	if name, ok := r.text("yarn.app.mapreduce.am.preemption.policy"); ok {
		policy, known := policies[name]
		if !known {
			r.wrong("yarn.app.mapreduce.am.preemption.policy", name, "one of Hadoop's own classes")
		}
		c.Allocator.Preemption = policy
	}
	if p := c.Allocator.IgnoreBlacklistPercent; p < -1 || p > 100 {
		r.wrong("yarn.app.mapreduce.am.job.node-blacklisting.ignore-threshold-node-percent", fmt.Sprint(p), "0 to 100, or -1")
	}
	if c.HeartbeatMS < 1 {
		r.wrong("yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", fmt.Sprint(c.HeartbeatMS), "1 or more")
	}
	return c
}

// task reads what is set for one type, by the names in its keys.
func (r *reader) task(kind string) Task {
	prefix := "mapreduce." + kind + "."
	t := Task{
		Size:               r.sizeOfTask(kind),
		Uber:               resource.R(r.long(prefix+"memory.mb", -1), int64(r.int(prefix+"cpu.vcores", 1))),
		MaxAttempts:        r.int(prefix+"maxattempts", 4),
		FailuresMaxPercent: r.int(prefix+"failures.maxpercent", 0),
		Speculative:        r.flag(prefix+"speculative", true, false), // by mapred-default.xml, which MRAppMaster does without
	}
	if t.MaxAttempts < 1 {
		r.wrong(prefix+"maxattempts", fmt.Sprint(t.MaxAttempts), "1 or more")
	}
	return t
}

// sizeOfTask is what a container of a type asks for.
func (r *reader) sizeOfTask(kind string) resource.Resource {
	return resource.R(r.memory(kind), r.vcores("mapreduce."+kind+"."))
}

func (r *reader) vcores(prefix string) int64 {
	if n, ok := r.requestedVCores(prefix + "resource."); ok {
		return n
	}
	return r.sizeOf(prefix+"cpu.vcores", 1)
}

// master is the size of the application master's container, and the room that counts where it may run the tasks.
//
// Source: YARNRunner.generateResourceRequests, JobImpl.makeUberDecision.
func (r *reader) master() (size, uber resource.Resource) {
	const prefix = "yarn.app.mapreduce.am.resource."
	uber = resource.R(r.sizeOf(prefix+"mb", 1536), r.sizeOf(prefix+"cpu-vcores", 1))
	for _, name := range []string{"mb", "cpu-vcores"} { // they are among the names of resources, and must look like amounts
		r.requested(prefix, "", name)
	}
	size = uber
	if mb, ok := r.requestedMemory(prefix); ok {
		size[resource.Memory] = mb
	}
	if n, ok := r.requestedVCores(prefix); ok {
		size[resource.VCores] = n
	}
	return size, uber
}

// sizeOf is what a key says of a container, in MiB or vcores.
func (r *reader) sizeOf(key string, otherwise int64) int64 {
	return r.size(key, int64(r.int(key, otherwise)))
}

func (r *reader) size(key string, n int64) int64 {
	if n < 0 || n > math.MaxInt32 {
		r.wrong(key, fmt.Sprint(n), fmt.Sprintf("0 to %d", math.MaxInt32))
	}
	return n
}

// heapRatio is the share of a container that a heap takes; it is read whether one is set or not.
const heapRatio = "mapreduce.job.heap.memory-mb.ratio"

// heap is the option for the largest heap; the last one counts.
//
// Source: JobConf.JAVA_OPTS_XMX_PATTERN.
var heap = regexp.MustCompile(`^-Xmx(\d+)([kKmMgG]?)$`)

// memory is the size of a container in MiB: as it is set, or what the heap of the task's options needs.
//
// Source: TaskAttemptImpl.populateResourceCapability, JobConf.getMemoryRequired.
func (r *reader) memory(kind string) int64 {
	prefix := "mapreduce." + kind + "."
	if mb, ok := r.requestedMemory(prefix + "resource."); ok {
		return mb
	}
	ratio := r.single(heapRatio, 0.8)
	if mb := int64(r.int(prefix+"memory.mb", -1)); mb > 0 {
		return mb
	}
	options, ok := r.text(prefix + "java.opts")
	if !ok {
		options, _ = r.text("mapred.child.java.opts")
	}
	var last []string
	for _, option := range strings.Fields(options) {
		if m := heap.FindStringSubmatch(option); m != nil {
			last = m
		}
	}
	if last == nil {
		return 1024
	}
	n, err := strconv.ParseInt(last[1], 10, 40)
	if err != nil {
		r.wrong(prefix+"java.opts", options, "a heap of at most 2^39")
		return 1024
	}
	switch strings.ToLower(last[2]) {
	case "":
		n >>= 20
	case "k":
		n >>= 10
	case "g":
		n <<= 10
	}
	if n = int64(int32(n)); n <= 0 {
		return 1024
	}
	if ratio <= 0 {
		r.wrong(heapRatio, fmt.Sprint(ratio), "more than 0")
		return 1024
	}
	return r.size(prefix+"java.opts", int64(resource.F2I(math.Ceil(float64(float32(n)/ratio)))))
}

// requested is what one of the keys for a resource says, in its unit, which an amount without one has; false if none is set.
//
// Source: TaskAttemptImpl.populateResourceCapability, YARNRunner.generateResourceRequests.
func (r *reader) requested(prefix, unit string, names ...string) (n int64, ok bool) {
	set := ""
	for _, name := range names {
		key := prefix + name
		v, is := r.values(key)
		if !is {
			continue
		}
		if set != "" {
			r.wrong(key, v, fmt.Sprintf("this or %s, not both", set))
		}
		set, ok = key, true
		asked, is := resource.ParseAmount(v, unit)
		if !is {
			r.wrong(key, v, "a whole number, alone or with a unit such as k, M, G, Ki, Mi or Gi")
			continue
		}
		n = r.size(key, asked)
	}
	return n, ok
}

func (r *reader) requestedMemory(prefix string) (int64, bool) {
	return r.requested(prefix, "Mi", "memory-mb", "memory")
}

func (r *reader) requestedVCores(prefix string) (int64, bool) {
	return r.requested(prefix, "", "vcores")
}
