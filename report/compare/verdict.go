package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"replay/report/inference"
	"replay/report/metric"
	"replay/report/page"
	"replay/report/parting"
	"replay/report/quantity"
	"replay/report/result"
)

// telling is how large a difference must be, against the base, to be told before others of its sort.
const telling = 0.01

// ofJobs are the headline metrics that users of a cluster feel, those first that say most.
var ofJobs = []string{"wait_job_first_task_mean_ms", "duration_job_mean_ms", "wait_job_first_task_p95_ms", "slowdown_mean", "makespan_ms"}

// Words tells a value in words within a sentence.
func (r *Row) Words() string {
	if r.Plain != "" {
		return r.Plain
	}
	return r.Name
}

// Verdict answers in a sentence for each variant but the first: what changed against it, by how much, for whom and why.
func (c *Comparison) Verdict() (ps []page.Lede) {
	for v := 1; v < len(c.Variants); v++ {
		text := c.Arrivals(v) + c.answer(v)
		if unseen := c.Unseen(v); unseen != "" {
			text += " " + unseen
		}
		ps = append(ps, page.Lede{Kind: c.kind(v), Text: text})
	}
	return ps
}

// Arrivals says that jobs of variant v arrive faster or more slowly than those of the first, so that the two have not the same work to do at a time;
// empty where they do not.
func (c *Comparison) Arrivals(v int) string {
	by := c.study.sides[v].arrivals
	low, high := slices.Min(by), slices.Max(by)
	if low == 1 && high == 1 {
		return ""
	}
	times := fmt.Sprintf("%.3g", low)
	if low != high {
		times = fmt.Sprintf("%.3g to %.3g", low, high)
	}
	why := ""
	if c.study.sides[v].manifest.Load > 0 {
		why = " (--load is of each cluster)"
	}
	return fmt.Sprintf("Under %s jobs arrive %s times as fast as under %s%s, which is part of each difference. ", c.Variants[v].Name, times, c.Variants[0].Name, why)
}

// kind says whether the answer of variant v is good or bad: nothing but better or worse in what is tested, or jobs lost.
func (c *Comparison) kind(v int) string {
	by := map[Finding]int{}
	for i := range c.Rows {
		by[c.Rows[i].Cells[v].Finding]++
	}
	switch {
	case c.Losses[v].any(), by[RealWorse] > 0 && by[RealBetter] == 0:
		return "bad"
	case by[RealBetter] > 0 && by[RealWorse] == 0:
		return "good"
	}
	return ""
}

func (c *Comparison) answer(v int) string {
	name, first := c.Variants[v].Name, c.Variants[0].Name
	if c.Outcomes[0].NoneSucceeds() && c.Outcomes[v].NoneSucceeds() {
		return fmt.Sprintf("Nothing is known of %s against %s: no job succeeds under either.", name, first)
	}
	if o := c.Outcomes[v]; o.Jobs == o.NotSubmitted && c.Outcomes[0].Jobs == c.Outcomes[0].NotSubmitted {
		return fmt.Sprintf("Nothing is known of %s against %s: no job was submitted under either.", name, first)
	}
	if c.Same[v] {
		switch c.Decides[v] {
		case AsFirst:
			n := len(c.Units)
			effect := fmt.Sprintf("What sets them apart has no effect in these; of other %ss fewer than %.0f %% differ, as far as %d alike tell (95 %%)", c.Unit, math.Ceil(100*inference.Unseen(n)), n)
			switch {
			case c.ToldAlike(v):
				effect = fmt.Sprintf("Nothing sets them apart: what is asked of %s holds under %s as it is, by its files, the trace or defaults", name, first)
			case n < inference.Fewest:
				effect = fmt.Sprintf("Of other %ss nothing is known: %s", c.Unit, c.Few())
			}
			return fmt.Sprintf("No difference between %s and %s%s: no decision and no metric differs in %s. %s.", name, first, c.UpTo(), strings.Replace(c.everyUnit(), "each", "any", 1), effect)
		case Otherwise:
			return fmt.Sprintf("No difference between %s and %s%s: every metric is equal in %s, though decisions differ.", name, first, c.UpTo(), c.everyUnit())
		}
		return fmt.Sprintf("No difference between %s and %s%s: every metric is equal in %s.", name, first, c.UpTo(), c.everyUnit())
	}
	if c.Losses[v].any() {
		return c.lossText(v)
	}
	if len(c.Units) < inference.Fewest {
		text := fmt.Sprintf("No verdict between %s and %s, because %s", name, first, c.Few())
		if row := c.largest(v, func(*Cell) bool { return true }); row != nil {
			text += ". Seen: " + c.change(row, v) + c.where(row, v) + c.why(row, v)
		}
		return text + "."
	}
	real := func(c *Cell) bool { return c.Finding.Real() }
	main := c.largest(v, real)
	counts, tested := c.count(v)
	switch {
	case tested == 0:
		return fmt.Sprintf("%s against %s: nothing could be tested, because no headline metric has a number in both.", name, first)
	case main == nil:
		text := fmt.Sprintf("%s, no difference between %s and %s is told apart from chance", c.inferred(), name, first)
		if row := c.largest(v, func(x *Cell) bool { return !math.IsNaN(x.Half) }); row != nil {
			text += "; seen: " + c.change(row, v)
		}
		return fmt.Sprintf("%s. Of %d metrics tested: %s.", text, tested, counts) + c.shiftText(v)
	}
	word := func(row *Row) string {
		f := row.Cells[v].Finding
		if row.Family == quantity.Shares {
			return "has a " + string(f) + " "
		}
		return "is " + string(f) + " in "
	}
	text := fmt.Sprintf("%s, %s against %s %s%s%s%s", c.inferred(), name, first, word(main), c.change(main, v), c.where(main, v), c.why(main, v))
	// What goes the other way: better against worse, beside which what is only higher or lower says nothing.
	against := func(x *Cell) bool {
		f := main.Cells[v].Finding
		return real(x) && x.Finding != f && (x.Finding.judges() || !f.judges())
	}
	if other := c.largest(v, against); other != nil {
		text += "; it " + word(other) + c.change(other, v)
	}
	return fmt.Sprintf("%s. Of %d metrics tested: %s.", text, tested, counts) + c.shiftText(v)
}

