package report

import (
	"gonum.org/v1/plot/plotter"

	"replay/engine/record"
)

// Shares over time have a point for every perPoint containers or tasks, within these bounds.
const (
	leastPoints, mostPoints, perPoint = 8, 60, 20
)

var plotLocalityTime = Plot{"locality_time", "Locality over time", func(r *Result) (*figure, string) {
	_, end, _ := r.span()
	end = max(end+1, 1)
	unit, ms := timeScale(float64(end))
	f := newPlot("Share on a preferred host over time", "simulated time ("+unit+")", "share on a preferred host")
	any := false
	draw := func(name string, i int, over *timeline, hit, all func(bin func(column int) float64) float64) {
		_, one := over.Rebin(1, end)
		n := all(func(c int) float64 { return one[c][0] })
		width, bins := over.Rebin(min(max(int(n/perPoint), leastPoints), mostPoints), end)
		var xys plotter.XYs
		for b := range bins[0] {
			at := func(c int) float64 { return bins[c][b] }
			if n := all(at); n > 0 {
				xys = append(xys, plotter.XY{X: (float64(b) + .5) * float64(width) / ms, Y: hit(at) / n})
			}
		}
		if len(xys) > 0 {
			any = true
			f.line(name, i, xys)
		}
	}
	draw("containers that asked for hosts, by allocation", 0, r.Containers.Over,
		func(n func(int) float64) float64 { return n(int(record.OnHost)) },
		func(n func(int) float64) float64 {
			return n(int(record.OnHost)) + n(int(record.OnRack)) + n(int(record.Elsewhere))
		})
	local := func(n func(int) float64) float64 { return n(int(record.ProcessLocal)) + n(int(record.TaskNodeLocal)) }
	draw("tasks with a preference, by launch", 1, r.Tasks.Over, local,
		func(n func(int) float64) float64 {
			return local(n) + n(int(record.TaskRackLocal)) + n(int(record.AnyLevel))
		})
	if !any {
		return nil, "nothing preferred a host"
	}
	f.X.Tick.Marker, f.Y.Tick.Marker = evenTicks{6}, percentTicks{}
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = 0, float64(end)/ms, 0, 1.01
	return f, ""
}}
