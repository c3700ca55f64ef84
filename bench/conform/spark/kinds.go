// Package spark has the kinds of golden vectors whose answers come from Spark's classes: pools, orders of hash tables, settings,
// container placement, dynamic allocation, the allocator, task sets, stages, and the driver's backend.
package spark

import "replay/bench/conform/golden"

// Kinds are the forms of vectors of Spark, in the order in which they are asked.
var Kinds = []golden.Kind{
	pools,
	scalaOrder,
	settings,
	defaults,
	containerPlacement,
	executorAllocation,
	backendRuns,
	silences,
	taskSetManager,
	stages,
	yarnAllocator,
}