// ToldAlike reports whether variant v was told the same as the first: it is no other policy, and says nothing of one.
func (c *Comparison) ToldAlike(v int) bool {
	a, b := c.study.manifest(0), c.study.manifest(v)
	return !c.study.unpaired && a.Engine == b.Engine && parting.Settings(a, b) == nil
}

// count says how many metrics were found to be what, and how many were tested.
func (c *Comparison) count(v int) (text string, tested int) {
	by := map[Finding]int{}
	for i := range c.Rows {
		if cell := &c.Rows[i].Cells[v]; !math.IsNaN(cell.Half) {
			by[cell.Finding]++
			tested++
		}
	}
	var said []string
	for _, f := range []Finding{RealBetter, RealWorse, RealHigher, RealLower, EqualWithin, NotToldApart, Equal} {
		word := string(f)
		if f == EqualWithin {
			word = "equal within " + c.marginText()
		}
		if by[f] > 0 {
			said = append(said, fmt.Sprintf("%d %s", by[f], word))
		}
	}
	return strings.Join(said, ", "), tested
}

// largest returns the headline row of which to speak first among those wanted: of what users feel the first that differs
// tellingly, else the one that differs most for its size; nil when there is none.
func (c *Comparison) largest(v int, want func(*Cell) bool) (best *Row) {
	const shares, others, users = 1, 2, 3
	most, class := 0.0, 0
	for i := range c.Rows {
		row := &c.Rows[i]
		cell := &row.Cells[v]
		if row.Family == "" || math.IsNaN(cell.Difference) || cell.Difference == 0 || row.Thin() || !want(cell) {
			continue
		}
		size, of := math.Abs(quantity.Over(cell.Difference, row.Cells[0].Number)), others
		if math.IsNaN(size) {
			size = math.Inf(1) // from nothing to something
		}
		if row.Family == quantity.Shares {
			of = shares
		} else if n := slices.Index(ofJobs, row.Name); n >= 0 && size >= telling {
			size, of = float64(-n), users
		}
		if best == nil || of > class || of == class && size > most {
			best, class, most = row, of, size
		}
	}
	return best
}

// change says from what to what a metric changed, with its interval.
func (c *Comparison) change(row *Row, v int) string {
	return row.Words() + ": " + c.fromTo(row, v, row.Cells[v].Half, " ± ")
}

// fromTo says from what to what a row changed in variant v, with half an interval behind a sign; NaN for none.
func (c *Comparison) fromTo(row *Row, v int, half float64, sign string) string {
	first, cell := &row.Cells[0], &row.Cells[v]
	s := row.Scale(v)
	text := fmt.Sprintf("%s → %s (%s", s.Number(first.Number), s.Number(cell.Number)+s.Suffix(), s.Signed(cell.Difference))
	switch {
	case math.IsNaN(half):
	case half == 0:
		text += fmt.Sprintf(" in every %s", c.Unit)
	default:
		text += sign + s.Number(half)
	}
	return text + ")"
}

