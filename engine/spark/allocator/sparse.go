package allocator

import (
	"cmp"
	"slices"

	"replay/engine/protocol"
	"replay/engine/spark"
	"replay/policy"
)

// hinted is what is found out once of the hosts of a profile's hints, of which most asks name all but few.
type hinted struct {
	hosts              []spark.HostTasks  // of these hints
	pairs, least, most int                // their tasks
	all                *protocol.Locality // of all of them, nil before somebody asks
}

// of brings h up to the hints' hosts, at least one.
func (h *hinted) of(hosts []spark.HostTasks) {
	if len(h.hosts) == len(hosts) && &h.hosts[0] == &hosts[0] { // a list that was told is not changed any more
		return
	}
	pairs, least, most := 0, hosts[0].Tasks, hosts[0].Tasks
	for i := range hosts {
		n := hosts[i].Tasks
		pairs += int(n)
		least, most = min(least, n), max(most, n)
	}
	*h = hinted{hosts: hosts, pairs: pairs, least: int(least), most: int(most)}
}

// askSparsely is [Allocator.ask] without a look at each host, where the placement can do without. It reports whether it has asked.
func (a *Allocator) askSparsely(p int32, missing int) bool {
	placement, ok := a.placement.(policy.SparsePlacement)
	profile := &a.profiles[p]
	hosts := profile.hints.Hosts
	if !ok || len(hosts) == 0 || !a.names.Ascending(hosts[len(hosts)-1].Host) {
		return false
	}
	profile.hinted.of(hosts)
	h := &a.index.sparse
	*h = policy.SparseHints{
		LocalTasks: profile.hints.LocalTasks, PerExec: profile.PerExec, Hosts: len(hosts),
		Pairs: profile.hinted.pairs, Least: profile.hinted.least, Most: profile.hinted.most, Busy: h.Busy[:0],
	}
	anywhere := 0
	for _, g := range a.client.Groups(p) {
		switch {
		case g.Count == 0:
		case g.Locality == nil:
			anywhere += int(g.Count)
		default:
			if _, ok := g.Left(profile.hinted.all); !ok {
				return false
			}
			h.Pending += int(g.Count)
			h.PendingNames += int(g.Count) * len(g.Hosts)
		}
	}
	at := 0
	for _, e := range profile.hosts { // ascending, as the hosts
		if at = from(hosts, at, e.Host); at < len(hosts) && hosts[at].Host == e.Host {
			h.Busy = append(h.Busy, policy.BusyHost{Host: int32(at), Tasks: int(hosts[at].Tasks), Existing: int(e.Tasks), Pending: h.Pending})
		}
	}
	if h.Pending > 0 {
		a.leaveOut(h, p)
	}
	local, without, ok := placement.SparseRequests(missing+anywhere, h)
	if !ok {
		return false
	}
	a.replace(p, local, missing, anywhere)
	if local > 0 {
		a.add(p, a.rest(profile, without), local)
	}
	a.add(p, nil, missing-local)
	return true
}

// leaveOut counts less pending requests for the hosts that some are without.
func (a *Allocator) leaveOut(h *policy.SparseHints, p int32) {
	profile := &a.profiles[p]
	for _, g := range a.client.Groups(p) {
		if g.Count == 0 || g.Locality == nil {
			continue
		}
		without, _ := g.Left(profile.hinted.all)
		for _, at := range without {
			i, ok := slices.BinarySearchFunc(h.Busy, at, func(b policy.BusyHost, at int32) int { return cmp.Compare(b.Host, at) })
			if !ok {
				h.Busy = slices.Insert(h.Busy, i, policy.BusyHost{Host: at, Tasks: int(profile.hinted.hosts[at].Tasks), Pending: h.Pending})
			}
			h.Busy[i].Pending -= int(g.Count)
		}
	}
}

// from returns where the first host from a number on is in an ascending list, at a place from at on.
func from(hosts []spark.HostTasks, at int, host protocol.Name) int {
	low, high := at, len(hosts)
	for low < high {
		if mid := int(uint(low+high) >> 1); hosts[mid].Host < host {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// rest returns the locality of the hinted hosts of a profile but for those at some places.
func (a *Allocator) rest(p *profile, without []int32) *protocol.Locality {
	h := &p.hinted
	if h.all == nil {
		h.all = a.newLocality()
		names := h.all.Room(len(h.hosts))
		for i := range names {
			names[i] = h.hosts[i].Host
		}
		h.all.Renew(a.racks, &a.index.racks)
	}
	if len(without) == 0 {
		return h.all
	}
	for _, l := range p.localities {
		if left, ok := l.Left(h.all); ok && slices.Equal(left, without) {
			return l
		}
	}
	l := a.newLocality()
	l.Rest(h.all, without, a.racks, &a.index.racks)
	p.keep(l)
	return l
}
