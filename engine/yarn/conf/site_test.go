package conf

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"replay/engine/remark"
	"replay/policy/resource"
)

func TestSiteDefaults(t *testing.T) {
	s := DefaultSite()
	if s.MinAllocation != resource.R(1024, 1) || s.MaxAllocation != resource.R(8192, 4) || s.Increment != resource.R(1024, 1) {
		t.Errorf("allocations %v %v %v", s.MinAllocation, s.MaxAllocation, s.Increment)
	}
	if s.UpdateInterval != 500 || s.HeartbeatInterval != 1000 || s.AMExpiry != 900000 || s.GlobalMaxAttempts != 2 || !s.AMPreemption("root.a") {
		t.Errorf("got %+v", s)
	}
	for scheduler, check := range checks(s) {
		if err := check(); err != nil {
			t.Errorf("%s: %v", scheduler, err)
		}
	}
}

// checks are the validations with which YARN's parts start.
func checks(s *Site) map[string]func() error {
	return map[string]func() error{"fair": s.CheckFair, "capacity": s.CheckCapacity, "fifo": s.CheckFIFO}
}

func TestSite(t *testing.T) {
	s, err := NewSite(map[string]string{
		"yarn.resource-types":                                  "yarn.io/gpu",
		"yarn.resource-types.yarn.io/gpu.maximum-allocation":   "8",
		"yarn.resource-types.yarn.io/gpu.increment-allocation": "2",
		"yarn.resource-types.memory-mb.minimum-allocation":     "512",
		"yarn.scheduler.minimum-allocation-mb":                 "2048",
		"yarn.scheduler.maximum-allocation-vcores":             " 0x10 ",
		"yarn.am.liveness-monitor.expiry-interval-ms":          "10m",
		"yarn.resourcemanager.am.max-attempts":                 "4",
		"yarn.scheduler.fair.am.preemption.root.a":             "false",
		"yarn.scheduler.fair.preemption":                       "TRUE",
		"yarn.scheduler.fair.assignmultiple":                   "maybe",
		"yarn.acl.enable":                                      "true",
		"yarn.nodemanager.aux-services":                        "spark_shuffle",
		"yarn.scheduler.fair.asignmultiple":                    "true",
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.MinAllocation != (resource.Resource{512, 1}) || s.MaxAllocation != (resource.Resource{8192, 16, 8}) || s.Increment != (resource.Resource{1024, 1, 2}) {
		t.Errorf("allocations %v %v %v", s.MinAllocation, s.MaxAllocation, s.Increment)
	}
	if s.AMExpiry != 600000 || s.GlobalMaxAttempts != 4 || s.AMPreemption("root.a") || !s.AMPreemption("root.b") || !s.Preemption || s.AssignMultiple {
		t.Errorf("got %+v", s)
	}
	want := []remark.Remark{{Kind: remark.Odd, Of: "yarn.scheduler.fair.assignmultiple=maybe"}, {Kind: remark.Odd, Of: keyAMExpiry + "=10m"}, {Kind: remark.Unmodelled, Of: "yarn.acl.enable"}, {Kind: remark.NoEffect, Of: "yarn.nodemanager.aux-services"}}
	if !slices.EqualFunc(s.Remarks, want, func(a, b remark.Remark) bool { return a.Kind == b.Kind && a.Of == b.Of }) {
		t.Errorf("remarks %+v", s.Remarks)
	}
	if len(s.Unknown) != 1 || s.Unknown[0].Nearest[0] != "yarn.scheduler.fair.assignmultiple" {
		t.Errorf("unknown keys %v", s.Unknown)
	}
}

func TestSiteErrors(t *testing.T) {
	for _, tt := range []struct{ key, value, want string }{
		{"yarn.scheduler.fair.max.assign", "x", `yarn.scheduler.fair.max.assign is "x": For input string: "x"`},
		{"yarn.scheduler.fair.update-interval-ms", "99999999999999999999", "yarn.scheduler.fair.update-interval-ms"},
		{"yarn.scheduler.fair.locality.threshold.node", "half", `For input string: "half"`},
		{"yarn.resource-types", "a,a", "specified twice"},
		{"yarn.resource-types", "a,b,c", "5 resource types, want at most 4"},
		{"yarn.resource-types", "9", "not a valid resource name"},
	} {
		s, err := NewSite(map[string]string{tt.key: tt.value})
		if err == nil {
			err = s.CheckFair()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s=%s: %v, want %q", tt.key, tt.value, err, tt.want)
		}
	}
	s, err := NewSite(map[string]string{"yarn.scheduler.minimum-allocation-mb": "9000"})
	if err != nil {
		t.Fatal(err)
	}
	for scheduler, check := range checks(s) {
		if err := check(); err == nil || !strings.Contains(err.Error(), "yarn.scheduler.minimum-allocation-mb=9000") {
			t.Errorf("%s: a minimum above the maximum gives %v", scheduler, err)
		}
	}
}

// TestKeysAreDocumented holds docs/yarn-config.md to the keys that are read.
func TestKeysAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/yarn-config.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range siteKeys() {
		if !strings.HasPrefix(key, keyResourceTypes+".") && !strings.Contains(string(text), "`"+key+"`") {
			t.Errorf("docs/yarn-config.md does not have %s", key)
		}
	}
}

// Source: ResourceManager.validateConfigs.
func TestSitesThatTheResourceManagerDoesNotStartWith(t *testing.T) {
	for _, tt := range []struct{ key, value, want string }{
		{keyMaxAttempts, "0", "Invalid rm am max attempts configuration, yarn.resourcemanager.am.max-attempts=0, it should be a positive integer"},
		{keyGlobalMaxAttempts, "-1", "Invalid global max attempts configuration, yarn.resourcemanager.am.global.max-attempts=-1, it should be a positive integer"},
		{keyNodeExpiry, "999", "Nodemanager expiry interval should be no less than heartbeat interval, yarn.nm.liveness-monitor.expiry-interval-ms=999, yarn.resourcemanager.nodemanagers.heartbeat-interval-ms=1000"},
		{keyNodeExpiry, "1000", ""},
		{keyGlobalMaxAttempts, "1", ""},
	} {
		s, err := NewSite(map[string]string{tt.key: tt.value})
		if err != nil {
			t.Fatal(err)
		}
		switch err := s.CheckStart(); {
		case tt.want == "" && err != nil:
			t.Errorf("%s=%s: %v, want none", tt.key, tt.value, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s=%s: %v, want %q", tt.key, tt.value, err, tt.want)
		}
	}
}

// A key of increments that the one of a resource type lies over is known, and said to count for nothing.
func TestIncrementOverridden(t *testing.T) {
	s, err := NewSite(map[string]string{"yarn.resource-types.memory-mb.increment-allocation": "512Mi", "yarn.scheduler.increment-allocation-mb": "2048"})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Unknown) > 0 || s.Increment[resource.Memory] != 512 || len(s.Remarks) != 1 || s.Remarks[0].Of != "yarn.scheduler.increment-allocation-mb=2048" {
		t.Errorf("increment %v, unknown keys %v, remarks %+v", s.Increment, s.Unknown, s.Remarks)
	}
}

// Values that YARN takes for others than they look are followed as it takes them, and said once.
func TestOddValuesOfKeys(t *testing.T) {
	const fair, capacity = "yarn.scheduler.fair.", "yarn.scheduler.capacity."
	const share, nodes, queue = "above 1, which is all of the queue; it is a fraction and no percentage", "above 1, which is all of the nodes: YARN takes 1", "above 100, which is all of the queue"
	for _, tt := range []struct{ key, value, want string }{
		{fair + "preemption", "yes", "neither true nor false, so it is taken for the default, false"},
		{fair + "user-as-default-queue", " 0 ", "neither true nor false, so it is taken for the default, true"},
		{fair + "preemption", " True ", ""},
		{fair + "am.preemption.root.a", "no", "neither true nor false, so it is taken for the default, true"},
		{fair + "locality.threshold.node", "50", nodes},
		{fair + "locality.threshold.rack", "1.01", nodes},
		{fair + "locality.threshold.rack", "1", ""},
		{fair + "preemption.cluster-utilization-threshold", "80", "above 1, which is all of the cluster, so nothing is ever preempted"},
		{keyAMExpiry, "10m", "the ResourceManager takes it, but Spark's application master reads the key as a whole number, and fails where its configuration has this"},
		{keyAMExpiry, " 600000 ", ""},
		{capacity + "rack-locality-full-reset", "no", "neither true nor false, so it is taken for the default, true"},
		{capacity + "root.a.ordering-policy.fair.enable-size-based-weight", "on", "neither true nor false, so it is taken for the default, false"},
		{capacity + "maximum-am-resource-percent", "30", share},
		{capacity + "root.a.maximum-am-resource-percent", "30", share},
		{capacity + "root.a.maximum-am-resource-percent", "1", ""},
		{capacity + "root.a.maximum-capacity", "140", "above 100, which is all of the parent queue"},
		{capacity + "root.a.maximum-capacity", "-1", ""}, // not set
		{capacity + "root.a.minimum-user-limit-percent", "125", queue},
		{capacity + "minimum-user-limit-percent", "125", queue},
		{capacity + "minimum-user-limit-percent", "100", ""},
	} {
		props := map[string]string{tt.key: tt.value}
		site, err := NewSite(props)
		if err != nil {
			t.Fatal(err)
		}
		got := site.Remarks
		if strings.HasPrefix(tt.key, capacity) {
			maps.Copy(props, map[string]string{capacity + "root.queues": "a,b", capacity + "root.a.capacity": "40", capacity + "root.b.capacity": "60"})
			c, err := NewCapacity(props, site)
			if err != nil {
				t.Fatal(err)
			}
			got = c.Remarks
		}
		var want remark.List
		if tt.want != "" {
			want.Add(remark.Odd, 0, tt.key+"="+strings.TrimSpace(tt.value), tt.want)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s=%s: remarks %+v, want %+v", tt.key, tt.value, got, want)
		}
	}
}

// Of keys that a replay does not follow, those that decide are warned about by their own names, unless they say what is done anyway.
func TestKeysThatDecideWithAnotherValue(t *testing.T) {
	for _, tt := range []struct {
		key, same, other string
	}{
		{"yarn.client.nodemanager-connect.max-wait-ms", "180000", "60000"},
		{"yarn.client.nodemanager-connect.retry-interval-ms", "10000", "1000"},
		{"yarn.resourcemanager.nodemanager-connect-retries", "10", "3"},
		{"yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs", "-1", "3600"},
	} {
		for value, want := range map[string]remark.Kind{tt.same: remark.NoEffect, tt.other: remark.Unmodelled} {
			s, err := NewSite(map[string]string{tt.key: value})
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Remarks) != 1 || s.Remarks[0].Of != tt.key || s.Remarks[0].Kind != want {
				t.Errorf("%s=%s: %+v, want one remark of kind %v", tt.key, value, s.Remarks, want)
			}
		}
	}
}

