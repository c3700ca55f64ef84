package policy

import (
	"math"

	"replay/policy/resource"
)

// divider is ComputeFairShares: it finds the ratio of share to weight at which the shares of one resource
// type sum to the total, by doubling and then 25 halvings, and takes the upper end of the last interval.
// So shares may sum to a little more than the total, as in YARN.
//
// Source: ComputeFairShares.
type divider struct {
	free []portion
	of   []int32 // by claim: its portion, -1 when its share is fixed
}

// portion is a run of equal claims whose shares are not fixed, in the numbers that the search needs. Sums of integers do
// not depend on how they are grouped.
type portion struct {
	weight, least, most float64
	max                 int64
	count               int64
}

// portion is the part of so many claims like this one.
func (c *Claim) portion(t int, count int64) portion {
	return portion{float64(c.Weight), float64(c.Min[t]), float64(c.Max[t]), c.Max[t], count}
}

func (p *portion) share(ratio float64) int64 {
	return resource.F2L(min(max(float64(p.weight*ratio), p.least), p.most))
}

// divide sets Share[t] of every claim.
func (d *divider) divide(total int64, claims []Claim, t int) {
	d.free, d.of = d.free[:0], d.of[:0]
	taken := int64(0)
	for i := range claims {
		c := &claims[i]
		if share, ok := fixedShare(c, t); ok {
			c.set(t, share)
			taken = satAdd(taken, share)
			d.of = append(d.of, -1)
			continue
		}
		p := c.portion(t, 1)
		if k := len(d.free) - 1; k >= 0 && p.weight == d.free[k].weight && p.least == d.free[k].least && p.max == d.free[k].max {
			d.free[k].count++
		} else {
			d.free = append(d.free, p)
		}
		d.of = append(d.of, int32(len(d.free)-1))
	}
	if len(d.free) == 0 {
		return
	}
	right := d.ratio(max(total-taken, 0))
	for i, k := range d.of {
		if k >= 0 {
			claims[i].set(t, d.free[k].share(right))
		}
	}
}

// divideEqually is divide for count claims like this one.
func (d *divider) divideEqually(total int64, claim *Claim, count int64, t int) {
	if share, ok := fixedShare(claim, t); ok {
		claim.set(t, share)
		return
	}
	d.free = append(d.free[:0], claim.portion(t, count))
	claim.set(t, d.free[0].share(d.ratio(max(total, 0))))
}

// ratio returns the ratio of share to weight at which the portions use what is free, or as much as they may.
func (d *divider) ratio(free int64) float64 {
	most := int64(0)
	for i := range d.free {
		most = satAdd(most, satMul(d.free[i].max, d.free[i].count))
	}
	goal := min(most, free)
	right := 1.0
	for d.used(right) < goal && right <= math.MaxFloat64 { // YARN has no such end: a weight that is no number holds its ResourceManager for good
		right *= 2
	}
	left := 0.0
	for range 25 {
		mid := (left + right) / 2
		used := d.used(mid)
		if used == goal {
			right = mid
			break
		}
		if used < goal {
			left = mid
		} else {
			right = mid
		}
	}
	return right
}

func (d *divider) used(ratio float64) int64 {
	sum := int64(0)
	for i := range d.free {
		p := &d.free[i]
		if sum = satAdd(sum, satMul(p.share(ratio), p.count)); sum == math.MaxInt64 {
			break
		}
	}
	return sum
}

// fixedShare returns the share of a claim that takes no part in the division.
//
// Source: ComputeFairShares.getFairShareIfFixed.
func fixedShare(c *Claim, t int) (int64, bool) {
	switch {
	case c.Max[t] <= 0 || c.Idle:
		return 0, true
	case c.Weight <= 0:
		return max(c.Min[t], 0), true
	}
	return 0, false
}

// set stores a share as Resource.setResourceValue by name: vcores are an int.
func (c *Claim) set(t int, v int64) {
	if t == resource.VCores {
		v = min(v, math.MaxInt32)
	}
	c.Share[t] = v
}

// satAdd returns a + b, MaxInt64 on an overflow in either direction, as ComputeFairShares.safeAdd.
func satAdd(a, b int64) int64 {
	s := a + b
	if (a^s)&(b^s) < 0 {
		return math.MaxInt64
	}
	return s
}

// satMul returns a taken count times as by repeated [satAdd]; a is not negative, count is positive.
func satMul(a, count int64) int64 {
	if a > math.MaxInt64/count {
		return math.MaxInt64
	}
	return a * count
}
