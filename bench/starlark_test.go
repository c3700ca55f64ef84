package bench_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"replay/policy/starlark/starlarktest"
)

// TestStarlarkDecidesAlike replays what is pinned with fair and drf in Starlark: every line is the pinned one.
func TestStarlarkDecidesAlike(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "pinned.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		want[name] = rest
	}
	made := starlarktest.InPlace(t, filepath.Join("..", "examples", "policy"))
	covered := 0
	check := func(name string, replay func() string) {
		t.Helper()
		before := made.Load()
		if got := replay(); got != want[name] {
			t.Errorf("%s: in Starlark\n%s, in Go\n%s", name, got, want[name])
		}
		if made.Load() > before {
			covered++
		}
	}
	for _, p := range pinnedCases() {
		check(p.name, func() string {
			in, o := p.make()
			line, _ := replayed(t, in, o)
			return line
		})
	}
	for _, p := range tracesPinned {
		if !testing.Short() || p.name != "contended-logs" {
			check(p.line(), func() string { return p.replayed(t) })
		}
	}
	if covered < len(want)/2 {
		t.Errorf("of %d pinned replays %d look at a sharing policy", len(want), covered)
	}
	t.Logf("%d of %d pinned replays look at a sharing policy, and decide alike", covered, len(want))
}
