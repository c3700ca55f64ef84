package compare

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"replay/engine/record"
	"replay/report/figure"
	"replay/report/inference"
	"replay/report/metric"
	"replay/report/page"
	"replay/report/quantity"
	"replay/report/result"
)

// Loss is how many jobs succeed in one of two variants alone, all seeds together.
type Loss struct {
	Lost   int64 // in the first variant alone: the other fails, refuses or never finishes them
	Gained int64 // in the other alone
	CutOff int64 // in one of them alone, because --until ended the other before they finished
}

// any reports whether one variant loses jobs that the other finishes.
func (l Loss) any() bool { return l.Lost > 0 || l.Gained > 0 }

// outcomes counts what became of the jobs of each variant, and which are lost against the first.
func (c *Comparison) outcomes() {
	for i := range c.Variants {
		v := &c.Variants[i]
		c.Outcomes = append(c.Outcomes, metric.OutcomeOf(v.data()...))
		var l Loss
		for k, r := range v.Runs {
			first := c.Variants[0].Runs[k]
			lost, cut := missing(first, r)
			gained, cutToo := missing(r, first)
			l.Lost, l.Gained, l.CutOff = l.Lost+lost, l.Gained+gained, l.CutOff+cut+cutToo
		}
		c.Losses = append(c.Losses, l)
	}
}

// missing counts the jobs that succeed in a and not in b: those that b loses, and those that the end of b cut off.
func missing(a, b *metric.Summary) (lost, cutOff int64) {
	in := map[int64]*result.Job{}
	for i := range b.Jobs {
		in[b.Jobs[i].ID] = &b.Jobs[i]
	}
	for id := range a.Succeeded() {
		switch j := in[id]; {
		case j != nil && j.Outcome == record.JobSucceeded:
		case b.Manifest.Until > 0 && (j == nil || j.Outcome == record.JobUnfinished):
			cutOff++
		default:
			lost++
		}
	}
	return lost, cutOff
}

// pairedText says which jobs the numbers are over, where those are not all; empty where they are.
func (c *Comparison) pairedText() string {
	if c.alike {
		return ""
	}
	var all, both int64
	for k := range c.Variants[0].Runs {
		in := map[int64]int{}
		seen := map[int64]bool{}
		for _, v := range c.Variants {
			for id := range v.Runs[k].Succeeded() {
				in[id]++
			}
			for i := range v.Runs[k].Jobs {
				seen[v.Runs[k].Jobs[i].ID] = true
			}
		}
		all += int64(len(seen))
		for _, n := range in {
			if n == len(c.Variants) {
				both++
			}
		}
	}
	return fmt.Sprintf("What follows from jobs is compared over the same jobs in every variant: %s of %s finished in all of them, and durations are over those; waits are over those that waited in all.",
		quantity.Thousands(both), quantity.Counted(all, "jobs"))
}

// voids reports whether there is no verdict on a row of variant v: jobs that one of the two loses make it better or worse.
func (c *Comparison) voids(row *Row, v int) bool {
	return c.Losses[v].any() && row.Family != "" && row.Better != quantity.Neither
}

// lossText says which jobs variant v loses against the first, and what follows.
func (c *Comparison) lossText(v int) string {
	name, first, l := c.Variants[v].Name, c.Variants[0].Name, c.Losses[v]
	in := ""
	if len(c.Variants[0].Runs) > 1 {
		in = ", counted over " + c.runsText()
	}
	var said []string
	if l.Lost > 0 {
		said = append(said, fmt.Sprintf("%s does not finish %s that %s finishes", name, quantity.Counted(l.Lost, "jobs"), first))
	}
	if l.Gained > 0 {
		said = append(said, fmt.Sprintf("%s does not finish %s that %s finishes", first, quantity.Counted(l.Gained, "jobs"), name))
	}
	return strings.Join(said, ", and ") + in + ": no verdict on waits, durations, slowdown, makespan or anything else that is better or worse, because lost jobs leave their room to the others."
}

// runsText says how many runs each variant has: "5 seeds", "12 traces with 2 seeds each".
func (c *Comparison) runsText() string {
	text := c.Unit.Counted(len(c.Units))
	if n := len(c.Units[0].runs); n > 1 {
		text += fmt.Sprintf(" with %s each", inference.Seed.Counted(n))
	}
	return text
}

// outcomeTable has a row for success and for each other outcome that any job has.
func (c *Comparison) outcomeTable() page.Table {
	t := page.Table{Title: "Jobs", Head: []string{"jobs"}}
	if len(c.Variants[0].Runs) > 1 {
		t.Head[0] = "jobs, over " + c.runsText()
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

// writeOutcomes writes how many jobs of each variant had which outcome.
func (c *Comparison) writeOutcomes(w io.Writer) {
	table := c.outcomeTable()
	each := max(8, (width-len(table.Head[0]))/len(c.Variants)-2) // columns for a variant
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, name := range table.Head {
		if i > 0 {
			name = "\t" + figure.Short(name, each)
		}
		fmt.Fprint(t, name)
	}
	fmt.Fprintln(t)
	for _, r := range table.Rows {
		line := r.Name
		for _, cell := range r.Cells {
			line += "\t" + cell.Text
		}
		fmt.Fprintln(t, line)
	}
	t.Flush()
	fmt.Fprintln(w)
}
