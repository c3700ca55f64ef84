// Package compare says what differs between variants of one replay and what does not: differences, their intervals,
// a verdict in words, plots and a page.
package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"replay/engine/record"
	"replay/report/dist"
	"replay/report/inference"
	"replay/report/metric"
	"replay/report/quantity"
	"replay/report/result"
)

// Variant is one way of running the trace, or the traces, with its results.
type Variant struct {
	Name  string
	Flags string
	Runs  []*metric.Summary // the k-th run of each variant is of the same trace, and compared with the k-th of the others
}

// data returns the data of the runs.
func (v *Variant) data() (ds []*result.Data) {
	for _, r := range v.Runs {
		ds = append(ds, r.Data)
	}
	return ds
}

// Options say what is inferred from the runs, and when a difference is one.
type Options struct {
	Unit      inference.Unit // what chance draws; a seed when empty
	Margin    float64        // a difference within it does not count: a part of the first variant's value, or of 1 for shares and indexes
	Precision float64        // as Margin: what half the width of intervals was to come to, 0 when the number of units was given
	Limit     int            // how many units there may be at most; of no use without a precision
}

// DefaultMargin is what a difference must exceed to count when nobody says otherwise.
const DefaultMargin = 0.01

// Comparison says what differs between variants and what does not.
type Comparison struct {
	Options
	Variants []Variant
	Units    []Unit // what is drawn by chance, in order
	Jobs     int
	Rows     []Row
	Tested   map[quantity.Family]int // how many differences were tested together
	Same     []bool                  // by variant: equal to the first in every value of every run
	Outcomes []*metric.Outcome       // by variant: what became of the jobs, all runs together
	Losses   []Loss                  // by variant, against the first
	Made     *record.Made            // how the comparison was made, nil when that is not known
	alike    bool                    // in each run the same jobs went equally far in all variants
	unpaired bool                    // runs that are compared do not have the same seed
}

// Unit is one of the things that chance draws: its difference is one of the sample.
type Unit struct {
	Name string
	runs []int // which runs of a variant belong to it
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
	EqualWithin  Finding = "equal within the margin" // its interval is
	RealBetter   Finding = "better"
	RealWorse    Finding = "worse"
	RealHigher   Finding = "higher"
	RealLower    Finding = "lower"
	NotToldApart Finding = "not told apart" // its interval holds 0, and more than the margin
	NotTested    Finding = "not tested"
	NoVerdict    Finding = "no verdict" // one of the variants loses jobs that the other finishes
)

// Real reports whether the finding is a real difference.
func (f Finding) Real() bool {
	return f == RealBetter || f == RealWorse || f == RealHigher || f == RealLower
}

// Cell is one metric of one variant: its mean over units, and how it differs from the first variant.
type Cell struct {
	Number     float64             // NaN when absent
	Absent     string              // why there is no number in one unit or more
	Missing    []string            // the names of those units
	ByUnit     []float64           // NaN when missing
	Difference float64             // NaN for the first variant, or when either is absent
	Estimate   *inference.Estimate // nil when not tested
	Half       float64             // the interval is Difference ± Half; NaN when not tested
	P          float64             // of no difference; NaN when not tested
	Adjusted   float64             // P corrected for all that is tested together; NaN when not tested
	Detectable float64             // a difference as large would have been found in 8 of 10 such comparisons; NaN when not tested
	Untested   string              // why it is not tested; empty when it is, and for the first variant
	Finding    Finding
}

// Of compares every variant with the first. The k-th runs of all variants must have replayed the same trace; otherwise it
// says what differs.
func Of(variants []Variant, o Options) (*Comparison, error) {
	if o.Unit == "" {
		o.Unit = inference.Seed
	}
	c := &Comparison{Options: o, Variants: variants, Tested: map[quantity.Family]int{}, Same: make([]bool, len(variants))}
	if err := c.check(); err != nil {
		return nil, err
	}
	c.units()
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
	for i, v := range variants {
		if slices.ContainsFunc(variants[:i], func(o Variant) bool { return o.Name == v.Name }) {
			return fmt.Errorf("two variants are called %q", v.Name)
		}
		if len(v.Runs) != len(base) {
			return fmt.Errorf("variant %q has %d runs, %q has %d: want the same number", v.Name, len(v.Runs), variants[0].Name, len(base))
		}
		if err := c.checkSeeds(&v); err != nil {
			return err
		}
		for k, r := range v.Runs {
			first := base[k].Manifest.TraceHash
			if c.Unit == inference.Seed {
				first = base[0].Manifest.TraceHash
			}
			if r.Manifest.TraceHash != first {
				return fmt.Errorf("run %d of variant %q is of trace %s, that of %q is of %s: want one trace (--nodes and --load of a replay change the cluster and the load of one)", k+1, v.Name, r.Manifest.TraceHash, variants[0].Name, first)
			}
		}
	}
	return nil
}

