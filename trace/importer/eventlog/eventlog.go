// Package eventlog reads Spark event logs: which files are logs, their events, and what these say of stages, of
// what each waited for, of the sizes of containers and of executors.
package eventlog

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"replay/trace"
	"replay/trace/importer/codec"
	"replay/trace/importer/lines"
	"replay/trace/importer/workload"
)

// Format is that of Spark event logs, one application each. Logs hold no preferred locations: where the input of
// tasks was is inferred or modelled, see [workload.Options].Blocks.
var Format = workload.Format{
	Usage:  "Spark event logs: files, rolling directories, zip archives, or directories of these",
	Detect: func(_ string, head []byte) string { return cmp.Or(detectText(head), detectZipped(head)) },
	Read:   readLogs,
}

// detectText tells by its begin whether a text is an event log.
func detectText(head []byte) string {
	if firstEvent.Match(head) {
		return "events of Spark's listener as JSON"
	}
	return ""
}

// firstEvent matches the begin of a log. Spark writes no blanks; what other programs wrote again has them, or is not a line for each event, which [looksLikeLog] says.
var firstEvent = regexp.MustCompile(`^\s*\[?\s*\{\s*"Event"\s*:\s*"(SparkListener|org\.apache\.spark|` + databricksStart + `)`)

func readLogs(ctx context.Context, inputs []string, b *workload.Builder) error {
	inputs, remove, err := b.StdinAsFile(inputs)
	if err != nil {
		return err
	}
	defer remove()
	found, err := Find(inputs)
	if err != nil {
		return err
	}
	b.PassOver("not read, as names with a dot and strange ones in rolling logs are no logs", found.Passed)
	if len(found.Logs)+len(found.Left) == 0 {
		return fmt.Errorf("%s: there is no file, want event logs", strings.Join(inputs, ", "))
	}
	for _, in := range found.Left {
		if err := b.Leave(in); err != nil {
			return err
		}
	}
	return addLogs(ctx, b, found.Logs)
}

// FormatOf is the format of logs that [Find] has found: their import takes no inputs.
func FormatOf(logs ...Log) workload.Format {
	return workload.Format{Usage: Format.Usage, Read: func(ctx context.Context, _ []string, b *workload.Builder) error {
		return addLogs(ctx, b, logs)
	}}
}

func addLogs(ctx context.Context, b *workload.Builder, logs []Log) error {
	if err := b.CheckTimes(); err != nil {
		return err
	}
	v, said := versions{}, map[string]bool{}
	for i, log := range logs {
		if err := addLog(ctx, b, log, &v, said); err != nil {
			return err
		}
		b.Progress(i+1, len(logs), "logs")
	}
	v.warn(b)
	return nil
}

// addLog adds the application of a log, or the log as left out.
func addLog(ctx context.Context, b *workload.Builder, log Log, v *versions, said map[string]bool) error {
	in := workload.NewInput(log.given, log.Path)
	for _, f := range log.Files {
		if size, _, err := log.archive.stat(f); err == nil {
			in.Bytes += size
		}
	}
	app, counts := newAppLog(), workload.NewCounts()
	a, err := func() (*Application, error) {
		if err := log.within(ctx, b.Options); err != nil {
			return nil, err
		}
		mode := b.Options.Strictness()
		r := reading{mode: mode, ended: mode == workload.Strict, most: b.Options.MaxUnpacked, counts: counts, warn: b.Warn, said: said, progress: b.Read}
		a, err := r.read(ctx, log, app, nil)
		in.Sources = r.sources
		return a, err
	}()
	app.describe(&in)
	if err != nil {
		if ctx.Err() != nil || !in.Leave(err) {
			return err
		}
		return b.Leave(in)
	}
	v.add(log.Path, app)
	if a.Job.ExternalID == "" { // before Spark gave them
		a.Job.ExternalID = fmt.Sprintf("%s-%d", a.Job.Name, a.Job.RecordedStartMS)
		counts.Defaulted["application_id_is_its_name_and_start"]++
	}
	return b.AddRecording(in, &a.Application, counts)
}