// What part of the nodes masters may be kept from is read where they are kept from any; what is no part is the default.
//
// Source: RMAppImpl's constructor.
func TestNodesThatMastersAvoid(t *testing.T) {
	for _, tt := range []struct {
		enabled, most string
		want          float32
		odd           bool
	}{
		{"", "", 0.2, false}, {"true", "", 0.2, false}, {"true", "0.5", 0.5, false}, {"true", "0", 0, false}, {"true", "1", 1, false},
		{"true", "-0.1", 0.2, true}, {"true", "1.5", 0.2, true}, {"false", "0.5", 0.2, true}, {"", "none", 0.2, true},
	} {
		props := map[string]string{}
		for key, value := range map[string]string{keyAvoids: tt.enabled, keyAvoidsAtMost: tt.most} {
			if value != "" {
				props[key] = value
			}
		}
		s, err := NewSite(props)
		if err != nil {
			t.Fatal(err)
		}
		if s.AvoidsFailed != (tt.enabled == "true") || s.AvoidsAtMost != tt.want {
			t.Errorf("%v: kept from nodes %v, up to %v, want %v", props, s.AvoidsFailed, s.AvoidsAtMost, tt.want)
		}
		if odd := len(s.Remarks) == 1 && s.Remarks[0].Of == keyAvoidsAtMost+"="+tt.most && s.Remarks[0].Kind == remark.Odd; odd != tt.odd || len(s.Unknown) > 0 {
			t.Errorf("%v: %+v, unknown %v, want that the value is remarked on: %v", props, s.Remarks, s.Unknown, tt.odd)
		}
	}
	if _, err := NewSite(map[string]string{keyAvoids: "true", keyAvoidsAtMost: "many"}); err == nil || !strings.Contains(err.Error(), keyAvoidsAtMost) {
		t.Errorf("many: error %v, want one that names the key", err)
	}
}

