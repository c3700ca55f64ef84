package paper

import (
	"bytes"
	"encoding/csv"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"replay/report/compare"
	"replay/report/figure"
	"replay/report/metric"
	"replay/report/reporttest"
)

// written returns what a paper consists of, by file.
func written(t *testing.T, p *Paper, o Options) map[string]string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "paper")
	if err := p.Write(path, o); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	if err := filepath.WalkDir(path, func(at string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(at)
		name, _ := filepath.Rel(path, at)
		all[filepath.ToSlash(name)] = string(b)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestPaperOfARun(t *testing.T) {
	d := reporttest.DataOf(t, reporttest.Few.Feed)
	d.Manifest.TraceName = "50 % of a_trace & more"
	s := metric.Of(d)
	o := Options{Style: figure.Style{Width: 237.6, Size: 8, Grey: true, NoTitle: true}, Formats: []string{"pdf", "svg"}, Captions: true}
	one, two := written(t, OfRun("run", s), o), written(t, OfRun("run", s), o)
	if !maps.Equal(one, two) {
		t.Error("written twice, bytes differ")
	}
	for _, p := range OfRun("run", s).Pictures {
		for _, ending := range []string{".pdf", ".svg", ".csv", ".parquet", ".vl.json"} {
			name := "figures/" + p.Name + ending
			if text, ok := one[name]; (p.Figure != nil) != ok || ok && len(text) == 0 {
				t.Errorf("%s: there is %v, of %d bytes", name, ok, len(text))
			}
		}
		if rows := strings.Count(one["figures/"+p.Name+".csv"], "\n"); p.Figure != nil && rows < 2 {
			t.Errorf("%s: its table has %d lines", p.Name, rows)
		}
	}
	abouts, err := csv.NewReader(strings.NewReader(one["figures/columns.csv"])).ReadAll()
	if err != nil || !slices.Equal(abouts[0], []string{"figure", "column", "about"}) {
		t.Fatalf("%v: columns are described by\n%.300s", err, one["figures/columns.csv"])
	}
	of := map[string]string{} // columns as tables have them
	for _, row := range abouts[1:] {
		of[row[0]] = strings.TrimPrefix(of[row[0]]+","+row[1], ",")
		if row[2] == "" {
			t.Errorf("nothing is said of column %s of %s", row[1], row[0])
		}
	}
	for name, columns := range of {
		if head, _, _ := strings.Cut(one["figures/"+name+".csv"], "\n"); head != columns {
			t.Errorf("%s has the columns %s, and described are %s", name, head, columns)
		}
	}
	for _, want := range []string{"wait_job_cdf,x,\"wait after submission (log scale), ms\"\n", "wait_job_cdf,y,\"share at most this long, 1 is 100 %\"\n"} {
		if !strings.Contains(one["figures/columns.csv"], want) {
			t.Errorf("no %q in\n%s", want, one["figures/columns.csv"])
		}
	}
	if text := one["figures.tex"]; !strings.Contains(text, `\includegraphics{figures/utilization}`) || !strings.Contains(text, `Trace 50 \% of a\_trace \& more, `) {
		t.Errorf("figures.tex is\n%.600s", text)
	}
	if text := one["metrics.tex"]; !strings.Contains(text, `mean wait for the first task & `) || !strings.Contains(text, `\bottomrule`) {
		t.Errorf("metrics.tex is\n%s", text)
	}
	if text := one["metrics.md"]; !strings.HasPrefix(text, "| metric | value | of |\n|---|---:|---:|\n| ") {
		t.Errorf("metrics.md is\n%s", text)
	}
	rows, err := csv.NewReader(strings.NewReader(one["values.csv"])).ReadAll()
	if err != nil || len(rows) != len(s.Values)+1 {
		t.Fatalf("%d rows of values, want %d and a head: %v", len(rows), len(s.Values), err)
	}
	if !slices.ContainsFunc(rows, func(r []string) bool { return r[3] == "wait_job_first_task_mean_ms" && r[4] == "ms" && r[5] != "" }) {
		t.Error("the mean wait is not among the values")
	}
	o.Captions = false
	if text := written(t, OfRun("run", s), o)["figures.tex"]; strings.Contains(text, `\caption`) {
		t.Error("a caption that nobody asked for")
	}
}

func TestPaperOfVariants(t *testing.T) {
	var variants []compare.Variant
	for i, name := range []string{"base", "other"} {
		v := compare.Variant{Name: name}
		for seed := range uint64(2) {
			m := reporttest.Few
			m.Seed, m.WaitMS = seed+1, m.WaitMS*float64(1+i)
			d := reporttest.DataOf(t, m.Feed)
			d.Manifest.Seed = seed + 1
			v.Runs = append(v.Runs, metric.Of(d))
		}
		variants = append(variants, v)
	}
	c, err := compare.Of(variants, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := written(t, OfComparison(c, variants), Options{Formats: []string{"svg"}})
	if text := all["metrics.md"]; !strings.Contains(text, "| base | other | change | finding | n |") || !regexp.MustCompile(`\| mean wait for the first task \|.*\| \d+ jobs \|\n`).MatchString(text) {
		t.Errorf("metrics.md is\n%s", text)
	}
	// What an interval is stands where there are some, and with what words mean below their table, if captions are wanted.
	const method = "Nothing was tested, because 2 seeds are too little evidence (5 at least)."
	if strings.Contains(all["figures.tex"]+all["metrics.tex"]+all["metrics.md"], method) {
		t.Error("a caption that nobody asked for")
	}
	said := written(t, OfComparison(c, variants), Options{Formats: []string{"svg"}, Captions: true})
	if strings.Count(said["figures.tex"], method) != 1 || !strings.Contains(said["figures.tex"], "Difference to base, with its interval.") || !strings.Contains(said["metrics.tex"], "\n% "+method+" n: the jobs") || !strings.Contains(said["metrics.md"], " |\n\n*"+method+" n: the jobs") {
		t.Errorf("figures.tex, metrics.tex and metrics.md are\n%s\n%s\n%s", said["figures.tex"], said["metrics.tex"], said["metrics.md"])
	}
	if text := all["values.csv"]; !strings.Contains(text, "\nother/2,other,2,") {
		t.Errorf("values.csv begins\n%.300s", text)
	}
	if !bytes.Contains([]byte(all["figures/differences.csv"]), []byte("series,row,x")) {
		t.Errorf("the table of differences begins\n%.200s", all["figures/differences.csv"])
	}
}
