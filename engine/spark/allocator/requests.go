package allocator

import (
	"math/bits"
	"slices"

	"replay/engine/protocol"
	"replay/engine/reuse"
	"replay/engine/spark"
	"replay/policy"
)

// HostIndex is working memory: the position of a host in a list, by its name's number.
type HostIndex struct {
	at     []int32           // by host: its position in placed, if it is there
	placed []spark.HostTasks // nil but for an ask
	hints  policy.Hints
	hosts  []spark.HostTasks // of the hints of an ask, in the order of their names

	sparse  policy.SparseHints
	without []protocol.Name

	localities []*protocol.Locality // of allocators before, of which nobody speaks any more

	bits []uint64 // scratch of inOrder: bits by rank, all 0
	from []int32  // and places by rank
}

// roomy has the scratch memory hold n numbers.
func (x *HostIndex) roomy(n int) {
	if more := n - len(x.from); more > 0 {
		x.from = append(x.from, make([]int32, more)...)
		x.bits = make([]uint64, len(x.from)>>6+1)
	}
}

// inOrder appends hosts, each of which is there once, to a list by the ranks of their names. They mostly come so.
func (x *HostIndex) inOrder(list, hosts []spark.HostTasks, names *protocol.Names) []spark.HostTasks {
	rank := names.Ranks()
	x.roomy(len(rank))
	sorted, before := true, int32(-1)
	for i := 0; sorted && i < len(hosts); i++ {
		r := rank[hosts[i].Host]
		sorted, before = r > before, r
	}
	if sorted {
		return append(list, hosts...)
	}
	ranks, from := x.bits, x.from
	for i := range hosts {
		r := rank[hosts[i].Host]
		ranks[r>>6] |= 1 << (r & 63)
		from[r] = int32(i)
	}
	list = slices.Grow(list, len(hosts))
	for w, word := range ranks {
		if word == 0 {
			continue
		}
		for ; word != 0; word &= word - 1 {
			list = append(list, hosts[from[w<<6+bits.TrailingZeros64(word)]])
		}
		ranks[w] = 0
	}
	return list
}

// place notes the positions of hosts in a list, in place of those of the list before.
func (x *HostIndex) place(hosts []spark.HostTasks, names *protocol.Names) {
	x.at = reuse.Reaching(x.at, names.Len())
	x.placed = hosts
	at := x.at
	for i := range hosts {
		at[hosts[i].Host] = int32(i)
	}
}

// position returns where a host is, -1 when it is not in the list.
func (x *HostIndex) position(host protocol.Name) int32 {
	if int(host) < len(x.at) {
		if i := x.at[host]; int(i) < len(x.placed) && x.placed[i].Host == host {
			return i
		}
	}
	return -1
}

// updateRequests brings the requests of each profile to its target: it asks for what is missing
// where the tasks want to be, or cancels what is too much. With neither, nothing is touched, even
// if all hints have changed.
//
// Source: YarnAllocator.updateResourceRequests.
func (a *Allocator) updateRequests() {
	for i := range a.profiles {
		p := &a.profiles[i]
		if !p.targeted {
			continue
		}
		pending := a.client.Count(int32(i))
		missing := p.target - pending - p.running - p.starting
		switch {
		case missing > 0:
			a.ask(int32(i), missing)
		case missing < 0 && pending > 0:
			a.shrink(int32(i), min(pending, -missing))
		}
	}
}

// sort tells how a group of requests goes with the hints of its profile.
//
// Source: YarnAllocator.splitPendingAllocationsByLocality.
func (a *Allocator) sort(g *protocol.Group) groupKind {
	switch {
	case g.Locality == nil:
		return anyHost
	}
	for h := range g.Hosts {
		if a.index.position(h) >= 0 {
			return matched
		}
	}
	return stale
}

// groupKind is the kind of a group of requests.
type groupKind uint8

// Kinds of groups, in the order in which they are cancelled.
const (
	stale   groupKind = iota // names hosts, but none of the hints any more
	anyHost                  // never named a host
	matched                  // names at least one host of the hints
)

// ask adds missing requests to profile p. Requests that nothing wants any more are asked for again,
// and ones without preference are replaced when there are more places to ask for than missing ones.
func (a *Allocator) ask(p int32, missing int) {
	if a.askSparsely(p, missing) {
		return
	}
	profile := &a.profiles[p]
	a.index.hosts = a.index.inOrder(a.index.hosts[:0], profile.hints.Hosts, a.names)
	hosts := a.index.hosts
	a.index.place(hosts, a.names)
	available, anywhere := missing, 0
	hints := a.hints(profile, hosts)
	groups := a.client.Groups(p)
	for i := range groups {
		g := &groups[i]
		n := int(g.Count)
		if n == 0 {
			continue
		}
		switch a.sort(g) {
		case stale:
			a.cancel(p, i, n)
			available += n
		case anyHost:
			anywhere += n
		case matched:
			hints.PendingRequests += n
			names, _ := g.Len()
			hints.PendingNames += n * names
			pending := hints.Pending
			for host := range g.Hosts {
				if i := a.index.position(host); i >= 0 {
					pending[i] += n
				}
			}
		}
	}
	prefs := policy.Requests(a.placement, available+anywhere, hints, a.taskHosts(p))
	a.index.placed = nil
	local := slices.DeleteFunc(prefs, func(p policy.Preference) bool { return len(p) == 0 })
	a.replace(p, len(local), available, anywhere)
	for i := 0; i < len(local); {
		same := i + 1 // equal neighbours share their lists
		for same < len(local) && len(local[same]) == len(local[i]) && &local[same][0] == &local[i][0] {
			same++
		}
		a.add(p, a.locality(profile, local[i], hosts), same-i)
		i = same
	}
	a.add(p, nil, available-len(local))
}

