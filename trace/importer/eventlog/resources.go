package eventlog

import (
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
		amounts[c.yarnType(name)] = n
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
	for key := range c.set {
		if name, ok := strings.CutPrefix(key, "spark.yarn."+yarn+".resource."); ok {
			if name, ok = strings.CutSuffix(name, ".amount"); ok {
				amounts[name] = c.count(key, 0)
			}
		}
	}
	for _, name := range []string{"gpu", "fpga"} {
		if n := c.count("spark."+spark+".resource."+name+".amount", 0); n > 0 {
			amounts[c.yarnType(name)] = n
		}
	}
	return byName(amounts)
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

// yarnType is YARN's name of a resource of Spark's. Source: ResourceRequestHelper.getResourceNameMapping.
func (c *sparkConf) yarnType(name string) string {
	switch name {
	case "gpu":
		return c.text("spark.yarn.resourceGpuDeviceName", "yarn.io/gpu")
	case "fpga":
		return c.text("spark.yarn.resourceFpgaDeviceName", "yarn.io/fpga")
	}
	return name
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
