package prediction

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/engine/record"
	"replay/report/reporttest"
)

// byHand is a backtest of three applications, one without a prediction, and of one cluster.
func byHand() *Report {
	r := &Report{
		Applications: []App{
			{
				Recording: "log", ID: "application_1", Name: "<b>sort", RecordedMS: 10_000, PredictedMS: 11_000, Outcome: "success",
				Jobs: []Job{{Job: 0, OK: true, RecordedMS: 9000, PredictedMS: 9900}},
				Stages: []Stage{
					{Stage: 0, Name: "map", Tasks: 4, Attempts: 1, RecordedStartMS: 500, PredictedStartMS: 500, RecordedMS: 4000, PredictedMS: 4100},
					{Stage: 1, Name: "reduce", Tasks: 2, Attempts: 2, RecordedStartMS: 4000, PredictedStartMS: 4600, RecordedMS: 5000, PredictedMS: 5800},
				},
			},
			{Recording: "log", ID: "application_2", Name: "count", RecordedMS: 20_000, PredictedMS: 19_000, Outcome: "success"},
			{Recording: "log", ID: "application_3", Name: "lost", RecordedMS: 5000, PredictedMS: -1, Outcome: "unfinished", Reason: "no node has room"},
		},
		Fit:      []Fitted{{Name: "container.launch", Value: 700, N: 12, How: "allocation to start"}},
		Model:    map[string]string{"container.launch": "700"},
		Settings: map[string]string{"seeds": "1"},
		Warnings: []string{"a warning"},
	}
	for i := range r.Applications {
		r.Applications[i].Finish()
	}
	r.Summary = Summarize(r.Applications)
	again := []App{{Name: "<b>sort", RecordedMS: 10_500}, {Name: "count", RecordedMS: 20_200}}
	r.Noise = []Noise{NewNoise("log", "again", r.Applications, again)}
	r.Clusters = []Cluster{{
		Recording:  "cluster",
		Containers: NewShares([]string{"node-local", "rack-local"}, []int64{3, 1}, []int64{1, 1}),
		Tasks:      NewShares([]string{"node-local", "any"}, []int64{8, 2}, []int64{0, 0}),
		Waits:      []Wait{NewWait("ask to allocation", []float64{300, 100, 200}, nil)},
		Executors:  Curve{StepMS: 1000, Recorded: []int32{0, 2, 2, 1}, Predicted: []int32{0, 1, 2, 2}},
	}}
	return r
}

func TestErrorsByHand(t *testing.T) {
	r := byHand()
	s := r.Summary
	for _, tt := range []struct {
		what string
		got  Ratio
		want float64
	}{
		{"error of the first", r.Applications[0].Error, .1},
		{"error of the second", r.Applications[1].Error, -.05},
		{"error without a prediction", r.Applications[2].Error, math.NaN()},
		{"median", s.Median, .075},
		{"90th percentile", s.P90, .095},
		{"worst", s.Worst, .1},
		{"applications that did not succeed", Ratio(s.Failed), 1},
		{"applications without a time, beside those", Ratio(s.Missing), 0},
		{"correlation of two pairs", s.Correlation, math.NaN()},
		{"median of stages", s.Stages.Median, (.025 + .16) / 2},
		{"worst of jobs", s.Jobs.Worst, .1},
		{"noise", r.Noise[0].Errors.Median, (.05 + .01) / 2},
		{"points of containers", r.Clusters[0].Containers.MaxPoints, 25},
		{"points without a task", r.Clusters[0].Tasks.MaxPoints, math.NaN()},
		{"median wait", r.Clusters[0].Waits[0].RecordedMS, 200},
		{"median of no wait", r.Clusters[0].Waits[0].PredictedMS, math.NaN()},
	} {
		if got := float64(tt.got); !(math.Abs(got-tt.want) < 1e-12 || math.IsNaN(got) && math.IsNaN(tt.want)) {
			t.Errorf("%s is %v, want %v", tt.what, got, tt.want)
		}
	}
	if s.N != 2 || s.Missing != 0 {
		t.Errorf("%d pairs and %d unknown, want 2 and 0", s.N, s.Missing)
	}
	if recorded, predicted := r.Clusters[0].Executors.area(); recorded != 5 || predicted != 5 {
		t.Errorf("executor time %v and %v, want 5 s each", recorded, predicted)
	}
}

