// Package sums adds up quantities of a replay in memory that does not grow with its length: [Exact] to the last bit, in whatever order they come, and
// [Timeline] over time. Times are milliseconds of simulated time.
package sums

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// mostBuckets is how many buckets a timeline has at most; it then doubles their width.
const mostBuckets = 1024

// mostColumns is how many columns a stored timeline may have.
const mostColumns = 64

// A Timeline holds sums over equal buckets of time, for any number of columns.
// Memory does not depend on the length of the replay.
type Timeline struct {
	width   int64 // of a bucket, ms
	columns int
	sums    []float64 // bucket by bucket, its columns

	last       int   // bucket asked for last
	begin, end int64 // of it; what comes next is mostly there too
}

// NewTimeline returns a timeline of n columns.
func NewTimeline(n int) *Timeline { return &Timeline{width: 100, columns: n} }

// Has reports whether there is a timeline with so many columns.
func (t *Timeline) Has(columns int) bool { return t != nil && t.columns == columns }

// WidthMS is how long each bucket is.
func (t *Timeline) WidthMS() int64 { return t.width }

// bucket returns the bucket of time at, widening all buckets until it exists.
func (t *Timeline) bucket(at int64) int {
	if at >= t.begin && at < t.end {
		return t.last
	}
	for at/t.width >= mostBuckets {
		t.widen()
	}
	t.last = int(max(at, 0) / t.width)
	t.begin = int64(t.last) * t.width
	t.end = t.begin + t.width
	t.reach(t.last + 1)
	return t.last
}

// reach makes room for n buckets.
func (t *Timeline) reach(n int) {
	to := n * t.columns
	if to > cap(t.sums) { // so that a row of queues does not grow at each bucket
		t.sums = slices.Grow(t.sums, max(to, min(2*to, mostBuckets*t.columns))-len(t.sums))
	}
	if from := len(t.sums); to > from {
		t.sums = t.sums[:to]
		clear(t.sums[from:])
	}
}

// widen makes one bucket of each two.
func (t *Timeline) widen() {
	t.reach((len(t.sums)/t.columns + 1) / 2 * 2)
	half, n := len(t.sums)/t.columns/2, t.columns
	for b := range half {
		to, two := t.sums[b*n:(b+1)*n], t.sums[2*b*n:2*(b+1)*n]
		for c := range to {
			to[c] = two[c] + two[n+c]
		}
	}
	t.sums = t.sums[:half*n]
	t.width *= 2
}

// row returns the sums of a bucket.
func (t *Timeline) row(bucket int) []float64 {
	return t.sums[bucket*t.columns : (bucket+1)*t.columns]
}

// Column returns the sums of a column, up to the last one that is not 0.
func (t *Timeline) Column(c int) (sums []float64) {
	for b := range len(t.sums) / t.columns {
		if v := t.row(b)[c]; v != 0 {
			sums = append(sums, make([]float64, b-len(sums))...)
			sums = append(sums, v)
		}
	}
	return sums
}

// Restore puts in what [Timeline.WidthMS], and [Timeline.Column] of each column, returned; the other columns are 0.
func (t *Timeline) Restore(widthMS int64, columns [][]float64) {
	t.width, t.begin, t.end = widthMS, 0, 0
	clear(t.sums)
	for c, sums := range columns {
		t.reach(len(sums))
		for b, v := range sums {
			t.row(b)[c] = v
		}
	}
}

// Around returns from when to before when an instant's bucket is, until another one is asked for.
func (t *Timeline) Around(at int64) (from, to int64) {
	t.bucket(at)
	return t.begin, t.end
}

// Count adds v at one instant.
func (t *Timeline) Count(column int, at int64, v float64) {
	if at < t.begin || at >= t.end {
		t.bucket(at)
	}
	t.sums[t.last*t.columns+column] += v
}

