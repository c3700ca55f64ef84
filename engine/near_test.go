package engine

import (
	"bytes"
	"testing"

	"replay/engine/scenario"
	"replay/engine/scenario/scenariotest"
)

// What is fetched for the events that come next leaves the state of the replay as it is, however often that is done.
func TestFetchingChangesNothing(t *testing.T) {
	looked := 0
	for seed := range uint64(12) {
		random := scenariotest.Random(seed)
		sc, err := scenario.New(random.Input(), random.Options)
		if err != nil {
			t.Fatal(err)
		}
		s, err := newSim(sc, &keep{}, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		state := func() []byte {
			var b bytes.Buffer
			if err := s.writeState(&b); err != nil {
				t.Fatal(err)
			}
			return b.Bytes()
		}
		events := 0
		s.after = func() {
			if events++; events%23 != 0 || t.Failed() {
				return
			}
			looked++
			s.q.refresh()
			before := state()
			clear(s.near.steps)
			for range lastStep + 2 {
				s.fetch()
			}
			if !bytes.Equal(state(), before) {
				t.Errorf("seed %d, %s: fetching for what comes after %s at %d ms has changed the state", seed, sc.Scheduler, s.doing.name, s.now)
			}
		}
		if _, err := s.run(t.Context()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if looked < 100 {
		t.Errorf("looked %d times, want more", looked)
	}
}
