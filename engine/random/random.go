// Package random gives the random streams of a replay: named, one for each purpose.
package random

import (
	"math/rand/v2"

	"replay/trace"
)

// Stream returns the random stream called name for a run with this seed, as [trace.Stream] does for a trace.
//
// One stream per purpose: adding a draw to one leaves the others as they were, so two policies see
// the same cluster and the same jobs.
func Stream(seed uint64, name string) *rand.Rand { return trace.Stream(seed, name) }

// A Momentary is a random stream for a purpose that begins again at each time: what is drawn at a time is a function of
// seed, purpose and time, whatever was drawn before. Work that has no effect may so be left out.
type Momentary struct {
	source rand.PCG
	seed   uint64
	rand   rand.Rand
}

// NewMomentary returns the stream called name for a run with this seed.
func NewMomentary(seed uint64, name string) *Momentary {
	source := trace.StreamSource(seed, name)
	m := &Momentary{seed: source.Uint64()}
	m.rand = *rand.New(&m.source)
	return m
}

// At returns the stream of a time in ms.
func (m *Momentary) At(now int64) *rand.Rand {
	m.source.Seed(m.seed, uint64(now))
	return &m.rand
}
