package report

import (
	"flag"
	"path/filepath"
	"testing"
)

var look = flag.String("look", "", "write made-up results to this directory, to look at their pictures")

// TestLook writes what a person should look at after a change of plots or pages.
func TestLook(t *testing.T) {
	dir := *look
	if dir == "" {
		dir = t.TempDir()
	}
	usual.write(t, filepath.Join(dir, "run"), DefaultOptions())
	c, err := Compare(threeVariants(t, 5))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.WriteDir(filepath.Join(dir, "comparison"), []string{"png"}, nil); err != nil {
		t.Fatal(err)
	}
}
