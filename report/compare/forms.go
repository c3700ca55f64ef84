package compare

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"replay/engine/record"
	"replay/report/inference"
	"replay/report/metric"
	"replay/report/quantity"
	"replay/sealed"
	"replay/shown"
)

// JSON forms of a comparison; what is not a number is null.
type (
	comparisonJSON struct {
		Version   string        `json:"program_version"`
		Commit    string        `json:"program_commit"`
		Modified  bool          `json:"program_modified"`
		Traces    []traceJSON   `json:"traces"`
		Variants  []variantJSON `json:"variants"`
		Jobs      int           `json:"jobs"`
		Inference inferenceJSON `json:"inference"`
		Method    string        `json:"method"`
		Verdict   []verdictJSON `json:"verdict"`
		Notes     []string      `json:"notes,omitempty"` // what to know beside the verdict: short windows, other nodes, arrivals or jobs
		Metrics   []rowJSON     `json:"metrics"`
		Made      *record.Made  `json:"made"`
		Hash      string        `json:"hash"` // over all of it
	}
	variantJSON struct {
		Name    string          `json:"name"`
		Flags   string          `json:"flags"`
		Outcome *metric.Outcome `json:"outcome"` // of all seeds together

		// As in run.json, of the first seed.
		Scheduler      string             `json:"scheduler"`
		Sharing        string             `json:"sharing"`
		Placement      string             `json:"placement"`
		Nodes          int64              `json:"nodes"`
		Load           float64            `json:"load"`
		Faster         float64            `json:"arrivals_divided_by"`
		OfferedVCores  *float64           `json:"offered_load_of_vcores"`
		OfferedMemory  *float64           `json:"offered_load_of_memory"`
		OfferedFurther map[string]float64 `json:"offered_load_of_further_resources,omitempty"`
		Until          int64              `json:"until_ms"`
		Config         map[string]string  `json:"config"`
		Model          map[string]string  `json:"model"`
		Warnings       []record.Warning   `json:"warnings"`
		Bands          []record.Band      `json:"error_bands,omitempty"` // of the model file
	}
	traceJSON struct {
		Name   string `json:"name"`
		SHA256 string `json:"sha256"`
	}
	inferenceJSON struct {
		Unit       inference.Unit          `json:"unit"` // seed, trace or window
		Scope      string                  `json:"scope"`
		N          int                     `json:"n"`
		Units      []string                `json:"units"`
		Seeds      [][]uint64              `json:"seeds"` // by variant, of each run
		Unpaired   bool                    `json:"unpaired"`
		Windows    []record.Window         `json:"windows,omitempty"`
		Correlated *float64                `json:"autocorrelation,omitempty"` // of neighbouring windows, mean over the headline metrics tested
		Level      float64                 `json:"level"`                     // of the whole table
		Headline   float64                 `json:"level_of_each_headline_metric"`
		Shares     float64                 `json:"level_of_each_queue_share"`
		Tested     map[quantity.Family]int `json:"tested"`
		Margin     float64                 `json:"margin"`
		Wanted     *float64                `json:"precision_wanted"`  // null when the number of units was given
		Reached    *float64                `json:"precision_reached"` // of the headline metric known least precisely
		Least      string                  `json:"least_precise"`
		StoppedBy  inference.Stop          `json:"stopped_by"`
		Limit      *int                    `json:"limit"`
	}
	verdictJSON struct {
		Variant string  `json:"variant"`
		Lost    int64   `json:"jobs_lost"`    // that succeed in the first variant alone
		Gained  int64   `json:"jobs_gained"`  // that succeed in this one alone
		CutOff  int64   `json:"jobs_cut_off"` // that --until cuts off in one of the two alone
		Decides Decides `json:"decides"`      // beside the first variant
		Answer  string  `json:"answer"`

		Queues []queueJSON `json:"queues,omitempty"` // where there are several and something differs
	}
	rowJSON struct {
		Name   string          `json:"metric"`
		Unit   quantity.Unit   `json:"unit"`
		About  string          `json:"about"`
		Better string          `json:"better"` // higher, lower or empty
		Family quantity.Family `json:"family"`
		N      int64           `json:"n"`  // of the run that has the fewest
		Of     string          `json:"of"` // what n counts
		Cells  []cellJSON      `json:"variants"`
	}
	cellJSON struct {
		Variant    string     `json:"variant"`
		Number     *float64   `json:"value"`
		Absent     string     `json:"absent,omitempty"`
		ByUnit     []*float64 `json:"by_unit"`
		Missing    []string   `json:"missing,omitempty"` // units without a number
		Difference *float64   `json:"difference"`
		Interval   []float64  `json:"interval"` // low and high
		P          *float64   `json:"p"`
		Adjusted   *float64   `json:"p_adjusted"`
		Detectable *float64   `json:"detectable"` // found in 8 of 10 such comparisons
		Finding    Finding    `json:"finding"`
		Untested   string     `json:"untested,omitempty"` // why not
		SE         *float64   `json:"standard_error"`
		DF         *float64   `json:"degrees_of_freedom"`
		Correlated *float64   `json:"autocorrelation,omitempty"` // of neighbouring windows
	}
)

