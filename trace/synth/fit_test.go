package synth

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/trace"
	"replay/trace/synth/model"
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
			"input.median_s": 20, "input.stage_lnsd": .9, "input.task_lnsd": .4, "input.straggler_p": .05, "locality.reread": .325, "mtbf_days": 20,
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

// Of a short trace with bursts the intervals hold what it was generated with, shares are at most 1, and what nothing tells of is said to be unknown.
func TestFitOfFewBursts(t *testing.T) {
	for seed := uint64(1); seed <= 3; seed++ {
		p, _ := fitTo(t, "facebook-2009", Options{Seed: seed, Jobs: 400, Nodes: 100, Set: []string{"arrival.follower_q=0.15", "arrival.follower_more=0.3"}})
		for name, want := range map[string]float64{
			"arrival.follower_q": .15, "arrival.follower_mean_s": 5, "arrival.follower_more": .3, "arrival.together_more": 0, "locality.reread": .325, "input.straggler_p": .05, "result.straggler_p": .05,
		} {
			i := slices.IndexFunc(p.estimates, func(e model.Estimate) bool { return e.Name == name })
			if i < 0 {
				t.Fatalf("no estimate of %s", name)
			}
			e := p.estimates[i]
			if e.Unknown != (name == "arrival.follower_more") || !e.Unknown && (want < e.Low || want > e.High || e.High == e.Low) || name != "arrival.follower_mean_s" && e.High > 1 {
				t.Errorf("seed %d: %s is %s, generated with %v", seed, name, e, want)
			}
		}
	}
}

// fitOf fits a trace.
func fitOf(t *testing.T, m *trace.MemoryTrace) *Preset {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "fitted")
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
	p, err := Fit(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
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

// A fit of few jobs, one of which has most tasks, has each of them as often as the trace: with as many jobs once, with twice as many twice.
func TestFitHasEachJob(t *testing.T) {
	p, source := fitTo(t, "facebook-2009", Options{Seed: 3, Jobs: 23, Nodes: 20, Racks: 2})
	before, err := trace.Load(source)
	if err != nil {
		t.Fatal(err)
	}
	sizes := func(m *trace.MemoryTrace) (list []int64) {
		for _, j := range m.JobList {
			list = append(list, j.NumTasks())
		}
		return list
	}
	want := slices.Sorted(slices.Values(sizes(before)))
	dir := filepath.Join(t.TempDir(), "again")
	if _, err := Generate(t.Context(), dir, p, Options{Seed: 9, Jobs: 46}); err != nil {
		t.Fatal(err)
	}
	after, err := trace.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := sizes(after)
	first, second := slices.Clone(all[:23]), slices.Clone(all[23:])
	if slices.Equal(first, second) {
		t.Error("the jobs come in the same order again")
	}
	for _, list := range [][]int64{first, second} {
		if slices.Sort(list); !slices.Equal(list, want) {
			t.Errorf("jobs of %v tasks, want %v", list, want)
		}
	}
	if v := after.Generator.Version; v != fitVersion {
		t.Errorf("version %s, want that of fits", v)
	}
}

// A fit has the work of its trace, also where most of it is in stages of a task or two, and the tasks of many small stages differ by orders of magnitude: tasks are drawn around the
// mean of their stage, up to the longest.
func TestFitKeepsTheWork(t *testing.T) {
	m := trace.MemoryTrace{Meta: trace.Meta{
		OriginUnixMS: trace.Unset, LocalitySource: trace.LocalityNone, DurationSource: trace.DurationRecorded,
		Nodes:  []trace.Node{{Host: "a", Rack: "/r", MemMiB: 4096, VCores: 4, Present: true}},
		Queues: []trace.Queue{trace.NewQueue(0, "root"), trace.NewQueue(1, "root.default")}, Users: []trace.User{{Name: "u", Weight: 1}},
	}}
	m.Queues[1].Parent = 0
	for i := range int64(200) {
		j := trace.NewJob(trace.KindGeneric)
		j.ID, j.SubmitMS, j.Queue, j.AMMemMiB, j.AMVCores = i, i*60_000, 1, 1024, 1
		s := trace.NewStage(0, trace.StageInput)
		s.TaskMemMiB, s.TaskVCores, s.Tasks = 1024, 1, trace.NewTasks(40)
		for k := range s.Tasks.DurationMS {
			s.Tasks.DurationMS[k] = 10 << (k % 9)
		}
		if i%10 == 0 {
			s.Tasks = trace.NewTasks(1)
			s.Tasks.DurationMS[0] = 400_000 + 5_000*i
		}
		j.Stages = []trace.Stage{s}
		m.JobList = append(m.JobList, j)
	}
	work := func(m *trace.MemoryTrace) (sum float64) {
		for _, j := range m.JobList {
			sum += trace.WorkOf(j).VCoreMS
		}
		return sum
	}
	p := fitOf(t, &m)
	out := filepath.Join(t.TempDir(), "again")
	if _, err := Generate(t.Context(), out, p, Options{Seed: 5, Jobs: 2000}); err != nil {
		t.Fatal(err)
	}
	again, err := trace.Load(out)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "work of ten times the jobs", work(again), 10*work(&m), 0.05)
}

