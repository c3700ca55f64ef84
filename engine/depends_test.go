package engine

import (
	"strings"
	"testing"

	"replay/engine/record"
	"replay/engine/scenario"
)

// TestDependenciesAreNotPassedOver: jobs that a trace has wait for others are submitted at their own times, by every scheduler, and the replay says so, with how
// many they are.
func TestDependenciesAreNotPassedOver(t *testing.T) {
	for _, o := range []scenario.Options{{Scheduler: "fair"}, {Scheduler: "fair", Engine: "dense"}, {Scheduler: "ideal"}} {
		first, second, third := sparkJob(0, 0, 1, stage(0, 1, 60_000, nil)), sparkJob(1, 10_000, 1, stage(0, 1, 1000, nil)), sparkJob(2, 20_000, 1, stage(0, 1, 1000, nil))
		second.DependsOn, third.DependsOn = []int64{0}, []int64{0, 1}
		k, m := replay(t, input(cluster(2, 1), nil, first, second, third), o)
		for i := range k.jobs {
			if j := &k.jobs[i]; j.Submit != 10_000*j.ID {
				t.Errorf("%s: job %d is submitted at %d", o.Scheduler, j.ID, j.Submit)
			}
		}
		var said []record.Warning
		for _, w := range m.Warnings {
			if w.Code == "depends" {
				said = append(said, w)
			}
		}
		if len(said) != 1 || said[0].Jobs != 2 || said[0].Voids || !strings.HasPrefix(said[0].Text, "job 1 (job1) is to begin after the end of job 0 (depends_on of the trace), which is not modelled") {
			t.Errorf("%s, engine %q: %+v", o.Scheduler, o.Engine, said)
		}
		if text := scenario.Depending(third); !strings.HasPrefix(text, "job 2 (job2) is to begin after the end of 2 jobs ") {
			t.Error(text)
		}
	}
}
