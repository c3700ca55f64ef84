package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"replay/engine/record"
	"replay/trace"
)

const never = math.MaxInt64

// explainer makes the parts of one job.
type explainer struct {
	line
	*Life
	j          *Job
	masters    []*record.Container            // AM containers by attempt
	containers map[[2]int64]*record.Container // by attempt and number
	cores      map[[2]int64]*usage            // by attempt and priority of the containers: that of a Spark executor is its resource profile
	before     map[int32][]int32              // stages by stage
	waits      []record.Reason                // in the ResourceManager, in the order of time; they don't overlap
	gates      []*record.Reason
	orphans    map[int64]*record.Reason // by attempt that goes on with what one before it has begun: since when, and until its application master registered
}

func newExplainer(l *Life, j *Job) *explainer {
	e := &explainer{line: line{at: j.Submit}, Life: l, j: j, containers: make(map[[2]int64]*record.Container, len(l.Containers)), cores: map[[2]int64]*usage{}, before: map[int32][]int32{}, orphans: map[int64]*record.Reason{}}
	for i := range l.Containers {
		c := &l.Containers[i]
		e.containers[[2]int64{c.AMAttempt, c.Number}] = c
		if c.AM {
			e.masters = append(e.masters, c)
		}
	}
	slices.SortFunc(e.masters, func(a, b *record.Container) int { return cmp.Compare(a.AMAttempt, b.AMAttempt) })
	var waits []record.Reason
	for i := range l.Reasons {
		switch r := &l.Reasons[i]; r.Cause {
		case record.CauseGate:
			e.gates = append(e.gates, r)
		case record.CauseOrphaned:
			e.orphans[r.AMAttempt] = r
		default:
			waits = append(waits, *r)
		}
	}
	slices.SortStableFunc(waits, func(a, b record.Reason) int { return cmp.Compare(a.From, b.From) })
	e.waits = waits
	for _, s := range l.Stages {
		e.before[s.ID] = s.Before
	}
	return e
}

// or returns t, or other when it did not happen.
func or(t, other int64) int64 {
	if t == record.None {
		return other
	}
	return t
}

// whole explains all attempts of the application, one after the other.
func (e *explainer) whole() {
	end := e.j.End
	attempts := e.masters
	if len(attempts) == 0 {
		if !e.Ideal {
			e.rm(end, "")
			return
		}
		attempts = []*record.Container{nil}
	}
	for i, am := range attempts {
		attempt := int64(1)
		if am != nil {
			attempt = am.AMAttempt
			if e.orphans[attempt] != nil { // part of those before it
				continue
			}
			e.master(am, end)
		}
		if am != nil && slices.ContainsFunc(attempts[i+1:], func(c *record.Container) bool { return e.orphans[c.AMAttempt] == nil }) { // it came to nothing
			lost := part(LostWork).by(fmt.Sprintf("attempt %d of the application master ends", attempt))
			lost.Attempts = 1
			e.firstTask(attempt, min(or(am.Ended, end), end))
			e.add(min(or(am.Ended, end), end), lost)
			continue
		}
		if t := e.firstTask(attempt, end); t != nil {
			e.path(attempt, end)
		}
	}
	e.add(end, part(Tail).by("the application ends"))
}

// master goes on to the registration of an application master, or to a time.
func (e *explainer) master(am *record.Container, end int64) {
	e.rm(min(am.Allocated, end), fmt.Sprintf("container %d is allocated to the application master%s", am.Number, onNode(am.Node)))
	e.add(min(or(am.Started, or(am.Ended, end)), end), part(AMStart).by("its process starts"))
	e.add(min(or(am.Registered, or(am.Ended, end)), end), part(AMStart).by("the application master registers"))
}

// begun returns the attempt that began the work with which one goes on.
func (e *explainer) begun(attempt int64) int64 {
	for e.orphans[attempt] != nil {
		attempt--
	}
	return attempt
}

// orphaned goes on, at most to a time, to the registration of an attempt that goes on with what those before it have begun: until the application master is lost all cores are
// taken, then the ResourceManager has to find that out, and to give another one.
func (e *explainer) orphaned(attempt, to int64) {
	o := e.orphans[attempt]
	if o == nil || o.To <= e.at {
		return
	}
	e.orphaned(attempt-1, min(o.From, to))
	e.add(min(o.From, to), part(OwnTasks).by("the application master is lost"))
	i := slices.IndexFunc(e.masters, func(c *record.Container) bool { return c.AMAttempt == attempt })
	if i > 0 {
		e.add(min(or(e.masters[i-1].Ended, to), to), part(record.CauseOrphaned).by(fmt.Sprintf("attempt %d of the application ends in the ResourceManager", attempt-1)))
	}
	if i >= 0 {
		e.master(e.masters[i], to)
	}
}

