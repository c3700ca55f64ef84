package generic

import (
	"testing"

	"replay/engine/pertask"
	"replay/engine/reuse"
)

// TestPlacesAreUsedAgain: a place is another attempt's when the one before is over, which is not found there any more, nor as one that is left.
func TestPlacesAreUsedAgain(t *testing.T) {
	d := &dag{k: NewKind(Setup{})}
	begin := func() *attempt {
		a, r := d.place(d.attempts.begun)
		d.attempts.begun++
		*a = attempt{ref: r, state: running, Attempt: pertask.Attempt{Container: int64(r.serial) + 1}}
		d.attempts.enter(a.Container, a)
		return a
	}
	for range 2*reuse.PerBlock + 1 {
		begin()
	}
	first := d.attempts.in(1)
	old := first.ref
	first.state = ended
	d.attempts.leave(1)
	d.attempts.drop(first)
	if d.attempts.numbered(int64(old.serial)) != nil || d.attempts.in(1) != nil {
		t.Error("an attempt that is over is found")
	}
	again := begin()
	if again != first || d.attempts.of(old) != nil || d.attempts.of(again.ref) != again || d.attempts.in(again.Container) != again {
		t.Errorf("the place %+v is that of %+v", old, again.ref)
	}
	live := d.attempts.live()
	if len(live) != 2*reuse.PerBlock+1 || live[len(live)-1] != again {
		t.Errorf("%d attempts are left, want %d, the last to begin at the end", len(live), 2*reuse.PerBlock+1)
	}

	for _, a := range live {
		a.state = ended
	}
	blocks := len(d.attempts.blocks)
	d.k.Spare(d)
	if len(d.k.spare.blocks) != blocks || d.attempts.used != 0 {
		t.Errorf("%d blocks are kept for others, want %d", len(d.k.spare.blocks), blocks)
	}
}
