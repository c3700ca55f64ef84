package conform

// Kinds are the forms of golden vectors that are known, in the order in which they are asked.
var Kinds = []Kind{
	liveManager,
	poolsKind,
	scalaOrder,
	yarnShares,
	yarnComparators,
	yarnResources,
	yarnCapacityConf,
	yarnAllocFile,
	yarnPlacement,
	yarnAMRMClient,
	containerPlacement,
	executorAllocation,
	taskSetManager,
	schedulerRuns,
	yarnAllocator,
}
