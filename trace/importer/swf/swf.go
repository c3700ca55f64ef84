// Package swf reads logs of parallel machines in the Standard Workload Format of the Parallel Workloads Archive.
//
// Source: the archive's definition, version 2.2 (Chapin et al., 1999).
package swf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"replay/counted"
	"replay/trace"
	"replay/trace/importer/delimited"
	"replay/trace/importer/workflow"
	"replay/trace/importer/workload"
)

// Format is that of the Standard Workload Format.
var Format = workload.Format{
	Usage:   "Standard Workload Format: 18 numbers a line, of the Parallel Workloads Archive",
	NoHosts: true,
	Params: []workload.Param{
		{Name: "swf-model", Default: "gang", Usage: "what a job of n processors is: gang (n tasks that start together), tasks (n tasks), container (one task of n vcores)"},
		{Name: "swf-am-room", Default: "true", Usage: "give each node of the machine 1 vcore and 1024 MiB more, for application masters; false leaves it as it is, for --scheduler ideal"},
		{Name: "swf-mem-unit", Default: "KB", Usage: "`UNIT` of the memory of a processor: B, KB, MB, GB"},
		{Name: "keep-zero", Default: "false", Usage: "also take jobs whose run time is 0 or unknown: with their CPU time, else 0 if it is 0"},
	},
	Detect: detect,
	Read:   read,
}

// detect tells the format by its comments, or by records most of which have the number and the status of a job. A record may be broken, but not the first.
func detect(name string, head []byte) string {
	comments, records, fit := false, 0, 0
	for line := range bytes.Lines(head) {
		if records > 0 && line[len(line)-1] != '\n' {
			break // there may be more of it
		}
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
			continue
		case line[0] == ';':
			comments = true
			continue
		}
		r, n, err := record(line)
		switch {
		case records == 0 && err != nil && comments && strings.HasSuffix(name, ".swf") && len(bytes.Fields(line)) == fields:
			return "18 fields a line under ; comments, in a file called .swf" // a record that says what cannot be is left out
		case records == 0 && err != nil:
			return ""
		case records == 0 && comments:
			return "18 numbers a line under ; comments"
		case records == 0 && n != fields && strings.HasSuffix(name, ".swf"):
			return "18 numbers a line and further fields, in a file called .swf"
		}
		if records++; err == nil && n == fields && r[number] > 0 && r[status] <= mostStatus {
			fit++
		}
	}
	switch {
	case 2*fit > records:
		return "18 numbers a line, with the number and the status of a job"
	case comments && bytes.Contains(head, []byte("; MaxJobs:")):
		return "; comments with MaxJobs"
	}
	return ""
}

// The fields of a record, from 0.
const (
	number = iota
	submit
	wait
	run
	allocated
	cpu
	used
	requested
	requestedTime
	requestedMemory
	status
	user
	group
	application
	queue
	partition
	preceding
	think
	fields
)

// mostStatus is the largest status that a record may have.
const mostStatus = 5

// names are those of the fields in messages.
var names = [fields]string{"job number", "submit time", "wait time", "run time", "allocated processors", "average CPU time", "used memory", "requested processors", "requested time",
	"requested memory", "status", "user", "group", "application", "queue", "partition", "preceding job", "think time"}

// record reads the numbers of a line, which has n fields, that many or more; -1 = unknown.
func record(line []byte) (r [fields]float64, n int, err error) {
	f := bytes.Fields(line)
	if len(f) < fields {
		return r, len(f), fmt.Errorf("has %s, want %d numbers with blanks between them", counted.Of(len(f), "fields"), fields)
	}
	for i, text := range f[:fields] {
		v, err := strconv.ParseFloat(string(text), 64)
		if err != nil || math.IsNaN(v) || math.Abs(v) > 1<<53 {
			return r, len(f), fmt.Errorf("field %d (%s) is %q, want a number", i+1, names[i], strings.ToValidUTF8(string(text), "?"))
		}
		switch i {
		case submit, wait, run, cpu, used, requestedTime, requestedMemory, think:
		default:
			if v != math.Trunc(v) {
				return r, len(f), fmt.Errorf("field %d (%s) is %q, want a whole number", i+1, names[i], text)
			}
		}
		if v < 0 && v != -1 {
			return r, len(f), fmt.Errorf("field %d (%s) is %q, want 0 or more, or -1 for unknown", i+1, names[i], text)
		}
		r[i] = v
	}
	return r, len(f), nil
}

