package conf

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"replay/engine/remark"
	"replay/engine/spelling"
	"replay/policy"
	"replay/policy/resource"
)

// Site is the part of yarn-site.xml that a replay follows, with YARN's defaults.
//
// Times are in ms. Resources have one amount for each of Types.
type Site struct {
	// Types are the names of the resource types in index order: memory-mb, vcores, and those of
	// yarn.resource-types in the order of Java's hash map, as in YARN.
	Types []string

	// Policies may be named beside those of package policy; nil for none. No key sets it.
	Policies *policy.Tables

	SchedulerClass string // Java class of the scheduler, "" when the key is absent

	MinAllocation resource.Resource
	MaxAllocation resource.Resource
	// Increment is the FairScheduler's normalization step; ReservationMultiple times Increment
	// is the smallest size that it reserves.
	Increment           resource.Resource
	ReservationMultiple float32

	AllocationFile       string // of the FairScheduler; "" when the key is absent
	UserAsDefaultQueue   bool
	AllowUndeclaredPools bool

	Preemption               bool
	PreemptionThreshold      float32 // of the cluster's utilization
	WaitBeforeKill           int32
	WaitBeforeNextStarvation int64
	amPreemption             bool
	amPreemptionOf           map[string]bool // queue path

	SizeBasedWeight       bool
	AssignMultiple        bool
	DynamicMaxAssign      bool
	MaxAssign             int32
	LocalityThresholdNode float32
	LocalityThresholdRack float32
	LocalityDelayNode     int64
	LocalityDelayRack     int64
	Delay                 string // name in policy.Delays
	Continuous            bool
	ContinuousSleep       int32
	UpdateInterval        int64 // 0: no update thread, nothing is ever scheduled
	ReservableNodes       float32
	PortInNodeName        bool

	HeartbeatInterval      int64
	NodeExpiry             int32
	AMExpiry               int64
	ContainerExpiry        int32
	MaxAppPriority         int32   // priorities of applications are cut to it
	MaxAttempts            int32   // of an application that does not say how many it may have
	GlobalMaxAttempts      int32   // of one that says
	AvoidsFailed           bool    // later masters of an application are kept from nodes on which its masters have failed
	AvoidsAtMost           float32 // as long as these are less than so much of all nodes
	tokenKeysMS            []int64 // of tokenKeys: after which they are replaced
	WorkPreservingRecovery bool
	SchedulingWait         int64 // after the start of the ResourceManager

	// Kept until the scheduler starts that they concern.
	bounds         [2]bounds
	failIncrement  error
	failFair       error
	failPreemption error // of its preemption thread
	failStarvation error
	failPriority   error
	failMonitors   error

	// Monitors are those that the CapacityScheduler preempts with, as far as its own file says nothing else.
	Monitors CapacityPreemption

	// Remarks are about keys that YARN knows and a replay does not follow, and values that can only be mistakes;
	// Of is the key alone.
	Remarks remark.List
	// Idle are about keys of the FairScheduler that others of its keys keep from deciding anything; Of has the value, too.
	Idle remark.List
	// Unknown are keys that neither knows.
	Unknown []UnknownKey
}

// UnknownKey is a key that YARN does not have, with the most similar ones that are modelled.
type UnknownKey struct {
	Key     string
	Nearest []string
}

// Meant returns the modelled key of which it is probably a misspelling, "" for none.
func (u UnknownKey) Meant() string {
	if len(u.Nearest) > 0 && spelling.Near(u.Key, u.Nearest[0]) {
		return u.Nearest[0]
	}
	return ""
}

func (u UnknownKey) Error() string {
	return fmt.Sprintf("unknown key %s (nearest known: %s)", u.Key, strings.Join(u.Nearest, ", "))
}

// DefaultSite is YARN without a yarn-site.xml.
func DefaultSite() *Site {
	s, err := NewSite(nil)
	if err != nil {
		panic(err)
	}
	return s
}

