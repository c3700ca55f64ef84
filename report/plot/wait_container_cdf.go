package plot

import (
	"replay/report/figure"
	"replay/report/result"
)

var containerWaits = Plot{"wait_container_cdf", "Waits of containers", func(d *result.Data) (*figure.Figure, string) {
	c := &d.Containers
	return figure.CDF("How long containers take from ask to use", "time (log scale)", []figure.CDFLine{
		{Name: "ask to allocation", Dist: &c.Ask},
		{Name: "allocation to start", Dist: &c.Start},
		{Name: "allocation to ready", Dist: &c.Register},
	})
}}
