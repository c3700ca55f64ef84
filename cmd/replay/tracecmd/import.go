// Package tracecmd has the commands that make traces and look at them: import, record, gen, trace.
package tracecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/heap"
	"replay/report/quantity"
	"replay/trace"
	"replay/trace/importer"
	"replay/trace/importer/workload"
)

// Import turns foreign formats into trace directories.
func Import() *cli.Command {
	def := workload.DefaultOptions()
	var formats strings.Builder
	for _, name := range slices.Sorted(maps.Keys(importer.Importers)) {
		fmt.Fprintf(&formats, "\n  %-16s %s", name, importer.Importers[name].Usage)
	}
	return cmdline.Completed(&cli.Command{
		Name:      "import",
		Usage:     "turn a foreign format into a trace directory",
		ArgsUsage: "[FORMAT] INPUT...",
		Description: "Formats:" + formats.String() + "\n  auto              the format that the input has, which the first line says; also without a FORMAT\n\n" +
			"Inputs are files, directories of them, or - for standard input, plain or packed (gzip, zstd, bzip2, xz, ...).\n" +
			"The nodes of the ResourceManager (/ws/v1/cluster/nodes as JSON) among them are those of the trace.\n" +
			"Event logs may be plain or compressed with zstd, lz4, snappy, lzf (as Spark writes them) or gzip.\n" +
			"They do not hold preferred hosts: --blocks observed infers them from where tasks ran, hdfs places\n" +
			"the blocks of input stages on a cluster. Files of a folder that are no logs, or can't be used, are left out\n" +
			"and listed with the reason; what was read, dropped, defaulted and modelled is stored in the trace as\n" +
			"import.json. Exit code 3: none of the input can be used.\n\n" +
			"  replay import spark-eventlog /var/log/spark-events --dry-run\n" +
			"  replay import spark-eventlog logs/ --out trace --blocks hdfs --nodes 20 --racks 4 \\\n" +
			"      --copies 5 --arrivals poisson:30s",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "out", Usage: "write the trace to `DIR`"},
			nameFlag("format, applications and days"),
			cmdline.Offering(&cli.StringFlag{Name: "blocks", Value: def.Blocks, Usage: "preferred hosts of event logs: observed, hdfs or none; hdfs where nothing is said and --nodes makes another cluster"}, "observed", "hdfs", "none"),
			cmdline.With(&cli.IntFlag{Name: "nodes", Usage: "a cluster of `N` nodes", DefaultText: "the recorded hosts"}, cmdline.From1To(trace.MostNodes)),
			&cli.IntFlag{Name: "racks", Value: def.Racks, Usage: "racks of the cluster"},
			cmdline.MiB(&cli.Int64Flag{Name: "node-mem", Usage: "memory of a node in `MIB`, or with a unit, such as 48g", DefaultText: "65536, or what the recorded hosts held"}, cmdline.From1To(math.MaxInt64)),
			cmdline.With(&cli.IntFlag{Name: "node-vcores", Usage: "vcores of a node", DefaultText: "16, or what the recorded hosts held"}, cmdline.From1To(math.MaxInt64)),
			&cli.IntFlag{Name: "replication", Value: def.Replication, Usage: "replicas of a block"},
			&cli.Uint64Flag{Name: "seed", Value: def.Seed, Usage: "seed of block placement and arrivals"},
			&cli.StringFlag{Name: "arrivals", Value: def.Arrivals, Usage: "submission times: recorded, poisson:30s or fixed:10s"},
			&cli.IntFlag{Name: "copies", Value: def.Copies, Usage: "how many times each application is submitted"},
			&cli.StringFlag{Name: "queue", Usage: "queue of all applications", DefaultText: "as recorded"},
			&cli.StringSliceFlag{Name: "queue-map", Usage: "queue of applications whose name matches, `REGEX=QUEUE`; repeatable, the first match counts"},
			&cli.IntFlag{Name: "limit", Usage: "take the first `N` applications of the source", DefaultText: "all"},
			&cli.Int64Flag{Name: "max-job-tasks", Value: def.MaxJobTasks, Usage: "an application of more than `N` tasks is left out"},
			&cli.BoolFlag{Name: "json", Usage: "print what was imported and every input as JSON"},
		}, append(append(InputFlags(), cmdline.ProgressFlags()...), paramFlags()...)...),
		Action: runImport,
	}, append(slices.Sorted(maps.Keys(importer.Importers)), importer.Auto)...)
}

// paramFlags are the options of formats, one flag for each name.
func paramFlags() (flags []cli.Flag) {
	seen := map[string]bool{}
	for _, format := range slices.Sorted(maps.Keys(importer.Importers)) {
		for _, p := range importer.Importers[format].Params {
			if seen[p.Name] {
				continue
			}
			seen[p.Name] = true
			of := "options of " + strings.Join(importer.Having(p.Name), ", ")
			if p.Default == "false" {
				flags = append(flags, &cli.BoolFlag{Name: p.Name, Usage: p.Usage, Category: of})
			} else {
				flags = append(flags, &cli.StringFlag{Name: p.Name, Usage: p.Usage, DefaultText: p.Default, Category: of})
			}
		}
	}
	return flags
}

