package engine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replay/engine/master"
	"replay/engine/model"
	"replay/engine/protocol"
	"replay/engine/scenario"
	"replay/policy/resource"
	"replay/trace"
)

// script is a kind of application whose master does what a test says: it asks for containers when it registers, and every
// second has a heartbeat, then a step. It ends after its last step.
type script struct {
	want  int // containers of 1 GiB and one core
	ends  int // steps
	step  func(m *scripted, n int)
	exits map[int64]int32 // of processes
	asked func(*protocol.AllocateRequest)
	plan  func(*master.Plan)
}

const kindScript = "test-script"

func (*script) Events() []master.Event {
	return []master.Event{{Name: "heartbeat and step", Class: master.Heartbeat, Work: true}}
}

func (k *script) Plan(*trace.Job) (*master.Plan, error) {
	p := &master.Plan{AMSize: resource.R(1024, 1), MaxAttempts: 1, Maker: makes(func(h master.Host) master.Master { return &scripted{script: k, h: h} })}
	if k.plan != nil {
		k.plan(p)
	}
	return p, nil
}

// scripted is its master. It keeps what it has been told.
type scripted struct {
	*script
	h    master.Host
	req  protocol.AllocateRequest
	resp protocol.AllocateResponse
	n    int
	over bool
	got  []int64  // containers, in order of their hand-over
	told []string // calls of the engine: "TIME CALL"
}

func (m *scripted) tell(format string, args ...any) {
	m.told = append(m.told, fmt.Sprintf("%d ", m.h.Now())+fmt.Sprintf(format, args...))
}

func (m *scripted) Register() error {
	if m.want > 0 {
		m.req.Asks = []protocol.Ask{{Priority: 1, Name: protocol.Any, Count: int32(m.want), Size: resource.R(1024, 1), Relax: true}}
		if m.asked != nil {
			m.asked(&m.req)
		}
	}
	m.beat()
	m.h.At(m.h.Now()+1000, 0, 0, 0)
	return nil
}

func (m *scripted) beat() {
	if err := m.h.Allocate(&m.req, &m.resp); err != nil {
		m.h.Broken("%v", err)
	}
	m.req = protocol.AllocateRequest{}
	for _, c := range m.resp.Allocated {
		m.got = append(m.got, c.ID.Number())
	}
	for _, s := range m.resp.Completed {
		m.tell("completed %d with %d", s.ID.Number(), s.Exit)
	}
}

func (m *scripted) release(c int64) {
	m.req.Releases = append(m.req.Releases, protocol.ContainerID{App: m.appID(), N: c})
}

// appID is the number of the application, which a container's id tells.
func (m *scripted) appID() protocol.AppID { return m.h.(*app).id }

func (m *scripted) Handle(master.EventKind, int64) {
	if m.over {
		return
	}
	m.beat()
	if m.n++; m.n > m.ends {
		m.over = true
		m.h.Unregister("")
		m.h.EndAM(m.h.Now())
		return
	}
	m.step(m, m.n)
	m.h.At(m.h.Now()+1000, 0, 0, 0)
}

func (m *scripted) Started(c int64)     { m.tell("started %d", c) }
func (m *scripted) StartFailed(c int64) { m.tell("start of %d failed", c) }
func (m *scripted) Exited(c int64)      { m.tell("exited %d", c) }
func (m *scripted) ExitStatus(c int64) int32 {
	if status, ok := m.exits[c]; ok {
		return status
	}
	return exitSIGTERM
}
func (m *scripted) News()                                       {}
func (m *scripted) NodesChanged(int)                            {}
func (m *scripted) AMExited()                                   { m.tell("master exited") }
func (m *scripted) NodeDown(node int32)                         { m.tell("node %d down", node) }
func (m *scripted) Fail(reason string)                          { m.tell("fail: %s", reason) }
func (m *scripted) Stop()                                       { m.over = true; m.tell("stop") }
func (m *scripted) Finish()                                     { m.tell("finish") }
func (m *scripted) Stopping() bool                              { return m.over }
func (m *scripted) Waits(func(resource.Resource) string) string { return "it waits" }

