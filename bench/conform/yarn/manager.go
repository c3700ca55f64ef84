package yarn

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"replay/bench/conform/golden"
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/rm"
	"replay/policy/resource"
)

// managerRuns are scripts of what a whole ResourceManager is told by NodeManagers, application masters and clients, with what it decided at each.
var managerRuns = golden.Kind{
	Name:  "manager_run",
	Of:    golden.AnswersOf("ResourceManager: ResourceTrackerService, RMNodeImpl, NodesListManager, DecommissioningNodesWatcher, RMAppImpl, RMAppAttemptImpl, RMContainerImpl, ApplicationMasterService, the monitors"),
	Match: func(_ string, first golden.Shape) bool { return first.Has("run", "site", "manager") },
	Run:   runSchedulers,
}

// managerRun is a run of a ResourceManager around a scheduler. It is the world around it: NodeManagers and application masters do what the script says.
type managerRun struct {
	rm.Host // nothing else is asked
	*schedulerRun
	r      *rm.RM
	now    int64 // ms since the start of the run
	timers []timer
	beats  map[protocol.NodeID]int64                // the last one of each
	heard  map[protocol.AppID]int64                 // the last call of the master of each
	am     map[protocol.AppID]protocol.ContainerID  // the container of its master, once it was started
	on     map[protocol.ContainerID]protocol.NodeID // where that of a master is
	ended  map[protocol.ContainerID]bool            // by the ResourceManager
	does   followed                                 // at this event

	racks   map[string]string         // of hosts that have registered
	later   map[protocol.NodeID][]any // what nodes that are not healthy are told to end with their next heartbeat, as [followed.kill] has it
	told    map[string]bool           // what nodes were told to end, as text: that of one that goes is told again
	killing bool                      // a client ends an application
}

// followed is what the ResourceManager is seen to do at an event, beside what its scheduler does.
type followed struct{ launch, ends, kill, gone, done []any }

// managerEvent are the members of events that only these runs have.
type managerEvent struct {
	Exit     int32
	Tries    int
	Patience int64
	Look     string
	Refused  bool
	Sick     bool    // the ResourceManager has the node as one that is not healthy
	Well     []int64 // it has it as healthy again, with so many MiB and vcores
	Validity int64   // of failures, in ms
	CN       int

	Launch, Ends, Kill, Gone, Done []any
}

// manage puts a ResourceManager around the scheduler of a run.
func (s *schedulerRun) manage(mk func(*schedulerRun) (yarn.Scheduler, error)) error {
	m := &managerRun{schedulerRun: s, beats: map[protocol.NodeID]int64{}, heard: map[protocol.AppID]int64{}, am: map[protocol.AppID]protocol.ContainerID{},
		on: map[protocol.ContainerID]protocol.NodeID{}, ended: map[protocol.ContainerID]bool{}, racks: map[string]string{}, later: map[protocol.NodeID][]any{}, told: map[string]bool{}}
	site := s.site
	c := rm.Config{
		StartMS: s.head.Start, ContainerExpiryMS: int64(site.ContainerExpiry), NodeExpiryMS: int64(site.NodeExpiry), MasterExpiryMS: site.AMExpiry,
		MaxAttempts: int(site.MaxAttempts), GlobalMaxAttempts: int(site.GlobalMaxAttempts), AvoidsFailed: site.AvoidsFailed, AvoidsAtMost: site.AvoidsAtMost, Drains: true, HeartbeatMS: site.HeartbeatInterval, Types: site.Types, LeastNode: site.LeastNode(),
	}
	var err error
	m.r, err = rm.New(m, c, func(o yarn.Observer) (yarn.Scheduler, error) {
		s.told = o
		made, err := mk(s)
		s.s = made
		return made, err
	})
	if err != nil {
		return err
	}
	state := s.calls["nstate"]
	s.calls = map[string]func(*runEvent) (string, any, any, error){"nstate": state}
	for name, do := range map[string]func(*runEvent, *managerEvent) error{
		"clock": m.clock, "node": m.register, "beat": m.beat, "start": m.start, "exit": m.exit, "submit": m.submit, "reg": m.hears, "unreg": m.unregister,
		"withdraw": m.withdraw, "silent": m.silent, "leave": m.leave, "drain": m.drain, "undrain": m.undrain, "total": m.total,
		"tick": func(*runEvent, *managerEvent) error { m.r.Update(m.now); return nil },
	} {
		s.calls[name] = func(e *runEvent) (member string, want, got any, err error) {
			return m.happens(e, func(x *managerEvent) (string, any, any, error) { return "", nil, nil, do(e, x) })
		}
	}
	s.ask = func(id protocol.AppID, in *protocol.AllocateRequest, resp *protocol.AllocateResponse) error {
		return m.r.Allocate(m.now, id, in, resp)
	}
	s.calls["ask"] = func(e *runEvent) (member string, want, got any, err error) {
		return m.happens(e, func(x *managerEvent) (string, any, any, error) {
			m.heard[protocol.AppID(e.A)] = m.now
			member, want, got, err := s.allocate(e)
			if member != "" || err != nil || e.Err != "" {
				return member, want, got, err
			}
			for _, c := range s.resp.Completed {
				m.does.done = append(m.does.done, []any{c.ID.N, int64(c.Exit)})
			}
			if x.CN != s.resp.Nodes {
				return "cn", x.CN, s.resp.Nodes, nil
			}
			return "", nil, nil, nil
		})
	}
	return nil
}