// Source: FSAppAttempt.getAllowedLocalityLevel and getAllowedLocalityLevelByTime, FairScheduler.shouldContinueAssigning.
func TestIdleKeysOfTheFairScheduler(t *testing.T) {
	const node, rack, nodeMS, rackMS, continuous = "locality.threshold.node", "locality.threshold.rack", "locality-delay-node-ms", "locality-delay-rack-ms", "continuous-scheduling-enabled"
	const multiple, dynamic, most = "assignmultiple", "dynamic.max.assign", "max.assign"
	for _, tt := range []struct {
		set  map[string]string
		idle string
	}{
		{map[string]string{}, ""},
		{map[string]string{node: "0.5", rack: "0"}, ""},
		{map[string]string{node: "-1", rack: "-1"}, ""},
		{map[string]string{node: "0.5"}, node},
		{map[string]string{node: "0.5", rack: "-0.1"}, node},
		{map[string]string{rack: "0.5"}, rack},
		{map[string]string{node: "0.5", rack: "0.5", continuous: "true"}, node + " " + rack},
		{map[string]string{nodeMS: "500", rackMS: "-1"}, nodeMS},
		{map[string]string{nodeMS: "500", rackMS: "500", continuous: "true"}, ""},
		{map[string]string{nodeMS: "500", continuous: "true"}, nodeMS},
		{map[string]string{rackMS: "0", continuous: "true"}, rackMS},
		{map[string]string{most: "3"}, most},
		{map[string]string{most: "3", multiple: "true"}, most},
		{map[string]string{most: "3", multiple: "true", dynamic: "false"}, ""},
		{map[string]string{most: "-1", multiple: "true"}, ""},
		{map[string]string{most: "0"}, ""},
	} {
		props := map[string]string{}
		for key, value := range tt.set {
			props[fairPrefix+key] = value
		}
		s, err := NewSite(props)
		if err != nil {
			t.Fatal(err)
		}
		var idle []string
		for _, r := range s.Idle {
			key, _, _ := strings.Cut(r.Of, "=")
			if idle = append(idle, strings.TrimPrefix(key, fairPrefix)); r.Of != key+"="+props[key] {
				t.Errorf("%v: a remark is about %q, want the key with its value", tt.set, r.Of)
			}
		}
		if got := strings.Join(idle, " "); got != tt.idle {
			t.Errorf("%v: without effect are %q, want %q", tt.set, got, tt.idle)
		}
	}
}
