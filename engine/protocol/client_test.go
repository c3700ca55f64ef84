package protocol

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"replay/policy/resource"

	"pgregory.net/rapid"
)

// cluster is a table of names with hosts h0.. on racks of two.
func cluster(hosts int) (*Names, []Name, func(Name) Name) {
	names := NewNames()
	racks := map[Name]Name{}
	var list []Name
	for i := range hosts {
		h := names.Intern(fmt.Sprintf("h%d", i))
		racks[h] = names.Intern(fmt.Sprintf("/r%d", i/2))
		list = append(list, h)
	}
	return names, list, func(n Name) Name { return racks[n] }
}

func TestClientCountsByPlace(t *testing.T) {
	names, h, rackOf := cluster(4)
	c := NewClient(names, RacksBy(rackOf))
	size := resource.R(1024, 1)
	if err := c.Add(&ContainerRequest{Priority: 1, Size: size, Nodes: []Name{h[0], h[1], h[2], h[0]}, Relax: true}); err != nil {
		t.Fatal(err)
	}
	var call AllocateRequest
	c.Build(&call)
	var got []string
	for _, a := range call.Asks {
		got = append(got, fmt.Sprintf("%s=%d", names.Text(a.Name), a.Count))
	}
	if want := []string{"*=1", "/r0=1", "/r1=1", "h0=1", "h1=1", "h2=1"}; !slices.Equal(got, want) {
		t.Errorf("asks %v, want %v", got, want)
	}
	if c.Build(&call); len(call.Asks) != 0 || !c.Idle() {
		t.Errorf("a second heartbeat sends %v", call.Asks)
	}
}

func TestClientConflict(t *testing.T) {
	names, h, rackOf := cluster(4)
	c := NewClient(names, RacksBy(rackOf))
	add := func(r ContainerRequest) string {
		err := c.Add(&r)
		var e *RequestError
		if err == nil || !errors.As(err, &e) {
			return ""
		}
		return e.Class
	}
	if got := add(ContainerRequest{Priority: 1}); got != "IllegalArgumentException" {
		t.Errorf("strict and nowhere: %q", got)
	}
	if got := add(ContainerRequest{Priority: 1, Nodes: h[:1], Size: resource.R(1, 1)}); got != "" {
		t.Errorf("strict on a host: %q", got)
	}
	if got := add(ContainerRequest{Priority: 1, Relax: true, Size: resource.R(2, 1)}); got != "InvalidContainerRequestException" {
		t.Errorf("relaxed beside strict at one priority: %q", got)
	}
	if got := add(ContainerRequest{Priority: 1, Racks: []Name{names.Intern("/r0")}, Size: resource.R(2, 1)}); got != "InvalidContainerRequestException" {
		t.Errorf("an explicit rack that a strict request inferred: %q", got)
	}
	if got := add(ContainerRequest{Priority: 2, Relax: true, Size: resource.R(2, 1)}); got != "" {
		t.Errorf("another priority: %q", got)
	}
}

