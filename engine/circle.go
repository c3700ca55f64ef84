package engine

import (
	"fmt"

	"replay/engine/master"
)

// A circle is what an application has to show for its attempts: those that end without counting as a failure, as by
// preemption, may go on for ever, with tasks that run again and again. Such work keeps no replay going.
type circle struct {
	furthest int64  // most tasks that had succeeded in an attempt that has ended
	attempts int    // that ended since without getting further
	last     string // why the last one ended
}

// after is the circle when an attempt has ended in which so many tasks had succeeded.
func (c circle) after(succeeded int64, why string) circle {
	if succeeded > c.furthest {
		return circle{furthest: succeeded, last: why}
	}
	return circle{c.furthest, c.attempts + 1, why}
}

// closed reports whether the attempts are too many to believe in the one that has so many tasks done.
func (c circle) closed(succeeded int64) bool {
	return c.attempts >= master.Repeats && succeeded <= c.furthest
}

func (c circle) text(tasks int64) string {
	return fmt.Sprintf("%d attempts of its application master got no further than %d of its %d tasks; the last one ended: %s",
		c.attempts, c.furthest, tasks, c.last)
}
