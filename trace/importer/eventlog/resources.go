package eventlog

import (
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"replay/trace"
)

// furtherResources are what a container of an executor has beyond memory and cores, by YARN's names: what its profile
// says (nil = the application's own properties). Of Spark's own names YARN hears of GPUs and FPGAs alone where they are
// properties, and of all where a profile has them.
//
// Source: YarnAllocator.createYarnResourceForResourceProfile.
func (c *sparkConf) furtherResources(p *resourceProfile) []trace.NamedValue {
	if p == nil {
		return c.furtherByKeys("executor", "executor")
	}
	amounts := map[string]int64{}
	for name, n := range p.custom {
		yarn, _ := c.yarnType(name)
		amounts[yarn] = n
	}
	return byName(amounts)
}

// amFurtherResources are those of the container of the application master.
//
// Source: Spark's yarn Client.
func (c *sparkConf) amFurtherResources() []trace.NamedValue {
	if c.clusterMode() {
		return c.furtherByKeys("driver", "driver")
	}
	return c.furtherByKeys("driver", "am")
}

func (c *sparkConf) furtherByKeys(spark, yarn string) []trace.NamedValue {
	amounts := map[string]int64{}
	for name, key := range c.amountKeys("spark.yarn." + yarn + ".resource.") {
		amounts[name] = c.amount(key)
	}
	for name, key := range c.amountKeys("spark." + spark + ".resource.") { // which count where both say it
		if yarn, ok := c.yarnType(name); ok {
			amounts[yarn] = c.count(key, 0)
		}
	}
	return byName(amounts)
}

// amountKeys are the keys PREFIX<name>.amount that are set, by the name, in order.
func (c *sparkConf) amountKeys(prefix string) iter.Seq2[string, string] {
	return func(yield func(name, key string) bool) {
		for _, key := range slices.Sorted(maps.Keys(c.set)) {
			name, ok := strings.CutPrefix(key, prefix)
			if !ok {
				continue
			}
			if name, ok = strings.CutSuffix(name, ".amount"); ok && !yield(name, key) {
				return
			}
		}
	}
}

// byName lists the amounts above 0.
func byName(amounts map[string]int64) (out []trace.NamedValue) {
	for _, name := range slices.Sorted(maps.Keys(amounts)) {
		if n := amounts[name]; n > 0 {
			out = append(out, trace.NamedValue{Name: name, Value: n})
		}
	}
	return out
}

// yarnType is YARN's name of a resource of Spark's, and whether YARN hears of it where it is a property.
func (c *sparkConf) yarnType(name string) (yarn string, property bool) {
	key, without := trace.SparkDevice(name)
	if key == "" {
		return name, false
	}
	yarn = c.text(key, without)
	if yarn == "" {
		c.fail(key, "a name such as "+without)
	}
	return yarn, true
}

// slots is how many tasks of a profile the further resources of one of its executors serve; MaxInt64 = as many as there are.
//
// Source: ResourceProfile.calculateTasksAndLimitingResource.
func (c *sparkConf) slots(p *resourceProfile) int64 {
	most := int64(math.MaxInt64)
	for _, name := range slices.Sorted(maps.Keys(p.customOfTasks)) {
		has := p.custom[name]
		if !p.ownExecutors {
			has = c.count("spark.executor.resource."+name+".amount", 0)
		}
		if each := p.customOfTasks[name]; each > 0 {
			most = min(most, trace.TasksServed(has, each))
		}
	}
	return most
}
