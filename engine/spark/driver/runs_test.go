package driver

import (
	"testing"
	"unsafe"
)

// What is kept of a task attempt while it runs is two lines of memory, so that attempts that end one after the other share none.
func TestRunFillsTwoLines(t *testing.T) {
	if size := unsafe.Sizeof(run{}); size != 128 {
		t.Errorf("a run has %d bytes, want 128", size)
	}
}
