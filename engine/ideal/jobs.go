package ideal

import (
	"fmt"
	"slices"
	"strings"

	"replay/engine/depend"
	"replay/engine/generic"
	"replay/engine/record"
	"replay/policy/resource"
	"replay/trace"
)

// job is a live job.
type job struct {
	*trace.Job
	rec    record.Job
	turn   int64 // in the order of submission
	queue  *queue
	stages []stage
	left   int   // stages that are not done
	tail   bool  // all are; the driver's last moments
	given  int64 // containers, one for each attempt
}

// stage is a stage of a live job.
type stage struct {
	job      *job
	st       *trace.Stage
	sizes    []*size // of each task, or of all
	gang     *gang   // nil for a stage whose tasks start one by one
	children []int32
	slot     int32 // in [stages]
	waits    int   // parents, and stages that the driver waits for, that are not done
	next     int   // first task that has not been started
	queued   bool  // in the heap of ready stages
	ready    int64 // since when
	back     []repeat
}

// stages are those of live jobs that are not done, with what each end of a task changes.
type stages struct {
	list []running
	free []int32
}

type running struct {
	stage *stage
	queue *queue
	size  *size // nil where tasks have sizes of their own
	left  int   // tasks that have not succeeded
}

func (ss *stages) add(s *stage) {
	r := running{stage: s, queue: s.job.queue, left: s.st.Tasks.Len()}
	if len(s.sizes) == 1 {
		r.size = s.sizes[0]
	}
	if k := len(ss.free); k > 0 {
		s.slot = ss.free[k-1]
		ss.free = ss.free[:k-1]
		ss.list[s.slot] = r
		return
	}
	s.slot = int32(len(ss.list))
	ss.list = append(ss.list, r)
}

func (ss *stages) remove(s *stage) {
	ss.list[s.slot] = running{}
	ss.free = append(ss.free, s.slot)
}

// A repeat is a task whose attempt was lost: it is served before the tasks behind it.
type repeat struct {
	index, attempt int32
	ready, served  int64
}

// sizeOf is what a task takes.
func (s *stage) sizeOf(index int32) *size {
	if len(s.sizes) > 1 {
		return s.sizes[index]
	}
	return s.sizes[0]
}

// nextTask is the one of a ready stage that is served next.
func (s *stage) nextTask() int32 {
	if len(s.back) > 0 {
		return s.back[0].index
	}
	return int32(s.next)
}

// sizesOf keeps the sizes of a Spark job's tasks: the next job is often like it, and resolving a configuration takes longer than
// many tasks do.
type sizesOf struct {
	job   *trace.Job
	rooms [][]room
}

// sizes returns what the tasks of each stage take: one size for all of a stage, or one for each. The error says why the job can't run.
func (l *loop) sizes(j *trace.Job) ([][]room, error) {
	if j.Kind == trace.KindSpark && l.like.job != nil && alike(l.like.job, j) {
		return l.like.rooms, nil
	}
	rooms := make([][]room, len(j.Stages))
	switch j.Kind {
	case trace.KindSpark:
		sizes, warnings, err := l.spark.TaskSizes(j)
		if err != nil {
			return nil, err
		}
		for i, r := range sizes {
			rooms[i] = []room{roomOf(r)}
		}
		for _, w := range warnings {
			l.warn("conf:"+w.Code, true, false, "%s", w.Text)
		}
		if len(warnings) == 0 {
			l.like = sizesOf{j, rooms}
		}
	case trace.KindMapReduce:
		sizes, err := l.mapReduce.TaskSizes(j)
		if err != nil {
			return nil, err
		}
		for i, r := range sizes {
			r[resource.VCores] = max(r[resource.VCores], 1)
			rooms[i] = []room{roomOf(r)}
		}
	case trace.KindGeneric, trace.KindGang, trace.KindService:
		for i := range j.Stages {
			sizes, err := generic.Sizes(&j.Stages[i], l.sc.Site.Types)
			if err != nil {
				return nil, err
			}
			for _, r := range sizes {
				r[resource.VCores] = max(r[resource.VCores], 1)
				rooms[i] = append(rooms[i], roomOf(r))
			}
			if len(j.Stages[i].Extra) > 0 {
				l.warn("ideal-extra", true, true, "%s asks for %s: the ideal scheduler looks at memory and vcores alone", record.JobCalled(j.ID, j.Name, j.ExternalID), j.Stages[i].Extra[0].Name)
			}
		}
	default:
		return nil, fmt.Errorf("its kind is %q; the ideal scheduler replays %s", j.Kind, strings.Join(trace.Kinds, ", "))
	}
	return rooms, nil
}

