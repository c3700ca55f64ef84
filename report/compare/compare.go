// Package compare says what differs between variants of one replay and what does not: differences, their intervals
// over seeds and jobs, tests, a verdict in words, plots and a page.
package compare

import (
	"fmt"
	"math"
	"slices"

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
}

// Row is one metric by variant.
type Row struct {
	metric.Value        // name, unit, definition; the number is the first variant's
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
	NotToldApart Finding = "not told apart"
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
	Difference float64   // NaN for the first variant, or when either is absent
	OverSeeds  *Interval // nil with one seed, or when absent
	OverJobs   *Interval // nil when the metric does not follow from jobs
	P          float64   // of no difference, by the intervals together; NaN when there is none
	Adjusted   float64   // P adjusted by Holm over its family; NaN when not tested
	Finding    Finding
}

// Of compares every variant with the first. The variants must have replayed the same
// trace with the same seeds; otherwise it says what differs.
func Of(variants []Variant) (*Comparison, error) {
	if len(variants) < 2 {
		return nil, fmt.Errorf("a comparison needs two variants, got %d", len(variants))
	}
	c := &Comparison{Variants: variants, Tested: map[quantity.Family]int{}, Same: make([]bool, len(variants))}
	base := variants[0].Runs
	if len(base) == 0 {
		return nil, fmt.Errorf("variant %q has no runs", variants[0].Name)
	}
	for _, r := range base {
		c.Seeds = append(c.Seeds, r.Manifest.Seed)
	}
	for i, v := range variants {
		if slices.ContainsFunc(variants[:i], func(o Variant) bool { return o.Name == v.Name }) {
			return nil, fmt.Errorf("two variants are called %q", v.Name)
		}
		if len(v.Runs) != len(base) {
			return nil, fmt.Errorf("variant %q has %d runs, %q has %d: want the same seeds", v.Name, len(v.Runs), variants[0].Name, len(base))
		}
		for k, r := range v.Runs {
			if r.Manifest.Seed != c.Seeds[k] {
				return nil, fmt.Errorf("run %d of variant %q has seed %d, that of %q has %d", k+1, v.Name, r.Manifest.Seed, variants[0].Name, c.Seeds[k])
			}
			if r.Manifest.TraceHash != base[0].Manifest.TraceHash {
				return nil, fmt.Errorf("run %d of variant %q is of trace %s, the first of %q is of %s", k+1, v.Name, r.Manifest.TraceHash, variants[0].Name, base[0].Manifest.TraceHash)
			}
		}
	}
	c.outcomes()
	c.rows()
	c.overJobs()
	c.judge()
	return c, nil
}

// rows fills in the values, their differences and the intervals over seeds.
func (c *Comparison) rows() {
	at := map[string]int{}
	for g, m := range metric.Metrics {
		for _, v := range c.Variants {
			for _, r := range v.Runs {
				for _, x := range r.Groups[g].Values {
					if _, ok := at[x.Name]; !ok {
						at[x.Name] = len(c.Rows)
						c.Rows = append(c.Rows, Row{Value: x, Group: m.Title})
					}
				}
			}
		}
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		for v, variant := range c.Variants {
			cell := Cell{Difference: math.NaN(), P: math.NaN(), Adjusted: math.NaN()}
			for _, r := range variant.Runs {
				x, ok := r.Value(row.Name)
				if !ok {
					x = metric.Value{Number: math.NaN(), Absent: "there is none of it in a run of this variant"}
				}
				if x.Absent != "" && cell.Absent == "" {
					cell.Absent = x.Absent
				}
				cell.BySeed = append(cell.BySeed, x.Number)
			}
			cell.Number = math.NaN()
			if cell.Absent == "" {
				cell.Number = dist.Mean(cell.BySeed)
			}
			row.Cells = append(row.Cells, cell)
			if first := &row.Cells[0]; v > 0 && first.Absent == "" && cell.Absent == "" {
				row.Cells[v].compare(first)
			}
		}
	}
	for v := range c.Variants {
		c.Same[v] = !slices.ContainsFunc(c.Rows, func(r Row) bool {
			return !slices.EqualFunc(r.Cells[v].BySeed, r.Cells[0].BySeed, func(a, b float64) bool {
				return a == b || math.IsNaN(a) && math.IsNaN(b)
			})
		})
	}
}

