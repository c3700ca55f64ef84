package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/engine/depend"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/report"
	"replay/report/explain"
	"replay/report/metric"
	"replay/report/parting"
	"replay/report/quantity"
	"replay/report/result"
	"replay/shown"
)

func explainCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "say where the time of an application went, and what each part of it waited for",
		ArgsUsage: "RESULT [JOB…]",
		Description: `Examples:
   replay explain out/run 7
   replay explain out/run --worst wait --top 3
   replay explain out/run --queue root.etl

A result of replay run --explain has its explanations. Any other is replayed again from its run.json, and why applications wait is noted on the way. The parts of a job follow one another from its
submission to its end and sum to the whole. A JOB is its number, its name, or the id that it was recorded under. Of many jobs (--queue, --all) it
says which causes make up their waits.`,
		Flags: append(cmdline.ProgressFlags(),
			cmdline.Among(&cli.StringFlag{Name: "worst", Usage: "explain the jobs with the longest `wait` for their first task, or the largest slowdown"}, "wait", "slowdown"),
			cmdline.With(&cli.IntFlag{Name: "top", Value: 1, Usage: "how many `JOBS` --worst means"}, cmdline.From1To(math.MaxInt32)),
			&cli.StringFlag{Name: "queue", Usage: "jobs of this `QUEUE`, by its path or the end of it, and those below it"},
			&cli.BoolFlag{Name: "all", Usage: "all jobs"},
			cmdline.With(&cli.StringFlag{Name: "executors", Value: "10%..500%", Usage: "`FROM%..TO%` of the executors that a job had: the span of the curve of its time over executors"}, func(text string) error {
				_, err := parseShares(text)
				return err
			}),
			&cli.BoolFlag{Name: "if", Usage: "replay again without each of the main causes of a job, and say when it would have started or ended"},
			&cli.StringFlag{Name: "trace", Usage: "`DIR` of the trace of the result", DefaultText: "looked for here and beside the result"},
			&cli.BoolFlag{Name: "json", Usage: "print the answer as JSON, with every part"}),
		Action: p.explain,
	}
}

// parseShares reads FROM%..TO% and returns the points of the curve.
func parseShares(text string) ([]float64, error) {
	from, to, ok := strings.Cut(text, "..")
	var ends [2]float64
	for i, side := range []string{from, to} {
		x, err := strconv.ParseFloat(strings.TrimSuffix(side, "%"), 64)
		if !ok || err != nil || !strings.HasSuffix(side, "%") || !(x >= 1e-6 && x <= 1e6) {
			return nil, errors.New("want FROM%..TO%, such as 10%..500%")
		}
		ends[i] = x / 100
	}
	if ends[0] > ends[1] {
		return nil, errors.New("which begins with the larger share")
	}
	points := []float64{ends[0]}
	for _, x := range []float64{0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 20, 50, 100} {
		if x > ends[0] && x < ends[1] {
			points = append(points, x)
		}
	}
	if ends[1] > ends[0] {
		points = append(points, ends[1])
	}
	return points, nil
}

func (p *program) explain(c *cli.Context) error {
	if c.NArg() == 0 {
		return cmdline.Usagef("explain wants a RESULT directory, and a JOB or --worst, --queue or --all")
	}
	if c.IsSet("top") && !c.IsSet("worst") {
		return cmdline.Usagef("--top is how many jobs --worst means: want --worst wait or --worst slowdown")
	}
	again, err := resultAgain(c.Args().First(), c.String("trace"))
	if err != nil {
		return err
	}
	data, err := result.ReadJobs(again.dir)
	if err != nil {
		return err
	}
	wanted, of, err := chosenJobs(c, data, func(name string) string { return again.unsubmitted(data, c.String("trace"), name) })
	if err != nil {
		return err
	}
	e := &explaining{wanted: wanted, all: &data.Jobs, names: parting.NamesOf(parting.Named{Jobs: &data.Jobs})}
	if of == "" {
		e.shares, _ = parseShares(c.String("executors")) // the flag takes no other
	} else {
		for _, name := range []string{"if", "executors"} {
			if c.IsSet(name) {
				return cmdline.Usagef("--%s is about single jobs: name one, or choose by --worst", name)
			}
		}
	}
	if data.HasExplained() && !c.IsSet("executors") && !c.Bool("if") {
		if err := e.read(again.dir, data); err != nil {
			return err
		}
	} else if err := p.explainAgain(c, again, e); err != nil {
		return err
	}
	if c.Bool("if") {
		if err := p.withoutCauses(c, again, e); err != nil {
			return err
		}
	}
	return e.write(c, of)
}

