package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/cmd/replay/settings"
	"replay/engine/record"
	"replay/input"
	"replay/outdir"
	"replay/report/quantity"
	"replay/sealed"
	"replay/sweep"
	"replay/sweep/on"
)

// engineFlags say which engine replays the cells.
func engineFlags() []cli.Flag {
	return []cli.Flag{
		cmdline.Among(&cli.StringFlag{Name: "on", Usage: "where the cells are replayed: local; slurm, which takes a job array and a job that merges after it; spark, which takes one job; or kubernetes, for which Jobs are written and sent nowhere", Value: "local"}, "local", "slurm", "spark", "kubernetes"),
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

// A packed plan is one as an engine is given it: with the texts of all files that it names but traces, such as configuration, policies and prices. They need
// not be where cells are replayed, and what changes in them after the sweep was handed over changes no cell.
type packed struct {
	Format string       `json:"format"`
	Plan   string       `json:"plan"` // absolute path of its file
	Files  *record.Made `json:"files"`
	Hash   string       `json:"hash"`
}

const packedFormat = "replay-plan"

// pack writes the plan with its files to the directory of the sweep, and returns where.
func (w *sweeping) pack(dir string) (string, error) {
	plan, err := filepath.Abs(w.plan)
	if err != nil {
		return "", err
	}
	k := packed{Format: packedFormat, Plan: plan, Files: w.p.settings.Files.Made([]string{})}
	text, err := sealed.Marshal(&k, "", func(hash string) { k.Hash = hash })
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, sweep.PackedFile)
	return path, outdir.WriteShared(path, text)
}

// planFile reads the file of a plan, and says which one it is. From then on the files that the plan names are found from its folder; those of a packed plan are in it.
func (p *program) planFile(file string) (plan string, text []byte, err error) {
	if text, err = input.ReadText(file); err != nil {
		return "", nil, err
	}
	if !bytes.HasPrefix(text, []byte(`{"format":"`+packedFormat+`"`)) {
		path, err := filepath.Abs(file)
		p.settings.Files.From(filepath.Dir(file))
		p.settings.Files.Put(path, text)
		return file, text, err
	}
	var k packed
	if err := sealed.Unmarshal(text, &k); err != nil {
		return "", nil, fmt.Errorf("%s: %w", file, err)
	}
	if k.Files == nil {
		return "", nil, fmt.Errorf("%s: files is missing, want those of the plan", file)
	}
	if p.settings.Files, err = settings.FilesOf(k.Files); err != nil {
		return "", nil, fmt.Errorf("%s: %w", file, err)
	}
	p.settings.Files.From(filepath.Dir(k.Plan))
	text, err = p.settings.Files.Read(k.Plan)
	return k.Plan, text, err
}

// onSpark has a Spark job replay the cells, and merges them after it.
func (w *sweeping) onSpark(h *handed, formats []string) error {
	options, err := splitWords(w.c.String("spark"))
	if err != nil {
		return cmdline.Usagef("--spark: %w", err)
	}
	if slices.ContainsFunc(options, func(o string) bool { return o == "--files" || strings.HasPrefix(o, "--files=") }) {
		return cmdline.Usagef("--spark has --files, which brings the program to the executors")
	}
	log := w.c.App.ErrWriter
	if w.c.Bool("quiet") {
		log = io.Discard
	} else {
		fmt.Fprintf(log, "%s in %s of a Spark job\n", quantity.Counted(int64(h.cells), "cells"), quantity.Counted(int64(len(h.parts)), "tasks"))
	}
	s := on.Spark{Submit: w.c.String("spark-submit"), Program: h.program, Plan: h.plan, Dir: h.dir, Options: options}
	if err := s.Run(w.c.Context, h.parts, log); err != nil {
		return err
	}
	return w.p.merge(w.c, []sweep.Store{w.store}, "", false, formats)
}

// someRequests wants what a pod may request.
func someRequests(value string) error {
	_, err := on.ParseRequests(value)
	return err
}

// manifests are the Jobs that were written for Kubernetes.
type manifests struct {
	Cells    int      `json:"cells"`
	Indices  int      `json:"indices"`
	Job      string   `json:"job"`      // name of the Indexed Job
	Merge    string   `json:"merge"`    // and of the one that merges
	Commands []string `json:"commands"` // that run them
}

// onKubernetes writes the Jobs and says how they are run. No API server takes part.
func (w *sweeping) onKubernetes(h *handed) error {
	root := w.c.String("volume")
	if root == "" {
		root = "."
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	paths := []string{h.dir}
	for _, s := range w.sources {
		path, err := filepath.Abs(s.dir)
		if err != nil {
			return err
		}
		paths = append(paths, path)
	}
	for _, path := range paths {
		if below, err := filepath.Rel(root, path); err != nil || below == ".." || strings.HasPrefix(below, ".."+string(os.PathSeparator)) {
			return cmdline.Usagef("%s is not below --volume %s: the pods see nothing else", path, root)
		}
	}
	requests, _ := on.ParseRequests(w.c.String("requests")) // the flag takes no other
	k := on.Kubernetes{Image: w.c.String("image"), Claim: w.c.String("claim"), Root: root, Plan: h.plan, Dir: h.dir, Namespace: w.c.String("namespace"),
		Queue: w.c.String("queue"), Requests: requests, Throttle: w.c.Int("throttle")}
	m := manifests{Cells: h.cells, Indices: len(h.parts)}
	if m.Job, m.Merge, err = k.Write(h.parts); err != nil {
		return err
	}
	m.Commands = k.Commands(m.Job)
	if w.c.Bool("json") {
		return cmdline.WriteJSON(w.c.App.Writer, m)
	}
	_, err = fmt.Fprintf(w.c.App.Writer, "%s in %s of Job %s, written to %s and sent nowhere. With that folder on the volume:\n  %s\nThe same command writes Jobs for what fails.\n",
		quantity.Counted(int64(h.cells), "cells"), quantity.Counted(int64(len(h.parts)), "indices"), m.Job, filepath.Join(w.store.Dir, sweep.KubernetesFolder), strings.Join(m.Commands, "\n  "))
	return err
}
