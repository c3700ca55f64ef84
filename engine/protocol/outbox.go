package protocol

import (
	"cmp"
	"slices"

	"replay/engine/reuse"
)

// outbox is what a client has to tell besides its asks.
type outbox struct {
	release []ContainerID
	pending []ContainerID // released and not yet reported as completed, sorted

	blackAdd, blackRemove, black []Name
}

// emptied returns an outbox with nothing in it in the memory of o.
func (o *outbox) emptied() outbox {
	return outbox{release: o.release[:0], pending: o.pending[:0], blackAdd: o.blackAdd[:0], blackRemove: o.blackRemove[:0], black: o.black[:0]}
}

func (o *outbox) empty() bool {
	return len(o.release) == 0 && len(o.blackAdd) == 0 && len(o.blackRemove) == 0
}

func (o *outbox) build(req *AllocateRequest) {
	o.tell(req)
	o.told()
}

func (o *outbox) tell(req *AllocateRequest) {
	req.Releases, req.BlacklistAdd, req.BlacklistRemove = req.Releases[:0], req.BlacklistAdd[:0], req.BlacklistRemove[:0]
	if o.empty() {
		return
	}
	req.Releases = append(req.Releases, o.release...)
	req.BlacklistAdd = append(req.BlacklistAdd, o.blackAdd...)
	req.BlacklistRemove = append(req.BlacklistRemove, o.blackRemove...)
}

func (o *outbox) told() {
	o.release, o.blackAdd, o.blackRemove = o.release[:0], o.blackAdd[:0], o.blackRemove[:0]
}

// Release gives a container back with the next call.
//
// Source: AMRMClientImpl.releaseAssignedContainer.
func (o *outbox) Release(id ContainerID) {
	o.release = insertID(o.release, id)
	o.pending = insertID(o.pending, id)
}

func compareIDs(a, b ContainerID) int {
	return cmp.Or(cmp.Compare(a.App, b.App), cmp.Compare(a.N, b.N))
}

func insertID(set []ContainerID, id ContainerID) []ContainerID {
	i, ok := slices.BinarySearchFunc(set, id, compareIDs)
	if ok {
		return set
	}
	return reuse.Insert(set, i, id)
}

// UpdateBlacklist changes the places at which no container is wanted; a name in both lists is
// removed.
//
// Source: AMRMClientImpl.updateBlacklist.
func (o *outbox) UpdateBlacklist(add, remove []Name) {
	for _, n := range add {
		o.blackAdd = with(o.blackAdd, n)
		o.black = with(o.black, n)
		o.blackRemove = without(o.blackRemove, n)
	}
	for _, n := range remove {
		o.blackRemove = with(o.blackRemove, n)
		o.black = without(o.black, n)
		o.blackAdd = without(o.blackAdd, n)
	}
}

func with(set []Name, n Name) []Name {
	if slices.Contains(set, n) {
		return set
	}
	return append(set, n)
}

func without(set []Name, n Name) []Name {
	if i := slices.Index(set, n); i >= 0 {
		return slices.Delete(set, i, i+1)
	}
	return set
}

// Received takes note of a response: releases whose completion it reports are settled.
func (o *outbox) Received(resp *AllocateResponse) {
	if len(o.pending) == 0 {
		return
	}
	for _, s := range resp.Completed {
		if i, ok := slices.BinarySearchFunc(o.pending, s.ID, compareIDs); ok {
			o.pending = slices.Delete(o.pending, i, i+1)
		}
	}
}
