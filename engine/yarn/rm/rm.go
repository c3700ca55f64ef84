// Package rm plays the ResourceManager around a [yarn.Scheduler]: the life of applications and
// their attempts, what NodeManagers report with their heartbeats, clean-up of containers, and the
// answers to application masters.
//
// It has no clock of its own: every call says what time it is, and what takes time (starting and
// ending processes) is asked of the [Host], which reports back.
package rm

import (
	"fmt"
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/policy"
)

// Host is the world around the ResourceManager.
type Host interface {
	// LaunchAM asks the launcher to start the AM container of an application.
	LaunchAM(protocol.AppID, protocol.Container)
	// Kill tells the NodeManager to end the process of a container; its end is to be reported by
	// [RM.ProcessExited].
	Kill(protocol.ContainerID)
	// Observe sees everything that the scheduler does, in order. It must not call back.
	Observe(*yarn.Event)
	// AttemptEnded says that the application has left the scheduler. With ok false its AM container
	// ended with exit before unregistering.
	AttemptEnded(app protocol.AppID, ok bool, exit int32)
}

// RM is a ResourceManager with its NodeManagers' reports. Use [New].
type RM struct {
	sched  yarn.Scheduler
	host   Host
	start  int64 // of the ResourceManager on the scheduler's clock, ms
	expiry int64 // ms until an acquired container that was never started expires

	apps  map[protocol.AppID]*app
	nodes []node
	work  []work // what inputs left for the dispatcher, first in first out
	wait  []acquired

	launched  []protocol.ContainerID
	completed []protocol.Status
	kills     []protocol.ContainerID
}

// app is a live application attempt.
type app struct {
	spec         yarn.AppSpec
	am           protocol.ContainerID // zero until pulled
	unregistered bool
	completed    []nodeStatus // since the last allocate
	registered   bool
}

type nodeStatus struct {
	node protocol.NodeID
	protocol.Status
}

// node is a NodeManager.
type node struct {
	spec       yarn.NodeSpec
	registered bool
	draining   bool
	drainUntil int64 // graceful decommission gives up then, or -1
	procs      []proc
	allocated  policy.Resource // by the scheduler's allocations, for draining
	live       int             // containers the scheduler has on it
}

// proc is a container as its NodeManager knows it.
type proc struct {
	id       protocol.ContainerID
	reported bool // as running
	exited   bool
	exit     int32
	cleanup  bool // the ResourceManager wants it ended
	told     bool // and has said so
	held     bool // the scheduler has ended it, the node still counts size
	size     policy.Resource
}

type workKind uint8

const (
	pullAM workKind = iota
	amEnded
)

type work struct {
	kind workKind
	app  protocol.AppID
	exit int32
}

type acquired struct {
	at int64
	id protocol.ContainerID
}

// New returns a ResourceManager around the scheduler that make builds with the given observer. Time 0 of
// its callers is startMS on the scheduler's clock; expiryMS is
// yarn.resourcemanager.rm.container-allocation.expiry-interval-ms.
func New(host Host, startMS, expiryMS int64, make func(yarn.Observer) (yarn.Scheduler, error)) (*RM, error) {
	r := &RM{host: host, start: startMS, expiry: expiryMS, apps: map[protocol.AppID]*app{}}
	s, err := make(r.observe)
	if err != nil {
		return nil, err
	}
	r.sched = s
	return r, nil
}

func (r *RM) clock(now int64) { r.sched.SetClock(r.start + now) }

// Scheduler returns the scheduler, for reading its state.
func (r *RM) Scheduler() yarn.Scheduler { return r.sched }

// observe is the scheduler's observer.
func (r *RM) observe(e *yarn.Event) {
	switch e.Kind {
	case yarn.Allocated:
		if e.Update == (protocol.ContainerID{}) {
			n := &r.nodes[e.Container.Node]
			n.live++
			n.allocated = n.allocated.Add(e.Container.Size)
			if a := r.apps[e.Container.ID.App]; a != nil && a.am == (protocol.ContainerID{}) && !a.spec.Unmanaged {
				r.work = append(r.work, work{kind: pullAM, app: e.Container.ID.App})
			}
		}
	case yarn.Completed:
		r.containerEnded(e)
	}
	r.host.Observe(e)
}

