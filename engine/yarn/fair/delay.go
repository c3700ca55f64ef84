package fair

import "replay/engine/yarn"

// delay is FairScheduler's delay scheduling: by offers refused, or by time when scheduling is continuous.
//
// Source: FSAppAttempt.getAllowedLocalityLevel, getAllowedLocalityLevelByTime.
type delay struct {
	byTime         bool
	node, rack     float64 // thresholds as fractions of the number of nodes, at most 1
	nodeMS, rackMS int64
	off            bool // every node is accepted from the start
}

// level returns the level that t accepts at an offer, and relaxes it when it is due.
func (d *delay) level(t *yarn.Table, nodes int, now int64) yarn.LocalityLevel {
	if d.off {
		return yarn.AnyLevel
	}
	if t.Level == yarn.NoLevel {
		t.Level = yarn.NodeLevel
		if d.byTime {
			t.LevelSince = now
		}
		return yarn.NodeLevel
	}
	if t.Level == yarn.AnyLevel {
		return yarn.AnyLevel
	}
	var due bool
	if d.byTime {
		wait := d.nodeMS
		if t.Level == yarn.RackLevel {
			wait = d.rackMS
		}
		due = now-t.LevelSince > wait
	} else {
		share := d.node
		if t.Level == yarn.RackLevel {
			share = d.rack
		}
		due = float64(t.Opportunities) > float64(nodes)*share
	}
	if due {
		t.Level++
		t.Opportunities = 0
		t.LevelSince = now
	}
	return t.Level
}
