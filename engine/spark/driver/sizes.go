package driver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"replay/engine/master"
	"replay/engine/record"
	sparkconf "replay/engine/spark/conf"
	"replay/policy/resource"
	"replay/trace"
)

// The keys that decide the size of a container: of the application master in cluster mode and in client mode, of an executor.
//
// Source: yarn.Client, ResourceProfile.getResourcesForClusterManager.
var (
	driverSize   = []string{"spark.driver.memory", "spark.driver.memoryOverhead", "spark.driver.memoryOverheadFactor", "spark.driver.cores"}
	masterSize   = []string{"spark.yarn.am.memory", "spark.yarn.am.memoryOverhead", "spark.yarn.am.cores"}
	executorSize = []string{"spark.executor.memory", "spark.executor.memoryOverhead", "spark.executor.memoryOverheadFactor",
		"spark.memory.offHeap.enabled", "spark.memory.offHeap.size", "spark.executor.pyspark.memory", "spark.yarn.isPython"}
)

// without resolves the layers of a job without the user's keys, which may decide the sizes of containers; conf is with them. It is nil
// where the job's own keys give no configuration.
func (k *Kind) without(layers []sparkconf.Layer, conf *sparkconf.Conf) *sparkconf.Conf {
	if !k.sets(slices.Concat(driverSize, masterSize, executorSize, []string{"spark.submit.deployMode"})...) {
		return conf
	}
	own, _, err := sparkconf.Parse(layers...)
	if err != nil {
		return nil
	}
	return own
}

// amSize is what the container of the application master is asked with: what the jobs table has, unless the user's keys say otherwise. Those of
// the deploy mode count.
func (k *Kind) amSize(j *trace.Job, conf, own *sparkconf.Conf) (resource.Resource, error) {
	size, err := conf.AMSize(k.Types)
	if err != nil || j.AMMemMiB <= 0 || own == nil || own.ClusterMode != conf.ClusterMode {
		return size, err
	}
	memory, cores := "spark.yarn.am.memory", "spark.yarn.am.cores"
	if conf.ClusterMode {
		memory, cores = "spark.driver.memory", "spark.driver.cores"
	}
	before, _ := own.AMSize(k.Types) // its memory is known also where the cluster lacks a resource type
	size[resource.Memory] = k.memory(j.AMMemMiB, before[resource.Memory], size[resource.Memory], memory)
	if !k.sets(cores) {
		size[resource.VCores] = int64(max(j.AMVCores, 1))
	}
	return size, nil
}

// containerSize is what the container of an executor is asked with; mem is what the trace has of its memory, MiB.
func (k *Kind) containerSize(mem int64, over sparkconf.Overrides, conf, own *sparkconf.Conf) (resource.Resource, error) {
	size, err := conf.ContainerSize(over, k.Types)
	if err != nil || own == nil {
		return size, err
	}
	before, _ := own.ContainerSize(over, k.Types)
	size[resource.Memory] = k.memory(mem, before[resource.Memory], size[resource.Memory], "spark.executor.memory")
	return size, nil
}

// memory is that of a container, MiB: as much as in the trace, and what the user's other keys make more or less of it, from before to
// after. By the keys alone it is known where the trace has none, and where the user sets the heap.
func (k *Kind) memory(traced, before, after int64, heap string) int64 {
	if traced <= 0 || k.sets(heap) {
		return after
	}
	return max(traced+after-before, 1)
}

// sets reports whether the user set one of the keys for this replay, over those recorded with a job, by this or by an older name.
func (k *Kind) sets(keys ...string) bool {
	for _, l := range k.Over {
		for name := range l.Values {
			if names := sparkconf.Over(name); names != nil && slices.Contains(keys, names[0]) {
				return true
			}
		}
	}
	return false
}

