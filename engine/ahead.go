package engine

import (
	"replay/engine/foreseen"
	"replay/engine/master"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/reuse"
	"replay/engine/scenario"
	"replay/engine/yarn"
)

// An application of which all containers run, and are known to run, and that asks for none is on its own: until its application master speaks or one of its
// processes ends, nothing that happens elsewhere concerns it, and nothing that it does concerns others. Its events are then executed
// one after the other while its state is at hand. What others see of it is kept until its time: busy cores, which samples count, and
// rows of task attempts if they are written in the order of time.
//
// An application that is not on its own hears of others when its application master speaks next, and not before a process can have been
// killed for it: up to then events run ahead that change nothing which others look at, such as the start of a process and the loss of
// a connection, a few milliseconds after what led to them.
//
// A heartbeat of its application master that asks for nothing, and at which nothing but what is known now can be told, runs ahead as well:
// the ends of containers that were given back are known when they are, and the master hears of them right after their processes have ended. It may
// give containers back, of which the ResourceManager hears at the time of the heartbeat. So does the end of such a process run ahead, as it is known when its node is told: for the node and the
// sink it comes at its time.
//
// Nodes that come, go or change concern an application that has had a container there, and one that watches all nodes: it does not run ahead of the next event of a node, of the next look for one that has failed, nor while
// one drains, which is decommissioned at one of its heartbeats, or has shrunk and ends containers at its next one. Nodes of an autoscaler do so at any time: where there is one
// nothing runs ahead. Preemption chooses containers for a while before it kills them: up to that an application runs ahead.

const unknown = -2

// How far an application runs ahead where its rows are kept, which bounds how many: so long, ms, and less while there are more than so many.
const (
	aheadMS  = 4 * 3_600_000
	nearMS   = 300_000
	mostRows = 1 << 17
)

// ahead is what has been executed ahead of its time.
type ahead struct {
	off   bool
	keeps bool // rows of task attempts until their time
	on    bool // an event is being executed ahead
	rows  foreseen.Rows
	cores int64 // that began or, negative, ended to be busy, up to the sample that sees it
	seen  int64 // when that is taken
	in    int64 // how many samples behind the next one
	from  int64 // the time at which others are, while something is executed ahead
	to    int64 // the time up to which what comes next may follow an event at once, see [sim.follow] and [sim.openSpan]; -1 while nothing may

	// Of the application that is ahead:
	span       master.Span
	last, sure int64  // up to when events may be executed at most, and whatever is executed
	untouched  int64  // [app.untouchedTo], or unknown
	asking     bool   // [app.asking]
	executed   bool   // something was
	ordNow     uint64 // the last place in the order of what was at the time at which others are

	nextSample int64        // when the next sample is taken
	later      [][]busyness // of samples behind it: cores that have changed between the one before and each

	at  int64 // of the latest event
	ord uint64
}

// busyness are cores that begin or, negative, end to run tasks.
type busyness struct {
	usage int32 // place of the queue in queueUsage
	cores int64
}

// mayRunAhead reports whether applications of a scenario may.
func mayRunAhead(sc *scenario.Scenario) bool {
	return sc.Engine != scenario.Dense && sc.Scaling == nil
}

// alone reports whether nothing that happens elsewhere, which has been executed up to now, concerns an application that asks for nothing, before it
// does or one of its processes ends.
func (a *app) alone(now int64) bool {
	return a.fates[unsettled]|a.fates[dying] == 0 && now > a.risky // until a node reports a process, its container may expire
}

// asking reports whether containers that were asked for may come. Nothing that is executed ahead changes that.
func (a *app) asking() bool {
	for i := range a.asks {
		if a.asks[i].count > 0 || a.asks[i].again {
			return true
		}
	}
	return false
}

// untouchedTo returns up to when nothing that happens from where others are on reaches an application that is not alone: its master speaks later, and
// a process that is to be killed ends later. The master's own container may expire while risk lasts.
func (a *app) untouchedTo() int64 {
	from := a.s.ahead.from
	if a.talker == nil || a.containerOf(a.am).process != running || from <= a.risky {
		return -1
	}
	return min(a.talker.Talks(), from+a.s.sc.Model.KillMS) - 1
}

// mayPass reports whether an event may be executed before what comes from elsewhere before its time, in an application that is not alone.
func (a *app) mayPass(e *event, row *kind, asking bool) bool {
	if e.kind() == evStarted {
		return a.mayBegin(e.at)
	}
	return row.private && !(row.hints && asking)
}

