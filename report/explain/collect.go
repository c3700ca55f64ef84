package explain

import (
	"slices"

	"replay/engine/record"
	"replay/trace"
)

// A Collector is a sink that explains jobs of the replay that it listens to, each as soon as all about it is known.
type Collector struct {
	record.Sink
	Wants  func(job int64) bool
	Stages func(job int64) []Stage // of the trace
	Ideal  bool
	Tell   func(*Life, *Job) // hears of each job; what it is told of the life holds until it returns

	lives map[int64]*Life
	done  []int64 // jobs that have ended and of which something may be to come
	spare []*Life // whose lists serve the next ones
}

// mostSpare is how many rows a list has at most that serves the next job: what one large job needs is not kept for all.
const mostSpare = 1024

var _ record.Reasons = (*Collector)(nil)

// Explains is part of [record.Reasons].
func (c *Collector) Explains(job int64) bool { return c.Wants(job) }

func (c *Collector) life(job int64) *Life {
	l := c.lives[job]
	if l == nil && c.Wants(job) {
		if c.lives == nil {
			c.lives = map[int64]*Life{}
		}
		if n := len(c.spare); n > 0 {
			l, c.spare = c.spare[n-1], c.spare[:n-1]
		} else {
			l = &Life{Ideal: c.Ideal}
		}
		c.lives[job] = l
	}
	return l
}

// Reason is part of [record.Reasons].
func (c *Collector) Reason(r *record.Reason) {
	if l := c.life(r.Job); l != nil {
		l.Reasons = append(l.Reasons, *r)
	}
}

// Container is part of [record.Sink].
func (c *Collector) Container(r *record.Container) {
	if l := c.life(r.Job); l != nil {
		l.Containers = append(l.Containers, *r)
	}
	c.Sink.Container(r)
}

// Task is part of [record.Sink].
func (c *Collector) Task(r *record.Task) {
	if l := c.life(r.Job); l != nil {
		l.Tasks = append(l.Tasks, *r)
	}
	c.Sink.Task(r)
}

// Job is part of [record.Sink].
func (c *Collector) Job(r *record.Job) {
	c.settle()
	if l := c.life(r.ID); l != nil {
		l.Job = *r
		c.done = append(c.done, r.ID)
	}
	c.Sink.Job(r)
}

// settle explains the jobs that had ended before and of which all containers are known.
func (c *Collector) settle() {
	c.done = slices.DeleteFunc(c.done, func(id int64) bool {
		l := c.lives[id]
		if l.Job.Finish == record.None || !l.complete() {
			return false
		}
		c.tell(id, l.Job.Finish)
		return true
	})
}

// complete reports whether all containers of a job are known.
func (l *Life) complete() bool {
	var masters, last, others int64
	for i := range l.Containers {
		if x := &l.Containers[i]; x.AM {
			masters++
			last = max(last, x.AMAttempt)
		} else {
			others++
		}
	}
	return others == l.Job.Containers && masters == last
}

func (c *Collector) tell(id, end int64) {
	l := c.lives[id]
	delete(c.lives, id)
	if c.Stages != nil {
		l.Stages = c.Stages(id)
	}
	c.Tell(l, explain(l, end))
	if cap(l.Containers) <= mostSpare && cap(l.Tasks) <= mostSpare {
		*l = Life{Ideal: c.Ideal, Containers: l.Containers[:0], Tasks: l.Tasks[:0]} // the parts of the job point to its reasons
		c.spare = append(c.spare, l)
	}
}

// Close explains the jobs that are left when the replay has ended at a time.
func (c *Collector) Close(end int64) {
	slices.Sort(c.done)
	for _, id := range c.done {
		c.tell(id, end)
	}
	c.done = nil
}

// StageOf is what must be known of the stages of a job.
func StageOf(j *trace.Job) []Stage {
	list := make([]Stage, len(j.Stages))
	for i := range j.Stages {
		s := &j.Stages[i]
		list[i] = Stage{s.ID, slices.Concat(s.Parents, s.After)}
	}
	return list
}

// StagesOf looks stages up in jobs.
func StagesOf(jobs []*trace.Job) func(job int64) []Stage {
	of := make(map[int64][]Stage, len(jobs))
	for _, j := range jobs {
		of[j.ID] = StageOf(j)
	}
	return func(job int64) []Stage { return of[job] }
}

// Watch returns a source of jobs that tells of each before it gives it.
func Watch(jobs trace.JobSource, tell func(*trace.Job)) trace.JobSource {
	w := watched{jobs, tell}
	if r, ok := jobs.(trace.Recycler); ok {
		return &recycled{w, r}
	}
	return &w
}

type watched struct {
	trace.JobSource
	tell func(*trace.Job)
}

func (w *watched) Next() (*trace.Job, error) {
	j, err := w.JobSource.Next()
	if err == nil {
		w.tell(j)
	}
	return j, err
}

type recycled struct {
	watched
	to trace.Recycler
}

func (r *recycled) Recycle(j *trace.Job) { r.to.Recycle(j) }
