package capacity

import (
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

// resizing is a cluster of one node and one application with running containers.
type resizing struct {
	t      *testing.T
	s      *Scheduler
	out    protocol.AllocateResponse
	events []yarn.Event
}

// newResizing gives the node mem MiB and the application its master of 1024 and containers of the given sizes, numbered from 2.
func newResizing(t *testing.T, mem int64, sizes ...int64) *resizing {
	props := map[string]string{
		"yarn.scheduler.capacity.root.queues":                                      "q",
		"yarn.scheduler.capacity.root.q.capacity":                                  "100",
		"yarn.scheduler.capacity.maximum-am-resource-percent":                      "1",
		"yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments": "10",
	}
	site, err := conf.NewSite(props)
	if err != nil {
		t.Fatal(err)
	}
	site.WorkPreservingRecovery = false
	cfg, err := conf.NewCapacity(props, site)
	if err != nil {
		t.Fatal(err)
	}
	names := protocol.NewNames()
	r := &resizing{t: t}
	r.s = New(site, cfg, names, 0, func(e *yarn.Event) { r.events = append(r.events, *e) })
	r.s.SetClock(1 << 30)
	r.s.AddNode(yarn.NodeSpec{Host: names.Intern("h"), Rack: names.Intern("/r"), Total: resource.R(mem, 100)})
	if err := r.s.AddApp(yarn.AppSpec{ID: 1, User: "u", Queue: "root.q"}); err != nil {
		t.Fatal(err)
	}
	r.s.AddAttempt(1)
	r.ask(0, 1024)
	r.beat(nil)
	if _, ok := r.s.PullAM(1); !ok {
		t.Fatal("no master container")
	}
	launched := []protocol.ContainerID{id(1)}
	for i, size := range sizes {
		r.ask(int32(i+1), size)
		launched = append(launched, id(int64(i+2)))
	}
	r.beat(nil)
	r.call(protocol.AllocateRequest{})
	r.s.NodeUpdate(0, launched, nil)
	r.events = nil
	return r
}

func id(n int64) protocol.ContainerID { return protocol.ContainerID{App: 1, N: n} }

func (r *resizing) call(in protocol.AllocateRequest) error { return r.s.Allocate(1, &in, &r.out) }

func (r *resizing) ask(priority int32, size int64) {
	r.call(protocol.AllocateRequest{Asks: []protocol.Ask{{Priority: priority, Name: protocol.Any, Count: 1, Size: resource.R(size, 1), Relax: true}}})
}

func (r *resizing) beat(ended []protocol.Status) { r.s.NodeUpdate(0, nil, ended) }

// resize asks for another size of container n, whose version is version.
func (r *resizing) resize(n int64, version int32, increase bool, size int64) error {
	return r.call(protocol.AllocateRequest{Updates: []protocol.Update{
		{Container: id(n), Version: version, Increase: increase, Size: resource.R(size, 1)},
	}})
}

// use checks the memory used by the queue and on the node.
func (r *resizing) use(when string, queue, node int64) {
	r.t.Helper()
	q, n := r.s.queues[1].used[resource.Memory], r.s.nodes.Node(0).Used[resource.Memory]
	if q != queue || n != node {
		r.t.Errorf("%s: queue uses %d, node %d; want %d and %d", when, q, n, queue, node)
	}
}

func (r *resizing) given(when string, list []protocol.Container, n, size int64, version int32) {
	r.t.Helper()
	if len(list) != 1 || list[0].ID != id(n) || list[0].Size[resource.Memory] != size || list[0].Version != version {
		r.t.Errorf("%s: given %+v, want container %d of %d MiB, version %d", when, list, n, size, version)
	}
}

func TestIncrease(t *testing.T) {
	r := newResizing(t, 8192, 1024)
	r.resize(2, 0, true, 3072)
	if len(r.out.Increased) != 0 {
		t.Errorf("given before it was allocated: %+v", r.out.Increased)
	}
	r.beat(nil)
	r.use("allocated", 4096, 4096)
	r.call(protocol.AllocateRequest{})
	r.given("next call", r.out.Increased, 2, 3072, 1)
	r.use("given", 4096, 4096)
	if len(r.out.Allocated) != 0 {
		t.Errorf("the difference is given as a container: %+v", r.out.Allocated)
	}
	r.beat([]protocol.Status{{ID: id(2)}})
	r.use("ended", 1024, 1024)
}

// A second request in the call that pulls the first still counts from the old size.
func TestIncreaseOvershoots(t *testing.T) {
	r := newResizing(t, 8192, 1024)
	r.resize(2, 0, true, 2048)
	r.beat(nil)
	r.resize(2, 0, true, 3072)
	r.given("first", r.out.Increased, 2, 2048, 1)
	r.beat(nil)
	r.call(protocol.AllocateRequest{})
	r.given("second", r.out.Increased, 2, 4096, 2)
	r.use("in the end", 5120, 5120)
}

func TestDecrease(t *testing.T) {
	r := newResizing(t, 8192, 4096)
	r.resize(2, 0, false, 1024)
	r.given("the same call", r.out.Decreased, 2, 1024, 1)
	r.use("after the call", 2048, 2048)
	kinds := []yarn.EventKind{yarn.Helper, yarn.NodeToldSize}
	if len(r.events) != 2 || r.events[0].Kind != kinds[0] || r.events[1].Kind != kinds[1] {
		t.Errorf("events %+v, want kinds %v", r.events, kinds)
	}
	r.resize(2, 1, false, 6144)
	r.use("a decrease to more", 7168, 7168)
}

func TestRefusals(t *testing.T) {
	r := newResizing(t, 8192, 1024)
	up := func(n int64, version int32, size int64) protocol.Update {
		return protocol.Update{Container: id(n), Version: version, Increase: true, Size: resource.R(size, 1)}
	}
	r.call(protocol.AllocateRequest{Updates: []protocol.Update{up(9, 0, 2048), up(2, 1, 2048), up(2, 0, 1<<20), up(2, 0, 2048), up(2, 0, 2048)}})
	want := []protocol.UpdateError{
		{Container: id(9), Reason: "INVALID_CONTAINER_ID", Version: -1},
		{Container: id(2), Reason: "INCORRECT_CONTAINER_VERSION_ERROR"},
		{Container: id(2), Reason: "RESOURCE_OUTSIDE_ALLOWED_RANGE"},
		{Container: id(2), Reason: "UPDATE_OUTSTANDING_ERROR"},
	}
	if len(r.out.UpdateErrors) != len(want) {
		t.Fatalf("refused %+v, want %+v", r.out.UpdateErrors, want)
	}
	for i, w := range want {
		if r.out.UpdateErrors[i] != w {
			t.Errorf("refusal %d is %+v, want %+v", i, r.out.UpdateErrors[i], w)
		}
	}
}

// A decrease in the call that pulls an increase is lost, and the application master gets errors until the container ends.
func TestDecreaseLostToIncrease(t *testing.T) {
	r := newResizing(t, 8192, 2048)
	r.resize(2, 0, true, 3072)
	r.beat(nil)
	if err := r.resize(2, 0, false, 1024); err == nil {
		t.Error("no error in the call with both")
	}
	if err := r.call(protocol.AllocateRequest{}); err == nil {
		t.Error("no error in the next call")
	}
	r.beat([]protocol.Status{{ID: id(2)}})
	if err := r.call(protocol.AllocateRequest{}); err != nil {
		t.Errorf("after the container's end: %v", err)
	}
	r.use("after the container's end", 1024, 1024)
}

// The end of a container drops the reservation for its growth.
func TestReservedIncreaseEndsWithContainer(t *testing.T) {
	r := newResizing(t, 4096, 1024, 1024)
	r.s.AddNode(yarn.NodeSpec{ID: 1, Total: resource.R(8192, 100)}) // so that the queue's limit permits it
	r.resize(2, 0, true, 4096)
	r.beat(nil)
	n := r.s.nodes.Node(0)
	if n.Reserved == nil || n.Reserved.Key().Update != id(2) {
		t.Fatalf("reserved is %+v, want the growth of container 2", n.Reserved)
	}
	r.use("reserved", 6144, 3072)
	r.beat([]protocol.Status{{ID: id(2)}})
	var got []protocol.ContainerID
	for _, e := range r.events {
		if e.Kind == yarn.Unreserved {
			got = append(got, e.Container.ID)
		}
	}
	if len(got) != 1 || got[0] != id(4) {
		t.Errorf("reservations %v were given back, want that of container 4", got)
	}
}

func TestIncreaseExpires(t *testing.T) {
	r := newResizing(t, 16384, 1024)
	r.resize(2, 0, true, 2048)
	r.beat(nil)
	r.call(protocol.AllocateRequest{})
	r.s.NodeResized(0, []protocol.Container{{ID: id(2), Size: resource.R(2048, 1)}})
	r.beat(nil)
	r.resize(2, 1, true, 4096)
	r.beat(nil)
	r.call(protocol.AllocateRequest{})
	r.given("second increase", r.out.Increased, 2, 4096, 2)
	r.s.ExpireIncrease(id(2))
	r.use("until the next call", 5120, 5120)
	r.resize(2, 2, true, 8192)
	if len(r.out.UpdateErrors) != 1 || !r.out.UpdateErrors[0].ByScheduler {
		t.Errorf("refused %+v, want one by the scheduler", r.out.UpdateErrors)
	}
	r.given("back to what the node knows", r.out.Decreased, 2, 2048, 3)
	r.use("after the call", 3072, 3072)
}

// Without a word of its node a container goes back to the size that it began with.
func TestFirstIncreaseExpires(t *testing.T) {
	r := newResizing(t, 16384, 1024)
	r.resize(2, 0, true, 2048)
	r.beat(nil)
	r.call(protocol.AllocateRequest{})
	r.given("the increase", r.out.Increased, 2, 2048, 1)
	r.s.ExpireIncrease(id(2))
	r.call(protocol.AllocateRequest{})
	r.given("back to what the node knows", r.out.Decreased, 2, 1024, 2)
	r.use("after the call", 2048, 2048)
}

// A node that knows more than was given out is told the size.
func TestNodeKnowsTooMuch(t *testing.T) {
	r := newResizing(t, 8192, 1024)
	r.s.NodeResized(0, []protocol.Container{{ID: id(2), Size: resource.R(4096, 1)}})
	r.beat(nil)
	if len(r.events) != 1 || r.events[0].Kind != yarn.NodeToldSize || r.events[0].Container.Size[resource.Memory] != 1024 {
		t.Errorf("events %+v, want the node to be told 1024", r.events)
	}
}

// The end of a container says whether the application had it and whether its node had reported it.
func TestEndsOfContainers(t *testing.T) {
	for _, tt := range []struct {
		name               string
		do                 func(*resizing)
		launched, acquired bool
	}{
		{"not given out", func(*resizing) {}, false, false},
		{"given out", func(r *resizing) { r.call(protocol.AllocateRequest{}) }, false, true},
		{"running", func(r *resizing) {
			r.call(protocol.AllocateRequest{})
			r.s.NodeUpdate(0, []protocol.ContainerID{id(2)}, nil)
		}, true, true},
	} {
		r := newResizing(t, 8192)
		r.ask(1, 1024)
		r.beat(nil)
		tt.do(r)
		r.events = nil
		r.s.endAs(r.s.container(id(2)), id(2), protocol.ExitAborted, yarn.EventKill)
		if len(r.events) != 1 || r.events[0].Kind != yarn.Completed || r.events[0].Launched != tt.launched || r.events[0].Acquired != tt.acquired {
			t.Errorf("%s: %+v, want one end, launched %v, acquired %v", tt.name, r.events, tt.launched, tt.acquired)
		}
		r.use(tt.name, 1024, map[bool]int64{false: 1024, true: 2048}[tt.launched])
	}
}

// A reservation that is filled keeps its size when other is asked for by then; the queue stays charged for what it held, the
// application for what it asks.
//
// Source: FiCaSchedulerApp.apply (RegularContainerAllocator.doAllocation).
func TestReservationForAnotherSize(t *testing.T) {
	r := newResizing(t, 4096, 2048)
	host := r.s.nodes.Node(0).Host
	r.s.AddNode(yarn.NodeSpec{ID: 1, Host: host, Rack: r.s.nodes.Node(0).Rack, Port: 1, Total: resource.R(1024, 100)})
	r.ask(5, 2048)
	r.beat(nil)
	if n := r.s.nodes.Node(0); n.Reserved == nil {
		t.Fatal("the node is not reserved")
	}
	if err := r.call(protocol.AllocateRequest{Asks: []protocol.Ask{{Priority: 5, Name: protocol.Any, Count: 1, Size: resource.R(1024, 1), Relax: true}}}); err != nil {
		t.Fatal(err)
	}
	r.s.endAs(r.s.container(id(2)), id(2), protocol.ExitAborted, yarn.EventKill)
	r.beat([]protocol.Status{{ID: id(2), Exit: 0}})
	r.call(protocol.AllocateRequest{})
	if len(r.out.Allocated) != 1 {
		t.Fatalf("given out %v, want one container", r.out.Allocated)
	}
	if got := [3]int64{r.out.Allocated[0].Size[resource.Memory], r.s.appOf(1).Used[resource.Memory], r.s.byName["root.q"].used[resource.Memory]}; got != [3]int64{2048, 2048, 3072} {
		t.Errorf("the container has %d MiB, the application uses %d, the queue %d, want 2048, 2048 and 3072 with the master's 1024", got[0], got[1], got[2])
	}
}
