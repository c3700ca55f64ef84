package driver

import (
	"slices"

	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/spark/allocator"
)

// matched notes what became of a granted container, and which hosts its request preferred.
func (d *Driver) matched(g *allocator.Grant) {
	n := g.Container.ID.Number()
	c := d.h.Container(n)
	hosts := g.Wanted
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
	if slices.Contains(hosts, d.cluster.Host[node]) {
		c.Match = record.OnHost
		d.rec.ContainersPreferred++
		return
	}
	c.Match = record.Elsewhere
	present, room := false, false
	had := d.h.Room(n)
	rackKnown := g.Match != allocator.MatchedRack // no request was left that names its rack
	for _, h := range hosts {
		p := d.cluster.NodeOf(h)
		if p < 0 {
			continue
		}
		if d.cluster.Rack[p] == d.cluster.Rack[node] {
			c.Match, rackKnown = record.OnRack, true
		}
		present = present || d.h.InCluster(p)
		if len(had) > 0 && !room {
			_, room = slices.BinarySearch(had, p)
		}
		if present && rackKnown && (room || len(had) == 0) {
			break
		}
	}
	if c.Match == record.OnRack {
		d.rec.ContainersRackPreferred++
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
