package report

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"replay/engine/record"
)

// timelineRows is how many applications or nodes a timeline shows: the first ones.
const timelineRows = 40

// spanBars draws container lives as horizontal bars.
type spanBars struct {
	bars []spanBar
}

type spanBar struct {
	from, to, y, height float64
	color               color.Color
}

// Plot implements plot.Plotter.
func (s *spanBars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, b := range s.bars {
		x0, x1 := x(b.from), max(x(b.to), x(b.from)+.4)
		y0, y1 := y(b.y), y(b.y+b.height)
		c.FillPolygon(b.color, c.ClipPolygonXY([]vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}))
	}
}

// timelineOf lays the containers out in one row for each row key, in lanes without overlap.
func (r *Result) timelineOf(title, y string, row func(Span) int64, name func(int64) string, fill func(Span) (string, color.Color)) (*figure, string) {
	spans := r.Containers.Spans
	if len(spans) == 0 {
		return nil, "no container was allocated"
	}
	byRow := map[int64][]Span{}
	var rows []int64
	for _, s := range spans {
		k := row(s)
		if byRow[k] == nil {
			rows = append(rows, k)
		}
		byRow[k] = append(byRow[k], s)
	}
	slices.Sort(rows)
	all := len(rows)
	rows = rows[:min(all, timelineRows)]
	end := int64(1)
	for _, k := range rows {
		for _, s := range byRow[k] {
			end = max(end, s.To)
		}
	}
	unit, ms := timeScale(float64(end))
	if n := r.Containers.N + r.Containers.AMs; n > int64(len(spans)) {
		title += fmt.Sprintf(" (first %s of %s)", group3(int64(len(spans))), group3(n))
	}
	f := newPlot(title, "simulated time ("+unit+")", y)
	bars := &spanBars{}
	shown := map[string]bool{}
	var ticks []plot.Tick
	for i, k := range rows {
		top := float64(len(rows) - i)
		lanes := lanesOf(byRow[k])
		n := slices.Max(lanes) + 1
		h := .86 / float64(n)
		for j, s := range byRow[k] {
			what, c := fill(s)
			gap := min(.12*h, .03)
			bars.bars = append(bars.bars, spanBar{float64(s.From) / ms, float64(s.To) / ms, top - .93 + float64(n-1-lanes[j])*h + gap/2, h - gap, c})
			if !shown[what] {
				shown[what] = true
				f.legend = append(f.legend, legendEntry{name: what, color: c, box: true})
			}
		}
		if len(rows) <= 20 || i%2 == 0 {
			ticks = append(ticks, plot.Tick{Value: top - .5, Label: name(k)})
		}
	}
	slices.SortFunc(f.legend, func(a, b legendEntry) int { return cmp.Compare(a.name, b.name) })
	f.Add(bars)
	if all > len(rows) {
		f.X.Label.Text += fmt.Sprintf("; first %d of %d rows", len(rows), all)
	}
	f.Y.Tick.Marker = plot.ConstantTicks(ticks)
	f.Y.Tick.Length = 0
	f.X.Tick.Marker = evenTicks{6}
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = 0, float64(end)/ms, 0, float64(len(rows))
	f.height = max(figureHeight, vg.Length(len(rows))*13+1.3*vg.Inch)
	return f, ""
}

// lanesOf gives each span, in order of its start, the first lane that is free.
func lanesOf(spans []Span) []int {
	var free []int64 // when each lane becomes free
	lanes := make([]int, len(spans))
next:
	for i, s := range spans {
		for l, at := range free {
			if at <= s.From {
				free[l], lanes[i] = s.To, l
				continue next
			}
		}
		lanes[i] = len(free)
		free = append(free, s.To)
	}
	return lanes
}

var plotTimelineApps = Plot{"timeline_applications", "Executors by application", func(r *Result) (*figure, string) {
	names := map[int64]string{}
	for i := range r.Jobs {
		names[r.Jobs[i].ID] = r.Jobs[i].Name
	}
	return r.timelineOf("Containers of each application, by locality", "",
		func(s Span) int64 { return s.Job },
		func(id int64) string { return short(fmt.Sprintf("%d %s", id, names[id]), 18) },
		func(s Span) (string, color.Color) {
			switch {
			case s.AM:
				return "application master", palette[7]
			case s.Match == record.OnHost:
				return "preferred host", onHostColor
			case s.Match == record.OnRack:
				return "its rack", onRackColor
			case s.Match == record.Elsewhere:
				return "elsewhere", elsewhereColor
			}
			return "no preference", noPrefColor
		})
}}

var plotTimelineNodes = Plot{"timeline_nodes", "Executors by node", func(r *Result) (*figure, string) {
	queues := r.largestQueues()
	return r.timelineOf("Containers on each node, by queue", "",
		func(s Span) int64 { return int64(s.Node) },
		r.nodeName,
		func(s Span) (string, color.Color) {
			if i := slices.Index(queues, s.Queue); i >= 0 {
				return drawable(s.Queue), palette[i%len(palette)]
			}
			return "other queues", grey
		})
}}

// nodeName is the host of a node, short.
func (r *Result) nodeName(n int64) string {
	if n >= 0 && n < int64(len(r.Manifest.Hosts)) {
		return short(r.Manifest.Hosts[n], 18)
	}
	return fmt.Sprintf("node %d", n)
}

// short cuts s to n characters that can be drawn.
func short(s string, n int) string {
	s = drawable(s)
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
