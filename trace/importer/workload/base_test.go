package workload

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"replay/trace"
)

// lineFormat has a job in each line, submitted at as many ms as the line says.
var lineFormat = Format{
	NoHosts: true,
	Params:  []Param{{"keep-zero", "false", "also jobs of 0 ms"}, {"split", "128MiB", "bytes of a map"}},
	Read: func(ctx context.Context, inputs []string, b *Builder) error {
		b.NoEpoch = true
		keep, err := b.ParamBool("keep-zero")
		if err != nil {
			return err
		}
		if _, err := b.ParamBytes("split"); err != nil {
			return err
		}
		files, err := b.Parts(inputs, nil)
		if err != nil {
			return err
		}
		for _, path := range files {
			if err := b.EachLine(ctx, path, func(s *Source, n int, line []byte) error {
				b.Counts.Read["lines"]++
				at := int64(0)
				if _, err := fmt.Sscan(string(line), &at); err != nil || at == 0 && !keep {
					return b.Drop("lines_that_are_no_job", "%s:%d: time is %q, want a number of ms", s.Name, n, line)
				}
				a := &Application{Job: *trace.NewJob(trace.KindMapReduce)}
				a.Job.ExternalID, a.Job.SubmitMS, a.Job.AMMemMiB, a.Job.AMVCores = string(line), at, 1024, 1
				st := trace.NewStage(0, trace.StageInput)
				st.Tasks, st.TaskMemMiB, st.TaskVCores = trace.NewTasks(1), 1024, 1
				a.Job.Stages = []trace.Stage{st}
				_, err := b.Add(a)
				return err
			}); err != nil {
				return err
			}
		}
		return nil
	},
}

// importLines imports text from standard input.
func importLines(t *testing.T, text string, change func(*Options)) (*Result, []string, error) {
	t.Helper()
	opt, warned := DefaultOptions(), []string{}
	opt.Out, opt.Nodes, opt.Stdin = filepath.Join(t.TempDir(), "out"), 2, strings.NewReader(text)
	opt.Warn = func(m string) { warned = append(warned, m) }
	if change != nil {
		change(&opt)
	}
	res, err := lineFormat.Import(t.Context(), "lines", []string{Stdin}, opt)
	return res, warned, err
}

func TestLimitAndTimes(t *testing.T) {
	const text = "30\n10\n20\n40\n50\n"
	for _, tt := range []struct {
		change        func(*Options)
		jobs, dropped int64
		hash          bool
	}{
		{nil, 5, 0, true},
		{func(o *Options) { o.Limit = 2 }, 2, 0, false},
		{func(o *Options) { o.FromMS, o.ToMS, o.FromStart = 20, 50, true }, 3, 2, true},
		{func(o *Options) { o.FromMS, o.FromStart, o.Limit = 20, true, 3 }, 3, 1, false},
	} {
		res, _, err := importLines(t, text, tt.change)
		if err != nil {
			t.Fatal(err)
		}
		if c := res.Counts; res.Trace.Jobs != tt.jobs || c.Dropped["applications_outside_from_and_to"] != tt.dropped || (res.Meta.Source.Files[0].SHA256 != "") != tt.hash {
			t.Errorf("%d jobs, %+v, %+v; want %d, %d dropped, a hash: %v", res.Trace.Jobs, c, res.Meta.Source.Files, tt.jobs, tt.dropped, tt.hash)
		}
	}
	if _, _, err := importLines(t, text, func(o *Options) { o.FromMS = 1700000000000 }); err == nil || !strings.Contains(err.Error(), "want times such as 90s or 2h") {
		t.Errorf("%v", err)
	}
}

// What was made up of applications that the trace does not keep is not counted: of those that are outside of what is wanted, beyond the limit, or dropped.
func TestCountsOfWhatIsKept(t *testing.T) {
	format := Format{Usage: "applications at 10, 20 and so on", Read: func(ctx context.Context, _ []string, b *Builder) error {
		b.NoEpoch = true
		b.Counts.Defaulted["node_sizes"] = 7
		for i := range int64(5) {
			b.Begin()
			b.Counts.Defaulted["task_memory"] += 10
			b.Counts.Modelled["durations"]++
			if i == 1 { // dropped by the format
				continue
			}
			a := sample(fmt.Sprint(i), 10*(i+1))
			if _, err := b.Add(a); err != nil {
				return err
			}
		}
		return nil
	}}
	for _, tt := range []struct {
		change func(*Options)
		kept   int64
	}{
		{func(*Options) {}, 4},
		{func(o *Options) { o.Limit = 2 }, 2},
		{func(o *Options) { o.FromMS, o.ToMS, o.FromStart = 20, 50, true }, 2},
		{func(o *Options) { o.FromMS, o.FromStart = 20, true }, 3},
	} {
		opt := DefaultOptions()
		opt.Out, opt.Nodes, opt.Blocks = filepath.Join(t.TempDir(), "out"), 2, "none"
		tt.change(&opt)
		res, err := format.Import(t.Context(), "x", nil, opt)
		if err != nil {
			t.Fatal(err)
		}
		if c := res.Counts; res.Trace.Jobs != tt.kept || c.Defaulted["task_memory"] != 10*tt.kept || c.Modelled["durations"] != tt.kept || c.Defaulted["node_sizes"] != 7 {
			t.Errorf("%d jobs, defaulted %v, modelled %v; want those of %d", res.Trace.Jobs, c.Defaulted, c.Modelled, tt.kept)
		}
	}
}