// onNode says on which node; names are put in by [Names].
func onNode(node int32) string {
	if node < 0 {
		return ""
	}
	return fmt.Sprintf(" on {node %d}", node)
}

// rm goes on to a time at which the ResourceManager gives something, with the reasons why it did not before.
func (e *explainer) rm(to int64, by string) {
	rest := record.CauseTurn
	if e.Ideal {
		rest = record.CauseNoRoom
	}
	e.reasons(to, part(rest), by)
}

// reasons goes on to a time with the reasons that hold, and with other where none does.
func (e *explainer) reasons(to int64, other Part, by string) {
	i, _ := slices.BinarySearchFunc(e.waits, e.at+1, func(r record.Reason, at int64) int { return cmp.Compare(r.To, at) })
	for ; i < len(e.waits) && e.waits[i].From < to && e.at < to; i++ {
		r := &e.waits[i]
		e.add(min(r.From, to), other)
		p := part(r.Cause)
		p.Reason = r
		if r.To < to {
			e.add(r.To, p.by("{decision}"))
		} else {
			e.add(to, p.by(by))
		}
	}
	e.add(to, other.by(by))
}

// firstTask goes on to the first task of an attempt, at most to a time, and returns it, nil when there is none.
func (e *explainer) firstTask(attempt, end int64) *record.Task {
	var t *record.Task
	for i := range e.Tasks {
		x := &e.Tasks[i]
		if e.begun(x.AMAttempt) == attempt && x.Launch >= e.at && x.Launch <= end && (t == nil || cmp.Or(cmp.Compare(x.Launch, t.Launch), cmp.Compare(x.Stage, t.Stage), cmp.Compare(x.Index, t.Index)) < 0) {
			t = x
		}
	}
	last := end
	if t != nil {
		last = t.Launch
	}
	switch c := e.ready(attempt, last); {
	case c == nil:
	case t == nil && e.inVain(c):
		e.asked(c, last)
		e.reasons(last, part(Gang), "")
		return nil
	default:
		e.container(c, last)
	}
	for _, r := range e.gates {
		if e.begun(r.AMAttempt) == attempt {
			p := part(record.CauseGate).by("enough executors have registered, or the wait is over")
			p.Reason = r
			e.add(min(r.To, last), p)
		}
	}
	if t == nil {
		if e.j.Kind == "service" && e.at > e.j.Submit {
			e.add(last, part(Service))
			return nil
		}
		if e.j.FirstAsked != record.None || e.Ideal { // otherwise it waits for nothing
			e.rm(last, "")
		}
		return nil
	}
	e.add(min(t.Ready, last), stagePart(Driver, t).by(fmt.Sprintf("stage %d is submitted", t.Stage)))
	e.launch(t)
	return t
}

func stagePart(c record.Cause, t *record.Task) Part {
	p := part(c)
	p.Stage, p.Task = t.Stage, t.Index
	return p
}

// ready returns the container of an attempt that was ready for tasks first, by a time, else the one that was allocated first by then; nil
// without one.
func (e *explainer) ready(attempt, by int64) (first *record.Container) {
	rank := func(c *record.Container) [3]int64 {
		return [3]int64{or(c.Registered, never), c.Allocated, c.Number}
	}
	for i := range e.Containers {
		c := &e.Containers[i]
		if c.AM || e.begun(c.AMAttempt) != attempt || c.Allocated > by || c.Allocated < 0 {
			continue
		}
		if a := rank(c); first == nil || slices.Compare(a[:], func() []int64 { b := rank(first); return b[:] }()) < 0 {
			first = c
		}
	}
	return first
}

// container goes on, at most to a time, until tasks can run in a container.
func (e *explainer) container(c *record.Container, to int64) {
	e.asked(c, to)
	e.reasons(min(e.complete(c), to), part(Gang), "all containers of the gang are there")
	e.add(min(or(c.Started, or(c.Ended, to)), to), part(ExecutorStart).by("its process starts"))
	e.add(min(or(c.Registered, or(c.Ended, to)), to), part(ExecutorStart).by("tasks can run in it"))
}

// asked goes on, at most to a time, until the application master has heard of a container.
func (e *explainer) asked(c *record.Container, to int64) {
	e.orphaned(c.AMAttempt, to)
	asked := c.Asked
	if asked == record.None {
		asked = e.at
	}
	e.vain(c, min(asked, to))
	e.add(min(asked, to), part(Ask).by("the application master asks for containers with its heartbeat"))
	e.rm(min(c.Allocated, to), fmt.Sprintf("container %d is allocated%s", c.Number, onNode(c.Node)))
	e.add(min(or(c.Acquired, or(c.Ended, to)), to), part(Answer).by("the application master hears of it with its heartbeat"))
}

