package eventlog

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"replay/trace"
	"replay/trace/importer/jsontext"
)

// absent marks a number that an event does not have. It is never taken for a value.
const absent = -1 << 62

// neededEvents are the events that are parsed; the rest is only counted.
var neededEvents = map[string]func(*eventParser, jsontext.Value, appEvents){
	"SparkListenerLogStart":             (*eventParser).logStart,
	databricksStart:                     (*eventParser).databricksStart,
	"SparkListenerApplicationStart":     (*eventParser).appStart,
	"SparkListenerApplicationEnd":       (*eventParser).appEnd,
	"SparkListenerEnvironmentUpdate":    (*eventParser).environment,
	"SparkListenerResourceProfileAdded": (*eventParser).profile,
	"SparkListenerExecutorAdded":        (*eventParser).executorAdded,
	"SparkListenerExecutorRemoved":      (*eventParser).executorRemoved,
	"SparkListenerJobStart":             (*eventParser).jobStart,
	"SparkListenerJobEnd":               (*eventParser).jobEnd,
	"SparkListenerStageSubmitted":       (*eventParser).stageSubmitted,
	"SparkListenerStageCompleted":       (*eventParser).stageCompleted,
	"SparkListenerTaskStart":            (*eventParser).taskStart,
	"SparkListenerTaskEnd":              (*eventParser).taskEnd,
	"SparkListenerUnpersistRDD":         (*eventParser).unpersist,
}

// databricksStart begins each file of a log of Databricks, which has no SparkListenerLogStart.
const databricksStart = "DBCEventLoggingListenerMetadata"

// ignoredEvents are events of Spark that hold nothing an import needs, by the name without its
// package. Any other name is an unknown event.
var ignoredEvents = map[string]bool{
	"SparkListenerBlockManagerAdded": true, "SparkListenerBlockManagerRemoved": true,
	"SparkListenerBlockUpdated": true, "SparkListenerTaskGettingResult": true,
	"SparkListenerExecutorMetricsUpdate": true, "SparkListenerStageExecutorMetrics": true,
	"SparkListenerSpeculativeTaskSubmitted": true, "SparkListenerMiscellaneousProcessAdded": true,
	"SparkListenerUnschedulableTaskSetAdded": true, "SparkListenerUnschedulableTaskSetRemoved": true,
	"SparkListenerExecutorExcluded": true, "SparkListenerExecutorUnexcluded": true,
	"SparkListenerExecutorExcludedForStage": true, "SparkListenerNodeExcludedForStage": true,
	"SparkListenerNodeExcluded": true, "SparkListenerNodeUnexcluded": true,
	"SparkListenerExecutorBlacklisted": true, "SparkListenerExecutorUnblacklisted": true,
	"SparkListenerExecutorBlacklistedForStage": true, "SparkListenerNodeBlacklistedForStage": true,
	"SparkListenerNodeBlacklisted": true, "SparkListenerNodeUnblacklisted": true,
	"SparkListenerSQLExecutionStart": true, "SparkListenerSQLExecutionEnd": true,
	"SparkListenerSQLAdaptiveExecutionUpdate": true, "SparkListenerSQLAdaptiveSQLMetricUpdates": true,
	"SparkListenerDriverAccumUpdates": true, "SparkListenerQueryExecutionStart": true,
	"StreamingQueryListener$QueryStartedEvent": true, "StreamingQueryListener$QueryProgressEvent": true,
	"StreamingQueryListener$QueryIdleEvent": true, "StreamingQueryListener$QueryTerminatedEvent": true,
	"StreamingQueryListener$QueryStarted": true, "StreamingQueryListener$QueryProgress": true, "StreamingQueryListener$QueryTerminated": true, // Spark 2.0
	"CreateDatabasePreEvent": true, "CreateDatabaseEvent": true, "DropDatabasePreEvent": true, "DropDatabaseEvent": true,
	"AlterDatabasePreEvent": true, "AlterDatabaseEvent": true, "CreateTablePreEvent": true, "CreateTableEvent": true,
	"DropTablePreEvent": true, "DropTableEvent": true, "RenameTablePreEvent": true, "RenameTableEvent": true,
	"AlterTablePreEvent": true, "AlterTableEvent": true, "CreateFunctionPreEvent": true, "CreateFunctionEvent": true,
	"DropFunctionPreEvent": true, "DropFunctionEvent": true, "AlterFunctionPreEvent": true, "AlterFunctionEvent": true,
	"RenameFunctionPreEvent": true, "RenameFunctionEvent": true,
	"SparkListenerThriftServerSessionCreated": true, "SparkListenerThriftServerSessionClosed": true,
	"SparkListenerThriftServerOperationStart": true, "SparkListenerThriftServerOperationParsed": true,
	"SparkListenerThriftServerOperationCanceled": true, "SparkListenerThriftServerOperationTimeout": true,
	"SparkListenerThriftServerOperationError": true, "SparkListenerThriftServerOperationFinish": true,
	"SparkListenerThriftServerOperationClosed": true,
	"SparkListenerConnectSessionStarted":       true, "SparkListenerConnectSessionClosed": true,
	"SparkListenerConnectOperationStarted": true, "SparkListenerConnectOperationAnalyzed": true,
	"SparkListenerConnectOperationReadyForExecution": true, "SparkListenerConnectOperationCanceled": true,
	"SparkListenerConnectOperationFailed": true, "SparkListenerConnectOperationFinished": true,
	"SparkListenerConnectOperationClosed": true,
}

