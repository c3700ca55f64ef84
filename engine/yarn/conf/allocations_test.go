package conf

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"replay/engine/remark"
	"replay/policy/resource"
)

func TestAllocations(t *testing.T) {
	a, err := ParseAllocations([]byte(`<?xml version="1.0"?>
<allocations>
  <queueMaxAppsDefault>50</queueMaxAppsDefault>
  <queueMaxAMShareDefault>7</queueMaxAMShareDefault>
  <userMaxAppsDefault>5</userMaxAppsDefault>
  <user name="u"><maxRunningApps>3</maxRunningApps></user>
  <fairSharePreemptionTimeout>9</fairSharePreemptionTimeout>
  <queue name=" prod ">
    <weight>0.1<!-- a comment is not a text node -->5</weight>
    <minResources>4096 mb,4 vcores</minResources>
    <maxResources><![CDATA[memory-mb=8192]]></maxResources>
    <schedulingPolicy>FIFO</schedulingPolicy>
    <allowPreemptionFrom>yes</allowPreemptionFrom>
    <nonsense/>
  </queue>
  <pool name="dev" type="parent"><e name="x"><maxRunningApps>1</maxRunningApps><maxRunningApps>2</maxRunningApps></e></pool>
  <aclThing/>
</allocations>`), DefaultSite())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.Parents, []string{"root.dev"}) || len(a.Leaves) != 2 {
		t.Errorf("leaves %v, parents %v", a.Leaves, a.Parents)
	}
	s := a.Settings("root.prod")
	if s.Weight != 0.15 || s.Min != resource.R(4096, 4) || s.Policy != "fifo" || !s.NonPreemptable || s.MaxRunningApps != 50 || s.MaxAMShare != 1 {
		t.Errorf("root.prod has %+v", s)
	}
	if most, ok := s.Max.Absolute(); !ok || most != resource.R(8192, -1) {
		t.Errorf("root.prod has maximum %v", most)
	}
	if s := a.Settings("root.dev.x"); s.MaxRunningApps != 2 {
		t.Errorf("root.dev.x has %+v, want the last of two limits", s)
	}
	if s := a.Settings("root"); s.FairShareTimeout != 9000 || s.FairShareThreshold != 0.5 {
		t.Errorf("root has %+v", s)
	}
	if a.UserLimit("u") != 3 || a.UserLimit("v") != 5 {
		t.Errorf("user limits %d and %d, want 3 and 5", a.UserLimit("u"), a.UserLimit("v"))
	}
	want := remark.List{
		{Kind: remark.Unknown, Line: 17, Of: "<aclThing>"},
		{Kind: remark.Odd, Line: 11, Of: "<maxResources> of queue root.prod", Text: "no vcores are named: YARN reads that as -1 vcores and not as unlimited, so nothing runs in it"},
		{Kind: remark.Odd, Line: 13, Of: "<allowPreemptionFrom> of queue root.prod (yes)", Text: "neither true nor false: YARN takes it for false"},
		{Kind: remark.Unknown, Line: 14, Of: "<nonsense> of queue root.prod"},
		{Kind: remark.Odd, Line: 8, Of: "queue root.prod", Text: "minResources is above maxResources; YARN takes the larger of the two as maximum"},
		{Kind: remark.Odd, Line: 16, Of: "<e> of queue root.dev", Text: "taken as a queue, as YARN does with any ending of that word"},
		{Kind: remark.Odd, Line: 4, Of: "<queueMaxAMShareDefault> (7.0)", Text: "above 1, which is all of the queue: YARN takes 1"},
		{Kind: remark.Odd, Line: 3, Of: "<queueMaxAppsDefault> (50)", Text: "holds for root, too, as in YARN: all queues together run no more applications (<maxRunningApps> of root is its own)"},
	}
	if !slices.Equal(a.Remarks, want) {
		t.Errorf("remarks %+v, want %+v", a.Remarks, want)
	}
	if len(a.Problems) > 0 {
		t.Errorf("problems %v", a.Problems)
	}
}

