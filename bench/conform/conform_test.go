package conform

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"replay/bench/conform/golden"
)

// kept are the vectors and recordings that come with the project, run once for all tests.
var kept = sync.OnceValues(func() (*Summary, error) {
	return Dirs([]string{"testdata/yarn", "testdata/spark", "testdata/mapreduce", "testdata"})
})

// TestVectors runs the vectors and recordings that come with the project.
func TestVectors(t *testing.T) {
	s, err := kept()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Files {
		t.Run(strings.TrimPrefix(f.File, "testdata/"), func(t *testing.T) {
			if !f.OK() {
				var b strings.Builder
				if err := summarize([]*golden.Results{f}).WriteText(&b, DefaultMax); err != nil {
					t.Fatal(err)
				}
				t.Error(b.String())
			}
		})
	}
}

// TestEveryFileIsRun: the folders that TestVectors names are all that there are.
func TestEveryFileIsRun(t *testing.T) {
	s, err := kept()
	if err != nil {
		t.Fatal(err)
	}
	run := map[string]bool{}
	for _, f := range s.Files {
		run[strings.Split(f.File, "/")[1]] = true
	}
	dirs, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		if filepath.Base(dir) != "fuzz" && !run[filepath.Base(dir)] {
			t.Errorf("%s is not run", dir)
		}
	}
}

func TestEveryKindHasVectors(t *testing.T) {
	s, err := kept()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range Kinds {
		if !slices.ContainsFunc(s.Files, func(r *golden.Results) bool { return r.Kind == k.Name }) {
			t.Errorf("no file of testdata is of kind %q", k.Name)
		}
	}
}

// TestEveryFileIsOfOneKind: in which order kinds are asked does not matter.
func TestEveryFileIsOfOneKind(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*", "*.jsonl*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		in, err := golden.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		first, err := in.First()
		if err != nil {
			t.Fatal(err)
		}
		in.Close()
		var of []string
		for _, k := range Kinds {
			if k.Match(baseName(filepath.Base(path)), first) {
				of = append(of, k.Name)
			}
		}
		if len(of) > 1 {
			t.Errorf("%s is of the kinds %v", path, of)
		}
	}
}

// further returns the folder below the one that an environment variable names; without the variable the test is skipped.
func further(t *testing.T, variable, folder string) string {
	t.Helper()
	dir := os.Getenv(variable)
	if dir == "" {
		t.Skipf("%s is not set; it names a folder whose part %s would be run too", variable, folder)
	}
	dir = filepath.Join(dir, folder)
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return dir
}

// TestFurtherVectors runs whole sets of vectors, of which testdata has a part.
func TestFurtherVectors(t *testing.T) {
	for _, name := range []string{"spark", "yarn", "mapreduce"} {
		t.Run(name, func(t *testing.T) { checkDir(t, further(t, "REPLAY_GOLDEN", name)) })
	}
}

func checkDir(t *testing.T, dir string) {
	s, err := Dir(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if !s.OK() {
		var b strings.Builder
		if err := s.WriteText(&b, DefaultMax); err != nil {
			t.Fatal(err)
		}
		t.Error(b.String())
	}
}

const oneCase = `{"id":"x","ops":[["put","a"],["put","b"]],"mutable_hashmap_string":["b","a"],` +
	`"mutable_hashset_string":["a","b"],"immutable_map_string":["a","b"],"immutable_set_string":["a","b"],` +
	`"mutable_hashmap_to_map":["b","a"],"int_keys_put":[],"mutable_hashmap_int":[],"immutable_map_int":[],"mutable_hashset_long":[]}` + "\n"

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestEveryCaseIsCountedOnce(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "b.jsonl", oneCase+"\n"+strings.Replace(oneCase, `"immutable_map_string":["a","b"]`, `"immutable_map_string":["b","a"]`, 1))
	write(t, dir, "a.jsonl", `{"what":"is this"}`)
	write(t, dir, "notes.txt", "not vectors")
	want := &Summary{
		Files: []*golden.Results{
			{File: "a.jsonl", Folder: dir, Cases: 1, Unsupported: 1, Differences: []golden.Difference{}, Reasons: []string{"a.jsonl: no kind of vectors has this shape"}},
			{
				File: "b.jsonl", Folder: dir, Kind: "scala_order", Of: "Scala 2.12 collections", Cases: 2, Equal: 1, Different: 1,
				Differences: []golden.Difference{{Case: "x", Event: 2, Expected: []string{"b", "a"}, Got: []string{"a", "b"}, State: "immutable_map_string"}},
			},
		},
		Totals: Totals{Cases: 3, Equal: 1, Different: 1, Unsupported: 1},
	}
	for _, procs := range []int{1, 2, 8} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		got, err := Dir(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("with %d threads (-want +got):\n%s", procs, d)
		}
	}
	only, err := Dir(dir, "b.jsonl")
	if err != nil || len(only.Files) != 1 {
		t.Errorf("only b.jsonl: %+v, %v", only, err)
	}
	goleak.VerifyNone(t)
}

