package scala_test

import (
	"strings"
	"testing"

	"replay/bench/conform"
)

// TestVectors plays what Scala's own collections answered: their vectors hold this package, so they run with its tests.
func TestVectors(t *testing.T) {
	s, err := conform.Dir("../../../bench/conform/testdata/spark", "scala_order.jsonl.gz")
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
