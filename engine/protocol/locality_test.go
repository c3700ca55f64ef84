package protocol

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// numbered are racks of which some have numbers.
type numbered struct {
	RacksBy
	of    []uint16
	racks []Name
}

func (r numbered) RackNumbers() (of []uint16, racks []Name) { return r.of, r.racks }

// number numbers the racks of hosts.
func (r *numbered) number(hosts ...Name) {
	for _, h := range hosts {
		rack := r.RackOf(h)
		if !slices.Contains(r.racks, rack) {
			r.racks = append(r.racks, rack)
		}
		r.of[h] = 1 + uint16(slices.Index(r.racks, rack))
	}
}

// A locality has its hosts and their racks, each once, whether or not racks have numbers; a rack may be called like a host, or "*". It makes no
// difference whose memory it has.
func TestLocality(t *testing.T) {
	again, rest := new(Locality), new(Locality)
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) Name { return Name(rapid.IntRange(1, 200).Draw(t, "host")) }), 0, 30, rapid.ID[Name]).Draw(t, "hosts")
		every, first := rapid.IntRange(1, 20).Draw(t, "hosts of a rack"), rapid.IntRange(0, 300).Draw(t, "first rack")
		of := func(h Name) Name { return Name(first + int(h)/every) }
		by := numbered{RacksBy: of}
		if rapid.IntRange(0, 3).Draw(t, "numbers") > 0 {
			by.of = make([]uint16, 512)
			for h := range Name(rapid.SampledFrom([]int{0, 100, 201}).Draw(t, "with a number")) {
				by.number(h)
			}
		}
		var racks []Name
		for _, h := range hosts {
			if r := of(h); !slices.Contains(racks, r) {
				racks = append(racks, r)
			}
		}
		l := NewLocality(hosts, by)
		if rapid.Bool().Draw(t, "again") {
			l = again
			copy(l.Room(len(hosts)), hosts)
			l.Renew(by)
		}
		check(t, l, hosts, racks)

		var without, left []Name
		for _, h := range hosts {
			if rapid.IntRange(0, 3).Draw(t, "left out") == 0 {
				without = append(without, h)
			} else {
				left = append(left, h)
			}
		}
		slices.Sort(without)
		rest.Rest(l, without, by)
		check(t, rest, left, slices.DeleteFunc(slices.Clone(racks), func(r Name) bool { return !slices.ContainsFunc(left, func(h Name) bool { return of(h) == r }) }))
		if got, ok := rest.Left(l); !ok || !slices.Equal(got, without) || !rest.PartOf(l) || l.PartOf(rest) {
			t.Fatalf("what is left of %v without %v is not known as that", hosts, without)
		}
		if all, list, got := rest.Whole(); all != l || !slices.Equal(list, hosts) || !slices.Equal(got, without) {
			t.Fatalf("%v without %v is taken for %v without %v", hosts, without, list, got)
		}
		if none, ok := l.Left(l); !ok || len(none) > 0 {
			t.Fatalf("%v is without %v of itself", hosts, none)
		}
		if _, ok := l.Left(rest); ok {
			t.Fatalf("%v is taken for a part of %v", hosts, left)
		}
		less := new(Locality)
		less.Rest(l, without[:len(without)/2], by)
		if a, b := count(less), count(rest); !rest.PartOf(less) || less.PartOf(rest) != (a == b) {
			t.Fatalf("%d and %d hosts are not known as parts of %v", a, b, hosts)
		}
		check(t, l, hosts, racks)
		if l.Apart() {
			for h := range Name(len(by.of)) {
				if by.of[h] > 0 && l.Has(h) != l.HasHost(h) {
					t.Fatalf("%d: one of hosts %v and their racks: %t, one of the hosts: %t", h, hosts, l.Has(h), l.HasHost(h))
				}
			}
		}
	})
}

func count(l *Locality) int { return len(slices.Collect(l.Hosts)) }

// check compares a locality with its hosts, in their order, and its racks, in any.
func check(t *rapid.T, l *Locality, hosts, racks []Name) {
	t.Helper()
	racks = slices.Sorted(slices.Values(racks))
	names := slices.Collect(l.Names)
	if !slices.Equal(slices.Collect(l.Hosts), hosts) || !slices.Equal(slices.Sorted(l.Racks), racks) || !slices.Equal(names, slices.AppendSeq(slices.Collect(l.Hosts), l.Racks)) {
		t.Fatalf("hosts %v, racks %v, all %v, want %v and %v", slices.Collect(l.Hosts), slices.Collect(l.Racks), names, hosts, racks)
	}
	if h, r := l.Len(); h != len(hosts) || r != len(racks) {
		t.Fatalf("%d hosts and %d racks, want %v and %v", h, r, hosts, racks)
	}
	for n := range Name(600) {
		host, rack := slices.Contains(hosts, n), slices.Contains(racks, n)
		if l.HasHost(n) != host || l.HasRack(n) != rack || l.Has(n) != (host || rack) {
			t.Fatalf("%d: host %v, rack %v, one of them %v, want %v and %v", n, l.HasHost(n), l.HasRack(n), l.Has(n), host, rack)
		}
	}
}
