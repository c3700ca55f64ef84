package engine

import (
	"strings"
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/trace"
)

// A job of a queue that has queues below it is refused as YARN does; the reason names the job, not an id that nobody has recorded, and what can be done.
func TestRefusedByParentQueue(t *testing.T) {
	const remedy = "; it has queues below it, and YARN runs applications in leaf queues alone: replay import --queue-map NAMES=root.default.other gives these jobs one"
	for scheduler, want := range map[string]string{
		"fair":     "root.default is not a leaf queue" + remedy,
		"capacity": "Application job 0 submitted by user : u to non-leaf queue : root.default" + remedy,
	} {
		in := input(cluster(2, 1), nil, sparkJob(0, 0, 1, stage(0, 1, 1000, nil)))
		below := trace.NewQueue(1, "root.default.nightly")
		in.Queues = append(in.Queues, below)
		k, m := replay(t, in, scenario.Options{Scheduler: scheduler})
		if len(k.jobs) != 1 || k.jobs[0].Outcome != record.JobFailed || k.jobs[0].Reason != want {
			t.Errorf("%s: %+v, want a job that failed as %s", scheduler, k.jobs, want)
		}
		text := ""
		for _, w := range m.Warnings {
			text += w.Text + "\n"
		}
		if !strings.Contains(text, "job 0 (job0) can't run: "+want) {
			t.Errorf("%s: warnings %s\nwant the reason %s", scheduler, text, want)
		}
	}
}
