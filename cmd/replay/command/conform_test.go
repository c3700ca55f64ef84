package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/cmd/replay/cmdline"
)

func TestConform(t *testing.T) {
	vectors := filepath.Join("..", "..", "..", "bench", "conform", "testdata", "spark")
	bad := t.TempDir()
	if err := os.WriteFile(filepath.Join(bad, "a.jsonl"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	unknown := filepath.Join(t.TempDir(), "vectors")
	if err := os.Mkdir(unknown, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(unknown, "a.jsonl"), []byte(`{"x":1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		args   []string
		code   int
		stdout string // must be in it
		stderr string
	}{
		{"equal", []string{vectors, "--only", "pools.jsonl.gz"}, cmdline.ExitDone, "pools.jsonl.gz  pools", ""},
		{"flags first", []string{"--only=pools.jsonl.gz", vectors}, cmdline.ExitDone, "pools.jsonl.gz  pools", ""},
		{"a file", []string{filepath.Join(vectors, "pools.jsonl.gz")}, cmdline.ExitDone, "pools.jsonl.gz  pools", ""},
		{"a file and a directory", []string{filepath.Join(unknown, "a.jsonl"), filepath.Join(vectors, "pools.jsonl.gz")}, cmdline.ExitFailed, "spark/pools.jsonl.gz", ""},
		{"a file of no vectors", []string{filepath.Join(vectors, "..", "..", "README.md")}, cmdline.ExitBadInput, "", "README.md: no golden vectors, want *.jsonl"},
		{"not supported", []string{unknown}, cmdline.ExitFailed, "a.jsonl, not supported: a.jsonl: no kind of vectors has this shape", ""},
		{"malformed", []string{bad}, cmdline.ExitBadInput, "", "a.jsonl:1: unexpected end of JSON input"},
		{"no directory", []string{filepath.Join(bad, "x")}, cmdline.ExitBadInput, "", "no such file"},
		{"no file", []string{vectors, "--only", "x.jsonl"}, cmdline.ExitBadInput, "", "x.jsonl: file does not exist"},
		{"no argument", nil, cmdline.ExitUsage, "", "conform wants a directory"},
		{"one file of two directories", []string{vectors, bad, "--only", "pools.jsonl.gz"}, cmdline.ExitUsage, "", "--only wants one directory, got 2"},
		{"two directories", []string{vectors, unknown}, cmdline.ExitFailed, "vectors/a.jsonl", ""},
		{"a report that can't be written", []string{unknown, "--report", filepath.Join(bad, "x", "y.md")}, cmdline.ExitBadInput, "", "y.md: no such file"},
		{"no difference is shown", []string{unknown, "--max", "0"}, cmdline.ExitFailed, "a.jsonl: 1 more are not supported", ""},
		{"a negative number of differences", []string{vectors, "--max", "-1"}, cmdline.ExitUsage, "", "--max is -1, want 0 or more"},
		{"no share", []string{vectors, "--at-least", "most"}, cmdline.ExitUsage, "", `"most", want a share such as 99% or 0.99`},
		{"more than all", []string{vectors, "--at-least", "101%"}, cmdline.ExitUsage, "", `"101%", want a share`},
		{"unknown flag", []string{vectors, "--fast"}, cmdline.ExitUsage, "", "fast"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), append([]string{"replay", "conform"}, tt.args...), &stdout, &stderr)
			if code != tt.code || !strings.Contains(stdout.String(), tt.stdout) || !strings.Contains(stderr.String(), tt.stderr) {
				t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", code, tt.code, &stdout, &stderr)
			}
		})
	}
}

func TestConformJSON(t *testing.T) {
	var stdout, stderr bytes.Buffer
	args := []string{"replay", "conform", filepath.Join("..", "..", "..", "bench", "conform", "testdata", "spark"), "--json", "--only", "scala_order.jsonl.gz"}
	if code := run(t.Context(), args, &stdout, &stderr); code != cmdline.ExitDone {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	var got struct {
		Files  []struct{ File, Kind string }
		Totals struct{ Cases, Equal, Different, Unsupported int }
	}
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Files) != 1 || got.Files[0].Kind != "scala_order" || got.Totals.Cases == 0 || got.Totals.Equal != got.Totals.Cases {
		t.Errorf("got %s", &stdout)
	}
}

func TestConformReport(t *testing.T) {
	vectors := filepath.Join("..", "..", "..", "bench", "conform", "testdata", "spark")
	file := filepath.Join(t.TempDir(), "page.md")
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"replay", "conform", vectors, "--only", "pools.jsonl.gz", "--report", file}, &stdout, &stderr); code != cmdline.ExitDone {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Written by `replay conform " + vectors + " --only pools.jsonl.gz --report " + file + "`.", "\n## spark\n", "| `pools.jsonl.gz` | Pool, SchedulableBuilder | 84 | 84 | 0 | 0 |"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
}