// eventParser reads the lines of one event log. It is not safe for concurrent use.
type eventParser struct {
	js            *jsontext.Parser
	event         string
	names         map[string]string // of events that were parsed
	executors     map[string]int32  // numbers of those whose ids are none
	reading       taskInfo          // the task of the line being read
	err           error             // of the line being read
	events        map[string]int64  // lines by event
	unknownFields map[string]int64  // by event and path
	odd           map[string]int64  // values that can't be, by event and field; they count as unknown
}

func newEventParser() *eventParser {
	return &eventParser{js: parsers.Get().(*jsontext.Parser), names: map[string]string{}, executors: map[string]int32{}, events: map[string]int64{}, unknownFields: map[string]int64{}, odd: map[string]int64{}}
}

// parsers are those of logs that were read.
var parsers = sync.Pool{New: func() any { return &jsontext.Parser{Unread: unread} }}

// done gives back what another log can use. Nothing is parsed after it.
func (p *eventParser) done() {
	parsers.Put(p.js)
	p.js = nil
}

var errUnknownEvent = errors.New("unknown event")

// notJSON is an error of a line that is no JSON, as one that was cut.
type notJSON struct{ error }

// parse gives the event of one line to app. An event that app has no use for is counted and
// its line is looked at no further than its name and its last byte. An unknown event gives an
// error that wraps errUnknownEvent.
func (p *eventParser) parse(line []byte, app appEvents) error {
	name, ok := eventName(line)
	if ok && line[len(line)-1] != '}' {
		return notJSON{fmt.Errorf("%s ends with %q, want a whole JSON object", name, line[max(0, len(line)-20):])}
	}
	if ok && neededEvents[string(name)] == nil {
		return p.skip(string(name))
	}
	v, err := p.js.Parse(line)
	if err != nil {
		return notJSON{fmt.Errorf("not JSON: %w", err)}
	}
	damaged := !p.js.UTF8()
	if damaged { // names go into tables, whose text is UTF-8
		if v, err = p.js.Parse([]byte(string([]rune(string(line))))); err != nil {
			return notJSON{fmt.Errorf("not JSON: %w", err)}
		}
	}
	if v.Kind() != jsontext.Object {
		return fmt.Errorf("an event is a JSON %s, want an object", v.Kind())
	}
	names, last := 0, []byte(nil)
	v.Members(func(key []byte, v jsontext.Value) {
		if string(key) == "Event" {
			last = v.Bytes()
			names++
		}
	})
	if names != 1 || len(last) == 0 {
		return fmt.Errorf(`field "Event" is there %d times and is %q, want one name`, names, last)
	}
	need, ok := neededEvents[string(last)]
	if !ok {
		return p.skip(string(last))
	}
	if p.event, ok = p.names[string(last)]; !ok {
		p.event = string(last)
		p.names[p.event] = p.event
	}
	if damaged {
		p.odd[p.event+"/text that is no UTF-8"]++
	}
	p.err = nil
	need(p, v, app)
	if p.err == nil {
		p.events[p.event]++
	}
	return p.err
}

