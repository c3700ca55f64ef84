package protocol

import "slices"

// Locality is where containers are wanted that are asked for together: hosts, and the racks of these hosts. It never changes, so
// those who speak of it may share it.
type Locality struct {
	Hosts []Name // each once
	Racks []Name // each once, those of Hosts and nothing else

	has []uint64 // by name
}

// Racks knows the rack of each host.
type Racks interface{ RackOf(host Name) Name }

// RacksBy are racks by a function.
type RacksBy func(host Name) Name

// RackOf is part of [Racks].
func (f RacksBy) RackOf(host Name) Name { return f(host) }

// NewLocality returns the locality of hosts, each of which is there once. The list belongs to it from then on.
func NewLocality(hosts []Name, racks Racks) *Locality {
	l := &Locality{Hosts: hosts, Racks: make([]Name, len(hosts))}
	last := Name(0)
	for i, h := range hosts {
		r := racks.RackOf(h)
		l.Racks[i], last = r, max(last, h, r)
	}
	has, kept := make([]uint64, last>>6+1), l.Racks[:0]
	for _, r := range l.Racks {
		if word, bit := &has[r>>6], uint64(1)<<(r&63); *word&bit == 0 {
			*word |= bit
			kept = append(kept, r)
		}
	}
	for _, h := range hosts {
		has[h>>6] |= 1 << (h & 63)
	}
	l.Racks, l.has = kept, has
	return l
}

func (l *Locality) add(n Name) { l.has[n>>6] |= 1 << (n & 63) }

// Has reports whether a name is that of one of the hosts or racks.
func (l *Locality) Has(n Name) bool {
	w := int(n >> 6)
	return w < len(l.has) && l.has[w]&(1<<(n&63)) != 0
}

// HasHost reports whether a name is that of one of the hosts, HasRack whether it is that of one of the racks.
func (l *Locality) HasHost(n Name) bool { return l.Has(n) && slices.Contains(l.Hosts, n) }

// HasRack is described at [Locality.HasHost].
func (l *Locality) HasRack(n Name) bool { return l.Has(n) && slices.Contains(l.Racks, n) }

// Names yields the hosts and then the racks.
func (l *Locality) Names(yield func(Name) bool) {
	for _, list := range [...][]Name{l.Hosts, l.Racks} {
		for _, n := range list {
			if !yield(n) {
				return
			}
		}
	}
}

// Union returns a locality of the names of all.
func Union(all []*Locality) *Locality {
	words, hosts, racks := 0, 0, 0
	for _, l := range all {
		words, hosts, racks = max(words, len(l.has)), hosts+len(l.Hosts), racks+len(l.Racks)
	}
	sum := &Locality{has: make([]uint64, words), Hosts: make([]Name, 0, hosts), Racks: make([]Name, 0, racks)}
	for _, l := range all {
		sum.Hosts = sum.addNew(sum.Hosts, l.Hosts)
		sum.Racks = sum.addNew(sum.Racks, l.Racks)
	}
	return sum
}

// addNew appends the names that are not in the locality to a list of it.
func (l *Locality) addNew(list, names []Name) []Name {
	for _, n := range names {
		if !l.Has(n) {
			l.add(n)
			list = append(list, n)
		}
	}
	return list
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
