package report

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// pictures are the scatter plots of a backtest, and the executors of each cluster over time.
func (b *Backtest) pictures() (ps []picture) {
	var apps, stages, jobs []timePair
	for i := range b.Applications {
		a := &b.Applications[i]
		apps = append(apps, timePair{a.RecordedMS, a.PredictedMS})
		for _, j := range a.Jobs {
			jobs = append(jobs, timePair{j.RecordedMS, j.PredictedMS})
		}
		for _, s := range a.Stages {
			stages = append(stages, timePair{s.RecordedMS, s.PredictedMS})
		}
	}
	f, reason := scatter(apps, jobs, stages)
	ps = append(ps, picture{Plot{Name: "predicted", Title: "Predicted and recorded times"}, f, reason})
	for i := range b.Clusters {
		c := &b.Clusters[i]
		f, reason := c.plot()
		ps = append(ps, picture{Plot{Name: fmt.Sprintf("executors-%d", i+1), Title: "Executors of " + c.Recording}, f, reason})
	}
	return ps
}

type timePair struct{ recorded, predicted int64 }

// scatter draws predicted over recorded times, on log axes of the same range, with the lines of no
// error and of 10 % to both sides.
func scatter(apps, jobs, stages []timePair) (*figure, string) {
	dots := &dotMarks{}
	lo, hi := math.Inf(1), 0.0
	sets := []struct {
		name   string
		pairs  []timePair
		color  int
		filled bool
	}{{"stages", stages, 5, false}, {"Spark jobs", jobs, 4, false}, {"applications", apps, 0, true}}
	var shown []int
	for k, s := range sets {
		before := len(dots.dots)
		for _, p := range s.pairs {
			if math.IsNaN(float64(relative(p.recorded, p.predicted))) {
				continue
			}
			x, y := float64(p.recorded), math.Max(float64(p.predicted), 1)
			dots.dots = append(dots.dots, dotMark{x, y, palette[s.color], s.filled})
			lo, hi = math.Min(lo, math.Min(x, y)), math.Max(hi, math.Max(x, y))
		}
		if len(dots.dots) > before {
			shown = append(shown, k)
		}
	}
	if hi == 0 {
		return nil, "no time was both recorded and predicted"
	}
	lo, hi = lo/1.3, hi*1.3
	f := newPlot("Predicted and recorded times", "recorded", "predicted")
	for _, a := range []*plot.Axis{&f.X, &f.Y} {
		a.Scale = plot.LogScale{}
		a.Tick.Marker = logTimeTicks{}
		a.Min, a.Max = lo, hi
	}
	f.styled("no error", ink, nil, 1, plotter.XYs{{X: lo, Y: lo}, {X: hi, Y: hi}})
	f.styled("10 % to either side", grey, dashes[1], 1, plotter.XYs{{X: lo * 1.1, Y: lo}, {X: hi, Y: hi / 1.1}})
	f.styled("", grey, dashes[1], 1, plotter.XYs{{X: lo, Y: lo * 1.1}, {X: hi / 1.1, Y: hi}})
	f.Add(dots)
	f.legend = f.legend[:2]
	for _, k := range shown {
		f.legend = append(f.legend, legendEntry{name: sets[k].name, color: palette[sets[k].color], box: true})
	}
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = lo, hi, lo, hi
	return f, ""
}

// plot draws the registered executors of the recording and of the replay over time.
func (c *BacktestCluster) plot() (*figure, string) {
	if len(c.Executors.Recorded) == 0 {
		return nil, "nothing was recorded"
	}
	unit, scale := timeScale(float64(int64(len(c.Executors.Recorded)) * c.Executors.StepMS))
	f := newPlot("Executors of "+c.Recording, fmt.Sprintf("time (%s)", unit), "registered executors")
	for i, s := range []struct {
		name string
		n    []int32
	}{{"recorded", c.Executors.Recorded}, {"predicted", c.Executors.Predicted}} {
		step := len(s.n)/linePoints + 1
		var xys plotter.XYs
		for k := 0; k < len(s.n); k += step {
			xys = append(xys, plotter.XY{X: float64(int64(k)*c.Executors.StepMS) / scale, Y: float64(s.n[k])})
		}
		f.line(s.name, i, xys)
	}
	f.Y.Min = 0
	return f, ""
}
