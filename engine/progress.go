package engine

import (
	"slices"
	"sync/atomic"

	"replay/engine/record"
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
	Beforehand atomic.Pointer[string] // what is known of a replay that will take long, nil if nothing is
}

func (p *Progress) start(sc *scenario.Scenario) {
	p.SpanMS.Store(sc.Input.SpanMS)
	p.NumJobs.Store(sc.Input.NumJobs)
	p.NumTasks.Store(sc.Input.NumTasks)
	if i := slices.IndexFunc(sc.Warnings, func(w record.Warning) bool { return w.Code == record.HighLoad }); i >= 0 {
		p.Beforehand.Store(&sc.Warnings[i].Text)
	}
}
