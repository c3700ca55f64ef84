package command

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"replay/cmd/replay/cmdline"
	"replay/engine/record"
	"replay/report"
	"replay/report/result"
	"replay/sealed/sealedtest"
)

// writeResult writes the result of one job that waited for its first task.
func writeResult(t *testing.T, dir string, seed uint64, waitMS int64) {
	t.Helper()
	w, err := report.NewWriter(dir, report.Options{Tasks: true})
	if err != nil {
		t.Fatal(err)
	}
	w.Container(&record.Container{Job: 0, Number: 1, AM: true, Queue: "root.a", MemMiB: 1024, VCores: 1, Allocated: 1000, Started: 1200, Registered: 2000, Ended: 9000, End: record.EndCompleted})
	w.Job(&record.Job{
		Queue: "root.a", Outcome: record.JobSucceeded, AMScheduled: 0, AMAllocated: 1000, AMRegistered: 2000, FirstAsked: record.None,
		FirstAllocated: record.None, FirstRegistered: record.None, FirstTask: waitMS, Finish: 9000, RecordedMS: record.None,
	})
	if _, err := w.Finish(record.Manifest{
		Format: record.Format, FormatVersion: record.FormatVersion, Seed: seed, TraceHash: "x",
		Totals: record.Totals{Jobs: 1, JobsSucceeded: 1, ContainersAllocated: 1, ContainersEnded: 1, EndMS: 9000},
	}); err != nil {
		t.Fatal(err)
	}
}

func TestReport(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	writeResult(t, in("a"), 1, 5000)
	writeResult(t, in("b/s1"), 1, 6000)
	writeResult(t, in("other"), 2, 6000)
	for i, name := range []string{"two/s1", "two/s2", "three/s1", "three/s3"} {
		writeResult(t, in(name), []uint64{1, 2, 1, 3}[i], 6000)
	}
	tests := []struct {
		name, args string
		code       int
		want       string // in stdout when it worked, in stderr when not
		file       string
	}{
		{"no result", "", cmdline.ExitUsage, "at least one result", ""},
		{"again in place", in("a") + " --formats none", cmdline.ExitDone, "mean wait for the first task", "a/report.html"},
		{"elsewhere, as JSON", "--json --out " + in("c") + " " + in("a"), cmdline.ExitDone, `"wait_job_first_task_mean_ms": 5000`, "c/plots/wait_job_cdf.pdf"},
		{"several below out", "--formats svg --out " + in("d") + " " + in("a") + " " + in("b/s1"), cmdline.ExitDone, "Replay of", "d/s1/plots/wait_job_cdf.svg"},
		{"several of one name below out", "--formats none --out " + in("f") + " " + in("two/s1") + " " + in("three/s1"), cmdline.ExitDone, "Replay of", "f/two/s1/summary.json"},
		{"one twice", "--out " + in("f") + " " + in("a") + " " + in("b/../a"), cmdline.ExitUsage, "is given twice", ""},
		{"compared, of one name", in("two/s1") + " " + in("three/s1") + " --compare", cmdline.ExitDone, "No difference between three/s1 and two/s1", ""},
		{"compared, with a directory of seeds", in("a") + " " + in("b") + " --compare --formats none --out " + in("e"), cmdline.ExitDone, "No verdict between b and a, because 1 seed is no evidence", "e/comparison.json"},
		{"compared as JSON", in("a") + " " + in("a/../b") + " --compare --json", cmdline.ExitDone, `"verdict"`, ""},
		{"a seed is missing", in("two") + " " + in("three") + " --compare", cmdline.ExitBadInput, "has seed 3, that of \"two\" has 2, and both have seed 1", ""},
		{"no seed in common", in("a") + " " + in("other") + " --compare", cmdline.ExitDone, "share no random", ""},
		{"one is no comparison", in("a") + " --compare", cmdline.ExitUsage, "two or more", ""},
		{"not a result", dir + "/b --formats none", cmdline.ExitBadInput, "run.json", ""},
		{"unknown format", in("a") + " --formats gif", cmdline.ExitUsage, `--formats is "gif", want pdf, png, svg, separated by commas, or none`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), append([]string{"replay", "report"}, strings.Fields(tt.args)...), &stdout, &stderr)
			said := stdout.String()
			if code != cmdline.ExitDone {
				said = stderr.String()
			}
			if code != tt.code || !strings.Contains(said, tt.want) {
				t.Fatalf("code %d, want %d; said %q, want %q in it (stderr %q)", code, tt.code, said, tt.want, stderr.String())
			}
			if tt.file != "" {
				if _, err := os.Stat(in(tt.file)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// Results are called like their folders, whose names need not be text: what is made of them is.
func TestReportOfOtherNames(t *testing.T) {
	dir := t.TempDir()
	a, b, out := filepath.Join(dir, "a"), filepath.Join(dir, "b\xff"), filepath.Join(dir, "out")
	writeResult(t, a, 1, 5000)
	writeResult(t, b, 1, 6000)
	code, stdout, stderr := replay(t, "report", "--compare", "--formats", "svg", "--out", out, a, b)
	if code != cmdline.ExitDone || !utf8.ValidString(stdout) || !strings.Contains(stdout, "b\ufffd") {
		t.Errorf("exit %d: %q %s", code, stdout, stderr)
	}
	if err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if !utf8.Valid(text) {
			t.Errorf("%s is no text", path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// Sums that belong to the tables of another result are not used, which is said.
func TestReportOfOtherSums(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	writeResult(t, a, 1, 5000)
	writeResult(t, b, 2, 6000)
	code, want, stderr := replay(t, "report", "--formats", "none", a)
	if code != cmdline.ExitDone || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	other, err := os.ReadFile(filepath.Join(b, result.AggregatesFile))
	if err == nil {
		err = os.WriteFile(filepath.Join(a, result.AggregatesFile), other, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := replay(t, "report", a); code != cmdline.ExitBadInput || !strings.Contains(stderr, "it was changed") {
		t.Errorf("with the hash of another file: exit %d: %s", code, stderr)
	}
	sealedtest.Seal(t, filepath.Join(a, "run.json"))
	code, stdout, stderr := replay(t, "report", "--formats", "none", a)
	if code != cmdline.ExitDone || stdout != want || !strings.Contains(stderr, "warning: "+filepath.Join(a, result.AggregatesFile)+": is of other tables") {
		t.Errorf("exit %d, want the same and a warning: %s%s", code, stdout, stderr)
	}
}
