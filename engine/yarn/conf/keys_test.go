package conf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replay/engine/remark"
	"replay/policy"
	"replay/policy/resource"
)

// Each key of yarn-site.xml sets what it names, and its default is YARN's.
//
// Source: yarn-default.xml, YarnConfiguration, FairSchedulerConfiguration.
func TestKeysOfTheSite(t *testing.T) {
	for _, tt := range []struct {
		key, value string
		field      func(*Site) any
		def, want  any
	}{
		{keySchedulerClass, "x.Fair", func(s *Site) any { return s.SchedulerClass }, "", "x.Fair"},
		{"yarn.scheduler.include-port-in-node-name", "true", func(s *Site) any { return s.PortInNodeName }, false, true},
		{keyHeartbeat, "700", func(s *Site) any { return s.HeartbeatInterval }, int64(1000), int64(700)},
		{keyNodeExpiry, "7000", func(s *Site) any { return s.NodeExpiry }, int32(600_000), int32(7000)},
		{"yarn.am.liveness-monitor.expiry-interval-ms", "8s", func(s *Site) any { return s.AMExpiry }, int64(900_000), int64(8000)},
		{"yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "9000", func(s *Site) any { return s.ContainerExpiry }, int32(600_000), int32(9000)},
		{"yarn.cluster.max-application-priority", "7", func(s *Site) any { return s.MaxAppPriority }, int32(0), int32(7)},
		{keyMaxAttempts, "7", func(s *Site) any { return [2]int32{s.MaxAttempts, s.GlobalMaxAttempts} }, [2]int32{2, 2}, [2]int32{7, 7}},
		{keyGlobalMaxAttempts, "7", func(s *Site) any { return [2]int32{s.MaxAttempts, s.GlobalMaxAttempts} }, [2]int32{2, 2}, [2]int32{2, 7}},
		{"yarn.resourcemanager.work-preserving-recovery.enabled", "false", func(s *Site) any { return s.WorkPreservingRecovery }, true, false},
		{"yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", "7", func(s *Site) any { return s.SchedulingWait }, int64(10_000), int64(7)},
		{"yarn.scheduler.reservation-threshold.increment-multiple", "7", func(s *Site) any { return s.ReservationMultiple }, float32(2), float32(7)},
		{fairPrefix + "continuous-scheduling-enabled", "true", func(s *Site) any { return fmt.Sprint(s.Continuous, s.Delay == policy.DelayByTime) }, "false false", "true true"},
		{fairPrefix + "continuous-scheduling-sleep-ms", "7", func(s *Site) any { return s.ContinuousSleep }, int32(5), int32(7)},
		{fairPrefix + "locality.threshold.node", "0.7", func(s *Site) any { return s.LocalityThresholdNode }, float32(-1), float32(0.7)},
		{fairPrefix + "locality.threshold.rack", "0.7", func(s *Site) any { return s.LocalityThresholdRack }, float32(-1), float32(0.7)},
		{fairPrefix + "locality-delay-node-ms", "7", func(s *Site) any { return s.LocalityDelayNode }, int64(-1), int64(7)},
		{fairPrefix + "locality-delay-rack-ms", "7", func(s *Site) any { return s.LocalityDelayRack }, int64(-1), int64(7)},
		{fairPrefix + "assignmultiple", "true", func(s *Site) any { return s.AssignMultiple }, false, true},
		{fairPrefix + "dynamic.max.assign", "false", func(s *Site) any { return s.DynamicMaxAssign }, true, false},
		{fairPrefix + "max.assign", "7", func(s *Site) any { return s.MaxAssign }, int32(-1), int32(7)},
		{fairPrefix + "sizebasedweight", "true", func(s *Site) any { return s.SizeBasedWeight }, false, true},
		{fairPrefix + "reservable-nodes", "0.7", func(s *Site) any { return s.ReservableNodes }, float32(0.05), float32(0.7)},
		{keyUpdateInterval, "7", func(s *Site) any { return s.UpdateInterval }, int64(500), int64(7)},
		{keyUpdateInterval, "-1", func(s *Site) any { return s.UpdateInterval }, int64(500), int64(500)},
		{fairPrefix + "preemption", "true", func(s *Site) any { return s.Preemption }, false, true},
		{fairPrefix + "preemption.cluster-utilization-threshold", "0.7", func(s *Site) any { return s.PreemptionThreshold }, float32(0.8), float32(0.7)},
		{fairPrefix + "waitTimeBeforeKill", "7", func(s *Site) any { return s.WaitBeforeKill }, int32(15_000), int32(7)},
		{fairPrefix + "waitTimeBeforeNextStarvationCheck", "7", func(s *Site) any { return s.WaitBeforeNextStarvation }, int64(10_000), int64(7)},
		{keyAMPreemption, "false", func(s *Site) any { return s.AMPreemption("root.a") }, true, false},
		{fairPrefix + "allocation.file", "f.xml", func(s *Site) any { return s.AllocationFile }, "", "f.xml"},
		{fairPrefix + "user-as-default-queue", "false", func(s *Site) any { return s.UserAsDefaultQueue }, true, false},
		{fairPrefix + "allow-undeclared-pools", "false", func(s *Site) any { return s.AllowUndeclaredPools }, true, false},
	} {
		s, err := NewSite(map[string]string{tt.key: tt.value})
		if err != nil {
			t.Fatal(err)
		}
		if got := tt.field(DefaultSite()); got != tt.def {
			t.Errorf("%s is %v when nothing is set, want %v", tt.key, got, tt.def)
		}
		if got := tt.field(s); got != tt.want {
			t.Errorf("%s=%s gives %v, want %v", tt.key, tt.value, got, tt.want)
		}
	}
}

// Each element of a queue sets what it names; its default is that of the file.
//
// Source: AllocationFileQueueParser, QueueProperties.
func TestElementsOfAQueue(t *testing.T) {
	absolute := func(c ConfigurableResource) any {
		r, ok := c.Absolute()
		return fmt.Sprint(ok, r)
	}
	for _, tt := range []struct {
		element, value string
		field          func(QueueSettings) any
		def, want      any
	}{
		{"weight", "2.5", func(s QueueSettings) any { return s.Weight }, float32(1), float32(2.5)},
		{"minResources", "3 mb,4 vcores", func(s QueueSettings) any { return s.Min }, resource.Resource{}, resource.R(3, 4)},
		{"maxResources", "3 mb,4 vcores", func(s QueueSettings) any { return absolute(s.Max) }, fmt.Sprint(true, resource.Unbounded(2)), fmt.Sprint(true, resource.R(3, 4))},
		{"maxChildResources", "3 mb,4 vcores", func(s QueueSettings) any { return fmt.Sprint(s.HasMaxChild, absolute(s.MaxChild)) },
			fmt.Sprint(false, absolute(ConfigurableResource{})), fmt.Sprint(true, absolute(fixed(resource.R(3, 4))))},
		{"maxContainerAllocation", "3 mb,4 vcores", func(s QueueSettings) any { return s.MaxContainer == resource.R(3, 4) }, false, true},
		{"maxRunningApps", "7", func(s QueueSettings) any { return s.MaxRunningApps }, int32(1<<31 - 1), int32(7)},
		{"maxAMShare", "0.7", func(s QueueSettings) any { return s.MaxAMShare }, float32(0.5), float32(0.7)},
		{"maxAMShare", "1.7", func(s QueueSettings) any { return s.MaxAMShare }, float32(0.5), float32(1)},
		{"minSharePreemptionTimeout", "7", func(s QueueSettings) any { return s.MinShareTimeout }, int64(-1), int64(7000)},
		{"fairSharePreemptionTimeout", "7", func(s QueueSettings) any { return s.FairShareTimeout }, int64(-1), int64(7000)},
		{"fairSharePreemptionThreshold", "0.7", func(s QueueSettings) any { return s.FairShareThreshold }, float32(-1), float32(0.7)},
		{"fairSharePreemptionThreshold", "1.7", func(s QueueSettings) any { return s.FairShareThreshold }, float32(-1), float32(1)},
		{"schedulingPolicy", "drf", func(s QueueSettings) any { return s.Policy }, "fair", "drf"},
		{"schedulingMode", "fifo", func(s QueueSettings) any { return s.Policy }, "fair", "fifo"},
		{"allowPreemptionFrom", "false", func(s QueueSettings) any { return s.NonPreemptable }, false, true},
		{"allowPreemptionFrom", "true", func(s QueueSettings) any { return s.NonPreemptable }, false, false},
	} {
		a, err := ParseAllocations([]byte(fmt.Sprintf("<allocations><queue name='q'><%s>%s</%[1]s></queue><queue name='other'/></allocations>", tt.element, tt.value)), DefaultSite())
		if err != nil {
			t.Fatal(err)
		}
		if got := tt.field(a.Settings("root.other")); got != tt.def {
			t.Errorf("%s is %v when nothing is set, want %v", tt.element, got, tt.def)
		}
		if got := tt.field(a.Settings("root.q")); got != tt.want {
			t.Errorf("%s of %s gives %v, want %v", tt.element, tt.value, got, tt.want)
		}
	}
}

// A minimum above the maximum is said, whichever of them comes first.
func TestMinimumAboveMaximum(t *testing.T) {
	for text, want := range map[string]bool{
		"<minResources>2 mb,1 vcores</minResources><maxResources>1 mb,1 vcores</maxResources>": true,
		"<maxResources>2 mb,1 vcores</maxResources><minResources>2 mb,2 vcores</minResources>": true,
		"<minResources>2 mb,1 vcores</minResources><maxResources>2 mb,1 vcores</maxResources>": false,
		"<minResources>2 mb,1 vcores</minResources>":                                           false,
		"<maxResources>2 mb,1 vcores</maxResources>":                                           false,
		"<minResources>2 mb,1 vcores</minResources><maxResources>1%</maxResources>":            false,
	} {
		a, err := ParseAllocations([]byte("<allocations><queue name='q'>"+text+"</queue></allocations>"), DefaultSite())
		if err != nil {
			t.Fatal(err)
		}
		said := slices.ContainsFunc(a.Remarks, func(r remark.Remark) bool { return strings.HasPrefix(r.Text, "minResources is above maxResources") })
		if said != want {
			t.Errorf("%s: said %v, want %v", text, said, want)
		}
	}
}

// Each key of the CapacityScheduler sets what it names, and its default is YARN's.
//
// Source: CapacitySchedulerConfiguration.
func TestKeysOfTheCapacityScheduler(t *testing.T) {
	leaf := func(f func(*CapacityQueue) any) func(*Capacity) any {
		return func(c *Capacity) any { return f(&c.Queues[c.Find("root.a")]) }
	}
	for _, tt := range []struct {
		key, value string
		field      func(*Capacity) any
		def, want  any
	}{
		{"maximum-applications", "7", func(c *Capacity) any { return c.MaxApplications }, int32(10_000), int32(7)},
		{"node-locality-delay", "7", func(c *Capacity) any { return c.NodeLocalityDelay }, int32(40), int32(7)},
		{"rack-locality-additional-delay", "7", func(c *Capacity) any { return c.RackAdditionalDelay }, int32(-1), int32(7)},
		{"rack-locality-full-reset", "false", func(c *Capacity) any { return c.RackFullReset }, true, false},
		{"per-node-heartbeat.multiple-assignments-enabled", "false", func(c *Capacity) any { return c.MultipleAssignments }, true, false},
		{"per-node-heartbeat.maximum-container-assignments", "7", func(c *Capacity) any { return c.MaxAssignments }, int32(100), int32(7)},
		{"per-node-heartbeat.maximum-offswitch-assignments", "7", func(c *Capacity) any { return c.MaxOffSwitch }, int32(1), int32(7)},
		{"per-node-heartbeat.maximum-offswitch-assignments", "0", func(c *Capacity) any { return c.MaxOffSwitch }, int32(1), int32(1)},
		{"reservations-continue-look-all-nodes", "false", func(c *Capacity) any { return c.ReservationsLookOn }, true, false},
		{"user.max-parallel-apps", "7", func(c *Capacity) any { return c.MaxParallelOfUser("u") }, int32(1<<31 - 1), int32(7)},
		{"user.u.max-parallel-apps", "7", func(c *Capacity) any { return c.MaxParallelOfUser("u") }, int32(1<<31 - 1), int32(7)},
		{"user.v.max-parallel-apps", "7", func(c *Capacity) any { return c.MaxParallelOfUser("u") }, int32(1<<31 - 1), int32(1<<31 - 1)},
		{"max-parallel-apps", "7", leaf(func(q *CapacityQueue) any { return q.MaxParallel }), int32(1<<31 - 1), int32(7)},
		{"root.a.max-parallel-apps", "7", leaf(func(q *CapacityQueue) any { return q.MaxParallel }), int32(1<<31 - 1), int32(7)},
		{"root.a.priority", "7", leaf(func(q *CapacityQueue) any { return q.Priority }), int32(0), int32(7)},
		{"root.a.default-application-priority", "7", leaf(func(q *CapacityQueue) any { return q.DefaultPriority }), int32(0), int32(7)},
		{"root.a.minimum-user-limit-percent", "7", leaf(func(q *CapacityQueue) any { return q.UserLimit }), float32(100), float32(7)},
		{"minimum-user-limit-percent", "7", leaf(func(q *CapacityQueue) any { return q.UserLimit }), float32(100), float32(7)},
		{"root.a.user-limit-factor", "7", leaf(func(q *CapacityQueue) any { return q.UserLimitFactor }), float32(1), float32(7)},
		{"user-limit-factor", "7", leaf(func(q *CapacityQueue) any { return q.UserLimitFactor }), float32(1), float32(7)},
		{"root.a.maximum-am-resource-percent", "0.7", leaf(func(q *CapacityQueue) any { return q.MaxAMShare }), float32(0.1), float32(0.7)},
		{"maximum-am-resource-percent", "0.7", leaf(func(q *CapacityQueue) any { return q.MaxAMShare }), float32(0.1), float32(0.7)},
		{"root.a.ordering-policy", "fair", leaf(func(q *CapacityQueue) any { return q.Ordering }), "fifo", "fair"},
		{"root.a.ordering-policy.fair.enable-size-based-weight", "true", leaf(func(q *CapacityQueue) any { return q.SizeBasedWeight }), false, true},
		{"root.a.maximum-allocation-mb", "4096", leaf(func(q *CapacityQueue) any { return q.MaxAlloc }), resource.R(8192, 4), resource.R(4096, 4)},
		{"root.a.maximum-allocation-vcores", "2", leaf(func(q *CapacityQueue) any { return q.MaxAlloc }), resource.R(8192, 4), resource.R(8192, 2)},
		{"root.a.state", "STOPPED", leaf(func(q *CapacityQueue) any { return q.Running }), true, false},
		{"root.ordering-policy", "priority-utilization", func(c *Capacity) any { return c.Queues[0].PriorityFirst }, false, true},
		{"root.allow-zero-capacity-sum", "true", func(c *Capacity) any { return c.Queues[0].AllowZeroSum }, false, true},
		{"legacy-queue-mode.enabled", "false", func(c *Capacity) any { return c.LegacyQueueMode }, true, false},
	} {
		base := map[string]string{"root.queues": "a", "root.a.capacity": "100"}
		if got := tt.field(capacityOf(t, base)); got != tt.def {
			t.Errorf("%s is %v when nothing is set, want %v", tt.key, got, tt.def)
		}
		base[tt.key] = tt.value
		if got := tt.field(capacityOf(t, base)); got != tt.want {
			t.Errorf("%s=%s gives %v, want %v", tt.key, tt.value, got, tt.want)
		}
	}
}

// Bounds of what a queue's capacity may be.
//
// Source: CapacitySchedulerConfiguration.internalGetLabeledQueueCapacity, extractFloatValueFromWeightConfig.
func TestBoundsOfCapacities(t *testing.T) {
	for _, tt := range []struct {
		capacity string
		zero     string // allow-zero-capacity-sum
		want     string
	}{
		{"100", "false", ""},
		{"101", "false", "Illegal capacity of 101.0 for queue root.a"},
		{"-0.5", "false", "Illegal capacity of -0.5 for queue root.a"},
		{"0", "true", ""},
		{"0", "false", "Illegal capacity sum of 0.0 for children of queue root"},
		{"50", "true", "Illegal capacity sum of 0.5 for children of queue root"},
		{"0w", "false", ""},
		{"10000w", "false", ""},
		{"10001w", "false", "Illegal weight=10001.0"},
		{"-0.5w", "false", "Illegal weight=-0.5"},
		{"-2w", "false", "Illegal weight=-2.0"},
	} {
		_, err := NewCapacity(map[string]string{capacityPrefix + "root.queues": "a", capacityPrefix + "root.a.capacity": tt.capacity,
			capacityPrefix + "root.allow-zero-capacity-sum": tt.zero}, DefaultSite())
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("capacity %s, zero allowed %s: %v, want %q", tt.capacity, tt.zero, err, tt.want)
		}
	}
}
