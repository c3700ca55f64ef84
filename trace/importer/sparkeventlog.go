package importer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"replay/trace"
)

// importEventLogs reads Spark event logs, one application each, into one trace.
// Logs hold no preferred locations: see [Options.Blocks].
func importEventLogs(ctx context.Context, inputs []string, opt Options) (res *Result, err error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	logs, skipped, err := findLogs(inputs)
	if err != nil {
		return nil, err
	}
	b, err := newAssembly(&opt, "spark-eventlog")
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := b.spool.close(); err == nil && e != nil {
			res, err = nil, e
		}
	}()
	b.counts.Read["files_that_are_no_logs"] = int64(len(skipped))
	if len(skipped) > 0 {
		opt.warn("%d files are no event logs and were left out, the first is %s", len(skipped), skipped[0])
	}
	for i, log := range logs {
		if err := b.addLog(ctx, log); err != nil {
			return nil, err
		}
		opt.progress(i+1, len(logs), "logs")
	}
	b.lastAttempts()
	return b.writeEventLogs(ctx)
}

func (b *assembly) addLog(ctx context.Context, log eventLog) error {
	app, err := readLog(ctx, log, b.opt.mode(), b.counts, b.opt.warn)
	var a *sparkApp
	if err == nil {
		a, err = b.build(app, log.path)
	}
	if err != nil {
		if !b.opt.Lenient || ctx.Err() != nil {
			return err
		}
		b.counts.Dropped["unusable_logs"]++
		b.opt.warn("%v; the log is left out", err)
		return nil
	}
	if a.Job.ExternalID == "" {
		a.Job.ExternalID = parseLogName(log.path).base
		b.counts.Defaulted["application_id_is_file_name"]++
	}
	if err := b.hash(log.files...); err != nil {
		return err
	}
	return b.add(a, app.start.attempt)
}

// build is buildApp with the place in errors; strict mode takes no log of which something is dropped.
func (b *assembly) build(app *appLog, path string) (*sparkApp, error) {
	before := maps.Clone(b.counts.Dropped)
	a, err := buildApp(app, b.counts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, k := range slices.Sorted(maps.Keys(b.counts.Dropped)) {
		if n := b.counts.Dropped[k] - before[k]; n > 0 && b.opt.Strict {
			return nil, fmt.Errorf("%s: %d x %s, and strict wants nothing dropped", path, n, k)
		}
	}
	return a, nil
}

// lastAttempts keeps the last attempt of an application that has several logs.
func (b *assembly) lastAttempts() {
	newest := map[string]int{}
	for i, s := range b.spool.index {
		if s.id == "" {
			continue
		}
		if k, ok := newest[s.id]; !ok || !attemptBefore(&s, &b.spool.index[k]) {
			newest[s.id] = i
		}
	}
	kept := b.spool.index[:0]
	for i, s := range b.spool.index {
		if s.id != "" && newest[s.id] != i {
			b.counts.Dropped["earlier_attempts_of_an_application"]++
			b.opt.warn("application %s has several logs; attempt %q is left out", s.id, s.attempt)
			continue
		}
		kept = append(kept, s)
	}
	b.spool.index = kept
}

func attemptBefore(a, b *spooled) bool {
	if len(a.attempt) != len(b.attempt) { // numbers without leading zeros
		return len(a.attempt) < len(b.attempt)
	}
	if c := strings.Compare(a.attempt, b.attempt); c != 0 {
		return c < 0
	}
	return a.submitMS < b.submitMS
}

func (b *assembly) writeEventLogs(ctx context.Context) (*Result, error) {
	opt := b.opt
	o := &output{locality: map[string]string{"observed": trace.LocalityObserved, "hdfs": trace.LocalityModelled, "none": trace.LocalityNone}[opt.Blocks]}
	o.cluster = eventLogCluster(opt, b.hosts, &b.took, b.counts)
	o.preferences = &preferences{mode: opt.Blocks, seed: opt.Seed, cluster: o.cluster, replication: opt.Replication, counts: b.counts}
	if opt.Blocks == "hdfs" {
		var err error
		if o.preferences.topology, err = trace.NewTopology(o.cluster.nodes); err != nil {
			return nil, err
		}
	}
	for i, s := range b.spool.index {
		if i == 0 || s.submitMS < o.origin {
			o.origin = s.submitMS
		}
	}
	return b.write(ctx, o)
}
