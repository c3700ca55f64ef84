// Package table imports tables of a user's own, as delimited text or Parquet: any columns, which a map gives their roles, or their names.
//
// What is not stated is found as DuckDB's reader of CSV files finds it, by the first rows: the character between fields, quotes, a header, and how
// values are written. What was found is said.
package table

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"replay/counted"
	"replay/spill"
	"replay/trace"
	"replay/trace/importer/containers"
	"replay/trace/importer/delimited"
	"replay/trace/importer/foreign"
	"replay/trace/importer/workload"
)

var params = []workload.Param{
	{Name: "map", Usage: "which columns have which role, `ROLE=COLUMN[:UNIT],...`; roles are " + roleNames() + " (default: columns of known names)"},
	{Name: "kind", Default: trace.KindGeneric, Usage: "what jobs are: generic (each task starts when there is room), gang (the tasks of a stage start together)"},
}

// CSV is the format of delimited text.
var CSV = workload.Format{
	Usage:         "a table of jobs, tasks or instances as text, comma-separated or alike (--map)",
	NoPreferences: true,
	Fallback:      true,
	Params: append(slices.Clone(params),
		workload.Param{Name: "delimiter", Default: "auto", Usage: "the `CHARACTER` between fields: auto, tab, or any one"},
		workload.Param{Name: "header", Default: "auto", Usage: "the first row has the names of columns: auto, yes or no (they are then column0, column1, ...)"}),
	Detect: detectCSV,
	Read: func(ctx context.Context, inputs []string, b *workload.Builder) error {
		return read(ctx, inputs, b, func(path string) (source, string, error) {
			s, said, err := openCSV(b, path)
			return s, said, err
		})
	},
}

// Parquet is the format of Parquet files.
var Parquet = workload.Format{
	Usage:         "a table of jobs, tasks or instances as Parquet (--map)",
	NoPreferences: true,
	Fallback:      true,
	Params:        params,
	Detect:        detectParquet,
	Read: func(ctx context.Context, inputs []string, b *workload.Builder) error {
		return read(ctx, inputs, b, func(path string) (source, string, error) {
			s, err := openParquet(b, path)
			if err != nil {
				return nil, "", err
			}
			return s, fmt.Sprintf("%s: %s", filepath.Base(path), counted.Of(len(s.names), "columns")), nil
		})
	},
}

// reader reads the files of one table.
type reader struct {
	b       *workload.Builder
	kind    string
	columns columns
	first   []string // columns of the first file
	slurm   bool     // they are those of sacct
	several bool     // one of the jobs of Slurm ran on several nodes, which was told
	nodes   int      // where the number of nodes of a job of Slurm is, -1 = nowhere
	open    bool     // some were empty in the first rows
	epoch   *column  // of times that count from 1970
	own     *column  // of times that count from a start of their own
	fine    *column  // of times that are numbers of a unit finer than seconds
	jobs    *spill.Groups
	rows    int64
	buf     []byte
	texts   spill.Texts
	seed    maphash.Seed // of the hashes of rows
	hashes  []int64

	alike      int64  // rows that are the same as another of their job in every column
	firstAlike string // the job of the first of them

	nothing        nothing
	staged, inTurn int64 // jobs of several stages whose order no column says; those of them whose stages began after the end of the ones before
}

