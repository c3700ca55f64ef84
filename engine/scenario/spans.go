package scenario

import (
	"fmt"
	"time"

	"replay/engine/random"
)

// Span is from a time of the replay to before another, ms.
type Span struct{ FromMS, ToMS int64 }

// DenseSpans are the spans in which the fast engine executes everything: DenseN of DenseMS each, one in each part of the time over which jobs are submitted,
// at a place drawn from the seed. A part that is too short for one has none.
func (sc *Scenario) DenseSpans() (list []Span) {
	if sc.DenseN <= 0 || sc.DenseMS <= 0 {
		return nil
	}
	part := int64(float64(sc.Input.SpanMS)/sc.Faster) / int64(sc.DenseN)
	r := random.Stream(sc.Seed, "dense spans")
	for i := range int64(sc.DenseN) {
		if room := part - sc.DenseMS; room > 0 {
			from := i*part + r.Int64N(room)
			list = append(list, Span{from, from + sc.DenseMS})
		}
	}
	return list
}

// engineText says how heartbeats are driven.
func (sc *Scenario) engineText() string {
	if n := len(sc.DenseSpans()); n > 0 && sc.Engine != Dense {
		return fmt.Sprintf("%s, everything executed in %d spans of %v", sc.Engine, n, time.Duration(sc.DenseMS)*time.Millisecond)
	}
	return sc.Engine
}
