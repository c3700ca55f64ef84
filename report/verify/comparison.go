package verify

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"
)

// comparison is what the checks need of comparison.json.
type comparison struct {
	Jobs     int64 // of all traces or windows
	Variants []struct {
		Name    string
		Outcome struct {
			Jobs, Succeeded, Failed, Refused, Unfinished int64
			NotSubmitted                                 int64 `json:"not_submitted"`
		}
	}
	Traces []struct {
		Name   string
		SHA256 string `json:"sha256"`
	}
	Inference struct {
		Unit     string
		N        int
		Units    []string
		Seeds    [][]uint64
		Level    float64
		Headline float64 `json:"level_of_each_headline_metric"`
		Shares   float64 `json:"level_of_each_queue_share"`
		Tested   map[string]int
		Margin   float64
		Reached  *float64 `json:"precision_reached"`
		Least    string   `json:"least_precise"`
	}
	Metrics []comparedRow
}

type comparedRow struct {
	Name   string `json:"metric"`
	Unit   string
	Better string
	Family string
	Cells  []comparedCell `json:"variants"`
}

type comparedCell struct {
	Variant    string
	Number     *float64 `json:"value"`
	Absent     string
	ByUnit     []*float64 `json:"by_unit"`
	Missing    []string
	Difference *float64
	Interval   []float64
	P          *float64
	Adjusted   *float64 `json:"p_adjusted"`
	Detectable *float64
	Finding    string
	Untested   string
	SE         *float64 `json:"standard_error"`
	DF         *float64 `json:"degrees_of_freedom"`
	Correlated *float64 `json:"autocorrelation"`
}

// Comparison checks the directory of a comparison: its numbers against each other, its lines of CSV, and against the results in runs/ where
// they were kept, which are checked themselves. The error is for one that cannot be read.
func Comparison(dir string, own ...Own) (*Report, error) {
	v := &verifier{dir: dir, own: own}
	var c comparison
	if err := v.readSealed("comparison.json", &c); err != nil {
		return nil, err
	}
	for _, row := range c.Metrics {
		if len(row.Cells) != len(c.Variants) || len(row.Cells) == 0 {
			return nil, fmt.Errorf("%s: %s has %d variants, want %d", filepath.Join(dir, "comparison.json"), row.Name, len(row.Cells), len(c.Variants))
		}
	}
	v.checkUnits(&c)
	v.checkIntervals(&c)
	if err := v.checkCSV(&c); err != nil {
		return nil, err
	}
	if err := v.checkRuns(&c); err != nil {
		return nil, err
	}
	return v.report(), nil
}

// near reports whether two numbers are equal but for rounding.
func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-6*max(math.Abs(a), math.Abs(b)) || math.Abs(a-b) < 1e-12
}

