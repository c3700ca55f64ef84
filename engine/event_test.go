package engine

import (
	"cmp"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/scenario"
	"replay/engine/yarn/conf"
	"replay/trace"
)

// TestKindsAreComplete looks at the tables of the engine and of each kind of application behind it.
func TestKindsAreComplete(t *testing.T) {
	for name, make := range applications {
		t.Run(name, func(t *testing.T) { checkRows(t, rowsOf(make(&scenario.Scenario{Site: &conf.Site{}}))) })
	}
}

func checkRows(t *testing.T, rows []kind) {
	t.Helper()
	names := map[string]bool{}
	for k, row := range rows {
		if row.name == "" || row.class == 0 {
			t.Errorf("kind %d has no row", k)
		}
		if names[row.name] {
			t.Errorf("two kinds are called %q", row.name)
		}
		names[row.name] = true
		if k > 0 && k != int(numKinds) && row.class < rows[k-1].class {
			t.Errorf("%s stands behind %s, of a later class", row.name, rows[k-1].name)
		}
	}
	if len(rows) > 1<<kindBits {
		t.Errorf("%d kinds, the order has room for %d", len(rows), 1<<kindBits)
	}
	if total := appBits + kindBits + numberBits; int(classSample)>>(64-total) != 0 {
		t.Errorf("class %d does not fit into %d bits", classSample, 64-total)
	}
}

// TestOrderOfEvents compares packed orders with what they stand for. Two kinds are never equal, so that what was scheduled
// first matters between events of one kind about one thing only.
func TestOrderOfEvents(t *testing.T) {
	rows := rowsOf(applications[trace.KindSpark](&scenario.Scenario{Site: &conf.Site{}}))
	type event struct {
		kind        eventKind
		app, number int64
	}
	draw := func(t *rapid.T, name string) event {
		bound := func(bits int) int64 {
			return rapid.SampledFrom([]int64{0, 1, 2, 1<<bits - 2, 1<<bits - 1}).Draw(t, name)
		}
		return event{eventKind(rapid.IntRange(0, len(rows)-1).Draw(t, name)), bound(appBits), bound(numberBits)}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw(t, "a"), draw(t, "b")
		want := cmp.Or(cmp.Compare(rows[a.kind].class, rows[b.kind].class), cmp.Compare(a.app, b.app), cmp.Compare(a.kind, b.kind), cmp.Compare(a.number, b.number))
		if got := cmp.Compare(order(rows[a.kind].class, a.app, a.kind, a.number), order(rows[b.kind].class, b.app, b.kind, b.number)); got != want {
			t.Fatalf("%+v against %+v: %d, want %d", a, b, got, want)
		}
		if a.kind != b.kind && want == 0 {
			t.Fatalf("kinds %d and %d tie", a.kind, b.kind)
		}
	})
}

func TestOrderHasBounds(t *testing.T) {
	tests := []struct {
		app, number int64
		ok          bool
	}{
		{0, 0, true}, {1<<appBits - 1, 1<<numberBits - 1, true}, {1 << appBits, 0, false}, {0, 1 << numberBits, false}, {-1, 0, false}, {0, -1, false},
	}
	for _, tt := range tests {
		if fits(tt.app, tt.number) != tt.ok {
			t.Errorf("application %d, number %d: fits is %v", tt.app, tt.number, !tt.ok)
		}
	}
}
