package rm

import (
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

// fetchCompleted has fetched what is kept of a container that a node is about to report as ended.
func (r *RM) fetchCompleted(n *node, id protocol.ContainerID) {
	r.host.Fetch(id)
	if r.fetches != nil {
		r.fetches.FetchCompleted(n.spec.ID, id)
	}
}