// happens lets an event happen and compares what followed from it beside what the scheduler did.
func (m *managerRun) happens(e *runEvent, do func(*managerEvent) (string, any, any, error)) (member string, want, got any, err error) {
	var x managerEvent
	if err := decodeNumbers(e.raw, &x); err != nil {
		return "", nil, nil, err
	}
	d := &m.does
	*d = followed{}
	if member, want, got, err = do(&x); member != "" || err != nil {
		return member, want, got, err
	}
	for _, p := range []struct {
		member    string
		want, got []any
	}{{"launch", x.Launch, d.launch}, {"gone", x.Gone, d.gone}, {"kill", x.Kill, d.kill}, {"ends", x.Ends, d.ends}, {"done", x.Done, d.done}} {
		if p.member == "kill" && len(x.Gone) > 0 { // all that runs there ends
			continue
		}
		byText := func(a, b any) int { return cmp.Compare(golden.Text(a), golden.Text(b)) }
		slices.SortFunc(p.want, byText)
		slices.SortFunc(p.got, byText)
		if !same(p.want, p.got) {
			return p.member, p.want, p.got, nil
		}
	}
	return "", nil, nil, nil
}

func (m *managerRun) container(e *runEvent) (protocol.ContainerID, error) {
	var n int64
	err := json.Unmarshal(e.C, &n)
	return protocol.ContainerID{App: protocol.AppID(e.A), N: n}, err
}

// clock lets time pass, up to a look of a monitor or between two.
func (m *managerRun) clock(e *runEvent, x *managerEvent) error {
	m.now = e.T - m.head.Start
	kind, looks := map[string]rm.Timer{"nodes": rm.NodeExpired, "masters": rm.MasterExpired, "containers": rm.ExpiryCheck}[x.Look]
	for i := 0; i < len(m.timers); {
		t := m.timers[i]
		switch {
		case t.at < m.now:
			return fmt.Errorf("at %d ms nobody looked, where a monitor was to", t.at)
		case looks && t.at == m.now && t.kind == kind:
			m.timers = slices.Delete(m.timers, i, i+1)
			m.r.Fire(t.at, t.kind, t.number, t.arg)
		default:
			i++
		}
	}
	return nil
}

func (m *managerRun) register(e *runEvent, x *managerEvent) error {
	id := m.Node(e.N)
	m.racks[e.N] = e.Rack
	delete(m.later, id)
	if x.Sick {
		m.beats[id] = m.now
		return nil
	}
	refused := m.r.AddNode(m.now, m.spec(e, e.Mem, e.VC))
	if (len(refused) > 0) != x.Refused {
		return fmt.Errorf("refused: %v", refused)
	}
	m.beats[id] = m.now
	return nil
}

// beat is a heartbeat. With one that says that its node is not healthy the node goes, as one that is decommissioned and whose patience is at an end; what runs there it is told to end with
// the next one, if not with this. It comes back with one that says that it is healthy.
func (m *managerRun) beat(e *runEvent, x *managerEvent) error {
	id := m.Node(e.N)
	m.beats[id] = m.now
	late := m.later[id]
	delete(m.later, id)
	switch {
	case x.Well != nil:
		if len(x.Well) != 2 {
			return fmt.Errorf("well is %v, want MiB and vcores", x.Well)
		}
		m.r.AddNode(m.now, m.spec(e, x.Well[0], x.Well[1]))
	case x.Sick && m.r.Registered(id):
		m.r.Drain(id, 0)
		m.r.NodeHeartbeat(m.now, id)
		for _, c := range x.Kill {
			m.told[golden.Text(c)] = true
		}
		m.later[id] = slices.DeleteFunc(m.does.kill, func(c any) bool { return m.told[golden.Text(c)] })
		m.does.kill = nil
	default:
		m.r.NodeHeartbeat(m.now, id)
	}
	m.does.kill = append(m.does.kill, late...)
	for _, c := range m.does.kill {
		m.told[golden.Text(c)] = true
	}
	return nil
}

func (m *managerRun) spec(e *runEvent, mem, vcores int64) yarn.NodeSpec {
	return yarn.NodeSpec{ID: m.Node(e.N), Host: m.Names.Intern(e.N), Rack: m.Names.Intern(m.racks[e.N]), Port: 8041, Total: resource.R(mem, vcores)}
}

func (m *managerRun) start(e *runEvent, _ *managerEvent) error {
	id, err := m.container(e)
	if err != nil {
		return err
	}
	node := m.Node(e.N)
	if _, is := m.on[id]; is {
		m.am[id.App], m.heard[id.App] = id, m.now
	}
	m.r.ContainerStarted(node, id)
	if m.ended[id] {
		m.r.MarkForCleanup(node, id)
	}
	return nil
}

