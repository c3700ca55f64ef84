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
	Open int64 // times beside those of Dist that are not over: a line ends at the share of those that are
}

// over is the share of times that are over.
func (l *CDFLine) over() float64 { return float64(l.Dist.N()) / float64(l.Dist.N()+l.Open) }

// legend names a line, with the median of all times and how many are not over.
func (l *CDFLine) legend() string {
	median, n := "–", float64(l.Dist.N())
	if at := .5 * (n + float64(l.Open) - 1); at <= n-1 { // its position among all, of which the open ones are last
		median = quantity.Duration(l.Dist.Quantiles(at / max(n-1, 1))[0])
	}
	if l.Open > 0 {
		return fmt.Sprintf("%s (median %s, %s of %s not over)", l.Name, median, quantity.Thousands(l.Open), quantity.Thousands(l.Dist.N()+l.Open))
	}
	return fmt.Sprintf("%s (median %s)", l.Name, median)
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
			name = l.legend()
		}
		f.Line(name, i, cdfPoints(l.Dist, l.over(), lo, hi))
	}
	LogTimes(&f.X)
	f.Y.Tick.Marker = Percents
	f.Range(lo, hi*1.05, 0, 1.005)
	return f, ""
}

// cdfPoints returns the CDF of a distribution, which is that share of a whole, as steps, clipped to [lo, hi], of at most LinePoints points.
func cdfPoints(d *dist.Dist, share, lo, hi float64) Points {
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
		y := float64(float64(i+1) / float64(n) * share)
		if last := &xys[len(xys)-1]; last.X == x && len(xys) > 1 {
			last.Y = y // several values at one time are one step
			continue
		}
		xys = append(xys, Point{X: x, Y: xys[len(xys)-1].Y}, Point{X: x, Y: y})
	}
	return append(xys, Point{X: hi * 1.05, Y: share})
}