// mayHear reports whether an event, of an application that asks for nothing, is a heartbeat that asks for nothing either, and at which nothing is told that the ResourceManager does not know now.
// That may become more while a container is not known to run or to have been given back. It may give containers back if that is not behind what
// others do at this time, and the ends of their processes are known.
func (a *app) mayHear(e *event, row *kind) bool {
	s := a.s
	if row.class != classAM || a.hearer == nil || s.reasons != nil || a.fates[unsettled] != 0 || len(a.updates) > 0 {
		return false
	}
	gives, ok := a.hearer.Hears(master.EventKind(e.kind()-numKinds), e.at)
	if !ok || len(gives) == 0 {
		return ok
	}
	if e.at == s.now && e.ord < s.reached {
		return false
	}
	for _, id := range gives {
		if c := a.containerOf(id.Number()); c != nil && !(c.fate() == settled && s.rm.KillsLater(c.node)) {
			return false
		}
	}
	return true
}

// giving is what applications have given back ahead of their time, of which the ResourceManager has yet to hear.
type giving struct {
	ids  [][]protocol.ContainerID  // by slot of the application, but for those that were given back alone
	req  protocol.AllocateRequest  // scratch of [sim.givenBack]
	resp protocol.AllocateResponse // likewise
}

// giveBack gives containers back, of an application that is ahead. The ResourceManager hears of it at its time; what follows for the application is known.
func (a *app) giveBack(ids []protocol.ContainerID) {
	s, given := a.s, &a.s.giving.ids[a.slot]
	before := len(*given)
	for _, id := range ids {
		c := a.containerOf(id.Number())
		if c == nil {
			continue
		}
		s.KillLater(c.node, id, s.beats.of(c.node, s.now))
		c.given = true
		if c.rec.End == "" {
			c.rec.End = record.EndReleased
		}
		s.rm.Foretell(c.node, id)
		*given = append(*given, id)
	}
	n, number := len(*given)-before, int64(0)
	if n > 0 {
		a.master.News()
	}
	if n == 1 { // as most often: the event says which
		number, *given = (*given)[before].Number(), (*given)[:before]
	}
	s.schedule(a.behind(), s.now, &kinds[evGivenBack], evGivenBack, int64(a.id), number, int64(n)<<32|int64(a.attempt))
}

// givenBack is what the ResourceManager hears of containers that an application has given back ahead of it.
func (s *sim) givenBack(e *event) {
	id, x := protocol.AppID(e.app()), &s.giving
	if n := e.number(); n > 0 {
		x.req.Releases = append(x.req.Releases[:0], protocol.NewContainerID(id, int32(e.arg), n))
	} else {
		n := e.arg >> 32
		given := &x.ids[s.left.latest(id).slot]
		x.req.Releases = append(x.req.Releases[:0], (*given)[:n]...)
		*given = (*given)[:copy(*given, (*given)[n:])]
	}
	if err := s.rm.Release(s.now, id, &x.req, &x.resp); err != nil || len(x.resp.Allocated) > 0 {
		s.broken("application %d gave containers back ahead of its time, and was answered more: %d containers, error %v", id, len(x.resp.Allocated), err)
	}
}

// mayDepart reports whether an event, of an application that is on its own, is the end of a process that its node will have been told to end: where the heartbeat for that
// has passed, it has been told, and has not left the cluster instead. The node and the sink come to it at its time.
func (a *app) mayDepart(e *event, now int64) bool {
	if e.kind() != evExit || e.arg >= 0 || a.hearer == nil || a.s.reasons != nil || e.number() == a.am {
		return false
	}
	c := a.containerOf(e.number()) // which departs if it is there, as its end is known beforehand and nothing of the application is unsettled
	return c != nil && (e.at-a.s.sc.Model.KillMS > now || a.s.told(a, e))
}

// A fate is what is known of a container that has not been written.
type fate uint8

const (
	unsettled fate = iota // something of it is to come from elsewhere
	settled               // only its own application can change anything about it
	dying                 // it has ended in the ResourceManager, and its process is to end
	departing             // it has been given back, and it is known when its process ends
	departed              // its application has gone ahead to that
	fates
)

func (c *container) fate() fate {
	switch {
	case c.departed:
		return departed
	case c.process != running:
		return unsettled
	case c.departs:
		return departing
	case c.ended:
		return dying
	}
	return settled
}

