package report

import (
	"bytes"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// golden compares got with testdata/<name>.golden.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s changed (-want +got); look at it, and if meant run with -update\n%.2000s", name, d)
	}
}

// few is small enough for golden pictures.
var few = madeUp{seed: 1, jobs: 8, nodes: 3, locality: .6, waitMS: 8000, queues: []string{"root.adhoc", "root.etl"}}

func TestPlotsGolden(t *testing.T) {
	for _, p := range few.result(t).pictures() {
		if p.figure == nil {
			t.Fatalf("%s: no picture: %s", p.Name, p.reason)
		}
		b, err := renderers["svg"](p.figure)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, p.Name+".svg", b)
	}
}

func TestComparisonPlotsGolden(t *testing.T) {
	other := few
	other.locality, other.waitMS = .9, 3000
	c := compare(t, few.variant(t, "base", 2), other.variant(t, "other", 2))
	for _, p := range c.pictures() {
		if p.figure == nil {
			t.Fatalf("%s: no picture: %s", p.Name, p.reason)
		}
		b, err := renderers["svg"](p.figure)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "compare_"+p.Name+".svg", b)
	}
}

// A plot must work for any result: draw, or say why not. Lines have at most linePoints points.
func TestPlotsOfAnyResult(t *testing.T) {
	moves := regexp.MustCompile(`[ML][0-9.-]`)
	for name, feed := range feeds {
		for _, p := range resultOf(t, feed).pictures() {
			if (p.figure == nil) != (p.reason != "") {
				t.Errorf("%s: %s: figure %v with reason %q", name, p.Name, p.figure != nil, p.reason)
			}
			if p.figure == nil {
				continue
			}
			b, err := renderers["svg"](p.figure)
			if err != nil {
				t.Fatal(err)
			}
			if err := xml.NewDecoder(bytes.NewReader(b)).Decode(&struct{}{}); err != nil {
				t.Errorf("%s: %s is not XML: %v", name, p.Name, err)
			}
			if bytes.Contains(b, []byte("NaN")) {
				t.Errorf("%s: %s has NaN in it", name, p.Name)
			}
			for _, path := range bytes.Split(b, []byte("<path")) {
				if n := len(moves.FindAll(path, -1)); n > linePoints {
					t.Errorf("%s: %s has a line of %d points", name, p.Name, n)
				}
			}
		}
	}
}

func TestPDFHasNoDate(t *testing.T) {
	f, _ := plotLocality.Draw(few.result(t))
	b, err := renderers["pdf"](f)
	if err != nil {
		t.Fatal(err)
	}
	dates := regexp.MustCompile(`\(D:([0-9]*)`).FindAllSubmatch(b, -1)
	if len(dates) == 0 {
		t.Fatal("the PDF writer puts dates elsewhere now: undated misses them")
	}
	for _, d := range dates {
		if string(d[1]) != "20000101000000" {
			t.Errorf("date %s", d[1])
		}
	}
}

func TestPageIsSelfContained(t *testing.T) {
	r := few.result(t)
	r.Jobs[0].Name = `<script>alert("job")</script>`
	r.Manifest.TraceName = `<img src=x>`
	run, err := r.page(r.pictures())
	if err != nil {
		t.Fatal(err)
	}
	c := compare(t, few.variant(t, "<b>base", 2), usual.variant(t, "other", 2))
	both, err := c.page(c.pictures())
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range map[string]string{"run": string(run), "comparison": string(both)} {
		for _, bad := range []string{"<script", "<link", "<iframe", "<img", "@import", "url(", "src=\"", "<b>base", "href=\"http"} {
			if strings.Contains(page, bad) {
				t.Errorf("page of a %s has %s in it", name, bad)
			}
		}
		if !strings.Contains(page, "<svg") || !strings.Contains(page, `name="viewport"`) {
			t.Errorf("page of a %s has no picture or no viewport", name)
		}
	}
	for _, v := range r.Values {
		if !strings.Contains(string(run), ">"+strings.NewReplacer("+", "&#43;").Replace(v.Name)+"<") {
			t.Errorf("the page does not show %s", v.Name)
		}
	}
}

// Names come from users: whatever they hold, every format is written, and SVG stays XML.
func TestPlotsOfOddNames(t *testing.T) {
	odd := few
	odd.queues = []string{"root.\x01control\xff", "root.日本語 & <b>"}
	r := odd.result(t)
	r.Jobs[0].Name = "emoji 🎉 \x00 <tag> \"quoted\""
	for _, p := range r.pictures() {
		for _, format := range Formats() {
			b, err := renderers[format](p.figure)
			if err != nil {
				t.Fatalf("%s as %s: %v", p.Name, format, err)
			}
			if format != "svg" {
				continue
			}
			d := xml.NewDecoder(bytes.NewReader(b))
			for {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%s: %v", p.Name, err)
				}
			}
		}
	}
}
