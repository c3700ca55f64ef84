package command

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/report"
	"replay/report/checkpoint"
	"replay/report/parting"
	"replay/report/quantity"
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
   replay whatif out/run --nodes -10%
   replay whatif out/run --conf spark.locality.wait=0s --out out/changed
   replay whatif out/run --conf spark.locality.wait=0s --seeds 10
   replay whatif out/run --regret 20

A --change is one of ` + scenario.Changes + `;
any flag of replay run changes the result, too, and wins over the one that it was made with: --reload 10m=next.xml puts an allocation file into force
from then on. A result with checkpoints (replay run --checkpoint-at, --checkpoint-every) is replayed from the latest one before the change can have an effect, another from its beginning.
Exit code 0, whether anything moves or not.`,
		Flags: append(append(p.settings.Flags(), cmdline.ProgressFlags()...),
			&cli.StringFlag{Name: "out", Usage: "`DIR`ectory for the result with the change"},
			cmdline.With(&cli.IntFlag{Name: "regret", Usage: "for `K` allocations, spread over the run: what would each other node, and each other application in that room, have gained?"}, cmdline.From1To(10_000)),
			cmdline.With(&cli.IntFlag{Name: "seeds", Usage: "replay with and without the change under `K` seeds, from that of the result on, and compare them in pairs, with intervals; fewer than 5 give no verdict"}, cmdline.From1To(10_000)),
			&cli.StringFlag{Name: "job", Usage: "with --regret, allocations of this `JOB` alone"},
			&cli.StringFlag{Name: "trace", Usage: "`DIR` of the trace of the result", DefaultText: "looked for here and beside the result"},
			&cli.BoolFlag{Name: "json", Usage: "print the answer as JSON"}),
		Action: p.whatif,
	}
}

// ofWhatif are the flags of whatif that say nothing of the change.
var ofWhatif = []string{"out", "regret", "seeds", "job", "trace", "json", "quiet", "q", "progress", "color"}

func (p *program) whatif(c *cli.Context) error {
	if c.NArg() != 1 {
		return cmdline.Usagef("whatif wants one RESULT directory, got %s", quantity.Counted(int64(c.NArg()), "arguments"))
	}
	again, err := resultAgain(c.Args().First(), c.String("trace"))
	if err != nil {
		return err
	}
	if err := p.nodesOf(&again.manifest); err != nil {
		return err
	}
	more := p.words.Without(ofWhatif)
	if c.IsSet("seeds") {
		switch {
		case c.IsSet("out") || c.IsSet("regret"):
			return cmdline.Usagef("--seeds compares replays with and without one change, and keeps none: it has no place beside --out and --regret; replay compare --out keeps a comparison")
		case c.IsSet("seed"):
			return cmdline.Usagef("--seeds takes the seeds from that of the result on: it has no place beside --seed")
		case len(more) == 0:
			return cmdline.Usagef("--seeds wants a change, such as --change 'without job 7' or --conf spark.locality.wait=0s")
		}
		return p.overSeeds(c, again, more)
	}
	if c.IsSet("regret") {
		if c.IsSet("out") {
			return cmdline.Usagef("--out is for the result of one change: with --regret no result is kept")
		}
		if len(more) > 0 {
			return cmdline.Usagef("--regret makes changes of its own: it has no place beside %s", strings.Join(more, " "))
		}
		return p.regret(c, again)
	}
	if c.IsSet("job") {
		return cmdline.Usagef("--job has a meaning with --regret alone")
	}
	changed := again.args
	if out := c.String("out"); out != "" {
		changed = append(slices.Clone(changed), "--out", out)
	}
	list, err := p.unchanged(again, c)
	if err != nil {
		return err
	}
	if len(more) == 0 {
		if c.IsSet("out") {
			err := fromOne(list, func(from kept) error {
				return p.replayAgain(c.Context, append(restored(changed, from.dir), "--allow-failures"), nil, nil)
			})
			if err != nil {
				return err
			}
		}
		if c.Bool("json") {
			return cmdline.WriteJSON(c.App.Writer, &partingAnswer{Answer: &parting.Answer{}})
		}
		_, err := fmt.Fprintf(c.App.Writer, "Nothing is changed: the replay is the same, with the decision hash %s.\n", again.manifest.DecisionHash)
		return err
	}
	return fromOne(list, func(from kept) error {
		sides := [2]diffSide{{name: "before", hash: again.manifest.DecisionHash, args: restored(again.args, from.dir)}, {name: "after", args: restored(changed, from.dir), more: more}}
		how := "Replayed from the beginning, which is the same up to the change."
		if from.Header != nil {
			how = fmt.Sprintf("Replayed from the checkpoint at %s, up to which nothing changes; decisions are counted from there on.", checkpoint.Name(from.AtMS))
		}
		_, err := p.part(c, sides, fmt.Sprintf("Changed: %s\n%s\n\n", quoted(more), how))
		return err
	})
}

// nodesOf makes a number of nodes that --nodes says by that of a result one of its own: the replay that is changed may have another than the trace.
func (p *program) nodesOf(m *record.Manifest) error {
	for i := range p.words.Flags {
		f := &p.words.Flags[i]
		if f.Name != "nodes" {
			continue
		}
		_, by, err := scenario.ParseNodes(f.Value)
		if err != nil || by == (scenario.NodesBy{}) {
			continue // the flag says what it wants
		}
		n, err := by.Of(m.Nodes)
		if err != nil {
			return cmdline.Usagef("--nodes is %q, %w", f.Value, err)
		}
		f.Value = strconv.Itoa(n)
	}
	return nil
}

// restored are the words of a replay that goes on from a checkpoint, "" for the beginning.
func restored(args []string, from string) []string {
	if from == "" {
		return args
	}
	return slices.Concat(args, []string{"--restore", from})
}

// quietly is a replay of which nothing but its result and what was allocated and ended is wanted.
type quietly struct {
	record.Sink
	decided []record.Decision
	nodes   []trace.Node
	result  *report.Result
}

func (q *quietly) decisions() bool        { return true }
func (q *quietly) ended(r *report.Result) { q.result = r }

func (q *quietly) sink(to record.Sink, sc *scenario.Scenario) record.Sink {
	q.Sink, q.nodes = to, sc.Input.Nodes
	return q
}

// Decision is part of [record.Sink].
func (q *quietly) Decision(d *record.Decision) {
	q.Sink.Decision(d)
	if d.Kind == allocates || d.Kind == "complete" {
		q.decided = append(q.decided, *d)
	}
}
