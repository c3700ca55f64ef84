package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// plain tells a headline value in words within a sentence.
func (r *Row) plain() string {
	if s, ok := plainNames[r.Name]; ok {
		return s
	}
	if q, ok := strings.CutPrefix(r.Name, "queue_contended_dominant_share[queue="); ok {
		return "dominant share of " + strings.TrimSuffix(q, "]") + " under contention"
	}
	return r.Name
}

// plainNames are the headline metrics in words.
var plainNames = map[string]string{
	"locality_containers_host_share":       "containers on a host that they asked for",
	"locality_containers_hinted_share":     "containers on a host that tasks prefer",
	"locality_tasks_host_share":            "tasks on a preferred host",
	"wait_job_first_task_mean_ms":          "mean wait of jobs for their first task",
	"wait_job_first_task_p95_ms":           "95th percentile of jobs' wait for their first task",
	"wait_container_allocation_mean_ms":    "mean wait of containers",
	"wait_task_launch_mean_ms":             "mean wait of tasks",
	"duration_job_mean_ms":                 "mean duration of jobs",
	"slowdown_mean":                        "mean slowdown of jobs",
	"makespan_ms":                          "makespan",
	"utilization_dominant_allocated_share": "share of the cluster allocated",
	"fairness_jain":                        "Jain's index of received over entitled memory",
	"fairness_jain_dominant":               "Jain's index of dominant shares",
	"fairness_shortfall_share":             "entitled memory not received",
	"waste_task_time_share":                "task time wasted",
}

// Paragraph is a part of the verdict: what one variant is against the first.
type Paragraph struct {
	Lead     string
	Findings []string
}

// Verdict says in words which differences are real and which are not told apart.
func (c *Comparison) Verdict() (ps []Paragraph) {
	for v := 1; v < len(c.Variants); v++ {
		ps = append(ps, c.verdict(v))
	}
	return ps
}

func (c *Comparison) verdict(v int) (p Paragraph) {
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
			text += fmt.Sprintf(": %s → %s (%s%s)", row.amount(row.Cells[0].Number), row.amount(cell.Number), row.difference(cell.Difference), row.intervals(cell))
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
	}{{NotToldApart, "not told apart"}, {Equal, "equal"}, {NotTested, "not tested"}} {
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
		fmt.Fprintf(&b, "; over seeds %s to %s", r.difference(i.Low), r.difference(i.High))
	}
	if i := c.OverJobs; i != nil {
		fmt.Fprintf(&b, "; over jobs %s to %s", r.difference(i.Low), r.difference(i.High))
	}
	return b.String()
}

// Method says how the intervals and tests were made.
func (c *Comparison) Method() string {
	n := c.Tested[Headline] + c.Tested[Shares]
	s := "Intervals are 95 %"
	if len(c.Seeds) > 1 {
		s += fmt.Sprintf("; over seeds: t distribution of paired differences (%d seeds)", len(c.Seeds))
	}
	if c.Jobs >= minJobs {
		s += fmt.Sprintf("; over jobs: paired bootstrap (%s resamples of %s jobs)", group3(resamples), group3(int64(c.Jobs)))
	} else {
		s += fmt.Sprintf("; none over jobs: %d are fewer than %d", c.Jobs, minJobs)
	}
	s += ". "
	s += fmt.Sprintf("%d differences were tested (%d headline, %d queue shares); one is called real when, by seeds and jobs taken together, chance is excluded at the 5 %% level with Holm's correction over its family.", n, c.Tested[Headline], c.Tested[Shares])
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
	return r.amount(c.Number)
}

// against writes a cell's difference to the first and what was found.
func (r *Row) against(c *Cell) string {
	if math.IsNaN(c.Difference) {
		return "-"
	}
	s := r.difference(c.Difference)
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
	return "[" + r.difference(i.Low) + ", " + r.difference(i.High) + "]"
}