func (c *Cell) compare(first *Cell) {
	ds := make([]float64, len(c.BySeed))
	for k := range ds {
		ds[k] = c.BySeed[k] - first.BySeed[k]
	}
	c.Difference = dist.Mean(ds)
	if i, ok := pairedT(ds); ok {
		c.OverSeeds = &i
	}
}

// overJobs fills in the intervals over jobs, by one bootstrap for all rows and variants.
func (c *Comparison) overJobs() {
	var ids []int64
	for _, v := range c.Variants {
		for _, r := range v.Runs {
			for i := range r.Jobs {
				ids = append(ids, r.Jobs[i].ID)
			}
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	c.Jobs = len(ids)
	if len(ids) < minJobs {
		return
	}
	blocks := min(len(ids), maxBlocks)
	block := func(id int64) int {
		i, _ := slices.BinarySearch(ids, id)
		return int(int64(i) * int64(blocks) / int64(len(ids)))
	}
	var first, other [][]*sample
	var cells []*Cell
	for i := range c.Rows {
		row := &c.Rows[i]
		if row.PerJob == nil || row.PerJob.Percent > 0 && row.Family == "" && len(ids) > percentileJobs {
			continue
		}
		samples := func(v int) (out []*sample) {
			for _, r := range c.Variants[v].Runs {
				out = append(out, newSample(row.PerJob, r.Jobs, block, blocks))
			}
			return out
		}
		base := samples(0)
		for v := 1; v < len(c.Variants); v++ {
			if cell := &row.Cells[v]; !math.IsNaN(cell.Difference) {
				first, other, cells = append(first, base), append(other, samples(v)), append(cells, cell)
			}
		}
	}
	for i, interval := range bootstrap(first, other, blocks, len(ids)) {
		cells[i].OverJobs = interval
	}
}

// judge adjusts the p-values of each family and says what was found. A variant that is the same
// in everything has nothing to test.
func (c *Comparison) judge() {
	families := map[quantity.Family][]*Cell{}
	for i := range c.Rows {
		row := &c.Rows[i]
		for v := 1; v < len(row.Cells); v++ {
			cell := &row.Cells[v]
			cell.P = combined(cell.Difference, cell.OverSeeds, cell.OverJobs)
			if row.Family != "" && !math.IsNaN(cell.P) && !c.Same[v] && !c.voids(row, v) {
				families[row.Family] = append(families[row.Family], cell)
			}
		}
	}
	for family, cells := range families {
		c.Tested[family] = len(cells)
		ps := make([]float64, len(cells))
		for i, cell := range cells {
			ps[i] = cell.P
		}
		for i, p := range holm(ps) {
			cells[i].Adjusted = p
		}
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		for v := 1; v < len(row.Cells); v++ {
			if cell := &row.Cells[v]; c.voids(row, v) {
				cell.Finding = NoVerdict
			} else {
				cell.Finding = cell.find(&row.Cells[0], row.Better)
			}
		}
	}
}

// find says what the difference of a cell to the first one is.
func (c *Cell) find(first *Cell, better quantity.Direction) Finding {
	switch {
	case c.Absent == "" && first.Absent == "" && slices.Equal(c.BySeed, first.BySeed):
		return Equal
	case math.IsNaN(c.Adjusted):
		return NotTested
	case c.Adjusted >= 1-confidence:
		return NotToldApart
	case better == quantity.Neither && c.Difference > 0:
		return RealHigher
	case better == quantity.Neither:
		return RealLower
	case (c.Difference > 0) == (better == quantity.Higher):
		return RealBetter
	}
	return RealWorse
}
