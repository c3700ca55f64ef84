package verify

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Quantiles are those of the sorted numbers, by the definition of Hyndman and Fan's type 7.
func TestQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	parts := []float64{0, .01, .5, .9, .95, .99, 1}
	for n := range 60 {
		var xs []float64
		for range n {
			xs = append(xs, float64(r.IntN(40)-8)/4)
		}
		d := distributionOf(xs)
		got := d.quantiles(parts...)
		slices.Sort(xs)
		for i, p := range parts {
			want := math.NaN()
			if n > 0 {
				h := p * float64(n-1)
				k := int(h)
				want = xs[k]
				if k+1 < n {
					want += (h - float64(k)) * (xs[k+1] - xs[k])
				}
			}
			if got[i] != want && !(math.IsNaN(want) && math.IsNaN(got[i])) {
				t.Errorf("quantile %v of %v is %v, want %v", p, xs, got[i], want)
			}
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The violations that are named are those of the first rows, in whatever order they are found.
func TestFirstRowsAreNamed(t *testing.T) {
	v := &verifier{}
	c := v.check("rows", "a.parquet")
	for _, row := range []int64{9, 4, 12, 4, 7, 1, 30, 6, 5} {
		c.that(false, row, "column", row, "another")
	}
	r := v.report()
	var rows []int64
	for _, x := range r.Violations {
		rows = append(rows, x.Row)
	}
	if want := []int64{1, 4, 4, 5, 6}; !slices.Equal(rows, want) || r.Total != 9 || r.Checks[0].N != 9 {
		t.Errorf("of %d violations rows %v are named, want %v of 9", r.Total, rows, want)
	}
}