func read(ctx context.Context, inputs []string, b *workload.Builder, open func(path string) (source, string, error)) (err error) {
	t := &reader{b: b, jobs: spill.NewGroups("job"), seed: maphash.MakeSeed()}
	defer func() { err = errors.Join(err, t.jobs.Close()) }()
	if t.kind, err = b.ParamOneOf("kind", trace.KindGeneric, trace.KindGang); err != nil {
		return err
	}
	files, err := b.Parts(inputs, tableFile)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("no file among the inputs, want tables")
	}
	for i, path := range files {
		switch err := t.file(ctx, path, open); {
		case errors.Is(err, errNoRow) && (i < len(files)-1 || t.first != nil):
			if err := b.Drop("files_without_a_row", "%w", err); err != nil {
				return err
			}
		case err != nil:
			return err
		}
		b.Progress(i+1, len(files), "files")
	}
	t.sayNothing()
	if t.columns[roleJob] == nil {
		return nil
	}
	n := int64(0)
	var list []record
	if err := t.jobs.Each(ctx, func(id []byte, records [][]byte) error {
		n++
		list = slices.Grow(list[:0], len(records))[:len(records)]
		for i, r := range records {
			list[i].unpack(r)
		}
		if t.slurm && strings.HasPrefix(t.columns[roleJob].name, "JobID") && len(list) > 1 {
			t.b.Counts.Dropped["other_runs_of_slurm_jobs"] += int64(len(list) - 1)
			t.rows -= int64(len(list) - 1)
			list = append(list[:0], *lastRun(list))
		}
		t.likeOthers(id, list)
		return t.job(string(id), list)
	}); err != nil {
		return err
	}
	if n > 0 && n < t.rows {
		b.Note("%s of %s: the rows of a job are its tasks", counted.Of(int64(t.rows), "rows"), counted.Of(int64(n), "jobs"))
		t.sayIDs()
	}
	t.sayAlike()
	t.sayStages()
	return nil
}

// file reads one file.
func (t *reader) file(ctx context.Context, path string, open func(path string) (source, string, error)) error {
	s, said, err := open(path)
	if err != nil {
		return err
	}
	s = withPartitions(s, path)
	path = workload.Shown(path)
	if err := t.bind(s, path, said); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", path, err), s.close())
	}
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return errors.Join(ctx.Err(), s.close())
		}
		fields, err := s.next()
		if err == io.EOF {
			t.nothing.short.and(s.short())
			return s.close()
		}
		if err == nil {
			err = t.row(path, s, fields)
		} else if bad := new(delimited.RowError); errors.As(err, &bad) {
			t.b.Counts.Read["rows"]++
			err = t.b.Drop("rows_that_are_not_readable", "%s: %s: want %s", path, s.place(), bad.Want)
		} else {
			return errors.Join(t.b.Damaged(fmt.Errorf("%s: after %s: %w", path, s.place(), err)), s.close())
		}
		if err != nil {
			return errors.Join(err, s.close())
		}
	}
}

// bind gives the columns of a file their roles. Those of the first file are those of all.
func (t *reader) bind(s source, path, said string) error {
	names := s.columns()
	if what := foreign.What([]byte(names[0])); what != "" && len(names) == 1 {
		return fmt.Errorf("no table but %s", what)
	}
	if t.first != nil {
		for _, c := range t.columns {
			if c == nil {
				continue
			}
			if c.at = slices.Index(names, c.name); c.at < 0 {
				return fmt.Errorf("has no column %s, as the first file has; it has %s", c.name, strings.Join(names, ", "))
			}
			if s.blank(c.at) {
				continue
			}
			if err := c.retype(s.unit(c.at, known[c.role].of)); err != nil {
				return err
			}
		}
		return t.read(s, names)
	}
	t.first, t.slurm = names, ofSlurm(names)
	t.b.Note("%s", said)
	found, err := guess(names), error(nil)
	if text := t.b.Param("map"); text != "" {
		found, err = parseMap(text, names)
	}
	if err != nil {
		return err
	}
	for r := range found {
		if f := found[r]; f.at >= 0 {
			u := s.unit(f.at, known[r].of)
			if u != nil {
				f.unit = u
			}
			t.columns[r] = &column{binding: f, role: role(r), typed: u != nil}
		}
	}
	if err := t.enough(names); err != nil {
		return err
	}
	if err := t.read(s, names); err != nil {
		return err
	}
	if err := t.settle(s.sample()); err != nil {
		return err
	}
	t.open = slices.ContainsFunc(t.columns[:], func(c *column) bool { return c != nil && c.open })
	t.sayRest()
	return nil
}

// read makes those columns of a file be read that count: those with a role, and of sacct the numbers of nodes.
func (t *reader) read(s source, names []string) error {
	t.nodes = t.nodesOfSlurm(names)
	p, ok := s.(binder)
	if !ok {
		return nil
	}
	places := t.columns.places()
	if t.nodes >= 0 {
		places = append(places, t.nodes)
	}
	return p.bind(places)
}