// unread tells of the fields that no event is read for, and that are most of a log's bytes.
func unread(key []byte) bool {
	return string(key) == "Accumulables" || string(key) == "Task Executor Metrics"
}

// maxNames bounds the different names of events, and those of unknown fields, that are counted in one log.
const maxNames = 2000

func (p *eventParser) skip(name string) error {
	p.event = name
	if len(p.events) >= maxNames && p.events[name] == 0 {
		return fmt.Errorf("more than %d sorts of events, the last is %.60q, want those of Spark", maxNames, name)
	}
	p.events[name]++
	if bare := name[strings.LastIndexByte(name, '.')+1:]; !ignoredEvents[bare] {
		return fmt.Errorf("%w %q, want one of Spark's", errUnknownEvent, name)
	}
	return nil
}

// eventName returns the name of an event from the start of its line, as Spark writes it.
func eventName(line []byte) (name []byte, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"Event":"`))
	if !ok {
		return nil, false
	}
	end := bytes.IndexByte(rest, '"')
	if end <= 0 || bytes.IndexByte(rest[:end], '\\') >= 0 {
		return nil, false
	}
	return rest[:end], true
}

// fail keeps the first error of a line.
func (p *eventParser) fail(field string, v jsontext.Value, want string) {
	if p.err == nil {
		text := v.Written()
		if len(text) > 60 {
			text = text[:60] + "…"
		}
		p.err = fmt.Errorf("%s: field %q is %s, want %s", p.event, field, text, want)
	}
}

// need fails when a field that every version has is not there.
func (p *eventParser) need(field string, got int64) {
	if got == absent && p.err == nil {
		p.err = fmt.Errorf("%s: field %q is missing", p.event, field)
	}
}

func (p *eventParser) unknown(path string, key []byte) {
	name := p.event + path + "/" + string(key)
	if len(p.unknownFields) >= maxNames && p.unknownFields[name] == 0 {
		name = "others"
	}
	p.unknownFields[name]++
}

func (p *eventParser) int(field string, v jsontext.Value) int64 {
	n, ok := v.Int()
	if !ok { // tools that have numbers of one kind only write 1795240864505 as 1795240864505.0 or 1.795240864505e12
		if x, number := v.Float(); number && x == math.Trunc(x) && math.Abs(x) <= 1<<53 {
			n, ok = int64(x), true
		}
	}
	if !ok || n <= absent {
		p.fail(field, v, "an integer")
		return absent
	}
	return n
}

// latest is the last time that is taken for one, the end of the year 9999.
const latest = 253_402_300_799_999

// time reads ms since 1970; -1 is how some writers say that it is not known.
func (p *eventParser) time(field string, v jsontext.Value) int64 {
	n := p.int(field, v)
	switch {
	case n == -1:
		return absent
	case n != absent && (n < 0 || n > latest):
		p.fail(field, v, "ms since 1970")
		return absent
	}
	return n
}

// amount reads bytes, duration ms, each at most what a trace may hold of a task. What is below zero, as after an overflow, is
// unknown and counted.
func (p *eventParser) amount(field string, v jsontext.Value) int64 {
	return p.upTo(field, v, trace.MostBytes, "at most 1 PiB")
}

