package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/montanaflynn/stats"

	"replay/engine/record"
	"replay/report/dist"
	"replay/report/metric"
	"replay/report/result"
)

func TestTQuantiles(t *testing.T) {
	// Published to ten digits; of one degree of freedom it is tan(0.475 pi), of two 0.95 / sqrt(2 * 0.975 * 0.025).
	for df, want := range map[float64]float64{
		1: 12.70620474, 2: 4.302652730, 4: 2.776445105, 9: 2.262157163, 30: 2.042272456, 1000: 1.962339081,
	} {
		if got := tQuantile(.975, df); math.Abs(got-want) > 1e-9*want {
			t.Errorf("t(.975, %v) is %v, want %v", df, got, want)
		}
	}
	// With one and two degrees of freedom the tails have a closed form.
	for _, x := range []float64{0, .3, 1, 2.5, 12, 300} {
		for df, want := range map[float64]float64{1: 1 - 2/math.Pi*math.Atan(x), 2: 1 - x/math.Sqrt(2+x*x)} {
			if got, back := tTails(x, df), tTails(-x, df); got != back || math.Abs(got-want) > 1e-10 {
				t.Errorf("tails of %v and %v with %v degrees: %v and %v, want %v", x, -x, df, got, back, want)
			}
		}
	}
}

func TestSeedsAsSource(t *testing.T) {
	// Sleep data of Student (1908): extra hours under two drugs; the classical paired answer is
	// t = -4.0621, p = 0.002833, interval -2.4599 to -0.7001.
	a := []float64{.7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2}
	b := []float64{1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4}
	ds := make([]float64, len(a))
	for i := range a {
		ds[i] = a[i] - b[i]
	}
	source := overSeeds(ds)
	e := estimated(dist.Mean(ds), source, nil)
	if low, high := e.d-e.half(1), e.d+e.half(1); math.Abs(e.p()-.002833) > 1e-6 || math.Abs(low+2.459886) > 1e-5 || math.Abs(high+.700114) > 1e-5 {
		t.Errorf("from %v to %v, p %v", low, high, e.p())
	}
	_, p, err := stats.TTest(ds, nil, 0)
	if err != nil || math.Abs(p-e.p()) > 1e-9 {
		t.Errorf("p is %v, the library says %v (%v)", e.p(), p, err)
	}
	if overSeeds([]float64{1}) != nil {
		t.Error("one seed says something of chance")
	}
	if p := estimated(0, overSeeds([]float64{0, 0}), nil).p(); p != 1 {
		t.Errorf("no difference at all has p %v", p)
	}
	if e := estimated(.1, overSeeds([]float64{.1, .1, .1}), nil); e.p() != 0 || e.half(20) != 0 {
		t.Errorf("the same difference in every seed: %+v", e)
	}
}

// The interval of a difference among m excludes 0 when its adjusted p is below the level, and only then.
func TestIntervalsAreCorrected(t *testing.T) {
	for _, m := range []int{1, 5, 40} {
		for _, d := range []float64{.1, .9, 1.4, 2.2, 3.5, 6} {
			for _, seeds := range []int{2, 5, 30} {
				e := estimated(d, &Source{.3, seeds}, &Source{.4, 50})
				if excludes := d > e.half(m); excludes != (adjusted(e.p(), m) < level) {
					t.Errorf("%v of %d with %d seeds: ± %v, adjusted p %v", d, m, seeds, e.half(m), adjusted(e.p(), m))
				}
			}
		}
	}
	if got := adjusted(.3, 7); got != 1 {
		t.Errorf("an adjusted p is %v", got)
	}
}

// simulates marks a test that draws many comparisons to count how often they are right; -short leaves it out.
func simulates(t *testing.T) {
	if testing.Short() {
		t.Skip("draws many comparisons")
	}
}

// jobsWith returns jobs whose wait for the first task is as given.
func jobsWith(waits []float64) []result.Job {
	jobs := make([]result.Job, len(waits))
	for i, w := range waits {
		jobs[i] = result.Job{Job: record.Job{ID: int64(i), FirstTask: int64(w)}}
	}
	return jobs
}

func waitOf(j *result.Job) (float64, float64, bool) { return float64(j.FirstTask), 1, true }

// coverage draws pairs of samples whose true difference is known and counts how often the
// bootstrap's interval holds it, and how often it would call it real.
func coverage(t *testing.T, p *metric.PerJob, jobs int, shift, truth float64) (covered, real float64) {
	rng := rand.New(rand.NewPCG(5, uint64(jobs)))
	const rounds = 150
	for range rounds {
		a, b := make([]float64, jobs), make([]float64, jobs)
		for i := range a {
			base := 5000 + 2000*rng.NormFloat64()
			a[i] = base + 500*rng.NormFloat64()
			b[i] = base + 500*rng.NormFloat64() + shift
		}
		one := func(xs []float64) []*sample {
			return []*sample{newSample(p, jobsWith(xs), every, func(id int64) int { return int(id) }, jobs)}
		}
		source := bootstrap([]pairing{{one(a), one(b), jobs}}, jobs)[0]
		if source == nil {
			t.Fatal("no standard error")
		}
		all := ones(jobs)
		e := estimated(one(b)[0].at(all)-one(a)[0].at(all), &Source{0, 5}, source)
		if math.Abs(e.d-truth) <= e.half(1) {
			covered++
		}
		if e.p() < level {
			real++
		}
	}
	return covered / rounds, real / rounds
}

