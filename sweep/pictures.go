package sweep

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"replay/report/figure"
	"replay/report/quantity"
)

const (
	mostMaps  = 3  // pairs of dimensions of which a metric has heat maps
	mostLines = 8  // of a curve
	mostRows  = 40 // of a heat map
)

// pictures are the heat maps and curves of each metric. Of one that has the same mean in all groups they show nothing but that, which the notes say.
func (m *Merged) pictures() [][]figure.Picture {
	out := make([][]figure.Picture, len(m.Metrics))
	order := m.order()
	for i := range m.Metrics {
		if m.flat(i) {
			continue
		}
		for k, a := range order {
			for _, b := range order[k+1:] {
				if len(out[i]) < mostMaps {
					out[i] = append(out[i], m.heat(i, a, b))
				}
			}
		}
		for d := range m.dims {
			if m.dims[d].xs != nil {
				out[i] = append(out[i], m.curve(i, d))
			}
		}
	}
	return out
}

// flat reports whether a metric has one mean, the same in all groups.
func (m *Merged) flat(metric int) bool {
	first := m.Points[0].mean(metric).mean
	return !slices.ContainsFunc(m.Points, func(g *Group) bool { return g.mean(metric).mean != first }) // NaN is not equal to itself
}

// order is the dimensions by their numbers, those that can be chosen first.
func (m *Merged) order() (out []int) {
	for _, choice := range []bool{true, false} {
		for d := range m.dims {
			if choosable(&m.dims[d]) == choice {
				out = append(out, d)
			}
		}
	}
	return out
}

// scale is one in which a metric's numbers are written together.
func (m *Merged) scale(metric int) quantity.Scale {
	var all []float64
	for _, g := range m.Points {
		if x := g.mean(metric).mean; !math.IsNaN(x) {
			all = append(all, x)
		}
	}
	return m.Metrics[metric].Unit.ScaleOf(all...)
}

// title is a metric with its unit.
func title(h *Headline, s quantity.Scale) string {
	if unit := s.Suffix(); unit != "" {
		return figure.Short(h.Plain, 50) + " (" + s.Unit + ")"
	}
	return figure.Short(h.Plain, 50)
}

// rest says what a picture is averaged over besides the seeds.
func (m *Merged) rest(shown ...int) string {
	text := ""
	for i := range m.dims {
		if !slices.Contains(shown, i) {
			text += ", " + m.dims[i].name
		}
	}
	return "mean over seeds" + text
}

// losers are the places at which a group loses jobs: what is left of them has the room of those.
func (m *Merged) losers(places int, place func(*Group) int) []bool {
	out := make([]bool, places)
	for _, g := range m.Points {
		if at := place(g); at >= 0 && g.loses {
			out[at] = true
		}
	}
	return out
}

// asideText explains the marks of places that lose jobs; empty without any.
func asideText(loses []bool) string {
	if slices.Contains(loses, true) {
		return "; " + figure.Aside + " loses jobs"
	}
	return ""
}

// heat draws a metric for the levels of two dimensions.
func (m *Merged) heat(metric, a, b int) figure.Picture {
	if len(m.dims[a].levels) > len(m.dims[b].levels) { // more fit below each other
		a, b = b, a
	}
	h, s := &m.Metrics[metric], m.scale(metric)
	columns, rows := &m.dims[a], &m.dims[b]
	p := figure.Picture{Name: fmt.Sprintf("heat-%s-%d-%d", h.Name, a+1, b+1), Title: fmt.Sprintf("%s by %s and %s", h.Plain, columns.name, rows.name)}
	if len(rows.levels) > mostRows || len(columns.levels) > mostRows {
		p.Reason = fmt.Sprintf("%s has %d values and %s %d, more than %d of one fit", columns.name, len(columns.levels), rows.name, len(rows.levels), mostRows)
		return p
	}
	n, place := m.places(b, a)
	at, loses := m.over(metric, n, place), m.losers(n, place)
	values, aside := make([][]float64, len(rows.levels)), make([][]bool, len(rows.levels))
	empty := true
	for r := range values {
		for c := range columns.levels {
			k := r*len(columns.levels) + c
			x := at[k].mean
			values[r], aside[r] = append(values[r], x), append(aside[r], loses[k])
			empty = empty && math.IsNaN(x)
		}
	}
	if empty {
		p.Reason = "no cell has a value"
		return p
	}
	p.Figure = figure.HeatMap(title(h, s), columns.name+" ("+m.rest(a, b)+asideText(loses)+")", rows.name, columns.levels, rows.levels, values, aside, s.Number)
	return p
}

