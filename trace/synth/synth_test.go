package synth

import (
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/decima"
)

func dirSum(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(h, "%s %d\n%s", e.Name(), len(data), data)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Every preset and kind gives a trace that follows all rules, the same bytes twice, and another one for another seed.
func TestPresets(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, p := range Presets {
		for _, kind := range p.Kinds {
			t.Run(p.Name+"/"+kind, func(t *testing.T) {
				base := t.TempDir()
				o := Options{Seed: 5, Jobs: 12, Nodes: 7, Racks: 3, Load: 0.5, Kind: kind, Failures: "weibull", MTBFDays: 0.02}
				var sums []string
				for i, procs := range []int{1, 2} {
					runtime.GOMAXPROCS(procs)
					dir := filepath.Join(base, fmt.Sprint(i))
					res, err := Generate(t.Context(), dir, p, o)
					if err != nil {
						t.Fatal(err)
					}
					if math.Abs(*res.Load.VCores-0.5) > 0.001 {
						t.Errorf("load %v, want 0.5", *res.Load.VCores)
					}
					check, err := trace.Check(t.Context(), dir, 5)
					if err != nil || !check.OK() {
						t.Fatalf("%v, %v", check, err)
					}
					if check.Hash != res.Hash || check.Counts != res.Counts || check.Counts.Jobs != 12 || check.Counts.NodeEvents == 0 {
						t.Errorf("checked %+v, generated %+v", check, res)
					}
					sums = append(sums, dirSum(t, dir))
				}
				if sums[0] != sums[1] {
					t.Error("the same options give other bytes")
				}
				o.Seed++
				dir := filepath.Join(base, "other")
				if _, err := Generate(t.Context(), dir, p, o); err != nil {
					t.Fatal(err)
				}
				if dirSum(t, dir) == sums[0] {
					t.Error("another seed gives the same bytes")
				}
			})
		}
	}
}

func generate(t *testing.T, name string, o Options) *trace.MemoryTrace {
	t.Helper()
	p, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "t")
	if _, err := Generate(t.Context(), dir, p, o); err != nil {
		t.Fatal(err)
	}
	m, err := trace.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The number of jobs, the load and the failures leave the other parts as they were.
func TestStreamsAreIndependent(t *testing.T) {
	few := generate(t, "tpch-decima", Options{Seed: 1, Jobs: 5})
	many := generate(t, "tpch-decima", Options{Seed: 1, Jobs: 9, Load: 2, Failures: "exponential", MTBFDays: 0.01})
	for i, j := range few.JobList {
		k := many.JobList[i]
		if j.Name != k.Name || len(j.Stages) != len(k.Stages) {
			t.Fatalf("job %d is %s with %d stages, then %s with %d", i, j.Name, len(j.Stages), k.Name, len(k.Stages))
		}
		for s := range j.Stages {
			a, b := &j.Stages[s].Tasks, &k.Stages[s].Tasks
			if !slices.Equal(a.DurationMS, b.DurationMS) || !slices.Equal(a.Pref, b.Pref) {
				t.Errorf("job %d, stage %d differs", i, s)
			}
		}
	}
	if len(few.Events) != 0 || len(many.Events) == 0 {
		t.Errorf("%d and %d node events, want none and some", len(few.Events), len(many.Events))
	}
}

// Jobs of tpch-decima have the measured task counts, and their median durations are near the measured ones.
func TestTPCHFollowsTheTable(t *testing.T) {
	if n := len(tpchQueries); n != 7*22 {
		t.Fatalf("%d queries, want 154", n)
	}
	m := generate(t, "tpch-decima", Options{Seed: 2, Jobs: 60})
	blocks := make(map[int32][]int32)
	ratios := 0.0
	large := 0
	for _, j := range m.JobList {
		var size, query int
		fmt.Sscanf(j.Name, "q%d-%dg", &query, &size)
		i := slices.IndexFunc(tpchQueries, func(q *decima.Query) bool { return q.SizeGB == float64(size) && q.Query == query })
		q := tpchQueries[i]
		if len(j.Stages) != len(q.Stages) {
			t.Fatalf("%s has %d stages, want %d", j.Name, len(j.Stages), len(q.Stages))
		}
		for k := range j.Stages {
			s, want := &j.Stages[k], &q.Stages[k]
			if s.Tasks.Len() != want.Tasks || !slices.Equal(s.Parents, want.Parents) {
				t.Errorf("%s stage %d: %d tasks, parents %v; want %d, %v", j.Name, k, s.Tasks.Len(), s.Parents, want.Tasks, want.Parents)
			}
			if want.Tasks >= 100 && want.Rest.Median > 100 {
				sorted := slices.Sorted(slices.Values(s.Tasks.DurationMS))
				ratios += float64(sorted[len(sorted)/2]) / want.Rest.Median
				large++
			}
			if len(want.Parents) > 0 {
				continue
			}
			if s.Kind != trace.StageInput || len(s.Tasks.Pref) != 3*want.Tasks {
				t.Errorf("%s stage %d is %s with %d preferences", j.Name, k, s.Kind, len(s.Tasks.Pref))
			}
			if before, ok := blocks[s.FileID]; ok && !slices.Equal(before, s.Tasks.Pref) {
				t.Errorf("file %d has other blocks in %s", s.FileID, j.Name)
			}
			blocks[s.FileID] = s.Tasks.Pref
		}
	}
	if mean := ratios / float64(large); large < 50 || math.Abs(mean-1) > 0.05 {
		t.Errorf("median durations of %d large stages are %.3f of the measured ones on average, want 1", large, mean)
	}
}

// A span holds with a load too, and the load is what was asked for: jobs that have more work than is left of it are left out.
func TestSpanAndLoad(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    Options
		left bool
	}{
		{"facebook-2009", Options{Seed: 2, Nodes: 20, SpanMS: 3_600_000, Load: 0.5}, true},
		{"facebook-2009", Options{Seed: 2, Nodes: 20, SpanMS: 6 * 3_600_000, Load: 0.5}, true},
		{"facebook-2009", Options{Seed: 1, Nodes: 40, SpanMS: 24 * 3_600_000, Load: 0.3, Diurnal: "nasa"}, false},
		{"uniform-micro", Options{SpanMS: 600_000, Load: 0.8}, false},
	} {
		p, err := Find(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		res, err := Generate(t.Context(), filepath.Join(t.TempDir(), "t"), p, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		if res.SpanMS >= tt.o.SpanMS || float64(res.SpanMS) < 0.94*float64(tt.o.SpanMS) || math.Abs(*res.Load.VCores/tt.o.Load-1) > 0.01 || res.LeftOut > 0 != tt.left {
			t.Errorf("%s %+v: the last job at %d ms, load %v, %d left out", tt.name, tt.o, res.SpanMS, *res.Load.VCores, res.LeftOut)
		}
	}
	few := generate(t, "facebook-2009", Options{Seed: 2, Nodes: 20, SpanMS: 3_600_000, Load: 0.5, Jobs: 30})
	if n, last := len(few.JobList), few.JobList[29].SubmitMS; n != 30 || last >= 3_600_000 {
		t.Errorf("%d jobs, the last at %d ms", n, last)
	}
}

// A span makes the files of a regular preset as many as its jobs.
func TestSpanOfARegularPreset(t *testing.T) {
	if m := generate(t, "uniform-micro", Options{SpanMS: 60_000}); len(m.JobList) != 6 || len(m.Files) != 6 {
		t.Errorf("%d jobs and %d files, want 6", len(m.JobList), len(m.Files))
	}
}

// Racks that nobody asked for are at most as many as the nodes.
func TestRacksFollowNodes(t *testing.T) {
	for _, p := range Presets {
		for _, nodes := range []int{1, 2, 10, 100} {
			if got, err := p.with(Options{Nodes: nodes}); err != nil || got.Racks > nodes || got.Racks < 1 && p.Defaults.Racks > 0 {
				t.Errorf("%s with %d nodes: %d racks, %v", p.Name, nodes, got.Racks, err)
			}
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    Options
		want string
	}{
		{"uniform-micro", Options{Jobs: -1}, "jobs is -1"},
		{"uniform-micro", Options{Nodes: 3, Racks: 4}, "--racks is 4"},
		{"uniform-micro", Options{Load: -1}, "load is -1"},
		{"uniform-micro", Options{Load: 1e-300}, "--load is 1e-300, want 1e-06 to 1e+06"},
		{"uniform-micro", Options{Load: math.Inf(1)}, "load is +Inf, want 1e-06 to 1e+06"},
		{"uniform-micro", Options{Load: 1e-6, Jobs: 2000}, "--load is 1e-06: the last of 2000 jobs would come after more than 100 years"},
		{"uniform-micro", Options{Jobs: math.MaxInt32}, "jobs is 2147483647, want 1 to 10000000"},
		{"uniform-micro", Options{Jobs: 1, Load: 1}, "can't be scaled"},
		{"tpch-decima", Options{Kind: "mapreduce"}, `kind is "mapreduce", want one of spark`},
		{"tpch-decima", Options{Failures: "often"}, `--failures is "often", want one of none, exponential, weibull, racks, maintenance, spot`},
		{"tpch-decima", Options{Failures: "none,spot"}, `--failures is "none,spot", want none alone`},
		{"tpch-decima", Options{Failures: "weibull,exponential"}, `--failures is "weibull,exponential", want one law`},
		{"tpch-decima", Options{Failures: "racks,maintenance,spot", MTBFDays: 3}, `mtbf is 3 days, and --failures "racks,maintenance,spot" has no law`},
		{"uniform-micro", Options{Replication: 11}, "--replication is 11, want at most the 10 nodes"},
		{"tpch-decima", Options{MTBFDays: -1}, "mtbf is -1"},
		{"tpch-decima", Options{SpanMS: -1}, "span is -1 ms"},
		{"tpch-decima", Options{Diurnal: "nasa"}, "preset tpch-decima has no parameters"},
		{"facebook-2009", Options{Diurnal: "moon"}, `diurnal is "moon", want one of flat, nasa, nasa-root`},
		{"facebook-2009", Options{Set: []string{"map.median_s"}}, `set is "map.median_s", want name=value`},
		{"facebook-2009", Options{Set: []string{"map.median=1"}}, "want one of the parameters of the preset: map.median_s, map.stage_lnsd"},
		{"facebook-2009", Options{Set: []string{"map.median_s=fast"}}, `map.median_s is "fast", want a number from 0 to`},
		{"facebook-2009", Options{SpanMS: 1}, "no job is submitted in it"},
		{"facebook-2009", Options{SpanMS: 1, Load: 0.5}, "span is 1 ms, want more: each of 1000 jobs has more work than a load of 0.5 is in it"},
	} {
		p, err := Find(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		base := t.TempDir()
		if _, err := Generate(t.Context(), filepath.Join(base, "t"), p, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %s", tt.o, err, tt.want)
		}
		if entries, _ := os.ReadDir(base); len(entries) > 0 {
			t.Errorf("%+v left %v", tt.o, entries)
		}
	}
	for _, p := range Presets {
		if _, err := Find("none"); err == nil || !strings.Contains(err.Error(), p.Name) {
			t.Errorf("Find of an unknown preset: %v, want it to name %s", err, p.Name)
		}
	}
}
