package verify

import (
	"path/filepath"

	"replay/trace/tablefile"
)

// dependentRow is what jobs.parquet says of jobs that begin after others, where there are any.
type dependentRow struct {
	ID        int64  `parquet:"job"`
	Submit    int64  `parquet:"submit_ms"`
	DependsOn int64  `parquet:"depends_on"`
	Own       *int64 `parquet:"own_submit_ms"`
	HeldBy    *int64 `parquet:"held_by"`
}

// checkDepends checks how jobs were held back until others had ended, and keeps for how long.
func (v *verifier) checkDepends() error {
	const file = "jobs.parquet"
	held := v.check("jobs: held back until the one that they name had ended", file)
	path := filepath.Join(v.dir, file)
	f, err := tablefile.Open(path)
	if err != nil {
		return inFile(path, err)
	}
	_, there := f.Parquet.Schema().Lookup("depends_on")
	f.Close()
	if !there {
		return nil
	}
	return rows(v, file, func(row int64, r *dependentRow) {
		own := or(r.Own)
		if !held.holds(r.DependsOn >= 0 && (r.DependsOn > 0) == (r.Own != nil) && own <= r.Submit) {
			held.not(row, "own_submit_ms", own, "a time up to %d, its submission, if depends_on is above 0, else null", r.Submit)
			return
		}
		if r.Own != nil {
			v.heldBack = append(v.heldBack, float64(r.Submit-own))
		}
		by := or(r.HeldBy)
		if !held.holds((r.HeldBy != nil) == (r.Own != nil && own < r.Submit)) {
			held.not(row, "held_by", by, "a job just where own_submit_ms is before submit_ms")
		} else if r.HeldBy != nil {
			other := v.jobs[by]
			held.that(by < r.ID && other != nil && other.Finish != nil && *other.Finish < r.Submit, row, "held_by", by, "an earlier job that had ended before %d, its submission", r.Submit)
		}
	})
}
