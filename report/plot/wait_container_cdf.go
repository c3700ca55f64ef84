package plot

import (
	"replay/report/figure"
	"replay/report/result"
)

var containerWaits = Plot{"wait_container_cdf", "Waits of containers", func(d *result.Data) (*figure.Figure, string) {
	return figure.CDF("How long containers take from ask to use", "time", []figure.CDFLine{
		{Name: result.ContainerAllocation.Short, Dist: result.ContainerAllocation.Dist(d)},
		{Name: result.ContainerStart.Short, Dist: result.ContainerStart.Dist(d)},
		{Name: result.ContainerReady.Short, Dist: result.ContainerReady.Dist(d)},
	})
}}
