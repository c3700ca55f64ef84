package allocator

import (
	"slices"

	"replay/engine/protocol"
	"replay/engine/spark"
	"replay/policy"
)

// HostIndex is working memory: the position of a host in a list, by its name's number.
type HostIndex struct{ at []int32 } // position+1

func (x *HostIndex) set(host protocol.Name, position int32) {
	for int(host) >= len(x.at) {
		x.at = append(x.at, 0)
	}
	x.at[host] = position
}

// position returns where a host is, -1 when it is not in the list.
func (x *HostIndex) position(host protocol.Name) int32 {
	if int(host) >= len(x.at) {
		return -1
	}
	return x.at[host] - 1
}

// pending returns the requests of a profile that have not been met, in the order of asking.
func (a *Allocator) pending(p int32) (protocol.Matches, bool) {
	var buf [4]protocol.Matches
	m := a.client.Matching(p, protocol.Any, a.profiles[p].Size, buf[:0])
	if len(m) == 0 {
		return protocol.Matches{}, false
	}
	return m[0], true
}

func (a *Allocator) pendingCount(p int32) int {
	if m, ok := a.pending(p); ok {
		return m.Len()
	}
	return 0
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
		pending := a.pendingCount(int32(i))
		missing := p.target - pending - p.running - p.starting
		switch {
		case missing > 0:
			a.ask(int32(i), missing)
		case missing < 0 && pending > 0:
			a.shrink(int32(i), min(pending, -missing))
		}
	}
}

// split sorts the pending requests of a profile by how they go with its hints: those that name at
// least one of its hosts, those that name none any more, and those that never named one.
//
// Source: YarnAllocator.splitPendingAllocationsByLocality.
func (a *Allocator) split(p int32) (matched, stale, anyHost []*protocol.ContainerRequest) {
	pending, ok := a.pending(p)
	if !ok {
		return nil, nil, nil
	}
	var last []protocol.Name // requests of one placement share their lists
	lastMatches := false
	for req := range pending.All {
		if len(req.Nodes) == 0 {
			anyHost = append(anyHost, req)
			continue
		}
		if len(last) != len(req.Nodes) || &last[0] != &req.Nodes[0] {
			last = req.Nodes
			lastMatches = slices.ContainsFunc(last, func(h protocol.Name) bool { return a.index.position(h) >= 0 })
		}
		if lastMatches {
			matched = append(matched, req)
		} else {
			stale = append(stale, req)
		}
	}
	return matched, stale, anyHost
}

// ask adds missing requests to profile p. Requests that nothing wants any more are asked for again,
// and ones without preference are replaced when there are more places to ask for than missing ones.
func (a *Allocator) ask(p int32, missing int) {
	profile := &a.profiles[p]
	for i, h := range profile.hints.Hosts {
		a.index.set(h.Host, int32(i)+1)
	}
	matched, stale, anyHost := a.split(p)
	for _, req := range stale {
		a.cancel(p, req)
	}
	available := missing + len(stale)
	prefs := policy.Requests(a.placement, available+len(anyHost), a.hints(p, matched), a.taskHosts(p))
	for _, h := range profile.hints.Hosts {
		a.index.set(h.Host, 0)
	}
	local := prefs[:0]
	for _, pref := range prefs {
		if len(pref) > 0 {
			local = append(local, pref)
		}
	}
	for _, req := range anyHost[:min(max(0, len(local)-available), len(anyHost))] {
		a.cancel(p, req)
	}
	var last policy.Preference // equal neighbours share their lists
	var nodes, racks []protocol.Name
	for _, pref := range local {
		if len(last) != len(pref) || &last[0] != &pref[0] {
			last = pref
			nodes, racks = a.places(profile.hints.Hosts, pref)
		}
		a.add(p, nodes, racks)
	}
	for range available - len(local) {
		a.add(p, nil, nil)
	}
}

// hints returns what the placement has to know about profile p; a.index holds its hosts.
func (a *Allocator) hints(p int32, matched []*protocol.ContainerRequest) *policy.Hints {
	profile := &a.profiles[p]
	n := len(profile.hints.Hosts)
	h := &policy.Hints{
		LocalTasks: profile.hints.LocalTasks, PerExec: profile.PerExec,
		Tasks: make([]int, n), Existing: make([]int, n), Pending: make([]int, n), PendingRequests: len(matched),
	}
	for i, t := range profile.hints.Hosts {
		h.Tasks[i] = t.Tasks
	}
	for _, e := range profile.hosts {
		if i := a.index.position(e.Host); i >= 0 {
			h.Existing[i] = e.Tasks
		}
	}
	for k := 0; k < len(matched); {
		nodes := matched[k].Nodes
		same := k + 1
		for same < len(matched) && len(matched[same].Nodes) == len(nodes) && &matched[same].Nodes[0] == &nodes[0] {
			same++
		}
		for _, host := range nodes {
			if i := a.index.position(host); i >= 0 {
				h.Pending[i] += same - k
			}
		}
		h.PendingNames += (same - k) * len(nodes)
		k = same
	}
	return h
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

// places returns the hosts of a preference and their racks, both in the order of their names.
func (a *Allocator) places(hosts []spark.HostTasks, pref policy.Preference) (nodes, racks []protocol.Name) {
	nodes = make([]protocol.Name, len(pref))
	for i, h := range pref {
		nodes[i] = hosts[h].Host
		if rack := a.rackOf(nodes[i]); !slices.Contains(racks, rack) {
			racks = append(racks, rack)
		}
	}
	slices.SortFunc(racks, func(x, y protocol.Name) int { return int(a.names.Rank(x)) - int(a.names.Rank(y)) })
	return nodes, racks
}

func (a *Allocator) add(p int32, nodes, racks []protocol.Name) {
	req := &protocol.ContainerRequest{Priority: p, Size: a.profiles[p].Size, Nodes: nodes, Racks: racks, Relax: true}
	if err := a.client.Add(req); err != nil {
		panic("allocator: " + err.Error()) // all requests are relaxed, so none contradicts another
	}
	if a.OnRequest != nil {
		a.OnRequest(p, req, true)
	}
}

func (a *Allocator) cancel(p int32, req *protocol.ContainerRequest) {
	a.client.Remove(req)
	if a.OnRequest != nil {
		a.OnRequest(p, req, false)
	}
}

// shrink cancels n requests of profile p: stale ones first, then those without preference, then
// the others, the oldest first in each.
func (a *Allocator) shrink(p int32, n int) {
	hosts := a.profiles[p].hints.Hosts
	for i, h := range hosts {
		a.index.set(h.Host, int32(i)+1)
	}
	matched, stale, anyHost := a.split(p)
	for _, h := range hosts {
		a.index.set(h.Host, 0)
	}
	for _, req := range slices.Concat(stale, anyHost, matched)[:n] {
		a.cancel(p, req)
	}
}
