package allocator

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/engine/protocol"
	"replay/engine/spark"
	"replay/policy"
	"replay/policy/resource"
)

// script is a placement that notes what it is told and answers with the next preferences of a list, then with none.
type script struct {
	got     []policy.Hints
	tasks   [][][]int32
	counts  []int
	answers [][]policy.Preference
}

func (s *script) Requests(int, *policy.Hints) []policy.Preference { panic("it looks at tasks") }

func (s *script) TaskRequests(n int, hints *policy.Hints, tasks [][]int32) []policy.Preference {
	s.got = append(s.got, *hints)
	s.tasks = append(s.tasks, tasks)
	s.counts = append(s.counts, n)
	out := make([]policy.Preference, n)
	if len(s.answers) > 0 {
		copy(out, s.answers[0])
		s.answers = s.answers[1:]
	}
	return out
}

// newScripted is an allocator with a script for its placement, which also writes what it asks for and takes back. The
// hosts are interned in the order d, c, b, a, so that their numbers run against their names; a and b are on rack /s.
func newScripted(t *testing.T, answers ...[]policy.Preference) (*testMaster, *script, *[]string) {
	t.Helper()
	p := &script{answers: answers}
	m := &testMaster{names: protocol.NewNames()}
	for _, n := range []string{"d", "c", "b", "a", "/r", "/s"} {
		m.names.Intern(n)
	}
	m.Allocator = New(Setup{
		Conf: testConf(t, map[string]string{"spark.executor.instances": "0"}), Instant: true, Names: m.names, Placement: p,
		Racks: protocol.RacksBy(func(h protocol.Name) protocol.Name {
			return m.names.Intern([]string{"/r", "/s"}[(h-1)/2])
		}),
		Profiles: []ExecutorProfile{{resource.R(1408, 2), 2}},
	})
	var log []string
	m.OnRequest = func(_ int32, req *protocol.ContainerRequest, added bool) {
		text := map[bool]string{true: "+", false: "-"}[added]
		for _, n := range slices.Concat(req.Nodes, req.Racks) {
			text += " " + m.names.Text(n)
		}
		log = append(log, text)
	}
	return m, p, &log
}

const hostOfD, hostOfC, hostOfB, hostOfA = protocol.Name(1), protocol.Name(2), protocol.Name(3), protocol.Name(4)

// want asks for n executors with hints.
func (m *testMaster) want(now int64, n int, h spark.StageHints) {
	m.RequestTotal(now, &spark.TotalRequest{Profiles: []spark.ProfileTotal{{Total: n, Hints: h}}})
}

// Hosts of hints and of requests are in the order of their names, racks too; the driver's hints stay as they are.
func TestRequestsAreOrderedByName(t *testing.T) {
	m, p, log := newScripted(t, []policy.Preference{{0, 1, 2}, {3}})
	hosts := []spark.HostTasks{on(hostOfD, 1), on(hostOfC, 2), on(hostOfB, 3), on(hostOfA, 4)}
	m.want(0, 3, spark.StageHints{LocalTasks: 5, Hosts: hosts})
	told := slices.Clone(hosts)
	m.beat(0, nil)
	if !slices.Equal(hosts, told) {
		t.Errorf("the driver's hints are %v after an ask, want %v", hosts, told)
	}
	if d := cmp.Diff([]string{"+ a b c /r /s", "+ d /r", "+"}, *log); d != "" {
		t.Errorf("requests (-want +got)\n%s", d)
	}
	h := p.got[0]
	if !slices.Equal(h.Tasks, []int{4, 3, 2, 1}) || h.LocalTasks != 5 || h.PerExec != 2 || p.counts[0] != 3 {
		t.Errorf("hints are %+v for %d, want tasks 4, 3, 2, 1 of 5 local ones for 3", h, p.counts[0])
	}
}

