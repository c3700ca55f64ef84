package compare

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"replay/report/inference"
	"replay/report/metric"
	"replay/report/page"
	"replay/report/quantity"
	"replay/shown"
)

// Intervals says in a sentence what the intervals of the comparison are, or why there are none.
func (c *Comparison) Intervals() string {
	tested := c.Tested[quantity.Headline] + c.Tested[quantity.Shares]
	switch {
	case len(c.Units) < inference.Fewest:
		return fmt.Sprintf("Nothing was tested, because %s.", c.Few())
	case tested == 0:
		return "Nothing was tested."
	}
	return fmt.Sprintf("Intervals of differences between replays of the same %s, %s.", c.Unit, soWide(tested))
}

func soWide(tested int) string {
	return fmt.Sprintf("so wide that chance makes even one of the %d of this comparison exclude 0 in at most 5 %% of such comparisons", tested)
}

// Method says in words what is inferred, and what the numbers and the words of the table mean.
func (c *Comparison) Method() string {
	var b strings.Builder
	tested := c.Tested[quantity.Headline] + c.Tested[quantity.Shares]
	switch {
	case tested == 0:
		b.WriteString(c.Intervals())
	default:
		b.WriteString(c.scope())
		fmt.Fprintf(&b, " A difference is real (better, worse, higher, lower) when its interval, change ± half, excludes 0%s; the intervals are %s.", c.beyond(), soWide(tested))
		if c.Margin > 0 {
			fmt.Fprintf(&b, " ≈: equal within %s, all of the interval is (%s).", c.marginText(), "of the base's value; of shares and indexes, in points")
		}
		fmt.Fprintf(&b, " ~: the interval holds 0 and more, so nothing is known; =: equal in every %s; blank: not tested.", c.Unit)
	}
	if c.study.unpaired {
		b.WriteString(" The variants have seeds of their own: the two of a pair share no random streams.")
	}
	if slices.ContainsFunc(c.Losses, Loss.any) {
		b.WriteString(" void: one of the two loses jobs that the other finishes.")
	}
	b.WriteString(" n: the jobs, containers, task attempts or seconds behind a number, in the replay with the fewest.")
	if n := c.study.lone; n > 0 {
		fmt.Fprintf(&b, " In %s of %s more than half of the task attempts are of one job (%s in the first of them): what is over task attempts or containers is mostly its.",
			quantity.Thousands(int64(n)), c.Unit.Counted(len(c.Units)), c.study.loneJob)
	}
	if few := c.fewAmong(); few != "" {
		b.WriteString(" " + few)
	}
	return b.String()
}

// fewAmong says which percentiles of the table are over few things; empty where none is.
func (c *Comparison) fewAmong() string {
	var shown []*metric.Value
	for i := range c.Rows {
		if row := &c.Rows[i]; row.Family != "" && !row.Thin() {
			shown = append(shown, &row.Value)
		}
	}
	return metric.FewAmong(shown)
}

// scope says what is inferred, and for what not.
func (c *Comparison) scope() (text string) {
	switch c.Unit {
	case inference.Trace:
		text = fmt.Sprintf("Inferred for workloads like these %d traces: an interval carries what other such traces would change%s.", len(c.Units), c.rare("traces", oneJob))
	case inference.Window:
		text = fmt.Sprintf("Inferred for workloads like the %d windows of this trace: an interval carries what other such windows would change%s. Each begins with an empty cluster.", len(c.Units), c.rare("windows", oneJob))
		if r := c.Autocorrelation(); r > 0 {
			text += fmt.Sprintf(" Neighbouring windows are alike (their differences have an autocorrelation of %.2g on average), which widens the intervals.", r)
		}
	default:
		text = "Inferred for this trace: an interval carries what other seeds would change" + c.rare("seeds", "") + ". Whether other workloads agree, several traces say (compare TRACE TRACE …), or the windows of a long one (--windows)."
	}
	return text
}

// rare says what no interval of so few units knows. Nothing in the sample tells where it matters: intervals are too short where the few that differ far
// more are not in it (docs/metrics.md, Comparisons). such is an example, or "".
func (c *Comparison) rare(units, such string) string {
	return fmt.Sprintf(", and less of it where a few differ far more than the others: of what fewer than 1 in %d %s have%s it knows nothing", len(c.Units), units, such)
}

