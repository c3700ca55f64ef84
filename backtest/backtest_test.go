package backtest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/model"
	"replay/engine/scenario"
	"replay/report/prediction"
	"replay/trace"
	"replay/trace/importer"
	"replay/trace/importer/importtest"
	"replay/trace/importer/recorded"
	"replay/trace/importer/workload"
)

func options() Options {
	return Options{Engine: scenario.Options{Model: model.DefaultModel(), Seed: 1}, Allocation: "recorded", Latency: "recorded", Seeds: 5}
}

// recordings opens recorded applications and clusters.
func recordings(t *testing.T, paths ...string) []*Recording {
	t.Helper()
	recs, _, err := Sources(context.Background(), paths, SourceOptions{Allocation: "recorded", Import: workload.DefaultOptions(), Tmp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return recs
}

// further returns a folder of recordings from elsewhere; without the variable that names it the test is skipped.
func further(t *testing.T, folder string) string {
	t.Helper()
	const variable = "REPLAY_RECORDINGS"
	dir := os.Getenv(variable)
	if dir == "" {
		t.Skipf("%s is not set; it names a folder whose part %s would be backtested too", variable, folder)
	}
	dir = filepath.Join(dir, folder)
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return dir
}

// zeroModel has no latency and no factor.
func zeroModel() model.Model {
	return model.Model{RackPenalty: 1, AnyPenalty: 1, ReadMiBPerS: 100, FirstFactor: 1}
}

// With one executor that runs one task at a time and no latencies, an application takes as long as its
// tasks, the driver's pauses and its tail together.
func TestOneSlotIsTheSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := trace.NewJob(trace.KindSpark)
		j.AMMemMiB, j.AMVCores, j.ExecMemMiB, j.ExecVCores, j.TaskCPUs = 1024, 1, 1024, 1, 1
		j.TailMS, j.RecordedStartMS = rapid.Int64Range(0, 5000).Draw(t, "tail"), 0
		a := recorded.App{ID: "app", Name: "chain"}
		code := rapid.Int64Range(0, 5000).Draw(t, "code")
		a.ReadyMS = code
		sum := code + j.TailMS
		for i := range rapid.IntRange(1, 5).Draw(t, "stages") {
			st := trace.NewStage(int32(i), trace.StageResult)
			st.DelayMS, st.SparkJob = rapid.Int64Range(0, 3000).Draw(t, "delay"), int32(i)
			if i > 0 {
				st.After = []int32{int32(i - 1)}
			}
			sum += st.DelayMS
			for range rapid.IntRange(1, 20).Draw(t, "tasks") {
				ms := rapid.Int64Range(0, 4000).Draw(t, "duration")
				delay := rapid.Int64Range(0, 300).Draw(t, "scheduler delay")
				st.Tasks.DurationMS = append(st.Tasks.DurationMS, ms)
				st.Tasks.DeserializeMS = append(st.Tasks.DeserializeMS, 0)
				st.Tasks.SchedDelayMS = append(st.Tasks.SchedDelayMS, delay)
				st.Tasks.RecordedNode = append(st.Tasks.RecordedNode, trace.Unset)
				sum += ms + delay
			}
			j.Stages = append(j.Stages, st)
			a.Stages = append(a.Stages, recorded.Stage{SparkStage: int32(i), Attempts: 1, SubmitMS: trace.Unset, FinishMS: trace.Unset})
		}
		a.FinishMS = sum
		r := &Recording{
			Name: "chain", jobs: []*trace.Job{j}, apps: []recorded.App{a},
			executors: []trace.Executor{{VCores: 1, MemMiB: 1024, RemovedMS: trace.Unset}},
			input: scenario.Input{Nodes: []trace.Node{{Host: "a", Rack: "/r", MemMiB: 8192, VCores: 8, Present: true}},
				Queues: []trace.Queue{trace.NewQueue(0, "root.default")}, Users: []trace.User{trace.NewUser(0, "u")}},
		}
		o := options()
		o.Engine.Model = zeroModel()
		apps, _, _, err := Replay(context.Background(), r, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := apps[0]; got.PredictedMS != sum || got.Error != 0 {
			t.Fatalf("predicted %d ms, error %v, want %d ms and 0: %+v", got.PredictedMS, got.Error, sum, got)
		}
	})
}

