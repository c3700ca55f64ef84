// Package fair is YARN's FairScheduler: queues that share by policies of package [policy], limits of queues and users,
// delay scheduling, reservations and preemption.
//
// It schedules at heartbeats of nodes and, when asked to, in passes over all nodes between them.
package fair

import (
	"fmt"
	"math"
	"slices"

	"replay/engine/lineup"
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/engine/yarn/jvm"
	"replay/policy"
	"replay/policy/resource"
)

// Scheduler is YARN's FairScheduler.
//
// Source: org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler.
type Scheduler struct {
	site      *conf.Site
	alloc     *conf.Allocations
	rules     *conf.PlacementRules // of alloc, or those before where its policy holds no rule
	cluster   *yarn.Cluster
	nodes     []node // by number, zero when not registered
	tree      *tree
	literal   literal
	literally bool                  // the order of candidates is the literal one
	heads     []*lineup.Place[*app] // scratch of [Scheduler.merge]
	visits    int64                 // of applications
	observe   yarn.Observer
	timestamp int64 // of the ResourceManager's start, ms
	now       int64
	delay     policy.Delay

	types       int
	sharings    map[string]*policy.Sharer
	calc        resource.DominantCalculator
	unbounded   resource.Resource
	reserveFrom resource.Resource // smallest size that is reserved

	allocated resource.Resource // by all applications
	available resource.Resource // as of the last refresh
	charged   bool              // it may be another one by now

	apps     []*submission // by number, nil when there is none
	attempts []*app        // of them, nil before one was added and after it was removed
	departed []*submission // of applications that have left, for others
	leaving  []*app        // attempts that have left, for others; see [Scheduler.spareApp]
	asked    [][]asked     // of those that ask for nothing more, for others; see [Scheduler.ForgetAsks]
	users    map[string]*userApps

	entered           int64 // how often an application became runnable
	starving          starvedApps
	kills             []kill
	chose             bool     // containers to be killed, at some time
	barren            []barren // of a preemption pass; none between two
	observePreemption func(*Preemption)
	event             yarn.Event
	claims            []policy.Claim
	asks              []protocol.Ask

	outdated  outdated
	elision   elision
	holders   []*app // with reservations, in no order
	pass      jvm.TreeSet[*yarn.Node]
	passNodes []*yarn.Node
	freest    freest
}

// submission is an admitted application.
type submission struct {
	spec     yarn.AppSpec
	queue    *queue
	attempts int32 // ever added
	assigned bool  // counts among those of its queue that have no attempt yet
}

var (
	_ yarn.Scheduler     = (*Scheduler)(nil)
	_ yarn.Preempter     = (*Scheduler)(nil)
	_ yarn.Reloader      = (*Scheduler)(nil)
	_ yarn.Barrer        = (*Scheduler)(nil)
	_ yarn.Continuous    = (*Scheduler)(nil)
	_ yarn.LocalityTaker = (*Scheduler)(nil)
	_ yarn.Forgetter     = (*Scheduler)(nil)
	_ yarn.Overcommitter = (*Scheduler)(nil)
)

// New returns a FairScheduler without nodes and applications. timestamp is the time at which the ResourceManager
// started, in ms: it enters the names of applications, and nothing is scheduled in the wait after it. An allocation file
// that YARN does not start with is an error.
func New(site *conf.Site, alloc *conf.Allocations, names *protocol.Names, timestamp int64, observe yarn.Observer) (*Scheduler, error) {
	return NewAt(site, alloc, names, timestamp, timestamp, observe)
}

