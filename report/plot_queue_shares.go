package report

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
)

// shownQueues is how many queues the plots of queues show: those with the most use.
const shownQueues = 6

// largestQueues returns the leaf queues that used most, at most shownQueues, in order of name.
func (r *Result) largestQueues() []string {
	names := slices.Clone(r.Queues.Names)
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(r.Queues.ByQueue[b].dominant, r.Queues.ByQueue[a].dominant)
	})
	names = names[:min(len(names), shownQueues)]
	slices.Sort(names)
	return names
}

var fairDashes = []vg.Length{1.5, 2.5}

var plotQueueShares = Plot{"queue_shares", "Queue shares over time", func(r *Result) (*figure, string) {
	names := r.largestQueues()
	if len(names) == 0 {
		return nil, "no queue was sampled"
	}
	unit, ms := timeScale(float64(r.Queues.End))
	title := "Dominant share of each queue, and its fair share"
	if len(r.Queues.Names) > len(names) {
		title = "Dominant share of the six largest queues, and fair shares"
	}
	f := newPlot(title, "simulated time ("+unit+")", "share of the cluster")
	anyFair := false
	for i, name := range names {
		width, bins := r.Queues.Over[name].Rebin(seriesBins, r.Queues.End)
		c := palette[i%len(palette)]
		if xys := steps(float64(width), ms, quotient(bins[fairDominant], bins[present])); r.Queues.ByQueue[name].hasFair && len(xys) > 0 {
			f.styled("", c, fairDashes, 1.1, xys)
			anyFair = true
		}
		if xys := steps(float64(width), ms, quotient(bins[dominant], bins[present])); len(xys) > 0 {
			f.styled(name, c, nil, 1.6, xys)
		}
	}
	if anyFair {
		f.legend = append(f.legend, legendEntry{name: "its fair share", color: ink, dashes: fairDashes})
	}
	f.X.Tick.Marker, f.Y.Tick.Marker = evenTicks{6}, percentTicks{}
	f.X.Min, f.X.Max, f.Y.Min = 0, max(float64(r.Queues.End), 1)/ms, 0
	f.Y.Max = max(f.Y.Max*1.02, .05)
	return f, ""
}}
