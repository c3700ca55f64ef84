package capacity

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

// world drives a scheduler at random, as application masters and nodes do.
type world struct {
	t     *rapid.T
	s     *Scheduler
	twin  *Scheduler // is told the same, and leaves heartbeats out; nil for none
	names *protocol.Names
	props map[string]string
	seen  map[yarn.EventKind]int

	crowded bool // nodes and applications are alike, and what these want fills more than half of a node

	nodes   []protocol.NodeID
	apps    []protocol.AppID
	lastApp protocol.AppID
	toStart map[protocol.NodeID][]protocol.ContainerID // given out, not reported
	onNode  map[protocol.NodeID][]protocol.ContainerID // reported
}

func newWorld(t *rapid.T) *world {
	w := &world{
		t: t, names: protocol.NewNames(),
		toStart: map[protocol.NodeID][]protocol.ContainerID{}, onNode: map[protocol.NodeID][]protocol.ContainerID{},
		seen: map[yarn.EventKind]int{},
	}
	calc := rapid.SampledFrom([]string{"Default", "Dominant"}).Draw(t, "calculator")
	number := func(name string, from, to int) string { return fmt.Sprint(rapid.IntRange(from, to).Draw(t, name)) }
	props := map[string]string{
		"yarn.scheduler.capacity.resource-calculator":                              "org.apache.hadoop.yarn.util.resource." + calc + "ResourceCalculator",
		"yarn.scheduler.capacity.root.queues":                                      "a,b",
		"yarn.scheduler.capacity.root.a.capacity":                                  "40",
		"yarn.scheduler.capacity.root.b.capacity":                                  "60",
		"yarn.scheduler.capacity.root.a.maximum-capacity":                          number("maximum of a", 40, 100),
		"yarn.scheduler.capacity.root.a.user-limit-factor":                         number("factor of a", 1, 3),
		"yarn.scheduler.capacity.root.a.minimum-user-limit-percent":                number("percent of a", 10, 100),
		"yarn.scheduler.capacity.root.a.ordering-policy":                           rapid.SampledFrom([]string{"fifo", "fair"}).Draw(t, "order of a"),
		"yarn.scheduler.capacity.root.b.queues":                                    "x,y",
		"yarn.scheduler.capacity.root.b.x.capacity":                                "30",
		"yarn.scheduler.capacity.root.b.y.capacity":                                "70",
		"yarn.scheduler.capacity.root.b.y.max-parallel-apps":                       number("parallel in y", 1, 4),
		"yarn.scheduler.capacity.maximum-am-resource-percent":                      "0.5",
		"yarn.scheduler.capacity.node-locality-delay":                              number("node delay", 0, 4),
		"yarn.scheduler.capacity.rack-locality-additional-delay":                   number("rack delay", -1, 3),
		"yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments": number("offswitch", 1, 4),
	}
	w.s = w.scheduler(props, w.observe)
	w.props = props
	return w
}

func (w *world) scheduler(props map[string]string, observe yarn.Observer) *Scheduler {
	site, err := conf.NewSite(props)
	if err != nil {
		w.t.Fatal(err)
	}
	site.WorkPreservingRecovery = false
	cfg, err := conf.NewCapacity(props, site)
	if err != nil {
		w.t.Fatal(err)
	}
	return New(site, cfg, w.names, 1_700_000_000_000, observe)
}

// both tells the scheduler and its twin.
func (w *world) both(tell func(*Scheduler)) {
	tell(w.s)
	if w.twin != nil {
		tell(w.twin)
	}
}

func (w *world) observe(e *yarn.Event) {
	w.seen[e.Kind]++
	if e.Kind == yarn.Completed && !e.Launched {
		n := e.Container.Node
		w.toStart[n] = slices.DeleteFunc(w.toStart[n], func(id protocol.ContainerID) bool { return id == e.Container.ID })
	}
}

func (w *world) host(i int) protocol.Name { return w.names.Intern(fmt.Sprintf("h%d", i)) }
func (w *world) rack(i int) protocol.Name { return w.names.Intern(fmt.Sprintf("/r%d", i%2)) }

