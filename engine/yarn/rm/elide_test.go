package rm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// quietScheduler writes down what it is asked.
type quietScheduler struct {
	yarn.Scheduler
	clock int64
	log   []string
}

func (s *quietScheduler) SetClock(now int64) { s.clock = now }
func (s *quietScheduler) AddNode(nodes ...yarn.NodeSpec) {
	for _, n := range nodes {
		s.note("node %d", n.ID)
	}
}
func (s *quietScheduler) Update() { s.note("update") }
func (s *quietScheduler) NodeUpdate(protocol.NodeID, []protocol.ContainerID, []protocol.Status) {
	s.note("heartbeat")
}
func (s *quietScheduler) MaxAllocation(string) resource.Resource { return resource.R(1<<20, 100) }
func (s *quietScheduler) RemoveNode(protocol.NodeID)             {}
func (s *quietScheduler) AddApp(yarn.AppSpec) error              { s.note("app"); return nil }
func (s *quietScheduler) AddAttempt(protocol.AppID)              {}
func (s *quietScheduler) Allocate(protocol.AppID, *protocol.AllocateRequest, *protocol.AllocateResponse) error {
	return nil
}
func (s *quietScheduler) ContinuousPass() { s.note("pass") }

func (s *quietScheduler) note(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf("%d ", s.clock)+fmt.Sprintf(format, args...))
}

// elidingScheduler leaves out what it is told to.
type elidingScheduler struct {
	quietScheduler
	next int64
	due  bool
}

func (s *elidingScheduler) Epoch(ranks []protocol.NodeID)         { s.note("epoch %v", ranks) }
func (s *elidingScheduler) Beats(int, bool)                       {}
func (s *elidingScheduler) NextHeartbeat(h, limit, _ int64) int64 { return min(s.next, limit) }
func (s *elidingScheduler) Still() bool                           { return true }
func (s *elidingScheduler) CreditHeartbeats(h, end int64)         { s.note("credit %d to %d", h, end) }
func (s *elidingScheduler) Launched(n protocol.NodeID, ids []protocol.ContainerID) {
	s.note("node %d launched %d", n, len(ids))
}
func (s *elidingScheduler) UpdateDue() bool       { return s.due }
func (s *elidingScheduler) CreditUpdate(at int64) { s.note("credit update %d", at) }
func (s *elidingScheduler) Settle()               { s.note("settle") }

// endingScheduler leaves out heartbeats at which containers end.
type endingScheduler struct {
	elidingScheduler
	refuses, matter bool
	ends            func() // what it does when it hears of ends
}

func (s *endingScheduler) Ending(n protocol.NodeID, size resource.Resource) bool {
	s.note("node %d will have %v", n, size)
	return !s.refuses
}

func (s *endingScheduler) Finishing(n protocol.NodeID, id protocol.ContainerID) bool {
	s.note("node %d will have what %d has", n, id.N)
	return !s.refuses
}

func (s *endingScheduler) EndsMatter() bool { return s.matter }

func (s *endingScheduler) Ended(n protocol.NodeID, ended []protocol.Status) {
	s.note("node %d ended %d", n, len(ended))
	if s.ends != nil {
		s.ends()
	}
}

// passingScheduler knows whether passes of continuous scheduling do something.
type passingScheduler struct {
	quietScheduler
	passDue bool
	changes int64
}

func (s *passingScheduler) PassDue() bool  { return s.passDue }
func (s *passingScheduler) Changes() int64 { return s.changes }

// quietHost writes down timers and kills.
type quietHost struct {
	Host
	timers []string
	kills  []string
	seen   []string
	next   int64
	passed bool // the place of a timer, in this millisecond
}

func (h *quietHost) Kill(id protocol.ContainerID, at int64) {
	h.kills = append(h.kills, fmt.Sprintf("kill %d at %d", id.N, at))
}

func (h *quietHost) KillLater(_ protocol.NodeID, id protocol.ContainerID, at int64) {
	h.kills = append(h.kills, fmt.Sprintf("kill %d later at %d", id.N, at))
}

func (h *quietHost) NextBeat() int64                 { return h.next }
func (h *quietHost) BeatAt(i int64) int64            { return 1000 * i }
func (h *quietHost) Fetch(protocol.ContainerID, int) {}
func (h *quietHost) Passed(Timer) bool               { return h.passed }

