package allocator

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replay/engine/protocol"
	"replay/engine/spark"
	"replay/engine/spark/conf"
	"replay/policy"
	"replay/policy/resource"
)

// testMaster is an allocator with four hosts on two racks.
type testMaster struct {
	*Allocator
	names *protocol.Names
	next  int64
	req   protocol.AllocateRequest
	out   Outcome
}

// What an allocator has told of localities stays until it is renewed, and then those after it may have their memory.
func TestLocalitiesOfARenewedAllocator(t *testing.T) {
	p, err := policy.NewPlacement(policy.DefaultPlacement)
	if err != nil {
		t.Fatal(err)
	}
	names := protocol.NewNames()
	for i := range 9 {
		names.Intern(fmt.Sprintf("h%d", i))
	}
	s := Setup{Conf: testConf(t, map[string]string{"spark.executor.instances": "0"}), Names: names, Placement: p, Localities: true, Index: &HostIndex{},
		Racks: protocol.RacksBy(func(h protocol.Name) protocol.Name { return 9 }), Profiles: []ExecutorProfile{{resource.R(1408, 2), 2}}}
	asks := func(a *Allocator, hosts ...protocol.Name) *protocol.Locality {
		hints := spark.StageHints{LocalTasks: 2 * len(hosts)}
		for _, h := range hosts {
			hints.Hosts = append(hints.Hosts, on(h, 2))
		}
		a.RequestTotal(0, &spark.TotalRequest{Profiles: []spark.ProfileTotal{{Total: a.profiles[0].target + len(hosts), Hints: hints}}})
		var req protocol.AllocateRequest
		a.Request(&req)
		l := req.Localities[len(req.Localities)-1].Locality
		if !slices.Equal(slices.Collect(l.Hosts), hosts) {
			t.Fatalf("hosts %v, want %v", slices.Collect(l.Hosts), hosts)
		}
		return l
	}
	a, b := New(s), New(s)
	first, second, other := asks(a, 1, 2), asks(a, 3), asks(b, 4)
	if !slices.Equal(slices.Collect(first.Hosts), []protocol.Name{1, 2}) || !slices.Equal(slices.Collect(second.Hosts), []protocol.Name{3}) {
		t.Fatalf("hosts %v and %v of requests that stand", slices.Collect(first.Hosts), slices.Collect(second.Hosts))
	}
	a.Renew(s)
	for _, l := range []*protocol.Locality{asks(b, 5, 6, 7), asks(a, 8)} {
		if l != first && l != second {
			t.Errorf("the locality of %v has memory of its own", slices.Collect(l.Hosts))
		}
	}
	if !slices.Equal(slices.Collect(other.Hosts), []protocol.Name{4}) {
		t.Errorf("hosts %v of a request that stands, want 4", slices.Collect(other.Hosts))
	}
}

// tester is what *testing.T, *testing.B and *rapid.T share.
type tester interface {
	Helper()
	Fatal(args ...any)
}

