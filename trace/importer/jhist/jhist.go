// Package jhist reads the history files of MapReduce jobs (.jhist), one job each, as Hadoop's job history server keeps them.
//
// Source: EventWriter and Events.avpr of Hadoop's hadoop-mapreduce-client-core.
package jhist

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fastjson"

	"replay/input"
	"replay/trace"
	"replay/trace/importer/codec"
	"replay/trace/importer/delimited"
	"replay/trace/importer/lines"
	"replay/trace/importer/mapreduce"
	"replay/trace/importer/objects"
	"replay/trace/importer/workload"
)

// Format is that of job histories: files, or directories of these at any depth.
var Format = workload.Format{
	Usage: "MapReduce job histories (.jhist): files, or directories of these",
	Detect: func(_ string, head []byte) string {
		for _, form := range []string{textHead, binaryHead} {
			if bytes.HasPrefix(head, []byte(form)) {
				return "the first line says " + form
			}
		}
		return ""
	},
	Read: read,
}

// First words of a history.
const (
	textHead   = "Avro-Json"
	binaryHead = "Avro-Binary"
)

func read(ctx context.Context, inputs []string, b *workload.Builder) error {
	b.Locality = trace.LocalityRecorded
	if err := b.CheckTimes(); err != nil {
		return err
	}
	inputs, remove, err := b.StdinAsFile(inputs)
	if err != nil {
		return err
	}
	defer remove()
	files, err := b.Parts(inputs, func(path string, _ bool) bool { return !strings.HasSuffix(path, ".summary") })
	if err != nil {
		return err
	}
	r := &reading{Builder: b, given: inputs, racks: map[string]string{}, confs: map[string]string{}}
	files = slices.DeleteFunc(files, func(path string) bool {
		job, is := strings.CutSuffix(workload.BaseName(path), confSuffix)
		if is {
			r.confs[job] = path
		}
		return is
	})
	if len(files) == 0 {
		return errors.New("no file among the inputs, want job histories")
	}
	for i, path := range files {
		if err := r.add(ctx, path); err != nil {
			return err
		}
		b.Progress(i+1, len(files), "histories")
	}
	b.PassOver("not read, as no history that is read has that job", slices.Sorted(maps.Values(r.confs)))
	for _, host := range slices.Sorted(maps.Keys(r.racks)) {
		b.AddNode(trace.Node{Host: host, Rack: r.racks[host], Present: true})
	}
	b.Counts.Modelled["sizes_of_nodes"] += int64(len(r.racks))
	return nil
}

// reading is an import.
type reading struct {
	*workload.Builder
	given  []string // inputs
	parser objects.Parser
	racks  map[string]string // of each host of the histories that are used, "" = not known
	confs  map[string]string // configurations of jobs that no history has had yet, by their paths up to [confSuffix]
}

// inputOf is the input in which a file was found.
func (r *reading) inputOf(path string) string {
	for _, given := range r.given {
		if rel, err := filepath.Rel(given, path); err == nil && filepath.IsLocal(rel) {
			return given
		}
	}
	return path
}

// add adds the job of a history, or the history as left out.
func (r *reading) add(ctx context.Context, path string) error {
	in := workload.NewInput(r.inputOf(path), path)
	if info, err := os.Stat(path); err == nil {
		in.Bytes = info.Size()
	}
	h := &history{r: r, path: path, counts: workload.NewCounts(), tasks: map[string]*task{}, racks: map[string]string{}, submit: trace.Unset, launch: trace.Unset, finish: trace.Unset}
	err := h.read(ctx)
	var a *workload.Application
	if err == nil {
		err = h.readConf()
	}
	if err == nil {
		a, err = h.application()
	}
	in.Application, in.Name, in.StartMS, in.EndMS, in.Ended, in.Tasks = h.id, h.name, h.submit, max(h.last, h.submit), h.state != "", h.ended
	if o := r.Options; err == nil && (o.FromMS != trace.Unset && h.submit < o.FromMS || o.ToMS != trace.Unset && h.submit >= o.ToMS) {
		err = workload.Leave(path, workload.OutsideTimes, "job %s was submitted at %s", h.id, time.UnixMilli(h.submit).UTC().Format(time.RFC3339))
	}
	if err != nil {
		if ctx.Err() != nil || !in.Leave(err) {
			return err
		}
		return r.Leave(in)
	}
	for host, rack := range h.racks {
		if r.racks[host] == "" {
			r.racks[host] = rack
		}
	}
	in.Sources = h.sources
	return r.AddRecording(in, a, h.counts)
}

