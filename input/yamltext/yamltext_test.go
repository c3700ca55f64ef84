package yamltext

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// Small files that would take all memory or minutes are refused by their line, whatever they nest by; what people write is read.
func TestBounds(t *testing.T) {
	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "k%d: v\n", i)
		}
		return b.String()
	}
	indented := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return b.String()
	}
	long := strings.Repeat("k", 1<<18)
	for _, tt := range []struct {
		name, text string
		want       string // "" for none
	}{
		{"brackets", "a: 1\nb:\n  " + strings.Repeat("[", 20_000), "line 3: is nested too deep"},
		{"braces", strings.Repeat("{a: ", 20_000), "line 1: is nested too deep"},
		{"both", "x:\n- " + strings.Repeat("[{a: ", 20_000), "line 2: is nested too deep"},
		{"dashes", strings.Repeat("- ", 20_000), "line 1: is nested too deep"},
		{"questions", strings.Repeat("? ", 20_000), "line 1: is nested too deep"},
		{"indentation", indented(500), "line 33: is nested too deep"},
		{"below a long key", long + ": [" + strings.Repeat("1,", 1<<18) + "]", "line 1: has more than 32 MiB in the keys above"},
		{"below a long key, in lines", long + ":\n" + strings.Repeat("- 1\n", 1<<16), "has more than 32 MiB in the keys above"},
		{"below a long key in braces", "{" + long + ": [" + strings.Repeat("1,", 1<<18) + "]}", "line 1: has more than 32 MiB in the keys above"},
		{"keys", keys(10_001), "line 10001: has more than 10000 keys"},
		{"bytes", strings.Repeat("#\n", 1<<20), "has 2097152 bytes, want at most 1048576"},
		{"closed more often than opened", "a: ]]]]\n", "line 1: "},
		{"two documents", "a: 1\n---\nb: 1\n", "has 2 documents, want one with nothing"},
		{"nothing", "", "is empty, want nothing"},
		{"as many keys as may be", keys(10_000), ""},
		{"as many levels as may be", strings.Repeat("[", 31) + "x" + strings.Repeat("]", 31), ""},
		{"many of a level", "a:\n" + strings.Repeat("- [b, [c, d], {e: f, g: h}] # as above\n", 4000), ""},
		{"one after the other", "a: [" + strings.Repeat("[x], ", 50_000) + "]\n", ""},
		{"many lines", "a:\n" + strings.Repeat("  - folder/of/a/trace\n", 40_000), ""},
		{"texts", "a: |\n" + strings.Repeat("  [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n", 9) + "b: '" + strings.Repeat("[", 99) + "'\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Parse([]byte(tt.text), "nothing")
			runtime.ReadMemStats(&after)
			if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 1200 {
				t.Errorf("%d bytes took %d MiB", len(tt.text), took)
			}
			if got := fmt.Sprint(err); err == nil && tt.want != "" || err != nil && (tt.want == "" || !strings.Contains(got, tt.want)) {
				t.Errorf("%.200s, want %q", got, tt.want)
			}
		})
	}
}
