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
	failures int
	over     bool // it has succeeded
	counted  bool // it has succeeded at some time
	now      *attempt
	ms       int64 // of the attempt that has succeeded
	served   int64 // of a service: ms for which attempts have run that are over
}

// attemptState is where an attempt stands.
type attemptState uint8

const (
	asking   attemptState = iota // for a container
	held                         // it has one, which nobody starts before its gang is complete
	assigned                     // it has one, whose process is being started
	running
	ended // it has reported its end; that of its container is still to be told
)

// An attempt is a task attempt.
type attempt struct {
	pertask.Attempt
	serial int64
	stage  *stage
	req    protocol.ContainerRequest
	wait   *waiting
	id     protocol.ContainerID // of its container
	host   protocol.Name
	size   resource.Resource
	state  attemptState
	fails  bool  // it will fail by itself, as recorded
	ok     bool  // with ended: it has succeeded
	begin  int64 // of its work, after the start of its process
	ms     int64 // of work
	until  int64 // end of its work; never while its stage's parents are not done
	exited int64 // end of its process; never while it is not known
}

// never is a time that does not come.
const never = master.Never

func (a *attempt) task() *task { return &a.stage.tasks[a.Rec.Index] }

// ask begins an attempt of a task by asking for a container on the hosts and racks that the task prefers, and anywhere else. As in Tez that holds for later attempts too.
func (d *dag) ask(s *stage, index int32) {
	t := &s.tasks[index]
	k := d.set.stages[s.st.ID].at(index, t.failures > 0)
	a := d.place()
	*a = attempt{
		Attempt: pertask.New(d.job.ID, s.st, index, t.attempts, int32(k.size[resource.VCores]), d.h.Now()),
		serial:  int64(len(d.attempts)), stage: s, until: never, exited: never,
		req: protocol.ContainerRequest{Priority: k.priority, RequestID: k.request, Size: k.size, Relax: true, Number: int64(len(d.attempts))},
	}
	t.attempts++
	t.now = a
	prefs := a.Prefs()
	for _, n := range prefs {
		a.req.Nodes = append(a.req.Nodes, d.h.Cluster().Host[n])
	}
	a.Hosts = len(prefs) > 0
	d.attempts = append(d.attempts, a)
	d.Wish(prefs, 1)
	if err := d.client.Add(&a.req); err != nil {
		d.h.Broken("job %d: %v", d.job.ID, err)
		return
	}
	d.asking++
	d.queue(a, k)
}

// place returns the memory of a new attempt; those of a stage lie beside each other.
func (d *dag) place() *attempt {
	if len(d.room) == 0 {
		return new(attempt)
	}
	a := &d.room[0]
	d.room = d.room[1:]
	return a
}

// answered takes back what an attempt asks for, as it has got a container or wants none.
func (d *dag) answered(a *attempt) {
	d.client.Remove(&a.req)
	d.asking--
	a.wait.n--
}