func (r *RM) containerEnded(e *yarn.Event) {
	id := e.Container.ID
	n := &r.nodes[e.Container.Node]
	n.live--
	held := false // a container that the node reported as running keeps its space until the node reports its end
	for i := range n.procs {
		if p := &n.procs[i]; p.id == id {
			p.cleanup = true
			p.held = e.Launched
			p.size = e.Container.Size
			held = p.held
		}
	}
	if !held {
		n.allocated = n.allocated.Sub(e.Container.Size)
	}
	a := r.apps[id.App]
	if a == nil {
		return
	}
	if id == a.am {
		r.work = append(r.work, work{kind: amEnded, app: id.App, exit: e.Exit})
		return
	}
	a.completed = append(a.completed, nodeStatus{e.Container.Node, protocol.Status{ID: id, Exit: e.Exit}})
}

// drain runs the dispatcher until it has nothing to do.
func (r *RM) drain(now int64) {
	for len(r.work) > 0 {
		w := r.work[0]
		r.work = r.work[:copy(r.work, r.work[1:])]
		a := r.apps[w.app]
		if a == nil {
			continue
		}
		switch w.kind {
		case pullAM:
			if a.am != (protocol.ContainerID{}) {
				continue
			}
			if c, ok := r.sched.PullAM(w.app); ok {
				a.am = c.ID
				r.wait = append(r.wait, acquired{now, c.ID})
				r.host.LaunchAM(w.app, c)
			}
		case amEnded:
			ok := a.unregistered
			r.remove(w.app)
			r.host.AttemptEnded(w.app, ok, w.exit)
		}
	}
}

func (r *RM) remove(id protocol.AppID) {
	// The attempt's own completions are nobody's any more.
	delete(r.apps, id)
	r.sched.RemoveApp(id)
}

// AddNode registers a node.
func (r *RM) AddNode(now int64, spec yarn.NodeSpec) {
	for int(spec.ID) >= len(r.nodes) {
		r.nodes = append(r.nodes, node{})
	}
	r.clock(now)
	r.nodes[spec.ID] = node{spec: spec, registered: true, drainUntil: -1}
	r.sched.AddNode(spec)
	r.drain(now)
}

// NodeDown says that the node's processes are gone, without the ResourceManager knowing. It returns
// the containers whose processes ended.
func (r *RM) NodeDown(id protocol.NodeID) []protocol.ContainerID {
	n := &r.nodes[id]
	var gone []protocol.ContainerID
	for i := range n.procs {
		if !n.procs[i].exited {
			gone = append(gone, n.procs[i].id)
		}
	}
	n.procs = nil
	return gone
}

// RemoveNode takes a node out of the cluster: lost, decommissioned or shut down. Its containers end with -100.
func (r *RM) RemoveNode(now int64, id protocol.NodeID) {
	if !r.Registered(id) {
		return
	}
	r.clock(now)
	r.nodes[id].registered = false
	r.sched.RemoveNode(id)
	r.nodes[id].procs = nil
	r.drain(now)
}

// SetNodeTotal changes a node's capacity.
func (r *RM) SetNodeTotal(now int64, id protocol.NodeID, total policy.Resource) {
	r.clock(now)
	n := &r.nodes[id]
	n.spec.Total = total
	if n.registered && !n.draining {
		r.sched.SetNodeTotal(id, total)
	}
	r.drain(now)
}

// Drain starts a graceful decommission; until is the time at which it gives up waiting, or -1.
func (r *RM) Drain(id protocol.NodeID, until int64) {
	r.nodes[id].draining = true
	r.nodes[id].drainUntil = until
}

// Undrain takes a graceful decommission back: the node has its capacity again.
func (r *RM) Undrain(now int64, id protocol.NodeID) {
	n := &r.nodes[id]
	if !n.draining {
		return
	}
	n.draining = false
	r.clock(now)
	if n.registered {
		r.sched.SetNodeTotal(id, n.spec.Total)
	}
	r.drain(now)
}

// Registered reports whether the node is in the cluster.
func (r *RM) Registered(id protocol.NodeID) bool {
	return int(id) < len(r.nodes) && r.nodes[id].registered
}

