package spark

import (
	mathbits "math/bits"
	"slices"
)

// filling makes all lists of [keyedLists] at once: tasks are counted by key, which notes in what order keys are first seen; then the lists have their
// room, by ascending key, and tasks are put there. Its memory is used again; it grows with the largest key. The loops look at few lists each, so that
// these are in registers.
type filling struct {
	at   []int32  // by key: how many tasks were counted, then where the next one comes; 0 between
	bits []uint64 // of the keys that were counted
	seen []int32  // them, in the order in which they were first seen
}

// roomy makes room for a key.
func (f *filling) roomy(key int32) (at []int32, bits []uint64) {
	n := int(key) + 1 + int(key)/8
	f.at = append(f.at, make([]int32, n-len(f.at))...)
	f.bits = append(f.bits, make([]uint64, n/64+1-len(f.bits))...)
	return f.at, f.bits
}

// fill makes the lists by host and rack of a new set, in the canonical order, and that of tasks without preference. Hosts are first seen from the
// last location to the first, racks from the last host to the first, so the tasks of the first one are taken first.
func (s *TaskSet) fill() {
	w, h, r := s.sched.work(), &s.pending.byHost, &s.pending.byRack
	start, racks := s.Spec.PrefStart, s.sched.racks
	hosts := s.Spec.Hosts[start[0]:start[s.Spec.Tasks]]
	w.hosts.countHosts(hosts)
	w.hosts.lay(h, len(hosts))
	s.putByHost(w.hosts.at, h.tasks)
	w.hosts.end(h)
	w.racks.lay(r, w.racks.countRacks(h, racks))
	w.racks.putByRack(r.tasks, h, racks)
	w.racks.end(r)
}

// countHosts counts the tasks of hosts.
func (f *filling) countHosts(hosts []int32) {
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

// countRacks counts the tasks of the racks of hosts, and returns how many there are.
func (f *filling) countRacks(byHost *keyedLists, racks []int32) (places int) {
	all, bits := f.at, f.bits
	hosts := byHost.keysAt.sorted
	lists := byHost.lists[:len(hosts)]
	seen := slices.Grow(f.seen[:0], len(hosts))
	for i := len(hosts) - 1; i >= 0; i-- {
		rack := NoRack
		if int(hosts[i]) < len(racks) {
			rack = racks[hosts[i]]
		}
		if rack == NoRack {
			continue
		}
		if int(rack) >= len(all) {
			all, bits = f.roomy(rack)
		}
		n := all[rack]
		if n == 0 {
			bits[rack>>6] |= 1 << (rack & 63)
			seen = append(seen, rack)
		}
		more := lists[i].n
		all[rack] = n + more
		places += int(more)
	}
	f.seen = seen
	return places
}

// lay makes the lists of k, which have so many places together: they hold what is put there from now on.
func (f *filling) lay(k *keyedLists, places int) {
	distinct := len(f.seen)
	size := places + 2*distinct
	k.room = slices.Grow(k.room[:0], size)[:size]
	k.tasks = k.room[:places:places]
	k.keysAt.sorted = k.room[places : places+distinct : places+distinct]
	k.seen = k.room[places+distinct:]
	k.lists = slices.Grow(k.lists[:0], distinct)[:distinct]
	lists, keys := k.lists, k.keysAt.sorted
	all, bits, next, from := f.at, f.bits, 0, int32(0)
	for w, word := range bits {
		if word == 0 {
			continue
		}
		bits[w] = 0
		for ; word != 0; word &= word - 1 {
			key := w<<6 + mathbits.TrailingZeros64(word)
			n := all[key]
			keys[next] = int32(key)
			l := &lists[next]
			l.from, l.n, l.room = from, n, n
			from += n
			all[key] = int32(next)
			next++
		}
	}
	seen := k.seen[:distinct]
	for i, key := range f.seen {
		p := all[key]
		seen[i] = p
		all[key] = lists[p].from
	}
}

// putByHost fills the lists of hosts from the locations of all tasks.
func (s *TaskSet) putByHost(next, tasks []int32) {
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

// putByRack fills the lists of racks from those of hosts.
func (f *filling) putByRack(tasks []int32, byHost *keyedLists, racks []int32) {
	next, hosts := f.at, byHost.keysAt.sorted
	end := int32(len(byHost.tasks)) // of the host's
	for i := len(hosts) - 1; i >= 0; i-- {
		from := byHost.lists[i].from
		if int(hosts[i]) < len(racks) && racks[hosts[i]] != NoRack {
			rack := racks[hosts[i]]
			at := next[rack]
			for j := from; j < end; j++ {
				tasks[at] = byHost.tasks[j]
				at++
			}
			next[rack] = at
		}
		end = from
	}
}

// end forgets the keys of the lists that were laid last.
func (f *filling) end(k *keyedLists) {
	all := f.at
	for _, key := range k.keysAt.sorted {
		all[key] = 0
	}
}
