// Package resultcmd has the commands that look at stored results: report, report check, figures.
package resultcmd

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/engine/record"
	"replay/report"
	"replay/report/compare"
	"replay/report/compare/pictures"
	"replay/report/inference"
)

// Report makes tables, plots and pages again from result directories, or compares them.
func Report() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "write summary, plots and page of result directories again, or compare them",
		ArgsUsage: "RESULT...",
		Description: "RESULT is a directory that `replay run` wrote. Its tables are read, the metrics are computed again, and summary,\n" +
			"plots and page are written again, there or below --out. With --compare, each RESULT is a variant: a result\n" +
			"directory, or a directory of results with different seeds, also by trace as in runs/NAME of a comparison. One that\n" +
			"is a comparison with its results (replay compare --results) stands for its variants. The others are compared with\n" +
			"the first; exit codes are those of replay compare.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Usage: "write to `DIR` (with several results: DIR/NAME, of one name DIR/FOLDER/NAME) and leave the results as they are"},
			cmdline.FormatsFlag("svg,png,pdf"),
			cmdline.AllowFailures(),
			&cli.BoolFlag{Name: "compare", Usage: "compare the results"},
			&cli.BoolFlag{Name: "all", Usage: "print every metric, not only the headline ones"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON: the summary, of several results each under its name; with --compare the comparison"},
		},
		Subcommands: []*cli.Command{reportCheckCommand()},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return cmdline.Usagef("report wants at least one result directory")
			}
			formats, err := cmdline.Formats(c, !c.Bool("compare")) // results are written where they are
			if err != nil {
				return err
			}
			if c.Bool("compare") {
				return compareResults(c, formats)
			}
			dirs := c.Args().Slice()
			if c.IsSet("allow-failures") {
				return cmdline.Usagef("--allow-failures is for --compare: without it, failed jobs do not change the exit code")
			}
			names := namesOf(dirs)
			summaries := map[string]json.RawMessage{}
			for i, dir := range dirs {
				if slices.Contains(names[:i], names[i]) {
					return cmdline.Usagef("%s is given twice", dir)
				}
			}
			for i, dir := range dirs {
				if _, err := os.Stat(filepath.Join(dir, "run.json")); err != nil {
					return cmdline.NotResult(dir)
				}
				r, err := open(c, dir)
				if err != nil {
					return err
				}
				out := dir
				if o := c.String("out"); o != "" {
					if out = o; c.NArg() > 1 {
						out = filepath.Join(o, filepath.FromSlash(names[i]))
					}
				}
				if err := report.Rewrite(r, out, report.Options{Formats: formats, HTML: true}); err != nil {
					return err
				}
				if c.Bool("json") {
					summaries[names[i]] = r.JSON()
					continue
				}
				if len(dirs) > 1 {
					fmt.Fprintf(c.App.Writer, "%s%s:\n\n", strings.Repeat("\n", min(i, 1)), names[i])
				}
				r.WriteText(c.App.Writer, c.Bool("all"))
			}
			switch {
			case !c.Bool("json"):
				return nil
			case len(dirs) > 1:
				return cmdline.WriteJSON(c.App.Writer, summaries)
			}
			_, err = c.App.Writer.Write(summaries[names[0]])
			return err
		},
	}
}

// open reads a result, and says what of it was not good for it.
func open(c *cli.Context, dir string) (*report.Result, error) {
	r, err := report.Open(dir)
	if err == nil && r.Aside != "" {
		fmt.Fprintf(c.App.ErrWriter, "warning: %s\n", r.Aside)
	}
	return r, err
}

// compareResults compares the variants that the arguments name.
func compareResults(c *cli.Context, formats []string) error {
	if c.NArg() < 2 && !(c.NArg() == 1 && keeps(c.Args().First())) {
		return cmdline.Usagef("report --compare wants two or more results, got %d", c.NArg())
	}
	variants, comparison, err := compared(c, c.Args().Slice())
	if err != nil {
		return err
	}
	if out := c.String("out"); out != "" {
		if err := comparison.WriteDir(out, pictures.Of(comparison), formats, nil); err != nil {
			return err
		}
	}
	if err := PrintComparison(c, comparison); err != nil {
		return err
	}
	var names []string
	for _, v := range variants {
		names = append(names, v.Name)
	}
	return cmdline.CheckOutcome(c, names, comparison.Outcomes...)
}