// enough tells what is missing.
func (t *reader) enough(names []string) error {
	c := &t.columns
	if len(names) == 1 {
		return fmt.Errorf("want several columns with a comma, tab, semicolon or bar between them (--delimiter says another character), and there is one, %.80q", names[0])
	}
	how := "--map gives columns their roles, such as --map submit=" + names[0] + ",duration=" + names[len(names)-1]
	if t.b.Param("map") == "" {
		how = fmt.Sprintf("by their names: %s; %s", c.said(), how)
	}
	switch {
	case c[roleSubmit] == nil && c[roleStart] == nil && (c[roleEnd] == nil || c[roleDuration] == nil):
		return fmt.Errorf("want a column for submit or start, among %s (%s)", strings.Join(names, ", "), how)
	case c[roleDuration] == nil && c[roleEnd] == nil:
		return fmt.Errorf("want a column for duration or end, among %s (%s)", strings.Join(names, ", "), how)
	}
	return nil
}

// said says which columns have which role.
func (c *columns) said() string {
	var all []string
	for _, x := range c {
		if x != nil {
			all = append(all, fmt.Sprintf("%s=%s", x.role, x.name))
		}
	}
	if len(all) == 0 {
		return "none is known"
	}
	return strings.Join(all, ",")
}

func (c *columns) places() (all []int) {
	for _, x := range c {
		if x != nil {
			all = append(all, x.at)
		}
	}
	return all
}

// settle finds how values are written, and says it.
func (t *reader) settle(rows [][]string) error {
	t.noWaitsAsQueues(rows)
	if t.b.Param("map") == "" {
		t.b.Note("columns by their names: --map %s", t.columns.said())
	}
	var epoch, own *column
	for _, c := range t.columns {
		if c == nil {
			continue
		}
		values := c.valuesIn(rows)
		if known[c.role].of == span {
			c.beside = t.fine
		}
		if err := c.settle(values); err != nil {
			return err
		}
		t.settled(c)
		if known[c.role].of != text {
			t.b.Note("%s", c.said)
		}
		if known[c.role].of == instant && c.epoch {
			epoch = c
		} else if known[c.role].of == instant && !slices.Equal(nonEmpty(values), nil) {
			own = c
		}
	}
	t.epoch, t.own = epoch, own
	if err := t.oneClock(); err != nil {
		return err
	}
	t.agree(rows)
	return nil
}

// settled notes what a column says of others, and warns of a unit in doubt.
func (t *reader) settled(c *column) {
	if known[c.role].of == instant && c.form == numbers && !c.open && c.unit.per < 1000 {
		t.fine = c
	}
	if c.doubt != "" {
		t.b.Warn("%s", c.doubt)
		c.doubt = ""
	}
}

// oneClock tells whether all times count from the same.
func (t *reader) oneClock() error {
	if epoch, own := t.epoch, t.own; epoch != nil && own != nil {
		return fmt.Errorf("column %s counts from 1970 and column %s from a start of its own, want all times from the same; --map may state units, as in %s=%s:ms", epoch.name, own.name, own.role, own.name)
	}
	t.b.NoEpoch = t.epoch == nil
	return nil
}

// late settles columns that were empty in the first rows and have a value now.
func (t *reader) late(path string, s source, fields [][]byte) error {
	t.open = false
	for _, c := range t.columns {
		if c == nil || !c.open {
			continue
		}
		value := t.columns.text(c.role, fields)
		if value == "" {
			t.open = true
			continue
		}
		if err := c.settle([]string{value}); err != nil {
			return fmt.Errorf("%s: %s: %w", path, s.place(), err)
		}
		t.settled(c)
		t.b.Note("%s, from %s on", c.said, s.place())
		if known[c.role].of != instant {
			continue
		}
		if c.epoch {
			t.epoch = c
		} else {
			t.own = c
		}
		if err := t.oneClock(); err != nil {
			return fmt.Errorf("%s: %s: %w", path, s.place(), err)
		}
	}
	return nil
}

