package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"replay/engine/record"
)

// WriteText writes the summary for people: the run, its warnings and the headline values in words; with all, every
// value by its name.
func (r *Result) WriteText(w io.Writer, all bool) {
	m := &r.Manifest
	fmt.Fprintf(w, "Replay of %s\n\n", orDash(m.TraceName))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, l := range r.facts() {
		fmt.Fprintf(t, "%s\t%s\n", l[0], l[1])
	}
	t.Flush()
	if len(m.Modelled) > 0 {
		fmt.Fprintf(w, "\nModelled, not recorded:\n")
		for _, s := range m.Modelled {
			fmt.Fprintf(w, "  - %s\n", s)
		}
	}
	if len(m.Warnings) > 0 {
		fmt.Fprintf(w, "\nWarnings:\n")
		for _, x := range m.Warnings {
			fmt.Fprintf(w, "  - %s\n", warningText(&x))
		}
	}
	if !all {
		r.writeHeadline(w)
		return
	}
	for _, g := range r.groups {
		fmt.Fprintf(w, "\n%s\n", g.Title)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, v := range g.Values {
			fmt.Fprintf(t, "  %s\t%s\n", v.Name, v.Text())
		}
		t.Flush()
	}
}

// writeHeadline writes the headline values in words, and where the others are.
func (r *Result) writeHeadline(w io.Writer) {
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	others := 0
	for i := range r.Values {
		v := &r.Values[i]
		if v.Family != Headline {
			others++
			continue
		}
		number, reason := "-", "("+v.Absent+")"
		if v.Absent == "" {
			number, reason = v.amount(v.Number), ""
		}
		fmt.Fprintln(t, strings.TrimRight(fmt.Sprintf("%s\t%s\t%s  %s", plainNames[v.Name], number, v.Name, reason), " "))
	}
	t.Flush()
	fmt.Fprintf(w, "\n%s more values: --all, or summary.txt of a result directory (--out).\n", group3(int64(others)))
}

// warningText returns a warning with its code and, if there were several, how often it came.
func warningText(w *record.Warning) string {
	if w.Count > 1 {
		return fmt.Sprintf("%s (%s, %s times)", w.Text, w.Code, group3(w.Count))
	}
	return fmt.Sprintf("%s (%s)", w.Text, w.Code)
}

// facts are what a reader must know of a run before its numbers.
func (r *Result) facts() [][2]string {
	m := &r.Manifest
	t := &m.Totals
	return [][2]string{
		{"scheduler", orDash(m.Scheduler) + ", sharing " + orDash(m.Sharing)},
		{"container placement", orDash(m.Placement)},
		{"preferred hosts", orDash(m.LocalitySource)},
		{"task durations", orDash(m.DurationSource)},
		{"jobs", fmt.Sprintf("%s (%s succeeded, %s failed, %s unfinished)", group3(t.Jobs), group3(t.JobsSucceeded), group3(t.JobsFailed), group3(t.JobsUnfinished))},
		{"tasks", fmt.Sprintf("%s in %s stages, %s attempts", group3(t.Tasks), group3(t.Stages), group3(t.TaskAttempts))},
		{"containers", group3(t.ContainersAllocated) + " allocated"},
		{"simulated time", Duration(float64(t.EndMS))},
		{"seed", strconv.FormatUint(m.Seed, 10) + ", engine " + orDash(m.Engine)},
		{"trace", orDash(m.TraceHash)},
		{"decision hash", orDash(m.DecisionHash)},
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Text returns a value for people, with its unit; a dash and the reason when absent.
func (v *Value) Text() string {
	if v.Absent != "" {
		return "- (" + v.Absent + ")"
	}
	return v.amount(v.Number)
}

// amount returns x in the unit of v.
func (v *Value) amount(x float64) string {
	switch v.Unit {
	case "share":
		return trim(x*100, digits(x*100, 2)) + " %"
	case "ms":
		return Duration(x)
	case "count":
		return group3(int64(math.Round(x)))
	case "ratio", "index":
		return trim(x, digits(x, 3))
	default:
		return trim(x, 2) + " " + v.Unit
	}
}

// difference returns a difference of two values of v, with its sign; shares differ by points.
func (v *Value) difference(x float64) string {
	sign := "+"
	if math.Abs(x) < 1e-7 { // the rounding of sums
		x = 0
	}
	if x < 0 {
		sign, x = "−", -x
	}
	switch {
	case x == 0:
		sign = ""
	case v.Unit == "share":
		return sign + trim(x*100, digits(x*100, 2)) + " pp"
	case v.Unit == "count":
		return sign + trim(x, 1)
	}
	if v.Unit == "share" {
		return "0 pp"
	}
	return sign + v.amount(x)
}

// digits returns how many decimals x needs to show two digits other than 0, from n to 6.
func digits(x float64, n int) int {
	if x == 0 {
		return n
	}
	return min(6, max(n, 1-int(math.Floor(math.Log10(math.Abs(x))))))
}

// trim returns x with at most n decimals, with thousands apart.
func trim(x float64, n int) string {
	s := strconv.FormatFloat(math.Abs(x), 'f', n, 64)
	whole, rest, dot := strings.Cut(s, ".")
	if v, err := strconv.ParseInt(whole, 10, 64); err == nil {
		whole = group3(v)
	}
	if dot {
		whole += "." + rest
	}
	if x < 0 && strings.Trim(whole, "0.") != "" {
		return "−" + whole
	}
	return whole
}

// group3 writes n with a comma between thousands.
func group3(n int64) string {
	s := strconv.FormatInt(n, 10)
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if neg {
		return "−" + s
	}
	return s
}

// Duration writes milliseconds in the unit that a person would choose.
func Duration(ms float64) string {
	switch a := math.Abs(ms); {
	case a == 0:
		return "0 s"
	case a < 1000:
		return strings.TrimSuffix(trim(ms, digits(ms, 1)), ".0") + " ms"
	case a < 120_000:
		return trim(ms/1000, 2) + " s"
	case a < 2*hourMS:
		return trim(ms/60_000, 2) + " min"
	case a < 48*hourMS:
		return trim(ms/hourMS, 2) + " h"
	default:
		return trim(ms/(24*hourMS), 2) + " d"
	}
}
