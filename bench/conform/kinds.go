package conform

import (
	"slices"

	"replay/bench/conform/golden"
	"replay/bench/conform/live"
	"replay/bench/conform/mapreduce"
	"replay/bench/conform/spark"
	"replay/bench/conform/yarn"
)

// Kinds are the forms of golden vectors that are known, in the order in which they are asked; no file is of two.
var Kinds = slices.Concat([]golden.Kind{live.ResourceManager}, spark.Kinds, yarn.Kinds, mapreduce.Kinds)