// TestAllocationErrors shows what a person reads: place, element, value and YARN's reason.
func TestAllocationErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"not a number", "<allocations>\n<queue name='a'>\n<maxRunningApps>1e3</maxRunningApps></queue></allocations>",
			`f.xml: line 3: <maxRunningApps> of queue root.a is "1e3": For input string: "1e3"`},
		{"overflow", `<allocations><userMaxAppsDefault>99999999999</userMaxAppsDefault></allocations>`,
			`f.xml: line 1: <userMaxAppsDefault> is "99999999999": For input string: "99999999999"`},
		{"empty element", `<allocations><queue name="a"><weight></weight></queue></allocations>`,
			"f.xml: line 1: <weight> of queue root.a: the element is empty, want a value"},
		{"unknown policy", `<allocations><queue name="a"><schedulingPolicy>best</schedulingPolicy></queue></allocations>`,
			`<schedulingPolicy> of queue root.a is "best": best SchedulingPolicy class not found!`},
		{"default that parents can't have", `<allocations><defaultQueueSchedulingPolicy> Fifo</defaultQueueSchedulingPolicy></allocations>`,
			`f.xml: line 1: <defaultQueueSchedulingPolicy> is "Fifo": Bad fair scheduler config file: defaultQueueSchedulingPolicy or defaultQueueSchedulingMode can't be FIFO`},
		{"the same by its class", `<allocations><defaultQueueSchedulingPolicy>` + policyPackage + `FifoPolicy</defaultQueueSchedulingPolicy></allocations>`,
			`FifoPolicy": is not for queues with children, want fair or drf`},
		{"package without a class", `<allocations><queue name="a"><schedulingPolicy>` + policyPackage + `</schedulingPolicy></queue></allocations>`, "class not found"},
		{"name with a period", `<allocations><queue name="a.b"/></allocations>`, "queue name (a.b) shouldn't contain period"},
		{"beside root", `<allocations><queue name="root"/><queue name="b"/></allocations>`, "no other queues can be placed alongside it"},
		{"malformed", "<allocations>\n<queue name='a'></allocations>", "f.xml: line 2: malformed XML: </allocations> stands where <queue> of line 2 is open, want </queue> first"},
		{"malformed behind the end", "<allocations/>\n</queue>", "f.xml: line 2: malformed XML: </queue> closes nothing that is open"},
		{"entity", `<!DOCTYPE a [<!ENTITY b "&c;&c;">]><allocations>&b;</allocations>`, "a document type declaration (and the entities it would define) is not allowed"},
		{"rule never reached", `<allocations><queuePlacementPolicy><rule name="user"/><rule name="reject"/></queuePlacementPolicy></allocations>`,
			"<queuePlacementPolicy>: Rules after rule 1 in queue placement policy can never be reached"},
		{"declared twice", "<allocations><queue name='a'/>\n<queue name='a'><weight>2</weight></queue></allocations>",
			`f.xml: line 2: <queue> is "a": queue root.a is declared more than once`},
		{"negative limit", `<allocations><queue name="a"><maxRunningApps>-2</maxRunningApps></queue></allocations>`, `<maxRunningApps> of queue root.a is "-2": want 0 or more`},
		{"weight that is no number", `<allocations><queue name="a"><weight>NaN</weight></queue></allocations>`, `line 1: <weight> of queue root.a is "NaN": YARN takes it, and its shares are never found: want a number`},
		{"negative weight", `<allocations><queue name="a"><weight>-0.5</weight></queue></allocations>`, `is "-0.5": want 0 or more`},
		{"time overflow", `<allocations><queue name="a"><minSharePreemptionTimeout>9223372036854775807</minSharePreemptionTimeout></queue></allocations>`, "overflows, want at most"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.WriteFile("f.xml", []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := ReadAllocations("f.xml", DefaultSite())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
	if _, err := ReadAllocations(filepath.Join(t.TempDir(), "none.xml"), DefaultSite()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
}

// TestRefusedAfterRules: YARN puts the placement rules in force before it reads the defaults.
func TestRefusedAfterRules(t *testing.T) {
	a, err := ParseAllocations([]byte(`<allocations><userMaxAppsDefault>x</userMaxAppsDefault><queuePlacementPolicy><rule name="reject"/></queuePlacementPolicy></allocations>`), DefaultSite())
	if err == nil || a == nil || a.Rules == nil {
		t.Errorf("got %+v, %v, want the rules beside an error", a, err)
	}
}

func FuzzParseAllocations(f *testing.F) {
	for _, s := range []string{
		`<allocations><queue name="a"><weight>2</weight></queue></allocations>`,
		`<allocations><queue name="root"><queue name="b"><maxAMShare>-1</maxAMShare></queue></queue></allocations>`,
		`<allocations><queuePlacementPolicy><rule name="user"><rule name="primaryGroup"/></rule><rule name="reject"/></queuePlacementPolicy></allocations>`,
		`<!DOCTYPE a [<!ENTITY x "y">]><allocations>&x;</allocations>`,
		`<allocations><queueMaxResourcesDefault><![CDATA[50%]]> x</queueMaxResourcesDefault></allocations>`,
	} {
		f.Add([]byte(s))
	}
	site := DefaultSite()
	tree := func(string) QueueInfo { return QueueInfo{} }
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := ParseAllocations(text, site)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		for _, q := range append(a.Leaves, a.Parents...) {
			a.Settings(q)
		}
		if a.Rules != nil {
			_, _ = a.Rules.Place(&Submission{User: "u", Groups: []string{"g"}, Queue: "q"}, tree)
		}
	})
}

