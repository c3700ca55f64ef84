package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/report"
	"replay/report/parting"
	"replay/report/quantity"
	"replay/report/result"
	"replay/trace"
)

func whatifCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "whatif",
		Usage:     "change one thing in a finished run, replay it, and say what moved and for whom",
		ArgsUsage: "RESULT",
		Description: `Examples:
   replay whatif out/run --change 'without job 7'
   replay whatif out/run --change 'container 3 of job 2 not on node05'
   replay whatif out/run --conf spark.locality.wait=0s --out out/changed
   replay whatif out/run --regret 20

A --change is one of ` + scenario.Changes + `;
any flag of replay run changes the result, too, and wins over the one that it was made with: --reload 10m=next.xml puts an allocation file into force
from then on. The result is replayed from its beginning, which is the same up to the change, since replays are deterministic: no checkpoint is kept.
Exit code 0, whether anything moves or not.`,
		Flags: append(append(scenarioFlags(p.policies), cmdline.ProgressFlags()...),
			&cli.StringFlag{Name: "out", Usage: "`DIR`ectory for the result with the change"},
			cmdline.With(&cli.IntFlag{Name: "regret", Usage: "for `K` allocations, spread over the run: what would another place have gained?"}, cmdline.From1To(10_000)),
			&cli.StringFlag{Name: "job", Usage: "with --regret, allocations of this `JOB` alone"},
			&cli.StringFlag{Name: "trace", Usage: "`DIR` of the trace of the result", DefaultText: "looked for here and beside the result"},
			&cli.BoolFlag{Name: "json", Usage: "print the answer as JSON"}),
		Action: p.whatif,
	}
}

// ofWhatif are the flags of whatif that say nothing of the change.
var ofWhatif = []string{"out", "regret", "job", "trace", "json", "quiet", "q", "progress", "color"}

func (p *program) whatif(c *cli.Context) error {
	if c.NArg() != 1 {
		return cmdline.Usagef("whatif wants one RESULT directory, got %s", quantity.Counted(int64(c.NArg()), "arguments"))
	}
	again, err := resultAgain(c.Args().First(), c.String("trace"))
	if err != nil {
		return err
	}
	more := p.words.Without(ofWhatif)
	if c.IsSet("regret") {
		if len(more) > 0 {
			return cmdline.Usagef("--regret makes changes of its own: it has no place beside %s", strings.Join(more, " "))
		}
		return p.regret(c, again.args)
	}
	if c.IsSet("job") {
		return cmdline.Usagef("--job has a meaning with --regret alone")
	}
	changed := again.args
	if out := c.String("out"); out != "" {
		changed = append(slices.Clone(changed), "--out", out)
	}
	if len(more) == 0 {
		if c.IsSet("out") {
			if err := p.replayAgain(c.Context, append(changed, "--allow-failures"), nil, nil); err != nil {
				return withTraceFlag(err, c)
			}
		}
		if c.Bool("json") {
			return cmdline.WriteJSON(c.App.Writer, &parting.Answer{})
		}
		_, err := fmt.Fprintf(c.App.Writer, "Nothing is changed: the replay is the same, with the decision hash %s.\n", again.manifest.DecisionHash)
		return err
	}
	sides := [2]diffSide{{name: "before", hash: again.manifest.DecisionHash, args: again.args}, {name: "after", args: changed, more: more}}
	if !c.Bool("json") {
		fmt.Fprintf(c.App.Writer, "Changed: %s\nReplayed from the beginning, which is the same up to the change.\n\n", strings.Join(more, " "))
	}
	_, err = p.part(c, sides, c.App.Writer)
	return withTraceFlag(err, c)
}

// quietly is a replay of which nothing but its result is wanted, and of what was allocated if that is.
type quietly struct {
	keeps     bool
	allocated []record.Decision
	nodes     []trace.Node
	result    *report.Result
}

func (q *quietly) decisions() bool        { return q.keeps }
func (q *quietly) ended(r *report.Result) { q.result = r }

