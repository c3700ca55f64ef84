package table

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"replay/spill"
	"replay/trace"
)

// record is what a row says. Numbers that it does not have are unknown, texts empty. Texts are part of what was read, and good as long as that is.
type record struct {
	submit, start, end, duration int64 // ms
	tasks                        int64
	nodes                        int64 // of a job of Slurm that ran on several; else 0
	milli                        int64
	memMiB                       int64
	gpus                         int64
	priority                     int64
	whole                        int64 // hash of all columns; 0 where the row is not kept for others of its job
	job, user, queue             []byte
	stage, host, name, outcome   []byte
	parents                      []string
	farPriority                  bool // its priority is none that a job may have
}

// unknown is no number of a row; times may be negative.
const unknown = math.MinInt64

// bounds of what a row may say
const (
	mostPriority = math.MaxInt32
	mostName     = 4096 // bytes
)

// errNoDuration says that a row does not tell how long its tasks took.
var errNoDuration = errors.New("has no duration, and not both a start (or submission) and an end")

// errNotStarted says that a row has an end, and where others have their start nothing.
var errNotStarted = errors.New("has an end, and neither a start nor a duration: it did not start")

// errNeverRan says that a row has no start, where others have theirs, and took no time.
var errNeverRan = errors.New("has a duration of 0 and no start: it did not start")

// errNoSubmission says that a row does not tell when it was submitted.
var errNoSubmission = errors.New("has neither a submission nor a start")

// badValue is a value that is not what was wanted.
type badValue struct{ column, value, want string }

func (e *badValue) Error() string { return fmt.Sprintf("%s is %q, want %s", e.column, e.value, e.want) }

// columns are those of a table that have a role, by role; nil = none.
type columns [roles]*column

// bytes returns the value of a role, as long as the row is valid; empty if it has none.
func (c *columns) bytes(r role, fields [][]byte) []byte {
	x := c[r]
	if x == nil || x.at >= len(fields) {
		return nil
	}
	s := bytes.TrimSpace(fields[x.at])
	if len(s) == 0 || absent(string(s)) { // compared, and not made a string
		return nil
	}
	return s
}

// minusOne tells whether a value is -1, which stands for none where there is nothing below 0.
func minusOne(s []byte) bool { return s[0] == '-' && (string(s) == "-1" || string(s) == "-1.0") }

// text is bytes as a string.
func (c *columns) text(r role, fields [][]byte) string { return string(c.bytes(r, fields)) }

// read takes the values of a row.
func (c *columns) read(fields [][]byte) (r record, err error) {
	number := func(of role, least, most int64) int64 {
		s := c.bytes(of, fields)
		if len(s) == 0 || err != nil || least == 0 && minusOne(s) || of == roleMemory && c[of].form == withUnits && slurmNone(string(s)) {
			return unknown
		}
		v, ok := c[of].int(s)
		if !ok {
			want := c[of].want()
			if c[of].commas {
				want += ", with a comma and without points"
			} else if bytes.IndexByte(s, ',') >= 0 && c[of].form == numbers {
				want += ", with a point and without commas"
			} else if large(s) {
				want += ", and none so large"
			}
			err = &badValue{c[of].name, string(s), want}
		} else if v < least || v > most {
			err = &badValue{c[of].name, string(s), c[of].between(least, most)}
		}
		return v
	}
	submits := true // no instant of the row was read: from the next one its submission follows
	instant := func(of role) int64 {
		if c[of] == nil {
			return unknown
		}
		least, most := c[of].times(submits)
		v := number(of, least, most)
		submits = submits && v == unknown
		return v
	}
	name := func(of role) []byte {
		s := c.bytes(of, fields)
		if len(s) > mostName && err == nil {
			err = &badValue{c[of].name, string(s[:60]) + "…", fmt.Sprintf("at most %d bytes", mostName)}
		}
		return s // what is no UTF-8 the builder writes so that different names stay different
	}
	r = record{
		submit: instant(roleSubmit), start: instant(roleStart), end: instant(roleEnd),
		duration: number(roleDuration, 0, trace.LongestMS), tasks: number(roleTasks, 0, math.MaxInt32), milli: number(roleVCores, 0, 1000*trace.MostVCores),
		memMiB: number(roleMemory, 0, trace.MostMemMiB<<20), gpus: number(roleGPU, 0, trace.MostAmount), priority: number(rolePriority, -math.MaxInt64, math.MaxInt64),
		job: name(roleJob), user: name(roleUser), queue: name(roleQueue), stage: name(roleStage), host: name(roleHost), name: name(roleName),
		outcome: []byte(outcome(c.text(roleStatus, fields))),
	}
	if r.priority != unknown && (r.priority < -mostPriority || r.priority > mostPriority) { // Slurm's count from 2^32 down
		r.priority, r.farPriority = unknown, true
	}
	if text := c.text(roleParents, fields); text != "" {
		r.parents = strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" ,;|[](){}'\"\t\n", c) })
	}
	if r.milli > 0 && r.memMiB > 0 && err == nil && c.perCore(fields) {
		cores := (r.milli + 999) / 1000
		if r.memMiB > trace.MostMemMiB<<20/cores {
			return r, &badValue{c[roleMemory].name, c.text(roleMemory, fields), fmt.Sprintf("for all cores at most %d MiB", trace.MostMemMiB)}
		}
		r.memMiB *= cores
	}
	if r.memMiB > 0 {
		r.memMiB = (r.memMiB + 1<<20 - 1) >> 20
	}
	if err != nil {
		return r, err
	}
	return r, r.complete(c[roleStart] != nil)
}

