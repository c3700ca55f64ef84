package dist

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A distribution is the same after it was written and read, and its bytes do not depend on the order of its values.
func TestBinary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(0, 1<<40), rapid.Int64Range(0, 2*smallLimit), rapid.Int64Range(0, 9)), 0, 1000).Draw(t, "values")
		buckets := rapid.Bool().Draw(t, "buckets")
		of := func(values []int64) *Dist {
			d := &Dist{}
			for _, v := range values {
				d.Add(v)
			}
			if buckets {
				d.Spill()
			}
			return d
		}
		d, other := of(values), of(slices.Sorted(slices.Values(values)))
		text, _ := d.MarshalBinary()
		if sorted, _ := other.MarshalBinary(); !bytes.Equal(text, sorted) {
			t.Fatalf("%v are written as %x, and sorted as %x", values, text, sorted)
		}
		var back Dist
		if err := back.UnmarshalBinary(text); err != nil {
			t.Fatalf("%v are written as %x: %v", values, text, err)
		}
		if again, _ := back.MarshalBinary(); !bytes.Equal(text, again) {
			t.Fatalf("%v are written as %x and then as %x", values, text, again)
		}
		ps := []float64{0, .1, .5, .99, 1}
		a, b := d.Quantiles(ps...), back.Quantiles(ps...)
		if len(values) > 0 && (!slices.Equal(a, b) || d.Mean() != back.Mean() || d.Max() != back.Max() || d.N() != back.N()) {
			t.Fatalf("%v had quantiles %v, and has %v", values, a, b)
		}
		for i := range text { // what is cut off is no other distribution
			if err := back.UnmarshalBinary(text[:i]); err == nil && len(values) > 0 {
				t.Fatalf("%x is read without its end, after %d bytes", text, i)
			}
		}
	})
}

// Bytes of any content are refused, or those of a distribution that can be asked.
func FuzzBinary(f *testing.F) {
	d := &Dist{}
	for _, v := range []int64{3, 1, 4, 1, 5, 9, 1 << 40} {
		d.Add(v)
	}
	exact, _ := d.MarshalBinary()
	d.Spill()
	rough, _ := d.MarshalBinary()
	f.Add(exact)
	f.Add(rough)
	f.Fuzz(func(t *testing.T, b []byte) {
		var d Dist
		if d.UnmarshalBinary(b) != nil {
			return
		}
		d.Quantiles(0, .5, 1)
		text, _ := d.MarshalBinary()
		var again Dist
		if err := again.UnmarshalBinary(text); err != nil {
			t.Errorf("%x is written as %x: %v", b, text, err)
		}
	})
}
