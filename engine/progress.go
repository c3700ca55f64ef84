package engine

import "sync/atomic"

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