// Values that YARN takes for others than they look are followed as it takes them, and said.
func TestOddValuesOfAllocations(t *testing.T) {
	const taken, all = "neither true nor false: YARN takes it for false", "above 1, which is all of the fair share: YARN takes 1"
	queue := func(text string) string { return "<queue name='a'>" + text + "</queue>" }
	odd := func(of, text string) remark.List { return remark.List{{Kind: remark.Odd, Line: 1, Of: of, Text: text}} }
	for _, tt := range []struct {
		text string
		want remark.List
	}{
		{queue("<allowPreemptionFrom> TRUE </allowPreemptionFrom>"), nil},
		{queue("<allowPreemptionFrom>False</allowPreemptionFrom>"), nil},
		{queue("<maxAMShare>1</maxAMShare>"), nil},
		{queue("<maxAMShare>-1</maxAMShare>"), nil},
		{queue("<maxAMShare>50</maxAMShare>"), odd("<maxAMShare> of queue root.a (50.0)", "above 1, which is all of the queue: YARN takes 1")},
		{queue("<fairSharePreemptionThreshold>80</fairSharePreemptionThreshold>"), odd("<fairSharePreemptionThreshold> of queue root.a (80.0)", all)},
		{"<defaultFairSharePreemptionThreshold>1.5</defaultFairSharePreemptionThreshold>", odd("<defaultFairSharePreemptionThreshold> (1.5)", all)},
		{queue("<minResources>10.240 mb, 1 vcores</minResources>"), odd("<minResources> of queue root.a", "what follows the point is cut off, YARN reads 10.240 mb as 10 mb")},
		{queue("<maxResources>1024 mb, 1.5vcores</maxResources>"), odd("<maxResources> of queue root.a", "what follows the point is cut off, YARN reads 1.5vcores as 1 vcores")},
		{queue("<maxResources>1024.0 mb, 1. vcores</maxResources>"), nil},
		{queue("<maxResources>12.5%</maxResources>"), nil},
		{"<queue name='root'><maxResources>9 mb, 9 vcores</maxResources></queue><queueMaxResourcesDefault>10.240 mb, 1 vcores</queueMaxResourcesDefault>", odd("<queueMaxResourcesDefault>", "what follows the point is cut off, YARN reads 10.240 mb as 10 mb")},
		{"<queuePlacementPolicy><rule name='specified' create='yes'/><rule name='default' create='TRUE'/></queuePlacementPolicy>", odd("create of rule specified (yes)", taken)},
		{"<queuePlacementPolicy><rule name='nestedUserQueue'><rule name='default' create='1'/></rule><rule name='reject' create='false'/></queuePlacementPolicy>", odd("create of rule default (1)", taken)},
	} {
		a, err := ParseAllocations([]byte("<allocations>"+tt.text+"</allocations>"), DefaultSite())
		if err != nil || len(a.Problems) > 0 || !slices.Equal(a.Remarks, tt.want) {
			t.Errorf("%s: %v, %+v, want %+v", tt.text, err, a, tt.want)
		}
	}
}
