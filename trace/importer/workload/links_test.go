package workload

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A link to a folder that is handed in stands for the folder; one within a folder is passed over, so that no file is found in two places.
func TestLinksToFolders(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	if err := os.MkdirAll(filepath.Join(data, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "a", "part-1"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link": "data", "data/b": "a"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	for in, want := range map[string]string{"link": "link/a/part-1", "data": "data/a/part-1", "data/b": "data/b/part-1"} {
		l, err := List([]string{filepath.Join(dir, in)}, nil)
		if err != nil || !slices.Equal(l.Files, []string{filepath.Join(dir, want)}) {
			t.Errorf("%s: %v, %v, want %s", in, l.Files, err, want)
		}
	}
}
