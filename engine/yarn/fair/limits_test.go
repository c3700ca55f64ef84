package fair

import (
	"fmt"
	"strings"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy/resource"
)

// Applications beyond a limit of running ones wait without containers. When one that runs leaves, those run that its leaving makes room
// for: the earliest of the queues below the highest one that was full, and of its user.
//
// Source: MaxRunningAppsEnforcer.
func TestLimitsOfRunningApplications(t *testing.T) {
	// An application is USER QUEUE, from 1; each starts a millisecond after the one before it, or at the number behind it.
	tests := []struct {
		name, queues string
		apps         []string
		running      string // at first
		leave        protocol.AppID
		next         string // what runs then beside
	}{
		{"of a leaf", `<queue name="a"><maxRunningApps>1</maxRunningApps></queue>`, []string{"u a", "u a", "u b", "u a"}, "1 3", 1, "2"},
		{"of a leaf, another one leaves", `<queue name="a"><maxRunningApps>1</maxRunningApps></queue>`, []string{"u a", "u a", "u b", "u a"}, "1 3", 3, ""},
		{"one that waits leaves", `<queue name="a"><maxRunningApps>1</maxRunningApps></queue>`, []string{"u a", "u a", "u a"}, "1", 2, ""},
		{"nothing", `<queue name="a"><maxRunningApps>0</maxRunningApps></queue>`, []string{"u a", "u b"}, "2", 2, ""},
		{"of a queue above, whose other leaf has the earliest", `<queue name="p"><maxRunningApps>1</maxRunningApps><queue name="a"/><queue name="b"/></queue>`,
			[]string{"u p.a", "u p.b", "u p.a"}, "1", 1, "2"},
		{"of a queue above, whose own leaf has the earliest", `<queue name="p"><maxRunningApps>1</maxRunningApps><queue name="a"/><queue name="b"/></queue>`,
			[]string{"u p.b", "u p.b", "u p.a"}, "1", 1, "2"},
		{"a full leaf beside is left out", `<queue name="p"><maxRunningApps>2</maxRunningApps><queue name="a"/><queue name="b"><maxRunningApps>1</maxRunningApps></queue></queue>`,
			[]string{"u p.b", "u p.a", "u p.b", "u p.a"}, "1 2", 2, "4"},
		{"of a user in all queues", `<user name="u"><maxRunningApps>1</maxRunningApps></user>`, []string{"u a", "u b", "v a", "u c"}, "1 3", 1, "2"},
		{"of a user, another's leaves", `<user name="u"><maxRunningApps>1</maxRunningApps></user>`, []string{"u a", "u b", "v a"}, "1 3", 3, ""},
		{"of all users", `<userMaxAppsDefault>1</userMaxAppsDefault>`, []string{"u a", "u b", "v a", "v b"}, "1 3", 3, "4"},
		{"the first may not run for its user's limit", `<queue name="a"><maxRunningApps>1</maxRunningApps></queue><user name="u"><maxRunningApps>1</maxRunningApps></user>`,
			[]string{"u b", "w a", "u a", "v a"}, "1 2", 2, "4"},
		{"room in the queue and for the user", `<queue name="a"><maxRunningApps>1</maxRunningApps></queue><user name="u"><maxRunningApps>1</maxRunningApps></user>`,
			[]string{"u a", "v a", "u b"}, "1", 1, "2 3"},
		{"of every queue", `<queueMaxAppsDefault>1</queueMaxAppsDefault>`, []string{"u a", "u b", "u a"}, "1", 1, "2"},
		{"queues that have waited as long go in the order of their hashes", `<queue name="p"><maxRunningApps>1</maxRunningApps><queue name="a"/><queue name="b"/><queue name="c"/></queue>`,
			[]string{"u p.c 0", "u p.c 5", "u p.b 5", "u p.a 5"}, "1", 1, "3"},
		{"the longest wait of many queues, but for a user's limit",
			`<queue name="p"><maxRunningApps>1</maxRunningApps><queue name="a"/><queue name="b"/><queue name="c"/><queue name="d"/></queue><user name="u"><maxRunningApps>1</maxRunningApps></user>`,
			[]string{"u x 0", "w p.d 1", "u p.a 2", "v p.d 40", "v p.b 30", "v p.c 20"}, "1 2", 2, "6"},
		{"the user's earlier one takes the room in the queue", `<queue name="a"><maxRunningApps>1</maxRunningApps></queue><user name="u"><maxRunningApps>1</maxRunningApps></user>`,
			[]string{"u a", "u a", "v a", "u b"}, "1", 1, "2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGolden(t, many, tt.queues)
			g.node("n1", "/r1", 65536, 64)
			for i, text := range tt.apps {
				var user, queue string
				at := int64(i)
				fmt.Sscan(text, &user, &queue, &at)
				g.f.SetClock(2000 + at)
				id := protocol.AppID(i + 1)
				g.appOf(user, id, "root."+queue)
				g.ask(id, 1, "* x1 1024,1")
			}
			running := func() string {
				var ids []string
				for i := range tt.apps {
					if a := g.f.attempt(protocol.AppID(i + 1)); a != nil && a.Usage[0] > 0 {
						ids = append(ids, fmt.Sprint(i+1))
					}
				}
				return strings.Join(ids, " ")
			}
			g.f.Update()
			g.hb("n1")
			if got := running(); got != tt.running {
				t.Errorf("%s have containers, want %s", got, tt.running)
			}
			g.ran = nil
			g.f.RemoveApp(tt.leave)
			if got := strings.Trim(fmt.Sprint(g.ran), "[]"); got != tt.next {
				t.Errorf("then %q may run, want %q", got, tt.next)
			}
			g.f.Update()
			g.hb("n1")
			var want []string
			for i := range tt.apps {
				if id := fmt.Sprint(i + 1); id != fmt.Sprint(tt.leave) && strings.Contains(" "+tt.running+" "+tt.next+" ", " "+id+" ") {
					want = append(want, id)
				}
			}
			if got := running(); got != strings.Join(want, " ") {
				t.Errorf("then %s have containers, want %v", got, want)
			}
			for i := range tt.apps { // all leave: nothing is left behind
				if id := protocol.AppID(i + 1); g.f.attempt(id) != nil {
					g.f.RemoveApp(id)
				}
			}
			for path, q := range g.f.tree.byName {
				if q.Usage[0] != 0 || q.running != 0 || q.numRunnable() != 0 || len(q.waiting) != 0 {
					t.Errorf("%s: %v used, %d run, %d wait when all have left", path, q.Usage, q.numRunnable(), len(q.waiting))
				}
			}
			for name, u := range g.f.users {
				if u.running != 0 || len(u.waiting) != 0 {
					t.Errorf("user %s: %d run, %d wait when all have left", name, u.running, len(u.waiting))
				}
			}
		})
	}
}

