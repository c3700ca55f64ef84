package yarn

// LocalityLevel is how far from the wanted place an application accepts containers at present.
type LocalityLevel uint8

// Levels; NoLevel is that of a key that no node was offered to.
const (
	NoLevel LocalityLevel = iota
	NodeLevel
	RackLevel
	AnyLevel
)

func (l LocalityLevel) String() string {
	return [...]string{"none", "NODE_LOCAL", "RACK_LOCAL", "OFF_SWITCH"}[l]
}

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
func (d *delay) level(t *Table, nodes int, now int64) LocalityLevel {
	if d.off {
		return AnyLevel
	}
	if t.Level == NoLevel {
		t.Level = NodeLevel
		if d.byTime {
			t.LevelSince = now
		}
		return NodeLevel
	}
	if t.Level == AnyLevel {
		return AnyLevel
	}
	var due bool
	if d.byTime {
		wait := d.nodeMS
		if t.Level == RackLevel {
			wait = d.rackMS
		}
		due = now-t.LevelSince > wait
	} else {
		share := d.node
		if t.Level == RackLevel {
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
