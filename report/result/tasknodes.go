package result

import (
	"slices"

	"replay/report/sums"
)

// MaxTaskNodes is for how many nodes tasks are counted one by one: as many as there are colours.
const MaxTaskNodes = 8

// TaskNodes counts successful task attempts by node and time of launch, as long as the nodes are few.
type TaskNodes struct {
	Nodes []int32 // ascending once all is counted, by column
	Over  *sums.Timeline
	More  bool // there are more nodes; nothing is kept then
}

func (t *TaskNodes) count(node int32, at int64) {
	if t.More {
		return
	}
	c := slices.Index(t.Nodes, node)
	if c < 0 {
		if len(t.Nodes) == MaxTaskNodes {
			*t = TaskNodes{More: true}
			return
		}
		if t.Over == nil {
			t.Over = sums.NewTimeline(MaxTaskNodes)
		}
		c = len(t.Nodes)
		t.Nodes = append(t.Nodes, node)
	}
	t.Over.Count(c, at, 1)
}

// sort puts the columns in the order of their nodes.
func (t *TaskNodes) sort() {
	if t.Over == nil {
		return
	}
	before := slices.Clone(t.Nodes)
	slices.Sort(t.Nodes)
	columns := make([][]float64, len(t.Nodes))
	for c, node := range t.Nodes {
		columns[c] = t.Over.Column(slices.Index(before, node))
	}
	t.Over.Restore(t.Over.WidthMS(), columns)
}
