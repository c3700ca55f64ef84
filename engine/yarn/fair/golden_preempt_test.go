package fair

import (
	"fmt"
	"strings"
	"testing"

	"replay/policy/resource"
)

var preemption = map[string]string{
	"yarn.scheduler.fair.assignmultiple": "true", "yarn.scheduler.fair.dynamic.max.assign": "false",
	"yarn.scheduler.fair.preemption": "true",
}

const preemptAtOnce = `<defaultFairSharePreemptionTimeout>0</defaultFairSharePreemptionTimeout><defaultFairSharePreemptionThreshold>1.0</defaultFairSharePreemptionThreshold>`

func TestG13PreemptionChoice(t *testing.T) {
	g := newGolden(t, preemption, preemptAtOnce)
	g.node("n1", "/r1", 8192, 8)
	g.node("n2", "/r1", 8192, 8)
	g.app(1, "root.a")
	g.ask(1, 1, "* x16 1024,1")
	g.f.Update()
	g.wantHB("a1c1 a1c2 a1c3 a1c4 a1c5 a1c6 a1c7 a1c8, a1c9 a1c10 a1c11 a1c12 a1c13 a1c14 a1c15 a1c16", "n1", "n2")
	for host, want := range map[string]string{"n2": "13 12 15 14 9 11 10 16", "n1": "8 5 4 7 6 1 3 2"} {
		var order []string
		for _, c := range g.f.cluster.Node(g.host(host)).PreemptionOrder() {
			order = append(order, fmt.Sprint(c.ID.N))
		}
		if got := strings.Join(order, " "); got != want {
			t.Errorf("candidates on %s are %s, want %s", host, got, want)
		}
	}
	g.app(2, "root.b")
	g.ask(2, 1, "* x3 1024,1")
	g.f.SetClock(3000)
	g.f.Update()
	a := g.f.attempt(2)
	g.wantShare("starvation", a.starvation(), resource.R(3072, 0))
	g.f.Preempt()
	if got := strings.Join(g.marks, "; "); got != "a2: a1c13 a1c12 a1c15" {
		t.Errorf("chosen %s", got)
	}
	if at, ok := g.f.NextKill(); !ok || at != 18000 {
		t.Errorf("kill at %d, want 15 s later", at)
	}
	if a.nextCheck != 28000 {
		t.Errorf("next check at %d, want 25 s later", a.nextCheck)
	}
}

func TestG20PreemptionOrderAndHandOver(t *testing.T) {
	g := newGolden(t, preemption, preemptAtOnce)
	g.node("n1", "/r1", 8192, 8)
	g.app(1, "root.a")
	g.ask(1, 1, "* x20 1024,1")
	g.f.Update()
	g.hb("n1")
	g.app(2, "root.b")
	g.ask(2, 1, "* x4 1024,1")
	g.app(3, "root.c")
	g.ask(3, 1, "* x1 1024,1")
	g.f.SetClock(3000)
	g.f.Update()
	for _, q := range []string{"root.a", "root.b", "root.c"} {
		g.wantShare(q, g.queue(q).fair, resource.R(2731, 0))
	}
	g.wantShare("starvation of app 2", g.f.attempt(2).starvation(), resource.R(2731, 0))
	g.wantShare("starvation of app 3", g.f.attempt(3).starvation(), resource.R(1024, 0))
	g.f.Preempt()
	if got := strings.Join(g.marks, "; "); got != "a3: a1c8; a2: a1c5 a1c4" {
		t.Errorf("chosen %s", got)
	}
	n := g.f.node(0)
	g.wantShare("held back", n.reserved(), resource.R(3072, 3))
	g.kill(1, 8)
	g.wantHB("a3c1", "n1")
	g.wantShare("held back", n.reserved(), resource.R(2048, 2))
	g.kill(1, 5)
	g.kill(1, 4)
	g.wantHB("a2c1 a2c2", "n1")
	g.wantShare("held back", n.reserved(), resource.Resource{})
}