// Scale is in what unit the row is written where variant v stands against the first.
func (r *Row) Scale(v int) quantity.Scale {
	return r.Unit.ScaleOf(r.Cells[0].Number, r.Cells[v].Number)
}

// row returns the place of the row of a metric, -1 for none.
func (c *Comparison) row(name string) int {
	for i := range c.Rows {
		if c.Rows[i].Name == name {
			return i
		}
	}
	return -1
}

// where says which queue, or size of jobs, has the most of a difference, each by its difference and the number of its jobs.
func (c *Comparison) where(row *Row, v int) string {
	s := row.Scale(v)
	for _, of := range []struct{ key, text string }{{"queue", "most of it in "}, {"size", "most of it in jobs of "}} {
		var most *Row
		parts, sum, top := 0, 0.0, 0.0
		for i := range c.Rows {
			part := &c.Rows[i]
			rest, ok := strings.CutPrefix(part.Name, row.Name+"["+of.key+"=")
			d := part.Cells[v].Difference
			if !ok || rest == "" || math.IsNaN(d) {
				continue
			}
			parts++
			weight := float64(d * float64(part.N))
			if (d > 0) != (row.Cells[v].Difference > 0) {
				continue
			}
			sum += math.Abs(weight)
			if math.Abs(weight) > top {
				most, top = part, math.Abs(weight)
			}
		}
		if parts < 2 || most == nil || top < sum/2 {
			continue
		}
		name := strings.TrimSuffix(most.Name[len(row.Name)+len(of.key)+2:], "]")
		if of.key == "size" {
			name += " tasks"
		}
		return ", " + of.text + name + " (" + s.Signed(most.Cells[v].Difference) + s.Apart() + ")"
	}
	return ""
}

// why says which part of the time that jobs wait and run moved most in the direction of the difference, and how much of it that is. There is none
// of the makespan, which a few jobs decide, nor where times are open: their parts are over other jobs.
func (c *Comparison) why(row *Row, v int) string {
	difference := func(name string) float64 {
		if i := c.row(name); i >= 0 {
			return c.Rows[i].Cells[v].Difference
		}
		return math.NaN()
	}
	const wait, duration, p95, slowdown = 0, 1, 2, 3
	is := slices.Index(ofJobs, row.Name)
	if is < 0 || is > slowdown || c.study.open > 0 {
		return ""
	}
	whole := difference(ofJobs[wait])
	if is == duration || is == slowdown {
		whole = difference(ofJobs[duration])
	}
	d := row.Cells[v].Difference
	most, name := 0.0, ""
	take := func(x float64, words string) {
		if (x > 0) == (d > 0) && math.Abs(x) > math.Abs(most) {
			most, name = x, words
		}
	}
	for i := range result.WaitParts {
		p := &result.WaitParts[i]
		take(difference(p.Name+"_mean_ms"), p.Short)
	}
	if is == duration || is == slowdown {
		take(difference(ofJobs[duration])-difference(ofJobs[wait]), "the time after the first task")
	}
	if name == "" || (whole > 0) != (d > 0) {
		return ""
	}
	s := quantity.MS.ScaleOf(most)
	if row.Unit == quantity.MS {
		s = row.Scale(v)
	}
	part := name + " (" + s.Signed(most) + s.Suffix() + ")"
	switch rest := whole - most; {
	case is == p95:
		return "; of the mean wait " + part + " moved most"
	case (rest > 0) != (whole > 0) && s.Number(rest) != s.Number(0):
		return ", by " + part + " against " + s.Signed(rest) + s.Suffix() + " of all else"
	case 2*math.Abs(most) >= math.Abs(whole):
		return ", mostly by " + part
	}
	return ", the largest part of it by " + part
}

// everyUnit names all units: "each of the 5 seeds".
func (c *Comparison) everyUnit() string {
	if len(c.Units) == 1 {
		return "the one " + string(c.Unit)
	}
	return "each of the " + c.Unit.Counted(len(c.Units))
}

// inferred says for what the answer holds, at its beginning.
func (c *Comparison) inferred() string {
	text := c.Unit.Scope(len(c.Units))
	return strings.ToUpper(text[:1]) + text[1:] + c.UpTo()
}

// UpTo says until when the replays go where that cuts off jobs; empty elsewhere.
func (c *Comparison) UpTo() string {
	cutOff := func(o *metric.Outcome) bool { return o.CutOff() > 0 }
	if until := c.study.manifest(0).Until; until > 0 && slices.ContainsFunc(c.Outcomes, cutOff) {
		return ", up to " + quantity.Duration(float64(until))
	}
	return ""
}