// NewSite reads the properties of yarn-site.xml. Keys of the CapacityScheduler are left to
// [NewCapacity]. A value that YARN cannot read is an [*Error] that names the key, for what only schedulers read when they are
// checked; keys that are not modelled or not known are in the result.
func NewSite(props map[string]string) (*Site, error) {
	r := &reader{props: props, read: map[string]bool{}}
	s := r.site()
	if r.err != nil {
		return nil, r.err
	}
	s.Remarks = append(s.Remarks, r.remarks...)
	s.Idle = s.idle(r)
	for _, key := range sortedKeys(props) {
		switch {
		case r.read[key] || strings.HasPrefix(key, capacityPrefix):
		case isNotModelled(key) && !(s.Monitors.On && strings.HasPrefix(key, PreemptionPrefix)):
			kind, text := notModelled(key, javaTrim(props[key]))
			s.Remarks.Add(kind, 0, key, text)
		default:
			s.Unknown = append(s.Unknown, UnknownKey{key, spelling.Nearest(key, siteKeys(), 3)})
		}
	}
	if s.UpdateInterval == 0 {
		s.Remarks.Add(remark.Odd, 0, keyUpdateInterval, "with 0 shares are never computed and nothing is scheduled")
	}
	return s, nil
}

const (
	keySchedulerClass = "yarn.resourcemanager.scheduler.class"
	keyResourceTypes  = "yarn.resource-types"
	fairPrefix        = "yarn.scheduler.fair."
	keyUpdateInterval = fairPrefix + "update-interval-ms"
	keyAMPreemption   = fairPrefix + "am.preemption"
	keyContinuous     = fairPrefix + "continuous-scheduling-enabled"
	keyNodeThreshold  = fairPrefix + "locality.threshold.node"
	keyRackThreshold  = fairPrefix + "locality.threshold.rack"
	keyNodeDelay      = fairPrefix + "locality-delay-node-ms"
	keyRackDelay      = fairPrefix + "locality-delay-rack-ms"
	keyAssignMultiple = fairPrefix + "assignmultiple"
	keyDynamicAssign  = fairPrefix + "dynamic.max.assign"
	keyMaxAssign      = fairPrefix + "max.assign"
	keyIncrementMB    = "yarn.scheduler.increment-allocation-mb"
	keyIncrementCores = "yarn.scheduler.increment-allocation-vcores"
	keyMinMB          = "yarn.scheduler.minimum-allocation-mb"
	keyMinCores       = "yarn.scheduler.minimum-allocation-vcores"
	keyMaxMB          = "yarn.scheduler.maximum-allocation-mb"
	keyMaxCores       = "yarn.scheduler.maximum-allocation-vcores"
	capacityPrefix    = "yarn.scheduler.capacity."

	keyHeartbeat         = "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms"
	keyAMExpiry          = "yarn.am.liveness-monitor.expiry-interval-ms"
	keyNodeExpiry        = "yarn.nm.liveness-monitor.expiry-interval-ms"
	keyMaxAttempts       = "yarn.resourcemanager.am.max-attempts"
	keyGlobalMaxAttempts = "yarn.resourcemanager.am.global.max-attempts"
	keyAvoids            = "yarn.resourcemanager.am-scheduling.node-blacklisting-enabled"
	keyAvoidsAtMost      = "yarn.resourcemanager.am-scheduling.node-blacklisting-disable-threshold"
)

func (r *reader) site() *Site {
	s := &Site{amPreemptionOf: map[string]bool{}}
	s.SchedulerClass = r.text(keySchedulerClass, "")
	r.resourceTypes(s)

	s.failFair = r.apart(func() { r.fair(s) })
	r.monitors(s)
	s.PortInNodeName = r.boolean("yarn.scheduler.include-port-in-node-name", false)

	s.HeartbeatInterval = r.long(keyHeartbeat, 1000)
	s.NodeExpiry = r.int(keyNodeExpiry, 600000)
	s.AMExpiry = r.duration(keyAMExpiry, 900000)
	r.forSpark(keyAMExpiry)
	s.ContainerExpiry = r.int("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", 600000)
	for _, k := range tokenKeys {
		s.tokenKeysMS = append(s.tokenKeysMS, 1000*r.long(k.key, 86400))
	}
	s.failPriority = r.apart(func() { s.MaxAppPriority = r.int("yarn.cluster.max-application-priority", 0) })
	s.MaxAttempts = r.int(keyMaxAttempts, 2)
	s.GlobalMaxAttempts = r.int(keyGlobalMaxAttempts, s.MaxAttempts)
	r.avoids(s)
	s.WorkPreservingRecovery = r.boolean("yarn.resourcemanager.work-preserving-recovery.enabled", true)
	s.SchedulingWait = r.long("yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", 10000)
	return s
}

