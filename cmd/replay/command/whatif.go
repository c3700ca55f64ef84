package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/engine/scenario"
	"replay/report/parting"
	"replay/report/quantity"
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
			cmdline.With(&cli.IntFlag{Name: "regret", Usage: "for `K` allocations, spread over the run: what would each other node, and each other application in that room, have gained?"}, cmdline.From1To(10_000)),
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
	intro := fmt.Sprintf("Changed: %s\nReplayed from the beginning, which is the same up to the change.\n\n", quoted(more))
	_, err = p.part(c, sides, intro)
	return withTraceFlag(err, c)
}
