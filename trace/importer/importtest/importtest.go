// Package importtest has what the tests of importers share.
package importtest

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"replay/trace"
	"replay/trace/importer/codec"
	"replay/trace/importer/workload"
)

// Import imports the input, with the options as change leaves the default ones, and loads the trace. An import that
// fails and leaves something behind fails the test.
func Import(t testing.TB, f workload.Format, input string, change func(*workload.Options)) (*workload.Result, *trace.MemoryTrace, error) {
	t.Helper()
	return ImportAll(t, f, []string{input}, change)
}

// RecordingsVariable names the folder of further recordings in the environment.
const RecordingsVariable = "REPLAY_RECORDINGS"

// Recordings returns a folder of the further recordings; without them the test is skipped.
func Recordings(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv(RecordingsVariable)
	if root == "" {
		t.Skipf("%s is not set: it names a folder of recordings (spark-eventlogs, spark-on-yarn) that this test reads beside those in testdata", RecordingsVariable)
	}
	dir := filepath.Join(root, name)
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("%s: %v", RecordingsVariable, err)
	}
	return dir
}

// Read returns the content of a file.
func Read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Unpack returns the unpacked content of a file.
func Unpack(t testing.TB, path string) []byte {
	t.Helper()
	r, err := codec.Open(path, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return data
}

// Gzip packs data.
func Gzip(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Write makes or replaces a file.
func Write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// WriteNew makes a file called name in a folder of its own and returns its path.
func WriteNew(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	Write(t, path, text)
	return path
}

// Copy copies a folder and returns the path of the copy, which has the same name.
func Copy(t testing.TB, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), filepath.Base(from))
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

// TracesVariable names the folder of sample traces of other formats in the environment.
const TracesVariable = "REPLAY_TRACES"

// Sample returns the path of a sample trace, such as "alibaba-2018"; without the samples the test is skipped.
func Sample(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv(TracesVariable)
	if root == "" {
		t.Skipf("%s is not set: it names a folder of sample traces, by their sources, that this test imports", TracesVariable)
	}
	path := filepath.Join(root, name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s: %v", TracesVariable, err)
	}
	return path
}

// ImportAll is Import of several inputs.
func ImportAll(t testing.TB, f workload.Format, inputs []string, change func(*workload.Options)) (*workload.Result, *trace.MemoryTrace, error) {
	t.Helper()
	opt := workload.DefaultOptions()
	opt.Out = filepath.Join(t.TempDir(), "trace")
	if change != nil {
		change(&opt)
	}
	res, err := f.Import(t.Context(), "test", inputs, opt)
	if err != nil {
		if _, e := os.Stat(opt.Out); !os.IsNotExist(e) {
			t.Errorf("the import failed (%v) and left %s", err, opt.Out)
		}
		return nil, nil, err
	}
	m, err := trace.Load(opt.Out)
	if err != nil {
		t.Fatal(err)
	}
	return res, m, nil
}