func (h *quietHost) ObserveLate(_ *yarn.Event, at int64) {
	h.seen = append(h.seen, fmt.Sprintf("%d seen by the host", at))
}

func (h *quietHost) At(at int64, t Timer, number, arg int64) {
	h.timers = append(h.timers, fmt.Sprintf("%d timer %d", at, t))
}

func newQuiet(t *testing.T, c Config, s yarn.Scheduler) (*RM, *quietHost) {
	t.Helper()
	h := &quietHost{}
	r, err := New(h, c, func(yarn.Observer) (yarn.Scheduler, error) { return s, nil })
	if err != nil {
		t.Fatal(err)
	}
	return r, h
}

func wantLog(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %s, want %s", what, strings.Join(got, "; "), strings.Join(want, "; "))
	}
}

// While nothing is there no heartbeat is executed; the last update that was left out runs for its own time before anything
// else is asked of the scheduler.
func TestIdleIsLeftOutAndSettled(t *testing.T) {
	s := &quietScheduler{}
	r, _ := newQuiet(t, Config{StartMS: 100}, s)
	if r.UpdateDue() || r.NextHeartbeat(5, 12, 12) != 12 {
		t.Errorf("an update is due: %v, the next heartbeat is %d, want none before 12", r.UpdateDue(), r.NextHeartbeat(5, 12, 12))
	}
	r.CreditHeartbeats(5, 12)
	r.CreditUpdate(500)
	r.CreditUpdate(1000)
	if err := r.Submit(1200, yarn.AppSpec{ID: 1, Queue: "q", AMSize: resource.R(1, 1)}); err != nil {
		t.Fatal(err)
	}
	wantLog(t, "after idle time", s.log, "1100 update", "1300 app")
	if !r.UpdateDue() || r.NextHeartbeat(12, 20, 20) != 12 {
		t.Error("with an application something is left out")
	}
}

// begin begins an epoch in which nodes send heartbeats.
func begin(r *RM, ranks ...protocol.NodeID) {
	r.Epoch(ranks)
	for i := range ranks {
		r.Beats(i, true)
	}
}

// A process on a node has to be reported, and a node that drains has to be looked at: heartbeats go on.
func TestNodesThatHaveToReportAreHeard(t *testing.T) {
	s := &quietScheduler{}
	r, _ := newQuiet(t, Config{}, s)
	r.AddNode(0, yarn.NodeSpec{ID: 0})
	r.ContainerStarted(0, protocol.ContainerID{App: 1, N: 1})
	if r.NextHeartbeat(3, 9, 9) != 3 {
		t.Error("a node with a process is not heard")
	}
	r.NodeDown(0)
	if r.NextHeartbeat(3, 9, 9) != 9 {
		t.Error("a node without processes is heard")
	}
	r.Drain(0, -1)
	if r.NextHeartbeat(3, 9, 9) != 3 {
		t.Error("a node that drains is not heard")
	}
}

// A scheduler that knows what can change something decides up to the next node that has to report.
func TestElidingSchedulerDecides(t *testing.T) {
	s := &elidingScheduler{next: 7}
	r, _ := newQuiet(t, Config{}, s)
	for id := range protocol.NodeID(3) {
		r.AddNode(0, yarn.NodeSpec{ID: id})
	}
	begin(r, 2, 0, 1)
	if err := r.Submit(1000, yarn.AppSpec{ID: 1, Queue: "q", AMSize: resource.R(1, 1)}); err != nil {
		t.Fatal(err)
	}
	s.log = nil
	if h := r.NextHeartbeat(3, 20, 20); h != 7 {
		t.Errorf("the next heartbeat is %d, want the scheduler's 7", h)
	}
	r.CreditHeartbeats(3, 7)
	if r.UpdateDue() {
		t.Error("an update is due, the scheduler says none is")
	}
	r.CreditUpdate(1500)
	r.Update(2000)
	wantLog(t, "asked of the scheduler", s.log, "1000 credit 3 to 7", "1000 credit update 1500", "1000 settle", "2000 update")
	started := protocol.ContainerID{App: 1, N: 1}
	heard := func(why string, from, want int64) {
		t.Helper()
		if h := r.NextHeartbeat(from, 20, 20); h != want {
			t.Errorf("%s: the next heartbeat from %d on is %d, want %d", why, from, h, want)
		}
	}
	r.ContainerStarted(0, started)
	heard("of a start all is known", 3, 7)
	r.NodeHeartbeat(2000, 0)
	heard("reported", 3, 7)
	r.ProcessExited(0, started, 0)
	heard("node 0 has to report an end", 4, 4)
	r.NodeHeartbeat(3000, 0)
	heard("reported", 4, 7)
	r.ContainerStarted(1, started)
	r.NodeHeartbeat(3000, 1)
	r.MarkForCleanup(1, started)
	heard("node 1 is to be told to end a process, and the host does not take it beforehand", 4, 5)
	r.NodeHeartbeat(4000, 1)
	heard("told", 4, 7)
	r.Drain(2, -1)
	heard("node 2 drains", 4, 6)
}

