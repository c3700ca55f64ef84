package command

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/urfave/cli/v2"

	"replay/engine"
	"replay/engine/record"
	"replay/report"
	"replay/report/compare"
)

func compareCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "replay the same trace under each variant with the same random streams; table, plots, verdict",
		ArgsUsage: "TRACE",
		Description: `Examples:
   replay compare traces/fair-weights --variant 'locality: --placement locality-ratio' --variant 'naive: --placement naive' --seeds 5 --out out/cmp
   replay compare traces/drf-mixed-sizes --seeds 5 --variant 'fair: --sharing fair' --variant 'drf: --sharing drf'
   replay compare --from out/cmp/comparison.json --out out/again

The other variants are compared with the first. Flags outside --variant apply to all of them.`,
		Flags: append(append(scenarioFlags(p.policies), progressFlags()...),
			with(&cli.StringSliceFlag{Name: "variant", Usage: "`'NAME: FLAGS'` of run (repeatable, two or more)"}, func(text string) error {
				_, err := p.splitVariant(text)
				return err
			}),
			with(&cli.IntFlag{Name: "seeds", Usage: "replay each variant with `K` seeds, from --seed on; one says nothing of chance", Value: 1}, from1To(10_000)),
			with(&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "how many replays run at once", DefaultText: "all cores"}, from1To(math.MaxInt32)),
			&cli.StringFlag{Name: "out", Usage: "`DIR`ectory for the comparison"},
			formatsFlag("svg,png,pdf"),
			fromFlag("comparison.json"),
			&cli.BoolFlag{Name: "results", Usage: "with --out: also keep the result of each replay, in runs/NAME/seed-N"},
			allowFailures(),
			&cli.BoolFlag{Name: "all", Usage: "print every metric, not only the headline ones"},
			&cli.BoolFlag{Name: "json", Usage: "print the comparison as JSON"},
		),
		Action: p.compare,
	}
}

func (p *program) compare(c *cli.Context) error {
	if c.IsSet("from") {
		return p.again(c)
	}
	if c.NArg() != 1 {
		return usagef("compare wants one TRACE directory, got %d arguments", c.NArg())
	}
	if len(c.StringSlice("variant")) < 2 {
		return usagef("compare wants two --variant or more, got %d", len(c.StringSlice("variant")))
	}
	seeds := c.Int("seeds")
	out := c.String("out")
	keep := c.Bool("results")
	if keep && out == "" {
		return usagef("--results wants --out, the directory to keep them in")
	}
	if out != "" { // before the work, not after it
		if err := compare.CheckDir(out, keep); err != nil {
			return err
		}
	}
	base, err := p.readOptions(c, p.options())
	if err != nil {
		return err
	}
	variants, err := p.parseVariants(c.StringSlice("variant"), base)
	if err != nil {
		return err
	}
	formats, err := plotFormats(c.String("formats"))
	if err != nil {
		return err
	}
	if err := p.checkVariants(c.Args().First(), variants); err != nil {
		return err
	}
	temp := ""
	if keep {
		if err := os.MkdirAll(filepath.Dir(filepath.Clean(out)), 0o755); err != nil {
			return err
		}
		if temp, err = os.MkdirTemp(filepath.Dir(filepath.Clean(out)), ".runs-"); err != nil {
			return err
		}
		defer os.RemoveAll(temp)
	}
	results, err := p.replayAll(c, variants, seeds, temp)
	if err != nil {
		return err
	}
	var sides []compare.Variant
	var warnings []record.Warning
	for i, v := range variants {
		sides = append(sides, compare.Variant{Name: v.name, Flags: v.flags, Runs: results[i]})
		for _, w := range results[i][0].Manifest.Warnings { // seeds and variants mostly warn of the same
			if !slices.ContainsFunc(warnings, func(x record.Warning) bool { return x.Text == w.Text }) {
				warnings = append(warnings, w)
			}
		}
	}
	printWarnings(c, warnings)
	cmp, err := compare.Of(sides, compare.Options{Margin: compare.DefaultMargin})
	if err != nil {
		return err
	}
	cmp.Made = p.made()
	if out != "" {
		more := map[string]string{}
		if temp != "" {
			more["runs"] = temp
		}
		if err := cmp.WriteDir(out, formats, more); err != nil {
			return err
		}
	}
	var text bytes.Buffer
	if c.Bool("json") {
		js, err := cmp.JSON()
		if err != nil {
			return err
		}
		text.Write(js)
	} else {
		cmp.WriteText(&text, c.Bool("all"))
	}
	if _, err := c.App.Writer.Write(text.Bytes()); err != nil {
		return err
	}
	if out != "" && !c.Bool("quiet") {
		fmt.Fprintf(c.App.ErrWriter, "wrote %s\n", out)
	}
	var names []string
	for _, v := range variants {
		names = append(names, v.name)
	}
	return checkOutcome(c, names, cmp.Outcomes...)
}

// replayAll replays every variant with every seed, several at a time; results are by variant, then seed.
// With temp, each replay's result is written there. The order in which replays end has no influence on anything.
func (p *program) replayAll(c *cli.Context, variants []variant, seeds int, temp string) ([][]*report.Result, error) {
	ctx, cancel := context.WithCancelCause(c.Context)
	defer cancel(nil)
	results := make([][]*report.Result, len(variants))
	for i := range results {
		results[i] = make([]*report.Result, seeds)
	}
	workers := c.Int("jobs")
	if !c.IsSet("jobs") {
		workers = runtime.GOMAXPROCS(0)
	}
	type cell struct{ variant, seed int }
	cells := make(chan cell)
	var wg sync.WaitGroup
	progress := make([]engine.Progress, len(variants)*seeds)
	var done atomic.Int64
	defer watchAll(c, "compare", progress, &done)()
	for range min(workers, len(variants)*seeds) {
		wg.Go(func() {
			for w := range cells {
				v := variants[w.variant]
				o := v.options
				o.Seed += uint64(w.seed)
				label := fmt.Sprintf("%s, seed %d", v.name, o.Seed)
				out := ""
				if temp != "" {
					out = filepath.Join(temp, v.name, fmt.Sprintf("seed-%d", o.Seed))
				}
				r, err := p.replayOnce(ctx, c.Args().First(), o, out, report.Options{HTML: true}, &progress[w.variant*seeds+w.seed], p.madeAlone(v, o.Seed))
				if err != nil {
					cancel(fmt.Errorf("%s: %w", label, err))
					return
				}
				results[w.variant][w.seed] = r
				done.Add(1)
			}
		})
	}
feed:
	for s := range seeds {
		for v := range variants {
			select {
			case cells <- cell{v, s}:
			case <-ctx.Done():
				break feed
			}
		}
	}
	close(cells)
	wg.Wait()
	return results, context.Cause(ctx)
}
