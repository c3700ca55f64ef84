package scenario

import (
	"math"
	"slices"
	"strings"
	"testing"

	"replay/engine/protocol"
	"replay/trace"
)

// bare is a queue of a trace that says nothing.
func bare(id, parent int32, path string) trace.Queue {
	return trace.Queue{ID: id, Parent: parent, Path: path, Weight: math.NaN(), AMShare: math.NaN(), MaxMemMiB: trace.Unset, MaxVCores: trace.Unset, MaxApps: trace.Unset}
}

func TestQueuesOfATraceAreNoAllocationFile(t *testing.T) {
	if sc := resolve(t, Input{Queues: []trace.Queue{bare(0, trace.Unset, "root"), bare(1, 0, "root.a")}}, Options{}); sc.AllocationFile {
		t.Error("queues of the trace count as an allocation file")
	}
}

// Without a file for the CapacityScheduler it is said, once, what is in force in its place; with one, or with queues of single keys, nothing is.
func TestCapacitiesThatNobodyWrote(t *testing.T) {
	queues := []trace.Queue{bare(0, trace.Unset, "root"), bare(1, 0, "root.a"), bare(2, 0, "root.b")}
	heavy := slices.Clone(queues)
	heavy[2].Weight = 3
	const key = "yarn.scheduler.capacity."
	own := Files{"capacity-scheduler.xml": {Text: site(key+"root.queues", "a,b", key+"root.a.capacity", "50", key+"root.b.capacity", "50")}}
	fair := Files{"fair-scheduler.xml": {Text: []byte("<allocations/>")}}
	for _, tt := range []struct {
		name string
		in   Input
		conf map[string]string
		want string
	}{
		{"equal", Input{Queues: queues}, nil, "no capacity-scheduler.xml: capacities are equal: root.a 50 %, root.b 50 %; user-limit-factor is -1 in 2 of these queues, and 1 by YARN's default; " +
			"the calculator is the DominantResourceCalculator, and not YARN's default, the DefaultResourceCalculator; --capacity-scheduler FILE says otherwise"},
		{"by weight", Input{Queues: heavy}, nil, "capacities are by the weights of the trace's queues: root.a 25 %, root.b 75 %; "},
		{"beside a file of the FairScheduler", Input{Queues: queues, Files: fair}, nil, "capacities are equal, whatever weights fair-scheduler.xml has: "},
		{"under single keys", Input{Queues: queues}, map[string]string{key + "root.a.user-limit-factor": "2", key + "resource-calculator": "org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator"},
			"user-limit-factor is -1 in 1 of these queues, and 1 by YARN's default; the calculator is the DefaultResourceCalculator; --"},
		{"with a file", Input{Queues: queues, Files: own}, nil, ""},
		{"with queues of single keys", Input{Queues: queues}, map[string]string{key + "root.queues": "c", key + "root.c.capacity": "100"}, ""},
		{"without queues", Input{}, nil, ""},
	} {
		var said []string
		for _, w := range resolve(t, tt.in, Options{Scheduler: "capacity", Conf: tt.conf}).Warnings {
			if w.Code == "capacities" {
				said = append(said, w.Text)
			}
		}
		if tt.want == "" && said != nil || tt.want != "" && (len(said) != 1 || !strings.Contains(said[0], tt.want)) {
			t.Errorf("%s: %q, want %q", tt.name, said, tt.want)
		}
	}
}

func TestQueueFilesThatAreRefused(t *testing.T) {
	for _, tt := range []struct {
		scheduler, kind, text, want string
	}{
		{"fair", "fair-scheduler.xml", "<allocations>", "mine.xml: "},
		{"fair", "fair-scheduler.xml", "<allocations><queue name='a'/><queue name='a'/></allocations>", "mine.xml: line 1: "},
		{"capacity", "capacity-scheduler.xml", "<configuration>", "mine.xml: "},
		{"capacity", "capacity-scheduler.xml", string(site("yarn.scheduler.capacity.root.queues", "a,a", "yarn.scheduler.capacity.root.a.capacity", "50")), "mine.xml: line 2: yarn.scheduler.capacity.root.queues"},
	} {
		o := Options{Scheduler: tt.scheduler, Files: Files{tt.kind: {Name: "mine.xml", Text: []byte(tt.text)}}}
		if _, err := New(Input{}, o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.text, err, tt.want)
		}
		if tt.scheduler != "fair" {
			continue
		}
		later := Options{Reloads: []Reload{{AtMS: 1, File: o.Files[tt.kind]}}}
		if _, err := New(Input{}, later); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, later: error %v, want %q", tt.text, err, tt.want)
		}
	}
}

