package eventlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"replay/input"
	"replay/trace"
	"replay/trace/importer/codec"
	"replay/trace/importer/lines"
	"replay/trace/importer/workload"
)

// newestSpark is the newest version whose events this program knows; oldestSpark the oldest.
var newestSpark, oldestSpark = [2]int{4, 1}, [2]int{2, 4}

// firstSpark is the first version whose logs say which version wrote them.
var firstSpark = [2]int{1, 4}

// laterEvents are events that only logs with a version hold.
var laterEvents = []string{"SparkListenerResourceProfileAdded", "SparkListenerStageExecutorMetrics", "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart"}

// reading is how logs are read.
type reading struct {
	mode    workload.Strictness
	ended   bool  // a log whose name says that its application ended is used only if it has that end
	most    int64 // bytes that a packed file may unpack to, 0 = the usual bound
	counts  *workload.Counts
	warn    func(string, ...any) // gets what a person should know and is no error
	said    map[string]bool      // unknown events that were seen
	sources []trace.SourceFile   // that were read to their ends

	progress func(name string, before, bytes int64) // of bytes of a file that were read; nil = nobody listens
}

// readLog reads the log of one application. What was read stays in app,
// also if the log can't be used: the error is that of ctx or a [workload.LeftOutError].
func (r *reading) readLog(ctx context.Context, log Log, app *appLog) error {
	switch {
	case log.gap == "":
	case r.mode != workload.Lenient:
		return workload.Leave(log.Path, workload.Damaged, "%s%s", log.gap, lenientHint(r.mode))
	default:
		r.warn("%s: %s; what comes before it is used, and nothing behind it", log.Path, log.gap)
		r.counts.Dropped["logs_cut_short"]++
	}
	err := r.readEvents(ctx, log, app)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	v, versioned := sparkVersion(app.version)
	switch {
	case app.started && app.version == "" && app.later != "":
		return workload.Leave(log.Path, workload.Damaged, "no SparkListenerLogStart, which says the version, want it first; %s is of a later Spark than those that wrote none", app.later)
	case app.started && app.version == "":
		return workload.Leave(log.Path, workload.TooOld, "no version line: Spark before %d.%d, want %d.%d or later", firstSpark[0], firstSpark[1], firstSpark[0], firstSpark[1])
	case versioned && less(v, firstSpark):
		return workload.Leave(log.Path, workload.TooOld, "Spark %s, want %d.%d or later", app.version, firstSpark[0], firstSpark[1])
	case !app.started && err == nil && log.unfinished() && (app.events == 0 || app.version != ""):
		return workload.Leave(log.Path, workload.NoEnd, "ends before SparkListenerApplicationStart")
	case !app.started && app.version == "" && app.events > 0:
		return workload.Leave(log.Path, workload.Damaged, "begins in the middle: no SparkListenerLogStart and no SparkListenerApplicationStart, want the first part of this log%s", log.rollingHint())
	case err != nil:
		return err
	case !app.started:
		return workload.Leave(log.Path, workload.Damaged, "no SparkListenerApplicationStart, want one near the beginning")
	case app.end != absent && app.end < app.start.at-clockStepMS:
		return workload.Leave(log.Path, workload.Damaged, "SparkListenerApplicationEnd is at %d ms, want the start, %d ms, or later", app.end, app.start.at)
	case !versioned:
		r.warn("%s: the Spark version is %q, want one such as 3.5.5", log.Path, app.version)
	}
	if app.end == absent {
		// Databricks ends no log: a cluster that is stopped leaves it as it is.
		if !app.databricks && !r.mayStop(&log) {
			return workload.Leave(log.Path, workload.NoEnd, "no SparkListenerApplicationEnd, and the name does not end in .inprogress%s%s", log.rollingHint(), lenientHint(r.mode))
		}
		app.cut = !app.databricks && !log.unfinished()
		r.counts.Read["applications_without_an_end"]++
	}
	if app.end != absent && app.lastTask > app.end+clockStepMS {
		r.warn("%s: SparkListenerApplicationEnd is at %d ms and the end of a task at %d ms: the application is taken to end then", log.Path, app.end, app.lastTask)
		app.drops["application_ends_before_a_task"]++
		app.end = app.lastTask
	}
	if app.end != absent {
		for _, st := range app.stages {
			if st.completed == absent && st.whole() {
				app.drops["stage_completions"]++
			}
		}
	}
	if late := app.ranOn(); late != nil {
		r.warn("%s: %d of %d executors begin tasks after they were removed, the first is %d: the events contradict each other, and the tasks are taken", log.Path, len(late), len(app.executors), late[0])
	}
	if log.compacted {
		r.counts.Read["compacted_logs"]++
		r.warn("%s: was compacted by a history server: jobs and executors that had ended are not in it", log.Path)
	}
	for range app.running {
		app.drops["task_starts_without_end"]++
	}
	for k, n := range app.drops {
		r.counts.Dropped[k] += n
	}
	if r.mode == workload.Strict {
		for _, k := range slices.Sorted(maps.Keys(app.drops)) {
			return workload.Leave(log.Path, workload.Damaged, "%d x %s", app.drops[k], k)
		}
	}
	app.count(r.counts)
	return nil
}