func (m *managerRun) exit(e *runEvent, x *managerEvent) error {
	id, err := m.container(e)
	node := m.Node(e.N)
	m.r.ProcessExited(node, id, x.Exit)
	gone := golden.Text([]any{int64(id.App), id.N})
	m.later[node] = slices.DeleteFunc(m.later[node], func(c any) bool { return golden.Text(c) == gone })
	return err
}

func (m *managerRun) submit(e *runEvent, x *managerEvent) error {
	err := m.r.Submit(m.now, yarn.AppSpec{ID: protocol.AppID(e.A), User: e.U, Queue: e.Queue, AMSize: golden.Size(e.AM), MaxAttempts: x.Tries, Priority: e.Pri, FailuresValidityMS: x.Validity})
	if (err != nil) != x.Refused {
		return fmt.Errorf("submission: %v", err)
	}
	return nil
}

func (m *managerRun) hears(e *runEvent, _ *managerEvent) error {
	m.heard[protocol.AppID(e.A)] = m.now
	return nil
}

func (m *managerRun) unregister(e *runEvent, _ *managerEvent) error {
	m.heard[protocol.AppID(e.A)] = m.now
	m.r.Unregister(m.now, protocol.AppID(e.A))
	return nil
}

func (m *managerRun) withdraw(e *runEvent, _ *managerEvent) error {
	m.killing = true
	m.r.Withdraw(m.now, protocol.AppID(e.A))
	m.killing = false
	return nil
}

func (m *managerRun) silent(e *runEvent, _ *managerEvent) error {
	node := m.Node(e.N)
	for _, app := range slices.Sorted(maps.Keys(m.am)) {
		if am := m.am[app]; m.on[am] == node && !m.ended[am] {
			m.r.MasterSilent(m.now, app, m.heard[app])
		}
	}
	m.r.NodeDown(node)
	m.r.NodeSilent(m.now, node, m.beats[node])
	return nil
}

func (m *managerRun) leave(e *runEvent, _ *managerEvent) error {
	id := m.Node(e.N)
	m.r.NodeDown(id)
	if m.r.Registered(id) { // else it is not healthy
		m.r.RemoveNode(m.now, id)
		m.does.gone = append(m.does.gone, e.N)
	}
	return nil
}

func (m *managerRun) drain(e *runEvent, x *managerEvent) error {
	m.r.Drain(m.Node(e.N), x.Patience)
	return nil
}

func (m *managerRun) undrain(e *runEvent, _ *managerEvent) error {
	if id := m.Node(e.N); m.r.Registered(id) {
		m.r.Undrain(m.now, id)
	}
	return nil
}

func (m *managerRun) total(e *runEvent, _ *managerEvent) error {
	m.r.SetNodeTotal(m.now, m.Node(e.N), resource.R(e.Mem, e.VC))
	return nil
}

// What the ResourceManager tells.

func (m *managerRun) Observe(e *yarn.Event) {
	if e.Kind == yarn.Completed {
		m.ended[e.Container.ID] = true
	}
	m.observe(e)
}

func (m *managerRun) LaunchAM(c protocol.Container) {
	m.on[c.ID] = c.Node
	m.does.launch = append(m.does.launch, []any{int64(c.ID.App), c.ID.N, m.Hosts[c.Node]})
}

func (m *managerRun) Kill(id protocol.ContainerID, _ int64) {
	m.does.kill = append(m.does.kill, []any{int64(id.App), id.N})
}

func (m *managerRun) AttemptEnded(app protocol.AppID, ok bool, _ int32, again bool) {
	how := map[bool]string{true: "finished"}[ok]
	switch {
	case m.killing:
		how = "killed"
	case again:
		how = "again"
	case !ok:
		how = "failed"
	}
	m.does.ends = append(m.does.ends, []any{int64(app), how})
	delete(m.am, app)
}

func (m *managerRun) NodeGone(id protocol.NodeID) { m.does.gone = append(m.does.gone, m.Hosts[id]) }

func (m *managerRun) At(at int64, t rm.Timer, number, arg int64) {
	m.timers = append(m.timers, timer{at, t, number, arg})
	slices.SortStableFunc(m.timers, func(a, b timer) int { return cmp.Compare(a.at, b.at) })
}

// Refused is none of what a ResourceManager does, whose attempt waits for ever: recorded runs end before.
func (m *managerRun) Refused(app protocol.AppID, err error) {
	m.does.ends = append(m.does.ends, []any{int64(app), err.Error()})
}

func (m *managerRun) Expired(protocol.ContainerID)    {}
func (m *managerRun) NextBeat() int64                 { return 0 }
func (m *managerRun) BeatAt(h int64) int64            { return h }
func (m *managerRun) Passed(rm.Timer) bool            { return false }
func (m *managerRun) Fetch(protocol.ContainerID, int) {}
