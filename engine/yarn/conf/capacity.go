package conf

import (
	"slices"

	"replay/engine/remark"
	"replay/policy/resource"
)

// CapacityMode is how the capacity of a queue is written.
type CapacityMode uint8

// The modes. In the vector mode (legacy-queue-mode.enabled false) a queue may mix them by type.
const (
	ByPercent CapacityMode = iota
	ByWeight
	ByAmount
)

// Capacity is the configuration of the CapacityScheduler: the keys of capacity-scheduler.xml and
// the queues with their shares of the cluster, which [Capacity.Update] recomputes.
//
// Source: CapacitySchedulerConfiguration, AbstractCSQueue and its subclasses.
type Capacity struct {
	Calculator resource.Calculator
	// CalculatorName is default or dominant.
	CalculatorName string

	MaxApplications     int32 // of the whole system
	GlobalMaxPerQueue   int32 // global-queue-max-application; -1 is unset
	NodeLocalityDelay   int32
	RackAdditionalDelay int32
	RackFullReset       bool
	MultipleAssignments bool
	MaxAssignments      int32 // per heartbeat; -1 is unlimited
	MaxOffSwitch        int32 // per heartbeat
	ReservationsLookOn  bool  // reservations-continue-look-all-nodes
	LegacyQueueMode     bool
	UserMetrics         bool // user-metrics.enable
	Preemption          CapacityPreemption
	MaxParallelPerUser  int32
	maxParallelOf       map[string]int32 // user

	// Queues holds root first, then depth first in the configured order.
	Queues []CapacityQueue

	// Remarks are about keys that YARN knows and a replay does not follow, and values that are not what they look like.
	Remarks remark.List
	// Unknown are keys that YARN does not have, with the nearest that it has.
	Unknown []UnknownKey
	// Problems are settings that YARN accepts though they can only be mistakes.
	Problems []*Error

	types int
	// ratio[i] is by how much the configured amounts of the children of queue i are scaled down,
	// per type; unscaled where they are not.
	ratio [][resource.MaxTypes]float32
}

// CapacityQueue is a queue of the CapacityScheduler. Capacities are fractions, float32 as in YARN.
type CapacityQueue struct {
	Path     string
	Name     string // last part of Path
	Parent   int    // index of the parent, -1 for root
	Children []int
	Leaf     bool

	Mode      CapacityMode
	Weight    float32 // -1 without a weight
	ConfigMin resource.Resource
	ConfigMax resource.Resource // none: not set

	Running  bool // state is not STOPPED
	State    string
	Priority int32
	MaxAlloc resource.Resource
	// PriorityFirst is the parent's ordering policy priority-utilization.
	PriorityFirst bool
	AllowZeroSum  bool // of its children
	// NonPreemptable: nothing is taken from it, as it or one above it says; see [CapacityPreemption].
	NonPreemptable bool
	// NonPreemptableWithin: nothing is taken from applications for others of the queue.
	NonPreemptableWithin bool

	// Of leaf queues.
	UserLimit       float32 // percent
	UserLimitFactor float32
	MaxAMShare      float32
	Ordering        string // name in policy.LeafOrders
	SizeBasedWeight bool   // of the fair ordering
	MaxParallel     int32
	DefaultPriority int32
	UserWeights     map[string]float32
	configuredApps  int32 // maximum-applications of the queue, negative when not set

	// What follows from the size of the cluster, see Update.
	Capacity            float32 // of the parent
	AbsoluteCapacity    float32
	MaxCapacity         float32
	AbsoluteMaxCapacity float32
	NormalizedWeight    float32
	EffectiveMin        resource.Resource
	EffectiveMax        resource.Resource
	MaxApps             int32 // of the queue
	MaxAppsPerUser      int32

	min, max vector // the capacity by resource type, of the vector mode
}

// Err returns the first of Problems: what a user's file is refused for though YARN would start with it.
func (c *Capacity) Err() error {
	if len(c.Problems) > 0 {
		return c.Problems[0]
	}
	return nil
}

// MaxParallelOfUser returns the limit of running applications of a user.
func (c *Capacity) MaxParallelOfUser(user string) int32 {
	if n, ok := c.maxParallelOf[user]; ok {
		return n
	}
	return c.MaxParallelPerUser
}

// UserWeight returns the weight of a user in the queue.
func (q *CapacityQueue) UserWeight(user string) float32 {
	if w, ok := q.UserWeights[user]; ok {
		return w
	}
	return 1
}

// Find returns the index of the queue with that path, -1 when there is none.
func (c *Capacity) Find(path string) int {
	return slices.IndexFunc(c.Queues, func(q CapacityQueue) bool { return q.Path == path })
}

// Update computes the shares of all queues for a cluster of that size. Fractions that cannot be
// computed stay as they were, as in YARN, so that the order of updates can matter.
//
// Source: AbstractParentQueue.updateClusterResource, AbstractLeafQueue.updateClusterResource,
// CapacitySchedulerQueueCapacityHandler.
func (c *Capacity) Update(cluster resource.Resource) {
	if c.LegacyQueueMode {
		c.updateLegacy(0, cluster)
		return
	}
	root := &c.Queues[0]
	root.EffectiveMin, root.EffectiveMax = cluster, cluster
	root.AbsoluteCapacity = 1
	c.updateVectors(0, cluster)
}

