package fair

import (
	"math/rand/v2"
	"slices"
	"testing"

	"replay/engine/protocol"
)

// TestNodesOfALocality compares the nodes of a locality that are found by those of another one, which is without other hosts, with those that are found by its names.
func TestNodesOfALocality(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + r.IntN(300)
		e := &elision{ranks: make([]protocol.NodeID, n), hosts: make([]int32, n+1)}
		for host, rank := range r.Perm(n) {
			if r.IntN(8) > 0 { // not every host is a node
				e.hosts[host+1] = int32(rank + 1)
			}
		}
		racks := protocol.RacksBy(func(protocol.Name) protocol.Name { return protocol.Name(n + 1) })
		var hosts []protocol.Name
		for host := range n {
			if host == 0 || r.IntN(3) > 0 {
				hosts = append(hosts, protocol.Name(host+1))
			}
		}
		all := protocol.NewLocality(hosts, racks)
		one := func() *protocol.Locality {
			var without []protocol.Name
			for _, host := range hosts[1:] {
				if r.IntN(10) == 0 {
					without = append(without, host)
				}
			}
			if len(without) == 0 {
				return all
			}
			l := new(protocol.Locality)
			l.Rest(all, without, racks)
			return l
		}
		l := one()
		got := e.spotsOf(l, []*spots{e.spotsOf(protocol.NewLocality(hosts, racks), nil), e.spotsOf(one(), nil)})
		want := e.spotsOf(l, nil)
		if got, want := slices.Collect(got.hosts.All), slices.Collect(want.hosts.All); !slices.Equal(got, want) {
			t.Fatalf("nodes %v, want %v", got, want)
		}
		if !slices.Equal(slices.Collect(want.hosts.All), placed(e, l)) {
			t.Fatalf("nodes %v, want %v", slices.Collect(want.hosts.All), placed(e, l))
		}
	}
}

// placed returns the ranks of the hosts of a locality, ascending.
func placed(e *elision, l *protocol.Locality) (ranks []int) {
	for host := range l.Hosts {
		if at := e.hosts[host]; at > 0 {
			ranks = append(ranks, int(at-1))
		}
	}
	slices.Sort(ranks)
	return ranks
}
