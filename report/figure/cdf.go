package figure

import (
	"fmt"
	"math"
	"slices"

	"replay/report/dist"
	"replay/report/quantity"
)

// CDFLine is one line of a plot of distributions.
type CDFLine struct {
	Name string
	Dist *dist.Dist
}

// shortestShown is the left end of the time axis: a log scale has no 0, so shorter times are
// drawn there.
const shortestShown = 1

// CDF draws cumulative shares over a log axis of the times x, or says why there are none.
func CDF(title, x string, lines []CDFLine) (*Figure, string) {
	hi, any := 10.0, false
	lo := math.Inf(1)
	for _, l := range lines {
		if l.Dist.N() > 0 {
			any = true
			hi = max(hi, l.Dist.Max())
			lo = min(lo, max(shortestShown, l.Dist.Quantiles(.02)[0]))
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
	f := New(title, x+" (log scale)", "share at most this long")
	for i, l := range lines {
		if l.Dist.N() == 0 {
			continue
		}
		name := l.Name
		if name != "" {
			name = fmt.Sprintf("%s (median %s)", l.Name, quantity.Duration(l.Dist.Quantiles(.5)[0]))
		}
		f.Line(name, i, cdfPoints(l.Dist, lo, hi))
	}
	LogTimes(&f.X)
	f.Y.Tick.Marker = Percents
	f.Range(lo, hi*1.05, 0, 1.005)
	return f, ""
}

// cdfPoints returns the CDF of a distribution as steps, clipped to [lo, hi], of at most LinePoints points.
func cdfPoints(d *dist.Dist, lo, hi float64) Points {
	n := min(int(d.N()), LinePoints/2-2)
	ps := make([]float64, n)
	for i := range ps {
		if ps[i] = float64(i) / float64(max(n-1, 1)); n == 1 {
			ps[i] = 1
		}
	}
	xys := Points{{X: lo, Y: 0}}
	for i, x := range d.Quantiles(ps...) {
		x = min(max(x, lo), hi)
		y := float64(i+1) / float64(n)
		if last := &xys[len(xys)-1]; last.X == x && len(xys) > 1 {
			last.Y = y // several values at one time are one step
			continue
		}
		xys = append(xys, Point{X: x, Y: xys[len(xys)-1].Y}, Point{X: x, Y: y})
	}
	return append(xys, Point{X: hi * 1.05, Y: 1})
}
