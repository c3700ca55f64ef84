// Package allocator is the part of a Spark application master that lives between the driver and the
// ResourceManager: it asks for the containers of executors, matches what is granted, and says why
// executors ended.
//
// As in [spark], calls carry the time in ms, and the engine decides when they are called.
package allocator

import (
	"replay/engine/fetch"
	"replay/engine/protocol"
	"replay/engine/reuse"
	"replay/engine/spark"
	"replay/engine/spark/conf"
	"replay/policy"
	"replay/policy/resource"
)

// ExecutorProfile is what the allocator knows of a resource profile. The YARN priority of its
// containers is its number.
type ExecutorProfile struct {
	Size    resource.Resource // of a container, see [conf.Conf.ContainerSize]
	PerExec int               // tasks that an executor runs at a time
}

// Match says what a granted container was matched to.
type Match uint8

// Matches of a container.
const (
	MatchedAny       Match = iota // a request that named no host
	MatchedHost                   // a request that named its host
	MatchedRack                   // a request that named a host of its rack
	MatchedElsewhere              // a request that named hosts of other racks only
	Unmatched                     // no request was left for it: released
)

// ExecutorLaunch is an executor that is to be started in a container.
type ExecutorLaunch struct {
	Executor  int32
	Profile   int32
	Container protocol.ContainerID
	Host      protocol.Name
}

// Grant is a container that the ResourceManager gave, with what it was matched to.
type Grant struct {
	Container protocol.Container
	Match     Match
	Wanted    *protocol.Locality // of the request that it was matched to, nil for none
}

// LossReason is why an executor is gone.
//
// Source: ExecutorExited.
type LossReason struct {
	Exit     int32 // of its container
	ByApp    bool  // caused by the application: counts as a failure of the tasks that ran
	Explicit bool  // the application had asked for it
}

// Removal tells the driver that an executor is gone.
type Removal struct {
	Executor int32
	Reason   LossReason
}

// Outcome is what an application master does upon a response, in order. Its slices are reused.
type Outcome struct {
	Grants   []Grant                // in the order of use: on a preferred host, on a rack, anywhere; then the surplus
	Launches []ExecutorLaunch       // given to the launcher's threads, first come first served
	Removals []Removal              // RemoveExecutor messages to the driver
	Answers  []Removal              // to questions that waited, see [Allocator.AskLossReason]
	Released []protocol.ContainerID // surplus; sent with the next request
}

// Allocator turns the executors that a driver wants into container requests, and granted
// containers into executors. It is the part of the application master that lives between the
// driver and the ResourceManager, and has no clock: the engine decides when the next heartbeat is
// (see [HeartbeatLadder]) and how long a launch takes.
//
// Source: YarnAllocator, YarnAllocatorNodeHealthTracker.
type Allocator struct {
	// OnRequest, if set, is told of every request that is added or taken back, in order.
	OnRequest func(profile int32, req *protocol.ContainerRequest, added bool)

	client    protocol.RelaxedClient
	names     *protocol.Names
	racks     protocol.Racks
	placement policy.Placement
	index     *HostIndex
	initial   int
	launches  bool // launching takes time; else an executor runs as soon as it has a container
	health    containerHealth
	finishing bool

	profiles   []profile
	made       []*protocol.Locality   // all that were, of which somebody may speak
	containers []containerState       // by number of the container
	executors  []protocol.ContainerID // by executor; zero: none
	losses     []lossState            // by executor
	last       int32                  // executor number taken last
	waiting    int                    // questions for loss reasons that wait
	unexpected int                    // containers that ended without having been released

	granted  []int32         // scratch: places of containers
	decommed []protocol.Name // hosts that the driver was told of, oldest first
}

type profile struct {
	ExecutorProfile
	targeted          bool // target means something
	target            int
	starting, running int
	hosts             []spark.HostTasks // running containers by host, ascending by number of the name
	hints             spark.StageHints
	localities        []*protocol.Locality // that were asked for of late
	hinted            hinted
}

// containerState is a container from the end of its launch to its completion; released outlives it.
type containerState struct {
	executor  int32 // 0: none
	profile   int32
	host      protocol.Name
	launching bool
	released  bool
}

type lossState struct {
	waiting bool // the driver waits for the reason
	known   bool // the reason came before the question
	reason  LossReason
}

// Setup is what an [Allocator] is made of.
type Setup struct {
	Conf      *conf.Conf
	Names     *protocol.Names
	Racks     protocol.Racks
	Placement policy.Placement
	Profiles  []ExecutorProfile // by number; 0 is the default one
	Index     *HostIndex        // working memory, may be shared by allocators; nil: its own

	Last       int32 // number of the last executor that there was, of an application master before
	Localities bool  // the ResourceManager takes asks by locality
	Instant    bool  // an executor runs as soon as it has a container, as with spark.yarn.launchContainers=false in Spark's tests
}

