package conform

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite docs/fidelity-appendix.md")

// appendixCommand is how the appendix of docs/fidelity-*.md is made.
const appendixCommand = "replay conform bench/conform/testdata/yarn bench/conform/testdata/spark bench/conform/testdata/mapreduce bench/conform/testdata --report docs/fidelity-appendix.md"

// The appendix is what the command writes about the vectors and recordings of the project.
func TestAppendixIsCurrent(t *testing.T) {
	s, err := kept()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := s.WriteReport(&b, appendixCommand); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("..", "..", "docs", "fidelity-appendix.md")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("docs/fidelity-appendix.md is not what the command writes (-want +got); if meant, run with -update\n%s", d)
	}
}

func TestReportOfDifferences(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vectors")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "a.jsonl", `{"what":"is this"}`)
	write(t, dir, "b.jsonl", oneCase+strings.Replace(oneCase, `"immutable_map_string":["a","b"]`, `"immutable_map_string":["b","a"]`, 1))
	s, err := Dirs([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := s.WriteReport(&b, "replay conform vectors --report x.md"); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(b.String(), "## All\n\n")
	want := "| answers of | cases | equal | different | not supported |\n|---|---:|---:|---:|---:|\n" +
		"| Scala 2.12 collections | 2 | 1 | 1 | 0 |\n| unknown | 1 | 0 | 0 | 1 |\n| all | 3 | 1 | 1 | 1 |\n" +
		"\n## vectors\n\n| file | answers of | cases | equal | different | not supported |\n|---|---|---:|---:|---:|---:|\n" +
		"| `a.jsonl` | unknown | 1 | 0 | 0 | 1 |\n| `b.jsonl` | Scala 2.12 collections | 2 | 1 | 1 | 0 |\n" +
		"\n## Differences and what is not supported\n\n`a.jsonl`, not supported: a.jsonl: no kind of vectors has this shape\n" +
		"\n`b.jsonl`, case x, event 2:\n\n    expected  [\"b\",\"a\"]\n    got       [\"a\",\"b\"]\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
