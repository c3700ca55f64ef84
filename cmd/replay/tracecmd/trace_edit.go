package tracecmd

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	mapreduce "replay/engine/mapreduce/conf"
	spark "replay/engine/spark/conf"
	"replay/report/quantity"
	"replay/trace"
	"replay/trace/edit"
)

// traceEdits are the commands that make a trace of traces.
func traceEdits() []*cli.Command {
	out := func(more ...cli.Flag) []cli.Flag {
		return append([]cli.Flag{&cli.StringFlag{Name: "out", Usage: "write the trace to `DIR`"}, nameFlag("what was done to which trace"), &cli.BoolFlag{Name: "json", Usage: "print what was written as JSON"}}, more...)
	}
	return []*cli.Command{
		{
			Name: "cut", Usage: "take a span of time, a sample of the jobs, or leave out single ones", ArgsUsage: "TRACE",
			Description: `Examples:
   replay trace cut mytrace --from 9h --to 17h --out day
   replay trace cut mytrace --share 10% --out tenth
   replay trace cut mytrace --without-jobs 7,application_1700000000000_0042 --out healthy

Jobs of a smaller share are among those of a larger one with the same seed. With a share, submissions move together by as much, so that the
offered load and the blocks on the cluster stay but for the chance of which jobs are taken, which is said; --keep-load=false leaves them where they are. A JOB is its number, its name, or the id that
it was recorded under.`,
			Flags: out(
				cmdline.With(&cli.StringFlag{Name: "from", Usage: "jobs submitted from this trace `TIME` on"}, cmdline.AStart),
				cmdline.With(&cli.StringFlag{Name: "to", Usage: "jobs submitted before this trace `TIME`"}, cmdline.ATime),
				cmdline.With(&cli.StringFlag{Name: "share", Usage: "`PART` of the jobs, such as 10% or 0.1", Value: "100%"}, aShare),
				&cli.Uint64Flag{Name: "seed", Usage: "with --share, which of them", Value: 1},
				&cli.BoolFlag{Name: "keep-load", Usage: "with --share, move submissions together", Value: true},
				&cli.StringSliceFlag{Name: "without-jobs", Usage: "leave out `JOB,…` (repeatable)"}),
			Action: func(c *cli.Context) error {
				cut := edit.Cut{ToMS: trace.Unset, Seed: c.Uint64("seed"), KeepLoad: c.Bool("keep-load")}
				cut.Share, _ = cmdline.ParseShare(c.String("share")) // the flag takes no other
				if !slices.ContainsFunc([]string{"from", "to", "share", "without-jobs"}, c.IsSet) {
					return cmdline.Usagef("trace cut wants what is to be cut: --from, --to, --share or --without-jobs")
				}
				for _, name := range []string{"seed", "keep-load"} {
					if c.IsSet(name) && !c.IsSet("share") {
						return cmdline.Usagef("--%s is about a part of the jobs, want --share too", name)
					}
				}
				if c.IsSet("from") {
					cut.FromMS, _ = cmdline.ParseStart(c.String("from"))
				}
				if c.IsSet("to") {
					cut.ToMS, _ = cmdline.ParseTime(c.String("to"))
				}
				if c.IsSet("to") && cut.FromMS >= cut.ToMS {
					return cmdline.Usagef("--to is %q, want a time after --from, %s", c.String("to"), cmp.Or(c.String("from"), "0s"))
				}
				return editTraces(c, 1, 1, func(t []*trace.Trace, out, name string) (*edit.Result, error) {
					var err error
					if cut.Without, err = jobsCalled(t[0], c.StringSlice("without-jobs")); err != nil {
						return nil, err
					}
					r, err := cut.Make(c.Context, t[0], out, name)
					if errors.Is(err, edit.ErrEmpty) {
						err = fmt.Errorf("%w: of the trace the last one is submitted at %s", err, quantity.MS.Amount(float64(t[0].Manifest.SpanMS)))
					}
					return r, err
				})
			},
		},
		{
			Name: "merge", Usage: "lay traces over one another", ArgsUsage: "TRACE TRACE...",
			Description: "Users and queues of one name are one. The cluster and the attached files are those of the first trace; with --union the cluster is all nodes of all.",
			Flags:       out(&cli.BoolFlag{Name: "union", Usage: "a cluster of the nodes of all traces, with their events"}),
			Action: func(c *cli.Context) error {
				return editTraces(c, 2, 1000, func(t []*trace.Trace, out, name string) (*edit.Result, error) {
					return edit.Merge(c.Context, t, out, name, c.Bool("union"))
				})
			},
		},
		{
			Name: "anonymize", Usage: "replace names by pseudonyms and keep the structure", ArgsUsage: "TRACE",
			Description: `Hosts, racks, users, queues, applications, stages, files, labels and reasons get pseudonyms; the wall clock of the origin goes. Of the configuration
of applications the keys that this program knows stay, if they have numbers, sizes, times, true, false and the like; others may have a name in them. Attached files are left out and listed: they may have any name in them.`,
			Flags: out(&cli.StringFlag{Name: "key", Usage: "make each pseudonym of the name and this `SECRET`, the same in every trace", DefaultText: "names are counted in their order, which a replay may depend on"}),
			Action: func(c *cli.Context) error {
				return editTraces(c, 1, 1, func(t []*trace.Trace, out, name string) (*edit.Result, error) {
					return edit.Anonymize(c.Context, t[0], out, name, c.String("key"), knownKey)
				})
			},
		},
	}
}

