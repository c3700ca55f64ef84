package capacity

import (
	"replay/engine/yarn"
	"replay/engine/yarn/jvm"
	"replay/policy"
	"replay/policy/resource"
)

// user is a user of one leaf queue, from his first application on.
type user struct {
	name      string
	hash      int32
	present   bool // YARN has a record of him
	asking    bool // his usage is part of the sum over users that ask
	askers    int  // his applications with outstanding requests
	look      look
	running   int                          // his applications among the active ones of the queue
	alike     map[resource.Resource]*alike // of his applications that wait for room for masters, by the size of these
	peers     map[peersKey]*peers          // among his applications
	wants     resource.Resource            // scratch of [queue.wants]
	wantsMore resource.Resource
	*account
}

// look is what a queue remembers of its last look at a user's limit.
type look struct {
	version  int64 // of the queue's users then; -1 before the first look
	limit    resource.Resource
	refused  bool              // an application of his was refused
	reserved resource.Resource // what that one had reserved
}

// account is YARN's record of a user. It goes when he has no application any more, which by a slip in the counts of
// applications that never ran can be too early; he gets a new one then, and applications that
// were looked at before keep the old one for their headroom.
//
// Source: UsersManager.User.
type account struct {
	weight  float32
	used    resource.Resource // reserved containers included
	amUsed  resource.Resource
	ratio   float32           // largest share of the cluster, as last counted
	limit   resource.Resource // as last computed for him
	of      int64             // version of the queue's users that limit is of, -1 before
	pending int               // applications not yet activated
	active  int               // activated applications
}

func (u *user) total() int { return u.pending + u.active }

// waits reports whether the user has applications of which none is active.
func (u *user) waits() bool { return u.present && u.pending > 0 && u.active <= 0 }

// users keeps the users of a leaf queue and the limit that they share.
//
// Source: UsersManager.
type users struct {
	q      *queue
	byName map[string]*user
	order  jvm.ConcurrentHashMap[string, *user] // those present, in the order of sums
	askers jvm.HashMap[string, *user]           // those that ask, in the order in which their weights are added

	asking        int               // users with outstanding requests
	waiting       int               // present users who have applications of which none is active
	onlyPending   int               // as many as of the last computation
	askingWeights float32           // sum over the users that ask
	askingUsed    resource.Resource // what they use
	consumed      float32           // sum of the users' ratios, kept by differences in the order of events

	version  int64 // rises with everything that changes the limit
	computed int64 // version of limit
	limit    resource.Resource

	computedAll int64 // version of limitAll
	limitAll    resource.Resource

	since, last yarn.Place // of the first and the latest change that limit is without
	left        yarn.Place // up to which a master has spoken whose application has left
	listened    yarn.Place // where listen was called last
}

func newUsers(q *queue) *users {
	return &users{q: q, byName: map[string]*user{}, computed: -1, computedAll: -1}
}

// named returns the record of a user, present or not.
func (m *users) named(name string) *user {
	u := m.byName[name]
	if u == nil {
		u = &user{name: name, hash: jvm.StringHash(name), look: look{version: -1}}
		m.byName[name] = u
	}
	return u
}

// add makes a user present.
//
// Source: UsersManager.getUserAndAddIfAbsent.
func (m *users) add(u *user) {
	if u.present {
		return
	}
	u.present, u.account = true, &account{weight: m.q.cfg.UserWeight(u.name), of: -1}
	m.order.Put(u.name, u.hash, u)
}

// enters adds to a user's numbers of applications.
func (m *users) enters(u *user, pending, active int) {
	waited := u.waits()
	u.pending += pending
	u.active += active
	switch waits := u.waits(); {
	case waits == waited:
	case waits:
		m.listen()
		m.waiting++
	default:
		m.listen()
		m.waiting--
	}
}

// remove takes a user without applications away.
func (m *users) remove(u *user) {
	m.listen()
	if u.waits() {
		m.waiting--
	}
	u.present = false
	m.q.slipped = m.q.slipped || u.running > 0
	m.order.Remove(u.name, u.hash)
	if u.asking {
		m.asks(u, false)
	}
}

// asks notes whether the usage of a user is part of the sum over those that ask.
func (m *users) asks(u *user, on bool) {
	if u.asking = on; on {
		m.askers.Put(u.name, u.hash, u)
	} else {
		m.askers.Remove(u.name, u.hash)
	}
	m.askingWeights = 0
	for _, u := range m.askers.All {
		m.askingWeights += u.weight
	}
}

// activate notes that an application has outstanding requests. It has no effect while none of the
// user's applications is active.
//
// Source: UsersManager.activateApplication.
func (m *users) activate(a *app) {
	u := a.user
	if a.asking || u.present && u.active <= 0 {
		return
	}
	a.asking = true
	u.askers++
	if u.askers > 1 {
		return
	}
	m.asking++
	m.changed()
	m.add(u)
	if !u.asking {
		m.asks(u, true)
		m.askingUsed = m.askingUsed.Add(u.used)
	}
}

