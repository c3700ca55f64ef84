package conf

import (
	"cmp"
	"fmt"

	"replay/engine/remark"
	"replay/policy/resource"
)

// AMPreemption reports whether AM containers in the queue called path may be preempted.
func (s *Site) AMPreemption(path string) bool {
	if v, ok := s.amPreemptionOf[path]; ok {
		return v
	}
	return s.amPreemption
}

// idle remarks on keys of the FairScheduler that are set to something and decide nothing, because of other keys.
//
// Source: FSAppAttempt.assignContainer, getAllowedLocalityLevel and getAllowedLocalityLevelByTime, FairScheduler.shouldContinueAssigning.
func (s *Site) idle(r *reader) (list remark.List) {
	add := func(idle bool, key, why string) {
		if value := r.text(key, ""); idle && value != "" {
			list.Add(remark.Odd, 0, key+"="+value, "has no effect, as in YARN: "+why)
		}
	}
	const both = " is below 0, and nothing waits for a place unless both are 0 or more"
	const byOffers = keyContinuous + " is true, and then the delays are " + keyNodeDelay + " and " + keyRackDelay
	const byTime = "it is a delay of continuous scheduling, and " + keyContinuous + " is false; else the delays are " + keyNodeThreshold + " and " + keyRackThreshold
	for _, of := range []struct {
		read             bool // by the kind of delay scheduling that is on
		other            string
		nodeKey, rackKey string
		node, rack       bool // 0 or more
	}{
		{!s.Continuous, byOffers, keyNodeThreshold, keyRackThreshold, s.LocalityThresholdNode >= 0, s.LocalityThresholdRack >= 0},
		{s.Continuous, byTime, keyNodeDelay, keyRackDelay, s.LocalityDelayNode >= 0, s.LocalityDelayRack >= 0},
	} {
		add(!of.read && of.node, of.nodeKey, of.other)
		add(!of.read && of.rack, of.rackKey, of.other)
		add(of.read && of.node && !of.rack, of.nodeKey, of.rackKey+both)
		add(of.read && of.rack && !of.node, of.rackKey, of.nodeKey+both)
	}
	switch {
	case s.MaxAssign <= 0:
	case !s.AssignMultiple:
		add(true, keyMaxAssign, keyAssignMultiple+" is false: one container at each heartbeat")
	case s.DynamicMaxAssign:
		add(true, keyMaxAssign, keyDynamicAssign+" is true: containers at each heartbeat up to half of what is free")
	}
	return list
}

// tokenKeys are the keys of tokens that the ResourceManager replaces, which have to live longer than three times what must hear of the next one may be silent.
var tokenKeys = [...]struct {
	key, expiry string
	of          func(*Site) int64 // ms
}{
	{"yarn.resourcemanager.am-rm-tokens.master-key-rolling-interval-secs", keyAMExpiry, func(s *Site) int64 { return s.AMExpiry }},
	{"yarn.resourcemanager.container-tokens.master-key-rolling-interval-secs", keyNodeExpiry, func(s *Site) int64 { return int64(s.NodeExpiry) }},
	{"yarn.resourcemanager.nm-tokens.master-key-rolling-interval-secs", keyNodeExpiry, func(s *Site) int64 { return int64(s.NodeExpiry) }},
}

// CheckStart applies the validation with which the ResourceManager starts.
//
// Source: ResourceManager.validateConfigs, AMRMTokenSecretManager, RMContainerTokenSecretManager, NMTokenSecretManagerInRM.
func (s *Site) CheckStart() error {
	for _, k := range []struct {
		what, key string
		value     int32
	}{{"rm am max attempts", keyMaxAttempts, s.MaxAttempts}, {"global max attempts", keyGlobalMaxAttempts, s.GlobalMaxAttempts}} {
		if k.value <= 0 {
			return refuse("YarnRuntimeException", "Invalid %s configuration, %s=%d, it should be a positive integer.", k.what, k.key, k.value).at(0, k.key, fmt.Sprint(k.value))
		}
	}
	if int64(s.NodeExpiry) < s.HeartbeatInterval {
		return refuse("YarnRuntimeException", "Nodemanager expiry interval should be no less than heartbeat interval, %s=%d, %s=%d",
			keyNodeExpiry, s.NodeExpiry, keyHeartbeat, s.HeartbeatInterval).at(0, keyNodeExpiry, fmt.Sprint(s.NodeExpiry))
	}
	for i, k := range tokenKeys {
		silent := k.of(s)
		if active := resource.F2L(float64(silent) * 1.5); s.tokenKeysMS[i] <= 2*active {
			return refuse("IllegalArgumentException", "%s should be more than 3 X %s", k.key, k.expiry).at(0, k.expiry, fmt.Sprint(silent))
		}
	}
	return nil
}

