package policy

import (
	"cmp"
	"math"
)

// A CapacityQueue is a queue of the CapacityScheduler as it stands when it is compared with its siblings.
//
// Source: PriorityUtilizationQueueOrderingPolicy.PriorityQueueResourcesForSorting.
type CapacityQueue struct {
	Used          float32  // used capacity: part of the queue's own capacity
	AbsoluteUsed  float32  // part of the cluster
	Absolute      float32  // configured capacity, part of the cluster
	ConfiguredMin Resource // capacity given as an amount, else none
	Priority      int32
}

// CompareCapacityQueues orders siblings: queues with a capacity first, then the one that uses less of
// its own, then the larger one. With byPriority the more urgent of two queues goes first when both
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
	case a.Absolute == 0 && b.Absolute == 0:
		used = compareUse(a.AbsoluteUsed, b.AbsoluteUsed, a.Priority, b.Priority, byPriority)
	default:
		used = compareUse(a.Used, b.Used, a.Priority, b.Priority, byPriority)
	}
	if used != 0 {
		return used
	}
	if !a.ConfiguredMin.IsNone() || !b.ConfiguredMin.IsNone() {
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
func compareResources(a, b Resource, types int) int {
	for i := range types {
		if c := compareInt64(a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// A CapacityApp is an application of a leaf queue as its order knows it: usage and demand are
// those of the last time that the order looked, not live ones.
type CapacityApp struct {
	Used     int64 // memory
	Demand   int64 // memory used and asked for
	Start    int64
	Priority int32 // higher is more urgent
	ID       int32
}

// CompareCapacityFIFO orders applications by priority, then by number.
//
// Source: FifoOrderingPolicy.
func CompareCapacityFIFO(a, b *CapacityApp) int {
	if a.Priority != b.Priority {
		return cmp.Compare(b.Priority, a.Priority)
	}
	return cmp.Compare(a.ID, b.ID)
}

// CompareCapacityFair orders applications by used memory, then by start, those without any
// demand last, then by number. With sizeBased usage counts less in applications that want more.
//
// Source: FairOrderingPolicy.
func CompareCapacityFair(a, b *CapacityApp, sizeBased bool) int {
	if c := signum(fairMagnitude(a, sizeBased) - fairMagnitude(b, sizeBased)); c != 0 {
		return c
	}
	if a.Start != b.Start {
		return cmp.Compare(a.Start, b.Start)
	}
	switch {
	case a.Demand == 0 && b.Demand > 0:
		return 1
	case b.Demand == 0 && a.Demand > 0:
		return -1
	}
	return cmp.Compare(a.ID, b.ID)
}

func fairMagnitude(a *CapacityApp, sizeBased bool) float64 {
	used := float64(a.Used)
	if sizeBased && used != 0 {
		used /= math.Log1p(float64(a.Demand)) / math.Log(2)
	}
	return used
}
