package compare

import (
	"strings"
	"testing"

	"replay/report/metric"
	"replay/report/reporttest"
	"replay/report/result"
)

// Where one of many jobs has most of the task attempts the words below the table say so, as the number of attempts does not.
func TestOneJobHasMostAttempts(t *testing.T) {
	base, other := variant(t, reporttest.Usual, "base", 5), variant(t, reporttest.Usual, "other", 5)
	if text := of(t, base, other).Method(); strings.Contains(text, "are of one job") {
		t.Errorf("of usual jobs: %q", text)
	}
	for k, r := range base.Runs[:3] {
		d := *r.Data
		var jobs []result.Job
		for j := range r.Jobs.All() {
			if jobs = append(jobs, *j); j.ID == 4 {
				jobs[len(jobs)-1].TaskWaits = 1_000_000
			}
		}
		d.Jobs = result.JobsOf(jobs)
		base.Runs[k] = metric.Of(&d)
	}
	const want = " In 3 of 5 seeds more than half of the task attempts are of one job (job 4"
	if text := of(t, base, other).Method(); !strings.Contains(text, want) {
		t.Errorf("%q, want %q", text, want)
	}
}
