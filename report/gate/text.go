package gate

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"replay/report/ci"
	"replay/report/compare"
	"replay/report/inference"
	"replay/report/metric"
	"replay/report/quantity"
	"replay/shown"
)

// Word is the verdict in a word.
func (v *Verdict) Word() string {
	if v.Failed() {
		return "FAIL"
	}
	return "PASS"
}

// Sentence is the verdict, and what it rests on.
func (v *Verdict) Sentence() string {
	text := v.finding()
	if other := v.Comparison.Arrivals(head); other != "" {
		text += " " + strings.TrimSpace(other)
	}
	if len(v.Conditions) == 0 || slices.ContainsFunc(v.Conditions, func(j Judged) bool { return j.Row.Sideless() }) {
		if other := v.Comparison.Unlike(); other != "" {
			text += " " + strings.ToUpper(other[:1]) + other[1:]
		}
	}
	if out := v.Comparison.Outcomes[head]; out.Unexpected > v.Lost {
		text += fmt.Sprintf(" Of %s, counted over %s, %s finish under neither%s.", quantity.Counted(out.Jobs, "jobs"), v.Comparison.RunsText(), quantity.Thousands(out.Unexpected-v.Lost), v.why(true))
	}
	if unseen := v.Comparison.Unseen(head); unseen != "" {
		text += " " + unseen
	}
	return text + v.untested()
}

// untested names the queue among several that loses most where the gate passes and no condition is about it: what all gain may be what one pays for.
func (v *Verdict) untested() string {
	if v.Failed() || v.Same || len(v.Queues) < 2 {
		return ""
	}
	for i := range v.Queues {
		q := &v.Queues[i]
		row, part := q.Loses()
		if part <= v.Comparison.Margin {
			break
		}
		if slices.ContainsFunc(v.Conditions, func(j Judged) bool { return j.Row != nil && strings.HasSuffix(j.Row.Name, "[queue="+q.Name+"]") }) {
			continue
		}
		of, in := "p95(wait", "p95 wait for the first task"
		if row == q.Duration {
			of, in = "mean(duration", "mean duration of a job"
		}
		half := ""
		if !math.IsNaN(row.Half) {
			half = " ± " + row.Scale(head).Number(row.Half)
		}
		return fmt.Sprintf(" No condition is about the queue that loses most, %s, in %s: %s; --fail-if '%s, queue=%s) > +5%%' is one.", q.Name, in, changed(row.Row, half), of, q.Name)
	}
	return ""
}

func (v *Verdict) finding() string {
	n := v.Comparison.Unit.Counted(len(v.Comparison.Units))
	broken, open := v.count(Broken), v.count(Open)
	var said []string
	if v.Lost > 0 {
		said = append(said, fmt.Sprintf("head does not finish %s, counted over %s, that base finishes (%s)%s", quantity.Counted(v.Lost, "jobs"), v.Comparison.RunsText(), strings.Join(v.LostNames, ", "), v.why(false)))
	}
	if broken > 0 {
		said = append(said, fmt.Sprintf("%d of %s broken", broken, quantity.Counted(int64(len(v.Conditions)), "conditions")))
	}
	for _, row := range v.Worse {
		said = append(said, "worse in "+row.Words()+": "+withInterval(row))
	}
	switch {
	case v.none():
		return fmt.Sprintf("%s: no job finishes under base or head, so nothing is known of the change (%s).", v.Word(), n)
	case said != nil:
	case v.unsubmitted():
		return fmt.Sprintf("%s: no job was submitted under base or head, so nothing is known of the change (%s).", v.Word(), n)
	case v.Same && v.Comparison.Decides[head] == compare.AsFirst:
		text := fmt.Sprintf("%s: no decision changes, every value of every replay is equal (%s)%s.", v.Word(), n, v.Comparison.UpTo())
		if v.Comparison.ToldAlike(head) {
			text += " Head is told the same as base."
		}
		return text
	case v.Same:
		return fmt.Sprintf("%s: every value of every replay is equal (%s)%s.", v.Word(), n, v.Comparison.UpTo())
	case len(v.Conditions) == 0 && v.Comparison.Tested[quantity.Headline] == 0:
		why := "no headline metric could be tested"
		if len(v.Comparison.Units) < inference.Fewest {
			why = v.Comparison.Few()
		}
		return fmt.Sprintf("%s: nothing is known of the change, because %s.", v.Word(), why)
	case len(v.Conditions) == 0:
		said = append(said, v.perhaps())
	case open > 0:
		said = append(said, fmt.Sprintf("no condition is broken beyond chance, of %d nothing is known", open))
	default:
		said = append(said, fmt.Sprintf("%s kept", quantity.Counted(int64(len(v.Conditions)), "conditions")))
	}
	return fmt.Sprintf("%s: %s (%s)%s.", v.Word(), strings.Join(said, "; "), n, v.Comparison.UpTo())
}

