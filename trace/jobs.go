package trace

import (
	"fmt"
	"io"
	"path/filepath"
)

// Jobs returns a source of the trace's jobs in order, with their stages and tasks.
//
// It checks what it reads: the error of Next is a [Problem] if a job breaks a rule of the format.
// It holds one page of each column and the jobs of one batch ahead, which is decoded while the
// caller works; a source that is not read to its end needs no closing.
func (t *Trace) Jobs() JobSource {
	if t.kept != nil {
		return &keptJobs{t.kept}
	}
	return &jobReader{a: newAssembler(t, nil, func(p Problem) error { return p }), t: t}
}

// A batch ahead ends with the job that reaches one of these.
const (
	aheadJobs  = 128
	aheadTasks = 8192
)

type jobReader struct {
	t     *Trace
	back  []*Job // given back since the batch ahead was begun
	a     *assembler
	ready []*Job
	err   error // comes after ready
	ahead chan decoded
}

type decoded struct {
	jobs []*Job
	err  error
}

func (r *jobReader) Next() (*Job, error) {
	if len(r.ready) == 0 && r.err == nil {
		if r.ahead == nil {
			r.ahead = make(chan decoded, 1)
			r.start()
		}
		d := <-r.ahead
		r.ready, r.err = d.jobs, d.err
		if r.err == nil {
			r.start()
		}
	}
	if len(r.ready) == 0 {
		return nil, r.err
	}
	j := r.ready[0]
	r.ready[0] = nil
	r.ready = r.ready[1:]
	return j, nil
}

// Still implements [Stiller].
func (r *jobReader) Still() {
	if r.ahead != nil && r.err == nil {
		d := <-r.ahead
		r.ahead <- d // nobody else is sending, and there is room for one
	}
}

// Recycle implements [Recycler].
func (r *jobReader) Recycle(j *Job) { r.back = append(r.back, j) }

// start decodes the next batch. The goroutine ends with it, as the channel has room.
func (r *jobReader) start() {
	r.t.reading.Add(1)
	r.a.spare = append(r.a.spare, r.back...)
	clear(r.back)
	r.back = r.back[:0]
	go func() {
		defer r.t.reading.Done()
		var d decoded
		for tasks := int64(0); d.err == nil && len(d.jobs) < aheadJobs && tasks < aheadTasks; {
			var j *Job
			if j, d.err = r.a.next(); d.err == nil {
				d.jobs = append(d.jobs, j)
				tasks += j.NumTasks()
			}
		}
		if d.err != nil {
			r.a.close()
		}
		r.ahead <- d
	}()
}

// An assembler puts jobs together from the three tables, read in step. It goes by the ids that it finds, not
// by the counts, so that it can go on after a problem if report lets it.
type assembler struct {
	t      *Trace
	only   map[string][]string // columns that are read, by table; nil for all, and only then jobs are checked against the rules
	rules  *rules
	jobs   *jobBatch
	stages *stageBatch
	tasks  *taskBatch
	file   int // of the task table
	at     jobRows
	span   int64  // the last submission so far
	work   Work   // so far, where the manifest says what it is in the end and all columns are read
	spare  []*Job // whose memory is used again
}

func newAssembler(t *Trace, only map[string][]string, report func(Problem) error) *assembler {
	a := &assembler{
		t: t, only: only, rules: t.jobRules(report),
		jobs: newJobBatch(t.tables[tableJobs], only[tableJobs]), stages: newStageBatch(t.tables[tableStages], only[tableStages]),
		tasks: newTaskBatch(t.tasks[0], only[tableTasks]),
	}
	return a
}

func (a *assembler) close() {
	a.jobs.r.Close()
	a.stages.r.Close()
	a.tasks.r.Close()
}

