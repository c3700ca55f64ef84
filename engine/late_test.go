package engine

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"replay/engine/random"
	"replay/engine/scenario"
)

// TestCheckpointsOfLateEnds: a replay whose sink hears late of ends of containers comes to the same with checkpoints as without, and from each of them on, though not with the same work: a
// checkpoint hears of what has ended by then.
func TestCheckpointsOfLateEnds(t *testing.T) {
	for _, seed := range more(*seeds) {
		checkpointsOfLateEnds(t, seed, nil)
	}
}

// In client mode it has failed where the memory of a driver was used again while an attempt before was still there.
func TestCheckpointsInClientMode(t *testing.T) {
	for _, seed := range append([]uint64{66000061}, more((*seeds+3)/4)...) {
		checkpointsOfLateEnds(t, seed, clientMode)
	}
}

func checkpointsOfLateEnds(t *testing.T, seed uint64, change func(*scenario.Options)) {
	t.Helper()
	in, o := anyCluster("checkpoints of late ends", seed)
	if change != nil {
		change(&o)
	}
	writable(&o)
	r := random.Stream(seed, "checkpoints of a test")
	var at []int64
	for range 4 {
		at = append(at, 1+r.Int64N(60_000))
	}
	slices.Sort(at)
	at = slices.Compact(at)
	run := func(at []int64, from *Start) (states [][]byte, manifest string) {
		sc, err := scenario.New(in(), o)
		if err != nil {
			t.Fatal(err)
		}
		m, err := RunFrom(t.Context(), sc, disorderly{&keep{}}, nil, Checkpoints{At: at, From: from, Take: func(c *Checkpoint) error {
			var b bytes.Buffer
			err := c.Write(&b)
			states = append(states, b.Bytes())
			return err
		}})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return states, work.ReplaceAllString(string(text), "")
	}
	_, want := run(nil, nil)
	states, got := run(at, nil)
	if got != want {
		t.Fatalf("seed %d: with checkpoints the manifest is\n%s\nwant\n%s", seed, got, want)
	}
	for i, state := range states {
		if _, got := run(nil, &Start{State: state, AtMS: at[i]}); got != want {
			t.Fatalf("seed %d: from %d ms on the manifest is\n%s\nwant\n%s", seed, at[i], got, want)
		}
	}
}