// perCore tells whether the memory of a row is that of each core.
func (c *columns) perCore(fields [][]byte) bool {
	if x := c[roleMemory]; x.form == numbers {
		return false
	}
	_, perCore := slurmEach(c.text(roleMemory, fields))
	return perCore
}

// complete finds what follows from other values. Where starts are told, a row without one has not started.
func (r *record) complete(starts bool) error {
	switch {
	case r.submit == unknown && r.start == unknown && r.end != unknown && r.duration != unknown:
		r.start = r.end - r.duration
		r.submit = r.start
	case r.submit == unknown && r.start == unknown:
		return errNoSubmission
	case r.submit == unknown:
		r.submit = r.start
	}
	begin := r.submit
	if r.start != unknown {
		begin = r.start
	}
	switch {
	case r.duration == 0 && r.start == unknown && starts:
		return errNeverRan
	case r.duration != unknown:
	case r.end == unknown:
		return errNoDuration
	case r.start == unknown && starts:
		return errNotStarted
	case r.end < begin:
		return fmt.Errorf("ends %d ms before it begins", begin-r.end)
	default:
		r.duration = r.end - begin
	}
	if r.duration > trace.LongestMS {
		return fmt.Errorf("takes %d ms, want at most %d (a year)", r.duration, int64(trace.LongestMS))
	}
	if r.start != unknown && r.start < r.submit {
		return fmt.Errorf("starts %d ms before it is submitted", r.submit-r.start)
	}
	return nil
}

// between says in words which values a column may have.
func (c *column) between(least, most int64) string {
	switch known[c.role].of {
	case cores:
		return fmt.Sprintf("0 to %d vcores of a task; --map tasks=%s makes each a task of its own", most/1000, c.name)
	case memory:
		return fmt.Sprintf("0 to %d TiB", most>>40)
	case span:
		const day = 24 * 3600 * 1000
		return fmt.Sprintf("a duration of %d to %d days", least/day, most/day)
	case instant:
		if !c.epoch {
			return fmt.Sprintf("a time in ms from %d to %d", least, most)
		}
		day := func(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.DateOnly) }
		return fmt.Sprintf("a time from %s to %s", day(least), day(most))
	}
	return fmt.Sprintf("a number from %d to %d", least, most)
}

// outcomes are the words for how a job ended.
var outcomes = map[string]string{
	"success": "success", "succeeded": "success", "successful": "success", "completed": "success", "complete": "success", "finished": "success", "finish": "success",
	"terminated": "success", "done": "success", "ok": "success", "pass": "success", "passed": "success", "0": "success",
	"failed": "failed", "fail": "failed", "failure": "failed", "error": "failed", "nodefail": "failed", "bootfail": "failed", "outofmemory": "failed",
	"killed": "killed", "kill": "killed", "cancelled": "killed", "canceled": "killed", "aborted": "killed", "timeout": "killed", "deadline": "killed", "preempted": "killed", "evicted": "killed",
	"running": "censored", "pending": "censored", "waiting": "censored", "censored": "censored",
	"undefined": "censored", "new": "censored", "submitted": "censored", "accepted": "censored", // YARN's
}

// apart are the characters between the words of a status.
var apart = strings.NewReplacer("_", "", " ", "", "-", "")

func outcome(status string) string {
	if status == "" {
		return ""
	}
	w := strings.ToLower(apart.Replace(status))
	if o, ok := outcomes[w]; ok {
		return o
	}
	if strings.HasPrefix(w, "cancelled") || strings.HasPrefix(w, "canceled") { // Slurm: CANCELLED by 1000
		return "killed"
	}
	return ""
}

// pack writes a record, unpack reads it.
func (r *record) pack(p spill.Packer) spill.Packer {
	for _, v := range r.numbers() {
		p.Int(*v)
	}
	for _, s := range r.texts() {
		p.Bytes(*s)
	}
	p.Int(int64(len(r.parents)))
	for _, name := range r.parents {
		p.Text(name)
	}
	return p
}

func (r *record) unpack(u spill.Unpacker) {
	for _, v := range r.numbers() {
		*v = u.Int()
	}
	for _, s := range r.texts() {
		*s = u.Bytes()
	}
	r.parents = nil
	for range u.Int() {
		r.parents = append(r.parents, u.Text())
	}
}

func (r *record) numbers() []*int64 {
	return []*int64{&r.submit, &r.start, &r.end, &r.duration, &r.tasks, &r.nodes, &r.milli, &r.memMiB, &r.gpus, &r.priority, &r.whole}
}

func (r *record) texts() []*[]byte {
	return []*[]byte{&r.user, &r.queue, &r.stage, &r.host, &r.name, &r.outcome}
}