// knownKey reports whether a key of a configuration is one of Spark or MapReduce that holds no name of somebody's.
func knownKey(key string) bool {
	_, older := mapreduce.Renamed[key]
	return spark.Known(key) || mapreduce.Follows(key) || older
}

// jobsCalled finds the jobs of a trace that lists name, with commas between them.
func jobsCalled(t *trace.Trace, lists []string) (found []int64, err error) {
	if lists == nil {
		return nil, nil
	}
	var all []cmdline.Called
	for j, err := range trace.All(t.Jobs()) {
		if err != nil {
			return nil, err
		}
		all = append(all, cmdline.Called{Number: j.ID, Name: j.Name, ID: j.ExternalID})
	}
	for _, list := range lists {
		for name := range strings.SplitSeq(list, ",") {
			job, err := cmdline.JobCalled(strings.TrimSpace(name), "the trace", slices.Values(all))
			if err != nil {
				return nil, fmt.Errorf("--without-jobs: %w", err)
			}
			found = append(found, job)
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// aShare wants a part of a whole.
func aShare(value string) error {
	if x, err := cmdline.ParseShare(value); err != nil || x == 0 {
		return errors.New("want a part of the whole, above 0 to 100%")
	}
	return nil
}

// editTraces opens the traces that the arguments name, makes one of them and says what was written.
func editTraces(c *cli.Context, least, most int, do func(traces []*trace.Trace, out, name string) (*edit.Result, error)) error {
	if n := c.NArg(); n < least || n > most {
		want := "one TRACE directory"
		if most > 1 {
			want = "two TRACE directories or more"
		}
		return cmdline.Usagef("trace %s wants %s, got %s", c.Command.Name, want, quantity.Counted(int64(n), "arguments"))
	}
	if c.String("out") == "" {
		return cmdline.Usagef("trace %s wants --out DIR", c.Command.Name)
	}
	var traces []*trace.Trace
	for _, dir := range c.Args().Slice() {
		t, err := cmdline.OpenTrace(dir)
		if err != nil {
			return err
		}
		defer t.Close()
		traces = append(traces, t)
	}
	r, err := do(traces, c.String("out"), c.String("name"))
	if err != nil {
		return err
	}
	for _, text := range r.Warnings {
		fmt.Fprintf(c.App.ErrWriter, "warning: %s\n", text)
	}
	if c.Bool("json") {
		return cmdline.WriteJSON(c.App.Writer, struct {
			Counts  trace.Counts  `json:"counts"`
			Never   int64         `json:"nodes_never_there"`
			Hash    string        `json:"hash"`
			LeftOut []string      `json:"left_out"`
			Offered trace.Offered `json:"offered_load"`
			Whole   trace.Offered `json:"offered_load_of_span"`
			Warned  []string      `json:"warnings"`
		}{r.Counts, r.Never, r.Hash, append([]string{}, r.LeftOut...), r.Offered, r.Whole, append([]string{}, r.Warnings...)})
	}
	text := fmt.Sprintf("%s: %s, %s, %s; trace %s\n", c.String("out"), quantity.Counted(r.Counts.Jobs, "jobs"), quantity.Counted(r.Counts.Tasks, "tasks"), nodesOf(r.Counts, r.Never), r.Hash)
	if len(r.LeftOut) > 0 {
		text += "left out: " + strings.Join(r.LeftOut, ", ") + "\n"
	}
	if is, of := r.Offered, r.Whole; is.VCores != nil && is.Memory != nil && of.VCores != nil && of.Memory != nil {
		text += fmt.Sprintf("offered load: %v; of all jobs of the span %v\n", is, of)
	}
	_, err = c.App.Writer.Write([]byte(text))
	return err
}
