package fair

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"replay/engine/yarn"
	"replay/engine/yarn/conf"
)

// A file of very many queues is read in the time of its lines: children have the order of their names, also after another is
// made by a submission, and after the file is read again.
func TestManyQueues(t *testing.T) {
	var file strings.Builder
	fmt.Fprintln(&file, `<queue name="root"><maxChildResources>vcores=10%,memory-mb=10%</maxChildResources>`)
	const n = 50_000
	for i := range n {
		fmt.Fprintf(&file, "<queue name=\"q%d\"/>\n", i*7919%n)
	}
	file.WriteString("</queue>")
	g := newGolden(t, nil, file.String())
	ordered := func() {
		t.Helper()
		byRank := slices.Clone(g.f.tree.root.children)
		slices.SortFunc(byRank, func(a, b *queue) int { return int(a.Rank) - int(b.Rank) })
		if !slices.IsSortedFunc(byRank, func(a, b *queue) int { return strings.Compare(a.name, b.name) }) || len(byRank) <= n {
			t.Errorf("%d children, not in the order of their names", len(byRank))
		}
	}
	g.node("n1", "/r1", 65536, 64)
	g.appOf("u", 1, "root.q5x")
	ordered()
	if q := g.f.tree.byName["root.q5x"]; q.maxShare[1] != 6 || g.f.tree.byName["root.q5"].maxShare[1] <= 6 {
		t.Errorf("at most %v in a queue that is not declared, want a tenth", q.maxShare)
	}
	if err := g.f.Reload(g.f.alloc); err != nil {
		t.Fatal(err)
	}
	ordered()
}

// A reload that drops the element of root makes it dynamic. YARN's class fails when it is to go; here it stays, and the user is told.
func TestRootStays(t *testing.T) {
	for name, declared := range map[string]string{"with a queue": `<queue name="a"/>`, "alone": ""} {
		t.Run(name, func(t *testing.T) {
			g := newGolden(t, nil, `<queue name="root"/>`)
			g.node("n1", "/r1", 8192, 8)
			var averted []string
			observe := g.f.observe
			g.f.observe = func(e *yarn.Event) {
				observe(e)
				if e.Kind == yarn.Averted {
					averted = append(averted, e.Text)
				}
			}
			next, err := conf.ParseAllocations([]byte("<allocations>"+declared+"</allocations>"), g.f.site)
			if err != nil {
				t.Fatal(err)
			}
			if err := g.f.Reload(next); err != nil {
				t.Fatal(err)
			}
			g.app(1, "root.x")
			g.f.RemoveApp(1)
			for range 3 {
				g.f.Cleanup()
			}
			if len(averted) != 1 || !strings.Contains(averted[0], "root was kept") {
				t.Errorf("told %q, want once that root was kept", averted)
			}
			if g.queue("root.x") != nil || (g.queue("root.a") != nil) != (declared != "") {
				t.Errorf("queues %v", slices.Sorted(maps.Keys(g.f.tree.byName)))
			}
			g.app(2, "root.y")
			g.ask(2, 1, "* x1 1024,1")
			g.f.Update()
			g.wantHB("a2c1", "n1")
		})
	}
}

// What follows from the queues is computed again where some were removed, and where none were it stays.
func TestCleanupOfNothing(t *testing.T) {
	g := newGolden(t, nil, `<queue name="a"/><queue name="b"/>`)
	g.node("n1", "/r1", 8192, 8)
	g.app(1, "root.a")
	g.app(2, "root.x")
	g.f.Cleanup()
	g.f.RemoveApp(2)
	for _, removes := range []bool{true, false} {
		g.f.Update()
		if g.f.Cleanup(); g.f.outdated.all != removes || g.f.UpdateDue() != removes {
			t.Errorf("a clean-up that removes a queue (%v): all is computed again %v, an update is due %v", removes, g.f.outdated.all, g.f.UpdateDue())
		}
	}
	if g.queue("root.x") != nil {
		t.Error("a queue without applications is there")
	}
	next, err := conf.ParseAllocations([]byte(`<allocations><queue name="b"/></allocations>`), g.f.site)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.f.Reload(next); err != nil { // when none was dynamic
		t.Fatal(err)
	}
	g.f.Cleanup()
	g.f.RemoveApp(1)
	if g.f.Cleanup(); g.queue("root.a") != nil || g.queue("root.b") == nil {
		t.Error("a queue that is no longer declared is there, or one that is has gone")
	}
}
