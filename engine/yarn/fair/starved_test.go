package fair

import (
	"fmt"
	"testing"

	"replay/engine/protocol"
	"replay/policy/resource"
)

// What a leaf lacks of its minimum share is laid on its applications in their order, beside what each lacks of its fair share.
//
// Source: FSLeafQueue.updateStarvedAppsMinShare.
func TestMinimumShareOfALeaf(t *testing.T) {
	const queues = `<queue name="q"><minResources>4096 mb,0 vcores</minResources><minSharePreemptionTimeout>5</minSharePreemptionTimeout></queue>`
	tests := []struct {
		name    string
		used    bool       // by others: the whole node
		demands []int64    // of the leaf's applications, containers of 1 GiB
		at      int64      // ms behind the submission
		want    [2][]int64 // MiB that each lacks of the minimum, and whether it is preempted for
	}{
		{"nothing asked for", true, []int64{0, 0}, 6000, [2][]int64{{0, 0}, {0, 0}}},
		{"before the timeout", true, []int64{2, 2}, 4999, [2][]int64{{0, 0}, {0, 0}}},
		{"at the timeout", true, []int64{2, 2}, 5000, [2][]int64{{2048, 2048}, {1, 1}}},
		{"the first asks for less than the minimum", true, []int64{1, 2}, 6000, [2][]int64{{1024, 2048}, {1, 1}}},
		{"the last of them asks for more: YARN records what is beyond the minimum", true, []int64{1, 8}, 6000, [2][]int64{{1024, 5120}, {1, 1}}},
		{"and nothing is left behind it", true, []int64{1, 8, 2}, 6000, [2][]int64{{1024, 5120, 0}, {1, 1, 0}}},
		{"nothing is left for the others", true, []int64{4, 3, 2}, 6000, [2][]int64{{4096, 0, 0}, {1, 0, 0}}},
		{"the cluster is free", false, []int64{2, 2}, 6000, [2][]int64{{0, 0}, {0, 0}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGolden(t, preemption, queues)
			g.node("n1", "/r1", 8192, 8)
			if tt.used {
				g.app(9, "root.other")
				g.ask(9, 1, "* x8 1024,1")
				g.f.Update()
				g.hb("n1")
				g.f.Update()
			}
			for i, n := range tt.demands {
				g.app(protocol.AppID(i+1), "root.q")
				g.ask(protocol.AppID(i+1), 1, fmt.Sprintf("* x%d 1024,1", n))
			}
			g.f.SetClock(2000 + 100)
			g.f.Update()
			g.f.SetClock(2000 + tt.at)
			g.f.Update()
			starving := map[*app]int64{}
			for a := g.f.starving.take(); a != nil; a = g.f.starving.take() {
				starving[a]++
			}
			for i := range tt.demands {
				a := g.f.attempt(protocol.AppID(i + 1))
				if got := a.minStarvation[resource.Memory]; got != tt.want[0][i] || starving[a] != tt.want[1][i] {
					t.Errorf("application %d lacks %d MiB and is preempted for %d times, want %d and %d", i+1, got, starving[a], tt.want[0][i], tt.want[1][i])
				}
			}
		})
	}
}

// An application that lacks both of its fair share and of the queue's minimum is preempted for once.
func TestStarvedTwice(t *testing.T) {
	g := newGolden(t, preemption, preemptAtOnce+`<queue name="q"><minResources>6144 mb,0 vcores</minResources><minSharePreemptionTimeout>0</minSharePreemptionTimeout></queue>`)
	g.node("n1", "/r1", 8192, 8)
	g.app(9, "root.other")
	g.ask(9, 1, "* x8 1024,1")
	g.f.Update()
	g.hb("n1")
	g.app(1, "root.q")
	g.ask(1, 1, "* x8 1024,1")
	g.f.SetClock(3000)
	g.f.Update()
	g.f.SetClock(4000)
	g.f.Update()
	times := 0
	for a := g.f.starving.take(); a != nil; a = g.f.starving.take() {
		times++
	}
	if times != 1 {
		t.Errorf("it is preempted for %d times, want once", times)
	}
}