// leastDate is the year 1990 in seconds since 1970: no log goes on for so long that a submission from its start is as late.
const leastDate = 631_152_000

// largeMiB is more memory than a processor has.
const largeMiB = 1 << 20

// reading is an import.
type reading struct {
	*workload.Builder
	model    string
	unit     float64 // of memory, MiB
	mostMiB  float64 // of a processor
	keepZero bool
	startMS  int64   // of the log, ms since 1970; trace.Unset = not said
	late     bool    // startMS was said after the records that were read
	begun    bool    // a record was read
	latest   float64 // submission in the logs so far, s
	again    bool    // a log without UnixStartTime begins before one that was read before it ends: it is no part of that
	width    int     // fields of the records of a log; 0 = it has none yet
	queues   map[int64]string
	machine  machine
}

func read(ctx context.Context, inputs []string, b *workload.Builder) (err error) {
	r := &reading{Builder: b}
	if r.model, err = b.ParamOneOf("swf-model", "gang", "tasks", "container"); err != nil {
		return err
	}
	if r.unit, err = workflow.Unit(b, "swf-mem-unit"); err != nil {
		return err
	}
	if r.machine.amRoom, err = b.ParamBool("swf-am-room"); err != nil {
		return err
	}
	if r.keepZero, err = b.ParamBool("keep-zero"); err != nil {
		return err
	}
	files, err := b.Parts(inputs, nil)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("no file among the inputs, want logs")
	}
	b.NoEpoch = true
	for i, path := range files {
		r.startMS, r.late, r.queues, r.width = trace.Unset, false, map[int64]string{}, 0
		if err = b.EachLine(ctx, path, r.line); err != nil {
			break
		}
		if r.late && r.width > 0 {
			b.Warn("%s: UnixStartTime stands after the last record and is not used: it counts for the records after it", workload.Shown(path))
		}
		b.Progress(i+1, len(files), "files")
	}
	r.machine.nodes(b, r.model == "container")
	if r.again {
		b.Warn("logs are laid over one another, as their times count from the beginning of each: import them one by one if they are other days")
	}
	if r.mostMiB > largeMiB {
		b.Warn("a processor has %.0f GiB of memory: if the log does not count in KB, as the format says, --swf-mem-unit says its unit", r.mostMiB/1024)
	}
	return err
}

// line takes a line.
func (r *reading) line(s *workload.Source, n int, text []byte) error {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil
	}
	if err := delimited.Line(text); err != nil {
		return fmt.Errorf("%s: line %d: %w", s.Name, n, err)
	}
	if text[0] == ';' {
		r.comment(string(text))
		return nil
	}
	r.Counts.Read["records"]++
	r.late = false
	if noEpoch := r.startMS == trace.Unset; r.begun && noEpoch != r.NoEpoch {
		return fmt.Errorf("%s: line %d: one log has UnixStartTime in its header and another has not, want all or none: import them one by one", s.Name, n)
	} else if !r.begun {
		r.begun, r.NoEpoch = true, noEpoch
	}
	x, width, err := record(text)
	fresh := r.width == 0
	if err == nil {
		err = r.sameWidth(s.Name, width)
	}
	if err == nil && (x[submit] < 0 || x[number] < 0) {
		err = fmt.Errorf("fields 1 and 2 (job number, submit time) are %v and %v, want 0 or more", x[number], x[submit])
	}
	if err != nil {
		return r.Drop("lines_that_are_no_record", "%s: line %d: %w", s.Name, n, err)
	}
	if x[submit] >= leastDate && r.startMS > 0 {
		r.Warn("%s: line %d: the submission is %.0f s, seconds since 1970, and the header has UnixStartTime %d too, from which they should count: the submissions are taken as dates, and UnixStartTime is not used", s.Name, n, x[submit], r.startMS/1000)
		r.startMS = 0
	}
	r.again = r.again || fresh && r.NoEpoch && x[submit] < r.latest
	r.latest = max(r.latest, x[submit])
	return r.job(&x, s.Name, n)
}

