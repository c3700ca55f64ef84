package allocator_test

import (
	"testing"

	"replay/bench/conform/conformtest"
)

// TestVectors plays what the real classes answered: their vectors hold this package, so they run with its tests.
func TestVectors(t *testing.T) {
	conformtest.Run(t, "../../../bench/conform/testdata/spark", "yarn_allocator.jsonl.gz")
}
