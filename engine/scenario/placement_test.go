package scenario

import (
	"slices"
	"testing"

	"replay/engine/record"
	"replay/trace"
)

const rulesOfUsers = `<allocations><queuePlacementPolicy><rule name="specified"/><rule name="user"/></queuePlacementPolicy></allocations>`

// Jobs of clients that named no queue are placed by rules that were handed in, and stay where they ran under those of the trace.
func TestSubmittedTo(t *testing.T) {
	named := func(queue string) *trace.Job {
		return &trace.Job{Queue: 1, Conf: []trace.KeyValue{{Key: "spark.yarn.queue", Value: queue}}}
	}
	in := Input{Queues: []trace.Queue{bare(0, trace.Unset, "root"), bare(1, 0, "root.default"), bare(2, 0, "root.a")}, Users: []trace.User{{Name: "ann"}, {Name: "bob"}}}
	attached := in
	attached.Files = Files{"fair-scheduler.xml": {Name: "TRACE/fair-scheduler.xml", Text: []byte(rulesOfUsers)}}
	given := func(text string) Options {
		return Options{Scheduler: "fair", Files: Files{"fair-scheduler.xml": {Name: "mine.xml", Text: []byte(text)}}}
	}
	for _, tt := range []struct {
		name string
		in   Input
		o    Options
		want string // of jobs that name none
		warn bool
	}{
		{"no file", in, Options{Scheduler: "fair"}, "root.default", false},
		{"rules of the trace", attached, Options{Scheduler: "fair"}, "root.default", false},
		{"the same ones handed in", attached, given(rulesOfUsers), "root.default", false},
		{"rules handed in", in, given(rulesOfUsers), "default", false},
		{"a file without rules", in, given("<allocations/>"), "root.default", true},
		{"a key", in, Options{Scheduler: "fair", Conf: map[string]string{keyUserAsDefault: "true"}}, "default", false},
	} {
		sc := resolve(t, tt.in, tt.o)
		for i, got := range []string{sc.SubmittedTo(&trace.Job{Queue: 1}), sc.SubmittedTo(named("default"))} {
			if got != tt.want {
				t.Errorf("%s: job %d, which names no queue, is submitted to %s, want %s", tt.name, i, got, tt.want)
			}
		}
		if got := sc.SubmittedTo(named("root.default")); got != "root.default" {
			t.Errorf("%s: a job that names root.default is submitted to %s", tt.name, got)
		}
		if got := sc.SubmittedTo(&trace.Job{Queue: 2}); got != "root.a" {
			t.Errorf("%s: a job of root.a is submitted to %s", tt.name, got)
		}
		if got := slices.ContainsFunc(sc.Warnings, func(w record.Warning) bool { return w.Code == "placement-default" }); got != tt.warn {
			t.Errorf("%s: warned of the default queue: %v, want %v", tt.name, got, tt.warn)
		}
	}
}

func TestRulesThatAskForGroups(t *testing.T) {
	for rules, want := range map[string]bool{
		`<foo/>`: false, // no rule: those in force stay
		`<rule name="specified"/><rule name="user"/>`:                               false,
		`<rule name="primaryGroup"/>`:                                               true,
		`<rule name="secondaryGroupExistingQueue"/><rule name="reject"/>`:           true,
		`<rule name="nestedUserQueue"><rule name="primaryGroup"/></rule>`:           true,
		`<rule name="nestedUserQueue"><rule name="default" queue="people"/></rule>`: false,
		`<rule name="user" create="false"/><rule name="default"/>`:                  false,
	} {
		text := "<allocations><queuePlacementPolicy>" + rules + "</queuePlacementPolicy></allocations>"
		sc := resolve(t, Input{}, Options{Scheduler: "fair", Files: Files{"fair-scheduler.xml": {Name: "mine.xml", Text: []byte(text)}}})
		if got := slices.ContainsFunc(sc.Warnings, func(w record.Warning) bool { return w.Code == "placement-groups" }); got != want {
			t.Errorf("%s: warned of groups: %v, want %v", rules, got, want)
		}
	}
}
