package driver

import (
	"testing"

	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/spark/allocator"
	"replay/policy/resource"
)

// What becomes of a container that was asked for on hosts 0 and 1 (rack 0); nodes 2 and 3 are rack 1.
func TestMatchesOfContainers(t *testing.T) {
	cases := []struct {
		name     string
		node     int32
		lost     []int32 // nodes that the ResourceManager has lost
		room     []int32 // preferred nodes that had room
		kind     protocol.NodeType
		delayOff bool
		match    record.Match
		miss     record.Miss
	}{
		{"on a host", 1, nil, nil, protocol.NodeLocal, false, record.OnHost, record.NoMiss},
		{"on the rack, no host has room", 4, nil, nil, protocol.RackLocal, false, record.OnRack, record.HostBusy},
		{"elsewhere, no host has room", 2, nil, nil, protocol.OffSwitch, false, record.Elsewhere, record.HostBusy},
		{"no host is there", 2, []int32{0, 1}, nil, protocol.OffSwitch, false, record.Elsewhere, record.HostAbsent},
		{"the other one is there", 2, []int32{1}, nil, protocol.OffSwitch, false, record.Elsewhere, record.HostBusy},
		{"one is there", 2, []int32{0}, nil, protocol.OffSwitch, false, record.Elsewhere, record.HostBusy},
		{"one had room, and was waited for", 2, nil, []int32{1}, protocol.OffSwitch, false, record.Elsewhere, record.DelayOver},
		{"on the rack after a wait", 4, nil, []int32{0}, protocol.RackLocal, false, record.OnRack, record.DelayOver},
		{"without a wait", 2, nil, []int32{1}, protocol.OffSwitch, true, record.Elsewhere, record.DelayOff},
		{"given as local to the host of another request", 2, nil, []int32{0, 1}, protocol.NodeLocal, false, record.Elsewhere, record.MissedByOrder},
		{"there was room on hosts that were not asked for", 2, nil, []int32{3, 4}, protocol.OffSwitch, false, record.Elsewhere, record.HostBusy},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := newApp(t, jobOf(near(stageOf(0, 1, 1_000_000), []int32{0, 1})), setup{racks: []int32{0, 0, 1, 1, 0}, conf: dynamic(), delayOff: c.delayOff}).register()
			a.Run(10)
			for _, n := range c.lost {
				a.LoseNode(n)
			}
			x := a.Grant(c.node, 0, resource.R(2048, 1))
			x.Type = c.kind
			a.Rooms[x.ID.N] = c.room
			a.Run(5000)
			r := a.Container(x.ID.N)
			if r.Match != c.match || r.Miss != c.miss {
				t.Errorf("match %v, miss %v, want %v and %v", r.Match, r.Miss, c.match, c.miss)
			}
			job := a.Job()
			want := [3]int64{1, 0, 0}
			switch c.match {
			case record.OnHost:
				want[1] = 1
			case record.OnRack:
				want[2] = 1
			}
			if got := [3]int64{job.ContainersPreferring, job.ContainersPreferred, job.ContainersRackPreferred}; got != want {
				t.Errorf("containers that prefer, on a host, on its rack: %v, want %v", got, want)
			}
		})
	}
}

// A container that no request is left for is given back unused; one that was asked for anywhere prefers nothing.
func TestContainersWithoutPreference(t *testing.T) {
	a := newApp(t, jobOf(delayed(stageOf(0, 1, 1000), 600_000)), setup{conf: static(1)}).executors(0, 1).register()
	a.Run(5000)
	if r := a.Container(2); r.Match != record.NoPreference || r.End != "" {
		t.Errorf("the first container: %+v, want no preference", r)
	}
	if r := a.Container(3); r.Match != record.Unmatched || r.End != record.EndUnused || r.Exit != protocol.ExitAborted {
		t.Errorf("the second container: %+v, want unmatched and given back unused", r)
	}
	if j := a.Job(); j.ContainersPreferring != 0 {
		t.Errorf("%d containers prefer hosts, want none", j.ContainersPreferring)
	}
}

// A preferred host that is not in the trace counts as one that is not there.
func TestMatchOfHostThatIsNotInTheTrace(t *testing.T) {
	a := newApp(t, jobOf(stageOf(0, 1, 1000)), setup{conf: static(1)}).executors(2).register()
	g := &allocator.Grant{Container: protocol.Container{ID: protocol.ContainerID{App: 1, N: 2}, Node: 2, Host: a.Cluster().Host[2]}, Match: allocator.MatchedElsewhere, Wanted: protocol.NewLocality([]protocol.Name{a.Cluster().Names.Intern("elsewhere")}, a.Cluster())}
	a.d.matched(g)
	if r := a.Container(2); r.Match != record.Elsewhere || r.Miss != record.HostAbsent {
		t.Errorf("match %v, miss %v, want elsewhere for want of the host", r.Match, r.Miss)
	}
}
