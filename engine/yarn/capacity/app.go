package capacity

import (
	"math"
	"sort"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/jvm"
	"replay/policy"
	"replay/policy/resource"
)

// app is an attempt of an application in a leaf queue.
//
// Source: FiCaSchedulerApp.
type app struct {
	*yarn.Attempt
	q    *queue
	user *user
	am   resource.Resource // charged against the limits of application masters
	rank policy.LeafApp    // its place in the orders of the queue

	runnable bool   // the running limits let it start, as of the last check
	entered  int    // times that it is among those of its queue which run
	active   bool   // the queue has room for its master
	alike    *alike // while it waits for that
	wishes   bool   // stands in queue.wishing
	asking   bool   // counts among its user's applications with outstanding requests
	stale    bool   // its place in the queue's order is to be looked up again

	pending    resource.Resource // wanted
	reserved   resource.Resource
	headroomOf *account // of the user when the queue last looked at the application; nil before

	// The orders in which the end of the application ends its containers and reservations.
	live jvm.ConcurrentHashMap[protocol.ContainerID, *yarn.Container]
	held jvm.HashMap[yarn.Key, *key]

	keys     []*key                 // by the number of the table
	changed  []*key                 // those whose table has changed since the last look, each once
	among    *key                   // by which it is among peers; nil for none
	marks    []mark                 // of its containers, see [monitor]
	recalled []protocol.ContainerID // those marked that its master has not been told of
	emptied  int64                  // how often nothing was wanted in the middle of a message
}

// key is what delay scheduling and reservations keep of one table of requests.
type key struct {
	t          *yarn.Table
	pending    resource.Resource // wanted, as of the last look
	wanted     int64             // app.emptied plus 1 as of the last look at which something was wanted, 0 for one at which nothing was
	changed    bool              // stands in app.changed
	rereserved int32
	reserved   jvm.HashMap[protocol.NodeID, *yarn.Container]
	asked      int64 // version of the table as of which the nodes in reserved know what is asked for
	enough     enough
	content    content
	peers      *peers // of its application, see [app.joinPeers]
}

// enough is how often what is reserved has to be reserved again until more is wanted than that; see [policy.WantsMore].
type enough struct {
	at               int32 // so often, 0 for what is not known
	wanted, reserved int32
	ratio, most      float32
}

// find finds it for these arguments.
func (e *enough) find(wanted, reserved int32, ratio, most float32) {
	was := *e
	e.wanted, e.reserved, e.ratio, e.most = wanted, reserved, ratio, most
	if *e == was && was.at > 0 {
		return
	}
	few := sort.Search(math.MaxInt32, func(times int) bool { return policy.WantsMore(wanted, reserved, int32(times), ratio, most) })
	e.at = int32(few)
}

// hash is SchedulerRequestKey.hashCode of the key.
func (k *key) hash(a *app) int32 {
	update := int32(0)
	if k.t.Update != (protocol.ContainerID{}) {
		update = a.ContainerHash(k.t.Update)
	}
	return jvm.RequestKeyHash(k.t.Priority, k.t.Request, update)
}

// of returns what is kept for a table.
func (a *app) of(t *yarn.Table) *key {
	for len(a.keys) <= int(t.Number) {
		a.keys = append(a.keys, nil)
	}
	if a.keys[t.Number] == nil {
		a.keys[t.Number] = &key{t: t}
	}
	return a.keys[t.Number]
}

// Changed is part of [yarn.Watcher].
func (a *app) Changed(t *yarn.Table) {
	if k := a.of(t); !k.changed {
		k.changed = true
		a.changed = append(a.changed, k)
	}
}

// requestsChanged carries a change of the request tables on to the pending resources of the queues and to the
// users of the queue who ask for something.
//
// Source: AppSchedulingInfo.updatePendingResources.
func (a *app) requestsChanged() {
	a.leavePeers()
	pending, now := a.pending, a.emptied+1
	for _, k := range a.changed {
		k.changed = false
		was := k.pending
		k.pending = k.t.Pending()
		pending = pending.Add(k.pending.Sub(was))
		switch {
		case !k.t.Wanted():
			k.wanted = 0
		case k.wanted != now:
			k.wanted = now
			a.q.users.activate(a)
		}
	}
	a.changed = a.changed[:0]
	if len(a.Active()) == 0 {
		a.q.users.deactivate(a)
	}
	a.setPending(pending)
	for _, k := range a.held.All {
		if version := k.t.Version(); k.asked != version || len(a.Bars) > 0 { // how many are wanted does not matter to them
			k.asked = version
			k.touchHeld()
		}
	}
}

// Emptied is part of [yarn.Watcher]: what is asked later in the message counts as asked anew.
//
// Source: AppSchedulingInfo.checkForDeactivation.
func (a *app) Emptied() {
	a.emptied++
	a.q.users.deactivate(a)
}

func (a *app) setPending(r resource.Resource) {
	d := r.Sub(a.pending)
	if d.IsNone() {
		return
	}
	if a.pending = r; !r.IsNone() {
		a.q.wish(a)
	}
	for q := a.q; q != nil; q = q.parent {
		wanted := q.hasPending()
		if q.pending = q.pending.Add(d); q.hasPending() != wanted {
			q.shift()
		}
	}
}

// Concrete are values of the types that stand behind interfaces in the state of a replay.
func Concrete() []any { return []any{(*app)(nil)} }