// A trace of one job, of machines with GPUs, one of which joins late: what it does not say is said, and what it has is kept.
func TestFitOfLittle(t *testing.T) {
	gpu := []trace.NamedValue{{Name: "yarn.io/gpu", Value: 4}}
	m := trace.MemoryTrace{Meta: trace.Meta{
		OriginUnixMS: trace.Unset, LocalitySource: trace.LocalityNone, DurationSource: trace.DurationRecorded,
		Nodes: []trace.Node{
			{Host: "a", Rack: "/r", MemMiB: 4096, VCores: 4, Extra: gpu, Labels: []string{"v100"}, Present: true},
			{ID: 1, Host: "b", Rack: "/r", MemMiB: 4096, VCores: 4},
		},
		Queues: []trace.Queue{trace.NewQueue(0, "root"), trace.NewQueue(1, "root.default")}, Users: []trace.User{{Name: "u", Weight: 1}},
	}}
	m.Queues[1].Parent = 0
	m.Events = []trace.NodeEvent{trace.NewNodeEvent(5, 1, trace.Join)}
	j := trace.NewJob(trace.KindGeneric)
	j.Queue, j.AMMemMiB, j.AMVCores = 1, 1024, 1
	s := trace.NewStage(0, trace.StageInput)
	s.TaskMemMiB, s.TaskVCores, s.Extra, s.Tasks = 1024, 1, []trace.NamedValue{{Name: "yarn.io/gpu", Value: 1}}, trace.NewTasks(2)
	copy(s.Tasks.DurationMS, []int64{1000, 3000})
	j.Stages = []trace.Stage{s}
	m.JobList = []*trace.Job{j}
	p := fitOf(t, &m)
	if len(p.Unknown) != 1 || !strings.HasPrefix(p.Unknown[0], "of 1 jobs, fewer than 100,") {
		t.Errorf("%q", p.Unknown)
	}
	out := filepath.Join(t.TempDir(), "more")
	if _, err := Generate(t.Context(), out, p, Options{Seed: 1, Jobs: 9}); err == nil || !strings.Contains(err.Error(), "want --load, or --set arrival.mean_gap_s=SECONDS") {
		t.Errorf("%v", err)
	}
	if _, err := Generate(t.Context(), out, p, Options{Seed: 1, Jobs: 9, Set: []string{"arrival.mean_gap_s=60"}}); err != nil {
		t.Fatal(err)
	}
	again, err := trace.Load(out)
	if err != nil {
		t.Fatal(err)
	}
	if n := again.Nodes[0]; len(again.JobList) != 9 || len(n.Extra) != 1 || n.Extra[0] != gpu[0] || len(n.Labels) != 1 || again.JobList[8].SubmitMS < 60_000 {
		t.Errorf("%+v, %d jobs", n, len(again.JobList))
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
