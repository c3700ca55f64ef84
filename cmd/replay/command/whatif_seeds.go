package command

import (
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"

	"replay/cmd/replay/cmdline"
	"replay/cmd/replay/resultcmd"
	"replay/report/compare"
	"replay/report/inference"
	"replay/report/quantity"
)

// overSeeds replays a result with and without a change under several seeds, its own and those after it, and compares what came of them in pairs.
func (p *program) overSeeds(c *cli.Context, again *stored, more []string) error {
	study, err := compare.New([]compare.Variant{{Name: "before"}, {Name: "after", Flags: quoted(more)}}, compare.Options{Unit: inference.Seed, Margin: compare.DefaultMargin})
	if err != nil {
		return err
	}
	seeds, first := c.Int("seeds"), again.manifest.Seed
	var done atomic.Int64
	stop := cmdline.WatchShare(c, "whatif", func(time.Duration) (float64, string) {
		all := int64(2 * seeds)
		return float64(done.Load()) / float64(all), fmt.Sprintf("%d of %s done", done.Load(), quantity.Counted(all, "replays"))
	})
	defer stop()
	workers := workersOf(c)
	for from := 0; from < seeds; from += workers { // in batches: what is compared is not kept
		batch := make([][2]quietly, min(workers, seeds-from))
		g, ctx := errgroup.WithContext(c.Context)
		g.SetLimit(workers)
		for i := range batch {
			seed := []string{"--seed", strconv.FormatUint(first+uint64(from+i), 10)}
			for side, words := range [2][]string{seed, append(seed[:2:2], more...)} {
				g.Go(func() error {
					defer done.Add(1)
					return p.replayAgain(ctx, again.args, words, &batch[i][side])
				})
			}
		}
		if err := g.Wait(); err != nil {
			return err
		}
		for i := range batch {
			if err := study.Add(batch[i][0].result, batch[i][1].result); err != nil {
				return err
			}
		}
	}
	compared, err := study.Compare()
	if err != nil {
		return err
	}
	if !c.Bool("json") {
		fmt.Fprintf(c.App.Writer, "Changed: %s\nReplayed with and without it under %s, from %d on, each pair on the same random streams.\n\n", quoted(more), quantity.Counted(int64(seeds), "seeds"), first)
	}
	return resultcmd.PrintComparison(c, compared)
}