// avoids reads whether masters are kept from nodes on which others have failed. A part of the nodes that is none is the default.
//
// Source: RMAppImpl's constructor.
func (r *reader) avoids(s *Site) {
	const most = 0.2
	s.AvoidsAtMost = most
	text := r.text(keyAvoidsAtMost, "")
	if s.AvoidsFailed = r.boolean(keyAvoids, false); !s.AvoidsFailed {
		if text != "" {
			r.odd(keyAvoidsAtMost, text, "has no effect, as in YARN: "+keyAvoids+" is not true")
		}
		return
	}
	if s.AvoidsAtMost = r.float(keyAvoidsAtMost, most); s.AvoidsAtMost < 0 || s.AvoidsAtMost > 1 {
		s.AvoidsAtMost = most
		r.odd(keyAvoidsAtMost, text, fmt.Sprintf("YARN takes the default, %v: it is no part of the nodes, 0 to 1", most))
	}
}

// fair reads what the FairScheduler alone reads, in its order.
//
// Source: FairScheduler.initScheduler.
func (r *reader) fair(s *Site) {
	s.ReservationMultiple = r.float("yarn.scheduler.reservation-threshold.increment-multiple", 2)
	s.Delay = policy.DelayByOffers
	if s.Continuous = r.boolean(keyContinuous, false); s.Continuous {
		s.Delay = policy.DelayByTime
	}
	s.ContinuousSleep = r.int(fairPrefix+"continuous-scheduling-sleep-ms", 5)
	s.LocalityThresholdNode = r.threshold(keyNodeThreshold)
	s.LocalityThresholdRack = r.threshold(keyRackThreshold)
	s.LocalityDelayNode = r.long(keyNodeDelay, -1)
	s.LocalityDelayRack = r.long(keyRackDelay, -1)
	s.AssignMultiple = r.boolean(keyAssignMultiple, false)
	s.DynamicMaxAssign = r.boolean(keyDynamicAssign, true)
	s.MaxAssign = r.int(keyMaxAssign, -1)
	s.SizeBasedWeight = r.boolean(fairPrefix+"sizebasedweight", false)
	s.ReservableNodes = r.float(fairPrefix+"reservable-nodes", 0.05)
	if s.UpdateInterval = r.long(keyUpdateInterval, 500); s.UpdateInterval < 0 {
		s.UpdateInterval = 500
	}
	s.Preemption = r.boolean(fairPrefix+"preemption", false)
	s.failPreemption = r.apart(func() {
		s.PreemptionThreshold = r.float(fairPrefix+"preemption.cluster-utilization-threshold", 0.8)
		r.most(fairPrefix+"preemption.cluster-utilization-threshold", s.PreemptionThreshold, 1, "above 1, which is all of the cluster, so nothing is ever preempted")
		s.WaitBeforeKill = r.int(fairPrefix+"waitTimeBeforeKill", 15000)
	})
	s.failStarvation = r.apart(func() { s.WaitBeforeNextStarvation = r.long(fairPrefix+"waitTimeBeforeNextStarvationCheck", 10000) })
	s.amPreemption = r.boolean(keyAMPreemption, true)
	for _, key := range sortedKeys(r.props) {
		if queue, ok := strings.CutPrefix(key, keyAMPreemption+"."); ok {
			s.amPreemptionOf[queue] = r.boolean(key, true)
		}
	}
	s.AllocationFile = r.text(fairPrefix+"allocation.file", "")
	s.UserAsDefaultQueue = r.boolean(fairPrefix+"user-as-default-queue", true)
	s.AllowUndeclaredPools = r.boolean(fairPrefix+"allow-undeclared-pools", true)
}

// threshold reads which part of the nodes must have passed before an application takes a worse place.
//
// Source: FSAppAttempt.getAllowedLocalityLevel.
func (r *reader) threshold(key string) float32 {
	v := r.float(key, -1)
	r.most(key, v, 1, "above 1, which is all of the nodes: YARN takes 1")
	return v
}

// resourceTypeName is what YARN accepts as the name of a resource type.
//
// Source: ResourceUtils.validateNameOfResourceNameAndThrowException.
var resourceTypeName = regexp.MustCompile(`^(((\p{L}|[0-9])([\p{L}0-9-]*\.?)*)/)?\p{L}([\p{L}\p{N}_.-]*)$`)

