// Package yarn has the kinds of golden vectors whose answers come from YARN's classes: shares, resources, settings, queues of
// applications, whole runs of a scheduler and of a ResourceManager, the client of application
// masters, and the monitors of the ResourceManager.
package yarn

import "replay/bench/conform/golden"

// Kinds are the forms of vectors of YARN, in the order in which they are asked.
var Kinds = []golden.Kind{
	shares,
	comparators,
	resources,
	capacityConf,
	site,
	hadoopXML,
	allocFile,
	placement,
	amrmClient,
	liveness,
	managerRuns,
	schedulerRuns,
}