// history is a history while it is read.
type history struct {
	r      *reading
	path   string
	counts *workload.Counts

	id, name, user, queue, state, priority string
	submit, launch, finish, last           int64
	tasks                                  map[string]*task
	order                                  []string // ids of tasks as they began
	masters                                []string // hosts of its application masters
	racks                                  map[string]string
	size                                   [2]int64 // MiB of the containers of maps and reduces; 0 = not said
	ended                                  int64
	uber                                   bool // its tasks ran in its application master
	conf                                   map[string]string
	sources                                []trace.SourceFile
}

// task is a task with its attempts.
type task struct {
	kind     int
	start    int64
	splits   []string
	input    int64
	attempts map[string]*attempt
	order    []string
	done     string // id of the attempt that succeeded, "" = none, or not said
}

// attempt is an attempt of a task.
type attempt struct {
	start, finish, shuffled int64 // trace.Unset = not said
	host, locality, state   string
	rack                    string // of the host, "" = not known
}

func (h *history) leave(reason workload.Reason, format string, args ...any) error {
	return workload.Leave(h.path, reason, format, args...)
}

// read reads the events of the file.
func (h *history) read(ctx context.Context) error {
	f, err := codec.OpenHashed(h.path, "", h.r.Options.MaxUnpacked)
	if err != nil {
		return h.leave(workload.Unreadable, "%s", strings.TrimPrefix(err.Error(), h.path+": "))
	}
	defer f.Close()
	buf := bufio.NewReader(f)
	if head, _ := buf.Peek(len(binaryHead)); string(head) == binaryHead {
		err = h.readBinary(ctx, buf)
	} else {
		err = h.readText(ctx, buf)
	}
	if err != nil {
		return err
	}
	if h.counts.Read["events"] == 0 {
		return h.leave(workload.Empty, "no event, want those of a job")
	}
	return h.addSource(h.path, f)
}

// addSource notes a file that has been read.
func (h *history) addSource(path string, f *codec.File) error {
	sum, err := f.SHA256()
	if err != nil {
		return workload.Leave(path, workload.Unreadable, "%w", err)
	}
	h.sources = append(h.sources, trace.SourceFile{Name: filepath.Base(path), SHA256: sum})
	return nil
}

// broken is the error of a file that breaks off, or cannot be read on. It is nil where what was read of it may be kept.
func (h *history) broken(where string, err error) error {
	reason := workload.Damaged
	if errors.As(err, new(*input.TooLarge)) {
		reason, err = workload.TooLarge, fmt.Errorf("%w; --max-unpacked allows more", err)
	}
	if h.r.Options.Lenient && h.counts.Read["events"] > 0 {
		h.counts.Dropped["rest_of_damaged_histories"]++
		return nil
	}
	return h.leave(reason, "%s: %w; --lenient keeps what comes before", where, err)
}

// readBinary reads the events of a file in binary form, which has no lines after its first two. A job that goes on may end within an event.
func (h *history) readBinary(ctx context.Context, buf *bufio.Reader) error {
	line, err := buf.ReadString('\n')
	if err == nil && strings.TrimSpace(line) != binaryHead {
		return h.leave(workload.Foreign, "the first line is %.40q, want Avro-Json or Avro-Binary", line)
	}
	var in *events
	if err == nil {
		in, err = newEvents(buf)
	}
	if err != nil {
		return h.leave(workload.Damaged, "%w", noEOF(err))
	}
	for n := 1; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		event, err := in.next()
		switch {
		case err == io.EOF:
			return nil
		case err == io.ErrUnexpectedEOF && h.state == "" && !h.r.Options.Strict:
			h.counts.Dropped["lines_that_are_no_event"]++
			return nil
		case err != nil:
			return h.broken(fmt.Sprintf("event %d", n), err)
		}
		if err := h.event(event); err != nil {
			if !h.r.Options.Lenient {
				return h.leave(workload.Damaged, "event %d: %w; --lenient leaves such events out", n, err)
			}
			h.counts.Dropped["lines_that_are_no_event"]++
		}
	}
}

// readText reads the events of a file in JSON.
func (h *history) readText(ctx context.Context, buf io.Reader) error {
	in := lines.NewReader(buf)
	for n := 0; ; {
		if in.Line()%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, whole, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return h.broken(fmt.Sprintf("after line %d", in.Line()), err)
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		switch n++; n {
		case 1:
			if err := h.head(line); err != nil {
				return err
			}
			continue
		case 2:
			continue // the schema, which says nothing that the events need
		}
		if err := h.event(line); err != nil {
			if h.r.Options.Lenient || !whole && h.state == "" && !h.r.Options.Strict {
				h.counts.Dropped["lines_that_are_no_event"]++
				continue
			}
			return h.leave(workload.Damaged, "line %d: %w; --lenient leaves such lines out", in.Line(), err)
		}
	}
}

