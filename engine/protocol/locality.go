package protocol

import (
	"cmp"
	"math/bits"
	"slices"

	"replay/engine/reuse"
)

// Locality is where containers are wanted that are asked for together: hosts, and the racks of these hosts. It does not change as long as anybody asks
// by it, so all who do may share it; then whoever made it may make another one in its memory, see [Locality.Renew].
type Locality struct {
	has          []uint64 // by name, a bit each: those of [Locality.Bits]
	but          []Name   // of these, what is not there
	around       uint64   // a bit for each of but by the end of its number: most names are found not to be one without a look at the list
	hosts, racks int32    // how many

	// Hosts and then racks, each once; of one that [Locality.Rest] made, those of the whole, some of which are not there.
	listed []Name
	first  int // of the racks there
	room   []Name

	hostsIn []int32  // by number of the rack plus 1: how many hosts it has; empty unless all have one and none is called like a host that has
	racksIn []uint64 // scratch: the same as bits, for all that have some to be found without a guess at which do
	own     []uint64 // memory for has

	// Of one that [Locality.Rest] made:
	all     *Locality
	without []Name
}

// Racks knows the rack of each host.
type Racks interface {
	RackOf(host Name) Name
	// RackNumbers returns the number of the rack plus 1 by host, 0 where there is none, and the racks by number. The first list is longer than the number of each
	// name in it; it is looked up all over, so its numbers are short. They must not be changed.
	RackNumbers() (of []uint16, racks []Name)
}

// RacksBy are racks by a function.
type RacksBy func(host Name) Name

// RackOf is part of [Racks].
func (f RacksBy) RackOf(host Name) Name { return f(host) }

// RackNumbers is part of [Racks].
func (f RacksBy) RackNumbers() (of []uint16, racks []Name) { return nil, nil }

// NewLocality returns the locality of hosts, each of which is there once.
func NewLocality(hosts []Name, racks Racks) *Locality {
	l := new(Locality)
	copy(l.Room(len(hosts)), hosts)
	l.Renew(racks)
	return l
}

// Room returns a list for n hosts in the memory of a locality of which nobody speaks any more. It is to be filled for [Locality.Renew].
func (l *Locality) Room(n int) []Name {
	l.room = slices.Grow(l.room[:0], 2*n)[:n]
	return l.room
}

// Renew makes of l the locality of the hosts in [Locality.Room], each of which is there once.
func (l *Locality) Renew(racks Racks) {
	l.all, l.without, l.but, l.around = nil, l.without[:0], l.but[:0], 0
	if !l.fill(racks) {
		l.fillSlowly(racks)
	}
}

// fill is Renew where all racks have a number and none is called like a host that has one, or else reports false.
func (l *Locality) fill(racks Racks) bool {
	of, rack := racks.RackNumbers()
	hosts := l.room
	l.own, l.hostsIn, l.racksIn = reuse.Zeros(l.own, len(of)>>6+1), reuse.Zeros(l.hostsIn, 1+len(rack)), reuse.Zeros(l.racksIn, len(rack)>>6+1)
	if !markHosts(hosts, of, l.own, l.hostsIn, l.racksIn) || l.hostsIn[0] > 0 {
		return false
	}
	has, list := l.own, hosts
	for w, racks := range l.racksIn {
		for ; racks != 0; racks &= racks - 1 {
			r := rack[w<<6+bits.TrailingZeros64(racks)-1]
			if of[r] != 0 {
				return false
			}
			has[r>>6] |= 1 << (r & 63)
			list = append(list, r)
		}
	}
	l.has, l.hosts, l.racks, l.listed, l.first, l.room = has, int32(len(hosts)), int32(len(list)-len(hosts)), list, len(hosts), list[:len(hosts)]
	return true
}

// markHosts marks hosts and counts and marks them by the numbers of their racks; it reports false where one has no place in that table.
func markHosts(hosts []Name, of []uint16, has []uint64, hostsIn []int32, racksIn []uint64) bool {
	for _, h := range hosts {
		if int(h) >= len(of) {
			return false
		}
		has[h>>6] |= 1 << (h & 63)
		r := of[h]
		hostsIn[r]++
		racksIn[r>>6] |= 1 << (r & 63)
	}
	return true
}

// fillSlowly is Renew whatever the names.
func (l *Locality) fillSlowly(racks Racks) {
	hosts := l.room
	l.has, l.hostsIn, l.listed = l.own[:0], l.hostsIn[:0], hosts
	for _, h := range hosts {
		if r := racks.RackOf(h); !l.Has(r) {
			l.put(r)
			l.listed = append(l.listed, r)
		}
	}
	for _, h := range hosts {
		l.put(h)
	}
	l.own, l.hosts, l.racks, l.first, l.room = l.has, int32(len(hosts)), int32(len(l.listed)-len(hosts)), len(hosts), l.listed[:len(hosts)]
}

func (l *Locality) put(n Name) {
	if more := int(n>>6) + 1 - len(l.has); more > 0 {
		l.has = append(l.has, make([]uint64, more)...)
	}
	l.has[n>>6] |= 1 << (n & 63)
}

// Rest makes of l the locality of the hosts of all but some of them, which ascend. It was made by Renew with the same racks, and stays as long
// as l. Nobody speaks of l any more.
func (l *Locality) Rest(all *Locality, without []Name, racks Racks) {
	if len(all.hostsIn) == 0 {
		room := l.Room(len(all.room))[:0]
		for _, h := range all.room {
			if _, gone := slices.BinarySearch(without, h); !gone {
				room = append(room, h)
			}
		}
		l.room = room
		l.Renew(racks)
		l.without = append(l.without, without...)
	} else {
		l.drop(all, without, racks)
	}
	l.all = all
}

