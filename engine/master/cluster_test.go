package master

import (
	"fmt"
	"slices"
	"testing"

	"replay/engine/protocol"
)

// What is looked up of hosts is what was said of them, also where numbers of names are large, and of those that are in no trace.
func TestHostsOfACluster(t *testing.T) {
	for _, first := range []int{0, 70_000} {
		names := protocol.NewNames()
		for i := range first {
			names.Intern(fmt.Sprint("n", i))
		}
		c := &Cluster{Names: names}
		c.Add("a", "/r1", 0)
		c.Add("b", "/r2", 1)
		c.Add("c", "/r1", 7) // not its number among the racks of nodes
		stranger := names.Intern("x")
		if short := c.ShortHosts(); (short == nil) != (first > 0) || short != nil && !slices.EqualFunc(short, c.Host, func(s uint16, h protocol.Name) bool { return protocol.Name(s) == h }) {
			t.Errorf("%d names before: short numbers are %v, those of hosts %v", first, short, c.Host)
		}
		of, racks := c.RackNumbers()
		for n, host := range c.Host {
			if c.NodeOf(host) != int32(n) || c.RackOf(host) != c.Rack[n] || racks[of[host]-1] != c.Rack[n] {
				t.Errorf("%d names before: host %d is of node %d on rack %d, number %d of %v, want node %d and rack %d", first, host, c.NodeOf(host), c.RackOf(host), of[host], racks, n, c.Rack[n])
			}
		}
		if c.NodeOf(stranger) != -1 || names.Text(c.RackOf(stranger)) != "/default-rack" || len(racks) != 2 {
			t.Errorf("%d names before: a host of no node is of node %d on rack %s, of racks %v, want -1, /default-rack, and two", first, c.NodeOf(stranger), names.Text(c.RackOf(stranger)), racks)
		}
	}
}

// Names of hosts and racks are apart unless a host is called like a rack, or one of them like "*".
func TestApart(t *testing.T) {
	for _, tt := range []struct {
		host, rack string
		want       bool
	}{{"b", "/r2", true}, {"/r1", "/r2", false}, {"b", "a", false}, {"*", "/r2", false}, {"b", "*", false}} {
		c := &Cluster{Names: protocol.NewNames()}
		c.Add("a", "/r1", 0)
		c.Add(tt.host, tt.rack, 1)
		if got := c.Apart(); got != tt.want {
			t.Errorf("host %s on rack %s beside host a on rack /r1: apart is %v, want %v", tt.host, tt.rack, got, tt.want)
		}
	}
}

// In a span an event follows at once, or the timer comes, only if none of the many comes before it or at its time, and before the span ends.
func TestFollowsInASpan(t *testing.T) {
	var m Many
	var s Span
	var now, cores, seen int64
	var place uint64
	m.Put(5, 1)
	s.Open(10, &m, &now, &place, 0, 0, 0, &cores, &seen)
	try := func(what string, got, want bool, at int64) {
		t.Helper()
		if got != want || now != at {
			t.Errorf("%s: %v at %d ms, want %v at %d", what, got, now, want, at)
		}
	}
	try("at the time that it is", s.Follows(0, 2), false, 0)
	try("before the first of many", s.Follows(4, 2), true, 4)
	try("at its time", s.Follows(5, 2), false, 4)
	try("the timer at its time", s.Timed(5), false, 4)
	_, ok := s.Next()
	try("the first of many", ok, true, 5)
	try("behind it", s.Follows(6, 2), true, 6)
	try("the timer behind it", s.Timed(7), true, 7)
	try("at the end of the span", s.Follows(10, 2), false, 7)
	try("the timer at the end of the span", s.Timed(10), false, 7)
}
