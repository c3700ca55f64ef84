package workload

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// arrivals says when applications are submitted.
type arrivals struct {
	kind string // "recorded", "poisson", "fixed"
	gap  time.Duration
}

func parseArrivals(s string) (arrivals, error) {
	kind, gap, ok := strings.Cut(s, ":")
	if s == "recorded" {
		return arrivals{kind: s}, nil
	}
	d, err := time.ParseDuration(gap)
	if !ok || err != nil || d < 0 || d.Milliseconds() > 1<<40 || kind != "poisson" && kind != "fixed" {
		return arrivals{}, fmt.Errorf("arrivals is %q, want recorded, poisson:30s or fixed:10s with any duration", s)
	}
	return arrivals{kind, d}, nil
}

// arrival is one application of the trace: which of the spool, which copy of it, and when.
type arrival struct {
	app, copy int
	at        int64
}

// arrivals lays the applications on the time axis. With recorded times all copies of an application
// come at once; otherwise copies follow each other, each in the recorded order of applications.
func (b *Builder) arrivals() []arrival {
	how, _ := parseArrivals(b.Options.Arrivals) // was checked
	order := make([]int, len(b.spool.index))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Compare(b.spool.index[x].submitMS, b.spool.index[y].submitMS)
	})
	var out []arrival
	r, at := stream(b.Options.Seed, "arrivals"), float64(0)
	for c := range b.Options.Copies {
		for _, i := range order {
			switch how.kind {
			case "recorded":
				out = append(out, arrival{i, c, b.spool.index[i].submitMS})
				continue
			case "fixed":
				out = append(out, arrival{i, c, int64(len(out)) * how.gap.Milliseconds()})
			case "poisson":
				out = append(out, arrival{i, c, int64(at)})
				at += r.ExpFloat64() * float64(how.gap.Milliseconds())
			}
			b.Counts.Modelled["submit_times"]++
		}
	}
	slices.SortStableFunc(out, func(x, y arrival) int { return cmp.Compare(x.at, y.at) })
	b.Counts.Modelled["copies"] += int64((b.Options.Copies - 1) * len(order))
	return out
}