// Submit takes an application in and stores the ask for its AM container. The error is a
// *yarn.Rejection, or says that the AM container is larger than the queue allows.
//
// Source: RMAppManager, steps 1 to 6 of an application's life.
func (r *RM) Submit(now int64, spec yarn.AppSpec) error {
	r.clock(now)
	if m := r.sched.MaxAllocation(spec.Queue); !spec.AMSize.FitsIn(m) {
		return &yarn.Rejection{App: spec.ID, Text: fmt.Sprintf("the AM container asks for %d MiB and %d vcores, the largest allocation of queue %s is %d MiB and %d vcores",
			spec.AMSize[policy.Memory], spec.AMSize[policy.VCores], spec.Queue, m[policy.Memory], m[policy.VCores])}
	}
	if s, ok := r.sched.(yarn.Submitter); ok {
		spec = s.Submission(spec)
	}
	if err := r.sched.AddApp(spec); err != nil {
		return err
	}
	r.apps[spec.ID] = &app{spec: spec}
	r.sched.AddAttempt(spec.ID)
	req := protocol.AllocateRequest{Asks: []protocol.Ask{{RequestID: -1, Name: protocol.Any, Count: 1, Size: spec.AMSize, Relax: true}}}
	var resp protocol.AllocateResponse
	if err := r.sched.Allocate(spec.ID, &req, &resp); err != nil {
		r.remove(spec.ID)
		return err
	}
	r.drain(now)
	return nil
}

// Register is the registration of an application master.
func (r *RM) Register(id protocol.AppID) {
	if a := r.apps[id]; a != nil {
		a.registered = true
	}
}

// Unregister is the end of an application as its master says it. The attempt leaves the scheduler
// when its AM container is reported finished.
func (r *RM) Unregister(id protocol.AppID) {
	if a := r.apps[id]; a != nil {
		a.unregistered = true
	}
}

// Allocate is an AM heartbeat. An invalid ask voids the whole call.
//
// Source: ApplicationMasterService.allocate.
func (r *RM) Allocate(now int64, id protocol.AppID, req *protocol.AllocateRequest, resp *protocol.AllocateResponse) error {
	a := r.apps[id]
	if a == nil {
		return fmt.Errorf("application %d is not known to the ResourceManager", id)
	}
	r.clock(now)
	if len(req.Asks) > 0 {
		m := r.sched.MaxAllocation(a.spec.Queue)
		for i := range req.Asks {
			if s := req.Asks[i].Size; !s.FitsIn(m) {
				return fmt.Errorf("application %d asks for a container of %d MiB and %d vcores, the largest allocation of queue %s is %d MiB and %d vcores",
					id, s[policy.Memory], s[policy.VCores], a.spec.Queue, m[policy.Memory], m[policy.VCores])
			}
		}
	}
	if a.unregistered {
		*resp = protocol.AllocateResponse{}
		return nil
	}
	statuses := len(a.completed) // completions caused by this call are not in its own answer
	if err := r.sched.Allocate(id, req, resp); err != nil {
		return err
	}
	for i := range resp.Allocated {
		r.wait = append(r.wait, acquired{now, resp.Allocated[i].ID})
	}
	resp.Completed = resp.Completed[:0]
	for _, s := range byNode(a.completed[:statuses]) {
		resp.Completed = append(resp.Completed, s.Status)
	}
	a.completed = a.completed[:copy(a.completed, a.completed[statuses:])]
	r.drain(now)
	return nil
}

// byNode groups statuses by node, in the order in which nodes first occur, keeping the order within
// a node. (YARN walks a ConcurrentHashMap of node ids.)
func byNode(s []nodeStatus) []nodeStatus {
	out := make([]nodeStatus, 0, len(s))
	for i := range s {
		sameNode := func(o nodeStatus) bool { return o.node == s[i].node }
		if slices.ContainsFunc(s[:i], sameNode) {
			continue
		}
		for _, o := range s[i:] {
			if sameNode(o) {
				out = append(out, o)
			}
		}
	}
	return out
}

// Update runs the fair-share update.
func (r *RM) Update(now int64) {
	r.clock(now)
	r.sched.Update()
	r.drain(now)
}

// ContainerStarted says that the NodeManager accepted the start of a container.
func (r *RM) ContainerStarted(node protocol.NodeID, id protocol.ContainerID) {
	r.nodes[node].procs = append(r.nodes[node].procs, proc{id: id})
}

