package result

// timelineBuckets is how many buckets a timeline has at most; it then doubles their width.
const timelineBuckets = 1024

// A Timeline holds sums over equal buckets of time, for any number of columns.
// Memory does not depend on the length of the replay.
type Timeline struct {
	width   int64 // of a bucket, ms
	columns [][]float64

	last       int   // bucket asked for last
	begin, end int64 // of it; what comes next is mostly there too

	open  []float64 // the sums of a bucket by column, while values that lie together are added to it
	which int       // that bucket plus 1, 0 for none
}

// newTimeline returns a timeline of n columns.
func newTimeline(n int) *Timeline { return &Timeline{width: 100, columns: make([][]float64, n)} }

// bucket returns the bucket of time at, widening all buckets until it exists.
func (t *Timeline) bucket(at int64) int {
	if at >= t.begin && at < t.end {
		return t.last
	}
	for at/t.width >= timelineBuckets {
		t.settle()
		for c, column := range t.columns {
			half := column[:0]
			for i := 0; i < len(column); i += 2 {
				v := column[i]
				if i+1 < len(column) {
					v += column[i+1]
				}
				half = append(half, v)
			}
			t.columns[c] = half
		}
		t.width *= 2
	}
	t.last = int(max(at, 0) / t.width)
	t.begin = int64(t.last) * t.width
	t.end = t.begin + t.width
	return t.last
}

// column returns the buckets of a column up to this one.
func (t *Timeline) column(column, bucket int) []float64 {
	c := t.columns[column]
	if bucket >= len(c) {
		c = append(c, make([]float64, bucket+1-len(c))...)
		t.columns[column] = c
	}
	return c
}

// Count adds v at one instant.
func (t *Timeline) Count(column int, at int64, v float64) {
	t.settle()
	b := t.bucket(at)
	t.column(column, b)[b] += v
}

// Hold adds a value that holds over [from, to): each bucket gets value x overlap in ms.
func (t *Timeline) Hold(column int, from, to int64, value float64) {
	if to <= from || value == 0 {
		return
	}
	t.settle()
	last := t.bucket(to - 1)
	first := t.bucket(from)
	c := t.column(column, last)
	for b := first; b <= last; b++ {
		c[b] += float64(value * float64(t.overlap(b, from, to)))
	}
}

// HoldAll holds a value in each column.
func (t *Timeline) HoldAll(from, to int64, values []float64) {
	if to <= from {
		return
	}
	last := t.bucket(to - 1)
	first := t.bucket(from)
	if first == last {
		t.opens(first)
		ms := float64(to - from)
		for c, v := range values {
			t.open[c] += float64(v * ms)
		}
		return
	}
	t.settle()
	for c, v := range values {
		if v != 0 {
			t.column(c, last)
		}
	}
	for b := first; b <= last; b++ {
		ms := float64(t.overlap(b, from, to))
		for c, v := range values {
			if v != 0 {
				t.columns[c][b] += float64(v * ms)
			}
		}
	}
}

// opens makes open the sums of a bucket.
func (t *Timeline) opens(bucket int) {
	if t.which == bucket+1 {
		return
	}
	t.settle()
	if t.open == nil {
		t.open = make([]float64, len(t.columns))
	}
	for c, column := range t.columns {
		t.open[c] = 0
		if bucket < len(column) {
			t.open[c] = column[bucket]
		}
	}
	t.which = bucket + 1
}

// settle takes the sums of the open bucket into the columns.
func (t *Timeline) settle() {
	if t.which == 0 {
		return
	}
	bucket := t.which - 1
	t.which = 0
	for c, v := range t.open {
		if v != 0 || bucket < len(t.columns[c]) {
			t.column(c, bucket)[bucket] = v
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
	t.settle()
	buckets := int((max(end, 1) + t.width - 1) / t.width)
	per := max(1, (buckets+n-1)/n)
	bins = make([][]float64, len(t.columns))
	for c, column := range t.columns {
		bins[c] = make([]float64, (buckets+per-1)/per)
		for b, v := range column {
			if b/per < len(bins[c]) {
				bins[c][b/per] += v
			}
		}
	}
	return t.width * int64(per), bins
}
