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
func (s *quietScheduler) MaxAllocation(string) resource.Resource          { return resource.R(1<<20, 100) }
func (s *quietScheduler) RemoveNode(protocol.NodeID)                      {}
func (s *quietScheduler) SetNodeTotal(protocol.NodeID, resource.Resource) {}
func (s *quietScheduler) AddApp(yarn.AppSpec) error                       { s.note("app"); return nil }
func (s *quietScheduler) AddAttempt(protocol.AppID)                       {}
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

func (h *quietHost) Observe(*yarn.Event) { h.seen = append(h.seen, "seen by the host") }

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
	if !r.Still() {
		t.Error("the last answer does not hold, and nothing has changed")
	}
	r.ProcessExited(0, started, 0)
	if r.Still() {
		t.Error("the last answer holds, and node 0 has to report an end")
	}
	heard("node 0 has to report an end", 4, 4)
	r.NodeHeartbeat(3000, 0)
	heard("reported", 4, 7)
	r.ContainerStarted(1, started)
	r.NodeHeartbeat(3000, 1)
	r.MarkForCleanup(1, started)
	heard("node 1 is to be told to end a process, and the host does not take it beforehand", 4, 5)
	r.NodeHeartbeat(4000, 1)
	heard("told", 4, 7)
	r.setTotal(&r.nodes[1], resource.R(1, 1), true)
	heard("node 1 has shrunk and may hold too much", 4, 5)
	r.NodeHeartbeat(4000, 1)
	heard("it may hold too much for as long as it is there", 4, 5)
	r.Drain(2, -1)
	heard("node 2 drains", 6, 6)
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
		a := &app{spec: yarn.AppSpec{MaxAttempts: tt.asked}, failures: make([]int64, tt.failures)}
		if got := r.failing(0, a, protocol.ExitPreempted); got != tt.want { // which counts for nothing itself
			t.Errorf("%d failures, %d attempts asked for: another attempt is %v, want %v", tt.failures, tt.asked, got, tt.want)
		}
	}
	for exit, want := range map[int32]bool{protocol.ExitPreempted: false, protocol.ExitAborted: false, protocol.ExitDisksFailed: false,
		protocol.ExitKilledByRM: false, protocol.ExitSuccess: true, 1: true, 143: true} {
		if counts(exit) != want {
			t.Errorf("exit %d counts: %v, want %v", exit, !want, want)
		}
	}
}
