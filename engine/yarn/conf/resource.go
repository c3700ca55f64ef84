package conf

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"replay/policy/resource"
)

// ConfigurableResource is a resource of a configuration file: absolute, or a percentage of the
// live cluster per type. The zero value is an absolute nothing.
//
// Source: org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.ConfigurableResource.
type ConfigurableResource struct {
	percent bool
	amount  resource.Resource
	share   [resource.MaxTypes]float64
}

// fixed returns the absolute resource r.
func fixed(r resource.Resource) ConfigurableResource { return ConfigurableResource{amount: r} }

// Percent reports whether the resource is given in percentages, and the share of each type.
func (c ConfigurableResource) Percent() ([resource.MaxTypes]float64, bool) { return c.share, c.percent }

// Absolute returns the resource when it does not depend on the cluster; raw values, in which a
// type may be -1 (new style strings that do not name vcores).
func (c ConfigurableResource) Absolute() (resource.Resource, bool) { return c.amount, !c.percent }

// Resolve returns the resource on a cluster of that size.
func (c ConfigurableResource) Resolve(cluster resource.Resource) resource.Resource {
	if !c.percent {
		return c.amount
	}
	var r resource.Resource
	for i := range r {
		v := cluster[i]
		if i == resource.VCores {
			v = int64(vcoresView(v))
			r[i] = int64(resource.F2I(float64(v) * c.share[i]))
			continue
		}
		r[i] = resource.F2L(float64(v) * c.share[i])
	}
	return r
}

// vcoresView is Resource.getVirtualCores: the 32-bit view of the stored value.
func vcoresView(v int64) int32 {
	if v > math.MaxInt32 {
		return math.MaxInt32
	}
	return int32(v)
}

var (
	percentForm       = regexp.MustCompile(`^(-?(\d+)(\.\d*)?)[ \t\n\x0b\f\r]*%[ \t\n\x0b\f\r]*$`)
	percentMemoryForm = regexp.MustCompile(`^(-?(\d+)(\.\d*)?)[ \t\n\x0b\f\r]*%[ \t\n\x0b\f\r]*memory$`)
	percentCPUForm    = regexp.MustCompile(`^(-?(\d+)(\.\d*)?)[ \t\n\x0b\f\r]*%[ \t\n\x0b\f\r]*cpu$`)
	valueMBForm       = regexp.MustCompile(`^(-?\d+)(\.\d*)?[ \t\n\x0b\f\r]*mb`)
	valueVCoresForm   = regexp.MustCompile(`^(-?\d+)(\.\d*)?[ \t\n\x0b\f\r]*vcores`)
	spacedForm        = regexp.MustCompile(`-?\d+(?:\.\d*)?[ \t\n\x0b\f\r]*[a-z]+[ \t\n\x0b\f\r]*`)
)

const badResource = "AllocationConfigurationException"

// ParseResource reads a resource string of fair-scheduler.xml in any of its three forms.
//
// types are the names of the resource types in index order ([Site.Types]); missing is the
// amount of a type that a new style string does not name: 0 for minResources, MaxInt64 for
// everything else. Types beyond len(types) are 0. The error is an [*Error] with YARN's text.
//
// Source: FairSchedulerConfiguration.parseResourceConfigValue.
func ParseResource(text string, types []string, missing int64) (ConfigurableResource, error) {
	c, err := parseResource(text, types, missing)
	if err != nil {
		return c, err
	}
	return c, nil
}

func parseResource(text string, types []string, missing int64) (c ConfigurableResource, err *Error) {
	example := "such as 4096 mb, 4 vcores, or memory-mb=4096, vcores=4, or 50%"
	percent := strings.Contains(text, "%")
	if percent {
		example = "such as 50%, or 50% memory, 50% cpu, or memory-mb=50%, vcores=50%"
	}
	switch {
	case javaTrim(text) == "":
		err = refuse(badResource, "Error reading resource config--the resource string is empty.")
	case strings.Contains(text, "="):
		c, err = parseNewStyle(text, types, missing)
	case percent:
		c, err = parseOldPercent(javaLower(text), len(types))
	default:
		c, err = parseOldAmounts(text)
	}
	if err != nil {
		err = err.instead("%s", example)
	}
	return c, err
}

// runtimeFailure is what YARN makes of an exception that its parser did not expect.
func runtimeFailure(cause *Error) *Error {
	return refuse(badResource, "Error reading resource config").because(cause)
}

func definitionError(text, what string, cause *Error) *Error {
	return refuse(badResource, "Error reading resource config--invalid resource definition: %s. %s", text, what).because(cause)
}

