package live

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"replay/trace/importer/rmnodes"
)

const nodesPath = "/ws/v1/cluster/nodes"

// nodes records the nodes, and what happened to them since the last poll.
func (r *recorder) nodes(ctx context.Context, at int64) error {
	var list rmnodes.Answer
	states := url.Values{"states": {"NEW,RUNNING,UNHEALTHY,DECOMMISSIONING,DECOMMISSIONED,LOST,REBOOTED,SHUTDOWN"}}
	b, err := r.rm.ask(ctx, nodesPath, states, &list)
	if err != nil {
		return err
	}
	answers := list.All()
	for i := range answers {
		if wrong := new(rmnodes.Wrong); errors.As(answers[i].Check(i), &wrong) {
			return r.rm.wrongField(nodesPath, wrong.Field, wrong.Value, wrong.Want)
		}
	}
	rec := r.rec
	v := &nodeView{
		nodes: slices.Clone(rec.Nodes), events: slices.Clone(rec.NodeEvents), index: map[string]int{}, at: at, first: rec.Polls.FirstMS, after: rec.Polls.LastMS,
		expiry: r.store.nodeExpiry(), note: r.Note,
	}
	for i := range v.nodes {
		v.index[v.nodes[i].ID] = i
	}
	here := map[string]bool{}
	for _, n := range rmnodes.Latest(answers) {
		here[n.ID] = true
		v.see(&n)
	}
	for i := range v.nodes {
		if n := &v.nodes[i]; !here[n.ID] && (n.Usable || v.sick(n)) {
			v.say(n, "removed", n.State+" to not listed", at)
			n.State, n.Usable = "", false
		}
	}
	rec.Nodes, rec.NodeEvents = v.nodes, v.events
	if v.changed {
		return r.store.writeSeen("nodes", at, b)
	}
	return nil
}

// nodeView is what is known of nodes while a poll's answer is compared with it.
type nodeView struct {
	nodes            []Node
	events           []NodeEvent
	index            map[string]int // of nodes, by id
	at, first, after int64          // this poll, the first and the last one; the latter are 0 at the first
	expiry           int64          // of a node's heartbeats
	changed          bool
	note             func(string)
}

// say adds an event of a node at t, if that is between the polls, or else when it was seen.
func (v *nodeView) say(n *Node, event, what string, t int64) {
	v.changed = true
	if t < v.after || t > v.at { // the clocks of the servers differ, or it is not known
		t = v.at
	}
	v.events = append(v.events, NodeEvent{T: t, After: v.after, Before: v.at, Node: n.Name, Event: event, What: what})
}

// last returns the last event of a node, or nil.
func (v *nodeView) last(name string) *NodeEvent {
	for i := len(v.events) - 1; i >= 0; i-- {
		if v.events[i].Node == name {
			return &v.events[i]
		}
	}
	return nil
}

// died adds that a node is lost. The ResourceManager says so when it looks, each third of the expiry interval, and has heard nothing for longer than
// that: the node died so much earlier. A replay waits for the expiry itself.
//
// Source: AbstractLivelinessMonitor, Hadoop 3.4.1.
func (v *nodeView) died(n *Node, what string) {
	earliest := v.first
	if e := v.last(n.Name); e != nil {
		earliest = max(earliest, e.T)
	}
	v.say(n, "lost", what, v.at)
	e := &v.events[len(v.events)-1]
	e.After, e.Before = max(v.after-v.expiry-v.expiry/3, earliest), max(v.at-v.expiry, earliest)
	e.T = max(v.at-v.expiry-v.expiry/6, e.After)
}

// back adds that a node runs again. One that was taken to have left for good had not.
func (v *nodeView) back(n *Node, what string) {
	if e := v.last(n.Name); e != nil && (e.Event == "removed" || e.Event == "decommissioned") {
		e.Event = "lost"
	}
	v.say(n, "started", what, v.at)
}

// unhealthy is the state of a node that says so with its heartbeats. The ResourceManager takes it out of the scheduler at once, has what runs there ended, and takes it in again with the
// first heartbeat that says that it is healthy: nothing was lost that it would have to wait for.
//
// Source: RMNodeImpl.StatusUpdateWhenHealthyTransition, StatusUpdateWhenUnHealthyTransition, Hadoop 3.4.1.
const unhealthy = "UNHEALTHY"

