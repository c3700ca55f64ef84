package sparkonyarn

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// FuzzRecordedCluster puts other bytes in the place of one file of a recorded cluster: it is imported or refused, and
// what is refused leaves no trace behind.
func FuzzRecordedCluster(f *testing.F) {
	dir, opt := importtest.Copy(f, fixture), workload.DefaultOptions()
	shorten(f, dir)
	var names []string
	content := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
			content[e.Name()] = importtest.Read(f, filepath.Join(dir, e.Name()))
		}
	}
	names = append(names, "node-events.jsonl")
	slices.Sort(names)
	for i, n := range names {
		f.Add(uint8(i), content[n])
		f.Add(uint8(i), content[n][:len(content[n])/2])
		f.Add(uint8(i), []byte("{}\n"))
	}
	f.Add(uint8(slices.Index(names, "node-events.jsonl")), []byte(`{"t":1,"node":"x","event":"lost"}`+"\n"))
	opt.Out = filepath.Join(f.TempDir(), "out")
	if _, err := Format.Survey(f.Context(), "test", []string{dir}, opt); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, file uint8, data []byte) {
		path := filepath.Join(dir, names[int(file)%len(names)])
		importtest.Changed(t, path, data, func() { importtest.Try(t, Format, []string{dir}, opt, data) })
	})
}

// shorten leaves in a recorded cluster a few rows of each table, and in its event log a few tasks: what is the same for all inputs is most of the time
// of one, and event logs have fuzz targets of their own.
func shorten(f *testing.F, dir string) {
	for name, rows := range map[string]int{"containers.jsonl": 3, "hdfs-blocks.jsonl": 4, "task-preferences.jsonl.gz": 1} {
		path := filepath.Join(dir, name)
		text := importtest.Unpack(f, path)
		text = bytes.Join(bytes.SplitAfterN(text, []byte("\n"), rows+1)[:rows], nil)
		if strings.HasSuffix(name, ".gz") {
			text = importtest.Gzip(f, text)
		}
		importtest.Write(f, path, string(text))
	}
	log := filepath.Join(dir, "eventlogs", "application_1795247048320_0001_1")
	var short []byte
	tasks := 0
	for line := range bytes.Lines(importtest.Unpack(f, log+".gz")) {
		if bytes.Contains(line, []byte(`"SparkListenerTask`)) {
			tasks++
		}
		if len(line) < 5000 && (tasks <= 4 || !bytes.Contains(line, []byte(`"SparkListenerTask`))) {
			short = append(short, line...)
		}
	}
	importtest.Write(f, log, string(short))
	if err := os.Remove(log + ".gz"); err != nil {
		f.Fatal(err)
	}
}
