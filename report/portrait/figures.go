// Package portrait draws the portrait of a trace, and makes a page of it.
package portrait

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"

	"replay/report/figure"
	"replay/report/quantity"
	"replay/trace/portrait"
)

// pictures are all of a trace, in the order of the page. What there is no picture of says why.
func pictures(p *portrait.Portrait) (ps []figure.Picture) {
	for _, k := range []struct {
		name, title string
		draw        func(*portrait.Portrait) (*figure.Figure, string)
	}{
		{"load", "Offered load over time", load},
		{"arrivals", "Submissions over time", arrivals},
		{"hours", "Submissions by hour of the day", hours},
		{"sizes", "Tasks of jobs", sizes},
		{"durations", "Durations of tasks", durations},
		{"stages", "Stages of jobs", stages},
		{"nodes", "Nodes over time", nodes},
	} {
		f, reason := k.draw(p)
		ps = append(ps, figure.Picture{Name: k.name, Title: k.title, Figure: f, Reason: reason})
	}
	return ps
}

// Load draws the first of the pictures in a format of [figure.Formats].
func Load(p *portrait.Portrait, format string) ([]byte, error) {
	f, reason := load(p)
	if f == nil {
		return nil, fmt.Errorf("no figure of the offered load: %s", reason)
	}
	return f.Render(format)
}

const noSpan = "all jobs are submitted at one time"

// load is the work submitted in each part of the span over what the cluster of time 0 can do in it, and what recorded executors held.
func load(p *portrait.Portrait) (*figure.Figure, string) {
	if len(p.Timeline) < 2 {
		return nil, noSpan
	}
	if p.Cluster.VCores == 0 || p.Cluster.MemMiB == 0 {
		return nil, "no node is there at the start"
	}
	width := float64(p.Timeline[1].StartMS)
	var vcores, memory, held []float64
	for _, s := range p.Timeline {
		vcores = append(vcores, s.Work.VCoreMS/(width*float64(p.Cluster.VCores)))
		memory = append(memory, s.Work.MemMiBMS/(width*float64(p.Cluster.MemMiB)))
		held = append(held, s.Held.VCoreMS/(width*float64(p.Cluster.VCores)))
	}
	f, unit := overTime(p, "Offered load by time of submission", "work submitted, of the cluster")
	f.Line("vcores of tasks", 0, figure.Steps(width, unit, vcores))
	f.Line("memory of tasks", 1, figure.Steps(width, unit, memory))
	if p.Held != nil {
		f.Line("vcores of recorded executors, while held", 2, figure.Steps(width, unit, held))
	}
	f.Y.Tick.Marker = figure.Percents
	return f, ""
}

func overTime(p *portrait.Portrait, title, y string) (*figure.Figure, float64) {
	name, unit := figure.TimeScale(float64(p.SpanMS))
	f := figure.New(title, "time ("+name+")", y)
	f.Y.Min = 0
	f.X.Tick.Marker = figure.Even(6)
	return f, unit
}

func arrivals(p *portrait.Portrait) (*figure.Figure, string) {
	if len(p.Timeline) < 2 {
		return nil, noSpan
	}
	width := p.Timeline[1].StartMS
	var jobs []float64
	for _, s := range p.Timeline {
		jobs = append(jobs, float64(s.Jobs))
	}
	f, unit := overTime(p, "Jobs submitted in each "+quantity.Duration(float64(width)), "jobs")
	f.Line("jobs", 0, figure.Steps(float64(width), unit, jobs))
	f.Y.Tick.Marker = figure.Whole(5)
	return f, ""
}

func hours(p *portrait.Portrait) (*figure.Figure, string) {
	if p.Arrivals.ByHour == nil {
		return nil, "the trace does not say when it was recorded, or is shorter than a day"
	}
	var names []string
	for h := range p.Arrivals.ByHour {
		names = append(names, strconv.Itoa(h))
	}
	return columns("Jobs by hour of the day (UTC)", "hour of submission", "jobs", names, p.Arrivals.ByHour), ""
}

