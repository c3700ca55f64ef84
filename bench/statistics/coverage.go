package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"

	"replay/engine/scenario"
	"replay/outdir"
	"replay/report/compare"
	"replay/report/inference"
	"replay/report/metric"
	"replay/report/quantity"
	"replay/trace/synth"
)

// tableHead is the head of a table of [tallies], with what its first column counts.
const tableHead = "| %s | metric | intervals that hold the truth | of | none: equal in every one | none: differs too rarely | |\n|---|---|---|---|---|---|---|\n"

// mostSeen is how many seeds of a trace a comparison may have; the truth is known from those after them.
const mostSeen = 14

// leastCoverage is how often the intervals of each headline metric must hold the true difference.
const leastCoverage = 0.93

// A world is a population of generated traces and two variants that differ on them.
type world struct {
	name   string
	preset string
	with   synth.Options
	other  func(*scenario.Options)
	seed   uint64 // before that of the first trace
}

// worlds are what a user may have: contended short jobs, a full cluster, and queries of which most find the cluster free, so that
// most of their traces differ little and a few much.
var worlds = []world{
	{name: "short jobs, placement naive", preset: "uniform-micro", with: synth.Options{Jobs: 15, Nodes: 4, Load: 0.8},
		other: func(o *scenario.Options) { o.Placement = "naive" }},
	{name: "queries on a full cluster, sharing drf", preset: "tpch-mixed", with: synth.Options{Jobs: 10, Nodes: 4},
		other: func(o *scenario.Options) { o.Sharing = "drf" }},
	{name: "queries, no waiting for locality", preset: "tpch-decima", with: synth.Options{Jobs: 8, Nodes: 4, Racks: 2, Load: 0.6},
		other: func(o *scenario.Options) { o.Conf["spark.locality.wait"] = "0s" }},
}

// A sampled is one trace of a world, replayed under both variants with some seeds.
type sampled struct{ a, b pool }

// sample generates n traces of a world, replays them, and gives them to each, one after the other: many seeds of many traces have no room at once.
func (wd *world) sample(ctx context.Context, n, seeds int, each func(sampled) error) error {
	p, err := synth.Find(wd.preset)
	if err != nil {
		return err
	}
	dir, err := outdir.Scratch("replay-statistics")
	if err != nil {
		return err
	}
	defer dir.Abort()
	for i := range n {
		o := wd.with
		o.Seed = wd.seed + uint64(i+1)
		at := dir.Path(fmt.Sprint(i))
		if _, err := synth.Generate(ctx, at, p, o); err != nil {
			return err
		}
		a, b := scenario.DefaultOptions().Clone(), scenario.DefaultOptions().Clone()
		wd.other(&b)
		var s sampled
		if s.a, err = replayed(ctx, at, a, seeds); err != nil {
			return err
		}
		if s.b, err = replayed(ctx, at, b, seeds); err != nil {
			return err
		}
		if err := os.RemoveAll(at); err != nil {
			return err
		}
		if err := each(s); err != nil {
			return err
		}
	}
	return nil
}

// A tally counts, for one metric, how many intervals hold the truth, and how many comparisons claim none: because the metric was equal in every unit, or differed in
// too few of them.
type tally struct{ held, of, equal, rare int }

func (t tally) share() float64 { return float64(t.held) / float64(t.of) }

// tallies are tallies by headline metric.
type tallies map[string]*tally

// count adds the headline intervals of a comparison, each against its true difference.
func (ts tallies) count(c *compare.Comparison, truth func(name string) float64) {
	for i := range c.Rows {
		row := &c.Rows[i]
		cell := &row.Cells[1]
		equal := cell.Finding == compare.Equal
		if row.Family != quantity.Headline || math.IsNaN(cell.Half) && !equal && cell.Rare == 0 {
			continue
		}
		t := ts[row.Name]
		if t == nil {
			t = &tally{}
			ts[row.Name] = t
		}
		switch {
		case equal:
			t.equal++
			continue
		case cell.Rare > 0:
			t.rare++
			continue
		}
		if d := truth(row.Name); !math.IsNaN(d) {
			t.of++
			if math.Abs(d-cell.Difference) <= float64(cell.Half*(1+1e-9))+float64(1e-9*math.Abs(d)) {
				t.held++
			}
		}
	}
}

