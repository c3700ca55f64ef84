package plot

import (
	"fmt"

	"replay/report/figure"
	"replay/trace"
)

// Trace draws the offered load of a trace over time, in a format of [figure.Formats]: the work submitted in each
// part of the span over what the cluster of time 0 can do in it, of vcores and of memory.
// The error says why there is no figure: a format that is not known, or a trace without a span or a cluster.
func Trace(in *trace.Info, format string) ([]byte, error) {
	if len(in.Timeline) < 2 || in.Cluster.VCores == 0 || in.Cluster.MemMiB == 0 {
		return nil, fmt.Errorf("no figure of %d jobs over %d ms on %d vcores and %d MiB", in.Counts.Jobs, in.SpanMS, in.Cluster.VCores, in.Cluster.MemMiB)
	}
	width := float64(in.Timeline[1].StartMS)
	var vcores, memory []float64
	for _, s := range in.Timeline {
		vcores = append(vcores, s.Work.VCoreMS/(width*float64(in.Cluster.VCores)))
		memory = append(memory, s.Work.MemMiBMS/(width*float64(in.Cluster.MemMiB)))
	}
	name, unit := figure.TimeScale(float64(in.SpanMS))
	f := figure.New("Offered load by time of submission", "time ("+name+")", "work submitted, of the cluster")
	f.Line("vcores", 0, figure.Steps(width, unit, vcores))
	f.Line("memory", 1, figure.Steps(width, unit, memory))
	f.Y.Min = 0
	f.X.Tick.Marker, f.Y.Tick.Marker = figure.Even(6), figure.Percents
	return f.Render(format)
}
