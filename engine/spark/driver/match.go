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
	apart := d.cluster.Localities // then no host is called like a rack
	host := g.Container.Host
	if g.Wanted.Has(host) && (apart || g.Wanted.HasHost(host)) {
		c.Match = record.OnHost
		d.rec.ContainersPreferred++
		return
	}
	c.Match = record.Elsewhere
	if rack := d.cluster.RackOf(host); g.Wanted.Has(rack) && (apart || g.Wanted.HasRack(rack)) {
		c.Match = record.OnRack
		d.rec.ContainersRackPreferred++
	}
	room := had.Any(func(p int32) bool {
		h := d.cluster.Host[p]
		return g.Wanted.Has(h) && (apart || g.Wanted.HasHost(h))
	})
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
	case g.Container.Type != protocol.NodeLocal:
		c.Miss = record.DelayOver
	default:
		c.Miss = record.MissedByOrder
	}
}
