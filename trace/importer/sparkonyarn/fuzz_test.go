package sparkonyarn

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"replay/trace/importer/importtest"
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
	dir, opt := importtest.Copy(f, fixture), workload.DefaultOptions()
	opt.Out = filepath.Join(f.TempDir(), "out")
	f.Fuzz(func(t *testing.T, file uint8, data []byte) {
		path := filepath.Join(dir, names[int(file)%len(names)])
		importtest.Changed(t, path, data, func() { importtest.Try(t, Format, []string{dir}, opt, data) })
	})
}