// The bounds that docs/fidelity-spark.md claims for event logs.
func TestPredictionsOfLogs(t *testing.T) {
	predictLogs(t, "../trace/importer/testdata/spark-eventlog/eventlogs")
}

func TestPredictionsOfFurtherLogs(t *testing.T) {
	predictLogs(t, further(t, "spark-eventlogs"))
}

func predictLogs(t *testing.T, path string) {
	recs := recordings(t, path)
	leave := len(recs) > 1
	b, err := Run(context.Background(), recs, options(), false, leave)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, s *prediction.Summary, times float64) {
		t.Logf("%s: applications %.3f median, %.3f worst; stages %.3f median", what, s.Median, s.Worst, s.Stages.Median)
		if float64(s.Median) > .05*times || float64(s.Worst) > .15*times || float64(s.Stages.Median) > .10*times {
			t.Errorf("%s: want at most 5 %%, 15 %% and 10 %%, times %v", what, times)
		}
	}
	check("recorded executors", &b.Summary, 1)
	if leave {
		check("leave one out", b.LeaveOneOut, 2)
	}
}

func TestPredictionsOfClusters(t *testing.T) {
	predictClusters(t, "../traces/fair-weights", "../traces/node-lost", "../traces/drf-mixed-sizes", "../trace/importer/testdata/spark-on-yarn/locality-wait-0s")
}

func TestPredictionsOfFurtherClusters(t *testing.T) {
	predictClusters(t, further(t, "spark-on-yarn"))
}

func predictClusters(t *testing.T, paths ...string) {
	recs := recordings(t, paths...)
	for _, latency := range []string{"recorded", "model"} {
		o := options()
		o.Latency = latency
		b, err := Run(context.Background(), recs, o, false, false)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("--latency %s: %d applications, median %.3f, worst %.3f", latency, b.Summary.N, b.Summary.Median, b.Summary.Worst)
		limit := .10
		if latency == "model" {
			limit = .30
		}
		if float64(b.Summary.Median) > limit {
			t.Errorf("--latency %s: median error %.3f, want at most %.2f", latency, b.Summary.Median, limit)
		}
		if len(b.Clusters) == 0 {
			t.Error("no cluster was compared")
		}
	}
}

// The same recordings give the same bytes, and a fit is a fixed point of itself.
func TestDeterministic(t *testing.T) {
	path := "../trace/importer/testdata/spark-on-yarn/locality-wait-0s"
	var before []byte
	for range 2 {
		b, err := Run(context.Background(), recordings(t, path), options(), true, false)
		if err != nil {
			t.Fatal(err)
		}
		js, err := b.JSON()
		if err != nil {
			t.Fatal(err)
		}
		if before != nil && string(before) != string(js) {
			t.Error("two backtests of one recording differ")
		}
		before = js
	}
	recs := recordings(t, path)
	var m model.Model = model.DefaultModel()
	fit := estimated(recs)
	if err := apply(&m, fit); err != nil {
		t.Fatal(err)
	}
	for _, f := range fit {
		if m.Values()[f.Name] != f.ValueText() {
			t.Errorf("%s is %s after a fit of %s", f.Name, m.Values()[f.Name], f.ValueText())
		}
	}
	if len(fit) < 8 {
		t.Errorf("a cluster with containers gives %d parameters: %+v", len(fit), fit)
	}
}

