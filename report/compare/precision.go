package compare

import (
	"math"

	"replay/report/inference"
	"replay/report/quantity"
)

// A Precision is how precisely the headline metrics are known.
type Precision struct {
	Reached float64 // the largest half width, as a part of [Row.of]; 0 when nothing is tested
	Row     *Row    // that has it; nil when all units agree, or nothing is tested
	Rare    bool    // a headline metric differs in so few units that it is not tested
}

// Precision returns how precisely the headline differences that are tested are known.
func (c *Comparison) Precision() (p Precision) {
	for i := range c.Rows {
		row := &c.Rows[i]
		if row.Family != quantity.Headline {
			continue
		}
		for v := 1; v < len(row.Cells); v++ {
			cell := &row.Cells[v]
			p.Rare = p.Rare || cell.Rare > 0
			if cell.Estimate == nil || cell.Half == 0 {
				continue
			}
			if part := row.precision(cell); p.Row == nil || part > p.Reached {
				p.Reached, p.Row = part, row
			}
		}
	}
	return p
}

// precision is half the width of the cell's interval as a part of what it is about.
func (r *Row) precision(cell *Cell) float64 {
	of := r.Reference()
	if of == 0 { // from nothing to something
		of = math.Abs(cell.Number)
	}
	return quantity.Over(cell.Half, of)
}

// Autocorrelation is how much neighbouring windows are alike in their differences: the mean over the headline metrics that are tested,
// 0 when there is none.
func (c *Comparison) Autocorrelation() float64 {
	sum, n := 0.0, 0
	for i := range c.Rows {
		for v := range c.Rows[i].Cells {
			if e := c.Rows[i].Cells[v].Estimate; e != nil && e.SE > 0 && c.Rows[i].Family == quantity.Headline {
				sum += e.Autocorrelation
				n++
			}
		}
	}
	return sum / float64(max(n, 1))
}

// Stop says why there need be no more units; empty when more would help and there may be more.
func (c *Comparison) Stop() inference.Stop {
	if c.Options.Precision == 0 {
		return inference.Given
	}
	p := c.Precision()
	switch {
	case len(c.Units) < inference.Fewest:
	case p.Row == nil && !p.Rare:
		return inference.Agreement
	case p.Row != nil && p.Reached <= c.Options.Precision:
		return inference.Precision
	}
	if len(c.Units) >= c.Limit {
		return inference.Exhausted
	}
	return ""
}
