// Package heap says how much memory the garbage collector lets a command have.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// usual is how much the heap may grow, in percent of what is alive, where the budget leaves room for it. Go's own 100 has a command of little
	// memory collect hundreds of times what it could leave.
	usual = 1000
	// apart is memory in bytes that is no heap: stacks, and what the runtime keeps of the heap.
	apart = 8 << 20
)

// Within lets the process take up to budget bytes before it is thrifty. Where more is alive than the budget has room for, it gives way: a quarter of what is
// alive may always come on top, so that no input makes it collect without end. restore brings the settings of before back. Where GOGC or GOMEMLIMIT is set, those hold.
//
// A command that streams takes about the same memory for any input then, and collects less for a small one.
func Within(budget int64) (restore func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	k := &keeper{budget: budget, set: budget, percent: debug.SetGCPercent(usual), limit: debug.SetMemoryLimit(budget)}
	k.watch()
	return k.restore
}

// A keeper sets the limit after each collection.
type keeper struct {
	sync.Mutex
	done        bool
	budget, set int64 // bytes
	percent     int   // of before
	limit       int64 // of before
}

// watch has the next collection set the limit: an object that nobody holds is found by it.
func (k *keeper) watch() {
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) {
		if k.adapt() {
			k.watch()
		}
	})
}

// adapt sets the limit by what is alive.
func (k *keeper) adapt() (more bool) {
	k.Lock()
	defer k.Unlock()
	if k.done {
		return false
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if limit := limitFor(k.budget, int64(live[0].Value.Uint64())); limit != k.set {
		k.set = limit
		debug.SetMemoryLimit(limit)
	}
	return true
}

// limitFor is the limit with live bytes alive. Above the budget it goes in steps of an eighth of it, as setting it stops the process for a moment.
func limitFor(budget, live int64) int64 {
	over := live + live/4 + apart - budget
	if over <= 0 {
		return budget
	}
	step := max(budget/8, 1)
	return budget + (over+step-1)/step*step
}

func (k *keeper) restore() {
	k.Lock()
	defer k.Unlock()
	if !k.done {
		k.done = true
		debug.SetGCPercent(k.percent)
		debug.SetMemoryLimit(k.limit)
	}
}