// head looks at the first line.
func (h *history) head(line []byte) error {
	if string(line) == textHead {
		return nil
	}
	if bytes.HasPrefix(line, []byte(`Meta VERSION=`)) {
		return h.leave(workload.Foreign, "is a history of Hadoop 1, want one of Hadoop 2 or later; Hadoop's Rumen makes traces of such histories, which the format rumen takes")
	}
	if err := delimited.Line(line); err != nil {
		return h.leave(workload.Damaged, "line 1: %w", err)
	}
	return h.leave(workload.Foreign, "the first line is %.40q, want Avro-Json or Avro-Binary", line)
}

// fields are those of an event; what is missing is "" or trace.Unset.
type fields struct {
	v   *fastjson.Value
	err error
}

// get returns a field, out of the object that a union puts around it, such as {"string":"x"}.
func (f *fields) get(name string) *fastjson.Value {
	v := f.v.Get(name)
	if o := v.GetObject(); o != nil && o.Len() == 1 {
		o.Visit(func(_ []byte, x *fastjson.Value) { v = x })
	}
	if v == nil || v.Type() == fastjson.TypeNull {
		return nil
	}
	return v
}

func (f *fields) text(name string) string {
	v := f.get(name)
	if v == nil {
		return ""
	}
	s, ok := objects.TextOf(v)
	if !ok && f.err == nil {
		f.err = fmt.Errorf("%s is %s, want text", name, objects.Shown(v))
	}
	return s
}

// flag is true or false, as such or as text.
func (f *fields) flag(name string) bool {
	v := f.get(name)
	if v != nil && (v.Type() == fastjson.TypeTrue || v.Type() == fastjson.TypeFalse) {
		return v.Type() == fastjson.TypeTrue
	}
	return f.text(name) == "true"
}

// time is ms since 1970; what is no such time, as -1, is not known.
func (f *fields) time(name string) int64 {
	v := f.get(name)
	if v == nil {
		return trace.Unset
	}
	n, err := objects.IntOf(v)
	if (err != nil || n < -1 || n > 2*trace.LatestMS) && f.err == nil {
		f.err = fmt.Errorf("%s is %s, want ms since 1970", name, objects.Shown(v))
	}
	if n <= 0 {
		return trace.Unset
	}
	return n
}

// event takes the event of a line.
func (h *history) event(line []byte) error {
	v, err := h.r.parser.Object(line)
	if err != nil {
		return err
	}
	kind := string(v.GetStringBytes("type"))
	outer := v.GetObject("event")
	if kind == "" || outer == nil {
		return fmt.Errorf("an object without type and event")
	}
	f := &fields{}
	outer.Visit(func(_ []byte, x *fastjson.Value) { f.v = x })
	if f.v.GetObject() == nil {
		return fmt.Errorf("the event of type %q is empty", kind)
	}
	h.counts.Events[strings.ToValidUTF8(kind, "?")]++
	h.counts.Read["events"]++
	for _, name := range []string{"finishTime", "startTime", "launchTime", "submitTime"} {
		h.last = max(h.last, f.time(name))
	}
	h.take(kind, f)
	if f.err != nil {
		return fmt.Errorf("%s: %w", kind, f.err)
	}
	return nil
}