func parseNewStyle(text string, types []string, missing int64) (ConfigurableResource, *Error) {
	c := ConfigurableResource{percent: strings.Contains(text, "%")}
	for i := range types {
		if c.percent {
			c.share[i] = 1
			continue
		}
		c.amount[i] = missing
		if i == resource.VCores {
			c.amount[i] = int64(int32(missing)) // narrowed to 32 bits: MaxInt64 becomes -1
		}
	}
	for _, part := range javaSplit(text, ",") {
		pair := javaSplit(part, "=")
		if len(pair) != 2 {
			return c, definitionError(text, "Every resource must be of the form: name=value.", nil)
		}
		name, value := javaTrim(pair[0]), javaTrim(pair[1])
		index := -1
		for i, t := range types {
			if t == name {
				index = i
			}
		}
		unknown := func() *Error {
			cause := &Error{Class: "ResourceNotFoundException", NoMsg: true}
			return definitionError(text, `The resource name, "`+name+`" was not recognized. Please check the value of yarn.resource-types in the Resource Manager's configuration files.`, cause).instead("one of the resources %s", strings.Join(types, ", "))
		}
		if c.percent {
			p, err := parsePercent(value, name, percentForm)
			if err != nil {
				return c, definitionError(text, `The resource values must all be percentages. "`+value+`" is either not a non-negative number or does not include the '%' symbol.`, err)
			}
			if index < 0 {
				return c, unknown()
			}
			c.share[index] = p
			continue
		}
		v, err := javaLong(value)
		if err != nil {
			return c, definitionError(text, `The resource values must all be integers. "`+value+`" is not an integer.`, err)
		}
		if v < 0 {
			return c, refuse(badResource, "Invalid value of %s: %d, value should not be negative!", name, v)
		}
		if index < 0 {
			return c, unknown()
		}
		if index == resource.VCores {
			v = min(v, math.MaxInt32)
		}
		c.amount[index] = v
	}
	return c, nil
}

// parsePercent reads one percentage; resource only enters the message.
func parsePercent(value, resource string, form *regexp.Regexp) (float64, *Error) {
	m := form.FindStringSubmatch(value)
	if m == nil {
		if resource == "" {
			return 0, refuse(badResource, "Invalid percentage: %s", value)
		}
		return 0, refuse(badResource, "Invalid percentage of %s: %s", resource, value)
	}
	v, err := javaFloat(m[1], 64)
	if err != nil {
		return 0, runtimeFailure(err)
	}
	if v /= 100; v < 0 {
		return 0, refuse(badResource, "Invalid percentage: %s, percentage should not be negative!", value)
	}
	return v, nil
}

// pick returns the first part that contains the resource's name.
func pick(parts []string, resource string) (string, *Error) {
	for _, p := range parts {
		if strings.Contains(p, resource) {
			return javaTrim(p), nil
		}
	}
	return "", refuse(badResource, "Missing resource: %s", resource)
}

func parseOldPercent(text string, types int) (ConfigurableResource, *Error) {
	c := ConfigurableResource{percent: true}
	parts := javaSplit(text, ",")
	if len(parts) == 1 {
		value, err := pick(parts, "")
		if err != nil {
			return c, err
		}
		p, err := parsePercent(value, "", percentForm)
		if err != nil {
			return c, err
		}
		for i := range types {
			c.share[i] = p
		}
		return c, nil
	}
	for i, r := range []struct {
		name string
		form *regexp.Regexp
	}{{"memory", percentMemoryForm}, {"cpu", percentCPUForm}} {
		value, err := pick(parts, r.name)
		if err != nil {
			return c, err
		}
		if c.share[i], err = parsePercent(value, r.name, r.form); err != nil {
			return c, err
		}
	}
	return c, nil
}

// fractionForm is an amount of the old style that is no whole number.
var fractionForm = regexp.MustCompile(`(\d+)\.\d*[1-9]\d*[ \t\n\x0b\f\r]*(mb|vcores)`)

// cutOff says what YARN reads for an amount that is no whole number, "" where there is none.
func cutOff(text string) string {
	m := fractionForm.FindStringSubmatch(javaLower(text))
	if m == nil || strings.ContainsAny(text, "=%") {
		return ""
	}
	return fmt.Sprintf("what follows the point is cut off, YARN reads %s as %s %s", m[0], m[1], m[2])
}

func parseOldAmounts(text string) (ConfigurableResource, *Error) {
	var c ConfigurableResource
	lower := javaLower(text)
	parts := javaSplit(lower, ",")
	if len(parts) != 2 {
		if parts = spacedForm.FindAllString(lower, -1); len(parts) != 2 {
			return c, refuse(badResource, "Cannot parse resource values from input: %s", text)
		}
	}
	for i, r := range []struct {
		unit, name string
		form       *regexp.Regexp
	}{{"mb", "memory", valueMBForm}, {"vcores", "vcores", valueVCoresForm}} {
		value, err := pick(parts, r.unit)
		if err != nil {
			return c, err
		}
		m := r.form.FindStringSubmatch(value)
		if m == nil {
			return c, refuse(badResource, "Invalid value of %s: %s", r.name, value)
		}
		v, err := javaInt(m[1])
		if err != nil {
			return c, runtimeFailure(err)
		}
		if v < 0 {
			return c, refuse(badResource, "Invalid value of %s: %d, value should not be negative!", r.name, v)
		}
		c.amount[i] = int64(v)
	}
	return c, nil
}
