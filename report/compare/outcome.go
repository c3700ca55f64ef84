package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"replay/report/figure"
	"replay/report/inference"
	"replay/report/metric"
	"replay/report/page"
	"replay/report/quantity"
	"replay/shown"
)

// Loss is how many jobs succeed in one of two variants alone, all seeds together.
type Loss struct {
	Lost   int64 // in the first variant alone: the other fails, refuses or never finishes them
	Gained int64 // in the other alone
	CutOff int64 // in one of them alone, because --until ended the other before they finished
	// LeftOut is how many are in one of them alone, because the other is asked to be without them: they are not lost.
	LeftOut int64
}

// any reports whether one variant loses jobs that the other finishes.
func (l Loss) any() bool { return l.Lost > 0 || l.Gained > 0 }

func (l *Loss) add(o Loss) {
	l.Lost, l.Gained, l.CutOff, l.LeftOut = l.Lost+o.Lost, l.Gained+o.Gained, l.CutOff+o.CutOff, l.LeftOut+o.LeftOut
}

// pairedText says which jobs the numbers are over, where those are not all or not over; empty where they are.
func (c *Comparison) pairedText() string {
	s := c.study
	if s.alike && s.open == 0 {
		return ""
	}
	text := fmt.Sprintf("What follows from jobs is compared over the same jobs in every variant: %s of %s finished in all of them.", quantity.Thousands(s.both), quantity.Counted(s.jobs, "jobs"))
	if s.open > 0 {
		text += fmt.Sprintf(" Those that were still waiting or not finished in one (%s) count in all with at least the time so far, up to what all can see: means count longer times as that, percentiles are Kaplan and Meier's.", quantity.Thousands(s.open))
	}
	if slices.ContainsFunc(c.Losses, func(l Loss) bool { return l.LeftOut > 0 }) {
		text += " What is not of jobs, such as waits of containers and tasks, utilization and makespan, is over all that each variant has: jobs that one is without (--change) are in it in the other."
	}
	if slices.ContainsFunc(c.Losses, func(l Loss) bool { return l.CutOff > 0 }) {
		text += " Waits of containers and tasks are those that were over, and the makespan is that of the jobs that finished: --until cuts off others in each variant, so these are not tested."
	}
	return text
}

// voids reports whether there is no verdict on a row of variant v: jobs that one of the two loses make it better or worse.
func (c *Comparison) voids(row *Row, v int) bool {
	return c.Losses[v].any() && row.Family != "" && (row.Better != quantity.Neither || row.sideless)
}

// lossText says which jobs variant v loses against the first, and what follows.
func (c *Comparison) lossText(v int) string {
	name, first, l := c.Variants[v].Name, c.Variants[0].Name, c.Losses[v]
	in := ""
	if len(c.study.runs) > 1 {
		in = ", counted over " + c.RunsText()
	}
	text := l.text(first, name) + in + ": no verdict on waits, durations, slowdown, makespan or anything else that is better or worse, because lost jobs leave their room to the others."
	if l.Lost > 0 && len(c.Variants) > 2 {
		text += fmt.Sprintf(" What follows from jobs is compared without them between the other variants, too: without %s it is over all that those finish.", name)
	}
	return text
}

// text says which jobs one of two replays loses.
func (l Loss) text(first, name string) string {
	var said []string
	if l.Lost > 0 {
		said = append(said, fmt.Sprintf("%s does not finish %s that %s finishes", name, quantity.Counted(l.Lost, "jobs"), first))
	}
	if l.Gained > 0 {
		said = append(said, fmt.Sprintf("%s does not finish %s that %s finishes", first, quantity.Counted(l.Gained, "jobs"), name))
	}
	return strings.Join(said, ", and ")
}

// WriteLosses writes what became of the jobs of two replays where not all succeed, and which of the two loses some.
func WriteLosses(w io.Writer, names [2]string, replays [2]*metric.Summary) {
	var ps []page.Lede
	for i, r := range replays {
		if o := r.Outcome(); o.Succeeded < o.Jobs {
			ps = append(ps, page.Outcome(o, names[i]))
		}
	}
	if l := newPairs(replays[:]).loss(1); l.any() {
		ps = append(ps, page.Lede{Text: l.text(names[0], names[1]) + ": lost jobs leave their room to the others, so what is better without them is no gain."})
	}
	writeParagraphs(w, ps)
}

// RunsText says how many runs each variant has: "5 seeds", "12 traces with 2 seeds each".
func (c *Comparison) RunsText() string {
	text := c.Unit.Counted(len(c.Units))
	if n := len(c.Units[0].runs); n > 1 {
		text += fmt.Sprintf(" with %s each", inference.Seed.Counted(n))
	}
	return text
}

// Unlike says what the variants do not have the same of that moves some metrics by itself, how many nodes they have where it is these, and which such metrics
// differ; empty where there is nothing.
func (c *Comparison) Unlike() string {
	nodes, work := c.study.unlike()
	if !nodes && work == "" {
		return ""
	}
	who := "Not all variants"
	if len(c.Variants) == 2 {
		who = fmt.Sprintf("%s and %s do not", c.Variants[0].Name, c.Variants[1].Name)
	}
	what := work
	if nodes {
		what = "nodes" + c.meanNodes()
		if work != "" {
			what += " and " + work
		}
	}
	var moved []string
	for i := range c.Rows {
		if row := &c.Rows[i]; row.sideless && row.Family != "" && slices.ContainsFunc(row.Cells[1:], func(x Cell) bool { return x.Finding.Real() }) {
			moved = append(moved, row.Words())
		}
	}
	text := fmt.Sprintf("%s have the same %s", who, what)
	if moved != nil {
		text += ", and that by itself moves " + strings.Join(moved, " and ") + ": higher or lower, and no better or worse"
	}
	return text + "."
}

// meanNodes says how many nodes each variant has, where that is known.
func (c *Comparison) meanNodes() string {
	i := c.row(metric.MeanNodes)
	if i < 0 {
		return ""
	}
	row := &c.Rows[i]
	s := row.Unit.ScaleOf(numbers(row)...)
	var of []string
	for v := range row.Cells {
		if x := &row.Cells[v]; x.Absent == "" {
			of = append(of, c.Variants[v].Name+" "+s.Number(x.Number))
		}
	}
	if of == nil {
		return ""
	}
	return fmt.Sprintf(" (in the mean over time %s)", strings.Join(of, ", "))
}

// outcomeTable has a row for success and for each other outcome that any job has.
func (c *Comparison) outcomeTable() page.Table {
	t := page.Table{Title: "Jobs", Head: []string{"jobs"}}
	if len(c.study.runs) > 1 {
		t.Head[0] = "jobs, over " + c.RunsText()
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
func (c *Comparison) outcomeParagraphs() (ps []page.Lede) {
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
	each := max(8, (shown.Width(w)-len(table.Head[0]))/len(c.Variants)-2) // columns for a variant
	t := &shown.Table{}
	head := slices.Clone(table.Head)
	for i := 1; i < len(head); i++ {
		head[i] = figure.ShortName(head[i], each)
	}
	t.Head(head...)
	for _, r := range table.Rows {
		row := []string{r.Name}
		for _, cell := range r.Cells {
			row = append(row, cell.Text)
		}
		t.Row(row...)
	}
	t.Write(w)
	fmt.Fprintln(w)
}
