package engine

import (
	"replay/engine/master"
	"replay/engine/scenario"
)

// denseSpans are the spans in which a fast replay executes everything that is periodic: node heartbeats, fair-share updates, heartbeats of application
// masters, their timers and drivers' clocks. It goes into a span with the state to which leaving out has led, and if that was exact,
// it comes out of it with the state of a replay without spans, to the last decision. So a span is a window of a dense replay that
// begins where none could be awaited.
type denseSpans struct {
	left []scenario.Span
}

// next is when the next one begins.
func (d *denseSpans) next() int64 {
	if len(d.left) == 0 {
		return never
	}
	return d.left[0].FromMS
}

// startSpans schedules the first span.
func (s *sim) startSpans() {
	if s.sc.Engine != scenario.Dense {
		s.dense.left = s.sc.DenseSpans()
		s.expectSpan()
	}
}

func (s *sim) expectSpan() {
	if at := s.dense.next(); at != never {
		s.push(at, evSpan, 1, 0)
	}
}

// span begins or ends a span.
func (s *sim) span(begins bool) {
	s.beats.dense = begins
	s.setDense(begins)
	if !begins {
		s.expectSpan()
		return
	}
	end := s.dense.left[0].ToMS
	s.dense.left = s.dense.left[1:]
	s.push(end, evSpan, 0, 0)
	for _, a := range s.apps {
		if a == nil || a.master == nil || a.gone {
			continue
		}
		if m, ok := a.master.(master.Expecter); ok {
			m.Expect()
		}
	}
}
