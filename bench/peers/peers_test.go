package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"replay/bench/cases"
)

// Every peer has a row: one whose answer is the truth of its share of W1, one that is wrong, one that fails, one that comes to no end, and one that can't be installed, which stops none of the others.
func TestCompare(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("peers are run by a shell")
	}
	t.Chdir("../..")
	dir := t.TempDir()
	driver := func(text string) func(context.Context, string) ([]string, error) {
		return func(_ context.Context, dir string) ([]string, error) {
			return []string{"sh", filepath.Join(dir, "driver")}, os.WriteFile(filepath.Join(dir, "driver"), []byte(text), 0o666)
		}
	}
	var out strings.Builder
	o := options{tasks: 3000, limit: limit{1, 600}, loads: []float64{0.9}, dir: dir}
	err := o.compare(t.Context(), &out, []peer{
		{"absent", "Absent", func(ctx context.Context, _ string) ([]string, error) {
			return nil, call(ctx, "no-such-client", "install")
		}},
		{"right", "Right", driver("echo load $1, tasks $2\necho makespan 121 s, mean wait 0.0000 s, longest queue 0\n")},
		{"wrong", "Wrong", driver("echo makespan 118 s\n")},
		{"silent", "Silent", driver("")},
		{"failed", "Failed", driver("echo first >&2\necho no such class >&2\nexit 3\n")},
		{"endless", "Endless", driver("while :; do :; done\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(out.String()), "\n")
	if want := "W1 at load 0.9, the first 3000 of its 1000000 tasks: makespan 121 s, mean wait 0.0000 s, longest queue 0"; rows[0] != want {
		t.Errorf("%s\nwant\n%s", rows[0], want)
	}
	for i, want := range []struct{ begins, ends string }{
		{"| Absent | – | – | – | not installed: no-such-client: ", " |"}, {"| Right | ", " | right |"}, {"| Wrong | ", " | wrong: makespan 118 s |"}, {"| Silent | ", " | none |"},
		{"| Failed | ", " | exit status 3: no such class |"}, {"| Endless | ", " | no end within 1 s of processor time |"},
	} {
		if row := rows[4+i]; !strings.HasPrefix(row, want.begins) || !strings.HasSuffix(row, want.ends) {
			t.Errorf("%s\nwant %s … %s", row, want.begins, want.ends)
		}
	}
}

// A process's time is that of all its threads, its peak its own, and one that waits forever is ended by the clock.
func TestRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("peers are run by a shell")
	}
	c, err := run(t.Context(), limit{10, 600}, "", "sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; pwd; echo said >&2")
	if dir, _ := os.Getwd(); err != nil || c.cpu <= 0 || c.failed != "" || lastLine(c.output) != dir {
		t.Errorf("%+v, %v", c, err)
	}
	if runtime.GOOS == "linux" && (c.peak <= 0 || c.peak > 8<<20) {
		t.Errorf("a peak of %d bytes, want that of a shell", c.peak)
	}
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if _, err := run(ctx, limit{10, 600}, "", "sleep", "60"); err != context.DeadlineExceeded {
		t.Errorf("%v, want that of who asked", err)
	}
	if c, err := run(t.Context(), limit{10, 1}, "", "sleep", "60"); err != nil || c.failed != "no end within 1 s by the clock" {
		t.Errorf("%+v, %v", c, err)
	}
}

// The first tasks of W1 have an answer of their own, which the ideal scheduler gives as the bare loop does.
func TestShares(t *testing.T) {
	t.Chdir("../..")
	command, err := own("ideal")(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		load, tasks, want string
	}{
		{"0.9", "1", "makespan 23 s, mean wait 0.0000 s, longest queue 0"},
		{"1.2", "100000", "makespan 472 s, mean wait 22.8496 s, longest queue 14390"},
	} {
		c, err := run(t.Context(), limit{600, 600}, "", append(append([]string{}, command...), tt.load, tt.tasks)...)
		if err != nil || judge(c, tt.want) != "right" {
			t.Errorf("%+v, %v", c, err)
		}
	}
	if got := (cases.W1{Load: 1.2, Tasks: 100_000}).Bare().String(); got != "makespan 472 s, mean wait 22.8496 s, longest queue 14390" {
		t.Error(got)
	}
}

// Rates have two digits, and none is told of what did not end.
func TestFigures(t *testing.T) {
	for _, tt := range []struct {
		c    cost
		want string
	}{
		{cost{cpu: 720 * time.Millisecond, peak: 28_400_000}, "0.72 s | 1,400,000 | 28 MB"},
		{cost{cpu: 250 * time.Second}, "250.00 s | 4,000 | –"},
		{cost{cpu: 600 * time.Second, peak: 5_000_000, failed: "no end"}, "600.00 s | – | 5 MB"},
		{cost{}, "– | – | –"},
	} {
		if got := figures(tt.c, 1_000_000); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
	for rate, want := range map[float64]string{37.4: "37", 999.6: "1,000", 36_912: "37,000", 1_449_000: "1,400,000"} {
		if got := significant(rate); got != want {
			t.Errorf("%v: %s, want %s", rate, got, want)
		}
	}
}

// What Sparklens prints is read with the sign that it leaves out.
func TestEstimate(t *testing.T) {
	said := func(real, model, percent string) string {
		return " App completion time\n\n Real App Duration " + real + "\n Model Estimation  " + model + "\n Model Error       " + percent + "%\n\n NOTE: 1) Model error could be large\n"
	}
	for _, tt := range []struct {
		said string
		want estimate
	}{
		{said("01m 41s", "01m 50s", "8"), estimate{101, 110, 8}},
		{said("60m 01s", "59m 59s", "0"), estimate{3601, 3599, 0}},
		{said("02m 00s", "00m 53s", "55"), estimate{120, 53, -55}},
	} {
		if got, err := readEstimate(tt.said); err != nil || got != tt.want {
			t.Errorf("%+v, %v, want %+v", got, err, tt.want)
		}
	}
	for said, want := range map[string]string{
		"Failed in Analyzer ExecutorWallclockAnalyzer": "none",
		"WARN: Timed out calculating model estimation time.\n Executor count     2  ( 80%) estimated time 00m -40s and\n Executor count     3  (100%) estimated time -1m -7s and": "none: its time is -1m -7s",
	} {
		if e, err := readEstimate(said); err == nil || err.Error() != want {
			t.Errorf("%+v, %v, want %s", e, err, want)
		}
	}
	if got := spread([]float64{3, 40, 1, 2}); got != "2.5 %, 40.0 %" || spread(nil) != "–" {
		t.Error(got)
	}
}

// A recording is found by the name that a backtest gives it, whether it is a file or a rolling log, of which ten comes after nine.
func TestUnpack(t *testing.T) {
	logs := filepath.Join(t.TempDir(), "logs")
	for name, text := range map[string]string{
		"logs/a/app-1": "one\n", "logs/b/eventlog_v2_app-2/events_10_app-2": "last\n", "logs/b/eventlog_v2_app-2/events_9_app-2": "first\n",
		"logs/b/eventlog_v2_app-2/appstatus_app-2": "", "logs/app-3": "three\n",
	} {
		path := filepath.Join(filepath.Dir(logs), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	to := filepath.Join(t.TempDir(), "log")
	for recording, want := range map[string]string{"a/app-1": "one\n", "b/eventlog_v2_app-2": "first\nlast\n", "logs/app-3": "three\n"} {
		if err := unpack(logs, recording, to); err != nil {
			t.Errorf("%s: %v", recording, err)
		}
		if text, _ := os.ReadFile(to); string(text) != want {
			t.Errorf("%s: %q, want %q", recording, text, want)
		}
	}
	if err := unpack(logs, "app-4", to); err == nil || !strings.Contains(err.Error(), "no recording app-4") {
		t.Error(err)
	}
}

// What both sides of YARN's simulator print.
func TestSLS(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{simulated(cost{output: "INFO\n21 applications, 5021 containers, makespan 133.4 s\n"}, 5000), "133.4 s | 21 ended"},
		{simulated(cost{output: "21 applications, 5020 containers, makespan 133.4 s\n"}, 5000), "133.4 s | 21 ended, but with 5020 containers of 5021"},
		{simulated(cost{failed: "exit status 1: no memory"}, 5000), "– | exit status 1: no memory"},
		{replayed(cost{output: `{"outcome":{"jobs":21,"succeeded":20},"makespan_ms":131200}`}), "131.2 s | 20 of 21 succeeded"},
		{replayed(cost{failed: "exit status 2: no trace"}), "– | exit status 2: no trace"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s, want %s", tt.got, tt.want)
		}
	}
}

// The reason of a failure is where a program speaks of an error, without its colours, or at the end.
func TestWhy(t *testing.T) {
	for said, want := range map[string]string{
		"fetching\n\x1b[0m[\x1b[1;31mERROR\x1b[m] no such artifact\n[ERROR] help\n\x1b[0m\n": "[ERROR] no such artifact",
		"one\ntwo\n\n": "two", "": "",
	} {
		if got := why(said); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Flags that nothing can be made of are refused.
func TestCheck(t *testing.T) {
	good := options{tasks: 1, slsTasks: 1, limit: limit{1, 1}, only: []string{"simgrid", "sls"}}
	if err := good.check(); err != nil || !good.wanted("sls") || good.wanted("bare") || !(&options{}).wanted("bare") {
		t.Error(err)
	}
	for want, change := range map[string]func(*options){
		"-tasks is 0, want 1 to 1000000":       func(o *options) { o.tasks = 0 },
		"-tasks is 1000001, want 1 to 1000000": func(o *options) { o.tasks = wholeW1 + 1 },
		"-limit is 0, want 1 or more":          func(o *options) { o.limit.cpu = 0 },
		`-only has "simgird", want some of`:    func(o *options) { o.only = []string{"simgird"} },
	} {
		o := good
		change(&o)
		if err := o.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