// ownKeys returns which keys of spark-defaults.conf a job sets itself, in layers of its own or by the sizes of its containers.
func (k *Kind) ownKeys(j *trace.Job, own []sparkconf.Layer) (keys []string) {
	for key := range k.Defaults.Values {
		names := sparkconf.Over(key)
		sets := names != nil && (j.AMMemMiB > 0 && (slices.Contains(driverSize, names[0]) || slices.Contains(masterSize, names[0])) ||
			j.ExecMemMiB > 0 && slices.Contains(executorSize, names[0]))
		for _, l := range own {
			for _, name := range names {
				_, ok := l.Values[name]
				sets = sets || ok
			}
		}
		if sets {
			keys = append(keys, key)
		}
	}
	return keys
}

// switches are the settings under which a job does not read others: those of the application master of the other deploy mode, and what is switched off.
var switches = []struct {
	code, setting string
	unread        func(c *sparkconf.Conf, name string) bool // the name is that of today's Spark
}{
	{"deploy-mode", "deploy mode (spark.submit.deployMode)", func(c *sparkconf.Conf, name string) bool {
		if c.ClusterMode {
			return slices.Contains(masterSize, name)
		}
		return slices.Contains(driverSize, name)
	}},
	{"dynamic-allocation", "spark.dynamicAllocation.enabled=false", func(c *sparkconf.Conf, name string) bool {
		return !c.DynamicAllocation && name != "spark.dynamicAllocation.enabled" && strings.HasPrefix(name, "spark.dynamicAllocation.")
	}},
	{"speculation", "spark.speculation=false", func(c *sparkconf.Conf, name string) bool {
		return !c.Speculation.Enabled && strings.HasPrefix(name, "spark.speculation.")
	}},
}

// idleKeys returns which of the user's keys a job does not read, each behind the code of the switch.
func (k *Kind) idleKeys(conf *sparkconf.Conf) (keys []string) {
	for _, l := range k.Over {
		for key := range l.Values {
			names := sparkconf.Over(key)
			for _, of := range switches {
				if names != nil && of.unread(conf, names[0]) {
					keys = append(keys, of.code+" "+key)
				}
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Remarks says which keys of the user's changed nothing: those of spark-defaults.conf for which jobs had values of their own, those that
// jobs do not read under other settings, and all of them without a Spark application; and how many jobs make more speculative copies than Spark does.
func (k *Kind) Remarks() (list []record.Warning) {
	if k.jobs == 0 {
		file, keys := "", []string{}
		for _, l := range append([]sparkconf.Layer{k.Defaults}, k.Over...) {
			switch {
			case l.Strict:
				keys = slices.AppendSeq(keys, maps.Keys(l.Values))
			case len(l.Values) > 0:
				file = l.Name
			}
		}
		slices.Sort(keys)
		return master.NoJobFor("Spark application", file, keys)
	}
	list = master.OwnKeys("spark-defaults", k.Defaults.Name, k.own, k.jobs)
	for _, l := range k.Over {
		for _, of := range switches {
			idle := map[string]int{}
			for key := range l.Values {
				if n := k.idle[of.code+" "+key]; n > 0 {
					idle[key] = n
				}
			}
			list = append(list, master.UnreadKeys(of.code, l.Name, of.setting, idle, k.jobs)...)
		}
	}
	if k.speculating > 0 {
		list = append(list, record.Warning{Code: "speculation-efficiency", Count: 1, Text: fmt.Sprintf("spark.speculation: a trace does not say how many records tasks have read, "+
			"so in %d of %d jobs slow tasks have copies as with spark.speculation.efficiency.enabled=false, more than Spark makes", k.speculating, k.jobs)})
	}
	if k.failing > 0 {
		list = append(list, record.Warning{Code: "retries", Count: 1, Text: fmt.Sprintf("retries: tasks of %d of %d Spark applications failed by themselves when they were recorded, %d times in all: "+
			"this replay does not repeat that (replay backtest does), so they take less of the cluster than they did", k.failing, k.jobs, k.failures)})
	}
	return list
}
