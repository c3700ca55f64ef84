package conf

import (
	"fmt"
	"strings"

	"replay/policy/resource"
	"replay/trace"
)

// Overrides are the amounts that a resource profile sets itself. Unset ones are the application's.
type Overrides struct {
	Cores       int              // or Unset
	MiB         int64            // or Unset
	OverheadMiB int64            // or Unset
	OffHeapMiB  int64            // or Unset
	PySparkMiB  int64            // or Unset
	TaskCPUs    int              // or Unset
	Resources   []CustomResource // all that it has; nil = the application's
}

// DefaultProfile overrides nothing.
var DefaultProfile = Overrides{Cores: Unset, MiB: Unset, OverheadMiB: Unset, OffHeapMiB: Unset, PySparkMiB: Unset, TaskCPUs: Unset}

// overhead returns what a JVM of mem MiB needs besides its heap: set, or a share of at least 384.
//
// Source: ResourceProfile.calculateOverHeadMemory.
func overhead(set int64, factor float64, mem int64) int64 {
	if set != Unset {
		return set
	}
	return max(int64(factor*float64(mem)), 384)
}

func or(set, fallback int64) int64 {
	if set != Unset {
		return set
	}
	return fallback
}

// ContainerSize returns what a container for an executor of the profile is asked with, before
// YARN rounds it. types are the cluster's resource types in the order of [resource.Resource];
// a custom resource that is not among them is an error.
//
// The default overhead comes from the application's executor memory, also when the profile sets
// another memory.
//
// Source: ResourceProfile.getResourcesForClusterManager, ResourceRequestHelper.
func (c *Conf) ContainerSize(o Overrides, types []string) (resource.Resource, error) {
	var offHeap, pySpark int64
	if c.OffHeap {
		offHeap = or(o.OffHeapMiB, c.OffHeapBytes/mebibyte)
	}
	if c.Python {
		pySpark = max(0, or(o.PySparkMiB, max(0, c.PySparkMiB)))
	}
	mem := or(o.MiB, c.ExecutorMiB) + or(o.OverheadMiB, overhead(c.ExecutorOverhead, c.OverheadFactor, c.ExecutorMiB)) +
		offHeap + pySpark
	size := resource.R(mem, or(int64(o.Cores), int64(c.ExecutorCores)))
	if o.Resources != nil {
		for _, r := range o.Resources {
			yarn, _ := c.yarnType(r.Name)
			if err := set(&size, yarn, r.Executor, types); err != nil {
				return size, err
			}
		}
		return size, nil
	}
	return size, c.further(&size, types, c.Resources, func(r *CustomResource) int64 { return r.Executor }, c.YarnExecutor)
}

// further adds to size what the application's own keys ask for beyond memory and cores: YARN's names as they stand, and of
// Spark's only those that it has a name of YARN's for.
//
// Source: YarnAllocator.createYarnResourceForResourceProfile, yarn.Client.createApplicationSubmissionContext.
func (c *Conf) further(size *resource.Resource, types []string, spark []CustomResource, amount func(*CustomResource) int64, named []Amount) error {
	for _, x := range named {
		if err := set(size, x.Name, x.Value, types); err != nil {
			return err
		}
	}
	for i := range spark {
		if yarn, ok := c.yarnType(spark[i].Name); ok {
			if err := set(size, yarn, amount(&spark[i]), types); err != nil {
				return err
			}
		}
	}
	return nil
}

// set puts an amount of one of the cluster's resource types into size.
func set(size *resource.Resource, name string, n int64, types []string) error {
	if n == 0 {
		return nil
	}
	for i := 2; i < min(len(types), resource.MaxTypes); i++ {
		if types[i] == name {
			size[i] = n
			return nil
		}
	}
	return fmt.Errorf("a container asks for %d of %q, but the cluster has no such resource type (it has %s)", n, name, strings.Join(types, ", "))
}

// Where YARN's names of Spark's devices are set.
var (
	gpuKey, gpuName   = trace.SparkDevice("gpu")
	fpgaKey, fpgaName = trace.SparkDevice("fpga")
)

// yarnType returns YARN's name of a Spark resource, and whether YARN hears of it where it is a property.
func (c *Conf) yarnType(name string) (yarn string, property bool) {
	switch key, _ := trace.SparkDevice(name); key {
	case gpuKey:
		return c.GPUDevice, true
	case fpgaKey:
		return c.FPGADevice, true
	}
	return name, false
}

func (c *Conf) customResources(o Overrides) []CustomResource {
	if o.Resources != nil {
		return o.Resources
	}
	return c.Resources
}

// TasksPerExecutor returns how many tasks of the profile an executor runs at a time, limited by
// cores and custom resources; 0 when not even one fits.
//
// Source: ResourceProfile.calculateTasksAndLimitingResource.
func (c *Conf) TasksPerExecutor(o Overrides) int {
	n := or(int64(o.Cores), int64(c.ExecutorCores)) / max(1, or(int64(o.TaskCPUs), int64(c.TaskCPUs)))
	for _, r := range c.customResources(o) {
		if r.Task > 0 {
			n = min(n, r.perExecutor())
		}
	}
	return int(n)
}

// perExecutor returns how many tasks the resource of one executor serves.
func (r CustomResource) perExecutor() int64 { return trace.TasksServed(r.Executor, r.Task) }

// AMSize returns what the container of the application master is asked with: the driver in
// cluster mode, a small process in client mode. types are as in [Conf.ContainerSize].
//
// Source: yarn.Client.
func (c *Conf) AMSize(types []string) (resource.Resource, error) {
	size, named := resource.R(c.AMMiB+overhead(c.AMOverhead, 0.10, c.AMMiB), int64(c.AMCores)), c.YarnAM
	if c.ClusterMode {
		size, named = resource.R(c.DriverMiB+overhead(c.DriverOverhead, c.DriverFactor, c.DriverMiB), int64(c.DriverCores)), c.YarnDriver
	}
	return size, c.further(&size, types, c.Resources, func(r *CustomResource) int64 { return r.Driver }, named)
}
