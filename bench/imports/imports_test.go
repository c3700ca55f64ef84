package main

import (
	"path/filepath"
	"testing"
)

// The input of each format is imported whole, and plain reading finds it.
func TestInputs(t *testing.T) {
	for name := range inputs {
		dir := t.TempDir()
		rows, size, err := generate(filepath.Join(dir, "input"), name, 1200)
		if err != nil || rows < 1200 || size < 5_000 {
			t.Fatalf("%s: %d rows, %d bytes, %v", name, rows, size, err)
		}
		for _, what := range []string{name, plainReading} {
			if err := work(t.Context(), what, dir); err != nil {
				t.Errorf("%s of %s: %v", what, name, err)
			}
		}
	}
}
