package scenario

import (
	"testing"

	"replay/trace"
)

// A change of any text is refused, or read as one that says the same when it is read again.
func FuzzChange(f *testing.F) {
	for _, s := range []string{"without job 3", "keep node host1", "queue root.a without limits", "queue a weight 2.5", "queue a weight NaN", "queue a weight 0x1p-1074", "user ann without limits",
		"container 2 of job 5 on h", "container 2 of job 5 not on h", "container 9223372036854775808 of job 0 on h", " without\tjob  007 ", "without job -1", ""} {
		f.Add(s)
	}
	nodes := func() ([]trace.Node, []trace.NodeEvent) {
		return []trace.Node{{Host: "h"}}, []trace.NodeEvent{{TimeMS: 5, Kind: trace.Leave}}
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseChange(text)
		if err != nil {
			return
		}
		kinds := 0
		for _, is := range []bool{c.without >= 0, c.keep != "", c.queue != "", c.user != "", c.job >= 0} {
			if is {
				kinds++
			}
		}
		if kinds != 1 || c.bar.Container < 0 || c.weight < 0 {
			t.Errorf("%q is %+v", text, c)
		}
		again, err := ParseChange(c.Text)
		if err != nil || again.Text != c.Text || again.Later(9, 4, nodes) != c.Later(9, 4, nodes) {
			t.Errorf("%q is read as %+v and again as %+v, %v", text, c, again, err)
		}
	})
}
