package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"replay/trace"
)

// course draws submissions.
func course(t *testing.T, a Arrivals, n int, seed uint64) []int64 {
	p := a.Process(func(purpose string) *rand.Rand { return trace.Stream(seed, purpose) })
	submit, err := p.Times(1, n, math.MaxInt64)
	if err != nil {
		t.Fatal(err)
	}
	return submit
}

// closeTogether is the share of submissions with another one within a second before them, and how many share its ten seconds, on average.
func closeTogether(submit []int64) (second float64, fullest float64) {
	counts := map[int64]float64{}
	for i, at := range submit {
		if i > 0 && at-submit[i-1] < 1000 {
			second++
		}
		counts[at/10_000]++
	}
	for _, n := range counts {
		fullest += n * n
	}
	return second / float64(len(submit)), fullest / float64(len(submit))
}

// Submissions that come in bursts of seconds are fitted by a law whose courses have as many that are close together, and as full ten seconds; the parameters are given back within
// their intervals.
func TestBursts(t *testing.T) {
	outside, of := 0, 0
	for _, tt := range []struct{ gapS, q, meanS, more float64 }{
		{30, .2, .3, .95}, {30, .2, .05, .9}, {10, .5, .5, .8}, {60, .05, .2, .98}, {4, .25, 2.5, 0}, {15, .05, 5, 0},
	} {
		a := Arrivals{EvenHours: 1, Hours: Flat(24), Weekdays: Flat(7), MeanGapS: tt.gapS, HourLnSD: .3, MinuteVar: .2, MinutePhi: .4, FollowerQ: tt.q, FollowerMeanS: tt.meanS, FollowerMore: tt.more}
		submit := course(t, a, 20_000, 1)
		fitted, list := EstimateArrivals(submit, 1)
		for _, e := range list {
			want := map[string]float64{"arrival.follower_q": tt.q, "arrival.follower_mean_s": tt.meanS, "arrival.follower_more": tt.more}
			v, ok := want[e.Name]
			if !ok {
				continue
			}
			if of++; v < e.Low || v > e.High {
				outside++
				t.Logf("%+v: %s is %.4g (%.4g to %.4g), not %v", tt, e.Name, e.Value, e.Low, e.High, v)
			}
			if v < e.Low-(e.High-e.Low)/2 || v > e.High+(e.High-e.Low)/2 {
				t.Errorf("%+v: %s is %.4g (%.4g to %.4g), want %v near it", tt, e.Name, e.Value, e.Low, e.High, v)
			}
		}
		again := course(t, fitted, 20_000, 2)
		s, f := closeTogether(submit)
		as, af := closeTogether(again)
		if math.Abs(as-s) > 0.1*s || math.Abs(af-f) > 0.25*f {
			t.Errorf("%+v: %.3f within a second, %.3f after the fit; %.1f in ten seconds, %.1f", tt, s, as, f, af)
		}
	}
	if outside > 3 { // of intervals that hold 95 of 100
		t.Errorf("%d of %d parameters are outside their intervals", outside, of)
	}
}

// The profiles of days and weeks that a trace of weeks was generated with are given back, and hours do not differ by them a second time; one of flat days has none, and neither has one
// of few days.
func TestProfilesAreGivenBack(t *testing.T) {
	flat := func(list []float64) bool {
		return !slices.ContainsFunc(list, func(v float64) bool { return v != list[0] })
	}
	for _, tt := range []struct {
		day  string
		n    int
		want bool
	}{{"nasa", 20_000, true}, {"flat", 20_000, false}, {"nasa", 1500, false}} {
		day := Days[tt.day]
		a := Arrivals{EvenHours: 1, Hours: day.Hours, Weekdays: day.Weekdays, MeanGapS: 300, HourLnSD: .4}
		fitted, _ := EstimateArrivals(course(t, a, tt.n, 1), 1)
		if flat(fitted.Hours) == tt.want || flat(fitted.Weekdays) == tt.want {
			t.Errorf("%s, %d submissions: hours %.2f, weekdays %.2f", tt.day, tt.n, fitted.Hours, fitted.Weekdays)
		}
		if !tt.want {
			continue
		}
		for _, x := range []struct{ got, want []float64 }{{fitted.Hours, day.Hours}, {fitted.Weekdays, day.Weekdays}} {
			for i, v := range x.got {
				if want := profile(x.want, i); math.Abs(v-want) > 0.1+0.15*want {
					t.Errorf("entry %d is %.3f, want %.3f", i, v, want)
				}
			}
		}
		if math.Abs(fitted.HourLnSD-a.HourLnSD) > 0.15 {
			t.Errorf("hours differ by %.3f beyond the profiles, want %.3f", fitted.HourLnSD, a.HourLnSD)
		}
	}
}

