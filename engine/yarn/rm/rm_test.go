package rm_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/rm"
	"replay/policy/resource"
)

func TestNewFailsWithItsScheduler(t *testing.T) {
	r, err := rm.New(&world{}, config, func(yarn.Observer) (yarn.Scheduler, error) { return nil, errScheduler })
	if r != nil || !errors.Is(err, errScheduler) {
		t.Errorf("got %v, %v", r, err)
	}
}

func TestSubmission(t *testing.T) {
	w := newWorld(t, func(s scheduler) yarn.Scheduler { return submitter{s} })
	w.submit = func(a yarn.AppSpec) yarn.AppSpec {
		a.AMSize = resource.R(2048, 1)
		return a
	}
	if err := w.r.Submit(7, yarn.AppSpec{ID: 3, Queue: "root.q", AMSize: size}); err != nil {
		t.Fatal(err)
	}
	w.want("an application of 2 GiB after rounding", "clock 1007", "add application 3 with [2048 1 0 0]", "add attempt 3",
		"allocate 3: [{0 -1 0 1 [2048 1 0 0] true false}]")
}

func TestRefusedSubmissions(t *testing.T) {
	for _, tt := range []struct {
		name   string
		size   resource.Resource
		set    func(*world)
		want   string
		logged []string
	}{
		{"master as large as may be", resource.R(8192, 8), func(*world) {}, "", []string{"clock 1000", "add application 1 with [8192 8 0 0]", "add attempt 1", "allocate 1: [{0 -1 0 1 [8192 8 0 0] true false}]"}},
		{"too much memory", resource.R(8193, 8), func(*world) {}, "the AM container asks for 8193 MiB, the largest allocation of queue root.q is 8192 MiB", []string{"clock 1000"}},
		{"too many vcores", resource.R(1, 9), func(*world) {}, "the AM container asks for 9 vcores, the largest allocation of queue root.q is 8 vcores", []string{"clock 1000"}},
		{"refused by the scheduler", size, func(w *world) { w.addErr = errScheduler }, errScheduler.Error(), []string{"clock 1000", "add application 1 with [1024 1 0 0]"}},
		{"refused when it asks", size, func(w *world) { w.askErr = errScheduler }, errScheduler.Error(),
			[]string{"clock 1000", "add application 1 with [1024 1 0 0]", "add attempt 1", "allocate 1: [{0 -1 0 1 [1024 1 0 0] true false}]", "remove application 1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, plain)
			tt.set(w)
			err := w.r.Submit(0, yarn.AppSpec{ID: 1, Queue: "root.q", AMSize: tt.size})
			if tt.want == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			w.want("the scheduler", tt.logged...)
			w.askErr = nil
			var resp protocol.AllocateResponse
			if known := w.r.Allocate(0, 1, &protocol.AllocateRequest{}, &resp) == nil; known != (tt.want == "") {
				t.Errorf("the application is known: %v", known)
			}
		})
	}
}

func TestMaster(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	if err := w.r.Submit(0, yarn.AppSpec{ID: 1, AMSize: size}); err != nil {
		t.Fatal(err)
	}
	w.log = nil
	w.beat(5, 0, func() { w.allocated(cid(1, 1), 0) })
	w.want("nothing can be pulled yet", "clock 1005", "node 0: launched [], completed []", "pull master of 1")
	w.pull = &protocol.Container{ID: cid(1, 1)}
	w.beat(6, 0, func() { w.allocated(cid(1, 2), 0); w.allocated(cid(1, 3), 0) })
	w.want("pulled once", "clock 1006", "node 0: launched [], completed []", "pull master of 1", "expiry check at 200: 0 0", "launch 1 as 1-1")
	w.beat(7, 0, func() { w.allocated(cid(1, 4), 0) })
	w.want("not again", "clock 1007", "node 0: launched [], completed []")
	if want := []yarn.EventKind{yarn.Allocated, yarn.Allocated, yarn.Allocated, yarn.Allocated}; !slices.Equal(w.events, want) {
		t.Errorf("the host saw %v, want %v", w.events, want)
	}

	if err := w.r.Submit(0, yarn.AppSpec{ID: 2, AMSize: size, Unmanaged: true}); err != nil {
		t.Fatal(err)
	}
	w.log = nil
	w.beat(8, 0, func() { w.allocated(cid(2, 1), 0) })
	w.want("an unmanaged master is not pulled", "clock 1008", "node 0: launched [], completed []")
	w.beat(9, 0, func() { w.allocated(cid(9, 1), 0) })
	w.want("nor that of an application that has left", "clock 1009", "node 0: launched [], completed []")
}

