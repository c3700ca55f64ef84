package policy

// offerDelay accepts the next level when more offers were refused than a part of the number of nodes.
//
// Source: FSAppAttempt.getAllowedLocalityLevel.
type offerDelay struct{ node, rack float64 }

func newOfferDelay(s DelaySettings) Delay {
	d := offerDelay{min(s.Node, 1), min(s.Rack, 1)}
	if d.node < 0 || d.rack < 0 {
		return noDelay{}
	}
	return d
}

func (d offerDelay) Level(p *Patience, nodes int, now int64) Level {
	part := d.node
	switch p.Level {
	case NoLevel:
		p.Level = NodeLevel
		return NodeLevel
	case RackLevel:
		part = d.rack
	case AnyLevel:
		return AnyLevel
	}
	if float64(p.Offers) > float64(nodes)*part {
		p.relax(now)
	}
	return p.Level
}

// Until is part of [Foreseen].
func (d offerDelay) Until(p *Patience, nodes int) int64 {
	part, first := d.node, int64(1)
	switch p.Level {
	case NoLevel: // the first offer is not compared
		first = 2
	case RackLevel:
		part = d.rack
	case AnyLevel:
		return Always
	}
	return max(first, int64(float64(nodes)*part)+1-int64(p.Offers))
}

// Pass is part of [Foreseen].
func (d offerDelay) Pass(p *Patience, offers int64) {
	if offers > 0 {
		p.Offers += int32(offers)
		p.Level = max(p.Level, NodeLevel)
	}
}