// describe says what the log holds as far as it was read.
func (a *appLog) describe(in *workload.Input) {
	in.Application, in.Attempt, in.Name, in.Version = a.start.id, a.start.attempt, a.start.name, a.version
	in.Tasks, in.Ended, in.Cut = a.ends.all, a.end != absent, a.cut
	if a.started {
		in.StartMS, in.EndMS = a.start.at, max(a.start.at, a.last)
		if in.Ended {
			in.EndMS = max(a.start.at, a.end)
		}
	}
}

// within tells whether the application started within the times of the options, from the begin of its log. A log whose
// begin does not say is within: what is wrong with it is found when it is read.
func (l *Log) within(ctx context.Context, o *workload.Options) error {
	if o.FromMS == trace.Unset && o.ToMS == trace.Unset {
		return nil
	}
	f, err := openLog(l.Files[0], o.MaxUnpacked, l.archive.opens(codec.Open))
	if err != nil {
		return err
	}
	defer f.Close()
	app, p, in := newAppLog(), newEventParser(), lines.NewReader(f)
	defer p.done()
	for in.Line() < 10_000 && !app.started && ctx.Err() == nil {
		line, _, err := in.Next()
		if err != nil {
			break
		}
		if bytes.Contains(line, []byte("SparkListenerApplicationStart")) {
			p.parse(line, app)
		}
	}
	if at := app.start.at; app.started && (o.FromMS != trace.Unset && at < o.FromMS || o.ToMS != trace.Unset && at >= o.ToMS) {
		return workload.Leave(l.Path, workload.OutsideTimes, "application %s started at %s", app.start.id, time.UnixMilli(at).UTC().Format(time.RFC3339))
	}
	return nil
}

// versions says once of all logs which of them are of a Spark that this program does not know, which have lost events, in which the clock was set back, and which
// hide properties.
type versions struct{ older, newer, odd, lost, back, hidden remark }

// setClockMS is how far a log contradicts itself whose clock was set: a driver writes launches in their order, and no task works longer than it holds its core.
const setClockMS = 1000

// remark is what is said of some logs.
type remark struct {
	n           int
	path, value string // of the first
}

func (r *remark) add(path, value string) {
	if r.n++; r.n == 1 {
		r.path, r.value = path, value
	}
}

func (v *versions) add(path string, app *appLog) {
	version := app.version
	if app.lost != "" {
		v.lost.add(path, app.lost)
	}
	if app.setBack > setClockMS {
		v.back.add(path, (time.Duration(app.setBack) * time.Millisecond).String())
	}
	if keys := app.unknownKeys(); len(keys) > 0 {
		v.hidden.add(path, strings.Join(keys, ", "))
	}
	switch n, ok := sparkVersion(version); {
	case !ok:
		v.odd.add(path, version)
	case less(newestSpark, n):
		v.newer.add(path, version)
	case less(n, oldestSpark):
		v.older.add(path, version)
	}
}

// warn says it of one log, of its path and value, or of many, of their number and the path and value of the first.
func (r *remark) warn(b *workload.Builder, one, many string) {
	switch {
	case r.n == 1:
		b.Warn(one, r.path, r.value)
	case r.n > 1:
		b.Warn(many, r.n, r.path, r.value)
	}
}

func (v *versions) warn(b *workload.Builder) {
	say := func(r *remark, what string) {
		r.warn(b, "%s: was written by Spark %q, "+what, "%d logs are "+what+"; the first is %s, of Spark %q")
	}
	say(&v.older, fmt.Sprintf("older than %d.%d, from which on predictions were checked", oldestSpark[0], oldestSpark[1]))
	say(&v.newer, fmt.Sprintf("newer than the newest known %d.%d: unknown fields and events are counted, their meaning is ignored", newestSpark[0], newestSpark[1]))
	say(&v.odd, "which is no version such as 3.5.5")
	v.lost.warn(b, "%s: has lost events: %s; what stands for them is made up", "%d logs have lost events, and what stands for them is made up; the first is %s: %s")
	const instead = "the log's resource profile and executors stand for them where they say them, else Spark's defaults (replay run --conf KEY=VALUE says others)"
	v.hidden.warn(b, "%s: hides what was set for %s (spark.redaction.regex): "+instead, "%d logs hide what properties were set to (spark.redaction.regex): "+instead+"; the first is %s, with %s")
	const so = "recorded times that reach over that are too short, and what is predicted is not to be held against them"
	v.back.warn(b, "%s: the driver's clock was set back by %s or more while it wrote the log: "+so, "in %d logs the driver's clock was set back: "+so+"; the first is %s, by %s or more")
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
	Sources    []trace.SourceFile
}

