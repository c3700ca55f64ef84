package report

var plotContainerWaits = Plot{"wait_container_cdf", "Waits of containers", func(r *Result) (*figure, string) {
	c := &r.Containers
	return cdfPlot("How long containers take from ask to use", "time (log scale)", []cdfLine{
		{"ask to allocation", &c.Ask},
		{"allocation to start", &c.Start},
		{"allocation to ready", &c.Register},
	})
}}
