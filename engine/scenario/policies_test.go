package scenario

import (
	"fmt"
	"strings"
	"testing"

	"replay/policy"
	"replay/trace"
)

// What stands in a table of policies can be named by flag, by file and by the queues of a trace.
func TestEveryPolicyCanBeNamed(t *testing.T) {
	in := Input{
		Nodes:  []trace.Node{{Host: "n1", Rack: "/r1", MemMiB: 8192, VCores: 8}},
		Queues: []trace.Queue{{Path: "root", Parent: trace.Unset}, {ID: 1, Path: "root.a"}},
	}
	for _, e := range policy.Sharings {
		of := func(o Options, in Input) (queue, parents string) {
			t.Helper()
			sc, err := New(in, o)
			if err != nil {
				t.Errorf("%s: %v", e.Name, err)
				return "", ""
			}
			return allocations(sc).Settings("root.a").Policy, allocations(sc).DefaultPolicy
		}
		xml := fmt.Appendf(nil, `<allocations><queue name="a"><schedulingPolicy>%s</schedulingPolicy></queue></allocations>`, strings.ToUpper(e.Name))
		if got, _ := of(Options{Files: Files{"fair-scheduler.xml": {Text: xml}}}, in); got != e.Name {
			t.Errorf("<schedulingPolicy> %s gives %q", e.Name, got)
		}
		named := in
		named.Queues = []trace.Queue{in.Queues[0], {ID: 1, Path: "root.a", Policy: e.Name}}
		if got, _ := of(Options{}, named); got != e.Name {
			t.Errorf("a trace's queue with %s has %q", e.Name, got)
		}
		s, err := policy.NewSharing(e.Name, 2)
		if err != nil {
			t.Fatal(err)
		}
		xml = fmt.Appendf(nil, `<allocations><defaultQueueSchedulingPolicy>%s</defaultQueueSchedulingPolicy></allocations>`, e.Name)
		if !s.Parents() {
			for what, o := range map[string]Options{"--sharing": {Sharing: e.Name}, "<defaultQueueSchedulingPolicy>": {Files: Files{"fair-scheduler.xml": {Text: xml}}}} {
				if _, err := New(in, o); err == nil {
					t.Errorf("%s %s is taken, and parent queues can't have it", what, e.Name)
				}
			}
			continue
		}
		if _, got := of(Options{Sharing: e.Name}, in); got != e.Name {
			t.Errorf("--sharing %s gives %q", e.Name, got)
		}
		if _, got := of(Options{Files: Files{"fair-scheduler.xml": {Text: xml}}}, in); got != e.Name {
			t.Errorf("<defaultQueueSchedulingPolicy> %s gives %q", e.Name, got)
		}
	}
	for _, e := range policy.Placements {
		if sc, err := New(in, Options{Placement: e.Name}); err != nil || sc.Requests == nil {
			t.Errorf("--placement %s: %v", e.Name, err)
		}
	}
	for _, e := range policy.LeafOrders {
		conf := map[string]string{"yarn.scheduler.capacity.root.queues": "a", "yarn.scheduler.capacity.root.a.capacity": "100",
			"yarn.scheduler.capacity.root.a.ordering-policy": e.Name}
		sc, err := New(in, Options{Scheduler: "capacity", Conf: conf})
		if err != nil {
			t.Errorf("ordering-policy %s: %v", e.Name, err)
			continue
		}
		c, err := sc.setup.(*capacitySetup).read()
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Queues[c.Find("root.a")].Ordering; got != e.Name {
			t.Errorf("ordering-policy %s gives %q", e.Name, got)
		}
	}
}

func TestUnknownPoliciesAreRefusedWithTheKnownOnes(t *testing.T) {
	in := Input{Queues: []trace.Queue{{Path: "root", Parent: trace.Unset}, {ID: 1, Path: "root.a", Policy: "lottery"}}}
	for _, tt := range []struct {
		in   Input
		o    Options
		want string
	}{
		{in, Options{}, `the trace's queue root.a: unknown sharing policy "lottery" (known: ` + strings.Join(policy.SharingNames(false), ", ") + ")"},
		{Input{}, Options{Sharing: "lottery"}, `--sharing is "lottery", want one of ` + strings.Join(policy.SharingNames(true), ", ")},
		{Input{}, Options{Placement: "lottery"}, `unknown placement "lottery" (known: ` + strings.Join(policy.PlacementNames(), ", ") + ")"},
	} {
		if _, err := New(tt.in, tt.o); err == nil || err.Error() != tt.want {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
}

// unjust is a sharing policy that fails when it is asked which policies go below it.
type unjust struct{ policy.Sharing }

func (unjust) Parents() bool              { return true }
func (unjust) Allows(policy.Sharing) bool { panic("which?") }

// A policy of a program of one's own that fails before the replay begins, at what its queues ask, is an error with its name and place.
func TestPolicyThatFailsAtItsQueues(t *testing.T) {
	tables := &policy.Tables{Sharings: []policy.SharingEntry{{Name: "unjust", New: func(types int) policy.Sharing {
		s, _ := policy.NewSharing("fair", types)
		return unjust{s.Sharing}
	}}}}
	_, err := New(Input{}, Options{Policies: tables, Sharing: "unjust", Files: Files{"fair-scheduler.xml": {Name: "f.xml", Text: []byte(`<allocations><queue name="a"/></allocations>`)}}})
	if want := "sharing policy unjust: Allows panicked: which?, in replay/engine/scenario.unjust.Allows (policies_test.go:"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}
