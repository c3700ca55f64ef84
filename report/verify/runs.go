package verify

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
)

// keptRun is a result in runs/ of a comparison.
type keptRun struct {
	TraceSHA256 string `json:"trace_sha256"`
	Seed        uint64
	Window      *struct {
		FromMS int64 `json:"from_ms"`
	} `json:"window"`
	Totals struct {
		Jobs      int64 `json:"jobs"`
		Succeeded int64 `json:"jobs_succeeded"`
	}
	values map[string]*float64
	unit   int
}

func (r *keptRun) from() int64 {
	if r.Window == nil {
		return 0
	}
	return r.Window.FromMS
}

// checkRuns checks the results that a comparison kept, and the comparison against them. Values that follow from jobs are over the same jobs in all
// variants: they are compared where every job of every result succeeded, and every variant has all jobs.
func (v *verifier) checkRuns(c *comparison) error {
	if ok, err := v.exists("runs"); err != nil || !ok {
		return err
	}
	const file = "comparison.json"
	seeds := v.check("runs: the seeds and traces of the comparison", file)
	outcomes := v.check("runs: outcomes add up to those of the comparison", file)
	values := v.check("runs: values by unit are means of those in summary.json", file)
	byVariant := make([][]*keptRun, len(c.Variants))
	whole := true
	for i, variant := range c.Variants {
		var found []string
		for _, below := range []string{"*", "*/*"} {
			more, err := filepath.Glob(filepath.Join(v.dir, "runs", variant.Name, below, "run.json"))
			if err != nil {
				return err
			}
			found = append(found, more...)
		}
		var sum [4]int64
		for _, path := range found {
			dir := filepath.Dir(path)
			r, counts, err := v.readRun(dir)
			if err != nil {
				return err
			}
			for k := range sum {
				sum[k] += counts[k]
			}
			whole = whole && r.Totals.Succeeded == r.Totals.Jobs
			byVariant[i] = append(byVariant[i], r)
		}
		of := 1 // traces or windows, each with as many seeds
		if c.Inference.Unit != "seed" {
			of = c.Inference.N
		}
		whole = whole && sum[0]*int64(of) == c.Jobs*int64(len(byVariant[i]))
		o := &variant.Outcome
		for k, n := range []int64{o.Succeeded, o.Failed, o.Refused, o.Unfinished} {
			outcomes.equal(n, sum[k], none, []string{"succeeded", "failed", "refused", "unfinished"}[k]+" of "+variant.Name, "the results of the variant")
		}
		v.order(c, byVariant[i])
		var got []uint64
		for _, r := range byVariant[i] {
			got = append(got, r.Seed)
		}
		seeds.that(slices.Equal(got, c.Inference.Seeds[i]), none, "seeds of "+variant.Name, c.Inference.Seeds[i], "%v, those of the results", got)
	}
	for _, row := range c.Metrics {
		for i, cell := range row.Cells {
			if !whole || i >= len(byVariant) {
				continue
			}
			sums, n := make([]float64, len(cell.ByUnit)), make([]float64, len(cell.ByUnit))
			for _, r := range byVariant[i] {
				if r.unit < len(sums) {
					sums[r.unit] += number(r.values[row.Name])
					n[r.unit]++
				}
			}
			for k, x := range cell.ByUnit {
				mean := sums[k] / n[k]
				values.that(x == nil && math.IsNaN(mean) || x != nil && near(*x, mean), none, fmt.Sprintf("%s of %s in %s", row.Name, cell.Variant, c.Inference.Units[k]), number(x), "%v, by its results", mean)
			}
		}
	}
	return nil
}

// readRun reads and checks a result.
func (v *verifier) readRun(dir string) (*keptRun, [4]int64, error) {
	var counts [4]int64
	report, err := Dir(dir, v.own...)
	if err != nil {
		return nil, counts, err
	}
	rel, err := filepath.Rel(v.dir, dir)
	if err != nil {
		return nil, counts, err
	}
	all := v.check(rel+": everything that report check looks at in a result", rel)
	for _, c := range report.Checks {
		all.n += c.N
	}
	all.violations = report.Total
	for _, x := range report.Violations {
		x.File = filepath.Join(rel, x.File)
		all.found = append(all.found, x)
	}
	r := &keptRun{values: map[string]*float64{}}
	if err := v.readJSON(filepath.Join(rel, "run.json"), r); err != nil {
		return nil, counts, err
	}
	var summary map[string]json.RawMessage
	if err := v.readJSON(filepath.Join(rel, "summary.json"), &summary); err != nil {
		return nil, counts, err
	}
	for name, raw := range summary {
		var x *float64
		if json.Unmarshal(raw, &x) == nil {
			r.values[name] = x
		}
	}
	var o struct{ Succeeded, Failed, Refused, Unfinished int64 }
	if err := json.Unmarshal(summary["outcome"], &o); err != nil {
		return nil, counts, fmt.Errorf("%s: outcome: %w", filepath.Join(dir, "summary.json"), err)
	}
	return r, [4]int64{o.Succeeded, o.Failed, o.Refused, o.Unfinished}, nil
}

// order sorts the results of a variant as the comparison has them, by trace, window and seed, and says to which unit each belongs.
func (v *verifier) order(c *comparison, runs []*keptRun) {
	place := func(r *keptRun) int {
		for i, t := range c.Traces {
			if t.SHA256 == r.TraceSHA256 {
				return i
			}
		}
		return len(c.Traces)
	}
	slices.SortStableFunc(runs, func(a, b *keptRun) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.from(), b.from()), cmp.Compare(a.Seed, b.Seed))
	})
	unit := -1
	for i, r := range runs {
		if i == 0 || c.Inference.Unit == "seed" || place(r) != place(runs[i-1]) || r.from() != runs[i-1].from() {
			unit++
		}
		r.unit = unit
	}
}
