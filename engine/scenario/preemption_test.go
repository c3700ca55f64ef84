package scenario

import (
	"strings"
	"testing"
)

// TestPreemption: where no queue has a timeout nothing is preempted, which is said; and of other schedulers the key says nothing.
func TestPreemption(t *testing.T) {
	const (
		bare     = `<allocations><queue name="a"><minResources>2048 mb, 2 vcores</minResources></queue><queue name="b"/></allocations>`
		of       = `<allocations><queue name="a"><fairSharePreemptionTimeout>7</fairSharePreemptionTimeout></queue></allocations>`
		least    = `<allocations><queue name="a"><queue name="x"><minSharePreemptionTimeout>0</minSharePreemptionTimeout></queue></queue></allocations>`
		fallback = `<allocations><queue name="a"/><defaultFairSharePreemptionTimeout>60</defaultFairSharePreemptionTimeout></allocations>`
	)
	on := File{Name: "y.xml", Text: site(keyPreemption, "true")}
	fair := func(texts ...string) Options {
		o := Options{Scheduler: "fair", Files: Files{YarnSite: on, "fair-scheduler.xml": {Name: "f.xml", Text: []byte(texts[0])}}}
		for i, text := range texts[1:] {
			o.Reloads = append(o.Reloads, Reload{AtMS: int64(1000 * (i + 1)), File: File{Name: "later.xml", Text: []byte(text)}})
		}
		return o
	}
	for _, tt := range []struct {
		name string
		o    Options
		want bool
		said bool
	}{
		{name: "no timeout", o: fair(bare), said: true},
		{name: "of a queue", o: fair(of), want: true},
		{name: "of a minimum share", o: fair(least), want: true},
		{name: "by default", o: fair(fallback), want: true},
		{name: "later", o: fair(bare, bare, of), want: true},
		{name: "never", o: fair(bare, bare), said: true},
		{name: "without a file, where timeouts are below zero", o: Options{Scheduler: "fair", Files: Files{YarnSite: on}}, want: true},
		{name: "capacity", o: Options{Scheduler: "capacity", Files: Files{YarnSite: on}}},
		{name: "fifo", o: Options{Scheduler: "fifo", Files: Files{YarnSite: on}}},
		{name: "ideal", o: Options{Scheduler: "ideal", Files: Files{YarnSite: on}}},
	} {
		sc := resolve(t, Input{}, tt.o)
		if sc.Site.Preemption != tt.want {
			t.Errorf("%s: containers may be preempted: %v, want %v", tt.name, sc.Site.Preemption, tt.want)
		}
		said := false
		for _, w := range sc.Warnings {
			said = said || w.Code == "preemption" && strings.Contains(w.Text, "in f.xml no queue has a minSharePreemptionTimeout or fairSharePreemptionTimeout")
		}
		if said != tt.said {
			t.Errorf("%s: that nothing is preempted is said: %v, in %v", tt.name, said, sc.Warnings)
		}
	}
}

// TestTimeoutsWithoutPreemption: timeouts of an allocation file without the key that switches preemption on are said to do nothing, with where the key stands.
func TestTimeoutsWithoutPreemption(t *testing.T) {
	const timeout = `<allocations><queue name="a"><fairSharePreemptionTimeout>7</fairSharePreemptionTimeout></queue></allocations>`
	bare := File{Name: "f.xml", Text: []byte(`<allocations><queue name="a"/></allocations>`)}
	off := Files{YarnSite: {Name: "y.xml", Text: site(keyPreemption, "false")}, "fair-scheduler.xml": {Name: "f.xml", Text: []byte(timeout)}}
	const nothing = " has timeouts of preemption, but nothing is preempted, as in YARN: yarn.scheduler.fair.preemption is false, "
	for _, tt := range []struct {
		name, want string
		o          Options
	}{
		{"nobody switches it on", "f.xml" + nothing + "its default; --yarn-site FILE, or --conf yarn.scheduler.fair.preemption=true, switches it on", Options{Files: Files{"fair-scheduler.xml": off["fair-scheduler.xml"]}}},
		{"a file switches it off", "f.xml" + nothing + "by y.xml: line 2", Options{Scheduler: "fair", Files: off}},
		{"a single key does", "f.xml" + nothing + "by --conf", Options{Files: Files{"fair-scheduler.xml": off["fair-scheduler.xml"]}, Conf: map[string]string{keyPreemption: "false"}}},
		{"it is on", "", Options{Files: Files{"fair-scheduler.xml": off["fair-scheduler.xml"]}, Conf: map[string]string{keyPreemption: "true"}}},
		{"of a later file", "later.xml" + nothing + "its default; --yarn-site FILE, or --conf yarn.scheduler.fair.preemption=true, switches it on",
			Options{Files: Files{"fair-scheduler.xml": bare}, Reloads: []Reload{{AtMS: 1, File: bare}, {AtMS: 2, File: File{Name: "later.xml", Text: []byte(timeout)}}}}},
		{"no timeout", "", Options{Files: Files{"fair-scheduler.xml": bare}}},
		{"no file", "", Options{}},
	} {
		if got := remarksOf(t, resolve(t, Input{}, tt.o)); got != tt.want {
			t.Errorf("%s: warnings %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestIdleKeys: keys of the FairScheduler that others keep from deciding are said under it, with their place, and under another scheduler are counted alone.
func TestIdleKeys(t *testing.T) {
	y := Files{YarnSite: {Name: "y.xml", Text: site("yarn.scheduler.fair.locality.threshold.node", "0.5")}}
	want := "y.xml: line 2: yarn.scheduler.fair.locality.threshold.node=0.5: has no effect, as in YARN: yarn.scheduler.fair.locality.threshold.rack is below 0, and nothing waits for a place unless both are 0 or more"
	if got := remarksOf(t, resolve(t, Input{}, Options{Scheduler: "fair", Files: y})); got != want {
		t.Errorf("warnings %q, want %q", got, want)
	}
	want = "y.xml: 1 key that starts with yarn.scheduler.fair. has no effect, the scheduler is fifo"
	if got := remarksOf(t, resolve(t, Input{}, Options{Scheduler: "fifo", Files: y})); got != want {
		t.Errorf("warnings %q, want %q", got, want)
	}
	got := remarksOf(t, resolve(t, Input{}, Options{Conf: map[string]string{"yarn.scheduler.fair.max.assign": "3"}}))
	if want := "--conf: yarn.scheduler.fair.max.assign=3: has no effect, as in YARN: yarn.scheduler.fair.assignmultiple is false"; !strings.HasPrefix(got, want) {
		t.Errorf("warnings %q, want %q", got, want)
	}
}