// resourceTypes reads the types and their minimum, maximum and increment.
//
// Source: ResourceUtils.getResourceInformationMapFromConfig, FairSchedulerConfiguration.getIncrementAllocation.
func (r *reader) resourceTypes(s *Site) {
	names := []string{}
	for _, name := range strings.Split(r.text(keyResourceTypes, ""), ",") {
		if name = javaTrim(name); name == "" {
			continue
		}
		for _, other := range names {
			if other == name {
				r.fail(keyResourceTypes, name, refuse("YarnRuntimeException", "Error in config, key '%s' specified twice", name))
			}
		}
		if !resourceTypeName.MatchString(name) {
			r.fail(keyResourceTypes, name, refuse("YarnRuntimeException", "'%s' is not a valid resource name", name))
		}
		names = append(names, name)
	}
	s.Types = []string{memoryName, vcoresName}
	for _, name := range hashOrder(append(names, s.Types...)) {
		if name != memoryName && name != vcoresName {
			s.Types = append(s.Types, name)
		}
	}
	if len(s.Types) > resource.MaxTypes {
		r.fail(keyResourceTypes, r.props[keyResourceTypes], refuse("", "%d resource types, want at most %d", len(s.Types), resource.MaxTypes))
		return
	}
	units := make([]string, len(s.Types))
	for i, name := range s.Types {
		key := keyResourceTypes + "." + name
		units[i] = r.text(key+".units", "")
		if t := r.text(key+".type", "COUNTABLE"); t != "COUNTABLE" {
			r.fail(key+".type", t, refuse("IllegalArgumentException", "want COUNTABLE"))
		}
		if tags := r.text(key+".tags", ""); strings.Contains(tags, "system:csi-volume") {
			r.fail(key+".tags", tags, refuse("", "external volumes are not modelled"))
		}
		s.MinAllocation[i] = r.long(key+".minimum-allocation", 0)
		s.MaxAllocation[i] = r.long(key+".maximum-allocation", math.MaxInt64)
	}
	units[resource.Memory], units[resource.VCores] = "Mi", ""
	for i, k := range allocationKeys {
		b := &s.bounds[i]
		b.failure = r.apart(func() {
			b.low = int64(r.int(k.low, int32(k.least)))
			b.high = int64(r.int(k.high, int32(k.most)))
		})
		for _, m := range []struct {
			of  *resource.Resource
			key string
			old int64
		}{{&s.MinAllocation, ".minimum-allocation", b.low}, {&s.MaxAllocation, ".maximum-allocation", b.high}} {
			if m.of[i] = r.long(keyResourceTypes+"."+s.Types[i]+m.key, -1); m.of[i] == -1 {
				m.of[i] = m.old
			}
		}
	}
	s.failIncrement = r.apart(func() { s.Increment = r.increment(s.Types, units) })
}

const (
	memoryName = "memory-mb"
	vcoresName = "vcores"
)

var incrementForm = regexp.MustCompile(`^([0-9]+) ?([a-zA-Z]*)$`)

func (r *reader) increment(types, units []string) (inc resource.Resource) {
	var own [resource.MaxTypes]bool
	for i, name := range types {
		key := keyResourceTypes + "." + name + ".increment-allocation"
		text, ok := r.raw(key)
		if !ok {
			continue
		}
		m := incrementForm.FindStringSubmatch(text)
		if m == nil {
			r.fail(key, text, refuse("IllegalArgumentException", `Property %s is not in "value [unit]" format: %s`, key, text))
			continue
		}
		v, err := javaLong(m[1])
		if err == nil && m[2] != "" {
			v, err = convertUnit(m[2], units[i], v)
		}
		if err != nil {
			r.fail(key, text, err)
			continue
		}
		if i == resource.VCores {
			v = int64(int32(v))
		}
		inc[i], own[i] = v, true
	}
	if own[resource.Memory] {
		r.overridden(keyIncrementMB, types[resource.Memory])
	} else {
		inc[resource.Memory] = r.long(keyIncrementMB, 1024)
	}
	if own[resource.VCores] {
		r.overridden(keyIncrementCores, types[resource.VCores])
	} else {
		inc[resource.VCores] = int64(r.int(keyIncrementCores, 1))
	}
	return inc
}

// overridden reads a key of increments that the one of a resource type lies over.
func (r *reader) overridden(key, name string) {
	if text, ok := r.raw(key); ok {
		r.odd(key, javaTrim(text), fmt.Sprintf("%s.%s.increment-allocation counts in its place", keyResourceTypes, name))
	}
}

// convertUnit is [resource.ConvertUnit] with YARN's exception.
func convertUnit(from, to string, v int64) (int64, *Error) {
	n, err := resource.ConvertUnit(from, to, v)
	if err != nil {
		return 0, refuse("IllegalArgumentException", "%v", err)
	}
	return n, nil
}
