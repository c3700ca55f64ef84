package verify

import (
	"encoding/binary"
	"errors"
	"math"

	"replay/spill"
)

// A distribution is of more numbers than memory holds, which must not be negative zero.
type distribution struct {
	sorter *spill.Sorter
	sum    float64
	err    error
}

func newDistribution() *distribution { return &distribution{sorter: spill.NewSorter()} }

func distributionOf(xs []float64) *distribution {
	d := newDistribution()
	for _, x := range xs {
		d.add(x)
	}
	return d
}

// add counts a number.
func (d *distribution) add(x float64) {
	d.sum += x
	order := math.Float64bits(x) // as bytes in the order of the numbers
	if x < 0 {
		order = ^order
	} else {
		order |= 1 << 63
	}
	d.err = errors.Join(d.err, d.sorter.Add(binary.BigEndian.AppendUint64(nil, order)))
}

// Close lets go of the file.
func (d *distribution) Close() error { return errors.Join(d.err, d.sorter.Close()) }

// mean is NaN of no numbers.
func (d *distribution) mean() float64 { return d.sum / float64(d.sorter.Len()) }

// quantiles returns those of ascending parts, by linear interpolation between order statistics (Hyndman and Fan's type 7); NaN of no numbers.
func (d *distribution) quantiles(parts ...float64) []float64 {
	out := make([]float64, len(parts))
	n := d.sorter.Len()
	for i := range out {
		out[i] = math.NaN()
	}
	at, next := int64(0), 0
	var before float64
	for record, err := range d.sorter.All() {
		if err != nil {
			d.err = errors.Join(d.err, err)
			return out
		}
		order := binary.BigEndian.Uint64(record)
		if order>>63 == 1 {
			order ^= 1 << 63
		} else {
			order = ^order
		}
		x := math.Float64frombits(order)
		for ; next < len(parts); next++ {
			h := float64(parts[next] * float64(n-1))
			k := int64(h)
			if at < min(k+1, n-1) {
				break
			}
			if out[next] = x; k < at {
				out[next] = before + float64((h-float64(k))*(x-before))
			}
		}
		at, before = at+1, x
	}
	return out
}
