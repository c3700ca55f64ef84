package compare

import (
	"replay/report/dist"
	"replay/report/figure"
	"replay/report/result"
)

// Plot is one kind of picture of a comparison. Distributions are over all seeds together; series over time are of the first seed.
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
func (c *Comparison) cdfs(title, x string, of func(*result.Data) *dist.Dist) (*figure.Figure, string) {
	var lines []figure.CDFLine
	for _, v := range c.Variants {
		all := &dist.Dist{}
		for _, r := range v.Runs {
			all.Merge(of(r.Data))
		}
		lines = append(lines, figure.CDFLine{Name: v.Name, Dist: all})
	}
	return figure.CDF(title, x, lines)
}

// localityBars draws the levels of each variant.
func (c *Comparison) localityBars(title, x string, of func(*result.Data) []figure.Level) (*figure.Figure, string) {
	var bars []figure.Bar
	for _, v := range c.Variants {
		var all []figure.Level
		for _, r := range v.Runs {
			ls := of(r.Data)
			if all == nil {
				all = ls
				continue
			}
			for i := range ls {
				all[i].Count += ls[i].Count
			}
		}
		if figure.Total(all) > 0 {
			bars = append(bars, figure.Bar{Name: figure.Short(v.Name, 20), Levels: all})
		}
	}
	if len(bars) == 0 {
		return nil, "there was none in any variant"
	}
	f := figure.StackedBars(title, x, bars)
	f.Height = 1.3*72 + 34*float64(len(bars))
	return f, ""
}
