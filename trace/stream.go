package trace

import (
	"hash/fnv"
	"math/rand/v2"
)

// Stream returns the random stream called name for a seed.
//
// One stream per purpose ("arrivals", "blocks"), and per job where a job draws ("tasks/17"): adding a draw to
// one leaves the others as they were. The mapping is part of the output contract and is pinned by a test.
func Stream(seed uint64, name string) *rand.Rand {
	p := StreamSource(seed, name)
	return rand.New(&p)
}

// StreamSource is the source of [Stream].
func StreamSource(seed uint64, name string) (p rand.PCG) {
	h := fnv.New64a()
	h.Write([]byte(name))
	p.Seed(seed, h.Sum64())
	return p
}
