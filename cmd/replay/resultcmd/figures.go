package resultcmd

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/report/figure"
	"replay/report/paper"
	"replay/shown"
)

// Figures makes the figures of a paper again from stored results.
func Figures() *cli.Command {
	return &cli.Command{
		Name:      "figures",
		Usage:     "make the figures and tables of a paper from stored results, with their data",
		ArgsUsage: "RESULT...",
		Description: `Examples:
   replay figures out/run --out paper --width 3.3in --size 8 --no-title --caption
   replay figures out/fair out/drf --out paper --grey --font serif
   replay figures out/cmp --out paper --caption

Of one RESULT its own figures; of several, each of them a variant as for report --compare, those of their comparison, and so of a comparison that kept its results
(replay compare --results), with the intervals over its seeds, traces or windows. Every figure has its data
beside it as CSV and Parquet, and a Vega-Lite specification that reads the CSV; figures.tex and figures.md include all of them, metrics.tex and
metrics.md are the headline metrics, values.csv and values.parquet hold every value: run, variant, seed, metric, unit, value.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Usage: "write to `DIR`"},
			cmdline.With(&cli.StringFlag{Name: "width", Usage: "of each figure, such as 3.3in, 8.4cm or 240pt", DefaultText: "5.4in"}, func(text string) error { _, err := parseLength(text); return err }),
			cmdline.With(&cli.Float64Flag{Name: "size", Usage: "of the text of axes, in `POINTS`; lines and marks go with it", DefaultText: "10"}, cmdline.Positive),
			cmdline.Among(&cli.StringFlag{Name: "font", Usage: "of all text, embedded in PDF", Value: figure.Fonts[0]}, figure.Fonts...),
			&cli.BoolFlag{Name: "grey", Usage: "greys in place of colours"},
			&cli.BoolFlag{Name: "no-title", Usage: "leave titles to captions"},
			&cli.BoolFlag{Name: "caption", Usage: "write captions into figures.tex and figures.md: what a figure shows, and of what"},
			cmdline.FormatsFlag("pdf,svg"),
			&cli.BoolFlag{Name: "json", Usage: "print the figures that were made as JSON"},
		},
		Action: func(c *cli.Context) error {
			if c.String("out") == "" {
				return cmdline.Usagef("figures wants --out, the directory to write to")
			}
			if c.NArg() == 0 {
				return cmdline.Usagef("figures wants at least one result directory")
			}
			formats, err := cmdline.PlotFormats(c.String("formats"))
			if err != nil {
				return err
			}
			if len(formats) == 0 {
				return cmdline.Usagef("--formats none leaves no figures to make")
			}
			o := paper.Options{Style: figure.Style{Size: c.Float64("size"), Font: c.String("font"), Grey: c.Bool("grey"), NoTitle: c.Bool("no-title")}, Formats: formats, Captions: c.Bool("caption")}
			if c.IsSet("width") {
				o.Width, _ = parseLength(c.String("width")) // the flag takes no other
			}
			if err := o.Check(); err != nil {
				return cmdline.Usagef("%v", err)
			}
			p, err := paperOf(c, c.Args().Slice())
			if err != nil {
				return err
			}
			if err := p.Write(c.String("out"), o); err != nil {
				return err
			}
			if c.Bool("json") {
				e := json.NewEncoder(c.App.Writer)
				e.SetIndent("", "  ")
				return e.Encode(p.Figures())
			}
			t := &shown.Table{}
			for _, f := range p.Figures() {
				t.Row(f.Name, f.Title)
			}
			t.Write(c.App.Writer)
			return nil
		},
	}
}

// paperOf reads one result, or compares several.
func paperOf(c *cli.Context, dirs []string) (*paper.Paper, error) {
	if len(dirs) == 1 && !keeps(dirs[0]) {
		if _, err := os.Stat(filepath.Join(dirs[0], "run.json")); err != nil {
			return nil, cmdline.NotResult(dirs[0])
		}
		r, err := open(c, dirs[0])
		if err != nil {
			return nil, err
		}
		return paper.OfRun(filepath.Base(filepath.Clean(dirs[0])), r), nil
	}
	variants, comparison, err := compared(c, dirs)
	if err != nil {
		return nil, err
	}
	return paper.OfComparison(comparison, variants), nil
}

// parseLength reads a length in inches, centimetres, millimetres or points, and returns points.
func parseLength(text string) (float64, error) {
	for unit, points := range map[string]float64{"in": 72, "cm": 72 / 2.54, "mm": 72 / 25.4, "pt": 1} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			if x, err := strconv.ParseFloat(strings.TrimSpace(number), 64); err == nil && x > 0 && x < 1e5 {
				return x * points, nil
			}
		}
	}
	return 0, errors.New("want a length such as 3.3in, 8.4cm, 84mm or 240pt")
}
