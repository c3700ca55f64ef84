package pictures

import (
	"replay/report/compare"
	"replay/report/figure"
)

var localityContainersAsked = Plot{"locality_containers_asked", "What containers asked for", func(c *compare.Comparison) (*figure.Figure, string) {
	return localityBars(c, "What containers asked for, and got", "share of executor and task containers", func(p *compare.Pooled) []figure.Level { return p.AskedContainers })
}}