// sayRest says what follows from which roles no column has.
func (t *reader) sayRest() {
	t.sayColumns()
	if t.columns[roleSubmit] == nil {
		t.b.Note("no column has the role submit: jobs are submitted when they start")
	}
	if t.columns[roleDuration] == nil && t.columns[roleStart] == nil {
		t.b.Note("no column has the role start or duration: durations are from submission to end, waits included")
	}
}

// sayIDs warns of a column id beside the one that makes jobs of rows, where a name and not --map says which that is: either can be the key.
func (t *reader) sayIDs() {
	job := t.columns[roleJob]
	at := slices.IndexFunc(t.first, func(name string) bool { return strings.EqualFold(name, "id") })
	if at < 0 || job.how == "--map" || slices.Contains(t.columns.places(), at) {
		return
	}
	t.b.Warn("rows with one %s are one job, whatever their %s: if that is the key and %[1]s a name, say --map job=%[2]s,name=%[1]s with the other roles", job.name, t.first[at])
}

// sayColumns says which columns are not used, and which of several with one name are.
func (t *reader) sayColumns() {
	used := t.columns.places()
	var left []string
	for i, name := range t.first {
		if !slices.Contains(used, i) && i != t.nodes {
			left = append(left, name)
		}
	}
	for _, i := range used {
		if name := t.first[i]; slices.Contains(left, name+"_1") {
			t.b.Warn("several columns are called %s: the first of them is taken; the second is %s_1 for --map", name, name)
		}
	}
	const most = 20
	if n := len(left); n > most {
		left = append(left[:most], fmt.Sprintf("and %d more", n-most))
	}
	if len(left) > 0 {
		t.b.Note("columns that are not used: %s", strings.Join(left, ", "))
	}
}

func nonEmpty(values []string) (left []string) {
	for _, v := range values {
		if !absent(v) {
			left = append(left, v)
		}
	}
	return left
}

// row takes a row: of a table of jobs it is an application, of another one it waits for the others of its job.
func (t *reader) row(path string, s source, fields [][]byte) error {
	t.b.Counts.Read["rows"]++
	if t.slurm && slurmStep(t.columns.text(roleJob, fields)) {
		t.b.Counts.Dropped["steps_of_slurm_jobs"]++
		return nil
	}
	if t.open {
		if err := t.late(path, s, fields); err != nil {
			return err
		}
	}
	r, err := t.columns.read(fields)
	switch {
	case err != nil:
		return t.b.Drop(reasonOf(err), "%s: %s: %v", path, s.place(), err)
	case r.tasks == 0:
		return t.b.Drop("rows_without_a_task", "%s: %s: %s is 0, want 1 or more", path, s.place(), t.columns[roleTasks].name)
	}
	if t.nodes >= 0 {
		t.severalNodes(&r, path, s, fields)
	}
	if r.farPriority {
		if t.b.Counts.Dropped["priorities_out_of_bounds"]++; t.b.Counts.Dropped["priorities_out_of_bounds"] == 1 {
			t.b.Warn("%s: %s: %s is %q, want a number from %d to %d: priorities beyond are taken as none", path, s.place(), t.columns[rolePriority].name, t.columns.text(rolePriority, fields), -mostPriority, mostPriority)
		}
	}
	if c := t.columns[roleMemory]; c != nil && c.late > 0 && r.memMiB >= c.late {
		c.late = 0
		t.b.Warn("%s: %s: %s is %s, and is taken as GiB, as those of the first rows are smaller; if it is MiB, --map memory=%[3]s:MiB says so", path, s.place(), c.name, t.columns.text(roleMemory, fields))
	}
	if len(r.outcome) == 0 && len(t.columns.bytes(roleStatus, fields)) > 0 {
		t.b.Counts.Defaulted["outcomes_of_words_that_are_not_known"]++
	}
	t.countNothing(&r, path, s, fields)
	switch {
	case t.columns[roleJob] == nil:
		t.rows++
		return t.job(fmt.Sprintf("row%d", t.b.Counts.Read["rows"]), []record{r})
	case len(r.job) == 0:
		return t.b.Drop("rows_without_a_job", "%s: %s: %s is empty, want the name of a job", path, s.place(), t.columns[roleJob].name)
	}
	t.rows++
	r.whole = t.hash(fields)
	t.buf = r.pack(t.buf[:0])
	return t.jobs.Add(r.job, t.buf)
}

