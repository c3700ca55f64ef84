package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// cdfLine is one line of a CDF plot.
type cdfLine struct {
	name string
	dist *Dist
}

// shortestShown is the left end of the time axis: a log scale has no 0, so shorter times are
// drawn there.
const shortestShown = 1

// cdfPlot draws cumulative shares over a log axis of times.
func cdfPlot(title, x string, lines []cdfLine) (*figure, string) {
	hi, any := 10.0, false
	lo := math.Inf(1)
	for _, l := range lines {
		if l.dist.N() > 0 {
			any = true
			hi = max(hi, l.dist.Max())
			lo = min(lo, max(shortestShown, l.dist.Quantiles(.02)[0]))
		}
	}
	if !any {
		return nil, "nothing waited"
	}
	lo = min(lo, hi/30)
	for _, t := range slices.Backward(logTimes) {
		if t.ms <= lo || t.ms == shortestShown {
			lo = t.ms
			break
		}
	}
	f := newPlot(title, x, "share at most this long")
	for i, l := range lines {
		if l.dist.N() == 0 {
			continue
		}
		name := l.name
		if name != "" {
			name = fmt.Sprintf("%s (median %s)", l.name, Duration(l.dist.Quantiles(.5)[0]))
		}
		f.line(name, i, cdfPoints(l.dist, lo, hi))
	}
	f.X.Scale = plot.LogScale{}
	f.X.Tick.Marker = logTimeTicks{}
	f.Y.Tick.Marker = percentTicks{}
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = lo, hi*1.05, 0, 1.005
	return f, ""
}

// cdfPoints returns the CDF of a distribution as steps, clipped to [lo, hi], of at most linePoints points.
func cdfPoints(d *Dist, lo, hi float64) plotter.XYs {
	n := min(int(d.N()), linePoints/2-2)
	ps := make([]float64, n)
	for i := range ps {
		if ps[i] = float64(i) / float64(max(n-1, 1)); n == 1 {
			ps[i] = 1
		}
	}
	xys := plotter.XYs{{X: lo, Y: 0}}
	for i, x := range d.Quantiles(ps...) {
		x = min(max(x, lo), hi)
		y := float64(i+1) / float64(n)
		if last := &xys[len(xys)-1]; last.X == x && len(xys) > 1 {
			last.Y = y // several values at one time are one step
			continue
		}
		xys = append(xys, plotter.XY{X: x, Y: xys[len(xys)-1].Y}, plotter.XY{X: x, Y: y})
	}
	return append(xys, plotter.XY{X: hi * 1.05, Y: 1})
}

// jobDist returns the distribution of a time over jobs.
func jobDist(jobs []Job, of func(*Job) (int64, bool)) *Dist {
	d := &Dist{}
	for i := range jobs {
		if ms, ok := of(&jobs[i]); ok {
			d.Add(ms)
		}
	}
	return d
}
