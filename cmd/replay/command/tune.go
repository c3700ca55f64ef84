package command

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/engine/record"
	"replay/report/inference"
	"replay/report/quantity"
	"replay/sweep"
	"replay/trace"
	"replay/tune"
)

func tuneCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "tune",
		Usage:     "find the best of many settings for a goal under limits, and hold it against the baseline on seeds or traces that it was not chosen by",
		ArgsUsage: "PLAN",
		Description: `Examples:
   replay tune plan.yaml --out tuned
   replay tune plan.yaml --out tuned --json

A plan is a sweep's with a goal, such as "least p95(wait, queue=etl)", and limits, such as "others <= +5%" (docs/tune.md). The settings of its grid race over
its seeds; who is worse than the first by a paired test leaves. What is left is replayed with seeds, or on traces, that had no
part in the race, and these alone say what is gained. The same command goes on with what an interrupted one left.`,
		Flags:  append(sweepFlags(), sweepJSON()),
		Action: p.tune,
	}
}

// tuning is a race on the cells of a sweep.
type tuning struct {
	*sweeping
	plan    *tune.Plan
	units   [][]place // the race's, then those held out
	cells   map[cellKey]int
	values  map[int]tune.Values // by cell, of those that were replayed
	lost    map[int]sweep.Outcome
	faster  map[int]float64 // arrivals, where the record has them
	nodes   map[int]record.Cluster
	used    map[string]bool // ids of cells
	measure *tune.Measure
	record  *sweep.Record // the first of the baseline
	twins   sweep.Twins
	result  *tune.Result
}

// A place is where a candidate is replayed once.
type place struct {
	trace int
	seed  uint64
}

type cellKey struct {
	place
	point int
}

func (p *program) tune(c *cli.Context) error {
	plan, err := p.readPlan(c, tune.Keys...)
	if err != nil {
		return err
	}
	tp, err := tune.Of(plan)
	if err != nil {
		return err
	}
	points, err := pointsOf(plan, tp)
	if err != nil {
		return err
	}
	raceSeeds, raceTraces := plan.Seeds, len(plan.Traces)
	plan.Traces = slices.Concat(plan.Traces, tp.HeldTraces)
	plan.Seeds = slices.Clone(raceSeeds)
	for _, s := range tp.HeldSeeds {
		if !slices.Contains(plan.Seeds, s) {
			plan.Seeds = append(plan.Seeds, s)
		}
	}
	w, err := p.sweepOf(c, plan, points)
	if err != nil {
		return err
	}
	t := &tuning{sweeping: w, plan: tp, cells: map[cellKey]int{}, values: map[int]tune.Values{}, lost: map[int]sweep.Outcome{}, faster: map[int]float64{}, nodes: map[int]record.Cluster{}, used: map[string]bool{}}
	for i := range w.all.Cells {
		cell := &w.all.Cells[i]
		t.cells[cellKey{place{cell.Trace, cell.Seed}, w.points[i]}] = i
	}
	r := &tune.Result{Plan: w.all.Plan, Goal: tp.Goal.Text}
	t.result = r
	candidates, err := t.candidates(plan, points)
	if err != nil {
		return err
	}
	race, held, err := t.parts(plan, raceSeeds, raceTraces)
	if err != nil {
		return err
	}
	t.units = slices.Concat(race.places, held.places)
	r.Units, r.Held = race.text, held.text
	r.Row = func(candidate, unit int) (row []tune.Values) {
		for _, at := range t.units[unit] {
			row = append(row, t.values[t.cells[cellKey{at, candidates[candidate]}]])
		}
		return row
	}
	r.Race = t.race(candidates, len(race.places), len(held.places))
	r.Answer, err = r.Race.Solve()
	r.Warnings.First(t.twins.Texts(w.all.Traces)...)
	warn(c, &r.Warnings)
	if err != nil {
		return err
	}
	for u := range t.units {
		for _, at := range t.units[u] {
			won, base := t.cells[cellKey{at, candidates[r.Winner]}], t.cells[cellKey{at, tune.Baseline}]
			if won, base := t.faster[won], t.faster[base]; won > 0 && base > 0 {
				r.Faster = append(r.Faster, won/base)
			}
			r.Clusters = r.Clusters || t.nodes[won].Differs(t.nodes[base])
		}
	}
	r.Values, r.Record, r.Cells = t.measure, t.record, len(t.used)
	if r.Sets, err = p.setsOf(&points[candidates[r.Winner]]); err != nil {
		return err
	}
	if r.Better {
		if r.Own, err = w.own(tune.KeysOfApplications(r.Sets)); err != nil {
			return err
		}
	}
	if err := r.Write(filepath.Join(w.store.Dir, tune.Folder)); err != nil {
		return err
	}
	if c.Bool("json") {
		return cmdline.WriteMade(c.App.Writer, r.JSON)
	}
	r.WriteText(c.App.Writer)
	return nil
}

