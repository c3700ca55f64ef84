package fair

import (
	"fmt"
	"slices"
	"strings"
	"testing"
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
