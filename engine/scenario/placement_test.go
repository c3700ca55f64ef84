package scenario

import (
	"fmt"
	"slices"
	"strings"
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

// A job is in the queue of the CapacityScheduler that its client can have named: by the path, else by the last part where that is one queue alone.
func TestQueuesByTheirLastPart(t *testing.T) {
	const c = "yarn.scheduler.capacity.root."
	file := site(capacityQueues, "prod,dev,ads", c+"prod.capacity", "50", c+"dev.capacity", "25", c+"ads.capacity", "25",
		c+"prod.queues", "etl,bi", c+"prod.etl.capacity", "50", c+"prod.bi.capacity", "50", c+"dev.queues", "bi,test", c+"dev.bi.capacity", "50", c+"dev.test.capacity", "50")
	paths := []string{"root", "root.etl", "root.bi", "root.ads", "root.none", "root.test", "root.test.x", "root.prod.etl"}
	in := Input{}
	for i, path := range paths {
		parent := int32(0)
		switch path {
		case "root":
			parent = trace.Unset
		case "root.test.x":
			parent = 5
		}
		in.Queues = append(in.Queues, bare(int32(i), parent, path))
	}
	sc := resolve(t, in, Options{Scheduler: "capacity", Files: Files{"capacity-scheduler.xml": {Name: "c.xml", Text: file}}})
	for i, want := range []string{"root", "root.prod.etl", "bi", "root.ads", "root.none", "root.test", "root.test.x", "root.prod.etl"} {
		if got := sc.SubmittedTo(&trace.Job{Queue: int32(i)}); got != want {
			t.Errorf("a job of %s is submitted to %s, want %s", paths[i], got, want)
		}
	}
	for named, want := range map[string]string{"etl": "root.prod.etl", "root.etl": "root.etl"} {
		if got := sc.SubmittedTo(&trace.Job{Queue: 1, Conf: []trace.KeyValue{{Key: "spark.yarn.queue", Value: named}}}); got != want {
			t.Errorf("a job that names %s is submitted to %s, want %s", named, got, want)
		}
	}
	const want = "c.xml: jobs that do not name their queue by its whole path are in the queue of that name, as YARN finds it by the last part: root.etl is root.prod.etl\n" +
		"c.xml lacks queues of the trace: root.none, root.test.x; jobs in them are refused, as in YARN (list them there, or give the jobs other queues: --queue-map or --queue of replay import)"
	if got := remarksOf(t, sc); got != want {
		t.Errorf("warnings %s", got)
	}
	for i := range 9 {
		in.Queues = append(in.Queues, bare(int32(len(paths)+i), 0, fmt.Sprintf("root.lost%d", i)))
	}
	if got, want := remarksOf(t, resolve(t, in, sc.Options)), "root.lost5 and 3 more; jobs in them"; !strings.Contains(got, want) {
		t.Errorf("warnings %s, want %q", got, want)
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
