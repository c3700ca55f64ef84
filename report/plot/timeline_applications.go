package plot

import (
	"fmt"
	"image/color"

	"replay/report/figure"
	"replay/report/result"
)

var timelineApplications = Plot{"timeline_applications", "Executors by application", func(d *result.Data) (*figure.Figure, string) {
	names := map[int64]string{}
	for i := range d.Containers.Spans {
		if id := d.Containers.Spans[i].Job; names[id] == "" {
			if j := d.Jobs.Find(id); j != nil {
				names[id] = j.Name
			}
		}
	}
	return timelineOf(d, "Containers of each application, by locality",
		func(s result.Span) int64 { return s.Job },
		func(id int64) string { return figure.Short(fmt.Sprintf("%d %s", id, names[id]), 18) },
		func(s result.Span) (string, color.Color) {
			if s.AM {
				return "application master", figure.Palette[7]
			}
			return result.Matches[s.Match], matchColors[s.Match]
		})
}}