// checkSeeds says where a variant has some of the first one's seeds and not all: a pair would be two replays that have nothing in
// common while others do.
func (c *Comparison) checkSeeds(v *Variant) error {
	base := &c.Variants[0]
	k := 0
	for k < len(v.Runs) && v.Runs[k].Manifest.Seed == base.Runs[k].Manifest.Seed {
		k++
	}
	if k == len(v.Runs) {
		return nil
	}
	c.unpaired = true
	key := func(r *metric.Summary) string { return fmt.Sprint(r.Manifest.TraceHash, r.Manifest.Seed) }
	for _, r := range v.Runs {
		if slices.ContainsFunc(base.Runs, func(b *metric.Summary) bool { return key(b) == key(r) }) {
			return fmt.Errorf("run %d of variant %q has seed %d, that of %q has %d, and both have seed %d: want the same seeds or none in common", k+1, v.Name, v.Runs[k].Manifest.Seed, base.Name, base.Runs[k].Manifest.Seed, r.Manifest.Seed)
		}
	}
	return nil
}

// units finds what the runs are drawn from.
func (c *Comparison) units() {
	at := map[string]int{}
	for k, r := range c.Variants[0].Runs {
		name, key := r.Manifest.TraceName, r.Manifest.TraceHash
		if c.Unit == inference.Seed {
			name, key = fmt.Sprint(r.Manifest.Seed), fmt.Sprint(k)
		}
		i, ok := at[key]
		if !ok {
			i = len(c.Units)
			at[key] = i
			c.Units = append(c.Units, Unit{Name: name})
		}
		c.Units[i].runs = append(c.Units[i].runs, k)
	}
	named := map[string]int{}
	for i := range c.Units { // two traces of one name are told apart
		u := &c.Units[i]
		if named[u.Name]++; c.Unit != inference.Seed && (named[u.Name] > 1 || u.Name == "") {
			u.Name = strings.TrimSpace(fmt.Sprintf("%s #%d", u.Name, i+1))
		}
	}
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
	values := make([][][]value, len(c.Rows)) // by row, variant and run
	for i := range c.Rows {
		row := &c.Rows[i]
		values[i] = make([][]value, len(c.Variants))
		for v, variant := range c.Variants {
			for _, r := range variant.Runs {
				x, ok := r.Value(row.Name)
				if !ok {
					x = metric.Value{Number: math.NaN(), Absent: "there is none of it"}
				}
				values[i][v] = append(values[i][v], value{x.Number, x.Absent})
			}
		}
	}
	for v := range c.Variants { // before the jobs are paired: what is equal in everything has the same jobs
		c.Same[v] = !slices.ContainsFunc(values, func(of [][]value) bool {
			return !slices.EqualFunc(of[v], of[0], func(a, b value) bool {
				return a.number == b.number || math.IsNaN(a.number) && math.IsNaN(b.number)
			})
		})
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		c.pair(row, values[i])
		for v := range c.Variants {
			row.Cells = append(row.Cells, c.cell(values[i][v]))
			row.Cells[v].differ(&row.Cells[0], v == 0)
		}
	}
}

// value is a metric in one run.
type value struct {
	number float64 // NaN when absent
	absent string
}

// cell puts the values of runs together: that of a unit is its mean over the unit's runs.
func (c *Comparison) cell(of []value) Cell {
	nan := math.NaN()
	cell := Cell{Number: nan, Difference: nan, Half: nan, P: nan, Adjusted: nan, Detectable: nan}
	for _, u := range c.Units {
		var xs []float64
		absent := ""
		for _, k := range u.runs {
			xs = append(xs, of[k].number)
			if absent == "" {
				absent = of[k].absent
			}
		}
		x := dist.Mean(xs)
		if absent != "" {
			x = nan
			cell.Missing = append(cell.Missing, u.Name)
			if cell.Absent == "" {
				cell.Absent = absent
			}
		}
		cell.ByUnit = append(cell.ByUnit, x)
	}
	if cell.Absent == "" {
		cell.Number = dist.Mean(cell.ByUnit)
	}
	return cell
}

// differ fills in the difference to the base, except for the base itself.
func (c *Cell) differ(base *Cell, isBase bool) {
	if !isBase && base.Absent == "" && c.Absent == "" {
		c.Difference = inference.Independent(c.differences(base)).Mean
	}
}

// differences returns the cell's values less the base's, by unit. Where they differ by the rounding of sums alone, they are
// equal.
func (c *Cell) differences(base *Cell) (ds []float64) {
	most := 0.0
	for k := range c.ByUnit {
		ds = append(ds, c.ByUnit[k]-base.ByUnit[k])
		most = max(most, math.Abs(c.ByUnit[k]), math.Abs(base.ByUnit[k]))
	}
	rounding := 1e-12 * most
	if slices.Max(ds)-slices.Min(ds) > rounding {
		return ds
	}
	d := ds[0]
	if math.Abs(d) <= rounding {
		d = 0
	}
	return slices.Repeat([]float64{d}, len(ds))
}
