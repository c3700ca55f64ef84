package sweep

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// dim is one of the things in which cells differ.
type dim struct {
	name   string
	levels []string // in the order of the plan
	of     func(*Cell) string
	xs     []float64 // the levels as numbers of one unit, nil where they are none
	unit   string
}

// unset is a level without a value: the setting is left as it is.
const unset = "as it is"

// dimensions are those with two levels or more. Of settings whose values go together the first stands for all.
func (m *Merged) dimensions() (dims []dim) {
	add := func(name string, of func(*Cell) string) {
		d := dim{name: name, of: of}
		at := make([]int, len(m.Points))
		for i, g := range m.Points {
			level := of(g.Cell)
			if at[i] = slices.Index(d.levels, level); at[i] < 0 {
				at[i] = len(d.levels)
				d.levels = append(d.levels, level)
			}
		}
		if len(d.levels) < 2 {
			return
		}
		for k := range dims {
			if m.together(k, at, len(d.levels)) {
				return
			}
		}
		d.xs, d.unit = numbers(d.levels)
		for i, g := range m.Points {
			g.at = append(g.at, at[i])
		}
		dims = append(dims, d)
	}
	add("trace", func(c *Cell) string { return m.Traces[c.Trace].Name })
	add("variant", func(c *Cell) string { return c.Variant })
	for i, name := range m.Settings {
		add(name, func(c *Cell) string {
			if c.Values[i] == "" {
				return unset
			}
			return c.Values[i]
		})
	}
	return dims
}

// together reports whether the levels at of the groups go with those of the k-th dimension, one with one.
func (m *Merged) together(k int, at []int, n int) bool {
	pairs := map[[2]int]bool{}
	first := map[int]bool{}
	for i, g := range m.Points {
		pairs[[2]int{g.at[k], at[i]}] = true
		first[g.at[k]] = true
	}
	return len(pairs) == n && len(first) == n
}

// numbers returns levels as numbers of one unit, nil where they are none or repeat.
func numbers(levels []string) (xs []float64, unit string) {
	for i, text := range levels {
		number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%")
		x, err := strconv.ParseFloat(number, 64)
		if err != nil || i > 0 && text[len(number):] != unit || slices.Contains(xs, x) {
			return nil, ""
		}
		unit = text[len(number):]
		xs = append(xs, x)
	}
	return xs, unit
}

// estimateAt is a metric's mean at a place and half the interval around it, NaN where no cell has a value.
type estimateAt struct {
	mean, half float64
	by         []float64 // the means of the seeds of the sweep, NaN for those without a value
}

// over returns a metric's mean over the groups of each place: for each seed over the groups, and then over the seeds, which know nothing
// of each other. place is -1 for a group that has no part in it.
func (m *Merged) over(metric, places int, place func(*Group) int) []estimateAt {
	sums, counts := make([]float64, places*len(m.seeds)), make([]int, places*len(m.seeds))
	for _, g := range m.Points {
		at := place(g)
		if at < 0 {
			continue
		}
		for k, seed := range g.Seeds {
			x := g.number(metric, k)
			if math.IsNaN(x) {
				continue
			}
			s, _ := slices.BinarySearch(m.seeds, seed)
			sums[at*len(m.seeds)+s] += x
			counts[at*len(m.seeds)+s]++
		}
	}
	out := make([]estimateAt, places)
	for i := range out {
		var xs, by []float64
		for s := range m.seeds {
			x := math.NaN()
			if n := counts[i*len(m.seeds)+s]; n > 0 {
				x = sums[i*len(m.seeds)+s] / float64(n)
				xs = append(xs, x)
			}
			by = append(by, x)
		}
		out[i] = estimate(xs)
		out[i].by = by
	}
	return out
}

// places returns where the groups stand by their levels in some dimensions, for over: -1 where a mean would be over fewer groups than
// elsewhere, and differ by what it is over.
func (m *Merged) places(dims ...int) (n int, place func(*Group) int) {
	n = 1
	for _, d := range dims {
		n *= len(m.dims[d].levels)
	}
	of := func(g *Group) (at int) {
		for _, d := range dims {
			at = at*len(m.dims[d].levels) + g.at[d]
		}
		return at
	}
	counts := make([]int, n)
	for _, g := range m.Points {
		counts[of(g)]++
	}
	most := slices.Max(counts)
	return n, func(g *Group) int {
		if at := of(g); counts[at] == most {
			return at
		}
		return -1
	}
}
