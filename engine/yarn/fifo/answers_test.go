package fifo

import (
	"fmt"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/policy/resource"
)

// The first container is the master's; what follows is handed over to it, and what has an end is free again.
//
// Source: FifoScheduler.allocate, RMAppAttemptImpl.AMContainerAllocatedTransition.
func TestMasterAndItsContainers(t *testing.T) {
	c := newCluster(t)
	if _, ok := c.PullAM(1); ok {
		t.Error("the master of nobody is pulled")
	}
	c.node(0, 8192)
	c.app(1, ask(protocol.Any, 1, 1000))
	if _, ok := c.PullAM(1); ok {
		t.Error("a master without a container is pulled")
	}
	c.NodeUpdate(0, nil, nil)
	am, ok := c.PullAM(1)
	a := c.attempt(1)
	if !ok || am.ID.N != 1 || am.Size[resource.Memory] != 1024 || !a.Live(am.ID).AM || a.WaitingForAM {
		t.Fatalf("pulled %+v, %v; marked %v, the attempt waits %v", am, ok, a.Live(am.ID).AM, a.WaitingForAM)
	}
	c.ask(1, ask(protocol.Any, 2, 1024))
	c.NodeUpdate(0, []protocol.ContainerID{am.ID}, nil)
	if got := a.Live(am.ID).State; got != yarn.ContainerRunning {
		t.Errorf("the master's container is in state %v, want running", got)
	}
	out := protocol.AllocateResponse{Allocated: []protocol.Container{{}}} // of an earlier call
	if err := c.Allocate(1, &protocol.AllocateRequest{}, &out); err != nil {
		t.Fatal(err)
	}
	if len(out.Allocated) != 2 || out.Nodes != 1 || a.Live(out.Allocated[0].ID).AM {
		t.Errorf("answer %+v, want two containers that are no masters, and a node", out)
	}
	c.Expire(out.Allocated[1].ID)
	if got := c.nodes.Node(0).Free[resource.Memory]; got != 8192-2*1024 {
		t.Errorf("%d MiB are free when one has expired, want 6144", got)
	}
	c.RemoveApp(1)
	if err := c.Allocate(1, &protocol.AllocateRequest{}, &out); err != nil || len(out.Allocated) != 0 || out.Nodes != 1 || !a.Stopped {
		t.Errorf("an application that has left is answered %+v, %v; stopped %v", out, err, a.Stopped)
	}
}

// The size of a master's container is rounded to the minimum, as that of others is.
func TestSizeOfTheMaster(t *testing.T) {
	c := newCluster(t)
	if got := c.Submission(yarn.AppSpec{AMSize: resource.R(1025, 1)}).AMSize; got != resource.R(2048, 1) {
		t.Errorf("the master gets %v, want 2 GiB", got)
	}
}

// root and the one leaf say the same.
func TestQueuesOfTheFIFOScheduler(t *testing.T) {
	c := newCluster(t)
	c.node(0, 8192)
	c.app(1, ask(protocol.Any, 9, 1024))
	c.NodeUpdate(0, nil, nil)
	var got []string
	c.Queues(func(q *yarn.QueueState) {
		got = append(got, fmt.Sprint(q.Path, " ", q.Leaf, " ", q.Used[0], " of ", q.Demand[0], " wanted, at most ", q.MaxShare[0], ", ", q.Runnable, " applications"))
	})
	want := []string{"root false 8192 of 9216 wanted, at most 8192, 1 applications", Queue + " true 8192 of 9216 wanted, at most 8192, 1 applications"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A scheduler that recovers waits before it gives anything.
//
// Source: FifoScheduler.nodeUpdate (yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms).
func TestWaitBehindRecovery(t *testing.T) {
	for at, want := range map[int64]int{10_000: 0, 10_001: 1} {
		c := &cluster{names: protocol.NewNames()}
		s, err := New(conf.DefaultSite(), c.names, 0, func(e *yarn.Event) {
			if e.Kind == yarn.Allocated {
				c.made = append(c.made, e.Container)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		c.Scheduler = s
		c.node(0, 8192)
		c.app(1, ask(protocol.Any, 1, 1024))
		c.SetClock(at)
		c.NodeUpdate(0, nil, nil)
		if len(c.made) != want {
			t.Errorf("at %d ms: %d containers, want %d", at, len(c.made), want)
		}
	}
}
