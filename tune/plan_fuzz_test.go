package tune

import "testing"

// Goals and limits of any text are refused, or read; a goal is read again as the same.
func FuzzGoal(f *testing.F) {
	for _, s := range [][2]string{{"least p95(wait, queue=etl)", "others <= +5%"}, {"most mean(locality)", "p95(wait) < 30s"}, {"least wait", "others"}, {"least  x", "othersx < 1"}, {"most (", "others <= 5"}, {"", ""}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, goal, limit string) {
		g, err := parseGoal(goal)
		if err != nil {
			return
		}
		if again, err := parseGoal(g.Text); err != nil || again.Text != g.Text || again.Least != g.Least || again.plain != g.plain {
			t.Errorf("%q is read as %+v and again as %+v, %v", goal, g, again, err)
		}
		l, err := g.parseLimit(limit)
		if err != nil {
			return
		}
		if again, err := g.parseLimit(l.Text); err != nil || l.Target == nil || again.Others != l.Others || again.Target.Text != l.Target.Text {
			t.Errorf("%q beside %q is read as %+v and again as %+v, %v", limit, goal, l, again, err)
		}
	})
}
