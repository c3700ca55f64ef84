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
	q.insert(a)
	a.user.running++
	if !a.user.present {
		q.slipped = true
	}
	q.wish(a)
}

func (q *queue) removeActive(a *app) {
	q.activeApps = q.without(q.activeApps, a)
	q.stale = remove(q.stale, a)
	a.user.running--
	if a.wishes {
		a.wishes = false
		q.wishing = q.without(q.wishing, a)
	}
}

// insert gives an application its place in the order of service.
func (q *queue) insert(a *app) {
	i, tied := slices.BinarySearchFunc(q.activeApps, a, q.compareApps)
	q.activeApps = reuse.Insert(q.activeApps, i, a)
	q.slipped = q.slipped || tied
}

// without returns a list in the order of service without an application.
func (q *queue) without(list []*app, a *app) []*app {
	if i, _ := slices.BinarySearchFunc(list, a, q.compareApps); i < len(list) && list[i] == a {
		return slices.Delete(list, i, i+1)
	}
	return remove(list, a)
}

// wish notes that an application may take a container at the next offer, or that an offer has something to note about it.
func (q *queue) wish(a *app) {
	if a.active && !a.wishes {
		a.wishes = true
		i, _ := slices.BinarySearchFunc(q.wishing, a, q.compareApps)
		q.wishing = reuse.Insert(q.wishing, i, a)
	}
}

// content reports whether an offer does nothing for an application but look at its user's limit, which it may as well do for the next one of his.
func (a *app) content() bool {
	return a.pending.IsNone() && a.headroomOf == a.user.account
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
		q.activeApps = q.without(q.activeApps, a)
		wished := a.wishes
		if a.wishes = false; wished {
			q.wishing = q.without(q.wishing, a)
		}
		a.stale = false
		a.rank.Used = a.Used[resource.Memory]
		a.rank.Demand = a.Used[resource.Memory] + a.pending[resource.Memory]
		if q.insert(a); wished {
			q.wish(a)
		}
		q.stale[i] = nil
	}
	q.stale = q.stale[:0]
	return q.activeApps
}