// Without preemption nobody starves.
func TestStarvationWithoutPreemption(t *testing.T) {
	for _, on := range []string{"true", "false"} {
		g := newGolden(t, map[string]string{"yarn.scheduler.fair.assignmultiple": "true", "yarn.scheduler.fair.dynamic.max.assign": "false", "yarn.scheduler.fair.preemption": on}, preemptAtOnce)
		g.node("n1", "/r1", 8192, 8)
		g.app(1, "root.a")
		g.ask(1, 1, "* x8 1024,1")
		g.f.Update()
		g.hb("n1")
		g.app(2, "root.b")
		g.ask(2, 1, "* x8 1024,1")
		g.f.SetClock(3000)
		g.f.Update()
		if starved := !g.f.attempt(2).starvation().IsNone(); fmt.Sprint(starved) != on {
			t.Errorf("preemption %s: starved %v", on, starved)
		}
	}
}

// Containers are preempted for as many of an ask as the starvation covers. What is covered in part may be anywhere.
//
// Source: FSAppAttempt.getStarvedResourceRequests.
func TestStarvedAsks(t *testing.T) {
	for starvation, want := range map[int64]string{
		1023: "[]", 1024: "[1 true]", 2047: "[1 true]", 2048: "[2 false]", 3071: "[2 false]", 3072: "[2 false 1 true]", 9000: "[2 false 1 true]",
	} {
		g := newGolden(t, preemption, "")
		g.fourNodes()
		g.app(1, "root.q")
		g.ask(1, 1, "* x1 1024,2")
		g.ask(1, 2, "* x2 1024,1 strict") // which comes first
		a := g.f.attempt(1)
		a.fairStarvation = resource.R(starvation, 0)
		var got []any
		for _, s := range g.f.starvedAsks(a) {
			got = append(got, s.count, s.relax)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%d MiB: count and relax %v, want %s", starvation, got, want)
		}
	}
}

// A scheduler that recovers waits before it gives anything, so that nodes can say what runs.
//
// Source: FairScheduler.attemptScheduling (yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms).
func TestWaitBehindRecovery(t *testing.T) {
	const started = 1 // the ResourceManager
	for _, tt := range []struct {
		name string
		site map[string]string
		at   int64
		want string
	}{
		{"too early", map[string]string{"yarn.resourcemanager.work-preserving-recovery.enabled": "true"}, started + 10_000, "-"},
		{"over", map[string]string{"yarn.resourcemanager.work-preserving-recovery.enabled": "true"}, started + 10_001, "a1c1"},
		{"a wait of its own", map[string]string{"yarn.resourcemanager.work-preserving-recovery.enabled": "true", "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms": "50000"},
			started + 50_000, "-"},
		{"no recovery", nil, started + 2000, "a1c1"},
	} {
		g := newGolden(t, tt.site, "")
		g.node("n1", "/r1", 8192, 8)
		g.app(1, "root.q")
		g.ask(1, 1, "* x1 1024,1")
		g.f.SetClock(tt.at)
		g.f.Update()
		if got := g.hb("n1"); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// yarn.scheduler.fair.max.assign bounds what one heartbeat assigns; 0 and less are no bound.
func TestMostAssignmentsOfAHeartbeat(t *testing.T) {
	for most, want := range map[string]string{"-1": "a1c1 a1c2 a1c3 a1c4", "0": "a1c1 a1c2 a1c3 a1c4", "1": "a1c1", "3": "a1c1 a1c2 a1c3"} {
		site := map[string]string{"yarn.scheduler.fair.assignmultiple": "true", "yarn.scheduler.fair.dynamic.max.assign": "false", "yarn.scheduler.fair.max.assign": most}
		g := newGolden(t, site, "")
		g.node("n1", "/r1", 8192, 8)
		g.app(1, "root.q")
		g.ask(1, 1, "* x4 1024,1")
		g.f.Update()
		if got := g.hb("n1"); got != want {
			t.Errorf("max.assign %s: %s, want %s", most, got, want)
		}
	}
}
