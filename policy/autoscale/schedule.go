package autoscale

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// schedule has as many nodes as were said for a time: steps.TIME=N, or N+M for primary and secondary ones, from that time of the trace on; with every=24h
// times are of each day, which begins with the trace. Before the first step the cluster is that of the trace.
type schedule struct {
	steps    []step
	every    int64
	patience int64
}

type step struct {
	at   int64
	want Counts
}

func newSchedule(r *Reader, f *Fleet) Autoscaler {
	c := &schedule{every: r.Time("every", "0s", 0, 366*day), patience: r.Time("gracefulDecommissionTimeout", "1h", 0, day)}
	for _, key := range slices.Sorted(maps.Keys(r.settings)) {
		if at, ok := strings.CutPrefix(key, "steps."); ok {
			c.steps = append(c.steps, r.step(key, at, c.every))
		}
	}
	if len(c.steps) == 0 {
		r.Needs("steps.TIME")
	}
	slices.SortFunc(c.steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	for _, s := range c.steps {
		for g, n := range s.want {
			f.Max[g] = max(f.Max[g], n)
		}
	}
	return c
}

func (r *Reader) step(key, time string, every int64) step {
	at, ok := parseTime(time)
	if !ok || at < 0 || every > 0 && at >= every {
		r.Fail(key, "a key steps.TIME with a time such as 8h, within every")
	}
	first, second, both := strings.Cut(r.Text(key, ""), "+")
	primary, err := strconv.ParseUint(strings.TrimSpace(first), 10, 20)
	secondary := uint64(0)
	if both && err == nil {
		secondary, err = strconv.ParseUint(strings.TrimSpace(second), 10, 20)
	}
	if err != nil {
		r.Fail(key, "a number of nodes, or two as PRIMARY+SECONDARY")
	}
	return step{at, Counts{int(primary), int(secondary)}}
}

func (c *schedule) Evaluate(s *Shown) Change {
	at, ch := s.Now, Change{PatienceMS: c.patience}
	if c.every > 0 {
		at %= c.every
	}
	i, found := slices.BinarySearchFunc(c.steps, at, func(s step, at int64) int { return cmp.Compare(s.at, at) })
	if found {
		i++
	}
	if i == 0 {
		if s.Now < c.every || c.every == 0 {
			return Change{}
		}
		i = len(c.steps)
	}
	for g, want := range c.steps[i-1].want {
		ch.Nodes[g] = want - s.Active[g] - s.Coming[g]
	}
	if s.Leaving.All() > 0 && max(ch.Nodes[Primary], ch.Nodes[Secondary]) > 0 {
		return Change{Cancel: true} // what is still missing then comes with the next evaluation
	}
	return ch
}
