package view

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"replay/trace"
)

// A Resized cluster has another number of nodes at the start than the trace: nodes added are copies of those present, in turn;
// nodes taken away come from the rack that has most, the last first, and their events go with them. Nodes that join later and hosts
// that were never in the cluster stay as they are.
//
// Blocks on nodes that were taken away lie on the others: the replica on node r that task i prefers is on the (r + i)-th of those
// that stay, or on the next that the task does not prefer yet. Blocks do not move to added nodes, as they do not in HDFS.
type Resized struct {
	Nodes  []trace.Node
	Events []trace.NodeEvent
	gone   []bool
	stay   []int32 // nodes present at the start, when some were taken away
}

// Resize returns the cluster with n nodes at the start.
func Resize(nodes []trace.Node, events []trace.NodeEvent, n int) (*Resized, error) {
	r := &Resized{Nodes: slices.Clone(nodes), Events: events, gone: make([]bool, len(nodes))}
	var present []int32
	racks := map[int32][]int32{}
	for i := range nodes {
		if nodes[i].Present {
			present = append(present, int32(i))
			racks[nodes[i].RackID] = append(racks[nodes[i].RackID], int32(i))
		}
	}
	if len(present) == 0 {
		return nil, fmt.Errorf("no node of the trace is in the cluster at the start, want one to make others like it")
	}
	for number := 1; len(r.Nodes)-len(nodes)+len(present) < n; number++ {
		node := nodes[present[(len(r.Nodes)-len(nodes))%len(present)]]
		node.ID, node.Host = int32(len(r.Nodes)), fmt.Sprintf("added-%d", number)
		if !slices.ContainsFunc(nodes, func(o trace.Node) bool { return o.Host == node.Host }) {
			r.Nodes = append(r.Nodes, node)
		}
	}
	if n >= len(present) {
		return r, nil
	}
	order := slices.Sorted(maps.Keys(racks))
	for range len(present) - n {
		largest := slices.MaxFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(len(racks[a]), len(racks[b])), cmp.Compare(a, b)) })
		last := len(racks[largest]) - 1
		id := racks[largest][last]
		racks[largest] = racks[largest][:last]
		r.gone[id], r.Nodes[id].Present = true, false
	}
	r.Events = nil
	for _, e := range events {
		if !r.gone[e.Node] {
			r.Events = append(r.Events, e)
		}
	}
	for _, id := range present {
		if !r.gone[id] {
			r.stay = append(r.stay, id)
		}
	}
	return r, nil
}

// Jobs returns the jobs of source with their preferred hosts in the resized cluster.
func (r *Resized) Jobs(source trace.JobSource) trace.JobSource {
	if r.stay == nil {
		return source
	}
	return &resizedJobs{r, source}
}

type resizedJobs struct {
	*Resized
	source trace.JobSource
}

func (r *resizedJobs) Next() (*trace.Job, error) {
	j, err := r.source.Next()
	if err != nil {
		return nil, err
	}
	for s := range j.Stages {
		t := &j.Stages[s].Tasks
		if t.PrefStart == nil {
			continue
		}
		prefs := make([][]int32, t.Len())
		for i := range prefs {
			prefs[i] = r.moved(t.Prefs(i), i)
		}
		t.SetPrefs(prefs)
	}
	return j, nil
}

// moved returns the preferred nodes of task i. There are fewer when fewer nodes stay.
func (r *Resized) moved(prefs []int32, i int) []int32 {
	if !slices.ContainsFunc(prefs, func(id int32) bool { return r.gone[id] }) {
		return prefs
	}
	var out []int32
	for _, id := range prefs {
		if !r.gone[id] {
			out = append(out, id)
			continue
		}
		for k := range r.stay {
			next := r.stay[(int(id)+i+k)%len(r.stay)]
			if !slices.Contains(prefs, next) && !slices.Contains(out, next) {
				out = append(out, next)
				break
			}
		}
	}
	return out
}