// TestClientAgainstSums compares the table with sums over the requests that are outstanding,
// through failed calls and resyncs.
func TestClientAgainstSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names, h, rackOf := cluster(6)
		c := NewClient(names, RacksBy(rackOf))
		sizes := []resource.Resource{resource.R(512, 1), resource.R(1024, 1), resource.R(1024, 2)}
		var open []*ContainerRequest
		told := map[Ask]int32{} // what the ResourceManager was told, by ask without its count
		var call AllocateRequest
		for range rapid.IntRange(1, 60).Draw(t, "operations") {
			switch rapid.IntRange(0, 3).Draw(t, "operation") {
			case 0, 1:
				r := &ContainerRequest{
					Priority: rapid.Int32Range(0, 2).Draw(t, "priority"),
					Size:     rapid.SampledFrom(sizes).Draw(t, "size"),
					Nodes:    rapid.SliceOfN(rapid.SampledFrom(h), 0, 4).Draw(t, "nodes"),
					Relax:    true,
				}
				if err := c.Add(r); err != nil {
					t.Fatal(err)
				}
				open = append(open, r)
			case 2:
				if len(open) > 0 {
					i := rapid.IntRange(0, len(open)-1).Draw(t, "which")
					c.Remove(open[i])
					open = slices.Delete(open, i, i+1)
				}
			case 3:
				if rapid.Bool().Draw(t, "resync") {
					c.Resync()
				}
				c.Build(&call)
				if rapid.Bool().Draw(t, "fails") {
					c.Failed(&call)
					continue
				}
				for _, a := range call.Asks {
					n := a.Count
					a.Count = 0
					told[a] = n
				}
			}
		}
		c.Build(&call)
		for _, a := range call.Asks {
			n := a.Count
			a.Count = 0
			told[a] = n
		}
		want := map[Ask]int32{}
		for _, r := range open {
			places := map[Name]bool{Any: true}
			for _, n := range r.Nodes {
				places[n], places[rackOf(n)] = true, true
			}
			for n := range places {
				want[Ask{Priority: r.Priority, Name: n, Size: r.Size, Relax: true}]++
			}
		}
		for a, n := range told {
			if want[a] != n {
				t.Fatalf("%+v was told %d, want %d", a, n, want[a])
			}
			delete(want, a)
		}
		if len(want) > 0 {
			t.Fatalf("never told: %v", want)
		}
		for _, p := range []int32{0, 1, 2} {
			for _, size := range sizes {
				var list []*ContainerRequest
				for _, r := range open {
					if r.Priority == p && r.Size == size {
						list = append(list, r)
					}
				}
				var got []*ContainerRequest
				if m := c.Matching(p, Any, size, nil); len(list) > 0 {
					got = slices.Collect(m[0].All)
				}
				if !slices.Equal(got, list) {
					t.Fatalf("priority %d, size %v: %d requests match, want %d in the order of adding", p, size, len(got), len(list))
				}
			}
		}
	})
}

func TestRankIsJavaOrder(t *testing.T) {
	names := NewNames()
	texts := []string{"h10", "h2", "/rack", "é", "\uffee", "😀", "h", ""}
	for _, s := range texts {
		names.Intern(s)
	}
	texts = append(texts, "*")
	slices.SortFunc(texts, func(a, b string) int { return int(names.Rank(names.Intern(a)) - names.Rank(names.Intern(b))) })
	if want := []string{"", "*", "/rack", "h", "h10", "h2", "é", "😀", "\uffee"}; !slices.Equal(texts, want) {
		t.Errorf("order %q, want %q", texts, want)
	}
	if a, b := names.Rank(names.Intern("\xff")), names.Rank(names.Intern("\xfe")); a >= b {
		t.Errorf("ranks %d and %d of names that are the same to Java, want the earlier first", a, b)
	}
	if got := names.Rank(names.Intern("a name of later")); got != 3 {
		t.Errorf("rank %d of a new name, want 3", got)
	}
}

// BenchmarkClient is the cost of a request's life: added, sent, matched, removed, with 3 of 1,000 hosts.
func BenchmarkClient(b *testing.B) {
	names, h, rackOf := cluster(1000)
	c := NewClient(names, RacksBy(rackOf))
	size := resource.R(4096, 4)
	var call AllocateRequest
	open := make([]*ContainerRequest, 0, 100)
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		open = open[:0]
		for range 100 {
			i = (i*7 + 1) % 997
			r := &ContainerRequest{Priority: 1, Size: size, Nodes: h[i : i+3], Relax: true}
			if err := c.Add(r); err != nil {
				b.Fatal(err)
			}
			open = append(open, r)
		}
		c.Build(&call)
		for _, r := range open {
			if c.FirstMatching(1, r.Nodes[0], size) == nil {
				b.Fatal("no match")
			}
			c.Remove(r)
		}
		c.Build(&call)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*100), "ns/request")
}