// YarnAllocator.splitPendingAllocationsByLocality: what the placement learns of running and pending containers, and
// what becomes of requests that nobody wants any more.
func TestHintsOfPendingRequests(t *testing.T) {
	m, p, log := newScripted(t, []policy.Preference{{0}, {1}, {2}, {0, 1}}, []policy.Preference{{0}, {2}})
	m.want(0, 5, spark.StageHints{LocalTasks: 3, Hosts: []spark.HostTasks{on(hostOfC, 1), on(hostOfB, 1), on(hostOfA, 1)}})
	m.beat(0, nil)
	if d := cmp.Diff([]string{"+ a /s", "+ b /s", "+ c /r", "+ a b /s", "+"}, *log); d != "" {
		t.Fatalf("requests (-want +got)\n%s", d)
	}
	m.beat(200, []protocol.Name{hostOfC, hostOfD}) // takes the request of c; d is on its rack, but nothing is left there: the oldest
	if d := cmp.Diff([]string{"- c /r", "- a /s"}, (*log)[5:]); d != "" {
		t.Fatalf("matched (-want +got)\n%s", d)
	}
	// Now b, d and c are wanted: [b] and [a b] still match, [] never does.
	m.want(300, 6, spark.StageHints{LocalTasks: 3, Hosts: []spark.HostTasks{on(hostOfD, 1), on(hostOfC, 1), on(hostOfB, 1)},
		TaskHosts: [][]protocol.Name{{hostOfB, hostOfA}, nil, {hostOfD, hostOfC}}})
	*log = nil
	m.beat(400, nil)
	h := p.got[1]
	if !slices.Equal(h.Existing, []int{0, 1, 1}) || !slices.Equal(h.Pending, []int{2, 0, 0}) || h.PendingRequests != 2 || h.PendingNames != 3 {
		t.Errorf("hints are %+v, want 0, 1, 1 running and 2, 0, 0 pending in 2 requests with 3 names", h)
	}
	if d := cmp.Diff([][]int32{{0}, nil, {2, 1}}, p.tasks[1]); d != "" {
		t.Errorf("hosts of tasks (-want +got)\n%s", d)
	}
	if p.counts[1] != 2 { // one more, and the one without preference may be asked for again
		t.Errorf("the placement was asked for %d, want 2", p.counts[1])
	}
	if d := cmp.Diff([]string{"-", "+ b /s", "+ d /r"}, *log); d != "" {
		t.Errorf("requests (-want +got)\n%s", d)
	}
}

// Requests of one placement share their lists; those of different ones do not, also when they are as long.
func TestRequestsOfTwoPlacements(t *testing.T) {
	m, p, log := newScripted(t, []policy.Preference{{0}, {0}}, []policy.Preference{{0}})
	m.want(0, 2, spark.StageHints{LocalTasks: 1, Hosts: []spark.HostTasks{on(hostOfA, 1)}})
	m.beat(0, nil)
	m.want(100, 3, spark.StageHints{LocalTasks: 1, Hosts: []spark.HostTasks{on(hostOfB, 1), on(hostOfA, 1)}})
	p.answers = [][]policy.Preference{{{1}}}
	m.beat(200, nil)
	if d := cmp.Diff([]string{"+ a /s", "+ a /s", "+ b /s"}, *log); d != "" {
		t.Fatalf("requests (-want +got)\n%s", d)
	}
	m.want(300, 4, spark.StageHints{LocalTasks: 1, Hosts: []spark.HostTasks{on(hostOfB, 1), on(hostOfA, 1)}})
	m.beat(400, nil)
	if h := p.got[2]; !slices.Equal(h.Pending, []int{2, 1}) || h.PendingRequests != 3 {
		t.Errorf("hints are %+v, want 2 and 1 pending", h)
	}
	*log = nil
	m.want(500, 1, spark.StageHints{LocalTasks: 1, Hosts: []spark.HostTasks{on(hostOfB, 1)}})
	m.beat(600, nil) // those of a go first, then the one without preference; that of b stays
	if d := cmp.Diff([]string{"- a /s", "- a /s", "-"}, *log); d != "" {
		t.Errorf("cancelled (-want +got)\n%s", d)
	}
}

