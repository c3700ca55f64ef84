package report

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"replay/engine/record"
	"replay/report/metric"
	"replay/report/plot"
	"replay/report/reporttest"
	"replay/report/result"
	"replay/sealed/sealedtest"
)

// filesOf returns the content of every file below dir by its path.
func filesOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[name] = b
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// writeMadeUp writes a result directory of made-up records.
func writeMadeUp(t testing.TB, m reporttest.MadeUp, dir string, o Options) *Result {
	t.Helper()
	w, err := NewWriter(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Finish(m.Feed(w))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSameRecordsGiveTheSameBytes(t *testing.T) {
	o := DefaultOptions()
	o.Decisions = true
	if testing.Short() { // PNG and PDF take most of the time
		o.Formats = []string{"svg"}
	}
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	writeMadeUp(t, reporttest.Usual, a, o)
	before := runtime.GOMAXPROCS(1)
	writeMadeUp(t, reporttest.Usual, b, o)
	runtime.GOMAXPROCS(before)
	fa, fb := filesOf(t, a), filesOf(t, b)
	if len(fa) != len(fb) || len(fa) != 12+len(o.Formats)*len(plot.Plots) {
		t.Fatalf("%d and %d files, want the same and all of them", len(fa), len(fb))
	}
	for name := range fa {
		if !bytes.Equal(fa[name], fb[name]) {
			t.Errorf("%s differs between two writings of the same records", name)
		}
	}
}

func TestOpenGivesWhatWasWritten(t *testing.T) {
	for _, tasks := range []bool{true, false} {
		dir := filepath.Join(t.TempDir(), "r")
		wrote := writeMadeUp(t, reporttest.Usual, dir, Options{Tasks: tasks})
		read, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(listed(wrote), listed(read)); d != "" {
			t.Errorf("tasks=%v: jobs (-wrote +read)\n%s", tasks, d)
		}
		ignore := cmpopts.IgnoreFields(metric.Value{}, "PerJob")
		if d := cmp.Diff(wrote.Values, read.Values, ignore, cmpopts.EquateNaNs()); d != "" {
			t.Errorf("tasks=%v: values (-wrote +read)\n%s", tasks, d)
		}
		// Without rows of tasks, percentiles of their times come from buckets of 1/2048.
		if d := cmp.Diff(metric.Of(reporttest.Usual.Data(t)).Values, read.Values, ignore, cmpopts.EquateNaNs(), cmpopts.EquateApprox(.0005, 0)); d != "" {
			t.Errorf("tasks=%v: values (-in memory +read)\n%s", tasks, d)
		}
	}
}

func TestWriterKeepsWhatIsNotAResult(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "thesis.txt")
	if err := os.WriteFile(mine, []byte("years of work"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := NewWriter(dir, Options{}); err == nil || !strings.Contains(err.Error(), "not an earlier result") {
		t.Errorf("error %v, want a refusal to replace a directory with other files", err)
	}
	if _, err := NewWriter(mine, Options{}); err == nil {
		t.Error("a file was taken for a directory")
	}
	if _, err := NewWriter(filepath.Join(dir, "new"), Options{Formats: []string{"gif"}}); err == nil || !strings.Contains(err.Error(), `"gif"`) {
		t.Errorf("error %v, want one about gif", err)
	}
	if got := filesOf(t, dir); len(got) != 1 {
		t.Errorf("%d files, want the one that was there", len(got))
	}
}

func TestResultAppearsWholeOrNotAtAll(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "r")
	entries := func() (names []string) {
		es, err := os.ReadDir(parent)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range es {
			names = append(names, e.Name())
		}
		return names
	}
	w, err := NewWriter(dir, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	reporttest.Few.Feed(w)
	if _, err := os.Stat(dir); err == nil {
		t.Error("the result is there before it is finished")
	}
	w.Abort()
	if got := entries(); len(got) != 0 {
		t.Errorf("after Abort there are %v", got)
	}
	w, err = NewWriter(dir, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	m := reporttest.Few.Feed(w)
	m.Totals.Tasks++
	if _, err := w.Finish(m); err == nil {
		t.Error("totals that do not add up were accepted")
	}
	if got := entries(); len(got) != 0 {
		t.Errorf("after an error there are %v", got)
	}
	writeMadeUp(t, reporttest.Few, dir, Options{})
	writeMadeUp(t, reporttest.Usual, dir, Options{}) // replaces the earlier one
	if got := entries(); len(got) != 1 {
		t.Errorf("after two results there are %v", got)
	}
	if r, err := Open(dir); err != nil || r.Jobs.Len() != reporttest.Usual.Jobs {
		t.Errorf("the later result is not there: %v", err)
	}
}

func TestRewriteLeavesTables(t *testing.T) {
	o := Options{Tasks: true, Formats: []string{"svg"}, HTML: true}
	dir := filepath.Join(t.TempDir(), "r")
	writeMadeUp(t, reporttest.Few, dir, o)
	before := filesOf(t, dir)
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := Rewrite(r, dir, o); err != nil {
		t.Fatal(err)
	}
	after := filesOf(t, dir)
	if len(after) != len(before) {
		t.Errorf("%d files, before %d", len(after), len(before))
	}
	for name := range before {
		if !bytes.Equal(before[name], after[name]) {
			t.Errorf("%s is another when made again", name)
		}
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	replace := func(name, old, by string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, name)
			b, err := os.ReadFile(path)
			if err != nil || !bytes.Contains(b, []byte(old)) {
				t.Fatalf("%s has no %q (%v)", name, old, err)
			}
			if err := os.WriteFile(path, bytes.ReplaceAll(b, []byte(old), []byte(by)), 0o644); err != nil {
				t.Fatal(err)
			}
			if by != "[\n" {
				sealedtest.Seal(t, filepath.Join(dir, "run.json"))
			}
		}
	}
	swap := func(name, by string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			b, err := os.ReadFile(filepath.Join(dir, by))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
				t.Fatal(err)
			}
			sealedtest.Seal(t, filepath.Join(dir, "run.json"))
		}
	}
	remove := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		name   string
		break_ func(*testing.T, string)
		want   string
	}{
		{"another version", replace("run.json", `"format_version": "1.0"`, `"format_version": "2.0"`), `version "2.0", want "replay-result" version 1`},
		{"manifest is not JSON", replace("run.json", "{\n", "[\n"), "run.json"},
		{"no jobs", remove("jobs.parquet"), "jobs.parquet"},
		{"neither tasks nor histograms", remove("tasks.parquet"), "tasks.json"},
		{"not Parquet", swap("jobs.parquet", "run.json"), "jobs.parquet: not a Parquet file"},
		{"another table", swap("containers.parquet", "jobs.parquet"), "column am_attempt is missing"},
		{"totals changed", replace("run.json", `"task_attempts": `, `"task_attempts": 1`), "do not add up"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "r")
			writeMadeUp(t, reporttest.Few, dir, Options{Tasks: true})
			tt.break_(t, dir)
			if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

// BenchmarkWriter writes task attempts, the rows that there are most of.
func BenchmarkWriter(b *testing.B) {
	w, err := NewWriter(filepath.Join(b.TempDir(), "r"), Options{Tasks: true})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Abort()
	t := record.Task{End: record.TaskSuccess, Level: record.TaskNodeLocal, Preferring: true, Preferred: true}
	b.ReportAllocs()
	i := int64(0)
	for b.Loop() {
		i++
		t.Job, t.Index, t.Node = i/1000, int32(i%1000), int32(i%977)
		t.Ready, t.Launch, t.Finish = i*7, i*7+i%5000, i*7+i%5000+i%30000
		w.Task(&t)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
}

// listed are the jobs of a replay.
func listed(s *metric.Summary) (list []result.Job) {
	for j := range s.Jobs.All() {
		list = append(list, *j)
	}
	return list
}
