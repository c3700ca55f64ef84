package metric

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"replay/engine/record"
	"replay/report/quantity"
	"replay/shown"
)

// WriteText writes the summary for people: what became of the jobs, what happened, the headline values in words, the run and
// its warnings; with all, every value by its name. Sentences are as wide as the terminal, if w is one.
func (s *Summary) WriteText(w io.Writer, all bool) {
	m, columns := &s.Manifest, shown.Columns(w)
	p := shown.Paint(w)
	fmt.Fprintf(w, "%s\n\n", p.In(shown.Heading, "Replay of "+m.Subject()))
	if m.Elsewhere != "" {
		shown.Wrap(w, m.Elsewhere+".\n", "", columns)
	}
	o := s.Outcome()
	style := shown.Heading
	if o.Unexpected > 0 {
		style = shown.Bad
	}
	fmt.Fprintln(w, p.In(style, o.Text()))
	for i := range o.Reasons {
		shown.Wrap(w, "  - "+o.Reasons[i].Text(), "    ", columns)
	}
	news := s.News()
	if len(news) > 0 {
		fmt.Fprintln(w)
	}
	for _, text := range news {
		shown.Wrap(w, text, "  ", columns)
	}
	if !all {
		fmt.Fprintln(w)
		s.writeHeadline(w)
	}
	if text := BandsText(m.Bands, m.DurationSource); text != "" {
		fmt.Fprintln(w)
		shown.Wrap(w, text, "", columns)
	}
	fmt.Fprintln(w)
	t := &shown.Table{}
	for _, l := range s.Facts() {
		t.Row(l[0], l[1])
	}
	t.Write(w)
	if len(m.Modelled) > 0 {
		fmt.Fprintf(w, "\n%s\n", p.In(shown.Heading, "Modelled, not recorded:"))
		for _, x := range m.Modelled {
			shown.Wrap(w, "  - "+x, "    ", columns)
		}
	}
	if ws := s.Warnings(); len(ws) > 0 {
		fmt.Fprintf(w, "\n%s\n", p.In(shown.Doubt, "Warnings:"))
		for _, x := range ws {
			shown.Wrap(w, "  - "+x, "    ", columns)
		}
	}
	if !all {
		return
	}
	for _, g := range s.Groups {
		fmt.Fprintf(w, "\n%s\n", p.In(shown.Heading, g.Title))
		t.Indent = 2
		for _, v := range g.Values {
			t.Row(v.Name, v.Text())
		}
		t.Write(w)
	}
}

// writeHeadline writes the headline values in words with what they are over, what was left out, and where the others are.
func (s *Summary) writeHeadline(w io.Writer) {
	said, others := s.Headline()
	t, p := &shown.Table{}, shown.Paint(w)
	for _, v := range said {
		of := v.Of()
		if of != "" {
			of = "of " + of
		}
		if text := v.Few(); text != "" {
			of += "; " + text
		}
		if note := BandNote(s.Manifest.Bands, v.Name); note != "" {
			of += "; " + note
		}
		t.Row(v.Plain, v.Amount(), p.In(shown.Quiet, of))
	}
	t.Write(w)
	if slices.ContainsFunc(said, func(v *Value) bool { return v.Open > 0 }) {
		fmt.Fprintln(w)
		shown.Wrap(w, "Jobs that are still waiting or not finished count with at least the time so far (Kaplan and Meier); waits of containers and tasks are those that were over.", "", shown.Columns(w))
	}
	for i, text := range others {
		if i == 0 {
			fmt.Fprintf(w, "\n%s\n", p.In(shown.Heading, "Left out:"))
		}
		shown.Wrap(w, "  - "+text, "    ", shown.Columns(w))
	}
	fmt.Fprintf(w, "\n%s more values: --all, or summary.txt of a result directory (--out).\n", quantity.Thousands(int64(len(s.Values)-len(said))))
}

// Warnings returns the texts of the warnings, without those of jobs that did not succeed and of the offered load: the outcome has their
// reasons, the news has the load.
func (s *Summary) Warnings() (texts []string) {
	for i := range s.Manifest.Warnings {
		if w := &s.Manifest.Warnings[i]; !w.OfLoad() && (!w.Voids || w.Jobs == 0) {
			texts = append(texts, fmt.Sprintf("%s (%s)", Counted(w), w.Code))
		}
	}
	return texts
}

// Counted returns a warning with the number of jobs that it is about, or how often it came.
func Counted(w *record.Warning) string {
	text := w.Text
	if w.Jobs > 1 {
		text = quantity.Thousands(w.Jobs) + " jobs, the first: " + text
	}
	if w.Count > max(w.Jobs, 1) {
		text += " (" + quantity.Thousands(w.Count) + " times)"
	}
	return text
}

// preempted says how many containers were preempted, "" for none.
func (s *Summary) preempted() string {
	if n := s.Containers.Ends[record.EndPreempted]; n > 0 {
		return fmt.Sprintf(", %s preempted", quantity.Thousands(n))
	}
	return ""
}

// Facts are what a reader must know of a run before its numbers.
func (s *Summary) Facts() [][2]string {
	m := &s.Manifest
	t := &m.Totals
	facts := [][2]string{
		{"scheduler", quantity.OrDash(m.Scheduler) + ", sharing " + quantity.OrDash(m.Sharing)},
		{"container placement", quantity.OrDash(m.Placement)},
		{"preferred hosts", quantity.OrDash(m.LocalitySource)},
		{"task durations", quantity.OrDash(m.DurationSource)},
		{"jobs", quantity.Thousands(t.Jobs)},
		{"tasks", fmt.Sprintf("%s in %s, %s", quantity.Thousands(t.Tasks), quantity.Counted(t.Stages, "stages"), quantity.Counted(t.TaskAttempts, "attempts"))},
		{"containers", quantity.Thousands(t.ContainersAllocated) + " allocated" + s.preempted()},
		{"simulated time", quantity.Duration(float64(t.EndMS))},
		{"seed", strconv.FormatUint(m.Seed, 10) + ", engine " + quantity.OrDash(m.Engine)},
		{"trace", quantity.OrDash(m.TraceHash)},
		{"decision hash", quantity.OrDash(m.DecisionHash)},
	}
	if m.Faster != 0 && m.Faster != 1 {
		said := fmt.Sprintf("%.4g times as fast as recorded", m.Faster)
		if m.Load > 0 {
			said += fmt.Sprintf(", for the load %v that was asked for", m.Load)
		}
		facts = slices.Insert(facts, 5, [2]string{"arrivals", said})
	}
	for _, f := range m.Policies {
		facts = slices.Insert(facts, 2, [2]string{"policy", fmt.Sprintf("%s (sha256 %s)", f.Name, f.SHA256[:min(16, len(f.SHA256))])})
	}
	return facts
}
