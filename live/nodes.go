package live

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
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
	var seen []nodeAnswer
	if list.Nodes != nil {
		seen = list.Nodes.Node
	}
	for i := range seen {
		if err := r.checkNode(i, &seen[i]); err != nil {
			return err
		}
	}
	seen = latest(seen)
	rec := r.rec
	first := rec.Polls.Count == 0
	nodes, events := slices.Clone(rec.Nodes), slices.Clone(rec.NodeEvents)
	changed := false
	index := map[string]int{}
	for i := range nodes {
		index[nodes[i].ID] = i
	}
	here := map[string]bool{}
	say := func(n *Node, event, what string, t int64) {
		after := rec.Polls.LastMS
		if t < after || t > at { // the clocks of the servers differ, or it is not known
			t = at
		}
		events = append(events, NodeEvent{T: t, After: after, Before: at, Node: n.Name, Event: event, What: what})
	}
	for _, s := range seen {
		here[s.ID] = true
		state := nodeStates[s.State]
		mem, vcores := s.size()
		k, known := index[s.ID]
		if !known && state.there { // a NodeManager that was started again, on another port
			k = slices.IndexFunc(nodes, func(o Node) bool { return o.Name == s.Host && !o.Usable })
			if known = k >= 0; known {
				nodes[k].ID = s.ID
				index[s.ID] = k
			}
		}
		if !known {
			if !state.there || mem == 0 { // its size is not known
				continue
			}
			n := Node{ID: s.ID, Name: s.Host, Rack: s.Rack, MemMiB: mem, VCores: vcores, State: s.State, Usable: true, FirstMS: at, LastMS: at, Late: !first}
			if slices.ContainsFunc(nodes, func(o Node) bool { return o.Name == n.Name }) {
				n.Name = s.ID // several NodeManagers on one host
			}
			if !first {
				say(&n, "joined", "first seen "+s.State, at)
			}
			if !state.takes {
				say(&n, "draining", "seen "+s.State, at)
			}
			nodes, changed = append(nodes, n), true
			index[s.ID] = len(nodes) - 1
			continue
		}
		n := &nodes[k]
		if n.State != s.State {
			changed = true
			what := n.State + " to " + s.State
			was := nodeStates[n.State]
			switch {
			case n.Usable && !state.there && s.State == "DECOMMISSIONED":
				say(n, "decommissioned", what, s.Health)
			case n.Usable && !state.there:
				say(n, "lost", what, s.Health)
			case !n.Usable && state.there:
				say(n, "started", what, at)
				if !state.takes {
					say(n, "draining", what, at)
				}
			case n.Usable && was.takes && !state.takes:
				say(n, "draining", what, at)
			case n.Usable && !was.takes && state.takes:
				say(n, "recommissioned", what, at)
			}
			n.State, n.Usable = s.State, state.there
		}
		if state.there && mem > 0 && (n.MemMiB != mem || n.VCores != vcores) {
			changed = true
			r.Note(fmt.Sprintf("node %s has %d MiB and %d vcores now, %d MiB and %d vcores before: a trace keeps the size that was seen first", n.Name, mem, vcores, n.MemMiB, n.VCores))
		}
		n.LastMS = at
	}
	for i := range nodes {
		if n := &nodes[i]; !here[n.ID] && n.Usable {
			changed = true
			say(n, "removed", n.State+" to not listed", at)
			n.State, n.Usable = "", false
		}
	}
	rec.Nodes, rec.NodeEvents = nodes, events
	if changed {
		return r.store.writeSeen("nodes", at, b)
	}
	return nil
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
