package sparkonyarn

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"replay/trace/importer/workload"
)

// FuzzRecordedCluster puts other bytes in the place of one file of a recorded cluster: it is imported or refused, and
// what is refused leaves no trace behind.
func FuzzRecordedCluster(f *testing.F) {
	var names []string
	entries, err := os.ReadDir(fixture)
	if err != nil {
		f.Fatal(err)
	}
	content := map[string][]byte{}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		if content[e.Name()], err = os.ReadFile(filepath.Join(fixture, e.Name())); err != nil {
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
	dir, out := filepath.Join(f.TempDir(), "in"), filepath.Join(f.TempDir(), "out")
	if err := os.CopyFS(dir, os.DirFS(fixture)); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, file uint8, data []byte) {
		name := names[int(file)%len(names)]
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		defer func() { // the next one finds the folder as it was
			err := os.RemoveAll(out)
			if good, ok := content[name]; ok && err == nil {
				err = os.WriteFile(path, good, 0o644)
			} else if err == nil {
				err = os.Remove(path)
			}
			if err != nil {
				t.Fatal(err)
			}
		}()
		opt := workload.DefaultOptions()
		opt.Out = out
		if _, err := Format.Import(t.Context(), "test", []string{dir}, opt); err != nil {
			if _, stat := os.Stat(out); stat == nil {
				t.Errorf("a trace was left behind although %v", err)
			}
		}
	})
}
