package engine

import (
	"sync/atomic"

	"replay/engine/scenario"
)

// Progress is how far a replay is. The engine writes it, anyone may read it at any time.
type Progress struct {
	NowMS      atomic.Int64 // trace time reached
	SpanMS     atomic.Int64
	Jobs       atomic.Int64 // finished
	NumJobs    atomic.Int64
	Containers atomic.Int64 // allocated
	Tasks      atomic.Int64 // attempts ended
	NumTasks   atomic.Int64
}

func (p *Progress) start(sc *scenario.Scenario) {
	p.SpanMS.Store(sc.Input.SpanMS)
	p.NumJobs.Store(sc.Input.NumJobs)
	p.NumTasks.Store(sc.Input.NumTasks)
}