// replace cancels requests for anywhere, of which there are some, when more than are available are asked for where tasks want to be.
func (a *Allocator) replace(p int32, local, available, anywhere int) {
	a.cancelKind(p, anyHost, min(max(0, local-available), anywhere))
}

// hints returns what the placement has to know about a profile, but for what is pending; a.index holds its hosts.
func (a *Allocator) hints(profile *profile, hosts []spark.HostTasks) *policy.Hints {
	n := len(hosts)
	h := &a.index.hints
	*h = policy.Hints{
		LocalTasks: profile.hints.LocalTasks, PerExec: profile.PerExec,
		Tasks: zeros(h.Tasks, n), Existing: zeros(h.Existing, n), Pending: zeros(h.Pending, n),
	}
	tasks := h.Tasks[:len(hosts)]
	for i := range hosts {
		tasks[i] = int(hosts[i].Tasks)
	}
	for _, e := range profile.hosts {
		if i := a.index.position(e.Host); i >= 0 {
			h.Existing[i] = int(e.Tasks)
		}
	}
	return h
}

func zeros(list []int, n int) []int {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// taskHosts returns the preferred hosts of single tasks, if the placement wants them; a.index holds the hosts.
func (a *Allocator) taskHosts(p int32) (tasks [][]int32) {
	for _, hosts := range a.profiles[p].hints.TaskHosts {
		var at []int32
		for _, host := range hosts {
			if i := a.index.position(host); i >= 0 {
				at = append(at, i)
			}
		}
		tasks = append(tasks, at)
	}
	return tasks
}

// mostLocalities is how many localities of a profile are kept: most asks name the hosts of one before.
const mostLocalities = 4

// locality returns the hosts of a preference, in the order of their names; it has positions in hosts. A new one is the allocator's until it is renewed:
// by then its application master has gone, and the ResourceManager has dropped the asks of that.
func (a *Allocator) locality(p *profile, pref policy.Preference, hosts []spark.HostTasks) *protocol.Locality {
	for _, l := range p.localities {
		if all, names, _ := l.Whole(); all == l && sameHosts(names, pref, hosts) {
			return l
		}
	}
	l := a.newLocality()
	names := l.Room(len(pref))
	for i, h := range pref {
		names[i] = hosts[h].Host
	}
	l.Renew(a.racks)
	p.keep(l)
	return l
}

// newLocality returns one that is to be filled.
func (a *Allocator) newLocality() *protocol.Locality {
	l := a.index.locality()
	a.made = append(a.made, l)
	return l
}

// keep notes that a locality is asked for, in place of the oldest one.
func (p *profile) keep(l *protocol.Locality) {
	if len(p.localities) == mostLocalities {
		p.localities = slices.Delete(p.localities, 0, 1)
	}
	p.localities = append(p.localities, l)
}

// locality returns one that is to be filled.
func (x *HostIndex) locality() *protocol.Locality {
	n := len(x.localities)
	if n == 0 {
		return new(protocol.Locality)
	}
	l := x.localities[n-1]
	x.localities = x.localities[:n-1]
	return l
}

// sameHosts reports whether a preference names these hosts; it has positions in a list.
func sameHosts(names []protocol.Name, pref policy.Preference, hosts []spark.HostTasks) bool {
	if len(names) != len(pref) {
		return false
	}
	for i, h := range pref {
		if names[i] != hosts[h].Host {
			return false
		}
	}
	return true
}

func (a *Allocator) add(p int32, at *protocol.Locality, n int) {
	if n <= 0 {
		return
	}
	a.client.Add(p, a.profiles[p].Size, at, int32(n))
	a.told(p, at, n, true)
}

// cancel takes the oldest n requests of group i of profile p back.
func (a *Allocator) cancel(p int32, i, n int) {
	if n <= 0 {
		return
	}
	a.client.Remove(p, i, int32(n))
	a.told(p, a.client.Groups(p)[i].Locality, n, false)
}

// cancelKind takes the oldest n requests of the groups of a kind back and returns how many are still to be taken.
func (a *Allocator) cancelKind(p int32, kind groupKind, n int) int {
	groups := a.client.Groups(p)
	for i := range groups {
		if n > 0 && a.sort(&groups[i]) == kind {
			k := min(n, int(groups[i].Count))
			a.cancel(p, i, k)
			n -= k
		}
	}
	return n
}

// told tells of each request that was added or taken back.
func (a *Allocator) told(p int32, at *protocol.Locality, n int, added bool) {
	if a.OnRequest == nil {
		return
	}
	req := &protocol.ContainerRequest{Priority: p, Size: a.profiles[p].Size, Relax: true}
	if at != nil {
		byRank := func(x, y protocol.Name) int { return int(a.names.Rank(x)) - int(a.names.Rank(y)) }
		req.Nodes, req.Racks = slices.SortedFunc(at.Hosts, byRank), slices.SortedFunc(at.Racks, byRank)
	}
	for range n {
		a.OnRequest(p, req, added)
	}
}

// shrink cancels n requests of profile p: stale ones first, then those without preference, then
// the others, the oldest first in each.
func (a *Allocator) shrink(p int32, n int) {
	hosts := a.profiles[p].hints.Hosts
	a.index.place(hosts, a.names)
	for kind := stale; kind <= matched; kind++ {
		n = a.cancelKind(p, kind, n)
	}
	a.index.placed = nil
}
