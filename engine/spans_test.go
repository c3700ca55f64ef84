package engine

import (
	"testing"

	"replay/engine/random"
)

// TestSpansDecideAlike: a replay that executes everything for a while, and again, decides as one that leaves out what it can.
func TestSpansDecideAlike(t *testing.T) {
	executed, of := int64(0), int64(0) // by all: small clusters in haste may execute everything without spans
	for name, cluster := range randomClusters {
		t.Run(name, func(t *testing.T) {
			for _, seed := range more((*seeds + 3) / 4) {
				in, o := cluster(random.Stream(seed, "spans"), seed)
				fast := replayTo(t, disorderly{&keep{}}, in(), o)
				r := random.Stream(seed, "spans of a test")
				o.DenseN, o.DenseMS = 1+r.IntN(8), 1+r.Int64N(10_000)
				spans := replayTo(t, disorderly{&keep{}}, in(), o)
				if spans.DecisionHash != fast.DecisionHash {
					t.Fatalf("seed %d: decision hash is %s, with %d spans of %d ms %s", seed, fast.DecisionHash, o.DenseN, o.DenseMS, spans.DecisionHash)
				}
				if a, b := spans.Totals, fast.Totals; a.NodeHeartbeats != b.NodeHeartbeats || a.Updates != b.Updates || a.AMHeartbeats != b.AMHeartbeats {
					t.Errorf("seed %d: %d, %d, %d heartbeats, updates and heartbeats of masters passed, with spans %d, %d, %d", seed, b.NodeHeartbeats, b.Updates, b.AMHeartbeats, a.NodeHeartbeats, a.Updates, a.AMHeartbeats)
				}
				executed, of = executed+spans.Totals.ExecutedHeartbeats, of+fast.Totals.ExecutedHeartbeats
			}
		})
	}
	if executed <= of {
		t.Errorf("%d heartbeats were executed with spans, %d without", executed, of)
	}
}