// deactivate notes that an application has no outstanding requests any more.
//
// Source: UsersManager.deactivateApplication.
func (m *users) deactivate(a *app) {
	if !a.asking {
		return
	}
	u := a.user
	a.asking = false
	u.askers--
	if u.askers > 0 {
		return
	}
	m.asking--
	m.changed()
	if u.present && u.asking {
		m.asks(u, false)
		m.askingUsed = m.askingUsed.Sub(u.used)
	}
}

// numActive is how many users count as active for the limit of application masters.
//
// Source: UsersManager.getNumActiveUsers.
func (m *users) numActive() int {
	if m.onlyPending != m.waiting {
		m.listen()
	}
	return m.asking + m.onlyPending
}

// charge adds r, which may be negative, to what a user uses. Metrics of users take the limit at once, and with it who counts for it.
//
// Source: UsersManager.updateUserResourceUsage, AbstractLeafQueue.allocateResource, AbstractLeafQueue.releaseResource.
func (m *users) charge(u *user, r resource.Resource) {
	m.add(u)
	u.used = u.used.Add(r)
	if u.asking {
		m.askingUsed = m.askingUsed.Add(r)
	}
	m.changed()
	m.consumed += m.count(u)
	if m.q.s.cfg.UserMetrics {
		m.userLimit(u)
	}
}

// count brings a user's ratio up to date and returns the change.
func (m *users) count(u *user) float32 {
	ratio := m.q.s.calc.Ratio(u.used, m.q.s.cluster())
	d := ratio - u.ratio
	u.ratio = ratio
	return d
}

// recount computes all ratios again, when the cluster has changed.
//
// Source: UsersManager.updateUsageRatio.
func (m *users) recount() {
	m.consumed = 0
	for _, u := range m.order.All {
		u.ratio = 0
		m.consumed += m.count(u)
	}
}

// changed notes that something that the limit depends on has changed.
func (m *users) changed() {
	if to := m.q.s.masters; to != nil {
		m.last = to.Place()
		if m.computed == m.version {
			m.since = m.last
		}
	}
	m.version++
}

// listen brings the limit, and who counts for it, to what the heartbeats of application masters have made of it that were left out. It comes before something is read
// of it, or changes, without a change of the version: a heartbeat is told the headroom, for which the limit is computed if it has changed. Only the number of users who wait changes so, and
// while it is what counts nothing comes of it.
func (m *users) listen() {
	to := m.q.s.masters
	if to == nil || m.computed == m.version {
		return
	}
	now := to.Place()
	if m.since == now || m.listened == now {
		return
	}
	m.listened = now
	enough := m.last
	if enough == now { // none comes behind
		enough = m.since
	}
	latest := m.left
	for _, a := range m.q.activeApps {
		if latest != (yarn.Place{}) && !latest.Before(enough) {
			break
		}
		if a.headroomOf == nil {
			continue
		}
		if p := to.Spoke(a.ID); latest.Before(p) {
			latest = p
		}
	}
	switch {
	case latest == yarn.Place{} || latest.Before(m.since):
	case latest.Before(m.last): // who counts is as it was then; the limit is another one by now
		m.onlyPending = m.waiting
		m.since = now
	default:
		m.compute()
	}
}

// leaves notes up to when the master of an application spoke that leaves the active ones.
func (m *users) leaves(a *app) {
	if to := m.q.s.masters; to != nil && m.computed != m.version && a.headroomOf != nil {
		if p := to.Spoke(a.ID); m.left.Before(p) {
			m.left = p
		}
	}
}

// userLimit is what a user may use, computed when something has changed since the last time.
//
// Source: UsersManager.getComputedResourceLimitForActiveUsers.
func (m *users) userLimit(u *user) resource.Resource {
	if m.computed != m.version {
		m.compute()
	}
	if !u.present {
		return m.weighted(m.limit, u)
	}
	if u.of != m.computed {
		u.limit, u.of = m.weighted(m.limit, u), m.computed
	}
	return u.limit
}

// weighted is what a user may use where one of weight 1 may use limit; one who has left counts as such.
func (m *users) weighted(limit resource.Resource, u *user) resource.Resource {
	weight := float32(1)
	if u.present {
		weight = u.weight
	}
	return m.q.s.calc.MulNormalizeDown(limit, float64(weight), m.q.s.least)
}

func (m *users) compute() {
	q := m.q
	m.limit = policy.ActiveUserLimit(q.s.calc, q.s.cluster(), &q.limits, m.consumed, m.askingUsed, m.askingWeights)
	m.onlyPending = m.waiting
	m.computed = m.version
}
