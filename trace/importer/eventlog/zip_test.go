package eventlog

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// zipOf packs a folder.
func zipOf(t testing.TB, dir string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	if err := w.AddFS(os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return importtest.WriteNew(t, "logs.zip", out.String())
}

// What a zip archive has is imported as if it were unpacked: plain and packed logs, rolling ones, and those of Databricks. Names in
// messages are those of the archive and of the file in it.
func TestZip(t *testing.T) {
	dir, _ := messy(t)
	for _, other := range []string{"a-trace", "app-20150101-1", "logs.zip"} { // what is another thing in an archive
		if err := os.RemoveAll(filepath.Join(dir, other)); err != nil {
			t.Fatal(err)
		}
	}
	ends := func(input string) (out []string, tables string) {
		res, m, err := importtest.Import(t, Format, input, func(o *workload.Options) { o.Name = "logs" })
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range res.Inputs {
			_, name, _ := strings.Cut(in.Label, "/")
			out = append(out, name+": "+string(in.LeftOut)+" "+strings.ReplaceAll(in.Why, "logs.zip", "logs"))
		}
		return out, strings.ReplaceAll(importtest.Text(m), "logs.zip", "logs")
	}
	want, wantTables := ends(dir)
	archive := zipOf(t, dir)
	got, tables := ends(archive)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("inputs (-folder +archive)\n%s", d)
	}
	if d := cmp.Diff(wantTables, tables); d != "" {
		t.Errorf("tables (-folder +archive)\n%s", d)
	}
	// Of logs within times only these are read.
	res, _, err := importtest.Import(t, Format, archive, func(o *workload.Options) { o.FromMS, o.ToMS = 6000, 6001 })
	if err != nil || res.Trace.Jobs != 1 {
		t.Errorf("%v, %+v, want the one application that started then", err, res)
	}
}

// An archive is known by the name of its first file, or by what is in it.
func TestDetectZip(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		method           uint16
	}{
		{"application_1_1", "", `a zip archive that begins with "application_1_1"`, zip.Store},
		{"logs/eventlog_v2_x/appstatus_x", "", `a zip archive that begins with "logs/eventlog_v2_x/appstatus_x"`, zip.Store},
		{"log", logText, `a zip archive whose first file, "log", has events of Spark's listener as JSON`, zip.Deflate},
		{"log", "height,width\n", "", zip.Deflate},
		{"log", logText, "", zip.Store},
	} {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		f, err := w.CreateHeader(&zip.FileHeader{Name: tt.name, Method: tt.method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, tt.text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := Format.Detect("x.zip", out.Bytes()); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		for n := range min(out.Len(), 200) {
			Format.Detect("x.zip", out.Bytes()[:n])
		}
	}
}
