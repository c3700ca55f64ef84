package capacity

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

// newTree is a scheduler with queues a and b (b.x), one node of 10 GiB and the given properties, without their prefix.
func newTree(t *testing.T, props map[string]string, observe yarn.Observer) *Scheduler {
	all := map[string]string{}
	set := func(m map[string]string) {
		for k, v := range m {
			all["yarn.scheduler.capacity."+k] = v
		}
	}
	set(map[string]string{
		"root.queues": "a,b", "root.a.capacity": "50", "root.b.capacity": "50", "root.b.queues": "x", "root.b.x.capacity": "100",
	})
	set(props)
	site, err := conf.NewSite(map[string]string{"yarn.cluster.max-application-priority": "5"})
	if err != nil {
		t.Fatal(err)
	}
	site.WorkPreservingRecovery = false
	cfg, err := conf.NewCapacity(all, site)
	if err != nil {
		t.Fatal(err)
	}
	names := protocol.NewNames()
	s := New(site, cfg, names, 1_700_000_000_000, observe)
	s.AddNode(yarn.NodeSpec{Host: names.Intern("h"), Rack: names.Intern("/r"), Total: resource.R(10240, 10)})
	return s
}

func TestRejections(t *testing.T) {
	const app = "application_1700000000000_0003"
	tests := []struct {
		name  string
		props map[string]string
		spec  yarn.AppSpec
		want  string
	}{
		{"admitted", nil, yarn.AppSpec{Queue: "root.a", User: "u"}, ""},
		{"by the queue's short name", nil, yarn.AppSpec{Queue: "x", User: "u"}, ""},
		{"unknown queue", nil, yarn.AppSpec{Queue: "root.c", User: "u"}, "Application " + app + " submitted by user u to unknown queue: root.c"},
		{
			"a short name of two queues",
			map[string]string{"root.a.queues": "x", "root.a.x.capacity": "100"},
			yarn.AppSpec{Queue: "x", User: "u"},
			"Application " + app + " submitted by user u to ambiguous queue: x please use full queue path instead.",
		},
		{"parent queue", nil, yarn.AppSpec{Queue: "root.b", User: "u"}, "Application " + app + " submitted by user : u to non-leaf queue : root.b"},
		{
			"stopped queue",
			map[string]string{"root.a.state": "STOPPED"},
			yarn.AppSpec{Queue: "root.a", User: "u"},
			"org.apache.hadoop.security.AccessControlException: Queue root.a is STOPPED. Cannot accept submission of application: " + app,
		},
		{
			"full queue",
			map[string]string{"root.a.maximum-applications": "2"},
			yarn.AppSpec{Queue: "root.a", User: "u"},
			"org.apache.hadoop.security.AccessControlException: Queue root.a already has 2 applications, cannot accept submission of application: " + app,
		},
		{
			"too many of a user",
			map[string]string{"root.a.maximum-applications": "4", "root.a.minimum-user-limit-percent": "25"},
			yarn.AppSpec{Queue: "root.a", User: "v"},
			"org.apache.hadoop.security.AccessControlException: Queue root.a already has 1 applications from user v cannot accept submission of application: " + app,
		},
		{
			"full system",
			map[string]string{"maximum-applications": "2", "root.a.maximum-applications": "5"},
			yarn.AppSpec{Queue: "root.b.x", User: "u"},
			"Maximum system application limit reached,cannot accept submission of application: " + app,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newTree(t, tt.props, nil)
			for i, user := range []string{"u", "v"} {
				id := protocol.AppID(i + 1)
				if s.AddApp(yarn.AppSpec{ID: id, Queue: "root.a", User: user}) == nil {
					s.AddAttempt(id)
				}
			}
			tt.spec.ID = 3
			err := s.AddApp(tt.spec)
			var rejected *yarn.Rejection
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.want != "" && (!errors.As(err, &rejected) || rejected.Text != tt.want || rejected.App != 3):
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestSubmission(t *testing.T) {
	s := newTree(t, map[string]string{"root.a.default-application-priority": "2"}, nil)
	for asked, want := range map[int32]int32{0: 2, 1: 1, 9: 5} {
		got := s.Submission(yarn.AppSpec{Queue: "root.a", AMSize: resource.R(1500, 2), Priority: asked})
		if got.Priority != want || got.AMSize != resource.R(2048, 1) {
			t.Errorf("priority %d: got %d and %v, want %d and 2048 MiB with one vcore", asked, got.Priority, got.AMSize, want)
		}
	}
}

// runnable adds applications of the given users to the queue, in order, and returns what the removal of the first makes runnable.
func runnable(t *testing.T, props map[string]string, queues, users []string) []protocol.AppID {
	var got []protocol.AppID
	s := newTree(t, props, func(e *yarn.Event) {
		if e.Kind == yarn.Runnable {
			got = append(got, e.App)
		}
	})
	for i, user := range users {
		id := protocol.AppID(i + 1)
		s.SetClock(1_700_000_000_000 + int64(i))
		if err := s.AddApp(yarn.AppSpec{ID: id, Queue: queues[i], User: user}); err != nil {
			t.Fatal(err)
		}
		s.AddAttempt(id)
	}
	s.RemoveApp(1)
	return got
}

func TestRunningLimits(t *testing.T) {
	one := []string{"root.a", "root.a", "root.a"}
	tests := []struct {
		name   string
		props  map[string]string
		queues []string
		users  []string
		want   int // the number of the application that may run next, 0 for none
	}{
		{"no limit", nil, one, []string{"u", "u", "u"}, 0},
		{"of the queue: the earliest", map[string]string{"root.a.max-parallel-apps": "1"}, one, []string{"u", "v", "w"}, 2},
		{"of the user: his next", map[string]string{"user.u.max-parallel-apps": "1"}, one, []string{"u", "v", "u"}, 3},
		{"of all users", map[string]string{"user.max-parallel-apps": "1"}, one, []string{"u", "v", "u"}, 3},
		{
			"of root: another queue profits",
			map[string]string{"root.max-parallel-apps": "2"}, []string{"root.a", "root.a", "root.b.x"},
			[]string{"u", "u", "u"}, 3,
		},
		{
			"the queue has room, its parent does not",
			map[string]string{"root.a.max-parallel-apps": "1", "root.max-parallel-apps": "1"}, []string{"root.a", "root.b.x", "root.a"},
			[]string{"u", "u", "u"}, 2,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			props := map[string]string{"maximum-am-resource-percent": "1"}
			maps.Copy(props, tt.props)
			got := runnable(t, props, tt.queues, tt.users)
			if tt.want == 0 && len(got) == 0 {
				return
			}
			if len(got) != 1 || got[0] != protocol.AppID(tt.want) {
				t.Errorf("runnable now: %v, want %d", got, tt.want)
			}
		})
	}
}

// Before the first node queues have what follows from a cluster of nothing: an amount is not scaled down. Masters are activated when an application goes.
func TestActivationWithoutNodes(t *testing.T) {
	s := newTree(t, map[string]string{
		"root.a.capacity": "[memory=8192,vcores=8]", "root.b.capacity": "[memory=2048,vcores=2]", "root.b.x.capacity": "[memory=2048,vcores=2]",
		"root.a.maximum-am-resource-percent": "0.5", "root.a.maximum-applications": "9",
	}, nil)
	s.cfg.Update(resource.Resource{})
	s = New(s.site, s.cfg, protocol.NewNames(), s.timestamp, nil)
	for id := range protocol.AppID(5) {
		if err := s.AddApp(yarn.AppSpec{ID: id + 1, Queue: "root.a", User: "u", AMSize: resource.R(1024, 1)}); err != nil {
			t.Fatal(err)
		}
		s.AddAttempt(id + 1)
	}
	q := s.byName["root.a"]
	if len(q.activeApps) != 0 {
		t.Errorf("%d are active", len(q.activeApps))
	}
	s.RemoveApp(1)
	if len(q.activeApps) != 4 {
		t.Errorf("%d are active, want 4", len(q.activeApps))
	}
}

// An attempt that starts from the list of its user is looked at again in that of its queue, behind another attempt. It is then over its user's limit: it
// runs and counts as one that waits. At its end its queue has room again, and its user and the queues above have not.
func TestStartedAttemptIsLookedAtAgain(t *testing.T) {
	var got []protocol.AppID
	s := newTree(t, map[string]string{
		"maximum-am-resource-percent": "1", "root.queues": "a,b,c", "root.a.capacity": "50", "root.b.capacity": "50", "root.c.capacity": "0", "root.c.maximum-applications": "5",
		"root.max-parallel-apps": "2", "root.a.max-parallel-apps": "1", "user.u.max-parallel-apps": "1", "user.v.max-parallel-apps": "0",
	}, func(e *yarn.Event) {
		if e.Kind == yarn.Runnable {
			got = append(got, e.App)
		}
	})
	add := func(id protocol.AppID, queue, user string, time int64) {
		t.Helper()
		s.SetClock(1_700_000_000_000 + time)
		if err := s.AddApp(yarn.AppSpec{ID: id, Queue: queue, User: user}); err != nil {
			t.Fatal(err)
		}
		s.AddAttempt(id)
	}
	add(1, "root.a", "u", 0)
	add(2, "root.b.x", "s", 0)
	add(3, "root.c", "v", 1)
	add(4, "root.a", "u", 2)
	add(5, "root.b.x", "s", 2)
	add(6, "root.a", "w", 3)
	for _, end := range []protocol.AppID{1, 2, 4, 5} {
		s.RemoveApp(end)
	}
	if want := []protocol.AppID{4, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("runnable in turn: %v, want %v", got, want)
	}
	if u, root := s.running.of("u").running, s.root.running; u != 1 || root != 2 {
		t.Errorf("%d of the user and %d in root are counted, want 1 and 2", u, root)
	}
}

// Masters share the queue's room: one that does not fit is passed over, but an empty queue takes any.
func TestActivation(t *testing.T) {
	s := newTree(t, map[string]string{"maximum-am-resource-percent": "0.3", "root.a.user-limit-factor": "2"}, nil)
	for i, mem := range []int64{4096, 2048, 1024} {
		id := protocol.AppID(i + 1)
		if err := s.AddApp(yarn.AppSpec{ID: id, Queue: "root.a", User: "u", AMSize: resource.R(mem, 1)}); err != nil {
			t.Fatal(err)
		}
		s.AddAttempt(id)
	}
	active := func() (n [3]bool) {
		for i := range n {
			if a := s.apps[i+1]; a != nil {
				n[i] = a.active
			}
		}
		return n
	}
	if got, want := active(), [3]bool{true, false, false}; got != want {
		t.Errorf("active: %v, want %v: the first is alone, the others do not fit into 3072", got, want)
	}
	s.RemoveApp(1)
	if got, want := active(), [3]bool{false, true, true}; got != want {
		t.Errorf("active: %v, want %v", got, want)
	}
}

// Amounts are compared with each other and shares with each other: b comes before c, c before a and a before b. The order is that of Java's sort of all three,
// also when b wants nothing.
func TestContradictingOrderOfQueues(t *testing.T) {
	for _, wanting := range [][]string{{"root.a", "root.c"}, {"root.a", "root.b.x", "root.c"}} {
		var got []protocol.AppID
		s := newTree(t, map[string]string{
			"legacy-queue-mode.enabled": "false", "resource-calculator": "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator", "maximum-am-resource-percent": "1",
			"root.queues": "a,b,c", "root.a.capacity": "[memory=60%,vcores=10%]", "root.b.capacity": "[memory=2048,vcores=0]", "root.c.capacity": "[memory=1024,vcores=9]",
			"per-node-heartbeat.multiple-assignments-enabled": "false",
		}, func(e *yarn.Event) {
			if e.Kind == yarn.Allocated {
				got = append(got, e.App)
			}
		})
		for i, queue := range wanting {
			id := protocol.AppID(i + 1)
			if err := s.AddApp(yarn.AppSpec{ID: id, Queue: queue, User: "u"}); err != nil {
				t.Fatal(err)
			}
			s.AddAttempt(id)
			ask := protocol.Ask{Name: protocol.Any, Count: 1, Size: resource.R(1024, 1), Relax: true}
			if err := s.Allocate(id, &protocol.AllocateRequest{Asks: []protocol.Ask{ask}}, new(protocol.AllocateResponse)); err != nil {
				t.Fatal(err)
			}
		}
		s.NodeUpdate(0, nil, nil)
		if want := []protocol.AppID{1}; !slices.Equal(got, want) {
			t.Errorf("of %v applications %v were served, want %v", wanting, got, want)
		}
	}
}