// curve draws a metric over the numbers of one dimension: a line for each level of the first other one that has few, broken where jobs
// are lost.
func (m *Merged) curve(metric, d int) figure.Picture {
	h, s := &m.Metrics[metric], m.scale(metric)
	x := &m.dims[d]
	p := figure.Picture{Name: fmt.Sprintf("curve-%s-%d", h.Name, d+1), Title: h.Plain + " over " + x.name}
	by := -1
	for _, o := range m.order() {
		if by < 0 && o != d && len(m.dims[o].levels) <= mostLines {
			by = o
		}
	}
	lines, shown := []string{""}, []int{d}
	if by >= 0 {
		lines, shown = m.dims[by].levels, append(shown, by)
	}
	label := x.name
	if x.unit != "" {
		label += " in " + x.unit
	}
	n, place := m.places(shown...)
	at, loses := m.over(metric, n, place), m.losers(n, place)
	f := figure.New(title(h, s), label+" ("+m.rest(shown...)+asideText(loses)+")", "")
	low, high := math.Inf(1), math.Inf(-1)
	order := make([]int, len(x.xs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return int(math.Copysign(1, x.xs[i]-x.xs[j])) })
	for l, name := range lines {
		line := &curveLine{figure: f, number: l, color: figure.Palette[l%len(figure.Palette)], low: low, high: high}
		for _, i := range order {
			c := &at[i*len(lines)+l]
			line.add(x.xs[i], float64(c.mean*s.By), float64(c.half*s.By), loses[i*len(lines)+l])
		}
		low, high = line.low, line.high
		if by >= 0 {
			name = figure.ShortName(m.dims[by].name+" "+name, 40)
		}
		if name == "" {
			if name = "mean"; line.intervals {
				name += " with its interval of 95 %"
			}
		}
		line.draw(name)
	}
	if low > high {
		p.Reason = "no cell has a value"
		return p
	}
	pad := float64((high - low) * .05)
	switch {
	case low == 0 && high == 0: // nothing, of whatever unit
		high, pad = 1, .05
	case pad == 0:
		pad = float64(math.Abs(high) * .05)
	}
	f.OverSettings(slices.Min(x.xs), slices.Max(x.xs), low-pad, high+pad)
	p.Figure = f
	return p
}

// A curveLine is a line of a curve, point by point.
type curveLine struct {
	figure    *figure.Figure
	number    int
	color     color.RGBA
	low, high float64         // of all points with their intervals
	parts     []figure.Points // between places where it is broken
	dots      []figure.Dot
	marks     []figure.Label // of points that lose jobs
	whole     bool           // the last point goes on in the next
	lost      bool           // a point has no number because it loses jobs
	intervals bool           // a point has one
}

// add puts a point to the end of the line and draws its interval, y ± half, half NaN for none. A point without a number breaks the line; so does one that
// loses jobs, which is marked.
func (c *curveLine) add(x, y, half float64, loses bool) {
	if math.IsNaN(y) {
		c.whole, c.lost = false, c.lost || loses
		return
	}
	if math.IsNaN(half) {
		half = 0
	}
	at := figure.Point{X: x, Y: y}
	switch {
	case loses:
		c.marks = append(c.marks, figure.Label{Point: at, Text: "   " + figure.Aside, Behind: figure.Paper})
	case c.whole:
		c.parts[len(c.parts)-1] = append(c.parts[len(c.parts)-1], at)
	default:
		c.parts = append(c.parts, figure.Points{at})
	}
	c.whole = !loses
	c.dots = append(c.dots, figure.Dot{X: x, Y: y, Color: c.color, Shape: c.number, Filled: !loses})
	c.low, c.high = min(c.low, y-half), max(c.high, y+half)
	if half > 0 {
		c.intervals = true
		c.figure.Styled("", c.color, nil, 1, figure.Points{{X: x, Y: y - half}, {X: x, Y: y + half}})
	}
}

// draw draws the line with its dots, marks and key; a line without a point has a key if it lost jobs.
func (c *curveLine) draw(name string) {
	f := c.figure
	if c.dots == nil {
		if c.lost {
			f.LineKey(name+" "+figure.Aside+" no number", c.color, figure.Dashed(c.number))
		}
		return
	}
	f.LineDotKey(name, figure.Dashed(c.number), figure.Dot{Color: c.color, Shape: c.number, Filled: true})
	for _, part := range c.parts {
		f.Line("", c.number, part)
	}
	f.Dots(c.dots)
	for _, d := range c.dots {
		f.Record(figure.At("", name, d.X, d.Y))
	}
	if c.marks != nil {
		f.Labels(c.marks)
	}
}
