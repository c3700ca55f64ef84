package compare

import (
	"replay/report/figure"
	"replay/report/result"
)

var containerWaits = Plot{"wait_container_cdf", "Waits of containers", func(c *Comparison) (*figure.Figure, string) {
	return c.cdfs("How long containers wait to be allocated", result.ContainerAllocation.Short, containerWait)
}}
