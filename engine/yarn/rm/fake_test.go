package rm_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/engine/yarn/rm"
	"replay/policy/resource"
)

// startMS is time 0 of the callers on the scheduler's clock.
const startMS = 1000

// world is a ResourceManager between a scheduler that writes down what it is asked and a host that writes down what it is
// told. What the scheduler does by itself a test says in the fields that start with on.
type world struct {
	t       *testing.T
	r       *rm.RM
	log     []string
	observe yarn.Observer

	most      resource.Resource
	addErr    error
	askErr    error
	reloadErr error
	pull      *protocol.Container
	onNode    func(protocol.NodeID)            // during a node's heartbeat
	onAsk     func(*protocol.AllocateResponse) // during an allocate
	onRemove  func(protocol.AppID)             // while an application leaves
	onExpire  func(protocol.ContainerID)       // when a container expires
	onAny     func()                           // once, in whatever is asked next but the clock and the leaving of an application
	submit    func(yarn.AppSpec) yarn.AppSpec  // nil: the scheduler leaves submissions alone
	kills     []int64                          // when preempted containers are due, on the scheduler's clock
	events    []yarn.EventKind                 // seen by the host
}

// The scheduler of a world, with the optional parts apart.
type (
	scheduler struct{ *world }
	submitter struct{ scheduler }
	preempter struct{ scheduler }
	reloader  struct{ scheduler }
	drainer   struct{ scheduler }
	ender     struct{ scheduler }

	unreserver struct{ ender }
)

var (
	_ yarn.Reloader   = reloader{}
	_ yarn.Continuous = reloader{}
	_ yarn.Submitter  = submitter{}
	_ yarn.Preempter  = preempter{}

	_ yarn.Decommissioner = drainer{}
	_ yarn.Overcommitter  = ender{}
	_ yarn.Unreserver     = unreserver{}
)

func newWorld(t *testing.T, wrap func(scheduler) yarn.Scheduler) *world {
	return newWorldOf(t, config, wrap)
}

var config = rm.Config{StartMS: startMS, ContainerExpiryMS: 600, NodeExpiryMS: 900, MasterExpiryMS: 1200, MaxAttempts: 2, GlobalMaxAttempts: 3, Drains: true, HeartbeatMS: 1000}

