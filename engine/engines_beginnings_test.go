package engine

import (
	"math/rand/v2"
	"testing"

	"replay/engine/scenario"
	"replay/engine/scenario/scenariotest"
)

// TestBeginningsDecideAlike replays with both engines what the other tests of them do, but the beginning alone: a thousandth of a second each, so there can be many more.
// A million of them:
//
//	go test ./engine -run TestBeginningsDecideAlike -timeout 0 -args -first 0 -seeds 250000
func TestBeginningsDecideAlike(t *testing.T) {
	decideAlike(t, randomBeginning, append([]uint64{44734, 527346}, more(4**seeds)...)) // the first two have failed
}

// randomBeginning is the first half minute or less of a random cluster, of each kind in turn.
func randomBeginning(r *rand.Rand, seed uint64) (in func() scenario.Input, o scenario.Options) {
	until := 2000 + r.Int64N(28_000)
	switch seed % 4 {
	case 0:
		in, o = randomFair(r, seed)
	case 1:
		in, o = randomBacklog(r, seed)
	case 2:
		in, o = randomCapacity(r, seed)
	default:
		c := scenariotest.Random(seed)
		in, o = c.Input, c.Options
	}
	o.Until = until
	return in, o
}
