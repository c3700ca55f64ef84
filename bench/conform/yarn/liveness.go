package yarn

import (
	"cmp"
	"fmt"
	"slices"

	"replay/bench/conform/golden"
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/rm"
	"replay/policy/resource"
)

// liveness is at which of its looks a monitor of the ResourceManager finds nodes or application masters silent, or containers not started.
//
// Source: AbstractLivelinessMonitor as NMLivelinessMonitor, AMLivelinessMonitor, ContainerAllocationExpirer.
var liveness = golden.Kind{
	Name:  "yarn liveness",
	Of:    golden.AnswersOf("NMLivelinessMonitor, AMLivelinessMonitor, ContainerAllocationExpirer"),
	Match: func(_ string, first golden.Shape) bool { return first.Has("liveness", "expiry", "watched") },
	Run:   golden.Cases(runLiveness),
}

type livenessCase struct {
	ID       int64
	Liveness string // nodes, masters or containers
	Expiry   int64  // ms
	Watched  []watched
}

// watched are times in ms after the ResourceManager's start.
type watched struct {
	Since   int64
	Last    int64  // of its heartbeats, of a node or master
	Started *int64 // of a container, unless nobody starts it
	Expired *int64
}

func runLiveness(c *livenessCase, out *golden.Results) {
	w := &monitored{expired: map[int64]int64{}}
	r, err := rm.New(w, rm.Config{ContainerExpiryMS: c.Expiry, NodeExpiryMS: c.Expiry, MasterExpiryMS: c.Expiry, MaxAttempts: 1, GlobalMaxAttempts: 1, HeartbeatMS: 1000},
		func(yarn.Observer) (yarn.Scheduler, error) { return quiet{w: w}, nil })
	if err != nil {
		out.AddUnsupported(fmt.Sprint(c.ID), err.Error())
		return
	}
	w.play(r, c)
	for i := range c.Watched {
		want := c.Watched[i].Expired
		got, ok := w.expired[int64(i)+1]
		if ok != (want != nil) || ok && got != *want {
			out.AddDifferent(golden.Difference{Case: fmt.Sprint(c.ID), Event: i, Expected: want, Got: w.expired, State: c.Watched[i]})
			return
		}
	}
	out.AddEqual()
}

// call is something that happens at a time.
type call struct {
	at int64
	do func()
}

// play does to a ResourceManager what a case says, and fires its timers.
func (w *monitored) play(r *rm.RM, c *livenessCase) {
	const containersOf = 1 // the application that has them, which nobody looks after
	if c.Liveness == "containers" {
		r.AddNode(0, yarn.NodeSpec{})
		r.Submit(0, yarn.AppSpec{ID: containersOf, MaxAttempts: 1})
	}
	var calls []call
	for i := range c.Watched {
		x, n := &c.Watched[i], int64(i)+1
		switch c.Liveness {
		case "nodes":
			calls = append(calls, call{x.Since, func() { r.AddNode(x.Since, yarn.NodeSpec{ID: protocol.NodeID(n)}) }},
				call{x.Last, func() { r.NodeSilent(x.Last, protocol.NodeID(n), x.Last) }})
		case "masters":
			calls = append(calls, call{x.Since, func() { r.Submit(x.Since, yarn.AppSpec{ID: protocol.AppID(n), MaxAttempts: 1}) }},
				call{x.Last, func() { r.MasterSilent(x.Last, protocol.AppID(n), x.Last) }})
		default:
			calls = append(calls, call{x.Since, func() {
				w.gives = n
				r.Allocate(x.Since, containersOf, &protocol.AllocateRequest{}, new(protocol.AllocateResponse))
			}})
			if x.Started != nil {
				calls = append(calls, call{*x.Started, func() {
					if _, gone := w.expired[n]; !gone {
						r.ContainerStarted(0, protocol.ContainerID{App: containersOf, N: n})
						r.NodeHeartbeat(*x.Started, 0)
					}
				}})
			}
		}
	}
	slices.SortStableFunc(calls, func(a, b call) int { return cmp.Compare(a.at, b.at) })
	for len(calls) > 0 || len(w.timers) > 0 {
		if len(calls) > 0 && (len(w.timers) == 0 || calls[0].at <= w.timers[0].at) {
			w.now = calls[0].at
			calls[0].do()
			calls = calls[1:]
			continue
		}
		t := w.timers[0]
		w.timers, w.now = w.timers[1:], t.at
		if t.kind == rm.ExpiryCheck {
			r.Fire(t.at, t.kind, t.number, t.arg)
		} else {
			w.expired[t.number] = t.at
		}
	}
}

// monitored is what is around a ResourceManager that only looks after what it watches.
type monitored struct {
	rm.Host
	now     int64
	timers  []timer // by time
	gives   int64   // the container that the next call of the application gets
	expired map[int64]int64
}

type timer struct {
	at          int64
	kind        rm.Timer
	number, arg int64
}

func (w *monitored) At(at int64, t rm.Timer, number, arg int64) {
	w.timers = append(w.timers, timer{at, t, number, arg})
	slices.SortStableFunc(w.timers, func(a, b timer) int { return cmp.Compare(a.at, b.at) })
}

func (w *monitored) Expired(id protocol.ContainerID) { w.expired[id.N] = w.now }
func (w *monitored) NextBeat() int64                 { return 0 }
func (w *monitored) BeatAt(h int64) int64            { return h }
func (w *monitored) Passed(rm.Timer) bool            { return false }

// quiet is a scheduler that gives containers as the case says.
type quiet struct {
	yarn.Scheduler
	w *monitored
}

func (quiet) SetClock(int64)                                                        {}
func (quiet) AddNode(...yarn.NodeSpec)                                              {}
func (quiet) AddApp(yarn.AppSpec) error                                             { return nil }
func (quiet) AddAttempt(protocol.AppID)                                             {}
func (quiet) NodeUpdate(protocol.NodeID, []protocol.ContainerID, []protocol.Status) {}
func (quiet) Expire(protocol.ContainerID)                                           {}
func (quiet) MaxAllocation(string) (most resource.Resource)                         { return most }
func (q quiet) Allocate(id protocol.AppID, _ *protocol.AllocateRequest, resp *protocol.AllocateResponse) error {
	resp.Reset()
	if q.w.gives != 0 {
		resp.Allocated = append(resp.Allocated, protocol.Container{ID: protocol.ContainerID{App: id, N: q.w.gives}})
		q.w.gives = 0
	}
	return nil
}