// sameWidth tells whether a record has as many fields as those of its log before. Simulators add fields of their own after the 18th.
func (r *reading) sameWidth(log string, n int) error {
	if r.width == 0 {
		r.width = n
		if n > fields {
			r.Note("%s: records have %d fields: those after the %dth are not used", log, n, fields)
		}
	}
	if n != r.width {
		return fmt.Errorf("has %d fields, want %d, as the records before", n, r.width)
	}
	if n > fields {
		r.Counts.Dropped["further_fields"] += int64(n - fields)
	}
	return nil
}

// comment takes a line of the header: "; Key: value", the key in upper or lower case.
func (r *reading) comment(text string) {
	key, value, ok := strings.Cut(strings.Trim(text, "; \t"), ":")
	if !ok {
		return
	}
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	switch strings.ToLower(key) {
	case "unixstarttime":
		n, err := strconv.ParseInt(value, 10, 64)
		if err == nil && n > 0 && n < 2*trace.LatestMS/1000 {
			r.startMS, r.late = n*1000, true
		} else if err != nil || n > 0 {
			r.Warn("UnixStartTime of the header is %q, want seconds since 1970: submissions have no date", value)
		}
	case "queue":
		if f := strings.Fields(value); len(f) > 1 {
			if n, err := strconv.ParseInt(f[0], 10, 64); err == nil {
				r.queues[n] = strings.ReplaceAll(f[1], ".", "_")
			}
		}
	case "maxnodes", "maxprocs":
		to := &r.machine.maxNodes
		if strings.EqualFold(key, "MaxProcs") {
			to = &r.machine.maxProcs
		}
		if !r.machine.says(to, value) {
			r.Warn("%s of the header is %q, want a number of 1 to %d at its beginning: it is not used", key, value, mostProcs)
		}
	}
}

// ms is a time in s as ms.
func ms(s float64) int64 { return int64(math.Round(s * 1000)) }

// job adds the job of a record.
func (r *reading) job(x *[fields]float64, name string, n int) error {
	if st := x[status]; st == 2 || st == 3 || st == 4 {
		r.Counts.Dropped["records_of_parts_of_a_job"]++
		return nil
	}
	r.Begin()
	took := x[run]
	if took <= 0 {
		switch {
		case !r.keepZero:
			r.Counts.Dropped["records_without_a_run_time"]++
			return nil
		case x[cpu] > 0:
			took = x[cpu]
			r.Counts.Modelled["run_times_that_are_cpu_times"]++
		case took < 0:
			return r.Drop("records_of_an_unknown_run_time", "%s: line %d: field 4 (run time) is -1 and field 6 (average CPU time) %v, want one of them", name, n, x[cpu])
		}
	}
	if took > trace.LongestMS/1000 || x[wait] > trace.LongestMS/1000 || x[submit] > trace.LatestMS/1000 {
		return r.Drop("records_of_times_out_of_bounds", "%s: line %d: fields 2, 3 and 4 (submit, wait and run time) are %v, %v and %v, want at most 100 years, a year and a year in seconds", name, n, x[submit], x[wait], took)
	}
	procs := x[requested]
	if procs <= 0 {
		procs = x[allocated]
	}
	if procs <= 0 {
		return r.Drop("records_without_processors", "%s: line %d: fields 8 and 5 (processors) are %v and %v, want one above 0", name, n, x[requested], x[allocated])
	}
	if r.tooWide(procs) {
		if x[allocated] <= 0 || r.tooWide(x[allocated]) {
			return r.Drop("records_of_more_processors_than_the_machine", "%s: line %d: fields 8 and 5 (processors) are %v and %v, want at most %d, as MaxProcs of the header; --nodes says another cluster", name, n, x[requested], x[allocated], r.machine.maxProcs)
		}
		procs = x[allocated]
		r.Counts.Modelled["requests_that_are_allocated_processors"]++
	}
	mib := max(x[requestedMemory], 0)
	if mib == 0 {
		mib = max(x[used], 0)
	}
	mib = math.Ceil(mib * r.unit)
	r.mostMiB = max(r.mostMiB, mib)
	if task := mib * r.vcores(procs); task > trace.MostMemMiB {
		return r.Drop("records_of_too_much_memory", "%s: line %d: fields 10 and 7 (requested and used memory) are %v and %v, want at most %d TiB a task; --swf-mem-unit says what they count", name, n, x[requestedMemory], x[used], trace.MostMemMiB>>20)
	}
	if err := r.CheckTasks(int64(procs)); err != nil {
		return r.Drop("records_of_too_many_processors", "%s: line %d: %w", name, n, err)
	}
	a := &workload.Application{Job: *trace.NewJob(trace.KindGang), User: text("user", x[user]), Queue: r.queue(x[queue])}
	j := &a.Job
	j.ExternalID, j.Name = strconv.FormatFloat(x[number], 'f', 0, 64), text("application", x[application])
	j.SubmitMS, j.AMMemMiB, j.AMVCores = ms(x[submit]), 1024, 1
	if r.startMS != trace.Unset {
		j.SubmitMS += r.startMS
	}
	r.Counts.Defaulted["sizes_of_application_masters"]++
	if x[wait] >= 0 {
		j.RecordedStartMS = j.SubmitMS + ms(x[wait])
		j.RecordedFinishMS = j.RecordedStartMS + ms(took)
	}
	switch x[status] {
	case 0:
		j.RecordedOutcome = "failed"
	case 1:
		j.RecordedOutcome = "success"
	case 5:
		j.RecordedOutcome = "killed"
	}
	if x[preceding] > 0 {
		a.DependsOn = []string{strconv.FormatFloat(x[preceding], 'f', 0, 64)}
		j.ThinkMS = ms(max(x[think], 0))
		r.Counts.Read["preceding_jobs"]++
	}
	if x[partition] >= 0 {
		r.Counts.Dropped["partitions"]++
	}
	if x[group] >= 0 {
		r.Counts.Dropped["groups"]++
	}
	j.Stages = []trace.Stage{r.stage(a, x, took, int64(procs), int64(mib))}
	r.Counts.Read["jobs"]++
	_, err := r.Add(a)
	return err
}

