// Package pertask is what applications have in common that run each task in a container of its own: the clock of their heartbeats, the books
// of task attempts and their containers, which nodes their work prefers, and what reading from elsewhere costs. When a task asks for a container and
// which one it gets is each application's own.
//
// It holds no clock; times are milliseconds since the trace's origin.
package pertask

import "replay/engine/master"

// Beats are the heartbeats of an application master. Their times are computed; one is in the event queue if it has something to do: something to
// send, or to think over with each answer, or the ResourceManager has something to tell. The others pass and are counted.
type Beats struct {
	Host       master.Host
	Kind       master.EventKind // of a heartbeat
	IntervalMS int64
	Dense      *bool // each is executed, whether it can have an effect or not
	Asker

	next   int64 // time of the next one; never before the first and after the last
	on     bool
	queued bool
	news   bool // the ResourceManager has something to tell
	known  int  // containers that have ended since the last heartbeat of which the application has nothing to hear
}

// An Asker is the application. Due reports whether its next heartbeat has something to do, whatever the ResourceManager has to tell.
type Asker interface{ Due() bool }

// Start begins with a heartbeat at a time.
func (b *Beats) Start(first int64) {
	b.on, b.next = true, first
	b.Expect()
}

// News says that the ResourceManager has something to tell.
func (b *Beats) News() {
	b.news = true
	b.Expect()
}

// Knows says that a container has ended of which the application has nothing to hear, and reports whether no heartbeat is executed for that.
func (b *Beats) Knows() bool {
	if *b.Dense {
		return false
	}
	b.Pass()
	b.known++
	return true
}

// Expect puts the next heartbeat into the event queue if it has something to do. It comes after each change of what decides that.
func (b *Beats) Expect() {
	if !b.on || b.queued || !*b.Dense && !b.news && !b.Due() {
		return
	}
	b.Pass()
	b.queued = true
	b.Host.Set(b.Kind, b.next)
}

// Pass lets the heartbeats pass whose time has come without anything to do.
func (b *Beats) Pass() {
	if b.queued || !b.on {
		return
	}
	now := b.Host.Now()
	if b.next < now {
		b.passes((now - b.next + b.IntervalMS - 1) / b.IntervalMS)
	}
	if b.next == now && b.Host.Passed(b.Kind) {
		b.passes(1)
	}
}

// passes lets the next n heartbeats pass.
func (b *Beats) passes(n int64) {
	b.Host.HeartbeatsPass(b.Kind, b.next, b.IntervalMS, n)
	b.next += n * b.IntervalMS
	if b.known > 0 {
		b.Host.HeartbeatsHear(b.known)
		b.known = 0
	}
}

// Begin is the beginning of a heartbeat, at the time for which it was expected.
func (b *Beats) Begin() {
	b.queued, b.news, b.known = false, false, 0
	b.next = b.Host.Now() + b.IntervalMS
	b.Host.Heartbeat()
}

// Quit ends the heartbeats.
func (b *Beats) Quit() {
	b.Pass()
	if b.queued {
		b.Host.Set(b.Kind, master.Never)
	}
	b.on, b.queued = false, false
}