// mayStop tells whether the log is used as far as it goes if it stops anywhere, also within a line. Of one file of a
// rolling log the rest is elsewhere.
func (r *reading) mayStop(log *Log) bool {
	return log.unfinished() || r.mode == workload.Lenient || !r.ended && log.rollingHint() == ""
}

// unfinished tells that the log is named or laid out as what an application leaves that runs or was killed.
func (l *Log) unfinished() bool { return l.InProgress || l.rolled }

// readEvents reads all events of the log.
func (r *reading) readEvents(ctx context.Context, log Log, app *appLog) error {
	p := newEventParser()
	defer p.done()
	for i, path := range log.Files {
		f := logFile{path: path, archive: log.archive, open: r.mayStop(&log) && i == len(log.Files)-1, later: i > 0, app: app, parser: p, reading: r}
		err := f.read(ctx)
		app.events = 0
		for _, n := range p.events {
			app.events += n
		}
		if err != nil {
			return err
		}
	}
	if app.started && (p.events["SparkListenerEnvironmentUpdate"] == 0 || app.conf == nil) {
		r.counts.Defaulted["applications_without_properties"]++
		r.warn("%s: no SparkListenerEnvironmentUpdate with Spark Properties: sizes and settings are Spark's defaults", log.Path)
	}
	for _, name := range laterEvents {
		if p.events[name] > 0 {
			app.later = name
			break
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.odd)) {
		r.warn("%s: %d x %s: taken as unknown", log.Path, p.odd[name], name)
		app.drops["values_that_can_not_be"] += p.odd[name]
	}
	for name, n := range p.events {
		r.counts.Events[name] += n
	}
	for name, n := range p.unknownFields {
		r.counts.Unknown["field "+name] += n
	}
	if r.mode == workload.Strict {
		for _, name := range slices.Sorted(maps.Keys(p.unknownFields)) {
			return workload.Leave(log.Path, workload.Unusable, "field %s is unknown, want those of Spark %d.%d to %d.%d", name, oldestSpark[0], oldestSpark[1], newestSpark[0], newestSpark[1])
		}
	}
	return nil
}

