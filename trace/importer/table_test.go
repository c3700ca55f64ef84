package importer

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// fixtures returns the inputs in the folder of testdata that has the name of a format.
func fixtures(t testing.TB, format string) []string {
	t.Helper()
	inputs, err := filepath.Glob(filepath.Join("testdata", format, "*"))
	if err != nil || len(inputs) == 0 {
		t.Fatalf("testdata/%s has %d fixtures (%v), want one or more for each line of Importers", format, len(inputs), err)
	}
	return inputs
}

// Every format of the table imports its fixtures: the trace follows all rules, has what the counts say, and has the
// same bytes a second time.
func TestFixtures(t *testing.T) {
	for name, f := range Importers {
		for _, input := range fixtures(t, name) {
			t.Run(name+"/"+filepath.Base(input), func(t *testing.T) {
				var first map[string][]byte
				for range 2 {
					dir := filepath.Join(t.TempDir(), "trace")
					res, m, err := importtest.Import(t, f, input, func(o *workload.Options) {
						o.Out = dir
						if f.NoHosts {
							o.Nodes = 4
						}
					})
					if err != nil {
						t.Fatal(err)
					}
					check, err := trace.Check(t.Context(), dir, 5)
					if err != nil || !check.OK() || check.Hash != res.Hash || check.Counts != res.Trace {
						t.Errorf("checked %+v (%v), imported %+v", check, err, res)
					}
					if n := res.Counts.Kept["jobs"]; n == 0 || n != int64(len(m.JobList)) || res.Counts.Kept["tasks"] != check.Counts.Tasks {
						t.Errorf("%d jobs in the trace, kept %v", len(m.JobList), res.Counts.Kept)
					}
					if len(res.Counts.Read) == 0 || len(res.Counts.Unknown) > 0 {
						t.Errorf("read %v, unknown %v", res.Counts.Read, res.Counts.Unknown)
					}
					files := bytesOf(t, dir)
					if first == nil {
						first = files
					}
					for file, data := range first {
						if string(files[file]) != string(data) {
							t.Errorf("%s differs from the first time", file)
						}
					}
				}
			})
		}
	}
}

func bytesOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		files[e.Name()] = importtest.Read(t, filepath.Join(dir, e.Name()))
	}
	return files
}

// No format takes nothing, or something that is not there, and a trace needs a place.
func TestNoInput(t *testing.T) {
	for name, f := range Importers {
		nodes := 0
		if f.NoHosts {
			nodes = 4
		}
		for what, inputs := range map[string][]string{"no input": nil, "a missing file": {"nothing-here"}} {
			opt := workload.DefaultOptions()
			opt.Out, opt.Nodes = filepath.Join(t.TempDir(), "out"), nodes
			if _, err := Import(t.Context(), name, inputs, opt); err == nil {
				t.Errorf("%s takes %s", name, what)
			}
			if _, err := os.Stat(opt.Out); !os.IsNotExist(err) {
				t.Errorf("%s of %s left something: %v", name, what, err)
			}
		}
		opt := workload.DefaultOptions()
		opt.Nodes = nodes
		if _, err := Import(t.Context(), name, fixtures(t, name)[:1], opt); err == nil || !strings.Contains(err.Error(), "no output") {
			t.Errorf("%s without output: error is %v", name, err)
		}
	}
	known := strings.Join(slices.Sorted(maps.Keys(Importers)), ", ")
	if _, err := Import(t.Context(), "none", nil, workload.DefaultOptions()); err == nil || err.Error() != `unknown format "none" (known: `+known+")" {
		t.Errorf("error is %v", err)
	}
}
