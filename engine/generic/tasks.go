package generic

import (
	"fmt"
	"math"

	"replay/engine/master"
	"replay/engine/pertask"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/policy/resource"
	"replay/trace"
)

// A task is one of a stage.
type task struct {
	attempts int32
	failures int32
	over     bool // it has succeeded
	counted  bool // it has succeeded at some time
}

// more is what there is of a task that starts with others, or is of a service.
type more struct {
	now    ref   // its last attempt
	ms     int64 // of the attempt that has succeeded
	served int64 // of a service: ms for which attempts have run that are over
	exited int64 // end of the process of its last attempt; never while it is not known
}

// attemptState is where an attempt stands.
type attemptState uint8

const (
	ended    attemptState = iota // it has reported its end, and that of its container is still to be told; or it is none
	asking                       // for a container
	held                         // it has one, which nobody starts before its gang is complete
	assigned                     // it has one, whose process is being started
	running
)

// An attempt is a task attempt: two lines of memory, of which the first has what its end reads.
type attempt struct {
	ref
	begin int64 // of its work, after the start of its process
	until int64 // end of its work; never while its stage's parents are not done
	ask   *ask  // nil when it has been answered
	stage int32
	size  int32 // of its container, in [dag.sizes]
	state attemptState
	fails bool // it will fail by itself, as recorded
	ok    bool // with ended: it has succeeded

	pertask.Attempt
}

// An ask is for a container.
type ask struct {
	req  protocol.ContainerRequest
	wait *waiting
}

// never is a time that does not come.
const never = master.Never

// ask begins an attempt of a task by asking for a container on the hosts and racks that the task prefers, and anywhere else. As in Tez that holds for later attempts too.
func (d *dag) ask(s *stage, index int32) {
	k := d.set.stages[s.st.ID].at(index, s.tasks[index].failures > 0)
	serial := d.attempts.begun
	d.attempts.begun++
	a := d.attempt(s, index, serial, int32(k.size[resource.VCores]), d.h.Now())
	r := a.ref
	a.ask = d.k.ask()
	req := &a.ask.req
	*req = k.one(int64(r.place))
	if s.more != nil {
		s.more[index].now, s.more[index].exited = r, never
	}
	if a.Hosts = a.Preferring; a.Hosts {
		prefs := a.Prefs()
		for _, n := range prefs {
			req.Nodes = append(req.Nodes, d.h.Cluster().Host[n])
		}
		d.Wish(prefs, 1)
	}
	if err := d.client.Add(req); err != nil {
		d.h.Broken("job %d: %v", d.job.ID, err)
		return
	}
	d.asking++
	a.ask.wait = d.queue(k)
	if d.set.Reuse && !a.Hosts {
		a.ask.wait.free = append(a.ask.wait.free, r)
	}
}

// attempt returns a new attempt of a task, which asks for a container of so many cores.
func (d *dag) attempt(s *stage, index, serial, cores int32, ready int64) *attempt {
	t := &s.tasks[index]
	a, r := d.place(serial)
	*a = attempt{ref: r, stage: int32(s.st.ID), state: asking, until: never, Attempt: pertask.New(s.st, index, t.attempts, cores, ready)}
	t.attempts++
	return a
}

// answered takes back what an attempt asks for, as it has got a container or wants none.
func (d *dag) answered(a *attempt) {
	d.answer(a.ask)
	d.k.spare.asks = append(d.k.spare.asks, a.ask)
	a.ask = nil
}

// answer takes back what is asked for with an ask, or one of several.
func (d *dag) answer(q *ask) {
	d.client.Remove(&q.req)
	d.asking--
	q.wait.n--
}

// assign gives an attempt a container, whose process is started: at once, or when its gang is complete.
func (d *dag) assign(a *attempt, c *protocol.Container) {
	n := c.ID.Number()
	if a.ask != nil { // else it was one of a crowd
		d.answered(a)
	}
	a.size = d.sizeOf(c.Size)
	d.Assign(&a.Attempt, n, false)
	d.attempts.enter(n, a)
	if d.stageOf(a).gang != nil {
		d.hold(a)
		return
	}
	d.start(a)
}

func (d *dag) start(a *attempt) {
	a.state = assigned
	d.h.Start(a.Container, d.h.Now()+d.k.Model.NMStartMS)
}

// Started is part of [master.Master].
func (d *dag) Started(c int64) {
	if a := d.attempts.in(c); a != nil && !d.over && a.state == assigned {
		d.launch(a)
		d.beats.Expect()
	}
}

// launch is the start of an attempt's process.
func (d *dag) launch(a *attempt) {
	a.state = running
	d.Launch(&a.Attempt)
	d.load(a)
	a.begin = d.h.Now() + a.OverheadMS
	if s := d.stageOf(a); s.parents > 0 {
		s.early = append(s.early, a.ref)
		return
	}
	d.work(a)
}

// load says how long an attempt takes: the start of its process where it is recorded, its work, and what reading from elsewhere costs. One that fails does so half-way. One of a
// service runs for what those before it have left of its duration.
func (d *dag) load(a *attempt) {
	if ms := a.Stage.Tasks.SchedDelayMS; ms != nil && ms[a.Index] != trace.Unset {
		a.OverheadMS = max(ms[a.Index]-d.k.Model.NMStartMS, 0)
	}
	if d.stageOf(a).more != nil {
		a.DurationMS -= d.moreOf(a).served
	}
	a.PenaltyMS = a.Reading(d.k.Model, a.DurationMS)
	a.fails = a.Fails(int(d.taskOf(a).failures))
}

// ms is how long an attempt works.
func (a *attempt) ms() int64 {
	ms := a.DurationMS + a.PenaltyMS
	if a.fails {
		ms /= 2
	}
	return ms
}

