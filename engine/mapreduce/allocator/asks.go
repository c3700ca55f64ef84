package allocator

import (
	"cmp"
	"math"
	"slices"

	"replay/engine/protocol"
	"replay/policy/resource"
)

// asks is the table of what is wanted, by priority and name, and what of it the ResourceManager has still to be told. All requests of a priority have
// one size.
//
// Source: RMContainerRequestor.
type asks struct {
	conf  *Conf
	names *protocol.Names

	table   map[place]*wish
	ask     map[told]*wish // to be sent with the next heartbeat; a wish may have left the table
	limits  map[int32]*wish
	raised  map[int32]bool // limits that were set for the first time, or raised, or must be sent again
	release map[protocol.ContainerID]bool
	// given back, and never reported as ended to anyone who would take them from here
	releasing map[protocol.ContainerID]bool

	failures              map[protocol.Name]int
	blacklisted           map[protocol.Name]bool
	blackAdd, blackRemove map[protocol.Name]bool
	ignoring              bool
	blacklistSeen         int // blacklisted hosts when ignoring was last thought over
	nodes, lastNodes      int
}

type place struct {
	priority int32
	name     protocol.Name
}

// told is what makes one ask replace another.
type told struct {
	place
	opportunistic bool
}

// A wish is a number of containers at a place.
type wish struct {
	told
	size  resource.Resource
	count int32
}

func newAsks(conf *Conf, names *protocol.Names) asks {
	return asks{
		conf: conf, names: names, table: map[place]*wish{}, ask: map[told]*wish{}, limits: map[int32]*wish{}, raised: map[int32]bool{},
		release: map[protocol.ContainerID]bool{}, releasing: map[protocol.ContainerID]bool{},
		failures: map[protocol.Name]int{}, blacklisted: map[protocol.Name]bool{}, blackAdd: map[protocol.Name]bool{}, blackRemove: map[protocol.Name]bool{},
	}
}

func (t *asks) send(w *wish) { t.ask[w.told] = w }

// add counts a request on its hosts that are not blacklisted, its racks and anywhere.
func (t *asks) add(r *request) {
	for _, h := range r.hosts {
		if !t.isBlacklisted(h) {
			t.count(r, h, false)
		}
	}
	for _, rack := range r.racks {
		t.count(r, rack, false)
	}
	t.count(r, protocol.Any, false)
}

// count adds one at a name.
func (t *asks) count(r *request, name protocol.Name, opportunistic bool) {
	p := place{r.priority, name}
	w := t.table[p]
	if w == nil {
		w = &wish{told: told{p, opportunistic}, size: r.size}
		t.table[p] = w
	}
	w.count++
	t.send(w)
}

// remove takes a request back. A place that it was not counted at, because the host was blacklisted, is left out; one that was blacklisted since is not.
func (t *asks) remove(r *request) {
	for _, h := range r.hosts {
		t.uncount(place{r.priority, h})
	}
	for _, rack := range r.racks {
		t.uncount(place{r.priority, rack})
	}
	t.uncount(place{r.priority, protocol.Any})
}

func (t *asks) uncount(p place) {
	w := t.table[p]
	if w == nil {
		return
	}
	if w.count > 0 {
		w.count--
	}
	if w.count == 0 {
		delete(t.table, p)
	}
	t.send(w)
}

func (t *asks) releaseContainer(id protocol.ContainerID) {
	t.release[id] = true
	t.releasing[id] = true
}

// limit says how many containers of a priority may be asked for at most; negative is no limit.
func (t *asks) limit(priority int32, size resource.Resource, n int) {
	if n < 0 {
		n = math.MaxInt32
	}
	old := t.limits[priority]
	if old == nil || int(old.count) < n {
		t.raised[priority] = true
	}
	t.limits[priority] = &wish{told: told{place: place{priority, protocol.Any}}, size: size, count: int32(n)}
}

// applyLimits puts the limits in place of what the table has anywhere. What goes out so has no execution type: a limited opportunistic request is a
// guaranteed one.
func (t *asks) applyLimits() {
	for _, priority := range []int32{Map, OpportunisticMap, Reduce, FailedMap} {
		limit := t.limits[priority]
		if limit == nil {
			continue
		}
		w := t.table[limit.place]
		if w == nil {
			continue
		}
		_, asked := t.ask[w.told]
		if asked || t.raised[priority] && !w.opportunistic {
			delete(t.ask, w.told)
			_, waits := t.ask[limit.told] // of a heartbeat that failed: a set does not take an equal one in its place
			switch {
			case w.count <= limit.count:
				t.send(w)
			case !waits:
				t.send(limit)
			}
		}
		if limit.count == math.MaxInt32 {
			delete(t.limits, priority)
		}
	}
	clear(t.raised)
}