// assign gives an attempt a container, whose process is started: at once, or when its gang is complete.
func (d *dag) assign(a *attempt, c *protocol.Container) {
	n := c.ID.Number()
	d.answered(a)
	a.id, a.host, a.size = c.ID, c.Host, c.Size
	d.Assign(&a.Attempt, n, false)
	d.byContainer.set(n, a)
	if a.stage.gang != nil {
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
	if a := d.byContainer.of(c); a != nil && !d.over && a.state == assigned {
		d.launch(a)
		d.beats.Expect()
	}
}

// launch is the start of an attempt's process.
func (d *dag) launch(a *attempt) {
	a.state = running
	d.Launch(&a.Attempt)
	d.load(a)
	a.begin = d.h.Now() + a.Rec.OverheadMS
	if a.stage.parents > 0 {
		a.stage.early = append(a.stage.early, a)
		return
	}
	d.work(a)
}

// load says how long an attempt takes: the start of its process where it is recorded, its work, and what reading from elsewhere costs. One that fails does so half-way. One of a
// service runs for what those before it have left of its duration.
func (d *dag) load(a *attempt) {
	t := &a.Stage.Tasks
	i := a.Rec.Index
	if ms := t.SchedDelayMS; ms != nil && ms[i] != trace.Unset {
		a.Rec.OverheadMS = max(ms[i]-d.k.Model.NMStartMS, 0)
	}
	a.Rec.DurationMS -= a.task().served
	a.Rec.PenaltyMS = a.Reading(d.k.Model, a.Rec.DurationMS)
	a.ms = a.Rec.DurationMS + a.Rec.PenaltyMS
	if a.fails = a.Fails(a.task().failures); a.fails {
		a.ms /= 2
	}
}

// work schedules the end of an attempt whose work begins when its process is ready and all that its stage reads is there.
func (d *dag) work(a *attempt) {
	a.until = max(a.begin, d.h.Now()) + a.ms
	if a.task().attempts <= master.Repeats {
		d.h.GoesOn(a.until)
	}
	d.h.At(a.until, evDone, a.serial, a.serial)
}

// done is the report of an attempt that its work is done, or that it has failed. Its process ends.
func (d *dag) done(a *attempt) {
	if a.state != running || a.until != d.h.Now() || !d.h.Running(a.Container) {
		return
	}
	a.ok = !a.fails
	a.state = ended
	if d.set.Reuse && a.ok && a.stage.gang == nil {
		d.keep(a)
	} else {
		d.h.End(a.Container, d.h.Now())
	}
	if a.fails {
		d.failed(a)
		return
	}
	d.close(a, record.TaskSuccess)
	t, s := a.task(), a.stage
	t.over, t.ms = true, a.Rec.Finish-a.Rec.Launch
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

// close writes an attempt, which prefers nothing any more.
func (d *dag) close(a *attempt, end string) {
	d.Wish(a.Prefs(), -1)
	d.End(&a.Attempt, end)
	d.attempts[a.serial] = nil
}

// failed counts the failure of an attempt, and begins another if the task may have one. With a member of a gang all of it fails.
func (d *dag) failed(a *attempt) {
	d.close(a, record.TaskFailed)
	d.serve(a)
	s, t := a.stage, a.task()
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
			most = max(most, int(r[a.Rec.Index])+1)
		}
	}
	if t.failures >= most {
		d.finish(fmt.Sprintf("task %d of stage %d failed %d times (%s)", a.Rec.Index, a.Stage.ID, t.failures, keyMaxFailures))
		return
	}
	d.repeat(a)
}

// repeat asks for another attempt in place of one that is over: of a gang that runs, for all of them.
func (d *dag) repeat(a *attempt) {
	if g := a.stage.gang; g != nil && g.running {
		d.scatter(a.stage)
		return
	}
	d.ask(a.stage, a.Rec.Index)
}

// serve counts for how long an attempt of a service has run that is over: another one runs for the rest.
func (d *dag) serve(a *attempt) {
	if d.job.Kind == trace.KindService && a.Rec.Launch != record.None {
		ran := min(a.exited, d.h.Now()) - a.begin
		a.task().served += min(max(ran, 0), a.Rec.DurationMS)
	}
}

// StartFailed is part of [master.Master]: a container that could not be started is given back, and counts as a failure of its task.
func (d *dag) StartFailed(c int64) {
	a := d.byContainer.of(c)
	if a == nil || d.over || a.state != assigned {
		return
	}
	a.state = ended
	d.client.Release(a.id)
	d.failed(a)
	d.beats.Expect()
}

// completed is the word of the ResourceManager that a container has ended. What ran in it was lost with it, which is no failure of the task.
//
// Source: TaskAttemptImpl of Tez and MapReduce: a container that the system ended has its attempt killed.
func (d *dag) completed(c int64) {
	a := d.byContainer.of(c)
	if a == nil {
		return
	}
	d.byContainer.set(c, nil)
	d.idleGone(c)
	if a.state == ended {
		return
	}
	if a.state == held {
		a.stage.gang.dropped()
		a.task().attempts-- // it has not begun
	}
	a.state = ended
	d.close(a, record.TaskLost)
	d.serve(a)
	d.repeat(a)
}

// Exited is part of [master.Master]: the master learns of it from the ResourceManager.
func (d *dag) Exited(c int64) {
	if a := d.byContainer.of(c); a != nil && a.state == running {
		a.exited = d.h.Now()
		d.Gone(&a.Attempt)
	}
}

// ExitStatus is part of [master.Master].
func (d *dag) ExitStatus(c int64) int32 {
	if a := d.byContainer.of(c); a != nil && a.ok || a == nil && d.over {
		return protocol.ExitSuccess
	}
	return 143 // SIGTERM
}

// end writes the attempts that have not ended, when the application does.
func (d *dag) end(how string) {
	for _, a := range d.attempts {
		if a != nil {
			a.state = ended
			d.close(a, how)
		}
	}
	d.asking = 0
}
