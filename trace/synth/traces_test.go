package synth

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"replay/trace"
)

// The synthetic traces that come with the project are what their presets make with seed 1.
func TestTracesOfTheProject(t *testing.T) {
	for _, name := range []string{"uniform-micro", "tpch-mixed"} {
		t.Run(name, func(t *testing.T) {
			p, err := Find(name)
			if err != nil {
				t.Fatal(err)
			}
			made := filepath.Join(t.TempDir(), name)
			if _, err := Generate(t.Context(), made, p, Options{Seed: 1}); err != nil {
				t.Fatal(err)
			}
			kept := filepath.Join("..", "..", "traces", name)
			if r, err := trace.Check(t.Context(), kept, 5); err != nil || !r.OK() {
				t.Fatalf("%+v, %v", r, err)
			}
			files, err := os.ReadDir(made)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				want, err := os.ReadFile(filepath.Join(made, f.Name()))
				if err != nil {
					t.Fatal(err)
				}
				got, err := os.ReadFile(filepath.Join(kept, f.Name()))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s is not what the preset makes; if that is meant, raise Version and make the trace again", f.Name())
				}
			}
		})
	}
}
