package yarn

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/protocol"
	"replay/engine/yarn/jvm"
	"replay/policy/resource"
)

// TestTablesByLocality gives the same requests to a table that is told of groups and to one that is told of names; containers are taken
// and put back, sizes change with the cluster, and attempts stop. Both say the same of each node, and yield their records in the same order where that is kept.
func TestTablesByLocality(t *testing.T) {
	defer func(was int) { longestTrail = was }(longestTrail)
	rapid.Check(t, func(t *rapid.T) {
		longestTrail = rapid.SampledFrom([]int{20, 4096}).Draw(t, "longest trail")
		ordered, many := rapid.Bool().Draw(t, "ordered"), rapid.SampledFrom([]int{7, 40, 300}).Draw(t, "hosts there are")
		names := protocol.NewNames()
		var hosts []protocol.Name
		racks := map[protocol.Name]protocol.Name{}
		c := NewCluster(names, false)
		var nodes []*Node
		slots := 64 // of the first ones of a table
		if ordered {
			slots = rapid.SampledFrom([]int{2, 64}).Draw(t, "slots")
		}
		for i, text := 0, 0; i < many; text++ {
			if host := fmt.Sprint("h", text); jvm.Place(jvm.StringHash(host), 64) < slots {
				hosts = append(hosts, names.Intern(host))
				i++
			}
		}
		for i, h := range hosts {
			r := names.Intern(fmt.Sprint("/r", i*4/many))
			racks[h] = r
			nodes = append(nodes, c.Add(NodeSpec{ID: protocol.NodeID(i), Host: h, Rack: r, Total: resource.R(8192, 8)}))
		}
		if ordered {
			c.KeepOrder()
		}
		size := resource.R(1024, 1)
		var clients [2]*protocol.RelaxedClient
		var attempts [2]*Attempt
		begin := func() {
			for i := range clients {
				clients[i] = protocol.NewRelaxedClient(names, i == 0)
				attempts[i] = NewAttempt(AppSpec{ID: 1}, 1, 0, 0, c.Places)
			}
		}
		begin()
		var all *protocol.Locality
		key := func(p int32) Key { return Key{Priority: p} }
		var given [2][]*Container
		for range rapid.IntRange(1, 80).Draw(t, "operations") {
			p := rapid.Int32Range(0, 1).Draw(t, "priority")
			switch rapid.SampledFrom([]int{0, 1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 6, 7}).Draw(t, "operation") {
			case 0, 1:
				most := min(many, rapid.SampledFrom([]int{0, 2, 7, 60}).Draw(t, "at most"))
				at := rapid.SliceOfNDistinct(rapid.SampledFrom(hosts), 0, most, rapid.ID[protocol.Name]).Draw(t, "hosts")
				var l *protocol.Locality
				switch by := protocol.RacksBy(func(h protocol.Name) protocol.Name { return racks[h] }); {
				case len(at) > 0 && rapid.Bool().Draw(t, "of all"): // what is left of the same hosts again and again
					if all == nil {
						all = protocol.NewLocality(hosts, by)
					}
					without := slices.DeleteFunc(slices.Clone(hosts), func(h protocol.Name) bool { return slices.Contains(at, h) })
					slices.Sort(without)
					if l = all; len(without) > 0 {
						l = new(protocol.Locality)
						l.Rest(all, without, by)
					}
				case len(at) > 0:
					l = protocol.NewLocality(at, by)
				}
				n := rapid.Int32Range(1, 3).Draw(t, "requests")
				for _, c := range clients {
					c.Add(p, resource.R(1024, 1), l, n)
				}
			case 2:
				if groups := clients[0].Groups(p); len(groups) > 0 {
					i := rapid.IntRange(0, len(groups)-1).Draw(t, "group")
					n := rapid.Int32Range(0, groups[i].Count).Draw(t, "cancelled")
					for _, c := range clients {
						c.Remove(p, i, n)
					}
				}
			case 3:
				for i, c := range clients {
					var req protocol.AllocateRequest
					c.Tell(&req)
					c.Told()
					for k := range req.Asks {
						req.Asks[k].Size = size
					}
					attempts[i].Update(req.Asks, false, req.Localities...)
				}
			case 4: // an allocation, as far as both see one
				n := rapid.SampledFrom(nodes).Draw(t, "node")
				if table := attempts[1].Table(key(p)); ordered && table != nil {
					if asked := slices.DeleteFunc(slices.Clone(nodes), func(n *Node) bool { return table.Host(n).Asked() == 0 }); len(asked) > 0 {
						n = rapid.SampledFrom(asked).Draw(t, "node asked for")
					}
				}
				level, ok := protocol.NodeLocal, false
				if table := attempts[1].Table(key(p)); table != nil && table.AnyCount() > 0 {
					ok = true
					switch {
					case table.Host(n).Asked() > 0 && table.Rack(n).Asked() > 0:
					case table.Rack(n).Asked() > 0:
						level = protocol.RackLocal
					default:
						level = protocol.OffSwitch
					}
				}
				if !ok {
					continue
				}
				for i, a := range attempts {
					x := a.NewContainer(a.NextContainer(), n, key(p), size, 0)
					a.Allocated(x, a.Table(key(p)), level)
					given[i] = append(given[i], x)
				}
			case 5: // a container dies before it was given out
				if rapid.Bool().Draw(t, "rare") && len(given[0]) > 0 {
					k := rapid.IntRange(0, len(given[0])-1).Draw(t, "container")
					for i, a := range attempts {
						a.PutBack(given[i][k].Key(), given[i][k].Asks)
						given[i] = slices.Delete(given[i], k, k+1)
					}
				}
			case 6:
				if rapid.Bool().Draw(t, "rare") {
					size = resource.R(rapid.SampledFrom([]int64{1024, 2048}).Draw(t, "size"), 1)
				}
			case 7: // others begin in the memory of attempts that stop
				if rapid.Bool().Draw(t, "rare") {
					for i, a := range attempts {
						a.Stop()
						given[i] = nil
					}
					begin()
				}
			}
			compareTables(t, attempts, nodes, ordered)
		}
	})
}