// oneJob is what few traces and windows have; each seed has the jobs of all.
const oneJob = ", such as one job far larger than all,"

// beyond says beyond what an interval must reach, empty without a margin.
func (c *Comparison) beyond() string {
	if c.Margin == 0 {
		return ""
	}
	return " and reaches beyond ±" + c.marginText()
}

func (c *Comparison) marginText() string { return partText(c.Margin) }

// partText writes a part in percent, with two digits where it is small: "1 %", "0.52 %", "120 %".
func partText(x float64) string {
	if x >= .1 {
		return fmt.Sprintf("%.0f %%", 100*x)
	}
	return fmt.Sprintf("%.2g %%", 100*x)
}

// shortWindow is how many times as long as a job takes a window must be for its jobs to wait for each other about as in the whole trace.
const shortWindow = 10

// shortText says that windows are short against what jobs take; empty where they are not.
func (c *Comparison) shortText() string {
	i := c.row("duration_job_mean_ms")
	if c.Unit != inference.Window || i < 0 {
		return ""
	}
	w := c.study.runs[0].window
	takes, long := 0.0, float64(w.ToMS-w.FromMS)/cmp.Or(c.study.manifest(0).Faster, 1)
	for _, x := range c.Rows[i].Cells {
		if x.Absent == "" {
			takes = max(takes, x.Number)
		}
	}
	if takes*shortWindow <= long {
		return ""
	}
	return fmt.Sprintf("Short windows: each is %s long and begins with an empty cluster, and a job takes up to %s in the mean of a variant. Jobs wait less for those before them than in the whole trace, and differences that come of such waits are smaller here, or of another kind: take fewer windows, or several traces.",
		quantity.Duration(long), quantity.MS.Amount(takes))
}

// sizeText writes a difference of the row as a part of the base's value, or in points.
func (r *Row) sizeText(x float64) string {
	of := r.Reference()
	switch {
	case of == 0 || r.Unit != quantity.Share && r.Unit != quantity.Index && x > of: // some thousand percent of next to nothing say little
		s := r.Unit.ScaleOf(x)
		return s.Number(x) + s.Suffix()
	case r.Unit == quantity.Share:
		return strings.TrimSuffix(partText(x), " %") + " pp"
	case r.Unit == quantity.Index:
		return fmt.Sprintf("%.2g", x)
	}
	return partText(quantity.Over(x, of))
}

// precisionText says why there are as many units as there are; empty when somebody said how many.
func (c *Comparison) precisionText() string {
	if c.TooShort {
		return fmt.Sprintf("This trace is too short for windows that tell nothing of each other: even %d are alike. Take several traces.", len(c.Units))
	}
	n, p := c.Unit.Counted(len(c.Units)), c.Precision()
	wanted := partText(c.Options.Precision)
	switch c.Stop() {
	case inference.Precision:
		known := "every headline metric"
		if p.Rare {
			known += " that differs more than rarely"
		}
		return fmt.Sprintf("%s: %s is known to within %s.", n, known, wanted)
	case inference.Agreement:
		if !slices.Contains(c.Same, false) {
			return "" // the answer says it
		}
		if c.Tested[quantity.Headline] == 0 {
			return fmt.Sprintf("%s, as nothing is tested that more of them would make more precise.", n)
		}
		return fmt.Sprintf("%s, as all of them agree exactly.", n)
	case inference.Exhausted:
		if p.Row == nil {
			return fmt.Sprintf("%s, the limit.", n)
		}
		return fmt.Sprintf("%s, the limit: %s is known to ±%s, not to ±%s.", n, p.Row.Words(), p.Row.sizeText(p.Reached*p.Row.Reference()), wanted)
	}
	return ""
}

// powerText says what would have been found of what is not told apart in variant v; empty when everything is.
func (c *Comparison) powerText(v int) string {
	var said []string
	unlisted, _ := c.unlisted(v)
	for i := range c.Rows {
		row := &c.Rows[i]
		if cell := &row.Cells[v]; cell.Finding == NotToldApart && !unlisted[row] {
			said = append(said, row.Words()+" "+row.sizeText(cell.Detectable))
		}
	}
	if said == nil {
		return ""
	}
	return "Not told apart; in 8 of 10 such comparisons this change would have been found: " + named(said, ", ") + "."
}

