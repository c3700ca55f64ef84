package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

func TestGen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "micro")
	code, stdout, stderr := replay(t, "gen", "uniform-micro", "--jobs", "10", "--out", dir, "--load", "0.5", "--failures", "weibull", "--mtbf", "0.01")
	if code != cmdline.ExitDone || !strings.Contains(stdout, "10 jobs, 20 stages, 250 tasks") || !strings.Contains(stdout, "offered load: 50.0 % of the vcores") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if out := must(t, "gen", "uniform-micro", "--jobs", "1", "--out", filepath.Join(t.TempDir(), "one")); !strings.Contains(out, "offered load: none, as all is submitted at once: ") {
		t.Errorf("of one job: %s", out)
	}
	hash, _, _ := strings.Cut(strings.TrimPrefix(stdout, "trace "), "\n")
	if code, stdout, stderr := replay(t, "trace", "check", dir); code != cmdline.ExitDone || !strings.HasPrefix(stdout, "ok: 10 jobs") {
		t.Errorf("trace check: exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = replay(t, "trace", "info", dir, "--json")
	var info struct {
		Hash   string
		Counts map[string]int64
	}
	if err := json.Unmarshal([]byte(stdout), &info); err != nil || code != cmdline.ExitDone || info.Hash != hash || info.Counts["tasks"] != 250 {
		t.Errorf("trace info --json: exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	figure := filepath.Join(t.TempDir(), "load.svg")
	if code, stdout, _ = replay(t, "trace", "info", dir, "--plot", figure); code != cmdline.ExitDone || !strings.Contains(stdout, "preset uniform-micro, seed 1") {
		t.Errorf("trace info: exit code %d\n%s", code, stdout)
	}
	if svg, err := os.ReadFile(figure); err != nil || !strings.Contains(string(svg), "Offered load") {
		t.Errorf("trace info --plot: %v, %.100s", err, svg)
	}
	if code, _, stderr := replay(t, "trace", "info", dir, "--plot", "load.gif"); code != cmdline.ExitUsage || !strings.Contains(stderr, ".svg") {
		t.Errorf("trace info --plot load.gif: exit code %d, %s", code, stderr)
	}
	if code, _, stderr := replay(t, "gen", "uniform-micro", "--out", dir); code != cmdline.ExitBadInput || !strings.Contains(stderr, "exists already") {
		t.Errorf("gen into an existing directory: exit code %d, %s", code, stderr)
	}
	path := filepath.Join(dir, "tasks.parquet")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[100] ^= 1
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if code, stdout, _ := replay(t, "trace", "check", dir); code != cmdline.ExitFailed || !strings.Contains(stdout, "tasks.parquet: sha256 is ") {
		t.Errorf("check of a changed file: exit code %d, %s", code, stdout)
	}
	if code, _, stderr := replay(t, "trace", "info", dir); code != cmdline.ExitBadInput || !strings.Contains(stderr, "tasks.parquet: sha256 is ") {
		t.Errorf("info of a changed file: exit code %d, %s", code, stderr)
	}
}

func TestGenUsage(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x")
	for _, args := range []string{
		"gen", "gen uniform-micro", "gen --out " + out, "gen nothing --out " + out, "gen uniform-micro --jobs 0 --out " + out,
		"gen uniform-micro --jobs 9223372036854775807 --out " + out, "gen uniform-micro --load 1e-300 --out " + out,
		"gen uniform-micro --load -1 --out " + out, "gen uniform-micro --failures x --out " + out, "gen uniform-micro --nodes 2 --racks 3 --out " + out,
		"gen tpch-decima --kind mapreduce --out " + out, "gen facebook-2009 --set map.median_s --out " + out, "gen facebook-2009 --set map.median_s=-1 --out " + out,
		"gen facebook-2009 --span -1h --out " + out, "gen facebook-2009 --span +24h --out " + out, "gen facebook-2009 --span 24 --out " + out,
		"gen facebook-2009 --diurnal moon --out " + out, "gen uniform-micro --set a=1 --out " + out,
	} {
		if code, _, stderr := replay(t, strings.Fields(args)...); code != cmdline.ExitUsage || stderr == "" {
			t.Errorf("%s: exit code %d, want %d; %s", args, code, cmdline.ExitUsage, stderr)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("wrong usage has written something")
	}
}

// What --parameters lists can be set, and stands in trace.json as it was set.
func TestGenParameters(t *testing.T) {
	code, listed, stderr := replay(t, "gen", "facebook-2009", "--parameters", "--set", "map.median_s=7")
	if code != cmdline.ExitDone || !strings.Contains(listed, "\nmap.median_s=7\n    median of the stages' medians") {
		t.Fatalf("exit code %d\n%s%s", code, listed, stderr)
	}
	args := []string{"gen", "facebook-2009", "--span", "10m", "--nodes", "20", "--racks", "2", "--diurnal", "nasa", "--out", filepath.Join(t.TempDir(), "x")}
	want := map[string]string{}
	for line := range strings.Lines(listed) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(line, " ") {
			args = append(args, "--set", name+"="+value)
			want[name] = value
		}
	}
	if code, stdout, stderr := replay(t, args...); code != cmdline.ExitDone {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	var asJSON []struct{ Name, Value, About string }
	if text := must(t, "gen", "month", "--parameters", "--json"); strings.TrimSpace(text) != "[]" {
		t.Errorf("a preset without parameters: %q, want a list of none", text)
	}
	if err := json.Unmarshal([]byte(must(t, "gen", "facebook-2009", "--parameters", "--json", "--set", "map.median_s=7")), &asJSON); err != nil || len(asJSON) != len(want) {
		t.Fatalf("%d parameters as JSON, want %d: %v", len(asJSON), len(want), err)
	}
	for _, x := range asJSON {
		if want[x.Name] != x.Value || x.About == "" {
			t.Errorf("as JSON %+v, want the value %s", x, want[x.Name])
		}
	}
	data, err := os.ReadFile(filepath.Join(args[len(args)-1-2*len(want)], "trace.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Generator struct{ Params map[string]string }
		SpanMS    int64 `json:"span_ms"`
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	for name, value := range want {
		if got := manifest.Generator.Params[name]; got != value {
			t.Errorf("%s is %q in trace.json, want %q", name, got, value)
		}
	}
	if len(want) < 80 || manifest.SpanMS >= 600_000 {
		t.Errorf("%d parameters, last submission at %d ms", len(want), manifest.SpanMS)
	}
}

// gen says what a load in a span left out, and when its jobs end early.
func TestGenSpanAndLoad(t *testing.T) {
	code, stdout, stderr := replay(t, "gen", "facebook-2009", "--nodes", "20", "--span", "1h", "--load", "0.5", "--seed", "2", "--out", filepath.Join(t.TempDir(), "x"))
	if code != cmdline.ExitDone || !strings.Contains(stdout, "offered load: 50.0 % of the vcores") || !strings.Contains(stdout, "more work than was left of the load in the span: 2\n") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = replay(t, "gen", "uniform-micro", "--span", "26s", "--load", "0.8", "--out", filepath.Join(t.TempDir(), "x"))
	if code != cmdline.ExitDone || !strings.Contains(stdout, "the load ends after 90 % of the span") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// gen fit:DIR generates from a trace, here one that was recorded.
func TestGenFit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "fitted")
	source := filepath.Join("..", "..", "..", "traces", "fair-weights")
	code, stdout, stderr := replay(t, "gen", "fit:"+source, "--load", "2", "--jobs", "30", "--out", dir)
	if code != cmdline.ExitDone || !strings.Contains(stdout, "30 jobs") || !strings.Contains(stdout, "offered load: 200.0 % of the vcores") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := replay(t, "trace", "check", dir); code != cmdline.ExitDone || !strings.HasPrefix(stdout, "ok: 30 jobs") {
		t.Errorf("trace check: exit code %d\n%s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := replay(t, "run", dir, "--tasks", "off"); code != cmdline.ExitDone || !strings.Contains(stdout, "All 30 jobs succeeded") {
		t.Errorf("run: exit code %d\n%s%s", code, stdout, stderr)
	}
	if code, _, stderr := replay(t, "gen", "fit:"+filepath.Join(t.TempDir(), "nothing"), "--out", dir+"2"); code != cmdline.ExitBadInput || !strings.Contains(stderr, "not a trace directory") {
		t.Errorf("fit to nothing: exit code %d, %s", code, stderr)
	}
}

// A trace that lies in another folder has the same portrait, byte for byte.
func TestPortraitOfAMovedTrace(t *testing.T) {
	dir := t.TempDir()
	here, there := filepath.Join(dir, "here"), filepath.Join(dir, "there")
	var pages []string
	must(t, "gen", "uniform-micro", "--jobs", "3", "--out", here)
	for _, at := range []string{here, there} {
		out := at + "-portrait"
		must(t, "trace", "info", at, "--out", out)
		page, err := os.ReadFile(filepath.Join(out, "report.html"))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, string(page))
		if at == here {
			if err := os.Rename(here, there); err != nil {
				t.Fatal(err)
			}
		}
	}
	if pages[0] != pages[1] || !strings.Contains(pages[0], "replay trace info TRACE --out DIR") {
		t.Error("the pages differ, or have not the command, want it without the folders")
	}
}
