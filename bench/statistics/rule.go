package main

import (
	"fmt"

	"replay/report/compare"
	"replay/report/inference"
	"replay/report/metric"
)

// A rule is how many seeds a comparison takes.
type rule struct {
	seeds     int     // given; 0 when the precision decides
	precision float64 // that is asked for
	limit     int
}

// rules are every number of seeds at which a comparison looks, and stopping by the precision that it asks for by itself.
func rules(limit int) (out []rule) {
	limit = min(limit, inference.Limit)
	for n := 0; ; {
		next := inference.Stage(n, limit)
		if next <= n {
			break
		}
		n = next
		out = append(out, rule{seeds: n})
	}
	return append(out, rule{precision: compare.DefaultPrecision, limit: limit})
}

// most is how many seeds the rule takes at most.
func (r rule) most() int { return max(r.seeds, r.limit) }

// compare compares two sides with as many of their replays as the rule takes.
func (r rule) compare(a, b []*metric.Summary) (*compare.Comparison, error) {
	o := compare.Options{Margin: compare.DefaultMargin, Precision: r.precision, Limit: r.limit}
	if r.seeds > 0 {
		return of(a[:r.seeds], b[:r.seeds], o)
	}
	for n := 0; ; {
		n = inference.Stage(n, r.limit)
		c, err := of(a[:n], b[:n], o)
		if err != nil || c.Stop() != "" {
			return c, err
		}
	}
}

func (r rule) String() string {
	if r.seeds > 0 {
		return fmt.Sprint(r.seeds)
	}
	return fmt.Sprintf("until ±%.0f %%, at most %d", 100*r.precision, r.limit)
}
