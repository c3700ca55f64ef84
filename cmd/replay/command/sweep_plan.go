package command

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"replay/bench"
	"replay/bench/measure"
	"replay/cmd/replay/cmdline"
	"replay/cmd/replay/selfcmd"
	"replay/engine"
	"replay/report/quantity"
	"replay/sealed"
	"replay/sweep"
	"replay/trace"
)

// mostKept is up to how many tasks a trace is decoded once for all its cells. So many take about 1 GiB.
const mostKept = 20_000_000

// readSweep reads the plan and resolves every cell of it.
func (p *program) readSweep(c *cli.Context) (*sweeping, error) {
	plan, err := p.readPlan(c)
	if err != nil {
		return nil, err
	}
	points, err := plan.Points()
	if err != nil {
		return nil, err
	}
	return p.sweepOf(c, plan, points)
}

// readPlan reads the plan that is the argument; others are keys as for [sweep.Read].
func (p *program) readPlan(c *cli.Context, others ...string) (*sweep.Plan, error) {
	if c.NArg() != 1 {
		return nil, cmdline.Usagef("%s wants one PLAN, got %d arguments", c.Command.Name, c.NArg())
	}
	if c.String("out") == "" {
		return nil, cmdline.Usagef("%s wants --out, the directory of the sweep", c.Command.Name)
	}
	file, text, err := p.planFile(c.Args().First())
	if err != nil {
		return nil, err
	}
	plan, err := sweep.Read(file, text, others...)
	if err == nil && !c.Bool("quiet") {
		for _, doubt := range plan.Doubts {
			fmt.Fprintf(c.App.ErrWriter, "warning: %v\n", doubt)
		}
	}
	return plan, err
}

// sweepOf resolves every cell of the plan with these points, so that a mistake anywhere is found before any replay.
func (p *program) sweepOf(c *cli.Context, plan *sweep.Plan, points []sweep.Point) (*sweeping, error) {
	w := &sweeping{p: p, c: c, plan: plan.File, store: sweep.Store{Dir: c.String("out")}}
	w.all.Plan = filepath.Base(plan.File)
	b := selfcmd.Built()
	w.program = sweep.Program{Version: b.Version, Commit: b.Commit, Modified: b.Modified}
	for i := range points {
		words, err := p.wordsOf(plan, &points[i])
		if err != nil {
			return nil, err
		}
		o, err := p.variantOptions(words, p.settings.Defaults())
		if err != nil {
			return nil, p.blame(plan, &points[i], nil, err)
		}
		w.options = append(w.options, o)
	}
	for _, s := range plan.Settings() {
		w.all.Settings = append(w.all.Settings, s.String())
	}
	if err := w.openTraces(plan); err != nil {
		return nil, err
	}
	return w, w.resolve(plan, points)
}

// openTraces finds the traces of the plan.
func (w *sweeping) openTraces(plan *sweep.Plan) error {
	names := map[string]int{}
	for at, text := range plan.Traces {
		wrong := func(err error) error { return &sweep.Error{File: plan.File, Line: text.Line, Key: "traces", Err: err} }
		dirs := []string{w.p.settings.Files.At(text.Value)}
		if !cmdline.IsTrace(dirs[0]) {
			var err error
			if dirs, err = tracesOf(dirs[0]); err != nil {
				return wrong(err)
			}
		}
		for _, dir := range dirs {
			t, err := cmdline.OpenTrace(dir)
			if err != nil {
				return wrong(err)
			}
			s := &traceSource{dir: dir, title: t.Name(), hash: t.Hash(), keep: mostKept, name: folderName(t.Name())}
			w.tasks = append(w.tasks, t.Manifest.Counts.Tasks)
			t.Close()
			if slices.ContainsFunc(w.sources, func(o *traceSource) bool { return o.hash == s.hash }) {
				return wrong(fmt.Errorf("%s is a trace that is there already: it would count twice", dir))
			}
			if names[s.name]++; names[s.name] > 1 {
				s.name = fmt.Sprintf("%s-%d", s.name, names[s.name])
			}
			w.sources, w.listed = append(w.sources, s), append(w.listed, at)
			w.all.Traces = append(w.all.Traces, sweep.Source{Name: s.name, Hash: s.hash})
		}
	}
	var all []string
	for _, s := range w.sources {
		all = append(all, s.name)
	}
	return plan.CheckExclude(all)
}

// resolve makes the cells: by trace, then in the order of the points, seeds last.
func (w *sweeping) resolve(plan *sweep.Plan, points []sweep.Point) error {
	decisions, err := w.decisions()
	if err != nil {
		return err
	}
	for s, source := range w.sources {
		t, err := cmdline.OpenTrace(source.dir)
		if err != nil {
			return err
		}
		err = w.resolveOn(plan, points, s, t, decisions)
		t.Close()
		if err != nil {
			return err
		}
	}
	if len(w.all.Cells) == 0 {
		return fmt.Errorf("%s: exclude leaves out every cell", plan.File)
	}
	return nil
}

func (w *sweeping) resolveOn(plan *sweep.Plan, points []sweep.Point, source int, t *trace.Trace, decisions string) error {
	for i := range points {
		pt := &points[i]
		identity := ""
		for _, seed := range plan.Seeds {
			if plan.Excluded(w.sources[source].name, pt, seed) {
				continue
			}
			if identity == "" {
				sc, err := w.p.settings.Scenario(t, w.options[i])
				if err != nil {
					return w.p.blame(plan, pt, t, err)
				}
				identity = sweep.Identity(sc, decisions)
			}
			if len(w.all.Cells) == sweep.Most {
				return fmt.Errorf("%s: more than %d cells, want fewer values", plan.File, sweep.Most)
			}
			var values []string
			for _, v := range pt.Values {
				values = append(values, v.Shown())
			}
			w.all.Cells = append(w.all.Cells, sweep.Cell{ID: sweep.ID(identity, seed), Trace: source, Variant: pt.Variant.Name, Values: values, Seed: seed})
			w.points = append(w.points, i)
		}
	}
	return nil
}

