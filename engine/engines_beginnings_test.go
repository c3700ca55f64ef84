package engine

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"replay/engine/scenario"
	"replay/engine/scenario/scenariotest"
	"replay/trace"
)

// TestBeginningsDecideAlike replays with both engines what the other tests of them do, but the beginning alone: a thousandth of a second each, so there can be many more.
// A million of them:
//
//	go test ./engine -run TestBeginningsDecideAlike -timeout 0 -args -first 0 -seeds 250000
func TestBeginningsDecideAlike(t *testing.T) {
	decideAlike(t, randomBeginning, append([]uint64{44734, 527346, 12100675, 49004859}, more(4**seeds)...)) // these have failed, of the program or of a mutant of it
}

// randomBeginning is the first half minute or less of a random cluster, of each kind in turn.
func randomBeginning(r *rand.Rand, seed uint64) (in func() scenario.Input, o scenario.Options) {
	until := 2000 + r.Int64N(28_000)
	kind := seed % 4
	if kind == 3 {
		kind = others
	}
	in, o = randomKind(r, seed, kind)
	o.Until = until
	return in, o
}

// others are the kinds of cluster from which on they are those of [scenariotest.Random].
const others = 4

// randomKind is a random cluster of a kind.
func randomKind(r *rand.Rand, seed, kind uint64) (func() scenario.Input, scenario.Options) {
	switch kind {
	case 0:
		return randomFair(r, seed)
	case 1:
		return randomBacklog(r, seed)
	case 2:
		return randomCapacity(r, seed)
	case 3:
		return randomDense(r, seed)
	}
	c := scenariotest.Random(seed)
	return c.Input, c.Options
}

// The same where some nodes are not in the cluster at the beginning and join it one after the other.
func TestJoiningNodesDecideAlike(t *testing.T) {
	decideAlike(t, randomJoining, more(4**seeds))
}

func randomJoining(r *rand.Rand, seed uint64) (func() scenario.Input, scenario.Options) {
	in, o := randomBeginning(r, seed)
	came := in()
	nodes, joins := slices.Clone(came.Nodes), make([]int64, len(came.Nodes))
	var events []trace.NodeEvent
	for i := range nodes[1:] {
		if r.IntN(2) == 0 {
			nodes[i].Present, joins[i] = false, r.Int64N(o.Until)
			events = append(events, trace.NewNodeEvent(joins[i], int32(i), trace.Join))
		}
	}
	for _, e := range came.Events {
		if e.TimeMS <= joins[e.Node] {
			joins[e.Node] = o.Until // what comes later follows from this one
			continue
		}
		events = append(events, e)
	}
	slices.SortStableFunc(events, func(a, b trace.NodeEvent) int { return cmp.Compare(a.TimeMS, b.TimeMS) })
	for i := range events {
		events[i].Seq = int32(i)
	}
	return func() scenario.Input {
		x := in()
		x.Nodes, x.Events = nodes, events
		return x
	}, o
}
