package rm

import (
	"unsafe"

	"replay/engine/fetch"
	"replay/engine/protocol"
	"replay/engine/yarn"
)

// FetchEnd has fetched what the end of a container will look at of its application, by its number, in two steps, see [yarn.Fetcher].
func (r *RM) FetchEnd(id protocol.AppID, number int64, step int) {
	switch a := r.app(id); {
	case step == 0:
		fetch.Of(a)
	case step == 1 && a != nil:
		fetch.At(a.completed, len(a.completed)-1)
		fetch.At(a.watched, int(number))
	}
	if r.fetches != nil {
		r.fetches.FetchEnd(id, step)
	}
}

// FetchSubmission has fetched the memory that is used for the next attempt of an application.
func (r *RM) FetchSubmission() {
	if n := len(r.spare); n > 0 {
		fetch.Of(r.spare[n-1])
	}
}

// FetchNode has fetched what a heartbeat of a node will look at, or the end of a container on it.
func (r *RM) FetchNode(id protocol.NodeID) {
	r.fetchNode(id)
	if r.fetches != nil {
		r.fetches.FetchNode(id)
	}
}

// fetchNode has fetched what is asked of a node most.
func (r *RM) fetchNode(id protocol.NodeID) { fetch.Head(&r.nodes[id], unsafe.Offsetof(node{}.spec)) }

// mostProcs is how many processes of a node are fetched when one of them is about to be looked for.
const mostProcs = 32

// FetchProcesses has fetched the processes of a node, one of which is about to be looked for.
func (r *RM) FetchProcesses(id protocol.NodeID) { fetch.List(r.nodes[id].procs, mostProcs) }

// FetchExits has fetched what the ends of processes of an application will look at, and the heartbeats with which nodes report them, in two steps: step 1 may read what step 0 has
// fetched.
func (r *RM) FetchExits(id protocol.AppID, list []yarn.Placed, step int) {
	r.FetchStarts(id, list, step)
	for i := range list {
		if id := list[i].Node; step == 0 {
			fetch.At(r.exited, int(id))
		} else {
			fetch.Of(&r.nodes[id].ends)
		}
	}
	if r.fetches != nil {
		r.fetches.FetchCompleted(id, list, step)
	}
}

// FetchStarts is the same for the starts of processes.
func (r *RM) FetchStarts(_ protocol.AppID, list []yarn.Placed, step int) {
	for i := range list {
		if id := list[i].Node; step > 0 {
			r.FetchProcesses(id)
		} else {
			r.fetchNode(id)
		}
	}
}

// fetchCompleted has fetched what is kept of a container that a node is about to report as ended, in steps: where it is found, and what is found.
func (r *RM) fetchCompleted(node protocol.NodeID, id protocol.ContainerID, step int) {
	r.host.Fetch(id, step)
	if r.fetches != nil {
		r.fetching[0] = yarn.Placed{Number: id.Number(), Node: node}
		r.fetches.FetchCompleted(id.App, r.fetching[:], step)
	}
}

// fetchAt has fetched what is looked at first of the node that sends the next heartbeat that is executed for its own sake, and with step 1 what is looked at then.
func (r *RM) fetchAt(rank, step int) {
	if n := len(r.known.ranks); rank >= n {
		rank -= n
	}
	id := r.known.ranks[rank]
	if step == 0 {
		r.fetchNode(id)
	}
	if int(id) < len(r.exited) && r.exited[id].N != 0 {
		r.fetchCompleted(id, r.exited[id], step)
	}
}