// NewAt is [New] with the clock at now when the queues of the file are made: the time from which they count as not starved.
func NewAt(site *conf.Site, alloc *conf.Allocations, names *protocol.Names, timestamp, now int64, observe yarn.Observer) (*Scheduler, error) {
	f := &Scheduler{
		site: site, alloc: conf.DefaultAllocations(site), cluster: yarn.NewCluster(names, site.PortInNodeName), observe: observe,
		timestamp: timestamp, now: now, types: len(site.Types),
		sharings: map[string]*policy.Sharer{}, users: map[string]*userApps{},
	}
	f.calc = resource.NewDominant(f.types)
	f.unbounded = resource.Unbounded(f.types)
	f.reserveFrom = site.Increment.Mul(float64(site.ReservationMultiple))
	var err error
	if f.delay, err = policy.NewDelay(site.Delay, policy.DelaySettings{
		Node: float64(site.LocalityThresholdNode), Rack: float64(site.LocalityThresholdRack),
		NodeMS: site.LocalityDelayNode, RackMS: site.LocalityDelayRack,
	}); err != nil {
		return nil, err
	}
	f.elision.watch(f.delay)
	if site.Preemption {
		f.cluster.KeepOrder()
	}
	f.rules = f.alloc.Rules
	f.literal.cluster = &f.cluster.Capacity
	f.starving = newStarvedApps()
	f.tree = newTree(f)
	if err := f.Reload(alloc); err != nil {
		return nil, err
	}
	return f, nil
}

// sharing returns the policy of that name, one object for all queues that have it.
func (f *Scheduler) sharing(name string) *policy.Sharer {
	s := f.sharings[name]
	if s == nil {
		var err error
		if s, err = f.site.Policies.NewSharing(name, f.types); err != nil {
			panic(err) // the configuration knows the names
		}
		f.sharings[name] = s
	}
	return s
}

// emit hands one event to the observer. The event is reused.
func (f *Scheduler) emit(e yarn.Event) {
	f.event = e
	f.tell(&f.event)
}

// about is an event about a container for [Scheduler.tell], in the place of the last one.
func (f *Scheduler) about(kind yarn.EventKind, c *yarn.Container) *yarn.Event {
	e := &f.event
	*e = yarn.Event{}
	e.Kind, e.App = kind, c.ID.App
	c.Show(&e.Container)
	return e
}

func (f *Scheduler) tell(e *yarn.Event) {
	if f.observe != nil {
		f.observe(e)
	}
}

// Literally is part of [yarn.Literal].
func (f *Scheduler) Literally() { f.literally = true }

// TakesLocalities is part of [yarn.LocalityTaker].
func (f *Scheduler) TakesLocalities() bool { return !f.literally }

// Visits is part of [yarn.Visited].
func (f *Scheduler) Visits() int64 { return f.visits }

// SetClock sets the scheduler's clock, in ms.
func (f *Scheduler) SetClock(now int64) { f.now = now }

// Reload puts an allocation file into force. The error is the exception of YARN's own in QueueManager.setQueuesToDynamic;
// by then the new settings are in effect, except for what comes after it: the other queues that are no longer declared,
// the maximum of children of dynamic queues, and applications that might run now. Fair shares follow at the next update.
//
// Source: FairScheduler.AllocationReloadListener.onReload.
func (f *Scheduler) Reload(a *conf.Allocations) error {
	f.everything()
	// All old names go in before the new ones go out: the table that the order depends on has grown by then.
	var gone jvm.HashMap[string, bool]
	for _, list := range [][]string{f.alloc.Parents, f.alloc.Leaves} {
		for _, name := range list {
			gone.Put(name, jvm.StringHash(name), true)
		}
	}
	for _, list := range [][]string{a.Leaves, a.Parents} {
		for _, name := range list {
			gone.Remove(name, jvm.StringHash(name))
		}
	}
	f.alloc = a
	if a.Rules != nil {
		f.rules = a.Rules
	}
	f.tree.reload(a)
	if err := f.tree.setDynamic(&gone); err != nil {
		return err
	}
	f.tree.applyChildDefaults(a)
	f.makeRunnable(gatherWaiting(f.tree.root, nil), math.MaxInt32)
	return nil
}

// Cleanup removes queues that submissions made and that are empty.
//
// Source: FairScheduler.AllocationReloadListener.onCheck.
func (f *Scheduler) Cleanup() { f.tree.cleanup() }

// AddNode registers nodes. Shares of the cluster are those of all of them: they depend on nothing that was before.
func (f *Scheduler) AddNode(specs ...yarn.NodeSpec) {
	f.nodes = yarn.WithRoom(f.nodes, specs)
	for _, s := range specs {
		f.nodes[s.ID] = node{Node: f.cluster.Add(s), rank: f.nodes[s.ID].rank}
	}
	f.everything()
	f.tree.resize()
	f.refresh()
}