// tooWide tells whether a number of processors is none that the machine of the header has, where the cluster is that machine.
func (r *reading) tooWide(procs float64) bool {
	most := r.machine.maxProcs
	return most > 0 && procs > float64(most) && r.Options.Nodes == 0 && r.model != "container"
}

// vcores is how many a task of a job has.
func (r *reading) vcores(procs float64) float64 {
	if r.model == "container" {
		return procs
	}
	return 1
}

// stage makes the only stage of a job, whose processors have mib each, 0 = it is not said.
func (r *reading) stage(a *workload.Application, x *[fields]float64, took float64, procs, mib int64) trace.Stage {
	kind, vcores := trace.StageGang, int64(r.vcores(float64(procs)))
	tasks := procs / vcores
	if r.model != "gang" {
		kind, a.Job.Kind = trace.StageInput, trace.KindGeneric
	}
	st := trace.NewStage(0, kind)
	switch {
	case mib == 0:
		mib = 1024
		r.Counts.Defaulted["memory_of_tasks"] += tasks
	case x[requestedMemory] <= 0:
		r.Counts.Modelled["requests_that_are_used_memory"] += tasks
	}
	st.TaskMemMiB, st.TaskVCores = mib*vcores, int32(min(vcores, math.MaxInt32))
	r.machine.holds(procs, mib)
	st.Tasks = trace.NewTasks(int(tasks))
	for i := range st.Tasks.DurationMS {
		st.Tasks.DurationMS[i] = ms(took)
	}
	if x[wait] >= 0 {
		st.Tasks.RecordedWaitMS = make([]int64, tasks)
		for i := range st.Tasks.RecordedWaitMS {
			st.Tasks.RecordedWaitMS[i] = ms(x[wait])
		}
	}
	return st
}

// text is a name for a number; -1 has none.
func text(what string, n float64) string {
	if n < 0 {
		return ""
	}
	return what + strconv.FormatFloat(n, 'f', 0, 64)
}

// queue is the name that the header has for a queue, else one with its number.
func (r *reading) queue(n float64) string {
	if name, ok := r.queues[int64(n)]; ok {
		return name
	}
	return text("queue", n)
}
