package conf

import (
	"errors"
	"math"
	"testing"

	"replay/policy/resource"
)

var threeTypes = []string{memoryName, vcoresName, "yarn.io/gpu"}

func TestParseResource(t *testing.T) {
	const u = math.MaxInt64
	cluster := resource.Resource{100001, 33, 10}
	for _, tt := range []struct {
		text string
		want resource.Resource // on cluster
	}{
		{"memory-mb=8192", resource.Resource{8192, -1, u}},
		{"vcores=4", resource.Resource{u, 4, u}},
		{"memory-mb = 8192 , vcores = 4", resource.Resource{8192, 4, u}},
		{"yarn.io/gpu=3,vcores=99999999999", resource.Resource{u, math.MaxInt32, 3}},
		{"memory-mb=50%", resource.Resource{50000, 33, 10}},
		{"memory-mb=50%,vcores=30%", resource.Resource{50000, 9, 10}},
		{"memory-mb=5 ,", resource.Resource{5, -1, u}},
		{"50%", resource.Resource{50000, 16, 5}},
		{"33.3%", resource.Resource{33300, 10, 3}},
		{"30% cpu,50% memory", resource.Resource{50000, 9, 0}},
		{"1024.9mb,4 vcores", resource.Resource{1024, 4, 0}},
		{"4 vcores 1024 mb", resource.Resource{1024, 4, 0}},
		{"12mbxyz,3 vcores!", resource.Resource{12, 3, 0}},
		{"memory-mb=٣٤,vcores=4", resource.Resource{34, 4, u}}, // digits of any script, as in Java
		{"1024 MB, 4 VCores", resource.Resource{1024, 4, 0}},
		{"vcores=2147483648,memory-mb=2147483648", resource.Resource{1 << 31, math.MaxInt32, u}},
		{"vcores=0%", resource.Resource{100001, 0, 10}},
		{"yarn.io/gpu=25%", resource.Resource{100001, 33, 2}},
		{"0%", resource.Resource{}},
		{"150%", resource.Resource{150001, 49, 15}},
		{"50% memory,30% cpu", resource.Resource{50000, 9, 0}},
		{"50.% memory , 3.9 % cpu", resource.Resource{50000, 1, 0}},
		{"-0 mb, 0 vcores", resource.Resource{}},
		{"2147483647 mb, 1.999 vcores", resource.Resource{math.MaxInt32, 1, 0}},
		{"1 mb, 2 vcores, 3", resource.Resource{1, 2, 0}},
		{"4 vcores, 1024 mb", resource.Resource{1024, 4, 0}},
	} {
		c, err := ParseResource(tt.text, threeTypes, u)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		if got := c.Resolve(cluster); got != tt.want {
			t.Errorf("%q is %v, want %v", tt.text, got, tt.want)
		}
	}
}

func TestParseResourceErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{" \t", "Error reading resource config--the resource string is empty."},
		{"1024 mb", "Cannot parse resource values from input: 1024 mb"},
		{"50% cpu", "Invalid percentage: 50% cpu"},
		{"50% cpu, 1", "Missing resource: memory"},
		{"-5 mb,1 vcores", "Invalid value of memory: -5, value should not be negative!"},
		{"-5% memory,1% cpu", "Invalid percentage: -5% memory, percentage should not be negative!"},
		{"3000000000 mb, 1 vcores", "Error reading resource config"},
		{"memory-mb=-1", "Invalid value of memory-mb: -1, value should not be negative!"},
		{"memory-mb=", "Error reading resource config--invalid resource definition: memory-mb=. Every resource must be of the form: name=value."},
		{"1 mb 2 vcores 3 mb", "Cannot parse resource values from input: 1 mb 2 vcores 3 mb"},
		{"1 mb, 2 cores", "Missing resource: vcores"},
		{"x mb, 2 vcores", "Invalid value of memory: x mb"},
		{"2 mb, -3 vcores", "Invalid value of vcores: -3, value should not be negative!"},
		{"50 % x", "Invalid percentage: 50 % x"},
		{"5% memory, x% cpu", "Invalid percentage of cpu: x% cpu"},
		{"memory-mb=5%,vcores=2", `Error reading resource config--invalid resource definition: memory-mb=5%,vcores=2. The resource values must all be percentages. "2" is either not a non-negative number or does not include the '%' symbol.`},
		{"memory-mb=5,vcores=x", `Error reading resource config--invalid resource definition: memory-mb=5,vcores=x. The resource values must all be integers. "x" is not an integer.`},
		{"memory-mb=5=6", "Error reading resource config--invalid resource definition: memory-mb=5=6. Every resource must be of the form: name=value."},
		{"fpga=5%", `Error reading resource config--invalid resource definition: fpga=5%. The resource name, "fpga" was not recognized. Please check the value of yarn.resource-types in the Resource Manager's configuration files.`},
		{"fpga=1", `Error reading resource config--invalid resource definition: fpga=1. The resource name, "fpga" was not recognized. Please check the value of yarn.resource-types in the Resource Manager's configuration files.`},
	} {
		_, err := ParseResource(tt.text, threeTypes, 0)
		var e *Error
		if !errors.As(err, &e) || e.Text != tt.want {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

// A share of vcores is one of the 32 bits that Java sees.
func TestShareOfVCores(t *testing.T) {
	half, err := ParseResource("50%", threeTypes, 0)
	if err != nil {
		t.Fatal(err)
	}
	for cluster, want := range map[int64]int64{
		33: 16, -33: -16, math.MaxInt32: 1073741823, 1 << 33: 1073741823, math.MaxInt32 + 1: 1073741823, -(1 << 33) - 6: -3,
	} {
		if got := half.Resolve(resource.R(1<<33, cluster)); got != resource.R(1<<32, want) {
			t.Errorf("half of %d vcores is %v, want %d", cluster, got, want)
		}
	}
	twice, err := ParseResource("200%", threeTypes, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := twice.Resolve(resource.R(1<<33, math.MaxInt32)); got != resource.R(1<<34, math.MaxInt32) {
		t.Errorf("twice %d vcores is %v, want no more: vcores have 32 bits", math.MaxInt32, got)
	}
	if share, ok := half.Percent(); !ok || share != [resource.MaxTypes]float64{.5, .5, .5} {
		t.Errorf("shares %v, %v", share, ok)
	}
	if _, ok := half.Absolute(); ok {
		t.Error("a percentage is absolute")
	}
	amount := fixed(resource.R(5, 6))
	if r, ok := amount.Absolute(); !ok || r != resource.R(5, 6) || amount.Resolve(resource.Resource{}) != r {
		t.Errorf("fixed %v, %v", r, ok)
	}
	if _, ok := amount.Percent(); ok {
		t.Error("an amount is a percentage")
	}
}

// Types that a string does not name have the amount for missing ones, in 32 bits for vcores.
func TestMissingTypes(t *testing.T) {
	for missing, want := range map[int64]resource.Resource{0: {7, 0, 0}, math.MaxInt64: {7, -1, math.MaxInt64}, 1 << 32: {7, 0, 1 << 32}} {
		c, err := ParseResource("memory-mb=7", threeTypes, missing)
		if got := c.Resolve(resource.Resource{}); err != nil || got != want {
			t.Errorf("with %d for missing types: %v, %v, want %v", missing, got, err, want)
		}
	}
}

func FuzzParseResource(f *testing.F) {
	for _, s := range []string{"1024 mb, 4 vcores", "50%", "memory-mb=5,vcores=2", "30% cpu,50% memory", "1024.9mb 4 vcores", ",", "=", "99999999999999999999 mb,1 vcores"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseResource(text, threeTypes, 0)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		for i, v := range c.Resolve(resource.Resource{1 << 40, 1 << 20, 7}) {
			if v < 0 {
				t.Errorf("%q: type %d is %d", text, i, v)
			}
		}
	})
}
