package metric

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"replay/engine/record"
	"replay/report/quantity"
	"replay/shown"
)

// WriteText writes the summary for people: what became of the jobs, what happened, the headline values in words, the run and
// its warnings; with all, every value by its name. Sentences are as wide as the terminal, if w is one.
func (s *Summary) WriteText(w io.Writer, all bool) {
	m, columns := &s.Manifest, shown.Columns(w)
	fmt.Fprintf(w, "Replay of %s\n\n", m.Subject())
	if m.Elsewhere != "" {
		shown.Wrap(w, m.Elsewhere+".\n", "", columns)
	}
	o := s.Outcome()
	fmt.Fprintln(w, o.Text())
	for i := range o.Reasons {
		shown.Wrap(w, "  - "+o.Reasons[i].Text(), "    ", columns)
	}
	fmt.Fprintln(w)
	for _, text := range s.News() {
		shown.Wrap(w, text, "  ", columns)
	}
	if !all {
		fmt.Fprintln(w)
		s.writeHeadline(w)
	}
	if text := BandsText(m.Bands); text != "" {
		fmt.Fprintf(w, "\n%s\n", text)
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, l := range s.Facts() {
		fmt.Fprintf(t, "%s\t%s\n", l[0], l[1])
	}
	t.Flush()
	if len(m.Modelled) > 0 {
		fmt.Fprintf(w, "\nModelled, not recorded:\n")
		for _, x := range m.Modelled {
			shown.Wrap(w, "  - "+x, "    ", columns)
		}
	}
	if ws := s.Warnings(); len(ws) > 0 {
		fmt.Fprintf(w, "\nWarnings:\n")
		for _, x := range ws {
			shown.Wrap(w, "  - "+x, "    ", columns)
		}
	}
	if !all {
		return
	}
	for _, g := range s.Groups {
		fmt.Fprintf(w, "\n%s\n", g.Title)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, v := range g.Values {
			fmt.Fprintf(t, "  %s\t%s\n", v.Name, v.Text())
		}
		t.Flush()
	}
}

// writeHeadline writes the headline values in words with what they are over, what was left out, and where the others are.
func (s *Summary) writeHeadline(w io.Writer) {
	said, others := s.Headline()
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, v := range said {
		of := v.Of()
		if of != "" {
			of = "of " + of
		}
		if note := BandNote(s.Manifest.Bands, v.Name); note != "" {
			of += "; " + note
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", v.Plain, v.Amount(), of)
	}
	t.Flush()
	for line := range strings.Lines(b.String()) {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
	if slices.ContainsFunc(said, func(v *Value) bool { return v.Open > 0 }) {
		fmt.Fprintln(w, "\nJobs that are still waiting or not finished count with at least the time so far (Kaplan and Meier).")
	}
	for i, text := range others {
		if i == 0 {
			fmt.Fprintln(w, "\nLeft out:")
		}
		shown.Wrap(w, "  - "+text, "    ", shown.Columns(w))
	}
	fmt.Fprintf(w, "\n%s more values: --all, or summary.txt of a result directory (--out).\n", quantity.Thousands(int64(len(s.Values)-len(said))))
}

// Warnings returns the texts of the warnings, without those of jobs that did not succeed and of little load: the outcome has their
// reasons, the news has the load.
func (s *Summary) Warnings() (texts []string) {
	for i := range s.Manifest.Warnings {
		if w := &s.Manifest.Warnings[i]; w.Code != record.LowLoad && (!w.Voids || w.Jobs == 0) {
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

// Facts are what a reader must know of a run before its numbers.
func (s *Summary) Facts() [][2]string {
	m := &s.Manifest
	t := &m.Totals
	return [][2]string{
		{"scheduler", quantity.OrDash(m.Scheduler) + ", sharing " + quantity.OrDash(m.Sharing)},
		{"container placement", quantity.OrDash(m.Placement)},
		{"preferred hosts", quantity.OrDash(m.LocalitySource)},
		{"task durations", quantity.OrDash(m.DurationSource)},
		{"jobs", quantity.Thousands(t.Jobs)},
		{"tasks", fmt.Sprintf("%s in %s stages, %s attempts", quantity.Thousands(t.Tasks), quantity.Thousands(t.Stages), quantity.Thousands(t.TaskAttempts))},
		{"containers", quantity.Thousands(t.ContainersAllocated) + " allocated"},
		{"simulated time", quantity.Duration(float64(t.EndMS))},
		{"seed", strconv.FormatUint(m.Seed, 10) + ", engine " + quantity.OrDash(m.Engine)},
		{"trace", quantity.OrDash(m.TraceHash)},
		{"decision hash", quantity.OrDash(m.DecisionHash)},
	}
}
