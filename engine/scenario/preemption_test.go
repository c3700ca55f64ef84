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
