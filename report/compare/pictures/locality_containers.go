package pictures

import (
	"replay/report/compare"
	"replay/report/figure"
)

var localityContainers = Plot{"locality_containers", "Locality of containers", func(c *compare.Comparison) (*figure.Figure, string) {
	return localityBars(c, "Containers on hosts that tasks prefer", "share of executor and task containers", func(p *compare.Pooled) []figure.Level { return p.HintedContainers })
}}