// params are the options of formats that were given.
func params(c *cli.Context) map[string]string {
	given := map[string]string{}
	for _, f := range importer.Importers {
		for _, p := range f.Params {
			if c.IsSet(p.Name) {
				given[p.Name] = fmt.Sprint(c.Value(p.Name))
			}
		}
	}
	return given
}

// importProgress returns a function that prints how far an import is, once every so often; 0 = never. It may be called from any goroutine.
func importProgress(out io.Writer, every time.Duration) func(done, all int, what string) {
	var mu sync.Mutex
	last := time.Now()
	return func(done, all int, what string) {
		mu.Lock()
		defer mu.Unlock()
		if every <= 0 || time.Since(last) < every {
			return
		}
		last = time.Now()
		n := quantity.Thousands(int64(done))
		if all > 0 {
			n += " of " + quantity.Thousands(int64(all))
		}
		fmt.Fprintf(out, "import: %s %s\n", n, what)
	}
}

func runImport(c *cli.Context) error {
	name, inputs, err := importArguments(c)
	if err != nil {
		return err
	}
	opt, err := importOptions(c)
	if err != nil {
		return err
	}
	dry := c.Bool("dry-run")
	if opt.Out == "" && !dry {
		return cmdline.Usagef("import wants --out DIR")
	}
	inputs, pipe, err := pipeAsStdin(inputs, &opt)
	if err != nil {
		return err
	}
	if pipe != nil {
		defer pipe.Close()
		if !c.Bool("quiet") {
			fmt.Fprintf(c.App.ErrWriter, "%s: a pipe, read as standard input\n", pipe.Name())
		}
	}
	name, format, err := formatOf(c, name, inputs, &opt)
	if err != nil {
		return err
	}
	defer heap.Within(importer.MemoryBudget)()
	work := format.Import
	if dry {
		work = format.Survey
	}
	res, err := work(c.Context, name, inputs, opt)
	PrintNothing(c.App.ErrWriter, err)
	if flag := new(workload.FlagError); errors.As(err, &flag) {
		return cmdline.Usagef("%w", err)
	}
	if err != nil {
		return otherFormat(name, inputs, err)
	}
	if format, how := moreFormat(name, inputs); format != "" {
		fmt.Fprintf(c.App.ErrWriter, "warning: %s; replay import %s takes the nodes, queues and settings of the recording, too\n", how, format)
	}
	if c.IsSet("replication") && !dry && (res.Meta.LocalitySource == trace.LocalityNone || res.Meta.LocalitySource == trace.LocalityRecorded) {
		opt.Warn(fmt.Sprintf("--replication %d has no effect: no block is placed", opt.Replication))
	}
	return printImported(c, &opt, res, dry)
}

// importArguments returns the name of the format that the arguments say, or [importer.Auto], and the inputs.
func importArguments(c *cli.Context) (name string, inputs []string, err error) {
	if err := CheckHere(c.Args().Slice()); err != nil {
		return "", nil, err
	}
	name, inputs = c.Args().First(), c.Args().Tail()
	_, unknown := importer.Find(name)
	if name != importer.Auto && (unknown != nil || len(inputs) == 0) && isThere(name) {
		name, inputs = importer.Auto, c.Args().Slice() // it is an input, and tells its format
	}
	switch {
	case len(inputs) > 0:
	case name != "" && name != importer.Auto && unknown != nil:
		return "", nil, cmdline.Usagef("%s: no such file or directory, and no format of this name%s (replay import FORMAT INPUT...)", name, meantFormat(name))
	default:
		return "", nil, cmdline.Usagef("import wants a format (or auto) and its input: files or directories that are there")
	}
	for _, in := range inputs {
		if name == importer.Auto && cmdline.IsTrace(in) && isThere(filepath.Join(in, "jobs.parquet")) { // other programs have a trace.json, too
			return "", nil, fmt.Errorf("%s: a trace of this program: replay run takes it as it is", in)
		}
	}
	return name, inputs, nil
}

// meantFormat asks whether a format with a name that is nearly the same was meant.
func meantFormat(name string) string {
	return cmdline.Meant("", name, slices.Sorted(maps.Keys(importer.Importers)))
}

