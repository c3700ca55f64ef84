package main

import (
	"bytes"
	"strings"
	"testing"
)

// The short form: random cases hold, whatever scheduler they have.
func TestRandomCases(t *testing.T) {
	n := uint64(60)
	if testing.Short() {
		n = 20
	}
	var out bytes.Buffer
	if !run(t.Context(), &out, 1, n, 1) {
		t.Fatal(out.String())
	}
	for _, want := range []string{" 0 failed", "capacity ", "fair ", "fifo ", "expired ", "released "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
