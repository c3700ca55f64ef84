package protocol

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// tabled are racks of which some are in a table.
type tabled struct {
	RacksBy
	table []Name
}

func (t tabled) RackTable() []Name { return t.table }

// A locality has its hosts and their racks, each once, wherever the racks are looked up; a rack may be called like a host, or "*". It makes no
// difference whose memory it has.
func TestLocality(t *testing.T) {
	again, rest, places := new(Locality), new(Locality), new(RackPlaces)
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) Name { return Name(rapid.IntRange(1, 200).Draw(t, "host")) }), 0, 30, rapid.ID[Name]).Draw(t, "hosts")
		every, first := rapid.IntRange(1, 20).Draw(t, "hosts of a rack"), rapid.IntRange(0, 300).Draw(t, "first rack")
		of := func(h Name) Name { return Name(first + int(h)/every) }
		table := make([]Name, 512)
		for h := range Name(rapid.IntRange(0, 201).Draw(t, "in the table")) {
			table[h] = of(h)
		}
		if rapid.Bool().Draw(t, "no table") {
			table = nil
		}
		var racks []Name
		for _, h := range hosts {
			if r := of(h); !slices.Contains(racks, r) {
				racks = append(racks, r)
			}
		}
		l := NewLocality(hosts, tabled{of, table})
		if rapid.Bool().Draw(t, "again") {
			l = again
			copy(l.Room(len(hosts)), hosts)
			l.Renew(tabled{of, table}, places)
		}
		check(t, l, hosts, racks)

		without, left := []int32{}, []Name{}
		for i, h := range hosts {
			if rapid.IntRange(0, 3).Draw(t, "left out") == 0 {
				without = append(without, int32(i))
			} else {
				left = append(left, h)
			}
		}
		rest.Rest(l, without, tabled{of, table}, places)
		racks = slices.DeleteFunc(racks, func(r Name) bool { return !slices.ContainsFunc(left, func(h Name) bool { return of(h) == r }) })
		if slices.Sort(rest.Racks); !slices.IsSorted(racks) { // in any order
			slices.Sort(racks)
		}
		check(t, rest, left, racks)
		if got, ok := rest.Left(l); !ok || !slices.Equal(got, without) || !rest.PartOf(l) || l.PartOf(rest) {
			t.Fatalf("what is left of %v without %v is not known as that", hosts, without)
		}
		if none, ok := l.Left(l); !ok || len(none) > 0 {
			t.Fatalf("%v is without %v of itself", hosts, none)
		}
		if _, ok := l.Left(rest); ok {
			t.Fatalf("%v is taken for a part of %v", hosts, left)
		}
		less := new(Locality)
		less.Rest(l, without[:len(without)/2], tabled{of, table}, places)
		if !rest.PartOf(less) || less.PartOf(rest) != (len(less.Hosts) == len(rest.Hosts)) {
			t.Fatalf("%v and %v are not known as parts of %v", less.Hosts, rest.Hosts, hosts)
		}
		check(t, l, hosts, nil)
	})
}

func check(t *rapid.T, l *Locality, hosts, racks []Name) {
	t.Helper()
	if racks == nil {
		racks = l.Racks
	}
	if !slices.Equal(l.Hosts, hosts) || !slices.Equal(l.Racks, racks) || !slices.Equal(slices.Collect(l.Names), slices.Concat(hosts, racks)) {
		t.Fatalf("hosts %v, racks %v, all %v, want %v and %v", l.Hosts, l.Racks, slices.Collect(l.Names), hosts, racks)
	}
	for n := range Name(600) {
		host, rack := slices.Contains(hosts, n), slices.Contains(racks, n)
		if l.HasHost(n) != host || l.HasRack(n) != rack || l.Has(n) != (host || rack) {
			t.Fatalf("%d: host %v, rack %v, one of them %v, want %v and %v", n, l.HasHost(n), l.HasRack(n), l.Has(n), host, rack)
		}
	}
}
