package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"replay/engine/master"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/yarn"
	"replay/trace"
)

// Checkpoints are states of a replay that are written while it goes on, and the one from which it goes on. A replay that goes on from the state
// of another of the same input does what that one did from then on, to the last record.
//
// A state is taken between two events: all that is before its time has been executed, nothing at it or after it. What is written is all that can be
// reached from [sim.roots], by package snapshot, and rules.go says what of it is the input's or the memory of nobody. It is read into a replay of the same input that
// has just begun, so that the scheduler, the kinds of applications and all that they were given are those of the new replay.
type Checkpoints struct {
	At   []int64                 // ms, ascending; what comes after the end of the replay is not written
	Take func(*Checkpoint) error // is given each
	From *Start                  // nil for the beginning
}

// A Checkpoint is a state that may be written.
type Checkpoint struct {
	AtMS     int64
	Arriving int64 // number of the job that is submitted next, -1 when all were: neither it nor one behind it has changed anything
	Write    func(io.Writer) error
}

// A Start is a state from which a replay goes on.
type Start struct {
	State []byte
	AtMS  int64
	// Changed says that the scenario may be another one in what has no effect before AtMS; else it must be the same.
	Changed bool
	// Dense executes everything that is periodic from then on, see [denseSpans].
	Dense bool
}

// next is when the next one is due.
func (c *Checkpoints) next() int64 {
	if len(c.At) == 0 {
		return never
	}
	return c.At[0]
}

// ErrState is the error of a state that a replay cannot go on from.
var ErrState = errors.New("the replay cannot go on from this state")

// CanCheckpoint returns why states of a scenario's replay can't be written, nil if they can.
func CanCheckpoint(sc *scenario.Scenario) error {
	switch {
	case sc.Kind().Central:
		return fmt.Errorf("a replay under the %s scheduler has no checkpoints: its loop is not that of YARN", sc.Scheduler)
	case !sc.Policies.Empty():
		return errors.New("a replay with policies of one's own has no checkpoints: what they keep cannot be written")
	case sc.Recorded.Executors != nil:
		return errors.New("a replay with recorded executors has no checkpoints: the orders of tables that their names give cannot be written")
	}
	return nil
}

// RunFrom is [Run] with checkpoints.
func RunFrom(ctx context.Context, sc *scenario.Scenario, sink record.Sink, progress *Progress, c Checkpoints) (*record.Manifest, error) {
	if err := CanCheckpoint(sc); err != nil {
		return nil, err
	}
	s, err := newSim(sc, sink, progress, c.From == nil)
	if err != nil {
		return nil, err
	}
	s.checkpoints = c
	if c.From != nil {
		if err := s.goOn(c.From, sink); err != nil {
			return nil, err
		}
	}
	return s.run(ctx)
}

// silent is a sink for what a replay tells before it is given the state of another.
type silent struct{ record.Sink }

func (silent) Job(*record.Job)             {}
func (silent) Container(*record.Container) {}
func (silent) Task(*record.Task)           {}
func (silent) Sample(*record.Sample)       {}
func (silent) Node(*record.Node)           {}
func (silent) Decision(*record.Decision)   {}

// checkpoint writes the one that is due.
func (s *sim) checkpoint() error {
	c := &s.checkpoints
	at := c.At[0]
	c.At = c.At[1:]
	if q, ok := s.sc.Input.Jobs.(trace.Stiller); ok {
		q.Still()
	}
	arriving := int64(-1)
	if s.arriving != nil {
		arriving = s.arriving.ID
	}
	s.rm.Hear()
	s.summed.flush()
	return c.Take(&Checkpoint{at, arriving, s.writeState})
}

// StateLayout is a hash over the types of what states hold.
func StateLayout() (string, error) {
	c, err := stateCodec()
	if err != nil {
		return "", err
	}
	return c.Layout(), nil
}

func (s *sim) writeState(w io.Writer) error {
	c, err := stateCodec()
	if err != nil {
		return err
	}
	return c.Write(w, s.roots()...)
}

