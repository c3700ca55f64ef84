package model

import "testing"

// Parameters and failures of any text are refused, or read; what they are said to be is read as the same.
func FuzzParameters(f *testing.F) {
	for _, s := range []string{"failures.shape=0.7", "failures.shape=NaN", "maintenance.share=1e-4", "arrivals.hours=1,2,3", "teams.users=5", "depth3=1:1,2:2", "=", "x=1", "none", "weibull,racks,spot", "exponential,weibull",
		"racks,racks", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var (
			p        Parameters
			failures = DefaultFailures()
			arrivals Arrivals
			shapes   Shapes
			classes  Classes
			files    Popularity
			machines Machines
			teams    Teams
		)
		arrivals.Parameters(&p)
		shapes.Parameters(&p)
		classes.Parameters(&p)
		files.Parameters(&p)
		machines.Parameters(&p)
		teams.Parameters(&p)
		failures.Parameters(&p)
		if err := p.Set(text); err == nil {
			for i := range p.All {
				q := &p.All[i]
				said := q.Text()
				if len(text) <= len(q.Name) || text[:len(q.Name)+1] != q.Name+"=" {
					continue
				}
				if err := p.Set(q.Name + "=" + said); err != nil || q.Text() != said {
					t.Errorf("%q makes %s %q, which is read as %q, %v", text, q.Name, said, q.Text(), err)
				}
			}
		}
		if err := failures.Take(text); err == nil {
			words := failures.Words()
			if err := failures.Take(words); err != nil || failures.Words() != words {
				t.Errorf("failures %q are %q, and these %q, %v", text, words, failures.Words(), err)
			}
		}
	})
}