// perhaps says that no headline metric is worse by more than the margin, and which may be.
func (v *Verdict) perhaps() string {
	var said []string
	for _, row := range v.Perhaps {
		said = append(said, row.Words()+": "+withInterval(row))
	}
	if said == nil {
		return "no headline metric is worse beyond chance"
	}
	return fmt.Sprintf("no headline metric is worse by more than %.3g %% beyond chance; worse, and perhaps by no more: %s", 100*v.Comparison.Margin, strings.Join(said, "; "))
}

// why says what most of the jobs are lost by that head alone loses, or both do; empty where that is not known.
func (v *Verdict) why(both bool) string {
	var most *metric.Reason
	reasons := v.Comparison.Outcomes[head].Reasons
	for i := range reasons {
		r := &reasons[i]
		same := func(b metric.Reason) bool { return b.Outcome == r.Outcome && b.Words == r.Words }
		if r.Unexpected > 0 && slices.ContainsFunc(v.Comparison.Outcomes[base].Reasons, same) == both && (most == nil || r.Unexpected > most.Unexpected) {
			most = r
		}
	}
	if most == nil {
		return ""
	}
	return ": " + most.Text()
}

func (v *Verdict) count(s Status) (n int) {
	for i := range v.Conditions {
		if v.Conditions[i].Status == s {
			n++
		}
	}
	return n
}

// withInterval says from what to what a row changed that has a number on both sides, with half the interval around the change where it was tested.
func withInterval(row *compare.Row) string {
	if half := row.Cells[head].Half; half > 0 {
		return changed(row, " ± "+row.Scale(head).Number(half))
	}
	return change(row)
}

// change says the same without the interval.
func change(row *compare.Row) string { return changed(row, "") }

func changed(row *compare.Row, half string) string {
	a, b := &row.Cells[base], &row.Cells[head]
	s := row.Scale(head)
	text := fmt.Sprintf("%s → %s (%s%s", s.Number(a.Number), s.Number(b.Number)+s.Suffix(), s.Signed(b.Difference), half)
	if part := 100 * quantity.Over(b.Difference, math.Abs(a.Number)); !math.IsNaN(part) && row.Unit != quantity.Share {
		text += ", " + quantity.Signed(part, 1) + " %"
	}
	return text + ")"
}

// Say says what became of the condition.
func (j *Judged) Say() string {
	if j.Why != "" {
		return fmt.Sprintf("%s: %s", j.Status, j.Why)
	}
	text := "head has " + j.Row.Unit.Amount(j.Row.Cells[head].Number)
	if j.Row.Cells[base].Absent == "" {
		text = change(j.Row)
	}
	s := j.Row.Scale(head)
	limit := "the limit"
	switch {
	case j.Percent:
		limit = strings.ReplaceAll(fmt.Sprintf("a change of %+.3g %% of base's value", 100*j.Limit), "-", "−")
	case j.Change:
		limit = "a change of " + s.Signed(j.Limit) + s.Apart()
	}
	side := "above"
	if j.Over < 0 {
		side = "below"
	}
	if j.Over == 0 && j.Half == 0 {
		text = fmt.Sprintf("%s: %s, at %s in all of them", j.Status, text, limit)
	} else {
		text = fmt.Sprintf("%s: %s, %s ± %s %s %s", j.Status, text, s.Number(math.Abs(j.Over)), s.Number(j.Half)+s.Apart(), side, limit)
	}
	if few := j.Row.Few(); few != "" {
		text += fmt.Sprintf("; it is over %s: %s", j.Row.Of(), few)
	}
	if j.Row.Open > 0 {
		text += fmt.Sprintf("; in the first replay it is over %s, which count with at least the time so far", j.Row.Of())
	}
	if j.Status == Open {
		text += fmt.Sprintf("; %s from it would have been found in 8 of 10 such gates", s.Number(j.Find)+s.Apart())
	}
	return text
}