// Hold adds a value that holds over [from, to): each bucket gets value x overlap in ms.
func (t *Timeline) Hold(column int, from, to int64, value float64) {
	if to <= from || value == 0 {
		return
	}
	last := t.bucket(to - 1)
	for b := t.bucket(from); b <= last; b++ {
		t.row(b)[column] += float64(value * float64(t.overlap(b, from, to)))
	}
}

// HoldAll holds a value in each column.
func (t *Timeline) HoldAll(from, to int64, values []float64) {
	if to <= from {
		return
	}
	last := t.bucket(to - 1)
	first := last
	if from < t.begin {
		first = t.bucket(from)
	}
	for b := first; b <= last; b++ {
		ms := float64(t.overlap(b, from, to))
		row := t.row(b)[:len(values)]
		for c, v := range values {
			row[c] += float64(v * ms)
		}
	}
}

// A Span is a time from one instant to before another, ms.
type Span struct{ From, To int64 }

// MS is how long the span is.
func (s *Span) MS() float64 { return float64(s.To - s.From) }

// HoldEach is [Timeline.HoldAll] for each of several spans.
func (t *Timeline) HoldEach(spans []Span, values []float64) {
	for i := range spans {
		s := &spans[i]
		if s.From < t.begin || s.To > t.end || s.To <= s.From {
			t.HoldAll(s.From, s.To, values)
			continue
		}
		ms := s.MS()
		row := t.row(t.last)[:len(values)]
		for c, v := range values {
			row[c] += float64(v * ms)
		}
	}
}

// overlap is how much of [from, to) is in a bucket, ms.
func (t *Timeline) overlap(b int, from, to int64) int64 {
	return min(to, int64(b+1)*t.width) - max(from, int64(b)*t.width)
}

// Rebin returns the sums of the columns over at most n equal bins of [0, end), with the width
// of a bin in ms, a multiple of the bucket width.
func (t *Timeline) Rebin(n int, end int64) (width int64, bins [][]float64) {
	buckets := int((max(end, 1) + t.width - 1) / t.width)
	per := max(1, (buckets+n-1)/n)
	bins = make([][]float64, t.columns)
	for c := range bins {
		bins[c] = make([]float64, (buckets+per-1)/per)
	}
	for b := range len(t.sums) / t.columns {
		if b/per >= len(bins[0]) {
			break
		}
		for c, v := range t.row(b) {
			bins[c][b/per] += v
		}
	}
	return t.width * int64(per), bins
}

// mostSum is more than integers of 64 bits over a time of 64 bits come to, so that no quotient of two such sums is infinite.
const mostSum = 1e100

// MarshalBinary implements [encoding.BinaryMarshaler]: width and columns, then all sums, of which each takes eight bytes.
func (t *Timeline) MarshalBinary() ([]byte, error) {
	b := make([]byte, 0, 2*binary.MaxVarintLen64+8*len(t.sums))
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(t.width)), uint64(t.columns))
	for _, v := range t.sums {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b, nil
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. The error says what no timeline has.
func (t *Timeline) UnmarshalBinary(b []byte) error {
	width, k := binary.Uvarint(b)
	columns, l := binary.Uvarint(b[max(k, 0):])
	if k <= 0 || l <= 0 {
		return fmt.Errorf("a timeline that ends early")
	}
	b = b[k+l:]
	if width == 0 || width > math.MaxInt64/mostBuckets || columns == 0 || columns > mostColumns ||
		uint64(len(b))%(8*columns) != 0 || uint64(len(b)) > 8*columns*mostBuckets {
		return fmt.Errorf("a timeline of %d columns and buckets of %d ms in %d bytes, want up to %d whole buckets", columns, width, len(b), mostBuckets)
	}
	*t = Timeline{width: int64(width), columns: int(columns), sums: make([]float64, len(b)/8)}
	for i := range t.sums {
		v := math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		if size := math.Abs(v); v != 0 && !(size > 1/mostSum && size < mostSum) {
			return fmt.Errorf("a sum of a timeline is %v, want one that can be added and divided", v)
		}
		t.sums[i] = v
	}
	return nil
}