// importOptions reads the flags of an import.
func importOptions(c *cli.Context) (workload.Options, error) {
	opt := workload.Options{
		Out: c.String("out"), Name: c.String("name"), Blocks: c.String("blocks"), Nodes: c.Int("nodes"), Racks: c.Int("racks"),
		NodeMemMiB: c.Int64("node-mem"), NodeVCores: int32(c.Int("node-vcores")), Replication: c.Int("replication"),
		Seed: c.Uint64("seed"), Arrivals: c.String("arrivals"), Copies: c.Int("copies"), Queue: c.String("queue"), Limit: c.Int("limit"),
		MaxJobTasks: c.Int64("max-job-tasks"), Params: params(c), Stdin: c.App.Reader,
	}
	if n := c.Int("node-vcores"); int(opt.NodeVCores) != n {
		return opt, cmdline.Usagef("--node-vcores is %d, want at most %d", n, math.MaxInt32)
	}
	if err := ReadInputFlags(c, &opt); err != nil {
		return opt, err
	}
	for _, s := range c.StringSlice("queue-map") {
		r, err := workload.ParseQueueRule(s)
		if err != nil {
			return opt, cmdline.Usagef("%w", err)
		}
		opt.QueueMap = append(opt.QueueMap, r)
	}
	opt.Warn = func(message string) { fmt.Fprintf(c.App.ErrWriter, "warning: %s\n", message) }
	if !c.Bool("quiet") {
		opt.Note = func(message string) { fmt.Fprintln(c.App.ErrWriter, message) }
		every := 10 * time.Second
		switch c.String("progress") {
		case "on":
			every = 2 * time.Second
		case "off":
			every = 0
		}
		opt.Progress = importProgress(c.App.ErrWriter, every)
	}
	return opt, nil
}

// formatOf returns the format of a name, or that which the inputs have, and checks the options against it.
func formatOf(c *cli.Context, name string, inputs []string, opt *workload.Options) (string, workload.Format, error) {
	if name == importer.Auto {
		found, how, err := importer.Detect(inputs, opt)
		if err != nil {
			return "", workload.Format{}, err
		}
		fmt.Fprintln(c.App.ErrWriter, how)
		name = found
	}
	format, err := importer.Find(name)
	if err != nil {
		return "", format, cmdline.Usagef("%w%s", err, meantFormat(name))
	}
	if !c.IsSet("blocks") && !strings.HasSuffix(name, onYARN) && format.UsualBlocks(opt) && !c.Bool("quiet") {
		fmt.Fprintf(c.App.ErrWriter, "preferred hosts: no recorded one is a node of --nodes %d, so input is placed as HDFS does (--blocks hdfs; none leaves tasks without)\n", opt.Nodes)
	}
	if err = importer.CheckParams(name, opt.Params); err == nil {
		err = format.Check(opt)
	}
	if err != nil {
		return "", format, cmdline.Usagef("%w", err)
	}
	return name, format, nil
}

// printImported says what an import has made, or would make.
func printImported(c *cli.Context, opt *workload.Options, res *workload.Result, dry bool) (err error) {
	if c.Bool("json") {
		return writeImported(c.App.Writer, res, dry)
	}
	switch {
	case dry && len(res.Inputs) == 0:
		_, err = fmt.Fprintf(c.App.Writer, "to use: %s\n%s", quantity.Counted(res.Counts.Kept["applications"], "applications"), countLines(res.Counts))
	case dry:
		PrintInputs(c.App.Writer, res.Inputs)
	default:
		PrintLeftOut(c.App.Writer, res.Inputs)
		err = writeWelcome(c.App.Writer, opt, res)
	}
	return errors.Join(err, PrintNotUsed(c.App.Writer, res.Inputs))
}

// looksLike is the format that inputs have, and how that shows; "" = none, several, or they can be read only once.
func looksLike(inputs []string) (format, how string) {
	if slices.Contains(inputs, workload.Stdin) {
		return "", ""
	}
	format, how, err := importer.Detect(inputs, &workload.Options{})
	if err != nil {
		return "", ""
	}
	return format, how
}

// onYARN ends the names of the formats of recorded clusters, which have nodes and preferred hosts of their own.
const onYARN = "-on-yarn"

// moreFormat is the format of inputs that are a recorded cluster, where another one takes the logs of its applications alone, and how that shows.
func moreFormat(name string, inputs []string) (format, how string) {
	if !slices.Contains([]string{"spark-eventlog", "jhist"}, name) {
		return "", ""
	}
	if format, how = looksLike(inputs); !strings.HasSuffix(format, onYARN) {
		return "", ""
	}
	return format, how
}

// otherFormat is the error of an import of a format whose inputs look like another one, which it names.
func otherFormat(name string, inputs []string, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	if format, how := looksLike(inputs); format != "" && format != name {
		return fmt.Errorf("%w\n%s (replay import %s)", err, how, format)
	}
	return err
}

// isThere tells whether a path is that of a file or directory, or stands for standard input.
func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil || path == workload.Stdin
}

// writeImported writes what was imported, and of a dry run the inputs alone, as JSON.
func writeImported(w io.Writer, r *workload.Result, dry bool) error {
	type imported struct {
		Hash   string           `json:"hash,omitempty"`
		Counts *trace.Counts    `json:"counts,omitempty"`
		SpanMS int64            `json:"span_ms"`
		Import *workload.Counts `json:"import,omitempty"`
		Inputs []workload.Input `json:"inputs"`
	}
	out := imported{SpanMS: r.SpanMS, Inputs: append([]workload.Input{}, r.Inputs...)}
	if !dry {
		out.Hash, out.Counts, out.Import = r.Hash, &r.Trace, r.Counts
	}
	return cmdline.WriteJSON(w, out)
}
