package sparkonyarn

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"replay/trace/importer/codec"
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
	shorten(f, filepath.Join(dir, "eventlogs", "application_1795247048320_0001_1.gz"))
	if _, err := Format.Survey(f.Context(), "test", []string{dir}, opt); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, file uint8, data []byte) {
		path := filepath.Join(dir, names[int(file)%len(names)])
		importtest.Changed(t, path, data, func() { importtest.Try(t, Format, []string{dir}, opt, data) })
	})
}

// shorten leaves out all but the first few tasks of an event log: reading it is most of an input's time, and has fuzz targets of its own.
func shorten(f *testing.F, path string) {
	r, err := codec.Open(path, "", 0)
	if err != nil {
		f.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		f.Fatal(err)
	}
	var short []byte
	tasks := 0
	for line := range bytes.Lines(text) {
		if bytes.Contains(line, []byte(`"SparkListenerTask`)) {
			if tasks++; tasks > 8 {
				continue
			}
		}
		if len(line) < 20_000 {
			short = append(short, line...)
		}
	}
	importtest.Write(f, path, string(importtest.Gzip(f, short)))
}
