package report

import (
	"slices"

	"gonum.org/v1/plot/plotter"
)

// maxTaskNodes is for how many nodes tasks are counted one by one: as many as there are colours.
const maxTaskNodes = 8

// taskNodes counts successful task attempts by node and time of launch, as long as the nodes are few.
type taskNodes struct {
	nodes []int32 // in order of appearance, by column
	over  *timeline
	more  bool // there are more nodes; nothing is kept then
}

func (t *taskNodes) count(node int32, at int64) {
	if t.more {
		return
	}
	c := slices.Index(t.nodes, node)
	if c < 0 {
		if len(t.nodes) == maxTaskNodes {
			*t = taskNodes{more: true}
			return
		}
		if t.over == nil {
			t.over = newTimeline()
		}
		c = len(t.nodes)
		t.nodes = append(t.nodes, node)
		t.over.names, t.over.columns = append(t.over.names, ""), append(t.over.columns, nil)
	}
	t.over.Count(c, at, 1)
}

var plotTaskNodes = Plot{"tasks_nodes", "Tasks by node", func(r *Result) (*figure, string) {
	t := &r.Tasks.ByNode
	switch {
	case t.more:
		return nil, "tasks ran on more than 8 nodes"
	case len(t.nodes) == 0:
		return nil, "there are no task rows"
	}
	_, end, _ := r.span()
	unit, ms := timeScale(float64(max(end, 1)))
	width, bins := t.over.Rebin(linePoints, end)
	f := newPlot("Tasks started on each node", "simulated time ("+unit+")", "successful tasks so far")
	order := slices.Clone(t.nodes)
	slices.Sort(order)
	most := 1.0
	for i, node := range order {
		xys := plotter.XYs{{}}
		n := 0.0
		for b, v := range bins[slices.Index(t.nodes, node)] {
			if v > 0 {
				xys = append(xys, plotter.XY{X: float64(int64(b)*width) / ms, Y: n})
				n += v
				xys = append(xys, plotter.XY{X: float64(int64(b)*width) / ms, Y: n})
			}
		}
		xys = append(xys, plotter.XY{X: float64(end) / ms, Y: n})
		most = max(most, n)
		f.line(r.nodeName(int64(node)), i, xys)
	}
	f.X.Tick.Marker, f.Y.Tick.Marker = evenTicks{6}, evenTicks{5}
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = 0, float64(max(end, 1))/ms, 0, most*1.02
	return f, ""
}}
