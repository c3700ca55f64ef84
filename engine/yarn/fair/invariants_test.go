package fair

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

// world drives a FairScheduler with random calls and knows what must hold after each.
type world struct {
	t      *rapid.T
	f      *Scheduler
	names  *protocol.Names
	on     []bool                                   // nodes registered
	apps   map[protocol.AppID]bool                  // with an attempt
	given  map[protocol.ContainerID]protocol.NodeID // acquired containers
	next   protocol.AppID
	events map[protocol.ContainerID]int // +1 allocated, -1 ended
}

const invariantQueues = `<allocations>
<queue name="a"><weight>2</weight><maxRunningApps>2</maxRunningApps><maxAMShare>-1.0</maxAMShare></queue>
<queue name="b"><schedulingPolicy>fifo</schedulingPolicy><maxResources>20480 mb,20 vcores</maxResources></queue>
<queue name="c"><minResources>4096 mb,4 vcores</minResources><queue name="d"><maxAMShare>0.8</maxAMShare></queue><queue name="e"/></queue>
<userMaxAppsDefault>3</userMaxAppsDefault>
<defaultFairSharePreemptionTimeout>1</defaultFairSharePreemptionTimeout>
</allocations>`

func newWorld(t *rapid.T) *world {
	site, err := conf.NewSite(map[string]string{
		"yarn.resourcemanager.work-preserving-recovery.enabled":            "false",
		"yarn.scheduler.fair.assignmultiple":                               fmt.Sprint(rapid.Bool().Draw(t, "multiple")),
		"yarn.scheduler.fair.locality.threshold.node":                      rapid.SampledFrom([]string{"-1", "0", "0.5"}).Draw(t, "threshold"),
		"yarn.scheduler.fair.locality.threshold.rack":                      "0.5",
		"yarn.scheduler.fair.preemption":                                   fmt.Sprint(rapid.Bool().Draw(t, "preemption")),
		"yarn.scheduler.fair.preemption.cluster-utilization-threshold":     "0.1",
		"yarn.scheduler.fair.waitTimeBeforeKill":                           "1000",
		"yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck":            "1000",
		"yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms": "-1",
	})
	if err != nil {
		t.Fatal(err)
	}
	alloc, err := conf.ParseAllocations([]byte(invariantQueues), site)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		t: t, names: protocol.NewNames(), on: make([]bool, 6), apps: map[protocol.AppID]bool{},
		given: map[protocol.ContainerID]protocol.NodeID{}, next: 1, events: map[protocol.ContainerID]int{},
	}
	w.f, err = New(site, alloc, w.names, 0, func(e *yarn.Event) {
		switch e.Kind {
		case yarn.Allocated:
			w.events[e.Container.ID]++
		case yarn.Completed:
			w.events[e.Container.ID]--
			delete(w.given, e.Container.ID)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) pick(n int, what string) int { return rapid.IntRange(0, n-1).Draw(w.t, what) }

func (w *world) node() { // joins, or goes
	n := w.pick(len(w.on), "node")
	id := protocol.NodeID(n)
	if w.on[n] = !w.on[n]; !w.on[n] {
		w.f.RemoveNode(id)
		return
	}
	w.f.AddNode(yarn.NodeSpec{
		ID: id, Host: w.names.Intern(fmt.Sprint("h", n)), Rack: w.names.Intern(fmt.Sprint("/r", n%2)), Port: 8041, Total: resource.R(8192, 8),
	})
}

func (w *world) submit() {
	q := []string{"root.a", "root.b", "root.c.d", "root.c.e", "root.new"}[w.pick(5, "queue")]
	s := yarn.AppSpec{ID: w.next, User: fmt.Sprint("u", w.pick(2, "user")), Queue: q, AMSize: resource.R(1024, 1)}
	w.next++
	if err := w.f.AddApp(s); err != nil {
		w.t.Fatalf("%s refused: %v", q, err)
	}
	w.f.AddAttempt(s.ID)
	w.apps[s.ID] = true
	w.allocate(s.ID, []protocol.Ask{{RequestID: -1, Name: protocol.Any, Count: 1, Size: s.AMSize, Relax: true}})
}

func (w *world) allocate(id protocol.AppID, asks []protocol.Ask) {
	var resp protocol.AllocateResponse
	if err := w.f.Allocate(id, &protocol.AllocateRequest{Asks: asks}, &resp); err != nil {
		w.t.Fatal(err)
	}
	for _, c := range resp.Allocated {
		w.given[c.ID] = c.Node
	}
}

func (w *world) ask() {
	for id := protocol.AppID(1); id < w.next; id++ {
		if !w.apps[id] || w.pick(3, "asks") > 0 {
			continue
		}
		n := w.pick(len(w.on), "wanted")
		count := int32(w.pick(6, "count"))
		size := resource.R(int64(1024*(1+w.pick(4, "size"))), 1)
		a := protocol.Ask{Priority: int32(1 + w.pick(2, "priority")), Count: count, Size: size, Relax: true}
		host, rack, anywhere := a, a, a
		host.Name, rack.Name = w.names.Intern(fmt.Sprint("h", n)), w.names.Intern(fmt.Sprint("/r", n%2))
		w.allocate(id, []protocol.Ask{host, rack, anywhere})
	}
}

func (w *world) heartbeat() {
	n := protocol.NodeID(w.pick(len(w.on), "beat"))
	var launched []protocol.ContainerID
	var ended []protocol.Status
	if node := w.f.cluster.Node(n); node != nil {
		for c := range node.Containers {
			switch _, mine := w.given[c.ID]; {
			case mine && c.State == yarn.ContainerAcquired:
				launched = append(launched, c.ID)
			case c.State == yarn.ContainerRunning && w.pick(6, "ends") == 0, c.State.Final():
				ended = append(ended, protocol.Status{ID: c.ID})
			}
		}
	}
	w.f.NodeUpdate(n, launched, ended)
	for id := protocol.AppID(1); id < w.next; id++ {
		if w.apps[id] && w.f.attempt(id).WaitingForAM {
			if c, ok := w.f.PullAM(id); ok {
				w.given[c.ID] = c.Node
			}
		}
	}
}

func (w *world) remove() {
	id := protocol.AppID(1 + w.pick(int(w.next), "removed"))
	if w.apps[id] {
		delete(w.apps, id)
		w.f.RemoveApp(id)
	}
}

func (w *world) tick() {
	w.f.SetClock(w.f.now + int64(w.pick(2000, "ms")))
	w.f.Update()
	w.f.tree.root.each(func(q *queue) {
		claims := w.f.queueClaims(q)
		q.sharing.Shares(q.fair, claims)
		for i, c := range q.children {
			if c.fair != claims[i].Share {
				w.t.Fatalf("the share of %s is %v, the queues as they are give %v", c.name, c.fair, claims[i].Share)
			}
		}
	})
	w.f.Preempt()
	w.f.KillDue()
}

// check holds after every call.
func (w *world) check() {
	t, f := w.t, w.f
	var total resource.Resource
	for n := range f.cluster.All {
		var used resource.Resource
		for c := range n.Containers {
			used = used.Add(c.Size)
		}
		if n.Used != used || n.Free != n.Total.Sub(used) || n.Free[0] < 0 || n.Free[1] < 0 {
			t.Fatalf("node %d holds %v and says %v used, %v free", n.ID, used, n.Used, n.Free)
		}
		if n.Reserved != nil && n.Reserved.State != yarn.ContainerReserved {
			t.Fatalf("node %d is reserved by a container in state %d", n.ID, n.Reserved.State)
		}
		total = total.Add(n.Total)
	}
	if total != f.cluster.Capacity {
		t.Fatalf("capacity %v, nodes have %v", f.cluster.Capacity, total)
	}
	usage := map[*queue]resource.Resource{}
	var all resource.Resource
	for id := range w.apps {
		a := f.attempt(id)
		var used resource.Resource
		for c := range a.AllLive {
			used = used.Add(c.Size)
			if w.events[c.ID] != 1 {
				t.Fatalf("live container %v was told %d times", c.ID, w.events[c.ID])
			}
		}
		if a.Usage != used || a.Used != used {
			t.Fatalf("application %d holds %v and says %v, %v", id, used, a.Usage, a.Used)
		}
		for q := a.queue; q != nil; q = q.parent {
			usage[q] = usage[q].Add(used)
		}
		all = all.Add(used)
	}
	if f.allocated != all {
		t.Fatalf("%v is allocated, applications hold %v", f.allocated, all)
	}
	f.tree.root.each(func(q *queue) {
		if q.Usage != usage[q] {
			t.Fatalf("%s says %v, its applications hold %v", q.name, q.Usage, usage[q])
		}
		if !q.leaf {
			var n int32
			for _, c := range q.children {
				n += c.numRunnable()
			}
			if n != q.running {
				t.Fatalf("%s counts %d runnable applications, its children %d", q.name, q.running, n)
			}
		}
		if q.numRunnable() > q.maxRunning {
			t.Fatalf("%s runs %d applications, at most %d may", q.name, q.numRunnable(), q.maxRunning)
		}
	})
}

// Whatever is called, room, usage and counts agree with the containers that there are.
func TestUsageAgreesWithContainers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for range 3 {
			w.node()
		}
		for range 80 {
			switch k := w.pick(20, "call"); {
			case k == 0:
				w.node()
			case k == 1:
				w.remove()
			case k < 5:
				w.submit()
			case k < 8:
				w.ask()
			case k < 12:
				w.tick()
			default:
				w.heartbeat()
			}
			w.check()
		}
	})
}
