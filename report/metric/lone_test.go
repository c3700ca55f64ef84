package metric

import (
	"strings"
	"testing"

	"replay/engine/record"
	"replay/report/result"
)

// One job among ten or more that has more than half of the task attempts is said, as numbers over attempts are then mostly its.
func TestLoneJob(t *testing.T) {
	for _, tt := range []struct {
		name   string
		others int // of one attempt each
		most   int64
		want   string
	}{
		{"half", 10, 10, ""},
		{"more than half", 10, 11, "52 % of the task attempts are those of job 7 (giant): what is over task attempts or containers is mostly its, not of the 11 jobs."},
		{"among few jobs", 8, 1000, ""},
		{"no attempt at all", 10, 0, ""},
	} {
		jobs := []result.Job{{Job: record.Job{ID: 7, Name: "giant"}, TaskWaits: tt.most}}
		for i := range tt.others {
			jobs = append(jobs, result.Job{Job: record.Job{ID: int64(100 + i)}, TaskWaits: min(tt.most, 1)})
		}
		s := &Summary{Data: &result.Data{Jobs: result.JobsOf(jobs)}, outcome: &Outcome{Jobs: int64(tt.others + 1)}}
		if got := loneJob(s); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if name, share := s.Lone(); (name == "") != (tt.want == "") || share > 1 || strings.Contains(name, "giant") != (tt.want != "") {
			t.Errorf("%s: %q has %v", tt.name, name, share)
		}
	}
}
