package report

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"replay/engine/record"
)

// Colours of the levels of locality, the same in every plot.
var (
	onHostColor    = palette[0]
	onProcessColor = palette[5]
	onRackColor    = palette[4]
	elsewhereColor = palette[1]
	noPrefColor    = grey
)

// level is one part of a stacked share.
type level struct {
	name  string
	color color.RGBA
	count float64
}

func containerLevels(m [record.Unmatched + 1]int64) []level {
	return []level{
		{"preferred host", onHostColor, float64(m[record.OnHost])},
		{"its rack", onRackColor, float64(m[record.OnRack])},
		{"elsewhere", elsewhereColor, float64(m[record.Elsewhere])},
		{"no preference", noPrefColor, float64(m[record.NoPreference] + m[record.Unmatched])},
	}
}

// hintedLevels are containers by the hosts that tasks preferred, whatever their request named.
func hintedLevels(r *Result) []level {
	var all, hinting, hinted float64
	for i := range r.Jobs {
		j := &r.Jobs[i]
		all += float64(j.Containers)
		hinting += float64(j.ContainersHinting)
		hinted += float64(j.ContainersHinted)
	}
	return []level{
		{"host that tasks prefer", onHostColor, hinted},
		{"elsewhere", elsewhereColor, hinting - hinted},
		{"no task preferred a host", noPrefColor, all - hinting},
	}
}

func taskLevels(jobs []Job) []level {
	var n [5]float64
	for i := range jobs {
		for l, k := range jobs[i].TaskLevels {
			n[l] += float64(k)
		}
	}
	return taskLevelsOf(n)
}

func taskLevelsOf(n [5]float64) []level {
	return []level{
		{"same process", onProcessColor, n[record.ProcessLocal]},
		{"preferred host", onHostColor, n[record.TaskNodeLocal]},
		{"its rack", onRackColor, n[record.TaskRackLocal]},
		{"elsewhere", elsewhereColor, n[record.AnyLevel]},
		{"no preference", noPrefColor, n[record.NoPref]},
	}
}

func total(ls []level) (n float64) {
	for _, l := range ls {
		n += l.count
	}
	return n
}

// bar is one row of stacked shares.
type bar struct {
	name   string
	levels []level
}

// stackedBars draws rows of shares from 0 to 100 %, the first row on top, with the share
// written into each part that has room.
func stackedBars(title, x string, bars []bar) *figure {
	f := newPlot(title, x, "")
	shown := map[string]bool{}
	var labels plotter.XYLabels
	var behind []color.RGBA
	var ticks []plot.Tick
	for i, b := range bars {
		y := float64(len(bars) - 1 - i)
		ticks = append(ticks, plot.Tick{Value: y, Label: fmt.Sprintf("%s (%s)", b.name, group3(int64(total(b.levels))))})
		from, all := 0.0, total(b.levels)
		for _, l := range b.levels {
			if l.count == 0 {
				continue
			}
			to := from + l.count/all
			name := l.name
			if shown[name] {
				name = ""
			}
			shown[l.name] = true
			f.area(name, l.color, plotter.XYs{{X: from, Y: y - .36}, {X: to, Y: y - .36}, {X: to, Y: y + .36}, {X: from, Y: y + .36}})
			if to-from > .07 {
				labels.XYs = append(labels.XYs, plotter.XY{X: (from + to) / 2, Y: y})
				labels.Labels = append(labels.Labels, trim((to-from)*100, 0)+" %")
				behind = append(behind, l.color)
			}
			from = to
		}
	}
	if len(labels.XYs) > 0 {
		f.labels(labels, behind)
	}
	f.Y.Tick.Marker = plot.ConstantTicks(ticks)
	f.Y.Tick.Length = 0
	f.X.Tick.Marker = percentTicks{}
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = 0, 1, -.5, float64(len(bars))-.5
	return f
}

var plotLocality = Plot{"locality", "Locality by level", func(r *Result) (*figure, string) {
	var bars []bar
	if ls := containerLevels(r.Containers.Matches); total(ls) > 0 {
		bars = append(bars, bar{"containers", ls})
	}
	if ls := taskLevels(r.Jobs); total(ls) > 0 {
		bars = append(bars, bar{"tasks", ls})
	}
	if len(bars) == 0 {
		return nil, "no container was allocated and no task succeeded"
	}
	f := stackedBars("Where containers and tasks ran", "share of containers and of successful task attempts", bars)
	f.height = 2.3 * 72
	return f, ""
}}
