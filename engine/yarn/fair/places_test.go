package fair

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
)

// TestNodesOfALocality compares the nodes of a locality that are found by those of another one, which is without other hosts, with those that are found by its names.
func TestNodesOfALocality(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		n := 1 + r.IntN(300)
		if i == 0 {
			n = math.MaxUint16 + 100
		}
		e := &elision{ranks: make([]protocol.NodeID, n), rackAt: make([]protocol.Name, n)}
		rankOf := map[protocol.Name]int{}
		for host, rank := range r.Perm(n) {
			if r.IntN(8) > 0 { // not every host is a node
				rankOf[protocol.Name(host+1)] = rank
				e.link(rank, &node{Node: &yarn.Node{NodeSpec: yarn.NodeSpec{Host: protocol.Name(host + 1), Rack: protocol.Name(n + 1)}}})
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
		if !slices.Equal(slices.Collect(want.hosts.All), placed(rankOf, l)) {
			t.Fatalf("nodes %v, want %v", slices.Collect(want.hosts.All), placed(rankOf, l))
		}
	}
}

// placed returns the ranks of the hosts of a locality, ascending.
func placed(rankOf map[protocol.Name]int, l *protocol.Locality) (ranks []int) {
	for host := range l.Hosts {
		if rank, ok := rankOf[host]; ok {
			ranks = append(ranks, rank)
		}
	}
	slices.Sort(ranks)
	return ranks
}
