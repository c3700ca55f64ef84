package eventlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"replay/trace/importer/lines"
	"replay/trace/importer/workload"
)

// newestSpark is the newest version whose events this program knows; oldestSpark the oldest.
var newestSpark, oldestSpark = [2]int{4, 0}, [2]int{2, 4}

// readLog reads the log of one application. warn gets what a person should know and is no error.
func readLog(ctx context.Context, log Log, mode workload.Strictness, counts *workload.Counts, warn func(string, ...any)) (*appLog, error) {
	app, p := newAppLog(), newEventParser()
	for i, path := range log.Files {
		f := logFile{path: path, open: log.InProgress && i == len(log.Files)-1, mode: mode, app: app, parser: p, counts: counts, warn: warn}
		if err := f.read(ctx); err != nil {
			return nil, err
		}
	}
	for name, n := range p.events {
		counts.Events[name] += n
	}
	for name, n := range p.unknownFields {
		counts.Unknown["field "+name] += n
		if mode == workload.Strict {
			return nil, fmt.Errorf("%s: field %s is unknown, want those of Spark %d.%d to %d.%d", log.Path, name, oldestSpark[0], oldestSpark[1], newestSpark[0], newestSpark[1])
		}
	}
	checkVersion(log.Path, app.version, warn)
	if log.compacted {
		counts.Read["compacted_logs"]++
		warn("%s: was compacted by a history server: jobs and executors that had ended are not in it", log.Path)
	}
	if !app.started {
		return nil, fmt.Errorf("%s: no SparkListenerApplicationStart, want one near the beginning", log.Path)
	}
	if app.end == absent {
		if !log.InProgress && mode != workload.Lenient {
			return nil, fmt.Errorf("%s: no SparkListenerApplicationEnd, and the name does not end in .inprogress: the log is cut or the application was killed; --lenient keeps what is there", log.Path)
		}
		counts.Read["applications_without_an_end"]++
	}
	for range app.running {
		app.drops["task_starts_without_end"]++
	}
	for k, n := range app.drops {
		counts.Dropped[k] += n
		if mode == workload.Strict {
			return nil, fmt.Errorf("%s: %d x %s", log.Path, n, k)
		}
	}
	app.count(counts)
	return app, nil
}

// count adds what was read.
func (a *appLog) count(c *workload.Counts) {
	c.Read["applications"]++
	c.Read["jobs"] += int64(len(a.jobs))
	for _, j := range a.jobs {
		if j.end == absent {
			c.Read["jobs_without_end"]++
		} else if !j.ok {
			c.Read["jobs_failed"]++
		}
	}
	c.Read["stages"] += int64(len(a.stages))
	for _, s := range a.stages {
		c.Read["stage_attempts"] += int64(s.attempts())
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
	c.Read["executors_added"] += int64(len(a.executors))
	c.Read["executors_removed"] += a.removals
	c.Read["executors_removed_that_were_not_there"] += a.removalsOfNone
}

// logFile is one file of a log while it is read.
type logFile struct {
	path   string
	open   bool // its last line may be cut
	mode   workload.Strictness
	app    *appLog
	parser *eventParser
	counts *workload.Counts
	warn   func(string, ...any)
	line   int // number of the line at hand, from 1
}

// read takes in all lines.
func (f *logFile) read(ctx context.Context) error {
	r, err := openLog(f.path)
	if err != nil {
		return err
	}
	defer r.Close()
	blocks, free, stop := lines.Ahead(r, check)
	defer stop()
	for b := range blocks {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		start := 0
		for i, l := range b.Lines {
			line := b.Text[start:l.End]
			start = l.End
			f.line++
			if broken := b.Err != nil && b.Err != io.EOF && i == len(b.Lines)-1 && !l.Whole; broken || len(line) == 0 {
				continue // the stream broke within this line
			}
			f.counts.Read["lines"]++
			f.counts.Read["bytes"] += int64(len(line) + 1)
			if err := f.event(line, l); err != nil {
				return err
			}
		}
		if b.Err != nil && b.Err != io.EOF {
			return f.broken(b.Err)
		}
		free <- b
	}
	return nil
}

// broken says what it means that the stream ended with err.
func (f *logFile) broken(err error) error {
	if f.mode != workload.Lenient && !(f.open && errors.Is(err, io.ErrUnexpectedEOF)) {
		return fmt.Errorf("%s: after line %d: %w%s", f.path, f.line, err, lenientHint(f.mode))
	}
	f.counts.Dropped["logs_cut_short"]++
	return nil
}

// event takes in one line.
func (f *logFile) event(line []byte, l lines.Line) error {
	err := f.parser.parseChecked(line, l.Bad, f.app)
	if err == nil {
		err = f.app.take()
	}
	c := f.counts
	switch {
	case err == nil:
	case errors.Is(err, errUnknownEvent):
		if f.mode == workload.Strict {
			return fmt.Errorf("%s: line %d: %w", f.path, f.line, err)
		}
		if c.Unknown["event "+f.parser.event]++; c.Unknown["event "+f.parser.event] == 1 {
			f.warn("%s: line %d: %v; such events are counted and skipped", f.path, f.line, err)
		}
	case !l.Whole && (f.open || f.mode == workload.Lenient):
		c.Dropped["logs_cut_short"]++
	case !l.Whole:
		return fmt.Errorf("%s: line %d: the log ends within an event (%w), want a whole line%s", f.path, f.line, err, lenientHint(f.mode))
	case f.mode == workload.Lenient:
		if c.Dropped["broken_lines"]++; c.Dropped["broken_lines"] == 1 {
			f.warn("%s: line %d: %v; this line and others like it are left out", f.path, f.line, err)
		}
	default:
		return fmt.Errorf("%s: line %d: %w%s", f.path, f.line, err, lenientHint(f.mode))
	}
	return nil
}

func lenientHint(mode workload.Strictness) string {
	if mode == workload.Normal {
		return "; --lenient keeps what can be used"
	}
	return ""
}

// checkVersion warns of logs of a Spark that this program does not know.
func checkVersion(path, version string, warn func(string, ...any)) {
	var v [2]int
	parts := strings.SplitN(version, ".", 3)
	for i := range min(2, len(parts)) {
		n, err := strconv.Atoi(parts[i])
		if err != nil {
			parts = nil
			break
		}
		v[i] = n
	}
	switch {
	case len(parts) < 2:
		warn("%s: the Spark version is %q, want one such as 3.5.5", path, version)
	case less(newestSpark, v):
		warn("%s: was written by Spark %s, newer than the newest known %d.%d: unknown fields and events are counted, their meaning is ignored", path, version, newestSpark[0], newestSpark[1])
	case less(v, oldestSpark):
		warn("%s: was written by Spark %s, older than the oldest known %d.%d", path, version, oldestSpark[0], oldestSpark[1])
	}
}

func less(a, b [2]int) bool { return a[0] < b[0] || a[0] == b[0] && a[1] < b[1] }
