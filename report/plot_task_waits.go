package report

var plotTaskWaits = Plot{"wait_task_cdf", "Waits of tasks", func(r *Result) (*figure, string) {
	return cdfPlot("How long tasks wait for a slot, and run", "time (log scale)", []cdfLine{
		{"ready to launch", &r.Tasks.Wait},
		{"launch to finish", &r.Tasks.Run},
	})
}}
