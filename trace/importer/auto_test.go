package importer

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

// The fixtures of every format are recognised, as that format and no other.
func TestDetect(t *testing.T) {
	for name := range Importers {
		for _, input := range fixtures(t, name) {
			opt := workload.DefaultOptions()
			got, how, err := Detect([]string{input}, &opt)
			if err != nil || got != name || !strings.Contains(how, ": it looks like "+name+": ") {
				t.Errorf("%s is of format %q (%s), %v", input, got, how, err)
			}
		}
	}
	opt := workload.DefaultOptions()
	if _, _, err := Detect([]string{importtest.WriteNew(t, "notes", "nothing\n")}, &opt); err == nil || !strings.Contains(err.Error(), "of no known format; name it (") {
		t.Errorf("%v", err)
	}
	if _, _, err := Detect([]string{filepath.Dir(importtest.WriteNew(t, "tasks.parquet", "PAR1 and no more"))}, &opt); err == nil || !strings.Contains(err.Error(), "tasks.parquet: ") {
		t.Errorf("%v", err)
	}
	for text, want := range map[string]string{"": "notes: empty", " \n": "notes: empty"} {
		if _, _, err := Detect([]string{importtest.WriteNew(t, "notes", text)}, &opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, _, err := Detect([]string{t.TempDir()}, &opt); err == nil || !strings.Contains(err.Error(), ": no file of data") {
		t.Errorf("%v", err)
	}
	type other struct{ Height, Width int64 }
	if _, _, err := Detect([]string{importtest.WriteNew(t, "x.parquet", string(importtest.Parquet(t, []other{{1, 2}})))}, &opt); err == nil || !strings.Contains(err.Error(), "of no known format: a Parquet file with the columns Height, Width, which import parquet --map gives their roles; name it") {
		t.Errorf("%v", err)
	}
	if _, _, err := Detect([]string{importtest.WriteNew(t, "x.csv", "height,width,depth\n1,2,3\n")}, &opt); err == nil || !strings.Contains(err.Error(), "of no known format: a table with the columns height, width, depth, which import csv --map gives their roles; name it") {
		t.Errorf("%v", err)
	}
	if _, _, err := Detect([]string{importtest.WriteNew(t, "x.csv", "job,submit,run\n")}, &opt); err == nil || !strings.Contains(err.Error(), "of no known format: a table with a header and no row; name it") {
		t.Errorf("%v", err)
	}
	for text, want := range map[string]string{
		`[{"jobid":"a","attempts":[{"x":1}],"user":`:                             "of no known format: JSON with the members jobid, attempts, user; what is in no format below",
		"<?xml version=\"1.0\"?>\n<allocations>\n":                               "of no known format: an allocation file of the FairScheduler (replay run, compare, plan and gate take it with --fair-scheduler)",
		`{"apps":{"app":[{"id":"application_1_0001","state":"FINISHED"}]}}`:      "of no known format: JSON with the members apps, such as the ResourceManager answers over REST, and which names no tasks (nodes are taken beside logs or tables of tasks); replay record asks",
		`[{"id":"application_1_0001","name":"x","attempts":[]}]`:                 "of no known format: JSON with the members id, name, attempts, such as Spark's history server answers over REST",
		"PK\x03\x04 and more":                                                    "is a zip archive, want the files in it: unpack it first (unzip)",
		strings.Repeat("x", 257) + "ustar\x0000":                                 "is a tar archive, want the files in it: unpack it first (tar xf)",
		"       JobID    JobName  \n------------ ---------- \n1001      train\n": "of no known format: a table of fixed width, as sacct prints; import csv takes what sacct -P prints; name it",
	} {
		if _, _, err := Detect([]string{importtest.WriteNew(t, "x", text)}, &opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	cut := importtest.Gzip(t, []byte("some text"))
	if _, _, err := Detect([]string{importtest.WriteNew(t, "cut.gz", string(cut[:10]))}, &opt); err == nil || !strings.Contains(err.Error(), "cut.gz: gzip data at byte 10: unexpected EOF") {
		t.Errorf("%v", err)
	}
	both := append(fixtures(t, "spark-eventlog")[:1], fixtures(t, "spark-on-yarn")[:1]...)
	if _, _, err := Detect(both, &opt); err == nil || !strings.Contains(err.Error(), "several formats fit") || strings.Count(err.Error(), "it looks like") != 2 {
		t.Errorf("%v", err)
	}
}

// Numbers in columns are the format that has such columns only where they can be what it says of them.
func TestDetectNumbers(t *testing.T) {
	table := func(between string, columns int, value func(row, column int) string) string {
		var b strings.Builder
		for row := range 30 {
			for column := range columns {
				b.WriteString(value(row, column))
				b.WriteString([]string{between, "\n"}[min(1, (column+1)/columns)])
			}
		}
		return b.String()
	}
	const swimRow, swfRow = "%d\t%d\t%d\t5\t0\t7\n", "%d %d 3 60 4 -1 -1 4 100 -1 1 7 1 1 1 -1 -1 -1\n"
	jobs := func(format string, values func(i int) []any) string {
		var b strings.Builder
		for i := range 20 {
			fmt.Fprintf(&b, format, values(i)...)
		}
		return b.String()
	}
	swim := jobs(swimRow, func(i int) []any { return []any{i, 10 * i * i, 10*i*i - 10*(i-1)*(i-1)*min(i, 1)} })
	swf := jobs(swfRow, func(i int) []any { return []any{i + 1, 10 * i} })
	any50 := func(row, column int) string { return strconv.Itoa((7*row + 11*column + 3) % 50) }
	for name, tt := range map[string]struct{ text, want string }{
		"tabs":                      {table("\t", 7, any50), ""},
		"tabs and names":            {table("\t", 6, func(r, c int) string { return strings.Repeat("r", max(0, 1-c)) + any50(r, c) }), ""},
		"18 numbers":                {table(" ", 18, any50), ""},
		"numbers of jobs alone":     {swim, "swim"},
		"one of them broken":        {strings.Replace(swim, "10\t10\t5", "10\tsoon\t5", 1), "swim"},
		"a job alone":               {"job7\t100\t40\t5\t0\t7\n", "swim"},
		"records without comments":  {swf, "swf"},
		"a broken record":           {strings.Replace(swf, "5 40 3", "5 x 3", 1), "swf"},
		"a log that ends in a line": {swf[:len(swf)-9], "swf"},
	} {
		opt := workload.DefaultOptions()
		if got, _, err := Detect([]string{importtest.WriteNew(t, "numbers", tt.text)}, &opt); got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: of format %q, want %q; %v", name, got, tt.want, err)
		}
	}
}

// A log whose first record says what cannot be is one all the same.
func TestDetectBehindABadRecord(t *testing.T) {
	opt := workload.DefaultOptions()
	const text = "; Version: 2.2\n 1 -30 5 100 16 -1 -1 1 7200 -1 5 0 1 -1 0 -1 -1 -1\n 2 60 5 100 4 -1 -1 4 7200 -1 1 1 1 -1 1 -1 -1 -1\n"
	for name, want := range map[string]string{"x.swf": "swf", "x.txt": ""} {
		if got, _, err := Detect([]string{importtest.WriteNew(t, name, text)}, &opt); got != want {
			t.Errorf("%s: of format %q, want %q; %v", name, got, want, err)
		}
	}
}

// Where logs lie nearer to the top than a recorded cluster, it is told that the cluster is there, and not imported; the logs that are part of one are not told.
func TestDetectTellsTheRest(t *testing.T) {
	dir, opt := t.TempDir(), workload.DefaultOptions()
	recording := filepath.Join(dir, "of", "cluster")
	if err := os.CopyFS(recording, os.DirFS(fixtures(t, "spark-on-yarn")[0])); err != nil {
		t.Fatal(err)
	}
	if format, how, err := Detect([]string{recording}, &opt); err != nil || format != "spark-on-yarn" || strings.Contains(how, "not imported") {
		t.Errorf("%s, %s, %v", format, how, err)
	}
	log, err := filepath.Glob(filepath.Join(recording, "eventlogs", "*"))
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "eventlogs"), 0o755)
	}
	if err == nil {
		err = os.Rename(log[0], filepath.Join(dir, "eventlogs", filepath.Base(log[0])))
	}
	if err != nil {
		t.Fatal(err)
	}
	format, how, err := Detect([]string{dir}, &opt)
	if want := filepath.Join("cluster", "cluster.json") + " looks like spark-on-yarn ("; err != nil || format != "spark-eventlog" || !strings.Contains(how, want) || !strings.Contains(how, "not imported") {
		t.Errorf("%s, %s, %v; want %q", format, how, err, want)
	}
}

