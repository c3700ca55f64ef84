// Package engine replays a trace: a virtual clock around a ResourceManager replica (engine/yarn) and
// application replicas (engine/spark), driven by a [Scenario]. Decisions and outcomes go to a
// [record.Sink] in time order.
//
// One replay is one sequence of decisions on one core. Nothing of the machine enters it: no clock, no
// goroutine timing, no map order. Times are integer milliseconds since the trace's origin.
package engine

import (
	"cmp"
	"context"
	"io"
	"math"
	"slices"
	"time"

	"replay/engine/depend"
	"replay/engine/master"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/yarn"
	"replay/engine/yarn/rm"
	"replay/trace"
)

const never = math.MaxInt64

// sim is one replay.
type sim struct {
	sc       *scenario.Scenario
	sink     record.Sink
	summed   *summed // it, but while it is silent
	digest   record.Digest
	progress *Progress

	now     int64
	reached uint64 // place in the order of this millisecond: what is not behind it has been executed
	near    near
	q       queue // lane 0 is the ResourceManager's and the trace's, then two for each slot of apps, see [app.lane]
	beats   *beats
	rm      *rm.RM
	starves bool // containers may be preempted for applications that starve, of which the scheduler keeps since when
	listens bool // the scheduler, or the monitor of masters, wants to know of heartbeats that were left out
	names   *protocol.Names
	kinds   map[string]*appKind // of applications

	nodes    nodes
	guests   guests
	watched  bool     // an application has come that watches nodes
	scaling  *scaling // nil while nobody scales the cluster
	cluster  master.Cluster
	apps     []*app // by slot; nil = free
	turn     *app   // that executes an event, where what this leads to at its time may follow, see [sim.goFurther]
	free     []int32
	left     live
	live     int
	spare    []*container    // written, for others
	departed []*app          // nothing is left of them, for others
	placed   []yarn.Placed   // scratch of what is fetched
	hinted   placed          // see container.room
	decided  record.Decision // the sink's while it is told
	ahead    ahead
	giving   giving
	dense    denseSpans
	lastApp  protocol.AppID // numbers are given in order of submission, from 1
	arriving *trace.Job
	passed   int64 // jobs of the trace whose own time has come
	depend   depend.Jobs
	queues   queueUsage

	pending int   // events of work in the queue: something will happen
	moved   int64 // when something last happened
	useful  int64 // until when it is known that work goes on: tasks, stages, submissions; see [circle]
	comes   int64 // and when the next node event of the trace does, or the last one did
	patient int64 // [sim.patience]
	stall   int64 // as the scenario has it
	until   int64 // the latest end of the replay

	written int64   // task attempts
	numbers []int64 // by change: the largest number of a container that the job of its container was allocated

	totals   record.Totals
	warnings warnings
	seq      int64         // of decisions
	samples  int64         // taken at their interval
	sampled  int64         // when the last one was taken, -1 before
	row      record.Sample // scratch
	doing    *kind         // of what is being executed
	err      error         // an invariant of ours that broke, or the source's error

	checkpoints Checkpoints // to be written
	reasons     *reasons    // nil unless the sink wants to know why applications wait
	after       func()      // test hook: looks at the state after each event
}

// clusterTimestamp enters the ids of applications, and so YARN's hash orders.
const clusterTimestamp = 1_700_000_000_000

// Run replays the scenario's trace and gives everything that happened to sink. The manifest describes
// the replay and is complete, totals included. It stops early, with an error, when ctx is done, when
// the trace can't be read, or, with an *InternalError, when an invariant is broken.
func Run(ctx context.Context, sc *scenario.Scenario, sink record.Sink, progress *Progress) (*record.Manifest, error) {
	if sc.Kind().Central {
		return runIdeal(ctx, sc, sink, progress)
	}
	s, err := newSim(sc, sink, progress, true)
	if err != nil {
		return nil, err
	}
	return s.run(ctx)
}

