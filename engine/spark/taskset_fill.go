package spark

import (
	"math"
	mathbits "math/bits"
	"slices"
)

// filling makes the lists of hosts and racks at once. A host is a bit, and the list of a host is at as many as there are bits before its own: so little memory is looked at that it
// stays at hand, where a table by host would be all over a cache. The places of a host, which are locations of tasks, are linked in one pass over the tasks; then hosts are
// met in order, and the places of a rack are those of its hosts. The memory is used again; it grows with the largest host.
type filling struct {
	bits   []uint64 // of the hosts that were met
	before []int32  // how many bits are before those of a word
	at     []int32  // by location: where the list of its host is

	racks []int32  // by host, those that were asked for last
	short []uint16 // the same in half the memory, as they are looked up all over; of those that all have short numbers

	down  []int32     // numbers down to 0
	fresh []taskState // of tasks that wait for their first attempt
}

// downFrom returns so many numbers, the last of which is 0. They must not be changed.
func (f *filling) downFrom(n int) []int32 {
	if len(f.down) < n {
		f.down = make([]int32, 2*n)
		for i := range f.down {
			f.down[i] = int32(len(f.down) - 1 - i)
		}
	}
	return f.down[len(f.down)-n:]
}

// waiting returns so many tasks that wait for their first attempt. They must not be changed.
func (f *filling) waiting(n int) []taskState {
	for len(f.fresh) < n {
		f.fresh = append(f.fresh, taskState{last: -1})
	}
	return f.fresh[:n]
}

// fill makes the lists by host and rack of a new set, in the canonical order, and that of tasks without preference. Hosts are first seen from the
// last location to the first, racks from the last host to the first, so the tasks of the first one are taken first.
func (s *TaskSet) fill() {
	f, h, r := &s.sched.work().filling, &s.pending.byHost, &s.pending.byRack
	start := s.Spec.PrefStart[:s.Spec.Tasks+1]
	hosts := s.Spec.Hosts[start[0]:start[s.Spec.Tasks]]
	f.mark(hosts)
	h.make(min(len(hosts), 64*len(f.bits)))
	n := f.count()
	h.keysAt.sorted, h.seen, h.lists = h.keysAt.sorted[:n:n], h.seen[:n], h.lists[:n]
	f.find(hosts, h.keysAt.sorted)
	h.links = slices.Grow(h.links[:0], len(hosts))[:len(hosts)]
	clear(h.lists)
	f.link(h.links, h.lists, h.seen)
	clear(f.bits)
	for i := len(start) - 2; i >= 0; i-- {
		from, to := start[i]-start[0], start[i+1]-start[0]
		if from == to {
			s.pending.noPrefs = append(s.pending.noPrefs, int32(i))
			continue
		}
		for k := from; k < to; k++ {
			h.links[k].task = int32(i)
		}
	}
	if f.join(r, h, s.sched.racks) {
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

// mark notes that hosts were met.
func (f *filling) mark(hosts []int32) {
	bits := f.bits
	for _, host := range hosts {
		w := uint32(host) >> 6
		if int(w) >= len(bits) {
			f.bits = append(bits, make([]uint64, int(w)+1+int(w)/8-len(bits))...)
			f.before = slices.Grow(f.before[:0], len(f.bits))[:len(f.bits)]
			bits = f.bits
		}
		bits[w] |= 1 << (host & 63)
	}
}

// count counts the bits before those of each word, and returns how many there are.
func (f *filling) count() (n int) {
	before := f.before[:len(f.bits)]
	for w, word := range f.bits {
		before[w] = int32(n)
		n += mathbits.OnesCount64(word)
	}
	return n
}

// find finds where the list of each location's host is, and puts the host there into a list, which is of all of them, ascending. That is once for each location: which of them
// are the first of their hosts no processor guesses.
func (f *filling) find(hosts, sorted []int32) {
	f.at = slices.Grow(f.at[:0], len(hosts))[:len(hosts)]
	bits, before, at := f.bits, f.before[:len(f.bits)], f.at
	for k, host := range hosts {
		w := uint32(host) >> 6
		i := before[w] + int32(mathbits.OnesCount64(bits[w]&(1<<(host&63)-1)))
		at[k], sorted[i] = i, host
	}
}

// link links the places of each host, the first of which comes on top, and notes in which order the hosts are seen.
func (f *filling) link(links []link, lists []taskList, seen []int32) {
	at, n := f.at, 0
	links = links[:len(at)]
	for k := len(at) - 1; k >= 0; k-- {
		i := at[k]
		l := &lists[i]
		if l.n == 0 {
			l.bottom = int32(k)
			seen[n] = i
			n++
		}
		l.n++
		links[k].below = l.top
		l.top = int32(k)
	}
}

// join is [join] of racks by host, of which hosts keep theirs.
func (f *filling) join(k, h *keyedLists, racks []int32) bool {
	if len(racks) != len(f.racks) || len(racks) > 0 && &racks[0] != &f.racks[0] {
		f.racks, f.short = racks, f.short[:0]
		for _, rack := range racks {
			if rack < 0 || rack > math.MaxUint16 {
				break
			}
			f.short = append(f.short, uint16(rack))
		}
	}
	if len(f.short) == len(racks) {
		return join(k, h, f.short)
	}
	return join(k, h, racks)
}

// join makes the lists of racks from those of hosts where racks ascend with their hosts: the list of a rack is those of its hosts, that of the first one on top. It
// reports false, and those of racks are of no use, where racks do not ascend or are not known.
func join[N int32 | uint16](k, h *keyedLists, racks []N) bool {
	hosts, links := h.keysAt.sorted, h.links
	if n := len(hosts); n > 0 && int(hosts[n-1]) >= len(racks) {
		return false
	}
	k.make(len(hosts))
	lists, keys, ofHosts, last, n := k.lists, k.keysAt.sorted, h.lists[:len(hosts)], NoRack, 0
	for i := 0; i < len(hosts); n++ {
		rack, top, bottom := int32(racks[hosts[i]]), ofHosts[i].top, ofHosts[i].bottom
		if rack <= last {
			return false
		}
		for i++; i < len(hosts) && int32(racks[hosts[i]]) == rack; i++ {
			links[bottom].below = ofHosts[i].top
			bottom = ofHosts[i].bottom
		}
		l := &lists[n]
		l.top, l.bottom = top, bottom
		last, keys[n] = rack, rack
	}
	k.lists, k.keysAt.sorted, k.seen, k.backward = lists[:n], keys[:n:n], nil, true
	k.links, k.shared = links[:len(links):len(links)], true
	return true
}

// make gives k room for so many keys.
func (k *keyedLists) make(keys int) {
	k.room = slices.Grow(k.room[:0], 2*keys)[:2*keys]
	k.keysAt.sorted, k.seen = k.room[:keys:keys], k.room[keys:]
	k.lists = slices.Grow(k.lists[:0], keys)[:keys]
}
