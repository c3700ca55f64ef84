package synth

import (
	"math"
	"slices"
	"testing"

	"replay/trace"
)

// near fails where a figure is not within a part of the wanted one.
func near(t *testing.T, what string, got, want, part float64) {
	t.Helper()
	if !(math.Abs(got-want) <= part*math.Abs(want)) {
		t.Errorf("%s: %.4g, want %.4g within %.0f %%", what, got, want, 100*part)
	}
}

// jobsOf makes jobs of a preset without writing them.
func jobsOf(t *testing.T, p *Preset, n int) (g *Generator, jobs []*trace.Job) {
	t.Helper()
	o, err := p.with(Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	g = &Generator{Options: o, preset: p, sizing: true}
	if _, _, err := g.meta(); err != nil {
		t.Fatal(err)
	}
	for id := range int64(n) {
		jobs = append(jobs, g.job(id))
	}
	return g, jobs
}

// alibaba-2018 has the published numbers of stages, levels, tasks of a stage, durations, requests and machines of a rack.
func TestAlibabaFigures(t *testing.T) {
	g, jobs := jobsOf(t, &alibaba2018, 6000)
	stages, deep := map[int]float64{}, map[int]float64{}
	var tasks, durations []int64
	all, half := 0.0, 0.0
	for _, j := range jobs {
		n := len(j.Stages)
		stages[n]++
		all += float64(n)
		level := make([]int, n)
		for i := range j.Stages {
			s := &j.Stages[i]
			for _, p := range s.Parents {
				level[i] = max(level[i], level[p]+1)
			}
			tasks = append(tasks, int64(s.Tasks.Len()))
			durations = append(durations, s.Tasks.DurationMS[0])
			if s.TaskMilliVCores == 500 {
				half++
			}
		}
		if n == 5 {
			deep[slices.Max(level)+1]++
		}
	}
	near(t, "jobs of one stage", stages[1]/6000, .383, .05)
	near(t, "jobs of four stages", stages[4]/6000, .070, .15)
	near(t, "stages of a job", all/6000, 3.4, .05)
	near(t, "jobs of five stages on four levels", deep[4]/stages[5], .44/.98, .15)
	slices.Sort(tasks)
	slices.Sort(durations)
	for p, want := range map[float64]float64{.6: 1, .75: 4, .9: 47, .95: 176, .99: 844, .999: 3526} {
		near(t, "tasks of a stage", quantileOf(tasks, p), want, map[bool]float64{false: .15, true: .4}[p > .99])
	}
	for p, want := range map[float64]float64{.05: 1000, .25: 4000, .5: 11_500, .75: 33_000, .9: 88_000, .95: 149_000, .99: 376_000} {
		near(t, "durations of tasks", quantileOf(durations, p), want, .15)
	}
	near(t, "stages that ask for half a vcore", half/all, .42, .03)
	racks := map[int32]int64{}
	for _, n := range g.work.Machines.Nodes(g.Stream, 40_340, 0) {
		racks[n.RackID]++
	}
	var sizes []int64
	for _, n := range racks {
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	near(t, "median nodes of a rack", quantileOf(sizes, .5), 9, .12)
	near(t, "mean nodes of a rack", 40_340/float64(len(sizes)), 13.8, .1)
	if most := sizes[len(sizes)-1]; most > 47 {
		t.Errorf("a rack of %d nodes, want at most 47", most)
	}
}

// google-2019-cell has the published shares and tasks of its tiers, and mix of machines.
func TestGoogleFigures(t *testing.T) {
	g, jobs := jobsOf(t, &google2019Cell, 5000)
	tasks := map[string][]int64{}
	for _, j := range jobs {
		tasks[j.Name] = append(tasks[j.Name], j.NumTasks())
	}
	for name, want := range map[string][3]float64{"free": {.03, 1, 21}, "beb": {.55, 1, 498}, "mid": {.04, 1, 67}, "prod": {.38, 1, 3}} {
		slices.Sort(tasks[name])
		near(t, name+" jobs", float64(len(tasks[name]))/5000, want[0], .2)
		near(t, name+" median tasks", quantileOf(tasks[name], .45), want[1], .01)
		near(t, name+" 95th percentile of tasks", quantileOf(tasks[name], .95), want[2], .35)
	}
	full := 0.0
	nodes := g.work.Machines.Nodes(g.Stream, 12_000, 300)
	for _, n := range nodes {
		if n.VCores == 96 && n.MemMiB == 393216 {
			full++
		}
	}
	near(t, "machines of one NCU", full/12_000, 23.3/86, .05)
}

// The maps of facebook-2009-delay lie in the published ranges as often as was published.
func TestDelayFigures(t *testing.T) {
	_, jobs := jobsOf(t, &facebook2009Delay, 8000)
	shares := map[int64]float64{}
	bins := []int64{1, 2, 20, 60, 150, 300, 500, 1500, 5000}
	for _, j := range jobs {
		for _, b := range bins {
			if j.NumTasks() <= b {
				shares[b]++
				break
			}
		}
	}
	for i, want := range []float64{39, 16, 14, 9, 6, 6, 4, 4, 3} {
		near(t, "jobs of a range", shares[bins[i]]/8000, want/101, .1)
	}
}

// Whatever the load and the span, a calibrated preset reaches it, and a longer span begins as a shorter one.
func TestLoadAndSpan(t *testing.T) {
	short := generate(t, "facebook-2009", Options{Seed: 3, SpanMS: 600_000, Nodes: 20, Racks: 2})
	long := generate(t, "facebook-2009", Options{Seed: 3, SpanMS: 1_200_000, Nodes: 20, Racks: 2})
	for i, j := range short.JobList {
		k := long.JobList[i]
		if j.SubmitMS != k.SubmitMS || j.NumTasks() != k.NumTasks() || !slices.Equal(j.Stages[0].Tasks.Pref, k.Stages[0].Tasks.Pref) {
			t.Errorf("job %d differs", i)
		}
	}
	if n, m := len(short.JobList), len(long.JobList); n == 0 || m <= n {
		t.Errorf("%d and %d jobs", n, m)
	}
	for _, load := range []float64{0.3, 1.5} {
		m := generate(t, "facebook-2009", Options{Seed: 3, SpanMS: 3_600_000, Nodes: 20, Racks: 2, Load: load})
		var work trace.Work
		for _, j := range m.JobList {
			work.VCoreMS += trace.WorkOf(j).VCoreMS
		}
		last := m.JobList[len(m.JobList)-1].SubmitMS
		got := trace.OfferedLoad(work, trace.SizeAtStart(m.Nodes), last)
		near(t, "load", *got.VCores, load, 0.002)
		if last < 3_000_000 {
			t.Errorf("load %v: the last of %d jobs comes at %d ms of 3600000", load, len(m.JobList), last)
		}
	}
}