func TestBootstrapCoverage(t *testing.T) {
	simulates(t)
	for _, tt := range []struct {
		name string
		p    *metric.PerJob
		jobs int
	}{
		{"mean, 40 jobs", &metric.PerJob{Of: waitOf}, 40},
		{"mean, 15 jobs", &metric.PerJob{Of: waitOf}, 15},
		{"median, 60 jobs", &metric.PerJob{Of: waitOf, Percent: 50}, 60},
	} {
		covered, real := coverage(t, tt.p, tt.jobs, 0, 0)
		if covered < .89 || real > .11 {
			t.Errorf("%s: no difference is covered in %.0f %% and called real in %.0f %%, want 95 and 5", tt.name, covered*100, real*100)
		}
		covered, real = coverage(t, tt.p, tt.jobs, 1500, 1500)
		if covered < .88 || real < .95 {
			t.Errorf("%s: a difference of 1500 is covered in %.0f %% and called real in %.0f %%, want 95 and nearly 100", tt.name, covered*100, real*100)
		}
	}
}

func TestSeedIntervalCoverage(t *testing.T) {
	simulates(t)
	rng := rand.New(rand.NewPCG(3, 3))
	covered, wrong := 0, 0
	const rounds = 2000
	for range rounds {
		ds := make([]float64, 5)
		for i := range ds {
			ds[i] = 3 + rng.NormFloat64()
		}
		e := estimated(dist.Mean(ds), overSeeds(ds), nil)
		if math.Abs(e.d-3) <= e.half(1) {
			covered++
		}
		for k := range ds {
			ds[k] -= 3
		}
		if estimated(dist.Mean(ds), overSeeds(ds), nil).p() < level {
			wrong++
		}
	}
	if c, w := float64(covered)/rounds, float64(wrong)/rounds; math.Abs(c-.95) > .015 || math.Abs(w-.05) > .015 {
		t.Errorf("covered %.3f, wrongly real %.3f; want .95 and .05", c, w)
	}
}

// Jobs that are too few to be sure of anything by themselves do not count as a source of chance.
func TestFewJobsAreNeverSure(t *testing.T) {
	for _, tt := range []struct {
		jobs, tested int
		want         bool
	}{{5, 1, false}, {6, 1, true}, {9, 15, false}, {10, 15, true}, {10, 26, false}} {
		if got := enough(tt.jobs, tt.tested); got != tt.want {
			t.Errorf("%d jobs among %d differences: %v, want %v", tt.jobs, tt.tested, got, tt.want)
		}
	}
}

func TestSourcesAddUp(t *testing.T) {
	// se 5, df = 25^2/(81/2+256/40) = 13.326
	e := estimated(10, &Source{3, 3}, &Source{4, 41})
	if want := 625 / (40.5 + 6.4); e.se != 5 || math.Abs(e.df-want) > 1e-12 || math.Abs(e.p()-.0662) > 1e-3 {
		t.Errorf("%+v with p %v, want se 5 and df %v", e, e.p(), want)
	}
	if e := estimated(1, &Source{2, 7}, nil); e.se != 2 || e.df != 6 {
		t.Errorf("%+v, want the seeds alone", e)
	}
}

// Differences that vary with the seed, with the job and with both are called real as rarely as they should.
func TestSourcesTogetherAreNotTooSure(t *testing.T) {
	simulates(t)
	rng := rand.New(rand.NewPCG(8, 8))
	for _, common := range []float64{0, 300, 2000} {
		for _, seeds := range []int{2, 3, 6} {
			wrong := 0
			const rounds, jobs = 150, 30
			for range rounds {
				var first, other []*sample
				ds := make([]float64, seeds)
				trait := make([]float64, jobs) // what a job does to the difference in every seed
				for i := range trait {
					trait[i] = 500 * rng.NormFloat64()
				}
				for k := range seeds {
					shift := common * rng.NormFloat64()
					a, b := make([]float64, jobs), make([]float64, jobs)
					for i := range a {
						a[i] = 50_000 + 1000*rng.NormFloat64()
						b[i] = 50_000 + 1000*rng.NormFloat64() + trait[i] + shift
						ds[k] += (float64(int64(b[i])) - float64(int64(a[i]))) / jobs
					}
					block := func(id int64) int { return int(id) }
					first = append(first, newSample(&metric.PerJob{Of: waitOf}, jobsWith(a), every, block, jobs))
					other = append(other, newSample(&metric.PerJob{Of: waitOf}, jobsWith(b), every, block, jobs))
				}
				if estimated(dist.Mean(ds), overSeeds(ds), bootstrap([]pairing{{first, other, jobs}}, jobs)[0]).p() < level {
					wrong++
				}
			}
			// Two seeds can agree by luck on what they share, as docs/metrics.md says.
			most := .1
			if seeds == 2 {
				most = .15
			}
			if share := float64(wrong) / rounds; share > most {
				t.Errorf("common %v, %d seeds: chance is called real in %.0f %%, want about 5 and at most %.0f", common, seeds, share*100, most*100)
			}
		}
	}
}
