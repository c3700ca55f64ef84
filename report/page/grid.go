package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"replay/report/explain"
	"replay/report/figure"
	"replay/report/quantity"
)

// Grid is a table of things that readers sort, search and open. A page without scripts has the first of its rows.
type Grid struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Things  string   `json:"things"` // what its rows are, in the plural
	About   string   `json:"-"`
	Columns []Column `json:"columns"`
	Rows    [][]any  `json:"-"`       // string or float64 for each column; NaN is nothing
	Sort    int      `json:"sort"`    // column by which it is sorted at first, the largest on top
	Static  int      `json:"-"`       // rows of a page without scripts
	Where   string   `json:"-"`       // where all rows are
	Life    []int    `json:"life"`    // columns with the times that a bar in each row is drawn between; nil for no bar
	Explain string   `json:"explain"` // a command that says more of an opened row, with JOB for the number its name begins with; empty for none
	Finds   string   `json:"finds"`   // the grid that an opened row searches for its name; empty for none

	Told [][]explain.Branch `json:"told,omitempty"` // by row, where its time went, in the place of columns with a Part; nil where it is not known
}

// Column of a grid. The first one is the name of the row, and opens it.
type Column struct {
	Name   string        `json:"name"`
	About  string        `json:"about"`
	Unit   quantity.Unit `json:"unit"`   // empty for text
	Better string        `json:"better"` // higher, lower, or empty
	Inside bool          `json:"inside"` // shown in an opened row alone
	Part   string        `json:"part"`   // of a bar of this name in an opened row; empty for none
}

// columns returns the cells by column: texts, or numbers with null for nothing.
func (g *Grid) columns() ([]any, error) {
	out := make([]any, len(g.Columns))
	for c, col := range g.Columns {
		var texts []string
		var numbers floats
		for r, row := range g.Rows {
			switch x := row[c].(type) {
			case string:
				texts = append(texts, figure.Drawable(x))
			case float64:
				numbers = append(numbers, x)
			default:
				return nil, fmt.Errorf("grid %s, row %d, column %s: %T is neither text nor number", g.ID, r, col.Name, x)
			}
		}
		if len(texts) > 0 && len(numbers) > 0 {
			return nil, fmt.Errorf("grid %s: column %s has %d texts and %d numbers, want one kind", g.ID, col.Name, len(texts), len(numbers))
		}
		if texts != nil {
			out[c] = texts
		} else {
			out[c] = append(floats{}, numbers...)
		}
	}
	return out, nil
}

// Table returns the first rows in the order in which the grid is sorted, for a page without scripts.
func (g *Grid) Table() Table {
	t := Table{Title: g.Title}
	for _, c := range g.Columns {
		if !c.Inside {
			t.Head = append(t.Head, c.Name)
		}
	}
	rows := slices.Clone(g.Rows)
	slices.SortStableFunc(rows, func(a, b []any) int { return compareCells(b[g.Sort], a[g.Sort]) })
	for _, row := range rows[:min(len(rows), g.Static)] {
		var out Row
		for c, x := range row {
			switch {
			case g.Columns[c].Inside:
			case c == 0:
				out.Name = cellText(x, g.Columns[c].Unit)
			default:
				cell := Cell{Text: cellText(x, g.Columns[c].Unit), Label: g.Columns[c].Name}
				if g.Columns[c].Unit != "" {
					cell.Class = "n"
				}
				out.Cells = append(out.Cells, cell)
			}
		}
		t.Rows = append(t.Rows, out)
	}
	return t
}

// Cut says how many rows the page without scripts leaves out; empty for none.
func (g *Grid) Cut() string {
	if len(g.Rows) <= g.Static {
		return ""
	}
	return fmt.Sprintf("These are %d of %s, those with the most in “%s”. All of them are in this page for browsers that run its script, and in %s.",
		g.Static, quantity.Counted(int64(len(g.Rows)), g.Things), g.Columns[g.Sort].Name, g.Where)
}

// compareCells orders numbers with those that are none first, or texts.
func compareCells(a, b any) int {
	x, ok := a.(float64)
	y, ok2 := b.(float64)
	if ok && ok2 {
		return cmp.Compare(x, y) // NaN is less than all
	}
	return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
}

func cellText(x any, u quantity.Unit) string {
	switch x := x.(type) {
	case float64:
		if math.IsNaN(x) {
			return "–"
		}
		return u.Amount(x)
	default:
		return figure.Drawable(fmt.Sprint(x))
	}
}