func TestEndOfTheMaster(t *testing.T) {
	for _, unregistered := range []bool{false, true} {
		w := newWorld(t, plain)
		w.node(0)
		w.app(1)
		if unregistered {
			w.r.Unregister(0, 1)
			w.r.Unregister(0, 9) // nobody
		}
		// What ends with the application is reported to nobody.
		w.onRemove = func(protocol.AppID) { w.ended(cid(1, 2), 0, protocol.ExitAborted, false) }
		w.beat(3, 0, func() { w.ended(cid(1, 1), 0, 13, false) })
		verdict := map[bool]string{false: "attempt 1 ended: false, 13", true: "attempt 1 ended: true, 13"}[unregistered]
		w.want("the application leaves", "clock 1003", "node 0: launched [], completed []", "remove application 1", verdict)
		var resp protocol.AllocateResponse
		if err := w.r.Allocate(4, 1, &protocol.AllocateRequest{}, &resp); err == nil || !strings.Contains(err.Error(), "application 1 is not known") {
			t.Errorf("error %v, want the application unknown", err)
		}
	}
}

func TestAllocate(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	w.node(1)
	w.app(1)
	ask := func(mem, vcores int64) error {
		var resp protocol.AllocateResponse
		return w.r.Allocate(5, 1, &protocol.AllocateRequest{Asks: []protocol.Ask{{Size: size}, {Size: resource.R(mem, vcores)}}}, &resp)
	}
	if err := ask(8192, 8); err != nil {
		t.Errorf("asks as large as may be: %v", err)
	}
	w.want("an ask", "clock 1005", "allocate 1: [{0 0 0 0 [1024 1 0 0] false false} {0 0 0 0 [8192 8 0 0] false false}]")
	if err := ask(8192, 9); err == nil || !strings.Contains(err.Error(), "application 1 asks for a container of 9 vcores, the largest allocation of queue root.q is 8 vcores") {
		t.Errorf("error %v, want the ask too large", err)
	}
	w.want("an ask too large voids the call", "clock 1005")
	if err := ask(1024, -1); err == nil || !strings.Contains(err.Error(), "application 1 asks for a container of 1024 MiB and -1 vcores, and there is none of less than nothing") {
		t.Errorf("error %v, want the ask for less than nothing", err)
	}
	w.want("so does one for less than nothing", "clock 1005")
	var resp protocol.AllocateResponse
	if err := w.r.Allocate(5, 1, &protocol.AllocateRequest{Asks: []protocol.Ask{{Size: resource.R(8193, 1)}}}, &resp); err == nil {
		t.Error("a single ask too large is taken")
	}
	w.askErr = errScheduler
	if err := ask(1, 1); !errors.Is(err, errScheduler) {
		t.Errorf("error %v, want the scheduler's", err)
	}
	w.askErr, w.log = nil, nil

	// Ends are reported with the next call, by node in the order in which nodes come first; those that a call causes wait.
	w.beat(6, 0, func() {
		w.ended(cid(1, 2), 1, 0, false)
		w.ended(cid(1, 3), 0, 137, false)
		w.ended(cid(1, 4), 1, 1, false)
		w.ended(cid(1, 5), 0, 0, false)
	})
	w.onAsk = func(resp *protocol.AllocateResponse) {
		resp.Completed = append(resp.Completed, protocol.Status{ID: cid(7, 7)}) // ends are the ResourceManager's business
		w.ended(cid(1, 6), 0, protocol.ExitAborted, false)
	}
	for i, want := range [][]string{{"1-2:0", "1-4:1", "1-3:137", "1-5:0"}, {"1-6:-100"}, nil} {
		if err := w.r.Allocate(7, 1, &protocol.AllocateRequest{}, &resp); err != nil {
			t.Fatal(err)
		}
		if got := statuses(resp.Completed); !slices.Equal(got, want) {
			t.Errorf("answer %d: completed %v, want %v", i, got, want)
		}
		w.onAsk = nil
	}

	w.r.Unregister(0, 1)
	w.log = nil
	resp.Nodes = 7
	if err := w.r.Allocate(8, 1, &protocol.AllocateRequest{}, &resp); err != nil || resp.Nodes != 0 {
		t.Errorf("after the end: %v, %+v", err, resp)
	}
	w.want("the scheduler is not asked any more", "clock 1008")
}