func testConf(t tester, values map[string]string) *conf.Conf {
	t.Helper()
	c, _, err := conf.Parse(conf.Layer{Name: "test", Strict: true, Values: values})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// instant stands among keys: executors run as soon as they have a container.
const instant = "instant"

func newTestMaster(t tester, placement string, kv ...string) *testMaster {
	values := map[string]string{"spark.executor.cores": "2", "spark.executor.instances": "0"}
	for i := 0; i < len(kv); i += 2 {
		values[kv[i]] = kv[i+1]
	}
	_, atOnce := values[instant]
	delete(values, instant)
	p, err := policy.NewPlacement(placement)
	if err != nil {
		t.Fatal(err)
	}
	m := &testMaster{names: protocol.NewNames()}
	for _, n := range []string{"h1", "h2", "h3", "h4", "/r1", "/r2"} {
		m.names.Intern(n)
	}
	m.Allocator = New(Setup{
		Conf: testConf(t, values), Names: m.names, Placement: p,
		Racks: protocol.RacksBy(func(h protocol.Name) protocol.Name {
			return m.names.Intern([]string{"/r1", "/r2"}[(h-1)/2])
		}),
		Profiles: []ExecutorProfile{{resource.R(1408, 2), 2}, {resource.R(2048, 1), 1}},
		Instant:  atOnce,
	})
	return m
}

func on(host protocol.Name, tasks int) spark.HostTasks {
	return spark.HostTasks{Host: host, Tasks: int32(tasks)}
}

func (m *testMaster) total(now int64, n int, hosts ...spark.HostTasks) bool {
	local := 0
	for _, h := range hosts {
		local = max(local, int(h.Tasks))
	}
	return m.RequestTotal(now, &spark.TotalRequest{Profiles: []spark.ProfileTotal{{Total: n, Hints: spark.StageHints{LocalTasks: local, Hosts: hosts}}}})
}

// beat is a heartbeat that grants containers on the hosts and reports the ends.
func (m *testMaster) beat(now int64, hosts []protocol.Name, ends ...protocol.Status) {
	m.Request(&m.req)
	resp := protocol.AllocateResponse{Nodes: 4, Completed: ends}
	for _, h := range hosts {
		m.next++
		resp.Allocated = append(resp.Allocated, protocol.Container{ID: protocol.ContainerID{App: 1, N: m.next}, Host: h, Node: protocol.NodeID(h) - 1, Size: resource.R(1408, 2)})
	}
	m.Response(now, &resp, &m.out)
}

func (m *testMaster) end(n int64, exit int32) protocol.Status {
	return protocol.Status{ID: protocol.ContainerID{App: 1, N: n}, Exit: exit}
}

// asked returns the counts of the last request by place.
func (m *testMaster) asked() map[string]int32 {
	out := map[string]int32{}
	for _, a := range m.req.Asks {
		out[m.names.Text(a.Name)] = a.Count
	}
	return out
}

func TestAsksAreAbsoluteCountsPerPlace(t *testing.T) {
	m := newTestMaster(t, "locality-ratio")
	m.total(0, 3, on(1, 4), on(3, 2))
	m.beat(0, nil)
	if d := cmp.Diff(map[string]int32{"h1": 3, "h3": 2, "/r1": 3, "/r2": 2, "*": 3}, m.asked()); d != "" {
		t.Errorf("first asks (-want +got)\n%s", d)
	}
	m.beat(200, nil)
	if len(m.req.Asks) != 0 {
		t.Errorf("nothing changed, but %v was asked", m.asked())
	}
	// The third container of h1 would be h1 only; a grant on h4 takes the oldest of its rack.
	m.beat(600, []protocol.Name{4})
	if g := m.out.Grants[0]; g.Match != MatchedRack || !slices.Equal(slices.Collect(g.Wanted.Hosts), []protocol.Name{1, 3}) {
		t.Errorf("container on h4 is matched %d to %v, want the rack of [1 3]", g.Match, slices.Collect(g.Wanted.Hosts))
	}
	m.beat(1400, nil)
	if d := cmp.Diff(map[string]int32{"h1": 2, "h3": 1, "/r1": 2, "/r2": 1, "*": 2}, m.asked()); d != "" {
		t.Errorf("asks after a match (-want +got)\n%s", d)
	}
}

func TestGrantsAreMatchedInThreePasses(t *testing.T) {
	m := newTestMaster(t, "locality-ratio")
	m.total(0, 4, on(1, 4)) // two for h1, two anywhere
	m.beat(0, nil)
	m.beat(200, []protocol.Name{3, 2, 1, 4, 4})
	var got []string
	for _, g := range m.out.Grants {
		got = append(got, fmt.Sprintf("%s match %d", m.names.Text(g.Container.Host), g.Match))
	}
	want := []string{
		"h1 match 1", // the host
		"h2 match 2", // its rack
		"h3 match 0", // no preference, and so on in the order of granting
		"h4 match 0",
		"h4 match 4", // surplus
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("grants (-want +got)\n%s", d)
	}
	if len(m.out.Released) != 1 || m.out.Released[0].N != 5 {
		t.Errorf("released %v, want container 5", m.out.Released)
	}
	m.beat(400, nil)
	if len(m.req.Releases) != 1 || m.req.Releases[0].N != 5 {
		t.Errorf("the next request releases %v, want container 5", m.req.Releases)
	}
}

func TestLaunching(t *testing.T) {
	m := newTestMaster(t, "none")
	m.total(0, 3)
	m.beat(0, nil)
	m.beat(200, []protocol.Name{1, 2, 3})
	launches := slices.Clone(m.out.Launches)
	if c := m.Counts(200); c.Starting != 3 || c.Running != 0 || len(launches) != 3 {
		t.Fatalf("counts are %+v with %d launches, want 3 starting", c, len(launches))
	}
	m.LaunchDone(launches[0])
	m.LaunchFailed(launches[1])
	m.beat(400, nil, m.end(3, 1)) // the third ends before its launch call returns
	if !slices.Equal(m.req.Releases, []protocol.ContainerID{{App: 1, N: 2}}) {
		t.Errorf("released %v, want the container whose launch failed", m.req.Releases)
	}
	if d := cmp.Diff(map[string]int32{"*": 1}, m.asked()); d != "" {
		t.Errorf("asks (-want +got)\n%s", d) // the failed one; the third is still starting
	}
	m.LaunchDone(launches[2])
	c := m.Counts(400)
	if c.Running != 1 || c.Starting != 0 || c.Failed != 1 || len(m.out.Removals) != 0 {
		t.Errorf("counts are %+v with removals %v, want one running and one failed", c, m.out.Removals)
	}
}

func TestGrantBeyondTheTargetIsLeftAlone(t *testing.T) {
	m := newTestMaster(t, "none", instant, "true")
	m.total(0, 2)
	m.beat(0, nil)
	m.Request(&m.req)
	m.total(100, 0) // after the requests were brought up to date, before the grants arrive
	resp := protocol.AllocateResponse{Nodes: 4, Allocated: []protocol.Container{{ID: protocol.ContainerID{App: 1, N: 1}, Host: 1}}}
	m.Response(200, &resp, &m.out)
	if len(m.out.Grants) != 1 || len(m.out.Released) != 0 || len(m.out.Launches) != 0 {
		t.Errorf("grants %+v, released %v, launches %+v: want one that is neither launched nor released", m.out.Grants, m.out.Released, m.out.Launches)
	}
	m.total(300, 1)
	m.beat(400, nil)
	m.beat(600, []protocol.Name{2})
	if l := m.out.Launches; len(l) != 1 || l[0].Executor != 2 {
		t.Errorf("launches are %+v, want executor 2: the number of the grant is taken", l)
	}
}

func TestHintsAloneChangeNothing(t *testing.T) {
	m := newTestMaster(t, "locality-ratio")
	m.total(0, 2)
	m.beat(0, nil)
	if m.total(100, 2, on(1, 4)) {
		t.Error("the same total counts as a change")
	}
	m.beat(200, nil)
	if len(m.req.Asks) != 0 {
		t.Errorf("asked for %v", m.asked())
	}
	m.total(300, 3, on(1, 6)) // one more: now the old ones are asked for again, too
	m.beat(400, nil)
	if d := cmp.Diff(map[string]int32{"h1": 3, "/r1": 3, "*": 3}, m.asked()); d != "" {
		t.Errorf("asks (-want +got)\n%s", d)
	}
	m.total(500, 1, on(2, 6)) // fewer: h1 is wanted by nobody, those go first
	m.beat(600, nil)
	if d := cmp.Diff(map[string]int32{"h1": 1, "/r1": 1, "*": 1}, m.asked()); d != "" {
		t.Errorf("asks (-want +got)\n%s", d)
	}
}

func TestLossReasons(t *testing.T) {
	m := newTestMaster(t, "none", instant, "true")
	m.total(0, 3)
	m.beat(0, nil)
	m.beat(200, []protocol.Name{1, 2, 3})
	if _, how := m.AskLossReason(7); how != LossUnknown {
		t.Errorf("unknown executor gives %d", how)
	}
	if _, how := m.AskLossReason(1); how != LossWaits || !m.Waiting() {
		t.Errorf("live executor gives %d, waiting %t", how, m.Waiting())
	}
	if id, ok := m.KillExecutor(2); !ok || id.N != 2 {
		t.Errorf("kill gives container %v, %t", id, ok)
	}
	if _, ok := m.KillExecutor(2); ok {
		t.Error("killed twice")
	}
	m.beat(400, nil, m.end(1, protocol.ExitKilledPMem), m.end(2, protocol.ExitAborted), m.end(3, protocol.ExitPreempted))
	if d := cmp.Diff([]Removal{{1, LossReason{-104, true, false}}}, m.out.Answers); d != "" {
		t.Errorf("answers (-want +got)\n%s", d)
	}
	if d := cmp.Diff([]Removal{{1, LossReason{-104, true, false}}, {3, LossReason{-102, false, false}}}, m.out.Removals); d != "" {
		t.Errorf("removals (-want +got)\n%s", d)
	}
	if r, how := m.AskLossReason(2); how != LossKnown || r != (LossReason{-100, false, true}) {
		t.Errorf("killed executor gives %+v, %d", r, how)
	}
	if _, how := m.AskLossReason(2); how != LossUnknown {
		t.Errorf("the answer is given once, then %d", how)
	}
	if c := m.Counts(400); c.Failed != 0 || c.Unexpected != 2 {
		t.Errorf("counts are %+v, want no failure and 2 unexpected ends", c)
	}
}

func TestFailureBudget(t *testing.T) {
	m := newTestMaster(t, "none", instant, "true", "spark.executor.failuresValidityInterval", "1s",
		"spark.yarn.executor.launch.excludeOnFailure.enabled", "true", "spark.excludeOnFailure.application.maxFailedExecutorsPerNode", "1",
		"spark.yarn.exclude.nodes", "h4")
	m.total(0, 9)
	m.beat(0, nil)
	m.beat(0, []protocol.Name{1, 1, 1, 2, 2, 3, 3})
	m.beat(100, nil, m.end(1, 1), m.end(2, 1), m.end(3, 1)) // the third comes when h1 is excluded
	if got := m.Counts(100).Failed; got != 2 {
		t.Errorf("%d failures, want 2: those on an excluded host do not count", got)
	}
	if got := m.Excluded(); !slices.Equal(got, []protocol.Name{1, 4}) {
		t.Errorf("excluded %v, want h1 and h4", got)
	}
	m.beat(200, nil)
	if !slices.Equal(m.req.BlacklistAdd, []protocol.Name{1}) { // h4 was with the first request
		t.Errorf("told to exclude %v, want h1", m.req.BlacklistAdd)
	}
	if got := m.Fatal(1100); got != "" {
		t.Errorf("fatal: %s", got)
	}
	if got := m.Counts(1100).Failed; got != 2 {
		t.Errorf("%d failures at the end of the interval, want 2", got)
	}
	if got := m.Counts(1101).Failed; got != 0 {
		t.Errorf("%d failures after the interval, want 0", got)
	}
	m.beat(2000, nil, m.end(4, 1), m.end(5, 1), m.end(6, 1))
	if got := m.Fatal(2000); got != "max number of executor failures (3) reached" {
		t.Errorf("three failures: fatal is %q", got)
	}
	m.beat(2500, nil, m.end(7, 1)) // one more on h3
	if got := m.Fatal(3300); got != "all 4 nodes are excluded" {
		t.Errorf("fatal is %q with %v excluded", got, m.Excluded())
	}
}

func TestExclusionOfAHostEndsWithItsTime(t *testing.T) {
	m := newTestMaster(t, "none", instant, "true", "spark.excludeOnFailure.timeout", "1s",
		"spark.yarn.executor.launch.excludeOnFailure.enabled", "true", "spark.excludeOnFailure.application.maxFailedExecutorsPerNode", "1")
	m.total(0, 9)
	m.beat(0, nil)
	m.beat(0, []protocol.Name{1, 1})
	m.beat(100, nil, m.end(1, 1), m.end(2, 1))
	m.total(1099, 8)
	if got := m.Excluded(); !slices.Equal(got, []protocol.Name{1}) {
		t.Errorf("excluded before the end: %v, want h1", got)
	}
	m.beat(1100, nil) // time alone changes nothing
	if got := m.Excluded(); !slices.Equal(got, []protocol.Name{1}) {
		t.Errorf("excluded without a change of the lists: %v, want h1", got)
	}
	m.total(1100, 7)
	if got := m.Excluded(); len(got) != 0 {
		t.Errorf("excluded after the end: %v, want none", got)
	}
}

func TestHeartbeatLadder(t *testing.T) {
	l := NewHeartbeatLadder(testConf(t, nil), 600_000)
	var got []int64
	for _, waiting := range []bool{false, true, true, true, true, true, true, false, true} {
		got = append(got, l.Pause(waiting))
	}
	l.Pause(true)
	l.Wake()
	got = append(got, l.Pause(true))
	if want := []int64{3000, 200, 400, 800, 1600, 3000, 3000, 3000, 200, 200}; !slices.Equal(got, want) {
		t.Errorf("pauses are %v, want %v", got, want)
	}
	short := NewHeartbeatLadder(testConf(t, nil), 200)
	if got := short.Pause(true); got != 100 {
		t.Errorf("with an expiry of 200 ms the pause is %d, want half of it", got)
	}
}

func TestNodesDecommissioningAreToldOnce(t *testing.T) {
	m := newTestMaster(t, "none")
	if got := m.NodesDecommissioning([]protocol.Name{1, 2, 1}, nil); !slices.Equal(got, []protocol.Name{1, 2}) {
		t.Errorf("told of %v, want h1 and h2", got)
	}
	if got := m.NodesDecommissioning([]protocol.Name{2, 3}, nil); !slices.Equal(got, []protocol.Name{3}) {
		t.Errorf("told of %v, want h3", got)
	}
	for h := protocol.Name(100); h < 100+maxDecommissioning; h++ {
		m.NodesDecommissioning([]protocol.Name{h}, nil)
	}
	if got := m.NodesDecommissioning([]protocol.Name{1}, nil); len(got) != 1 {
		t.Error("h1 is still remembered after 200 others")
	}
}

// With any placement and any course of grants and ends, requests, starting and running executors
// add up to the target after each heartbeat's first half, unless more run than are wanted.
func TestAllocatorMeetsItsTarget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"locality-ratio", "none", "union", "top", "per-task"}).Draw(t, "placement")
		m := newTestMaster(t, name)
		var launching []ExecutorLaunch
		var live []int64
		now := int64(0)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			now += 200
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				var hosts []spark.HostTasks
				for h := protocol.Name(1); h <= 4; h++ {
					if n := rapid.IntRange(0, 9).Draw(t, "tasks"); n > 0 {
						hosts = append(hosts, on(h, n))
					}
				}
				m.total(now, rapid.IntRange(0, 12).Draw(t, "total"), hosts...)
			case 1:
				for i, l := range launching {
					if rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
						m.LaunchFailed(l)
						live = slices.DeleteFunc(live, func(n int64) bool { return n == l.Container.N })
					} else {
						m.LaunchDone(launching[i])
					}
				}
				launching = launching[:0]
			case 2:
				m.KillExecutor(int32(rapid.IntRange(1, 20).Draw(t, "kill")))
			}
			var ends []protocol.Status
			if len(live) > 0 && rapid.Bool().Draw(t, "end") {
				i := rapid.IntRange(0, len(live)-1).Draw(t, "which")
				ends = append(ends, m.end(live[i], rapid.SampledFrom([]int32{0, 1, -100, -102, -104}).Draw(t, "exit")))
				live = slices.Delete(live, i, i+1)
			}
			m.Request(&m.req)
			p := &m.profiles[0]
			if got := m.client.Count(0); got != max(0, p.target-p.running-p.starting) {
				t.Fatalf("%d requests with target %d, %d running, %d starting", got, p.target, p.running, p.starting)
			}
			resp := protocol.AllocateResponse{Nodes: 4, Completed: ends}
			for range rapid.IntRange(0, 4).Draw(t, "granted") {
				m.next++
				host := protocol.Name(rapid.IntRange(1, 4).Draw(t, "host"))
				resp.Allocated = append(resp.Allocated, protocol.Container{ID: protocol.ContainerID{App: 1, N: m.next}, Host: host})
			}
			m.Response(now, &resp, &m.out)
			if got := len(m.out.Grants); got != len(resp.Allocated) {
				t.Fatalf("%d containers granted, %d accounted for", len(resp.Allocated), got)
			}
			launching = append(launching, m.out.Launches...)
			for _, l := range m.out.Launches {
				live = append(live, l.Container.N)
			}
			containers := 0
			for _, h := range m.Hosts(0) {
				containers += int(h.Tasks)
			}
			if running := m.Counts(now).Running; containers < running {
				t.Fatalf("%d containers on hosts, %d executors running", containers, running)
			}
		}
	})
}

