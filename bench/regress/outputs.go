package regress

import (
	"fmt"
	"io"
	"strings"

	"replay/report/ci"
)

// WriteMarkdown writes the results as a table.
func WriteMarkdown(w io.Writer, results []*Result) error {
	var b strings.Builder
	b.WriteString("| case | | decisions | work | CPU | peak memory | |\n|---|---|---|---|---|---|---|\n")
	for _, r := range results {
		verdict, decisions, work, cpu := "ok", "equal", "equal", r.Judgement.change()
		switch {
		case r.Old == nil:
			verdict, decisions, work = "first time", "-", "-"
		case r.Failed():
			verdict = "**regression**"
		}
		if r.Input || r.Decided {
			decisions = "**differ**"
		}
		if r.Moved != nil {
			work = list(r.Moved)
		}
		if r.Entry.Hash == "" {
			decisions = "-"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %.1f ms, %s | %.0f MB | %s |\n", ci.Cell(r.Entry.Case), verdict, decisions, ci.Cell(work), r.Entry.CPUMS, cpu, float64(r.Entry.PeakBytes)/1e6, ci.Cell(r.Say()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Checks returns the results for systems of continuous integration.
func Checks(results []*Result) (out []ci.Check) {
	for _, r := range results {
		c := ci.Check{Name: r.Entry.Case, Text: r.Say(), Seconds: r.Entry.CPUMS / 1000}
		switch {
		case r.Failed():
			c.Level = ci.Error
		case r.Old == nil || r.Judgement.Speed == Unknown:
			c.Level = ci.Warning
		case r.Judgement.Speed == Faster || r.Moved != nil:
			c.Level = ci.Notice
		}
		out = append(out, c)
	}
	return out
}

// A Verdict is a result for other programs.
type Verdict struct {
	Failed  bool   `json:"failed"`
	New     bool   `json:"first_time"` // the baseline has no such case
	Verdict string `json:"verdict"`
	Speed   Speed  `json:"speed"`
	*Entry
}

// Verdicts returns the results for other programs.
func Verdicts(results []*Result) []Verdict {
	out := make([]Verdict, 0, len(results))
	for _, r := range results {
		out = append(out, Verdict{r.Failed(), r.Old == nil, r.Say(), r.Judgement.Speed, r.Entry})
	}
	return out
}