// RemoveNode ends what is on the node and takes it out.
//
// Source: FairScheduler.removeNode.
func (f *Scheduler) RemoveNode(id protocol.NodeID) {
	n := f.node(id)
	if n == nil {
		return
	}
	for _, c := range slices.Collect(n.Containers) {
		f.completed(c, protocol.ExitAborted, yarn.EventKill)
		n.release(c.ID, c.Hash, true)
	}
	if n.Reserved != nil {
		f.completed(n.Reserved, protocol.ExitAborted, yarn.EventKill)
	}
	f.everything()
	f.cluster.Remove(id)
	f.nodes[id] = node{rank: n.rank}
	f.tree.resize()
	f.refresh()
}

// SetNodeTotal changes the capability of a node.
//
// Source: FairScheduler.updateNodeResource.
func (f *Scheduler) SetNodeTotal(id protocol.NodeID, total resource.Resource) {
	f.everything()
	f.cluster.SetTotal(id, total)
	f.refresh()
	f.tree.resize()
}

// RunsIn is part of [yarn.Planner].
//
// Source: FairScheduler.resolveReservationQueueName.
func (f *Scheduler) RunsIn(queue string) string {
	if q, _ := f.tree.get(queue, false, true); q != nil && f.alloc.Reservable(q.name) {
		return conf.DefaultOfPlan(q.name)
	}
	return queue
}

// AddApp admits an application. The error is a [*Rejection], or the [*Exception] that YARN throws for names of queues
// that cannot be.
//
// Source: FairScheduler.addApplication.
func (f *Scheduler) AddApp(s yarn.AppSpec) error {
	f.touch()
	s.Queue = f.RunsIn(s.Queue)
	q, err := f.tree.submitTo(s.Queue)
	if err != nil {
		return err
	}
	if q == nil || !q.leaf {
		refused := &yarn.Rejection{App: s.ID, Text: s.Queue + " is not a leaf queue"}
		if q != nil {
			refused.Parent = q.name
		}
		return refused
	}
	if _, zero := f.zeroType(q, s.AMSize); zero {
		return &yarn.Rejection{App: s.ID, Text: fmt.Sprintf(
			"Cannot submit application %s to queue %s because it has zero amount of resource for a requested resource! "+
				"Invalid requested AM resources: %s, maximum queue resources: %s",
			jvm.AppName(f.timestamp, int32(s.ID)), s.Queue, f.text(s.AMSize), f.text(q.maxShare))}
	}
	for int(s.ID) >= len(f.apps) {
		f.apps, f.attempts = append(f.apps, nil), append(f.attempts, nil)
	}
	if f.apps[s.ID] != nil {
		panic(fmt.Sprintf("yarn: application %d is added twice", s.ID))
	}
	var a *submission
	if n := len(f.departed); n > 0 {
		a, f.departed = f.departed[n-1], f.departed[:n-1]
	} else {
		a = new(submission)
	}
	*a = submission{spec: s, queue: q, assigned: true}
	f.apps[s.ID] = a
	q.assigned++
	return nil
}

// Submission rounds the size of the master container.
func (f *Scheduler) Submission(spec yarn.AppSpec) yarn.AppSpec {
	spec.AMSize = f.calc.Normalize(spec.AMSize, f.site.MinAllocation, f.MaxAllocation(spec.Queue), f.site.Increment)
	return spec
}

// text is a resource as YARN prints it.
func (f *Scheduler) text(r resource.Resource) string {
	s := fmt.Sprintf("<memory:%d, vCores:%d", r[resource.Memory], r.CPU())
	for i := 2; i < f.types; i++ {
		s += fmt.Sprintf(", %s: %d", f.site.Types[i], r[i])
	}
	return s + ">"
}

// zeroType returns the first type that is asked for and of which the queue can have nothing.
//
// Source: FairScheduler.validateResourceRequests.
func (f *Scheduler) zeroType(q *queue, ask resource.Resource) (t int, zero bool) {
	for t := range f.types {
		if q.maxShare[t] == 0 && ask[t] > 0 {
			return t, true
		}
	}
	return 0, false
}

