package tracecmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/duration"
	"replay/input"
	"replay/report/quantity"
	"replay/trace"
	"replay/trace/importer/workload"
)

// InputFlags are those of commands that read recordings: which of them, and what if one is broken.
func InputFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "from", Usage: "take applications that started at `TIME` or later, such as 2026-11-22 or 2026-11-22T07:30:00Z (UTC without a zone), or 2h from the start of a source without dates"},
		&cli.StringFlag{Name: "to", Usage: "take applications that started before `TIME`"},
		&cli.BoolFlag{Name: "lenient", Usage: "also use what can be read of damaged logs"},
		&cli.BoolFlag{Name: "strict", Usage: "stop at the first file or recording that would be left out, or of which something would be dropped or is unknown"},
		&cli.StringFlag{Name: "max-unpacked", Usage: "a packed file may unpack to `SIZE`, such as 20GiB", DefaultText: fmt.Sprintf("%d times its own, and %s", input.UnpackedTimes, sizeText(input.UnpackedFree))},
		&cli.BoolFlag{Name: "dry-run", Usage: "list the recordings, with their applications, versions, sizes and spans, and do nothing else"},
	}
}

// ReadInputFlags sets what the flags say.
func ReadInputFlags(c *cli.Context, o *workload.Options) (err error) {
	o.Lenient, o.Strict = c.Bool("lenient"), c.Bool("strict")
	if o.Lenient && o.Strict {
		return cmdline.Usagef("--lenient and --strict exclude each other")
	}
	dayFrom, dayTo := true, true
	for _, f := range []struct {
		name string
		to   *int64
		day  *bool
	}{{"from", &o.FromMS, &dayFrom}, {"to", &o.ToMS, &dayTo}} {
		if *f.to, *f.day, err = ReadTime(c.String(f.name)); err != nil {
			return cmdline.Usagef("--%s is %q, want a time such as 2026-11-22 or 2026-11-22T07:30:00Z, or 2h from the start of a source without dates", f.name, c.String(f.name))
		}
	}
	if dayFrom != dayTo && o.FromMS != trace.Unset && o.ToMS != trace.Unset {
		return cmdline.Usagef("--from is %s and --to %s, want two days or two times from the start", c.String("from"), c.String("to"))
	}
	o.FromStart = !dayFrom || !dayTo
	if text := c.String("max-unpacked"); c.IsSet("max-unpacked") {
		size, ok := workload.ParseSize(text)
		if o.MaxUnpacked = size; !ok {
			return cmdline.Usagef("--max-unpacked is %q, want a size such as 500MiB, 20GiB or 1TiB", text)
		}
	}
	if o.FromMS != trace.Unset && o.ToMS != trace.Unset && o.FromMS >= o.ToMS {
		return cmdline.Usagef("--from is %s, want a time before --to %s", c.String("from"), c.String("to"))
	}
	return nil
}

// ReadTime reads a day with or without a time, in ms since 1970 (without a zone it is UTC), or a time such as 2h; "" is unset.
func ReadTime(text string) (ms int64, day bool, err error) {
	if text == "" {
		return trace.Unset, true, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil && t.UnixMilli() >= 0 {
			return t.UnixMilli(), true, nil
		}
	}
	if d, err := duration.Parse(text); err == nil && d >= 0 {
		return d.Milliseconds(), false, nil
	}
	return 0, false, fmt.Errorf("no time")
}

// anAddress is the beginning of one in a store that is not mounted here.
var anAddress = regexp.MustCompile(`^[a-z][a-z0-9+.-]*://`)

// CheckHere refuses inputs that are addresses, as nothing is fetched, and results of this program, which are no recordings.
func CheckHere(inputs []string) error {
	for _, in := range inputs {
		if anAddress.MatchString(in) && !isThere(in) {
			return fmt.Errorf("%s: is an address, and inputs are files and folders that are here: copy it first, such as with hdfs dfs -get or aws s3 cp", in)
		}
		if cmdline.IsResult(in) && isThere(filepath.Join(in, "jobs.parquet")) { // others may have a run.json, too
			return fmt.Errorf("%s: a result of replay run, and no recording: replay report %[1]s shows it", in)
		}
	}
	return nil
}