// settle counts a change of a container's fate.
func (a *app) settle(c *container, was fate) {
	a.fates[was]--
	a.fates[c.fate()]++
}

// turns reports whether nothing of an application may be executed ahead of its time, as none of its events are of that kind.
func (a *app) turns() bool { return a.talker == nil && a.hearer == nil && !a.kind.private }

// runAhead executes events of an application that concern nothing else, as long as it is alone.
func (s *sim) runAhead(a *app) {
	if s.ahead.off || s.beats.dense || a.master == nil || a.gone || a.turns() || a.shares && a.before != nil {
		return
	}
	now, reached := s.now, s.reached
	last := int64(longestReplay)
	if s.ahead.keeps {
		if last = now + aheadMS; s.ahead.rows.Len() > mostRows {
			last = now + nearMS
		}
	}
	last = min(last, s.dense.next()-1, s.checkpoints.next()-1, s.nodesStay(a), s.rm.Spares(a.id, now)-1)
	x, lane := &s.ahead, a.lane()
	x.on, x.from, x.last, x.sure = true, now, last, min(last, s.reaches(false))
	x.to, x.untouched, x.asking, x.executed, x.ordNow = x.sure, unknown, a.asking(), false, 0
	x.seen, x.in = x.nextSample, 0
	if x.asking {
		x.to = -1
	}
	for s.step(a, lane) {
	}
	s.foreseeCores(a)
	s.retire(a, lane)
	latest, latestOrd := s.now, s.reached
	if latest == now {
		latestOrd = x.ordNow
	}
	x.on, x.to = false, -1
	s.now, s.reached = now, reached
	if x.executed {
		s.q.executed(lane, latest, latestOrd)
		if latest > x.at || latest == x.at && latestOrd > x.ord {
			x.at, x.ord = latest, latestOrd
		}
	}
	s.release(a)
}

// retire lets the master of an application go of which nothing is left but that it leaves, as nothing comes before that.
func (s *sim) retire(a *app, lane int32) {
	r, ok := a.master.(master.Retirer)
	if e := s.q.lanes[lane].next(); ok && e != nil && e.kind() >= numKinds && e.at <= s.ahead.last && !s.ahead.asking && s.reasons == nil && s.onItsOwn(a) {
		if m := r.Retire(master.EventKind(e.kind() - numKinds)); m != nil {
			a.engage(m)
			if a.attempt == 1 {
				s.recycle(a)
			}
			if f, ok := s.rm.Scheduler().(yarn.Forgetter); ok {
				f.ForgetAsks(a.id)
			}
		}
	}
}

// step executes the next event of an application ahead of its time, if it may be.
func (s *sim) step(a *app, lane int32) bool {
	x := &s.ahead
	if s.err != nil || a.gone {
		return false
	}
	l := &s.q.lanes[lane]
	e := l.next()
	if e == nil {
		return false
	}
	k := e.kind()
	row := &a.kind.rows[k]
	switch {
	case e.at > x.sure && (e.at > x.last || e.at > s.reaches(row.work)):
		return false
	case x.asking || !a.alone(x.from):
		if !s.mayStep(a, e, row) {
			return false
		}
	case !row.private && !a.mayHear(e, row) && !a.mayDepart(e, x.from):
		return false
	}
	first := *e
	l.take(e)
	x.executed = true
	s.advance(first.at, first.ord)
	s.totals.Events++
	s.doing = row
	s.worked(row)
	if k >= numKinds {
		a.master.Handle(master.EventKind(k-numKinds), first.arg)
	} else {
		a.handleOwn(k, first)
	}
	return true
}

// mayStep reports whether an event, of an application that asks for containers or is not alone, may be executed ahead of its time.
func (s *sim) mayStep(a *app, e *event, row *kind) bool {
	x := &s.ahead
	if x.untouched == unknown {
		x.untouched = a.untouchedTo()
	}
	return e.at <= x.untouched && a.mayPass(e, row, x.asking) && e.at < a.talker.Talks() || // what was executed may have woken its master
		!x.asking && e.at < x.from+s.sc.Model.KillMS && x.from > a.risky && a.mayHear(e, row)
}

