package tracecmd

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/live"
	"replay/report/quantity"
	"replay/shown"
)

// Record records a running cluster.
func Record() *cli.Command {
	return &cli.Command{
		Name:      "record",
		Usage:     "record a running cluster: nodes, queues, settings, applications and event logs",
		ArgsUsage: "--rm URL --out DIR",
		Description: "The ResourceManager's REST API, Spark's history server and WebHDFS are asked; nothing is changed. Each poll adds to DIR, in which files appear whole:\n" +
			"killed and run again it goes on, and nothing is lost or there twice. DIR is what import and backtest take:\n" +
			"   replay record --rm http://rm:8088 --history http://history:18080 --for 24h --out week\n" +
			"   replay import auto week --out mytrace\n" +
			"   replay backtest week\n" +
			"No credential is written. What the recording may have missed stands in DIR/recording.json and is printed.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "rm", Usage: "`URL` of the ResourceManager's web address; again for each of several. A standby one leads to the active one"},
			&cli.StringFlag{Name: "history", Usage: "event logs: `URL` of Spark's history server, a folder, hdfs:/PATH with --webhdfs, or http://HOST:9870/webhdfs/v1/PATH", DefaultText: "none"},
			&cli.StringFlag{Name: "webhdfs", Usage: "`URL` of the NameNode's web address or of HttpFS, for hdfs:/PATH"},
			&cli.StringFlag{Name: "out", Usage: "the recording is `DIR`: absent, empty, or a recording that goes on"},
			&cli.BoolFlag{Name: "once", Usage: "one poll"},
			&cli.DurationFlag{Name: "every", Value: 30 * time.Second, Usage: "a poll each `TIME`"},
			&cli.DurationFlag{Name: "for", Usage: "polls for a `TIME` such as 24h", DefaultText: "until interrupted"},
			&cli.StringFlag{Name: "user", Usage: "`NAME` to be, on a cluster without security (user.name)"},
			&cli.BoolFlag{Name: "kerberos", Usage: "negotiate (SPNEGO) with the tickets of KRB5CCNAME, or with --keytab; KRB5_CONFIG names krb5.conf"},
			&cli.StringFlag{Name: "principal", Usage: "`NAME@REALM` of --keytab"},
			&cli.StringFlag{Name: "keytab", Usage: "`FILE` with the keys of --principal"},
			&cli.StringFlag{Name: "header-file", Usage: "`FILE` with lines NAME: VALUE that are sent to the servers named here, such as a delegation token"},
			&cli.StringFlag{Name: "ca-file", Usage: "`FILE` with certificates of authorities (PEM), beside those of the system"},
			&cli.DurationFlag{Name: "timeout", Value: 30 * time.Second, Usage: "a server may be silent for a `TIME`; it is asked four times"},
			cmdline.With(&cli.IntFlag{Name: "parallel", Value: 4, Usage: "`N` requests at a time"}, cmdline.From1To(64)),
			cmdline.With(&cli.Int64Flag{Name: "max-log", Value: 16 << 30, Usage: "event logs of an application of more than `BYTES` are left out"}, cmdline.From1To(1<<50)),
			&cli.BoolFlag{Name: "json", Usage: "print what is in the recording as JSON"},
		},
		Action: runRecord,
	}
}

func runRecord(c *cli.Context) error {
	if c.NArg() != 0 || len(c.StringSlice("rm")) == 0 || c.String("out") == "" {
		return cmdline.Usagef("record wants --rm URL and --out DIR, and no further arguments (see replay record --help)")
	}
	for _, name := range []string{"every", "timeout"} {
		if c.Duration(name) < 100*time.Millisecond {
			return cmdline.Usagef("--%s is %s, want 100ms or more", name, c.Duration(name))
		}
	}
	if c.Duration("for") < 0 || c.Bool("once") && c.IsSet("for") {
		return cmdline.Usagef("--for is %s, want a time above 0, and none with --once", c.Duration("for"))
	}
	o := live.Options{
		RM: c.StringSlice("rm"), History: c.String("history"), WebHDFS: c.String("webhdfs"), Out: c.String("out"), Once: c.Bool("once"),
		Every: c.Duration("every"), For: c.Duration("for"), User: c.String("user"), CAFile: c.String("ca-file"), Timeout: c.Duration("timeout"),
		Parallel: c.Int("parallel"), MaxLog: c.Int64("max-log"),
		Note: func(message string) { fmt.Fprintf(c.App.ErrWriter, "warning: %s\n", message) },
	}
	var err error
	if c.Bool("kerberos") || c.IsSet("keytab") || c.IsSet("principal") {
		if o.Kerberos, err = live.KerberosOf(c.String("principal"), c.String("keytab")); err != nil {
			return cmdline.Usagef("%w", err)
		}
	}
	if path := c.String("header-file"); path != "" {
		if o.Header, err = live.ReadHeaders(path); err != nil {
			return err
		}
	}
	rec, err := live.Record(c.Context, o)
	var option *live.OptionError
	if errors.As(err, &option) {
		return cmdline.Usagef("%w", err)
	}
	if rec == nil || rec.Polls.Count == 0 {
		return err
	}
	if c.Bool("json") {
		return errors.Join(cmdline.WriteJSON(c.App.Writer, rec), err)
	}
	return errors.Join(shown.Whole(c.App.Writer, func(w io.Writer) { writeRecorded(w, o.Out, rec) }), err)
}

// writeRecorded says what is in a recording, first what it may have missed.
func writeRecorded(w io.Writer, out string, r *live.Recording) {
	for _, m := range r.MayMiss {
		fmt.Fprintf(w, "may miss: %s\n", m)
	}
	n := &r.Counts
	when := func(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05Z") }
	fmt.Fprintf(w, "%s: %s from %s to %s, Hadoop %s with its %s\n", out, quantity.Counted(r.Polls.Count, "polls"), when(r.Polls.FirstMS), when(r.Polls.LastMS), r.Cluster.Hadoop, r.Cluster.Scheduler)
	fmt.Fprintf(w, "%s, %s, %s\n", quantity.Counted(int64(n.Nodes), "nodes"), quantity.Counted(int64(n.NodeEvents), "node events"), quantity.Counted(int64(n.Queues), "queues"))
	fmt.Fprintf(w, "%s", quantity.Counted(int64(n.Applications), "applications"))
	for _, kind := range slices.Sorted(maps.Keys(n.ByType)) {
		fmt.Fprintf(w, ", %s %s", quantity.Thousands(n.ByType[kind]), kind)
	}
	fmt.Fprintf(w, "; %s with event logs, %s bytes\n", quantity.Thousands(int64(n.EventLogs)), quantity.Thousands(n.LogBytes))
}
