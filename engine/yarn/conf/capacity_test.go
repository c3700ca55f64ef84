package conf

import (
	"slices"
	"strings"
	"testing"

	"replay/engine/remark"
	"replay/policy/resource"
)

func capacityOf(t *testing.T, props map[string]string) *Capacity {
	t.Helper()
	full := map[string]string{}
	for k, v := range props {
		full[capacityPrefix+k] = v
	}
	c, err := NewCapacity(full, DefaultSite())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCapacity(t *testing.T) {
	c := capacityOf(t, map[string]string{
		"root.queues": "a, b", "root.a.capacity": "70", "root.b.capacity": "30", "root.b.maximum-capacity": "50",
		"root.b.queues": "x,y", "root.b.x.capacity": "1w", "root.b.y.capacity": "3w",
		"root.a.user-settings.u.weight": "0.5", "root.b.y.acl_submit_applications": "*", "root.a.capasity": "1", "root.c.capacity": "5",
	})
	c.Update(resource.R(10000, 100))
	for _, tt := range []struct {
		path       string
		least, max resource.Resource
		apps       int32
	}{
		{"root", resource.R(10000, 100), resource.R(10000, 100), 0},
		{"root.a", resource.R(6999, 69), resource.R(10000, 100), 7000}, // 0.7f is below 0.7
		{"root.b", resource.R(3000, 30), resource.R(5000, 50), 0},
		{"root.b.x", resource.R(750, 7), resource.R(5000, 50), 750},
		{"root.b.y", resource.R(2250, 22), resource.R(5000, 50), 2250},
	} {
		q := c.Queues[c.Find(tt.path)]
		if q.EffectiveMin != tt.least || q.EffectiveMax != tt.max || q.MaxApps != tt.apps {
			t.Errorf("%s has %v to %v and %d applications, want %+v", tt.path, q.EffectiveMin, q.EffectiveMax, q.MaxApps, tt)
		}
	}
	if q := c.Queues[c.Find("root.a")]; q.UserWeight("u") != 0.5 || q.UserWeight("v") != 1 {
		t.Errorf("user weights %v", q.UserWeights)
	}
	want := remark.List{
		{Kind: remark.NoEffect, Of: capacityPrefix + "root.b.y.acl_submit_applications", Text: "everybody may submit to every queue, with every priority"},
		{Kind: remark.Odd, Of: "queue root.c", Text: "no setting of queues lists it, so what is set for it has no effect"},
	}
	if !slices.Equal(c.Remarks, want) {
		t.Errorf("remarks %+v, want %+v", c.Remarks, want)
	}
	if len(c.Unknown) != 1 || c.Unknown[0].Meant() != capacityPrefix+"root.a.capacity" {
		t.Errorf("unknown keys %v", c.Unknown)
	}
}

// TestCapacityAmounts: on a cluster that is too small the amounts of siblings shrink together.
func TestCapacityAmounts(t *testing.T) {
	c := capacityOf(t, map[string]string{"root.queues": "a,b", "root.a.capacity": "[memory=6Gi,vcores=6]", "root.b.capacity": "[memory=2048,vcores=2]", "root.b.maximum-capacity": "[memory=4096,vcores=8]"})
	for _, tt := range []struct{ cluster, a, b, maxB resource.Resource }{
		{resource.R(16384, 16), resource.R(6144, 6), resource.R(2048, 2), resource.R(4096, 8)},
		{resource.R(4096, 4), resource.R(3072, 3), resource.R(1024, 1), resource.R(4096, 8)},
	} {
		c.Update(tt.cluster)
		a, b := c.Queues[1], c.Queues[2]
		if a.EffectiveMin != tt.a || b.EffectiveMin != tt.b || b.EffectiveMax != tt.maxB {
			t.Errorf("on %v: a %v, b %v to %v, want %+v", tt.cluster, a.EffectiveMin, b.EffectiveMin, b.EffectiveMax, tt)
		}
	}
}

// An amount in a unit that YARN does not know is none in it, which is said.
func TestCapacityUnits(t *testing.T) {
	props := map[string]string{"root.queues": "a,b", "root.a.capacity": "[memory=6g,vcores=6]", "root.b.capacity": "[memory=2Gi,vcores=2c]"}
	c := capacityOf(t, props)
	c.Update(resource.R(16384, 16))
	if a, b := c.Queues[1].EffectiveMin, c.Queues[2].EffectiveMin; !a.IsNone() || b != resource.R(2048, 0) {
		t.Errorf("a has %v, b %v", a, b)
	}
	const units = " is not known and the amount is ignored; units are k, M, G, T, P and, of 1024, Ki, Mi, Gi, Ti, Pi"
	want := remark.List{
		{Kind: remark.Odd, Of: capacityPrefix + "root.a.capacity", Text: "unit g of memory" + units},
		{Kind: remark.Odd, Of: capacityPrefix + "root.a.capacity", Text: "an amount without memory counts as none"},
		{Kind: remark.Odd, Of: capacityPrefix + "root.b.capacity", Text: "unit c of vcores" + units},
	}
	if !slices.Equal(c.Remarks, want) {
		t.Errorf("remarks %+v, want %+v", c.Remarks, want)
	}
}

// TestCapacityMixed: without the legacy mode a queue may mix amounts, percentages and weights.
func TestCapacityMixed(t *testing.T) {
	c := capacityOf(t, map[string]string{"legacy-queue-mode.enabled": "false", "root.queues": "a,b,c",
		"root.a.capacity": "[memory=2048,vcores=50%]", "root.b.capacity": "[memory=1w,vcores=2w]", "root.c.capacity": "[memory=1w,vcores=1w]"})
	c.Update(resource.R(10240, 20))
	for i, want := range []resource.Resource{resource.R(10240, 20), resource.R(2048, 10), resource.R(4096, 7), resource.R(4096, 3)} {
		if got := c.Queues[i].EffectiveMin; got != want {
			t.Errorf("%s has %v, want %v", c.Queues[i].Path, got, want)
		}
	}
}

func TestCapacityErrors(t *testing.T) {
	for _, tt := range []struct {
		name  string
		props map[string]string
		want  string
	}{
		{"no queue", nil, "Queue configuration missing child queue names for root"},
		{"sum", map[string]string{"root.queues": "a", "root.a.capacity": "87"}, `yarn.scheduler.capacity.root.queues is "a": Failed to initialize queues: Illegal capacity sum of 0.87`},
		{"not a number", map[string]string{"root.queues": "a", "root.a.capacity": "x"}, `yarn.scheduler.capacity.root.a.capacity is "x": Failed to initialize queues: For input string: "x"`},
		{"negative", map[string]string{"root.queues": "a", "root.a.capacity": "-1"}, "Illegal capacity of -1.0 for queue root.a"},
		{"overflow", map[string]string{"root.queues": "a", "root.a.capacity": "100", "root.a.maximum-applications": "99999999999"}, "root.a.maximum-applications"},
		{"hexadecimal where Java takes none", map[string]string{"root.queues": "a", "root.a.capacity": "100", "root.a.max-parallel-apps": "0x10"}, `For input string: "0x10"`},
		{"state that cannot be configured", map[string]string{"root.queues": "a", "root.a.capacity": "100", "root.a.state": "draining"}, "We can only use RUNNING or STOPPED"},
		{"unknown ordering", map[string]string{"root.queues": "a", "root.a.capacity": "100", "root.a.ordering-policy": "best"}, "Unable to construct ordering policy for: best"},
		{"unknown calculator", map[string]string{"root.queues": "a", "resource-calculator": "best"}, "class best is not modelled"},
		{"stopped parent", map[string]string{"root.queues": "a", "root.state": "STOPPED", "root.a.state": "RUNNING", "root.a.capacity": "100"}, "cannot be STOPPED as the child queue:root.a is in RUNNING state"},
		{"weight as maximum", map[string]string{"legacy-queue-mode.enabled": "false", "root.queues": "a", "root.a.capacity": "1w", "root.a.maximum-capacity": "[memory=1w,vcores=1]"}, "WEIGHT maximum capacity type"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			full := map[string]string{}
			for k, v := range tt.props {
				full[capacityPrefix+k] = v
			}
			_, err := NewCapacity(full, DefaultSite())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
	if c := capacityOf(t, map[string]string{"root.queues": "a,a", "root.a.capacity": "50"}); c.Err() == nil {
		t.Error("a queue that is listed twice is no problem")
	}
	if err := capacityOf(t, map[string]string{"root.queues": "a", "root.a.capacity": "100", "user.max-parallel-apps": "five"}).Err(); err == nil {
		t.Error("a limit of all users that YARN cannot read is no problem")
	}
	if c := capacityOf(t, map[string]string{"root.queues": "a", "root.a.capacity": "100", "user.u.max-parallel-apps": " 5"}); c.Err() == nil {
		t.Error("a user's limit that YARN cannot read is no problem")
	}
}

// Java reads this one without trimming it, other than all other truth values.
func TestSizeBasedWeight(t *testing.T) {
	for text, want := range map[string]bool{"true": true, "TRUE": true, "false": false, " true": false, "yes": false} {
		c := capacityOf(t, map[string]string{"root.queues": "a", "root.a.capacity": "100", "root.a.ordering-policy": "fair", "root.a.ordering-policy.fair.enable-size-based-weight": text})
		if got := c.Queues[1].SizeBasedWeight; got != want || (len(c.Remarks) > 0) != (text == " true" || text == "yes") {
			t.Errorf("%q: %v with remarks %v", text, got, c.Remarks)
		}
	}
}

func FuzzCapacity(f *testing.F) {
	f.Add("a,b", "50", "50", "100", "fifo")
	f.Add("a,a", "2w", "[memory=5,vcores=1]", "[memory=50%,vcores=2w]", "fair")
	f.Add(" ,a", "[memory=1024Gi,vcores=1]", "x", "-1", "x")
	site := DefaultSite()
	f.Fuzz(func(t *testing.T, queues, a, b, most, order string) {
		for _, legacy := range []string{"true", "false"} {
			c, err := NewCapacity(map[string]string{
				capacityPrefix + "root.queues":               queues,
				capacityPrefix + "root.a.capacity":           a,
				capacityPrefix + "root.b.capacity":           b,
				capacityPrefix + "root.b.maximum-capacity":   most,
				capacityPrefix + "root.a.ordering-policy":    order,
				capacityPrefix + "legacy-queue-mode.enabled": legacy,
			}, site)
			if err != nil {
				if err.Error() == "" {
					t.Error("an error without words")
				}
				continue
			}
			c.Update(resource.R(20480, 20))
		}
	})
}
