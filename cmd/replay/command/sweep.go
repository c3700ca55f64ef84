package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/cmd/replay/tracecmd"
	"replay/engine"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/input"
	"replay/report"
	"replay/report/quantity"
	"replay/sweep"
)

func sweepCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "sweep",
		Usage:     "replay a grid of variants, settings, loads, traces and seeds; what is there already is not replayed again",
		ArgsUsage: "PLAN",
		Description: `Examples:
   replay sweep plan.yaml --out sweep --dry-run
   replay sweep plan.yaml --out sweep
   replay sweep run plan.yaml --out sweep --shard 3/40
   replay sweep status sweep
   replay sweep merge sweep

A plan is YAML: traces, seeds, loads, variants, flags, grid, zip and exclude (docs/sweep.md). The same command goes on with what an interrupted
or killed one left, and after a change of the plan, of a file or of the program replays what has changed. Paths in a plan are
relative to it. Exit code 1: cells failed.`,
		Flags: append(append(sweepFlags(), engineFlags()...),
			&cli.BoolFlag{Name: "dry-run", Usage: "list the cells with their ids, how many are missing, and what CPU time they will take by a first one; nothing is written"},
			cmdline.FormatsFlag("none"), sweepJSON()),
		Action: p.sweep,
		Subcommands: []*cli.Command{{
			Name: "run", Usage: "replay some cells of a plan, and merge nothing: the share of one machine", ArgsUsage: "PLAN",
			Flags: append(sweepFlags(),
				cmdline.With(&cli.StringFlag{Name: "shard", Usage: "the `I/N`-th part of the cells, counted from 1"}, aShard),
				&cli.StringFlag{Name: "cells", Usage: "the cells whose ids stand in `FILE`, one a line"}, sweepJSON()),
			Action: p.sweepRun,
		}, {
			Name: "status", Usage: "say how many cells of a sweep are there, and which failed; exit code 1 unless all are there", ArgsUsage: "DIR",
			Flags:  []cli.Flag{&cli.BoolFlag{Name: "missing", Usage: "print the ids of the cells that are not there, one a line, as --cells takes them"}, sweepJSON()},
			Action: p.sweepStatus,
		}, {
			Name: "merge", Usage: "make one table and one page of the cells in one directory, or in several of the same sweep", ArgsUsage: "DIR...",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "out", Usage: "`DIR`ectory for table and page", DefaultText: "merged below the first DIR"},
				&cli.BoolFlag{Name: "partial", Usage: "merge what is there although cells are missing"},
				cmdline.FormatsFlag("none"), sweepJSON()},
			Action: p.sweepMerge,
		}},
	}
}

// sweepFlags are those of sweeping itself.
func sweepFlags() []cli.Flag {
	return append(cmdline.ProgressFlags(),
		&cli.StringFlag{Name: "out", Usage: "`DIR`ectory of the sweep: a new one, or one to go on with"},
		cmdline.With(&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "how many replays run at once", DefaultText: "all cores"}, cmdline.From1To(10_000)),
		&cli.BoolFlag{Name: "keep-going", Usage: "after a cell that fails, replay the others; --keep-going=false stops", Value: true})
}

func sweepJSON() cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "print the answer as JSON"}
}

// aShard wants I/N.
func aShard(value string) error {
	_, _, err := parseShard(value)
	return err
}

func parseShard(text string) (i, n int, err error) {
	if _, err := fmt.Sscanf(text+" ", "%d/%d ", &i, &n); err != nil || fmt.Sprintf("%d/%d", i, n) != text || i < 1 || i > n {
		return 0, 0, errors.New("want I/N with I from 1 to N, such as 3/40")
	}
	return i, n, nil
}

// sweeping is a plan with what it means to a replay.
type sweeping struct {
	p       *program
	c       *cli.Context
	plan    string // path of its file
	store   sweep.Store
	all     sweep.Sweep
	sources []*traceSource // by trace
	listed  []int          // by trace: which entry of the plan's list names it
	tasks   []int64
	options []scenario.Options // by point
	points  []int              // by cell
	program sweep.Program
}

func (p *program) sweep(c *cli.Context) error {
	formats, err := cmdline.PlotFormats(c.String("formats"))
	if err != nil {
		return err
	}
	if err := checkEngine(c); err != nil {
		return err
	}
	w, err := p.readSweep(c)
	if err != nil {
		return err
	}
	if c.Bool("dry-run") {
		return w.dryRun()
	}
	if c.String("on") != "local" {
		return w.submit(formats)
	}
	if err := w.replay(upTo(len(w.all.Cells))); err != nil {
		return err
	}
	return w.p.merge(c, []sweep.Store{w.store}, "", false, formats)
}

