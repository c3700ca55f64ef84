package capacity

import (
	"slices"

	"replay/engine/reuse"
	"replay/policy/resource"
)

// compareApps is the order in which the active applications of a leaf queue are served.
func (q *queue) compareApps(a, b *app) int {
	return q.appOrder.Compare(&a.rank, &b.rank)
}

func (q *queue) addActive(a *app) {
	i, _ := slices.BinarySearchFunc(q.activeApps, a, q.compareApps)
	q.activeApps = reuse.Insert(q.activeApps, i, a)
}

// reorderLater marks an application whose usage or demand has changed: it gets its new place
// when the queue is next offered a node, and not before.
//
// Source: AbstractComparatorOrderingPolicy.entityRequiresReordering.
func (q *queue) reorderLater(a *app) {
	if q.byUsage && a.active && !a.stale {
		a.stale = true
		q.stale = append(q.stale, a)
	}
}

// served returns the active applications in the order of service.
//
// Source: AbstractComparatorOrderingPolicy.getAssignmentIterator.
func (q *queue) served() []*app {
	for i, a := range q.stale {
		q.activeApps = remove(q.activeApps, a)
		a.stale = false
		a.rank.Used = a.Used[resource.Memory]
		a.rank.Demand = a.Used[resource.Memory] + a.pending[resource.Memory]
		q.addActive(a)
		q.stale[i] = nil
	}
	q.stale = q.stale[:0]
	return q.activeApps
}
