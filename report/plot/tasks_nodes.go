package plot

import (
	"fmt"
	"slices"

	"replay/report/figure"
	"replay/report/result"
)

var taskNodes = Plot{"tasks_nodes", "Tasks by node", func(d *result.Data) (*figure.Figure, string) {
	t := &d.Tasks.ByNode
	switch {
	case t.More:
		return nil, fmt.Sprintf("tasks ran on more than %d nodes", result.MaxTaskNodes)
	case len(t.Nodes) == 0:
		return nil, "there are no task rows"
	}
	end := d.End()
	width, bins := t.Over.Rebin(figure.LinePoints, end)
	f, ms := figure.OverTime("Tasks started on each node", "successful tasks so far", float64(max(end, 1)))
	order := slices.Clone(t.Nodes)
	slices.Sort(order)
	most := 1.0
	for i, node := range order {
		xys := figure.Points{{}}
		n := 0.0
		for b, v := range bins[slices.Index(t.Nodes, node)] {
			if v > 0 {
				xys = append(xys, figure.Point{X: float64(int64(b)*width) / ms, Y: n})
				n += v
				xys = append(xys, figure.Point{X: float64(int64(b)*width) / ms, Y: n})
			}
		}
		xys = append(xys, figure.Point{X: float64(end) / ms, Y: n})
		most = max(most, n)
		f.Line(nodeName(d, int64(node)), i, xys)
	}
	f.Y.Tick.Marker = figure.Whole(5)
	f.Range(0, float64(max(end, 1))/ms, 0, most*1.02)
	return f, ""
}}