// What a heartbeat only moves between a node and the ResourceManager is moved without it, when it has passed and before anything else.
func TestWhatIsKnownOfAHeartbeatIsNotExecuted(t *testing.T) {
	s := &elidingScheduler{next: 100}
	r, host := newQuiet(t, Config{KillsLater: true}, s)
	for id := range protocol.NodeID(3) {
		r.AddNode(0, yarn.NodeSpec{ID: id})
	}
	host.next = 3
	begin(r, 2, 0, 1)
	if err := r.Submit(0, yarn.AppSpec{ID: 1, Queue: "q", AMSize: resource.R(1, 1)}); err != nil {
		t.Fatal(err)
	}
	id := protocol.ContainerID{App: 1, N: 1}
	step := func(what string, next int64, do func(), told ...string) {
		t.Helper()
		s.log, host.kills, host.next = nil, nil, next
		do()
		wantLog(t, what, slices.DeleteFunc(slices.Concat(s.log, host.kills), func(l string) bool { return strings.HasSuffix(l, "settle") }), told...)
		if h := r.NextHeartbeat(next, 100, 100); h != 100 {
			t.Errorf("%s: heartbeat %d is executed, want none", what, h)
		}
	}
	update := func() { r.Update(0) }
	step("a process starts", 3, func() { r.ContainerStarted(0, id) })
	step("before the heartbeat of node 0", 4, update, "0 update")
	step("after it", 5, update, "0 node 0 launched 1", "0 update")
	step("once", 8, update, "0 update")
	step("it is to end", 9, func() { r.MarkForCleanup(0, id) }, "kill 1 later at 10000")
	step("before the next heartbeat of node 0", 10, func() {
		if r.Told(0, id) {
			t.Error("told before its heartbeat")
		}
	})
	step("after it", 11, func() {
		if !r.Told(0, id) {
			t.Error("not told with its heartbeat")
		}
	})
	step("the node goes before the process ends", 12, func() { r.RemoveNode(0, 0) }, "kill 1 at 10000")
	if r.Told(0, id) {
		t.Error("the node has gone and is believed to end a process")
	}
	step("the node comes back and another process starts, which is to end", 12, func() {
		r.AddNode(0, yarn.NodeSpec{ID: 0})
		begin(r, 2, 0, 1)
		r.ContainerStarted(0, id)
		r.MarkForCleanup(0, id)
	}, "0 node 0", "0 epoch [2 0 1]", "kill 1 later at 13000")
	step("the node goes before it is told", 13, func() { r.NodeDown(0) })
	step("a process that is to end before it is reported as running", 14, func() {
		r.ContainerStarted(0, id)
		r.MarkForCleanup(0, id)
	}, "kill 1 later at 16000")
	step("after the heartbeat that reports it", 17, func() {
		if !r.Told(0, id) {
			t.Error("reported as running, and not told to end")
		}
	})
}

