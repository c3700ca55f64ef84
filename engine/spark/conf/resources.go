package conf

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"replay/policy/resource"
	"replay/trace"
)

// An Amount is one spark.yarn.{executor,driver,am}.resource.<name>.amount, by YARN's name of the resource.
type Amount struct {
	Name  string
	Value int64
}

// resourceKeys are the families of keys PREFIX<name>.amount, and what a value of each does.
var resourceKeys = []struct {
	prefix string
	put    func(c *Conf, name, value string) error
}{
	{"spark.executor.resource.", whole(func(r *CustomResource) *int64 { return &r.Executor })},
	{"spark.driver.resource.", whole(func(r *CustomResource) *int64 { return &r.Driver })},
	{"spark.task.resource.", (*Conf).putTaskResource},
	{"spark.yarn.executor.resource.", named(func(c *Conf) *[]Amount { return &c.YarnExecutor })},
	{"spark.yarn.driver.resource.", named(func(c *Conf) *[]Amount { return &c.YarnDriver })},
	{"spark.yarn.am.resource.", named(func(c *Conf) *[]Amount { return &c.YarnAM })},
}

// isResourceKey reports whether a key is one of [resourceKeys].
func isResourceKey(name string) bool {
	_, _, ok := splitResourceKey(name)
	return ok
}

// splitResourceKey returns which of [resourceKeys] a key is, and the resource in it.
func splitResourceKey(name string) (family int, resource string, ok bool) {
	rest, ok := strings.CutSuffix(name, ".amount")
	if !ok {
		return 0, "", false
	}
	for i := range resourceKeys {
		if resource, ok := strings.CutPrefix(rest, resourceKeys[i].prefix); ok {
			return i, resource, resource != ""
		}
	}
	return 0, "", false
}

func (c *Conf) setResource(name, value string) error {
	family, resource, _ := splitResourceKey(name)
	return resourceKeys[family].put(c, resource, value)
}

// resource returns the row of a resource of Spark's.
func (c *Conf) resource(name string) *CustomResource {
	for i := range c.Resources {
		if c.Resources[i].Name == name {
			return &c.Resources[i]
		}
	}
	c.Resources = append(c.Resources, CustomResource{Name: name})
	return &c.Resources[len(c.Resources)-1]
}

func whole(field func(*CustomResource) *int64) func(*Conf, string, string) error {
	return func(c *Conf, name, value string) error {
		n, err := strconv.ParseInt(value, 10, 32)
		if err != nil || n < 0 {
			return fmt.Errorf("want a whole number of 0 or more")
		}
		*field(c.resource(name)) = n
		return nil
	}
}

func (c *Conf) putTaskResource(name, value string) error {
	x, err := parseFraction(value)
	if err != nil || x < 0 || x > 0.5 && x != math.Trunc(x) || x > math.MaxInt32 {
		return fmt.Errorf("want at most 0.5, or a whole number")
	}
	c.resource(name).Task = x
	return nil
}

// ofSpark are the resources of YARN's that have keys of Spark's own, which it wants to be used.
//
// Source: ResourceRequestHelper.validateResources.
var ofSpark = map[string]string{
	"memory": "memory", "mb": "memory", "memory-mb": "memory", "cores": "cores", "vcores": "cores", "cpu-vcores": "cores",
	trace.GPU: "resource.gpu.amount", trace.FPGA: "resource.fpga.amount",
}

// named is a resource by YARN's name: its amount may have a unit.
//
// Source: ResourceRequestHelper.getYarnResourcesAndAmounts, setResourceRequests.
func named(field func(*Conf) *[]Amount) func(*Conf, string, string) error {
	return func(c *Conf, name, value string) error {
		if own, ok := ofSpark[name]; ok {
			return fmt.Errorf("want the key of Spark that ends in .%s, which refuses this one", own)
		}
		n, ok := resource.ParseWhole(value)
		if !ok {
			return fmt.Errorf("want %s", resource.WholeAmount)
		}
		list := field(c)
		*list = append(*list, Amount{name, n})
		return nil
	}
}
