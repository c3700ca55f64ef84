package plot

import (
	"replay/report/figure"
	"replay/report/result"
)

var locality = Plot{"locality", "Locality by level", func(d *result.Data) (*figure.Figure, string) {
	var bars []figure.Bar
	if ls := ContainerLevels(d); figure.Total(ls) > 0 {
		bars = append(bars, figure.Bar{Name: "containers", Levels: ls})
	}
	if ls := taskLevels(d); figure.Total(ls) > 0 {
		bars = append(bars, figure.Bar{Name: "tasks", Levels: ls})
	}
	if len(bars) == 0 {
		return nil, "no container was allocated and no task succeeded"
	}
	f := figure.StackedBars("Where containers and tasks ran", "share of all (of tasks: input, cached and shuffled data)", bars)
	f.Height = 2.3 * 72
	return f, ""
}}
