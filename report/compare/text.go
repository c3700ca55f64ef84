package compare

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"replay/report/page"
	"replay/report/quantity"
)

// plain tells a value in words within a sentence.
func (r *Row) plain() string {
	if r.Plain != "" {
		return r.Plain
	}
	return r.Name
}

// Verdict says in words which differences are real and which are not told apart.
func (c *Comparison) Verdict() (ps []page.Paragraph) {
	for v := 1; v < len(c.Variants); v++ {
		ps = append(ps, c.verdict(v))
	}
	return ps
}

func (c *Comparison) verdict(v int) (p page.Paragraph) {
	name, first := c.Variants[v].Name, c.Variants[0].Name
	if c.Same[v] {
		p.Lead = fmt.Sprintf("No difference between %s and %s: every metric is equal in %s.", name, first, seedsText(len(c.Seeds)))
		return p
	}
	by := map[Finding][]string{}
	tested := 0
	for i := range c.Rows {
		row := &c.Rows[i]
		if row.Family == "" {
			continue
		}
		cell := &row.Cells[v]
		if !math.IsNaN(cell.Adjusted) {
			tested++
		}
		text := row.plain()
		if cell.Finding.Real() {
			text += fmt.Sprintf(": %s → %s (%s%s)", row.Unit.Amount(row.Cells[0].Number), row.Unit.Amount(cell.Number), row.Unit.Difference(cell.Difference), row.intervals(cell))
		} else if cell.Finding == NotTested {
			text += " (" + c.untested(row, v) + ")"
		}
		by[cell.Finding] = append(by[cell.Finding], text)
	}
	count := func(fs ...Finding) (n int) {
		for _, f := range fs {
			n += len(by[f])
		}
		return n
	}
	switch real := count(RealBetter, RealWorse, RealHigher, RealLower); {
	case c.Losses[v] != Loss{}:
		p.Lead = c.lossText(v)
	case tested == 0:
		p.Lead = fmt.Sprintf("%s against %s: nothing could be tested; see the reasons below.", name, first)
	case real == 0:
		p.Lead = fmt.Sprintf("No difference between %s and %s is told apart in any of the %d metrics tested.", name, first, tested)
	default:
		var said []string
		for _, f := range []struct {
			f    Finding
			text string
		}{{RealBetter, "better in %d"}, {RealWorse, "worse in %d"}, {RealHigher, "higher in %d"}, {RealLower, "lower in %d"}} {
			if n := count(f.f); n > 0 {
				said = append(said, fmt.Sprintf(f.text, n))
			}
		}
		p.Lead = fmt.Sprintf("%s differs from %s: %s of %d metrics tested; %d not told apart, %d equal.", name, first, strings.Join(said, ", "), tested, len(by[NotToldApart]), tested-real-len(by[NotToldApart]))
	}
	for _, f := range []struct {
		f    Finding
		text string
	}{{RealBetter, "better"}, {RealWorse, "worse"}, {RealHigher, "higher"}, {RealLower, "lower"}} {
		for _, s := range by[f.f] {
			p.Findings = append(p.Findings, f.text+": "+s)
		}
	}
	for _, f := range []struct {
		f    Finding
		text string
	}{{NotToldApart, "not told apart"}, {Equal, "equal"}, {NotTested, "not tested"}, {NoVerdict, "no verdict"}} {
		if len(by[f.f]) > 0 {
			p.Findings = append(p.Findings, f.text+": "+strings.Join(by[f.f], "; "))
		}
	}
	return p
}

func seedsText(n int) string {
	if n == 1 {
		return "the one seed"
	}
	return fmt.Sprintf("each of the %d seeds", n)
}

// untested says why a difference was not tested.
func (c *Comparison) untested(r *Row, v int) string {
	switch {
	case r.Cells[0].Absent != "":
		return "no number for " + c.Variants[0].Name + ": " + r.Cells[0].Absent
	case r.Cells[v].Absent != "":
		return "no number for " + c.Variants[v].Name + ": " + r.Cells[v].Absent
	case r.PerJob != nil:
		return fmt.Sprintf("one seed and too few of %d jobs have it", c.Jobs)
	}
	return "it does not follow from single jobs, so it needs two seeds or more"
}

