package ideal

import (
	"io"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// arrivals are jobs of one task each: exponential gaps and durations.
type arrivals struct {
	r            *rand.Rand
	left         int
	id           int64
	at, gap, len float64 // ms
}

func (a *arrivals) Next() (*trace.Job, error) {
	if a.left == 0 {
		return nil, io.EOF
	}
	a.left--
	a.at += a.r.ExpFloat64() * a.gap
	j := trace.Job{ID: a.id, SubmitMS: int64(a.at), Kind: trace.KindGeneric, TailMS: trace.Unset, Stages: []trace.Stage{{TaskVCores: 1, DelayMS: trace.Unset}}}
	j.Stages[0].Tasks.DurationMS = []int64{int64(a.r.ExpFloat64() * a.len)}
	a.id++
	return &j, nil
}

// waits sums the waits of tasks after the first ones.
type waits struct {
	kept
	skip             int64
	n, waited, total float64
}

func (w *waits) Job(*record.Job)             {}
func (w *waits) Container(*record.Container) {}
func (w *waits) Sample(*record.Sample)       {}
func (w *waits) Task(r *record.Task) {
	if r.Job < w.skip {
		return
	}
	w.n++
	w.total += float64(r.Launch - r.Ready)
	if r.Launch > r.Ready {
		w.waited++
	}
}

// The waits of exponential tasks that arrive at random are those of M/M/c: the share that waits is Erlang's C, the mean wait in service
// times is C / (c (1 - rho)). Means of twenty replays lie within the 99 % interval of Student's t.
//
// Source: L. Kleinrock, Queueing Systems, volume 1, 1975, section 3.5.
func TestQueueingTheory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // a million small jobs
	const replays, service, student = 20, 1e6, 2.861
	for _, tt := range []struct {
		servers               int
		load                  float64
		tasks                 int
		waits, wait           float64
		loosestWaits, loosest float64 // a wide interval would hold anything
	}{
		{10, 0.8, 15_000, 0.4092, 0.2046, 0.02, 0.03},
		{16, 0.9, 30_000, 0.5913, 0.3696, 0.03, 0.06},
		{100, 0.95, 30_000, 0.5065, 0.1013, 0.05, 0.03},
	} {
		var shares, means []float64
		for seed := range uint64(replays) {
			source := &arrivals{r: rand.New(rand.NewPCG(seed, uint64(tt.servers))), left: tt.tasks, gap: service / (tt.load * float64(tt.servers)), len: service}
			sc := resolve(t, nodesOf([2]int64{int64(tt.servers), 1 << 30}), nil, source, scenario.Options{SeriesMS: 1 << 40})
			w := &waits{skip: int64(tt.tasks / 5)}
			if _, err := Run(t.Context(), sc, w, watch()); err != nil {
				t.Fatal(err)
			}
			shares, means = append(shares, w.waited/w.n), append(means, w.total/w.n/service)
		}
		for _, m := range []struct {
			what          string
			got           []float64
			want, loosest float64
		}{{"share that waits", shares, tt.waits, tt.loosestWaits}, {"mean wait", means, tt.wait, tt.loosest}} {
			mean, half := interval(m.got, student)
			t.Logf("c = %d, rho = %v: %s %.4f ± %.4f, theory %.4f", tt.servers, tt.load, m.what, mean, half, m.want)
			if math.Abs(mean-m.want) > half || half > m.loosest {
				t.Errorf("c = %d, rho = %v: %s %.4f ± %.4f, want %.4f, and at most ± %v", tt.servers, tt.load, m.what, mean, half, m.want, m.loosest)
			}
		}
	}
}

// interval returns the mean and so many standard errors of it.
func interval(xs []float64, errors float64) (mean, half float64) {
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	squares := 0.0
	for _, x := range xs {
		squares += (x - mean) * (x - mean)
	}
	n := float64(len(xs))
	return mean, errors * math.Sqrt(squares/(n-1)/n)
}
