// Package yarn has the kinds of golden vectors whose answers come from YARN's classes: shares, resources, settings, queues of
// applications, whole runs of a scheduler, and the client of application masters.
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
	schedulerRuns,
}