func (w *world) step() {
	w.do(rapid.SampledFrom([]string{"node", "app", "ask", "ask", "beat", "beat", "beat", "beat", "end", "lose", "finish"}).Draw(w.t, "step"))
}

func (w *world) do(step string) {
	t := w.t
	switch step {
	case "node":
		if len(w.nodes) < 6 || w.crowded {
			i := rapid.IntRange(0, 9).Draw(t, "node")
			id := protocol.NodeID(i)
			if !slices.Contains(w.nodes, id) {
				w.nodes = append(w.nodes, id)
				spec := yarn.NodeSpec{
					ID: id, Host: w.host(i), Rack: w.rack(i), Port: 8041,
					Total: resource.R(1024*rapid.Int64Range(1, 8).Draw(t, "memory"), rapid.Int64Range(1, 8).Draw(t, "vcores")),
				}
				if w.crowded {
					spec.Total = resource.R(8192, 8)
				}
				w.both(func(s *Scheduler) { s.AddNode(spec) })
			}
		}
	case "app":
		w.lastApp++
		spec := yarn.AppSpec{
			ID: w.lastApp, User: rapid.SampledFrom([]string{"u", "v"}).Draw(t, "user"),
			Queue:  rapid.SampledFrom([]string{"root.a", "root.b.x", "root.b.y"}).Draw(t, "queue"),
			AMSize: resource.R(1024*rapid.Int64Range(1, 2).Draw(t, "master"), 1), Priority: rapid.Int32Range(0, 2).Draw(t, "priority"),
		}
		if w.crowded {
			spec.Queue, spec.AMSize = "root.a", resource.R(1024, 1)
		}
		var refused error
		w.both(func(s *Scheduler) { refused = s.AddApp(spec) })
		if refused == nil {
			w.apps = append(w.apps, spec.ID)
			w.both(func(s *Scheduler) { s.AddAttempt(spec.ID) })
			w.allocate(spec.ID, protocol.AllocateRequest{Asks: []protocol.Ask{{Name: protocol.Any, Count: 1, Size: spec.AMSize, RequestID: -1, Relax: true}}})
		}
	case "ask":
		if len(w.apps) == 0 {
			return
		}
		n := rapid.Int32Range(0, 6).Draw(t, "count")
		i := rapid.IntRange(0, 9).Draw(t, "wanted node")
		app := rapid.SampledFrom(w.apps).Draw(t, "asking")
		priority := rapid.Int32Range(1, 2).Draw(t, "ask priority")
		// The size of a priority never changes: a reservation keeps its size when the ask shrinks, and YARN
		// then fills it where only the new size fits.
		size := resource.R(1024*(1+int64(app)%3), 1+int64(priority+int32(app))%3)
		local := 1
		if w.crowded {
			n, priority, local = max(1, n), 1, 5
			size = rapid.SampledFrom([]resource.Resource{resource.R(5120, 5), resource.R(5120, 5), resource.R(3072, 3)}).Draw(t, "size")
		}
		asks := []protocol.Ask{{Priority: priority, Name: protocol.Any, Count: n, Size: size, Relax: true}}
		if rapid.IntRange(0, local).Draw(t, "local") == 1 {
			asks = append(asks,
				protocol.Ask{Priority: priority, Name: w.host(i), Count: n, Size: size, Relax: true},
				protocol.Ask{Priority: priority, Name: w.rack(i), Count: n, Size: size, Relax: true})
		}
		in := protocol.AllocateRequest{Asks: asks}
		if w.twin != nil && (!w.crowded || rapid.IntRange(0, 5).Draw(t, "unlike") == 1) {
			w.unlike(&in, i)
		}
		w.allocate(app, in)
	case "beat":
		if len(w.nodes) > 0 {
			w.beat(rapid.SampledFrom(w.nodes).Draw(t, "beating"), nil)
		}
	case "end":
		if len(w.nodes) > 0 {
			n := rapid.SampledFrom(w.nodes).Draw(t, "ending")
			if l := w.onNode[n]; len(l) > 0 {
				w.onNode[n] = l[1:]
				w.beat(n, []protocol.Status{{ID: l[0]}})
			}
		}
	case "lose":
		if len(w.nodes) > 2 && (!w.crowded || len(w.nodes) > 8) {
			n := w.nodes[0]
			w.nodes = w.nodes[1:]
			delete(w.onNode, n)
			w.both(func(s *Scheduler) { s.RemoveNode(n) })
			delete(w.toStart, n)
		}
	case "finish":
		if len(w.apps) > 3 && (!w.crowded || len(w.apps) > 10) {
			w.both(func(s *Scheduler) { s.RemoveApp(w.apps[0]) })
			w.apps = w.apps[1:]
		}
	}
}