// newSim begins a replay. What it tells of the beginning is said aloud, or not.
func newSim(sc *scenario.Scenario, sink record.Sink, progress *Progress, aloud bool) (s *sim, err error) {
	if progress == nil {
		progress = new(Progress)
	}
	s = &sim{sc: sc, progress: progress, sampled: -1, names: protocol.NewNames(), warnings: newWarnings()}
	defer s.caught(&err)
	s.q.clear(0)
	s.summed = newSummed(sink, &s.digest)
	s.sink = s.summed
	if !aloud {
		s.sink = silent{}
	}
	s.starves = sc.Site.Preemption
	s.ahead.off, s.ahead.to = !mayRunAhead(sc), -1
	_, anyOrder := record.TakesAnyOrder(sink)
	s.ahead.keeps = !anyOrder
	s.cluster.Names = s.names
	s.kinds = kindsOf(sc)
	progress.start(sc)
	s.warnings.list = slices.Clone(sc.Warnings)
	s.numbers = make([]int64, len(sc.Changes))
	s.depend.Independent = sc.Input.Independent
	s.rm, err = s.newManager(sc)
	if err != nil {
		return nil, err
	}
	if s.reasons = s.explaining(sink); s.reasons != nil {
		s.rm.ExecuteEnds()
	}
	if s.endsLate() {
		s.rm.EndLate()
	}
	if sc.Scaling == nil {
		s.guests = newGuests(sc.Input.Nodes, sc.Input.Events, sc.Site.LeastNode())
	}
	s.startNodes()
	s.startScaling()
	s.startSpans()
	s.listens = slices.ContainsFunc(sc.Input.Events, func(e trace.NodeEvent) bool { return e.Kind == trace.Fail })
	if l, ok := s.rm.Scheduler().(yarn.Listener); ok && !s.beats.dense {
		l.Listen(s)
		s.listens = true
	}
	taker, ok := s.rm.Scheduler().(yarn.LocalityTaker)
	s.cluster.Localities = ok && taker.TakesLocalities() && s.cluster.Apart()
	if err := s.nextArrival(); err != nil {
		return nil, err
	}
	s.nextSample(s.sc.SeriesMS)
	return s, nil
}

func (s *sim) run(ctx context.Context) (m *record.Manifest, err error) {
	defer s.caught(&err)
	if err := s.loop(ctx); err != nil {
		return nil, err
	}
	s.finish()
	s.progress.Containers.Store(s.totals.ContainersAllocated)
	s.progress.Tasks.Store(s.written)
	if s.err != nil {
		return nil, s.err
	}
	return s.manifest(), nil
}

