package conf

import (
	"math"
	"strings"

	"replay/engine/remark"
	"replay/input"
	"replay/policy"
	"replay/policy/resource"
)

// DefaultAMShare is the share of a leaf queue that AMs may use when nothing is set.
const DefaultAMShare = 0.5

// QueueSettings is what one queue has in effect after the defaults of the file are applied;
// settings that are inherited from the parent at run time are unset where the file is silent.
//
// Source: AllocationConfiguration.initFSQueue.
type QueueSettings struct {
	Weight         float32
	Min            resource.Resource
	Max            ConfigurableResource
	MaxChild       ConfigurableResource // maximum of children that the file does not declare
	HasMaxChild    bool
	MaxRunningApps int32
	MaxAMShare     float32 // -1 disables the check
	MaxContainer   resource.Resource
	Policy         string // name in policy.Sharings
	NonPreemptable bool   // this queue; its descendants follow

	// Unset is -1: the parent's value holds.
	MinShareTimeout    int64 // ms
	FairShareTimeout   int64 // ms
	FairShareThreshold float32
}

// Allocations is a parsed fair-scheduler.xml.
//
// Source: AllocationConfiguration and the parsers of the package fair.allocation.
type Allocations struct {
	// Leaves and Parents are the declared queues in the order in which the scheduler creates
	// them: leaves first. root is among the parents when the file has it.
	Leaves   []string
	Parents  []string
	declared map[string]declared // those names

	reservable map[string]bool // parents whose applications run below them, see [Allocations.Reservable]

	UserMaxApps         map[string]int32
	UserMaxAppsDefault  int32
	QueueMaxAppsDefault int32
	DefaultPolicy       string

	// Rules is the placement policy of the file, or the one that the Site implies. It is nil
	// when the element holds no rule: those in force stay.
	Rules *PlacementRules
	// OwnRules reports that Rules are those of the file.
	OwnRules bool

	// Remarks are about elements that are ignored or not modelled, or not what they look like.
	Remarks remark.List
	// Problems are settings that YARN accepts though they can only be mistakes: a queue declared
	// twice (YARN merges them), a negative limit, a time that overflows.
	Problems []*Error

	types      int
	queues     map[string]*queueConf
	maxDefault ConfigurableResource
	amDefault  float32
}

// queueConf is what the file says about one queue; nil is unset.
type queueConf struct {
	min            *resource.Resource
	max            *ConfigurableResource
	maxChild       *ConfigurableResource
	maxRunningApps *int32
	maxAMShare     *float32
	maxContainer   *resource.Resource
	weight         *float32
	minTimeout     *int64
	fairTimeout    *int64
	threshold      *float32
	policy         string
	nonPreemptable bool
}

// DefaultAllocations is what holds without an allocation file.
func DefaultAllocations(site *Site) *Allocations {
	return &Allocations{
		UserMaxApps:         map[string]int32{},
		UserMaxAppsDefault:  math.MaxInt32,
		QueueMaxAppsDefault: math.MaxInt32,
		DefaultPolicy:       policy.DefaultSharing,
		Rules:               DefaultRules(site.AllowUndeclaredPools, site.UserAsDefaultQueue),
		types:               len(site.Types),
		queues:              map[string]*queueConf{},
		reservable:          map[string]bool{},
		maxDefault:          fixed(resource.Unbounded(len(site.Types))),
		amDefault:           DefaultAMShare,
	}
}

// ReadAllocations parses the allocation file at path. Other than YARN, and other than
// [ParseAllocations], it refuses a file that has Problems.
func ReadAllocations(path string, site *Site) (*Allocations, error) {
	text, err := input.ReadText(path)
	if err != nil {
		return nil, err
	}
	a, err := ParseAllocations(text, site)
	if err != nil {
		return nil, inFile(path, err)
	}
	if len(a.Problems) > 0 {
		return nil, inFile(path, a.Problems[0])
	}
	return a, nil
}