// explainAgain replays a result and explains the jobs that are wanted.
func (p *program) explainAgain(c *cli.Context, again *stored, e *explaining) error {
	if err := p.replayAgain(c.Context, again.args, nil, e); err != nil {
		return err
	}
	m := &e.result.Manifest
	if got := m.DecisionHash; got != again.manifest.DecisionHash && !c.Bool("quiet") {
		fmt.Fprintf(c.App.ErrWriter, "warning: %s has the decision hash %s, and made again %s: another program made it, and what follows is about the replay of this one\n", again.dir, again.manifest.DecisionHash, got)
	}
	if err := e.keeper.End(m.Totals.EndMS); err != nil {
		return err
	}
	e.manifest, e.jobs, e.totals, e.all, e.names = m, e.keeper.Jobs, e.keeper.Totals, &e.result.Jobs, e.keeper.Names(&e.result.Jobs)
	return nil
}

// chosenJobs returns the jobs to be explained, in order; of says which they are when it is their sum that is wanted. Why a job that is called so is not there says unsubmitted, if it can.
func chosenJobs(c *cli.Context, data *result.Data, unsubmitted func(name string) string) (ids []int64, of string, err error) {
	names := c.Args().Tail()
	ways := 0
	for _, given := range []bool{len(names) > 0, c.IsSet("worst"), c.Bool("all") || c.IsSet("queue") && !c.IsSet("worst")} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return nil, "", cmdline.Usagef("explain wants one of: a JOB, --worst, --queue, --all")
	}
	for _, name := range names {
		id, err := cmdline.JobCalled(name, "the result", calledOf(data))
		if err != nil {
			if why := unsubmitted(name); why != "" {
				return nil, "", cmdline.Usagef("%s", why)
			}
			if other := noJobBut(data, name); other != "" {
				return nil, "", cmdline.Usagef("%s", other)
			}
			return nil, "", cmdline.Usagef("%w; --worst wait finds one", err)
		}
		ids = append(ids, id)
	}
	if ids != nil {
		return ids, "", nil
	}
	queue, err := queueCalled(data, c.String("queue"))
	if err != nil {
		return nil, "", err
	}
	type measured struct {
		id   int64
		long float64
	}
	measure := func(j *result.Job) float64 {
		switch {
		case c.String("worst") == "slowdown" && !result.Happened(j.Finish):
			return math.Inf(1)
		case c.String("worst") == "slowdown":
			return j.SlowedDown(float64(j.Finish - j.Submit))
		case result.Happened(j.FirstTask):
			return float64(j.FirstTask - j.Submit)
		case result.Happened(j.Finish):
			return float64(j.Finish - j.Submit)
		}
		return float64(data.Manifest.Totals.EndMS - j.Submit)
	}
	var jobs []measured
	for j := range data.Jobs.All() {
		if queue == "" || j.Queue == queue || strings.HasPrefix(j.Queue, queue+".") {
			jobs = append(jobs, measured{j.ID, measure(j)})
		}
	}
	if len(jobs) == 0 {
		return nil, "", errors.New("the result has no job to explain: none was submitted")
	}
	if c.IsSet("worst") {
		slices.SortStableFunc(jobs, func(a, b measured) int { return cmp.Compare(b.long, a.long) })
		jobs = jobs[:min(len(jobs), c.Int("top"))]
	} else if of = " of the result"; queue != "" {
		of = " in " + queue
	}
	for _, j := range jobs {
		ids = append(ids, j.id)
	}
	return ids, of, nil
}

