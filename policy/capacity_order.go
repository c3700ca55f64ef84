package policy

import (
	"cmp"

	"replay/policy/resource"
)

// A CapacityQueue is a queue of the CapacityScheduler as it stands when it is compared with its siblings.
//
// Source: PriorityUtilizationQueueOrderingPolicy.PriorityQueueResourcesForSorting.
type CapacityQueue struct {
	Used          float32           // used capacity: part of the queue's own capacity
	AbsoluteUsed  float32           // part of the cluster
	Absolute      float32           // configured capacity, part of the cluster
	ConfiguredMin resource.Resource // capacity given as an amount, else none
	Priority      int32
}

// CompareCapacityQueues orders siblings: queues with a capacity first, then the one that uses less of
// its own, then the larger one, by amount where both have one. With byPriority the more urgent of two queues goes first when both
// are below their capacity or both are not. Types is how many resource types the cluster has.
// Ties keep the configured order, so the sort must be stable.
//
// Source: PriorityUtilizationQueueOrderingPolicy.PriorityQueueComparator.
func CompareCapacityQueues(a, b *CapacityQueue, byPriority bool, types int) int {
	var used int
	switch {
	case a.Absolute > 0 && b.Absolute == 0:
		return -1
	case b.Absolute > 0 && a.Absolute == 0:
		return 1
	case a.Absolute == 0: // as b's is
		used = compareUse(a.AbsoluteUsed, b.AbsoluteUsed, a.Priority, b.Priority, byPriority)
	default:
		used = compareUse(a.Used, b.Used, a.Priority, b.Priority, byPriority)
	}
	if used != 0 {
		return used
	}
	if !a.ConfiguredMin.IsNone() && !b.ConfiguredMin.IsNone() {
		return compareResources(b.ConfiguredMin, a.ConfiguredMin, types)
	}
	return cmp.Compare(b.Absolute, a.Absolute)
}

func compareUse(a, b float32, pa, pb int32, byPriority bool) int {
	if byPriority && pa != pb && (a < 1) == (b < 1) {
		return cmp.Compare(pb, pa)
	}
	return cmp.Compare(a, b)
}

// compareResources is Resource.compareTo: index by index.
func compareResources(a, b resource.Resource, types int) int {
	for i := range types {
		if c := cmp.Compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}
