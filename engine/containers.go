package engine

import (
	"math"
	"math/bits"

	"replay/engine/fetch"
	"replay/engine/protocol"
	"replay/engine/record"
	"replay/engine/reuse"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// container is a container of a live application, from its allocation until both the
// ResourceManager and its node are done with it. It fills four lines of memory; what is asked of it most is in the last one.
type container struct {
	rec      record.Container
	size     resource.Resource
	node     protocol.NodeID // as in rec
	room     int32           // 1 + place in sim.hinted of the nodes that the application hints at and that had room when it was allocated elsewhere, 0 for none
	process  processState
	ended    bool // in the ResourceManager
	written  bool
	apart    bool  // its node hears of its start by an event of its own
	joined   bool  // it starts with others, see [dues]
	departs  bool  // it is known when its node is told to end its process
	given    bool  // back by its application, which is ahead of the ResourceManager
	departed bool  // its process has ended for its application, which is ahead, and is to end on its node
	exit     int32 // what it returned, of one that has departed
}

type processState uint8

const (
	notStarted processState = iota
	starting                // the start call is on its way
	running
	exited
)

// containerOf returns container number n of the attempt, or nil: before it was allocated, and when it has been acquired and written, or has departed.
func (a *app) containerOf(n int64) *container {
	if c := a.containerAt(n); c == nil || !c.departed {
		return c
	}
	return nil
}

// containerAt is containerOf for the cluster, to which one that has departed may still be there.
func (a *app) containerAt(n int64) *container {
	if n < 1 || n > int64(len(a.containers)) {
		return nil
	}
	return a.containers[n-1]
}

// Observe sees what the scheduler does; it is part of [rm.Host]. That a node is reserved again for want of room, which the CapacityScheduler does at
// each of its heartbeats, is nothing new, and is not told where such heartbeats are left out.
func (s *sim) Observe(e *yarn.Event) {
	if e.Kind == yarn.Rereserved {
		return
	}
	s.sumEvent(e)
	id := e.Container.ID
	switch e.Kind {
	case yarn.Allocated:
		if a := s.of(id); a == nil {
			s.broken("container %d of attempt %d of application %d was allocated, which is not live", id.Number(), id.Attempt(), id.App)
		} else {
			s.allocated(a, e)
			a.news()
		}
	case yarn.Reserved:
		s.totals.Reservations++
		if a := s.of(id); a != nil {
			a.reserved.put(id.Number())
		}
	case yarn.Completed:
		if a := s.of(id); a == nil {
			s.broken("container %d of attempt %d of application %d ended, which is not live", id.Number(), id.Attempt(), id.App)
		} else if s.containerCompleted(a, e) && !a.knows(id.Number()) {
			a.news()
		}
	case yarn.Averted:
		s.warnings.add("averted:"+e.Text, "%s", e.Text)
		return
	case yarn.Runnable:
		if a := s.left.latest(e.App); a != nil && a.rec.AMScheduled == record.None {
			a.rec.AMScheduled = s.now
		}
	}
	if s.reasons != nil {
		s.reasons.saw(e)
	}
	s.seq++
	if s.sc.Decisions {
		s.decided = s.decision(e)
		s.decided.Seq = s.seq
		s.sink.Decision(&s.decided)
	}
}

// ObserveLate is part of [rm.Host]. Nobody has asked for what follows from it since that time.
func (s *sim) ObserveLate(e *yarn.Event, at int64) {
	now := s.now
	s.now = at
	s.Observe(e)
	s.now = now
}

// Fetch is part of [rm.Host]. What is kept of a container was touched last when its process ended.
func (s *sim) Fetch(id protocol.ContainerID, step int) {
	switch a := s.of(id); {
	case a == nil:
	case step == 0:
		fetch.At(a.containers, int(id.Number()-1))
	default:
		fetch.Of(a.containerAt(id.Number()))
	}
}

// news tells an application that the ResourceManager has something for it.
func (a *app) news() {
	if a.master != nil && !a.gone {
		a.master.News()
	}
}

// knows reports whether an application has nothing to hear of the end of a container.
func (a *app) knows(n int64) bool { return a.knower != nil && !a.gone && a.knower.Knows(n) }

var decisionKinds = map[yarn.EventKind]string{
	yarn.Allocated: "allocate", yarn.Reserved: "reserve",
	yarn.Unreserved: "unreserve", yarn.Completed: "complete", yarn.Rejected: "reject",
	yarn.Runnable: "runnable", yarn.NodeToldSize: "resize", yarn.Helper: "decrease",
}

// decision is the record of what the scheduler did now.
func (s *sim) decision(e *yarn.Event) record.Decision {
	d := record.Decision{Time: s.now, Kind: decisionKinds[e.Kind], Job: record.None,
		Container: e.Container.ID.Number(), Node: int32(e.Container.Node), Priority: e.Container.Priority,
		MemMiB: e.Container.Size[resource.Memory], VCores: e.Container.Size[resource.VCores]}
	if e.Kind == yarn.Allocated {
		d.Type = e.Container.Type.String()
	}
	a := s.left.latest(e.App)
	if e.App == 0 {
		a = s.of(e.Container.ID)
	}
	if a != nil {
		d.Job, d.AMAttempt = a.rec.ID, int64(a.attempt)
	}
	return d
}

func (s *sim) allocated(a *app, e *yarn.Event) {
	fetch.At(a.asks, len(a.asks)-1)
	n := e.Container.ID.Number()
	s.totals.ContainersAllocated++
	s.move()
	for int64(len(a.containers)) < n {
		a.containers = append(a.containers, nil)
	}
	c := s.newContainer()
	*c = container{}
	c.size, c.node = e.Container.Size, e.Container.Node
	r := &c.rec
	r.Job, r.AMAttempt, r.Number, r.Node, r.Queue = a.rec.ID, int64(a.attempt), n, int32(c.node), a.rec.Queue
	r.MemMiB, r.VCores = c.size[resource.Memory], c.size[resource.VCores]
	r.Priority, r.Type, r.Reserved = e.Container.Priority, e.Container.Type.String(), a.reserved.take(n)
	r.Asked, r.Allocated = a.askedAt(r.Priority), s.now
	r.Acquired, r.Started, r.Registered, r.Ended, r.Exited = record.None, record.None, record.None, record.None, record.None
	a.containers[n-1] = c
	a.open++
	a.fates[unsettled]++
	if s.guests.on {
		s.hosted(a, c.node)
	}
	for i := range s.numbers {
		if job, _, ok := s.sc.Changes[i].Container(); ok && job == a.rec.ID {
			s.numbers[i] = max(s.numbers[i], n)
		}
	}
	if a.am == 0 {
		a.am = n
		c.rec.AM = true
		c.rec.Asked = a.rec.Submit
		if a.rec.AMAllocated == record.None {
			a.rec.AMAllocated = s.now
		}
		if a.rec.AMScheduled == record.None {
			a.rec.AMScheduled = a.rec.Submit
		}
	} else {
		a.rec.Containers++
		a.hint(c, e.Container.Type)
		if a.rec.FirstAllocated == record.None && a.rec.FirstAsked != record.None { // one before is a second answer to the ask for the master's
			a.rec.FirstAllocated = s.now
		}
	}
	s.queues.add(a.usage, c.size, 1)
	s.nodes.use(s, e.Container.Node, &c.size)
}

// containerCompleted is the end of a container in the ResourceManager: application and queue are free
// of it now; the node when its process has gone. It reports whether that is news for the application.
func (s *sim) containerCompleted(a *app, e *yarn.Event) (news bool) {
	id, n := e.Container.ID, e.Container.ID.Number()
	c := a.containerAt(n)
	if c == nil || c.ended {
		s.broken("container %d of attempt %d of application %d ended twice or was never allocated", n, id.Attempt(), id.App)
		return false
	}
	news = !c.given
	s.totals.ContainersEnded++
	s.move()
	was := c.fate()
	c.ended = true
	a.settle(c, was)
	c.rec.Ended = s.now
	c.rec.Exit = e.Exit
	if c.rec.End == "" {
		c.rec.End = endOf(e, a, c)
	}
	if c.rec.Acquired == record.None {
		a.outstandingAt(c.rec.Priority).again = true
	}
	a.held(c, s.now)
	s.queues.add(a.usage, c.size, -1)
	if !e.Launched || !c.departed && (c.process == exited || c.process == notStarted) {
		s.nodes.release(c.node, &c.size)
		c.size = resource.Resource{}
	}
	s.writeContainer(a, c)
	return news
}

// held adds what a container has held until a time to its job. What is more than a number can hold stays the largest one.
func (a *app) held(c *container, until int64) {
	span := max(until-c.rec.Allocated, 0)
	a.rec.MemMiBMS = addProduct(a.rec.MemMiBMS, c.rec.MemMiB, span)
	a.rec.VCoreMS = addProduct(a.rec.VCoreMS, c.rec.VCores, span)
}

// addProduct returns sum + a*b, all 0 or more, or the largest number when that is more.
func addProduct(sum, a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi > 0 || lo > uint64(math.MaxInt64-sum) {
		return math.MaxInt64
	}
	return sum + int64(lo)
}

// endOf names the cause of a container's end from its exit status where nobody has said more.
func endOf(e *yarn.Event, a *app, c *container) string {
	switch e.Exit {
	case protocol.ExitSuccess:
		return record.EndCompleted
	case protocol.ExitPreempted:
		return record.EndPreempted
	case protocol.ExitAborted:
		if a.master != nil && a.master.Stopping() {
			return record.EndAppEnd
		}
		if c.process == notStarted {
			return record.EndUnused
		}
		if !a.s.rm.Registered(c.node) { // decommissioned with what runs there
			return record.EndNodeLost
		}
		return record.EndReleased
	}
	return record.EndFailed
}

// writeContainer writes the record once nothing about it can change any more.
func (s *sim) writeContainer(a *app, c *container) {
	if !c.ended || c.written || c.departed || c.process == running || c.process == starting {
		return
	}
	c.written = true
	a.open--
	a.fates[c.fate()]--
	s.sink.Container(&c.rec)
	s.hinted.take(&c.room)
	if n := c.rec.Number; n != a.am && c.rec.Acquired != record.None { // nobody will ask for it again
		a.containers[n-1] = nil
		s.spare = append(s.spare, c)
	}
	s.release(a)
}

// newContainer returns a container to be filled in, one that was written if there is one.
func (s *sim) newContainer() *container {
	if len(s.spare) == 0 {
		more := reuse.Block[container]()
		for i := range more {
			s.spare = append(s.spare, &more[i])
		}
	}
	n := len(s.spare) - 1
	c := s.spare[n]
	s.spare = s.spare[:n]
	if n > 0 { // for the next one
		fetch.Of(s.spare[n-1])
	}
	return c
}

// reportStart has the node report a process that was started.
func (s *sim) reportStart(c *container, id protocol.ContainerID) {
	s.rm.ContainerStarted(c.node, id)
	if c.ended {
		s.rm.MarkForCleanup(c.node, id)
	}
}

// processStarted is the NodeManager's acceptance of a container.
func (s *sim) processStarted(a *app, n int64) {
	c := a.containerOf(n)
	if s.nodes.isDown(c.node) || !s.rm.Registered(c.node) || c.process != starting {
		c.process = exited
		if n != a.am && a.master != nil && !a.gone {
			a.master.StartFailed(n)
		}
		s.writeContainer(a, c)
		return
	}
	c.process = running
	if wait := 2 * s.sc.Site.HeartbeatInterval; c.rec.Acquired+int64(s.sc.Site.ContainerExpiry) < s.now+wait {
		a.risky = max(a.risky, s.now+wait)
	}
	a.settle(c, unsettled)
	if !c.ended { // else the ResourceManager had given it up on the way
		c.rec.Started = s.now
	}
	if !c.apart {
		s.reportStart(c, a.containerID(n))
	}
	switch {
	case n == a.am:
		s.pushApp(s.now+a.plan.AMStart(int(a.attempt)), evRegisterAM, a, 0, n)
	case a.master != nil && !a.gone:
		a.master.Started(n)
	}
}

// Kill tells a node to end a process; it is part of [rm.Host].
func (s *sim) Kill(id protocol.ContainerID, at int64) {
	a, due := s.of(id), at+s.sc.Model.KillMS
	switch {
	case a == nil:
	case at == s.now:
		s.endProcess(a, id.Number(), due)
	case due > s.now: // it was told while the process ran
		s.pushApp(due, evExit, a, id.Number(), id.Number())
	}
}

// KillLater is part of [rm.Host].
func (s *sim) KillLater(node protocol.NodeID, id protocol.ContainerID, at int64) {
	a := s.of(id)
	if a == nil {
		return
	}
	c := a.containerAt(id.Number())
	if c != nil && c.given { // which was known before
		return
	}
	s.pushApp(at+s.sc.Model.KillMS, evExit, a, id.Number(), -1-int64(node))
	if c != nil {
		was := c.fate()
		c.departs = true
		a.settle(c, was)
	}
}

// killsLater reports whether the end of a process may be scheduled before its node is told: it comes between two heartbeats, and is
// not what keeps the replay from being stuck.
func (s *sim) killsLater() bool {
	interval, kill := s.sc.Site.HeartbeatInterval, s.sc.Model.KillMS
	return 0 < kill && kill < interval && interval <= s.sc.StallMS
}

// endsLate reports whether the sink may be told of the end of a container later than of what else has happened by then.
func (s *sim) endsLate() bool {
	containers, _ := record.TakesAnyOrder(s.summed)
	return containers && !s.sc.Decisions && s.sc.Scaling == nil
}

// told reports whether a node was told of the end of a process that is due; other ends are of themselves.
func (s *sim) told(a *app, e *event) bool {
	return e.kind() != evExit || e.arg >= 0 || s.rm.Told(protocol.NodeID(-1-e.arg), a.containerID(e.number()))
}

// endProcess schedules the end of a process by itself or by a signal.
func (s *sim) endProcess(a *app, n int64, at int64) {
	if c := a.containerOf(n); c != nil && c.process == running {
		if !a.together() && s.turn != a { // else [app.exit] or [sim.fetchTogether] has all fetched
			s.rm.FetchProcesses(c.node)
		}
		a.ends(n, at)
	}
}

// endProcesses is endProcess for all containers but the master's.
func (s *sim) endProcesses(a *app, at int64) {
	for n := int64(1); n <= int64(len(a.containers)); n++ {
		if n != a.am {
			s.endProcess(a, n, at)
		}
	}
}

// exitStatus is what the process of a container that ends by itself or by a signal returns.
func (a *app) exitStatus(n int64) int32 {
	if a.master == nil {
		return exitSIGTERM
	}
	return a.master.ExitStatus(n)
}

// exitSIGTERM is the exit status of a process that a signal ended, as a shell gives it.
const exitSIGTERM = 128 + 15

func (s *sim) processExited(a *app, n int64) {
	c := a.containerOf(n)
	if c == nil || c.process != running {
		return
	}
	exit := a.exitStatus(n)
	if s.ahead.on {
		c.exit = exit
		s.schedule(a.behind(), s.now, &kinds[evExit], evExit, int64(a.id), n, int64(a.attempt))
	} else {
		s.rm.ProcessExited(c.node, a.containerID(n), exit)
	}
	s.processGone(a, n)
}

// exitedThere is the end of a process on its node, to which its application has gone ahead.
func (s *sim) exitedThere(id protocol.ContainerID) {
	a := s.of(id)
	c := a.containerAt(id.Number())
	if !s.rm.Told(c.node, id) {
		s.broken("node %s was not told to end container %d of attempt %d of application %d, which has ended", s.nodes.spec[c.node].Host, id.Number(), id.Attempt(), id.App)
		return
	}
	s.rm.ProcessExited(c.node, id, c.exit)
	a.fates[departed]--
	a.fates[unsettled]++
	c.departed = false
	s.leaveNode(a, c)
}

// processDied is the end of a process with its node.
func (s *sim) processDied(id protocol.ContainerID) {
	a := s.of(id)
	if a == nil {
		return
	}
	if c := a.containerOf(id.Number()); c != nil && c.process == running {
		if !c.ended {
			c.rec.End = record.EndNodeLost
		}
		s.processGone(a, id.Number())
	}
}

func (s *sim) processGone(a *app, n int64) {
	c := a.containerOf(n)
	was := c.fate()
	c.process, c.rec.Exited = exited, s.now
	switch {
	case a.master == nil:
	case n == a.am:
		a.master.AMExited()
	case !a.gone || a.kept:
		a.master.Exited(n)
	}
	c.departed = s.ahead.on
	a.settle(c, was)
	if c.ended && !c.departed {
		s.leaveNode(a, c)
	}
}

// leaveNode frees the node of a container that has ended and of which the process has.
func (s *sim) leaveNode(a *app, c *container) {
	s.nodes.release(c.node, &c.size)
	c.size = resource.Resource{}
	s.writeContainer(a, c)
}

// hint notes whether a new container is on a node that the application's work prefers, and for one that was allocated elsewhere which of these nodes have
// room for it now.
func (a *app) hint(c *container, level protocol.NodeType) {
	if a.preferrer == nil {
		return
	}
	preferred, stays := a.preferrer.Preferred()
	if c.rec.Hinting = len(preferred) > 0; !c.rec.Hinting {
		return
	}
	a.rec.ContainersHinting++
	if a.preferrer.Prefers(c.rec.Node) {
		c.rec.Hinted = true
		a.rec.ContainersHinted++
	}
	if level != protocol.NodeLocal {
		c.room = a.s.hinted.put(preferred, stays, a.s.roomFor(c.size))
	}
}
