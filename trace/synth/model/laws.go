package model

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
)

// LogNormal draws from a log-normal by its median and the standard deviation of its logarithm.
func LogNormal(r *rand.Rand, median, sd float64) float64 {
	return median * math.Exp(float64(r.NormFloat64()*sd))
}

// Choice is a law of few values: pairs of a value and its weight.
type Choice [][2]float64

// Parameter names the law.
func (c *Choice) Parameter(p *Parameters, name, usage string) {
	p.pairs(name, usage+", as value:weight,…", "value:weight,… with values of 0 or more and weights that are not all 0", (*[][2]float64)(c), func(list [][2]float64) bool {
		sum := 0.0
		for _, x := range list {
			if x[0] < 0 || x[1] < 0 {
				return false
			}
			sum += x[1]
		}
		return sum > 0
	})
}

// Draw returns one of the values.
func (c Choice) Draw(r *rand.Rand) float64 {
	sum := 0.0
	for _, x := range c {
		sum += x[1]
	}
	at := float64(r.Float64() * sum)
	for _, x := range c {
		if at -= x[1]; at < 0 && x[1] > 0 {
			return x[0]
		}
	}
	return c[len(c)-1][0]
}

// Curve is a law of whole numbers of 1 or more by its quantiles, as pairs of a probability and the number up to which the draws
// lie with it. Up to the first probability it is that number; between two of them the logarithms of number and of the share
// above it are on a line; above the last one the law is Pareto's.
type Curve struct {
	Quantiles [][2]float64
	Tail      float64 // index of Pareto's law above the last one
	Most      float64
}

// Parameters names those of the curve.
func (c *Curve) Parameters(p *Parameters) {
	p.pairs("quantiles", "quantiles, as probability:number,…", "probability:number,…, both rising, probabilities below 1 and numbers of 1 or more", &c.Quantiles, func(list [][2]float64) bool {
		for i, x := range list {
			if x[0] < 0 || x[0] >= 1 || x[1] < 1 || i > 0 && (x[0] <= list[i-1][0] || x[1] < list[i-1][1]) {
				return false
			}
		}
		return len(list) > 0
	})
	p.Float("tail", &c.Tail, 0.05, 100, "index of Pareto's law above the last quantile")
	p.Float("most", &c.Most, 1, math.MaxInt32, "the largest number")
}

// Draw returns a number.
func (c *Curve) Draw(r *rand.Rand) int64 { return c.at(r.Float64()) }

func (c *Curve) at(u float64) int64 {
	q := c.Quantiles
	i := sort.Search(len(q), func(i int) bool { return u < q[i][0] })
	x := q[0][1]
	switch above := 1 - u; {
	case i == len(q):
		last := q[len(q)-1]
		x = last[1] * math.Pow(above/(1-last[0]), -1/c.Tail)
	case i > 0:
		a, b := q[i-1], q[i]
		share := math.Log(above/(1-a[0])) / math.Log((1-b[0])/(1-a[0]))
		x = a[1] * math.Pow(b[1]/a[1], share)
	}
	return int64(math.Round(min(x, c.Most)))
}

// Bins is a law of whole numbers by ranges, drawn evenly on a logarithmic scale inside them.
type Bins [][3]float64 // lowest, highest, weight

// Parameter names the law.
func (b *Bins) Parameter(p *Parameters, name, usage string) {
	p.add(name, usage+", as lowest-highest:weight,…", func() string {
		var all []string
		for _, x := range *b {
			all = append(all, number(x[0])+"-"+number(x[1])+":"+number(x[2]))
		}
		return strings.Join(all, ",")
	}, func(text string) error {
		var list Bins
		sum := 0.0
		for one := range strings.SplitSeq(text, ",") {
			lowest, rest, _ := strings.Cut(one, "-")
			highest, weight, _ := strings.Cut(rest, ":")
			var x [3]float64
			for i, part := range []string{lowest, highest, weight} {
				v, err := parse(part)
				if err != nil || v < 0 || i < 2 && v < 1 {
					return errors.New("lowest-highest:weight,… with whole numbers of 1 or more and weights")
				}
				x[i] = v
			}
			list, sum = append(list, x), sum+x[2]
		}
		if sum == 0 {
			return errors.New("a weight that is not 0")
		}
		*b = list
		return nil
	})
}

// Draw returns a number.
func (b Bins) Draw(r *rand.Rand) int64 {
	sum := 0.0
	for _, x := range b {
		sum += x[2]
	}
	at, inside := float64(r.Float64()*sum), r.Float64()
	for i, x := range b {
		if at -= x[2]; at < 0 || i == len(b)-1 {
			v := x[0] * math.Pow((x[1]+1)/x[0], inside)
			return int64(min(math.Floor(v), x[1]))
		}
	}
	panic("bins without a bin")
}

// Zipf draws ranks 0 to n-1, rank k in proportion to 1/(k+1)^s.
type Zipf struct{ upTo []float64 }

// newZipf makes the law of n ranks.
func newZipf(n int, s float64) *Zipf {
	z := &Zipf{make([]float64, n)}
	sum := 0.0
	for k := range z.upTo {
		sum += math.Pow(float64(k+1), -s)
		z.upTo[k] = sum
	}
	return z
}

// Draw returns a rank.
func (z *Zipf) Draw(r *rand.Rand) int {
	at := float64(r.Float64() * z.upTo[len(z.upTo)-1])
	i, _ := slices.BinarySearch(z.upTo, at)
	return min(i, len(z.upTo)-1)
}
