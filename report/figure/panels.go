package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panelHeight is how high a panel is beside its title and axis, points.
const panelHeight = 68

// Panels returns a figure of figures below one another whose horizontal axes are one: the last of them shows it. Their titles say what
// each is, and keys that several of them have stand in the legend once.
func Panels(title string, panels []*Figure) *Figure {
	f := New(title, "", "")
	f.panels = panels
	lo, hi := panels[0].X.Min, panels[0].X.Max
	for _, p := range panels {
		lo, hi = min(lo, p.X.Min), max(hi, p.X.Max)
	}
	known := map[string]bool{}
	for i, p := range panels {
		p.X.Min, p.X.Max = lo, hi
		p.Title.TextStyle = style(fontSize)
		p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = draw.XCenter, draw.YTop
		p.Title.Padding = 2
		if i < len(panels)-1 {
			p.X.Label.Text = ""
			p.X.Tick.Marker = unnamed{p.X.Tick.Marker}
		}
		for _, e := range p.legend {
			if !known[e.name] {
				known[e.name] = true
				f.legend = append(f.legend, e)
			}
		}
		for _, d := range p.data {
			d.Panel = p.Title.Text
			f.data = append(f.data, d)
		}
	}
	f.Height = 58 + float64(float64(len(panels))*(panelHeight+24))
	return f
}

// unnamed are ticks without their names.
type unnamed struct{ plot.Ticker }

// Ticks implements plot.Ticker.
func (u unnamed) Ticks(lo, hi float64) []plot.Tick {
	ts := u.Ticker.Ticks(lo, hi)
	for i := range ts {
		if ts[i].Label != "" {
			ts[i].Label = " "
		}
	}
	return ts
}

// drawPlots draws what is above the legend.
func (f *Figure) drawPlots(c draw.Canvas) {
	if len(f.panels) == 0 {
		f.Plot.Draw(c)
		return
	}
	if f.Title.Text != "" {
		c.FillText(f.Title.TextStyle, vg.Point{X: c.Center().X, Y: c.Max.Y}, f.Title.Text)
		c.Max.Y -= f.Title.TextStyle.Height(f.Title.Text) + f.Title.Padding
	}
	// What is beside the data of each panel is as wide as its own names; all data has the same place and height.
	const gap = 6
	type beside struct{ left, right, below, above vg.Length }
	besides := make([]beside, len(f.panels))
	var left, right vg.Length
	room := c.Max.Y - c.Min.Y - vg.Length(gap*vg.Length(len(f.panels)-1))
	for i, p := range f.panels {
		defer func(title string) { p.Title.Text = title }(p.Title.Text)
		p.Title.Text = fit(p.Title.TextStyle, p.Title.Text, c.Max.X-c.Min.X-2*margin)
		d := p.DataCanvas(c)
		b := beside{d.Min.X - c.Min.X, c.Max.X - d.Max.X, d.Min.Y - c.Min.Y, c.Max.Y - d.Max.Y}
		besides[i] = b
		left, right = max(left, b.left), max(right, b.right)
		room -= b.below + b.above
	}
	top, height := c.Max.Y, room/vg.Length(len(f.panels))
	for i, p := range f.panels {
		b := besides[i]
		bottom := top - b.above - height - b.below
		p.Plot.Draw(draw.Crop(c, left-b.left, b.right-right, bottom-c.Min.Y, top-c.Max.Y))
		top = bottom - gap
	}
}