// drop is Rest where racks have numbers. What there is of a locality by name is long, so l shares that of the whole.
func (l *Locality) drop(all *Locality, without []Name, racks Racks) {
	l.has, l.hosts, l.racks, l.listed, l.first, l.hostsIn = all.has, all.hosts-int32(len(without)), all.racks, all.listed, all.first, l.hostsIn[:0]
	l.room = l.room[:0]
	l.but, l.around = append(l.but[:0], without...), 0
	of, rack := racks.RackNumbers()
	for _, h := range without {
		k := of[h]
		if all.hostsIn[k]--; all.hostsIn[k] == 0 {
			l.but = append(l.but, rack[k-1])
			l.racks--
		}
	}
	for _, n := range l.but {
		l.around |= 1 << (n & 63)
	}
	l.without = l.but[:len(without)]
	for _, h := range without {
		all.hostsIn[of[h]]++
	}
}

// Left returns the hosts of all that l is without, ascending; ok is false where l is neither all nor what [Locality.Rest] made of it.
func (l *Locality) Left(all *Locality) (without []Name, ok bool) {
	if l == all {
		return nil, true
	}
	return l.without, l.all == all && all != nil
}

// Whole returns the locality that l is but for some hosts, ascending, as far as that is known by [Locality.Rest], and a list of its hosts: else l itself.
func (l *Locality) Whole() (all *Locality, hosts, without []Name) {
	all = cmp.Or(l.all, l)
	return all, all.listed[:all.first], l.without
}

// PartOf reports whether it is known that all names of l are names of o, by [Locality.Rest].
func (l *Locality) PartOf(o *Locality) bool {
	if l.all == nil || l.all == o {
		return l.all != nil
	}
	if l.all != o.all {
		return false
	}
	i := 0
	for _, h := range o.without {
		for i < len(l.without) && l.without[i] < h {
			i++
		}
		if i == len(l.without) || l.without[i] != h {
			return false
		}
	}
	return true
}

// Has reports whether a name is that of one of the hosts or racks.
func (l *Locality) Has(n Name) bool {
	w := int(n >> 6)
	return w < len(l.has) && l.has[w]&(1<<(n&63)) != 0 && (l.around&(1<<(n&63)) == 0 || !slices.Contains(l.but, n))
}

// Bits are names by number, a bit each: those of the locality and a few that it is without. They must not be changed.
func (l *Locality) Bits() (names []uint64, but []Name) { return l.has, l.but }

// HasHost reports whether a name is that of one of the hosts, HasRack whether it is that of one of the racks. Where no host is called like a rack,
// [Locality.Has] says so at once.
func (l *Locality) HasHost(n Name) bool { return l.Has(n) && slices.Contains(l.listed[:l.first], n) }

// HasRack is described at [Locality.HasHost].
func (l *Locality) HasRack(n Name) bool { return l.Has(n) && slices.Contains(l.listed[l.first:], n) }

// Apart reports whether [Locality.Has] says of hosts whose racks have numbers what [Locality.HasHost] does.
func (l *Locality) Apart() bool { return len(cmp.Or(l.all, l).hostsIn) > 0 }

// Len returns how many hosts and racks there are.
func (l *Locality) Len() (hosts, racks int) { return int(l.hosts), int(l.racks) }

// Hosts yields the hosts, Racks the racks, and Names the hosts and then the racks.
func (l *Locality) Hosts(yield func(Name) bool) { l.some(l.listed[:l.first], yield) }

// Racks is described at [Locality.Hosts].
func (l *Locality) Racks(yield func(Name) bool) { l.some(l.listed[l.first:], yield) }

// Names is described at [Locality.Hosts].
func (l *Locality) Names(yield func(Name) bool) { l.some(l.listed, yield) }

func (l *Locality) some(listed []Name, yield func(Name) bool) {
	for _, n := range listed {
		if l.Has(n) && !yield(n) {
			return
		}
	}
}

// Unite makes of l a locality of the names of all, none of which it is, in the memory that it has: nobody speaks of it any more.
func (l *Locality) Unite(all []*Locality) {
	words := 0
	for _, o := range all {
		words = max(words, len(o.has))
	}
	l.has, l.but, l.around, l.listed = reuse.Zeros(l.own, words), l.but[:0], 0, l.room[:0]
	l.hostsIn, l.all, l.without = l.hostsIn[:0], nil, l.without[:0]
	for _, o := range all {
		o.Hosts(l.addNew)
	}
	l.first = len(l.listed)
	for _, o := range all {
		o.Racks(l.addNew)
	}
	l.own, l.hosts, l.racks, l.room = l.has, int32(l.first), int32(len(l.listed)-l.first), l.listed[:l.first]
}

// addNew adds a name if it is not in the locality.
func (l *Locality) addNew(n Name) bool {
	if !l.Has(n) {
		l.put(n)
		l.listed = append(l.listed, n)
	}
	return true
}

// LocalityAsk is the ask for each name of a locality, in place of an [Ask] for each. Count is not that of the records: a record's
// count is the sum over the groups whose localities have its name. All names of the group are asked for, so what the
// ResourceManager has counted down at them is replaced. There is an Ask for [Any] of the same priority beside it, whose size is that of
// the group, and relaxLocality is set.
type LocalityAsk struct {
	Priority int32
	Group    int32 // tells the groups of a priority apart
	Locality *Locality
	Count    int32
}
