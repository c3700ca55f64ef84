package scenario

import (
	"math"
	"slices"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn/conf"
	"replay/trace"
)

// The allocation file that is made from the queues of a trace has these queues, however they are called.
func TestQueuesOfATraceSurviveXML(t *testing.T) {
	names := []string{"plain", "a&b", "a<b>", `say "a"`, "it's", "100%", "ü", "a]]>b"}
	queue := func(id, parent int32, path string) trace.Queue {
		return trace.Queue{ID: id, Parent: parent, Path: path, Weight: float64(id) + 2, AMShare: math.NaN(), MaxMemMiB: trace.Unset, MaxVCores: trace.Unset, MaxApps: trace.Unset}
	}
	queues := []trace.Queue{queue(0, trace.Unset, "root")}
	for i, n := range names {
		queues = append(queues, queue(int32(i+1), 0, "root."+n))
	}
	a, err := conf.ParseAllocations(queuesXML(queues), conf.DefaultSite())
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range names {
		if !slices.Contains(a.Leaves, "root."+n) {
			t.Errorf("queue root.%s is lost: %q", n, a.Leaves)
		} else if w := a.Settings("root." + n).Weight; w != float32(i)+3 {
			t.Errorf("queue root.%s has weight %v, want %d", n, w, i+3)
		}
	}
	if sc := resolve(t, Input{Queues: queues}, Options{}); sc.AllocationFile {
		t.Error("queues of the trace count as an allocation file")
	}
}

// Each row of the table of schedulers can be asked for by name and by class, and says what it is.
func TestSchedulersTable(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Schedulers {
		for _, unique := range []string{s.Name, s.Class} {
			if unique == "" || seen[unique] {
				t.Errorf("scheduler %q has %q, want names and classes of its own", s.Name, unique)
			}
			seen[unique] = true
		}
		for _, o := range []Options{{Scheduler: s.Name}, {Conf: map[string]string{keySchedulerClass: s.Class}}} {
			sc := resolve(t, Input{}, o)
			built, err := sc.NewScheduler(protocol.NewNames(), 1, nil)
			if err != nil || built == nil || sc.Scheduler != s.Name {
				t.Errorf("%s: scheduler %v of %s, error %v", s.Name, built, sc.Scheduler, err)
			}
		}
	}
}
