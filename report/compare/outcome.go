package compare

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"replay/report/metric"
	"replay/report/page"
	"replay/report/quantity"
)

// Loss is how many jobs succeed in one of two variants alone, all seeds together.
type Loss struct {
	Lost   int64 // in the first variant alone
	Gained int64 // in the other alone
}

// outcomes counts what became of the jobs of each variant, and which are lost against the first.
func (c *Comparison) outcomes() {
	for i := range c.Variants {
		v := &c.Variants[i]
		c.Outcomes = append(c.Outcomes, metric.OutcomeOf(v.data()...))
		var l Loss
		for k, r := range v.Runs {
			first := c.Variants[0].Runs[k].Succeeded()
			own := r.Succeeded()
			l.Lost += missing(first, own)
			l.Gained += missing(own, first)
		}
		c.Losses = append(c.Losses, l)
	}
}

// missing counts what a has and b has not.
func missing(a, b map[int64]bool) (n int64) {
	for id := range a {
		if !b[id] {
			n++
		}
	}
	return n
}

// voids reports whether there is no verdict on a row of variant v: its numbers are over other jobs than the first's.
func (c *Comparison) voids(row *Row, v int) bool {
	return c.Losses[v] != Loss{} && row.Family != "" && row.Better != quantity.Neither
}

// lossText says which jobs variant v loses against the first, and what follows.
func (c *Comparison) lossText(v int) string {
	name, first, l := c.Variants[v].Name, c.Variants[0].Name, c.Losses[v]
	in := ""
	if len(c.Seeds) > 1 {
		in = fmt.Sprintf(", counted over %d seeds", len(c.Seeds))
	}
	var said []string
	if l.Lost > 0 {
		said = append(said, fmt.Sprintf("%s does not finish %s that %s finishes", name, jobsText(l.Lost), first))
	}
	if l.Gained > 0 {
		said = append(said, fmt.Sprintf("%s does not finish %s that %s finishes", first, jobsText(l.Gained), name))
	}
	return strings.Join(said, ", and ") + in + ": no verdict on waits, durations, slowdown, makespan or anything else that is better or worse, because the numbers are over different jobs."
}

func jobsText(n int64) string {
	if n == 1 {
		return "1 job"
	}
	return quantity.Thousands(n) + " jobs"
}

// outcomeTable has a row for success and for each other outcome that any job has.
func (c *Comparison) outcomeTable() page.Table {
	t := page.Table{Title: "Jobs", Head: []string{"jobs"}}
	if n := len(c.Seeds); n > 1 {
		t.Head[0] = fmt.Sprintf("jobs, over %d seeds", n)
	}
	for _, v := range c.Variants {
		t.Head = append(t.Head, v.Name)
	}
	for i, count := range c.Outcomes[0].Counts() {
		row := page.Row{Name: count.Name, About: "jobs, " + count.Name}
		any := i == 0
		for v, o := range c.Outcomes {
			n := o.Counts()[i].Jobs
			any = any || n > 0
			row.Cells = append(row.Cells, page.Cell{Text: quantity.Thousands(n), Label: c.Variants[v].Name})
		}
		if any {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// outcomeParagraphs say what became of the jobs of the variants that lose some, with the reasons.
func (c *Comparison) outcomeParagraphs() (ps []page.Paragraph) {
	for v, o := range c.Outcomes {
		if o.Succeeded < o.Jobs {
			ps = append(ps, page.Outcome(o, c.Variants[v].Name))
		}
	}
	return ps
}

// writeOutcomes writes what became of the jobs: counts by variant, and reasons.
func (c *Comparison) writeOutcomes(w io.Writer) {
	table := c.outcomeTable()
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(table.Head, "\t"))
	for _, r := range table.Rows {
		line := r.Name
		for _, cell := range r.Cells {
			line += "\t" + cell.Text
		}
		fmt.Fprintln(t, line)
	}
	t.Flush()
	fmt.Fprintln(w)
	writeParagraphs(w, c.outcomeParagraphs())
}

// writeParagraphs writes each sentence with its list.
func writeParagraphs(w io.Writer, ps []page.Paragraph) {
	for _, p := range ps {
		fmt.Fprintln(w, p.Lead)
		for _, f := range p.Findings {
			fmt.Fprintln(w, "  -", f)
		}
		fmt.Fprintln(w)
	}
}