// missingText says which metrics variant v or the first has no number for in some units alone.
func (c *Comparison) missingText(v int) string {
	var said []string
	for i := range c.Rows {
		row := &c.Rows[i]
		if row.Family == "" {
			continue
		}
		if c.partly(row, v) {
			said = append(said, row.Words()+" ("+row.Cells[v].Untested+")")
		}
	}
	if said == nil {
		return ""
	}
	return fmt.Sprintf("Not tested, without a number in some %ss: %s.", c.Unit, named(said, "; "))
}

// rareText says which metrics differ in so few units that variant v has no interval for them.
func (c *Comparison) rareText(v int) string {
	var said []string
	for i := range c.Rows {
		row := &c.Rows[i]
		if rare := row.Cells[v].Rare; rare > 0 {
			said = append(said, fmt.Sprintf("%s (%d of %d)", row.Words(), rare, len(c.Units)))
		}
	}
	if said == nil {
		return ""
	}
	return fmt.Sprintf("Not tested, differing in one or two %ss alone, which say nothing of how much others would: %s.", c.Unit, named(said, ", "))
}

// WriteText writes the comparison for people, as wide as their terminal but at most [widest] columns: the answer, what became of the jobs, a table for each
// variant and what the words mean; with all, every metric.
func (c *Comparison) WriteText(w io.Writer, all bool) {
	writeParagraphs(w, c.answers())
	for _, text := range []string{c.shortText(), c.precisionText()} {
		if text != "" {
			shown.Paragraph(w, text+"\n", "")
		}
	}
	for i, v := range c.Variants {
		as := "against it: "
		if i == 0 {
			as = "base:       "
		}
		shown.Paragraph(w, strings.TrimSpace(as+v.Name+"  "+v.Flags), "            ")
	}
	fmt.Fprintln(w)
	if e := c.study.manifest(0).Elsewhere; e != "" {
		shown.Paragraph(w, e+".\n", "")
	}
	c.writeOutcomes(w)
	for v := 1; v < len(c.Variants); v++ {
		if c.Same[v] && !all {
			continue // the answer says it
		}
		head, rows, left := c.lines(v, all)
		if len(rows) > 0 {
			writeTable(w, head, rows, all)
		}
		if len(left) > 0 {
			shown.Paragraph(w, fmt.Sprintf("Left out, without a number in both or over next to nothing: %s (%s).", quantity.Counted(int64(len(left)), "metrics"), named(left, "; ")), "")
		}
		if _, text := c.unlisted(v); text != "" && !all {
			shown.Paragraph(w, text+" --all lists them.", "")
		}
		for _, text := range []string{c.missingText(v), c.rareText(v), c.powerText(v)} {
			if text != "" {
				shown.Paragraph(w, text, "")
			}
		}
		c.writeQueues(w, v, all)
		fmt.Fprintln(w)
	}
	for _, text := range []string{c.Unlike(), c.pairedText()} {
		if text != "" {
			shown.Paragraph(w, text, "")
			fmt.Fprintln(w)
		}
	}
	shown.Paragraph(w, c.Method(), "")
	if text := c.bandsText(); text != "" {
		fmt.Fprintln(w)
		shown.Paragraph(w, text, "")
	}
}

// answers are what is read first: jobs that were lost, the order of several variants, and what differs in each.
func (c *Comparison) answers() []page.Lede {
	ps := c.outcomeParagraphs()
	for i, text := range c.rankingTexts() {
		if i == 0 {
			text = c.inferred() + ", b" + text[1:]
		}
		ps = append(ps, page.Lede{Text: text})
	}
	return append(ps, c.Verdict()...)
}

// writeParagraphs writes each sentence with what caused it and its list.
func writeParagraphs(w io.Writer, ps []page.Lede) {
	paint := shown.Paint(w)
	for _, p := range ps {
		style := map[string]shown.Style{"good": shown.Good, "bad": shown.Bad, "": shown.Heading}[p.Kind]
		shown.Paragraph(w, paint.In(style, p.Text), "")
		if p.Cause != "" {
			shown.Paragraph(w, "  - "+p.Cause, "    ")
		}
		for _, f := range p.Findings {
			shown.Paragraph(w, "  - "+f, "    ")
		}
		fmt.Fprintln(w)
	}
}