// pointsOf are the points of a plan with the baseline, which sets nothing, in its place among them.
func pointsOf(plan *sweep.Plan, tp *tune.Plan) ([]sweep.Point, error) {
	const baseline = "baseline"
	if slices.ContainsFunc(plan.Variants, func(v sweep.Variant) bool { return v.Name == baseline }) {
		return nil, plan.Errorf(1, "variants", "has one called %s: the key %s says what that is", baseline, baseline)
	}
	points, err := plan.Points()
	if err != nil {
		return nil, err
	}
	settings := plan.Settings()
	if k := slices.IndexFunc(settings, func(s sweep.Setting) bool { return s.Flag == "until" }); k >= 0 {
		return nil, plan.Errorf(points[0].Values[k].Line, "until", "is no setting to choose: it stands in flags, for all")
	}
	unset := make([]sweep.Text, len(settings))
	for i := range unset {
		unset[i].Unset = true
	}
	return slices.Insert(points, tune.Baseline, sweep.Point{Variant: sweep.Variant{Name: baseline, Flags: tp.Baseline}, Settings: settings, Values: unset}), nil
}

// candidates are the points that are on all traces and seeds, which exclude may have left out; the labels of the result are theirs.
func (t *tuning) candidates(plan *sweep.Plan, points []sweep.Point) (list []int, err error) {
	cells := make([]int, len(points))
	for _, point := range t.points {
		cells[point]++
	}
	for i, n := range cells {
		switch {
		case n == len(t.sources)*len(plan.Seeds):
			list = append(list, i)
			t.result.Labels = append(t.result.Labels, labelOf(&points[i]))
		case n > 0 || i == tune.Baseline:
			return nil, fmt.Errorf("%s: exclude leaves out a part of %s: want it on all traces and seeds, or on none", plan.File, labelOf(&points[i]))
		}
	}
	if len(list) < 2 {
		return nil, fmt.Errorf("%s: has nothing to choose among, want variants, grid or zip", plan.File)
	}
	return list, nil
}

// parts are the units that settings race over, and those that are held out: other seeds, or other traces. Traces of the race come first.
func (t *tuning) parts(plan *sweep.Plan, raceSeeds []uint64, raceTraces int) (race, held units, err error) {
	first := 0
	for k := range t.sources {
		if t.listed[k] < raceTraces {
			first = k + 1
		}
	}
	race, held = t.unitsOf(0, first, raceSeeds), t.unitsOf(0, first, t.plan.HeldSeeds)
	if t.plan.HeldTraces != nil {
		held = t.unitsOf(first, len(t.sources), t.plan.HeldSeeds)
	}
	for _, part := range []struct {
		key   string
		units units
	}{{"seeds", race}, {"held_seeds", held}} {
		if n := len(part.units.places); n < inference.Fewest {
			return race, held, plan.Errorf(1, part.key, "are %s of %s, want %d at least (1..%d are so many): fewer show nothing", part.units.text, quantity.Counted(int64(part.units.traces), "traces"), inference.Fewest, inference.Fewest)
		}
	}
	return race, held, nil
}

// race is that of candidates, which are points, over the units: it replays what it has to know, and scores by the values and by what is lost.
func (t *tuning) race(candidates []int, units, held int) *tune.Race {
	return &tune.Race{Candidates: len(candidates), Units: units, Held: held,
		Measure: func(some []int, from, to int) error {
			var chosen []int
			for _, c := range some {
				chosen = append(chosen, candidates[c])
			}
			return t.replayed(chosen, from, to)
		},
		Score: func(c, u int) tune.Score {
			s := t.measure.Score(t.result.Row(c, u), t.result.Row(tune.Baseline, u))
			for _, at := range t.units[u] {
				lost, base := t.lost[t.cells[cellKey{at, candidates[c]}]], t.lost[t.cells[cellKey{at, tune.Baseline}]]
				s.Lost = s.Lost || lost.Loses(&base)
			}
			return s
		}}
}

// units are what a mean is over.
type units struct {
	places [][]place
	traces int
	text   string
}