// alike reports whether two Spark jobs have the same configuration, stage by stage.
func alike(a, b *trace.Job) bool {
	if a.ExecMemMiB != b.ExecMemMiB || a.ExecVCores != b.ExecVCores || a.TaskCPUs != b.TaskCPUs || a.AMMemMiB != b.AMMemMiB || a.AMVCores != b.AMVCores ||
		a.MinExecs != b.MinExecs || a.MaxExecs != b.MaxExecs || a.InitialExecs != b.InitialExecs ||
		len(a.Stages) != len(b.Stages) || !slices.Equal(a.Conf, b.Conf) {
		return false
	}
	for i := range a.Stages {
		s, o := &a.Stages[i], &b.Stages[i]
		if s.Profile != o.Profile || s.Profile != 0 && (s.ExecMemMiB != o.ExecMemMiB || s.ExecVCores != o.ExecVCores || s.TaskVCores != o.TaskVCores) {
			return false
		}
	}
	return true
}

// arrive takes a job in; its stages without parents are ready.
func (l *loop) arrive(t *trace.Job, held *depend.Held) {
	j := &job{Job: t, rec: l.sc.JobRecord(t, l.now), left: len(t.Stages), turn: l.totals.Jobs}
	held.Note(&j.rec)
	l.totals.Jobs++
	l.totals.Stages += j.rec.Stages
	l.totals.Tasks += j.rec.Tasks
	if q := &j.rec.Queue; *q != "root" && !strings.HasPrefix(*q, "root.") {
		*q = "root." + *q // as YARN's schedulers write it
	}
	j.queue = l.queues.at(j.rec.Queue)
	rooms, err := l.sizes(t)
	if err == nil {
		err = l.everFit(t, rooms)
	}
	if err != nil {
		j.rec.Outcome, j.rec.Reason, j.rec.Finish, j.rec.TasksFailed = record.JobFailed, err.Error(), l.now, j.rec.Tasks
		l.warn("job-refused", true, true, "%s can't run: %v", record.JobCalled(j.ID, j.Name, j.ExternalID), err)
		l.write(j)
		return
	}
	l.jobs[j.ID] = j
	j.queue.jobs++
	j.stages = make([]stage, len(t.Stages))
	for i := range t.Stages {
		st := &t.Stages[i]
		s := &j.stages[i]
		s.job, s.st = j, st
		for _, r := range rooms[i] {
			s.sizes = append(s.sizes, l.nodes.sized(r))
		}
		if t.Gang(st) {
			s.gang = &gang{counted: make([]bool, st.Tasks.Len())}
		}
		l.stages.add(s)
		for _, list := range [][]int32{st.Parents, st.After} {
			for _, p := range list {
				j.stages[p].children = append(j.stages[p].children, int32(i))
				s.waits++
			}
		}
	}
	var first []*stage // a stage without tasks is done at once, and what waits for it begins then
	for i := range j.stages {
		if j.stages[i].waits == 0 {
			first = append(first, &j.stages[i])
		}
	}
	for _, s := range first {
		l.due(s)
	}
	if j.left == 0 && !j.tail {
		l.codeEnded(j)
	}
}

// everFit refuses a job of which a task, or a gang, is larger than what there ever is.
func (l *loop) everFit(j *trace.Job, rooms [][]room) error {
	for i, list := range rooms {
		st := &j.Stages[i]
		for _, r := range list {
			if st.Tasks.Len() > 0 && !l.nodes.everHolds(r) {
				return fmt.Errorf("no node is ever large enough for a task of stage %d: %s", i, resource.R(r.mem, r.vcores).Text(l.sc.Site.Types))
			}
		}
		if j.Gang(st) && l.nodes.neverRoom(st.Tasks.Len(), list) {
			return fmt.Errorf("the %d tasks of stage %d start together, and the nodes are never large enough for all of them", st.Tasks.Len(), i)
		}
	}
	return nil
}

