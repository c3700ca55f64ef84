package eventlog

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"replay/policy/resource"
	"replay/trace"
)

// sparkConf are the Spark properties of an application. The getters return the default of Spark
// 3.5 for a key that is not set, and keep the first value that is not as Spark wants it.
type sparkConf struct {
	set map[string]string
	err error
}

// olderNames are names under which Spark also takes a key that is not set.
//
// Source: SparkConf.configsWithAlternatives.
var olderNames = map[string]string{
	"spark.executor.memoryOverhead": "spark.yarn.executor.memoryOverhead",
	"spark.driver.memoryOverhead":   "spark.yarn.driver.memoryOverhead",
}

// get returns the value of a key that is set, by its name or the older one, with the values of the keys that it refers to.
func (c *sparkConf) get(key string) (v string, ok bool) {
	if v, ok = c.set[key]; !ok {
		v, ok = c.set[olderNames[key]]
	}
	const within = 10 // references in values of references
	for n := 0; n < within && strings.Contains(v, "${"); n++ {
		v = keyReference.ReplaceAllStringFunc(v, func(ref string) string {
			if to, ok := c.set[ref[2:len(ref)-1]]; ok && len(v) < 1000 {
				return to
			}
			return ref
		})
	}
	return v, ok
}

// keyReference is ${key} in a value. Source: ConfigReader.REF_RE, SparkConfigProvider.
var keyReference = regexp.MustCompile(`\$\{spark\.[^\s}]+\}`)

func (c *sparkConf) fail(key, want string) {
	if c.err == nil {
		v, _ := c.get(key)
		c.err = fmt.Errorf("spark property %s is %q, want %s", key, v, want)
	}
}

func (c *sparkConf) text(key, def string) string {
	if v, ok := c.get(key); ok {
		return v
	}
	return def
}

func (c *sparkConf) bool(key string, def bool) bool {
	switch strings.ToLower(strings.TrimSpace(c.text(key, strconv.FormatBool(def)))) {
	case "true":
		return true
	case "false":
		return false
	}
	c.fail(key, "true or false")
	return def
}

func (c *sparkConf) count(key string, def int64) int64 {
	v, ok := c.get(key)
	if !ok {
		return def
	}
	n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
	if err != nil || n < 0 || n > math.MaxInt32 {
		c.fail(key, "a number of 0 to 2147483647")
		return def
	}
	return n
}

// within is a number of least to most, which limit sets where it is not "".
func (c *sparkConf) within(key string, def, least, most int64, limit string) int64 {
	n := c.count(key, def)
	if n < least || n > most {
		want := fmt.Sprintf("a number of %d to %d", least, most)
		if limit != "" {
			want += ", " + limit
		}
		c.fail(key, want)
	}
	return n
}

// amount is that of a resource by YARN's name.
func (c *sparkConf) amount(key string) int64 {
	v, _ := c.get(key)
	n, ok := resource.ParseWhole(strings.TrimSpace(v))
	if !ok {
		c.fail(key, resource.WholeAmount)
	}
	return n
}

// mostMemory is the largest size of a container, in words.
var mostMemory = fmt.Sprintf("at most %dt", trace.MostMemMiB>>20)

