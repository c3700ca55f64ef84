package dist

import "fmt"

// Stored is a distribution as pairs of a value and its count, in order. Values of a bucket
// are told by its middle.
type Stored struct {
	Count  int64      `json:"count"`
	Sum    float64    `json:"sum"`
	Min    int64      `json:"min"`
	Max    int64      `json:"max"`
	Values [][2]int64 `json:"values"`
}

// Stored returns the distribution in the form that is kept in files.
func (d *Dist) Stored() Stored {
	d.Settle()
	s := Stored{d.n, d.sum, d.min, d.max, [][2]int64{}}
	b := Dist{counts: []int64{}}
	if d.counts != nil {
		b.counts = d.counts
	} else {
		for _, r := range d.runs {
			if r.n > 0 {
				b.count(r.v, r.n)
			}
		}
	}
	for i, n := range b.counts {
		if n > 0 {
			s.Values = append(s.Values, [2]int64{bucketValue(i), n})
		}
	}
	return s
}

// Dist returns the distribution. The error names it and says which count is wrong.
func (s *Stored) Dist(name string) (Dist, error) {
	d := Dist{counts: []int64{}, n: s.Count, sum: s.Sum, min: s.Min, max: s.Max}
	var n int64
	for _, v := range s.Values {
		if v[0] < 0 || v[1] < 0 {
			return d, fmt.Errorf("%s: value %d with count %d, want 0 or more", name, v[0], v[1])
		}
		d.count(v[0], v[1])
		n += v[1]
	}
	if n != s.Count {
		return d, fmt.Errorf("%s: counts sum to %d, want %d", name, n, s.Count)
	}
	return d, nil
}
