package synth

import (
	"path/filepath"
	"strings"
	"testing"

	"replay/trace"
)

// fitTo fits a preset to what another one generates.
func fitTo(t *testing.T, name string, o Options) (*Preset, string) {
	t.Helper()
	p, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "t")
	if _, err := Generate(t.Context(), dir, p, o); err != nil {
		t.Fatal(err)
	}
	fitted, err := Fit(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return fitted, dir
}

// A fit of a generated trace has the parameters that it was generated with in their intervals.
func TestFitGivesParametersBack(t *testing.T) {
	for _, tt := range []struct {
		preset string
		o      Options
		want   map[string]float64
	}{
		{"facebook-2009", Options{Seed: 2, SpanMS: 2 * dayLength, MTBFDays: 20, Set: []string{"failures.companions=0"}}, map[string]float64{
			"arrival.mean_gap_s": 14.65, "arrival.hour_lnsd": .51, "arrival.minute_var": .28, "arrival.minute_phi": .62, "arrival.follower_q": .05, "arrival.follower_mean_s": 5,
			"input.median_s": 20, "input.stage_lnsd": .9, "input.task_lnsd": .4, "locality.reread": .325, "mtbf_days": 20,
		}},
		{"alibaba-2018", Options{Seed: 2, Jobs: 3000}, map[string]float64{
			"input.median_s": 11.5, "input.stage_lnsd": 1.44, "input.task_lnsd": .45, "shuffle.median_s": 11.5, "result.stage_lnsd": 1.44,
		}},
	} {
		p, _ := fitTo(t, tt.preset, tt.o)
		found := 0
		for _, e := range p.estimates {
			t.Logf("%s %s: %.4g (%.4g to %.4g), want %v", tt.preset, e.Name, e.Value, e.Low, e.High, tt.want[e.Name])
			want, ok := tt.want[e.Name]
			if !ok {
				continue
			}
			found++
			if want < e.Low || want > e.High {
				t.Errorf("%s: %s is fitted as %.4g (%.4g to %.4g), generated with %v", tt.preset, e.Name, e.Value, e.Low, e.High, want)
			}
			if wide := e.High - e.Low; wide > 2.5*want && !strings.Contains(e.Name, "follower") {
				t.Errorf("%s: the interval of %s, %.4g to %.4g, says nothing of %v", tt.preset, e.Name, e.Low, e.High, want)
			}
		}
		if found != len(tt.want) {
			t.Errorf("%s: %d estimates of %d: %+v", tt.preset, found, len(tt.want), p.estimates)
		}
	}
}

// What a fit generates has the jobs of its trace: kinds, users, queues, tasks, work; with a load it reaches that.
func TestFitGenerates(t *testing.T) {
	p, source := fitTo(t, "facebook-2009", Options{Seed: 3, SpanMS: dayLength / 4, Nodes: 20, Racks: 2})
	before, err := trace.Load(source)
	if err != nil {
		t.Fatal(err)
	}
	var sums []string
	for range 2 {
		dir := filepath.Join(t.TempDir(), "again")
		res, err := Generate(t.Context(), dir, p, Options{Seed: 4, Jobs: 3000, Load: 2})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "load", *res.Load.VCores, 2, 0.002)
		sums = append(sums, dirSum(t, dir))
		check, err := trace.Check(t.Context(), dir, 5)
		if err != nil || !check.OK() {
			t.Fatalf("%v, %v", check, err)
		}
		after, err := trace.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(after.Nodes) != 20 || len(after.Users) != len(before.Users) || len(after.Queues) != len(before.Queues) || after.JobList[0].Kind != trace.KindMapReduce {
			t.Errorf("%d nodes, %d users, %d queues, %s", len(after.Nodes), len(after.Users), len(after.Queues), after.JobList[0].Kind)
		}
		near(t, "jobs with reduces", share(after), share(before), 0.15)
		if params := after.Generator.Params; params["fitted_to"] == "" || !strings.Contains(params["fitted.input.median_s"], "95 %") {
			t.Errorf("%v", params)
		}
	}
	if sums[0] != sums[1] {
		t.Error("the same fit gives other bytes")
	}
}

// share is that of the jobs with two stages.
func share(m *trace.MemoryTrace) float64 {
	two := 0.0
	for _, j := range m.JobList {
		if len(j.Stages) == 2 {
			two++
		}
	}
	return two / float64(len(m.JobList))
}
