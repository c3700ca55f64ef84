package conf

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"replay/policy/resource"
)

// Overrides are the amounts that a resource profile sets itself. Unset ones are the application's.
type Overrides struct {
	Cores       int   // or Unset
	MiB         int64 // or Unset
	OverheadMiB int64 // or Unset
	OffHeapMiB  int64 // or Unset
	PySparkMiB  int64 // or Unset
	TaskCPUs    int   // or Unset
	Resources   []CustomResource
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
		offHeap = c.OffHeapBytes / mebibyte
	}
	if c.Python {
		pySpark = max(0, or(o.PySparkMiB, max(0, c.PySparkMiB)))
	}
	mem := or(o.MiB, c.ExecutorMiB) + or(o.OverheadMiB, overhead(c.ExecutorOverhead, c.OverheadFactor, c.ExecutorMiB)) +
		or(o.OffHeapMiB, offHeap) + pySpark
	size := resource.R(mem, or(int64(o.Cores), int64(c.ExecutorCores)))
	for _, r := range c.customResources(o) {
		if r.Executor == 0 {
			continue
		}
		i := 2
		for i < len(types) && types[i] != yarnType(r.Name) {
			i++
		}
		if i >= min(len(types), resource.MaxTypes) {
			return size, fmt.Errorf("spark.executor.resource.%s.amount is %d, but the cluster has no resource type %q (it has %s)",
				r.Name, r.Executor, yarnType(r.Name), strings.Join(types, ", "))
		}
		size[i] = r.Executor
	}
	return size, nil
}

// yarnType returns YARN's name of a Spark resource.
//
// Source: ResourceRequestHelper.getYarnResourcesFromSparkResources.
func yarnType(name string) string {
	if name == "gpu" || name == "fpga" {
		return "yarn.io/" + name
	}
	return name
}

func (c *Conf) customResources(o Overrides) []CustomResource {
	if len(o.Resources) > 0 {
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

// perExecutor returns how many tasks the resource of one executor serves. A task may ask for a
// part of at most a half, or for whole ones.
func (r CustomResource) perExecutor() int64 {
	if r.Task <= 0.5 {
		return r.Executor * int64(min(math.Floor(1/r.Task), math.MaxInt32))
	}
	return r.Executor / int64(math.Ceil(r.Task))
}

// AMSize returns what the container of the application master is asked with: the driver in
// cluster mode, a small process in client mode.
//
// Source: yarn.Client.
func (c *Conf) AMSize() resource.Resource {
	if c.ClusterMode {
		return resource.R(c.DriverMiB+overhead(c.DriverOverhead, c.DriverFactor, c.DriverMiB), int64(c.DriverCores))
	}
	return resource.R(c.AMMiB+overhead(c.AMOverhead, 0.10, c.AMMiB), int64(c.AMCores))
}

// isResourceKey reports whether name is spark.executor.resource.<name>.amount or its task twin.
func isResourceKey(name string) bool {
	_, _, ok := splitResourceKey(name)
	return ok
}

func splitResourceKey(name string) (resource string, task, ok bool) {
	rest, ok := strings.CutSuffix(name, ".amount")
	if !ok {
		return "", false, false
	}
	if resource, ok = strings.CutPrefix(rest, "spark.executor.resource."); ok {
		return resource, false, resource != ""
	}
	resource, ok = strings.CutPrefix(rest, "spark.task.resource.")
	return resource, true, ok && resource != ""
}

func (c *Conf) setResource(name, value string) error {
	resource, task, _ := splitResourceKey(name)
	i := 0
	for i < len(c.Resources) && c.Resources[i].Name != resource {
		i++
	}
	if i == len(c.Resources) {
		c.Resources = append(c.Resources, CustomResource{Name: resource})
	}
	if !task {
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 32)
		if err != nil || n < 0 {
			return fmt.Errorf("want a whole number of 0 or more")
		}
		c.Resources[i].Executor = n
		return nil
	}
	x, err := parseFraction(value)
	if err != nil || x < 0 || x > 0.5 && x != math.Trunc(x) || x > math.MaxInt32 {
		return fmt.Errorf("want at most 0.5, or a whole number")
	}
	c.Resources[i].Task = x
	return nil
}
