package dist

import "fmt"

// Stored is a distribution as pairs of a value and its count, in order. Where there are so many different
// values that they are counted in buckets, these are told by their middle.
type Stored struct {
	Count   int64      `json:"count"`
	Sum     float64    `json:"sum"`
	Min     int64      `json:"min"`
	Max     int64      `json:"max"`
	Buckets bool       `json:"buckets,omitempty"`
	Values  [][2]int64 `json:"values"`
}

// Stored returns the distribution in the form that is kept in files. All of it is kept.
func (d *Dist) Stored() Stored {
	d.Settle()
	s := Stored{d.n, d.sum, d.min, d.max, d.counts != nil, [][2]int64{}}
	for _, r := range d.sorted() {
		s.Values = append(s.Values, [2]int64{r.v, r.n})
	}
	for i, n := range d.counts {
		if n > 0 {
			s.Values = append(s.Values, [2]int64{bucketValue(i), n})
		}
	}
	return s
}

// Dist returns the distribution. The error names it and says which count is wrong.
func (s *Stored) Dist(name string) (Dist, error) {
	d := Dist{n: s.Count, sum: s.Sum, min: s.Min, max: s.Max}
	if s.Buckets {
		d.counts = []int64{}
	}
	var n int64
	for _, v := range s.Values {
		if v[0] < 0 || v[1] < 0 {
			return d, fmt.Errorf("%s: value %d with count %d, want 0 or more", name, v[0], v[1])
		}
		if v[1] > 0 {
			d.enter(v[0], v[1])
		}
		n += v[1]
	}
	if n != s.Count {
		return d, fmt.Errorf("%s: counts sum to %d, want %d", name, n, s.Count)
	}
	return d, nil
}