// reasonOf is the reason for which a row with this error is left out.
func reasonOf(err error) string {
	switch {
	case errors.As(err, new(*badValue)):
		return "rows_with_a_bad_value"
	case errors.Is(err, errNoDuration), errors.Is(err, errNotStarted), errors.Is(err, errNeverRan):
		return "rows_without_a_duration"
	case errors.Is(err, errNoSubmission):
		return "rows_without_a_submission"
	}
	return "rows_with_impossible_times"
}

// job makes the application of the rows of one job.
func (t *reader) job(id string, rows []record) error {
	submit := rows[0].submit
	for i := range rows {
		submit = min(submit, rows[i].submit)
	}
	t.b.Begin()
	kind := t.kind
	if slices.ContainsFunc(rows, func(r record) bool { return r.nodes > 0 }) {
		kind = trace.KindGang
	}
	j := containers.New(t.b, kind, id, submit)
	defer j.Done()
	a := j.App
	finish := int64(unknown)
	for i := range rows {
		r := &rows[i]
		a.Job.Name, a.User, a.Queue = t.or(a.Job.Name, r.name), t.or(a.User, r.user), t.or(a.Queue, r.queue)
		if r.priority != unknown && (i == 0 || int32(r.priority) > a.Job.Priority) {
			a.Job.Priority = int32(r.priority)
		}
		a.Job.RecordedOutcome = worse(a.Job.RecordedOutcome, t.texts.Of(r.outcome))
		if r.start != unknown && (a.Job.RecordedStartMS == trace.Unset || r.start < a.Job.RecordedStartMS) {
			a.Job.RecordedStartMS = r.start
		}
		if r.start != unknown && r.end == unknown {
			r.end = r.start + r.duration
		}
		finish = max(finish, r.end)
		if r.submit > submit {
			t.b.Counts.Modelled["tasks_asked_for_with_their_job_or_stage"]++
		}
		if err := t.tasks(j, r); err != nil {
			return t.b.Drop("jobs_with_too_many_tasks", "%v", err)
		}
	}
	t.order(rows)
	if finish != unknown && finish >= max(submit, a.Job.RecordedStartMS) {
		a.Job.RecordedFinishMS = finish
	}
	app, err := j.Finish(t.b)
	if err != nil {
		return t.b.Drop("jobs_with_a_cycle", "%v", err)
	}
	_, err = t.b.Add(app)
	return err
}

// or is a, or else the text of b.
func (t *reader) or(a string, b []byte) string {
	if a != "" {
		return a
	}
	return t.texts.Of(b)
}

// worse is the outcome of a job of which some tasks ended like this and others like that.
func worse(a, b string) string {
	order := []string{"", "success", "censored", "killed", "failed"}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// tasks adds the tasks of a row.
func (t *reader) tasks(j *containers.Job, r *record) error {
	c := t.b.Counts
	size, n := containers.Size{MilliVCores: r.milli, MemMiB: r.memMiB}, max(r.tasks, r.nodes, 1)
	if r.milli == unknown {
		size.MilliVCores = 1000
		c.Defaulted["task_vcores"] += n
	}
	if r.memMiB == unknown {
		size.MemMiB = 1024
		c.Defaulted["task_memory"] += n
	}
	if r.gpus > 0 {
		size.Extra = trace.NamedValue{Name: trace.GPU, Value: r.gpus}
	}
	task := containers.Task{DurationMS: r.duration, WaitMS: trace.Unset, Host: t.texts.Of(r.host)}
	if r.start != unknown && t.columns[roleSubmit] != nil && r.start-r.submit <= trace.LongestMS {
		task.WaitMS = r.start - r.submit
	}
	stage := t.texts.Of(r.stage)
	if t.columns[roleStage] == nil {
		j.App.DependsOn = append(j.App.DependsOn, r.parents...)
	} else {
		for _, p := range r.parents {
			j.After(stage, p)
		}
	}
	if r.nodes > 0 {
		return t.gang(j, stage, r, size, task)
	}
	return j.Add(stage, size, trace.Unset, n, task)
}
