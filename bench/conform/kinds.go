package conform

import (
	"replay/bench/conform/golden"
	"replay/bench/conform/live"
)

// Kinds are the forms of golden vectors that are known, in the order in which they are asked.
var Kinds = []golden.Kind{
	live.ResourceManager,
	poolsKind,
	scalaOrder,
	yarnShares,
	yarnComparators,
	yarnResources,
	yarnCapacityConf,
	yarnSite,
	yarnAllocFile,
	yarnPlacement,
	yarnAMRMClient,
	sparkSettings,
	containerPlacement,
	executorAllocation,
	backendRuns,
	taskSetManager,
	dagKind,
	schedulerRuns,
	yarnAllocator,
	mapReduceAllocator,
	mapReduceSettings,
}
