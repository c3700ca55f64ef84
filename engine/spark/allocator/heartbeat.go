package allocator

import "replay/engine/spark/conf"

// HeartbeatLadder is the rhythm of an application master's loop: short pauses that double while
// something is open, long ones otherwise. A pause starts when the allocate call has returned.
//
// Source: ApplicationMaster.allocationThreadImpl.
type HeartbeatLadder struct {
	heartbeat, initial, next int64

	refused int // calls in a row that the ResourceManager has not taken
	bears   int // from how many of them on the loop gives up
}

// NewHeartbeatLadder returns the rhythm as configured; expiry is yarn.am.liveness-monitor.expiry-interval-ms.
func NewHeartbeatLadder(c *conf.Conf, expiry int64) HeartbeatLadder {
	heartbeat := max(0, min(expiry/2, c.HeartbeatInterval))
	initial := min(heartbeat, c.InitialInterval)
	return HeartbeatLadder{heartbeat: heartbeat, initial: initial, next: initial, bears: c.ReporterFailures}
}

// Called notes whether the ResourceManager has taken a call, and reports whether the loop gives up.
func (l *HeartbeatLadder) Called(taken bool) (gone bool) {
	if taken {
		l.refused = 0
		return false
	}
	l.refused++
	return l.refused >= l.bears
}

// Pause returns how long the loop waits now, in ms; waiting is [Allocator.Waiting].
func (l *HeartbeatLadder) Pause(waiting bool) int64 {
	if !waiting {
		l.next = l.initial
		return l.heartbeat
	}
	pause := min(l.heartbeat, l.next)
	l.next = 2 * pause
	return pause
}

// Longest returns the pause that the loop makes unless it hurries, and that its pauses grow to when it does.
func (l *HeartbeatLadder) Longest() int64 { return l.heartbeat }

// Wake starts the ladder again, because a target changed or a question came. The caller ends the
// present pause at once: the minimum that Spark means to keep is nothing in practice, since it
// subtracts nanoseconds from milliseconds.
func (l *HeartbeatLadder) Wake() { l.next = l.initial }
