package portrait

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/report/figure"
	"replay/trace"
	"replay/trace/portrait"
)

// sample is a portrait with all that there is a picture of.
func sample() *portrait.Portrait {
	load := .25
	p := &portrait.Portrait{
		Name: "<week>", SpanMS: 2000, Cluster: trace.Size{Nodes: 10, VCores: 10, MemMiB: 100}, Counts: trace.Counts{Jobs: 4, Stages: 8, Tasks: 100, Nodes: 10},
		Events: []trace.KindCount{{Kind: "fail", Count: 2}}, Load: trace.Offered{VCores: &load}, Held: &portrait.Held{Jobs: 1, Tasks: .5},
		Sizes: []portrait.Bin{{From: 16, N: 3}, {From: 32, N: 1}}, Durations: []portrait.Bin{{From: 1024, N: 100}},
		TasksPerJob: portrait.Quantiles{Count: 4, Mean: 25, P50: 20}, Queues: []portrait.Queue{{Path: "root.<b>", Jobs: 4}},
	}
	p.Arrivals.ByHour = make([]int64, 24)
	p.Shapes.Others, p.Shapes.Single = 3, 1
	p.Shapes.Stages, p.Shapes.Depths = []portrait.Share{{N: 1, Jobs: 1}, {N: 2, Jobs: 3}}, []portrait.Share{{N: 1, Jobs: 4}}
	for i := range 3 {
		p.Timeline = append(p.Timeline, portrait.Slot{StartMS: int64(i) * 1000, Jobs: int64(i), Nodes: 10 - int64(i), Work: trace.Work{VCoreMS: float64(i) * 5000, MemMiBMS: 1000}})
	}
	return p
}

func TestPictures(t *testing.T) {
	for _, f := range pictures(sample()) {
		if f.Figure == nil {
			t.Errorf("%s: %s", f.Name, f.Reason)
			continue
		}
		for _, format := range figure.Formats() {
			a, err := f.Figure.Render(format)
			if err != nil || len(a) < 500 {
				t.Errorf("%s, %s: %d bytes, %v", f.Name, format, len(a), err)
			}
			if b, err := f.Figure.Render(format); err != nil || !bytes.Equal(a, b) {
				t.Errorf("%s, %s: drawn twice, bytes differ; %v", f.Name, format, err)
			}
		}
	}
	for _, f := range pictures(&portrait.Portrait{}) {
		if f.Figure != nil || f.Reason == "" {
			t.Errorf("%s: a picture of nothing, or no reason", f.Name)
		}
	}
	if _, err := Load(sample(), "gif"); err == nil {
		t.Error("a figure in an unknown format")
	}
}

func TestWriteDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p")
	if err := WriteDir(dir, sample(), []string{"svg"}, []string{"trace", "info", "week"}); err != nil {
		t.Fatal(err)
	}
	html, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Portrait of &lt;week&gt;", "replay trace info week", "25.0 %", "root.&lt;b&gt;", "75.0 %", "<svg", "an unknown share"} {
		if !bytes.Contains(html, []byte(want)) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, name := range []string{"portrait.json", "portrait.txt", "plots/load.svg", "plots/stages.svg"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || len(data) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	empty := &portrait.Portrait{Name: "empty"}
	if err := WriteDir(dir, empty, nil, nil); err != nil {
		t.Fatalf("of nothing: %v", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil || !strings.Contains(string(text), "No picture of Offered load over time: all jobs are submitted at one time.") {
		t.Errorf("%v", err)
	}
}
