// Package dist counts times: distributions that are exact as long as they are small and take bounded memory when
// they are not, and the statistics of plain lists of numbers.
package dist

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// exactLimit is how many different values a Dist keeps as they are. Beyond it, values are counted in
// buckets whose width is at most 1/2048 of their value.
const exactLimit = 1 << 16

// smallLimit is below which values are counted beside each other: most times of a cluster's bookkeeping are less than a second, and those that are near lie near.
const smallLimit = 1 << 10

// Dist is the distribution of a set of times in milliseconds, 0 or more.
// Up to 65,536 different values it is exact; beyond, percentiles are off by at most 0.05 %, while
// count, sum, minimum and maximum stay exact. The zero value is empty and ready. After a copy was made
// both are for reading, and before it [Dist.Settle] is to be called.
type Dist struct {
	small    []int64 // while exact: how many there are of each value below smallLimit, up to the largest one or further
	runs     []run   // while exact: a hash table of the other different values, open, at most half full, its length a power of two
	values   int     // how many are in it
	smalls   int     // how many different values are in small
	counts   []int64 // by bucket, once not exact
	n        int64
	sum      float64
	min, max int64
	waiting  int             // how many values are not counted yet, see [Dist.Settle]
	late     [mostLate]int64 // these
}

// A run is a value that is there n times; none in a place of the table that is free.
type run struct{ v, n int64 }

// Add counts one value, which waits until there are some, see [Dist.Settle]. Negative values are a bug of the caller and panic when they are counted.
func (d *Dist) Add(v int64) {
	d.late[d.waiting%mostLate] = v
	if d.waiting++; d.waiting == mostLate {
		d.settle()
	}
}

// AddN counts a value n times.
func (d *Dist) AddN(v, n int64) {
	if n == 1 {
		d.Add(v)
		return
	}
	if v|n < 0 {
		panic(negative)
	}
	if n == 0 {
		return
	}
	d.Settle()
	d.extend(v, v, n, d.sum+float64(float64(v)*float64(n)))
	d.enter(v, n)
}

const negative = "dist: distribution of times got a negative value or count"

// AddAll counts some values, each once, and returns their sum.
func (d *Dist) AddAll(values []int64) (sum int64) {
	if len(values) == 0 {
		return 0
	}
	least, most := values[0], values[0]
	for _, v := range values {
		least, most, sum = min(least, v), max(most, v), sum+v
	}
	d.Settle()
	d.extend(least, most, int64(len(values)), d.sum+float64(sum))
	d.enterAll(values)
	return sum
}

// extend counts n values between two of them, and has a sum of all.
func (d *Dist) extend(least, most, n int64, sum float64) {
	if least < 0 {
		panic(negative)
	}
	if d.n == 0 || least < d.min {
		d.min = least
	}
	d.max = max(d.max, most)
	d.n += n
	d.sum = sum
}

// mostLate is how many values wait, a power of two. A long table is in no cache, and the place of a value may be anywhere in it: many that are put one after
// the other take little more time than one.
const mostLate = 32

// Settle puts the values where they belong that wait for it, as everything does that reads them. After it, several may read at a time.
func (d *Dist) Settle() {
	if d.waiting > 0 {
		d.settle()
	}
}

func (d *Dist) settle() {
	late := d.late[:d.waiting]
	d.waiting = 0
	d.AddAll(late)
}

// enterAll counts values once each in the table or the buckets.
func (d *Dist) enterAll(values []int64) {
	for {
		if d.counts != nil {
			values = d.countKnown(values)
		} else {
			values = d.findKnown(values)
		}
		if len(values) == 0 {
			return
		}
		d.enter(values[0], 1)
		values = values[1:]
	}
}

// countKnown counts values in buckets up to the first that is beyond the last bucket, and returns it and those after it.
func (d *Dist) countKnown(values []int64) []int64 {
	counts := d.counts
	for i, v := range values {
		b := bucketOf(v)
		if b >= len(counts) {
			return values[i:]
		}
		counts[b]++
	}
	return nil
}

// findKnown counts values up to the first that is not there yet, and returns it and those after it.
func (d *Dist) findKnown(values []int64) []int64 {
	small, runs := d.small, d.runs
	mask := uint64(len(runs) - 1)
	for k, v := range values {
		if v < smallLimit {
			if v >= int64(len(small)) || small[v] == 0 {
				return values[k:]
			}
			small[v]++
			continue
		}
		if len(runs) == 0 {
			return values[k:]
		}
		i := placeOf(v)
		r := &runs[i&mask]
		for r.v != v && r.n > 0 {
			i++
			r = &runs[i&mask]
		}
		if r.n == 0 {
			return values[k:]
		}
		r.n++
	}
	return nil
}

// placeOf is where in a table a value is if no other is there, modulo its length.
func placeOf(v int64) uint64 { return uint64(v) * 0x9e3779b97f4a7c15 >> 32 }

// enter counts a value n times in the tables or the buckets.
func (d *Dist) enter(v, n int64) {
	if d.counts != nil {
		d.count(v, n)
		return
	}
	if v < smallLimit {
		d.enterSmall(v, n)
		return
	}
	if 2*d.values >= len(d.runs) && d.values < exactLimit { // one more than that goes to buckets
		d.grow()
	}
	mask := uint64(len(d.runs) - 1)
	for i := placeOf(v); ; i++ {
		r := &d.runs[i&mask]
		if r.n == 0 {
			*r = run{v, n}
			d.values++
			d.keepExact()
			return
		}
		if r.v == v {
			r.n += n
			return
		}
	}
}