// Applications know whether the scheduler waits for preferred hosts.
func TestDelayOff(t *testing.T) {
	const node, rack = "yarn.scheduler.fair.locality.threshold.node", "yarn.scheduler.fair.locality.threshold.rack"
	for _, tt := range []struct {
		conf map[string]string
		off  bool
	}{
		{nil, true}, {map[string]string{node: "0.5"}, true}, {map[string]string{rack: "0.5"}, true},
		{map[string]string{node: "0.5", rack: "0.5"}, false}, {map[string]string{node: "0", rack: "0"}, false},
	} {
		if off := resolve(t, Input{}, Options{Conf: tt.conf}).Spark().DelayOff; off != tt.off {
			t.Errorf("%v: no delay is %v, want %v", tt.conf, off, tt.off)
		}
	}
}

// Each row of the table of schedulers can be asked for by name and by class, and says what it is.
func TestSchedulersTable(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Schedulers {
		if s.Central {
			sc := resolve(t, Input{}, Options{Scheduler: s.Name})
			if _, err := sc.NewScheduler(protocol.NewNames(), 1, nil); err == nil || s.Class != "" || sc.Scheduler != s.Name {
				t.Errorf("%s: %q, class %q, error %v; want a scheduler without a class that is none of YARN's", s.Name, sc.Scheduler, s.Class, err)
			}
			continue
		}
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

// What a queue is told is another text just where it is told otherwise, by whatever means, and every queue of the configuration has one.
func TestQueuesAreTold(t *testing.T) {
	const key = "yarn.scheduler.capacity."
	keys := []string{key + "root.queues", "a,b", key + "root.a.capacity", "40", key + "root.b.capacity", "60", key + "root.b.queues", "x", key + "root.b.x.capacity", "100"}
	capacity := func(more ...string) Options {
		return Options{Scheduler: "capacity", Files: Files{"capacity-scheduler.xml": {Text: site(append(slices.Clone(keys), more...)...)}}}
	}
	fair := func(text string) Options {
		return Options{Scheduler: "fair", Files: Files{"fair-scheduler.xml": {Text: []byte("<allocations>" + text + "</allocations>")}}}
	}
	later := fair(`<queue name="a"/><queue name="b"/>`)
	later.Reloads = []Reload{{AtMS: 1000, File: File{Text: []byte(`<allocations><queue name="a"><weight>2</weight></queue><queue name="b"/></allocations>`)}}}
	same := fair(`<queue name="a"/><queue name="b"/>`)
	same.Reloads = []Reload{{AtMS: 1000, File: File{Text: []byte(`<allocations><queue name="a"/><queue name="b"/></allocations>`)}}}
	for _, tt := range []struct {
		name       string
		base, next Options
		want       string // the queues that are told otherwise
	}{
		{"capacity, a leaf", capacity(), capacity(key+"root.b.x.maximum-capacity", "50"), "root.b.x"},
		{"capacity, a parent", capacity(), capacity(key+"root.b.maximum-capacity", "90"), "root.b"},
		{"capacity, all of it", capacity(), capacity(key+"node-locality-delay", "7"), ""},
		{"fair, a limit", fair(`<queue name="a"/><queue name="b"/>`), fair(`<queue name="a"/><queue name="b"><maxResources>1024 mb, 1 vcores</maxResources></queue>`), "root.b"},
		{"fair, a new one", fair(`<queue name="a"/>`), fair(`<queue name="a"/><queue name="b"/>`), "root.b"},
		{"fair, written otherwise", fair(`<queue name="a"><weight>2</weight></queue>`), fair(`<pool name="a"><weight>2.0</weight></pool>`), ""},
		{"fair, a default", fair(`<queue name="a"><maxRunningApps>3</maxRunningApps></queue><queue name="b"/>`), fair(`<queueMaxAppsDefault>3</queueMaxAppsDefault><queue name="a"/><queue name="b"/>`), "root.b"},
		{"fair, later", same, later, "root.a"},
	} {
		a, b := resolve(t, Input{}, tt.base).Manifest().Queues, resolve(t, Input{}, tt.next).Manifest().Queues
		var got []string
		for _, path := range sortedKeys(b) {
			if was, ok := a[path]; !ok || was != b[path] {
				got = append(got, path)
			}
		}
		if text := strings.Join(got, " "); text != tt.want || len(b) == 0 {
			t.Errorf("%s: %q are told otherwise of %v, want %q", tt.name, text, b, tt.want)
		}
	}
}