// pipeAsStdin puts [workload.Stdin] in the place of the one input that is a pipe, such as bash makes of <(zcat LOG), which can be read once, as that can. The pipe
// is what opt reads then; nil = none is one.
func pipeAsStdin(inputs []string, opt *workload.Options) (all []string, pipe *os.File, err error) {
	at := -1
	for i, in := range inputs {
		info, err := os.Stat(in)
		if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
			continue
		}
		if at >= 0 {
			return nil, nil, fmt.Errorf("%s and %s: are pipes, want one at most: write the others to files first", inputs[at], in)
		}
		at = i
	}
	switch {
	case at < 0:
		return inputs, nil, nil
	case slices.Contains(inputs, workload.Stdin):
		return nil, nil, fmt.Errorf("%s: is a pipe, beside %s for standard input, want one of the two: write the other to a file first", inputs[at], workload.Stdin)
	}
	if pipe, err = os.Open(inputs[at]); err != nil { // waits until somebody writes
		return nil, nil, err
	}
	all = slices.Clone(inputs)
	all[at], opt.Stdin = workload.Stdin, pipe
	return all, pipe, nil
}

// Listed is how many inputs of one reason a table lists by name.
const Listed = 20

// PrintLeftOut writes a table of what was left out, and why. Many files that are no recording stand in one line.
func PrintLeftOut(w io.Writer, inputs []workload.Input) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	n, of := map[workload.Reason]int{}, map[workload.Reason]int{}
	for i := range inputs {
		of[inputs[i].LeftOut]++
	}
	if of[""] == len(inputs) {
		return
	}
	fmt.Fprintf(t, "left out\treason\twhy\n")
	for i := range inputs {
		in := &inputs[i]
		r := in.LeftOut
		if n[r]++; r == "" || r == workload.Foreign && of[r] > Listed || n[r] > Listed {
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", in.Label, r, shorten(in.Why, 160))
	}
	t.Flush()
	for _, r := range workload.Reasons {
		switch {
		case of[r] <= Listed:
		case r == workload.Foreign:
			first := slices.IndexFunc(inputs, func(in workload.Input) bool { return in.LeftOut == r })
			fmt.Fprintf(w, "%d files are no recordings, such as %s (%s)\n", of[r], inputs[first].Label, inputs[first].Why)
		default:
			fmt.Fprintf(w, "and %d more: %s\n", of[r]-Listed, r)
		}
	}
}

// PrintInputs writes the table of a dry run.
func PrintInputs(w io.Writer, inputs []workload.Input) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	bytes, tasks := int64(0), int64(0)
	first, last := int64(trace.Unset), int64(trace.Unset)
	for i := range inputs {
		in := &inputs[i]
		if in.LeftOut != "" {
			continue
		}
		if bytes+tasks == 0 {
			fmt.Fprintf(t, "recording\tapplication\tname\tversion\tsize\tstart (UTC)\tspan\ttasks\t\n")
		}
		span := quantity.Duration(float64(in.EndMS - in.StartMS))
		if !in.Ended {
			span += ", no end"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t\n", in.Label, idOf(in), shorten(in.Name, 30), in.Version, sizeText(in.Bytes),
			time.UnixMilli(in.StartMS).UTC().Format("2006-01-02 15:04:05"), span, in.Tasks)
		bytes, tasks = bytes+in.Bytes, tasks+in.Tasks
		if first == trace.Unset || in.StartMS < first {
			first = in.StartMS
		}
		last = max(last, in.EndMS)
	}
	t.Flush()
	PrintLeftOut(w, inputs)
	if n := workload.Used(inputs); n > 0 {
		fmt.Fprintf(w, "%d to use: %s, %s tasks, %s to %s\n", n, sizeText(bytes), quantity.Thousands(tasks), day(first), day(last))
	}
}

// PrintNothing writes the table of what was left out if that is the error: everything.
func PrintNothing(w io.Writer, err error) {
	var nothing *workload.NothingError
	if errors.As(err, &nothing) && len(nothing.Inputs) > 1 { // of one the error says it
		PrintLeftOut(w, nothing.Inputs)
	}
}

// PrintNotUsed says in one line, the last, how many inputs were left out.
func PrintNotUsed(w io.Writer, inputs []workload.Input) error {
	text := workload.Summary(inputs)
	if text == "" {
		return nil
	}
	_, err := fmt.Fprintf(w, "left out: %s\n", text)
	return err
}

// idOf is the id of an application with its attempt.
func idOf(in *workload.Input) string {
	if in.Attempt == "" {
		return in.Application
	}
	return in.Application + ", attempt " + in.Attempt
}

// day is the day of a time in ms since 1970.
func day(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.DateOnly) }

// sizeText is a number of bytes for people.
func sizeText(n int64) string {
	for _, u := range []struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.size {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(u.size), u.name)
		}
	}
	return fmt.Sprintf("%d B", n)
}

// shorten keeps a text to one line of n characters.
func shorten(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
