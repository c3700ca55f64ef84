package workload

import (
	"regexp"
	"slices"

	"replay/trace"
)

// apart finds out whether recordings are of clusters that have nothing in common. Applications belong together whose ids come from one start of a ResourceManager,
// and those that name a host in common.
type apart struct {
	groups names
	of     []int32         // group -> one that it belongs to, itself where that is the first
	first  map[int32]int32 // host -> the group that named it first
}

// startOf has the start of the ResourceManager in the id of an application, or of the job of one.
var startOf = regexp.MustCompile(`^(?:application|job)_(\d+)_\d+$`)

// add takes an application with its hosts.
func (a *apart) add(id string, hosts []int32) {
	if len(hosts) == 0 {
		return
	}
	if m := startOf.FindStringSubmatch(id); m != nil {
		id = m[1]
	}
	g := a.groups.of(id)
	if int(g) == len(a.of) {
		a.of = append(a.of, g)
	}
	if a.first == nil {
		a.first = map[int32]int32{}
	}
	for _, h := range hosts {
		other, ok := a.first[h]
		if !ok {
			a.first[h] = g
			continue
		}
		x, y := a.root(g), a.root(other)
		a.of[max(x, y)] = min(x, y)
	}
}

func (a *apart) root(g int32) int32 {
	for a.of[g] != g {
		a.of[g] = a.of[a.of[g]]
		g = a.of[g]
	}
	return g
}

// clusters are the numbers of hosts of each, in no order that means anything.
func (a *apart) clusters() (sizes []int) {
	hosts := make([]int, len(a.of))
	for _, g := range a.first {
		hosts[a.root(g)]++
	}
	return slices.DeleteFunc(hosts, func(n int) bool { return n == 0 })
}

// sayApart takes note and warns of a cluster whose nodes are those of several: their jobs would run on all of them.
func (b *Builder) sayApart() {
	sizes := b.apart.clusters()
	if len(sizes) < 2 {
		return
	}
	c := &trace.Clusters{Count: len(sizes), Largest: slices.Max(sizes)}
	for _, n := range sizes {
		c.Hosts += n
	}
	b.source.Clusters = c
	b.Warn("%s", b.source.Apart())
}