func TestSourcesErrors(t *testing.T) {
	empty := t.TempDir()
	for _, path := range []string{empty, filepath.Join(empty, "nothing"), "../traces/uniform-micro"} {
		if _, _, err := Sources(context.Background(), []string{path}, SourceOptions{Allocation: "recorded", Import: workload.DefaultOptions(), Tmp: t.TempDir()}); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
}

// A trace that is more than its recording is taken with a warning.
func TestTracesWithMore(t *testing.T) {
	// The tasks of the log read no file; here they do, as otherwise no block is placed.
	text := string(importtest.Unpack(t, "../trace/importer/testdata/spark-eventlog/eventlogs/app-20261121064901-0000.zstd"))
	log := importtest.WriteNew(t, "app-20261121064901-0000", strings.ReplaceAll(text, `"Input Metrics":{"Bytes Read":0,`, `"Input Metrics":{"Bytes Read":1000,`))
	for _, tt := range []struct {
		change func(*workload.Options)
		want   string
	}{
		{func(*workload.Options) {}, ""},
		{func(o *workload.Options) { o.Copies, o.Blocks, o.Nodes = 3, "hdfs", 4 }, "mine: has 2 copies of applications and preferred hosts that are modelled: it is not the recording as it was"},
	} {
		opt := workload.DefaultOptions()
		opt.Out = filepath.Join(t.TempDir(), "mine")
		tt.change(&opt)
		if _, err := importer.Import(t.Context(), "spark-eventlog", []string{log}, opt); err != nil {
			t.Fatal(err)
		}
		var warned []string
		o := SourceOptions{Allocation: "recorded", Import: workload.DefaultOptions(), Tmp: t.TempDir()}
		o.Import.Warn = func(m string) { warned = append(warned, m) }
		if recs, _, err := Sources(t.Context(), []string{opt.Out}, o); err != nil || len(recs) != 1 {
			t.Fatalf("%d recordings, %v", len(recs), err)
		}
		o.Import.Warn = nil
		recs, _, err := Sources(t.Context(), []string{opt.Out}, o)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Run(t.Context(), recs, options(), false, false)
		if err != nil {
			t.Fatal(err)
		}
		if (tt.want == "") != (b.Caveats == nil) || tt.want != "" && !strings.HasPrefix(b.Caveats[0], strings.Replace(tt.want, "mine: ", "mine ", 1)) {
			t.Errorf("the report says %q, want %q", b.Caveats, tt.want)
		}
		if said := strings.Join(warned, ""); (tt.want == "") != (said == "") || !strings.HasPrefix(said, tt.want) {
			t.Errorf("warned %q, want %q", warned, tt.want)
		}
	}
}

// Applications of a cluster whose logs are not there held room that the replay gives to others, which the answer says.
func TestClusterWithoutALog(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	if err := os.CopyFS(dir, os.DirFS("../trace/importer/testdata/spark-on-yarn/locality-wait-0s")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "apps.jsonl")
	apps, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range []string{"", "mine lacks 1 of the recording's applications, without an event log: ", "mine lacks 2 of the recording's applications, without an event log: "} {
		if n > 0 {
			apps = append(apps, strings.ReplaceAll(string(apps[:bytes.IndexByte(apps, '\n')+1]), "_0001", fmt.Sprintf("_000%d", 1+n))...)
		}
		if err := os.WriteFile(file, apps, 0o644); err != nil {
			t.Fatal(err)
		}
		recs, _, err := Sources(t.Context(), []string{dir}, SourceOptions{Import: workload.DefaultOptions(), Tmp: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		b, err := Run(t.Context(), recs, options(), false, false)
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(b.Caveats, ""); (said == "") != (want == "") || !strings.HasPrefix(said, want) {
			t.Errorf("%d applications without a log: the report says %q, want %q", n, said, want)
		}
	}
}

// Of an application whose recording stops no time is predicted, and it is in no statistics.
func TestNoEnd(t *testing.T) {
	data, err := os.ReadFile("../trace/importer/testdata/spark-eventlog/eventlogs/app-20261121064901-0000.zstd")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "app-1.zstd.inprogress")
	if err := os.WriteFile(path, data[:len(data)*3/4], 0o644); err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Seeds = 1
	b, err := Run(context.Background(), recordings(t, path), o, false, false)
	if err != nil {
		t.Fatal(err)
	}
	a := b.Applications[0]
	if a.RecordedMS != trace.Unset || a.PredictedMS != trace.Unset || a.Reason != "the recording stops before the application ended" || b.Summary.N != 0 || b.Summary.Missing != 1 {
		t.Errorf("%+v, %+v", a, b.Summary)
	}
}

// Of an application that is there twice the log that has its end is taken, whichever comes first.
func TestTwice(t *testing.T) {
	data, err := os.ReadFile("../trace/importer/testdata/spark-eventlog/eventlogs/app-20261121064901-0000.zstd")
	if err != nil {
		t.Fatal(err)
	}
	for _, names := range [][2]string{{"a.zstd.inprogress", "b.zstd"}, {"b.zstd.inprogress", "a.zstd"}} {
		dir := t.TempDir()
		for i, d := range [][]byte{data[:len(data)*3/4], data} {
			if err := os.WriteFile(filepath.Join(dir, names[i]), d, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		o := SourceOptions{Allocation: "recorded", Import: workload.DefaultOptions(), Tmp: t.TempDir()}
		recs, inputs, err := Sources(context.Background(), []string{dir}, o)
		if err != nil || len(recs) != 1 || filepath.Base(recs[0].Name) != names[1] || len(inputs) != 2 {
			t.Fatalf("%v: %d recordings, %+v, %v", names, len(recs), inputs, err)
		}
		for _, in := range inputs {
			if left := filepath.Base(in.Path) == names[0]; left != (in.LeftOut == workload.Twice) || left && !strings.HasSuffix(in.Why, names[1]) {
				t.Errorf("%s: %s, %s", in.Path, in.LeftOut, in.Why)
			}
		}
		o.Import.Strict, o.Tmp = true, t.TempDir()
		if _, _, err := Sources(context.Background(), []string{dir}, o); err == nil || !strings.Contains(err.Error(), names[0]) {
			t.Errorf("%v: strict says %v", names, err)
		}
	}
}

// A recorded cluster that is there twice, under whatever name, counts once; one that shares some applications with another is told.
func TestClustersThereTwice(t *testing.T) {
	const from = "../trace/importer/testdata/spark-on-yarn/locality-wait-0s"
	dir := t.TempDir()
	for _, name := range []string{"one", "two"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	recs, inputs, err := Sources(t.Context(), []string{dir}, SourceOptions{Import: workload.DefaultOptions(), Tmp: t.TempDir()})
	if err != nil || len(recs) != 1 || len(inputs) != 2 || inputs[1].LeftOut != workload.Twice || inputs[1].Why != "its 1 application in "+filepath.Join(dir, "one")+", too" {
		t.Errorf("%d recordings, %+v, %v", len(recs), inputs, err)
	}
	var warned []string
	s := sources{clusters: map[string]string{}}
	s.Import.Warn = func(m string) { warned = append(warned, m) }
	of := func(originMS int64, ids ...string) *Recording {
		r := &Recording{originMS: originMS}
		for _, id := range ids {
			r.apps = append(r.apps, recorded.App{ID: id, StartMS: 1_000_000 - originMS})
		}
		return r
	}
	for i, r := range []*Recording{of(0, "a", "b"), of(5, "c", "b"), of(7, "d")} {
		if err := s.twice(directory{path: fmt.Sprint("week", i)}, r, fmt.Sprint("week", i)); err != nil {
			t.Errorf("recording %d: %v", i, err)
		}
	}
	if want := []string{"week1: 1 of 2 applications in week0, too, and count twice"}; !slices.Equal(warned, want) {
		t.Errorf("warned %q, want %q", warned, want)
	}
}