// Files of another format below the folder of the ones that tell the format are told with their number, where the format is no whole folder.
func TestDetectTellsTheRestBelow(t *testing.T) {
	dir, opt := importtest.Copy(t, filepath.Join("testdata", "sls", "cluster")), workload.DefaultOptions()
	log := string(importtest.Read(t, filepath.Join("testdata", "spark-eventlog", "eventlogs", "app-20261121064901-0000.zstd")))
	if err := os.Mkdir(filepath.Join(dir, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"app-1.zstd", "app-2.zstd", "app-3.zstd"} {
		importtest.Write(t, filepath.Join(dir, "logs", name), log)
	}
	want := filepath.Join("logs", "app-1.zstd") + " and 2 other files look like spark-eventlog ("
	if format, how, err := Detect([]string{dir}, &opt); err != nil || format != "sls" || !strings.Contains(how, want) {
		t.Errorf("%s, %s, %v; want %q", format, how, err, want)
	}
}

// Options of formats have one meaning: the same default and words wherever they are.
func TestParamsOfOneMeaning(t *testing.T) {
	seen := map[string]workload.Param{}
	for name, f := range Importers {
		for _, p := range f.Params {
			if q, ok := seen[p.Name]; ok && p != q {
				t.Errorf("--%s of %s is %+v, elsewhere %+v", p.Name, name, p, q)
			}
			seen[p.Name] = p
		}
	}
}

// Formats that look at a file before they read it take standard input, too, and leave nothing of it behind.
func TestStandardInput(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	for name, pattern := range map[string]string{"spark-eventlog": "eventlogs/app-*.snappy", "jhist": "done/*.jhist"} {
		files, err := filepath.Glob(filepath.Join("testdata", name, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%v, %v", files, err)
		}
		want, _, err := importtest.Import(t, Importers[name], files[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		opt := workload.DefaultOptions()
		opt.Out, opt.Stdin = filepath.Join(t.TempDir(), "trace"), bytes.NewReader(importtest.Read(t, files[0]))
		if format, _, err := Detect([]string{workload.Stdin}, &opt); err != nil || format != name {
			t.Fatalf("standard input is of format %q, %v", format, err)
		}
		got, err := Import(t.Context(), name, []string{workload.Stdin}, opt)
		if err != nil {
			t.Fatal(err)
		}
		if got.Trace != want.Trace || got.Inputs[0].Label != "standard input" {
			t.Errorf("%s: %+v of %s, want %+v", name, got.Trace, got.Inputs[0].Label, want.Trace)
		}
	}
	left, err := filepath.Glob(filepath.Join(temporary, ".replay-input-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// A table of standard input is known by its first row.
func TestTableOfStandardInput(t *testing.T) {
	for name, file := range map[string]string{"azure-vm": "small/vmtable.csv", "alibaba-2018": "small/batch_task.csv"} {
		path := filepath.Join("testdata", name, file)
		want, _, err := importtest.Import(t, Importers[name], path, nil)
		if err != nil {
			t.Fatal(err)
		}
		opt := workload.DefaultOptions()
		opt.Out, opt.Stdin = filepath.Join(t.TempDir(), "trace"), bytes.NewReader(importtest.Read(t, path))
		if format, _, err := Detect([]string{workload.Stdin}, &opt); name == "azure-vm" && (err != nil || format != name) { // the other has no header
			t.Errorf("standard input is of format %q, %v", format, err)
		}
		if got, err := Import(t.Context(), name, []string{workload.Stdin}, opt); err != nil || got.Trace != want.Trace {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want.Trace)
		}
		importtest.Refused(t, Importers[name], []string{workload.Stdin}, func(o *workload.Options) { o.Stdin = strings.NewReader("a,b\n") }, "standard input: no table of this format by its first row, want one of ")
	}
}

// An input of nothing is named in the error.
func TestNothing(t *testing.T) {
	for name, text := range map[string]string{"rumen": "", "sls": "", "swf": "", "swim": "", "decima": "[]"} {
		path := importtest.WriteNew(t, "empty", text)
		importtest.Refused(t, Importers[name], []string{path}, nil, path+": no application with a task; no row was read")
		importtest.Refused(t, Importers[name], []string{path, importtest.WriteNew(t, "empty", text)}, nil, path+" and 1 more: no application with a task; no row was read")
		importtest.Refused(t, Importers[name], []string{workload.Stdin}, func(o *workload.Options) { o.Stdin = strings.NewReader(text) }, "standard input: no application with a task")
	}
}

// An archive of event logs, as a history server gives it, is known by what is in it, alone and in a folder; one of tables is refused.
func TestDetectArchives(t *testing.T) {
	log := []byte(`{"Event":"SparkListenerLogStart","Spark Version":"3.5.5"}` + "\n")
	for name, tt := range map[string]struct {
		text []byte
		want string
	}{"application_1_0001": {log, "spark-eventlog"}, "jobs.csv": {[]byte("job,submit,run_s\na,0,5\nb,1,5\n"), ""}} {
		for _, method := range []uint16{zip.Store, zip.Deflate} {
			var out bytes.Buffer
			w := zip.NewWriter(&out)
			f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
			if err == nil {
				_, err = f.Write(tt.text)
			}
			if err := errors.Join(err, w.Close()); err != nil {
				t.Fatal(err)
			}
			path := importtest.WriteNew(t, "eventLogs.zip", out.String())
			for _, in := range []string{path, filepath.Dir(path)} {
				opt := workload.DefaultOptions()
				got, _, err := Detect([]string{in}, &opt)
				if got != tt.want || tt.want == "" && (err == nil || !strings.Contains(err.Error(), "is a zip archive, want the files in it")) {
					t.Errorf("%s of %s: %q, %v, want %q", in, name, got, err, tt.want)
				}
			}
		}
	}
}
