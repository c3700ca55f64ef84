package portrait

import "math/bits"

// Quantiles describe a set of whole numbers. A quantile is a value with at least that share of the numbers at or
// below it: exact up to 511, above that at most 0.4 % too low. Mean, min and max are exact. All are 0 without numbers.
type Quantiles struct {
	Count int64   `json:"count"`
	Mean  float64 `json:"mean"`
	Min   int64   `json:"min"`
	P05   int64   `json:"p05"`
	P25   int64   `json:"p25"`
	P50   int64   `json:"p50"`
	P75   int64   `json:"p75"`
	P90   int64   `json:"p90"`
	P95   int64   `json:"p95"`
	P99   int64   `json:"p99"`
	Max   int64   `json:"max"`
}

// A counter counts numbers of 0 or more in cells of equal relative width, so that any number of tasks fits in memory.
type counter struct {
	cells    []int64
	n        int64
	min, max int64
	sum      float64
}

const cellBits = 8 // cells for each power of two: 1 << cellBits

// cellOf returns the cell of v: v itself below 2^(cellBits+1), then the leading cellBits+1 bits.
func cellOf(v int64) int {
	shift := max(bits.Len64(uint64(v))-cellBits-1, 0)
	return shift<<cellBits + int(v>>shift)
}

// cellStart is the least value of a cell.
func cellStart(c int) int64 {
	shift := max(c>>cellBits-1, 0)
	return int64(c-shift<<cellBits) << shift
}

func (c *counter) add(v int64) {
	cell := cellOf(v)
	for cell >= len(c.cells) {
		c.cells = append(c.cells, make([]int64, cell+1-len(c.cells))...)
	}
	c.cells[cell]++
	if c.n == 0 || v < c.min {
		c.min = v
	}
	c.max = max(c.max, v)
	c.n++
	c.sum += float64(v)
}

func (c *counter) quantiles() Quantiles {
	if c.n == 0 {
		return Quantiles{}
	}
	q := Quantiles{Count: c.n, Mean: c.sum / float64(c.n), Min: c.min, Max: c.max}
	for _, p := range []struct {
		per100 int64
		to     *int64
	}{{5, &q.P05}, {25, &q.P25}, {50, &q.P50}, {75, &q.P75}, {90, &q.P90}, {95, &q.P95}, {99, &q.P99}} {
		rank := (c.n*p.per100 + 99) / 100 // the smallest count of numbers that is the share
		seen := int64(0)
		for cell, n := range c.cells {
			if seen += n; seen >= rank {
				*p.to = max(cellStart(cell), c.min)
				break
			}
		}
	}
	return q
}

// top is the share of the sum that the largest numbers have, one of every n of them. It is exact as far as [Quantiles] are.
func (c *counter) top(n int64) float64 {
	left, sum, all := max(1, c.n/n), 0.0, 0.0
	for cell := len(c.cells) - 1; cell >= 0; cell-- {
		all += float64(float64(c.cells[cell]) * float64(cellStart(cell)))
		sum += float64(float64(min(left, c.cells[cell])) * float64(cellStart(cell)))
		left = max(0, left-c.cells[cell])
	}
	return over(sum, all)
}

// bins counts by powers of two, from the first that is not 0 to the last.
func (c *counter) bins() (out []Bin) {
	var counts [64]int64
	for cell, n := range c.cells {
		counts[bits.Len64(uint64(cellStart(cell)))] += n
	}
	for b, n := range counts {
		if n > 0 || len(out) > 0 {
			out = append(out, Bin{int64(1) << b >> 1, n})
		}
	}
	for n := len(out); n > 0 && out[n-1].N == 0; n-- {
		out = out[:n-1]
	}
	return out
}