func roomOf(r resource.Resource) room {
	return room{r[resource.Memory], r[resource.VCores]}
}

// due lets the driver's recorded pause before a stage pass; the model's is left out.
func (l *loop) due(s *stage) {
	if s.st.DelayMS > 0 {
		l.timers.push(timer{at: l.now + s.st.DelayMS, stage: s})
		return
	}
	l.begin(s)
}

// begin makes the tasks of a stage ready. One without tasks is done.
func (l *loop) begin(s *stage) {
	s.job.rec.StageAttempts++
	s.ready = l.now
	left := s.st.Tasks.Len()
	if left == 0 {
		l.stageDone(s)
		return
	}
	if s.job.rec.FirstAsked == record.None {
		s.job.rec.FirstAsked = l.now
	}
	for i := range s.sizes {
		if len(s.sizes) > 1 {
			left = 1
		}
		s.job.queue.wants(s.sizes[i].room, int64(left))
	}
	l.queue(s)
}

// queue puts a stage among the ready ones.
func (l *loop) queue(s *stage) {
	if !s.queued {
		s.queued = true
		l.ready.push(s)
	}
}

// again makes a task ready whose attempt was lost.
func (l *loop) again(s *stage, b repeat) {
	i, _ := slices.BinarySearchFunc(s.back, b.index, func(r repeat, index int32) int { return int(r.index - index) })
	s.back = slices.Insert(s.back, i, b)
	s.job.queue.wants(s.sizeOf(b.index).room, 1)
	l.queue(s)
}

// fire executes a timer.
func (l *loop) fire(t timer) {
	switch {
	case t.stage != nil:
		l.begin(t.stage)
	case t.job != nil:
		l.jobDone(t.job)
	case t.submits:
		l.submits = append(l.submits, t.held)
	default:
		l.drainOver(t.node, t.round)
	}
}

// stageDone makes what waited for the stage ready.
func (l *loop) stageDone(s *stage) {
	j := s.job
	for _, z := range s.sizes {
		l.nodes.done(z)
	}
	l.stages.remove(s)
	j.left--
	for _, c := range s.children {
		child := &j.stages[c]
		child.waits--
		if child.waits == 0 {
			l.due(child)
		}
	}
	if j.left == 0 && !j.tail {
		l.codeEnded(j)
	}
}

// codeEnded lets the recorded tail of the driver pass.
func (l *loop) codeEnded(j *job) {
	j.tail = true
	if j.TailMS > 0 {
		l.timers.push(timer{at: l.now + j.TailMS, job: j})
		return
	}
	l.jobDone(j)
}

func (l *loop) jobDone(j *job) {
	delete(l.jobs, j.ID)
	j.queue.jobs--
	j.rec.Outcome, j.rec.Finish = record.JobSucceeded, l.now
	l.write(j)
	if l.recycler != nil && j.Job != l.like.job {
		l.recycler.Recycle(j.Job)
	}
}

// write counts and writes a job.
func (l *loop) write(j *job) {
	t, r := &l.totals, &j.rec
	switch r.Outcome {
	case record.JobSucceeded:
		t.JobsSucceeded++
	case record.JobFailed:
		t.JobsFailed++
	default:
		t.JobsUnfinished++
	}
	t.TasksSucceeded += r.TasksSucceeded
	t.TasksFailed += r.TasksFailed
	t.TaskAttempts += r.Attempts
	t.EndMS = max(t.EndMS, r.Finish)
	l.watch.Jobs.Add(1)
	l.sink.Job(r)
	if r.Outcome != record.JobUnfinished {
		l.submitWhen(l.depend.Ended(r.ID, l.now))
	}
}

// submitWhen submits jobs that had to wait for others when they are due.
func (l *loop) submitWhen(due []depend.Due) {
	for _, d := range due {
		l.timers.push(timer{at: d.At, submits: true, held: d.Job})
	}
}
