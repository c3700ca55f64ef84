package sums

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTimelineKeepsSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := NewTimeline(2)
		held, counted, end := 0.0, 0.0, int64(0)
		for range rapid.IntRange(1, 30).Draw(t, "n") {
			from := rapid.Int64Range(0, 1<<24).Draw(t, "from")
			to := from + rapid.Int64Range(0, 1<<22).Draw(t, "ms")
			v := float64(rapid.IntRange(0, 100).Draw(t, "v"))
			l.Hold(0, from, to, v)
			l.Count(1, from, v)
			held += v * float64(to-from)
			counted += v
			end = max(end, to+1)
		}
		width, bins := l.Rebin(rapid.IntRange(1, 300).Draw(t, "bins"), end)
		sums := []float64{0, 0}
		for c := range bins {
			for _, v := range bins[c] {
				sums[c] += v
			}
		}
		if sums[0] != held || sums[1] != counted || width%l.width != 0 {
			t.Fatalf("sums %v, want %v and %v; width %d of buckets of %d", sums, held, counted, width, l.width)
		}
		if n := len(l.sums) / l.columns; n > mostBuckets {
			t.Fatalf("%d buckets", n)
		}
		l.Restore(l.WidthMS(), [][]float64{l.Column(1), l.Column(0)})
		if _, turned := l.Rebin(len(bins[0]), end); !slices.Equal(turned[1], bins[0]) || !slices.Equal(turned[0], bins[1]) {
			t.Fatalf("columns that change places: %v, want %v", turned, bins)
		}
	})
}

func TestTimelineByHand(t *testing.T) {
	l := NewTimeline(1)
	l.Hold(0, 50, 250, 2) // buckets of 100 ms
	if got := l.Column(0); !slices.Equal(got, []float64{100, 200, 100}) {
		t.Errorf("buckets %v", got)
	}
}

// Values that hold together are those that hold one by one, from whatever time on. (A value of 0 that holds alone leaves the buckets as they are.)
func TestHoldAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		together, single := NewTimeline(2), NewTimeline(2)
		for range rapid.IntRange(1, 10).Draw(t, "n") {
			from := rapid.Int64Range(0, 1<<20).Draw(t, "from")
			to := from + rapid.Int64Range(-5, 1<<18).Draw(t, "ms")
			values := []float64{float64(rapid.IntRange(1, 9).Draw(t, "a")), float64(rapid.IntRange(1, 9).Draw(t, "b"))}
			together.HoldAll(from, to, values)
			single.Hold(0, from, to, values[0])
			single.Hold(1, from, to, values[1])
		}
		for c := range 2 {
			_, a := together.Rebin(7, 1<<21)
			_, b := single.Rebin(7, 1<<21)
			if !slices.Equal(a[c], b[c]) {
				t.Fatalf("column %d is %v together, %v one by one", c, a[c], b[c])
			}
		}
	})
}

// stored writes a timeline by hand.
func stored(width, columns uint64, sums ...float64) []byte {
	b := binary.AppendUvarint(binary.AppendUvarint(nil, width), columns)
	for _, v := range sums {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// A timeline that is stored comes back as it was.
func TestTimelineStored(t *testing.T) {
	l := NewTimeline(2)
	l.Count(1, 250, 3)
	l.Hold(0, 50, 120, -2)
	b, err := l.MarshalBinary()
	if err != nil || !bytes.Equal(b, stored(100, 2, -100, 0, -40, 0, 0, 3)) {
		t.Fatalf("stored as % x, %v", b, err)
	}
	var again Timeline
	if err := again.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if !again.Has(2) || again.Has(1) || again.WidthMS() != 100 || !slices.Equal(again.Column(0), []float64{-100, -40}) || !slices.Equal(again.Column(1), []float64{0, 0, 3}) {
		t.Errorf("read as %v and %v by %d ms", again.Column(0), again.Column(1), again.WidthMS())
	}
	again.Count(0, 199, 1)
	if got := again.Column(0); !slices.Equal(got, []float64{-100, -39}) {
		t.Errorf("goes on as %v", got)
	}
}

func TestTimelineRefused(t *testing.T) {
	full := make([]float64, mostBuckets)
	for _, tt := range []struct {
		name string
		text []byte
		want string // in the error; empty for none
	}{
		{"nothing", nil, "ends early"},
		{"a width alone", []byte{100}, "ends early"},
		{"no bucket", stored(1, 1), ""},
		{"as many buckets and columns as there may be", stored(1, mostColumns, make([]float64, mostColumns*mostBuckets)...), ""},
		{"more buckets", stored(1, 1, append(full, 0)...), "want up to 1024 whole buckets"},
		{"more columns", stored(1, mostColumns+1), "columns"},
		{"no column", stored(1, 0), "columns"},
		{"no width", stored(0, 1), "0 ms"},
		{"a width beyond all time", stored(math.MaxInt64/mostBuckets+1, 1), "ms"},
		{"a bucket in part", stored(1, 2, 1, 2, 3), "whole buckets"},
		{"a sum in part", stored(1, 1, 1)[:9], "whole buckets"},
		{"the largest sums", stored(1, 1, math.Nextafter(1e100, 0), -math.Nextafter(1e100, 0)), ""},
		{"too large a sum", stored(1, 1, 1e100), "added and divided"},
		{"too small a sum", stored(1, 1, 1e-100), "added and divided"},
		{"no number", stored(1, 1, math.NaN()), "added and divided"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := new(Timeline).UnmarshalBinary(tt.text)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

// A timeline that gets the sums of another has its width, and goes on from there.
func TestRestore(t *testing.T) {
	l := NewTimeline(2)
	l.Count(0, 250, 7)
	l.Restore(1000, [][]float64{{1, 2, 3}})
	l.Count(1, 250, 4)
	if got := l.Column(0); l.WidthMS() != 1000 || !slices.Equal(got, []float64{1, 2, 3}) || !slices.Equal(l.Column(1), []float64{4}) {
		t.Errorf("%v and %v by %d ms, want [1 2 3] and [4] by 1000 ms", got, l.Column(1), l.WidthMS())
	}
}
