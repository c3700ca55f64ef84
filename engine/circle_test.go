package engine

import (
	"testing"

	"replay/engine/master"
)

// An application that gets further now and then is not in a circle, however often it begins again.
func TestCircle(t *testing.T) {
	var c circle
	for n := range 3 * master.Repeats {
		c = c.after(int64(n/(master.Repeats-1)), "it was preempted")
		if c.closed(0) {
			t.Fatalf("closed after %d attempts, with %d that got no further", n+1, c.attempts)
		}
	}
	best := c.furthest
	for range master.Repeats {
		c = c.after(best, "it was preempted")
	}
	if !c.closed(best) || c.closed(best+1) {
		t.Errorf("closed: %v with as many tasks as ever and %v with one more, want only the first", c.closed(best), c.closed(best+1))
	}
	if got, want := c.text(9), "102 attempts of its application master got no further than 3 of its 9 tasks; the last one ended: it was preempted"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
