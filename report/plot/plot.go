// Package plot draws the pictures of one replay. A plot is one file and one line in [Plots]; what plots have in
// common is in package figure.
package plot

import (
	"replay/report/figure"
	"replay/report/result"
)

// Plot is one kind of picture of a replay.
type Plot struct {
	Name  string // file name without its ending
	Title string
	// Draw returns the picture, or the reason why there is none.
	Draw func(*result.Data) (*figure.Figure, string)
}

// Plots are all pictures of a replay, in the order of the page.
var Plots = []Plot{
	locality,
	localityTime,
	jobWaits,
	waitParts,
	containerWaits,
	taskWaits,
	taskNodes,
	utilization,
	nodes,
	queueShares,
	timelineApplications,
	timelineNodes,
}

// Draw draws all pictures.
func Draw(d *result.Data) (ps []figure.Picture) {
	for _, p := range Plots {
		f, reason := p.Draw(d)
		ps = append(ps, figure.Picture{Name: p.Name, Title: p.Title, Figure: f, Reason: reason})
	}
	return ps
}
