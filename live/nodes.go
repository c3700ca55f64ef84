package live

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// nodeAnswer is a node as /ws/v1/cluster/nodes has it.
type nodeAnswer struct {
	ID         string `json:"id"`
	Host       string `json:"nodeHostName"`
	Rack       string `json:"rack"`
	State      string `json:"state"`
	Health     int64  `json:"lastHealthUpdate"`
	UsedMiB    int64  `json:"usedMemoryMB"`
	FreeMiB    int64  `json:"availMemoryMB"`
	UsedVCores int64  `json:"usedVirtualCores"`
	FreeVCores int64  `json:"availableVirtualCores"`
	Total      *struct {
		MemMiB int64 `json:"memory"`
		VCores int64 `json:"vCores"`
	} `json:"totalResource"`
}

// nodeStates are those of YARN's NodeState, with whether a node in it runs containers and takes new ones.
var nodeStates = map[string]struct{ there, takes bool }{
	"RUNNING": {true, true}, "DECOMMISSIONING": {true, false}, "UNHEALTHY": {false, false}, "NEW": {false, false},
	"DECOMMISSIONED": {false, false}, "LOST": {false, false}, "REBOOTED": {false, false}, "SHUTDOWN": {false, false},
}

const nodesPath = "/ws/v1/cluster/nodes"

// nodes records the nodes, and what happened to them since the last poll.
func (r *recorder) nodes(ctx context.Context, at int64) error {
	var list struct {
		Nodes *struct {
			Node []nodeAnswer `json:"node"`
		} `json:"nodes"`
	}
	states := url.Values{"states": {"NEW,RUNNING,UNHEALTHY,DECOMMISSIONING,DECOMMISSIONED,LOST,REBOOTED,SHUTDOWN"}}
	b, err := r.rm.ask(ctx, nodesPath, states, &list)
	if err != nil {
		return err
	}
	var answers []nodeAnswer
	if list.Nodes != nil {
		answers = list.Nodes.Node
	}
	for i := range answers {
		if err := r.checkNode(i, &answers[i]); err != nil {
			return err
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
	for _, n := range latest(answers) {
		here[n.ID] = true
		v.see(&n)
	}
	for i := range v.nodes {
		if n := &v.nodes[i]; !here[n.ID] && n.Usable {
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

// see compares a node of an answer with what is known of it.
func (v *nodeView) see(s *nodeAnswer) {
	n, state := v.known(s), nodeStates[s.State]
	mem, vcores := s.size()
	if n == nil {
		v.add(s)
		return
	}
	n.LastMS = v.at
	if state.there && mem > 0 && (n.MemMiB != mem || n.VCores != vcores) {
		v.changed = true
		v.note(fmt.Sprintf("node %s has %d MiB and %d vcores now, %d MiB and %d vcores before: a trace keeps the size that was seen first", n.Name, mem, vcores, n.MemMiB, n.VCores))
	}
	if n.State == s.State {
		return
	}
	v.changed = true
	what := n.State + " to " + s.State
	wasDraining := !nodeStates[n.State].takes
	switch {
	case n.Usable && s.State == "LOST":
		v.died(n, what)
	case n.Usable && s.State == "DECOMMISSIONED":
		v.say(n, "decommissioned", what, s.Health)
	case n.Usable && !state.there: // the ResourceManager heard it from the node
		v.say(n, "removed", what, s.Health)
	case !n.Usable && state.there:
		v.back(n, what)
		if !state.takes {
			v.say(n, "draining", what, v.at)
		}
	case n.Usable && !wasDraining && !state.takes:
		v.say(n, "draining", what, v.at)
	case n.Usable && wasDraining && state.takes:
		v.say(n, "recommissioned", what, v.at)
	}
	n.State, n.Usable = s.State, state.there
}

// known returns the node that an answer is about, or nil if it was not seen before. A NodeManager that was started again may have another port.
func (v *nodeView) known(s *nodeAnswer) *Node {
	k, ok := v.index[s.ID]
	if !ok && nodeStates[s.State].there {
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
func (v *nodeView) add(s *nodeAnswer) {
	mem, vcores := s.size()
	state, late := nodeStates[s.State], v.first != 0
	if !state.there || mem == 0 {
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
	if !state.takes {
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

// checkNode tells what is wrong with a node of an answer.
func (r *recorder) checkNode(i int, n *nodeAnswer) error {
	wrong := func(field string, value any, want string) error {
		return r.rm.wrongField(nodesPath, fmt.Sprintf("nodes.node[%d].%s", i, field), value, want)
	}
	if _, ok := nodeStates[n.State]; !ok {
		return wrong("state", n.State, "a state of a node such as RUNNING")
	}
	if n.ID == "" {
		return wrong("id", n.ID, "host:port")
	}
	if n.Host == "" {
		n.Host, _, _ = strings.Cut(n.ID, ":")
	}
	mem, vcores := n.size()
	if mem < 0 || vcores < 0 {
		return wrong("availMemoryMB, availableVirtualCores", []int64{n.FreeMiB, n.FreeVCores}, "0 or more, with what is used")
	}
	return nil
}

// size is all that the node has.
func (n *nodeAnswer) size() (memMiB, vcores int64) {
	if n.Total != nil && n.Total.MemMiB > 0 {
		return n.Total.MemMiB, n.Total.VCores
	}
	return n.UsedMiB + n.FreeMiB, n.UsedVCores + n.FreeVCores
}

// latest keeps of several NodeManagers of one id the one that is there, or was last.
func latest(seen []nodeAnswer) []nodeAnswer {
	at := map[string]int{}
	var out []nodeAnswer
	for _, s := range seen {
		k, ok := at[s.ID]
		if !ok {
			at[s.ID] = len(out)
			out = append(out, s)
			continue
		}
		if o := &out[k]; nodeStates[s.State].there || !nodeStates[o.State].there && s.Health > o.Health {
			*o = s
		}
	}
	return out
}