// With as many as are wanted nothing is asked for and nothing is taken back.
func TestTargetsAgainstWhatIsThere(t *testing.T) {
	for _, tt := range []struct {
		granted, target int
		want            string // of the request after it
	}{
		{0, 3, ""}, {0, 4, "+"}, {0, 2, "-"}, {0, 0, "- - -"},
		{2, 3, ""}, {2, 5, "+ +"}, {2, 2, "-"}, {2, 1, "-"}, {2, 0, "-"},
		{3, 3, ""}, {3, 2, ""}, {3, 4, "+"},
	} {
		m, _, log := newScripted(t)
		m.want(0, 3, spark.StageHints{})
		m.beat(0, nil)
		m.beat(200, slices.Repeat([]protocol.Name{hostOfA}, tt.granted))
		*log = nil
		m.want(300, tt.target, spark.StageHints{})
		m.beat(400, nil)
		if got := strings.Join(*log, " "); got != tt.want {
			t.Errorf("%d of 3 there and %d wanted: %q, want %q", tt.granted, tt.target, got, tt.want)
		}
	}
}

// A lower total is taken without a heartbeat only where the next one would ask for nothing.
func TestLowerTotal(t *testing.T) {
	m := newTestMaster(t, "locality-ratio", instant, "")
	m.profiles = m.profiles[:1]
	hints := &spark.StageHints{LocalTasks: 7}
	m.total(0, 3)
	m.beat(0, nil)
	m.beat(100, []protocol.Name{1, 2})
	m.beat(150, nil)
	if m.Lower(2, hints) {
		t.Error("taken while a request is open, which the next heartbeat takes back")
	}
	m.beat(200, []protocol.Name{3})
	if m.Lower(1, hints) {
		t.Error("taken while the ResourceManager has to be told that a request is met")
	}
	m.beat(250, nil)
	if m.Lower(3, hints) || m.Lower(4, hints) {
		t.Error("taken though it is not lower")
	}
	if !m.Lower(1, hints) || m.profiles[0].target != 1 || m.profiles[0].hints.LocalTasks != 7 || m.Due(300) {
		t.Errorf("not taken while three executors run, or a heartbeat is due: target %d, %d local tasks", m.profiles[0].target, m.profiles[0].hints.LocalTasks)
	}
}

// An empty total is the driver's end: nothing is wanted any more. Hosts to exclude come along.
func TestTotalsOfADriverThatStops(t *testing.T) {
	m := newTestMaster(t, "none", "spark.yarn.exclude.nodes", "h4,h3")
	m.total(0, 3)
	m.beat(0, nil)
	if !slices.Equal(m.req.BlacklistAdd, []protocol.Name{3, 4}) {
		t.Errorf("the first request excludes %v, want the configured h3 and h4", m.req.BlacklistAdd)
	}
	if !m.RequestTotal(100, &spark.TotalRequest{Excluded: []protocol.Name{1, 4}}) {
		t.Error("an end is no change")
	}
	m.beat(200, nil)
	if d := cmp.Diff(map[string]int32{"*": 0}, m.asked()); d != "" {
		t.Errorf("asks (-want +got)\n%s", d)
	}
	if !slices.Equal(m.req.BlacklistAdd, []protocol.Name{1}) || !slices.Equal(m.Excluded(), []protocol.Name{1, 3, 4}) {
		t.Errorf("excludes %v, in all %v; want h1 more", m.req.BlacklistAdd, m.Excluded())
	}
	if m.Waiting() {
		t.Error("it waits, with nothing open")
	}
	m.RequestTotal(300, &spark.TotalRequest{})
	m.beat(400, nil)
	if !slices.Equal(m.req.BlacklistRemove, []protocol.Name{1}) || !slices.Equal(m.Excluded(), []protocol.Name{3, 4}) {
		t.Errorf("lets %v back in, excluded are %v; want h1 back", m.req.BlacklistRemove, m.Excluded())
	}
}

