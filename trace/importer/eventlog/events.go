package eventlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/valyala/fastjson"

	"replay/trace"
	"replay/trace/importer/lines"
)

// absent marks a number that an event does not have. It is never taken for a value.
const absent = -1 << 62

// neededEvents are the events that are parsed; the rest is only counted.
var neededEvents = map[string]func(*eventParser, *fastjson.Value, appEvents){
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
	js            fastjson.Parser
	event         string
	err           error            // of the line being read
	events        map[string]int64 // lines by event
	unknownFields map[string]int64 // by event and path
	odd           map[string]int64 // values that can't be, by event and field; they count as unknown
}

func newEventParser() *eventParser {
	return &eventParser{events: map[string]int64{}, unknownFields: map[string]int64{}, odd: map[string]int64{}}
}

var errUnknownEvent = errors.New("unknown event")

// parse gives the event of one line to app. An event that app has no use for is counted and
// its line is looked at no further than its name and its last byte. An unknown event gives an
// error that wraps errUnknownEvent. The line is changed.
func (p *eventParser) parse(line []byte, app appEvents) error {
	line, bad := check(line)
	return p.parseChecked(line, bad, app)
}

// check returns what of a line is needed, and what is wrong with that as JSON; of an event that is not needed nothing is.
func check(line []byte) ([]byte, error) {
	if name, ok := eventName(line); ok && neededEvents[string(name)] == nil {
		return line, nil
	}
	line = withoutUnread(line)
	return line, valid(line)
}

// parseChecked is parse with the result of check.
func (p *eventParser) parseChecked(line []byte, bad error, app appEvents) error {
	name, ok := eventName(line)
	if ok && line[len(line)-1] != '}' {
		return fmt.Errorf("%s ends with %q, want a whole JSON object", name, line[max(0, len(line)-20):])
	}
	if ok && neededEvents[string(name)] == nil {
		return p.skip(string(name))
	}
	if bad != nil {
		return fmt.Errorf("not JSON: %w", short(bad))
	}
	damaged := !utf8.Valid(line)
	if damaged { // names go into tables, whose text is UTF-8
		line = []byte(string([]rune(string(line))))
	}
	v, err := p.js.ParseBytes(line)
	if err != nil {
		return fmt.Errorf("not JSON: %w", short(err))
	}
	obj, err := v.Object()
	if err != nil {
		return fmt.Errorf("an event is a JSON %s, want an object", v.Type())
	}
	names := 0
	obj.Visit(func(key []byte, v *fastjson.Value) {
		if string(key) == "Event" {
			p.event = string(v.GetStringBytes())
			names++
		}
	})
	if names != 1 || p.event == "" {
		return fmt.Errorf(`field "Event" is there %d times and is %q, want one name`, names, p.event)
	}
	need := neededEvents[p.event]
	if need == nil {
		return p.skip(p.event)
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

// valid tells what is wrong with line as JSON. The library's parser accepts more than JSON, and its
// check lets control characters pass in strings that have escapes.
func valid(line []byte) error {
	if err := lines.CheckJSON(line); err != nil {
		return err
	}
	for i, c := range line {
		if c < ' ' && !json.Valid(line) {
			return fmt.Errorf("control character 0x%02x at byte %d, or an error elsewhere", c, i)
		}
		if c < ' ' {
			break
		}
	}
	return fastjson.ValidateBytes(line)
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

// short keeps an error of the JSON library to one line of moderate length.
func short(err error) error {
	if s := err.Error(); len(s) > 200 {
		return errors.New(s[:200] + "…")
	}
	return err
}

// fail keeps the first error of a line.
func (p *eventParser) fail(field string, v *fastjson.Value, want string) {
	if p.err == nil {
		text := v.String()
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

func (p *eventParser) int(field string, v *fastjson.Value) int64 {
	n, err := v.Int64()
	if err != nil || n <= absent {
		p.fail(field, v, "an integer")
		return absent
	}
	return n
}

// latest is the last time that is taken for one, the end of the year 9999.
const latest = 253_402_300_799_999

// time reads ms since 1970; -1 is how some writers say that it is not known.
func (p *eventParser) time(field string, v *fastjson.Value) int64 {
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
func (p *eventParser) amount(field string, v *fastjson.Value) int64 {
	return p.upTo(field, v, trace.MostBytes, "at most 1 PiB")
}

func (p *eventParser) duration(field string, v *fastjson.Value) int64 {
	return p.upTo(field, v, trace.LongestMS, "at most a year in ms")
}

func (p *eventParser) upTo(field string, v *fastjson.Value, most int64, want string) int64 {
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

func (p *eventParser) int32(field string, v *fastjson.Value) int32 {
	n := p.int(field, v)
	if n != int64(int32(n)) && n != absent {
		p.fail(field, v, "an integer of 32 bits")
	}
	return int32(n)
}

func (p *eventParser) text(field string, v *fastjson.Value) string {
	if v.Type() == fastjson.TypeNull {
		return ""
	}
	s, err := v.StringBytes()
	if err != nil {
		p.fail(field, v, "a text")
	}
	return string(s)
}

func (p *eventParser) bool(field string, v *fastjson.Value) bool {
	b, err := v.Bool()
	if err != nil {
		p.fail(field, v, "true or false")
	}
	return b
}

// visit calls f for the fields of an object. Of a field that is there twice the last counts, as
// in encoding/json.
func (p *eventParser) visit(field string, v *fastjson.Value, f func(key []byte, v *fastjson.Value)) {
	if v.Type() == fastjson.TypeNull {
		return
	}
	o, err := v.Object()
	if err != nil {
		p.fail(field, v, "an object")
		return
	}
	o.Visit(f)
}

func (p *eventParser) array(field string, v *fastjson.Value) []*fastjson.Value {
	if v.Type() == fastjson.TypeNull {
		return nil
	}
	a, err := v.Array()
	if err != nil {
		p.fail(field, v, "an array")
	}
	return a
}

func (p *eventParser) ints(field string, v *fastjson.Value) []int32 {
	var out []int32
	for _, v := range p.array(field, v) {
		out = append(out, p.int32(field, v))
	}
	return out
}

// texts reads an object of texts.
func (p *eventParser) texts(field string, v *fastjson.Value) map[string]string {
	m := map[string]string{}
	p.visit(field, v, func(key []byte, v *fastjson.Value) { m[string(key)] = p.text(string(key), v) })
	return m
}

// driverExecutor stands for the executor "driver" of a local application until all executors are known.
const driverExecutor = math.MaxInt32

// executorNumber turns an executor's id into a number.
func executorNumber(id string) (int32, bool) {
	if id == "driver" {
		return driverExecutor, true
	}
	n, err := strconv.ParseInt(id, 10, 32)
	return int32(n), err == nil && n >= 0 && n < driverExecutor
}

func (p *eventParser) executor(field string, v *fastjson.Value) int32 {
	n, ok := executorNumber(p.text(field, v))
	if !ok {
		p.fail(field, v, `a number or "driver"`)
	}
	return n
}