// unlike makes of a message what no client says: sizes and counts that do not fit together, names that may not be left for others, and further changes.
func (w *world) unlike(in *protocol.AllocateRequest, node int) {
	t := w.t
	chance := func(n int, of string) bool { return rapid.IntRange(0, n).Draw(t, of) == 1 }
	for i := range in.Asks {
		a := &in.Asks[i]
		if chance(3, "another size") {
			a.Size = resource.R(1024*rapid.Int64Range(1, 4).Draw(t, "memory"), rapid.Int64Range(1, 3).Draw(t, "vcores"))
		}
		if chance(4, "another count") {
			a.Count = rapid.Int32Range(0, 6).Draw(t, "count")
		}
		a.Relax = !chance(5, "strict")
	}
	if chance(6, "less asks") {
		in.Asks = in.Asks[1:]
	}
	if chance(6, "blacklist") {
		in.BlacklistAdd = []protocol.Name{w.host(node)}
	}
	if chance(6, "blacklist no more") {
		in.BlacklistRemove = []protocol.Name{w.host(node)}
	}
	if len(w.nodes) == 0 {
		return
	}
	n := rapid.SampledFrom(w.nodes).Draw(t, "node")
	switch l := w.toStart[n]; {
	case len(l) > 0 && chance(6, "release"):
		in.Releases = append(in.Releases, l[0])
	case len(l) > 0 && chance(6, "expire"):
		id := l[0] // which leaves the list once it has ended
		w.both(func(s *Scheduler) { s.Expire(id) })
	case chance(8, "another total"):
		total := resource.R(1024*rapid.Int64Range(1, 8).Draw(t, "memory"), rapid.Int64Range(1, 8).Draw(t, "vcores"))
		w.both(func(s *Scheduler) { s.SetNodeTotal(n, total) })
	}
}

func (w *world) allocate(id protocol.AppID, in protocol.AllocateRequest) {
	var out, other protocol.AllocateResponse
	if c, ok := w.s.PullAM(id); ok {
		w.toStart[c.Node] = append(w.toStart[c.Node], c.ID)
	}
	if err := w.s.Allocate(id, &in, &out); err != nil {
		w.t.Fatal(err)
	}
	if w.twin != nil {
		w.twin.PullAM(id)
		if err := w.twin.Allocate(id, &in, &other); err != nil || other.Headroom != out.Headroom || len(other.Allocated) != len(out.Allocated) {
			w.t.Fatalf("the twin answers %+v, want %+v (%v)", other, out, err)
		}
	}
	for _, c := range out.Allocated {
		w.toStart[c.Node] = append(w.toStart[c.Node], c.ID)
	}
}

// launch returns what the node reports as running with its next heartbeat.
func (w *world) launch(n protocol.NodeID) []protocol.ContainerID {
	launched := w.toStart[n]
	w.toStart[n] = nil
	w.onNode[n] = append(w.onNode[n], launched...)
	return launched
}

func (w *world) beat(n protocol.NodeID, ended []protocol.Status) {
	launched := w.launch(n)
	w.both(func(s *Scheduler) { s.NodeUpdate(n, launched, ended) })
}

