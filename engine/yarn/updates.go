package yarn

import (
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn/jvm"
	"replay/policy/resource"
)

// updates are the outstanding changes of size of an attempt's containers.
//
// Source: ContainerUpdateContext, SchedulerApplicationAttempt.
type updates struct {
	increases map[protocol.ContainerID]*increases
	decreases map[protocol.ContainerID]resource.Resource // target sizes

	// By container; the orders are those of YARN's hash maps.
	increased jvm.HashMap[protocol.ContainerID, *Container] // differences that were allocated
	decreased jvm.HashMap[protocol.ContainerID, *Container] // helper containers
	toKill    jvm.HashMap[protocol.ContainerID, *Container] // by their own number: differences and helpers to be released
}

// increases are the differences that were asked for one container. A difference asked while a decrease is outstanding is
// known and belongs to nothing.
type increases []difference

type difference struct {
	size   resource.Resource
	wanted bool
}

// UpdateKey returns the key under which the growth of a container is asked for.
func (c *Container) UpdateKey() Key {
	return Key{Priority: c.priority, Request: c.request, Update: c.ID}
}

// Reasons why a change of size is refused.
//
// Source: RMServerUtils.
const (
	errInvalidContainer       = "INVALID_CONTAINER_ID"
	errVersion                = "INCORRECT_CONTAINER_VERSION_ERROR"
	errOutstanding            = "UPDATE_OUTSTANDING_ERROR"
	errOutsideOfRange         = "RESOURCE_OUTSIDE_ALLOWED_RANGE"
	unknownVersion      int32 = -1
)

// CheckUpdates applies the checks of the application master service to requests of a change of size. live finds a
// container of any application; most is the largest container of the queue. It returns the requests that pass, increases
// before decreases, and appends the refusals to errs.
//
// Source: RMServerUtils.validateAndSplitUpdateResourceRequests.
func CheckUpdates(reqs []protocol.Update, live func(protocol.ContainerID) *Container, most resource.Resource, errs []protocol.UpdateError) ([]protocol.Update, []protocol.UpdateError) {
	var up, down []protocol.Update
	seen := map[protocol.ContainerID]bool{}
	for _, u := range reqs {
		c := live(u.Container)
		reason, version := "", unknownVersion
		if c != nil {
			version = c.Version()
		}
		mem, cpu := u.Size[resource.Memory], u.Size.CPU()
		switch {
		case c == nil:
			reason = errInvalidContainer
		case u.Version != c.Version():
			reason = errVersion
		case seen[u.Container]:
			reason = errOutstanding
		case mem < 0 || mem > most[resource.Memory] || cpu < 0 || cpu > most.CPU():
			reason = errOutsideOfRange
		}
		if reason != "" {
			errs = append(errs, protocol.UpdateError{Container: u.Container, Reason: reason, Version: version})
			continue
		}
		seen[u.Container] = true
		if u.Increase {
			up = append(up, u)
		} else {
			down = append(down, u)
		}
	}
	return append(up, down...), errs
}

// Increase asks for the difference to a larger size on the container's own node, in place of an earlier one.
// ok is false when a decrease is outstanding. cancelled is the difference whose ask was taken back, none otherwise; YARN's
// metrics count it as allocated for good.
//
// Source: ContainerUpdateContext.checkAndAddToOutstandingIncreases.
func (a *Attempt) Increase(c *Container, target resource.Resource) (cancelled resource.Resource, ok bool) {
	k := c.UpdateKey()
	list := a.updates.increases[c.ID]
	if list == nil {
		if a.updates.increases == nil {
			a.updates.increases = map[protocol.ContainerID]*increases{}
		}
		list = &increases{}
		a.updates.increases[c.ID] = list
	} else {
		cancelled = a.cancelUpdate(k)
	}
	d := target.Max(c.Size).Sub(c.Size)
	at := slices.IndexFunc(*list, func(i difference) bool { return i.size == d })
	if at < 0 {
		at = len(*list)
		*list = append(*list, difference{size: d})
	}
	if _, outstanding := a.updates.decreases[c.ID]; outstanding {
		return cancelled, false
	}
	(*list)[at].wanted = true
	if !d.IsNone() {
		a.askOn(k, c.Node, d, false)
	}
	return cancelled, true
}

// askOn asks for one container on that node and nowhere else. It names the node by its address: a cluster that has ports in the names of nodes never grows containers.
//
// Source: ContainerUpdateContext.createResourceRequests.
func (a *Attempt) askOn(k Key, n *Node, size resource.Resource, add bool) {
	var asks [3]protocol.Ask
	for i, name := range [...]protocol.Name{n.host, n.Rack, protocol.Any} {
		asks[i] = protocol.Ask{Priority: k.Priority, RequestID: k.Request, Name: name, Count: 1, Size: size}
	}
	a.UpdateKey(k, asks[:], add)
}

// cancelUpdate takes one container off the ask for "*" of the key; asks for host and rack stay.
//
// Source: ContainerUpdateContext.cancelPreviousRequest.
func (a *Attempt) cancelUpdate(k Key) (size resource.Resource) {
	t := a.Table(k)
	if t == nil || t.AnyCount() <= 0 {
		return size
	}
	size = t.Any().Size
	var was RememberAsk // which nobody puts back
	a.takeAny(t, &was)
	a.checkEmptied()
	return size
}

