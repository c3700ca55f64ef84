package spark

import (
	mathbits "math/bits"
	"slices"
)

// filling makes the lists of hosts at once: tasks are counted by host, which notes in what order hosts are first seen; then the lists have their
// room, that of the last host first, and tasks are put there. Its memory is used again; it grows with the largest host. The loops look at few lists each, so that
// these are in registers.
type filling struct {
	at   []int32  // by host: how many tasks were counted, then where the next one comes; 0 between
	bits []uint64 // of the hosts that were counted
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
	start := s.Spec.PrefStart
	hosts := s.Spec.Hosts[start[0]:start[s.Spec.Tasks]]
	f.count(hosts)
	f.lay(h, len(hosts))
	s.put(f.at, h.tasks)
	sorted := h.keysAt.sorted
	for _, host := range sorted {
		f.at[host] = 0
	}
	if r.layInRuns(h, s.sched.racks) {
		return
	}
	for i, host := range slices.Backward(sorted) {
		if rack := s.sched.rackOf(host); rack != NoRack {
			for _, task := range h.of(int32(i)) {
				r.add(rack, task)
			}
		}
	}
}

// count counts the tasks of hosts.
func (f *filling) count(hosts []int32) {
	all, bits := f.at, f.bits
	seen, distinct := slices.Grow(f.seen[:0], len(hosts))[:len(hosts)], 0
	for i := len(hosts) - 1; i >= 0; i-- {
		host := hosts[i]
		if int(host) >= len(all) {
			all, bits = f.roomy(host)
		}
		n := all[host]
		if n == 0 {
			bits[host>>6] |= 1 << (host & 63)
			seen[distinct] = host
			distinct++
		}
		all[host] = n + 1
	}
	f.seen = seen[:distinct]
}

// lay makes the lists of k, which have so many places together: they hold what is put there from now on.
func (f *filling) lay(k *keyedLists, places int) {
	k.make(places, len(f.seen))
	lists, keys := k.lists, k.keysAt.sorted
	all, bits, next, from := f.at, f.bits, 0, int32(places)
	for w, word := range bits {
		if word == 0 {
			continue
		}
		bits[w] = 0
		for ; word != 0; word &= word - 1 {
			key := w<<6 + mathbits.TrailingZeros64(word)
			n := all[key]
			keys[next] = int32(key)
			from -= n
			l := &lists[next]
			l.from, l.n, l.room = from, n, n
			all[key] = int32(next)
			next++
		}
	}
	seen := k.seen[:len(f.seen)]
	for i, key := range f.seen {
		p := all[key]
		seen[i] = p
		all[key] = lists[p].from
	}
}

// make gives k room for so many keys whose lists have so many places together.
func (k *keyedLists) make(places, keys int) {
	size := places + 2*keys
	k.room = slices.Grow(k.room[:0], size)[:size]
	k.tasks, k.keysAt.sorted, k.seen = k.room[:places:places], k.room[places:places+keys:places+keys], k.room[places+keys:]
	k.lists = slices.Grow(k.lists[:0], keys)[:keys]
}

// put fills the lists of hosts from the locations of all tasks, and that of tasks without one.
func (s *TaskSet) put(next, tasks []int32) {
	start, hosts := s.Spec.PrefStart, s.Spec.Hosts
	to := start[s.Spec.Tasks]
	for i := s.Spec.Tasks - 1; i >= 0; i-- {
		from := start[i]
		if from == to {
			s.pending.noPrefs = append(s.pending.noPrefs, int32(i))
			continue
		}
		of := hosts[from:to]
		for k := len(of) - 1; k >= 0; k-- {
			at := next[of[k]]
			tasks[at] = int32(i)
			next[of[k]] = at + 1
		}
		to = from
	}
}

// layInRuns makes the lists of racks from those of hosts where racks ascend with their hosts: the list of a rack is those of its hosts as they lie. It
// reports false, and makes nothing, where they do not ascend or are not known.
func (k *keyedLists) layInRuns(byHost *keyedLists, racks []int32) bool {
	hosts := byHost.keysAt.sorted
	if n := len(hosts); n == 0 || int(hosts[n-1]) >= len(racks) || racks[hosts[0]] == NoRack {
		return n == 0
	}
	distinct, last := 1, racks[hosts[0]]
	for _, host := range hosts[1:] {
		if rack := racks[host]; rack != last {
			if rack < last {
				return false
			}
			last = rack
			distinct++
		}
	}
	k.make(len(byHost.tasks), distinct)
	copy(k.tasks, byHost.tasks)
	lists, keys, seen := k.lists, k.keysAt.sorted[:distinct], k.seen[:distinct]
	ofHosts, from := byHost.lists[:len(hosts)], 0
	for i := range lists {
		rack, last := racks[hosts[from]], &ofHosts[from]
		end := last.from + last.n
		for from++; from < len(hosts) && racks[hosts[from]] == rack; from++ {
			last = &ofHosts[from]
		}
		keys[i], seen[distinct-1-i] = rack, int32(i)
		l, n := &lists[i], end-last.from
		l.from, l.n, l.room = last.from, n, n
	}
	return true
}