// finite returns nil for what JSON cannot say.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// traces are those that were replayed, in order, each once.
func (c *Comparison) traces() (out []traceJSON) {
	for _, r := range c.study.runs {
		if t := (traceJSON{r.name, r.trace}); !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// JSON returns the whole comparison as JSON.
func (c *Comparison) JSON() ([]byte, error) {
	out := comparisonJSON{Jobs: c.Jobs, Made: c.Made, Inference: c.inferenceJSON(), Method: c.Method(), Traces: c.traces(), Variants: []variantJSON{}, Metrics: []rowJSON{}}
	for i, v := range c.Variants {
		m := c.study.manifest(i)
		out.Version, out.Commit, out.Modified = m.ProgramVersion, m.Commit, m.Modified
		out.Variants = append(out.Variants, variantJSON{
			v.Name, v.Flags, c.Outcomes[i], m.Scheduler, m.Sharing, m.Placement, m.Nodes, m.Load, m.Faster, m.OfferedVCores, m.OfferedMemory, m.OfferedFurther, m.Until, m.Config, m.Model, m.Warnings, m.Bands,
		})
	}
	for _, text := range []string{c.shortText(), c.Unlike()} {
		if text != "" {
			out.Notes = append(out.Notes, text)
		}
	}
	for i, p := range c.Verdict() {
		l := c.Losses[i+1]
		out.Verdict = append(out.Verdict, verdictJSON{c.Variants[i+1].Name, l.Lost, l.Gained, l.CutOff, c.Decides[i+1], p.Text, c.queuesJSON(i + 1)})
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		r := rowJSON{row.Name, row.Unit, row.About, row.Better.String(), row.Family, row.N, row.Things, nil}
		for v := range row.Cells {
			x := &row.Cells[v]
			cell := cellJSON{
				Variant: c.Variants[v].Name, Number: finite(x.Number), Absent: x.Absent, Difference: finite(x.Difference),
				P: finite(x.P), Adjusted: finite(x.Adjusted), Detectable: finite(x.Detectable), Finding: x.Finding, Missing: x.Missing,
			}
			if e := x.Estimate; e != nil {
				cell.SE, cell.DF = &e.SE, &e.DF
				if c.Unit == inference.Window {
					cell.Correlated = &e.Autocorrelation
				}
			}
			if low, high, ok := x.Interval(); ok {
				cell.Interval = []float64{low, high}
			} else if row.Family != "" && x.Finding != Equal {
				cell.Untested = x.Untested
			}
			for _, y := range x.ByUnit {
				cell.ByUnit = append(cell.ByUnit, finite(y))
			}
			r.Cells = append(r.Cells, cell)
		}
		out.Metrics = append(out.Metrics, r)
	}
	return sealed.Marshal(&out, " ", func(hash string) { out.Hash = hash })
}

// inferenceJSON says what is inferred from what.
func (c *Comparison) inferenceJSON() inferenceJSON {
	headline, shares := c.alphas()
	out := inferenceJSON{
		Unit: c.Unit, Scope: c.Unit.Scope(len(c.Units)), N: len(c.Units), Unpaired: c.study.unpaired, Level: inference.Level, Headline: headline, Shares: shares,
		Tested: c.Tested, Margin: c.Margin, StoppedBy: c.Stop(),
	}
	for _, u := range c.Units {
		out.Units = append(out.Units, u.Name)
	}
	for v := range c.Variants {
		out.Seeds = append(out.Seeds, c.study.seedsOf(v))
	}
	if c.Unit == inference.Window {
		for _, u := range c.Units {
			out.Windows = append(out.Windows, c.study.runs[u.runs[0]].window)
		}
		r := c.Autocorrelation()
		out.Correlated = &r
	}
	if p := c.Precision(); p.Row != nil {
		out.Reached, out.Least = &p.Reached, p.Row.Name
	}
	if c.Options.Precision > 0 {
		out.Wanted, out.Limit = &c.Options.Precision, &c.Limit
	}
	return out
}

// Interval returns the ends of the interval of a difference; false when it is not tested.
func (c *Cell) Interval() (low, high float64, ok bool) {
	return c.Difference - c.Half, c.Difference + c.Half, !math.IsNaN(c.Half)
}

// writeCSV writes a line per metric and variant, first of all what became of the jobs; what is not a number is empty.
func (c *Comparison) writeCSV(w io.Writer) error {
	number := func(x float64) string {
		if math.IsNaN(x) {
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	lines := [][]string{{"metric", "unit", "variant", "value", "difference", "low", "high", "p", "p_adjusted", "detectable", "n", "finding"}}
	for i, count := range c.Outcomes[0].Counts() {
		for v, o := range c.Outcomes {
			n := strconv.FormatInt(o.Counts()[i].Jobs, 10)
			lines = append(lines, []string{"jobs_" + strings.ReplaceAll(count.Name, " ", "_"), string(quantity.Count), shown.Cell(c.Variants[v].Name), n, "", "", "", "", "", "", strconv.FormatInt(o.Jobs, 10), ""})
		}
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		for v := range row.Cells {
			x := &row.Cells[v]
			low, high := "", ""
			if l, h, ok := x.Interval(); ok {
				low, high = number(l), number(h)
			}
			lines = append(lines, []string{row.Name, string(row.Unit), shown.Cell(c.Variants[v].Name), number(x.Number), number(x.Difference), low, high, number(x.P), number(x.Adjusted), number(x.Detectable), strconv.FormatInt(row.N, 10), string(x.Finding)})
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}
