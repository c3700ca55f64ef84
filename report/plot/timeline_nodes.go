package plot

import (
	"image/color"
	"slices"

	"replay/report/figure"
	"replay/report/result"
)

var timelineNodes = Plot{"timeline_nodes", "Executors by node", func(d *result.Data) (*figure.Figure, string) {
	queues := d.Queues.Largest(ShownQueues)
	return timelineOf(d, "Containers on each node, by queue",
		func(s result.Span) int64 { return int64(s.Node) },
		func(n int64) string { return nodeName(d, n) },
		func(s result.Span) (string, color.Color) {
			if i := slices.Index(queues, s.Queue); i >= 0 {
				return figure.Drawable(s.Queue), figure.Palette[i%len(figure.Palette)]
			}
			return "other queues", figure.Grey
		})
}}