// Text and page say why errors are not those of the replay alone, and the page says first how near the times are.
func TestCaveatsAreSaid(t *testing.T) {
	r := byHand()
	r.Caveats = []string{"mine has 2 copies."}
	var b bytes.Buffer
	if err := r.WriteText(&b, 0); err != nil {
		t.Fatal(err)
	}
	html, err := r.page(nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"the text": b.String(), "the page": string(html)} {
		if !strings.Contains(text, r.Caveats[0]) {
			t.Errorf("%s does not say %q", what, r.Caveats[0])
		}
	}
	if before, _, _ := strings.Cut(string(html), `<dl class="cards">`); !strings.Contains(before, "The time of 2 applications is predicted to within 7.5 % in the median, and to within 10.0 % at worst.") {
		t.Error("the page does not begin with how near the times are")
	} else if at := strings.Index(before, "1 of 3 applications did not succeed in the replay, and is in no error below."); at < 0 || at > strings.Index(before, "The time of") || !strings.Contains(before, "log lost: unfinished: no node has room") {
		t.Error("the page does not begin with what failed")
	}
	r.Summary.Missing = 3
	if said := r.sentence(); !strings.HasSuffix(said, "without an error: 3 applications more.") {
		t.Errorf("%q does not say how many applications have no error", said)
	}
}

// What is said of several copies of an application alike is said once, with how many there are.
func TestCopiesAreToldOnce(t *testing.T) {
	r := byHand()
	i := slices.IndexFunc(r.Applications, func(a App) bool { return len(a.Why) > 0 && math.Abs(float64(a.Error)) >= .05 })
	if i < 0 {
		t.Fatal("no application is far off")
	}
	r.Applications = append(r.Applications, r.Applications[i], r.Applications[i])
	var b bytes.Buffer
	if err := r.WriteText(&b, 1); err != nil {
		t.Fatal(err)
	}
	a := &r.Applications[i]
	if n := strings.Count(b.String(), "\n  "+a.Why[0]); n != 1 || !strings.Contains(b.String(), " (3 times); the largest differences:\n  "+a.Why[0]) {
		t.Errorf("%q is said %d times in\n%s", a.Why[0], n, &b)
	}
}

// An application without a prediction says why instead of an error, and names stages only where they are far off.
func TestNoPredictionIsSaid(t *testing.T) {
	r := byHand()
	a := r.Applications[0]
	a.Name, a.RecordedMS, a.PredictedMS, a.Error, a.Outcome, a.Reason = "cut", -1, -1, Ratio(math.NaN()), record.JobSucceeded, "the recording stops"
	a.Stages = []Stage{{Stage: 4, Name: "count", Tasks: 2, RecordedMS: 5000, PredictedMS: 5998}}
	for by, want := range map[int64]string{0: ": no prediction: the recording stops\n\n", 2: ": no prediction: the recording stops; the largest differences:\n  stage 4 (count, 2 tasks): recorded 5000 ms, predicted 6000 ms\n"} {
		a.Stages[0].PredictedMS = 5998 + by
		a.Why = a.explain()
		r.Applications = []App{a}
		var b bytes.Buffer
		if err := r.WriteText(&b, 1); err != nil {
			t.Fatal(err)
		}
		if text := b.String(); !strings.Contains(text, a.called()+want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestReportGolden(t *testing.T) {
	r := byHand()
	for _, details := range []int{0, 2} {
		var b bytes.Buffer
		if err := r.WriteText(&b, details); err != nil {
			t.Fatal(err)
		}
		reporttest.Golden(t, map[int]string{0: "brief.txt", 2: "backtest.txt"}[details], b.Bytes())
	}
	js, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "backtest.json", js)
	var back Report
	if err := json.Unmarshal(js, &back); err != nil {
		t.Fatal(err)
	}
	if again, err := back.JSON(); err != nil || !bytes.Equal(js, again) {
		t.Errorf("JSON read and written again is another (%v)", err)
	}
	for _, p := range r.pictures() {
		if p.Figure == nil {
			t.Fatalf("%s: no picture: %s", p.Name, p.Reason)
		}
		reporttest.GoldenPicture(t, p.Name, p.Figure)
	}
}

func TestNothingToDraw(t *testing.T) {
	empty := &Report{Clusters: []Cluster{{Recording: "cluster"}}}
	for _, p := range empty.pictures() {
		if p.Figure != nil || p.Reason == "" {
			t.Errorf("%s: drawn without data, or no reason why not", p.Name)
		}
	}
}

func TestWriteDir(t *testing.T) {
	r := byHand()
	path := filepath.Join(t.TempDir(), "b")
	for range 2 { // the second replaces the first
		if err := r.WriteDir(path, []string{"svg"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"backtest.json", "backtest.txt", "model.txt", "plots/predicted.svg", "plots/executors-1.svg"} {
		if _, err := os.Stat(filepath.Join(path, filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	page, err := os.ReadFile(filepath.Join(path, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	reporttest.SelfContained(t, page)
	if bytes.Contains(page, []byte("<b>sort")) {
		t.Error("the name of an application is taken for HTML")
	}
	if err := os.WriteFile(filepath.Join(path, "mine.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteDir(path, nil); err == nil || !strings.Contains(err.Error(), "mine.txt") {
		t.Errorf("error %v, want a refusal to lose mine.txt", err)
	}
}