// namesOf are the names of directories: the last of the path, and as much before it as tells two apart, with slashes.
func namesOf(dirs []string) (names []string) {
	var paths []string
	for _, dir := range dirs {
		path, err := filepath.Abs(dir)
		if err != nil {
			path = filepath.Clean(dir)
		}
		paths = append(paths, filepath.ToSlash(path))
	}
	for _, path := range paths {
		parts := strings.Split(path, "/")
		name := parts[len(parts)-1]
		ends := func(other string) bool { return other != path && strings.HasSuffix(other, "/"+name) }
		for k := len(parts) - 2; k > 0 && slices.ContainsFunc(paths, ends); k-- {
			name = parts[k] + "/" + name
		}
		names = append(names, name)
	}
	return names
}

// compared compares the variants that directories hold.
func compared(c *cli.Context, dirs []string) (variants []compare.Variant, comparison *compare.Comparison, err error) {
	o := compare.Options{Margin: compare.DefaultMargin}
	names := namesOf(dirs)
	if len(dirs) == 1 {
		if dirs, names, o.Margin, err = kept(dirs[0]); err != nil {
			return nil, nil, err
		}
	}
	if err := checkSeeds(dirs); err != nil {
		return nil, nil, err
	}
	for i, dir := range dirs {
		v, err := openVariant(c, dir, names[i])
		if err != nil {
			return nil, nil, err
		}
		variants = append(variants, v)
	}
	tellApart(variants)
	o.Unit = unitOf(variants[0].Runs)
	comparison, err = compare.Of(variants, o)
	return variants, comparison, err
}

// printComparison prints a comparison as text or JSON. Standard output keeps the error of a write.
func PrintComparison(c *cli.Context, comparison *compare.Comparison) error {
	if !c.Bool("json") {
		comparison.WriteText(c.App.Writer, c.Bool("all"))
		return nil
	}
	return cmdline.WriteMade(c.App.Writer, comparison.JSON)
}

// unitOf is what is drawn by chance among results: seeds, or traces or windows where there are several.
func unitOf(runs []*report.Result) inference.Unit {
	first := &runs[0].Manifest
	for _, r := range runs {
		m := &r.Manifest
		switch {
		case m.TraceHash != first.TraceHash:
			return inference.Trace
		case m.Window != nil && first.Window != nil && *m.Window != *first.Window:
			return inference.Window
		}
	}
	return inference.Seed
}

// openVariant reads a result directory, or all in a directory and the directories in it.
func openVariant(c *cli.Context, dir, name string) (compare.Variant, error) {
	v := compare.Variant{Name: strings.ToValidUTF8(name, "\ufffd")}
	dirs := []string{dir}
	if _, err := os.Stat(filepath.Join(dir, "run.json")); err != nil {
		var found []string
		for _, below := range []string{"*", "*/*"} { // by seed, or by trace and seed
			more, err := filepath.Glob(filepath.Join(dir, below, "run.json"))
			if err != nil {
				return v, err
			}
			found = append(found, more...)
		}
		if len(found) == 0 {
			return v, fmt.Errorf("%s: no run.json in it or in a directory in it; want a result or a directory of results", dir)
		}
		dirs = dirs[:0]
		for _, f := range found {
			dirs = append(dirs, filepath.Dir(f))
		}
	}
	for _, d := range dirs {
		r, err := open(c, d)
		if err != nil {
			return v, err
		}
		v.Runs = append(v.Runs, r)
	}
	slices.SortStableFunc(v.Runs, func(a, b *report.Result) int {
		m, n := &a.Manifest, &b.Manifest
		return cmp.Or(cmp.Compare(m.TraceName, n.TraceName), cmp.Compare(m.TraceHash, n.TraceHash), cmp.Compare(startOf(m), startOf(n)), cmp.Compare(m.Seed, n.Seed))
	})
	m := &v.Runs[0].Manifest
	v.Flags = fmt.Sprintf("--scheduler %s --sharing %s --placement %s", m.Scheduler, m.Sharing, m.Placement)
	return v, nil
}

// startOf is where the window of a replay begins.
func startOf(m *record.Manifest) int64 {
	if m.Window == nil {
		return 0
	}
	return m.Window.FromMS
}
