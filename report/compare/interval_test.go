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

func TestPairedT(t *testing.T) {
	// Sleep data of Student (1908): extra hours under two drugs; the classical paired answer is
	// t = -4.0621, p = 0.002833, interval -2.4599 to -0.7001.
	a := []float64{.7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2}
	b := []float64{1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4}
	ds := make([]float64, len(a))
	for i := range a {
		ds[i] = a[i] - b[i]
	}
	i, ok := pairedT(ds)
	if !ok || math.Abs(i.P-.002833) > 1e-6 || math.Abs(i.Low+2.459886) > 1e-5 || math.Abs(i.High+.700114) > 1e-5 {
		t.Errorf("interval %+v", i)
	}
	_, p, err := stats.TTest(ds, nil, 0)
	if err != nil || math.Abs(p-i.P) > 1e-9 {
		t.Errorf("p is %v, the library says %v (%v)", i.P, p, err)
	}
	if _, ok := pairedT([]float64{1}); ok {
		t.Error("an interval from one seed")
	}
	if i, _ := pairedT([]float64{0, 0}); i.P != 1 {
		t.Errorf("no difference at all has p %v", i.P)
	}
	if i, _ := pairedT([]float64{.1, .1, .1}); i.P != 0 || i.Low != .1 || i.High != .1 {
		t.Errorf("the same difference in every seed: %+v", i)
	}
}

func TestHolm(t *testing.T) {
	got := holm([]float64{.01, .04, .03, .005})
	want := []float64{.03, .06, .06, .02}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Errorf("adjusted %v, want %v", got, want)
			break
		}
	}
	if out := holm(nil); len(out) != 0 {
		t.Errorf("adjusted %v of nothing", out)
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
			return []*sample{newSample(p, jobsWith(xs), func(id int64) int { return int(id) }, jobs)}
		}
		i := bootstrap([][]*sample{one(a)}, [][]*sample{one(b)}, jobs, jobs)[0]
		if i == nil {
			t.Fatal("no interval")
		}
		if i.Low <= truth && truth <= i.High {
			covered++
		}
		if i.P < .05 {
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
		i, _ := pairedT(ds)
		if i.Low <= 3 && 3 <= i.High {
			covered++
		}
		for k := range ds {
			ds[k] -= 3
		}
		if i, _ := pairedT(ds); i.P < .05 {
			wrong++
		}
	}
	if c, w := float64(covered)/rounds, float64(wrong)/rounds; math.Abs(c-.95) > .015 || math.Abs(w-.05) > .015 {
		t.Errorf("covered %.3f, wrongly real %.3f; want .95 and .05", c, w)
	}
}

func TestFewJobsAreNeverSure(t *testing.T) {
	one := func(xs []float64) []*sample {
		return []*sample{newSample(&metric.PerJob{Of: waitOf}, jobsWith(xs), func(id int64) int { return int(id) }, len(xs))}
	}
	i := bootstrap([][]*sample{one([]float64{1, 2, 3, 4})}, [][]*sample{one([]float64{11, 12, 13, 14})}, 4, 4)[0]
	if i.P != .125 {
		t.Errorf("four jobs of one sign have p %v, want 2^-3", i.P)
	}
}

func TestCombined(t *testing.T) {
	seeds, jobs := &Interval{P: .2, SE: 3, N: 3}, &Interval{P: .01, SE: 4, N: 41}
	// se 5, df = 25^2/(81/2+256/40) = 13.326
	if got, want := combined(10, seeds, jobs), tTails(2, 625/(40.5+6.4)); math.Abs(got-want) > 1e-12 || math.Abs(got-.0662) > 1e-3 {
		t.Errorf("p is %v, want %v", got, want)
	}
	if combined(1, seeds, nil) != .2 || combined(1, nil, jobs) != .01 || !math.IsNaN(combined(1, nil, nil)) {
		t.Error("one interval alone must keep its p")
	}
	if got := combined(5, &Interval{N: 3}, &Interval{N: 11}); got != surest(11) {
		t.Errorf("the same difference of every job in every seed has p %v", got)
	}
	if got := combined(0, &Interval{P: 1, N: 3}, &Interval{P: 1, N: 11}); got != 1 {
		t.Errorf("no difference at all has p %v", got)
	}
}

// Differences that vary with the seed, with the job and with both are called real as rarely as they should.
func TestCombinedIsNotTooSure(t *testing.T) {
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
					first = append(first, newSample(&metric.PerJob{Of: waitOf}, jobsWith(a), block, jobs))
					other = append(other, newSample(&metric.PerJob{Of: waitOf}, jobsWith(b), block, jobs))
				}
				over, _ := pairedT(ds)
				if combined(dist.Mean(ds), &over, bootstrap([][]*sample{first}, [][]*sample{other}, jobs, jobs)[0]) < .05 {
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
