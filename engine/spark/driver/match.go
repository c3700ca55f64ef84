package driver

import (
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/spark/allocator"
)

// matched notes what became of a granted container, and which hosts its request preferred.
func (d *Driver) matched(g *allocator.Grant) {
	n := g.Container.ID.Number()
	c, had := d.h.Container(n), d.h.Room(n)
	switch g.Match {
	case allocator.Unmatched:
		c.Match = record.Unmatched
		c.End = record.EndUnused
		return
	case allocator.MatchedAny:
		return
	}
	d.rec.ContainersPreferring++
	node := c.Node
	hasHost, hasRack := g.Wanted.HasHost, g.Wanted.HasRack
	if d.cluster.Localities { // then no host is called like a rack
		hasHost, hasRack = g.Wanted.Has, g.Wanted.Has
	}
	if hasHost(d.cluster.Host[node]) {
		c.Match = record.OnHost
		d.rec.ContainersPreferred++
		return
	}
	c.Match = record.Elsewhere
	if hasRack(d.cluster.Rack[node]) {
		c.Match = record.OnRack
		d.rec.ContainersRackPreferred++
	}
	wanted := func(p int32) bool { return hasHost(d.cluster.Host[p]) }
	room := had.Any(wanted)
	present := false
	for h := range g.Wanted.Hosts {
		if p := d.cluster.NodeOf(h); p >= 0 && d.h.InCluster(p) {
			present = true
			break
		}
	}
	switch {
	case !present:
		c.Miss = record.HostAbsent
	case !room:
		c.Miss = record.HostBusy
	case d.kind.DelayOff:
		c.Miss = record.DelayOff
	case c.Type != protocol.NodeLocal.String():
		c.Miss = record.DelayOver
	default:
		c.Miss = record.MissedByOrder
	}
}