// noJobBut says what else a name stands for that no job has: a queue, whose jobs can be explained, or a node, of which the tables tell; "" for neither.
func noJobBut(data *result.Data, name string) string {
	if queue, err := queueCalled(data, name); err == nil && queue != "" {
		return fmt.Sprintf("%q is no job but the queue %s: --queue %[2]s says which causes make up the waits of its jobs", name, queue)
	}
	if slices.Contains(data.Manifest.Hosts, name) {
		return fmt.Sprintf("%q is no job but a node: what ran on it is in containers.parquet and tasks.parquet of the result (column node, whose host nodes.parquet has) and in the plot timeline_nodes; --worst wait finds a job", name)
	}
	return ""
}

// namedQueues is how many queues an error names.
const namedQueues = 8

// onlyIn says which queues there are, "" for none.
func onlyIn(queues []string) string {
	if len(queues) == 0 {
		return ""
	}
	queues, more := cmdline.Named(queues, namedQueues)
	return ", only in " + strings.Join(queues, ", ") + more
}

// queueCalled finds a queue that jobs ran in, or one above it, by its path, with or without root, or by the end of it where there is one alone.
func queueCalled(data *result.Data, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	var queues []string // with those above them
	for j := range data.Jobs.All() {
		for path := j.Queue; !slices.Contains(queues, path); {
			queues = append(queues, path)
			if dot := strings.LastIndexByte(path, '.'); dot > 0 {
				path = path[:dot]
			}
		}
	}
	slices.Sort(queues)
	for _, path := range []string{name, "root." + name} {
		if slices.Contains(queues, path) {
			return path, nil
		}
	}
	var ends []string
	for _, path := range queues {
		if strings.HasSuffix(path, "."+name) {
			ends = append(ends, path)
		}
	}
	switch len(ends) {
	case 0:
		return "", cmdline.Usagef("no job ran in queue %q%s", name, cmp.Or(cmdline.Meant("", name, queues), onlyIn(queues)))
	case 1:
		return ends[0], nil
	}
	return "", cmdline.Usagef("%d queues are called %q: %s", len(ends), name, strings.Join(ends, ", "))
}

// calledOf are the jobs of a result by what they are called.
func calledOf(data *result.Data) iter.Seq[cmdline.Called] {
	return func(yield func(cmdline.Called) bool) {
		for j := range data.Jobs.All() {
			if !yield(cmdline.Called{Number: j.ID, Name: j.Name, ID: j.ExternalID}) {
				return
			}
		}
	}
}

// explaining is jobs that are explained, from a result that has their explanations or by listening to its replay.
type explaining struct {
	wanted []int64
	shares []float64 // of the curve; nil for no view
	keeper *explain.Keeper
	result *report.Result

	manifest *record.Manifest
	all      *result.Jobs
	jobs     map[int64]*explain.Job // in full, when they are not many to be summed up
	totals   explain.Totals
	names    *parting.Names
	claims   map[int64][]explain.Claim
}

func (e *explaining) decisions() bool { return false }

func (e *explaining) ended(r *report.Result) { e.result = r }

func (e *explaining) wants() func(job int64) bool {
	wanted := make(map[int64]bool, len(e.wanted))
	for _, id := range e.wanted {
		wanted[id] = true
	}
	return func(job int64) bool { return wanted[job] }
}

func (e *explaining) sink(to record.Sink, sc *scenario.Scenario) record.Sink {
	e.keeper = explain.Keep(to, sc.Input.Nodes, sc.Kind().Central, e.wants(), e.shares)
	sc.Input.Jobs = e.keeper.Watch(sc.Input.Jobs)
	return e.keeper
}

// read takes the jobs from a result that has their explanations.
func (e *explaining) read(dir string, d *result.Data) (err error) {
	e.manifest, e.jobs = &d.Manifest, map[int64]*explain.Job{}
	if d.Explained, err = result.ReadExplained(dir, &d.Manifest, e.wants()); err != nil {
		return err
	}
	for _, j := range explain.Kept(d, e.wants()) {
		e.totals.Add(j)
		if e.shares != nil {
			e.jobs[j.ID] = j
		}
	}
	return nil
}