func TestBadInput(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write([]byte(strings.Repeat(oneCase, 50))); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, file, text, only, want string
	}{
		{"truncated gzip", "a.jsonl.gz", zipped.String()[:zipped.Len()/2], "", "a.jsonl.gz:"},
		{"not gzip", "a.jsonl.gz", oneCase, "", "gzip: invalid header"},
		{"malformed first line", "a.jsonl", "{", "", "a.jsonl:1: unexpected end of JSON input"},
		{"malformed later line", "a.jsonl", oneCase + oneCase + `{"id":7}`, "", "a.jsonl:3: json: cannot unmarshal number"},
		{"not an object", "a.jsonl", "[1]", "", "a.jsonl:1: json: cannot unmarshal array"},
		{"empty file", "a.jsonl", "", "", "a.jsonl: empty"},
		{"no vectors", "a.txt", "", "", "no golden vectors"},
		{"no such file", "a.jsonl", oneCase, "b.jsonl", "b.jsonl: file does not exist (vector files there: a.jsonl)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, tt.file, tt.text)
			s, err := Dir(dir, tt.only)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %+v, %v, want an error with %q", s, err, tt.want)
			}
		})
	}
	if _, err := Dir(filepath.Join(t.TempDir(), "nowhere"), ""); err == nil {
		t.Error("a directory that is not there: no error")
	}
}

func TestPanicIsADifference(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "boom.jsonl", `{"boom":1}`)
	defer func(k []golden.Kind) { Kinds = k }(Kinds)
	Kinds = []golden.Kind{{
		Name:  "boom",
		Of:    golden.AnswersOf("Boom"),
		Match: func(name string, first golden.Shape) bool { return name == "boom" && first.Has("boom") },
		Run:   golden.Cases(func(*struct{}, *golden.Results) { panic("queue root.a: used is -1") }),
	}}
	s, err := Dir(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	d := s.Files[0].Differences
	if len(d) != 1 || d[0].Case != "line 1" || d[0].Got != "panic: queue root.a: used is -1" {
		t.Errorf("got %+v", d)
	}
}

func TestRecordingIsOneCase(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "calls.jsonl", `{"seq":0}`)
	write(t, dir, "tasks.jsonl", `{"task":0}`)
	defer func(k []golden.Kind) { Kinds = k }(Kinds)
	Kinds = []golden.Kind{{
		Name:      "recording",
		Of:        golden.AnswersOf("Recorder"),
		Match:     func(name string, _ golden.Shape) bool { return name == "calls" },
		Run:       golden.Cases(func(_ *struct{}, out *golden.Results) { out.AddEqual() }),
		Recording: "calls",
	}}
	s, err := Dir(dir, "")
	if err != nil || len(s.Files) != 1 || !s.OK() {
		t.Fatalf("got %+v, %v, want the one file", s, err)
	}
}

func TestJSONHasTheDocumentedMembers(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.jsonl", strings.Replace(oneCase, `"mutable_hashset_string":["a","b"]`, `"mutable_hashset_string":["b","a"]`, 1))
	s, err := Dir(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := s.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"files": []any{map[string]any{
			"file": "a.jsonl", "kind": "scala_order", "cases": 1.0, "equal": 0.0, "different": 1.0, "unsupported": 0.0,
			"differences": []any{map[string]any{
				"case": "x", "event": 1.0, "expected": []any{"b", "a"}, "got": []any{"a", "b"}, "state": "mutable_hashset_string",
			}},
		}},
		"totals": map[string]any{"cases": 1.0, "equal": 0.0, "different": 1.0, "unsupported": 0.0},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
