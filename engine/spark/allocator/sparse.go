package allocator

import (
	"cmp"
	"slices"

	"replay/engine/protocol"
	"replay/engine/reuse"
	"replay/engine/spark"
	"replay/policy"
)

// hinted is what is found out once of the hosts of a profile's hints, of which most asks name all but few.
type hinted struct {
	hosts []spark.HostTasks  // of these hints
	all   *protocol.Locality // of all of them, nil before somebody asks

	// Of their tasks, when all is known:
	pairs, least, most int
	others             []spark.HostTasks // those with another number than 1, ascending
}

// of brings h up to the hints' hosts, at least one.
func (h *hinted) of(hosts []spark.HostTasks) {
	if len(h.hosts) != len(hosts) || &h.hosts[0] != &hosts[0] { // else it is the same: a list that was told is not changed any more
		*h = hinted{hosts: hosts, others: h.others[:0]}
	}
}

// tasks returns how many tasks name a host, which is one of the hints.
func (h *hinted) tasks(host protocol.Name) int {
	if i := from(h.others, host); i < len(h.others) && h.others[i].Host == host {
		return int(h.others[i].Tasks)
	}
	return 1
}

// count finds what is to be known of the tasks.
func (h *hinted) count() {
	h.pairs, h.least, h.most = len(h.hosts)-len(h.others), 1, 1
	if h.pairs == 0 {
		h.least, h.most = int(h.others[0].Tasks), int(h.others[0].Tasks)
	}
	ascending := true
	for i := range h.others {
		n := int(h.others[i].Tasks)
		h.pairs += n
		h.least, h.most = min(h.least, n), max(h.most, n)
		ascending = ascending && (i == 0 || h.others[i-1].Host < h.others[i].Host)
	}
	if !ascending {
		slices.SortFunc(h.others, func(x, y spark.HostTasks) int { return cmp.Compare(x.Host, y.Host) })
	}
}

// from returns where the first host from a number on is in an ascending list, as [sorted.Below] does.
func from(hosts []spark.HostTasks, host protocol.Name) (n int) {
	for left := len(hosts); left > 0; left >>= 1 {
		half := (left + 1) >> 1
		n += half & int((int64(hosts[n+half-1].Host)-int64(host))>>63)
	}
	return n
}

// askSparsely is [Allocator.ask] without a look at each host, where the placement can do without. It reports whether it has asked.
func (a *Allocator) askSparsely(p int32, missing int) bool {
	placement, ok := a.placement.(policy.SparsePlacement)
	profile := &a.profiles[p]
	hosts := profile.hints.Hosts
	if !ok || len(hosts) == 0 {
		return false
	}
	hinted := &profile.hinted
	hinted.of(hosts)
	anywhere, pending, names := 0, 0, 0
	for _, g := range a.client.Groups(p) {
		switch {
		case g.Count == 0:
		case g.Locality == nil:
			anywhere += int(g.Count)
		default:
			if _, ok := g.Left(hinted.all); !ok {
				return false
			}
			n, _ := g.Len()
			pending += int(g.Count)
			names += int(g.Count) * n
		}
	}
	all := a.located(hinted)
	h := &a.index.sparse
	*h = policy.SparseHints{
		LocalTasks: profile.hints.LocalTasks, PerExec: profile.PerExec, Hosts: len(hosts), Pairs: hinted.pairs, Least: hinted.least, Most: hinted.most,
		Pending: pending, PendingNames: names, Busy: h.Busy[:0],
	}
	apart := all.Apart()
	for _, e := range profile.hosts { // ascending
		if all.Has(e.Host) && (apart || all.HasHost(e.Host)) {
			h.Busy = append(h.Busy, policy.BusyHost{Host: int32(e.Host), Tasks: hinted.tasks(e.Host), Existing: int(e.Tasks), Pending: h.Pending})
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
		for _, host := range without {
			i, ok := slices.BinarySearchFunc(h.Busy, int32(host), func(b policy.BusyHost, host int32) int { return cmp.Compare(b.Host, host) })
			if !ok {
				h.Busy = reuse.Insert(h.Busy, i, policy.BusyHost{Host: int32(host), Tasks: profile.hinted.tasks(host), Pending: h.Pending})
			}
			h.Busy[i].Pending -= int(g.Count)
		}
	}
}

// located returns the locality of all hinted hosts.
func (a *Allocator) located(h *hinted) *protocol.Locality {
	if h.all != nil {
		return h.all
	}
	h.all = a.newLocality()
	hosts := h.hosts
	names := h.all.Room(len(hosts))[:len(hosts)]
	others := h.others[:0]
	for i := range hosts {
		names[i] = hosts[i].Host
		if hosts[i].Tasks != 1 {
			others = append(others, hosts[i])
		}
	}
	h.others = others
	h.count()
	h.all.Renew(a.racks)
	return h.all
}

// rest returns the locality of the hinted hosts of a profile but for some.
func (a *Allocator) rest(p *profile, hosts []int32) *protocol.Locality {
	all := p.hinted.all
	if len(hosts) == 0 {
		return all
	}
	without := a.index.without[:0]
	for _, h := range hosts {
		without = append(without, protocol.Name(h))
	}
	a.index.without = without
	for _, l := range p.localities {
		if left, ok := l.Left(all); ok && slices.Equal(left, without) {
			return l
		}
	}
	l := a.newLocality()
	l.Rest(all, without, a.racks)
	p.keep(l)
	return l
}