// loop executes events, heartbeats and updates in their order until nothing is left to happen.
func (s *sim) loop(ctx context.Context) error {
	s.patient, s.stall, s.until = s.patience(), s.sc.StallMS, longestReplay
	if s.sc.Until > 0 {
		s.until = min(s.sc.Until, longestReplay)
	}
	for n := 0; ; n++ {
		if n&0xfff == 0 {
			s.progress.NowMS.Store(s.now)
			s.progress.Containers.Store(s.totals.ContainersAllocated) // at each allocation the processor would wait for memory
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if s.live == 0 && s.arriving == nil && !s.depend.Any() || s.err != nil {
			return s.err
		}
		s.fetch()
		last := s.horizon()
		limit, limitOrd := last+1, uint64(0)
		queued := false
		if !s.q.empty() {
			if at, ord := s.q.peek(); at <= last {
				queued, limit, limitOrd = true, at, ord
			}
		}
		due := s.checkpoints.next()
		if due <= min(last, limit) { // heartbeats behind it have not passed either
			limit, limitOrd = due, 0
		}
		at, ord, beat := s.beats.next(limit, limitOrd)
		if !beat && limit == due {
			if err := s.checkpoint(); err != nil {
				return err
			}
			continue
		}
		if !beat && !queued {
			if s.rm.Hear(); s.horizon() > last { // as a container has ended
				continue
			}
			s.reach(s.ahead.at, s.ahead.ord)
			s.stop()
			return nil
		}
		if !beat {
			at, ord = limit, limitOrd
		}
		s.reach(at, ord)
		s.catchUp(at, ord)
		s.totals.Events++
		if beat {
			s.beats.run(s)
			if s.reasons != nil {
				s.reasons.stale = true
			}
		} else {
			s.handle()
		}
		s.rm.PassesGoOn(s.now)
		if s.reasons != nil {
			s.reasons.look()
		}
		if s.after != nil {
			s.after()
		}
	}
}

// reach goes on to a time and a place in its order. An event may lead to one that comes before it in the order.
func (s *sim) reach(at int64, ord uint64) {
	if at > s.now {
		s.now, s.reached = at, 0
	}
	s.reached = max(s.reached, ord)
}

// horizon is the last time at which anything is executed unless something happens before: the end that the user asked for,
// or the time after which the replay is stuck.
func (s *sim) horizon() int64 { return s.reaches(s.pending > 0) }

// reaches is the horizon with or without work in the queue.
func (s *sim) reaches(work bool) int64 {
	last := min(max(s.useful, s.comes)+s.patient, s.until)
	if !work {
		last = min(last, s.moved+s.stall)
	}
	return last
}

// longestReplay is the trace time after which every replay ends: far beyond what traces hold, and short enough for all sums.
const (
	year          = 366 * 24 * 3600_000
	longestReplay = 200 * year
)

// patience is how long a replay goes on while no job gets further, although containers come and go.
func (s *sim) patience() int64 {
	return usefulStalls*s.sc.StallMS + s.sc.Model.AMStartMS + s.sc.Model.ExecutorStartMS
}

// stop ends a replay in which nothing is left to execute up to its horizon.
func (s *sim) stop() {
	last := s.horizon()
	more := !s.q.empty() || s.beats.any()
	switch {
	case s.sc.Until > 0 && last == s.sc.Until && more:
		s.endAt(last)
		return
	case !more:
	case last == longestReplay:
		s.warnings.voids("longest", "the replay ends after %d years of trace time, the most there is", longestReplay/year)
	case s.pending == 0 && last == s.moved+s.sc.StallMS:
		s.warnings.voids("stalled", "nothing happened for %v of trace time: the remaining jobs can't finish; each gives its reason", time.Duration(s.sc.StallMS)*time.Millisecond)
	default:
		s.warnings.voids("no-progress", "no job got further for %v of trace time, although containers come and go: the remaining jobs can't finish; each gives its reason", time.Duration(s.patience())*time.Millisecond)
		s.endAt(last)
		return
	}
	s.totals.EndMS = max(s.totals.EndMS, s.moved)
	if more {
		s.reach(last, math.MaxUint64)
	}
}

// endAt ends a replay in which things still go on.
func (s *sim) endAt(t int64) {
	s.reach(t, math.MaxUint64)
	s.totals.EndMS = s.now
}

// push schedules an event of the ResourceManager or the trace.
func (s *sim) push(at int64, k eventKind, number, arg int64) {
	s.schedule(0, at, &kinds[k], k, 0, number, arg)
}

// schedule puts an event into a lane of the queue; work counts as pending, see [sim.pending].
func (s *sim) schedule(lane int32, at int64, row *kind, k eventKind, app, number, arg int64) {
	if !fits(app, number) {
		s.err = cmp.Or(s.err, unfit(app, number))
		s.shorten(-1)
		return
	}
	if row.work {
		s.pending++
	}
	s.shorten(at)
	s.q.push(lane, at, order(row.class, app, k, number), arg)
}

// scheduleMany is schedule for an event of which there are many, whose arg is its number; it reports false where it does nothing, as there is no place for it.
func (s *sim) scheduleMany(lane int32, at int64, row *kind, ord uint64, number int64) bool {
	l := &s.q.lanes[lane]
	if !l.many.Takes(at, number) {
		return false
	}
	if row.work {
		s.pending++
	}
	l.ofMany = ord &^ (1<<numberBits - 1)
	if l.many.Put(at, number) {
		s.q.touch(lane)
	}
	return true
}

// usefulStalls is how many times as long as a stall a replay goes on while no job gets further.
const usefulStalls = 2

// goesOn notes that work is known to go on until a time.
func (s *sim) goesOn(until int64) { s.useful = max(s.useful, until) }

// move notes that something happened now, which ends a stall. Of an application that ran ahead it may have been noted before.
func (s *sim) move() { s.moved = max(s.moved, s.now) }

// handle executes the first event of the queue.
func (s *sim) handle() {
	e, lane := s.q.pop()
	s.near.passes(lane)
	if lane%2 == 1 {
		a := s.apps[lane/2]
		if !a.turns() {
			s.execute(a, e)
			s.runAhead(a)
			return
		}
		if s.reasons == nil && s.after == nil && !s.beats.dense {
			s.turn = a
			if a.events != nil && a.kind.rows[e.kind()].many {
				s.fetchTogether(a, &e, lane)
			}
		}
		s.execute(a, e)
		s.goFurther(a, e)
		return
	}
	k := e.kind()
	s.doing = &kinds[k]
	s.worked(s.doing)
	switch k {
	case evArrival:
		s.arrive(e.number())
	case evSpan:
		s.span(e.number() > 0)
	case evNodeEvent:
		s.nodeEvent(int(e.arg))
	case evNodeComes:
		s.scaling.comes(protocol.NodeID(e.number()))
	case evNodeNotice:
		s.scaling.notice(protocol.NodeID(e.number()), e.arg)
	case evNodeTaken:
		s.scaling.takes(protocol.NodeID(e.number()), e.arg)
	case evAutoscale:
		s.scaling.evaluate()
	case evStartedThere:
		s.startedThere(protocol.NewContainerID(protocol.AppID(e.app()), int32(e.arg), e.number()))
	case evExit:
		s.totals.Events-- // it was counted for its application
		s.exitedThere(protocol.NewContainerID(protocol.AppID(e.app()), int32(e.arg), e.number()))
	case evGivenBack:
		s.totals.Events-- // likewise
		s.givenBack(&e)
	case evSample:
		s.sample()
		s.samples++
		s.nextSample(s.now + s.sc.BetweenSamples(s.samples))
	default:
		s.rm.Fire(s.now, rm.Timer(slices.Index(timers[:], k)), e.number(), e.arg)
		if s.reasons != nil {
			s.reasons.changed()
		}
	}
}

// goFurther executes what an event has led to at its time and before it in the order, such as the end of a process whose task has ended, and what is of its time
// behind it, such as the starts of containers and the ends of other tasks. All else that comes before these has been executed, heartbeats too.
func (s *sim) goFurther(a *app, executed event) {
	for s.err == nil && s.live > 0 && s.turn != nil {
		if a.exiting > 0 && s.exitNow(a) {
			continue
		}
		e := s.q.follows(a.lane(), &executed, s.reached)
		if e == nil || !a.kind.rows[e.kind()].work {
			break
		}
		first := *e
		s.rm.PassesGoOn(s.now)
		s.q.take(a.lane(), e)
		if first.ord > executed.ord {
			s.reach(first.at, first.ord)
			s.catchUp(first.at, first.ord)
		}
		s.totals.Events++
		s.execute(a, first)
		executed = first
	}
	if s.turn = nil; a.exiting > 0 {
		a.exitLater()
	}
}

// nextSample schedules the next sample.
func (s *sim) nextSample(at int64) {
	s.push(at, evSample, 0, 0)
	s.sampledTo(at)
}

// execute executes an event of an application.
func (s *sim) execute(a *app, e event) {
	k := e.kind()
	s.doing = &a.kind.rows[k]
	if s.told(a, &e) {
		s.worked(s.doing)
		a.handle(k, e)
	} else {
		s.pending--
	}
	s.release(a)
}

// worked takes an event off the pending ones if it is work.
func (s *sim) worked(row *kind) {
	if row.work {
		s.pending--
		s.move()
	}
}

// nextArrival reads the next job and schedules its submission.
func (s *sim) nextArrival() error {
	j, err := s.sc.Input.Jobs.Next()
	if err == io.EOF {
		s.arriving = nil
		return nil
	}
	if err != nil {
		return err
	}
	s.arriving = j
	at := s.sc.Arrival(j)
	s.goesOn(at)
	s.push(max(at, s.now), evArrival, j.ID, 0)
	return nil
}
