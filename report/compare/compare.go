// Package compare says what differs between variants of one replay and what does not. A [Study] takes in replays, variant by variant, and becomes a
// [Comparison]: differences, their intervals, a verdict in words, a table, JSON, CSV and a page. What pictures show is in [Pooled]; package pictures
// draws them.
package compare

import (
	"fmt"
	"math"
	"slices"

	"replay/engine/record"
	"replay/report/dist"
	"replay/report/inference"
	"replay/report/metric"
	"replay/report/page"
	"replay/report/quantity"
)

// Variant is one way of running the trace, or the traces, with its results.
type Variant struct {
	Name  string
	Flags string
	Runs  []*metric.Summary // the k-th run of each variant is of the same trace, and compared with the k-th of the others; not kept
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

// DefaultPrecision is how precisely headline metrics are to be known when nobody says otherwise.
const DefaultPrecision = 0.03

// Comparison says what differs between variants and what does not.
type Comparison struct {
	Options
	Variants []Variant
	Units    []Unit // what is drawn by chance, in order
	Jobs     int
	Rows     []Row
	Tested   map[quantity.Family]int // how many differences were tested together
	Same     []bool                  // by variant: equal to the first in every value of every run
	Decides  []Decides               // by variant, beside the first
	Outcomes []*metric.Outcome       // by variant: what became of the jobs, all runs together
	Losses   []Loss                  // by variant, against the first
	TooShort bool                    // even the fewest windows are alike
	Made     *record.Made            // how the comparison was made, nil when that is not known
	Front    *page.Page              // what stands first on its page: title, sentences and tables; nil for nothing
	study    *Study
}

// Decides is whether the decisions of a variant are those of the first one, by their hashes in every run.
type Decides string

// What is known of decisions.
const (
	AsFirst   Decides = "the same"
	Otherwise Decides = "otherwise"
	NotKnown  Decides = "not known" // a run has no hash
)

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
	sideless     bool
}

// Sideless reports whether the row has no better side here, and has one elsewhere: what the variants do not have the same of moves it by itself.
func (r *Row) Sideless() bool { return r.sideless }

// Without is the row of a part of what this one is about, told apart by a label such as queue=root.etl, that has no number in any replay.
func (r *Row) Without(label, why string) *Row {
	part := &Row{Value: r.Value, Group: r.Group}
	part.Name, part.N, part.Open = r.Name+"["+label+"]", 0, 0
	for range r.Cells {
		cell := unfilled()
		cell.Absent, cell.Untested, cell.Finding = why, why, NotTested
		part.Cells = append(part.Cells, cell)
	}
	return part
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

// judges reports whether the finding says which of two is to be preferred.
func (f Finding) judges() bool { return f == RealBetter || f == RealWorse }

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
	Rare       int                 // in how many units it differs, where they are too few to test it; 0 otherwise
	Finding    Finding
}

// Of compares every variant with the first. The k-th runs of all variants must have replayed the same trace; otherwise it
// says what differs.
func Of(variants []Variant, o Options) (*Comparison, error) {
	s, err := New(variants, o)
	if err != nil {
		return nil, err
	}
	base := variants[0]
	for _, v := range variants {
		if len(v.Runs) != len(base.Runs) {
			return nil, fmt.Errorf("variant %q has %d runs, %q has %d: want the same%s", v.Name, len(v.Runs), base.Name, len(base.Runs), onlyIn(v.Runs, base.Runs))
		}
	}
	for k := range base.Runs {
		var replays []*metric.Summary
		for _, v := range variants {
			replays = append(replays, v.Runs[k])
		}
		if err := s.Add(replays...); err != nil {
			return nil, err
		}
	}
	return s.Compare()
}

// onlyIn names, by seed, what is among some runs and not among others; empty where seeds tell no difference.
func onlyIn(a, b []*metric.Summary) (text string) {
	for _, side := range [][2][]*metric.Summary{{b, a}, {a, b}} {
		for _, r := range side[0] {
			same := func(o *metric.Summary) bool {
				x, y := &r.Manifest, &o.Manifest
				return x.Seed == y.Seed && x.TraceHash == y.TraceHash && (x.Window == nil) == (y.Window == nil) && (x.Window == nil || *x.Window == *y.Window)
			}
			if !slices.ContainsFunc(side[1], same) {
				text += fmt.Sprintf(", seed %d of %s is in one alone", r.Manifest.Seed, r.Manifest.TraceName)
			}
		}
	}
	return text
}

// newRow puts the values of runs together, and compares them.
func (c *Comparison) newRow(s *series, title string) Row {
	row := Row{Value: s.Value, Group: title}
	if nodes, work := c.study.unlike(); row.MovedBy.Moved(nodes, work != "") && row.Better != quantity.Neither {
		row.Better, row.sideless = quantity.Neither, true
	}
	for v := range c.Variants {
		cell := c.cell(s.by[v])
		if !s.sees { // the same limit for all, which is no number of theirs
			cell.ByUnit, cell.Missing = slices.Repeat([]float64{math.NaN()}, len(c.Units)), nil
			cell.Number, cell.Absent = math.NaN(), blindReason
			for _, u := range c.Units {
				cell.Missing = append(cell.Missing, u.Name)
			}
		}
		row.Cells = append(row.Cells, cell)
		row.Cells[v].differ(&row.Cells[0], v == 0)
	}
	return row
}

// unfilled is a cell without a number.
func unfilled() Cell {
	nan := math.NaN()
	return Cell{Number: nan, Difference: nan, Half: nan, P: nan, Adjusted: nan, Detectable: nan}
}

// cell puts the values of runs together: that of a unit is its mean over the unit's runs.
func (c *Comparison) cell(of []value) Cell {
	cell := unfilled()
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
			x = math.NaN()
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
		c.Difference = inference.Independent(c.Differences(base)).Mean
	}
}

// Differences returns the cell's values less the base's, by unit. Where values differ by the rounding of sums alone they are equal, and so are differences.
func (c *Cell) Differences(base *Cell) (ds []float64) {
	most := 0.0
	for k := range c.ByUnit {
		most = max(most, math.Abs(c.ByUnit[k]), math.Abs(base.ByUnit[k]))
	}
	rounding := 1e-12 * most
	for k := range c.ByUnit {
		d := c.ByUnit[k] - base.ByUnit[k]
		if math.Abs(d) <= rounding {
			d = 0
		}
		ds = append(ds, d)
	}
	if slices.Max(ds)-slices.Min(ds) <= rounding {
		return slices.Repeat(ds[:1], len(ds))
	}
	return ds
}
