package protocol

import (
	"slices"

	"replay/engine/reuse"
)

// Locality is where containers are wanted that are asked for together: hosts, and the racks of these hosts. It does not change as long as anybody speaks
// of it, so all who do may share it; then whoever made it may make another one in its memory, see [Locality.Renew].
type Locality struct {
	Hosts []Name // each once
	Racks []Name // each once, those of Hosts and nothing else

	names []Name   // Hosts and then Racks
	has   []uint64 // by name

	// Of one that [Locality.Renew] made:
	rackAt  []int32 // by host: where its rack is in Racks
	hostsIn []int32 // by rack: how many of the hosts it has
	mixed   bool    // a host is called like a rack

	// Of one that [Locality.Rest] made:
	all     *Locality
	without []int32
}

// RackPlaces is working memory of [Locality.Renew], which others may use in turn.
type RackPlaces []int32 // by rack: 1 + where it is in a list, 0 between

// Racks knows the rack of each host.
type Racks interface {
	RackOf(host Name) Name
	// RackTable returns the racks by host as far as they are in a table, [Any] for none, which is longer than the number of each of them; it must not
	// be changed.
	RackTable() []Name
}

// RacksBy are racks by a function.
type RacksBy func(host Name) Name

// RackOf is part of [Racks].
func (f RacksBy) RackOf(host Name) Name { return f(host) }

// RackTable is part of [Racks].
func (f RacksBy) RackTable() []Name { return nil }

// NewLocality returns the locality of hosts, each of which is there once.
func NewLocality(hosts []Name, racks Racks) *Locality {
	l := new(Locality)
	copy(l.Room(len(hosts)), hosts)
	l.Renew(racks, new(RackPlaces))
	return l
}

// Room returns a list for n hosts in the memory of a locality of which nobody speaks any more. It is to be filled for [Locality.Renew].
func (l *Locality) Room(n int) []Name {
	l.names = slices.Grow(l.names[:0], 2*n)[:n]
	return l.names
}

// Renew makes of l the locality of the hosts in [Locality.Room], each of which is there once.
func (l *Locality) Renew(racks Racks, places *RackPlaces) {
	hosts := l.names
	if table := racks.RackTable(); !l.fill(hosts, table, false, places) {
		l.fill(hosts, withRacks(table, hosts, racks), true, places)
	}
}

// fill is Renew with racks by a table that has those of all hosts, or else reports false: [Any] is one of them only if all are known.
func (l *Locality) fill(hosts, table []Name, all bool, places *RackPlaces) bool {
	n, distinct := len(hosts), 0
	if more := len(table) - len(*places); more > 0 {
		*places = append(*places, make(RackPlaces, more)...)
	}
	names, at := hosts[:2*n], (*places)[:len(table)]
	racks := names[n:]
	rackAt, hostsIn := slices.Grow(l.rackAt[:0], n)[:n], slices.Grow(l.hostsIn[:0], n)[:n]
	known := true
	for i, h := range hosts {
		if int(h) >= len(table) || table[h] == Any && !all {
			known = false
			break
		}
		r := table[h]
		k := at[r]
		if k == 0 {
			racks[distinct], hostsIn[distinct] = r, 0
			distinct++
			k = int32(distinct)
			at[r] = k
		}
		k--
		hostsIn[k]++
		rackAt[i] = k
	}
	has, mixed := reuse.Zeros(l.has, len(table)>>6+1), false
	for _, r := range racks[:distinct] {
		at[r] = 0
		has[r>>6] |= 1 << (r & 63)
	}
	if !known {
		return false
	}
	for _, h := range hosts {
		word, bit := &has[h>>6], uint64(1)<<(h&63)
		mixed = mixed || *word&bit != 0
		*word |= bit
	}
	*l = Locality{Hosts: names[:n:n], Racks: racks[:distinct], names: names[:n+distinct], has: has, rackAt: rackAt, hostsIn: hostsIn[:distinct], mixed: mixed, without: l.without[:0]}
	return true
}

// Rest makes of l the locality of the hosts of all but those at some places, which ascend. It was made by Renew with the same racks, and stays as long
// as l. Nobody speaks of l any more.
func (l *Locality) Rest(all *Locality, without []int32, racks Racks, places *RackPlaces) {
	n := len(all.Hosts) - len(without)
	names := slices.Grow(l.names[:0], max(len(all.names), 2*n))[:len(all.names)]
	to, from := 0, int32(0)
	for _, at := range without {
		to += copy(names[to:], all.Hosts[from:at])
		from = at + 1
	}
	copy(names[to:], all.Hosts[from:])
	l.names = names[:n]
	if all.mixed {
		l.Renew(racks, places)
	} else {
		l.drop(all, names, without)
	}
	l.all, l.without = all, append(l.without[:0], without...)
}

