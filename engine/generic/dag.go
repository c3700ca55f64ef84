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

// A dag is one attempt of an application: it is a [master.Master].
type dag struct {
	h   master.Host
	k   *Kind
	job *trace.Job
	set *settings
	pertask.Books
	pertask.Wishes
	beats pertask.Beats

	client *protocol.Client

	stages   []stage
	left     int // stages that are not done
	attempts attempts
	sizes    []resource.Resource // of containers, each once
	given    []bool              // scratch
	asking   int                 // attempts that ask for a container
	kept     []*kept             // idle containers, in the order in which they became idle
	waits    map[key]*waiting    // what waits for a container
	waited   *waiting            // of the last one that began to
	keys     []*waiting          // the same, by priority and request id
	app      protocol.AppID      // of its containers, when it has had one

	over bool // it has no more to do: its tail passes, or it has unregistered
	gone bool // it has left the cluster
}

// A stage is one of the application.
type stage struct {
	st       *trace.Stage
	children []int32
	tasks    []task
	more     []more // of them; nil unless they start together or are of a service

	parents int   // parents that are not done
	need    int   // tasks of its parents that must have ended before it begins; 0 = none, or all of them
	after   int   // stages whose end it waits for that are not done
	due     bool  // its pause has begun, if it has one
	left    int   // tasks that have not succeeded
	crowd   crowd // of its tasks, those that wait for a container
	early   []ref // attempts that run before its parents are done, in the order of their start
	gang    *gang // nil for a stage whose tasks start one by one
}

func (k *Kind) newMaster(h master.Host, j *trace.Job, set *settings) master.Master {
	d := &dag{
		h: h, k: k, job: j, set: set, Books: pertask.Books{Host: h, Job: h.Job()}, client: protocol.NewClient(h.Cluster().Names, h.Cluster()),
		waits: map[key]*waiting{},
	}
	d.beats = pertask.Beats{Host: h, Kind: evHeartbeat, IntervalMS: set.HeartbeatMS, Dense: &k.Dense, Asker: d}
	return d
}

// Pass is part of [master.Passer].
func (d *dag) Pass() { d.beats.Pass() }

// Due is part of [pertask.Asker].
func (d *dag) Due() bool { return !d.client.Idle() }

// Expect is part of [master.Expecter].
func (d *dag) Expect() { d.beats.Expect() }

// Register is part of [master.Master].
func (d *dag) Register() error {
	most := d.h.MaxAllocation()
	for i := range d.set.stages {
		for _, k := range d.set.stages[i].keys {
			if !k.size.FitsIn(most) {
				asked, has := k.size.Over(most, d.k.Types)
				return fmt.Errorf("tasks of stage %d ask for %s, the largest container has %s", i, asked, has)
			}
		}
	}
	d.stages = make([]stage, len(d.job.Stages))
	d.left = len(d.stages)
	for i := range d.stages {
		s := &d.stages[i]
		s.st = &d.job.Stages[i]
		s.left = s.st.Tasks.Len()
		s.tasks = make([]task, s.left)
		if d.job.Gang(s.st) {
			s.gang = &gang{}
		}
		if s.gang != nil || d.job.Kind == trace.KindService {
			s.more = make([]more, s.left)
		}
		s.parents, s.after = len(s.st.Parents), len(s.st.After)
		for _, list := range [][]int32{s.st.Parents, s.st.After} {
			for _, p := range list {
				if c := &d.stages[p].children; len(*c) == 0 || (*c)[len(*c)-1] != int32(i) { // it may be in both lists
					*c = append(*c, int32(i))
				}
			}
		}
		if f := s.st.StartFraction; f != trace.Unset && f < 1 {
			all := 0
			for _, p := range s.st.Parents {
				all += d.stages[p].st.Tasks.Len()
			}
			s.need = int(math.Ceil(float64(f) * float64(all)))
		}
	}
	for i := range d.stages {
		d.look(&d.stages[i])
	}
	if !d.over {
		d.beats.Start(d.h.Now())
	}
	return nil
}

// look begins a stage, or its pause, when what it waits for has come.
func (d *dag) look(s *stage) {
	if s.due || s.after > 0 || s.parents > 0 && !d.enough(s) {
		return
	}
	s.due = true
	if ms := s.st.DelayMS; ms > 0 {
		at := d.h.Now() + ms
		d.h.GoesOn(at)
		d.h.At(at, evStage, int64(s.st.ID), int64(s.st.ID))
		return
	}
	d.begin(s)
}

// enough reports whether so many tasks of a stage's parents have ended that it begins although not all have.
func (d *dag) enough(s *stage) bool {
	if f := s.st.StartFraction; f == trace.Unset || f >= 1 {
		return false
	}
	ended := 0
	for _, p := range s.st.Parents {
		ended += len(d.stages[p].tasks) - d.stages[p].left
	}
	return ended >= s.need
}

