package heap

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestLimitFor(t *testing.T) {
	for _, c := range []struct{ budget, live, want int64 }{
		{48 << 20, 0, 48 << 20},
		{48 << 20, 32 << 20, 48 << 20},
		{48 << 20, 33 << 20, 54 << 20},
		{48 << 20, 100 << 20, 138 << 20},
	} {
		if got := limitFor(c.budget, c.live); got != c.want {
			t.Errorf("limitFor(%d, %d) = %d, want %d", c.budget, c.live, got, c.want)
		}
	}
}

// What is alive lifts the limit, what is no more lowers it again, and the settings of before come back.
func TestWithin(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	percent := debug.SetGCPercent(100)
	defer debug.SetGCPercent(percent)
	const budget = 32 << 20
	restore := Within(budget)
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	if got := limit(); got != budget {
		t.Fatalf("the limit is %d at first, want %d", got, budget)
	}
	until := func(what string, holds func() bool) {
		for range 1000 {
			runtime.GC()
			if holds() {
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Errorf("the limit stays %d, want it %s", limit(), what)
	}
	held := make([]byte, 100<<20)
	until("above 125 MiB", func() bool { return limit() > 125<<20 })
	runtime.KeepAlive(held)
	held = nil
	until("the budget", func() bool { return limit() == budget })
	restore()
	restore()
	runtime.GC()
	if got := limit(); got != math.MaxInt64 {
		t.Errorf("the limit is %d at the end, want none", got)
	}
	if got := debug.SetGCPercent(100); got != 100 {
		t.Errorf("the percentage is %d at the end, want 100", got)
	}
}

func TestWithinTheEnvironment(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "1GiB")
	before := debug.SetMemoryLimit(-1)
	defer Within(1 << 20)()
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("the limit is %d, want it as the environment has it", got)
	}
}
