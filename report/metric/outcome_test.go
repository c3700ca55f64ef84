package metric

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/engine/record"
	"replay/report/result"
)

// Outcomes are told apart, failures that the trace records or that --until makes are expected, and reasons are grouped.
func TestOutcomeOf(t *testing.T) {
	job := func(id int64, outcome, reason, recorded string, am int64) result.Job {
		return result.Job{Job: record.Job{ID: id, Outcome: outcome, Reason: reason, Recorded: recorded, AMAllocated: am}}
	}
	jobs := []result.Job{
		job(0, record.JobSucceeded, "", "failed", 5),
		job(1, record.JobFailed, "stage 3: too many failures", "success", 5),
		job(2, record.JobFailed, "killed by a signal (exit 143)", "killed", 5),
		job(3, record.JobFailed, "killed by a signal (exit 137)", "failed", 5),
		job(4, record.JobFailed, "no queue root.a1", "", record.None),
		job(5, record.JobFailed, "stage 4: too many failures", "censored", 5),
		job(6, record.JobUnfinished, "stopped", "", 5),
		job(7, record.JobFailed, "no queue root.a2", "", record.None),
		job(8, record.JobFailed, "Application application_1700000000000_0001 submitted by user ann to unknown queue: q", "", record.None),
		job(9, record.JobFailed, "Application application_1700000000000_12345 submitted by user bob to unknown queue: q", "", record.None),
		job(10, record.JobFailed, "asks for 64 vcores, at most 8", "", record.None),
		job(11, record.JobFailed, "asks for 999,999 MiB, at most 8,192", "", record.None),
		job(12, record.JobFailed, "asks for 2048 MiB, at most 1,024", "", record.None),
	}
	want := &Outcome{Jobs: 13, Succeeded: 1, EndedWell: 1, Failed: 4, Refused: 7, Unfinished: 1, AsRecorded: 2, Unexpected: 10, Runs: 1, Reasons: []Reason{
		{Outcome: "failed", Words: "stage 3: too many failures", Jobs: 2, First: 1, Unexpected: 2},
		{Outcome: "refused", Words: "Application application_1700000000000_0001 submitted by user ann to unknown queue: q", Jobs: 2, First: 8, Unexpected: 2},
		{Outcome: "refused", Words: "asks for 999,999 MiB, at most 8,192", Jobs: 2, First: 11, Unexpected: 2},
		{Outcome: "failed", Words: "killed by a signal (exit 143)", Jobs: 1, First: 2},
		{Outcome: "failed", Words: "killed by a signal (exit 137)", Jobs: 1, First: 3},
		{Outcome: "refused", Words: "no queue root.a1", Jobs: 1, First: 4, Unexpected: 1},
		{Outcome: "unfinished", Words: "stopped", Jobs: 1, First: 6, Unexpected: 1},
		{Outcome: "refused", Words: "no queue root.a2", Jobs: 1, First: 7, Unexpected: 1},
		{Outcome: "refused", Words: "asks for 64 vcores, at most 8", Jobs: 1, First: 10, Unexpected: 1},
	}}
	d := &result.Data{Jobs: result.JobsOf(jobs)}
	if diff := cmp.Diff(want, OutcomeOf(d)); diff != "" {
		t.Errorf("outcome (-want +got)\n%s", diff)
	}
	d.Manifest.Until = 1000
	if got := OutcomeOf(d).Unexpected; got != 9 {
		t.Errorf("%d are unexpected with --until, want 9", got)
	}
	if got := OutcomeOf(d, d); got.Jobs != 26 || got.Reasons[0].Jobs != 4 {
		t.Errorf("two runs together: %+v", got)
	}
	if got, want := OutcomeOf(d).Text(), "1 of 13 jobs succeeded, 4 failed, 7 refused, 1 unfinished; of these the trace records 2 as failed or killed"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}
