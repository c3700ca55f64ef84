package workload

import (
	"strings"
	"testing"
)

// A source of which a good part is left out is told so, with the reasons, the most frequent first; a few rows, and what is no work, are not.
func TestMuchLeftOut(t *testing.T) {
	for _, tt := range []struct {
		read, dropped Counter
		tasks         int64
		want          string
	}{
		{Counter{"rows_of_batch_task": 800}, Counter{"tasks_without_a_plan": 251, "tasks_that_did_not_finish": 41}, 5000, "left out: 292 of 800 tasks (36 %): 251 tasks without a plan, 41 tasks that did not finish; the trace"},
		{Counter{"rows_of_instance_events": 700}, Counter{"tasks_that_still_ran_at_the_end": 1}, 9, "left out: 1 of 10 tasks (10 %): 1 task that still ran at the end; the trace"},
		{Counter{"rows_of_instance_events": 700}, Counter{"tasks_that_still_ran_at_the_end": 1}, 10, ""},
		{Counter{"records": 300}, Counter{"records_without_a_run_time": 154, "records_of_more_processors_than_the_machine": 5, "records_of_parts_of_a_job": 100}, 140, "left out: 159 of 300 records (53 %)"},
		{Counter{"rows": 300}, Counter{"steps_of_slurm_jobs": 200, "rows_with_a_bad_value": 9}, 91, ""},
		{Counter{"tasks": 5}, Counter{"tasks_run_again_for_lost_output": 5}, 5, ""},
		{Counter{}, Counter{"pods_that_were_never_scheduled": 3}, 3, "left out: 3 of 6 pods (50 %)"},
	} {
		warned := ""
		b := newBuilder(&Options{Warn: func(m string) { warned += m }}, "csv")
		b.Counts.Read, b.Counts.Dropped, b.tasks = tt.read, tt.dropped, tt.tasks
		if b.sayMuchLeftOut(); !strings.HasPrefix(warned, tt.want) || (warned == "") != (tt.want == "") {
			t.Errorf("%v of %v: warned of %q, want %q", tt.dropped, tt.read, warned, tt.want)
		}
	}
}
