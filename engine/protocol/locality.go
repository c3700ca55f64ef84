package protocol

// Locality is where containers are wanted that are asked for together: hosts, and the racks of these hosts. It never changes, so
// those who speak of it may share it.
type Locality struct {
	Hosts []Name // each once
	Racks []Name // each once, those of Hosts and nothing else

	has []uint64 // by name
}

// NewLocality returns the locality of hosts, each of which is there once. The list belongs to it from then on.
func NewLocality(hosts []Name, rackOf func(Name) Name) *Locality {
	l := &Locality{Hosts: hosts}
	for _, h := range hosts {
		l.add(h)
	}
	racks := Locality{has: make([]uint64, len(l.has))}
	for _, h := range hosts {
		if r := rackOf(h); !racks.Has(r) {
			racks.add(r)
			l.add(r)
			l.Racks = append(l.Racks, r)
		}
	}
	return l
}

func (l *Locality) add(n Name) {
	for int(n)>>6 >= len(l.has) {
		l.has = append(l.has, 0)
	}
	l.has[n>>6] |= 1 << (n & 63)
}

// Has reports whether a name is that of one of the hosts or racks.
func (l *Locality) Has(n Name) bool {
	w := int(n >> 6)
	return w < len(l.has) && l.has[w]&(1<<(n&63)) != 0
}

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

// And returns a locality of the names of both; o may be nil.
func (l *Locality) And(o *Locality) *Locality {
	if o == nil {
		return l
	}
	sum := &Locality{has: append([]uint64(nil), l.has...), Hosts: l.Hosts[:len(l.Hosts):len(l.Hosts)], Racks: l.Racks[:len(l.Racks):len(l.Racks)]}
	for _, n := range o.Hosts {
		if !sum.Has(n) {
			sum.add(n)
			sum.Hosts = append(sum.Hosts, n)
		}
	}
	for _, n := range o.Racks {
		if !sum.Has(n) {
			sum.add(n)
			sum.Racks = append(sum.Racks, n)
		}
	}
	return sum
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