func (h *history) take(kind string, f *fields) {
	switch kind {
	case "JOB_SUBMITTED":
		h.id, h.name, h.user, h.queue, h.submit = f.text("jobid"), f.text("jobName"), f.text("userName"), f.text("jobQueueName"), f.time("submitTime")
	case "JOB_QUEUE_CHANGED":
		h.queue = f.text("jobQueueName")
		h.counts.Read["queue_changes"]++
	case "JOB_PRIORITY_CHANGED":
		h.priority = f.text("priority")
	case "JOB_INITED", "JOB_INFO_CHANGED":
		h.launch = f.time("launchTime")
		h.uber = h.uber || kind == "JOB_INITED" && f.flag("uberized")
	case "JOB_FINISHED":
		h.state, h.finish = "SUCCEEDED", f.time("finishTime")
	case "JOB_FAILED", "JOB_KILLED", "JOB_ERROR":
		h.state, h.finish = strings.TrimPrefix(kind, "JOB_"), f.time("finishTime")
	case "NORMALIZED_RESOURCE":
		if mib := mapreduce.Number(f.text("memory"), 0); mib > 0 {
			switch f.text("taskType") {
			case "MAP":
				h.size[mapreduce.Map] = mib
			case "REDUCE":
				h.size[mapreduce.Reduce] = mib
			}
		}
	case "TASK_STARTED":
		if t := h.task(f); t != nil {
			t.start = f.time("startTime")
			for _, host := range strings.Split(f.text("splitLocations"), ",") {
				if host = strings.TrimSpace(host); host != "" {
					t.splits = append(t.splits, host)
				}
			}
		}
	case "TASK_FINISHED":
		if t := h.task(f); t != nil {
			t.done = f.text("successfulAttemptId")
			h.ended++
		}
	case "MAP_ATTEMPT_STARTED", "REDUCE_ATTEMPT_STARTED":
		if a := h.attempt(f); a != nil {
			a.start, a.host, a.locality = f.time("startTime"), f.text("trackerName"), f.text("locality")
		}
	case "MAP_ATTEMPT_FINISHED", "REDUCE_ATTEMPT_FINISHED", "MAP_ATTEMPT_FAILED", "REDUCE_ATTEMPT_FAILED", "MAP_ATTEMPT_KILLED", "REDUCE_ATTEMPT_KILLED":
		h.attemptEnd(kind, f)
	case "AM_STARTED":
		h.masters = append(h.masters, f.text("nodeManagerHost"))
	case "JOB_STATUS_CHANGED", "TASK_FAILED", "TASK_UPDATED", "JOB_KILL_REQUESTED", "SETUP_ATTEMPT_STARTED", "SETUP_ATTEMPT_FINISHED", "SETUP_ATTEMPT_FAILED",
		"SETUP_ATTEMPT_KILLED", "CLEANUP_ATTEMPT_STARTED", "CLEANUP_ATTEMPT_FINISHED", "CLEANUP_ATTEMPT_FAILED", "CLEANUP_ATTEMPT_KILLED", "JOB_INFO", "JOB_STATE_CHANGED":
	default:
		h.counts.Unknown["event "+kind]++
	}
}

// attemptEnd takes the end of an attempt.
func (h *history) attemptEnd(kind string, f *fields) {
	a := h.attempt(f)
	if a == nil {
		return
	}
	a.finish, a.shuffled = f.time("finishTime"), f.time("shuffleFinishTime")
	a.state = kind[strings.LastIndexByte(kind, '_')+1:]
	if host := f.text("hostname"); host != "" && host != mapreduce.NoHost {
		a.host = host
		if rack := f.text("rackname"); strings.HasPrefix(rack, "/") {
			a.rack = rack
		}
	}
	if t := h.tasks[f.text("taskid")]; t != nil && a.state == "FINISHED" {
		t.input = inputBytes(f.v)
	}
}

// inputBytes are the bytes that an attempt read of HDFS, by its counters.
func inputBytes(v *fastjson.Value) int64 {
	counters := v.Get("counters")
	if c := counters.Get("org.apache.hadoop.mapreduce.jobhistory.JhCounters"); c != nil {
		counters = c
	}
	for _, g := range counters.GetArray("groups") {
		for _, c := range g.GetArray("counts") {
			if string(c.GetStringBytes("name")) == "HDFS_BYTES_READ" {
				return min(max(c.GetInt64("value"), 0), trace.MostBytes)
			}
		}
	}
	return 0
}

// task is the map or reduce that an event is about, nil for another kind of task.
func (h *history) task(f *fields) *task {
	id := f.text("taskid")
	if t := h.tasks[id]; t != nil {
		return t
	}
	t := &task{start: trace.Unset, attempts: map[string]*attempt{}}
	switch f.text("taskType") {
	case "MAP":
	case "REDUCE":
		t.kind = mapreduce.Reduce
	default:
		h.counts.Dropped["setup_and_cleanup_events"]++
		return nil
	}
	if err := h.r.CheckTasks(int64(len(h.order) + 1)); err != nil || id == "" {
		if f.err = err; err == nil {
			f.err = errors.New("taskid is missing")
		}
		return nil
	}
	h.tasks[id] = t
	h.order = append(h.order, id)
	return t
}

// attempt is the attempt that an event is about.
func (h *history) attempt(f *fields) *attempt {
	t := h.task(f)
	id := f.text("attemptId")
	if t == nil || id == "" {
		return nil
	}
	a := t.attempts[id]
	if a == nil {
		a = &attempt{start: trace.Unset, finish: trace.Unset, shuffled: trace.Unset}
		t.attempts[id] = a
		t.order = append(t.order, id)
		h.counts.Read["attempts"]++
	}
	return a
}

// nameHint is the name of the file without its directory, for what events do not say.
func (h *history) nameHint() string { return filepath.Base(workload.BaseName(h.path)) }