// unitsOf returns the units of some traces and seeds: the traces, each under all seeds, where there are enough of them to speak of workloads like
// them; else the seeds, each on all traces.
func (t *tuning) unitsOf(from, to int, seeds []uint64) units {
	u := units{traces: to - from}
	if to-from >= inference.Fewest {
		u.text = inference.Trace.Counted(to - from)
		for k := from; k < to; k++ {
			var unit []place
			for _, s := range seeds {
				unit = append(unit, place{k, s})
			}
			u.places = append(u.places, unit)
		}
		return u
	}
	u.text = inference.Seed.Counted(len(seeds))
	for _, s := range seeds {
		var unit []place
		for k := from; k < to; k++ {
			unit = append(unit, place{k, s})
		}
		u.places = append(u.places, unit)
	}
	return u
}

// replayed replays points on units, what is there not again, and reads what was found.
func (t *tuning) replayed(points []int, from, to int) error {
	var cells []int
	for _, unit := range t.units[from:to] {
		for _, at := range unit {
			for _, point := range points {
				cells = append(cells, t.cells[cellKey{at, point}])
			}
		}
	}
	if err := t.replay(cells); err != nil {
		return err
	}
	for _, i := range cells {
		r, err := t.store.Load(t.all.Cells[i].ID)
		if err != nil {
			return err
		}
		t.values[i], t.lost[i], t.used[r.ID] = tune.ValuesOf(r), r.Outcome, true
		t.result.Warnings.Add(r, t.all.Traces[t.all.Cells[i].Trace].Name)
		t.faster[i], t.nodes[i] = r.Faster, r.Cluster
		t.twins.Add(t.all.Cells[i].Trace, fmt.Sprint(t.points[i]), t.all.Cells[i].Seed, r)
		if t.points[i] == tune.Baseline && t.measure == nil {
			if t.measure, err = t.plan.Measure(r); err != nil {
				return err
			}
			t.record = r
		}
		if t.points[i] != tune.Baseline {
			continue
		}
		if r.Outcome.Unexpected > t.result.Lost.Unexpected {
			t.result.Lost = r.Outcome
		}
		if v, ok := t.values[i][t.measure.Goal.Name]; !ok || math.IsNaN(v.X) {
			return fmt.Errorf("goal %s: the baseline has no value of it (%s; %d of %s succeeded), so nothing can be held against it", t.plan.Goal.Text, t.label(i), r.Outcome.Succeeded, quantity.Counted(r.Outcome.Jobs, "jobs"))
		}
	}
	return nil
}

// labelOf names a point by what stands in the plan.
func labelOf(pt *sweep.Point) string {
	var words []string
	if pt.Variant.Name != "" {
		words = append(words, pt.Variant.Name)
	}
	for i, s := range pt.Settings {
		if !pt.Values[i].Unset {
			words = append(words, s.String()+"="+pt.Values[i].Value)
		}
	}
	if words == nil {
		return "as it is"
	}
	return strings.Join(words, ", ")
}

// setsOf are the settings of a point beside the flags of all cells.
func (p *program) setsOf(pt *sweep.Point) (out []tune.Set, err error) {
	words, err := splitWords(pt.Variant.Flags.Value)
	if err != nil {
		return nil, err
	}
	for _, f := range cmdline.Split(nil, p.settings.Flags(), words).Flags {
		set := tune.Set{Flag: f.Name, Value: f.Value}
		if f.Name == "conf" || f.Name == "model" {
			set.Key, set.Value, _ = strings.Cut(f.Value, "=")
		}
		out = append(out, set)
	}
	for i, s := range pt.Settings {
		if !pt.Values[i].Unset {
			out = append(out, tune.Set{Flag: s.Flag, Key: s.Key, Value: pt.Values[i].Value})
		}
	}
	return out, nil
}

// own counts the jobs of the traces that set keys themselves.
func (w *sweeping) own(keys []string) (list []tune.Own, err error) {
	if len(keys) == 0 {
		return nil, nil
	}
	for _, key := range keys {
		list = append(list, tune.Own{Key: key})
	}
	read := map[string]bool{}
	for _, s := range w.sources {
		if read[s.dir] { // windows of one trace
			continue
		}
		read[s.dir] = true
		t, err := cmdline.OpenTrace(s.dir)
		if err != nil {
			return nil, err
		}
		for j, err := range trace.All(t.Jobs()) {
			if err != nil {
				return nil, errors.Join(err, t.Close())
			}
			for i := range list {
				list[i].Of++
				if slices.ContainsFunc(j.Conf, func(c trace.KeyValue) bool { return c.Key == list[i].Key }) {
					list[i].Jobs++
				}
			}
		}
		if err := t.Close(); err != nil {
			return nil, err
		}
	}
	return list, nil
}
