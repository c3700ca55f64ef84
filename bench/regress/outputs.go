package regress

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes the results as a table.
func WriteMarkdown(w io.Writer, results []*Result) error {
	var b strings.Builder
	b.WriteString("| case | | decisions | work | CPU | peak memory | |\n|---|---|---|---|---|---|---|\n")
	for _, r := range results {
		verdict, decisions, work, cpu := "ok", "equal", "equal", r.Judgement.Change()
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
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %.1f ms, %s | %.0f MB | %s |\n", cell(r.Entry.Case), verdict, decisions, cell(work), r.Entry.CPUMS, cpu, float64(r.Entry.PeakBytes)/1e6, cell(r.Say()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func cell(s string) string { return strings.NewReplacer("|", "\\|", "\n", " ").Replace(s) }

// WriteGitHub writes a workflow command for each result that asks for attention.
//
// Source: GitHub's documentation, "Workflow commands for GitHub Actions".
func WriteGitHub(w io.Writer, results []*Result) error {
	escape := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, r := range results {
		level := ""
		switch {
		case r.Failed():
			level = "error"
		case r.Old == nil || r.Judgement.Speed == Unknown:
			level = "warning"
		case r.Judgement.Speed == Faster || r.Moved != nil:
			level = "notice"
		default:
			continue
		}
		if _, err := fmt.Fprintf(w, "::%s title=%s::%s\n", level, property.Replace("replay bench "+r.Entry.Case), escape.Replace(r.Say())); err != nil {
			return err
		}
	}
	return nil
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

type (
	suite struct {
		XMLName  xml.Name `xml:"testsuite"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Cases    []test   `xml:"testcase"`
	}
	test struct {
		Name    string   `xml:"name,attr"`
		Class   string   `xml:"classname,attr"`
		Seconds string   `xml:"time,attr"`
		Failure *failure `xml:"failure,omitempty"`
		Out     string   `xml:"system-out,omitempty"`
	}
	failure struct {
		Message string `xml:"message,attr"`
	}
)

// WriteJUnit writes the results as JUnit's XML: a test for each case.
func WriteJUnit(w io.Writer, results []*Result) error {
	s := suite{Name: "replay bench", Tests: len(results)}
	for _, r := range results {
		t := test{Name: r.Entry.Case, Class: "replay.bench", Seconds: fmt.Sprintf("%.3f", r.Entry.CPUMS/1000)}
		if r.Failed() {
			s.Failures++
			t.Failure = &failure{r.Say()}
		} else {
			t.Out = r.Say()
		}
		s.Cases = append(s.Cases, t)
	}
	text, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	return err
}