// write prints the jobs, or the sum of many.
func (e *explaining) write(c *cli.Context, of string) error {
	n := e.names
	for id, j := range e.jobs {
		j.Held = explain.Back(e.all.Chain(id))
	}
	if c.Bool("json") {
		out := struct {
			DecisionHash string             `json:"decision_hash"`
			Jobs         []explain.Told     `json:"jobs,omitempty"`
			Totals       explain.ToldTotals `json:"totals"`
			NotSubmitted int64              `json:"jobs_not_submitted"` // of the trace, when the replay ended
			LastChain    []explain.Link     `json:"last_chain,omitempty"`
		}{DecisionHash: e.manifest.DecisionHash, Totals: e.totals.Tell(), NotSubmitted: e.manifest.TraceJobs - int64(e.all.Len())}
		if last := e.all.LastChain(); of != "" && len(last) > 1 {
			out.LastChain = explain.Links(last)
		}
		for _, id := range e.wanted {
			if j := e.jobs[id]; j != nil {
				told := j.Tell(n)
				told.Claims = e.claims[id]
				out.Jobs = append(out.Jobs, told)
			}
		}
		return cmdline.WriteJSON(c.App.Writer, out)
	}
	return shown.Whole(c.App.Writer, func(w io.Writer) {
		if of != "" {
			e.totals.WriteText(w, of)
			if n := e.manifest.TraceJobs - int64(e.all.Len()); n > 0 {
				shown.Paragraph(w, fmt.Sprintf("\nNot submitted when the replay ended, and in no number: %s more.", quantity.Counted(n, "jobs")), "")
			}
			if text := metric.LastChain(e.all); text != "" {
				shown.Paragraph(w, "\n"+text, "")
			}
		}
		for i, id := range e.wanted {
			if j := e.jobs[id]; j != nil {
				if i > 0 {
					fmt.Fprintln(w)
				}
				j.WriteText(w, n)
				explain.WriteClaims(w, e.claims[id])
			}
		}
		if len(e.claims) > 1 {
			explain.WriteClaimed(w, e.claims)
		}
		for i := range e.manifest.Warnings {
			if held := &e.manifest.Warnings[i]; of != "" && held.Code == depend.WasHeld { // of single jobs it is said how they were held back
				shown.Paragraph(w, "\nNothing is explained from before a submission: "+metric.Counted(held), "")
			}
		}
	})
}

// withoutCauses replays a result once for each main cause of the jobs that are explained, without it.
func (p *program) withoutCauses(c *cli.Context, again *stored, e *explaining) error {
	m, names := e.manifest, e.names
	cluster := &explain.Cluster{Scheduler: m.Scheduler, Nodes: m.Nodes, JobName: func(id int64) string {
		name, _ := names.Job(id)
		return name
	}}
	e.claims = map[int64][]explain.Claim{}
	replayed := map[string]*result.Data{} // by flags: a change takes several causes away, and those of several jobs
	for _, id := range e.wanted {
		j := e.jobs[id]
		if j == nil {
			continue
		}
		for _, r := range explain.Remedies(j, cluster) {
			key := quoted(r.Flags)
			if replayed[key] == nil {
				q := &quietly{}
				if err := p.replayAgain(c.Context, again.args, r.Flags, q); err != nil {
					return err
				}
				replayed[key] = &result.Data{Jobs: q.result.Data.Jobs}
			}
			claim := explain.Claim{Cause: r.Cause, If: r.Says, Of: explain.End, WasMS: j.End - j.Submit, Command: append([]string{"replay", "whatif", again.dir}, r.Flags...)}
			if r.Start {
				claim.Of, claim.WasMS = explain.FirstTask, j.Wait()
			}
			claim.AtMS = reached(replayed[key], id, r.Start, j.Outcome)
			if other := replayed[key].Jobs.Find(id); other != nil && j.DependsOn > 0 {
				claim.Sooner = j.Submit - other.Submit
			}
			e.claims[id] = append(e.claims[id], claim)
		}
	}
	return nil
}

// reached returns how long after its submission a job launches its first task, or ends; nil when it does not, or does not succeed as it did.
func reached(data *result.Data, job int64, start bool, outcome string) *int64 {
	j := data.Jobs.Find(job)
	if j == nil || !start && outcome == record.JobSucceeded && j.Outcome != record.JobSucceeded {
		return nil
	}
	at := j.Finish
	if start {
		at = j.FirstTask
	}
	if !result.Happened(at) {
		return nil
	}
	after := at - j.Submit
	return &after
}
