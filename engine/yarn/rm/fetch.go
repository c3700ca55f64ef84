package rm

import (
	"unsafe"

	"replay/engine/fetch"
	"replay/engine/protocol"
)

// FetchEnd has fetched what the end of a container will look at, see [yarn.Fetcher].
func (r *RM) FetchEnd(id protocol.AppID, number int64, step int) {
	switch a := r.app(id); {
	case step == 0:
		fetch.Of(a)
	case step == 1 && a != nil:
		fetch.At(a.completed, len(a.completed)-1)
	}
	if r.fetches != nil {
		r.fetches.FetchEnd(id, number, step)
	}
}

// FetchNode has fetched what a heartbeat of a node will look at, or the end of a container on it.
func (r *RM) FetchNode(id protocol.NodeID) {
	fetch.Of(&r.nodes[id])
	if r.fetches != nil {
		r.fetches.FetchNode(id)
	}
}

// mostProcs is how many processes of a node are fetched when one of them is about to be looked for.
const mostProcs = 32

// FetchProcesses has fetched the processes of a node of which one is about to end.
func (r *RM) FetchProcesses(id protocol.NodeID) { fetch.List(r.nodes[id].procs, mostProcs) }

// fetchCompleted has fetched what is kept of a container that a node is about to report as ended, in two steps: where it is found, and what is found.
func (r *RM) fetchCompleted(node protocol.NodeID, id protocol.ContainerID, step int) {
	r.host.Fetch(id, step)
	if r.fetches != nil {
		r.fetches.FetchCompleted(node, id, step)
	}
}

// fetchAt has fetched what is looked at first of the node that sends the next heartbeat that is executed for its own sake.
func (r *RM) fetchAt(rank int) {
	if n := len(r.known.ranks); rank >= n {
		rank -= n
	}
	id := r.known.ranks[rank]
	fetch.Head(&r.nodes[id], unsafe.Offsetof(node{}.spec))
	if int(id) < len(r.exited) && r.exited[id].N != 0 {
		r.fetchCompleted(id, r.exited[id], 0)
	}
}