// allocationKeys are the keys that bound and round allocations, by type, with the default bounds.
var allocationKeys = [...]struct {
	what, low, high, increment string
	least, most                int64
}{
	resource.Memory: {"memory", keyMinMB, keyMaxMB, keyIncrementMB, 1024, 8192},
	resource.VCores: {"vcores", keyMinCores, keyMaxCores, keyIncrementCores, 1, 4},
}

// bounds are the smallest and the largest allocation by the schedulers' own keys, which they check whatever the resource types say.
type bounds struct {
	low, high int64
	failure   error // a value that could not be read
}

// LeastNode is what a node must have to be taken into the cluster, by the schedulers' own keys too.
//
// Source: ResourceTrackerService.serviceInit.
func (s *Site) LeastNode() resource.Resource {
	return resource.R(s.bounds[resource.Memory].low, s.bounds[resource.VCores].low)
}

// IncrementAllocation is what allocations of the FairScheduler are rounded to.
//
// Source: FairSchedulerConfiguration.getIncrementAllocation.
func (s *Site) IncrementAllocation() (resource.Resource, error) { return s.Increment, s.failIncrement }

// CheckFair applies the validation with which the FairScheduler starts.
//
// Source: FairScheduler.validateConf.
func (s *Site) CheckFair() error {
	const both = "Both values must be greater than or equal to 0"
	for i, k := range allocationKeys {
		if err := s.bounds[i].failure; err != nil {
			return err
		}
		if lo, hi := s.bounds[i].low, s.bounds[i].high; lo < 0 || lo > hi {
			return refuse("YarnRuntimeException", "Invalid resource scheduler %s allocation configuration: %s=%d, %s=%d.  %sand the maximum allocation value must be greater than or equal tothe minimum allocation value.",
				k.what, k.low, lo, k.high, hi, both).at(0, k.low, fmt.Sprint(lo))
		}
		inc, err := s.IncrementAllocation()
		if err != nil {
			return err
		}
		if inc := inc[i]; inc <= 0 || i == resource.VCores && resource.F2I(float64(inc)) <= 0 {
			return refuse("YarnRuntimeException", "Invalid resource scheduler %s allocation configuration: %s=%d. Values must be greater than 0.", k.what, k.increment, inc).at(0, k.increment, fmt.Sprint(inc))
		}
	}
	early, late := s.failPreemption, error(nil)
	if !s.Preemption { // then there is no thread that reads it
		early, late = late, early
	}
	return cmp.Or(s.failFair, early, s.failPriority, late, s.failStarvation)
}

// CheckCapacity applies the validation with which the CapacityScheduler starts.
//
// Source: CapacityScheduler.validateConf.
func (s *Site) CheckCapacity() error {
	var monitors error
	if s.Monitors.On {
		monitors = s.failMonitors
	}
	return cmp.Or(s.failPriority, s.checkPositive(resource.Memory, resource.VCores), monitors)
}

// CheckFIFO applies the validation with which the FifoScheduler starts. A number of vcores that can't be read keeps the
// ResourceManager from starting, whatever the scheduler.
//
// Source: FifoScheduler.validateConf.
func (s *Site) CheckFIFO() error {
	if err := s.checkPositive(resource.Memory); err != nil {
		return err
	}
	return cmp.Or(s.bounds[resource.VCores].failure, s.failPriority)
}

func (s *Site) checkPositive(types ...int) error {
	for _, i := range types {
		if err := s.bounds[i].failure; err != nil {
			return err
		}
		if lo, hi := s.bounds[i].low, s.bounds[i].high; lo < 1 || lo > hi {
			k := allocationKeys[i]
			return refuse("YarnRuntimeException", "Invalid resource scheduler %s allocation configuration, %s=%d, %s=%d, min and max should be greater than 0, max should be no smaller than min.",
				k.what, k.low, lo, k.high, hi).at(0, k.low, fmt.Sprint(lo))
		}
	}
	return nil
}
