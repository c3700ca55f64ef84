// Package protocol holds the messages between application masters, the ResourceManager
// and NodeManagers, and the client side table of asks ([Client], YARN's AMRMClient).
// It is shared by the replicas below engine, which do not import each other.
//
// Resource names (hosts, racks, "*") are interned once per simulation in [Names] and
// travel as [Name], so that the decision path compares integers.
package protocol

import (
	"slices"

	"replay/policy/resource"
)

// AppID is the number of an application within one ResourceManager, from 1
// (application_<cluster timestamp>_<number>).
type AppID int32

// NodeID is the dense number of a node, from 0, in the order of the trace.
type NodeID int32

// ContainerID names a container: the application and its running number within the
// attempt, from 1. Numbers taken by reservations that were never filled are lost, as in YARN. In N of a later attempt
// the attempts before it are counted too, see [NewContainerID].
type ContainerID struct {
	App AppID
	N   int64
}

// attemptShift is where the attempts of the application before the container's own are counted in [ContainerID.N].
const attemptShift = 32

// NewContainerID returns container number n of an attempt; attempts and their containers are numbered from 1.
func NewContainerID(app AppID, attempt int32, n int64) ContainerID {
	return ContainerID{App: app, N: int64(attempt-1)<<attemptShift + n}
}

// Attempt is the number of the attempt that the container belongs to.
func (c ContainerID) Attempt() int32 { return int32(c.N>>attemptShift) + 1 }

// Number is the container's number within its attempt.
func (c ContainerID) Number() int64 { return c.N & (1<<attemptShift - 1) }

// NodeType is the scheduler's type of an allocation.
//
// Source: org.apache.hadoop.yarn.server.resourcemanager.scheduler.NodeType.
type NodeType uint8

// The three levels, best first.
const (
	NodeLocal NodeType = iota
	RackLocal
	OffSwitch
)

func (t NodeType) String() string {
	return [...]string{"NODE_LOCAL", "RACK_LOCAL", "OFF_SWITCH"}[t]
}

// Ask is one ResourceRequest: an absolute count of containers wanted at a name.
//
// Source: org.apache.hadoop.yarn.api.records.ResourceRequest.
type Ask struct {
	Priority  int32 // lower number is more urgent within the application
	RequestID int64 // allocationRequestId; -1 is the record's default, AMRMClient sends 0
	Name      Name  // host, rack or [Any]
	Count     int32
	Size      resource.Resource
	Relax     bool // relaxLocality
	// Opportunistic is the execution type. A ResourceManager that allocates no opportunistic containers takes no notice of it.
	Opportunistic bool
}

// Update is an UpdateContainerRequest for the size of a running container.
type Update struct {
	Container ContainerID
	Version   int32
	Increase  bool
	Size      resource.Resource
}

// AllocateRequest is what an application master sends with a heartbeat.
type AllocateRequest struct {
	Asks            []Ask
	Localities      []LocalityAsk // to a ResourceManager that takes them, see [RelaxedClient]
	Releases        []ContainerID
	BlacklistAdd    []Name
	BlacklistRemove []Name
	Updates         []Update
	NoHeadroom      bool // its application master reads no [AllocateResponse.Headroom]: there may be none
}

// Container is an allocated container as an application master sees it.
type Container struct {
	ID       ContainerID
	Node     NodeID
	Host     Name
	Size     resource.Resource
	Priority int32
	Request  int64 // allocationRequestId of the ask it answers
	Type     NodeType
	Version  int32 // updates of its size that the application master has got
}

// UpdateError is the refusal of an [Update], with YARN's own reason.
//
// Source: org.apache.hadoop.yarn.api.records.UpdateContainerError.
type UpdateError struct {
	Container ContainerID
	Reason    string
	Version   int32 // current one, -1 for an unknown container; without meaning when ByScheduler is set
	// ByScheduler tells that the scheduler itself refused, after the checks of the service.
	ByScheduler bool
}

// Status is the end of a container as reported to an application master or by a node.
type Status struct {
	ID   ContainerID
	Exit int32 // ContainerExitStatus, see the Exit constants
}

// A NodeState is a state of a node at the ResourceManager.
//
// Source: org.apache.hadoop.yarn.api.records.NodeState.
type NodeState uint8

// The states.
const (
	NodeNew NodeState = iota
	NodeRunning
	NodeUnhealthy
	NodeDecommissioned
	NodeLost
	NodeRebooted
	NodeDecommissioning
	NodeShutdown
)

var nodeStates = [...]string{"NEW", "RUNNING", "UNHEALTHY", "DECOMMISSIONED", "LOST", "REBOOTED", "DECOMMISSIONING", "SHUTDOWN"}

func (s NodeState) String() string { return nodeStates[s] }

// ParseNodeState returns the state of a name.
func ParseNodeState(name string) (NodeState, bool) {
	i := slices.Index(nodeStates[:], name)
	return NodeState(max(i, 0)), i >= 0
}

// Unusable reports whether nothing runs on a node in this state, nor can what it served be read.
func (s NodeState) Unusable() bool {
	return s == NodeUnhealthy || s == NodeDecommissioned || s == NodeLost || s == NodeShutdown
}

// NodeUpdate tells application masters that a node has changed its state.
type NodeUpdate struct {
	Node  NodeID
	State NodeState
}

// InvalidAsk is why the ResourceManager does not take an [AllocateRequest]: it asks for a larger container than any may be. Nothing of the request counts, and
// the application master can make it again.
//
// Source: InvalidResourceRequestException, RMServerUtils.normalizeAndValidateRequests.
type InvalidAsk string

func (e InvalidAsk) Error() string { return string(e) }

// AllocateResponse is the answer to an [AllocateRequest]. Slices are valid until the next call.
type AllocateResponse struct {
	Allocated []Container // in allocation order
	Completed []Status    // not the application master's own container
	Preempt   []ContainerID
	Headroom  resource.Resource
	Nodes     int // registered nodes
	Increased []Container
	Decreased []Container

	UpdateErrors []UpdateError
	UpdatedNodes []NodeUpdate
}

// Reset empties the answer and keeps its memory.
func (r *AllocateResponse) Reset() {
	r.Headroom, r.Nodes = resource.Resource{}, 0
	r.Allocated, r.Completed, r.Preempt = r.Allocated[:0], r.Completed[:0], r.Preempt[:0]
	r.Increased, r.Decreased, r.UpdateErrors, r.UpdatedNodes = r.Increased[:0], r.Decreased[:0], r.UpdateErrors[:0], r.UpdatedNodes[:0]
}
