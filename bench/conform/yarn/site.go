package yarn

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"replay/bench/conform/golden"
	"replay/engine/yarn/conf"
	"replay/engine/yarn/rm"
	"replay/policy/resource"
)

// site are texts of settings in yarn-site.xml: refused by parts of the ResourceManager as they start, or the values that these read.
//
// Source: Configuration, FairSchedulerConfiguration, ResourceManager.validateConfigs, NMLivelinessMonitor, AMLivelinessMonitor,
// ContainerAllocationExpirer, ResourceTrackerService, RMAppImpl.
var site = golden.Kind{
	Name:  "yarn settings",
	Of:    golden.AnswersOf("Configuration, FairSchedulerConfiguration, ResourceManager"),
	Match: func(_ string, first golden.Shape) bool { return first.Text("kind") == "site" },
	Run:   golden.Cases(runYarnSite),
}

type siteCase struct {
	ID      int
	Site    map[string]string
	Asked   int // attempts that an application asks for
	Refused map[string]exceptions
	Values  map[string]json.RawMessage // times in ms
}

func runYarnSite(c *siteCase, out *golden.Results) {
	id := fmt.Sprint(c.ID)
	site, err := conf.NewSite(c.Site)
	if err == nil {
		err = site.CheckStart()
	}
	if err == nil {
		err = site.CheckFair()
	}
	if c.Refused != nil || err != nil {
		got := exceptionsOf(err).ofService()
		for _, want := range c.Refused {
			if got.equal(want) {
				out.AddEqual()
				return
			}
		}
		out.AddDifferent(golden.Difference{Case: id, Expected: c.Refused, Got: fmt.Sprint(err), State: c.Site})
		return
	}
	values := siteValues(site, c.Asked)
	if _, asked := c.Values["avoids"]; asked {
		values["avoids"], values["avoids_at_most"] = site.AvoidsFailed, float32(0)
		if site.AvoidsFailed {
			values["avoids_at_most"] = site.AvoidsAtMost
		}
	}
	golden.SameValues(id, values, c.Values, sameText, c.Site, out)
}

// siteValues are the values of a case by its names.
func siteValues(s *conf.Site, asked int) map[string]any {
	increment, _ := s.IncrementAllocation() // CheckFair has its error
	attempts := rm.Config{MaxAttempts: int(s.MaxAttempts), GlobalMaxAttempts: int(s.GlobalMaxAttempts)}
	return map[string]any{
		"reservation_multiple": s.ReservationMultiple, "increment": bothTypes(increment), "least": bothTypes(s.LeastNode()),
		"threshold_node": s.LocalityThresholdNode, "threshold_rack": s.LocalityThresholdRack, "delay_node": s.LocalityDelayNode, "delay_rack": s.LocalityDelayRack,
		"continuous": s.Continuous, "continuous_sleep": s.ContinuousSleep, "update": s.UpdateInterval,
		"preemption": s.Preemption, "preemption_threshold": s.PreemptionThreshold, "am_preemption": []bool{s.AMPreemption("root.a"), s.AMPreemption("root.b")},
		"next_check": s.WaitBeforeNextStarvation, "before_kill": s.WaitBeforeKill,
		"assign_multiple": s.AssignMultiple, "dynamic_max_assign": s.DynamicMaxAssign, "max_assign": s.MaxAssign,
		"size_based_weight": s.SizeBasedWeight, "reservable": s.ReservableNodes, "port": s.PortInNodeName,
		"priority": s.MaxAppPriority, "node_expiry": s.NodeExpiry, "am_expiry": s.AMExpiry, "container_expiry": s.ContainerExpiry,
		"heartbeat": s.HeartbeatInterval, "attempts": attempts.Attempts(asked),
	}
}

func bothTypes(r resource.Resource) []int64 { return golden.Amounts(r, 2) }

// sameText compares a value with JSON; a float is a float32 there, or a string where it is no number.
func sameText(is any, want string) bool {
	if f, ok := is.(float32); ok {
		w, err := strconv.ParseFloat(strings.Trim(want, `"`), 32)
		return (err == nil || strings.Contains(want, "Infinity")) && (float32(w) == f || w != w && f != f)
	}
	return golden.Text(is) == want
}