// begin asks for the containers of a stage's tasks.
func (d *dag) begin(s *stage) {
	d.Job.StageAttempts++
	if s.left == 0 {
		d.stageDone(s)
		return
	}
	if s.gang != nil {
		d.form(s)
		return
	}
	if d.alike(s) {
		d.gather(s)
		return
	}
	d.client.Expect(len(s.tasks))
	for i := range s.tasks {
		d.ask(s, int32(i))
	}
}

// stageDone begins what waited for a stage, and ends the application with the last one.
func (d *dag) stageDone(s *stage) {
	d.left--
	id := s.st.ID
	for _, c := range s.children {
		child := &d.stages[c]
		for _, p := range child.st.Parents {
			if p == id {
				child.parents--
			}
		}
		for _, p := range child.st.After {
			if p == id {
				child.after--
			}
		}
		if child.parents == 0 {
			for _, r := range child.early {
				if a := d.attempts.of(r); a != nil && a.state == running {
					d.work(a)
				}
			}
			child.early = nil
		}
		d.look(child)
	}
	if d.left == 0 {
		d.finish("")
	}
}

// Handle is part of [master.Master].
func (d *dag) Handle(k master.EventKind, arg int64) {
	switch {
	case d.gone:
	case k == evUnregister:
		d.leave("")
	case d.over:
	case k == evHeartbeat:
		d.heartbeat()
	case k == evDone:
		if a := d.attempts.numbered(arg); a != nil {
			d.done(a)
		}
	case k == evGiveUp:
		d.giveBack(&d.stages[arg])
	case k == evAgain:
		d.formAgain(&d.stages[arg])
	case k == evStage:
		d.begin(&d.stages[arg])
	} // evIdle: only what follows
	d.offer()
	if !d.over {
		d.beats.Expect()
	}
}

// finish ends the application: with a reason at once, else after its tail.
func (d *dag) finish(reason string) {
	if d.over {
		return
	}
	d.over = true
	d.beats.Quit()
	d.h.Set(evIdle, never)
	d.end(record.TaskKilled)
	if reason != "" || d.job.TailMS <= 0 {
		d.leave(reason)
		return
	}
	at := d.h.Now() + d.job.TailMS
	d.h.GoesOn(at)
	d.h.At(at, evUnregister, 0, 0)
}

// leave unregisters the application; its process ends.
func (d *dag) leave(reason string) {
	d.h.Unregister(reason)
	d.h.EndAM(d.h.Now() + d.k.Model.StopMS)
}

// Fail is part of [master.Master].
func (d *dag) Fail(reason string) { d.finish(reason) }

// halt ends what the master does; attempts that run are written with this end.
func (d *dag) halt(end string) {
	if d.over {
		d.gone = true
		return
	}
	d.over, d.gone = true, true
	d.beats.Quit()
	d.h.Set(evIdle, never)
	d.end(end)
}

// Stop is part of [master.Master].
func (d *dag) Stop() { d.halt(record.TaskKilled) }

// Finish is part of [master.Master].
func (d *dag) Finish() { d.halt(record.TaskRunning) }

// AMExited is part of [master.Master].
func (d *dag) AMExited() {
	if !d.over {
		d.halt(record.TaskKilled)
	}
}

// News is part of [master.Master].
func (d *dag) News() { d.beats.News() }

// NodesChanged is part of [master.Master]: what concerns it comes as the ends of its containers.
func (d *dag) NodesChanged(int) {}

// NodeDown is part of [master.Master]: nobody has told the master yet.
func (d *dag) NodeDown(int32) {}

// Stopping is part of [master.Master].
func (d *dag) Stopping() bool { return d.over }

// Waits is part of [master.Master].
func (d *dag) Waits(why func(resource.Resource) string) string {
	text := fmt.Sprintf("%d of its %d stages are complete", len(d.stages)-d.left, len(d.stages))
	for i := range d.stages {
		switch g := d.stages[i].gang; {
		case g == nil || g.running:
		case g.held > 0:
			text += fmt.Sprintf("; stage %d holds %d of the %d containers that it needs at once", i, g.held, len(d.stages[i].tasks))
		case g.rounds > 0:
			text += fmt.Sprintf("; stage %d has given back what it held %d times: at most %d of the %d containers that it needs at once", i, g.rounds, g.most, len(d.stages[i].tasks))
		}
	}
	if n := d.asking; n > 0 {
		return text + fmt.Sprintf("; %d tasks wait for a container: %s", n, why(d.oldest().req.Size))
	}
	return text
}