func (p *program) sweepRun(c *cli.Context) error {
	if c.IsSet("shard") == c.IsSet("cells") {
		return cmdline.Usagef("sweep run wants --shard or --cells: which part of the plan to replay; replay sweep replays all of it")
	}
	w, err := p.readSweep(c)
	if err != nil {
		return err
	}
	if c.IsSet("shard") {
		i, n, _ := parseShard(c.String("shard")) // the flag takes no other
		return w.part(sweep.Shard(len(w.all.Cells), i, n))
	}
	text, err := input.ReadText(c.String("cells"))
	if err != nil {
		return err
	}
	cells, err := sweep.Pick(w.all.Cells, strings.Fields(string(input.Unmarked(text))))
	if err != nil {
		return fmt.Errorf("--cells %s: %w", c.String("cells"), err)
	}
	return w.part(cells)
}

// part replays a part of the cells; with --json it says how many there are.
func (w *sweeping) part(cells []int) error {
	err := w.replay(cells)
	if err == nil && w.c.Bool("json") {
		err = cmdline.WriteJSON(w.c.App.Writer, map[string]int{"cells": len(cells), "of": len(w.all.Cells)})
	}
	return err
}

func upTo(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

// replay replays those of the cells that are missing. A record that cannot be written ends it, whatever is to keep going: on a full disk all the others would be replayed for nothing.
func (w *sweeping) replay(cells []int) error {
	if err := w.store.Create(&w.all); err != nil {
		return err
	}
	todo, err := w.missing(cells)
	if err != nil {
		return err
	}
	for _, i := range todo {
		s := w.sources[w.all.Cells[i].Trace]
		s.wanted++
		defer s.release()
	}
	progress := make([]engine.Progress, len(todo))
	var wanted, done, saved atomic.Int64
	wanted.Store(int64(len(todo)))
	stop := cmdline.WatchAll(w.c, "sweep", progress, &wanted, &done)
	all, end := context.WithCancelCause(w.c.Context)
	defer end(nil)
	failed, err := sweep.Run(all, len(todo), workersOf(w.c), w.c.Bool("keep-going"), func(ctx context.Context, k int) error {
		defer done.Add(1)
		cell := &w.all.Cells[todo[k]]
		r, err := w.run(ctx, todo[k], &progress[k])
		if err == nil {
			if err = w.store.Save(sweep.RecordOf(cell.ID, r)); err != nil {
				end(err)
				return ctx.Err()
			}
			saved.Add(1)
			return nil
		}
		if ctx.Err() == nil {
			err = errors.Join(err, w.store.Fail(cell.ID, err))
		}
		return err
	})
	stop()
	if err != nil && !w.c.Bool("quiet") {
		fmt.Fprintf(w.c.App.ErrWriter, "%d of %s are in %s; the same command goes on\n", int64(len(cells)-len(todo))+saved.Load(), quantity.Counted(int64(len(cells)), "cells"), w.store.Dir)
	}
	if err != nil {
		return context.Cause(all)
	}
	if len(failed) == 0 {
		return nil
	}
	fmt.Fprintf(w.c.App.ErrWriter, "%s failed:\n", quantity.Counted(int64(len(failed)), "cells"))
	for n, k := range slices.Sorted(maps.Keys(failed)) {
		if n == tracecmd.Listed && len(failed) > tracecmd.Listed+1 {
			fmt.Fprintf(w.c.App.ErrWriter, "  and %d more: replay sweep status %s\n", len(failed)-tracecmd.Listed, w.store.Dir)
			break
		}
		fmt.Fprintf(w.c.App.ErrWriter, "  %s %s: %v\n", w.all.Cells[todo[k]].ID, w.label(todo[k]), failed[k])
	}
	return cmdline.FailedCheck()
}

// missing returns which of the cells are to be replayed, and says how many are there.
func (w *sweeping) missing(cells []int) (todo []int, err error) {
	these := make([]sweep.Cell, len(cells))
	for k, i := range cells {
		these[k] = w.all.Cells[i]
	}
	missing, others, err := w.store.Missing(these, w.program)
	for _, k := range missing {
		todo = append(todo, cells[k])
	}
	if w.c.Bool("quiet") || err != nil {
		return todo, err
	}
	if others > 0 {
		fmt.Fprintf(w.c.App.ErrWriter, "warning: %s were replayed by a program of another commit, whose pinned decisions are those of this one, and are taken; to replay them again, use another --out\n", quantity.Counted(int64(others), "cells"))
	}
	if n := len(cells) - len(todo); n > 0 {
		fmt.Fprintf(w.c.App.ErrWriter, "%d of %s are there\n", n, quantity.Counted(int64(len(cells)), "cells"))
	}
	return todo, nil
}

// run replays a cell.
func (w *sweeping) run(ctx context.Context, i int, progress *engine.Progress) (*report.Result, error) {
	cell := &w.all.Cells[i]
	s := w.sources[cell.Trace]
	t, err := s.open(w.p)
	if err != nil {
		return nil, err
	}
	defer s.close()
	o := w.options[w.points[i]].Clone()
	o.Seed = cell.Seed
	return w.p.replayOn(ctx, t, o, "", report.Options{}, progress, func(*scenario.Scenario) *record.Made { return nil })
}

// label says which cell it is.
func (w *sweeping) label(i int) string {
	c := &w.all.Cells[i]
	words := []string{w.all.Traces[c.Trace].Name}
	if c.Variant != "" {
		words = append(words, c.Variant)
	}
	for k, v := range c.Values {
		if v != "" {
			words = append(words, w.all.Settings[k]+"="+v)
		}
	}
	return strings.Join(append(words, fmt.Sprintf("seed %d", c.Seed)), ", ")
}

// merge makes table and page, and prints what they say.
func (p *program) merge(c *cli.Context, stores []sweep.Store, dir string, partial bool, formats []string) error {
	if dir == "" {
		dir = filepath.Join(stores[0].Dir, sweep.MergedFolder)
	}
	m, err := sweep.Merge(stores, dir, partial, formats)
	var incomplete *sweep.Incomplete
	if errors.As(err, &incomplete) {
		return &cmdline.CodedError{Code: cmdline.ExitFailed, Err: fmt.Errorf("%w (replay sweep status %s lists them); --partial merges the others", err, stores[0].Dir)}
	}
	if err != nil {
		return err
	}
	warn(c, &m.Warnings)
	if c.Bool("json") {
		err = cmdline.WriteJSON(c.App.Writer, m.Answer())
	} else {
		m.WriteText(c.App.Writer)
	}
	if err != nil {
		return err
	}
	if !c.Bool("quiet") {
		fmt.Fprintf(c.App.ErrWriter, "wrote %s\n", dir)
	}
	return nil
}

// warn shows the warnings of cells, as many as are read.
func warn(c *cli.Context, ws *sweep.Warnings) {
	texts := ws.Said(c.Bool("quiet"))
	for i, text := range texts {
		if i == tracecmd.Listed && len(texts) > tracecmd.Listed+1 {
			fmt.Fprintf(c.App.ErrWriter, "warning: and %d more, which the page has\n", len(texts)-tracecmd.Listed)
			break
		}
		fmt.Fprintf(c.App.ErrWriter, "warning: %s\n", text)
	}
}

func (p *program) sweepMerge(c *cli.Context) error {
	if c.NArg() < 1 {
		return cmdline.Usagef("sweep merge wants the DIR of a sweep, or several of the same")
	}
	formats, err := cmdline.PlotFormats(c.String("formats"))
	if err != nil {
		return err
	}
	var stores []sweep.Store
	for _, dir := range c.Args().Slice() {
		stores = append(stores, sweep.Store{Dir: dir})
	}
	return p.merge(c, stores, c.String("out"), c.Bool("partial"), formats)
}

func (p *program) sweepStatus(c *cli.Context) error {
	if c.NArg() != 1 {
		return cmdline.Usagef("sweep status wants one DIR, got %d arguments", c.NArg())
	}
	status, err := sweep.Store{Dir: c.Args().First()}.Status()
	if err != nil {
		return err
	}
	if c.Bool("missing") && c.Bool("json") {
		return cmdline.Usagef("--missing prints ids and --json all of the status: give one of them")
	}
	if c.Bool("missing") {
		for _, m := range status.Missing {
			fmt.Fprintln(c.App.Writer, m.Cell.ID)
		}
		return nil
	}
	if c.Bool("json") {
		if err := cmdline.WriteJSON(c.App.Writer, status.Answer()); err != nil || len(status.Missing) == 0 {
			return err
		}
		return cmdline.FailedCheck()
	}
	fmt.Fprintf(c.App.Writer, "%d of %s are there, %d failed, %d were not tried\n", status.Cells-len(status.Missing), quantity.Counted(int64(status.Cells), "cells"), status.Failed, len(status.Missing)-status.Failed)
	t := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	w := sweeping{all: *status.Sweep}
	for _, m := range status.Missing {
		if m.Why != "" {
			fmt.Fprintf(t, "%s\t%s\t%s\n", m.Cell.ID, w.label(slices.IndexFunc(w.all.Cells, func(c sweep.Cell) bool { return c.ID == m.Cell.ID })), m.Why)
		}
	}
	t.Flush()
	if len(status.Missing) > 0 {
		return cmdline.FailedCheck()
	}
	return nil
}