// The refusal of an ask names the resource of which the queue can have nothing.
func TestAsksForWhatTheQueueCannotHave(t *testing.T) {
	g := newGolden(t, map[string]string{"yarn.resource-types": "yarn.io/gpu"}, `<queue name="a"><maxResources>vcores=8, memory-mb=8192, yarn.io/gpu=0</maxResources></queue>`)
	g.node("n1", "/r1", 65536, 64)
	g.appOf("u", 1, "root.a")
	for gpus, want := range map[int64]string{0: "", 1: "SchedulerInvalidResoureRequestException: zero amount of resource yarn.io/gpu in root.a for a requested resource"} {
		req := protocol.AllocateRequest{Asks: []protocol.Ask{{Name: protocol.Any, Count: 1, RequestID: -1, Size: resource.Resource{1024, 1, gpus}, Relax: true}}}
		var resp protocol.AllocateResponse
		if err := g.f.Allocate(1, &req, &resp); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%d GPUs: error %v, want %q", gpus, err, want)
		}
	}
}

// A queue is asked for what the ResourceManager makes of the size of a master container, which is more than its submission says.
func TestMastersAreRoundedBeforeTheirQueueIsAsked(t *testing.T) {
	g := newGolden(t, map[string]string{"yarn.resource-types": "yarn.io/gpu", "yarn.resource-types.yarn.io/gpu.minimum-allocation": "1"},
		`<queue name="a"><maxResources>vcores=8, memory-mb=8192, yarn.io/gpu=0</maxResources></queue><queue name="b"/>`)
	g.node("n1", "/r1", 65536, 64)
	for queue, want := range map[string]string{
		"root.a": "Cannot submit application application_1_0001 to queue root.a because it has zero amount of resource for a requested resource! " +
			"Invalid requested AM resources: <memory:2048, vCores:1, yarn.io/gpu: 1>, maximum queue resources: <memory:8192, vCores:8, yarn.io/gpu: 0>",
		"root.b": "",
	} {
		err := g.f.AddApp(g.f.Submission(yarn.AppSpec{ID: 1, User: "u", Queue: queue, AMSize: resource.R(1408, 1)}))
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: error %v, want %q", queue, err, want)
		}
	}
}
