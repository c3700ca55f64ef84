// Package compare says what differs between variants of one replay and what does not: differences, their intervals
// over seeds and jobs, tests, a verdict in words, plots and a page.
package compare

import (
	"fmt"
	"math"
	"slices"

	"replay/engine/record"
	"replay/report/dist"
	"replay/report/metric"
	"replay/report/quantity"
	"replay/report/result"
)

// Variant is one way of running the trace, with its results: one for each seed.
type Variant struct {
	Name  string
	Flags string
	Runs  []*metric.Summary // in the order of seeds; every variant has the same seeds
}

// data returns the data of the runs.
func (v *Variant) data() (ds []*result.Data) {
	for _, r := range v.Runs {
		ds = append(ds, r.Data)
	}
	return ds
}

// Comparison says what differs between variants and what does not.
type Comparison struct {
	Variants []Variant
	Seeds    []uint64
	Jobs     int
	Rows     []Row
	Tested   map[quantity.Family]int // how many differences were tested together
	Same     []bool                  // by variant: equal to the first in every value of every seed
	Outcomes []*metric.Outcome       // by variant: what became of the jobs, all seeds together
	Losses   []Loss                  // by variant, against the first
	Made     *record.Made            // how the comparison was made, nil when that is not known
	alike    bool                    // in each seed the same jobs went equally far in all variants
}

// Row is one metric by variant.
type Row struct {
	metric.Value        // name, unit, definition; N is the least of any run, the number of no use
	Group        string // title of its metric
	Cells        []Cell // by variant
}

// Finding is what a comparison says of one difference.
type Finding string

// The findings. Those of a real difference say which way it goes.
const (
	First        Finding = "" // the variant that the others are compared with
	Equal        Finding = "equal"
	RealBetter   Finding = "better"
	RealWorse    Finding = "worse"
	RealHigher   Finding = "higher"
	RealLower    Finding = "lower"
	NotToldApart Finding = "not told apart" // its interval holds 0
	NotTested    Finding = "not tested"
	NoVerdict    Finding = "no verdict" // one of the variants loses jobs that the other finishes
)

// Real reports whether the finding is a real difference.
func (f Finding) Real() bool {
	return f == RealBetter || f == RealWorse || f == RealHigher || f == RealLower
}

// Cell is one metric of one variant: its mean over seeds, and how it differs from the first variant.
type Cell struct {
	Number     float64 // NaN when absent
	Absent     string
	BySeed     []float64
	Difference float64 // NaN for the first variant, or when either is absent
	Seeds      *Source // what seeds add to the chance in the difference; nil with one seed, or when absent
	Jobs       *Source // what jobs add; nil when the metric does not follow from jobs, or they are too few
	Half       float64 // the interval is Difference ± Half; NaN when not tested
	P          float64 // of no difference; NaN when not tested
	Adjusted   float64 // P corrected for all that is tested together; NaN when not tested
	Untested   string  // why it is not tested; empty when it is, and for the first variant
	Finding    Finding
}

// Of compares every variant with the first. The variants must have replayed the same
// trace with the same seeds; otherwise it says what differs.
func Of(variants []Variant) (*Comparison, error) {
	c := &Comparison{Variants: variants, Tested: map[quantity.Family]int{}, Same: make([]bool, len(variants))}
	if err := c.check(); err != nil {
		return nil, err
	}
	c.outcomes()
	c.alike = c.wentAlike()
	c.rows()
	c.judge()
	return c, nil
}

// check says why the variants cannot be compared.
func (c *Comparison) check() error {
	variants := c.Variants
	if len(variants) < 2 {
		return fmt.Errorf("a comparison needs two variants, got %d", len(variants))
	}
	base := variants[0].Runs
	if len(base) == 0 {
		return fmt.Errorf("variant %q has no runs", variants[0].Name)
	}
	for _, r := range base {
		c.Seeds = append(c.Seeds, r.Manifest.Seed)
	}
	for i, v := range variants {
		if slices.ContainsFunc(variants[:i], func(o Variant) bool { return o.Name == v.Name }) {
			return fmt.Errorf("two variants are called %q", v.Name)
		}
		if len(v.Runs) != len(base) {
			return fmt.Errorf("variant %q has %d runs, %q has %d: want the same seeds", v.Name, len(v.Runs), variants[0].Name, len(base))
		}
		for k, r := range v.Runs {
			if r.Manifest.Seed != c.Seeds[k] {
				return fmt.Errorf("run %d of variant %q has seed %d, that of %q has %d", k+1, v.Name, r.Manifest.Seed, variants[0].Name, c.Seeds[k])
			}
			if r.Manifest.TraceHash != base[0].Manifest.TraceHash {
				return fmt.Errorf("run %d of variant %q is of trace %s, the first of %q is of %s: want one trace (--nodes and --load of a replay change the cluster and the load of one)", k+1, v.Name, r.Manifest.TraceHash, variants[0].Name, base[0].Manifest.TraceHash)
			}
		}
	}
	return nil
}

// rows fills in the values, and the differences.
func (c *Comparison) rows() {
	at := map[string]int{}
	for g, m := range metric.Metrics {
		for _, v := range c.Variants {
			for _, r := range v.Runs {
				for _, x := range r.Groups[g].Values {
					i, ok := at[x.Name]
					if !ok {
						i = len(c.Rows)
						at[x.Name] = i
						c.Rows = append(c.Rows, Row{Value: x, Group: m.Title})
					}
					if row := &c.Rows[i]; x.N < row.N {
						row.N, row.Whole = x.N, x.Whole
					}
				}
			}
		}
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		for _, variant := range c.Variants {
			cell := Cell{Difference: math.NaN(), Half: math.NaN(), P: math.NaN(), Adjusted: math.NaN()}
			for _, r := range variant.Runs {
				x, ok := r.Value(row.Name)
				if !ok {
					x = metric.Value{Number: math.NaN(), Absent: "there is none of it in a run of this variant"}
				}
				cell.add(x)
			}
			row.Cells = append(row.Cells, cell)
		}
	}
	for v := range c.Variants { // before the jobs are paired: what is equal in everything has the same jobs
		c.Same[v] = !slices.ContainsFunc(c.Rows, func(r Row) bool {
			return !slices.EqualFunc(r.Cells[v].BySeed, r.Cells[0].BySeed, func(a, b float64) bool {
				return a == b || math.IsNaN(a) && math.IsNaN(b)
			})
		})
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		c.pair(row)
		for v := range row.Cells {
			row.Cells[v].finish(&row.Cells[0], v == 0)
		}
	}
}

// add takes the value of one more seed.
func (c *Cell) add(x metric.Value) {
	if x.Absent != "" && c.Absent == "" {
		c.Absent = x.Absent
	}
	c.BySeed = append(c.BySeed, x.Number)
}

// finish fills in the mean over seeds and, except for the base itself, the difference to it.
func (c *Cell) finish(base *Cell, isBase bool) {
	c.Number = math.NaN()
	if c.Absent == "" {
		c.Number = dist.Mean(c.BySeed)
	}
	if !isBase && base.Absent == "" && c.Absent == "" {
		var ds []float64
		ds, c.Difference = pairedDifferences(base.BySeed, c.BySeed)
		c.Seeds = overSeeds(ds)
	}
}