func (c *sparkConf) ratio(key string, def float64) float64 {
	v, ok := c.get(key)
	if !ok {
		return def
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
	if err != nil || !(f >= 0 && f < 1e6) {
		c.fail(key, "a number of 0 or more")
		return def
	}
	return f
}

// sizeUnits and timeUnits are the suffixes of Spark's JavaUtils, as powers of two and in microseconds.
var (
	sizeUnits = map[string]uint{"b": 0, "k": 10, "kb": 10, "m": 20, "mb": 20, "g": 30, "gb": 30, "t": 40, "tb": 40, "p": 50, "pb": 50}
	timeUnits = map[string]int64{"us": 1, "ms": 1e3, "s": 1e6, "m": 60e6, "min": 60e6, "h": 3600e6, "d": 86400e6}
)

// suffixed splits "512m" into 512 and "m".
func suffixed(v string) (n int64, unit string, ok bool) {
	v = strings.ToLower(strings.TrimSpace(v))
	i := 0
	for i < len(v) && (v[i] >= '0' && v[i] <= '9') {
		i++
	}
	n, err := strconv.ParseInt(v[:i], 10, 64)
	return n, v[i:], err == nil
}

// mebibytes reads a size; bare says how many bits a number without unit is shifted (20 = MiB).
func (c *sparkConf) mebibytes(key string, def int64, bare uint) int64 {
	v, ok := c.get(key)
	if !ok {
		return def
	}
	n, unit, ok := suffixed(v)
	shift := bare
	if unit != "" {
		var known bool
		shift, known = sizeUnits[unit]
		ok = ok && known
	}
	switch {
	case !ok || n > math.MaxInt64>>shift:
		c.fail(key, "a size such as 512m")
		return def
	case n<<shift>>20 > trace.MostMemMiB:
		c.fail(key, mostMemory)
		return def
	}
	return n << shift >> 20
}

// milliseconds reads a time whose bare numbers are milliseconds.
func (c *sparkConf) milliseconds(key string, def int64) int64 {
	v, ok := c.get(key)
	if !ok {
		return def
	}
	n, unit, ok := suffixed(v)
	us := int64(1e3)
	if unit != "" {
		var known bool
		us, known = timeUnits[unit]
		ok = ok && known
	}
	if !ok || n > math.MaxInt64/us {
		c.fail(key, "a time such as 3s")
		return def
	}
	return n * us / 1e3
}

// minOverheadMiB is the least overhead of a container, where Spark 4's minMemoryOverhead says no other; the share is overheadFactor of its memory.
const (
	minOverheadMiB = 384
	overheadFactor = 0.10
)

func (c *sparkConf) overhead(key, factorKey string, memMiB int64) int64 {
	factor, least := overheadFactor, int64(minOverheadMiB)
	if factorKey != "" {
		factor, least = c.ratio(factorKey, overheadFactor), c.mebibytes(strings.Replace(factorKey, "memoryOverheadFactor", "minMemoryOverhead", 1), least, 20)
	}
	return c.mebibytes(key, max(int64(factor*float64(memMiB)), least), 20)
}

// shape is a container size.
type shape struct {
	memMiB int64
	vcores int32
}

// executorShape is the container of an executor of the given profile (nil = the application's own).
// Source: ResourceProfile.getResourcesForClusterManager.
func (c *sparkConf) executorShape(p *resourceProfile) shape {
	mem := c.mebibytes("spark.executor.memory", 1024, 20)
	overhead := c.overhead("spark.executor.memoryOverhead", "spark.executor.memoryOverheadFactor", mem)
	offHeap, python := int64(0), int64(0)
	if c.bool("spark.memory.offHeap.enabled", false) {
		offHeap = c.mebibytes("spark.memory.offHeap.size", 0, 0)
	}
	isPython := c.bool("spark.yarn.isPython", false)
	if isPython {
		python = c.mebibytes("spark.executor.pyspark.memory", 0, 20)
	}
	cores := c.within("spark.executor.cores", 1, 1, trace.MostVCores, "")
	if p != nil {
		replace := func(v *int64, by int64) {
			if by != absent {
				*v = by
			}
		}
		replace(&mem, p.memMiB)
		replace(&overhead, p.overheadMiB)
		replace(&offHeap, p.offHeapMiB)
		replace(&cores, p.cores)
		if isPython {
			replace(&python, p.pysparkMiB)
		}
	}
	return shape{c.whole("spark.executor.memory", mem+overhead+offHeap+python), int32(cores)}
}

// amShape is the container of the application master: the driver in cluster mode, a launcher of
// executors in client mode. Source: Spark's yarn Client.
func (c *sparkConf) amShape() shape {
	if c.clusterMode() {
		mem := c.mebibytes("spark.driver.memory", 1024, 20)
		return shape{c.whole("spark.driver.memory", mem+c.overhead("spark.driver.memoryOverhead", "spark.driver.memoryOverheadFactor", mem)), c.masterCores("spark.driver.cores")}
	}
	mem := c.mebibytes("spark.yarn.am.memory", 512, 20)
	return shape{c.whole("spark.yarn.am.memory", mem+c.overhead("spark.yarn.am.memoryOverhead", "", mem)), c.masterCores("spark.yarn.am.cores")}
}

// masterCores may be 0, of which YARN makes its minimum.
func (c *sparkConf) masterCores(key string) int32 {
	return int32(c.within(key, 1, 0, trace.MostVCores, ""))
}

// whole is the memory of a container in MiB, most of which key says.
func (c *sparkConf) whole(key string, mib int64) int64 {
	if mib > trace.MostMemMiB {
		c.fail(key, mostMemory+" with what is beside it in the container")
	}
	return mib
}

func (c *sparkConf) clusterMode() bool {
	return c.text("spark.submit.deployMode", "client") == "cluster"
}

func (c *sparkConf) onYARN() bool { return strings.HasPrefix(c.text("spark.master", ""), "yarn") }

// initialExecutors is how many executors an application asks for at its start.
// Source: Spark's Utils.getDynamicAllocationInitialExecutors and SchedulerBackendUtils.
func (c *sparkConf) initialExecutors() int64 {
	if c.bool("spark.dynamicAllocation.enabled", false) {
		least := c.count("spark.dynamicAllocation.minExecutors", 0)
		return max(least, c.count("spark.dynamicAllocation.initialExecutors", least), c.count("spark.executor.instances", 0))
	}
	return c.count("spark.executor.instances", 2)
}

// gate returns when the driver let user code go on: at the start of the application, or when enough
// of its first executors had registered. added are the times of registrations, in order.
// Source: YarnSchedulerBackend.sufficientResourcesRegistered.
func (c *sparkConf) gate(start int64, added []int64) int64 {
	if !c.onYARN() {
		return start
	}
	ratio := c.ratio("spark.scheduler.minRegisteredResourcesRatio", 0.8)
	latest := start + c.milliseconds("spark.scheduler.maxRegisteredResourcesWaitingTime", 30000)
	need := int(math.Ceil(ratio * float64(c.initialExecutors())))
	switch {
	case need == 0:
		return start
	case need > len(added):
		return latest
	}
	return min(max(start, added[need-1]), latest)
}

// redacted ends a value that Spark hides.
const redacted = "(redacted)"

// concerns matches the keys that may concern a replay, and aside those of them that do not: secrets, whose values Spark always hides, and options of programs, which often hold some.
var (
	concerns = regexp.MustCompile(`^spark\.(barrier|blacklist|decommission|driver|dynamicAllocation|excludeOnFailure|executor|locality|memory|network|rpc|scheduler|shuffle|speculation|stage|storage|task|yarn)\b`)
	aside    = regexp.MustCompile(`(?i)secret|password|token|credential|access[.]?key|extra|JavaOptions`)
)

// hide takes properties for unset whose values the log hides: a site's own spark.redaction.regex may match any key, and any value. Those that concern no replay stay as they are,
// and a hidden spark.master is left to [appLog.manager].
func (a *appLog) hide() {
	for _, key := range slices.Sorted(maps.Keys(a.conf)) {
		if strings.HasSuffix(a.conf[key], redacted) && concerns.MatchString(key) && !aside.MatchString(key) {
			a.hidden = append(a.hidden, key)
			delete(a.conf, key)
		}
	}
}

// unknownKeys are the properties that the log hides and nothing else tells, in order.
func (a *appLog) unknownKeys() (keys []string) {
	for _, key := range a.hidden {
		if _, ok := a.conf[key]; !ok {
			keys = append(keys, key)
		}
	}
	return keys
}

// fromProfile sets properties that are not set by what the default resource profile, which Spark makes of them, has beside Spark's defaults.
//
// Source: ResourceProfile.getOrCreateDefaultProfile.
func (c *sparkConf) fromProfile(p resourceProfile, model func(key, value string, always bool)) {
	unset := func(key string) bool {
		_, ok := c.get(key)
		return !ok
	}
	for _, x := range []struct {
		key        string
		n, without int64
		unit       string
	}{
		{"spark.executor.memory", p.memMiB, 1024, "m"}, {"spark.executor.memoryOverhead", p.overheadMiB, absent, "m"}, {"spark.executor.pyspark.memory", p.pysparkMiB, 0, "m"},
		{"spark.memory.offHeap.size", p.offHeapMiB, 0, "m"}, {"spark.task.cpus", int64(p.taskCPUs), 1, ""},
	} {
		if x.n > 0 && x.n != x.without && unset(x.key) {
			model(x.key, strconv.FormatInt(x.n, 10)+x.unit, false)
		}
	}
	if p.offHeapMiB > 0 && unset("spark.memory.offHeap.enabled") {
		model("spark.memory.offHeap.enabled", "true", false)
	}
	for name, n := range p.custom {
		if key := "spark.executor.resource." + name + ".amount"; unset(key) {
			model(key, strconv.FormatInt(n, 10), false)
		}
	}
	for name, n := range p.customOfTasks {
		if key := "spark.task.resource." + name + ".amount"; unset(key) {
			model(key, strconv.FormatFloat(n, 'g', -1, 64), false)
		}
	}
}
