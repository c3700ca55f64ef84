package compare

import (
	"replay/report/figure"
)

var localityContainersAsked = Plot{"locality_containers_asked", "What containers asked for", func(c *Comparison) (*figure.Figure, string) {
	return c.localityBars("What containers asked for, and got", "share of executor and task containers", askedContainers)
}}