// ApplicationMaster.allocationThreadImpl hurries while requests or questions are open.
func TestWaiting(t *testing.T) {
	m := newTestMaster(t, "none", instant, "true")
	if m.Waiting() {
		t.Error("waits before anything was asked")
	}
	m.total(0, 1)
	m.beat(0, nil)
	if !m.Waiting() {
		t.Error("does not wait for a request")
	}
	m.beat(200, []protocol.Name{1})
	if m.Waiting() {
		t.Error("waits after the grant")
	}
	if _, how := m.AskLossReason(1); how != LossWaits || !m.Waiting() {
		t.Errorf("a question gives %d, waiting %t", how, m.Waiting())
	}
	if _, how := m.AskLossReason(1); how != LossWaits {
		t.Errorf("the question again gives %d", how)
	}
	m.total(300, 0)
	m.beat(400, nil, m.end(1, 1))
	if m.Waiting() || len(m.out.Answers) != 1 {
		t.Errorf("waits %t after answers %v, want one and no wait", m.Waiting(), m.out.Answers)
	}
	for executor := range int32(4) {
		if _, how := m.AskLossReason(executor); how != LossUnknown {
			t.Errorf("executor %d, which is not known or was answered for, gives %d", executor, how)
		}
	}
	if m.Waiting() {
		t.Error("waits for answers that were given")
	}
}

// YarnAllocator.processCompletedContainers: what an exit status means.
func TestExitStatus(t *testing.T) {
	for _, tt := range []struct {
		exit           int32
		byApp, failure bool
	}{
		{0, false, false},                           // preempted by something that leaves no mark, or stopped
		{protocol.ExitPreempted, false, false},      // -102
		{protocol.ExitKilledVMem, true, false},      // -103
		{protocol.ExitKilledPMem, true, false},      // -104
		{protocol.ExitKilledByAM, false, false},     // -105
		{protocol.ExitKilledByRM, false, false},     // -106
		{protocol.ExitKilledAfterApp, false, false}, // -107
		{protocol.ExitAborted, false, false},        // -100
		{protocol.ExitDisksFailed, false, false},    // -101
		{-108, true, true},
		{-109, true, true},
		{-1000, true, true},
		{1, true, true},
		{52, true, true},
		{143, true, true},
	} {
		for _, finishing := range []bool{false, true} {
			m := newTestMaster(t, "none", instant, "true")
			m.total(0, 1)
			m.beat(0, nil)
			m.beat(200, []protocol.Name{1})
			if finishing {
				m.Finish()
			}
			m.beat(400, nil, m.end(1, tt.exit))
			want := []Removal{{1, LossReason{Exit: tt.exit, ByApp: tt.byApp && !finishing}}}
			failed := map[bool]int{true: 1}[tt.failure && !finishing]
			if !slices.Equal(m.out.Removals, want) || m.Counts(400).Failed != failed {
				t.Errorf("exit %d, finishing %t: removals %+v, %d failed; want %+v, %d", tt.exit, finishing, m.out.Removals, m.Counts(400).Failed, want, failed)
			}
		}
	}
}

// ExecutorFailureTracker: failures count within their interval, or for ever.
func TestFailuresAreForgotten(t *testing.T) {
	for _, tt := range []struct {
		interval string
		at       int64
		want     int
	}{
		{"", 1 << 40, 1}, {"0", 1 << 40, 1}, {"1ms", 401, 1}, {"1ms", 402, 0}, {"1s", 1400, 1}, {"1s", 1401, 0},
	} {
		var kv []string
		if tt.interval != "" {
			kv = []string{"spark.executor.failuresValidityInterval", tt.interval}
		}
		m := newTestMaster(t, "none", append(kv, instant, "true")...)
		m.total(0, 1)
		m.beat(0, nil)
		m.beat(200, []protocol.Name{1})
		m.beat(400, nil, m.end(1, 1))
		if got := m.Counts(tt.at).Failed; got != tt.want {
			t.Errorf("interval %q: %d failures at %d, want %d", tt.interval, got, tt.at, tt.want)
		}
	}
}