// The end of a process is reported without a heartbeat where the ResourceManager has ended its container, or nobody waits to hear of it, if the scheduler takes it so and nobody looks
// at it.
func TestEndsThatAreForeseenAreNotExecuted(t *testing.T) {
	for _, tt := range []struct {
		what                       string
		alive, over, early         bool // the scheduler has not ended the container; its application has unregistered; ends are told of at their time
		master                     bool // it is that of the application's master
		refuses, show, matter, new bool // the scheduler refuses; somebody looks at it; ends matter to it; a node comes
		foreseen                   bool
	}{
		{what: "it has ended before", foreseen: true},
		{what: "the ResourceManager hears of it only now", alive: true},
		{what: "the scheduler refuses", refuses: true},
		{what: "somebody looks at the scheduler", show: true},
		{what: "ends matter", matter: true},
		{what: "a node comes", new: true, foreseen: true},
		{what: "the application has unregistered", alive: true, over: true, foreseen: true},
		{what: "it has, and ends are told of at their time", alive: true, over: true, early: true},
		{what: "it has, and its master ends", alive: true, over: true, master: true},
		{what: "it has, and the scheduler refuses", alive: true, over: true, refuses: true},
		{what: "it has, and somebody looks at the scheduler", alive: true, over: true, show: true},
		{what: "it has, and ends matter", alive: true, over: true, matter: true},
		{what: "it has, and a node comes", alive: true, over: true, new: true},
	} {
		s := &endingScheduler{elidingScheduler: elidingScheduler{next: 100}, refuses: tt.refuses, matter: tt.matter}
		r, host := newQuiet(t, Config{KillsLater: true}, s)
		r.AddNode(0, yarn.NodeSpec{ID: 0}, yarn.NodeSpec{ID: 1})
		begin(r, 0, 1)
		if err := r.Submit(0, yarn.AppSpec{ID: 1, Queue: "q", AMSize: resource.R(1, 1)}); err != nil {
			t.Fatal(err)
		}
		if tt.show {
			r.ExecuteEnds()
		}
		if !tt.early {
			r.EndLate()
		}
		id := protocol.NewContainerID(1, 1, 1)
		size := resource.R(64, 1)
		r.nodes[0].allocated = size
		r.ContainerStarted(0, id)
		host.next = 2
		r.Hear()
		end := &yarn.Event{Kind: yarn.Completed, Launched: true, Container: protocol.Container{ID: id, Size: size}}
		if tt.master {
			r.app(1).am = id
		}
		if tt.over {
			r.Unregister(0, 1)
		}
		if !tt.alive {
			r.containerEnded(end)
		} else {
			s.ends = func() { r.observe(end) }
		}
		host.next = 4
		r.Hear()
		s.log = nil
		r.ProcessExited(0, id, 143)
		var want []string
		switch {
		case tt.show:
		case !tt.alive:
			want = append(want, fmt.Sprintf("0 node 0 will have %v", size))
		case tt.over && !tt.early && !tt.master:
			want = append(want, fmt.Sprintf("0 node 0 will have what %d has", id.N))
		}
		if tt.new {
			r.AddNode(0, yarn.NodeSpec{ID: 2})
			want = append(want, "0 settle", "0 node 2")
		}
		next := int64(4)
		if tt.foreseen {
			next = 100
		}
		if h := r.NextHeartbeat(4, 100, 100); h != next {
			t.Errorf("%s: the next heartbeat is %d, want %d", tt.what, h, next)
		}
		if tt.foreseen {
			r.Hear()
			if r.Held(0) != size {
				t.Errorf("%s: before the heartbeat the node holds %v, want %v", tt.what, r.Held(0), size)
			}
			host.next = 6
			r.Hear()
			if want = append(want, "4000 node 0 ended 1"); tt.alive {
				want = append(want, "4000 seen by the host")
			}
			if r.Held(0) != (resource.Resource{}) || r.unheard != 0 {
				t.Errorf("%s: after it the node holds %v, %d processes are unheard of, want nothing and none", tt.what, r.Held(0), r.unheard)
			}
		}
		wantLog(t, tt.what, slices.Concat(s.log, host.seen), want...)
	}
}

// Passes of continuous scheduling stop while nothing is there and go on in their rhythm.
func TestContinuousPassesStopWhileIdle(t *testing.T) {
	for _, tt := range []struct {
		input int64
		want  string
	}{{141, "190 timer 5"}, {190, "190 timer 5"}, {191, "260 timer 5"}, {1000, "1030 timer 5"}} {
		s := &quietScheduler{}
		r, h := newQuiet(t, Config{ContinuousMS: 70}, s)
		h.timers = nil
		r.Fire(120, ContinuousPass, 0, 0)
		wantLog(t, "timers of an idle ResourceManager", h.timers)
		if err := r.Submit(tt.input, yarn.AppSpec{ID: 1, Queue: "q", AMSize: resource.R(1, 1)}); err != nil {
			t.Fatal(err)
		}
		wantLog(t, fmt.Sprintf("timers after an input at %d", tt.input), h.timers, tt.want)
		wantLog(t, "passes", s.log, fmt.Sprintf("%d app", tt.input))
		dense, h := newQuiet(t, Config{ContinuousMS: 70, Dense: true}, s)
		h.timers = nil
		dense.Fire(120, ContinuousPass, 0, 0)
		wantLog(t, "timers of the dense engine", h.timers, "190 timer 5")
	}
}

