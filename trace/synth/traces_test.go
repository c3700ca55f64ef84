package synth

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"replay/trace"
)

// Every trace that comes with the project follows all rules.
func TestTracesFollowTheRules(t *testing.T) {
	manifests, err := filepath.Glob(filepath.Join("..", "..", "traces", "*", "trace.json"))
	if err != nil || len(manifests) < 2 {
		t.Fatalf("%d traces, %v", len(manifests), err)
	}
	for _, m := range manifests {
		r, err := trace.Check(t.Context(), filepath.Dir(m), 5)
		if err != nil || !r.OK() {
			t.Errorf("%s: %+v, %v", m, r, err)
		}
	}
}

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
