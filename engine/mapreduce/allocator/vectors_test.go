package allocator_test

import (
	"testing"

	"replay/bench/conform/conformtest"
)

// TestVectors plays what the real class answered: its vectors hold this package, so they run with its tests.
func TestVectors(t *testing.T) {
	conformtest.Run(t, "../../../bench/conform/testdata/mapreduce", "")
}
