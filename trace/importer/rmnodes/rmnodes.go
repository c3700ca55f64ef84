// Package rmnodes has the nodes of a cluster as the ResourceManager answers them over REST, at /ws/v1/cluster/nodes of Hadoop 3.4.1.
package rmnodes

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A Node is one as the ResourceManager knows it.
type Node struct {
	ID         string          `json:"id"` // host:port of the NodeManager
	Host       string          `json:"nodeHostName"`
	Rack       string          `json:"rack"`
	State      string          `json:"state"`
	Health     int64           `json:"lastHealthUpdate"` // ms since 1970
	UsedMiB    int64           `json:"usedMemoryMB"`
	FreeMiB    int64           `json:"availMemoryMB"`
	UsedVCores int64           `json:"usedVirtualCores"`
	FreeVCores int64           `json:"availableVirtualCores"`
	Labels     json.RawMessage `json:"nodeLabels"`
	Total      *struct {
		MemMiB  int64           `json:"memory"`
		VCores  int64           `json:"vCores"`
		Further json.RawMessage `json:"resourceInformations"`
	} `json:"totalResource"`
}

// States are those of YARN's NodeState, with whether a node in it runs containers and takes new ones.
var States = map[string]struct{ There, Takes bool }{
	"RUNNING": {true, true}, "DECOMMISSIONING": {true, false}, "UNHEALTHY": {false, false}, "NEW": {false, false},
	"DECOMMISSIONED": {false, false}, "LOST": {false, false}, "REBOOTED": {false, false}, "SHUTDOWN": {false, false},
}

// An Answer is the whole of it. Without a node the list is null.
type Answer struct {
	Nodes *struct {
		Node []Node `json:"node"`
	} `json:"nodes"`
}

// All are the nodes of an answer.
func (a *Answer) All() []Node {
	if a.Nodes == nil {
		return nil
	}
	return a.Nodes.Node
}

// A Wrong field of a node: its path in the answer, its value, and what was wanted.
type Wrong struct {
	Field string
	Value any
	Want  string
}

func (w *Wrong) Error() string { return fmt.Sprintf("%s is %#v, want %s", w.Field, w.Value, w.Want) }

// Check tells what is wrong with node i of an answer, a [*Wrong]; one without a host gets that of its id.
func (n *Node) Check(i int) error {
	wrong := func(field string, value any, want string) error {
		return &Wrong{fmt.Sprintf("nodes.node[%d].%s", i, field), value, want}
	}
	if _, ok := States[n.State]; !ok {
		return wrong("state", n.State, "a state of a node such as RUNNING")
	}
	if n.ID == "" {
		return wrong("id", n.ID, "host:port")
	}
	if n.Host == "" {
		n.Host, _, _ = strings.Cut(n.ID, ":")
	}
	mem, vcores := n.Size()
	switch {
	case mem < 0:
		return wrong("availMemoryMB", n.FreeMiB, "0 or more, with what is used")
	case vcores < 0:
		return wrong("availableVirtualCores", n.FreeVCores, "0 or more, with what is used")
	}
	return nil
}

// Size is all that the node has, 0 where it is not there.
func (n *Node) Size() (memMiB, vcores int64) {
	if n.Total != nil && n.Total.MemMiB > 0 {
		return n.Total.MemMiB, n.Total.VCores
	}
	return n.UsedMiB + n.FreeMiB, n.UsedVCores + n.FreeVCores
}

// LabelsOf are the labels of the node. An answer has them as a list, or as an object around one.
func (n *Node) LabelsOf() (labels []string, err error) {
	var around struct {
		Labels []string `json:"nodeLabel"`
	}
	if len(n.Labels) == 0 || json.Unmarshal(n.Labels, &labels) == nil {
		return labels, nil
	}
	if err = json.Unmarshal(n.Labels, &around); err != nil {
		err = fmt.Errorf("nodeLabels is %.100s, want a list of names", n.Labels)
	}
	return around.Labels, err
}

// A Resource is a further type of resource.
type Resource struct {
	Name  string `json:"name"`
	Units string `json:"units"`
	Value int64  `json:"value"`
}

// FurtherOf are the resources of the node beside memory and vcores; nil where the answer says nothing of them, empty where there are none.
func (n *Node) FurtherOf() (list []Resource, err error) {
	if n.Total == nil || len(n.Total.Further) == 0 {
		return nil, nil
	}
	var around struct {
		List []Resource `json:"resourceInformation"`
	}
	if err := json.Unmarshal(n.Total.Further, &around); err != nil {
		return nil, fmt.Errorf("totalResource.resourceInformations is %.100s, want resourceInformation with name, units and value of each", n.Total.Further)
	}
	list = []Resource{}
	for _, r := range around.List {
		if r.Name != "memory-mb" && r.Name != "vcores" {
			list = append(list, r)
		}
	}
	return list, nil
}

// Latest keeps of several NodeManagers of one id the one that is there, or was last.
func Latest(seen []Node) []Node {
	at := map[string]int{}
	var out []Node
	for _, s := range seen {
		k, ok := at[s.ID]
		if !ok {
			at[s.ID] = len(out)
			out = append(out, s)
			continue
		}
		if o := &out[k]; States[s.State].There || !States[o.State].There && s.Health > o.Health {
			*o = s
		}
	}
	return out
}
