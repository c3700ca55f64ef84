package main

import (
	"runtime"
	"syscall"
	"testing"
)

// What huge pages are asked for is not touched, also where the heap has used some of it before.
func TestHugePagesAreNotTouched(t *testing.T) {
	peak := func() int64 { // in KiB
		var used syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
			t.Fatal(err)
		}
		return used.Maxrss
	}
	used := make([]byte, 40<<20)
	for i := range used {
		used[i] = 1
	}
	before := peak()
	runtime.KeepAlive(used)
	runtime.GC() // which returns when what it found is free
	askForHugePages()
	if more := peak() - before; more > hugePagesFor>>12 {
		t.Errorf("the peak of memory has grown by %d KiB, want at most %d of the %d that are asked for", more, hugePagesFor>>12, hugePagesFor>>10)
	}
}
