package plot

import (
	"replay/report/figure"
	"replay/report/result"
)

var taskWaits = Plot{"wait_task_cdf", "Waits of tasks", func(d *result.Data) (*figure.Figure, string) {
	return figure.CDF("How long tasks wait for a slot, and run", "time (log scale)", []figure.CDFLine{
		{Name: "ready to launch", Dist: &d.Tasks.Wait},
		{Name: "launch to finish", Dist: &d.Tasks.Run},
	})
}}