func compareTables(t *rapid.T, attempts [2]*Attempt, nodes []*Node, ordered bool) {
	for p := range int32(2) {
		got, want := attempts[0].Table(Key{Priority: p}), attempts[1].Table(Key{Priority: p})
		if (got == nil) != (want == nil) {
			t.Fatalf("table %d is there: %v, want %v", p, got != nil, want != nil)
		}
		if got == nil {
			continue
		}
		if got.Locations() != want.Locations() || got.Any() != nil && got.Located() != want.Located() || got.Wanted() != want.Wanted() || got.present != want.present {
			t.Fatalf("table %d has %d locations (%v), wanted %v, there %v; want %d (%v), %v, %v", p, got.Locations(), got.Located(), got.Wanted(), got.present,
				want.Locations(), want.Located(), want.Wanted(), want.present)
		}
		for _, n := range nodes {
			say := func(t *Table) string {
				text := ""
				for _, look := range []func() *Record{t.Any, func() *Record { return t.Host(n) }, func() *Record { return t.Rack(n) }} {
					if r := look(); r != nil {
						text += fmt.Sprint(r.Size, r.Count, r.Relax, " ")
					} else {
						text += "none "
					}
				}
				return text
			}
			if say(got) != say(want) {
				t.Fatalf("table %d says of node %d: %s, want %s", p, n.ID, say(got), say(want))
			}
		}
		records := func(t *Table) map[protocol.Name]Record {
			m := map[protocol.Name]Record{}
			for name, r := range t.Records {
				r.back = nil
				m[name] = r
			}
			return m
		}
		if g, w := records(got), records(want); fmt.Sprint(g) != fmt.Sprint(w) {
			t.Fatalf("table %d has records %v, want %v", p, g, w)
		}
		inOrder := func(t *Table) (text string) {
			for name, r := range t.InOrder {
				text += fmt.Sprint(" ", name, r.Size, r.Count, r.Relax)
			}
			return text
		}
		if g, w := inOrder(got), inOrder(want); ordered && g != w {
			t.Fatalf("table %d yields %v, want %v", p, g, w)
		}
	}
}

// TestAnyComesBackInOrder: what is wanted anywhere comes to nothing before what is wanted at hosts of two racks does, and comes back.
func TestAnyComesBackInOrder(t *testing.T) {
	names := protocol.NewNames()
	c := NewCluster(names, false)
	c.KeepOrder()
	var hosts []protocol.Name
	var nodes []*Node
	for i := range 2 {
		h := names.Intern(fmt.Sprint("h", i))
		hosts = append(hosts, h)
		nodes = append(nodes, c.Add(NodeSpec{ID: protocol.NodeID(i), Host: h, Rack: names.Intern(fmt.Sprint("/r", i)), Total: resource.R(8192, 8)}))
	}
	at := protocol.NewLocality(hosts, protocol.RacksBy(func(h protocol.Name) protocol.Name { return nodes[slices.Index(hosts, h)].Rack }))
	var lists [2]string
	for i := range lists {
		client, a := protocol.NewRelaxedClient(names, i == 0), NewAttempt(AppSpec{ID: 1}, 1, 0, 0, c.Places)
		tell := func(n int32) {
			var req protocol.AllocateRequest
			client.Add(0, resource.R(1024, 1), at, n)
			client.Tell(&req)
			client.Told()
			a.Update(req.Asks, false, req.Localities...)
		}
		tell(2)
		for _, n := range nodes {
			a.Allocated(a.NewContainer(a.NextContainer(), n, Key{}, resource.R(1024, 1), 0), a.Table(Key{}), protocol.NodeLocal)
		}
		if a.Table(Key{}).Any() != nil {
			t.Fatal("a container is wanted anywhere")
		}
		tell(1)
		for name, r := range a.Table(Key{}).InOrder {
			lists[i] += fmt.Sprint(" ", names.Text(name), r.Count)
		}
	}
	if lists[0] != lists[1] || !strings.Contains(lists[0], "*") {
		t.Errorf("the table by groups yields%s, that by names%s", lists[0], lists[1])
	}
}