// write writes a row for each metric, and reports whether all of them are held as often as promised.
func (ts tallies) write(w io.Writer, about string) bool {
	all := true
	for _, m := range slices.Sorted(maps.Keys(ts)) {
		t := ts[m]
		if t.of == 0 {
			fmt.Fprintf(w, "| %s | %s | | 0 | %d | %d | no claim |\n", about, m, t.equal, t.rare)
			continue
		}
		kept := t.share() >= leastCoverage
		all = all && kept
		fmt.Fprintf(w, "| %s | %s | %.1f %% | %d | %d | %d | %s |\n", about, m, 100*t.share(), t.of, t.equal, t.rare, mark(kept))
	}
	return all
}

// meanDifference is the mean of b less a of a metric over the replays of both; NaN when one of them has none.
func meanDifference(a, b []*metric.Summary, name string) float64 {
	sum := 0.0
	for k := range a {
		x, ok := a[k].Value(name)
		y, ok2 := b[k].Value(name)
		if !ok || !ok2 {
			return math.NaN()
		}
		sum += y.Number - x.Number
	}
	return sum / float64(len(a))
}

// coverage asks for each generated trace whether the intervals of a comparison with few seeds hold the difference that many other
// seeds have in the mean.
func coverage(ctx context.Context, e effort, w io.Writer) (bool, error) {
	fmt.Fprintf(w, "## Coverage for one trace\n\n%d generated traces; the true difference is the mean over %d seeds that the comparison does not have. At least %.0f %% of the intervals must hold it. A metric that is equal in every seed, or differs in one or two of them alone, has no interval; how often is said.\n\n",
		e.generated, e.truth, 100*leastCoverage)
	fmt.Fprintf(w, tableHead, "seeds")
	ofRule := []rule{{seeds: inference.Fewest}, {precision: compare.DefaultPrecision, limit: mostSeen}}
	counts := []tallies{{}, {}}
	for i := range e.worlds {
		worlds := len(e.worlds)
		err := e.worlds[i].sample(ctx, e.generated*(i+1)/worlds-e.generated*i/worlds, e.truth+mostSeen, func(s sampled) error {
			for r, rule := range ofRule {
				c, err := rule.compare(s.a[:mostSeen], s.b[:mostSeen])
				if err != nil {
					return err
				}
				counts[r].count(c, func(name string) float64 { return meanDifference(s.a[mostSeen:], s.b[mostSeen:], name) })
			}
			return nil
		})
		if err != nil {
			return false, err
		}
	}
	all := true
	for r, rule := range ofRule {
		all = counts[r].write(w, rule.String()) && all
	}
	fmt.Fprintln(w)
	return all, nil
}

// workloadCoverage asks whether the intervals of comparisons over a few traces hold the difference that all traces of their
// world have in the mean.
func workloadCoverage(ctx context.Context, e effort, w io.Writer) (bool, error) {
	fmt.Fprintf(w, "## Coverage for workloads like some traces\n\n%d comparisons a number of traces, drawn from %d generated traces of each of %d worlds, with one seed a trace; the true difference is the mean over all traces of the world. At least %.0f %% of the intervals must hold it.\n\n",
		e.draws, e.generated, len(e.worlds), 100*leastCoverage)
	fmt.Fprintf(w, tableHead, "traces")
	numbers := []int{5, 8, 12}
	counts := map[int]tallies{5: {}, 8: {}, 12: {}}
	for i := range e.worlds {
		var a, b pool
		err := e.worlds[i].sample(ctx, e.generated, 1, func(s sampled) error {
			a, b = append(a, s.a...), append(b, s.b...)
			return nil
		})
		if err != nil {
			return false, err
		}
		rng := stream("workloads " + e.worlds[i].name)
		for _, n := range numbers {
			for range e.draws / len(e.worlds) {
				places := drawn(rng, len(a), n)
				c, err := of(a.at(places), b.at(places), compare.Options{Unit: inference.Trace, Margin: compare.DefaultMargin})
				if err != nil {
					return false, err
				}
				counts[n].count(c, func(name string) float64 { return meanDifference(a, b, name) })
			}
		}
	}
	all := true
	for _, n := range numbers {
		all = counts[n].write(w, fmt.Sprint(n)) && all
	}
	fmt.Fprintln(w)
	return all, nil
}