// next returns the next job, or io.EOF.
func (a *assembler) next() (*Job, error) {
	more, err := a.jobs.more()
	if err != nil {
		return nil, err
	}
	if !more {
		return nil, a.end()
	}
	i, row := a.jobs.head, a.jobs.row()
	numStages, numTasks, firstTask := a.jobs.stages.V[i], a.jobs.tasks.V[i], a.jobs.first.V[i]
	j := a.jobs.job(a.another())
	a.jobs.head++
	a.span = max(a.span, j.SubmitMS)
	a.at = jobRows{job: row, stages: a.at.stages[:0], tasks: a.at.tasks[:0]}
	if j.ID != row {
		if err := a.rules.bad(tableJobs, row, "job_id", j.ID, "%d, as ids count rows from 0", row); err != nil {
			return nil, err
		}
		j.ID = row
	}
	before := a.taskRow()
	if err := a.readStages(j, int(numStages)); err != nil {
		return nil, err
	}
	if len(a.at.tasks) > 0 {
		before = a.at.tasks[0]
	}
	err = firstOf(
		a.equal(tableJobs, row, "num_stages", int64(numStages), int64(len(j.Stages))),
		a.equal(tableJobs, row, "num_tasks", numTasks, j.NumTasks()),
		a.equal(tableJobs, row, "first_task_row", firstTask, before),
	)
	if err == nil && a.only == nil {
		err = a.rules.job(j, &a.at)
	}
	if err != nil {
		return nil, err
	}
	if a.only == nil && a.t.Manifest.Work != nil {
		a.work.addJob(j)
	}
	return j, nil
}

// another returns a job to be filled in, which may have stages.
func (a *assembler) another() *Job {
	n := len(a.spare) - 1
	if n < 0 {
		return new(Job)
	}
	j := a.spare[n]
	a.spare[n] = nil
	a.spare = a.spare[:n]
	return j
}

func (a *assembler) equal(table string, row int64, column string, got, want int64) error {
	if got == want {
		return nil
	}
	return a.rules.bad(table, row, column, got, "%d, what follows in the tables below it", want)
}

// readStages gives j the stages that follow for it, with their tasks.
func (a *assembler) readStages(j *Job, declared int) error {
	b := a.stages
	had := j.Stages[:cap(j.Stages)] // of another job
	j.Stages = emptied(had, min(max(declared, 0), readRows), 0)
	for {
		more, err := b.more()
		if err != nil || !more {
			return err
		}
		row := b.row()
		switch job := b.job.V[b.head]; {
		case job > j.ID:
			return nil
		case job < j.ID:
			if err := a.rules.bad(tableStages, row, "job_id", job, "%d or more: sorted rows, for jobs of the job table", j.ID); err != nil {
				return err
			}
			b.head++
			continue
		}
		s := b.stage()
		var memory Tasks
		if n := len(j.Stages); n < len(had) {
			memory = had[n].Tasks
		}
		if n := len(j.Stages); n > 0 && s.ID <= j.Stages[n-1].ID {
			if err := a.rules.bad(tableStages, row, "stage_id", s.ID, "more than %d of the row before", j.Stages[n-1].ID); err != nil {
				return err
			}
			b.head++
			continue
		}
		declared := b.tasks.V[b.head]
		b.head++
		if err := a.readTasks(j.ID, &s, &memory, int(declared)); err != nil {
			return err
		}
		if err := a.allTasks(j.ID, &s, row, declared); err != nil {
			return err
		}
		j.Stages = append(j.Stages, s)
		a.at.stages = append(a.at.stages, row)
	}
}

// allTasks checks that the stage of a row of the stage table has as many tasks as it declares. If some are missing the
// problem is that of the task row at which another stage's tasks begin.
func (a *assembler) allTasks(job int64, s *Stage, row int64, declared int32) error {
	n := s.Tasks.Len()
	more, err := a.moreTasks()
	if err != nil {
		return err
	}
	if int64(n) < int64(declared) && more {
		b := a.tasks
		return a.rules.bad(tableTasks, a.taskRow(), "job_id, stage_id", []int64{b.job.V[b.head], int64(b.stage.V[b.head])},
			"%v: sorted rows, and %d tasks of that stage, which has %d so far", []int64{job, int64(s.ID)}, declared, n)
	}
	return a.equal(tableStages, row, "num_tasks", int64(declared), int64(n))
}

