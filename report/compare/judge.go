package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"replay/report/inference"
	"replay/report/quantity"
)

// judge puts an interval around each difference that is tested and says what was found. All of them are tested together,
// over all variants.
func (c *Comparison) judge() {
	families := map[quantity.Family][]*Cell{}
	for i := range c.Rows {
		row := &c.Rows[i]
		for v := 1; v < len(row.Cells); v++ {
			cell := &row.Cells[v]
			if cell.Untested = c.untested(row, v); cell.Untested == "" {
				families[row.Family] = append(families[row.Family], cell)
			}
		}
	}
	for family, cells := range families {
		c.Tested[family] = len(cells)
	}
	headline, shares := c.alphas()
	for i := range c.Rows {
		row := &c.Rows[i]
		alpha := headline
		if row.Family == quantity.Shares {
			alpha = shares
		}
		for v := 1; v < len(row.Cells); v++ {
			cell := &row.Cells[v]
			if cell.Untested == "" {
				cell.infer(&row.Cells[0], c.Unit, alpha)
			}
			if cell.Finding = cell.find(row, c.Margin); c.voids(row, v) {
				cell.Finding = NoVerdict
			}
		}
	}
}

// alphas returns what each difference of the two families is tested at.
func (c *Comparison) alphas() (headline, shares float64) {
	return inference.Alphas(c.Tested[quantity.Headline], c.Tested[quantity.Shares])
}

// infer fills in what chance may have done to the difference.
func (c *Cell) infer(base *Cell, unit inference.Unit, alpha float64) {
	e := unit.Estimate(c.Differences(base))
	c.Estimate, c.Half, c.P, c.Detectable = &e, e.Half(alpha), e.P(), e.Detectable(alpha)
	c.Adjusted = inference.Adjusted(c.P, alpha)
}

// OthersCutOff is why what an end decides is not tested.
const OthersCutOff = "--until cuts off other jobs in each variant"

// untested says why the difference of variant v to the first is not tested, empty when it is.
func (c *Comparison) untested(row *Row, v int) string {
	first, cell := &row.Cells[0], &row.Cells[v]
	switch {
	case row.Family == "":
		return "no headline metric"
	case first.Absent != "":
		return c.missing(first, 0)
	case cell.Absent != "":
		return c.missing(cell, v)
	case row.Thin():
		return "about only " + row.Of()
	case c.voids(row, v):
		return "the jobs are not the same"
	case row.Ends && c.Losses[v].CutOff > 0:
		return OthersCutOff
	case len(c.Units) < inference.Fewest:
		return c.Few()
	case c.Same[v]:
		return "every metric is equal"
	}
	if cell.Rare = inference.Rare(cell.Differences(first)); cell.Rare > 0 {
		return fmt.Sprintf("differs in %d of %s: too rarely to say by how much", cell.Rare, c.Unit.Counted(len(c.Units)))
	}
	return ""
}

// Few says that there are too few units for a word.
func (c *Comparison) Few() string {
	evidence := "is no evidence"
	if len(c.Units) > 1 {
		evidence = "are too little evidence"
	}
	return fmt.Sprintf("%s %s (%d at least)", c.Unit.Counted(len(c.Units)), evidence, inference.Fewest)
}

// Lacks says in which units the first variant or variant v has no number of a row, and why; empty where both have them all.
func (c *Comparison) Lacks(row *Row, v int) string {
	for _, v := range []int{0, v} {
		if cell := &row.Cells[v]; cell.Absent != "" {
			return c.missing(cell, v)
		}
	}
	return ""
}

// missing says in which units variant v has no number, and why.
func (c *Comparison) missing(cell *Cell, v int) string {
	where := ""
	if n := len(cell.Missing); n < len(c.Units) {
		where = fmt.Sprintf(" in %s %s", c.Unit, cell.Missing[0])
		if n > 1 {
			where = fmt.Sprintf(" in %ss %s", c.Unit, strings.Join(cell.Missing, ", "))
		}
	}
	return fmt.Sprintf("no number for %s%s: %s", c.Variants[v].Name, where, cell.Absent)
}

// Reference returns what a part of the row's value is a part of: the first variant's value, or 1 for shares and indexes, which differ
// by points.
func (r *Row) Reference() float64 {
	switch r.Unit {
	case quantity.Share, quantity.Index:
		return 1
	}
	return math.Abs(r.Cells[0].Number)
}

// find says what the difference of a cell to the first one is: real when its interval excludes 0 and is not within the margin.
func (c *Cell) find(row *Row, margin float64) Finding {
	first := &row.Cells[0]
	if c.Absent == "" && first.Absent == "" && slices.Equal(c.ByUnit, first.ByUnit) {
		return Equal
	}
	if c.Estimate == nil {
		return NotTested
	}
	switch c.Estimate.Word(c.Half, margin*row.Reference()) {
	case inference.Within:
		return EqualWithin
	case inference.Open:
		return NotToldApart
	}
	switch {
	case row.Better == quantity.Neither && c.Difference > 0:
		return RealHigher
	case row.Better == quantity.Neither:
		return RealLower
	case (c.Difference > 0) == (row.Better == quantity.Higher):
		return RealBetter
	}
	return RealWorse
}
