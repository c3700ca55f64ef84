package allocator_test

import (
	"strings"
	"testing"

	"replay/bench/conform"
)

// TestVectors plays what Spark's own class answered: its vectors hold this package, so they run with its tests.
func TestVectors(t *testing.T) {
	s, err := conform.Dir("../../../bench/conform/testdata/spark", "yarn_allocator.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	if s.OK() && s.Totals.Equal > 0 {
		return
	}
	var b strings.Builder
	if err := s.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	t.Error(b.String())
}
