package policy

// timeDelay accepts the next level when the present one has lasted for longer than so many ms.
//
// Source: FSAppAttempt.getAllowedLocalityLevelByTime.
type timeDelay struct{ node, rack int64 }

func newTimeDelay(s DelaySettings) Delay {
	if s.NodeMS < 0 || s.RackMS < 0 {
		return noDelay{}
	}
	return timeDelay{s.NodeMS, s.RackMS}
}

func (d timeDelay) Level(p *Patience, _ int, now int64) Level {
	wait := d.node
	switch p.Level {
	case NoLevel:
		p.Level, p.Since = NodeLevel, now
		return NodeLevel
	case RackLevel:
		wait = d.rack
	case AnyLevel:
		return AnyLevel
	}
	if now-p.Since > wait {
		p.relax(now)
	}
	return p.Level
}
