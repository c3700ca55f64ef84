package pertask

import (
	"fmt"
	"slices"
	"testing"

	"replay/engine/master"
)

// clock is a host with the time, which writes down what it is told of heartbeats.
type clock struct {
	master.Host
	now  int64
	told []string
}

func (c *clock) tell(format string, args ...any) {
	c.told = append(c.told, fmt.Sprintf("%d: ", c.now)+fmt.Sprintf(format, args...))
}

func (c *clock) Now() int64                       { return c.now }
func (c *clock) Passed(master.EventKind) bool     { return false }
func (c *clock) Set(_ master.EventKind, at int64) { c.tell("next at %d", at) }
func (c *clock) HeartbeatsPass(_ master.EventKind, first, period, n int64) {
	c.tell("%d pass from %d", n, first)
}
func (c *clock) HeartbeatsHear(n int) { c.tell("they hear of %d", n) }
func (c *clock) Heartbeat()           { c.tell("heartbeat") }

// idle is an application that has nothing to ask.
type idle struct{}

func (idle) Due() bool { return false }

// TestBeatsHearOfKnownEnds: heartbeats that pass have heard of the containers that ended before them, and of no others; one that is executed has heard of all.
func TestBeatsHearOfKnownEnds(t *testing.T) {
	c, dense := &clock{}, false
	b := Beats{Host: c, IntervalMS: 10, Dense: &dense, Asker: idle{}}
	b.Start(10)
	for _, x := range []struct {
		at int64
		do func()
	}{
		{3, func() { b.Knows() }},
		{7, func() { b.Knows() }},
		{12, func() { b.Knows() }}, // behind the heartbeat at 10
		{35, b.News},
		{40, b.Begin},
		{41, func() { b.Knows() }},
		{44, b.News},
		{46, func() { b.Knows() }}, // it hears of this one, too
		{50, b.Begin},
		{61, b.Quit},
	} {
		c.now = x.at
		x.do()
	}
	want := []string{"12: 1 pass from 10", "12: they hear of 2", "35: 2 pass from 20", "35: they hear of 1", "35: next at 40", "40: heartbeat", "44: next at 50", "50: heartbeat", "61: 1 pass from 60"}
	if !slices.Equal(c.told, want) {
		t.Errorf("the host was told %q, want %q", c.told, want)
	}
	dense = true
	if b.Knows() {
		t.Error("an end is known although all heartbeats are executed")
	}
}
