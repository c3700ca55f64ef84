package workload

import (
	"fmt"
	"slices"
	"testing"
)

// Of applications that are submitted at one time those come first after whose end others are, whatever they are called and however long the chain is;
// all else stays in the order of ids, a circle is broken and counted, and each copy has its own.
func TestOthersFirst(t *testing.T) {
	var apps []*Application
	add := func(id string, at int64, after ...string) {
		a := sample(id, at)
		a.DependsOn = after
		apps = append(apps, a)
	}
	add("10", 0, "9")
	add("9", 0, "8")
	add("8", 0)
	add("1", 0)
	add("p", 5, "q")
	add("q", 5, "p")
	add("self", 5, "self")
	add("z", 7, "8")
	add("a", 9)
	add("early", 6, "a") // submitted before it
	for _, arrivals := range []string{"recorded", "fixed:1s"} {
		for _, copies := range []int{1, 2} {
			res, m := made(t, of(apps...), func(o *Options) { o.Copies, o.Arrivals = copies, arrivals })
			var got []string
			for _, j := range m.JobList {
				got = append(got, fmt.Sprint(j.ExternalID, j.DependsOn))
				for _, on := range j.DependsOn {
					if on >= j.ID {
						t.Errorf("job %d waits for %d", j.ID, on)
					}
				}
			}
			if copies == 1 {
				if want := []string{"1[]", "8[]", "9[1]", "10[2]", "q[]", "p[4]", "self[]", "early[]", "z[1]", "a[]"}; !slices.Equal(got, want) {
					t.Errorf("%s: jobs are %v, want %v", arrivals, got, want)
				}
			}
			if n := res.Counts.Dropped["dependencies_on_no_earlier_application"]; n != int64(3*copies) {
				t.Errorf("%s, %d copies: %d dependencies dropped, want 3 of each", arrivals, copies, n)
			}
		}
	}

	apps = apps[:0]
	const n = 20_000
	for i := range n {
		add(fmt.Sprint(n-i), 0, fmt.Sprint(n-i+1)) // backwards by id, but for those with more digits
	}
	res, m := made(t, of(apps...), nil)
	for i, j := range m.JobList {
		if want := fmt.Sprint(n - i); j.ExternalID != want || len(j.DependsOn) != min(i, 1) {
			t.Fatalf("job %d is %s after %v, want %s after the one before", i, j.ExternalID, j.DependsOn, want)
		}
	}
	if d := res.Counts.Dropped["dependencies_on_no_earlier_application"]; d != 1 {
		t.Errorf("%d dependencies dropped, want that of the first", d)
	}
}