// decisions is the version of the program's decisions. Where it was built of sources that are not those of a commit, or decides by policies of its
// own, that is the program itself.
func (w *sweeping) decisions() (string, error) {
	text := selfcmd.Version + " " + bench.Decisions()
	if b := selfcmd.Built(); b.Commit != "" && !b.Modified && w.p.settings.Policies.Empty() {
		return text, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	_, sum, err := sealed.Hash(path)
	return text + " " + sum, err
}

// A part of a point is words of the plan that mean something by themselves.
type partOf struct {
	key   string
	line  int
	words []string
}

// variantsKey begins the keys of parts that are flags of one variant.
const variantsKey = "variants."

// partsOf returns what a point consists of.
func partsOf(plan *sweep.Plan, pt *sweep.Point) ([]partOf, error) {
	parts := []partOf{{key: "flags", line: plan.Flags.Line}, {key: variantsKey + pt.Variant.Name, line: pt.Variant.Flags.Line}}
	for i, text := range []string{plan.Flags.Value, pt.Variant.Flags.Value} {
		var err error
		if parts[i].words, err = splitWords(text); err != nil {
			return nil, &sweep.Error{File: plan.File, Line: parts[i].line, Key: parts[i].key, Err: err}
		}
	}
	for i, s := range pt.Settings {
		parts = append(parts, partOf{s.String(), pt.Values[i].Line, s.Words(pt.Values[i])})
	}
	return parts, nil
}

// wordsOf are the flags of a point, each checked by itself.
func (p *program) wordsOf(plan *sweep.Plan, pt *sweep.Point) (words []string, err error) {
	parts, err := partsOf(plan, pt)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		err := p.checkVariantWords(part.words)
		for _, f := range cmdline.Split(nil, p.settings.Flags(), part.words).Flags {
			switch {
			case err != nil:
			case f.Name == "seed":
				err = cmdline.Usagef("--seed has its own place in a plan, seeds")
			case f.Name == "until" && strings.HasPrefix(part.key, variantsKey):
				err = cmdline.Usagef("--until ends this one at another time than others, and what that cuts off is no difference of theirs: it stands in flags")
			}
		}
		if err != nil {
			return nil, &sweep.Error{File: plan.File, Line: part.line, Key: part.key, Err: err}
		}
		words = append(words, part.words...)
	}
	return words, nil
}

// blame finds the part of a point that has the mistake by itself, or says that it is their combination.
func (p *program) blame(plan *sweep.Plan, pt *sweep.Point, t *trace.Trace, wrong error) error {
	parts, err := partsOf(plan, pt)
	if err != nil {
		return err
	}
	var all []string
	for _, part := range parts {
		all = append(all, part.words...)
		o, err := p.variantOptions(part.words, p.settings.Defaults())
		if err == nil && t != nil {
			_, err = p.settings.Scenario(t, o)
		}
		if err != nil && err.Error() == wrong.Error() && len(part.words) > 0 {
			if t != nil {
				err = fmt.Errorf("on trace %s: %w", t.Name(), err)
			}
			return &sweep.Error{File: plan.File, Line: part.line, Key: part.key, Err: err}
		}
	}
	last := parts[len(parts)-1]
	return &sweep.Error{File: plan.File, Line: cmp.Or(last.line, 1), Key: last.key, Err: fmt.Errorf("with %s: %w", quoted(all), wrong)}
}

// dryRun lists the cells, and replays a first one to say what the others will take.
func (w *sweeping) dryRun() error {
	todo, err := w.missing(upTo(len(w.all.Cells)))
	if err != nil {
		return err
	}
	out := w.c.App.Writer
	if w.c.Bool("json") {
		ids := []string{}
		for _, i := range todo {
			ids = append(ids, w.all.Cells[i].ID)
		}
		return cmdline.WriteJSON(out, map[string]any{"traces": w.all.Traces, "settings": w.all.Settings, "cells": w.all.Cells, "missing": ids})
	}
	fmt.Fprintf(out, "%s: %d to replay", quantity.Counted(int64(len(w.all.Cells)), "cells"), len(todo))
	if len(todo) > 0 {
		before := measure.CPU()
		first := todo[0]
		s := w.sources[w.all.Cells[first].Trace]
		s.wanted++
		_, err := w.run(w.c.Context, first, &engine.Progress{})
		if err != nil {
			return errors.Join(fmt.Errorf("the first cell, %s: %w", w.label(first), err))
		}
		spent := measure.CPU() - before
		perTask := float64(spent) / float64(max(1, w.tasks[w.all.Cells[first].Trace]))
		all := 0.0
		for _, i := range todo {
			all += float64(perTask * float64(w.tasks[w.all.Cells[i].Trace]))
		}
		fmt.Fprintf(out, ", about %s of CPU (by the tasks of their traces; the first took %s)", time.Duration(all).Round(10*time.Millisecond), spent.Round(time.Millisecond))
	}
	fmt.Fprint(out, "\n\n")
	missing := make(map[int]bool, len(todo))
	for _, i := range todo {
		missing[i] = true
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i := range w.all.Cells {
		state := "there"
		if missing[i] {
			state = "missing"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", w.all.Cells[i].ID, state, strings.TrimSpace(w.label(i)))
	}
	return t.Flush()
}
