package conf

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"replay/policy"
)

// javaFloat32JSON reads a number, or the text of one that JSON cannot write.
type javaFloat32JSON float32

func (f *javaFloat32JSON) UnmarshalJSON(b []byte) error {
	text := string(b)
	if len(text) > 0 && text[0] == '"' {
		if err := json.Unmarshal(b, &text); err != nil {
			return err
		}
	}
	v, err := strconv.ParseFloat(text, 32)
	*f = javaFloat32JSON(v)
	return err
}

type capacityRow struct {
	Path            string
	Leaf            bool
	Cap, Abs, Max   javaFloat32JSON
	AbsMax          javaFloat32JSON `json:"abs_max"`
	Weight          javaFloat32JSON
	State           string
	Priority        int32
	EffMin          []int64         `json:"eff_min"`
	EffMax          []int64         `json:"eff_max"`
	MaxAlloc        []int64         `json:"max_alloc"`
	UserLimit       javaFloat32JSON `json:"user_limit"`
	UserLimitFactor javaFloat32JSON `json:"user_limit_factor"`
	MaxApps         int32           `json:"max_apps"`
	MaxAppsUser     int32           `json:"max_apps_user"`
	MaxAM           javaFloat32JSON `json:"max_am"`
	Order           string
	LocalityDelay   int32 `json:"locality_delay"`
	MaxParallel     int32 `json:"max_parallel"`
}

func TestCapacityVectors(t *testing.T) {
	type vector struct {
		ID      int
		Site    map[string]any
		Err     [][2]string
		Queues  []capacityRow
		Queues2 []capacityRow `json:"queues_20480_20"`
	}
	n := 0
	for v := range vectors[vector](t, "capacity_conf.jsonl.gz") {
		n++
		props := ShippedCapacity()
		for k, x := range siteOf(v.Site) {
			props[k] = x
		}
		site, err := NewSite(props)
		if err != nil {
			t.Fatalf("%d: %v", v.ID, err)
		}
		c, err := NewCapacity(props, site)
		var want [][2]string
		if v.Err != nil {
			want = v.Err[1:]
		}
		got := chainOf(err)
		if len(got) != len(want) {
			t.Errorf("%d: %v, want %v", v.ID, err, want)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%d: %v, want %v", v.ID, got, want)
				break
			}
		}
		if err != nil {
			continue
		}
		compareCapacity(t, v.ID, c, v.Queues)
		c.Update(policy.R(10240, 10))
		c.Update(policy.R(20480, 20))
		compareCapacity(t, v.ID, c, v.Queues2)
		if len(c.Unknown) > 0 {
			t.Errorf("%d: unknown keys %v", v.ID, c.Unknown)
		}
	}
	if n == 0 {
		t.Error("no vector was compared")
	}
}

func compareCapacity(t *testing.T, id int, c *Capacity, want []capacityRow) {
	t.Helper()
	if len(c.Queues) != len(want) {
		t.Errorf("%d: %d queues, want %d", id, len(c.Queues), len(want))
		return
	}
	for _, w := range want {
		i := -1
		for k := range c.Queues {
			if c.Queues[k].Path == w.Path {
				i = k
			}
		}
		if i < 0 {
			t.Errorf("%d: queue %s is missing", id, w.Path)
			continue
		}
		q := c.Queues[i]
		differ := func(what string, equal bool, got, want any) {
			if !equal {
				t.Errorf("%d %s: %s is %v, want %v", id, w.Path, what, got, want)
			}
		}
		same := func(what string, got float32, want javaFloat32JSON) {
			differ(what, float64(got) == float64(want) || math.IsNaN(float64(got)) && math.IsNaN(float64(want)), got, want)
		}
		differ("leaf", q.Leaf == w.Leaf, q.Leaf, w.Leaf)
		same("cap", q.Capacity, w.Cap)
		same("abs", q.AbsoluteCapacity, w.Abs)
		same("max", q.MaxCapacity, w.Max)
		same("abs_max", q.AbsoluteMaxCapacity, w.AbsMax)
		same("weight", q.Weight, w.Weight)
		differ("state", q.State == w.State, q.State, w.State)
		differ("priority", q.Priority == w.Priority, q.Priority, w.Priority)
		differ("eff_min", q.EffectiveMin == resourceOf(w.EffMin), q.EffectiveMin, w.EffMin)
		differ("eff_max", q.EffectiveMax == resourceOf(w.EffMax), q.EffectiveMax, w.EffMax)
		differ("max_alloc", q.MaxAlloc == resourceOf(w.MaxAlloc), q.MaxAlloc, w.MaxAlloc)
		if !w.Leaf {
			continue
		}
		same("user_limit", q.UserLimit, w.UserLimit)
		same("user_limit_factor", q.UserLimitFactor, w.UserLimitFactor)
		same("max_am", q.MaxAMShare, w.MaxAM)
		differ("max_apps", q.MaxApps == w.MaxApps, q.MaxApps, w.MaxApps)
		differ("max_apps_user", q.MaxAppsPerUser == w.MaxAppsUser, q.MaxAppsPerUser, w.MaxAppsUser)
		differ("order", q.OrderingClass() == w.Order, q.OrderingClass(), w.Order)
		differ("locality_delay", c.NodeLocalityDelay == w.LocalityDelay, c.NodeLocalityDelay, w.LocalityDelay)
		differ("max_parallel", q.MaxParallel == w.MaxParallel, q.MaxParallel, w.MaxParallel)
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
			c.Update(policy.R(20480, 20))
		}
	})
}
