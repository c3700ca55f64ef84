package yarn

import (
	"math/rand/v2"
	"testing"

	"replay/engine/protocol"
	"replay/policy/resource"
)

// TestSeek: what is found for a size is what a look at all nodes finds, whatever has changed since the last time: containers, sizes of nodes, and which nodes there are.
func TestSeek(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		names := protocol.NewNames()
		c := NewCluster(names, false)
		a := NewAttempt(AppSpec{}, 1, 0, 0, c.Places)
		most := 1 + r.IntN(70)
		sizes := make([]resource.Resource, 1+r.IntN(mostSought+4))
		for i := range sizes {
			sizes[i] = resource.Resource{1 + r.Int64N(8), 1 + r.Int64N(4)}
		}
		fits := func(free, size resource.Resource) bool { return size.FitsIn(free) }
		for step := range 300 {
			id := protocol.NodeID(r.IntN(most))
			total := resource.Resource{r.Int64N(9), r.Int64N(5)}
			switch n := c.Node(id); {
			case n == nil:
				host := names.Intern(string(rune('a'+id/26)) + string(rune('a'+id%26)))
				c.Add(NodeSpec{ID: id, Host: host, Rack: names.Intern("/r"), Total: total})
			case r.IntN(40) == 0:
				c.Remove(id)
			case r.IntN(20) == 0:
				c.SetTotal(id, total)
			default:
				n.Free = resource.Resource{r.Int64N(9) - 1, r.Int64N(6) - 1}
				n.Touch()
			}
			if r.IntN(3) == 0 {
				continue
			}
			size := sizes[r.IntN(len(sizes))]
			taken := protocol.NodeID(r.IntN(most))
			got := c.Seek(a, size, fits, func(n *Node) Acceptance {
				if n.ID >= taken {
					return Accepted
				}
				return Later
			})
			want := Refusal{Cause: NoRoom, Size: size, AM: true, Node: -1}
			least := 2.0
			for _, n := range c.byID {
				switch {
				case n == nil || want.Cause == Turn:
				case !fits(n.Free, size):
					if l := lacking(size, n.Free); want.Cause == NoRoom && l < least {
						least, want.Node, want.Free = l, n.ID, n.Free
					}
				case n.ID >= taken:
					want.Cause, want.Node, want.Free, want.Offers = Turn, n.ID, n.Free, false
				case want.Cause == NoRoom:
					want.Cause, want.Node, want.Free, want.Offers = LocalityDelay, n.ID, n.Free, true
				}
			}
			if got != want {
				t.Fatalf("seed %d, step %d: %+v, want %+v", seed, step, got, want)
			}
		}
	}
}

// TestWhyOfKeys: an application waits for what its first key does, and offers to any of its keys may give it a turn.
func TestWhyOfKeys(t *testing.T) {
	a := NewAttempt(AppSpec{}, 1, 0, 0, NewCluster(protocol.NewNames(), false).Places)
	for priority := range int32(2) {
		a.Update([]protocol.Ask{{Priority: priority, Name: protocol.Any, Count: 1, Relax: true}}, false)
	}
	why := func(first, second Refusal) Refusal {
		return a.Why(func(t *Table) Refusal {
			if t.Priority == 0 {
				return first
			}
			return second
		})
	}
	full, delayed, turn := Refusal{Cause: NoRoom}, Refusal{Cause: LocalityDelay, Offers: true}, Refusal{Cause: Turn, Node: 3}
	for _, tt := range []struct{ first, second, want Refusal }{
		{full, full, full},
		{full, delayed, Refusal{Cause: NoRoom, Offers: true}},
		{delayed, full, delayed},
		{delayed, turn, turn},
		{turn, delayed, turn},
	} {
		if got := why(tt.first, tt.second); got != tt.want {
			t.Errorf("%+v and %+v: %+v, want %+v", tt.first, tt.second, got, tt.want)
		}
	}
}
