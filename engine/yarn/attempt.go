package yarn

import (
	"cmp"
	"slices"
	"unsafe"

	"replay/engine/fetch"
	"replay/engine/protocol"
	"replay/engine/yarn/jvm"
	"replay/policy/resource"
)

// Attempt is what every scheduler keeps of an application: asks, containers, usage, blacklists.
// Limits and order are the scheduler's own.
//
// Source: SchedulerApplicationAttempt.
type Attempt struct {
	containerLists
	number int32 // among the application's, from 1
	placed int32 // containers that nodes hold
	AppSpec
	Requests
	Hash    int32 // ApplicationAttemptId.hashCode
	AppHash int32 // ApplicationId.hashCode
	Start   int64 // ms, of the attempt
	Used    resource.Resource

	// WaitingForAM is true until the master container was given out; false for an unmanaged one. Meanwhile the blacklist
	// that counts is the ResourceManager's own.
	WaitingForAM bool
	Stopped      bool
	grown        uint8 // how often YARN's table of live containers has doubled
	lives        int32 // how many live containers there are

	last    int64 // number of the last container
	black   map[protocol.Name]bool
	system  map[protocol.Name]bool
	updates updates
}

type containerLists struct {
	live  []*Container // by number - 1; nil when it ended
	newly []*Container // allocated and not given out, in order
}

// NewAttempt returns an attempt of an application that was admitted, the first of which has number 1. timestamp is the cluster's.
func NewAttempt(s AppSpec, number int32, timestamp, now int64, places *Places) *Attempt {
	a := new(Attempt)
	a.Renew(s, number, timestamp, now, places)
	return a
}

// Renew makes of a what [NewAttempt] returns. Nobody speaks any more of the attempt that it was, nor do nodes, see [Attempt.Placed].
func (a *Attempt) Renew(s AppSpec, number int32, timestamp, now int64, places *Places) {
	*a = Attempt{number: number, AppSpec: s, Start: now, WaitingForAM: !s.Unmanaged}
	a.AppHash = jvm.AppHash(timestamp, int32(s.ID))
	a.Hash = jvm.AttemptHash(a.AppHash, number)
	a.Requests = Requests{requestLists: spared(&places.requests), places: places, app: a.Hash}
	a.containerLists = spared(&places.attempts)
}

// Placed reports whether a node holds a container of the attempt, which may have ended.
func (a *Attempt) Placed() bool { return a.placed > 0 }

// Stop drops all asks and containers for good, those of [Attempt.Pull], too: the lists may be others' from then on.
func (a *Attempt) Stop() {
	a.Requests.Stop()
	clear(a.live)
	clear(a.newly[:cap(a.newly)])
	a.places.attempts = append(a.places.attempts, containerLists{a.live[:0], a.newly[:0]})
	a.containerLists = containerLists{}
}

// NextContainer takes the next container number.
//
// Source: AppSchedulingInfo.getNewContainerId.
func (a *Attempt) NextContainer() protocol.ContainerID {
	a.last++
	return protocol.NewContainerID(a.ID, a.number, a.last)
}

// ContainerHash returns ContainerId.hashCode of a container of the application.
func (a *Attempt) ContainerHash(id protocol.ContainerID) int32 {
	hash := a.Hash
	if id.Attempt() != a.number {
		hash = jvm.AttemptHash(a.AppHash, id.Attempt())
	}
	return jvm.ContainerHash(hash, id.Number())
}

// NewContainer returns a container of this attempt in state NEW; nothing else is changed.
func (a *Attempt) NewContainer(id protocol.ContainerID, n *Node, k Key, size resource.Resource, now int64) *Container {
	c := spared(&a.places.containers)
	if c == nil {
		c = new(Container)
	} else if spare := a.places.containers; len(spare) > 0 { // for the next one
		fetch.Of(spare[len(spare)-1])
	}
	c.ID, c.Hash, c.Node, c.App, c.Size, c.Created = id, a.ContainerHash(id), n, a, size, now // all else is zero
	c.priority, c.request = k.Priority, k.Request
	if k.Update != (protocol.ContainerID{}) {
		c.changed().of = k.Update
	}
	return c
}

// Live returns the live container of that number, nil when there is none.
func (a *Attempt) Live(id protocol.ContainerID) *Container {
	n := id.Number()
	if id.App != a.ID || id.Attempt() != a.number || n < 1 || n > int64(len(a.live)) {
		return nil
	}
	return a.live[n-1]
}

// FetchEnd has fetched (package fetch) what the end of a container will look at in the attempt. There may be none.
func (a *Attempt) FetchEnd() { fetch.Head(a, unsafe.Offsetof(a.updates)) }

// FetchPlace has fetched where a container is found.
func (a *Attempt) FetchPlace(number int64) { fetch.At(a.live, int(number-1)) }

// FetchLive has fetched a container.
func (a *Attempt) FetchLive(number int64) {
	if number >= 1 && number <= int64(len(a.live)) {
		fetch.Of(a.live[number-1])
	}
}