// work schedules the end of an attempt whose work begins when its process is ready and all that its stage reads is there.
func (d *dag) work(a *attempt) {
	a.until = max(a.begin, d.h.Now()) + a.ms()
	if d.taskOf(a).attempts <= master.Repeats {
		d.h.GoesOn(a.until)
	}
	d.h.At(a.until, evDone, int64(a.serial), int64(a.serial))
}

// done is the report of an attempt that its work is done, or that it has failed. Its process ends.
func (d *dag) done(a *attempt) {
	now, c := d.h.Now(), a.Container
	if a.state != running || a.until != now || !d.h.Running(c) {
		return
	}
	s := d.stageOf(a)
	a.ok = !a.fails
	a.state = ended
	if d.set.Reuse && a.ok && s.gang == nil {
		d.keep(a)
	} else {
		d.h.End(c, now)
	}
	if a.fails {
		d.failed(a)
		return
	}
	d.close(a, record.TaskSuccess)
	t := d.taskOf(a)
	t.over = true
	if s.more != nil {
		d.moreOf(a).ms = now - a.Launch
	}
	if !t.counted {
		t.counted = true
		d.Job.TasksSucceeded++
	}
	s.left--
	if s.left == 0 {
		d.stageDone(s)
		return
	}
	for _, c := range s.children {
		if child := &d.stages[c]; !child.due && child.parents > 0 {
			d.look(child)
		}
	}
}

// close writes an attempt that is over, which prefers nothing any more. One without a container goes with that.
func (d *dag) close(a *attempt, end string) {
	if a.Preferring {
		d.Wish(a.Prefs(), -1)
	}
	d.End(&a.Attempt, end)
	if a.Container == 0 {
		d.attempts.drop(a)
	}
}

// failed counts the failure of an attempt, and begins another if the task may have one. With a member of a gang all of it fails.
func (d *dag) failed(a *attempt) {
	d.close(a, record.TaskFailed)
	d.serve(a)
	s, t := d.stageOf(a), d.taskOf(a)
	if s.gang == nil {
		t.failures++
	} else {
		for i := range s.tasks {
			s.tasks[i].failures++
		}
	}
	most := int(d.set.MaxFailures)
	switch {
	case most == 0 && d.job.Kind == trace.KindService:
		most = math.MaxInt // it is replaced, whatever happens
	case most == 0:
		most = defaultMaxFailures
		if r := a.Stage.Tasks.Retries; r != nil {
			most = max(most, int(r[a.Index])+1)
		}
	}
	if int(t.failures) >= most {
		d.finish(fmt.Sprintf("task %d of stage %d failed %d times (%s)", a.Index, a.Stage.ID, t.failures, keyMaxFailures))
		return
	}
	d.repeat(a)
}

// repeat asks for another attempt in place of one that is over: of a gang that runs, for all of them.
func (d *dag) repeat(a *attempt) {
	s := d.stageOf(a)
	if g := s.gang; g != nil && g.running {
		d.scatter(s)
		return
	}
	d.ask(s, a.Index)
}

// serve counts for how long an attempt of a service has run that is over: another one runs for the rest.
func (d *dag) serve(a *attempt) {
	if d.job.Kind == trace.KindService && a.Launch != record.None {
		m := d.moreOf(a)
		ran := min(m.exited, d.h.Now()) - a.begin
		m.served += min(max(ran, 0), a.DurationMS)
	}
}

// StartFailed is part of [master.Master]: a container that could not be started is given back, and counts as a failure of its task.
func (d *dag) StartFailed(c int64) {
	a := d.attempts.in(c)
	if a == nil || d.over || a.state != assigned {
		return
	}
	a.state = ended
	d.client.Release(d.idOf(a))
	d.failed(a)
	d.beats.Expect()
}

// completed is the word of the ResourceManager that a container has ended. What ran in it was lost with it, which is no failure of the task.
//
// Source: TaskAttemptImpl of Tez and MapReduce: a container that the system ended has its attempt killed.
func (d *dag) completed(c int64) {
	a := d.attempts.in(c)
	if a == nil {
		return
	}
	d.attempts.leave(c)
	d.idleGone(c)
	if a.state != ended {
		if a.state == held {
			d.stageOf(a).gang.dropped()
			d.taskOf(a).attempts-- // it has not begun
		}
		a.state = ended
		d.close(a, record.TaskLost)
		d.serve(a)
		d.repeat(a)
	}
	d.attempts.drop(a)
}

// Exited is part of [master.Master]: the master learns of it from the ResourceManager, which has nothing to tell it of an attempt that has reported its end, unless its container was kept.
func (d *dag) Exited(c int64) {
	switch a := d.attempts.in(c); {
	case a == nil:
	case a.state == running:
		if d.stageOf(a).more != nil {
			d.moreOf(a).exited = d.h.Now()
		}
		d.Gone(&a.Attempt)
	case a.state == ended && !d.set.Reuse:
		d.attempts.byContainer[c] = known
		d.attempts.drop(a)
	}
}

// Knows is part of [master.Knower].
func (d *dag) Knows(c int64) bool {
	l := d.attempts.byContainer
	return c < int64(len(l)) && l[c] == known && d.beats.Knows()
}

// ExitStatus is part of [master.Master].
func (d *dag) ExitStatus(c int64) int32 {
	if a := d.attempts.in(c); a != nil && a.ok || a == nil && d.over {
		return protocol.ExitSuccess
	}
	return 143 // SIGTERM
}

// end writes the attempts that have not ended, when the application does.
func (d *dag) end(how string) {
	for _, a := range d.attempts.live() {
		a.state = ended
		d.close(a, how)
	}
	for i := range d.stages {
		d.stages[i].crowd = crowd{}
	}
	d.asking = 0
}