// Settings returns what the queue called path has in effect, declared or not.
func (a *Allocations) Settings(path string) QueueSettings {
	s := QueueSettings{
		Weight:             1,
		Max:                a.maxDefault,
		MaxRunningApps:     a.QueueMaxAppsDefault,
		MaxAMShare:         a.amDefault,
		MaxContainer:       resource.Unbounded(a.types),
		Policy:             a.DefaultPolicy,
		MinShareTimeout:    -1,
		FairShareTimeout:   -1,
		FairShareThreshold: -1,
	}
	q := a.queues[path]
	if q == nil {
		return s
	}
	set(&s.Weight, q.weight)
	set(&s.Min, q.min)
	set(&s.Max, q.max)
	set(&s.MaxChild, q.maxChild)
	s.HasMaxChild = q.maxChild != nil
	set(&s.MaxRunningApps, q.maxRunningApps)
	set(&s.MaxAMShare, q.maxAMShare)
	set(&s.MaxContainer, q.maxContainer)
	set(&s.MinShareTimeout, q.minTimeout)
	set(&s.FairShareTimeout, q.fairTimeout)
	set(&s.FairShareThreshold, q.threshold)
	if q.policy != "" {
		s.Policy = q.policy
	}
	s.NonPreemptable = q.nonPreemptable
	return s
}

// Preempts reports whether a queue may starve for so long that containers are preempted for it. Without a timeout, as none has that the file gives none, it never does.
//
// Source: FSQueue.updatePreemptionVariables, FSLeafQueue.updateStarvedApps.
func (a *Allocations) Preempts() bool {
	finite := func(timeout *int64) bool { return timeout != nil && *timeout != math.MaxInt64 }
	for _, q := range a.queues {
		if finite(q.minTimeout) || finite(q.fairTimeout) {
			return true
		}
	}
	root := a.queues[policyRoot]
	return root == nil || root.minTimeout == nil || root.fairTimeout == nil // as without a file, where YARN's are below zero
}

// Unlimited takes from a queue the limits on its resources, its running applications and its application masters.
func (a *Allocations) Unlimited(path string) {
	q := a.of(path)
	most, none, apps := fixed(resource.Unbounded(a.types)), float32(-1), int32(math.MaxInt32)
	q.max, q.maxAMShare, q.maxRunningApps = &most, &none, &apps
}

// SetWeight gives a queue a weight.
func (a *Allocations) SetWeight(path string, weight float32) { a.of(path).weight = &weight }

// of returns what the file says about a queue, to be changed.
func (a *Allocations) of(path string) *queueConf {
	if a.queues[path] == nil {
		a.queues[path] = &queueConf{}
	}
	return a.queues[path]
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// Declared reports whether the file declares the queue called path, as leaf or as parent.
func (a *Allocations) Declared(path string) (leaf, parent bool) {
	d := a.declared[path]
	return d.leaf, d.parent
}

type declared struct{ leaf, parent bool }

// Reservable reports whether the file gives the queue called path to reservations. An application that is submitted to it without one
// runs in a queue of its own below it.
//
// Source: AllocationConfiguration.isReservable.
func (a *Allocations) Reservable(path string) bool { return a.reservable[path] }

// DefaultOfPlan is the queue of what is submitted without a reservation to the reservable queue called path.
//
// Source: FairScheduler.getDefaultQueueForPlanQueue.
func DefaultOfPlan(path string) string {
	return path + "." + path[strings.LastIndexByte(path, '.')+1:] + "-default"
}

// UserLimit returns the limit of running applications of a user.
func (a *Allocations) UserLimit(user string) int32 {
	if n, ok := a.UserMaxApps[user]; ok {
		return n
	}
	return a.UserMaxAppsDefault
}

// sharing is SchedulingPolicy.parse. The names of YARN's classes are class names that Java finds.
func (s *Site) sharing(text string) (string, *Error) {
	class, full := strings.CutPrefix(text, policyPackage)
	for _, e := range s.Policies.AllSharings() {
		if strings.ToLower(text) == e.Name || full && class != "" && class == e.Class {
			return e.Name, nil
		}
	}
	return "", refuse(badResource, "%s SchedulingPolicy class not found!", text).instead("one of %s", strings.Join(s.Policies.SharingNames(false), ", "))
}

const policyPackage = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies."
