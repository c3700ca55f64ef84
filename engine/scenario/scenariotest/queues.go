package scenariotest

import (
	"fmt"
	"strings"
)

// allocations makes an allocation file of the FairScheduler for the queues.
func (m *maker) allocations() string {
	var b strings.Builder
	some := func(name, format string, value int64) {
		if m.chance(3) {
			fmt.Fprintf(&b, "<%s>"+format+"</%s>", name, value, name)
		}
	}
	queue := func(name string) {
		fmt.Fprintf(&b, "<queue name=%q>", name)
		some("weight", "%d", m.between(1, 5))
		some("minResources", "%d mb,2 vcores", 1024*m.between(1, 20))
		some("maxResources", "%d mb,9 vcores", 2048*m.between(1, 12))
		some("maxRunningApps", "%d", m.between(1, 3))
		some("maxAMShare", "0.%d", m.between(1, 9))
		if m.chance(3) {
			fmt.Fprintf(&b, "<schedulingPolicy>%s</schedulingPolicy>", m.pick("fair", "drf", "fifo"))
		}
		some("fairSharePreemptionTimeout", "%d", m.between(1, 9))
		b.WriteString("</queue>")
	}
	b.WriteString("<allocations>")
	queue("a")
	queue("b")
	b.WriteString(`<queue name="c" type="parent">`)
	some("maxResources", "%d mb,9 vcores", 2048*m.between(1, 12))
	queue("x")
	queue("y")
	b.WriteString("</queue></allocations>")
	return b.String()
}

// capacities makes a file of the CapacityScheduler for the queues.
func (m *maker) capacities() string {
	var p Properties
	set := func(key string, value any) { p.Set("yarn.scheduler.capacity."+key, value) }
	set("root.queues", "a,b,c")
	set("root.c.queues", "x,y")
	split := func(parent string, names ...string) {
		left := int64(100)
		for i, name := range names {
			part := left
			if i < len(names)-1 {
				part = m.between(1, left-int64(len(names)-i-1))
			}
			left -= part
			set(parent+"."+name+".capacity", part)
			if m.chance(2) {
				set(parent+"."+name+".maximum-capacity", max(part, 60))
			}
			set(parent+"."+name+".user-limit-factor", m.between(1, 4))
		}
	}
	split("root", "a", "b", "c")
	split("root.c", "x", "y")
	set("maximum-am-resource-percent", fmt.Sprintf("0.%d", m.between(2, 9)))
	set("node-locality-delay", m.IntN(60))
	set("per-node-heartbeat.multiple-assignments-enabled", m.chance(2))
	if m.chance(2) {
		set("resource-calculator", "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator")
	}
	return p.Text()
}

// Properties are a configuration file of Hadoop.
type Properties struct{ list strings.Builder }

// Set adds a key with its value.
func (p *Properties) Set(key string, value any) {
	fmt.Fprintf(&p.list, "<property><name>%s</name><value>%v</value></property>", key, value)
}

// Text is the text of the file.
func (p *Properties) Text() string { return "<configuration>" + p.list.String() + "</configuration>" }
