package prediction

import (
	"fmt"
	"math"

	"replay/report/figure"
)

// pictures are the scatter plots of a backtest, and the executors of each cluster over time.
func (b *Report) pictures() (ps []figure.Picture) {
	var apps, stages, jobs []timePair
	for i := range b.Applications {
		a := &b.Applications[i]
		if a.Failed() {
			continue
		}
		apps = append(apps, timePair{a.RecordedMS, a.PredictedMS})
		for _, j := range a.Jobs {
			jobs = append(jobs, timePair{j.RecordedMS, j.PredictedMS})
		}
		for _, s := range a.Stages {
			stages = append(stages, timePair{s.RecordedMS, s.PredictedMS})
		}
	}
	f, reason := scatter(apps, jobs, stages)
	ps = append(ps, figure.Picture{Name: "predicted", Title: "Predicted and recorded times", Figure: f, Reason: reason})
	for i := range b.Clusters {
		c := &b.Clusters[i]
		f, reason := c.plot()
		ps = append(ps, figure.Picture{Name: fmt.Sprintf("executors-%d", i+1), Title: "Executors of " + c.Recording, Figure: f, Reason: reason})
	}
	return ps
}

type timePair struct{ recorded, predicted int64 }

// scatter draws predicted over recorded times, on log axes of the same range, with the lines of no
// error and of 10 % to both sides.
func scatter(apps, jobs, stages []timePair) (*figure.Figure, string) {
	var dots []figure.Dot
	var data []figure.Datum
	lo, hi := math.Inf(1), 0.0
	sets := []struct {
		name   string
		pairs  []timePair
		color  int
		filled bool
	}{{"stages", stages, 5, false}, {"Spark jobs", jobs, 4, false}, {"applications", apps, 0, true}}
	var shown []int
	for k, s := range sets {
		before := len(dots)
		for _, p := range s.pairs {
			if math.IsNaN(float64(relative(p.recorded, p.predicted))) {
				continue
			}
			x, y := float64(p.recorded), math.Max(float64(p.predicted), 1)
			dots = append(dots, figure.Dot{X: x, Y: y, Color: figure.Palette[s.color], Shape: k, Filled: s.filled})
			data = append(data, figure.At("", s.name, x, y))
			lo, hi = math.Min(lo, math.Min(x, y)), math.Max(hi, math.Max(x, y))
		}
		if len(dots) > before {
			shown = append(shown, k)
		}
	}
	if hi == 0 {
		return nil, "no time was both recorded and predicted"
	}
	lo, hi = lo/1.3, hi*1.3
	f := figure.New("Predicted and recorded times", "recorded", "predicted")
	figure.LogTimes(&f.X, &f.Y)
	f.Range(lo, hi, lo, hi)
	f.Styled("no error", figure.Ink, nil, 1, figure.Points{{X: lo, Y: lo}, {X: hi, Y: hi}})
	f.Styled("10 % to either side", figure.Grey, figure.Dashes[1], 1, figure.Points{{X: lo * 1.1, Y: lo}, {X: hi, Y: hi / 1.1}})
	f.Styled("", figure.Grey, figure.Dashes[1], 1, figure.Points{{X: lo, Y: lo * 1.1}, {X: hi / 1.1, Y: hi}})
	f.Scatter(dots, data)
	for _, k := range shown {
		f.DotKey(sets[k].name, figure.Dot{Color: figure.Palette[sets[k].color], Shape: k, Filled: sets[k].filled})
	}
	f.Range(lo, hi, lo, hi)
	return f, ""
}

// plot draws the registered executors of the recording and of the replay over time.
func (c *Cluster) plot() (*figure.Figure, string) {
	if len(c.Executors.Recorded) == 0 {
		return nil, "nothing was recorded"
	}
	unit, scale := figure.TimeScale(float64(int64(len(c.Executors.Recorded)) * c.Executors.StepMS))
	f := figure.New("Executors of "+c.Recording, fmt.Sprintf("time (%s)", unit), "registered executors")
	for i, s := range []struct {
		name string
		n    []int32
	}{{"recorded", c.Executors.Recorded}, {"predicted", c.Executors.Predicted}} {
		step := len(s.n)/figure.LinePoints + 1
		var xys figure.Points
		for k := 0; k < len(s.n); k += step {
			xys = append(xys, figure.Point{X: float64(int64(k)*c.Executors.StepMS) / scale, Y: float64(s.n[k])})
		}
		f.Line(s.name, i, xys)
	}
	f.Y.Min = 0
	return f, ""
}