func (p *eventParser) duration(field string, v jsontext.Value) int64 {
	return p.upTo(field, v, trace.LongestMS, "at most a year in ms")
}

func (p *eventParser) upTo(field string, v jsontext.Value, most int64, want string) int64 {
	n := p.int(field, v)
	switch {
	case n > most:
		p.fail(field, v, want)
		return absent
	case n < 0 && n != absent:
		p.odd[p.event+"/"+field+" below 0"]++
		return absent
	}
	return n
}

func (p *eventParser) int32(field string, v jsontext.Value) int32 {
	n := p.int(field, v)
	if n != int64(int32(n)) && n != absent {
		p.fail(field, v, "an integer of 32 bits")
	}
	return int32(n)
}

func (p *eventParser) text(field string, v jsontext.Value) string {
	return string(p.textBytes(field, v))
}

// textBytes is text that is good until the next line.
func (p *eventParser) textBytes(field string, v jsontext.Value) []byte {
	if k := v.Kind(); k != jsontext.String && k != jsontext.Null {
		p.fail(field, v, "a text")
	}
	return v.Bytes()
}

func (p *eventParser) bool(field string, v jsontext.Value) bool {
	k := v.Kind()
	if k != jsontext.True && k != jsontext.False {
		p.fail(field, v, "true or false")
	}
	return k == jsontext.True
}

// visit calls f for the fields of an object. Of a field that is there twice the last counts, as
// in encoding/json.
func (p *eventParser) visit(field string, v jsontext.Value, f func(key []byte, v jsontext.Value)) {
	if k := v.Kind(); k != jsontext.Object && k != jsontext.Null {
		p.fail(field, v, "an object")
	}
	v.Members(f)
}

// array gives the elements of an array.
func (p *eventParser) array(field string, v jsontext.Value) iter.Seq[jsontext.Value] {
	if k := v.Kind(); k != jsontext.Array && k != jsontext.Null {
		p.fail(field, v, "an array")
	}
	return v.Elements
}

func (p *eventParser) ints(field string, v jsontext.Value) []int32 {
	var out []int32
	for v := range p.array(field, v) {
		out = append(out, p.int32(field, v))
	}
	return out
}

// texts reads an object of texts.
func (p *eventParser) texts(field string, v jsontext.Value) map[string]string {
	m := map[string]string{}
	p.visit(field, v, func(key []byte, v jsontext.Value) { m[string(key)] = p.text(string(key), v) })
	return m
}

// driverExecutor stands for the executor "driver" of a local application until all executors are known.
const driverExecutor = math.MaxInt32

// namedExecutors is the number of the first executor whose id is none, such as those of Mesos: more than others have.
const namedExecutors = 1_000_000_000

// mostID is how long the id of an executor may be, bytes.
const mostID = 256

// executorNumber is the number of an executor by its id. Of ids that are no numbers those have one that were seen, the first namedExecutors.
func (p *eventParser) executorNumber(id []byte) (int32, bool) {
	if string(id) == "driver" {
		return driverExecutor, true
	}
	if n, err := strconv.ParseInt(string(id), 10, 32); err == nil {
		return int32(n), n >= 0 && n < namedExecutors
	}
	n, ok := p.executors[string(id)]
	return n, ok
}

func (p *eventParser) executor(field string, v jsontext.Value) int32 {
	id := p.textBytes(field, v)
	n, ok := p.executorNumber(id)
	if !ok && len(id) > 0 && len(id) <= mostID && bytes.IndexFunc(id, unicode.IsLetter) >= 0 {
		n, ok = namedExecutors+int32(len(p.executors)), len(p.executors) < math.MaxInt32-namedExecutors
		p.executors[string(id)] = n
	}
	if !ok {
		p.fail(field, v, `a number, "driver", or a name`)
	}
	return n
}
