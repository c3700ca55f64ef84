package compare

import (
	"replay/report/figure"
)

var localityContainers = Plot{"locality_containers", "Locality of containers", func(c *Comparison) (*figure.Figure, string) {
	return c.localityBars("Containers on hosts that tasks prefer", "share of executor and task containers", hintedContainers)
}}
