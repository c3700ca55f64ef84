package plot

import (
	"fmt"
	"image/color"
	"slices"

	"replay/report/figure"
	"replay/report/quantity"
	"replay/report/result"
)

// timelineRows is how many applications or nodes a timeline shows: the first ones.
const timelineRows = 40

// timelineOf lays the containers out in one row for each row key, in lanes without overlap.
func timelineOf(d *result.Data, title string, row func(result.Span) int64, name func(int64) string, fill func(result.Span) (string, color.Color)) (*figure.Figure, string) {
	spans := d.Containers.Spans
	if len(spans) == 0 {
		return nil, "no container was allocated"
	}
	byRow := map[int64][]result.Span{}
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
	if n := d.Containers.N + d.Containers.AMs; n > int64(len(spans)) {
		title += fmt.Sprintf(" (first %s of %s)", quantity.Thousands(int64(len(spans))), quantity.Thousands(n))
	}
	f, ms := figure.OverTime(title, "", float64(end))
	var blocks []figure.Block
	shown := map[string]bool{}
	var ticks []figure.Tick
	for i, k := range rows {
		top := float64(len(rows) - i)
		lanes := lanesOf(byRow[k])
		n := slices.Max(lanes) + 1
		h := .86 / float64(n)
		for j, s := range byRow[k] {
			what, c := fill(s)
			gap := min(.12*h, .03)
			blocks = append(blocks, figure.Block{
				From: float64(s.From) / ms, To: float64(s.To) / ms, Y: top - .93 + float64(float64(n-1-lanes[j])*h) + gap/2, Height: h - gap, Color: c, Row: name(k), What: what,
			})
			if !shown[what] {
				shown[what] = true
				f.AreaKey(what, c)
			}
		}
		if len(rows) <= 20 || i%2 == 0 {
			ticks = append(ticks, figure.Tick{Value: top - .5, Label: name(k)})
		}
	}
	f.SortLegend()
	f.Blocks(blocks)
	if all > len(rows) {
		f.X.Label.Text += fmt.Sprintf("; first %d of %d rows", len(rows), all)
	}
	f.Rows(ticks)
	f.Range(0, float64(end)/ms, 0, float64(len(rows)))
	f.Height = max(figure.Height, float64(float64(len(rows))*13)+1.3*72)
	return f, ""
}

// lanesOf gives each span, in order of its start, the first lane that is free.
func lanesOf(spans []result.Span) []int {
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

// nodeName is the host of a node, short.
func nodeName(d *result.Data, n int64) string {
	if n >= 0 && n < int64(len(d.Manifest.Hosts)) {
		return figure.Short(d.Manifest.Hosts[n], 18)
	}
	return fmt.Sprintf("node %d", n)
}