func TestDrop(t *testing.T) {
	const text = "1\nx\ny\nz\nw\nv\n2\n"
	res, warned, err := importLines(t, text, nil)
	if err != nil || res.Trace.Jobs != 2 || res.Counts.Dropped["lines_that_are_no_job"] != 5 {
		t.Fatalf("%+v, %v", res, err)
	}
	want := []string{`standard input:2: time is "x", want a number of ms; it is left out`, `standard input:3: time is "y", want a number of ms; it is left out`,
		`standard input:4: time is "z", want a number of ms; it is left out`, "and 2 more left out: lines that are no job"}
	if !slices.Equal(warned, want) {
		t.Errorf("%q", warned)
	}
	if _, _, err := importLines(t, text, func(o *Options) { o.Strict = true }); err == nil || err.Error() != `standard input:2: time is "x", want a number of ms` {
		t.Errorf("strict says %v", err)
	}
}

func TestParams(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"keep-zero", "maybe", `--keep-zero is "maybe", want true or false`},
		{"split", "big", `--split is "big", want a size such as 64MiB or 1GiB`},
		{"colour", "red", "colour is no option of this format"},
		{"keep-zero", "true", ""},
	} {
		res, _, err := importLines(t, "0\n1\n", func(o *Options) { o.Params = map[string]string{tt.name: tt.value} })
		if tt.want == "" && (err != nil || res.Trace.Jobs != 2) || tt.want != "" && (err == nil || err.Error() != tt.want) {
			t.Errorf("%s %s: %v, want %q", tt.name, tt.value, err, tt.want)
		}
	}
}

// A packed input that breaks off is an error; lenient keeps what comes before. A bomb is refused.
func TestPackedInput(t *testing.T) {
	pack := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write([]byte(text)); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	whole := pack("1\n2\n")
	if res, _, err := importLines(t, whole, nil); err != nil || res.Trace.Jobs != 2 {
		t.Errorf("%v", err)
	}
	cut := whole[:len(whole)-4]
	if _, _, err := importLines(t, cut, nil); err == nil || !strings.Contains(err.Error(), "standard input: after line 2: gzip data at byte 24: unexpected EOF; --lenient keeps what comes before") {
		t.Errorf("%v", err)
	}
	if res, _, err := importLines(t, cut, func(o *Options) { o.Lenient = true }); err != nil || res.Trace.Jobs != 2 || res.Counts.Dropped["rest_of_a_damaged_input"] != 1 {
		t.Errorf("%v", err)
	}
	if _, _, err := importLines(t, pack(strings.Repeat("\n", 1<<20)), func(o *Options) { o.MaxUnpacked = 1000 }); err == nil || !strings.Contains(err.Error(), "unpacks to more than 1000 bytes; --max-unpacked allows more") {
		t.Errorf("%v", err)
	}
}

func TestPartsInNumericOrder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"part-10.csv.gz", "part-9.csv.gz", "part-009.csv", "_SUCCESS", ".part-1.csv.crc", "tasks/part-1.csv", "tasks/part-1.csv.zst", "readme", "README.csv", "LICENSE", "notes.md"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	one, link := filepath.Join(dir, "part-10.csv.gz"), filepath.Join(t.TempDir(), "link.csv")
	if err := os.Symlink(one, link); err != nil {
		t.Fatal(err)
	}
	csv := func(path string, _ bool) bool { return path == Stdin || strings.HasSuffix(path, ".csv") }
	got, err := List([]string{Stdin, dir, one, link}, csv)
	want := Listing{Files: []string{Stdin}, Passed: []string{".part-1.csv.crc", "LICENSE", "README.csv", "_SUCCESS", "notes.md", "readme"}, Again: []string{filepath.Join(dir, "tasks/part-1.csv.zst"), one, link}}
	for _, name := range []string{"part-009.csv", "part-9.csv.gz", "part-10.csv.gz", "tasks/part-1.csv"} {
		want.Files = append(want.Files, filepath.Join(dir, name))
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	b := newBuilder(&Options{}, "lines")
	if files, err := b.Parts([]string{dir, link}, csv); err != nil || len(files) != 4 || b.Counts.Dropped["files_that_are_not_read"] != 6 || b.Counts.Dropped["files_given_twice"] != 2 ||
		!slices.Equal(b.Counts.Notes, []string{"not read, as it is no data of this format: .part-1.csv.crc and 5 more"}) {
		t.Errorf("%q, %v, %+v; want 4 files, 6 passed over and two given twice", files, err, b.Counts)
	}
	if _, err := List([]string{filepath.Join(dir, "none")}, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
