package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"replay/bench/regress"
	"replay/cmd/replay/cmdline"
	"replay/policy"
	"replay/policy/resource"
)

// ties is FairShare that may serve equal applications in another order than YARN: a change of a line that no test of a part need see.
type ties struct {
	policy.Sharing
	changed bool
}

func (t ties) Compare(a, b *policy.Contender, cluster *resource.Resource) int {
	c := t.Sharing.Compare(a, b, cluster)
	if c == 0 && t.changed {
		return int(b.Start - a.Start)
	}
	return c
}

// benchOf runs bench in a program whose order of equal applications is YARN's, or changed.
func benchOf(t *testing.T, changed bool, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	tables := policy.Tables{Sharings: []policy.SharingEntry{{Name: "mine", New: func(types int) policy.Sharing {
		fair, err := policy.NewSharing("fair", types)
		if err != nil {
			t.Fatal(err)
		}
		return ties{fair.Sharing, changed} // without the order of ties
	}}}}
	var out, errs bytes.Buffer
	code = Run(t.Context(), append([]string{"replay", "bench", "--count", "1", "--least", "1ms"}, args...), &out, &errs, tables)
	return code, out.String(), errs.String()
}

// A baseline holds of the same program and fails, by name, for one that serves equal applications in another order.
func TestBenchCatchesAChangedTie(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	args := []string{traces + "uniform-micro", "--sharing", "mine", "--load", "30", "--until", "40s"}
	code, stdout, stderr := benchOf(t, false, append(args, "--save", file("b.json"))...)
	if code != cmdline.ExitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	line := regexp.MustCompile(`(?m)^BenchmarkReplay/case=uniform-micro-\d+\t\d+\t\d+ ns/op\t\d+ cpu-ns/op\t.* calibrated\t.*\t\d+ events\t.*\t\d+ visits$`)
	if !line.MatchString(stdout) || !strings.HasPrefix(stdout, "goos: ") {
		t.Errorf("%q is no line of a benchmark", stdout)
	}
	code, stdout, stderr = benchOf(t, false, append(args, "--baseline", file("b.json"))...)
	if code != cmdline.ExitDone || !strings.Contains(stdout, "ok  \tuniform-micro\t") {
		t.Errorf("the same program: exit %d, %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = benchOf(t, false, append(args, "--baseline", file("b.json"), "--json")...)
	var verdicts []regress.Verdict
	if err := json.Unmarshal([]byte(stdout), &verdicts); err != nil || code != cmdline.ExitDone || len(verdicts) != 1 || verdicts[0].Failed || verdicts[0].Case != "uniform-micro" || verdicts[0].Hash == "" {
		t.Errorf("as JSON: exit %d, %v, %s%s", code, err, stdout, stderr)
	}
	code, stdout, stderr = benchOf(t, true, append(args, "--baseline", file("b.json"), "--github", "--junit", file("b.xml"), "--markdown", file("b.md"))...)
	want := regexp.MustCompile(`FAIL\tuniform-micro\tdecides differently: hash [0-9a-f]{16}, was [0-9a-f]{16}; the first row that differs is row \d+: (decision|container|task|job) `)
	if code != cmdline.ExitFailed || !want.MatchString(stdout) || !strings.Contains(stdout, "::error title=replay bench uniform-micro::decides differently") {
		t.Errorf("changed ties: exit %d, %s%s", code, stdout, stderr)
	}
	for name, want := range map[string]string{"b.xml": `failures="1"`, "b.md": "**differ**"} {
		if text, err := os.ReadFile(file(name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, %s; want %s", name, err, text, want)
		}
	}
}

// A slower program fails too: the baseline says that the case took a tenth of the time.
func TestBenchCatchesASlowDown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "b.json")
	conf := filepath.Join(t.TempDir(), "conf")
	if err := os.Mkdir(conf, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(conf, "fair-scheduler.xml"), []byte("<allocations/>"), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"bench", traces + "node-lost", "--config-dir", conf, "--least", "1ms"}
	must(t, append(args, "--save", file, "--count", "6")...)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var b regress.Baseline
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	for i := range b.Entries[0].Times[0] {
		b.Entries[0].Times[0][i] = 1e-6
	}
	if err := b.Write(file); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := cmd(t, append(args, "--baseline", file, "--count", "6")...); code != cmdline.ExitFailed || !strings.Contains(stdout, "FAIL\tnode-lost\tslower: ") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
}

// Cases are listed, chosen by pattern and made; what can't be meant is refused.
func TestBenchCases(t *testing.T) {
	if text := must(t, "bench", "--list"); !strings.Contains(text, "month ") || !strings.Contains(text, "nightly") || !strings.Contains(text, "backlog ") {
		t.Errorf("%s", text)
	}
	dir := t.TempDir()
	profile := filepath.Join(dir, "cpu")
	rate := runtime.MemProfileRate
	defer func() { runtime.MemProfileRate = rate }()
	runtime.MemProfileRate = 0 // as the program begins
	text := must(t, "bench", "--case", "report", "--case", "recorded-ideal", "--count", "1", "--least", "1ms", "--traces", traces, "--cache", filepath.Join(dir, "cache"), "--cpuprofile", profile, "--memprofile", filepath.Join(dir, "mem"))
	if strings.Count(text, "\nBenchmarkReplay/case=") != 2 || !strings.Contains(text, "case=report-") {
		t.Errorf("%s", text)
	}
	if s, err := os.Stat(profile); err != nil || s.Size() == 0 {
		t.Errorf("profile: %v, %v", s, err)
	}
	if runtime.MemProfileRate == 0 {
		t.Error("no memory was profiled")
	}
	for want, args := range map[string][]string{
		"no case is called so":                  {"--case", "nothing*"},
		`--case is "["`:                         {"--case", "["},
		"want short, nightly or all":            {"--label", "weekly"},
		"--case is about the cases":             {traces + "node-lost", "--case", "month"},
		"--traces is about the cases":           {traces + "node-lost", "--traces", traces},
		"two traces are called node-lost":       {traces + "node-lost", traces + "node-lost"},
		"no case is named so and has the label": {"--case", "month", "--label", "short"},
		`--count is "0"`:                        {"--count", "0"},
	} {
		if code, _, stderr := cmd(t, append([]string{"bench"}, args...)...); code != cmdline.ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit %d, %q; want %q", args, code, stderr, want)
		}
	}
	for want, args := range map[string][]string{
		"no such file": {traces + "node-lost", "--baseline", "none.json"},
		"none":         {traces + "node-lost", traces + "none"},
		"x.xml: there is no folder none to write it to": {traces + "node-lost", "--junit", "none/x.xml"},
	} {
		if code, stdout, stderr := cmd(t, append([]string{"bench", "--count", "1"}, args...)...); code != cmdline.ExitBadInput || !strings.Contains(stderr, want) || stdout != "" {
			t.Errorf("%q: exit %d, %q; want %q, before anything is measured: %s", args, code, stderr, want, stdout)
		}
	}
	file := filepath.Join(dir, "b.json")
	must(t, "bench", traces+"node-lost", traces+"fair-weights", "--count", "1", "--least", "1ms", "--save", file)
	want := "b.json: not measured here, and so not compared: 1 case (fair-weights)"
	if code, _, stderr := cmd(t, "bench", traces+"node-lost", "--count", "1", "--least", "1ms", "--baseline", file); code != cmdline.ExitDone || !strings.Contains(stderr, want) {
		t.Errorf("a case that is gone: exit %d, %q; want %q", code, stderr, want)
	}
	want = "b.json has no case that is measured here, such as uniform-micro, so nothing would be compared"
	args := []string{"bench", traces + "uniform-micro", "--count", "1", "--least", "1ms", "--baseline", file}
	if code, stdout, stderr := cmd(t, args...); code != cmdline.ExitBadInput || !strings.Contains(stderr, want) || stdout != "" {
		t.Errorf("no case of the baseline: exit %d, %q; want %q", code, stderr, want)
	}
	if code, _, stderr := cmd(t, append(args, "--save", file)...); code != cmdline.ExitDone {
		t.Errorf("a new case that is saved: exit %d, %q", code, stderr)
	}
}
