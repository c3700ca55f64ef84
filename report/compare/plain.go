package compare

import (
	"fmt"
	"math"

	"replay/report/quantity"
)

// About says what was compared, for captions.
func (c *Comparison) About() string {
	return fmt.Sprintf("%s, %s, %s.", c.subject(), quantity.Counted(int64(c.Jobs), "jobs"), c.RunsText())
}

// Plain returns the headline metrics as a table of text: for each variant but the first the change against it, its interval and the word for it; and what the values are over, in the replay with the fewest.
func (c *Comparison) Plain() (head []string, rows [][]string) {
	head = []string{"metric", "unit", c.Variants[0].Name}
	for _, v := range c.Variants[1:] {
		head = append(head, v.Name, "change", "finding")
	}
	head = append(head, "n")
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Family == "" || r.Thin() || r.Cells[0].Absent != "" {
			continue
		}
		s := r.Unit.ScaleOf(numbers(r)...)
		row := []string{r.Words(), s.Unit, s.Number(r.Cells[0].Number)}
		for v := 1; v < len(r.Cells); v++ {
			x := &r.Cells[v]
			if math.IsNaN(x.Difference) {
				row = append(row, "–", "–", "")
				continue
			}
			change, finding := s.Signed(x.Difference), marks[x.Finding]
			switch {
			case math.IsNaN(x.Half) || x.Finding == Equal:
			case x.Half == 0:
				change += fmt.Sprintf(" in every %s", c.Unit)
			default:
				change += " ± " + s.Number(x.Half)
			}
			row = append(row, s.Number(x.Number), change, finding)
		}
		n := ""
		if r.Things != "" {
			n = quantity.Counted(r.N, r.Things)
		}
		rows = append(rows, append(row, n))
	}
	return head, rows
}
