package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/report/quantity"
	"replay/sweep"
	"replay/sweep/on"
)

// engineFlags say which engine replays the cells.
func engineFlags() []cli.Flag {
	return []cli.Flag{
		cmdline.With(&cli.StringFlag{Name: "on", Usage: "where the cells are replayed: local; slurm, which takes a job array and a job that merges after it; spark, which takes one job; or kubernetes, for which Jobs are written and sent nowhere", Value: "local"}, cmdline.OneOf("local", "slurm", "spark", "kubernetes")),
		cmdline.With(&cli.IntFlag{Name: "shards", Usage: "with --on: `N` tasks at most, each with a list of cells", Value: 100}, cmdline.From1To(100_000)),
		cmdline.With(&cli.IntFlag{Name: "throttle", Usage: "with --on: `N` tasks at once", DefaultText: "as many as the engine gives"}, cmdline.From1To(100_000)),
		&cli.StringFlag{Name: "sbatch", Usage: "with --on slurm: `OPTIONS` of sbatch for the array, such as '--partition=short --cpus-per-task=4'"},
		&cli.StringFlag{Name: "spark-submit", Usage: "with --on spark: `PATH` of spark-submit", Value: "spark-submit"},
		&cli.StringFlag{Name: "spark", Usage: "with --on spark: `OPTIONS` of spark-submit, such as '--master yarn --num-executors 20'"},
		&cli.StringFlag{Name: "image", Usage: "with --on kubernetes: `IMAGE` that has this program, as scripts/image builds it"},
		&cli.StringFlag{Name: "claim", Usage: "with --on kubernetes: `NAME` of the PersistentVolumeClaim of the volume with traces and sweep"},
		&cli.StringFlag{Name: "volume", Usage: "with --on kubernetes: `DIR`ectory that is that volume, here and in the pods", DefaultText: "the working directory"},
		&cli.StringFlag{Name: "namespace", Usage: "with --on kubernetes: `NAME` of the namespace", DefaultText: "that of kubectl"},
		&cli.StringFlag{Name: "queue", Usage: "with --on kubernetes: `NAME` of a LocalQueue of Kueue that admits the Jobs"},
		cmdline.With(&cli.StringFlag{Name: "requests", Usage: "with --on kubernetes: `RESOURCES` that a pod requests; it runs as many replays at once as it has cpu", Value: "cpu=1,memory=2Gi"}, someRequests),
	}
}

// engineOf says which engines take a flag that is not for all of them.
var engineOf = []struct {
	flag    string
	engines []string
}{
	{"shards", []string{"slurm", "spark", "kubernetes"}},
	{"throttle", []string{"slurm", "kubernetes"}},
	{"sbatch", []string{"slurm"}},
	{"spark-submit", []string{"spark"}},
	{"spark", []string{"spark"}},
	{"image", []string{"kubernetes"}},
	{"claim", []string{"kubernetes"}},
	{"volume", []string{"kubernetes"}},
	{"namespace", []string{"kubernetes"}},
	{"queue", []string{"kubernetes"}},
	{"requests", []string{"kubernetes"}},
}

// checkEngine refuses flags of engines that are not asked for.
func checkEngine(c *cli.Context) error {
	for _, f := range engineOf {
		if c.IsSet(f.flag) && !slices.Contains(f.engines, c.String("on")) {
			return cmdline.Usagef("--%s wants --on %s", f.flag, strings.Join(f.engines, " or --on "))
		}
	}
	if c.String("on") == "kubernetes" {
		for _, name := range []string{"image", "claim"} {
			if c.String(name) == "" {
				return cmdline.Usagef("--on kubernetes wants --%s", name)
			}
		}
	}
	return nil
}

// submit hands the missing cells to an engine. Without any they are merged here.
func (w *sweeping) submit(formats []string) error {
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
	h := handed{cells: len(todo)}
	var ids []string
	for _, i := range todo {
		ids = append(ids, w.all.Cells[i].ID)
	}
	h.parts = sweep.Parts(ids, w.c.Int("shards"))
	if h.program, err = os.Executable(); err != nil {
		return err
	}
	if h.dir, err = filepath.Abs(w.store.Dir); err != nil {
		return err
	}
	if h.plan, err = w.pack(h.dir); err != nil {
		return err
	}
	switch w.c.String("on") {
	case "kubernetes":
		return w.onKubernetes(&h)
	case "spark":
		return w.onSpark(&h, formats)
	}
	return w.onSlurm(&h)
}

// handed is what an engine is given. Paths are absolute.
type handed struct {
	cells              int
	parts              [][]string // their ids
	program, plan, dir string     // the plan is packed and in the directory
}

// submission is what Slurm was given.
type submission struct {
	Cells int    `json:"cells"`
	Tasks int    `json:"tasks"`
	Array string `json:"array"` // number of the job array
	Merge string `json:"merge"` // and of the job after it
}

func (w *sweeping) onSlurm(h *handed) error {
	options, err := splitWords(w.c.String("sbatch"))
	if err != nil {
		return cmdline.Usagef("--sbatch: %w", err)
	}
	s := on.Slurm{Program: h.program, Plan: h.plan, Dir: h.dir, Throttle: w.c.Int("throttle"), Options: options}
	array, merge, err := s.Submit(w.c.Context, h.parts)
	if err != nil {
		return err
	}
	if w.c.Bool("json") {
		return cmdline.WriteJSON(w.c.App.Writer, submission{h.cells, len(h.parts), array, merge})
	}
	_, err = fmt.Fprintf(w.c.App.Writer, "%s in %s of job array %s, merged by job %s after it; the same command resumes what fails\n",
		quantity.Counted(int64(h.cells), "cells"), quantity.Counted(int64(len(h.parts)), "tasks"), array, merge)
	return err
}
