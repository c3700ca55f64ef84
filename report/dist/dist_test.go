package dist

import (
	"math"
	"slices"
	"testing"

	"github.com/montanaflynn/stats"
	"pgregory.net/rapid"
)

// The library gave another median before v0.8: this holds the pin.
func TestPercentileIsType7(t *testing.T) {
	for _, tt := range []struct {
		percent, want float64
	}{{50, 2.5}, {25, 1.75}, {90, 3.7}, {100, 4}} {
		got, err := stats.Percentile(stats.Float64Data{1, 2, 3, 4}, tt.percent)
		if err != nil || math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("library's percentile %v of 1,2,3,4 is %v (%v), want %v", tt.percent, got, err, tt.want)
		}
		d := &Dist{}
		for _, v := range []int64{4, 2, 3, 1} {
			d.Add(v)
		}
		if got := d.Quantiles(tt.percent / 100)[0]; math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("quantile %v of 1,2,3,4 is %v, want %v", tt.percent/100, got, tt.want)
		}
	}
}

func TestDistAgreesWithTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(0, 1<<40), rapid.Int64Range(0, 2*smallLimit), rapid.Int64Range(0, 9)), 1, 300).Draw(t, "values")
		d, buckets := &Dist{}, &Dist{counts: []int64{}}
		var floats []float64
		for _, v := range values {
			d.Add(v)
			buckets.Add(v)
			floats = append(floats, float64(v))
		}
		ps := []float64{.01, .5, .9, .95, .99, 1}
		got, rough := d.Quantiles(ps...), buckets.Quantiles(ps...)
		for i, p := range ps {
			want, err := stats.Percentile(floats, p*100)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got[i]-want) > 1e-6*max(1, want) {
				t.Fatalf("quantile %v of %v is %v, want %v", p, values, got[i], want)
			}
			if math.Abs(rough[i]-want) > max(1e-6, want/2048) {
				t.Fatalf("quantile %v in buckets of %v is %v, want %v within 1/2048", p, values, rough[i], want)
			}
		}
		if d.Max() != buckets.Max() || d.Mean() != buckets.Mean() || d.N() != buckets.N() {
			t.Fatalf("buckets changed count, mean or maximum of %v", values)
		}
		s := d.Stored()
		back, err := s.Dist("x")
		if err != nil || back.N() != d.N() || back.Max() != d.Max() || back.Mean() != d.Mean() {
			t.Fatalf("stored and read back: %+v, error %v", back, err)
		}
		b := buckets.Stored()
		rougher, err := b.Dist("x")
		if err != nil || !b.Buckets || s.Buckets || !slices.Equal(back.Quantiles(ps...), got) || !slices.Equal(rougher.Quantiles(ps...), rough) {
			t.Fatalf("stored and read back %v has quantiles %v and in buckets %v, want %v and %v; error %v", values, back.Quantiles(ps...), rougher.Quantiles(ps...), got, rough, err)
		}
	})
}

func TestBuckets(t *testing.T) {
	last := -1
	for _, v := range []int64{0, 1, 2047, 2048, 2049, 2050, 4095, 4096, 4100, 1 << 20, 1<<20 + 511, 1<<20 + 512, 1 << 40, 1 << 62} {
		b := bucketOf(v)
		if b < last {
			t.Errorf("bucket of %d is %d, before that of a smaller value", v, b)
		}
		last = b
		if m := bucketValue(b); bucketOf(m) != b || math.Abs(float64(m-v)) > float64(v)/2048 {
			t.Errorf("bucket %d of %d has middle %d in bucket %d", b, v, m, bucketOf(m))
		}
	}
}

func TestManyValuesBecomeBuckets(t *testing.T) {
	d := &Dist{}
	for range 3 {
		for v := range int64(exactLimit) {
			d.Add(2 * (v * 7919 % exactLimit)) // each even number in another order
		}
	}
	if q := d.Quantiles(0, .5, 1); d.counts != nil || d.values+d.smalls != exactLimit || len(d.runs) != 2*exactLimit || q[0] != 0 || q[1] != exactLimit-1 || q[2] != 2*exactLimit-2 {
		t.Fatalf("%d different values, buckets %v, quantiles %v", d.values+d.smalls, d.counts != nil, q)
	}
	if d.AddN(1, 5); d.counts == nil {
		t.Fatalf("no buckets for %d and %d different values", d.values, d.smalls)
	}
	for v := range int64(exactLimit - 1) {
		d.AddN(2*v+3, 5)
	}
	d.Settle()
	if d.counts == nil || d.runs != nil || d.values+d.smalls != 0 || d.small != nil || d.N() != 8*exactLimit || d.Max() != 2*exactLimit-1 || math.Abs(d.Quantiles(.5)[0]-exactLimit) > exactLimit/2048 {
		t.Errorf("after the limit: %d values, max %v, quantiles %v", d.N(), d.Max(), d.Quantiles(.5, 1))
	}
	e := &Dist{}
	e.Add(5)
	e.Merge(d)
	if e.N() != d.N()+1 || e.Quantiles(0)[0] != 0 || e.Max() != d.Max() {
		t.Errorf("merged: %d values, least %v, max %v", e.N(), e.Quantiles(0), e.Max())
	}
}

// TestLate reads a distribution of which some values wait for their place, in every way that there is.
func TestLate(t *testing.T) {
	make := func() *Dist { // whose last values wait
		d := &Dist{}
		for v := range int64(1000) {
			d.Add(v)
		}
		for range 3 {
			d.Add(5_000)
		}
		if d.waiting == 0 {
			t.Fatal("no value waits")
		}
		return d
	}
	if q := make().Quantiles(1)[0]; q != 5_000 {
		t.Errorf("the largest value is %v, want 5000", q)
	}
	if q := make().Quantiles(999./1002, 1000./1002); q[0] != 999 || q[1] != 5_000 {
		t.Errorf("values around the first of three last ones: %v, want 999 and 5000", q)
	}
	s := make().Stored()
	if last := s.Values[len(s.Values)-1]; last != [2]int64{5_000, 3} {
		t.Errorf("stored: last %v, want 5000 three times", last)
	}
	b, err := make().MarshalBinary()
	var back Dist
	if err == nil {
		err = back.UnmarshalBinary(b)
	}
	if err != nil || back.Quantiles(1)[0] != 5_000 {
		t.Errorf("read back: %v, error %v", back.Quantiles(1), err)
	}
	into, d := make(), make()
	into.Merge(d)
	if n := into.Stored().Values; n[len(n)-1][1] != 6 {
		t.Errorf("merged: the last value is there %d times, want 6", n[len(n)-1][1])
	}
	spilled := make()
	if spilled.Spill(); spilled.Quantiles(1)[0] != 5_000 {
		t.Errorf("in buckets the largest value is %v", spilled.Quantiles(1))
	}
	spilled.Add(6_000)
	if q := spilled.Quantiles(1)[0]; q != 6_000 {
		t.Errorf("in buckets, one more: the largest value is %v, want 6000", q)
	}
	all := make()
	if all.AddAll([]int64{7_000, 7_000}); all.Quantiles(1)[0] != 7_000 || all.N() != 1005 {
		t.Errorf("two more at once: %d values, largest %v", all.N(), all.Quantiles(1))
	}
}

// BenchmarkAdd counts as many times as a replay of hours has, of up to 60,000 different values.
func BenchmarkAdd(b *testing.B) {
	d := &Dist{}
	for i := range b.N {
		d.Add(int64(uint64(i) * 0x9e3779b97f4a7c15 % 60_000))
	}
}
