package scenario

import (
	"strings"
	"testing"
)

// Numbers of nodes, and changes of how many there are: shares are rounded, and are a node at least.
func TestParseNodes(t *testing.T) {
	for _, x := range []struct {
		text    string
		of      int64
		want    int
		problem string
	}{
		{"7", 40, 7, ""}, {"010", 40, 10, ""},
		{"-4", 40, 36, ""}, {"+4", 40, 44, ""}, {"+0", 40, 40, ""},
		{"-10%", 40, 36, ""}, {"+10%", 40, 44, ""}, {"-12.5%", 40, 35, ""}, {"-10%", 8, 7, ""}, {"-1%", 8, 7, ""}, {"+1%", 8, 9, ""}, {"+150%", 8, 20, ""},
		{"-8", 8, 0, "want a change that leaves a node; nodes at the start: 8"},
		{"-10%", 1, 0, "want a change that leaves a node; nodes at the start: 1"},
		{"+1000000", 8, 0, "want 1000000 at most with the change; nodes at the start: 8"},
		{"-100%", 8, 0, "want a change that leaves a node"},
		{"90%", 8, 0, "want a change with its sign: -10% for 90 % of the nodes"},
		{"0", 8, 0, "want 1 to 1000000, or a change such as -4, +4, -10% or +10%"},
		{"1000001", 8, 0, "want 1 to 1000000, or"}, {"-1000001", 8, 0, "want 1 to 1000000, or"}, {"", 8, 0, "want 1 to"}, {"4.5", 8, 0, "want 1 to"}, {"+", 8, 0, "want 1 to"}, {"%", 8, 0, "want 1 to"}, {"+nan%", 8, 0, "want 1 to"}, {"+0x1p4%", 8, 0, "want 1 to"},
	} {
		n, by, err := ParseNodes(x.text)
		if err == nil && by != (NodesBy{}) {
			n, err = by.Of(x.of)
		}
		if err != nil && (x.problem == "" || !strings.HasPrefix(err.Error(), x.problem)) || err == nil && (x.problem != "" || n != x.want) {
			t.Errorf("%q of %d nodes: %d (%v), want %d %s", x.text, x.of, n, err, x.want, x.problem)
		}
	}
}
