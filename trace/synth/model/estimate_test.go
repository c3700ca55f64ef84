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