// Submissions of which many come at the same time, as those of a source that counts seconds, are fitted by as many that do, and their counts disperse as much; where few do, none are.
func TestTogether(t *testing.T) {
	a := Arrivals{EvenHours: 1, Hours: Flat(24), Weekdays: Flat(7), MeanGapS: 2, HourLnSD: .2, FollowerQ: .1, FollowerMeanS: 3, TogetherMore: .8}
	submit := course(t, a, 20_000, 1)
	if gap := float64(submit[len(submit)-1]) / 1000 / float64(len(submit)); math.Abs(gap-2) > .3 {
		t.Errorf("mean gap is %.2f s, want 2", gap)
	}
	fitted, _ := EstimateArrivals(submit, 1)
	s, f := closeTogether(submit)
	as, af := closeTogether(course(t, fitted, 20_000, 2))
	if math.Abs(fitted.TogetherMore-.8) > .02 || math.Abs(as-s) > 0.05*s || math.Abs(af-f) > 0.2*f {
		t.Errorf("%+v: %.3f within a second, %.3f after the fit; %.1f in ten seconds, %.1f", fitted, s, as, f, af)
	}
	a.TogetherMore = 0
	if fitted, _ := EstimateArrivals(course(t, a, 20_000, 1), 1); fitted.TogetherMore != 0 {
		t.Errorf("%+v", fitted)
	}
}

// The share of stragglers is given back within its interval, whatever the spread of the others and however short the stages: stragglers move the median and the spread too.
func TestStragglersAreGivenBack(t *testing.T) {
	outside, of := 0, 0
	for _, n := range []int{8, 20, 200} {
		for _, sd := range []float64{.2, .6} {
			for _, p := range []float64{0, .05, .15} {
				sum := 0.0
				for seed := range uint64(4) {
					r, straggling := trace.Stream(seed, "tasks"), trace.Stream(seed, "stragglers")
					d, s := Durations{MedianS: 20, StageLnSD: .9, TaskLnSD: sd, MostS: 86_400}, Stragglers{P: p, Low: 1.5, Alpha: 1.6, Cap: 10}
					var sample DurationSample
					for range 8000 / n {
						ms := make([]int64, n)
						d.Fill(r, straggling, d.Stage(r), &s, ms)
						sample.Add(ms)
					}
					_, _, list := sample.Estimate("x")
					e := list[slices.IndexFunc(list, func(e Estimate) bool { return e.Name == "x.straggler_p" })]
					sum += e.Value / 4
					if of++; p < e.Low || p > e.High {
						outside++
						t.Logf("%d tasks, %v: %s, want %v", n, sd, e, p)
					}
				}
				if math.Abs(sum-p) > .005+.15*p+.02*sd {
					t.Errorf("%d tasks a stage of spread %v: %.4f straggle, want %v", n, sd, sum, p)
				}
			}
		}
	}
	if outside > 4 { // of intervals that hold 95 of 100
		t.Errorf("%d of %d are outside their intervals", outside, of)
	}
}

// The interval of a share is that of Clopper and Pearson: of 0 of 400 up to 0.92 %, of 3 of 10 as tables have it.
func TestShare(t *testing.T) {
	for _, tt := range []struct{ k, n, low, high float64 }{{0, 400, 0, .00918}, {400, 400, 1 - .00918, 1}, {3, 10, .0667, .6525}} {
		if e := Share("x", tt.k, tt.n); math.Abs(e.Low-tt.low) > 1e-4 || math.Abs(e.High-tt.high) > 1e-4 || e.Value != tt.k/tt.n {
			t.Errorf("%v of %v: %s, want %v to %v", tt.k, tt.n, e, tt.low, tt.high)
		}
	}
	if text := (Estimate{Value: .5, Unknown: true}).String(); text != "0.5 (95 %: not known)" {
		t.Error(text)
	}
}