func BenchmarkHeartbeatWithNothingToDo(b *testing.B) {
	m := newTestMaster(b, "locality-ratio")
	m.total(0, 500, on(1, 400), on(2, 300))
	m.beat(0, nil)
	b.ReportAllocs()
	for b.Loop() {
		m.beat(0, nil)
	}
}

func BenchmarkAsk(b *testing.B) {
	for _, hosts := range []int{100, 1000} {
		b.Run(fmt.Sprintf("hosts=%d", hosts), func(b *testing.B) {
			names := protocol.NewNames()
			var hints []spark.HostTasks
			for i := range hosts {
				hints = append(hints, on(names.Intern(fmt.Sprintf("h%05d", i)), 20+i*7919%60))
			}
			rack := names.Intern("/r")
			p, _ := policy.NewPlacement("locality-ratio")
			for b.Loop() {
				a := New(Setup{Conf: testConf(b, map[string]string{"spark.executor.instances": "0"}), Names: names, Placement: p,
					Racks: protocol.RacksBy(func(protocol.Name) protocol.Name { return rack }), Profiles: []ExecutorProfile{{resource.R(1408, 2), 2}}})
				a.RequestTotal(0, &spark.TotalRequest{Profiles: []spark.ProfileTotal{{Total: 200, Hints: spark.StageHints{LocalTasks: 10000, Hosts: hints}}}})
				var req protocol.AllocateRequest
				a.Request(&req)
			}
		})
	}
}

// TestHostsInOrderOfNames compares the order of ranks with a sort, as more and more names are known.
func TestHostsInOrderOfNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names, index := protocol.NewNames(), HostIndex{}
		for range 3 {
			for _, n := range rapid.SliceOfN(rapid.IntRange(0, 5000), 1, 300).Draw(t, "names") {
				names.Intern(fmt.Sprint("host", n))
			}
			var hosts []spark.HostTasks
			for i, n := range rapid.SliceOfDistinct(rapid.IntRange(0, names.Len()-1), func(n int) int { return n }).Draw(t, "hosts") {
				hosts = append(hosts, spark.HostTasks{Host: protocol.Name(n), Tasks: int32(i)})
			}
			want := slices.SortedFunc(slices.Values(hosts), func(x, y spark.HostTasks) int { return int(names.Rank(x.Host)) - int(names.Rank(y.Host)) })
			if got := index.inOrder(nil, hosts, names); !slices.Equal(got, want) {
				t.Fatalf("in order %v, want %v", got, want)
			}
		}
	})
}