// drop is Rest where no host is called like a rack; names begin with the hosts.
func (l *Locality) drop(all *Locality, names []Name, without []int32) {
	has, n, gone := append(l.has[:0], all.has...), len(l.names), false
	for _, at := range without {
		h := all.Hosts[at]
		has[h>>6] &^= 1 << (h & 63)
		rack := all.rackAt[at]
		if all.hostsIn[rack]--; all.hostsIn[rack] == 0 {
			r := all.Racks[rack]
			has[r>>6] &^= 1 << (r & 63)
			gone = true
		}
	}
	if !gone {
		n += copy(names[n:], all.Racks)
	} else {
		for i, r := range all.Racks {
			if all.hostsIn[i] > 0 {
				names[n] = r
				n++
			}
		}
	}
	for _, at := range without {
		all.hostsIn[all.rackAt[at]]++
	}
	l.Hosts, l.Racks, l.names, l.has = names[:len(l.names):len(l.names)], names[len(l.names):n], names[:n], has
}

// Left returns the places of the hosts of all that l is without, ascending; ok is false where l is neither all nor what [Locality.Rest] made of it.
func (l *Locality) Left(all *Locality) (without []int32, ok bool) {
	if l == all {
		return nil, true
	}
	return l.without, l.all == all && all != nil
}

// Whole returns the locality that l is all of but the hosts at some places, ascending, as far as that is known by [Locality.Rest]: else l itself.
func (l *Locality) Whole() (all *Locality, without []int32) {
	if l.all == nil {
		return l, nil
	}
	return l.all, l.without
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
	for _, at := range o.without {
		for i < len(l.without) && l.without[i] < at {
			i++
		}
		if i == len(l.without) || l.without[i] != at {
			return false
		}
	}
	return true
}

// withRacks returns a table that has the racks of these hosts, and room for the names of all of them.
func withRacks(table, hosts []Name, racks Racks) []Name {
	table = slices.Clone(table)
	for _, h := range hosts {
		r := racks.RackOf(h)
		if more := int(max(h, r)) + 1 - len(table); more > 0 {
			table = append(table, make([]Name, more)...)
		}
		table[h] = r
	}
	return table
}

// Has reports whether a name is that of one of the hosts or racks.
func (l *Locality) Has(n Name) bool {
	w := int(n >> 6)
	return w < len(l.has) && l.has[w]&(1<<(n&63)) != 0
}

// HasHost reports whether a name is that of one of the hosts, HasRack whether it is that of one of the racks. Where no host is called like a rack,
// [Locality.Has] says so at once.
func (l *Locality) HasHost(n Name) bool { return l.Has(n) && slices.Contains(l.Hosts, n) }

// HasRack is described at [Locality.HasHost].
func (l *Locality) HasRack(n Name) bool { return l.Has(n) && slices.Contains(l.Racks, n) }

// Names yields the hosts and then the racks.
func (l *Locality) Names(yield func(Name) bool) {
	for _, n := range l.names {
		if !yield(n) {
			return
		}
	}
}

// Unite makes of l a locality of the names of all, none of which it is, in the memory that it has: nobody speaks of it any more.
func (l *Locality) Unite(all []*Locality) {
	words, names := 0, 0
	l.all = nil
	for _, o := range all {
		words, names = max(words, len(o.has)), names+len(o.names)
	}
	l.has, l.names = reuse.Zeros(l.has, words), slices.Grow(l.names[:0], names)
	for _, o := range all {
		l.addNew(o.Hosts)
	}
	hosts := len(l.names)
	for _, o := range all {
		l.addNew(o.Racks)
	}
	l.Hosts, l.Racks = l.names[:hosts:hosts], l.names[hosts:]
}

// addNew adds the names that are not in the locality.
func (l *Locality) addNew(names []Name) {
	has := l.has
	for _, n := range names {
		if word, bit := &has[n>>6], uint64(1)<<(n&63); *word&bit == 0 {
			*word |= bit
			l.names = append(l.names, n)
		}
	}
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