// check looks at what must hold at all times.
func (w *world) check() {
	t, s := w.t, w.s
	for _, id := range w.nodes {
		n := s.nodes.Node(id)
		var sum resource.Resource
		for c := range n.Containers {
			sum = sum.Add(c.Size)
		}
		if sum != n.Used || n.Used.Add(n.Free) != n.Total {
			t.Fatalf("node %d: containers use %v, used %v, free %v, total %v", id, sum, n.Used, n.Free, n.Total)
		}
		if n.Free[resource.Memory] < 0 {
			t.Fatalf("node %d is over its memory: free %v", id, n.Free)
		}
	}
	used, reserved, pending := map[*queue]resource.Resource{}, map[*queue]resource.Resource{}, map[*queue]resource.Resource{}
	users := map[*user]resource.Resource{}
	for _, a := range s.apps {
		if a == nil {
			continue
		}
		var mine, held resource.Resource
		for c := range a.AllLive {
			mine = mine.Add(c.Size)
		}
		for _, k := range a.keys {
			if k == nil {
				continue
			}
			for _, c := range k.reserved.All {
				held = held.Add(c.Size)
				if s.nodes.Node(c.Node.ID).Reserved != c {
					t.Fatalf("application %d holds %v, which its node does not know", a.ID, c.ID)
				}
			}
		}
		if held != a.reserved {
			t.Fatalf("application %d has reserved %v, counted %v", a.ID, held, a.reserved)
		}
		users[a.user] = users[a.user].Add(mine).Add(held)
		for q := a.q; q != nil; q = q.parent {
			used[q] = used[q].Add(mine).Add(held)
			reserved[q] = reserved[q].Add(held)
			pending[q] = pending[q].Add(a.Pending())
		}
	}
	for _, q := range s.queues {
		if q.used != used[q] || q.reserved != reserved[q] || q.pending != pending[q] {
			t.Fatalf("%s: used %v, reserved %v, pending %v; want %v, %v, %v",
				q.cfg.Path, q.used, q.reserved, q.pending, used[q], reserved[q], pending[q])
		}
		if !q.leaf {
			continue
		}
		checkAlike(w.t, q)
		waiting := 0
		for u := range maps.Values(q.users.byName) {
			if u.waits() {
				waiting++
			}
			if u.present && u.used != users[u] {
				t.Fatalf("%s: user %s uses %v, want %v", q.cfg.Path, u.name, u.used, users[u])
			}
		}
		if q.users.waiting != waiting {
			t.Fatalf("%s: %d users have no active application, want %d", q.cfg.Path, q.users.waiting, waiting)
		}
		if n := int32(len(q.pendingApps) + len(q.activeApps)); n != q.running || q.running > q.cfg.MaxParallel {
			t.Fatalf("%s: %d attempts, %d counted as running, at most %d", q.cfg.Path, n, q.running, q.cfg.MaxParallel)
		}
	}
}

func TestInvariants(t *testing.T) {
	seen := map[yarn.EventKind]int{}
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			w.step()
			w.check()
		}
		for k, n := range w.seen {
			seen[k] += n
		}
	})
	for _, k := range []yarn.EventKind{yarn.Allocated, yarn.Reserved, yarn.Rereserved, yarn.Unreserved, yarn.Completed, yarn.Runnable} {
		if seen[k] == 0 && !testing.Short() { // in few runs one may be missing
			t.Errorf("no event of kind %d: the runs are too tame", k)
		}
	}
}

// positive is a shortcut through the calculator's comparison with nothing.
func TestPositive(t *testing.T) {
	amount := rapid.Custom(func(t *rapid.T) (r resource.Resource) {
		for i := range 3 {
			r[i] = rapid.SampledFrom([]int64{0, 0, 1, 2, -1, 1 << 40}).Draw(t, "amount")
		}
		return r
	})
	for _, types := range []int{2, 3} {
		for name, calc := range map[string]resource.Calculator{"default": resource.DefaultCalculator{}, "dominant": resource.NewDominant(types)} {
			rapid.Check(t, func(t *rapid.T) {
				s := &Scheduler{calc: calc, nodes: yarn.NewCluster(protocol.NewNames(), false), counted: types}
				if name == "default" {
					s.counted = 1
				}
				r := amount.Draw(t, "r")
				s.nodes.Capacity = amount.Draw(t, "cluster").Max(resource.Resource{})
				clear(r[types:])
				clear(s.nodes.Capacity[types:])
				if got, want := s.positive(r), calc.Compare(s.nodes.Capacity, r, resource.Resource{}, false) > 0; got != want {
					t.Fatalf("%s, %d types, cluster %v: positive(%v) is %v, want %v", name, types, s.nodes.Capacity, r, got, want)
				}
			})
		}
	}
}
