package queuefile

import (
	"math"
	"replay/engine/yarn/conf"
	"replay/trace"
	"slices"
	"strings"
	"testing"
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
	a, err := conf.ParseAllocations(Allocations(queues), conf.DefaultSite())
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
}

// bare is a queue of a trace that says nothing.
func bare(id, parent int32, path string) trace.Queue {
	return trace.Queue{ID: id, Parent: parent, Path: path, Weight: math.NaN(), AMShare: math.NaN(), MaxMemMiB: trace.Unset, MaxVCores: trace.Unset, MaxApps: trace.Unset}
}

func TestAllocationFileOfATrace(t *testing.T) {
	a, b, x := bare(1, 0, "root.a"), bare(2, 0, "root.b"), bare(3, 1, "root.a.x")
	a.Weight, a.MaxMemMiB, a.AMShare = 2.5, 4096, 0.3 // no share of masters in a parent
	b.MinVCores, b.MaxVCores, b.MaxApps, b.Policy, b.AMShare = 2, 8, 0, "fifo", trace.NoAMLimit
	x.MinMemMiB, x.AMShare = 512, 0.3
	got := string(Allocations([]trace.Queue{bare(0, trace.Unset, "root"), a, b, x}))
	want := `<?xml version="1.0"?>
<allocations>
  <queue name="root">
    <queue name="a">
      <weight>2.5</weight>
      <maxResources>4096 mb, 2147483647 vcores</maxResources>
      <queue name="x">
        <minResources>512 mb, 0 vcores</minResources>
        <maxAMShare>0.3</maxAMShare>
      </queue>
    </queue>
    <queue name="b">
      <minResources>0 mb, 2 vcores</minResources>
      <maxResources>2147483647 mb, 8 vcores</maxResources>
      <maxRunningApps>0</maxRunningApps>
      <maxAMShare>-1</maxAMShare>
      <schedulingPolicy>fifo</schedulingPolicy>
    </queue>
  </queue>
</allocations>
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	// The path says where a queue is: its parent may be left out, or be any queue above it, and need not be in the table.
	alone, far := a, x
	alone.Parent, far.Parent = trace.Unset, 0
	if got := string(Allocations([]trace.Queue{bare(0, trace.Unset, "root"), alone, b, far})); got != want {
		t.Errorf("of other parents: got\n%swant\n%s", got, want)
	}
	under := "<queue name=\"a\">\n      <queue name=\"x\">"
	if got := string(Allocations([]trace.Queue{bare(0, trace.Unset, "root"), far})); !strings.Contains(got, under) {
		t.Errorf("without root.a: got\n%swant in it\n%s", got, under)
	}
}

func TestCapacitiesOfATrace(t *testing.T) {
	a, b, c, x := bare(1, 0, "root.a"), bare(2, 0, "root.b"), bare(3, 0, "root.c"), bare(4, 2, "root.b.x")
	a.Weight, c.Weight = 4, 0 // b says nothing and c nothing that can be: 1 each
	got := Capacity([]trace.Queue{bare(0, trace.Unset, "root"), a, b, c, x})
	want := map[string]string{"resource-calculator": "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
		"root.queues": "a,b,c", "root.b.queues": "x",
		"root.a.capacity": "66.66", "root.a.maximum-capacity": "100", "root.a.user-limit-factor": "-1",
		"root.b.capacity": "16.66", "root.b.maximum-capacity": "100",
		"root.c.capacity": "16.68", "root.c.maximum-capacity": "100", "root.c.user-limit-factor": "-1",
		"root.b.x.capacity": "100", "root.b.x.maximum-capacity": "100", "root.b.x.user-limit-factor": "-1"}
	for key, value := range want {
		if v := got["yarn.scheduler.capacity."+key]; v != value {
			t.Errorf("%s is %q, want %q", key, v, value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d keys, want %d: %v", len(got), len(want), got)
	}
	if deep := Capacity([]trace.Queue{bare(0, trace.Unset, "root"), bare(1, 0, "root.p.x")}); deep["yarn.scheduler.capacity.root.queues"] != "p" || deep["yarn.scheduler.capacity.root.p.x.capacity"] != "100" {
		t.Errorf("a queue whose parent is not in the table: %v, want p with x below it", deep)
	}
	if shipped := Capacity(nil); shipped["yarn.scheduler.capacity.root.queues"] != "default" {
		t.Errorf("without queues: %v, want the file that comes with Hadoop", shipped)
	}
}
