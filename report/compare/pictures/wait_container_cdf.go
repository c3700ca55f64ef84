package pictures

import (
	"replay/report/compare"
	"replay/report/figure"
	"replay/report/result"
)

var containerWaits = Plot{"wait_container_cdf", "Waits of containers", func(c *compare.Comparison) (*figure.Figure, string) {
	return cdfs(c, "How long containers wait to be allocated", result.ContainerAllocation.Short, func(p *compare.Pooled) figure.CDFLine { return p.ContainerWait })
}}