// WriteText writes the comparison for people: verdict, headline table, method; with all, every metric.
func (c *Comparison) WriteText(w io.Writer, all bool) {
	for i, v := range c.Variants {
		as := "against it: "
		if i == 0 {
			as = "base:       "
		}
		fmt.Fprintln(w, strings.TrimSpace(as+v.Name+"  "+v.Flags))
	}
	fmt.Fprintln(w)
	for _, p := range c.Verdict() {
		fmt.Fprintln(w, p.Lead)
		for _, f := range p.Findings {
			fmt.Fprintln(w, "  -", f)
		}
		fmt.Fprintln(w)
	}
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

// JSON forms of a comparison; what is not a number is null.
type (
	comparisonJSON struct {
		Variants []variantJSON  `json:"variants"`
		Seeds    []uint64       `json:"seeds"`
		Jobs     int            `json:"jobs"`
		Tested   map[Family]int `json:"tested"`
		Method   string         `json:"method"`
		Verdict  []verdictJSON  `json:"verdict"`
		Metrics  []rowJSON      `json:"metrics"`
	}
	variantJSON struct {
		Name  string `json:"name"`
		Flags string `json:"flags"`
		Trace string `json:"trace_sha256"`
	}
	verdictJSON struct {
		Variant  string   `json:"variant"`
		Lead     string   `json:"lead"`
		Findings []string `json:"findings"`
	}
	rowJSON struct {
		Name   string     `json:"metric"`
		Unit   string     `json:"unit"`
		About  string     `json:"about"`
		Better string     `json:"better"` // higher, lower or empty
		Family Family     `json:"family"`
		Cells  []cellJSON `json:"variants"`
	}
	cellJSON struct {
		Variant    string     `json:"variant"`
		Number     *float64   `json:"value"`
		Absent     string     `json:"absent,omitempty"`
		BySeed     []*float64 `json:"by_seed"`
		Difference *float64   `json:"difference"`
		OverSeeds  *Interval  `json:"interval_over_seeds"`
		OverJobs   *Interval  `json:"interval_over_jobs"`
		P          *float64   `json:"p"`
		Adjusted   *float64   `json:"p_adjusted"`
		Finding    Finding    `json:"finding"`
	}
)

// finite returns nil for what JSON cannot say.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// JSON returns the whole comparison as JSON.
func (c *Comparison) JSON() ([]byte, error) {
	out := comparisonJSON{Seeds: c.Seeds, Jobs: c.Jobs, Tested: c.Tested, Method: c.Method(), Variants: []variantJSON{}, Metrics: []rowJSON{}}
	for _, v := range c.Variants {
		out.Variants = append(out.Variants, variantJSON{v.Name, v.Flags, v.Runs[0].Manifest.TraceHash})
	}
	for i, p := range c.Verdict() {
		out.Verdict = append(out.Verdict, verdictJSON{c.Variants[i+1].Name, p.Lead, append([]string{}, p.Findings...)})
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		r := rowJSON{row.Name, row.Unit, row.About, map[Direction]string{Higher: "higher", Lower: "lower"}[row.Better], row.Family, nil}
		for v := range row.Cells {
			x := &row.Cells[v]
			cell := cellJSON{c.Variants[v].Name, finite(x.Number), x.Absent, nil, finite(x.Difference), x.OverSeeds, x.OverJobs, finite(x.P), finite(x.Adjusted), x.Finding}
			for _, y := range x.BySeed {
				cell.BySeed = append(cell.BySeed, finite(y))
			}
			r.Cells = append(r.Cells, cell)
		}
		out.Metrics = append(out.Metrics, r)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	err := e.Encode(out)
	return b.Bytes(), err
}

// WriteCSV writes a line per metric and variant; what is not a number is empty.
func (c *Comparison) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	number := func(x float64) string {
		if math.IsNaN(x) {
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	ends := func(i *Interval) []string {
		if i == nil {
			return []string{"", ""}
		}
		return []string{number(i.Low), number(i.High)}
	}
	if err := out.Write([]string{"metric", "unit", "variant", "value", "difference", "over_seeds_low", "over_seeds_high", "over_jobs_low", "over_jobs_high", "p", "p_adjusted", "finding"}); err != nil {
		return err
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		for v := range row.Cells {
			x := &row.Cells[v]
			line := []string{row.Name, row.Unit, c.Variants[v].Name, number(x.Number), number(x.Difference)}
			line = append(append(line, ends(x.OverSeeds)...), ends(x.OverJobs)...)
			if err := out.Write(append(line, number(x.P), number(x.Adjusted), string(x.Finding))); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}