func (q *quietly) sink(to record.Sink, sc *scenario.Scenario) record.Sink {
	q.nodes = sc.Input.Nodes
	if !q.keeps {
		return to
	}
	return &allocations{to, q}
}

type allocations struct {
	record.Sink
	hears *quietly
}

func (a *allocations) Decision(d *record.Decision) {
	a.Sink.Decision(d)
	if d.Kind == "allocate" && d.AMAttempt == 1 {
		a.hears.allocated = append(a.hears.allocated, *d)
	}
}

// regretted is an allocation with what another place would have gained.
type regretted struct {
	Job       string  `json:"job"`
	Queue     string  `json:"queue"`
	Container int64   `json:"container"`
	Host      string  `json:"host"`
	AtMS      int64   `json:"at_ms"`
	OwnMS     int64   `json:"job_ends_earlier_ms"`
	MeanMS    float64 `json:"mean_duration_shorter_ms"`
	Change    string  `json:"change"`
}

// regret replays once for each of some allocations, with the container anywhere but where it was.
func (p *program) regret(c *cli.Context, args []string) error {
	replay := func(q *quietly, more []string) error {
		return withTraceFlag(p.replayAgain(c.Context, args, more, q), c)
	}
	base := &quietly{keeps: true}
	if err := replay(base, nil); err != nil {
		return err
	}
	data := base.result.Data
	if name := c.String("job"); name != "" {
		id, err := jobCalled(data, name)
		if err != nil {
			return err
		}
		base.allocated = slices.DeleteFunc(base.allocated, func(d record.Decision) bool { return d.Job != id })
	}
	all := len(base.allocated)
	k := min(c.Int("regret"), all)
	names := parting.NamesOf(parting.Named{Jobs: data.Jobs, Nodes: base.nodes})
	var rows []regretted
	for i := range k {
		d := &base.allocated[i*all/k]
		host, _, _ := names.Node(d.Node)
		name, queue := names.Job(d.Job)
		r := regretted{Job: name, Queue: queue, Container: d.Container, Host: host, AtMS: d.Time,
			Change: fmt.Sprintf("container %d of job %d not on %s", d.Container, d.Job, host)}
		other := &quietly{}
		if err := replay(other, []string{"--change", r.Change}); err != nil {
			return err
		}
		r.OwnMS, r.MeanMS = gained(data, other.result.Data, d.Job)
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b regretted) int { return cmp.Compare(b.MeanMS, a.MeanMS) })
	if c.Bool("json") {
		return cmdline.WriteJSON(c.App.Writer, rows)
	}
	fmt.Fprintf(c.App.Writer, "%s of %s, each replayed with the container anywhere but where it was.\nRegret is local: it is what one other decision would have changed in this replay, not what a rule that decides so would.\n\n",
		quantity.Counted(int64(k), "allocations"), quantity.Thousands(int64(all)))
	t := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "mean duration\tthe job ends\tallocation")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%s\tcontainer %d of %s in %s on %s at %s\n", quantity.MS.Difference(-r.MeanMS), quantity.MS.Difference(float64(-r.OwnMS)), r.Container, r.Job, r.Queue, r.Host, quantity.Duration(float64(r.AtMS)))
	}
	return t.Flush()
}

// gained returns how much earlier a job ends, and how much shorter jobs take on average, over those that end in both replays.
func gained(before, after *result.Data, job int64) (own int64, mean float64) {
	ends := make(map[int64]int64, len(after.Jobs))
	for i := range after.Jobs {
		ends[after.Jobs[i].ID] = after.Jobs[i].Finish
	}
	n := 0
	for i := range before.Jobs {
		j := &before.Jobs[i]
		end, ok := ends[j.ID]
		if !ok || !result.Happened(end) || !result.Happened(j.Finish) {
			continue
		}
		n++
		mean += float64(j.Finish - end)
		if j.ID == job {
			own = j.Finish - end
		}
	}
	return own, quantity.Over(mean, float64(n))
}