// Read reads the log of one application; known may be nil. In strict mode a log of which something is dropped is an
// error, and so is, unless lenient, one that stops although [Log.InProgress] says that the application ended.
func Read(ctx context.Context, b *workload.Builder, log Log, known *Known) (*Application, error) {
	app, v := newAppLog(), versions{}
	r := reading{mode: b.Options.Strictness(), ended: true, most: b.Options.MaxUnpacked, counts: b.Counts, warn: b.Warn, said: map[string]bool{}}
	a, err := r.read(ctx, log, app, known)
	if err == nil {
		a.Sources = r.sources
		v.add(log.Path, app)
		v.warn(b)
	}
	return a, err
}

// read reads a log into app and makes its application.
func (r *reading) read(ctx context.Context, log Log, app *appLog, known *Known) (*Application, error) {
	if err := r.readLog(ctx, log, app); err != nil {
		return nil, err
	}
	app.hide()
	if known != nil {
		if app.start.id != known.ID {
			return nil, fmt.Errorf("%s: holds application %q, want %q", log.Path, app.start.id, known.ID)
		}
		app.complete(known, r.counts)
	}
	before, modelled := maps.Clone(r.counts.Dropped), maps.Clone(r.counts.Modelled)
	a, err := buildApp(app, r.counts)
	if err != nil {
		return nil, workload.Leave(log.Path, workload.Unusable, "%w", err)
	}
	app.lost = lostEvents(app, func(k string) int64 { return r.counts.Modelled[k] - modelled[k] }, r.counts.Dropped[ofNoJob]-before[ofNoJob])
	for _, k := range slices.Sorted(maps.Keys(r.counts.Dropped)) {
		if n := r.counts.Dropped[k] - before[k]; n > 0 && r.mode == workload.Strict {
			return nil, workload.Leave(log.Path, workload.Damaged, "%d x %s, and strict wants nothing dropped", n, k)
		}
	}
	return a, nil
}

// lostEvents says which events the log of an application has lost, as Spark's listener bus drops them when it is late; "" = none. Tasks that ran when an
// application ended have no end. Of jobs of which neither start nor end is there their stages tell.
func lostEvents(app *appLog, modelled func(count string) int64, stagesOfNoJob int64) string {
	var lost []string
	ends := modelled
	if app.end == absent { // these may have come where the log breaks off
		ends = func(string) int64 { return 0 }
	}
	if app.drops["job_ends_without_start"] > 0 {
		stagesOfNoJob = 0 // they are those of these jobs
	}
	for _, of := range []struct {
		n    int64
		what string
	}{
		{stagesOfNoJob, "stages' jobs"},
		{modelled("executors_that_no_event_added"), "of added executors"}, {app.drops["job_ends_without_start"], "of started jobs"},
		{app.drops["stage_submissions"], "of submitted stages"}, {app.drops["stage_completions"], "of completed stages"},
		{app.drops[endsAlone], "of started tasks"}, {modelled("durations_of_lost_task_ends") + modelled("durations_of_lost_tasks"), "of ended tasks"},
		{ends("ends_of_spark_jobs"), "of ended jobs"}, {ends("removals_of_lost_executors"), "of removed executors"},
	} {
		if of.n > 0 {
			lost = append(lost, fmt.Sprint(of.n, " ", of.what))
		}
	}
	return strings.Join(lost, ", ")
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