// sick reports whether a node ran containers until it was not healthy, and has not gone since.
func (v *nodeView) sick(n *Node) bool {
	e := v.last(n.Name)
	return !n.Usable && e != nil && e.Event == "unhealthy"
}

// see compares a node of an answer with what is known of it.
func (v *nodeView) see(s *rmnodes.Node) {
	n, state := v.known(s), rmnodes.States[s.State]
	mem, vcores := s.Size()
	if n == nil {
		v.add(s)
		return
	}
	n.LastMS = v.at
	if state.There && mem > 0 && (n.MemMiB != mem || n.VCores != vcores) {
		v.changed = true
		v.note(fmt.Sprintf("node %s has %d MiB and %d vcores now, %d MiB and %d vcores before: a trace keeps the size that was seen first", n.Name, mem, vcores, n.MemMiB, n.VCores))
	}
	if n.State == s.State {
		return
	}
	v.changed = true
	what := n.State + " to " + s.State
	sick := v.sick(n)
	known := n.Usable || sick
	wasDraining := n.Usable && !rmnodes.States[n.State].Takes
	switch {
	case known && s.State == "LOST":
		v.died(n, what)
	case known && s.State == "DECOMMISSIONED":
		v.say(n, "decommissioned", what, s.Health)
	case n.Usable && s.State == unhealthy:
		if wasDraining {
			v.say(n, "recommissioned", what, v.at)
		}
		v.say(n, "unhealthy", what, s.Health)
	case known && s.State != unhealthy && !state.There: // the ResourceManager heard it from the node
		v.say(n, "removed", what, s.Health)
	case sick && state.Takes:
		v.say(n, "healthy", what, s.Health)
	case sick: // one that drains from then on stays out of the scheduler
	case !n.Usable && state.There:
		v.back(n, what)
		if !state.Takes {
			v.say(n, "draining", what, v.at)
		}
	case n.Usable && !wasDraining && !state.Takes:
		v.say(n, "draining", what, v.at)
	case n.Usable && wasDraining && state.Takes:
		v.say(n, "recommissioned", what, v.at)
	}
	n.State, n.Usable = s.State, state.There
}

// known returns the node that an answer is about, or nil if it was not seen before. A NodeManager that was started again may have another port.
func (v *nodeView) known(s *rmnodes.Node) *Node {
	k, ok := v.index[s.ID]
	if !ok && rmnodes.States[s.State].There {
		k = slices.IndexFunc(v.nodes, func(n Node) bool { return n.Name == s.Host && !n.Usable })
		if ok = k >= 0; ok {
			v.nodes[k].ID, v.index[s.ID] = s.ID, k
		}
	}
	if !ok {
		return nil
	}
	return &v.nodes[k]
}

// add takes up a node that was not seen before. Of one that is not there the size is not known.
func (v *nodeView) add(s *rmnodes.Node) {
	mem, vcores := s.Size()
	state, late := rmnodes.States[s.State], v.first != 0
	if !state.There || mem == 0 {
		return
	}
	n := Node{ID: s.ID, Name: s.Host, Rack: s.Rack, MemMiB: mem, VCores: vcores, State: s.State, Usable: true, FirstMS: v.at, LastMS: v.at, Late: late}
	if slices.ContainsFunc(v.nodes, func(o Node) bool { return o.Name == n.Name }) {
		n.Name = s.ID // several NodeManagers on one host
	}
	v.changed = true
	if late {
		v.say(&n, "joined", "first seen "+s.State, v.at)
	}
	if !state.Takes {
		v.say(&n, "draining", "seen "+s.State, v.at)
	}
	v.index[n.ID] = len(v.nodes)
	v.nodes = append(v.nodes, n)
}

// nodeExpiry is how long a node may be silent before it is lost.
func (s *store) nodeExpiry() int64 {
	const byDefault = 600_000
	text := s.site["yarn.nm.liveness-monitor.expiry-interval-ms"]
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil && ms > 0 {
		return ms
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d.Milliseconds()
	}
	return byDefault
}