// MarkForCleanup tells the NodeManager to end a container that it started although the
// ResourceManager had given it up.
func (r *RM) MarkForCleanup(node protocol.NodeID, id protocol.ContainerID) {
	for i := range r.nodes[node].procs {
		if r.nodes[node].procs[i].id == id {
			r.nodes[node].procs[i].cleanup = true
		}
	}
}

// ProcessExited says that the process of a container ended with exit. The node reports it with its next heartbeat.
func (r *RM) ProcessExited(node protocol.NodeID, id protocol.ContainerID, exit int32) {
	for i := range r.nodes[node].procs {
		if p := &r.nodes[node].procs[i]; p.id == id && !p.exited {
			p.exited, p.exit = true, exit
		}
	}
}

// NodeHeartbeat is a heartbeat of a NodeManager: it reports, the scheduler assigns, and the answer
// says which containers to end.
//
// Source: ResourceTrackerService.nodeHeartbeat, RMNodeImpl, AbstractYarnScheduler.nodeUpdate.
func (r *RM) NodeHeartbeat(now int64, id protocol.NodeID) {
	n := &r.nodes[id]
	if !n.registered {
		return
	}
	r.clock(now)
	r.launched, r.completed, r.kills = r.launched[:0], r.completed[:0], r.kills[:0]
	keep := n.procs[:0]
	for _, p := range n.procs {
		switch {
		case p.cleanup && !p.told: // in the set to clean: not looked at this time
			p.told = true
			if !p.exited {
				r.kills = append(r.kills, p.id)
			}
			keep = append(keep, p)
		case p.exited:
			r.completed = append(r.completed, protocol.Status{ID: p.id, Exit: p.exit})
			if p.held {
				n.allocated = n.allocated.Sub(p.size)
			}
		default:
			if !p.reported {
				p.reported = true
				r.launched = append(r.launched, p.id)
			}
			keep = append(keep, p)
		}
	}
	n.procs = keep
	r.sched.NodeUpdate(id, r.launched, r.completed)
	for _, c := range r.kills {
		r.host.Kill(c)
	}
	if n.draining {
		r.decommissioning(now, id)
	}
	r.drain(now)
}

// decommissioning shrinks a draining node to what runs on it, and removes it when nothing does or its time is up.
func (r *RM) decommissioning(now int64, id protocol.NodeID) {
	n := &r.nodes[id]
	if n.live == 0 && len(n.procs) == 0 || n.drainUntil >= 0 && now >= n.drainUntil {
		for _, p := range n.procs {
			r.host.Kill(p.id)
		}
		r.RemoveNode(now, id)
		return
	}
	r.sched.SetNodeTotal(id, n.allocated)
}

// CheckExpiry ends containers that were acquired and not reported as running in time, and returns
// whether some are still being watched.
func (r *RM) CheckExpiry(now int64, running func(protocol.ContainerID) bool) bool {
	r.clock(now)
	keep := r.wait[:0]
	for _, a := range r.wait {
		switch {
		case running(a.id):
		case now > a.at+r.expiry:
			r.sched.Expire(a.id)
		default:
			keep = append(keep, a)
		}
	}
	r.wait = keep
	r.drain(now)
	return len(keep) > 0
}

// Preempt runs the preemption thread over the starved applications, as after an update. It returns when
// the first of the chosen containers is due; false when none is or the scheduler does not preempt.
func (r *RM) Preempt(now int64) (at int64, ok bool) {
	p, does := r.sched.(yarn.Preempter)
	if !does {
		return 0, false
	}
	r.clock(now)
	p.Preempt()
	return r.nextKill(p)
}

// KillPreempted ends the containers that preemption chose and that are due, and says when the next are.
func (r *RM) KillPreempted(now int64) (at int64, ok bool) {
	p, does := r.sched.(yarn.Preempter)
	if !does {
		return 0, false
	}
	r.clock(now)
	p.KillDue()
	r.drain(now)
	return r.nextKill(p)
}

func (r *RM) nextKill(p yarn.Preempter) (int64, bool) {
	at, ok := p.NextKill()
	return at - r.start, ok
}

// Do runs something that the scheduler does by itself at now, and what follows from it.
func (r *RM) Do(now int64, what func()) {
	r.clock(now)
	what()
	r.drain(now)
}