// AddAttempt adds the attempt of an admitted application; it runs if the limits permit.
//
// Source: FairScheduler.addApplicationAttempt.
func (f *Scheduler) AddAttempt(id protocol.AppID) {
	f.touch()
	app := f.apps[id]
	app.attempts++
	a := f.newApp(app.spec, app.attempts, app.queue)
	f.attempts[id] = a
	runnable := f.mayRun(a)
	if app.assigned {
		app.assigned = false
		app.queue.assigned--
	}
	app.queue.addApp(a, runnable)
	if runnable {
		f.countRunnable(a, 1)
		f.emit(yarn.Event{Kind: yarn.Runnable, App: id})
	} else {
		u := a.user
		u.waiting = append(u.waiting, a)
	}
}

// RemoveApp removes the attempt, its containers and reservations, and then the application. One that has no attempt yet stays
// among those assigned to its queue, as in YARN: the queue is never empty again.
//
// Source: FairScheduler.removeApplicationAttempt, removeApplication.
func (f *Scheduler) RemoveApp(id protocol.AppID) {
	f.RemoveAttempt(id)
	if a := f.app(id); a != nil {
		f.touch()
		f.apps[id] = nil
		f.departed = append(f.departed, a)
	}
}

// RemoveAttempt is described at [yarn.Scheduler].
//
// Source: FairScheduler.removeApplicationAttempt.
func (f *Scheduler) RemoveAttempt(id protocol.AppID) {
	a := f.attempt(id)
	if a == nil {
		return
	}
	f.touch()
	a.FetchTables()
	live := a.AllLive
	if len(f.kills) > 0 { // one that is killed once more puts back as many as there were when it came back now: the order shows
		live = slices.Values(a.LiveInOrder())
	}
	for c := range live {
		f.completed(c, protocol.ExitAborted, yarn.EventKill)
	}
	for _, c := range a.reservedContainers() {
		f.completed(c, protocol.ExitAborted, yarn.EventKill)
	}
	a.Stopped = true
	a.had = a.AppendTables(a.had[:0])
	a.Stop()
	f.outdate(a)
	f.elision.freeSpots(a)
	if a.queue.removeApp(a) {
		f.countRunnable(a, -1)
		f.freed(a)
	} else {
		remove(&a.user.waiting, a)
	}
	f.attempts[id] = nil
	f.departs(a)
}

func (f *Scheduler) app(id protocol.AppID) *submission {
	if int(id) >= len(f.apps) || id < 0 {
		return nil
	}
	return f.apps[id]
}

// attempt returns the attempt of an application, nil when there is none.
func (f *Scheduler) attempt(id protocol.AppID) *app {
	if int(id) >= len(f.attempts) || id < 0 {
		return nil
	}
	return f.attempts[id]
}

// Bar is part of [yarn.Barrer].
func (f *Scheduler) Bar(id protocol.AppID, bars []yarn.Bar) bool {
	a := f.attempt(id)
	if a == nil || !a.Bar(bars) {
		return false
	}
	f.apps[id].spec.Bars = bars
	f.stale(a.queue)
	return true
}

// NodeName is that of the cluster.
func (f *Scheduler) NodeName(id protocol.NodeID) (protocol.Name, bool) { return f.cluster.NodeName(id) }

// MaxAllocation is the largest container that an application of the queue may ask for.
//
// Source: FairScheduler.getMaximumResourceCapability.
func (f *Scheduler) MaxAllocation(queue string) resource.Resource {
	if !f.tree.limits {
		return f.most(nil)
	}
	q, _ := f.tree.get(queue, false, true)
	return f.most(q)
}

// MaxOf is part of [yarn.Bounder].
func (f *Scheduler) MaxOf(id protocol.AppID) resource.Resource { return f.most(f.attempts[id].queue) }

// most is [Scheduler.MaxAllocation] of a queue, or of one that is not there.
func (f *Scheduler) most(q *queue) resource.Resource {
	most := f.cluster.MaxAllocation(f.site.MaxAllocation, f.now-f.timestamp > f.site.SchedulingWait)
	if own := q.largest(); own != nil {
		return most.Min(*own)
	}
	return most
}
