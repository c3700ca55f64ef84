package training

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/valyala/fastjson"

	"replay/trace"
	"replay/trace/importer/containers"
	"replay/trace/importer/delimited"
	"replay/trace/importer/objects"
	"replay/trace/importer/rows"
	"replay/trace/importer/workload"
)

// Philly is the format of Microsoft's Philly traces.
//
// Source: Jeon et al., Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training Workloads, USENIX ATC 2019, and the README of the data.
var Philly = workload.Format{
	Usage:         "Microsoft Philly: cluster_job_log (JSON) and cluster_machine_list",
	NoPreferences: true,
	Detect: func(_ string, head []byte) string {
		text := bytes.TrimSpace(head)
		switch {
		case bytes.HasPrefix(text, []byte("[")) && hasAll(text, `"attempts"`, `"submitted_time"`, `"vc"`):
			return "a JSON list of jobs with vc, submitted_time and attempts"
		case machineList.Named(head) != "":
			return machineList.Named(head)
		}
		return ""
	},
	Read: readPhilly,
}

// machineList are the servers.
var machineList = rows.Table{Name: "cluster_machine_list", Columns: []string{"machineId", "number of GPUs", "single GPU mem"}, Header: true, Absent: []string{"single GPU mem"}}

func hasAll(text []byte, parts ...string) bool {
	for _, p := range parts {
		if !bytes.Contains(text, []byte(p)) {
			return false
		}
	}
	return true
}

func readPhilly(ctx context.Context, inputs []string, b *workload.Builder) error {
	files, err := b.Parts(inputs, nil)
	if err != nil {
		return err
	}
	var logs, machines, other []string
	for _, path := range files {
		head, err := b.Head(path)
		switch {
		case err == nil && bytes.HasPrefix(bytes.TrimSpace(head), []byte("[")):
			logs = append(logs, path)
		case err == nil && machineList.Named(head) != "":
			machines = append(machines, path)
		default:
			other = append(other, filepath.Base(path))
		}
	}
	b.PassOver("not read, as an import needs nothing of it", other)
	if len(logs) == 0 {
		return fmt.Errorf("%s: no cluster_job_log, want one: a JSON list of jobs", strings.Join(inputs, ", "))
	}
	seen := map[string]bool{}
	if err := machineList.Read(ctx, b, machines, func(r *delimited.Row) error { return addMachine(b, r, seen) }); err != nil {
		return err
	}
	p := phillyLog{b: b, ctx: ctx, clock: clock{b: b}}
	for i, path := range logs {
		if err := p.file(path); err != nil {
			return err
		}
		b.Progress(i+1, len(logs), "files")
	}
	return nil
}

// addMachine adds the server of a row. Of its vcores and memory nothing is known.
func addMachine(b *workload.Builder, r *delimited.Row, seen map[string]bool) error {
	return rows.AddMachine(b, r, seen, 0, 0, trace.NamedValue{Name: trace.GPU, Value: r.Int(1, 0, mostGPUs)}, strings.TrimSpace(r.Text(2)))
}

// phillyLog reads logs of jobs.
type phillyLog struct {
	b      *workload.Builder
	ctx    context.Context
	clock  clock
	parser objects.Parser
}

func (p *phillyLog) file(path string) (err error) {
	s, err := p.b.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	n := 0
	in := objects.NewReader(s)
	err = in.Elements(func(line int, text []byte) error {
		if n++; n%1024 == 0 && p.ctx.Err() != nil {
			return p.ctx.Err()
		}
		p.b.Counts.Read["jobs"]++
		v, err := p.parser.Object(text)
		var j phillyJob
		if err == nil {
			j, err = p.read(v)
		}
		if err != nil {
			return p.b.Drop("jobs_that_say_something_else", "%s: job %d, from line %d: %w", s.Name, n, line, err)
		}
		return p.job(&j)
	})
	if errors.As(err, new(*objects.SyntaxError)) {
		return p.b.Damaged(fmt.Errorf("%s: %w", s.Name, err))
	}
	return err
}

// phillyJob is an element of the log. Times are ms since 1970; trace.Unset = none.
type phillyJob struct {
	id, user, vc, status string
	submit               int64
	attempts             []attempt
}

// attempt is one that was scheduled.
type attempt struct {
	start, end int64
	servers    []server
}

// server is what an attempt had of one.
type server struct {
	host string
	gpus int64
}