// goOn gives the replay, which has just begun, a state.
func (s *sim) goOn(from *Start, sink record.Sink) (err error) {
	defer s.caught(&err)
	c, err := stateCodec()
	if err != nil {
		return err
	}
	if err := c.Read(from.State, !from.Changed, s.roots()...); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	if s.starves != s.sc.Site.Preemption { // by an allocation file that a change brings
		return fmt.Errorf("%w: nothing can be preempted on one side of it", ErrState)
	}
	s.summed = newSummed(sink, &s.digest)
	s.sink = s.summed
	s.setDense(s.beats.dense)
	s.rm.GoesOn()
	s.guests.goOn(from.AtMS)
	if err := s.passJobs(); err != nil {
		return err
	}
	s.progress.Jobs.Store(s.totals.JobsSucceeded + s.totals.JobsFailed)
	s.progress.Containers.Store(s.totals.ContainersAllocated)
	s.progress.Tasks.Store(s.written)
	if from.Changed {
		s.numbers = append(s.numbers, make([]int64, len(s.sc.Changes))...)[:len(s.sc.Changes)] // those more have had no effect
		if err := s.barLate(); err != nil {
			return err
		}
		s.otherNodeEvent(from.AtMS)
		s.rm.MoreReloads(from.AtMS, func(i int64) bool { return s.q.scheduled(0, order(kinds[evReload].class, 0, evReload, i)) })
	}
	if from.Dense {
		s.dense.left = append([]scenario.Span{{FromMS: from.AtMS, ToMS: longestReplay}}, s.dense.left...)
		s.expectSpan()
	}
	if h, ok := sink.(record.Holder); ok {
		s.eachHeld(h.Held)
	}
	return nil
}

// barLate puts the bars of changes on applications that have been submitted. It is an error if one could have had an effect before.
func (s *sim) barLate() error {
	for i := range s.sc.Changes {
		job, number, ok := s.sc.Changes[i].Container()
		if !ok || s.arriving != nil && s.arriving.ID <= job {
			continue
		}
		a := s.submitted(job)
		if to, ok := s.rm.Scheduler().(yarn.Barrer); a == nil || number <= a.done.containers || !ok || !to.Bar(a.id, s.sc.Bars(job)) {
			return fmt.Errorf("%w: %q may have had an effect before it", ErrState, s.sc.Changes[i].Text)
		}
		s.numbers[i] = max(s.numbers[i], a.done.containers, int64(len(a.containers)))
	}
	return nil
}

// otherNodeEvent schedules the first event of the trace from a time on in place of the one that is: changes may have taken that one out, and moved others.
func (s *sim) otherNodeEvent(at int64) {
	if n := s.q.drop(0, evNodeEvent); n > 0 {
		s.pending -= n
		s.comes, s.nodes.event, s.nodes.changes = 0, never, -1
		for i, e := range s.sc.Input.Events {
			if e.TimeMS >= at {
				s.nextNodeEvent(i)
				return
			}
			s.comes = e.TimeMS
		}
	}
}

// submitted returns the latest attempt of a job, nil when nothing is left of it.
func (s *sim) submitted(job int64) *app {
	for _, a := range s.apps {
		if a != nil && a.rec.ID == job && !a.gone {
			return a
		}
	}
	return nil
}

// eachHeld gives each container that has not ended.
func (s *sim) eachHeld(to func(*record.Decision)) {
	for _, a := range s.apps {
		if a == nil {
			continue
		}
		for _, c := range a.containers {
			if c == nil || c.ended {
				continue
			}
			r := &c.rec
			to(&record.Decision{Time: r.Allocated, Kind: decisionKinds[yarn.Allocated], Job: r.Job, AMAttempt: r.AMAttempt, Container: r.Number, Node: r.Node,
				Type: r.Type, Priority: r.Priority, MemMiB: r.MemMiB, VCores: r.VCores})
		}
	}
}

// setDense has the kinds of applications execute everything that is periodic, or leave out what has no effect.
func (s *sim) setDense(on bool) {
	for k := range s.eachKind {
		if l, ok := k.Kind.(master.Literal); ok {
			l.SetDense(on)
		}
	}
}

// passJobs passes the jobs up to the one that is to arrive. The first has been read.
func (s *sim) passJobs() error {
	source := s.sc.Input.Jobs
	to, recycles := source.(trace.Recycler)
	read := s.passed + 1
	if s.arriving == nil {
		read = math.MaxInt64
	}
	for n := int64(1); n < read; n++ {
		j, err := source.Next()
		if err == io.EOF && s.arriving == nil {
			return nil
		}
		if err != nil {
			return err
		}
		if recycles {
			to.Recycle(j)
		}
	}
	return nil
}

// roots are what a replay that has just begun has, and another of the same input in the same order.
func (s *sim) roots() []any {
	list := []any{s, s.rm, s.rm.Scheduler()}
	for k := range s.eachKind {
		list = append(list, k, k.Kind)
	}
	if isPointer(s.sc.Requests) {
		list = append(list, s.sc.Requests)
	}
	if s.reasons != nil {
		list = append(list, s.reasons)
	}
	if s.scaling != nil {
		list = append(list, s.scaling.plan.Policy)
	}
	return list
}
