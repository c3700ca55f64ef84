package command

import (
	"fmt"
	"os"
	"path/filepath"
	"replay/cmd/replay/cmdline"

	"github.com/urfave/cli/v2"

	"replay/report/quantity"
	"replay/sweep"
	"replay/sweep/on"
)

// engineFlags say which engine replays the cells.
func engineFlags() []cli.Flag {
	return []cli.Flag{
		cmdline.With(&cli.StringFlag{Name: "on", Usage: "where the cells are replayed: local, or slurm, which takes a job array and a job that merges after it", Value: "local"}, cmdline.OneOf("local", "slurm")),
		cmdline.With(&cli.IntFlag{Name: "shards", Usage: "with --on: `N` tasks at most, each with a list of cells", Value: 100}, cmdline.From1To(100_000)),
		cmdline.With(&cli.IntFlag{Name: "throttle", Usage: "with --on: `N` tasks at once", DefaultText: "as many as the engine gives"}, cmdline.From1To(100_000)),
		&cli.StringFlag{Name: "sbatch", Usage: "with --on slurm: `OPTIONS` of sbatch for the array, such as '--partition=short --cpus-per-task=4'"},
	}
}

// checkEngine refuses flags of engines where the cells are replayed here.
func checkEngine(c *cli.Context) error {
	if c.String("on") != "local" {
		return nil
	}
	for _, name := range []string{"shards", "throttle", "sbatch"} {
		if c.IsSet(name) {
			return cmdline.Usagef("--%s wants --on slurm", name)
		}
	}
	return nil
}

// submission is what Slurm was given.
type submission struct {
	Cells int    `json:"cells"`
	Tasks int    `json:"tasks"`
	Array string `json:"array"` // number of the job array
	Merge string `json:"merge"` // and of the job after it
}

// submit hands the missing cells to Slurm. Without any they are merged here.
func (w *sweeping) submit(formats []string) error {
	options, err := splitWords(w.c.String("sbatch"))
	if err != nil {
		return cmdline.Usagef("--sbatch: %w", err)
	}
	if err := w.store.Create(&w.all); err != nil {
		return err
	}
	todo, err := w.missing(upTo(len(w.all.Cells)))
	if err != nil {
		return err
	}
	if len(todo) == 0 {
		return w.p.merge(w.c, []sweep.Store{w.store}, "", false, formats)
	}
	var ids []string
	for _, i := range todo {
		ids = append(ids, w.all.Cells[i].ID)
	}
	s := on.Slurm{Throttle: w.c.Int("throttle"), Options: options}
	if s.Program, err = os.Executable(); err != nil {
		return err
	}
	if s.Plan, err = filepath.Abs(w.c.Args().First()); err != nil {
		return err
	}
	if s.Dir, err = filepath.Abs(w.store.Dir); err != nil {
		return err
	}
	parts := sweep.Parts(ids, w.c.Int("shards"))
	array, merge, err := s.Submit(w.c.Context, parts)
	if err != nil {
		return err
	}
	if w.c.Bool("json") {
		return cmdline.WriteJSON(w.c.App.Writer, submission{len(ids), len(parts), array, merge})
	}
	_, err = fmt.Fprintf(w.c.App.Writer, "%s in %s of job array %s, merged by job %s after it; the same command resumes what fails\n",
		quantity.Counted(int64(len(ids)), "cells"), quantity.Counted(int64(len(parts)), "tasks"), array, merge)
	return err
}