// Decrease notes a smaller size and makes the helper container of YARN's: it has a number and no size, and its number
// leads to c among the live containers. The caller places it on the node. ok is false when a decrease is outstanding.
//
// Source: ContainerUpdateContext.checkAndAddToOutstandingDecreases, AbstractYarnScheduler.createDecreasedRMContainer.
func (a *Attempt) Decrease(c *Container, target resource.Resource, now int64) (helper *Container, cancelled resource.Resource, ok bool) {
	if _, outstanding := a.updates.decreases[c.ID]; outstanding {
		return nil, cancelled, false
	}
	cancelled = a.cancelUpdate(c.UpdateKey())
	if a.updates.decreases == nil {
		a.updates.decreases = map[protocol.ContainerID]resource.Resource{}
	}
	a.updates.decreases[c.ID] = target
	k := c.Key()
	k.Update = protocol.ContainerID{}
	helper = a.NewContainer(a.NextContainer(), c.Node, k, resource.Resource{}, now)
	helper.changed().version = c.Version()
	a.AddLive(helper.ID, c)
	a.updates.decreased.Put(c.ID, c.Hash, helper)
	return helper, cancelled, true
}

// queueNew puts a new container where it will be fetched: among those to be given out, or, when it is the growth of another,
// with that one. An ask for growth that fits no request is made again.
//
// Source: SchedulerApplicationAttempt.addToNewlyAllocatedContainers, ContainerUpdateContext.matchContainerToOutstandingIncreaseReq.
func (a *Attempt) queueNew(c *Container) {
	var list *increases
	grown := c.grows()
	if grown != (protocol.ContainerID{}) {
		list = a.updates.increases[grown]
	}
	if list == nil {
		a.newly = append(a.newly, c)
		return
	}
	for _, i := range *list {
		if i.size != c.Size || !i.wanted {
			continue
		}
		if live := a.Live(grown); live == nil || live.State.Final() {
			a.discard(c)
			return
		}
		a.updates.increased.Put(grown, a.ContainerHash(grown), c)
		return
	}
	a.askOn(c.Key(), c.Node, c.Size, true)
	a.discard(c)
}

// Outstanding is the scheduler's refusal of a change of size while another one of the container is outstanding.
func Outstanding(id protocol.ContainerID) protocol.UpdateError {
	return protocol.UpdateError{Container: id, Reason: errOutstanding, ByScheduler: true}
}

func (a *Attempt) discard(c *Container) { a.updates.toKill.Put(c.ID, c.Hash, c) }

// PullIncreased gives out the containers whose growth was allocated, with their new sizes. The containers that held the differences
// are left without size and wait for [Attempt.PullDiscarded].
//
// Source: SchedulerApplicationAttempt.pullNewlyUpdatedContainers.
func (a *Attempt) PullIncreased() (out []*Container) {
	u := &a.updates
	for id, t := range u.increased.All {
		if c := a.Live(id); c != nil {
			c.changed().version++
			c.Size, t.Size = c.Size.Add(t.Size), resource.Resource{}
			a.forgetIncrease(c)
			delete(u.decreases, id)
			out = append(out, c)
		}
		a.discard(t)
	}
	u.increased.Clear()
	return out
}

// forgetIncrease drops the request for growth by the container's present size: YARN looks for it under the size
// after the growth instead of the difference, so most requests stay.
//
// Source: ContainerUpdateContext.removeFromOutstandingUpdate.
func (a *Attempt) forgetIncrease(c *Container) {
	list := a.updates.increases[c.ID]
	if list == nil {
		return
	}
	*list = slices.DeleteFunc(*list, func(d difference) bool { return d.wanted && d.size == c.Size })
	if len(*list) == 0 {
		delete(a.updates.increases, c.ID)
	}
}

// PullDecreased makes the outstanding decreases real and gives the containers out. Their helpers are left with the difference,
// which may be negative, and wait for [Attempt.PullDiscarded]. A decrease that an increase of the same container has overtaken is
// an error, in this call and in all that follow while the container lives, as in YARN.
//
// Source: SchedulerApplicationAttempt.pullNewlyUpdatedContainers.
func (a *Attempt) PullDecreased() (out []*Container, err error) {
	u := &a.updates
	var ids []protocol.ContainerID
	for id := range u.decreased.All {
		ids = append(ids, id)
	}
	for _, id := range ids {
		hash := a.ContainerHash(id)
		t, _ := u.decreased.Get(id, hash)
		if c := a.Live(id); c != nil {
			target, ok := u.decreases[id]
			if !ok {
				return out, &Exception{"NullPointerException", "the decrease of a container was lost to its increase"}
			}
			c.changed().version++
			t.Size, c.Size = c.Size.Sub(target), target
			delete(u.decreases, id)
			out = append(out, c)
		}
		u.decreased.Remove(id, hash)
		a.discard(t)
	}
	return out, nil
}

// PullDiscarded returns what is left of resizes, to be released after the call.
func (a *Attempt) PullDiscarded() (out []*Container) {
	for _, c := range a.updates.toKill.All {
		c.Asks = nil
		out = append(out, c)
	}
	a.updates.toKill.Clear()
	return out
}