// The life of a process as its node reports it.
func TestReportsOfProcesses(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	w.app(1)
	w.r.ContainerStarted(0, cid(1, 2))
	w.r.ContainerStarted(0, cid(1, 3))
	w.beat(1, 0, nil)
	w.want("started", "clock 1001", "node 0: launched [1-2 1-3], completed []")
	w.beat(2, 0, nil)
	w.want("told once", "clock 1002", "node 0: launched [], completed []")
	w.r.ProcessExited(0, cid(1, 2), 143)
	w.r.ProcessExited(0, cid(1, 2), 0) // it has ended already
	w.beat(3, 0, nil)
	w.want("ended", "clock 1003", "node 0: launched [], completed [1-2:143]")
	w.beat(4, 0, nil)
	w.want("told once", "clock 1004", "node 0: launched [], completed []")

	// The scheduler gives a running container up: the node is told with its next heartbeat and reports the end in time.
	w.beat(5, 0, func() { w.ended(cid(1, 3), 0, protocol.ExitAborted, true) })
	w.want("given up", "clock 1005", "node 0: launched [], completed []")
	w.beat(6, 0, nil)
	w.want("to be killed", "clock 1006", "node 0: launched [], completed []", "kill 1-3 at 6")
	w.beat(7, 0, nil)
	w.want("killed once", "clock 1007", "node 0: launched [], completed []")
	w.r.ProcessExited(0, cid(1, 3), 143)
	w.beat(8, 0, nil)
	w.want("ended", "clock 1008", "node 0: launched [], completed [1-3:143]")

	// A process that ends by itself before the node is told needs no signal, and its end is reported with that heartbeat: the answer takes what is to
	// be ended, so it is not among that any more when the report is looked at.
	w.run(cid(1, 4), 0)
	w.beat(9, 0, func() { w.ended(cid(1, 4), 0, protocol.ExitAborted, true) })
	w.r.ProcessExited(0, cid(1, 4), 0)
	w.log = nil
	w.beat(10, 0, nil)
	w.want("ended, nothing to kill", "clock 1010", "node 0: launched [], completed [1-4:0]")
	w.beat(11, 0, nil)
	w.want("reported once", "clock 1011", "node 0: launched [], completed []")

	// So does a container that was started after the ResourceManager had given it up.
	w.r.ContainerStarted(0, cid(1, 5))
	w.r.ContainerStarted(0, cid(1, 6))
	w.r.MarkForCleanup(0, cid(1, 6))
	w.beat(12, 0, nil)
	w.want("one of two is killed", "clock 1012", "node 0: launched [1-5], completed []", "kill 1-6 at 12")
}

func TestLossOfNodes(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	w.node(2)
	w.app(1)
	for i, want := range []bool{true, false, true, false} {
		if got := w.r.Registered(protocol.NodeID(i)); got != want {
			t.Errorf("node %d is registered: %v", i, got)
		}
	}
	w.run(cid(1, 2), 0)
	w.run(cid(1, 3), 0)
	w.r.ProcessExited(0, cid(1, 2), 0)
	if got := texts(w.r.NodeDown(0)); !slices.Equal(got, []string{"1-3"}) {
		t.Errorf("processes ended with the node: %v, want 1-3 alone", got)
	}
	w.beat(1, 0, nil)
	w.want("nothing is left to report", "clock 1001", "node 0: launched [], completed []")

	w.run(cid(1, 4), 0)
	w.r.RemoveNode(2, 0)
	w.want("removed", "clock 1002", "remove node 0")
	if got := w.r.NodeDown(0); got != nil {
		t.Errorf("processes ended with the node after it had left: %v", texts(got))
	}
	w.r.RemoveNode(3, 0)
	w.r.RemoveNode(3, 9)
	w.beat(3, 0, nil)
	w.want("no node", nil...)
	w.r.SetNodeTotal(4, 0, resource.R(4096, 4))
	w.want("a capacity nobody asks for", "clock 1004")
	w.r.AddNode(5, yarn.NodeSpec{ID: 0, Total: size})
	w.want("back again", "clock 1005", "add node 0 of [1024 1 0 0]")
	w.beat(6, 0, nil)
	w.want("without its processes", "clock 1006", "node 0: launched [], completed []")
	w.r.SetNodeTotal(7, 0, resource.R(4096, 4))
	w.want("resized", "clock 1007", "node 0 has [4096 4 0 0]")
}

