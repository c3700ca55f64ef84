package policy

// A LeafApp is an application of a leaf queue of the CapacityScheduler as the queue's order knows it: usage and demand are
// those of the last time that the order looked, not live ones.
//
// Source: SchedulableEntity.
type LeafApp struct {
	Used     int64 // memory
	Demand   int64 // memory used and asked for
	Start    int64
	Priority int32 // higher is more urgent
	ID       int32
}

// A LeafOrder says which application of a leaf queue of the CapacityScheduler is served first. Compare is negative when a is served
// before b, and 0 only for a itself.
//
// Source: org.apache.hadoop.yarn.server.resourcemanager.scheduler.policy.OrderingPolicy.
type LeafOrder interface {
	Compare(a, b *LeafApp) int
}

// WithUsage is a [LeafOrder] that looks at usage and demand: an application whose usage has changed gets a new place when
// the queue is next offered a node.
//
// Source: AbstractComparatorOrderingPolicy.entityRequiresReordering.
type WithUsage interface {
	LooksAtUsage()
}

// LeafOrderSettings is what capacity-scheduler.xml says about the order of a queue.
type LeafOrderSettings struct {
	SizeBasedWeight bool // ordering-policy.fair.enable-size-based-weight
}

// LeafOrderEntry is one line of [LeafOrders].
type LeafOrderEntry struct {
	Name  string // in ordering-policy of a queue
	Class string // simple name of YARN's class, empty when YARN has none
	New   func(LeafOrderSettings) LeafOrder
}

// DefaultLeafOrder is the order of leaf queues that do not say.
const DefaultLeafOrder = "fifo"

// LeafOrders are the orders of applications in leaf queues. What stands here can be named by ordering-policy. YARN's
// partitions are not modelled, and applications that wait for their masters have one order whatever the queue says.
var LeafOrders = []LeafOrderEntry{
	{"fifo", "FifoOrderingPolicy", newLeafFIFO},
	{"fair", "FairOrderingPolicy", newLeafFair},
	{"fifo-with-partitions", "FifoOrderingPolicyWithExclusivePartitions", newLeafFIFO},
	{"fifo-for-pending-apps", "FifoOrderingPolicyForPendingApps", newLeafFIFO},
}

// NewLeafOrder returns the order of [LeafOrders] called name, see [Tables.NewLeafOrder].
func NewLeafOrder(name string, s LeafOrderSettings) (LeafOrder, error) {
	return (*Tables)(nil).NewLeafOrder(name, s)
}
