package workload

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"replay/duration"
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
	d, err := duration.Parse(gap)
	if !ok || err != nil || d < 0 || kind != "poisson" && kind != "fixed" {
		return arrivals{}, fmt.Errorf("--arrivals is %q, want recorded, poisson:30s or fixed:10s, with a time of 0 to %dd", s, duration.Most/(24*time.Hour))
	}
	return arrivals{kind, d}, nil
}

// arrival is one application of the trace, which copy of it, and when.
type arrival struct {
	*spooled
	copy int
	at   int64
}

// arrivals lays the applications on the time axis, as often as one asks. With recorded times all copies of an application
// come at once; otherwise copies follow each other, each in the recorded order of applications. An error ends them.
func (b *Builder) arrivals() iter.Seq2[arrival, error] {
	how, _ := parseArrivals(b.Options.Arrivals) // was checked
	return func(yield func(arrival, error) bool) {
		if how.kind == "recorded" {
			b.recordedArrivals(yield)
			return
		}
		r, at, n := stream(b.Options.Seed, "arrivals"), float64(0), int64(0)
		for c := range b.Options.Copies {
			for s, err := range b.spool.index.rows() {
				if err != nil {
					yield(arrival{}, err)
					return
				}
				x := arrival{s, c, int64(at)}
				if how.kind == "fixed" {
					x.at = n * how.gap.Milliseconds()
				}
				n++
				at += float64(r.ExpFloat64() * float64(how.gap.Milliseconds()))
				if !yield(x, nil) {
					return
				}
			}
		}
	}
}

// recordedArrivals has all applications of one time once for each copy.
func (b *Builder) recordedArrivals(yield func(arrival, error) bool) {
	var same []*spooled
	flush := func() bool {
		for c := range b.Options.Copies {
			for _, s := range same {
				if !yield(arrival{s, c, s.submitMS}, nil) {
					return false
				}
			}
		}
		same = same[:0]
		return true
	}
	for s, err := range b.spool.index.rows() {
		if err != nil {
			yield(arrival{}, err)
			return
		}
		if b.Options.Copies == 1 {
			if !yield(arrival{s, 0, s.submitMS}, nil) {
				return
			}
			continue
		}
		if len(same) > 0 && same[0].submitMS != s.submitMS && !flush() {
			return
		}
		same = append(same, s)
	}
	flush()
}

// countArrivals counts what arrivals make up.
func (b *Builder) countArrivals() {
	n := int64(b.spool.index.len())
	b.Counts.Modelled["copies"] += int64(b.Options.Copies-1) * n
	if b.Options.Arrivals != "recorded" {
		b.Counts.Modelled["submit_times"] += int64(b.Options.Copies) * n
	}
}
