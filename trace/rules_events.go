package trace

// nodeState is where a node is in its life, for the check of node events.
type nodeState string

const (
	nodeNever    nodeState = "not yet in the cluster"
	nodeUp       nodeState = "up"
	nodeDraining nodeState = "draining"
	nodeDown     nodeState = "down"
	nodeGone     nodeState = "gone for good"
)

// nodeMoves says from which states an event may happen, and to which state it leads ("" keeps the state).
var nodeMoves = map[EventKind]struct {
	from []nodeState
	to   nodeState
}{
	Join:     {[]nodeState{nodeNever}, nodeUp},
	Leave:    {[]nodeState{nodeUp, nodeDraining, nodeDown}, nodeGone},
	Fail:     {[]nodeState{nodeUp, nodeDraining}, nodeDown},
	Recover:  {[]nodeState{nodeDown}, nodeUp},
	Drain:    {[]nodeState{nodeUp}, nodeDraining},
	Undrain:  {[]nodeState{nodeDraining}, nodeUp},
	Capacity: {[]nodeState{nodeUp, nodeDraining}, ""},
	Labels:   {[]nodeState{nodeUp, nodeDraining}, ""},
}

// eventRows checks order, values and that each event can happen in the state its node is in.
func (r *rules) eventRows(nodes []Node, events []NodeEvent) error {
	states := make([]nodeState, len(nodes))
	for i := range nodes {
		states[i] = nodeNever
		if nodes[i].Present {
			states[i] = nodeUp
		}
	}
	for i := range events {
		e, row := &events[i], int64(i)
		err := firstOf(
			r.fields(tableEvents, row, eventFields, e.TimeMS, int64(e.Seq), e.MemMiB, int64(e.VCores), e.DrainTimeoutMS, int64(e.Group)),
			r.id(tableEvents, row, "node_id", e.Node, len(nodes)),
		)
		if err != nil {
			return err
		}
		if i > 0 && (e.TimeMS < events[i-1].TimeMS || e.TimeMS == events[i-1].TimeMS && e.Seq <= events[i-1].Seq) {
			if err := r.bad(tableEvents, row, "time_ms, seq", []int64{e.TimeMS, int64(e.Seq)}, "more than %v of the row before", []int64{events[i-1].TimeMS, int64(events[i-1].Seq)}); err != nil {
				return err
			}
		}
		if err := r.event(row, e, states); err != nil {
			return err
		}
	}
	return nil
}

func (r *rules) event(row int64, e *NodeEvent, states []nodeState) error {
	move, ok := nodeMoves[e.Kind]
	if !ok {
		return r.bad(tableEvents, row, "kind", string(e.Kind), "one of join, leave, fail, recover, drain, undrain, capacity, labels")
	}
	if e.Node >= 0 && int(e.Node) < len(states) {
		state := states[e.Node]
		possible := false
		for _, s := range move.from {
			possible = possible || s == state
		}
		if !possible {
			if err := r.bad(tableEvents, row, "kind", string(e.Kind), "an event that can happen to node %d, which is %s", e.Node, state); err != nil {
				return err
			}
		} else if move.to != "" {
			states[e.Node] = move.to
		}
	}
	switch e.Kind {
	case Capacity:
		if e.MemMiB == Unset && e.VCores == Unset {
			return r.bad(tableEvents, row, "mem_mib", "null", "new totals for kind capacity")
		}
	case Join, Recover:
	default:
		if e.MemMiB != Unset || e.VCores != Unset {
			return r.bad(tableEvents, row, "mem_mib", e.MemMiB, "null for kind %s", e.Kind)
		}
	}
	if e.Kind != Drain && e.DrainTimeoutMS != Unset {
		return r.bad(tableEvents, row, "drain_timeout_ms", e.DrainTimeoutMS, "null for kind %s", e.Kind)
	}
	return nil
}
