// Package eventlog reads Spark event logs: which files are logs, their events, and what these say of stages, of
// what each waited for, of the sizes of containers and of executors.
package eventlog

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"replay/trace/importer/workload"
)

// Format is that of Spark event logs, one application each. Logs hold no preferred locations: where the input of
// tasks was is inferred or modelled, see [workload.Options].Blocks.
var Format = workload.Format{
	Usage: "Spark event logs: files, rolling directories, or directories of these",
	Read:  readLogs,
}

func readLogs(ctx context.Context, inputs []string, b *workload.Builder) error {
	logs, skipped, err := Find(inputs)
	if err != nil {
		return err
	}
	b.Counts.Read["files_that_are_no_logs"] = int64(len(skipped))
	if len(skipped) > 0 {
		b.Warn("%d files are not event logs and were left out, the first is %s", len(skipped), skipped[0])
	}
	for i, log := range logs {
		if err := addLog(ctx, b, log); err != nil {
			return err
		}
		b.Progress(i+1, len(logs), "logs")
	}
	b.KeepLastAttempts()
	return nil
}

func addLog(ctx context.Context, b *workload.Builder, log Log) error {
	a, err := Read(ctx, b, log, nil)
	if err != nil {
		if !b.Options.Lenient || ctx.Err() != nil {
			return err
		}
		b.Counts.Dropped["unusable_logs"]++
		b.Warn("%v; the log is left out", err)
		return nil
	}
	if a.Job.ExternalID == "" {
		a.Job.ExternalID = parseLogName(log.Path).base
		b.Counts.Defaulted["application_id_is_file_name"]++
	}
	if err := b.AddSource(log.Files...); err != nil {
		return err
	}
	_, err = b.Add(&a.Application)
	return err
}

// Known is what another source says of the application of a log.
type Known struct {
	ID           string              // as the log must have it
	RegisteredMS int64               // when its master registered, ms since 1970; 0 = not known
	Conf         []map[string]string // properties that the log may lack; the first that has one counts
}

// Application is the application of a log, with what a trace does not keep.
type Application struct {
	workload.Application
	Tasks      [][]TaskID       // of each stage
	Containers map[string]int32 // YARN's container id -> executor
}

// Read reads the log of one application; known may be nil. In strict mode a log of which something is dropped is an
// error.
func Read(ctx context.Context, b *workload.Builder, log Log, known *Known) (*Application, error) {
	app, err := readLog(ctx, log, b.Options.Strictness(), b.Counts, b.Warn)
	if err != nil {
		return nil, err
	}
	if known != nil {
		if app.start.id != known.ID {
			return nil, fmt.Errorf("%s: holds application %q, want %q", log.Path, app.start.id, known.ID)
		}
		app.complete(known, b.Counts)
	}
	before := maps.Clone(b.Counts.Dropped)
	a, err := buildApp(app, b.Counts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", log.Path, err)
	}
	for _, k := range slices.Sorted(maps.Keys(b.Counts.Dropped)) {
		if n := b.Counts.Dropped[k] - before[k]; n > 0 && b.Options.Strict {
			return nil, fmt.Errorf("%s: %d x %s, and strict wants nothing dropped", log.Path, n, k)
		}
	}
	return a, nil
}

// complete adds what another source knows to what the log says.
func (a *appLog) complete(known *Known, counts *workload.Counts) {
	if known.RegisteredMS > 0 {
		a.amAt = known.RegisteredMS
	}
	if a.conf == nil {
		a.conf = map[string]string{}
	}
	for _, source := range known.Conf {
		for k, v := range source {
			if _, ok := a.conf[k]; !ok {
				a.conf[k] = v
				counts.Defaulted["properties_from_the_submission_or_cluster"]++
			}
		}
	}
}
