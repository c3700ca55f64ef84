package protocol

import (
	"slices"
	"testing"

	"replay/policy/resource"

	"pgregory.net/rapid"
)

// A RelaxedClient tells what a Client tells that is given each of its requests.
func TestRelaxedClientAgainstClient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names, h, rackOf := cluster(7)
		literal, groups := NewClient(names, RacksBy(rackOf)), NewRelaxedClient(names, false)
		sizes := []resource.Resource{resource.R(512, 1), resource.R(1024, 1)}
		open := [2][]*ContainerRequest{} // by priority, oldest first
		var want, got AllocateRequest
		for range rapid.IntRange(1, 60).Draw(t, "operations") {
			p := rapid.Int32Range(0, 1).Draw(t, "priority")
			switch rapid.IntRange(0, 3).Draw(t, "operation") {
			case 0:
				hosts := rapid.SliceOfNDistinct(rapid.SampledFrom(h), 0, 5, rapid.ID[Name]).Draw(t, "hosts")
				var at *Locality
				if len(hosts) > 0 {
					at = NewLocality(hosts, RacksBy(rackOf))
				}
				n := rapid.Int32Range(1, 3).Draw(t, "requests")
				groups.Add(p, sizes[p], at, n)
				for range n {
					r := &ContainerRequest{Priority: p, Size: sizes[p], Nodes: hosts, Relax: true}
					if err := literal.Add(r); err != nil {
						t.Fatal(err)
					}
					open[p] = append(open[p], r)
				}
			case 1: // a container that serves the oldest request of a place
				place := rapid.SampledFrom(append([]Name{Any}, names.all()...)).Draw(t, "place")
				r := literal.FirstMatching(p, place, sizes[p])
				at, ok := groups.Serve(p, place)
				if (r != nil) != ok {
					t.Fatalf("a container at %s serves %v, and one of a group: %v", names.Text(place), r, ok)
				}
				if r == nil {
					continue
				}
				if at == nil && len(r.Nodes) > 0 || at != nil && !slices.Equal(slices.Collect(at.Hosts), r.Nodes) {
					t.Fatalf("a container at %s serves a request for %v, and one for %+v", names.Text(place), r.Nodes, at)
				}
				literal.Remove(r)
				open[p] = slices.DeleteFunc(open[p], func(o *ContainerRequest) bool { return o == r })
			case 2: // the oldest requests of a group
				list := groups.Groups(p)
				if len(list) == 0 {
					continue
				}
				i := rapid.IntRange(0, len(list)-1).Draw(t, "group")
				before := 0
				for _, g := range list[:i] {
					before += int(g.Count)
				}
				n := rapid.IntRange(0, int(list[i].Count)).Draw(t, "cancelled")
				groups.Remove(p, i, int32(n))
				for _, r := range open[p][before : before+n] {
					literal.Remove(r)
				}
				open[p] = slices.Delete(open[p], before, before+n)
				if n == 0 {
					groups.Tell(&got) // it may tell again what nothing has changed about
					groups.Told()
					literal.Build(&want)
				}
			case 3:
				if literal.Idle() != idle(groups) {
					t.Fatalf("idle: %v, want %v", idle(groups), literal.Idle())
				}
				literal.Build(&want)
				if groups.Tell(&got); !slices.Equal(got.Asks, want.Asks) {
					t.Fatalf("asks\n%v\nwant\n%v", got.Asks, want.Asks)
				}
				groups.Told()
			}
			some := false
			for _, o := range open {
				some = some || len(o) > 0
			}
			if groups.Count(p) != len(open[p]) || groups.Open() != some || groups.Tells() == idle(groups) {
				t.Fatalf("%d requests, want %d; some at all: %t, want %t; something to tell: %t", groups.Count(p), len(open[p]), groups.Open(), some, groups.Tells())
			}
		}
	})
}

func (n *Names) all() (list []Name) {
	for i := 1; i < n.Len(); i++ {
		list = append(list, Name(i))
	}
	return list
}

// idle reports whether a client has nothing to tell.
func idle(c *RelaxedClient) bool {
	gives, only := c.Gives()
	return only && len(gives) == 0
}