// AddLive makes c the live container of that number.
func (a *Attempt) AddLive(id protocol.ContainerID, c *Container) {
	for int64(len(a.live)) < id.Number() {
		a.live = append(a.live, nil)
	}
	a.live[id.Number()-1] = c
	if a.lives++; a.lives >= firstLive<<a.grown/4*3 {
		a.grown++
	}
}

// RemoveLive forgets a live container and reports whether it was there.
// It leaves the list of those not given out, too.
func (a *Attempt) RemoveLive(id protocol.ContainerID) bool {
	c := a.Live(id)
	if c == nil {
		return false
	}
	a.live[id.Number()-1] = nil
	a.lives--
	for i, o := range a.newly {
		if o == c {
			a.newly = append(a.newly[:i], a.newly[i+1:]...)
			break
		}
	}
	return true
}

// firstLive is the length of the table in which YARN begins to keep the live containers of an attempt.
const firstLive = 16

// LiveInOrder returns the live containers in YARN's order, the hash order of their numbers; of several in one place of the table the lower number comes first.
//
// Source: SchedulerApplicationAttempt.getLiveContainers.
func (a *Attempt) LiveInOrder() []*Container {
	list := slices.Collect(a.AllLive)
	slices.SortStableFunc(list, func(c, d *Container) int {
		return cmp.Compare(jvm.Place(c.Hash, firstLive<<a.grown), jvm.Place(d.Hash, firstLive<<a.grown))
	})
	return list
}

// AllLive yields the live containers by number.
func (a *Attempt) AllLive(yield func(*Container) bool) {
	for _, c := range a.live {
		if c != nil && !yield(c) {
			return
		}
	}
}

// Allocated starts a container of the table's key on a node: it takes from the request table, becomes live, is charged to
// the attempt and is queued for the application master, or with the container whose growth it is.
// The caller charges queues and the node.
//
// Source: FSAppAttempt.allocate, SchedulerApplicationAttempt.addToNewlyAllocatedContainers.
func (a *Attempt) Allocated(c *Container, t *Table, level protocol.NodeType) {
	c.Type = level
	a.queueNew(c)
	c.Asks = a.Take(t, level, c.Node, a.places.room())
	a.AddLive(c.ID, c)
	a.Used.AddTo(&c.Size)
	c.Handle(EventStart)
}

// Pull hands over what was allocated: each container becomes ACQUIRED. The result is valid until the next allocation.
//
// Source: SchedulerApplicationAttempt.pullNewlyAllocatedContainers.
func (a *Attempt) Pull() []*Container {
	out := a.newly
	for _, c := range out {
		c.Handle(EventAcquired)
	}
	a.newly = a.newly[:0]
	return out
}

// Blacklist changes the blacklist in force, additions first, and reports whether the application's own changed.
//
// Source: AppSchedulingInfo.updatePlacesBlacklistedByApp, updatePlacesBlacklistedBySystem.
func (a *Attempt) Blacklist(add, remove []protocol.Name) (changed bool) {
	list := &a.black
	if a.WaitingForAM {
		list = &a.system
	}
	if *list == nil && len(add) > 0 {
		*list = map[protocol.Name]bool{}
	}
	for _, n := range add {
		if !(*list)[n] {
			(*list)[n] = true
			changed = true
		}
	}
	for _, n := range remove {
		if (*list)[n] {
			delete(*list, n)
			changed = true
		}
	}
	return changed && !a.WaitingForAM
}

// Blacklisted reports whether the node or its rack is on the blacklist in force.
//
// Source: SchedulerAppUtils.isPlaceBlacklisted.
func (a *Attempt) Blacklisted(n *Node) bool {
	for i := range a.Bars {
		if b := &a.Bars[i]; b.Container == a.last+1 && (b.Node == n.ID) != b.Others {
			return true
		}
	}
	list := a.black
	if a.WaitingForAM {
		list = a.system
	}
	return len(list) > 0 && (list[n.Host] || list[n.Rack])
}

// Barred reports whether a bar is about the next container.
func (a *Attempt) Barred() bool {
	return slices.ContainsFunc(a.Bars, func(b Bar) bool { return b.Container == a.last+1 })
}

// Bar puts bars on an attempt that is under way. It does nothing and reports false if they could have had an effect before, had they been there from the
// beginning: for an attempt that is not the first, or whose next container one of them is about.
func (a *Attempt) Bar(bars []Bar) bool {
	if a.number > 1 || slices.ContainsFunc(bars, func(b Bar) bool { return b.Container <= a.last+1 }) {
		return false
	}
	a.Bars = bars
	return true
}

// HasBlacklist reports whether any place is on the blacklist in force.
func (a *Attempt) HasBlacklist() bool {
	if a.WaitingForAM {
		return len(a.system) > 0
	}
	return len(a.black) > 0
}

// OwnBlacklist reports whether the application itself refuses the place.
func (a *Attempt) OwnBlacklist(place protocol.Name) bool { return a.black[place] }

// ContainerHash returns ContainerId.hashCode of a container of any application.
func ContainerHash(timestamp int64, id protocol.ContainerID) int32 {
	return jvm.ContainerHash(jvm.AttemptHash(jvm.AppHash(timestamp, int32(id.App)), id.Attempt()), id.Number())
}
