package fair

import (
	"testing"

	"replay/policy/resource"
)

// TestVerdictsOfManySizes: of more sizes than there is room for, a survey holds until the usage of the queue changes, and no longer.
func TestVerdictsOfManySizes(t *testing.T) {
	g := newGolden(t, nil, `<queue name="p"><maxResources>204800 mb,200 vcores</maxResources><queue name="q"/></queue>`)
	leaf, parent := g.f.tree.byName["root.p.q"], g.f.tree.byName["root.p"]
	ask := func(sizes int) {
		for i := range sizes {
			size := resource.R(int64(i+1)*1024, 1)
			if !g.f.permits(leaf, &size) {
				t.Fatalf("%v is not permitted by an empty queue", size)
			}
		}
	}
	ask(mostVerdicts)
	if parent.verdicts.changed(parent) || leaf.found.misjudged() {
		t.Error("answers of which all are kept have changed although nothing has")
	}
	ask(mostVerdicts + 1)
	if !parent.verdicts.changed(parent) || !leaf.found.misjudged() {
		t.Error("an answer that is not kept is taken for what it was")
	}
	g.f.survey()
	if leaf.found.judged = nil; parent.verdicts.changed(parent) || len(parent.verdicts.sizes) > 0 {
		t.Error("a survey has not begun with room for sizes")
	}
}