// New returns the allocator of an application master that has just registered.
func New(s Setup) *Allocator {
	a := new(Allocator)
	a.Renew(s)
	return a
}

// Renew makes of a what [New] returns, in the memory that it has. The application master whose allocator it was is gone, for the ResourceManager too.
func (a *Allocator) Renew(s Setup) {
	a.client.Renew(s.Names, s.Localities)
	*a = Allocator{
		client: a.client, names: s.Names, racks: s.Racks, placement: s.Placement,
		index: s.Index, initial: s.Conf.InitialTarget(), launches: !s.Instant,
		health: newContainerHealth(s.Conf, s.Names), profiles: a.profiles[:0],
		containers: a.containers[:0], executors: a.executors[:0], losses: a.losses[:0], granted: a.granted[:0], decommed: a.decommed[:0],
		made: a.made, last: s.Last,
	}
	if a.index == nil {
		a.index = &HostIndex{}
	}
	a.index.localities = append(a.index.localities, a.made...)
	a.made = a.made[:0]
	for _, e := range s.Profiles {
		a.profiles = reuse.Longer(a.profiles)
		p := &a.profiles[len(a.profiles)-1]
		clear(p.localities)
		*p = profile{ExecutorProfile: e, hosts: p.hosts[:0], localities: p.localities[:0], hinted: hinted{others: p.hinted.others[:0]}}
	}
	a.profiles[0].targeted, a.profiles[0].target = true, a.initial
	a.health.refresh(0, &a.client) // what is configured goes along with the first request
}

// Fetch has fetched (package fetch) what nearly all calls look at beside the allocator itself.
func (a *Allocator) Fetch() {
	fetch.At(a.profiles, 0)
	a.client.Fetch()
}

// FetchMemory has fetched what [Allocator.Renew] will look at, in steps from 0.
func (a *Allocator) FetchMemory(step int) {
	if step == 0 {
		a.Fetch()
		fetch.List(a.made, mostLocalities)
		return
	}
	if len(a.profiles) > 0 {
		l := a.profiles[0].localities
		fetch.List(l, len(l))
	}
}

// Reserve makes room for n executors.
func (a *Allocator) Reserve(n int) {
	a.containers, a.executors, a.losses = reuse.Roomy(a.containers, n+2), reuse.Roomy(a.executors, n+1), reuse.Roomy(a.losses, n+1)
	a.profiles[0].hosts = reuse.Roomy(a.profiles[0].hosts, n)
}

// RequestTotal takes what the driver wants. The hints are always replaced; it reports whether a
// target changed, which wakes the application master's loop. A profile that was not heard of
// before starts from the initial target of the application.
//
// Source: YarnAllocator.requestTotalExecutorsWithPreferredLocalities.
func (a *Allocator) RequestTotal(now int64, r *spark.TotalRequest) (changed bool) {
	if len(r.Profiles) < len(a.profiles) { // else each gets others
		for p := range a.profiles {
			a.profiles[p].hints = spark.StageHints{}
		}
	}
	if len(r.Profiles) == 0 {
		for p := range a.profiles {
			a.profiles[p].target = 0
		}
		a.health.setScheduler(now, r.Excluded, &a.client)
		return true
	}
	for i := range r.Profiles {
		t := &r.Profiles[i]
		p := &a.profiles[t.Profile]
		p.hints = t.Hints
		if !p.targeted {
			p.targeted, p.target = true, a.initial
		}
		if p.target != t.Total {
			p.target = t.Total
			a.health.setScheduler(now, r.Excluded, &a.client)
			changed = true
		}
	}
	return changed
}

// Lower takes a lower total of the only profile, with its hints, where that changes nothing of what is asked for, and nothing is to be told: no request is open, and no host left out.
// It reports false where it does nothing.
func (a *Allocator) Lower(total int, hints *spark.StageHints) bool {
	p := &a.profiles[0]
	if len(a.profiles) > 1 || !p.targeted || total >= p.target || total > p.running+p.starting || a.client.Open() || a.client.Tells() || a.health.leavesOut() {
		return false
	}
	p.target, p.hints = total, *hints
	return true
}

// Request is the first half of a heartbeat: it brings the requests up to date and fills req with
// what the ResourceManager has to be told.
//
// Source: YarnAllocator.allocateResources.
func (a *Allocator) Request(req *protocol.AllocateRequest) {
	a.updateRequests()
	a.client.Tell(req)
}

// Response is the second half: what was granted is matched and launched, then what has ended is
// cleared up. It fills out.
func (a *Allocator) Response(now int64, resp *protocol.AllocateResponse, out *Outcome) {
	out.Grants, out.Launches, out.Removals = out.Grants[:0], out.Launches[:0], out.Removals[:0]
	out.Answers, out.Released = out.Answers[:0], out.Released[:0]
	a.client.Told()
	a.client.Received(resp)
	a.Nodes(resp.Nodes)
	if len(resp.Allocated) > 0 {
		a.handleGrants(resp.Allocated, out)
	}
	for _, s := range resp.Completed {
		a.completed(now, s, out)
	}
}

