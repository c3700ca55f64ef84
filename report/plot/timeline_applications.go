package plot

import (
	"cmp"
	"fmt"
	"image/color"

	"replay/report/figure"
	"replay/report/result"
)

var timelineApplications = Plot{"timeline_applications", "Executors by application", func(d *result.Data) (*figure.Figure, string) {
	return timelineOf(d, "Containers of each application, by locality",
		func(s result.Span) int64 { return s.Job },
		func(id int64) string {
			name := ""
			if j := d.Jobs.Find(id); j != nil {
				name = cmp.Or(j.Name, j.ExternalID)
			}
			return figure.Short(fmt.Sprintf("%d %s", id, name), 18)
		},
		func(s result.Span) (string, color.Color) {
			if s.AM {
				return "application master", figure.Palette[7]
			}
			return result.Matches[s.Match], matchColors[s.Match]
		})
}}
