package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"replay/report/inference"
	"replay/report/metric"
)

// rankingTexts put several variants in order, the best first, and say how many times faster or slower than the base each is, as far as
// that is told apart from chance, and which neighbours are not told apart. There are none for two variants, which the verdict is about.
func (c *Comparison) rankingTexts() (texts []string) {
	if len(c.Variants) < 3 || len(c.Units) < inference.Fewest {
		return nil
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		if !slices.Contains(metric.Ranking, row.Name) || row.Thin() {
			continue
		}
		var order []int
		for v := range row.Cells {
			if row.Cells[v].Absent == "" && !c.voids(row, v) {
				order = append(order, v)
			}
		}
		if len(order) < 3 {
			continue
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(row.Cells[a].Number, row.Cells[b].Number) })
		s := row.Unit.ScaleOf(numbers(row)...)
		var said []string
		for _, v := range order {
			said = append(said, fmt.Sprintf("%s %s%s%s", c.Variants[v].Name, s.Number(row.Cells[v].Number), s.Suffix(), c.timesText(row, v)))
		}
		text := fmt.Sprintf("By %s, the best first: %s.", row.Words(), strings.Join(said, "; "))
		if alike := c.alike(row, order); len(alike) > 0 {
			text += " Not told apart: " + strings.Join(alike, "; ") + "."
		}
		texts = append(texts, text)
	}
	return texts
}

// alike names those who stand next to each other in an order and are not told apart. The base is not among them: the text says of each variant how it
// differs from the base. All pairs of variants and all orders share the level, because the values decided which of them are neighbours.
func (c *Comparison) alike(row *Row, order []int) (pairs []string) {
	alpha := inference.Level / float64(len(metric.Ranking)*len(order)*(len(order)-1)/2)
	for k := 1; k < len(order); k++ {
		a, b := order[k-1], order[k]
		if a == 0 || b == 0 {
			continue
		}
		pair := row.Cells[b]
		ds := pair.Differences(&row.Cells[a])
		if inference.Rare(ds) == 0 {
			pair.infer(&row.Cells[a], c.Unit, alpha)
			if pair.Estimate.Word(pair.Half, c.Margin*row.Reference()) == inference.Real {
				continue
			}
		}
		pairs = append(pairs, c.Variants[a].Name+" and "+c.Variants[b].Name)
	}
	return pairs
}

// timesText says how many times faster or slower than the base variant v is in a time, empty for the base.
func (c *Comparison) timesText(row *Row, v int) string {
	x, base, first := &row.Cells[v], &row.Cells[0], c.Variants[0].Name
	switch {
	case v == 0:
		return " (base)"
	case x.Finding == Equal || x.Finding == EqualWithin:
		return ", as " + first
	case !x.Finding.Real() || base.Number <= 0 || x.Number <= 0:
		return ", not told apart from " + first
	}
	headline, _ := c.alphas()
	low, high, ok := x.Estimate.Ratio(base.ByUnit, x.ByUnit, headline)
	word, times := "slower", x.Number/base.Number
	if x.Difference < 0 { // the ratio of times turned over
		word, times = "faster", base.Number/x.Number
		low, high = 1/high, 1/low
	}
	text := fmt.Sprintf(", %.2f", times)
	switch {
	case x.Half == 0 || !ok:
	case high > 0:
		text += fmt.Sprintf(" (%.2f to %.2f)", low, high)
	default: // the variant's own time is not told apart from 0
		text += fmt.Sprintf(" (at least %.2f)", low)
	}
	return text + " times " + word + " than " + first
}
