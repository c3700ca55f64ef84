package spark

import (
	mathbits "math/bits"
	"slices"
)

// filling makes the lists of hosts and racks at once: the places of a host, which are locations of tasks, are linked in one pass over the tasks; then hosts
// are met in order, and the places of a rack are those of its hosts. Its memory is used again; it grows with the largest host.
type filling struct {
	at   []int32  // by host: 1 + its place that was linked last, then where its list is; 0 between
	bits []uint64 // of the hosts that were met
	seen []int32  // them, in the order in which they were first seen
}

// roomy makes room for a host.
func (f *filling) roomy(host int32) (at []int32, bits []uint64) {
	n := int(host) + 1 + int(host)/8
	f.at = append(f.at, make([]int32, n-len(f.at))...)
	f.bits = append(f.bits, make([]uint64, n/64+1-len(f.bits))...)
	return f.at, f.bits
}

// fill makes the lists by host and rack of a new set, in the canonical order, and that of tasks without preference. Hosts are first seen from the
// last location to the first, racks from the last host to the first, so the tasks of the first one are taken first.
func (s *TaskSet) fill() {
	f, h, r := &s.sched.work().filling, &s.pending.byHost, &s.pending.byRack
	start, n := s.Spec.PrefStart, s.Spec.Tasks
	hosts := s.Spec.Hosts[start[0]:start[n]]
	h.links = slices.Grow(h.links[:0], len(hosts))[:len(hosts)]
	f.link(h.links, hosts)
	f.lay(h)
	to := start[n]
	for i := n - 1; i >= 0; i-- {
		from := start[i]
		if from == to {
			s.pending.noPrefs = append(s.pending.noPrefs, int32(i))
			continue
		}
		places := h.links[from-start[0] : to-start[0]]
		for k := range places {
			places[k].task = int32(i)
		}
		to = from
	}
	if r.join(h, s.sched.racks) {
		return
	}
	*r = r.emptied()
	for i, host := range slices.Backward(h.keysAt.sorted) {
		if rack := s.sched.rackOf(host); rack != NoRack {
			for _, task := range h.of(int32(i)) {
				r.add(rack, task)
			}
		}
	}
}

// link links the places of each host, the first of which comes on top.
func (f *filling) link(links []link, hosts []int32) {
	all, bits := f.at, f.bits
	seen, distinct := slices.Grow(f.seen[:0], len(hosts))[:len(hosts)], 0
	links = links[:len(hosts)]
	for k := len(hosts) - 1; k >= 0; k-- {
		host := hosts[k]
		if int(host) >= len(all) {
			all, bits = f.roomy(host)
		}
		below := all[host]
		all[host] = int32(k) + 1
		links[k].below = below - 1
		if below == 0 {
			bits[host>>6] |= 1 << (host & 63)
			seen[distinct] = host
			distinct++
		}
	}
	f.seen = seen[:distinct]
}

// fewHosts are so few that they are sorted at less than a pass over the bits of all takes.
const fewHosts = 16

// sort fills a list with the hosts that were seen, ascending.
func (f *filling) sort(keys []int32) {
	if len(keys) <= fewHosts {
		copy(keys, f.seen)
		slices.Sort(keys)
		for _, host := range keys {
			f.bits[host>>6] = 0
		}
		return
	}
	bits, next := f.bits, 0
	for w := range bits {
		word := bits[w]
		if word == 0 {
			continue
		}
		bits[w] = 0
		for ; word != 0; word &= word - 1 {
			keys[next] = int32(w<<6 + mathbits.TrailingZeros64(word))
			next++
		}
	}
}

// lay makes the lists of hosts, whose places are linked.
func (f *filling) lay(h *keyedLists) {
	h.make(len(f.seen))
	keys, all := h.keysAt.sorted, f.at
	f.sort(keys)
	links, lists := h.links, h.lists[:len(keys)]
	for i, key := range keys {
		top := all[key] - 1
		all[key] = int32(i)
		bottom, n := top, int32(1)
		for below := links[top].below; below >= 0; below = links[below].below {
			bottom = below
			n++
		}
		l := &lists[i]
		l.top, l.bottom, l.n = top, bottom, n
	}
	seen := h.seen[:len(f.seen)]
	for i, key := range f.seen {
		seen[i] = all[key]
		all[key] = 0
	}
}

// join makes the lists of racks from those of hosts where racks ascend with their hosts: the list of a rack is those of its hosts, that of the first one on top. It
// reports false, and those of racks are of no use, where racks do not ascend or are not known.
func (k *keyedLists) join(h *keyedLists, racks []int32) bool {
	hosts, links := h.keysAt.sorted, h.links
	if n := len(hosts); n > 0 && int(hosts[n-1]) >= len(racks) {
		return false
	}
	k.make(len(hosts))
	lists, keys, ofHosts := k.lists, k.keysAt.sorted, h.lists[:len(hosts)]
	n, last := 0, NoRack
	var l *taskList
	for i, host := range hosts {
		o := &ofHosts[i]
		switch rack := racks[host]; {
		case rack > last:
			l, last = &lists[n], rack
			keys[n], l.top = rack, o.top
			n++
		case rack == last && rack != NoRack:
			links[l.bottom].below = o.top
		default:
			return false
		}
		l.bottom = o.bottom
	}
	seen := k.seen[:n]
	for i := range seen {
		seen[i] = int32(n - 1 - i)
	}
	k.lists, k.keysAt.sorted, k.seen = lists[:n], keys[:n], seen
	k.links, k.shared = links[:len(links):len(links)], true
	return true
}

// make gives k room for so many keys.
func (k *keyedLists) make(keys int) {
	k.room = slices.Grow(k.room[:0], 2*keys)[:2*keys]
	k.keysAt.sorted, k.seen = k.room[:keys:keys], k.room[keys:]
	k.lists = slices.Grow(k.lists[:0], keys)[:keys]
}