func (t *asks) raiseAll() {
	for priority := range t.limits {
		t.raised[priority] = true
	}
}

// build writes what is to be sent. Counts are absolute. It stays until [asks.sent].
func (t *asks) build(req *protocol.AllocateRequest) {
	*req = protocol.AllocateRequest{Asks: req.Asks[:0], Releases: req.Releases[:0], BlacklistAdd: req.BlacklistAdd[:0], BlacklistRemove: req.BlacklistRemove[:0]}
	for _, w := range t.ask {
		req.Asks = append(req.Asks, protocol.Ask{Priority: w.priority, Name: w.name, Count: w.count, Size: w.size, Relax: true, Opportunistic: w.opportunistic})
	}
	slices.SortFunc(req.Asks, func(a, b protocol.Ask) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(t.names.Rank(a.Name), t.names.Rank(b.Name)), compareBool(a.Opportunistic, b.Opportunistic))
	})
	for id := range t.release {
		req.Releases = append(req.Releases, id)
	}
	slices.SortFunc(req.Releases, func(a, b protocol.ContainerID) int { return cmp.Or(cmp.Compare(a.App, b.App), cmp.Compare(a.N, b.N)) })
	req.BlacklistAdd = t.sorted(req.BlacklistAdd, t.blackAdd)
	req.BlacklistRemove = t.sorted(req.BlacklistRemove, t.blackRemove)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// sorted are the names of a set in their order: the real class has the order of a hash set here, which changes no decision.
func (t *asks) sorted(list []protocol.Name, set map[protocol.Name]bool) []protocol.Name {
	for n := range set {
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b protocol.Name) int { return cmp.Compare(t.names.Rank(a), t.names.Rank(b)) })
	return list
}

// sent says that the ResourceManager has got everything and has answered.
func (t *asks) sent(resp *protocol.AllocateResponse) {
	t.lastNodes, t.nodes = t.nodes, resp.Nodes
	clear(t.ask)
	clear(t.release)
	if len(resp.Completed) > 0 {
		t.raiseAll()
	}
	clear(t.blackAdd)
	clear(t.blackRemove)
}

// resync has everything sent again, to a ResourceManager that knows nothing.
func (t *asks) resync() {
	for _, w := range t.table {
		t.send(w)
	}
	if !t.ignoring {
		for h := range t.blacklisted {
			t.blackAdd[h] = true
		}
	}
	for id := range t.releasing {
		t.release[id] = true
	}
	t.raiseAll()
}

func (t *asks) isBlacklisted(h protocol.Name) bool {
	return t.conf.Blacklisting && !t.ignoring && t.blacklisted[h]
}

// failedOn counts a failure on a host, which is blacklisted with the last that it may have. What was asked for there is then taken back at the
// ResourceManager, and the table keeps its count of it if that had been sent: a later change sends it again.
func (t *asks) failedOn(h protocol.Name) {
	if !t.conf.Blacklisting || t.blacklisted[h] {
		return
	}
	t.failures[h]++
	if t.failures[h] < t.conf.FailuresPerNode {
		return
	}
	delete(t.failures, h)
	t.blacklisted[h] = true
	if !t.ignoring {
		t.blackAdd[h] = true
	}
	for _, priority := range []int32{FailedMap, Reduce, OpportunisticMap, Map} {
		p := place{priority, h}
		w := t.table[p]
		if w == nil {
			continue
		}
		if _, asked := t.ask[w.told]; asked {
			delete(t.ask, w.told)
			delete(t.table, p)
			continue
		}
		t.send(&wish{told: told{place: p}, size: w.size})
	}
}

// reconsider ignores the blacklist while too many of the nodes are on it.
func (t *asks) reconsider() {
	if !t.conf.Blacklisting || t.conf.IgnoreBlacklistPercent == -1 || t.blacklistSeen == len(t.blacklisted) && t.nodes == t.lastNodes {
		return
	}
	t.blacklistSeen = len(t.blacklisted)
	if t.nodes == 0 {
		return
	}
	percent := int(float32(float32(len(t.blacklisted))/float32(t.nodes)) * 100)
	ignore := percent >= t.conf.IgnoreBlacklistPercent
	if ignore == t.ignoring {
		return
	}
	t.ignoring = ignore
	from, to := t.blackAdd, t.blackRemove
	if !ignore {
		from, to = to, from
	}
	clear(from)
	for h := range t.blacklisted {
		to[h] = true
	}
}