// read reads an element.
func (p *phillyLog) read(v *fastjson.Value) (j phillyJob, err error) {
	for _, x := range []struct {
		name string
		to   *string
	}{{"jobid", &j.id}, {"user", &j.user}, {"vc", &j.vc}, {"status", &j.status}} {
		if *x.to, err = objects.Text(v, x.name); err != nil {
			return j, err
		}
	}
	if j.id == "" {
		return j, errors.New(`jobid is "", want a name`)
	}
	if j.submit, err = p.timeIn(v, "submitted_time"); err != nil {
		return j, err
	}
	if j.submit == trace.Unset {
		return j, errors.New("submitted_time is missing, want a time such as 2017-10-07 01:11:39")
	}
	attempts, err := objects.List(v, "attempts")
	if err != nil {
		return j, err
	}
	last := j.submit
	for i, x := range attempts {
		a, err := p.attempt(x)
		for _, ms := range []int64{a.start, a.end} {
			if err == nil && ms != trace.Unset && ms < last {
				err = errors.New("a time is before those that come before it, want start_time and end_time in their order, from submitted_time on")
			}
			last = max(last, ms)
		}
		if err != nil {
			return j, fmt.Errorf("attempt %d: %w", i+1, err)
		}
		j.attempts = append(j.attempts, a)
	}
	if last-j.submit > trace.LongestMS {
		return j, errors.New("its times are more than a year apart, want at most that")
	}
	return j, nil
}

// attempt reads an attempt.
func (p *phillyLog) attempt(v *fastjson.Value) (a attempt, err error) {
	if v.Type() != fastjson.TypeObject {
		return a, fmt.Errorf("is %s, want an object", objects.Shown(v))
	}
	if a.start, err = p.timeIn(v, "start_time"); err != nil {
		return a, err
	}
	if a.end, err = p.timeIn(v, "end_time"); err != nil {
		return a, err
	}
	detail, err := objects.List(v, "detail")
	if err != nil {
		return a, err
	}
	for _, d := range detail {
		host, err := objects.Text(d, "ip")
		if err != nil {
			return a, err
		}
		gpus, err := objects.List(d, "gpus")
		if err != nil {
			return a, err
		}
		a.servers = append(a.servers, server{host, int64(len(gpus))})
	}
	return a, nil
}

// timeIn is the time of a member.
func (p *phillyLog) timeIn(v *fastjson.Value, name string) (int64, error) {
	text, err := objects.Text(v, name)
	if err != nil {
		return trace.Unset, err
	}
	ms, ok := p.clock.instant(text)
	if !ok {
		return trace.Unset, fmt.Errorf("%s is %.40q, want a time such as 2017-10-07 01:11:39, or null", name, text)
	}
	return ms, nil
}

// job adds a job: a task for each server that its last attempt had, with the GPUs that it had there, for as long as that took.
func (p *phillyLog) job(x *phillyJob) error {
	b := p.b
	b.Begin()
	took := -1 // the last attempt of which both times are known
	first := int64(trace.Unset)
	for i, a := range x.attempts {
		if a.start != trace.Unset && a.end != trace.Unset {
			took = i
		}
		if first == trace.Unset {
			first = a.start
		}
	}
	n := len(x.attempts)
	switch {
	case n == 0:
		b.Counts.Dropped["jobs_that_never_started"]++
		return nil
	case x.attempts[n-1].end == trace.Unset:
		b.Counts.Dropped["jobs_that_still_ran"]++
		return nil
	case took < 0:
		b.Counts.Dropped["jobs_without_the_times_of_an_attempt"]++
		return nil
	case len(x.attempts[took].servers) == 0:
		b.Counts.Dropped["jobs_without_a_server"]++
		return nil
	}
	a := &x.attempts[took]
	j := containers.New(b, trace.KindGang, x.id, x.submit)
	defer j.Done()
	j.App.User, j.App.Queue = x.user, x.vc
	to := &j.App.Job
	to.RecordedStartMS, to.RecordedFinishMS = first, x.attempts[n-1].end
	to.RecordedOutcome = map[string]string{"Pass": "success", "Killed": "killed", "Failed": "failed"}[x.status]
	b.Counts.Defaulted["task_memory"] += int64(len(a.servers))
	b.Counts.Defaulted["task_vcores"] += int64(len(a.servers))
	for _, s := range a.servers {
		t := containers.Task{DurationMS: a.end - a.start, WaitMS: first - x.submit, Retries: int32(took), Host: s.host}
		if err := j.Add("", task(s.gpus, 1000, 0), trace.Unset, 1, t); err != nil {
			return b.Drop("jobs_of_too_many_servers", "%w", err)
		}
	}
	app, err := j.Finish(b)
	if err != nil {
		return err
	}
	_, err = b.Add(app)
	return err
}
