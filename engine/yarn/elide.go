package yarn

import "replay/engine/protocol"

// An Elider is a [Scheduler] that knows which node heartbeats and updates can change something. The fast loop has those
// executed and credits the others, so that every decision is the same as if all had been executed. A scheduler that is
// no Elider has all of them executed as long as there is an application.
//
// Heartbeats are numbered within an epoch, in which the nodes stay the same: number h is that of node ranks[h mod len(ranks)].
type Elider interface {
	// Epoch begins an epoch; everything before it has been settled.
	Epoch(ranks []protocol.NodeID)
	// NextHeartbeat returns the first heartbeat from h on, and before limit, that could do more than count. It is limit when
	// there is none. The answer may be too early, never too late. Nothing is asked of the scheduler in between.
	NextHeartbeat(h, limit int64) int64
	// CreditHeartbeats accounts for the heartbeats from h to before end, which are not executed.
	CreditHeartbeats(h, end int64)
	// Launched tells of containers that a node has reported as running with a heartbeat that was left out.
	Launched(protocol.NodeID, []protocol.ContainerID)
	// UpdateDue reports whether an update now could change something, CreditUpdate accounts for one at a time that could not.
	UpdateDue() bool
	CreditUpdate(at int64)
	// Settle brings everything that was credited up to date. It comes before any other call.
	Settle()
}
