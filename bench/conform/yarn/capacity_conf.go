package yarn

import (
	"encoding/json"
	"fmt"
	"strconv"

	"replay/bench/conform/golden"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

// capacityConf are configurations of the CapacityScheduler: refused, or the queues that they
// give on a cluster without nodes and after two nodes of 10240 MiB and 10 vcores.
var capacityConf = golden.Kind{
	Name:  "yarn capacity configuration",
	Of:    golden.AnswersOf("CapacitySchedulerConfiguration, AbstractCSQueue"),
	Match: func(_ string, first golden.Shape) bool { return first.Text("kind") == "capacity_conf" },
	Run:   golden.Cases(runCapacityConf),
}

type capacityConfCase struct {
	ID     int
	Site   map[string]json.RawMessage
	Err    exceptions
	Queues []map[string]any
	Later  []map[string]any `json:"queues_20480_20"`
}

func runCapacityConf(c *capacityConfCase, out *golden.Results) {
	id := fmt.Sprint(c.ID)
	props := conf.ShippedCapacity()
	for k, v := range golden.Properties(c.Site) {
		props[k] = v
	}
	site, err := conf.NewSite(props)
	var capacity *conf.Capacity
	if err == nil {
		capacity, err = conf.NewCapacity(props, site)
	}
	if got := exceptionsOf(err).ofService(); c.Err != nil || err != nil {
		if !got.equal(c.Err) {
			out.AddDifferent(golden.Difference{Case: id, Expected: c.Err, Got: got, State: fmt.Sprint(err)})
			return
		}
		out.AddEqual()
		return
	}
	types := len(site.Types)
	if d := compareQueues(capacity, c.Queues, types); d != nil {
		d.Case = id
		out.AddDifferent(*d)
		return
	}
	capacity.Update(resource.R(10240, 10))
	capacity.Update(resource.R(20480, 20))
	if d := compareQueues(capacity, c.Later, types); d != nil {
		d.Case, d.Event = id, 1
		out.AddDifferent(*d)
		return
	}
	out.AddEqual()
}

// compareQueues holds each recorded field of each queue against ours.
func compareQueues(c *conf.Capacity, want []map[string]any, types int) *golden.Difference {
	if len(want) != len(c.Queues) {
		return &golden.Difference{Expected: len(want), Got: len(c.Queues), State: "number of queues"}
	}
	for _, w := range want {
		path, _ := w["path"].(string)
		i := c.Find(path)
		if i < 0 {
			return &golden.Difference{Expected: path, Got: nil}
		}
		q := &c.Queues[i]
		got := map[string]any{
			"path": q.Path, "leaf": q.Leaf,
			"cap": q.Capacity, "abs": q.AbsoluteCapacity, "max": q.MaxCapacity, "abs_max": q.AbsoluteMaxCapacity, "weight": q.Weight,
			"state": q.State, "priority": q.Priority,
			"eff_min": golden.Amounts(q.EffectiveMin, types), "eff_max": golden.Amounts(q.EffectiveMax, types), "max_alloc": golden.Amounts(q.MaxAlloc, types),
		}
		if q.Leaf {
			got["user_limit"], got["user_limit_factor"], got["max_am"] = q.UserLimit, q.UserLimitFactor, q.MaxAMShare
			got["max_apps"], got["max_apps_user"], got["max_parallel"] = q.MaxApps, q.MaxAppsPerUser, q.MaxParallel
			got["order"], got["locality_delay"] = q.OrderingClass(), c.NodeLocalityDelay
		}
		for field, v := range w {
			if g, ok := got[field]; !ok || !sameValue(g, v) {
				return &golden.Difference{Expected: v, Got: fmt.Sprint(g), State: path + " " + field}
			}
		}
	}
	return nil
}

// sameValue compares a value of ours with one of JSON; a float of YARN is a float32.
func sameValue(got, want any) bool {
	switch g := got.(type) {
	case float32:
		w, err := strconv.ParseFloat(fmt.Sprint(want), 32)
		return err == nil && (float32(w) == g || w != w && g != g)
	case int32:
		w, ok := want.(float64)
		return ok && w == float64(g)
	case []int64:
		w, ok := want.([]any)
		if !ok || len(w) != len(g) {
			return false
		}
		for i := range g {
			if v, ok := w[i].(float64); !ok || v != float64(g[i]) {
				return false
			}
		}
		return true
	}
	return got == want
}
