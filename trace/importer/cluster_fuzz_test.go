package importer

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// FuzzRecordedCluster puts other bytes in the place of one file of a recorded cluster: it is imported or refused, and
// what is refused leaves no trace behind.
func FuzzRecordedCluster(f *testing.F) {
	const from = "testdata/locality-wait-0s"
	var names []string
	entries, err := os.ReadDir(from)
	if err != nil {
		f.Fatal(err)
	}
	content := map[string][]byte{}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		if content[e.Name()], err = os.ReadFile(filepath.Join(from, e.Name())); err != nil {
			f.Fatal(err)
		}
		names = append(names, e.Name())
	}
	names = append(names, "node-events.jsonl")
	slices.Sort(names)
	for i, n := range names {
		f.Add(uint8(i), content[n])
		f.Add(uint8(i), content[n][:len(content[n])/2])
		f.Add(uint8(i), []byte("{}\n"))
	}
	f.Add(uint8(slices.Index(names, "node-events.jsonl")), []byte(`{"t":1,"node":"x","event":"lost"}`+"\n"))
	f.Fuzz(func(t *testing.T, file uint8, data []byte) {
		dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, names[int(file)%len(names)]), data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Import(t.Context(), "spark-on-yarn", []string{dir}, Options{Out: out}); err != nil {
			if _, stat := os.Stat(out); stat == nil {
				t.Errorf("a trace was left behind although %v", err)
			}
		}
	})
}
