package compare

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"strconv"

	"replay/report/metric"
	"replay/report/quantity"
)

// JSON forms of a comparison; what is not a number is null.
type (
	comparisonJSON struct {
		Variants []variantJSON           `json:"variants"`
		Seeds    []uint64                `json:"seeds"`
		Jobs     int                     `json:"jobs"`
		Tested   map[quantity.Family]int `json:"tested"`
		Method   string                  `json:"method"`
		Verdict  []verdictJSON           `json:"verdict"`
		Metrics  []rowJSON               `json:"metrics"`
	}
	variantJSON struct {
		Name  string `json:"name"`
		Flags string `json:"flags"`
		Trace string `json:"trace_sha256"`

		Outcome *metric.Outcome `json:"outcome"` // of all seeds together
	}
	verdictJSON struct {
		Variant  string   `json:"variant"`
		Lost     int64    `json:"jobs_lost"`   // that succeed in the first variant alone
		Gained   int64    `json:"jobs_gained"` // that succeed in this one alone
		Lead     string   `json:"lead"`
		Findings []string `json:"findings"`
	}
	rowJSON struct {
		Name   string          `json:"metric"`
		Unit   quantity.Unit   `json:"unit"`
		About  string          `json:"about"`
		Better string          `json:"better"` // higher, lower or empty
		Family quantity.Family `json:"family"`
		Cells  []cellJSON      `json:"variants"`
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
	for i, v := range c.Variants {
		out.Variants = append(out.Variants, variantJSON{v.Name, v.Flags, v.Runs[0].Manifest.TraceHash, c.Outcomes[i]})
	}
	for i, p := range c.Verdict() {
		out.Verdict = append(out.Verdict, verdictJSON{c.Variants[i+1].Name, c.Losses[i+1].Lost, c.Losses[i+1].Gained, p.Lead, append([]string{}, p.Findings...)})
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		r := rowJSON{row.Name, row.Unit, row.About, row.Better.String(), row.Family, nil}
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
			line := []string{row.Name, string(row.Unit), c.Variants[v].Name, number(x.Number), number(x.Difference)}
			line = append(append(line, ends(x.OverSeeds)...), ends(x.OverJobs)...)
			if err := out.Write(append(line, number(x.P), number(x.Adjusted), string(x.Finding))); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}