// While passes would do nothing there are none. After a change they go on in their rhythm, in the same millisecond unless their place in it has passed.
func TestContinuousPassesPauseWhileTheyDoNothing(t *testing.T) {
	for _, tt := range []struct {
		change int64
		passed bool
		want   string
	}{{141, false, "190 timer 5"}, {190, false, "190 timer 5"}, {190, true, "260 timer 5"}, {191, false, "260 timer 5"}, {1000, true, "1030 timer 5"}} {
		s := &passingScheduler{}
		r, h := newQuiet(t, Config{ContinuousMS: 70}, s)
		if err := r.Submit(0, yarn.AppSpec{ID: 1, Queue: "q", AMSize: resource.R(1, 1)}); err != nil {
			t.Fatal(err)
		}
		h.timers, s.log, h.passed = nil, nil, tt.passed
		r.Fire(120, ContinuousPass, 0, 0)
		r.PassesGoOn(tt.change)
		wantLog(t, "timers while nothing changes", h.timers)
		wantLog(t, "passes", s.log)
		s.changes, s.passDue = 1, true
		r.PassesGoOn(tt.change)
		r.PassesGoOn(tt.change)
		wantLog(t, fmt.Sprintf("timers after a change at %d", tt.change), h.timers, tt.want)
		r.Fire(190, ContinuousPass, 0, 0)
		wantLog(t, "passes", s.log, "190 pass")
	}
	s := &passingScheduler{}
	r, h := newQuiet(t, Config{ContinuousMS: 70, Dense: true}, s)
	h.timers = nil
	r.Fire(120, ContinuousPass, 0, 0)
	wantLog(t, "timers of the dense engine", h.timers, "190 timer 5")
}

// The monitor looks every third of the interval, and finds a node when more than the interval has passed since its last heartbeat.
func TestNodeThatIsSilentIsFoundLostWhenTheMonitorLooks(t *testing.T) {
	for _, tt := range []struct{ last, expiry, want int64 }{
		{0, 9000, 12_000}, {2999, 9000, 12_000}, {3000, 9000, 15_000}, {100, 2, 103}, {0, 1, 2},
	} {
		r, h := newQuiet(t, Config{NodeExpiryMS: tt.expiry}, &quietScheduler{})
		r.AddNode(0, yarn.NodeSpec{ID: 0})
		r.NodeSilent(tt.last, 0, tt.last)
		wantLog(t, fmt.Sprintf("silent since %d with %d", tt.last, tt.expiry), h.timers, fmt.Sprintf("%d timer 0", tt.want))
	}
}

func TestRetries(t *testing.T) {
	r := &RM{config: Config{MaxAttempts: 2, GlobalMaxAttempts: 4}}
	for _, tt := range []struct {
		failures, asked int
		want            bool
	}{
		{1, 0, true}, {2, 0, false}, // the default
		{3, 4, true}, {4, 4, false}, {3, 9, true}, {4, 9, false}, // what the application asks for, up to the global limit
		{0, 1, false}, {1, 1, false}, // one attempt is one, whatever ended it
		{0, 2, true},
	} {
		if got := r.retries(tt.failures, tt.asked); got != tt.want {
			t.Errorf("%d failures, %d attempts asked for: retries is %v, want %v", tt.failures, tt.asked, got, tt.want)
		}
	}
	for exit, want := range map[int32]bool{protocol.ExitPreempted: false, protocol.ExitAborted: false, protocol.ExitDisksFailed: false,
		protocol.ExitKilledByRM: false, protocol.ExitSuccess: true, 1: true, 143: true} {
		if counts(exit) != want {
			t.Errorf("exit %d counts: %v, want %v", exit, !want, want)
		}
	}
}