func (c *Capacity) updateLegacy(i int, cluster resource.Resource) {
	q := &c.Queues[i]
	if q.Parent < 0 && q.Weight > 0 {
		q.NormalizedWeight = 1
	}
	c.absolute(q)
	if q.Leaf {
		c.effective(q, cluster)
		c.applications(q, true)
		return
	}
	var sum float32
	weighted := false
	for _, k := range q.Children {
		weighted = weighted || c.Queues[k].Weight >= 0
		sum += max(0, c.Queues[k].Weight)
	}
	if weighted && (sum > 1e-6 || sum < -1e-6) {
		for _, k := range q.Children {
			c.Queues[k].NormalizedWeight = c.Queues[k].Weight / sum
		}
	}
	if q.Parent < 0 {
		q.EffectiveMin, q.EffectiveMax = cluster, cluster
	} else {
		c.effective(q, cluster)
	}
	c.scale(i, cluster)
	for _, k := range q.Children {
		c.updateLegacy(k, cluster)
	}
}

// absolute multiplies the fractions along the path.
//
// Source: CSQueueUtils.updateAbsoluteCapacitiesByNodeLabels.
func (c *Capacity) absolute(q *CapacityQueue) {
	up, upMax := float32(1), float32(1)
	if q.Parent >= 0 {
		up, upMax = c.Queues[q.Parent].AbsoluteCapacity, c.Queues[q.Parent].AbsoluteMaxCapacity
	}
	if !c.LegacyQueueMode {
		q.AbsoluteCapacity = q.Capacity * up
	} else if share := max(q.Capacity, q.NormalizedWeight); share > 0 {
		q.AbsoluteCapacity = share * up
	}
	if q.MaxCapacity > 0 {
		q.AbsoluteMaxCapacity = q.MaxCapacity * upMax
	}
}

// effective computes what the queue has on the cluster.
//
// Source: AbstractCSQueue.updateEffectiveResources.
func (c *Capacity) effective(q *CapacityQueue, cluster resource.Resource) {
	if q.Mode != ByAmount {
		for i := range cluster {
			q.EffectiveMin[i] = resource.F2L(float64(cluster[i]) * float64(q.AbsoluteCapacity))
			q.EffectiveMax[i] = resource.F2L(float64(cluster[i]) * float64(q.AbsoluteMaxCapacity))
		}
		q.EffectiveMin[resource.VCores], q.EffectiveMax[resource.VCores] = q.EffectiveMin.CPU(), q.EffectiveMax.CPU()
		return
	}
	parent := &c.Queues[q.Parent]
	q.EffectiveMin = q.ConfigMin
	for i, r := range c.ratio[q.Parent] {
		if r != unscaled {
			q.EffectiveMin[i] = resource.F2L(float64(float32(q.ConfigMin[i]) * r))
		}
	}
	most := parent.ConfigMax
	if most.IsNone() {
		most = parent.EffectiveMax
	}
	q.EffectiveMax = most
	if !q.ConfigMax.IsNone() && c.Calculator.Compare(cluster, q.ConfigMax, most, false) <= 0 {
		q.EffectiveMax = q.ConfigMax
	}
	c.derive(q, cluster)
	q.AbsoluteCapacity = q.Capacity * parent.AbsoluteCapacity
	q.AbsoluteMaxCapacity = q.MaxCapacity * parent.AbsoluteMaxCapacity
}

// derive sets the fractions of a queue from its effective resources.
func (c *Capacity) derive(q *CapacityQueue, cluster resource.Resource) {
	parent := &c.Queues[q.Parent]
	q.Capacity = finite(c.Calculator.Divide(cluster, q.EffectiveMin, parent.EffectiveMin))
	q.MaxCapacity = finite(c.Calculator.Divide(cluster, q.EffectiveMax, parent.EffectiveMax))
}

// finite is 0 for an infinite value.
func finite(v float32) float32 {
	if v-v != 0 && v == v {
		return 0
	}
	return v
}

// scale finds by how much the amounts of the children must shrink to fit the parent.
//
// Source: AbstractParentQueue.recalculateEffectiveMinRatio.
func (c *Capacity) scale(i int, cluster resource.Resource) {
	q := &c.Queues[i]
	for t := range c.ratio[i] {
		c.ratio[i][t] = unscaled
	}
	var sum resource.Resource
	for _, k := range q.Children {
		sum = sum.Add(c.Queues[k].ConfigMin)
	}
	have := q.EffectiveMin
	if q.Parent < 0 {
		have = cluster
	}
	if q.Parent < 0 && cluster.IsNone() || c.Calculator.Compare(cluster, have, sum, false) >= 0 {
		return
	}
	for t := range c.types {
		if sum[t] != 0 {
			c.ratio[i][t] = float32(have[t]) / float32(sum[t])
		}
	}
}

const unscaled = -1

// applications sets how many applications the leaf and one of its users may have; ready tells
// that the absolute capacity is known.
//
// Source: AbstractLeafQueue.updateMaximumApplications.
func (c *Capacity) applications(q *CapacityQueue, ready bool) {
	base := c.MaxApplications
	if c.GlobalMaxPerQueue > 0 {
		base = min(base, c.GlobalMaxPerQueue)
	}
	q.MaxApps = q.configuredApps
	if q.MaxApps < 0 {
		if !ready || c.GlobalMaxPerQueue > 0 && q.Mode != ByAmount {
			q.MaxApps = base
		} else {
			q.MaxApps = max(q.MaxApps, resource.F2I(float64(float32(base)*q.AbsoluteCapacity)))
		}
	}
	q.MaxAppsPerUser = q.MaxApps
	if q.UserLimitFactor != -1 {
		share := float32(q.MaxApps) * float32(q.UserLimit/100)
		q.MaxAppsPerUser = min(q.MaxApps, resource.F2I(float64(float32(share*q.UserLimitFactor))))
	}
}
