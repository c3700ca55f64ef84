package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"replay/report/inference"
	"replay/report/quantity"
)

// rankedBy are the metrics that several variants are ranked by: times that users of a cluster feel.
var rankedBy = []string{"wait_job_first_task_mean_ms", "duration_job_mean_ms"}

// rankingTexts put several variants in order, the best first, and say how many times faster or slower than the base each is, as far as
// that is told apart from chance. There are none for two variants, which the verdict is about.
func (c *Comparison) rankingTexts() (texts []string) {
	if len(c.Variants) < 3 || len(c.Units) < inference.Fewest {
		return nil
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		if !slices.Contains(rankedBy, row.Name) || row.Thin() {
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
		words := row.Words()
		texts = append(texts, fmt.Sprintf("By %s, the best first: %s.", words, strings.Join(said, "; ")))
	}
	return texts
}

// timesText says how many times faster or slower than the base variant v is in a time, empty for the base.
func (c *Comparison) timesText(row *Row, v int) string {
	x, base, first := &row.Cells[v], row.Cells[0].Number, c.Variants[0].Name
	switch {
	case v == 0:
		return " (base)"
	case x.Finding == Equal || x.Finding == EqualWithin:
		return ", as " + first
	case !x.Finding.Real() || base <= 0 || base+x.Difference <= 0:
		return ", not told apart from " + first
	}
	word, times := "slower", func(d float64) float64 { return (base + d) / base }
	if x.Difference < 0 {
		word, times = "faster", func(d float64) float64 { return base / (base + d) }
	}
	text := fmt.Sprintf(", %.2f", times(x.Difference))
	if half := math.Abs(times(x.Difference+x.Half)-times(x.Difference-x.Half)) / 2; !math.IsNaN(half) && x.Half > 0 && base+x.Difference-x.Half > 0 {
		text += " ± " + quantity.Decimals(half, 2)
	}
	return text + " times " + word + " than " + first
}
