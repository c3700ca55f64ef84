package conf

import (
	"fmt"

	"replay/policy"
)

// AMPreemption reports whether AM containers in the queue called path may be preempted.
func (s *Site) AMPreemption(path string) bool {
	if v, ok := s.amPreemptionOf[path]; ok {
		return v
	}
	return s.amPreemption
}

// CheckStart applies the validation with which the ResourceManager starts.
//
// Source: ResourceManager.validateConfigs.
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
	return nil
}

// Check applies the validation with which the scheduler called name (fair, capacity, fifo) starts.
//
// Source: FairScheduler.validateConf, CapacityScheduler.validateConf, FifoScheduler.validateConf.
func (s *Site) Check(name string) error {
	const both = "Both values must be greater than or equal to 0"
	for _, c := range []struct {
		what, low, high string
		i               int
	}{{"memory", keyMinMB, keyMaxMB, policy.Memory}, {"vcores", keyMinCores, keyMaxCores, policy.VCores}} {
		if name == "fifo" && c.i == policy.VCores {
			continue
		}
		lo, hi := s.MinAllocation[c.i], s.MaxAllocation[c.i]
		least := int64(0)
		if name != "fair" {
			least = 1
		}
		if lo < least || lo > hi {
			text := fmt.Sprintf("Invalid resource scheduler %s allocation configuration: %s=%d, %s=%d.  %sand the maximum allocation value must be greater than or equal tothe minimum allocation value.", c.what, c.low, lo, c.high, hi, both)
			if name != "fair" {
				text = fmt.Sprintf("Invalid resource scheduler %s allocation configuration, %s=%d, %s=%d, min and max should be greater than 0, max should be no smaller than min.", c.what, c.low, lo, c.high, hi)
			}
			return refuse("YarnRuntimeException", "%s", text).at(0, c.low, fmt.Sprint(lo))
		}
		key := map[int]string{policy.Memory: keyIncrementMB, policy.VCores: keyIncrementCores}[c.i]
		if inc := s.Increment[c.i]; name == "fair" && (inc <= 0 || c.i == policy.VCores && policy.F2I(float64(inc)) <= 0) {
			return refuse("YarnRuntimeException", "Invalid resource scheduler %s allocation configuration: %s=%d. Values must be greater than 0.", c.what, key, inc).at(0, key, fmt.Sprint(inc))
		}
	}
	return nil
}
