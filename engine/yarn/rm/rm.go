// Package rm plays the ResourceManager around a [yarn.Scheduler]: the life of applications and
// their attempts, what NodeManagers report with their heartbeats, clean-up of containers, and the
// answers to application masters.
//
// It has no clock of its own: every call says what time it is, and what takes time (starting and
// ending processes) is asked of the [Host], which reports back.
package rm

import (
	"cmp"
	"fmt"
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

// Host is the world around the ResourceManager.
type Host interface {
	// LaunchAM asks the launcher to start the AM container of an application.
	LaunchAM(protocol.Container)
	// Kill tells the NodeManager, with a heartbeat at a time that may have passed or is to come, to end the process of a container; its end is
	// to be reported by [RM.ProcessExited].
	Kill(id protocol.ContainerID, at int64)
	// KillLater is Kill with the node's next heartbeat, which comes at a time if it comes. When the end of the process is due [RM.Told] says
	// whether it came.
	KillLater(node protocol.NodeID, id protocol.ContainerID, at int64)
	// NextBeat returns the number of the first node heartbeat that has not passed, as [yarn.Elider] numbers them, and BeatAt the time
	// of one.
	NextBeat() int64
	BeatAt(h int64) int64
	// Expired says that a container is about to end because it was not started in time.
	Expired(protocol.ContainerID)
	// Fetch has fetched (package fetch) what is kept of a container whose end is about to be observed: where it is found with step 0, the container with step 1.
	Fetch(id protocol.ContainerID, step int)
	// Observe sees everything that the scheduler does, in order. It must not call back. ObserveLate is the same for what it did at a time that has passed: a container has ended.
	Observe(*yarn.Event)
	ObserveLate(e *yarn.Event, at int64)
	// AttemptEnded says that an application's attempt has left the scheduler. With ok false its AM container
	// ended with exit before unregistering. With again true the application stays and its next attempt begins at
	// once, else it has left.
	AttemptEnded(app protocol.AppID, ok bool, exit int32, again bool)
	// Refused says that an attempt after the first was refused: the application has left the scheduler.
	Refused(protocol.AppID, error)
	// At schedules a timer, to be given back to [RM.Fire] at that time; number orders timers of one kind and millisecond.
	At(at int64, t Timer, number, arg int64)
	// Passed reports whether what is being executed comes behind the place of a timer of number 0 in its millisecond.
	Passed(t Timer) bool
	// NodeGone says that a node has left the cluster by the ResourceManager's own decision: it sends no more heartbeats.
	NodeGone(protocol.NodeID)
	// Warn counts something that the user should know.
	Warn(code, text string)
}

// Config is what the ResourceManager reads of yarn-site.xml, times in ms.
type Config struct {
	StartMS           int64   // time 0 of the callers on the scheduler's clock; enters the ids of applications
	ContainerExpiryMS int64   // yarn.resourcemanager.rm.container-allocation.expiry-interval-ms
	NodeExpiryMS      int64   // yarn.nm.liveness-monitor.expiry-interval-ms
	MasterExpiryMS    int64   // yarn.am.liveness-monitor.expiry-interval-ms
	MaxAttempts       int     // yarn.resourcemanager.am.max-attempts, of an application that asks for none
	GlobalMaxAttempts int     // yarn.resourcemanager.am.global.max-attempts, as many as it may ask for
	AvoidsFailed      bool    // yarn.resourcemanager.am-scheduling.node-blacklisting-enabled
	AvoidsAtMost      float32 // yarn.resourcemanager.am-scheduling.node-blacklisting-disable-threshold, of the nodes
	Preemption        bool
	ContinuousMS      int64 // pause between passes of continuous scheduling; 0 = off
	Dense             bool  // everything is executed, whether it can have an effect or not
	KillsLater        bool  // [Host.KillLater] may be asked
	Drains            bool  // nodes may be decommissioned gracefully
	HeartbeatMS       int64 // yarn.resourcemanager.nodemanagers.heartbeat-interval-ms
	Loader            bool  // the FairScheduler has an allocation file, which its loader looks after
	Reloads           []Reload
	Types             []string          // names of resource types by their index, for messages
	LeastNode         resource.Resource // what a node must have
}

// A Reload is an allocation file that comes into force later.
type Reload struct {
	AtMS int64
	Name string // of the file, for messages
	File *conf.Allocations
}

// RM is a ResourceManager with its NodeManagers' reports. Use [New].
type RM struct {
	sched   yarn.Scheduler
	decides yarn.Elider // sched, nil where it is none
	ender   yarn.Ender  // likewise
	shown   bool        // see [RM.ExecuteEnds]
	late    bool        // what is observed was to be seen at another time: lateMS
	lateMS  int64
	endLate bool         // see [RM.EndLate]
	matters bool         // see [yarn.Ender], as of the last answer of [RM.NextHeartbeat]
	fetches yarn.Fetcher // likewise
	bounds  yarn.Bounder // likewise
	spares  yarn.Sparing // likewise where containers are preempted, else nil
	host    Host
	config  Config

	apps  []*app // by number, nil for one that has no attempt
	live  int    // of them
	nodes []node
	work  []work // what inputs left for the dispatcher, first in first out

	unheard   int        // processes on all nodes, and nodes that drain
	exceeding int        // nodes, see [RM.Exceeding]
	due       yarn.Ranks // nodes with news, by rank: their next heartbeat is executed
	dues      int        // how many
	news      bool       // one of them has come since it was looked for the next
	known     known
	idle      idle
	expirer   expirer
	masters   [2]monitor // of application masters that have not unregistered, and of those that have
	silent    []silence  // of them
	woken     bool       // the update thread, see [RM.Woken]
	killAt    int64      // the preemption kill that is scheduled
	launched  []protocol.ContainerID
	completed []protocol.Status // ends that a node is reporting
	given     resource.Resource // at this heartbeat, to its node
	kills     []protocol.ContainerID
	firstOf   []int32                // by node, scratch: its first status
	exited    []protocol.ContainerID // by node: the last one whose process has ended there, for [RM.fetchAt]
	fetching  [1]yarn.Placed         // scratch of [RM.fetchCompleted]
	spare     []*app                 // attempts that have ended, for others
	first     struct {
		req  protocol.AllocateRequest // for the container of an application master
		resp protocol.AllocateResponse
	}
}

// app is a live application attempt.
type app struct {
	spec         yarn.AppSpec
	attempt      int32                // from 1
	place        int32                // its master's in the monitor, 0 where none watches it
	failures     []int64              // when those of the attempts before have failed that count, see [RM.failing]
	avoids       []protocol.Name      // nodes on which masters of these have failed, while [Config.AvoidsFailed]
	am           protocol.ContainerID // zero until pulled
	unregistered bool
	heard        int64 // its master's last call

	completed []nodeStatus // since the last allocate
	watched   []bool       // by number within the attempt: acquired and not yet heard of
}

type nodeStatus struct {
	node protocol.NodeID
	protocol.Status
}

type workKind uint8

const (
	pullAM workKind = iota
	amEnded
	amFailed  // before it had unregistered; what it has come to is stored
	nextBegin // of an application that has another attempt
)

type work struct {
	kind workKind
	id   protocol.ContainerID // it is about an attempt's container; nothing is to be done when the attempt has ended
	exit int32
	next *app // the attempt that begins
}

// New returns a ResourceManager around the scheduler that make builds with the given observer, and schedules its timers.
func New(host Host, c Config, make func(yarn.Observer) (yarn.Scheduler, error)) (*RM, error) {
	r := &RM{host: host, config: c}
	s, err := make(r.observe)
	if err != nil {
		return nil, err
	}
	r.sched = s
	r.decides, _ = s.(yarn.Elider)
	r.ender, _ = s.(yarn.Ender)
	r.fetches, _ = s.(yarn.Fetcher)
	r.bounds, _ = s.(yarn.Bounder)
	if l, can := s.(yarn.Literal); can && c.Dense {
		l.Literally()
	}
	r.startTimers()
	return r, nil
}

// clock begins an input at a time.
func (r *RM) clock(now int64) {
	r.Hear()
	r.settle()
	r.resume(now)
	r.sched.SetClock(r.config.StartMS + now)
}

// app returns the attempt of an application, nil when it has none.
func (r *RM) app(id protocol.AppID) *app {
	if id < 0 || int(id) >= len(r.apps) {
		return nil
	}
	return r.apps[id]
}

// enter makes an attempt that of its application; leave takes the attempt of an application out.
func (r *RM) enter(a *app) {
	if more := int(a.spec.ID) + 1 - len(r.apps); more > 0 {
		r.apps = append(r.apps, make([]*app, more)...)
	}
	r.leave(a.spec.ID)
	r.apps[a.spec.ID] = a
	r.live++
}

func (r *RM) leave(id protocol.AppID) {
	if a := r.app(id); a != nil {
		r.unwatchAll(a)
		r.unwatchMaster(a)
		r.apps[id] = nil
		r.live--
		r.spare = append(r.spare, a)
	}
}

// newApp returns the first attempt of an application, in the memory of one that has ended if there is one.
func (r *RM) newApp(spec yarn.AppSpec) *app {
	n := len(r.spare)
	if n == 0 {
		return &app{spec: spec, attempt: 1}
	}
	a := r.spare[n-1]
	r.spare = r.spare[:n-1]
	*a = app{spec: spec, attempt: 1, completed: a.completed[:0], watched: a.watched[:0]}
	return a
}

// newAttempt returns the attempt after another one of an application.
func (r *RM) newAttempt(before *app) *app {
	last := *before // whose memory it may get
	a := r.newApp(last.spec)
	a.attempt, a.failures, a.avoids = last.attempt+1, last.failures, last.avoids
	return a
}

// Scheduler returns the scheduler, for reading its state.
func (r *RM) Scheduler() yarn.Scheduler { return r.sched }

// observe is the scheduler's observer.
func (r *RM) observe(e *yarn.Event) {
	switch e.Kind {
	case yarn.Allocated:
		if e.Update == (protocol.ContainerID{}) {
			n := &r.nodes[e.Container.Node]
			n.allocated.AddTo(&e.Container.Size)
			r.given.AddTo(&e.Container.Size)
			if a := r.attemptOf(e.Container.ID); a != nil && a.am == (protocol.ContainerID{}) && !a.spec.Unmanaged {
				r.work = append(r.work, work{kind: pullAM, id: e.Container.ID})
			}
		}
	case yarn.Completed:
		r.containerEnded(e)
	}
	if r.late {
		r.host.ObserveLate(e, r.lateMS)
		return
	}
	r.host.Observe(e)
}

func (r *RM) containerEnded(e *yarn.Event) {
	id := e.Container.ID
	n := &r.nodes[e.Container.Node]
	reported := r.reports(id)
	if !reported { // else the process has gone
		if p := n.proc(id); p != nil {
			if p.held = e.Launched; p.held {
				n.end(id).size = e.Container.Size
			}
			r.cleanUp(n, p)
		}
	}
	// A container that the node reported as running keeps its space until the node reports its end.
	if !e.Launched || reported {
		n.free(id, e.Container.Size)
	}
	a := r.attemptOf(id)
	if a == nil {
		return
	}
	r.unwatch(a, id)
	if a.am == (protocol.ContainerID{}) {
		r.work = slices.DeleteFunc(r.work, func(w work) bool { return w.kind == pullAM && w.id == id })
	}
	if id == a.am {
		r.avoid(a, n, e.Exit)
		r.work = append(r.work, work{kind: amEnded, id: id, exit: e.Exit})
		return
	}
	if a.unregistered { // and asks no more
		return
	}
	if e.Update != (protocol.ContainerID{}) {
		id = e.Update
	}
	a.completed = append(a.completed, nodeStatus{e.Container.Node, protocol.Status{ID: id, Exit: e.Exit}})
}

// reports reports whether a node is reporting the end of a container.
func (r *RM) reports(id protocol.ContainerID) bool {
	for i := range r.completed {
		if r.completed[i].ID == id {
			return true
		}
	}
	return false
}

// drain runs the dispatcher until it has nothing to do.
func (r *RM) drain(now int64) { r.dispatch(now, false) }

// dispatch is drain, or leaves what follows from the ends of attempts that have failed. It takes some steps more than what follows from other ends, each behind what is there
// already: where several attempts fail at once, all leave the scheduler before the next ones come.
//
// Source: RMAppAttemptImpl.FinalSavingTransition, RMAppImpl.AttemptFailedTransition.
func (r *RM) dispatch(now int64, leaveFailed bool) {
	for i := 0; i < len(r.work); {
		w := r.work[i]
		if leaveFailed && w.kind >= amFailed {
			i++
			continue
		}
		r.work = slices.Delete(r.work, i, i+1)
		if w.kind == nextBegin {
			r.begin(w.next)
			continue
		}
		a := r.attemptOf(w.id)
		if a == nil {
			continue
		}
		switch w.kind {
		case pullAM:
			if a.am != (protocol.ContainerID{}) { // the one of the master was pulled together with it, see [yarn.Overcommitter]
				r.watch(now, a, w.id)
				continue
			}
			if c, ok := r.sched.PullAM(w.id.App); ok {
				a.am = c.ID
				if n := &r.nodes[c.Node]; r.config.Drains {
					n.masters = append(n.masters, c.ID)
				}
				r.watch(now, a, c.ID)
				r.host.LaunchAM(c)
			}
		case amEnded, amFailed:
			if w.kind == amEnded && !a.unregistered {
				w.kind = amFailed
				r.work = append(r.work, w)
				continue
			}
			r.endAttempt(now, a, w.exit)
		}
	}
}

func (r *RM) remove(id protocol.AppID) {
	// The attempt's own completions are nobody's any more.
	r.leave(id)
	r.sched.RemoveApp(id)
}

// Largest is the largest container that some queue can have.
//
// Source: ClientRMService.getNewApplication.
func (r *RM) Largest(now int64) resource.Resource {
	r.clock(now)
	return r.sched.MaxAllocation("")
}

// Submit takes an application in and stores the ask for its AM container. The error is a
// *yarn.Rejection, or says that the AM container is larger than the queue allows.
//
// Source: RMAppManager, steps 1 to 6 of an application's life.
func (r *RM) Submit(now int64, spec yarn.AppSpec) error {
	r.clock(now)
	if m := r.sched.MaxAllocation(spec.Queue); !spec.AMSize.FitsIn(m) {
		more, most := spec.AMSize.Over(m, r.config.Types)
		return &yarn.Rejection{App: spec.ID, Text: fmt.Sprintf("the AM container asks for %s, the largest allocation of queue %s is %s", more, spec.Queue, most)}
	}
	if s, ok := r.sched.(yarn.Submitter); ok {
		spec = s.Submission(spec)
	}
	if err := r.sched.AddApp(spec); err != nil {
		return err
	}
	if err := r.startAttempt(r.newApp(spec)); err != nil {
		r.remove(spec.ID)
		return err
	}
	r.drain(now)
	return nil
}

// Unregister is the end of an application as its master says it. The attempt leaves the scheduler
// when its AM container is reported finished.
func (r *RM) Unregister(now int64, id protocol.AppID) {
	if a := r.app(id); a != nil {
		r.unwatchMaster(a)
		a.unregistered, a.heard = true, now
		r.watchMaster(a)
	}
}

// Withdraw ends an application at once, whatever its attempt does, unless it has unregistered: that has an outcome.
//
// Source: ClientRMService.forceKillApplication, RMAppImpl.isAppFinalStateStored.
func (r *RM) Withdraw(now int64, id protocol.AppID) {
	if a := r.app(id); a != nil && !a.unregistered {
		r.clock(now)
		r.unwatchMaster(a)
		a.unregistered = true
		r.endAttempt(now, a, protocol.ExitAborted)
		r.drain(now)
	}
}

// Allocate is an AM heartbeat. An invalid ask voids the whole call.
//
// Source: ApplicationMasterService.allocate.
func (r *RM) Allocate(now int64, id protocol.AppID, req *protocol.AllocateRequest, resp *protocol.AllocateResponse) error {
	a := r.app(id)
	if a == nil {
		return fmt.Errorf("application %d is not known to the ResourceManager", id)
	}
	r.clock(now)
	if a.unregistered {
		*resp = protocol.AllocateResponse{}
		return nil
	}
	a.heard = now
	if len(req.Asks) > 0 {
		m := r.maxOf(a)
		for i := range req.Asks {
			s := req.Asks[i].Size
			if !(resource.Resource{}).FitsIn(s) {
				return protocol.InvalidAsk(fmt.Sprintf("application %d asks for a container of %s, and there is none of less than nothing", id, s.Text(r.config.Types)))
			}
			if !s.FitsIn(m) {
				more, most := s.Over(m, r.config.Types)
				return protocol.InvalidAsk(fmt.Sprintf("application %d asks for a container of %s, the largest allocation of queue %s is %s", id, more, a.spec.Queue, most))
			}
		}
	}
	statuses := len(a.completed) // completions caused by this call are not in its own answer
	if err := r.sched.Allocate(id, req, resp); err != nil {
		return err
	}
	for i := range resp.Allocated {
		r.watch(now, a, resp.Allocated[i].ID)
	}
	if resp.Completed = resp.Completed[:0]; statuses > 0 {
		resp.Completed = r.byNode(resp.Completed, a.completed[:statuses])
		a.completed = a.completed[:copy(a.completed, a.completed[statuses:])]
	}
	r.drain(now)
	return nil
}

// maxOf is the largest container that an application may ask for.
func (r *RM) maxOf(a *app) resource.Resource {
	if r.bounds != nil {
		return r.bounds.MaxOf(a.spec.ID)
	}
	return r.sched.MaxAllocation(a.spec.Queue)
}

// Foretell says that a container of an application, which its master is about to give back, has ended: [RM.Ends] and [RM.Allocate] tell so from now on, as they would
// if it had been given back. [RM.Release] is to follow.
func (r *RM) Foretell(node protocol.NodeID, id protocol.ContainerID) {
	a := r.app(id.App)
	a.completed = append(a.completed, nodeStatus{node, protocol.Status{ID: id, Exit: protocol.ExitAborted}})
}

// Release is a heartbeat at which an application master does nothing but give containers back of which was foretold that they have ended. It has its answer.
func (r *RM) Release(now int64, id protocol.AppID, req *protocol.AllocateRequest, resp *protocol.AllocateResponse) error {
	a := r.app(id)
	r.clock(now)
	a.heard = now
	told := len(a.completed)
	err := r.sched.Allocate(id, req, resp)
	a.completed = a.completed[:told]
	r.drain(now)
	return err
}

// Ends says which containers have ended, as [RM.Allocate] does to a heartbeat that asks for nothing and is given nothing else but the number of
// nodes. It leaves the clock as it is.
func (r *RM) Ends(id protocol.AppID, resp *protocol.AllocateResponse) {
	resp.Reset()
	a := r.app(id)
	resp.Completed = r.byNode(resp.Completed, a.completed)
	a.completed = a.completed[:0]
}

// Heard says that heartbeats of an attempt's master that were left out have heard of the ends of so many of its containers, those that ended first.
func (r *RM) Heard(id protocol.AppID, attempt int32, n int) {
	if a := r.app(id); a != nil && a.attempt == attempt {
		a.completed = a.completed[:copy(a.completed, a.completed[n:])]
	}
}

// byNode appends statuses grouped by node, in the order in which nodes first occur, keeping the order within
// a node; s is sorted so. (YARN walks a ConcurrentHashMap of node ids.)
func (r *RM) byNode(out []protocol.Status, s []nodeStatus) []protocol.Status {
	if len(s) > 1 {
		r.firstOf = slices.Grow(r.firstOf[:0], len(r.nodes))[:len(r.nodes)]
		first := r.firstOf
		for i := range slices.Backward(s) {
			first[s[i].node] = int32(i)
		}
		slices.SortStableFunc(s, func(x, y nodeStatus) int { return cmp.Compare(first[x.node], first[y.node]) })
	}
	for i := range s {
		out = append(out, s[i].Status)
	}
	return out
}
