package capacity

import (
	"fmt"
	"strings"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// usersTest is the users of queue root.a, which has half of a cluster of 10 GiB; users u and v, u of weight 2.
type usersTest struct {
	*users
	t    *testing.T
	s    *Scheduler
	u, v *user
}

func newUsersTest(t *testing.T) *usersTest {
	s := newTree(t, map[string]string{
		"root.a.user-settings.u.weight": "2", "root.a.minimum-user-limit-percent": "25", "root.a.user-limit-factor": "4",
	}, nil)
	m := s.byName["root.a"].users
	w := &usersTest{m, t, s, m.named("u"), m.named("v")}
	w.add(w.u)
	w.add(w.v)
	w.u.active, w.v.active = 1, 1
	return w
}

func (w *usersTest) appOf(u *user) *app { return &app{Attempt: &yarn.Attempt{}, q: w.q, user: u} }

// has makes the numbers of a user's applications others.
func (w *usersTest) has(u *user, pending, active int) {
	w.enters(u, pending-u.pending, active-u.active)
}

// want compares the users that ask, the sum of their weights, what they use, and the cluster's shares of all.
func (w *usersTest) want(what string, asking int, weights float32, usedGiB int64, consumed float32) {
	w.t.Helper()
	got := fmt.Sprintf("%d asking of weight %v use %d GiB, all %.4f", w.asking, w.askingWeights, w.askingUsed[resource.Memory]/1024, w.consumed)
	if want := fmt.Sprintf("%d asking of weight %v use %d GiB, all %.4f", asking, weights, usedGiB, consumed); got != want {
		w.t.Errorf("%s: %s, want %s", what, got, want)
	}
}

func gib(n int64) resource.Resource { return resource.R(1024*n, n) }

func TestUsersWhoAsk(t *testing.T) {
	w := newUsersTest(t)
	w.charge(w.u, gib(2))
	w.charge(w.v, gib(1))
	w.want("nobody asks", 0, 0, 0, 0.3)
	u1, u2, v := w.appOf(w.u), w.appOf(w.u), w.appOf(w.v)
	w.activate(u1)
	w.want("u asks", 1, 2, 2, 0.3)
	w.activate(u1)
	w.activate(u2)
	w.want("u asks twice", 1, 2, 2, 0.3)
	w.activate(v)
	w.want("v asks, too", 2, 3, 3, 0.3)
	w.charge(w.u, gib(1))
	w.charge(w.v, gib(-1))
	w.want("usage changes", 2, 3, 3, 0.3)
	w.deactivate(u1)
	w.deactivate(u1)
	w.want("u asks once", 2, 3, 3, 0.3)
	w.deactivate(u2)
	w.want("v asks alone", 1, 1, 0, 0.3)
	w.charge(w.u, gib(2))
	w.want("what u uses is not asked for", 1, 1, 0, 0.5)
	w.activate(u2)
	w.want("u asks again", 2, 3, 5, 0.5)
	w.deactivate(v)
	w.deactivate(u2)
	w.want("nobody asks", 0, 0, 0, 0.5)
}

// Who has no application running does not ask, unless YARN has no record of him.
func TestAskingNeedsARunningApplication(t *testing.T) {
	w := newUsersTest(t)
	w.u.active = 0
	w.activate(w.appOf(w.u))
	w.want("not running", 0, 0, 0, 0)
	w.u.active = 1
	w.activate(w.appOf(w.u))
	w.want("running", 1, 2, 0, 0)
	x := w.named("x")
	w.activate(w.appOf(x))
	w.want("a user without a record", 2, 3, 0, 0)
	if !x.present {
		t.Error("he has none yet")
	}
}

// A user who leaves while he asks is not summed any more, and is counted until his last application asks no more.
func TestUserLeavesWhileHeAsks(t *testing.T) {
	w := newUsersTest(t)
	u, v := w.appOf(w.u), w.appOf(w.v)
	w.charge(w.u, gib(2))
	w.activate(u)
	w.activate(v)
	w.remove(w.u)
	w.want("gone", 2, 1, 2, 0.2)
	w.deactivate(u)
	w.want("counted no more", 1, 1, 2, 0.2)
	w.add(w.u)
	if w.u.used != (resource.Resource{}) || w.u.weight != 2 {
		t.Errorf("he comes back with %v and weight %v", w.u.used, w.u.weight)
	}
	old := w.u.account
	w.add(w.u)
	if w.u.account != old {
		t.Error("a user with a record gets a new one")
	}
	w.remove(w.v)
	w.deactivate(v)
	w.want("all gone", 0, 0, 2, 0.2)
	w.remove(w.v) // he does not ask
	w.want("all gone", 0, 0, 2, 0.2)
}

// Weights are added in the order of a hash set of those who ask, however many other users there are: p stands before a in 16 slots, and behind it in the 32
// that a table of 13 users has.
func TestOrderOfWeights(t *testing.T) {
	w := newUsersTest(t)
	weights := map[string]float32{"p": 0.1, "a": 0.7, "c": 1.1}
	w.q.cfg.UserWeights = weights
	for _, name := range strings.Split("abcdefghijklmnop", "") {
		u := w.named(name)
		w.add(u)
		u.active = 1
	}
	for name := range weights {
		w.activate(w.appOf(w.named(name)))
	}
	if p, a, c := weights["p"], weights["a"], weights["c"]; w.askingWeights != p+a+c || p+a+c == a+c+p {
		t.Errorf("weights %v, want %v, which differs from %v", w.askingWeights, p+a+c, a+c+p)
	}
}

// With metrics of users the limit, and who counts for that of masters, is taken at each change of usage.
func TestMetricsOfUsersTakeTheLimit(t *testing.T) {
	for _, on := range []bool{false, true} {
		w := newUsersTest(t)
		w.s.cfg.UserMetrics = on
		w.has(w.v, 1, 0)
		w.charge(w.u, gib(1))
		want := 0
		if on {
			want = 1
		}
		if got := w.numActive(); got != want {
			t.Errorf("metrics %v: %d users count, want %d", on, got, want)
		}
	}
}

// The call that takes the master container has an answer with the headroom as any other: limits are computed for it, and who counts for them.
func TestTakingTheMasterComputesLimits(t *testing.T) {
	s := newTree(t, map[string]string{"maximum-am-resource-percent": "0.1"}, nil)
	add := func(id protocol.AppID, user string) {
		t.Helper()
		if err := s.AddApp(yarn.AppSpec{ID: id, Queue: "root.a", User: user, AMSize: gib(1)}); err != nil {
			t.Fatal(err)
		}
		s.AddAttempt(id)
	}
	add(1, "u")
	ask := protocol.Ask{Name: protocol.Any, Count: 1, Size: gib(1), Relax: true}
	s.Allocate(1, &protocol.AllocateRequest{Asks: []protocol.Ask{ask}}, new(protocol.AllocateResponse))
	s.NodeUpdate(0, nil, nil)
	add(2, "v") // waits for room for its master
	m := s.byName["root.a"].users
	if n := m.numActive(); n != 0 {
		t.Errorf("%d users count before", n)
	}
	if _, ok := s.PullAM(1); !ok {
		t.Fatal("no master container")
	}
	if n := m.numActive(); n != 1 {
		t.Errorf("%d users count, want the one that waits", n)
	}
}

func TestRatiosFollowTheCluster(t *testing.T) {
	w := newUsersTest(t)
	w.charge(w.u, gib(2))
	w.charge(w.v, gib(3))
	w.want("of 10 GiB", 0, 0, 0, 0.5)
	w.s.SetNodeTotal(0, gib(20))
	w.want("of 20 GiB", 0, 0, 0, 0.25)
	w.charge(w.v, gib(-3))
	w.want("less one", 0, 0, 0, 0.1)
}

// The limit of root.a is 20 GiB for all; of one user a quarter, 2 GiB at least, or what those who ask use and one more GiB, by their weights.
func TestUserLimitFollowsEveryChange(t *testing.T) {
	w := newUsersTest(t)
	want := func(what string, u, v int64) {
		t.Helper()
		if got := [2]int64{w.userLimit(w.u)[resource.Memory] / 1024, w.userLimit(w.v)[resource.Memory] / 1024}; got != [2]int64{u, v} {
			t.Errorf("%s: %v GiB, want %d and %d", what, got, u, v)
		}
	}
	u, v := w.appOf(w.u), w.appOf(w.v)
	want("nobody asks", 4, 2) // a quarter of 5 GiB, rounded up
	w.activate(v)
	want("v asks and uses nothing", 4, 2)
	w.charge(w.v, gib(4))
	want("v uses 4 GiB", 10, 5)
	w.activate(u)
	want("u asks, too", 4, 2)
	w.charge(w.u, gib(4))
	want("both use 4 GiB: 9 GiB by 3, and a quarter of 9", 6, 3)
	w.deactivate(u)
	want("v asks alone", 10, 5)
	w.remove(w.u)
	if got := w.userLimit(w.u)[resource.Memory] / 1024; got != 5 {
		t.Errorf("a user without a record has the weight 1: %d GiB, want 5", got)
	}
}

// speakers are masters that spoke at a time last.
type speakers struct{ now, spoke int64 }

func (s *speakers) Place() yarn.Place               { return yarn.Place{AtMS: s.now} }
func (s *speakers) Spoke(protocol.AppID) yarn.Place { return yarn.Place{AtMS: s.spoke} }

// A heartbeat that was left out has counted the users that only wait, if something had changed before it.
func TestHeartbeatsThatWereLeftOut(t *testing.T) {
	for _, tt := range []struct {
		what               string
		first, spoke, last int64 // times of changes before and after the heartbeat, 0 for none
		want               int
		computed           bool
	}{
		{"spoke before anything changed", 5, 4, 0, 0, false},
		{"spoke at the change", 5, 5, 0, 1, true},
		{"spoke after the change", 5, 6, 0, 1, true},
		{"spoke between two changes", 5, 6, 7, 1, false},
	} {
		w := newUsersTest(t)
		by := &speakers{spoke: tt.spoke}
		w.s.Listen(by)
		w.userLimit(w.u)
		a := w.appOf(w.u)
		a.headroomOf = w.u.account
		w.q.activeApps = []*app{{Attempt: &yarn.Attempt{}}, a} // the queue has not looked at the first
		w.has(w.v, 1, 0)
		for _, at := range []int64{tt.first, tt.last} {
			if by.now = at; at > 0 {
				w.charge(w.u, gib(1))
			}
		}
		by.now = 9
		w.listen()
		if w.numActive() != tt.want || (w.computed == w.version) != tt.computed {
			t.Errorf("%s: %d users only wait, want %d; the limit is of now: %v", tt.what, w.numActive(), tt.want, w.computed == w.version)
		}
		w.has(w.v, 0, 0)
		if w.listen(); w.numActive() != tt.want {
			t.Errorf("%s: %d users only wait after one does no more, want %d as of the heartbeat", tt.what, w.numActive(), tt.want)
		}
	}
}

// Users none of whose applications runs count for the limit of masters, as of the last limit.
func TestUsersThatOnlyWait(t *testing.T) {
	w := newUsersTest(t)
	w.activate(w.appOf(w.u))
	w.has(w.v, 1, 0)
	if got := w.numActive(); got != 1 {
		t.Errorf("%d users before a limit was computed, want 1", got)
	}
	w.userLimit(w.u)
	if got := w.numActive(); got != 2 {
		t.Errorf("%d users, want 2", got)
	}
	w.has(w.v, w.v.pending, 1)
	w.charge(w.u, gib(1))
	w.userLimit(w.u)
	if got := w.numActive(); got != 1 {
		t.Errorf("%d users after it runs, want 1", got)
	}
	w.has(w.v, 0, 0)
	w.charge(w.u, gib(1))
	w.userLimit(w.u)
	if got := w.numActive(); got != 1 {
		t.Errorf("%d users with one that has nothing, want 1", got)
	}
}

// submitted adds an application of u to root.a and asks for its master.
func submitted(t *testing.T, s *Scheduler, id protocol.AppID, queue string) {
	t.Helper()
	if err := s.AddApp(yarn.AppSpec{ID: id, User: "u", Queue: queue, AMSize: gib(1)}); err != nil {
		t.Fatal(err)
	}
	s.AddAttempt(id)
	ask(t, s, id, protocol.Any, 1, 1)
}

func ask(t *testing.T, s *Scheduler, id protocol.AppID, name protocol.Name, count int32, size int64) (out protocol.AllocateResponse) {
	t.Helper()
	var asks []protocol.Ask
	if count >= 0 {
		asks = []protocol.Ask{{Priority: 1, Name: name, Count: count, Size: gib(size), Relax: true}}
	}
	if err := s.Allocate(id, &protocol.AllocateRequest{Asks: asks}, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestMasterContainerIsMarked(t *testing.T) {
	s := newTree(t, nil, nil)
	if _, ok := s.PullAM(1); ok {
		t.Error("the master of nobody is pulled")
	}
	submitted(t, s, 1, "root.a")
	if _, ok := s.PullAM(1); ok {
		t.Error("a master without a container is pulled")
	}
	s.NodeUpdate(0, nil, nil)
	c, ok := s.PullAM(1)
	if !ok || c.ID != (protocol.ContainerID{App: 1, N: 1}) {
		t.Fatalf("pulled %v, %v", c.ID, ok)
	}
	a := s.appOf(1)
	if a.WaitingForAM || !a.Live(c.ID).AM {
		t.Errorf("the attempt waits: %v; the container is marked: %v", a.WaitingForAM, a.Live(c.ID).AM)
	}
	ask(t, s, 1, protocol.Any, 1, 1)
	s.NodeUpdate(0, nil, nil)
	if out := ask(t, s, 1, protocol.Any, -1, 0); len(out.Allocated) != 1 || a.Live(out.Allocated[0].ID).AM {
		t.Errorf("given out %v, want one that is no master", out.Allocated)
	}
}

func TestAllocateAnswers(t *testing.T) {
	s := newTree(t, nil, nil)
	if out := ask(t, s, 7, protocol.Any, 1, 1); out.Nodes != 1 || out.Headroom != (resource.Resource{}) {
		t.Errorf("nobody is answered %+v", out)
	}
	submitted(t, s, 1, "root.a")
	s.NodeUpdate(0, nil, nil)
	s.PullAM(1)
	ask(t, s, 1, protocol.Any, 2, 1)
	s.NodeUpdate(0, nil, nil)
	out := ask(t, s, 1, protocol.Any, -1, 0)
	if len(out.Allocated) != 1 || out.Nodes != 1 || out.Headroom != resource.R(3*1024, 1) {
		t.Errorf("answer %+v, want a container, a node and 3 GiB of 5 left", out)
	}
	if a := s.appOf(1); a.pending != resource.R(1024, 1) || s.root.pending != a.pending {
		t.Errorf("%v is wanted, of root %v, want one container", a.pending, s.root.pending)
	}
	// Releases come before asks.
	var resp protocol.AllocateResponse
	if err := s.Allocate(1, &protocol.AllocateRequest{Releases: []protocol.ContainerID{out.Allocated[0].ID}}, &resp); err != nil {
		t.Fatal(err)
	}
	if got := s.appOf(1).Used; got != resource.R(1024, 1) {
		t.Errorf("%v is used after the release, want the master", got)
	}
	// A size is rounded up to the minimum.
	if err := s.Allocate(1, &protocol.AllocateRequest{Asks: []protocol.Ask{{Priority: 1, Name: protocol.Any, Count: 1, Size: resource.R(1025, 5)}}}, &resp); err != nil {
		t.Fatal(err)
	}
	if got := s.appOf(1).pending; got != resource.R(2048, 1) {
		t.Errorf("%v is wanted, want 2 GiB", got)
	}
}

// By size an application that asks for more goes before one that uses as much and asks for less. It is looked up again when it asks
// for more anywhere, once it has its master.
//
// Source: CapacityScheduler.allocate, FairOrderingPolicy.demandUpdated.
func TestSizeBasedOrderFollowsAsks(t *testing.T) {
	for sizeBased, want := range map[string][4]protocol.AppID{"true": {2, 1, 1, 2}, "false": {1, 1, 1, 1}} {
		s := newTree(t, map[string]string{
			"root.a.ordering-policy": "fair", "root.a.ordering-policy.fair.enable-size-based-weight": sizeBased,
			"root.a.maximum-am-resource-percent": "1", "root.a.user-limit-factor": "2",
		}, nil)
		for id := protocol.AppID(1); id <= 2; id++ {
			submitted(t, s, id, "root.a")
			s.NodeUpdate(0, nil, nil)
			s.PullAM(id)
		}
		first := func() protocol.AppID { return s.byName["root.a"].served()[0].ID }
		var got [4]protocol.AppID
		s.byName["root.a"].served()
		ask(t, s, 2, protocol.Any, 2, 1)
		got[0] = first()
		ask(t, s, 1, protocol.Any, 3, 1)
		got[1] = first()
		ask(t, s, 2, s.nodes.Node(0).Host, 7, 1)
		got[2] = first()
		ask(t, s, 2, protocol.Any, 7, 1)
		got[3] = first()
		if got != want {
			t.Errorf("size-based weights %s: applications %v first, want %v", sizeBased, got, want)
		}
	}
}

// What an application master says of nodes that it does not want holds for the next container.
func TestBlacklistOfAnApplication(t *testing.T) {
	s := newTree(t, nil, nil)
	submitted(t, s, 1, "root.a")
	s.NodeUpdate(0, nil, nil)
	s.PullAM(1)
	host := []protocol.Name{s.nodes.Node(0).Host}
	ask(t, s, 1, protocol.Any, 1, 1)
	for _, step := range []struct {
		in   protocol.AllocateRequest
		want int64 // GiB in use
	}{{protocol.AllocateRequest{BlacklistAdd: host}, 1}, {protocol.AllocateRequest{}, 1}, {protocol.AllocateRequest{BlacklistRemove: host}, 2}} {
		var out protocol.AllocateResponse
		if err := s.Allocate(1, &step.in, &out); err != nil {
			t.Fatal(err)
		}
		s.NodeUpdate(0, nil, nil)
		if got := s.appOf(1).Used[resource.Memory] / 1024; got != step.want {
			t.Errorf("%+v: %d GiB in use, want %d", step.in, got, step.want)
		}
	}
}

func TestStateOfQueues(t *testing.T) {
	s := newTree(t, map[string]string{"root.a.maximum-am-resource-percent": "0.2"}, nil)
	for id := protocol.AppID(1); id <= 3; id++ {
		submitted(t, s, id, "root.a")
	}
	s.NodeUpdate(0, nil, nil)
	s.PullAM(1)
	ask(t, s, 1, protocol.Any, 4, 1)
	s.NodeUpdate(0, nil, nil)
	var states []string
	s.Queues(func(q *yarn.QueueState) {
		states = append(states, fmt.Sprintf("%s %v %v: used %d, demand %d, fair %d, most %d, masters %d, reserved %d, %d run, %d wait", q.Path, q.Leaf, q.Weight,
			q.Used[0]/1024, q.Demand[0]/1024, q.Fair[0]/1024, q.MaxShare[0]/1024, q.AMUsed[0]/1024, q.Reserved[0]/1024, q.Runnable, q.NonRunnable))
	})
	var usages []string
	s.Usages(func(u Usage) {
		usages = append(usages, fmt.Sprintf("%s %v: used %d, %v of its own, %v of all, %d applications, %d active, %d pending", u.Path, u.Leaf, u.Used[0]/1024, u.Capacity, u.Absolute, u.Applications, u.Active, u.Pending))
	})
	for i, want := range []string{
		"root false 1: used 2, demand 7, fair 10, most 10, masters 0, reserved 0, 3 run, 0 wait",
		"root.a true 0.5: used 2, demand 7, fair 5, most 10, masters 1, reserved 0, 3 run, 0 wait",
		"root.b false 0.5: used 0, demand 0, fair 5, most 10, masters 0, reserved 0, 0 run, 0 wait",
		"root.b.x true 0.5: used 0, demand 0, fair 5, most 10, masters 0, reserved 0, 0 run, 0 wait",
	} {
		if i >= len(states) || states[i] != want {
			t.Errorf("state %d: %q, want %q", i, states, want)
		}
	}
	for i, want := range []string{
		"root false: used 2, 0.2 of its own, 0.2 of all, 3 applications, 0 active, 0 pending",
		"root.a true: used 2, 0.4 of its own, 0.2 of all, 3 applications, 1 active, 2 pending",
		"root.b false: used 0, 0 of its own, 0 of all, 0 applications, 0 active, 0 pending",
	} {
		if i >= len(usages) || usages[i] != want {
			t.Errorf("usage %d: %q, want %q", i, usages, want)
		}
	}
}
