package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"replay/report/page"
	"replay/report/quantity"
)

// Method says in words what the numbers and the words of the table mean.
func (c *Comparison) Method() string {
	var b strings.Builder
	switch {
	case len(c.Seeds) == 1:
		b.WriteString("With one seed nothing is tested: run with --seeds 5 or more.")
	case c.Tested[quantity.Headline]+c.Tested[quantity.Shares] == 0:
		b.WriteString("Nothing was tested.")
	default:
		fmt.Fprintf(&b, "A difference is real (better, worse, higher, lower) when its interval, change ± half, excludes 0; the intervals are so wide that chance makes even one of the %s exclude 0 in at most 5 %% of such comparisons. ~: the interval holds 0, so nothing is known; =: equal in every seed; blank: not tested.", c.families())
		fmt.Fprintf(&b, " An interval carries what other seeds would change (%d pairs)", len(c.Seeds))
		if c.jobsCount() {
			fmt.Fprintf(&b, " and, where a metric follows from jobs, what other jobs would (bootstrap of %s).", quantity.Counted(int64(c.Jobs), "jobs"))
		} else {
			fmt.Fprintf(&b, ", not what other jobs would: there are too few (%d).", c.Jobs)
		}
		if len(c.Seeds) < fewSeeds {
			b.WriteString(" Few seeds make wide intervals; five or more tell more apart.")
		}
	}
	if slices.ContainsFunc(c.Losses, Loss.any) {
		b.WriteString(" void: one of the two loses jobs that the other finishes.")
	}
	b.WriteString(" n: the jobs, containers, task attempts or seconds behind a number, in the replay with the fewest.")
	return b.String()
}

// families says how many differences are tested together.
func (c *Comparison) families() string {
	var said []string
	for _, f := range []struct {
		family quantity.Family
		words  string
	}{{quantity.Headline, "headline ones"}, {quantity.Shares, "shares of queues"}} {
		if n := c.Tested[f.family]; n > 0 {
			said = append(said, fmt.Sprintf("%d %s", n, f.words))
		}
	}
	return strings.Join(said, " or even one of the ")
}

// WriteText writes the comparison for people within [width] columns: the answer, what became of the jobs, a table for each
// variant and what the words mean; with all, every metric.
func (c *Comparison) WriteText(w io.Writer, all bool) {
	writeParagraphs(w, c.outcomeParagraphs())
	writeParagraphs(w, c.Verdict())
	for i, v := range c.Variants {
		as := "against it: "
		if i == 0 {
			as = "base:       "
		}
		wrap(w, strings.TrimSpace(as+v.Name+"  "+v.Flags), "            ")
	}
	fmt.Fprintln(w)
	if e := c.Variants[0].Runs[0].Manifest.Elsewhere; e != "" {
		wrap(w, e+".\n", "")
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
			wrap(w, fmt.Sprintf("Left out, without a number in both or over next to nothing: %s (%s).", quantity.Counted(int64(len(left)), "metrics"), strings.Join(left, "; ")), "")
		}
		fmt.Fprintln(w)
	}
	if text := c.pairedText(); text != "" {
		wrap(w, text, "")
		fmt.Fprintln(w)
	}
	wrap(w, c.Method(), "")
}

// writeParagraphs writes each sentence with its list.
func writeParagraphs(w io.Writer, ps []page.Paragraph) {
	for _, p := range ps {
		wrap(w, p.Lead, "")
		for _, f := range p.Findings {
			wrap(w, "  - "+f, "    ")
		}
		fmt.Fprintln(w)
	}
}

// wrap writes text in lines of at most [width] columns; those after the first begin with indent. A longer word keeps a line
// to itself.
func wrap(w io.Writer, text, indent string) {
	line := ""
	start := text[:len(text)-len(strings.TrimLeft(text, " "))]
	together := strings.ReplaceAll(text[len(start):], " %", "\u00a0%") // a number keeps its unit
	for word := range strings.SplitSeq(together, " ") {
		word = strings.ReplaceAll(word, "\u00a0", " ")
		switch {
		case line == "":
			line = start + word
		case len([]rune(line))+1+len([]rune(word)) > width && strings.TrimSpace(line) != "":
			fmt.Fprintln(w, strings.TrimRight(line, " "))
			line = indent + word
		default:
			line += " " + word
		}
	}
	fmt.Fprintln(w, strings.TrimRight(line, " "))
}
