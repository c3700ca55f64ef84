package compare

import "replay/report/figure"

// Plot is one kind of picture of a comparison. Distributions are over all replays together; series over time are of the first.
type Plot struct {
	Name  string // file name without its ending
	Title string
	// Draw returns the picture, or the reason why there is none.
	Draw func(*Comparison) (*figure.Figure, string)
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

func (c *Comparison) pictures() (ps []figure.Picture) {
	for _, p := range Plots {
		f, reason := p.Draw(c)
		ps = append(ps, figure.Picture{Name: p.Name, Title: p.Title, Figure: f, Reason: reason})
	}
	return ps
}

// cdfs draws a distribution of each variant.
func (c *Comparison) cdfs(title, x string, d *distribution) (*figure.Figure, string) {
	var lines []figure.CDFLine
	for _, s := range c.study.sides {
		lines = append(lines, figure.CDFLine{Name: s.Name, Dist: s.dists[d], Open: s.open[d]})
	}
	return figure.CDF(title, x, lines)
}

// localityBars draws the levels of each variant.
func (c *Comparison) localityBars(title, x string, l *levels) (*figure.Figure, string) {
	var bars []figure.Bar
	for _, s := range c.study.sides {
		if all := s.levels[l]; figure.Total(all) > 0 {
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