// intervals writes the intervals of a difference.
func (r *Row) intervals(c *Cell) string {
	var b strings.Builder
	if i := c.OverSeeds; i != nil {
		fmt.Fprintf(&b, "; over seeds %s to %s", r.Unit.Difference(i.Low), r.Unit.Difference(i.High))
	}
	if i := c.OverJobs; i != nil {
		fmt.Fprintf(&b, "; over jobs %s to %s", r.Unit.Difference(i.Low), r.Unit.Difference(i.High))
	}
	return b.String()
}

// Method says how the intervals and tests were made.
func (c *Comparison) Method() string {
	n := c.Tested[quantity.Headline] + c.Tested[quantity.Shares]
	s := "Intervals are 95 %"
	if len(c.Seeds) > 1 {
		s += fmt.Sprintf("; over seeds: t distribution of paired differences (%d seeds)", len(c.Seeds))
	}
	if c.Jobs >= minJobs {
		s += fmt.Sprintf("; over jobs: paired bootstrap (%s resamples of %s jobs)", quantity.Thousands(resamples), quantity.Thousands(int64(c.Jobs)))
	} else {
		s += fmt.Sprintf("; none over jobs: %d are fewer than %d", c.Jobs, minJobs)
	}
	s += ". "
	s += fmt.Sprintf("%d differences were tested (%d headline, %d queue shares); one is called real when, by seeds and jobs taken together, chance is excluded at the 5 %% level with Holm's correction over its family.", n, c.Tested[quantity.Headline], c.Tested[quantity.Shares])
	if len(c.Seeds) == 1 {
		s += " With one seed, metrics that do not follow from single jobs cannot be tested."
	} else if len(c.Seeds) < 5 {
		s += " Few seeds make wide intervals; five or more tell more apart."
	}
	return s
}

// number writes a cell's value, a dash when absent.
func (r *Row) number(c *Cell) string {
	if c.Absent != "" {
		return "-"
	}
	return r.Unit.Amount(c.Number)
}

// against writes a cell's difference to the first and what was found.
func (r *Row) against(c *Cell) string {
	if math.IsNaN(c.Difference) {
		return "-"
	}
	s := r.Unit.Difference(c.Difference)
	if c.Finding != NotTested && c.Finding != First {
		s += ", " + string(c.Finding)
	}
	return s
}

// interval writes one interval of a cell, a dash when it has none.
func (r *Row) interval(i *Interval) string {
	if i == nil {
		return "-"
	}
	return "[" + r.Unit.Difference(i.Low) + ", " + r.Unit.Difference(i.High) + "]"
}

// WriteText writes the comparison for people: outcomes, verdict, headline table, method; with all, every metric.
func (c *Comparison) WriteText(w io.Writer, all bool) {
	for i, v := range c.Variants {
		as := "against it: "
		if i == 0 {
			as = "base:       "
		}
		fmt.Fprintln(w, strings.TrimSpace(as+v.Name+"  "+v.Flags))
	}
	fmt.Fprintln(w)
	c.writeOutcomes(w)
	writeParagraphs(w, c.Verdict())
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "metric\t%s", c.Variants[0].Name)
	for _, v := range c.Variants[1:] {
		fmt.Fprintf(t, "\t%s\tdifference\tover seeds\tover jobs", v.Name)
	}
	fmt.Fprintln(t)
	for i := range c.Rows {
		row := &c.Rows[i]
		if row.Family == "" && !all {
			continue
		}
		fmt.Fprintf(t, "%s\t%s", row.Name, row.number(&row.Cells[0]))
		for v := 1; v < len(row.Cells); v++ {
			cell := &row.Cells[v]
			fmt.Fprintf(t, "\t%s\t%s\t%s\t%s", row.number(cell), row.against(cell), row.interval(cell.OverSeeds), row.interval(cell.OverJobs))
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	fmt.Fprintf(w, "\n%s\n", c.Method())
}
