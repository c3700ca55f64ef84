package reporttest

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// Golden compares got with testdata/<name>.golden.
func Golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s changed (-want +got); look at it, and if meant run with -update\n%.2000s", name, d)
	}
}

// GoldenPicture compares a picture, drawn as SVG, with testdata/<name>.svg.golden.
func GoldenPicture(t *testing.T, name string, p interface {
	Render(format string) ([]byte, error)
},
) {
	t.Helper()
	b, err := p.Render("svg")
	if err != nil {
		t.Fatal(err)
	}
	Golden(t, name+".svg", b)
}