// follow goes on to an event of an application that is on its own, if none comes before it. It is as if it had been scheduled by the event that is executed ahead, and come to after that.
func (s *sim) follow(a *app, at int64, k eventKind, number int64) bool {
	row := &a.kind.rows[k]
	if at > s.ahead.to || at <= s.now || !row.private || !s.onItsOwn(a) || !fits(int64(a.id), number) {
		return false
	}
	ord := order(row.class, int64(a.id), k, number)
	if e := s.q.lanes[a.lane()].next(); e != nil && (e.at < at || e.at == at && e.ord < ord) {
		return false
	}
	s.now, s.reached = at, ord
	s.totals.Events++
	s.doing = row
	if row.work {
		s.move()
	}
	return true
}

// openSpan gives an application that is on its own the time up to the next event of it that is neither one of many nor a timer's, behind what others do at this time. It returns nil if there is none.
func (s *sim) openSpan(a *app, follows, timer eventKind) *master.Span {
	x, l := &s.ahead, &s.q.lanes[a.lane()]
	at, _, ok := l.many.First()
	rows := a.kind.rows
	held := order(rows[timer].class, int64(a.id), timer, 0)
	until := l.clearTo(x.to+1, held)
	if !ok || at >= until || at <= x.from || a.kind.many == 0 || !rows[follows].private || !rows[timer].private || !s.onItsOwn(a) {
		return nil
	}
	x.span.Open(until, &l.many, &s.now, &s.reached, l.ofMany, order(rows[follows].class, int64(a.id), follows, 0), held, &x.cores, &x.seen)
	return &x.span
}

// closeSpan counts what was executed in a span.
func (s *sim) closeSpan(a *app) {
	n := &s.ahead.span
	s.totals.Events += n.Events
	s.doing = &a.kind.rows[a.kind.many]
	if s.doing.work {
		s.pending += int(n.Puts - n.Taken)
	}
	s.moved = max(s.moved, n.Worked)
}

// shorten ends the span of an application that is ahead at a time, if it has one that ends later.
func (s *sim) shorten(at int64) { s.ahead.span.Until = min(s.ahead.span.Until, at) }

// onItsOwn reports whether an application that asks for nothing may go on with an event up to [ahead.to].
func (s *sim) onItsOwn(a *app) bool { return a.alone(s.ahead.from) && !a.gone && s.err == nil }

// advance goes on to a time and a place in its order, ahead of others.
func (s *sim) advance(at int64, ord uint64) {
	if at > s.now {
		s.now, s.reached = at, ord
	} else {
		s.reached, s.ahead.ordNow = max(s.reached, ord), max(s.ahead.ordNow, ord)
	}
}

// catchUp tells of task attempts that were executed ahead of a time and a place in its order.
func (s *sim) catchUp(at int64, ord uint64) {
	if x := &s.ahead; x.keeps || x.rows.Len() > 0 { // of a state there are some whose sink takes any order
		for r := x.rows.Before(at, ord); r != nil; r = x.rows.Before(at, ord) {
			s.sink.Task(r)
		}
	}
}

// foreseeSample goes on to the sample that sees what changes now.
func (s *sim) foreseeSample(a *app) {
	s.foreseeCores(a)
	s.ahead.in, s.ahead.seen = s.sc.SamplesTo(s.samples+1, s.ahead.nextSample, s.now)
}

// foreseeCores notes the cores of an application that have changed. Only samples look at them, behind all else of their millisecond.
func (s *sim) foreseeCores(a *app) {
	x := &s.ahead
	if x.cores == 0 {
		return
	}
	b := busyness{int32(a.usage), x.cores}
	x.cores = 0
	if x.in == 0 {
		s.queues.work(a.usage, b.cores)
		return
	}
	for int64(len(x.later)) < x.in {
		x.later = reuse.Longer(x.later)
		x.later[len(x.later)-1] = x.later[len(x.later)-1][:0]
	}
	list := x.later[x.in-1]
	if last := len(list) - 1; last >= 0 && list[last].usage == b.usage { // of the same queue, most likely
		list[last].cores += b.cores
		return
	}
	x.later[x.in-1] = append(list, b)
}

// sampledTo goes on to the next sample.
func (s *sim) sampledTo(next int64) {
	x := &s.ahead
	x.nextSample = next
	if len(x.later) == 0 {
		return
	}
	first := x.later[0]
	for _, b := range first {
		s.queues.work(int(b.usage), b.cores)
	}
	n := copy(x.later, x.later[1:])
	x.later[n] = first // whose memory is the next one's
	x.later = x.later[:n]
}