// play replays one scripted application on two nodes of 8 GiB that send heartbeats every 100 ms; latencies are 0 but for
// those that a test sets. It returns the simulation, the records and the master.
func play(t *testing.T, k *script, events []trace.NodeEvent, change func(*scenario.Options)) (*sim, *keep, *scripted) {
	t.Helper()
	m := model.Model{ReadMiBPerS: 1}
	o := scenario.Options{Scheduler: "fifo", Model: m, StallMS: 3_600_000, Conf: map[string]string{"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "100"}}
	if change != nil {
		change(&o)
	}
	j := sparkJob(0, 0, 0)
	j.Kind = kindScript
	sc, err := scenario.New(input(cluster(2, 1), events, j), o)
	if err != nil {
		t.Fatal(err)
	}
	var last *scripted
	plan := k.plan
	k.plan = func(p *master.Plan) {
		made := p.Maker
		p.Maker = makes(func(h master.Host) master.Master {
			last = made.New(h, nil).(*scripted)
			return last
		})
		if plan != nil {
			plan(p)
		}
	}
	out := &keep{}
	applications[kindScript] = func(*scenario.Scenario) master.Kind { return k }
	defer delete(applications, kindScript)
	s, err := newSim(sc, out, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, out, last
}

// ends are the containers' ends by number, the master's left out.
func (k *keep) ends() map[int64]string {
	out := map[int64]string{}
	for _, c := range k.containers {
		if !c.AM {
			out[c.Number] = fmt.Sprintf("%s %d", c.End, c.Exit)
		}
	}
	return out
}

// How containers end: each has the end that its story says.
func TestEndsOfContainers(t *testing.T) {
	start := func(m *scripted, c ...int64) {
		for _, c := range c {
			m.h.Start(c, m.h.Now())
		}
	}
	cases := []struct {
		name   string
		want   int // containers
		exits  map[int64]int32
		events []trace.NodeEvent
		conf   [2]string
		ends   int
		step   func(m *scripted, n int)
		result map[int64]string
	}{
		{"given back without a start", 2, nil, nil, [2]string{}, 4, func(m *scripted, n int) {
			if n == 2 {
				m.release(2)
				m.release(3)
			}
		}, map[int64]string{2: "unused -100", 3: "unused -100"}},
		{"given back while it runs", 2, nil, nil, [2]string{}, 6, func(m *scripted, n int) {
			switch n {
			case 2:
				start(m, 2, 3)
			case 4:
				m.release(2)
			}
		}, map[int64]string{2: "released -100", 3: "app-end -100"}},
		{"given back before its node has said that it runs", 1, nil, nil, [2]string{}, 4, func(m *scripted, n int) {
			if n == 2 {
				m.h.Start(2, m.h.Now()+1000) // it starts when it is given back
				m.release(2)
			}
		}, map[int64]string{2: "released -100"}},
		{"by themselves", 3, map[int64]int32{2: 0, 3: 1, 4: 143}, nil, [2]string{}, 6, func(m *scripted, n int) {
			switch n {
			case 2:
				start(m, 2, 3, 4)
			case 3:
				for c := range int64(3) {
					m.h.End(c+2, m.h.Now()+50)
				}
			}
		}, map[int64]string{2: "completed 0", 3: "failed 1", 4: "failed 143"}},
		{"with their application", 2, nil, nil, [2]string{}, 3, func(m *scripted, n int) {
			if n == 2 {
				start(m, 2)
			}
		}, map[int64]string{2: "app-end -100", 3: "app-end -100"}},
		{"with their node", 14, nil, []trace.NodeEvent{nodeEvent(5000, 0, 0, trace.Fail)}, [2]string{"yarn.nm.liveness-monitor.expiry-interval-ms", "3000"}, 12, func(m *scripted, n int) {
			if n == 2 { // 2 to 9 are on node 0
				start(m, 3, 4, 10)
			}
		}, map[int64]string{2: "unused -100", 3: "node-lost -100", 4: "node-lost -100", 5: "unused -100", 6: "unused -100", 7: "unused -100", 8: "unused -100", 9: "unused -100",
			10: "app-end -100", 11: "app-end -100", 12: "app-end -100", 13: "app-end -100", 14: "app-end -100", 15: "app-end -100"}},
		{"never started", 1, nil, nil, [2]string{"yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "3000"}, 9, func(m *scripted, n int) {},
			map[int64]string{2: "expired -100"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, k, m := play(t, &script{want: c.want, ends: c.ends, step: c.step, exits: c.exits}, c.events, func(o *scenario.Options) {
				if c.conf[0] != "" {
					o.Conf[c.conf[0]] = c.conf[1]
				}
			})
			if d := cmp.Diff(c.result, k.ends()); d != "" {
				t.Errorf("ends (-want +got)\n%s\ntold: %v", d, m.told)
			}
		})
	}
}

// The room of a container on its node is free when its process has gone; where no process has been reported, when the
// ResourceManager has ended the container. Its queue is free of it at once.
func TestRoomOfContainers(t *testing.T) {
	cases := []struct {
		name    string
		started bool
		want    []int64 // containers of which the nodes hold the room, step by step from the release on
	}{
		{"it runs", true, []int64{2, 2, 1}},
		{"it was never started", false, []int64{2, 1, 1}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got, queue []int64
			k := &script{want: 1, ends: 6, step: func(m *scripted, n int) {
				s := m.h.(*app).s
				switch {
				case n == 2 && c.started:
					m.h.Start(2, m.h.Now())
				case n == 4:
					m.release(2)
				}
				if n < 4 {
					return
				}
				held := int64(0)
				for _, u := range s.nodes.usage {
					held += u.used[resource.VCores]
				}
				got = append(got, held)
				queue = append(queue, s.queues.under(0, "root.default").containers)
			}}
			play(t, k, nil, func(o *scenario.Options) { o.Model.KillMS = 500 })
			if !slices.Equal(got, c.want) || !slices.Equal(queue, []int64{2, 1, 1}) {
				t.Errorf("nodes hold %v containers, the queue %v, want %v and [2 1 1]", got, queue, c.want)
			}
		})
	}
}

// makes are masters by a function.
type makes func(master.Host) master.Master

func (m makes) New(h master.Host, _ *trace.Job) master.Master { return m(h) }