func sizes(p *portrait.Portrait) (*figure.Figure, string) {
	return logColumns("Jobs by their tasks", "tasks of the job, from", "jobs", p.Sizes, func(n int64) string { return quantity.Thousands(n) })
}

func durations(p *portrait.Portrait) (*figure.Figure, string) {
	return logColumns("Tasks by their durations", "duration of the task, from", "tasks", p.Durations, func(ms int64) string { return quantity.Duration(float64(ms)) })
}

func stages(p *portrait.Portrait) (*figure.Figure, string) {
	if len(p.Shapes.Stages) == 0 {
		return nil, "no job has a stage"
	}
	n := max(len(p.Shapes.Stages), len(p.Shapes.Depths))
	f := figure.New("Jobs by their stages, and by stages on the longest way", "stages", "share of the jobs")
	for i, line := range []struct {
		name   string
		shares []portrait.Share
	}{{"stages", p.Shapes.Stages}, {"on the longest way", p.Shapes.Depths}} {
		var values []float64
		for _, s := range line.shares {
			values = append(values, float64(s.Jobs)/float64(p.Counts.Jobs))
		}
		xys := figure.Steps(1, 1, values)
		for k := range xys {
			xys[k].X += .5
		}
		f.Line(line.name, i, xys)
	}
	var ticks []figure.Tick
	for i := range n {
		ticks = append(ticks, figure.Tick{Value: float64(i + 1), Label: strconv.Itoa(i + 1)})
	}
	if n == mostShown {
		ticks[n-1].Label += "+"
	}
	f.X.Tick.Marker, f.Y.Tick.Marker = plot.ConstantTicks(ticks), figure.Percents
	f.Range(.5, float64(n)+.5, 0, f.Y.Max)
	return f, ""
}

// mostShown is the last number of shapes, which stands for more too.
const mostShown = 12

func nodes(p *portrait.Portrait) (*figure.Figure, string) {
	if len(p.Timeline) < 2 {
		return nil, noSpan
	}
	if len(p.Events) == 0 {
		return nil, "no node comes or goes"
	}
	var up []float64
	for _, s := range p.Timeline {
		up = append(up, float64(s.Nodes))
	}
	f, unit := overTime(p, "Nodes that take work", "nodes")
	f.Line("nodes", 0, figure.Steps(float64(p.Timeline[1].StartMS), unit, up))
	f.Y.Tick.Marker = figure.Whole(5)
	return f, ""
}

// logColumns draws counts of powers of two.
func logColumns(title, x, y string, bins []portrait.Bin, name func(int64) string) (*figure.Figure, string) {
	if len(bins) == 0 {
		return nil, "there are none"
	}
	step := int(math.Ceil(float64(len(bins)) / 8)) // names that have room
	var names []string
	var counts []int64
	for i, b := range bins {
		text := ""
		if i%step == 0 {
			text = name(b.From)
		}
		names, counts = append(names, text), append(counts, b.N)
	}
	return columns(title, x, y, names, counts), ""
}

// columns draws a column for each count.
func columns(title, x, y string, names []string, counts []int64) *figure.Figure {
	f := figure.New(title, x, y)
	var ticks []figure.Tick
	most := int64(1)
	for i, n := range counts {
		at, height := float64(i), float64(n)
		f.Area("", figure.Palette[0], figure.Points{{X: at - .42, Y: 0}, {X: at + .42, Y: 0}, {X: at + .42, Y: height}, {X: at - .42, Y: height}})
		f.Record(figure.At("", y, at, height))
		ticks = append(ticks, figure.Tick{Value: at, Label: names[i]})
		most = max(most, n)
	}
	f.X.Tick.Marker, f.Y.Tick.Marker = plot.ConstantTicks(ticks), figure.Whole(5)
	f.Range(-.6, float64(len(counts))-.4, 0, float64(most)*1.05)
	return f
}
