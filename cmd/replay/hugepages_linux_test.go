package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"testing"
)

// What huge pages are asked for is not touched, also where the heap has used some of it before.
func TestHugePagesAreNotTouched(t *testing.T) {
	peak := func() (kb int64) {
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Skip(err)
		}
		_, line, _ := bytes.Cut(status, []byte("VmHWM:"))
		if _, err := fmt.Sscan(string(line), &kb); err != nil {
			t.Fatal(err)
		}
		return kb
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
		t.Errorf("the peak of memory has grown by %d kB, want at most %d of the %d that are asked for", more, hugePagesFor>>12, hugePagesFor>>10)
	}
}