// WriteText writes the verdict for people.
func (v *Verdict) WriteText(w io.Writer) {
	p := shown.Paint(w)
	style := shown.Good
	if v.Failed() {
		style = shown.Bad
	}
	shown.Paragraph(w, p.In(style, v.Word())+strings.TrimPrefix(v.Sentence(), v.Word()), "")
	for i := range v.Conditions {
		j := &v.Conditions[i]
		must := "fails if "
		if j.Must {
			must = "must hold: "
		}
		status := p.In(map[Status]shown.Style{Kept: shown.Good, Broken: shown.Bad, Open: shown.Doubt}[j.Status], upper(string(j.Status)))
		shown.Paragraph(w, fmt.Sprintf("  - %s%s. %s%s.", must, j.Text, status, strings.TrimPrefix(j.Say(), string(j.Status))), "    ")
	}
	if v.Same {
		return
	}
	fmt.Fprintln(w)
	t := &shown.Table{}
	t.Head("queue", "p95 wait for the first task", "mean duration of a job", "jobs")
	for _, q := range v.Queues {
		t.Row(q.Name, q.Wait.Text(), q.Duration.Text(), q.Jobs())
	}
	t.Write(w)
	for _, text := range v.aboutQueues() {
		shown.Paragraph(w, text, "")
	}
	if len(v.Hit) > 0 {
		fmt.Fprintln(w)
		shown.Paragraph(w, p.In(shown.Heading, "hit hardest")+fmt.Sprintf(", from %s to finish (of it to the first task), %s:", v.Since, v.means()), "")
		t.Indent = 2
		for _, h := range v.Hit {
			t.Row(h.Label, h.Queue, h.text())
		}
		t.Write(w)
	}
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// means says over how many replays the times of applications are means.
func (v *Verdict) means() string {
	least := v.Hit[0].Replays
	for i := range v.Hit {
		least = min(least, v.Hit[i].Replays)
	}
	if n := int64(len(v.Comparison.Units)); least < n {
		return fmt.Sprintf("means over the %d to %d replays in which each finishes under both", least, n)
	}
	return fmt.Sprintf("means over %s", quantity.Counted(least, "replays"))
}

// text is the application's time under both.
func (h *Hit) text() string {
	d, wait := quantity.MS.ScaleOf(h.Base, h.Head), quantity.MS.ScaleOf(h.WaitBase, h.WaitHead)
	return fmt.Sprintf("%s → %s (%s → %s)", d.Number(h.Base), d.Number(h.Head)+d.Suffix(), wait.Number(h.WaitBase), wait.Number(h.WaitHead)+wait.Suffix())
}

// warningsOfHead is what the list of them is called.
const warningsOfHead = "Warnings of head"

// plain makes Markdown of text in which nothing is marked up.
var plain = strings.NewReplacer("\\", "\\\\", "<", "\\<", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "|", "\\|", "\n", " ")

// WriteMarkdown writes the verdict for a comment of a pull request.
func (v *Verdict) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	mark := "✅"
	if v.Failed() {
		mark = "❌"
	}
	fmt.Fprintf(&b, "%s **%s**\n\n", mark, v.Sentence())
	if len(v.Conditions) > 0 {
		b.WriteString("| condition | | |\n|---|---|---|\n")
		for i := range v.Conditions {
			j := &v.Conditions[i]
			must := "fails if"
			if j.Must {
				must = "must hold"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", ci.Cell(j.Text), must, ci.Cell(j.Say()))
		}
		b.WriteString("\n")
	}
	if !v.Same {
		b.WriteString("| queue | p95 wait for the first task | mean duration of a job | jobs |\n|---|---|---|---|\n")
		for _, q := range v.Queues {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", ci.Cell(q.Name), q.Wait.Text(), q.Duration.Text(), q.Jobs())
		}
		for _, text := range v.aboutQueues() {
			b.WriteString("\n" + text + "\n")
		}
		if len(v.Hit) > 0 {
			b.WriteString(fmt.Sprintf("\n| hit hardest, %s | queue | from %s to finish (to the first task) |\n|---|---|---|\n", v.means(), v.Since))
			for _, h := range v.Hit {
				fmt.Fprintf(&b, "| %s | %s | %s |\n", ci.Cell(h.Label), ci.Cell(h.Queue), h.text())
			}
		}
	}
	for i, text := range v.Comparison.Warnings(head) {
		if i == 0 && !strings.HasSuffix(b.String(), "\n\n") {
			b.WriteString("\n")
		}
		if i == 0 {
			b.WriteString(warningsOfHead + ":\n\n")
		}
		fmt.Fprintf(&b, "- %s\n", plain.Replace(text))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Checks returns the verdict for systems of continuous integration: a check for each condition, or one for all metrics, and one with the warnings of the head.
func (v *Verdict) Checks() (out []ci.Check) {
	for i := range v.Conditions {
		j := &v.Conditions[i]
		level := map[Status]ci.Level{Kept: ci.OK, Broken: ci.Error, Open: ci.Warning}[j.Status]
		if v.Same && level == ci.Warning {
			level = ci.Notice
		}
		out = append(out, ci.Check{Name: j.Text, Level: level, Text: j.Say()})
	}
	if unseen := v.Comparison.Unseen(head); unseen != "" && len(v.Conditions) > 0 { // without conditions the sentence has it
		out = append(out, ci.Check{Name: "queues without jobs", Level: ci.Warning, Text: unseen})
	}
	if lost := v.Lost > 0 || v.none() || v.unsubmitted(); len(v.Conditions) == 0 || lost {
		c := ci.Check{Name: "headline metrics", Text: v.Sentence()}
		if lost {
			c.Name = "jobs finished"
		}
		if v.Failed() {
			c.Level = ci.Error
		}
		out = append(out, c)
	}
	if texts := v.Comparison.Warnings(head); len(texts) > 0 {
		out = append(out, ci.Check{Name: warningsOfHead, Level: ci.Notice, Text: strings.Join(texts, "\n")})
	}
	return out
}