func number(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// checkUnits compares values with the means of their units, and differences with the values.
func (v *verifier) checkUnits(c *comparison) {
	const file = "comparison.json"
	units := v.check("comparison: as many values as units, and the value is their mean", file)
	differences := v.check("comparison: differences are those of the values", file)
	for _, row := range c.Metrics {
		for i, cell := range row.Cells {
			name := row.Name + " of " + cell.Variant
			units.that(len(cell.ByUnit) == c.Inference.N && c.Inference.N == len(c.Inference.Units), none, name, len(cell.ByUnit), "%d values by unit", c.Inference.N)
			sum, missing := 0.0, 0
			for _, x := range cell.ByUnit {
				if x == nil {
					missing++
					continue
				}
				sum += *x
			}
			units.that(missing == len(cell.Missing) && (missing == 0) == (cell.Absent == ""), none, name, missing, "%d units without a number, and then a reason", len(cell.Missing))
			if missing == 0 {
				mean := sum / float64(len(cell.ByUnit))
				units.that(near(number(cell.Number), mean), none, name, number(cell.Number), "%v, the mean of its units", mean)
			} else {
				units.that(cell.Number == nil, none, name, number(cell.Number), "null, as units are missing")
			}
			base := row.Cells[0]
			if i == 0 || base.Number == nil || cell.Number == nil {
				differences.that(cell.Difference == nil, none, name, number(cell.Difference), "null, without two numbers")
				continue
			}
			d, scale := *cell.Number-*base.Number, max(math.Abs(*cell.Number), math.Abs(*base.Number))
			differences.that(cell.Difference != nil && math.Abs(*cell.Difference-d) <= 1e-9*scale, none, name, number(cell.Difference), "%v, the value less the first one's", d)
		}
	}
}

// checkIntervals computes again what is inferred, from the differences by unit and docs/metrics.md.
func (v *verifier) checkIntervals(c *comparison) {
	const file = "comparison.json"
	errors := v.check("comparison: standard errors and degrees of freedom from the differences by unit", file)
	intervals := v.check("comparison: intervals, p and adjusted p by Student's t", file)
	findings := v.check("comparison: what is found follows from interval and margin", file)
	levels := v.check("comparison: the level of all that is tested", file)
	in := &c.Inference
	tested := map[string]int{}
	for _, row := range c.Metrics {
		alpha := in.Headline
		if row.Family != "headline" {
			alpha = in.Shares
		}
		base := row.Cells[0]
		for _, cell := range row.Cells[1:] {
			name := row.Name + " of " + cell.Variant
			if cell.SE == nil {
				intervals.that(len(cell.Interval) == 0 && cell.P == nil && cell.Adjusted == nil, none, name, cell.Interval, "no interval, as it is not tested")
				findings.that(!slices.Contains([]string{"better", "worse", "higher", "lower", "equal within the margin", "not told apart"}, cell.Finding), none, name, cell.Finding, "no finding, as it is not tested")
				continue
			}
			tested[row.Family]++
			ds, differing := differencesOf(base, cell)
			n := float64(len(ds))
			findings.that(n >= 5 && (differing == 0 || differing >= 3 || differing == len(ds)), none, name, len(ds), "five units or more, and three that differ or none")
			mean, se, df := meanError(ds, number(cell.Correlated))
			if in.Unit == "window" {
				r := autocorrelation(ds)
				errors.that(near(number(cell.Correlated), r), none, name, number(cell.Correlated), "an autocorrelation of %v", r)
			}
			errors.that(near(*cell.SE, se), none, name, *cell.SE, "a standard error of %v", se)
			errors.that(near(number(cell.DF), df), none, name, number(cell.DF), "%v degrees of freedom", df)
			half, p := 0.0, 1.0
			if se > 0 {
				t := distuv.StudentsT{Sigma: 1, Nu: df}
				half, p = float64(t.Quantile(1-alpha/2)*se), 2*t.CDF(-math.Abs(mean/se))
			} else if mean != 0 {
				p = 0
			}
			if len(cell.Interval) != 2 {
				intervals.that(false, none, name, cell.Interval, "two ends")
				continue
			}
			low, high := cell.Interval[0], cell.Interval[1]
			intervals.that(math.Abs(low-(mean-half)) <= 1e-6*max(half, math.Abs(mean)) && math.Abs(high-(mean+half)) <= 1e-6*max(half, math.Abs(mean)), none, name, cell.Interval, "%v ± %v", mean, half)
			intervals.that(near(number(cell.P), p), none, name, number(cell.P), "p of %v", p)
			adjusted := min(1, p*in.Level/alpha)
			intervals.that(near(number(cell.Adjusted), adjusted), none, name, number(cell.Adjusted), "an adjusted p of %v", adjusted)
			findings.that(slices.Contains(found(row, cell, low, high, differing, in.Margin), cell.Finding), none, name, cell.Finding, "%q, of %v to %v with a margin of %v", found(row, cell, low, high, differing, in.Margin), low, high, in.Margin)
		}
	}
	for _, family := range []string{"headline", "queue shares"} {
		levels.equal(int64(in.Tested[family]), int64(tested[family]), none, "tested "+family, "the cells with an interval")
	}
	sum := float64(in.Headline*float64(in.Tested["headline"])) + float64(in.Shares*float64(in.Tested["queue shares"]))
	levels.that(sum <= in.Level*(1+1e-9), none, "level", sum, "at most %v in all", in.Level)
}

// differencesOf are those by unit, and how many are not 0. Values that differ by rounding alone are equal, and so are differences.
func differencesOf(base, cell comparedCell) (ds []float64, differing int) {
	most := 0.0
	for k := range cell.ByUnit {
		most = max(most, math.Abs(number(cell.ByUnit[k])), math.Abs(number(base.ByUnit[k])))
	}
	for k := range cell.ByUnit {
		d := number(cell.ByUnit[k]) - number(base.ByUnit[k])
		if math.Abs(d) <= 1e-12*most {
			d = 0
		} else {
			differing++
		}
		ds = append(ds, d)
	}
	if slices.Max(ds)-slices.Min(ds) <= 1e-12*most {
		ds = slices.Repeat(ds[:1], len(ds))
	}
	return ds, differing
}

// meanError returns mean, standard error and degrees of freedom of differences with an autocorrelation r; NaN is none.
func meanError(ds []float64, r float64) (mean, se, df float64) {
	n, longer := float64(len(ds)), 1.0
	if r == r {
		longer = (1 + r) / (1 - r)
	}
	for _, d := range ds {
		mean += d / n
	}
	squares := 0.0
	for _, d := range ds {
		squares += float64((d - mean) * (d - mean))
	}
	if slices.Min(ds) == slices.Max(ds) {
		return ds[0], 0, n - 1
	}
	return mean, math.Sqrt(squares / (n - 1) * longer / n), max(1, n/longer-1)
}

// autocorrelation is that of lag 1 with what its estimate is too low by, from 0 to 0.9.
func autocorrelation(ds []float64) float64 {
	mean, _, _ := meanError(ds, 0)
	above, below := 0.0, 0.0
	for i, d := range ds {
		below += float64((d - mean) * (d - mean))
		if i > 0 {
			above += float64((d - mean) * (ds[i-1] - mean))
		}
	}
	if below == 0 || slices.Min(ds) == slices.Max(ds) {
		return 0
	}
	return min(max(above/below+1/float64(len(ds)), 0), 0.9)
}

// found returns the words that an interval allows.
func found(row comparedRow, cell comparedCell, low, high float64, differing int, margin float64) []string {
	of := math.Abs(number(row.Cells[0].Number))
	if row.Unit == "share" || row.Unit == "index" {
		of = 1
	}
	words := []string{"no verdict"} // which the outcomes decide
	within := margin > 0 && max(high, -low) <= margin*of
	switch {
	case differing == 0:
		return append(words, "equal", "equal within the margin")
	case within:
		return append(words, "equal within the margin")
	case low <= 0 && high >= 0:
		return append(words, "not told apart")
	case row.Better == "":
		return append(words, map[bool]string{true: "higher", false: "lower"}[low > 0])
	}
	return append(words, map[bool]string{true: "better", false: "worse"}[(low > 0) == (row.Better == "higher")])
}

// checkCSV compares the lines of comparison.csv with comparison.json, in order: outcomes first.
func (v *verifier) checkCSV(c *comparison) error {
	const file = "comparison.csv"
	check := v.check("comparison.csv: the numbers of comparison.json", file)
	f, err := os.Open(filepath.Join(v.dir, file))
	if err != nil {
		return err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	counts := map[string]func(i int) int64{
		"jobs_succeeded":     func(i int) int64 { return c.Variants[i].Outcome.Succeeded },
		"jobs_failed":        func(i int) int64 { return c.Variants[i].Outcome.Failed },
		"jobs_refused":       func(i int) int64 { return c.Variants[i].Outcome.Refused },
		"jobs_unfinished":    func(i int) int64 { return c.Variants[i].Outcome.Unfinished },
		"jobs_not_submitted": func(i int) int64 { return c.Variants[i].Outcome.NotSubmitted },
	}
	next := 1
	for ; next < len(lines) && counts[lines[next][0]] != nil; next++ {
		line, i := lines[next], (next-1)%len(c.Variants)
		check.that(line[3] == strconv.FormatInt(counts[line[0]](i), 10), int64(next), line[0], line[3], "%d, the outcome of %s", counts[line[0]](i), c.Variants[i].Name)
	}
	for _, row := range c.Metrics {
		for i := range row.Cells {
			cell := &row.Cells[i]
			if next >= len(lines) {
				check.that(false, int64(next), row.Name, "no line", "a line for each metric and variant")
				return nil
			}
			line := lines[next]
			low, high := math.NaN(), math.NaN()
			if len(cell.Interval) == 2 {
				low, high = cell.Interval[0], cell.Interval[1]
			}
			check.that(line[0] == row.Name && line[1] == row.Unit && line[11] == cell.Finding, int64(next), "metric, unit, finding", line[0]+", "+line[1]+", "+line[11], "%s, %s, %s", row.Name, row.Unit, cell.Finding)
			for k, want := range []float64{number(cell.Number), number(cell.Difference), low, high, number(cell.P), number(cell.Adjusted), number(cell.Detectable)} {
				got, err := strconv.ParseFloat(line[3+k], 64)
				check.that(line[3+k] == "" && math.IsNaN(want) || err == nil && got == want, int64(next), lines[0][3+k], line[3+k], "%v", want)
			}
			next++
		}
	}
	check.equal(int64(len(lines)), int64(next), none, "lines", "one for each metric and variant")
	return nil
}
