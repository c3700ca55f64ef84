package command

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

// sweepDir makes a folder with traces and a plan and goes there.
func sweepDir(t *testing.T, plan string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"fair-weights", "drf-mixed-sizes"} {
		if err := os.CopyFS(filepath.Join(dir, "in", "traces", name), os.DirFS(traces+name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	writePlan(t, plan)
	return dir
}

func writePlan(t *testing.T, plan string) {
	t.Helper()
	if err := os.WriteFile("in/plan.yaml", []byte(plan), 0o644); err != nil {
		t.Fatal(err)
	}
}

const smallPlan = `
traces: traces/fair-weights
seeds: 1..3
flags: --until 10m
variants: {fair: --fair-scheduler files/fair.xml, drf: --sharing drf}
grid: {conf: {spark.locality.wait: [0s, 3s]}}
`

func fairFile(t *testing.T, text string) {
	t.Helper()
	if err := os.MkdirAll("in/files", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("in/files/fair.xml", []byte("<allocations><queue name='a'/>"+text+"</allocations>"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func records(t *testing.T, dir string) (names []string) {
	t.Helper()
	for name := range files(t, filepath.Join(dir, "cells")) {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// A second run does what is missing or has changed, and nothing else; where the plan is has no influence.
func TestSweepGoesOn(t *testing.T) {
	sweepDir(t, smallPlan)
	fairFile(t, "")
	dry := must(t, "sweep", "in/plan.yaml", "--out", "s", "--dry-run")
	if !strings.HasPrefix(dry, "12 cells: 12 to replay, about ") || strings.Count(dry, "  missing  fair-weights, ") != 12 {
		t.Errorf("a dry run says\n%s", dry)
	}
	if _, err := os.Stat("s"); err == nil {
		t.Error("a dry run writes")
	}
	must(t, "sweep", "in/plan.yaml", "--out", "s")
	whole, all := files(t, "s/merged"), records(t, "s")
	if len(all) != 12 || !strings.Contains(dry, strings.TrimSuffix(all[7], ".json")) {
		t.Fatalf("cells %v, listed\n%s", all, dry)
	}
	for _, name := range []string{all[3], all[11]} {
		if err := os.Remove("s/cells/" + name); err != nil {
			t.Fatal(err)
		}
	}
	if code, out, _ := cmd(t, "sweep", "status", "s"); code != cmdline.ExitFailed || !strings.HasPrefix(out, "10 of 12 cells are there, 0 failed, 2 were not tried") {
		t.Errorf("status: exit %d, %s", code, out)
	}
	if out := must(t, "sweep", "status", "s", "--missing"); len(strings.Fields(out)) != 2 {
		t.Errorf("missing are %q", out)
	}
	if _, out, _ := cmd(t, "sweep", "status", "s", "--json"); strings.Count(out, `"id": "`) != 2 || !strings.Contains(out, `"cells": 12`) {
		t.Errorf("status as JSON: %s", out)
	}
	if out := must(t, "sweep", "merge", "s", "--partial", "--json", "--out", "m"); !strings.Contains(out, `"missing": 2`) || !strings.Contains(out, `"choice": "drf, conf spark.locality.wait=`) {
		t.Errorf("merged as JSON: %s", out)
	}
	if code, _, stderr := cmd(t, "sweep", "merge", "s"); code != cmdline.ExitFailed || !strings.Contains(stderr, "2 of 12 cells are missing") {
		t.Errorf("merge: exit %d, %s", code, stderr)
	}
	code, _, stderr := cmd(t, "sweep", "in/plan.yaml", "--out", "s")
	if code != cmdline.ExitDone || !strings.Contains(stderr, "10 of 12 cells are there") || !sameFiles(files(t, "s/merged"), whole) {
		t.Errorf("exit %d, %s, or other bytes", code, stderr)
	}
	t.Chdir("in") // the same cells from elsewhere
	if _, _, stderr = cmd(t, "sweep", "plan.yaml", "--out", "../s"); !strings.Contains(stderr, "12 of 12 cells are there") {
		t.Errorf("from elsewhere: %s", stderr)
	}
	t.Chdir("..")
	fairFile(t, "<queue name='b'/>")
	if _, _, stderr = cmd(t, "sweep", "in/plan.yaml", "--out", "s"); !strings.Contains(stderr, "6 of 12 cells are there") {
		t.Errorf("after a change of a file of one variant: %s", stderr)
	}
	writePlan(t, strings.Replace(smallPlan, "[0s, 3s]", "[0s, 3s, 5s]", 1))
	if _, _, stderr = cmd(t, "sweep", "in/plan.yaml", "--out", "s"); !strings.Contains(stderr, "12 of 18 cells are there") {
		t.Errorf("after one more value: %s", stderr)
	}
}

// On a full disk a sweep ends, and does not replay all other cells for nothing; with room the same command goes on.
func TestSweepOnAFullDisk(t *testing.T) {
	disk := smallDisk(t, "100k")
	if disk == "" {
		t.Skip("no disk that is soon full can be mounted here")
	}
	sweepDir(t, strings.Replace(smallPlan, "1..3", "1..30", 1))
	fairFile(t, "")
	code, _, stderr := cmd(t, "sweep", "in/plan.yaml", "--out", disk)
	there := len(records(t, disk))
	if want := fmt.Sprintf("%d of 120 cells are in %s; the same command goes on\nreplay: write %s/cells/", there, disk, disk); code != cmdline.ExitBadInput || there == 0 || !strings.Contains(stderr, want) || !strings.HasSuffix(stderr, "no space left on device\n") || strings.Count(stderr, "no space") != 1 {
		t.Errorf("exit code %d, %d cells, %s; want %s", code, there, stderr, want)
	}
	for name := range files(t, disk) {
		if strings.HasSuffix(name, ".partial") || strings.HasSuffix(name, ".failed") {
			t.Errorf("%s is left", name)
		}
	}
}

func sameFiles(a, b map[string]string) bool {
	for name := range b {
		if a[name] != b[name] {
			return false
		}
	}
	return len(a) == len(b)
}

// Shards, and a list of cells, replay their part; all together are the sweep. One decoded trace leaves the bytes of many.
func TestSweepRun(t *testing.T) {
	sweepDir(t, strings.Replace(smallPlan, "traces/fair-weights", `"traces/*"`, 1))
	fairFile(t, "")
	must(t, "sweep", "in/plan.yaml", "--out", "one", "--jobs", "1")
	for _, shard := range []string{"3/3", "1/3"} {
		must(t, "sweep", "run", "in/plan.yaml", "--out", "parts", "--shard", shard)
	}
	missing := must(t, "sweep", "status", "parts", "--missing")
	if n := len(strings.Fields(missing)); n != 8 {
		t.Errorf("%d of 24 are missing after two shards of three", n)
	}
	if err := os.WriteFile("ids", []byte(missing), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, "sweep", "run", "in/plan.yaml", "--out", "rest", "--cells", "ids")
	must(t, "sweep", "merge", "parts", "rest", "--out", "together")
	if !sameFiles(files(t, "together"), files(t, "one/merged")) {
		t.Error("shards leave other bytes than one machine")
	}
	// A cell is what replay run says of it.
	table := files(t, "one/merged")["values.csv"]
	row := regexp.MustCompile(`(?m)^\w+,drf-mixed-sizes,drf,2,3s,makespan_ms,ms,lower,(\d+),`).FindStringSubmatch(table)
	alone := must(t, "run", "in/traces/drf-mixed-sizes", "--until", "10m", "--sharing", "drf", "--conf", "spark.locality.wait=3s", "--seed", "2", "--json", "-q", "--allow-failures")
	if row == nil || !strings.Contains(alone, `"makespan_ms": `+row[1]+",") {
		t.Errorf("makespan is %q in the table, and alone\n%.300s", row, alone)
	}
}

func TestSweepWrong(t *testing.T) {
	sweepDir(t, smallPlan)
	fairFile(t, "")
	for _, tt := range []struct {
		plan, want string
		code       int
	}{
		{"traces: none", "in/plan.yaml: line 1: traces: --traces in/none: no trace there", cmdline.ExitBadInput},
		{"traces: [traces/fair-weights,\n traces/fair-weights]", "in/plan.yaml: line 2: traces: in/traces/fair-weights is a trace that is there already", cmdline.ExitBadInput},
		{"traces: traces/fair-weights\ngrid:\n  sharng: [fair]", "in/plan.yaml: line 3: sharng: unknown flag --sharng; is --sharing meant?", cmdline.ExitUsage},
		{"traces: traces/fair-weights\ngrid:\n  sharing: [fair, drff]", `in/plan.yaml: line 3: sharing: `, cmdline.ExitUsage},
		{"traces: traces/fair-weights\ngrid:\n  conf:\n    spark.locality.wait: [0s]\n    spark.localty.wait: [0s]", "in/plan.yaml: line 5: conf spark.localty.wait: on trace fair-weights: ", cmdline.ExitUsage},
		{"traces: traces/fair-weights\ngrid:\n  nodes: [4, 0]", `in/plan.yaml: line 3: nodes: --nodes is "0", want 1 to`, cmdline.ExitUsage},
		{"traces: traces/fair-weights\nvariants:\n  a: --seed 4", "in/plan.yaml: line 3: variants.a: --seed has its own place in a plan, seeds", cmdline.ExitUsage},
		{"traces: traces/fair-weights\nvariants:\n  a:\n  b: --until 4m", "in/plan.yaml: line 4: variants.b: --until ends this one at another time than others", cmdline.ExitUsage},
		{"traces: traces/fair-weights\nflags: --out x", "in/plan.yaml: line 2: flags: --out has no place", cmdline.ExitUsage},
		{"traces: traces/fair-weights\nflags: \"--sharing 'x\"", "in/plan.yaml: line 2: flags: ", cmdline.ExitBadInput},
		{"traces: traces/fair-weights\nflags: --fair-scheduler none.xml", "in/plan.yaml: line 2: flags: ", cmdline.ExitBadInput},
		{"traces: traces/fair-weights\nexclude: [{trace: fair-weights}]", "exclude leaves out every cell", cmdline.ExitBadInput},
	} {
		writePlan(t, tt.plan)
		if code, _, stderr := cmd(t, "sweep", "in/plan.yaml", "--out", "s"); code != tt.code || !strings.Contains(stderr, tt.want) {
			t.Errorf("%q: exit %d, %s; want %d, %s", tt.plan, code, stderr, tt.code, tt.want)
		}
	}
	writePlan(t, smallPlan)
	for _, tt := range []struct {
		args string
		want string
	}{
		{"sweep in/plan.yaml", "wants --out"},
		{"sweep run in/plan.yaml --out s", "wants --shard or --cells"},
		{"sweep run in/plan.yaml --out s --shard 4/3", `--shard is "4/3", want I/N`},
		{"sweep run in/plan.yaml --out s --shard 1/3x", "want I/N"},
		{"sweep status", "wants one DIR"},
		{"sweep merge", "wants the DIR"},
	} {
		if code, _, stderr := cmd(t, strings.Fields(tt.args)...); code != cmdline.ExitUsage || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: exit %d, %s", tt.args, code, stderr)
		}
	}
	if code, _, stderr := cmd(t, "sweep", "status", "in"); code != cmdline.ExitBadInput || !strings.Contains(stderr, "sweep.json") {
		t.Errorf("status of no sweep: exit %d, %s", code, stderr)
	}
}

// What docs/sweep.md shows is what is printed.
func TestSweepPage(t *testing.T) {
	page, err := filepath.Abs("../../../docs/sweep.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	plan := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(string(text))
	if plan == nil {
		t.Fatal("docs/sweep.md shows no plan")
	}
	sweepDir(t, "")
	t.Chdir("in")
	if err := os.WriteFile("plan.yaml", []byte(plan[1]), 0o644); err != nil {
		t.Fatal(err)
	}
	checkShown(t, page, 2)
}

// Every command keeps what -q promises: what is not used is said, how the replay went is not.
func TestQuietSaysWhatIsNotUsed(t *testing.T) {
	sweepDir(t, "traces: traces/fair-weights\nseeds: 1..5\nflags: --until 1m --load 0.01 --conf spark.barrier.sync.timeout=5\n")
	if err := os.WriteFile("in/tune.yaml", []byte("traces: traces/fair-weights\nseeds: 1..5\nheld_seeds: 6..10\ngoal: least mean(wait)\nflags: --until 1m --load 0.01 --conf spark.barrier.sync.timeout=5\ngrid: {sharing: [drf]}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	key, load := []string{"--until", "1m", "--conf", "spark.barrier.sync.timeout=5"}, []string{"--load", "0.01"}
	trace := "in/traces/fair-weights"
	const went = "hardly anything will wait"
	for _, tt := range []struct {
		line []string
		loud string // besides
	}{
		{slices.Concat([]string{"run", trace, "--allow-failures"}, key, load), went},
		{slices.Concat([]string{"compare", trace, "--seeds", "2", "--variant", "a:", "--variant", "b: --sharing drf"}, key, load), went},
		{slices.Concat([]string{"backtest", trace, "--seeds", "1", "--allow-failures"}, key), ""},
		{[]string{"sweep", "in/plan.yaml", "--out", "swept"}, went},
		{[]string{"tune", "in/tune.yaml", "--out", "tuned"}, went},
	} {
		_, _, loud := cmd(t, append(tt.line, "--json")...)
		_, _, quiet := cmd(t, append(tt.line, "--json", "-q")...)
		const unused = "spark.barrier.sync.timeout=5: not modelled"
		if !strings.Contains(loud, unused) || !strings.Contains(loud, tt.loud) || !strings.Contains(quiet, unused) || strings.Contains(quiet, went) {
			t.Errorf("%s says\n%s\nand with -q\n%s", tt.line[0], loud, quiet)
		}
	}
}