func (a *assembler) taskRow() int64 { return a.t.taskStart[a.file] + a.tasks.row() }

// moreTasks is more of the task table, whose files it goes through.
func (a *assembler) moreTasks() (bool, error) {
	for {
		more, err := a.tasks.more()
		if err != nil || more || a.file+1 == len(a.t.tasks) {
			return more, err
		}
		a.tasks.r.Close()
		a.file++
		a.tasks = newTaskBatch(a.t.tasks[a.file], a.only[tableTasks])
	}
}

// readTasks gives s the tasks that follow for it, in the memory of others.
func (a *assembler) readTasks(job int64, s *Stage, memory *Tasks, declared int) error {
	first := int64(-1)
	for {
		more, err := a.moreTasks()
		if err != nil {
			return err
		}
		if first < 0 {
			first = a.taskRow()
		}
		if !more {
			break
		}
		b := a.tasks
		if n := b.run(job, s.ID, b.n-b.head); n > 0 {
			if s.Tasks.Len() == 0 {
				first = a.taskRow()
			}
			b.take(&s.Tasks, memory, n, max(declared, 0))
			continue
		}
		j, id := b.job.V[b.head], b.stage.V[b.head]
		if j > job || j == job && id > s.ID {
			break
		}
		if err := a.strayTask(j, id, fmt.Sprintf("%v or more", []int64{job, int64(s.ID)})); err != nil {
			return err
		}
	}
	a.at.tasks = append(a.at.tasks, first)
	return nil
}

// strayTask reports the task row at the head, which belongs to no stage here, and passes it and those like it that follow.
func (a *assembler) strayTask(job int64, stage int32, want string) error {
	err := a.rules.bad(tableTasks, a.taskRow(), "job_id, stage_id", []int64{job, int64(stage)}, "%s: sorted rows, for stages of the stage table", want)
	a.tasks.head += a.tasks.run(job, stage, a.tasks.n-a.tasks.head)
	return err
}

// end checks that nothing is left after the last job, and that the manifest is right about what loads go by: when it was submitted, and the work.
func (a *assembler) end() error {
	for {
		more, err := a.stages.more()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := a.rules.bad(tableStages, a.stages.row(), "job_id", a.stages.job.V[a.stages.head], "less than %d, the number of jobs", a.jobs.row()); err != nil {
			return err
		}
		a.stages.head++
	}
	for {
		more, err := a.moreTasks()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		b := a.tasks
		if err := a.strayTask(b.job.V[b.head], b.stage.V[b.head], "no more rows"); err != nil {
			return err
		}
	}
	m := &a.t.Manifest
	bad := func(key string, is any, want string) error {
		return a.rules.report(wholeFile(filepath.Join(a.t.dir, manifestName), key, fmt.Sprint(is), want))
	}
	if m.SpanMS != a.span {
		if err := bad("span_ms", m.SpanMS, fmt.Sprintf("%d, the last submission", a.span)); err != nil {
			return err
		}
	}
	if a.only == nil && m.Work != nil && !a.work.is(m.Work) {
		if err := bad("work", m.Work, fmt.Sprintf("%v, that of the jobs", &a.work)); err != nil {
			return err
		}
	}
	return io.EOF
}

// Executors returns the recorded executors, checked, or none if the trace has no such table.
func (t *Trace) Executors() ([]Executor, error) {
	tab, ok := t.tables[tableExecutors]
	if !ok {
		return nil, nil
	}
	executors, err := readExecutors(tab)
	if err != nil {
		return nil, err
	}
	return executors, t.checkExecutors(executors, func(p Problem) error { return p })
}

func (t *Trace) checkExecutors(executors []Executor, report func(Problem) error) error {
	r := t.jobRules(report)
	for i := range executors {
		if err := r.executor(&executors[i], int64(i), t.tables[tableJobs].rows()); err != nil {
			return err
		}
	}
	return nil
}
