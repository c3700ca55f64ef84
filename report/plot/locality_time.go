package plot

import (
	"replay/engine/record"
	"replay/report/figure"
	"replay/report/result"
	"replay/report/sums"
)

// Shares over time have a point for every perPoint containers or tasks, within these bounds.
const (
	leastPoints, mostPoints, perPoint = 8, 60, 20
)

var localityTime = Plot{"locality_time", "Locality over time", func(d *result.Data) (*figure.Figure, string) {
	end := d.End()
	end = max(end+1, 1)
	f, ms := figure.OverTime("Share on a preferred host over time", "share on a preferred host", float64(end))
	any := false
	draw := func(name string, i int, over *sums.Timeline, hit, all func(bin func(column int) float64) float64) {
		_, one := over.Rebin(1, end)
		n := all(func(c int) float64 { return one[c][0] })
		width, bins := over.Rebin(min(max(int(n/perPoint), leastPoints), mostPoints), end)
		var xys figure.Points
		for b := range bins[0] {
			at := func(c int) float64 { return bins[c][b] }
			if n := all(at); n > 0 {
				xys = append(xys, figure.Point{X: (float64(b) + .5) * float64(width) / ms, Y: hit(at) / n})
			}
		}
		if len(xys) > 0 {
			any = true
			f.Line(name, i, xys)
		}
	}
	draw("containers that asked for hosts, by allocation", 0, d.Containers.Over,
		func(n func(int) float64) float64 { return n(int(record.OnHost)) },
		func(n func(int) float64) float64 {
			return n(int(record.OnHost)) + n(int(record.OnRack)) + n(int(record.Elsewhere))
		})
	local := func(n func(int) float64) float64 { return n(int(record.ProcessLocal)) + n(int(record.TaskNodeLocal)) }
	draw("tasks with a preference, by launch", 1, d.Tasks.Over, local,
		func(n func(int) float64) float64 {
			return local(n) + n(int(record.TaskRackLocal)) + n(int(record.AnyLevel))
		})
	if !any {
		return nil, "nothing preferred a host"
	}
	f.Y.Tick.Marker = figure.Percents
	f.Range(0, float64(end)/ms, 0, 1.01)
	return f, ""
}}