// YarnAllocatorNodeHealthTracker.handleResourceAllocationFailure: failures on hosts that are excluded already do not count,
// those of containers that never had an executor count for no host.
func TestFailuresOnExcludedHosts(t *testing.T) {
	m := newTestMaster(t, "none", "spark.yarn.executor.launch.excludeOnFailure.enabled", "true", "spark.executor.maxNumFailures", "9",
		"spark.excludeOnFailure.application.maxFailedExecutorsPerNode", "1")
	m.total(0, 9)
	m.beat(0, nil)
	m.beat(200, []protocol.Name{1, 2, 2, 3, 3})
	for _, l := range slices.Clone(m.out.Launches)[:3] {
		m.LaunchDone(l)
	}
	m.RequestTotal(300, &spark.TotalRequest{Profiles: []spark.ProfileTotal{{Total: 8}}, Excluded: []protocol.Name{1}})
	m.beat(400, nil, m.end(1, 1)) // on a host that the driver excludes
	if got := m.Counts(400).Failed; got != 0 {
		t.Errorf("%d failures, want 0", got)
	}
	m.beat(600, nil, m.end(4, 1), m.end(5, 1)) // their executors were not yet started
	if got := m.Counts(600).Failed; got != 2 || !slices.Equal(m.Excluded(), []protocol.Name{1}) {
		t.Errorf("%d failures, excluded %v; want 2 failures and only h1", got, m.Excluded())
	}
	m.beat(800, nil, m.end(2, 1), m.end(3, 1))
	if got := m.Counts(800).Failed; got != 4 || !slices.Equal(m.Excluded(), []protocol.Name{1, 2}) {
		t.Errorf("%d failures, excluded %v; want 4 and h2, too", got, m.Excluded())
	}
}

// YarnAllocatorNodeHealthTracker.isAllNodeExcluded: a cluster whose size is not known has nodes left.
func TestAllNodesExcluded(t *testing.T) {
	for _, tt := range []struct {
		nodes int
		want  string
	}{
		{0, ""}, {1, "all 1 nodes are excluded"}, {2, "all 2 nodes are excluded"}, {3, ""},
	} {
		m := newTestMaster(t, "none", "spark.yarn.exclude.nodes", "h1,h2")
		if got := m.Fatal(0); got != "" {
			t.Errorf("before the first heartbeat: %s", got)
		}
		m.Request(&m.req)
		m.Response(0, &protocol.AllocateResponse{Nodes: tt.nodes}, &m.out)
		if got := m.Fatal(0); got != tt.want {
			t.Errorf("%d nodes: %q, want %q", tt.nodes, got, tt.want)
		}
	}
}

// YarnAllocator.handleNodesInDecommissioningState: each host once, while it is among the last 200.
func TestDecommissioningHostsAreToldOnce(t *testing.T) {
	m := newTestMaster(t, "none")
	var hosts []protocol.Name
	for i := range 201 {
		hosts = append(hosts, m.names.Intern(fmt.Sprint("n", i)))
	}
	if got := m.NodesDecommissioning(hosts[:200], nil); !slices.Equal(got, hosts[:200]) {
		t.Errorf("%d of 200 hosts are told", len(got))
	}
	if got := m.NodesDecommissioning(hosts[:200], nil); got != nil {
		t.Errorf("hosts %v are told again", got)
	}
	if got := m.NodesDecommissioning(hosts[199:], slices.Clone(hosts[:1])); !slices.Equal(got, []protocol.Name{hosts[0], hosts[200]}) {
		t.Errorf("told %v, want the new one behind what was there", got)
	}
	if got := m.NodesDecommissioning(hosts[1:2], nil); got != nil {
		t.Error("the second host is forgotten with the first")
	}
	if got := m.NodesDecommissioning(hosts[:1], nil); len(got) != 1 {
		t.Error("the first host of 201 is remembered")
	}
}
