// Package mapreduce has the kinds of golden vectors whose answers come from MapReduce's classes: the container allocator of its
// application master, and settings of jobs.
package mapreduce

import "replay/bench/conform/golden"

// Kinds are the forms of vectors of MapReduce, in the order in which they are asked.
var Kinds = []golden.Kind{
	containerAllocator,
	settings,
}
