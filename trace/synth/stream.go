// Package synth makes synthetic traces: arrivals, jobs, block placement and node failures after calibrated
// presets. The same preset, options and seed give the same trace; every purpose draws from its own stream,
// so that a change of one part leaves the others as they were.
//
// Times are in milliseconds, memory in MiB, CPU in vcores, sizes in bytes.
package synth

import (
	"hash/fnv"
	"math/rand/v2"
)

// Stream returns the random stream called name for a generation with this seed.
//
// One stream per purpose ("arrivals", "blocks"), and per job where a job draws ("tasks/17"): adding a draw to
// one leaves the others as they were. The mapping is part of the output contract and is pinned by a test.
func Stream(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}
