package engine

import (
	"unsafe"

	"replay/engine/fetch"
	"replay/engine/master"
	"replay/engine/protocol"
	"replay/engine/random"
	"replay/engine/record"
	"replay/policy/resource"
)

// An app is the [master.Host] of its master.
var _ master.Host = (*app)(nil)

func (a *app) Now() int64 { return a.s.now }

func (a *app) Time() *int64 { return &a.s.now }

func (a *app) At(at int64, k master.EventKind, number, arg int64) {
	kind := numKinds + eventKind(k)
	row := &a.kind.rows[kind]
	if lane := a.lane(); !row.many || !a.s.scheduleMany(lane, at, row, order(row.class, int64(a.id), kind, number), number) {
		a.s.schedule(lane, at, row, kind, int64(a.id), number, arg)
	}
}

func (a *app) Follows(at int64, k master.EventKind, number int64) bool {
	return a.s.ahead.on && a.s.follow(a, at, numKinds+eventKind(k), number)
}

func (a *app) Span(follows, timer master.EventKind) *master.Span {
	return a.s.openSpan(a, numKinds+eventKind(follows), numKinds+eventKind(timer))
}

func (a *app) EndSpan() { a.s.closeSpan(a) }

func (a *app) Set(k master.EventKind, at int64) {
	kind := numKinds + eventKind(k)
	a.s.shorten(at)
	a.s.q.set(a.lane(), at, order(a.kind.rows[kind].class, int64(a.id), kind, 0))
}

func (a *app) Passed(k master.EventKind) bool {
	kind := numKinds + eventKind(k)
	return order(a.kind.rows[kind].class, int64(a.id), kind, 0) <= a.s.reached
}

func (a *app) GoesOn(until int64) {
	if !a.circle.closed(a.rec.TasksSucceeded) {
		a.s.goesOn(until)
	}
}

func (a *app) Momentary(purpose string) *random.Momentary {
	return random.NewMomentary(a.s.sc.Seed, purpose)
}

func (a *app) MaxAllocation() resource.Resource { return a.s.rm.Scheduler().MaxAllocation(a.rec.Queue) }

func (a *app) Attempt() int { return int(a.attempt) }

func (a *app) Allocate(req *protocol.AllocateRequest, resp *protocol.AllocateResponse) error {
	s := a.s
	if s.ahead.on {
		s.rm.Ends(a.id, resp)
		resp.Nodes = len(s.nodes.registered)
		if len(req.Releases) > 0 {
			a.giveBack(req.Releases)
		} else {
			a.HeartbeatNow()
		}
		return nil
	}
	a.asked(s, req)
	if s.reasons != nil {
		s.reasons.changed()
		s.reasons.wake(a)
	}
	if err := s.rm.Allocate(s.now, a.id, req, resp); err != nil {
		return err
	}
	resp.UpdatedNodes = append(resp.UpdatedNodes[:0], a.updates...)
	a.updates = a.updates[:0]
	for i := range resp.Allocated {
		fetch.Of(a.containerOf(resp.Allocated[i].ID.Number()))
	}
	for i := range resp.Allocated {
		a.containerOf(resp.Allocated[i].ID.Number()).rec.Acquired = s.now
	}
	return nil
}

func (a *app) Unregister(reason string) {
	s := a.s
	for _, c := range a.containers { // whose processes it ends next
		if c != nil {
			fetch.Head(&c.node, unsafe.Sizeof(*c)-unsafe.Offsetof(c.node))
		}
	}
	fetch.Next(a.exits[:0], len(a.containers))
	s.rm.FetchEnd(a.id, 0, 0)
	s.rm.Unregister(s.now, a.id)
	a.decided(reason)
}

// decided notes the outcome of an application: with a reason it has failed.
func (a *app) decided(reason string) {
	if reason != "" {
		a.rec.Outcome, a.rec.Reason = record.JobFailed, reason
		a.s.warnings.ended("job-failed", "%s failed: %s", record.JobCalled(a.rec.ID, a.rec.Name, a.rec.ExternalID), reason)
	} else {
		a.rec.Outcome = record.JobSucceeded
	}
}

func (a *app) Withdraw(reason string) {
	a.decided(reason)
	if r := a.s.reasons; r != nil {
		r.changed()
		r.wake(a)
	}
	a.s.rm.Withdraw(a.s.now, a.id)
}

func (a *app) Fails(reason string) { a.failure = reason }

func (a *app) Cluster() *master.Cluster { return &a.s.cluster }

func (a *app) Down(node int32) bool { return a.s.isDown(protocol.NodeID(node)) }

func (a *app) InCluster(node int32) bool { return a.s.rm.Registered(protocol.NodeID(node)) }

func (a *app) Start(c int64, at int64) { a.s.startContainer(a, c, at) }

func (a *app) End(c int64, at int64) { a.s.endProcess(a, c, at) }

func (a *app) EndAll(at int64) { a.s.endProcesses(a, at) }

func (a *app) EndAM(at int64) {
	a.s.rm.FetchEnd(a.id, 0, 1)
	a.s.endProcess(a, a.am, at)
}

func (a *app) Running(c int64) bool {
	x := a.containerOf(c)
	return x != nil && x.process == running
}

func (a *app) Job() *record.Job { return a.rec }

func (a *app) Container(c int64) *record.Container {
	if x := a.containerOf(c); x != nil {
		return &x.rec
	}
	return nil
}

func (a *app) Room(c int64) master.Room { return a.s.hinted.take(&a.containerOf(c).room) }

func (a *app) Busy(cores int32) {
	if cores > 0 {
		a.s.move()
	}
	if x := &a.s.ahead; x.on {
		if a.s.now > x.seen {
			a.s.foreseeSample(a)
		}
		x.cores += int64(cores)
		return
	}
	a.s.queues.work(a.usage, int64(cores))
}

func (a *app) Heartbeat() {
	a.s.totals.AMHeartbeats++
	a.s.totals.ExecutedAMHeartbeats++
}

func (a *app) Task(r *record.Task) {
	r.AMAttempt = int64(a.attempt)
	if r.End == record.TaskSuccess {
		a.done.add(a.job, r.Stage, r.Index)
	}
	if a.s.written++; a.s.written&0xff == 0 {
		a.s.progress.Tasks.Store(a.s.written)
	}
	if a.s.scaling != nil {
		a.s.scaling.sawTask(r)
	}
	if a.s.ahead.on && a.s.ahead.keeps {
		a.s.ahead.rows.Put(a.s.now, a.s.reached, r)
		return
	}
	a.s.sink.Task(r)
}

func (a *app) Warn(code, format string, args ...any) { a.s.warnings.add(code, format, args...) }

func (a *app) Broken(format string, args ...any) { a.s.broken(format, args...) }