// Whatever the scheduler does in a call is handled in that call.
func TestNothingWaitsForTheNextCall(t *testing.T) {
	var resp protocol.AllocateResponse
	for name, call := range map[string]func(*world){
		"AddNode":      func(w *world) { w.r.AddNode(9, yarn.NodeSpec{ID: 1}) },
		"RemoveNode":   func(w *world) { w.r.RemoveNode(9, 0) },
		"SetNodeTotal": func(w *world) { w.r.SetNodeTotal(9, 0, size) },
		"Undrain":      func(w *world) { w.r.Drain(0, -1); w.r.Undrain(9, 0) },
		"Submit": func(w *world) {
			if err := w.r.Submit(9, yarn.AppSpec{ID: 2, AMSize: size}); err != nil {
				t.Error(err)
			}
		},
		"Allocate": func(w *world) {
			if err := w.r.Allocate(9, 1, &protocol.AllocateRequest{}, &resp); err != nil {
				t.Error(err)
			}
		},
		"Update":          func(w *world) { w.r.Update(9) },
		"NodeHeartbeat":   func(w *world) { w.r.NodeHeartbeat(9, 0) },
		"expiry check":    func(w *world) { w.r.Fire(9999, rm.ExpiryCheck, 0, 0) },
		"preemption kill": func(w *world) { w.r.Fire(9, rm.PreemptionKill, 0, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(s scheduler) yarn.Scheduler { return preempter{s} })
			w.node(0)
			w.app(1)
			w.onAny = func() {
				w.ended(cid(1, 1), 0, 1, false)
				w.ended(cid(1, 1), 0, 2, false) // the application has left by then
			}
			call(w)
			var ends []string
			for _, l := range w.log {
				if strings.HasPrefix(l, "attempt") {
					ends = append(ends, l)
				}
			}
			if !slices.Equal(ends, []string{"attempt 1 ended: false, 1"}) {
				t.Errorf("ends %q, want one", ends)
			}
		})
	}
}

// What a master gives back ahead of its time has ended for it once, whenever the scheduler comes to it.
func TestContainersGivenBackAhead(t *testing.T) {
	for _, hears := range []bool{true, false} {
		w := newWorld(t, plain)
		w.node(0)
		w.app(1)
		var resp protocol.AllocateResponse
		w.r.Foretell(0, cid(1, 2))
		if hears {
			w.r.Ends(1, &resp)
		}
		w.onAsk = func(*protocol.AllocateResponse) { w.ended(cid(1, 2), 0, protocol.ExitAborted, true) }
		if err := w.r.Release(5, 1, &protocol.AllocateRequest{Releases: []protocol.ContainerID{cid(1, 2)}}, &protocol.AllocateResponse{}); err != nil {
			t.Fatal(err)
		}
		w.onAsk = nil
		if !hears {
			w.r.Ends(1, &resp)
		}
		if got, want := statuses(resp.Completed), []string{"1-2:-100"}; !slices.Equal(got, want) {
			t.Errorf("heard before: %v: its master hears %v, want %v", hears, got, want)
		}
		if w.r.Ends(1, &resp); len(resp.Completed) > 0 {
			t.Errorf("heard before: %v: its master hears %v once more", hears, statuses(resp.Completed))
		}
	}
}

// A master hears of an end under the number by which the container was meant, while its process, its room and its watch go by the container's own.
func TestEndByTheNumberOfADecrease(t *testing.T) {
	w := newWorld(t, plain)
	w.node(0)
	w.app(1)
	w.onAsk = func(*protocol.AllocateResponse) {
		w.observe(&yarn.Event{Kind: yarn.Completed, App: 1, Exit: protocol.ExitAborted, Container: protocol.Container{ID: cid(1, 2), Size: size}, Update: cid(1, 9)})
	}
	var resp protocol.AllocateResponse
	for _, want := range [][]string{nil, {"1-9:-100"}} {
		if err := w.r.Allocate(5, 1, &protocol.AllocateRequest{}, &resp); err != nil {
			t.Fatal(err)
		}
		if got := statuses(resp.Completed); !slices.Equal(got, want) {
			t.Errorf("its master hears %v, want %v", got, want)
		}
		w.onAsk = nil
	}
}
