package sweep

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"replay/report/metric"
	"replay/report/quantity"
)

// Sentence says how many cells there are of what.
func (m *Merged) Sentence() string {
	n := len(m.Cells) - len(m.Missing)
	text := quantity.Counted(int64(n), "cells")
	if len(m.Missing) > 0 {
		text = quantity.Thousands(int64(n)) + " of " + quantity.Counted(int64(len(m.Cells)), "cells")
	}
	text += fmt.Sprintf(" of %s: %s", m.Plan, quantity.Counted(int64(len(m.Traces)), "traces"))
	for i := range m.dims {
		if d := &m.dims[i]; d.name != "trace" {
			text += fmt.Sprintf(", %d of %s", len(d.levels), d.name)
		}
	}
	return text + ", " + quantity.Counted(int64(len(m.seeds)), "seeds") + "."
}

// answers say which choice is best and which worst in the times that users of a cluster feel, and whether chance explains that they differ.
func (m *Merged) answers(of []extremes) (texts []string) {
	for i := range of {
		e := &of[i]
		h := &m.Metrics[e.metric]
		if !slices.Contains(metric.Ranking, h.Name) {
			continue
		}
		apart := "which chance does not explain"
		switch {
		case math.IsNaN(e.half):
			apart = "of which it is not known whether chance explains it"
		case !e.apart():
			apart = "which chance may explain"
		}
		texts = append(texts, fmt.Sprintf("By %s the best is %s (%s) and the worst %s (%s), %s.",
			h.Plain, named(e.best, e.good), h.amount(e.best.means[e.metric]), named(e.worst, e.bad), h.amount(e.worst.means[e.metric]), apart))
	}
	return texts
}

// notes are what a reader must know before the numbers.
func (m *Merged) notes() (texts []string) {
	if n := len(m.Missing); n > 0 {
		texts = append(texts, fmt.Sprintf("%s missing: means are over those that are there.", are(n, "cells")))
	}
	if m.Lost > 0 {
		texts = append(texts, fmt.Sprintf("In %s jobs did not succeed that the trace does not record as failed: metric jobs_unexpected of the table.", quantity.Counted(int64(m.Lost), "cells")))
	}
	if times := m.faster(); times >= faster {
		texts = append(texts, fmt.Sprintf("A load (--load) is that of each cluster: on one trace jobs arrive up to %.3g times as fast under one choice as under another, which is part of each difference.", times))
	}
	if len(m.Programs) > 1 {
		texts = append(texts, fmt.Sprintf("The cells were replayed by %d programs of different commits, whose pinned decisions are the same.", len(m.Programs)))
	}
	return texts
}

func are(n int, things string) string {
	verb := " are"
	if n == 1 {
		verb = " is"
	}
	return quantity.Counted(int64(n), things) + verb
}

// chosen warns of the best of many.
const chosen = "The best of many cells looks better than it is: chance helped to choose it. Replay it beside the others with seeds that are not among these."

// WriteText writes how many cells there are, and for each metric the best and the worst of them.
func (m *Merged) WriteText(w io.Writer) {
	fmt.Fprintln(w, m.Sentence())
	for _, text := range m.notes() {
		fmt.Fprintln(w, text)
	}
	if len(m.Points) < 2 {
		return
	}
	choices, left := m.choices()
	compared := m.extremes(choices)
	for _, text := range m.answers(compared) {
		fmt.Fprintln(w, text)
	}
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s\tbest\t\tworst\t\t\n", m.overText())
	for i := range compared {
		e := &compared[i]
		h := &m.Metrics[e.metric]
		mark := ""
		if !math.IsNaN(e.half) && !e.apart() {
			mark = "~"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", h.Plain, h.amount(e.best.means[e.metric]), named(e.best, e.good), h.amount(e.worst.means[e.metric]), named(e.worst, e.bad), mark)
	}
	t.Flush()
	fmt.Fprintln(w)
	if compared != nil {
		for line := range strings.Lines(b.String()) {
			fmt.Fprintln(w, strings.TrimRight(line, " \n"))
		}
		if text := m.apartText(compared, "~"); text != "" {
			left = append([]string{text}, left...)
		}
		left = append([]string{""}, append(left, chosen)...)
	} else {
		left = append(left, "No headline metric tells two choices apart.")
	}
	for _, text := range left {
		fmt.Fprintln(w, text)
	}
}

// answer is a merge for other programs.
type answer struct {
	Answer  string         `json:"answer"`
	Cells   int            `json:"cells"`
	Missing int            `json:"missing"`
	Notes   []string       `json:"notes"`
	Warned  []string       `json:"warnings"`
	Metrics []answerMetric `json:"metrics"` // in which choices differ
}

type answerMetric struct {
	Metric     string       `json:"metric"`
	Unit       string       `json:"unit"`
	Better     string       `json:"better"`
	Best       answerChoice `json:"best"`
	Worst      answerChoice `json:"worst"`
	Difference float64      `json:"difference"` // the best less the worst
	Apart      *bool        `json:"told_apart"` // chance does not explain it; null with fewer than five seeds
}

type answerChoice struct {
	Choice string   `json:"choice"`
	Mean   float64  `json:"mean"`
	Half   *float64 `json:"half_interval"` // null with fewer than five seeds
	Alike  int      `json:"alike"`         // how many other choices have the same mean
}

// Answer is what [Merged.WriteText] says, as JSON holds it.
func (m *Merged) Answer() any {
	a := answer{m.Sentence(), len(m.Cells), len(m.Missing), append([]string{}, m.notes()...), append([]string{}, m.Warnings.Texts()...), []answerMetric{}}
	choices, left := m.choices()
	a.Notes = append(a.Notes, left...)
	for _, e := range m.extremes(choices) {
		h := &m.Metrics[e.metric]
		of := func(c *Choice, alike []*Choice) answerChoice {
			out := answerChoice{c.Label, c.means[e.metric].mean, nil, len(alike)}
			if half := c.means[e.metric].half; !math.IsNaN(half) {
				out.Half = &half
			}
			return out
		}
		x := answerMetric{h.Name, string(h.Unit), h.Better, of(e.best, e.good), of(e.worst, e.bad), e.difference, nil}
		if apart := e.apart(); !math.IsNaN(e.half) {
			x.Apart = &apart
		}
		a.Metrics = append(a.Metrics, x)
	}
	return a
}
