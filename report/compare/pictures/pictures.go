// Package pictures draws what differs between the variants of a comparison, a file for each plot. Distributions are of all replays of a variant
// together; series over time are of the first.
package pictures

import (
	"replay/report/compare"
	"replay/report/figure"
)

// Plot is one kind of picture of a comparison.
type Plot struct {
	Name  string // file name without its ending
	Title string
	// Draw returns the picture, or the reason why there is none.
	Draw func(*compare.Comparison) (*figure.Figure, string)
}

// Plots are all pictures of a comparison, in the order of the page.
var Plots = []Plot{
	differences,
	localityContainers,
	localityContainersAsked,
	localityTasks,
	jobWaits,
	jobWaitParts,
	jobDurations,
	containerWaits,
	taskWaits,
	queueShares,
	utilization,
}

// Of draws all pictures of a comparison.
func Of(c *compare.Comparison) (ps []figure.Picture) {
	for _, p := range Plots {
		f, reason := p.Draw(c)
		ps = append(ps, figure.Picture{Name: p.Name, Title: p.Title, Figure: f, Reason: reason})
	}
	return ps
}

// cdfs draws a distribution of each variant.
func cdfs(c *compare.Comparison, title, x string, line func(*compare.Pooled) figure.CDFLine) (*figure.Figure, string) {
	var lines []figure.CDFLine
	for _, s := range c.Pooled() {
		lines = append(lines, line(s))
	}
	return figure.CDF(title, x, lines)
}

// localityBars draws the levels of each variant.
func localityBars(c *compare.Comparison, title, x string, levels func(*compare.Pooled) []figure.Level) (*figure.Figure, string) {
	var bars []figure.Bar
	for _, s := range c.Pooled() {
		if all := levels(s); figure.Total(all) > 0 {
			bars = append(bars, figure.Bar{Name: figure.ShortName(s.Name, 20), Levels: all})
		}
	}
	if len(bars) == 0 {
		return nil, "there was none in any variant"
	}
	f := figure.StackedBars(title, x, bars)
	f.Height = 1.3*72 + float64(34*float64(len(bars)))
	return f, ""
}
