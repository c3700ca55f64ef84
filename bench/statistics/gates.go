package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"

	"replay/engine/scenario"
	"replay/report/compare"
	"replay/report/gate"
	"replay/report/inference"
	"replay/report/metric"
	"replay/report/target"
)

// rise is by what part the wait is made longer, and how much of the gates must find it or say that they could not.
const (
	rise     = 0.03
	mostMiss = 0.10
)

// risen is the metric that is made to rise.
const risen = "wait_job_first_task_p95_ms"

// gates asks of `replay gate` how often it fails where nothing changed but chance, and how often it finds a p95 wait that rose by 3 %.
func gates(ctx context.Context, e effort, w io.Writer) (bool, error) {
	const condition = "p95(wait) > +0%"
	fmt.Fprintf(w, "## Gates\n\n%d gates a number, drawn from %d replays, with at most %d seeds each. At most %.0f %% may fail where the two sides differ in their seeds alone. Of those whose head has a p95 wait that is %.0f %% longer, at least %.0f %% find it, or say that they would not have found so little.\n\n",
		e.draws, e.pool, inference.Limit, 100*inference.Level, 100*rise, 100*(1-mostMiss))
	fmt.Fprintf(w, "| trace | condition | head | fail | say that they cannot tell | seeds used, mean | |\n|---|---|---|---|---|---|---|\n")
	all := true
	for _, kind := range e.kinds {
		a, err := replayed(ctx, kind, scenario.DefaultOptions(), e.pool)
		if err != nil {
			return false, err
		}
		b, err := longer(ctx, kind, a, e.pool)
		if err != nil {
			return false, err
		}
		limit := min(inference.Limit, e.pool/2)
		for _, tt := range []struct {
			conditions []string
			head       string
		}{{nil, "other seeds"}, {[]string{condition}, "other seeds"}, {[]string{condition}, "p95 wait longer"}} {
			rng := stream(fmt.Sprint("gates ", filepath.Base(kind), tt))
			failed, open, used := 0, 0, 0
			for range e.draws {
				places := drawn(rng, e.pool, 2*limit)
				base, head := a.at(places[:limit]), a.at(places[limit:])
				if tt.head != "other seeds" {
					head = b.at(places[:limit])
				}
				v, err := through(base, head, tt.conditions)
				if err != nil {
					return false, err
				}
				used += len(v.Comparison.Units)
				if v.Failed() {
					failed++
				} else if len(v.Conditions) > 0 && (v.Conditions[0].Why != "" || v.Conditions[0].Find > rise*v.Conditions[0].Row.Cells[0].Number) {
					open++
				}
			}
			n := float64(e.draws)
			kept := float64(failed)/n <= inference.Level
			if tt.head != "other seeds" {
				kept = float64(failed+open)/n >= 1-mostMiss
			}
			all = all && kept
			name := "headline metrics"
			if tt.conditions != nil {
				name = tt.conditions[0]
			}
			fmt.Fprintf(w, "| %s | %s | %s | %.1f %% | %.1f %% | %.1f | %s |\n", filepath.Base(kind), name, tt.head, 100*float64(failed)/n, 100*float64(open)/n, float64(used)/n, mark(kept))
		}
	}
	fmt.Fprintln(w)
	return all, nil
}

// longer replays with a p95 wait that is [rise] longer than that of a, all seeds together.
func longer(ctx context.Context, kind string, a pool, seeds int) (b pool, err error) {
	mean := 0.0
	for _, r := range a {
		v, _ := r.Value(risen)
		mean += v.Number / float64(len(a))
	}
	wanted := rise * mean
	by := wanted
	for range 20 {
		// The registration of each application master comes so much later, and with it the first task of each job.
		o := scenario.DefaultOptions().Clone()
		o.Parameters["am-start-ms"] = strconv.FormatInt(o.Model.AMStartMS+int64(math.Round(by)), 10)
		if b, err = replayed(ctx, kind, o, seeds); err != nil {
			return nil, err
		}
		got := meanDifference(a, b, risen)
		if got >= wanted {
			return b, nil
		}
		by *= max(1.05, min(2, wanted/got))
	}
	return nil, fmt.Errorf("%s: its p95 wait does not rise by %.0f %% with the start of application masters", kind, 100*rise)
}

// through sends a change through a gate with as many of the replays as that asks for.
func through(base, head []*metric.Summary, conditions []string) (*gate.Verdict, error) {
	g := &gate.Gate{Precision: compare.DefaultPrecision}
	for _, text := range conditions {
		t, err := target.Parse(text)
		if err != nil {
			return nil, err
		}
		g.Conditions = append(g.Conditions, gate.Condition{Target: t})
	}
	study, err := compare.New([]compare.Variant{{Name: "base"}, {Name: "head"}}, compare.Options{Margin: compare.DefaultMargin, Precision: compare.DefaultPrecision, Limit: len(base)})
	if err != nil {
		return nil, err
	}
	for n := 0; ; {
		for next := inference.Stage(n, len(base)); n < next; n++ {
			if err := study.Add(base[n], head[n]); err != nil {
				return nil, err
			}
			if err := g.Add(base[n], head[n]); err != nil {
				return nil, err
			}
		}
		c, err := study.Compare()
		if err != nil {
			return nil, err
		}
		if enough, err := g.Enough(c); err != nil {
			return nil, err
		} else if enough || n == len(base) {
			return g.Judge(c)
		}
	}
}