// enterSmall counts a value below smallLimit n times.
func (d *Dist) enterSmall(v, n int64) {
	if v >= int64(len(d.small)) {
		d.small = append(d.small, make([]int64, 1<<bits.Len64(uint64(v))-len(d.small))...)
	}
	if d.small[v] == 0 {
		d.smalls++
	}
	d.small[v] += n
	d.keepExact()
}

// keepExact leaves the tables for buckets where they have too many different values.
func (d *Dist) keepExact() {
	if d.values+d.smalls > exactLimit {
		d.spill()
	}
}

// each yields the values of the tables and how often each is there, in an order that depends on how they came.
func (d *Dist) each(yield func(v, n int64)) {
	for v, n := range d.small {
		if n > 0 {
			yield(int64(v), n)
		}
	}
	for _, r := range d.runs {
		if r.n > 0 {
			yield(r.v, r.n)
		}
	}
}

// grow makes the table four times as long: its values are few or soon many.
func (d *Dist) grow() {
	old := d.runs
	d.runs, d.values = make([]run, max(8, 4*len(old))), 0
	for _, r := range old {
		if r.n > 0 {
			d.enter(r.v, r.n)
		}
	}
}

// sorted returns the values of the tables, ascending.
func (d *Dist) sorted() []run {
	d.Settle()
	list := make([]run, 0, d.values+d.smalls)
	d.each(func(v, n int64) { list = append(list, run{v, n}) })
	slices.SortFunc(list, func(a, b run) int { return cmp.Compare(a.v, b.v) })
	return list
}

// Spill counts the values in buckets from now on, as one of many different values does.
func (d *Dist) Spill() {
	if d.Settle(); d.counts != nil {
		return
	}
	d.spill()
}

func (d *Dist) spill() {
	d.counts = make([]int64, 0, 1<<16)
	d.each(d.count)
	d.small, d.smalls, d.runs, d.values = nil, 0, nil, 0
}

func (d *Dist) count(v, n int64) {
	b := bucketOf(v)
	if b >= len(d.counts) {
		d.counts = append(d.counts, make([]int64, b+1-len(d.counts))...)
	}
	d.counts[b] += n
}

// Merge adds all values of o.
func (d *Dist) Merge(o *Dist) {
	o.Settle()
	o.each(d.AddN)
	d.Settle()
	if o.counts != nil && o.n > 0 {
		before, from := d.n, d.sum
		lo, hi := o.min, o.max
		if before > 0 {
			lo, hi = min(lo, d.min), max(hi, d.max)
		}
		d.Spill()
		for b, n := range o.counts {
			if n > 0 {
				d.count(bucketValue(b), n)
			}
		}
		d.n, d.sum, d.min, d.max = before+o.n, from+o.sum, lo, hi
	}
}

// subBits sets the resolution: values below 2^subBits have a bucket each, and each further
// power of two has 2^(subBits-1) buckets.
const subBits = 11

// bucketOf returns the bucket of v; buckets are in the order of their values.
func bucketOf(v int64) int {
	shift := max(0, bits.Len64(uint64(v))-subBits)
	return shift<<(subBits-1) + int(v>>(shift&63))
}

// bucketValue returns the middle of bucket b.
func bucketValue(b int) int64 {
	if b < 1<<subBits {
		return int64(b)
	}
	shift := b>>(subBits-1) - 1
	low := int64(b-shift<<(subBits-1)) << shift
	return low + int64(1)<<shift/2
}

// N returns how many values there are.
func (d *Dist) N() int64 {
	d.Settle()
	return d.n
}

// Mean returns the mean, NaN when empty.
func (d *Dist) Mean() float64 {
	if d.Settle(); d.n == 0 {
		return math.NaN()
	}
	return d.sum / float64(d.n)
}

// Max returns the largest value, NaN when empty.
func (d *Dist) Max() float64 {
	if d.Settle(); d.n == 0 {
		return math.NaN()
	}
	return float64(d.max)
}

// Quantiles returns the quantile at each p, 0 to 1 and rising, by linear interpolation
// between order statistics (Hyndman and Fan's type 7); NaN when empty.
func (d *Dist) Quantiles(ps ...float64) []float64 {
	out := make([]float64, len(ps))
	if d.Settle(); d.n == 0 {
		for i := range out {
			out[i] = math.NaN()
		}
		return out
	}
	at := d.orderStatistics()
	for i, p := range ps {
		h := float64(p * float64(d.n-1))
		k := int64(math.Floor(h))
		low := at(k)
		high := low
		if h > float64(k) && k+1 < d.n {
			high = at(k + 1)
		}
		out[i] = low + float64((h-float64(k))*(high-low))
	}
	return out
}

// orderStatistics returns a function that gives the k-th smallest value, counted from 0.
// k must not fall by more than one between calls.
func (d *Dist) orderStatistics() func(k int64) float64 {
	runs := d.sorted()
	n := func(b int) int64 { return runs[b].n }
	value := func(b int) int64 { return runs[b].v }
	if d.counts != nil {
		n = func(b int) int64 { return d.counts[b] }
		value = func(b int) int64 { return min(max(bucketValue(b), d.min), d.max) }
	}
	b, before := 0, int64(0)
	return func(k int64) float64 {
		for b > 0 && k < before {
			b--
			before -= n(b)
		}
		for k >= before+n(b) {
			before += n(b)
			b++
		}
		return float64(value(b))
	}
}