// ranOn returns the executors on which tasks began after their removal, by their ids.
func (a *appLog) ranOn() (ids []int32) {
	for i := range a.executors {
		if e := &a.executors[i]; e.removed != absent && e.last > e.removed {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// count adds what was read.
func (a *appLog) count(c *workload.Counts) {
	c.Read["applications"]++
	c.Read["spark_jobs"] += int64(len(a.jobs))
	for _, j := range a.jobs {
		if j.end == absent {
			c.Read["spark_jobs_without_end"]++
		} else if !j.ok {
			c.Read["spark_jobs_failed"]++
		}
	}
	c.Read["stages"] += int64(len(a.stages))
	for _, s := range a.stages {
		c.Read["stage_attempts"] += int64(s.attempts())
		c.Read["tasks"] += int64(len(s.parts))
	}
	c.Read["stages_skipped"] += int64(len(a.infos) - len(a.stages))
	c.Read["task_ends"] += a.ends.all
	c.Read["task_ends_failed"] += a.ends.failed
	c.Read["task_ends_killed"] += a.ends.killed
	c.Read["task_ends_speculative"] += a.ends.speculative
	c.Read["task_core_ms"] += a.ends.coreMS
	for l, n := range a.ends.locality {
		c.Read["task_ends_"+l] += n
	}
	c.Read["executors_added"] += int64(len(a.executors)) + a.addedAgain
	c.Read["executors_removed"] += a.removals
	c.Read["executors_removed_that_were_not_there"] += a.removalsOfNone
}

// logFile is one file of a log while it is read.
type logFile struct {
	*reading
	path    string
	archive *archive // in which it is
	open    bool     // its last line may be cut
	later   bool     // of several
	app     *appLog
	parser  *eventParser
	line    int   // number of the line at hand, from 1
	begun   bool  // it had a SparkListenerLogStart
	others  bool  // another application has begun
	torn    error // what is wrong with the line before, if it may be one that was not written to its end
}

// read takes in all lines.
func (f *logFile) read(ctx context.Context) error {
	r, err := openLog(f.path, f.most, f.archive.opens(codec.OpenHashed))
	if left := new(workload.LeftOutError); f.open && f.later && errors.As(err, &left) && left.Reason == workload.Empty {
		return nil // it was begun, and nothing of it had been written
	}
	if err != nil {
		return err
	}
	defer r.Close()
	if err := f.readFrom(ctx, r); err != nil {
		return err
	}
	sum, err := r.SHA256()
	if err != nil {
		return workload.Leave(f.path, workload.Unreadable, "%w", err)
	}
	f.sources = append(f.sources, trace.SourceFile{Name: filepath.Base(f.path), SHA256: sum})
	return nil
}

// readFrom takes in all lines of an unpacked file.
func (f *logFile) readFrom(ctx context.Context, r io.Reader) error {
	blocks, free, stop := lines.Ahead(r)
	defer stop()
	var read, size int64
	defer func() {
		f.counts.Read["lines"] += read
		f.counts.Read["bytes"] += size
	}()
	for b := range blocks {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for i, l := range b.Lines {
			f.line++
			if broken := b.Err != nil && b.Err != io.EOF && i == len(b.Lines)-1 && !l.Whole; broken || len(bytes.TrimSpace(l.Text)) == 0 {
				continue // the stream broke within this line
			}
			if err := f.torn; err != nil { // not the last line: it was not cut
				f.torn = nil
				if err := f.brokenLine(err); err != nil {
					return err
				}
			}
			read++
			before := size
			size += int64(len(l.Text) + 1)
			if f.progress != nil {
				f.progress(f.path, before, size)
			}
			if err := f.event(l); err != nil {
				return err
			}
		}
		if b.Err != nil && b.Err != io.EOF {
			return f.broken(b.Err)
		}
		free <- b
	}
	switch {
	case f.torn != nil && !f.app.started:
		return workload.Leave(f.path, workload.NoEnd, "ends before SparkListenerApplicationStart: %w", f.torn)
	case f.torn != nil:
		f.counts.Dropped["logs_cut_short"]++
	}
	return nil
}

// broken says what it means that the stream ended with err.
func (f *logFile) broken(err error) error {
	if large := new(input.TooLarge); errors.As(err, &large) { // what there is of it is no log that was cut
		return workload.Leave(f.path, workload.TooLarge, "%w; --max-unpacked allows more", err)
	}
	if f.mode != workload.Lenient && !(f.open && errors.Is(err, io.ErrUnexpectedEOF)) {
		return workload.Leave(f.path, workload.Damaged, "after line %d: %w%s", f.line, err, lenientHint(f.mode))
	}
	f.counts.Dropped["logs_cut_short"]++
	return nil
}

// saidEvents is of how many unknown events it is said where they are: logs of some platforms have dozens.
const saidEvents = 3

// event takes in one line.
func (f *logFile) event(l lines.Line) error {
	if f.mode == workload.Lenient && f.another(l.Text) {
		return nil
	}
	err := f.parser.parse(l.Text, f.app)
	if err == nil {
		err = f.app.take()
	}
	c := f.counts
	switch {
	case err == nil:
	case errors.Is(err, errUnknownEvent):
		if f.mode == workload.Strict {
			return workload.Leave(f.path, workload.Unusable, "line %d: %w", f.line, err)
		}
		if c.Unknown["event "+f.parser.event]++; !f.said[f.parser.event] {
			f.said[f.parser.event] = true
			switch n := len(f.said); {
			case n < saidEvents:
				f.warn("%s: line %d: %v; such events are counted and skipped", f.path, f.line, err)
			case n == saidEvents:
				f.warn("%s: line %d: %v; such events are counted and skipped, and so are further unknown ones, of which only the counts tell", f.path, f.line, err)
			}
		}
	// What comes after the end of the application is not missed.
	case (f.open || f.mode == workload.Lenient || f.app.end != absent) && errors.As(err, new(notJSON)):
		f.torn = fmt.Errorf("line %d: %w", f.line, err)
	case !l.Whole:
		return workload.Leave(f.path, workload.NoEnd, "line %d: the log ends within an event (%w), want a whole line%s", f.line, err, lenientHint(f.mode))
	default:
		return f.brokenLine(fmt.Errorf("line %d: %w", f.line, err))
	}
	return nil
}

// another reports whether a line belongs to another application, which begins after that of the log: files were put together. Nothing
// of it may count for this one, whose ids it has again.
func (f *logFile) another(line []byte) bool {
	if name, _ := eventName(line); !f.others && f.app.started {
		switch string(name) {
		case "SparkListenerLogStart":
			f.others = f.begun
		case "SparkListenerApplicationStart":
			f.others = !bytes.Contains(line, []byte(strconv.Quote(f.app.start.id)))
		}
		if f.others {
			f.warn("%s: line %d: another application begins; it is left out with all that follows: split what was put together", f.path, f.line)
		}
	} else {
		f.begun = f.begun || string(name) == "SparkListenerLogStart"
	}
	if f.others {
		f.counts.Dropped["lines_of_other_applications"]++
	}
	return f.others
}

// brokenLine says what it means that a line can't be used.
func (f *logFile) brokenLine(err error) error {
	if f.mode != workload.Lenient {
		return workload.Leave(f.path, workload.Damaged, "%w%s", err, lenientHint(f.mode))
	}
	if f.counts.Dropped[workload.BrokenLines]++; f.counts.Dropped[workload.BrokenLines] == 1 {
		f.warn("%s: %v; this line and others like it are left out", f.path, err)
	}
	return nil
}

// rollingHint says of a file that is named as one of a rolling log what to give instead.
func (l *Log) rollingHint() string {
	if !l.rolled && rollingFile.MatchString(filepath.Base(l.Path)) {
		return "; it is named as one file of a rolling log: its folder, " + rollingPrefix + "…, is read as a whole"
	}
	return ""
}

func lenientHint(mode workload.Strictness) string {
	if mode == workload.Normal {
		return "; --lenient keeps what can be used"
	}
	return ""
}

// sparkVersion reads the first two numbers of a version.
func sparkVersion(text string) (v [2]int, ok bool) {
	parts := strings.SplitN(text, ".", 3)
	if len(parts) < 2 {
		return v, false
	}
	for i := range v {
		n, err := strconv.Atoi(parts[i])
		if err != nil {
			return v, false
		}
		v[i] = n
	}
	return v, true
}

func less(a, b [2]int) bool { return a[0] < b[0] || a[0] == b[0] && a[1] < b[1] }