func newWorldOf(t *testing.T, c rm.Config, wrap func(scheduler) yarn.Scheduler) *world {
	t.Helper()
	w := &world{t: t, most: resource.R(8192, 8)}
	var err error
	w.r, err = rm.New(w, c, func(o yarn.Observer) (yarn.Scheduler, error) {
		w.observe = o
		return wrap(scheduler{w}), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func plain(s scheduler) yarn.Scheduler { return s }

// asked does what onAny says.
func (w *world) asked() {
	if do := w.onAny; do != nil {
		w.onAny = nil
		do()
	}
}

func (w *world) note(format string, args ...any) { w.log = append(w.log, fmt.Sprintf(format, args...)) }

// want compares what happened since the last call.
func (w *world) want(what string, lines ...string) {
	w.t.Helper()
	if !slices.Equal(w.log, lines) {
		w.t.Errorf("%s:\n got %q\nwant %q", what, w.log, lines)
	}
	w.log = nil
}

func text(id protocol.ContainerID) string { return fmt.Sprintf("%d-%d", id.App, id.N) }

func texts(ids []protocol.ContainerID) (out []string) {
	for _, id := range ids {
		out = append(out, text(id))
	}
	return out
}

func statuses(list []protocol.Status) (out []string) {
	for _, s := range list {
		out = append(out, fmt.Sprintf("%s:%d", text(s.ID), s.Exit))
	}
	return out
}

func (s scheduler) SetClock(now int64) { s.note("clock %d", now) }

func (s scheduler) AddNode(nodes ...yarn.NodeSpec) {
	for _, n := range nodes {
		s.note("add node %d of %v", n.ID, n.Total)
	}
	s.asked()
}

func (s scheduler) RemoveNode(id protocol.NodeID) {
	s.note("remove node %d", id)
	s.asked()
}

func (s scheduler) SetNodeTotal(id protocol.NodeID, total resource.Resource) {
	s.note("node %d has %v", id, total)
	s.asked()
}

func (s scheduler) AddApp(a yarn.AppSpec) error {
	s.note("add application %d with %v", a.ID, a.AMSize)
	return s.addErr
}

func (s scheduler) AddAttempt(id protocol.AppID) { s.note("add attempt %d", id) }

func (s scheduler) RemoveAttempt(id protocol.AppID) {
	s.note("remove attempt %d", id)
	if s.onRemove != nil {
		s.onRemove(id)
	}
}

func (s scheduler) RemoveApp(id protocol.AppID) {
	s.note("remove application %d", id)
	if s.onRemove != nil {
		s.onRemove(id)
	}
}

func (s scheduler) Allocate(id protocol.AppID, req *protocol.AllocateRequest, resp *protocol.AllocateResponse) error {
	s.note("allocate %d: %v", id, req.Asks)
	if len(req.BlacklistAdd) > 0 {
		s.note("not on %v", req.BlacklistAdd)
	}
	resp.Reset()
	s.asked()
	if s.onAsk != nil {
		s.onAsk(resp)
	}
	return s.askErr
}

func (s scheduler) PullAM(id protocol.AppID) (protocol.Container, bool) {
	s.note("pull master of %d", id)
	if s.pull == nil {
		return protocol.Container{}, false
	}
	return *s.pull, true
}

func (s scheduler) NodeUpdate(id protocol.NodeID, launched []protocol.ContainerID, completed []protocol.Status) {
	s.note("node %d: launched %v, completed %v", id, texts(launched), statuses(completed))
	s.asked()
	if s.onNode != nil {
		s.onNode(id)
	}
}

func (s scheduler) Expire(id protocol.ContainerID) {
	s.note("expire %s", text(id))
	s.asked()
	if s.onExpire != nil {
		s.onExpire(id)
	}
}

func (s scheduler) Update() {
	s.note("update")
	s.asked()
}

func (s scheduler) MaxAllocation(string) resource.Resource { return s.most }
func (s scheduler) NodeName(id protocol.NodeID) (protocol.Name, bool) {
	return protocol.Name(10 + id), true
}
func (s scheduler) Place(_, queue string) (string, error) { return queue, nil }
func (s scheduler) Queues(func(*yarn.QueueState))         {}

func (s submitter) Submission(a yarn.AppSpec) yarn.AppSpec { return s.submit(a) }

func (s drainer) Decommissioning(n protocol.NodeID, on bool) {
	s.note("node %d is being decommissioned: %v", n, on)
}

func (s ender) Excess(n protocol.NodeID) []*yarn.Container {
	s.note("find what is too much on node %d", n)
	return []*yarn.Container{{Node: &yarn.Node{NodeSpec: yarn.NodeSpec{ID: n}}}}
}

func (s ender) OvercommittedUpdate(n protocol.NodeID, launched []protocol.ContainerID, completed []protocol.Status) []*yarn.Container {
	excess := s.Excess(n) // before the heartbeat gives anything away
	s.NodeUpdate(n, launched, completed)
	return excess
}

func (s ender) EndExcess(excess []*yarn.Container) {
	for _, c := range excess {
		s.note("end what is too much on node %d", c.Node.ID)
	}
	s.asked()
}

func (s unreserver) Unreserve(n protocol.NodeID) { s.note("nothing stays reserved on node %d", n) }

func (s preempter) Preempt() { s.note("preempt") }
func (s preempter) KillDue() {
	s.note("kill what is due")
	s.asked()
}

func (s preempter) Spares(_ protocol.AppID, now int64) int64 {
	at, ok := s.NextKill()
	if !ok {
		return now
	}
	return at
}

func (s preempter) NextKill() (int64, bool) {
	if len(s.kills) == 0 {
		return 0, false
	}
	return s.kills[0], true
}

func (s reloader) Reload(*conf.Allocations) error {
	s.note("reload")
	s.asked()
	return s.reloadErr
}

func (s reloader) Cleanup() {
	s.note("cleanup")
	s.asked()
}

func (s reloader) ContinuousPass() {
	s.note("pass")
	s.asked()
}

func (w *world) LaunchAM(c protocol.Container) {
	w.note("launch %d as %s", c.ID.App, text(c.ID))
}
func (w *world) Expired(id protocol.ContainerID) { w.note("%s was not started in time", text(id)) }
func (w *world) NodeGone(id protocol.NodeID)     { w.note("node %d is gone", id) }
func (w *world) Warn(code, text string)          { w.note("%s: %s", code, text) }
func (w *world) Kill(id protocol.ContainerID, at int64) {
	w.note("kill %s at %d", text(id), at)
}
func (w *world) KillLater(_ protocol.NodeID, id protocol.ContainerID, at int64) {
	w.note("kill %s later at %d", text(id), at)
}
func (w *world) NextBeat() int64                 { return 0 }
func (w *world) BeatAt(int64) int64              { return 0 }
func (w *world) Fetch(protocol.ContainerID, int) {}
func (w *world) Passed(rm.Timer) bool            { return false }
func (w *world) Observe(e *yarn.Event)           { w.events = append(w.events, e.Kind) }
func (w *world) ObserveLate(e *yarn.Event, at int64) {
	w.events = append(w.events, e.Kind)
}
func (w *world) AttemptEnded(id protocol.AppID, ok bool, exit int32, again bool) {
	w.note("attempt %d ended: %v, %d%s", id, ok, exit, map[bool]string{true: ", again"}[again])
}

func (w *world) Refused(id protocol.AppID, err error) {
	w.note("application %d is refused: %v", id, err)
}

func (w *world) At(at int64, t rm.Timer, number, arg int64) {
	w.note("%s at %d: %d %d", timers[t], at, number, arg)
}

var timers = [...]string{
	rm.NodeExpired: "node expires", rm.ExpiryCheck: "expiry check", rm.PreemptionKill: "preemption kill",
	rm.Cleanup: "cleanup", rm.ReloadFile: "reload", rm.ContinuousPass: "pass", rm.MasterExpired: "master expires",
}

var size = resource.R(1024, 1)

func cid(app protocol.AppID, n int64) protocol.ContainerID {
	return protocol.ContainerID{App: app, N: n}
}

// allocated says that the scheduler has allocated a container.
func (w *world) allocated(id protocol.ContainerID, node protocol.NodeID) {
	w.observe(&yarn.Event{Kind: yarn.Allocated, App: id.App, Container: protocol.Container{ID: id, Node: node, Size: size}})
}

// ended says that the scheduler has ended a container.
func (w *world) ended(id protocol.ContainerID, node protocol.NodeID, exit int32, launched bool) {
	w.observe(&yarn.Event{Kind: yarn.Completed, App: id.App, Exit: exit, Launched: launched, Container: protocol.Container{ID: id, Node: node, Size: size}})
}

// node registers a node of 8 GiB at 0 ms and forgets what was logged so far.
func (w *world) node(id protocol.NodeID) {
	w.r.AddNode(0, yarn.NodeSpec{ID: id, Total: resource.R(8192, 8)})
	w.log = nil
}

// app submits an application of one attempt whose master runs in container 1 of node 0.
func (w *world) app(id protocol.AppID) { w.appOf(id, 1) }

// appOf is app with so many attempts.
func (w *world) appOf(id protocol.AppID, attempts int) {
	w.t.Helper()
	if err := w.r.Submit(0, yarn.AppSpec{ID: id, Queue: "root.q", AMSize: size, MaxAttempts: attempts}); err != nil {
		w.t.Fatal(err)
	}
	w.pull = &protocol.Container{ID: cid(id, 1)}
	w.beat(0, 0, func() { w.allocated(cid(id, 1), 0) })
	w.pull = nil
	w.log = nil
}

// beat is a node's heartbeat in which the scheduler does something.
func (w *world) beat(now int64, id protocol.NodeID, do func()) {
	w.onNode = func(protocol.NodeID) {
		if do != nil {
			do()
		}
	}
	w.r.NodeHeartbeat(now, id)
	w.onNode = nil
}

// run starts a container's process and lets the node report it.
func (w *world) run(id protocol.ContainerID, node protocol.NodeID) {
	w.r.ContainerStarted(node, id)
	w.r.NodeHeartbeat(0, node)
	w.log = nil
}

var errScheduler = errors.New("refused by the scheduler")

// grown says that the scheduler has allocated the growth of a container.
func (w *world) grown(id protocol.ContainerID, node protocol.NodeID, of protocol.ContainerID) {
	w.observe(&yarn.Event{Kind: yarn.Allocated, App: id.App, Update: of, Container: protocol.Container{ID: id, Node: node, Size: size}})
}