// inVain reports whether a container, the first of a job that runs no task, was held for a gang that never was complete.
func (e *explainer) inVain(c *record.Container) bool {
	return c.Started == record.None && !e.Ideal && (e.j.Kind == trace.KindGang || e.j.Kind == trace.KindGeneric && c.Ended != record.None)
}

// gangs reports whether the job can have stages whose tasks start together.
func (e *explainer) gangs() bool { return e.j.Kind == trace.KindGang || e.j.Kind == trace.KindGeneric }

// complete is when the last of the containers was there that were started together with one.
func (e *explainer) complete(c *record.Container) (at int64) {
	if !e.gangs() || c.Started == record.None {
		return 0
	}
	for i := range e.Containers {
		if o := &e.Containers[i]; !o.AM && o.AMAttempt == c.AMAttempt && o.Started == c.Started {
			at = max(at, o.Acquired)
		}
	}
	return at
}

// vain goes on to when the gang of a container was asked for, if it had been before, and what came was given back.
func (e *explainer) vain(c *record.Container, asked int64) {
	if !e.gangs() || e.Ideal {
		return
	}
	first := asked
	for i := range e.Containers {
		if o := &e.Containers[i]; !o.AM && o.AMAttempt == c.AMAttempt && o.Started == record.None && o.Asked >= e.at && o.Ended != record.None && o.Ended <= asked {
			first = min(first, o.Asked)
		}
	}
	if first < asked {
		e.add(first, part(Ask).by("the application master asks for containers with its heartbeat"))
		e.reasons(asked, part(Gang), "the application master asks for the gang again")
	}
}

// launch goes on to the launch of a task that is ready.
func (e *explainer) launch(t *record.Task) {
	by := fmt.Sprintf("task %d of stage %d is launched%s", t.Index, t.Stage, onNode(t.Node))
	c := e.containers[[2]int64{t.AMAttempt, t.Container}]
	if c != nil && !c.AM && c.Registered > e.at {
		e.container(c, t.Launch)
	}
	u := e.usageOf(e.begun(t.AMAttempt), e.priority(t))
	for e.at < t.Launch {
		free, until := u.freeAt(e.at, int64(max(t.Cores, 1)))
		until = min(until, t.Launch)
		switch {
		case free:
			e.add(until, stagePart(LocalityWait, t).by(by))
		default:
			e.reasons(until, stagePart(OwnTasks, t), by)
		}
	}
}

// usage is how many cores of an attempt are free, as steps in time.
type usage struct {
	at   []int64
	free []int64
}

// priority is that of the container of a task.
func (e *explainer) priority(t *record.Task) int64 {
	if c := e.containers[[2]int64{t.AMAttempt, t.Container}]; c != nil {
		return int64(c.Priority)
	}
	return record.None
}

func (e *explainer) usageOf(attempt, priority int64) *usage {
	key := [2]int64{attempt, priority}
	if u := e.cores[key]; u != nil {
		return u
	}
	type step struct{ at, by int64 }
	steps := make([]step, 0, 2*(len(e.Containers)+len(e.Tasks)))
	for i := range e.Containers {
		c := &e.Containers[i]
		if e.begun(c.AMAttempt) == attempt && int64(c.Priority) == priority && !c.AM && c.Registered != record.None && c.Cores > 0 {
			steps = append(steps, step{c.Registered, c.Cores}, step{max(or(c.Ended, never), c.Registered), -c.Cores})
		}
	}
	for i := range e.Tasks {
		if t := &e.Tasks[i]; e.begun(t.AMAttempt) == attempt && e.priority(t) == priority {
			steps = append(steps, step{t.Launch, -int64(t.Cores)}, step{max(or(t.Freed, or(t.Finish, never)), t.Launch), int64(t.Cores)})
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	u := &usage{}
	free := int64(0)
	for i, s := range steps {
		free += s.by
		if i+1 == len(steps) || steps[i+1].at != s.at {
			u.at, u.free = append(u.at, s.at), append(u.free, free)
		}
	}
	e.cores[key] = u
	return u
}

// freeAt reports whether so many cores are free at a time, and until when that stays so.
func (u *usage) freeAt(at, cores int64) (free bool, until int64) {
	i, found := slices.BinarySearch(u.at, at)
	if !found {
		i--
	}
	is := func(i int) bool { return i >= 0 && u.free[i] >= cores }
	free = is(i)
	for i++; i < len(u.at); i++ {
		if is(i) != free {
			return free, u.at[i]
		}
	}
	return free, never
}