// handleGrants matches containers to requests: first those on a host that some request names,
// then those on a rack, then the rest; within each pass in the order of the ResourceManager. A
// container takes the oldest request that fits. What is left is released.
//
// Source: YarnAllocator.handleAllocatedContainers.
func (a *Allocator) handleGrants(granted []protocol.Container, out *Outcome) {
	rest := a.granted[:0]
	for at := range granted {
		rest = append(rest, int32(at))
	}
	a.granted = rest[:0]
	for pass := MatchedHost; pass <= MatchedElsewhere && len(rest) > 0; pass++ {
		left := rest[:0]
		for _, at := range rest {
			c, place := &granted[at], protocol.Any
			switch pass {
			case MatchedHost:
				place = c.Host
			case MatchedRack:
				place = a.racks.RackOf(c.Host)
			}
			wanted, ok := a.client.Serve(c.Priority, place)
			if !ok {
				left = append(left, at)
				continue
			}
			out.Grants = reuse.Longer(out.Grants)
			g := &out.Grants[len(out.Grants)-1]
			g.Container, g.Match, g.Wanted = *c, MatchedAny, wanted
			if wanted != nil {
				g.Match = pass
			}
			if a.OnRequest != nil {
				a.told(c.Priority, wanted, 1, false)
			}
		}
		rest = left
	}
	matched := len(out.Grants)
	for _, at := range rest {
		c := &granted[at]
		a.release(c.ID)
		out.Released = append(out.Released, c.ID)
		out.Grants = append(out.Grants, Grant{Container: *c, Match: Unmatched})
	}
	for i := range out.Grants[:matched] {
		a.use(&out.Grants[i], out)
	}
}

// use gives a matched container to a new executor. When as many run as are wanted it does not:
// such a container is neither launched nor released, as in Spark, and the number is lost.
//
// Source: YarnAllocator.runAllocatedContainers.
func (a *Allocator) use(g *Grant, out *Outcome) {
	a.last++
	p := &a.profiles[g.Container.Priority]
	if p.running >= p.target {
		return
	}
	l := ExecutorLaunch{Executor: a.last, Profile: g.Container.Priority, Container: g.Container.ID, Host: g.Container.Host}
	p.starting++
	a.container(l.Container).launching = true
	out.Launches = append(out.Launches, l)
	if !a.launches {
		a.LaunchDone(l)
	}
}

func (a *Allocator) container(id protocol.ContainerID) *containerState {
	n := id.Number()
	for int64(len(a.containers)) <= n {
		a.containers = append(a.containers, containerState{})
	}
	return &a.containers[n]
}

// LaunchDone tells that a NodeManager has taken the order to start an executor. The executor
// counts as running, unless its container has ended already.
//
// Source: YarnAllocator.updateInternalState.
func (a *Allocator) LaunchDone(l ExecutorLaunch) {
	p := &a.profiles[l.Profile]
	p.starting--
	c := a.container(l.Container)
	if !c.launching {
		return
	}
	p.running++
	*c = containerState{executor: l.Executor, profile: l.Profile, host: l.Host, released: c.released}
	for int32(len(a.executors)) <= l.Executor {
		a.executors = append(a.executors, protocol.ContainerID{})
		a.losses = append(a.losses, lossState{})
	}
	a.executors[l.Executor] = l.Container
	i := from(p.hosts, l.Host)
	if i == len(p.hosts) || p.hosts[i].Host != l.Host {
		p.hosts = reuse.Insert(p.hosts, i, spark.HostTasks{Host: l.Host})
	}
	p.hosts[i].Tasks++
}

// LaunchFailed tells that a NodeManager has refused an executor; its container is given back.
//
// Source: YarnAllocator.runAllocatedContainers.
func (a *Allocator) LaunchFailed(l ExecutorLaunch) {
	a.profiles[l.Profile].starting--
	a.container(l.Container).launching = false
	a.client.Release(l.Container)
}

func (a *Allocator) release(id protocol.ContainerID) {
	a.container(id).released = true
	a.client.Release(id)
}

// KillExecutor gives the container of an executor back. It counts as gone at once, for the target;
// its host counts it until YARN reports its end. It reports false for an executor that is not
// known or that was killed before.
//
// Source: YarnAllocator.killExecutor.
func (a *Allocator) KillExecutor(executor int32) (protocol.ContainerID, bool) {
	if !a.known(executor) {
		return protocol.ContainerID{}, false
	}
	id := a.executors[executor]
	c := a.container(id)
	if c.released {
		return protocol.ContainerID{}, false
	}
	a.release(id)
	a.profiles[c.profile].running--
	return id, true
}
