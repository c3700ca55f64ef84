package generic

import (
	"fmt"

	"replay/engine/master"
	"replay/engine/record"
)

// A gang is what a stage whose tasks start together or not at all has more. It holds the containers that it gets until there is one for each task. With what it
// holds it may keep another gang from its last containers, so it gives all of them back after a time and asks again after another.
// When a member is lost or fails while others run, all of them end, and the gang asks for all of its containers again.
type gang struct {
	held    int   // containers that nobody has started
	running bool  // the members have been started
	giveUp  int64 // when it gives back what it holds; never while it holds nothing
	again   int64 // when it asks again; never while it asks or runs
	rounds  int   // how often it has given back what it held
	most    int   // containers that it had at once in vain
}

// form asks for the containers of all members.
func (d *dag) form(s *stage) {
	*s.gang = gang{giveUp: never, again: never, rounds: s.gang.rounds, most: s.gang.most}
	for i := range s.tasks {
		d.ask(s, int32(i))
	}
}

// hold keeps a container until the gang is complete.
func (d *dag) hold(a *attempt) {
	s := d.stageOf(a)
	g := s.gang
	a.state = held
	if g.held++; g.held < len(s.tasks) {
		if g.held == 1 {
			g.giveUp = d.h.Now() + d.k.Model.GangHoldMS
			d.h.At(g.giveUp, evGiveUp, int64(s.st.ID), int64(s.st.ID))
		}
		return
	}
	g.running, g.giveUp = true, never
	for i := range s.more {
		d.start(d.attempts.of(s.more[i].now))
	}
}

// dropped says that a container that was held is gone.
func (g *gang) dropped() {
	if g.held--; g.held == 0 {
		g.giveUp = never
	}
}

// mostDoublings bounds how long a gang stays away: 128 times gang-backoff-ms, and up to as much again.
const mostDoublings = 7

// giveBack gives back what a gang holds that has waited too long, and has it ask again later: after gang-backoff-ms and up to as much again, which is drawn for each
// application, so that two gangs in each other's way do not stay in step; after twice that when it was in vain again, and so on, so that of many gangs few ask at a time.
func (d *dag) giveBack(s *stage) {
	if s.gang.giveUp != d.h.Now() {
		return
	}
	held := s.gang.held
	for i := range s.more {
		d.withdraw(d.attempts.of(s.more[i].now))
	}
	ms := d.k.Model.GangBackoffMS << min(s.gang.rounds, mostDoublings)
	if ms > 0 {
		ms += d.h.Momentary(fmt.Sprintf("backoff of job %d", d.job.ID)).At(d.h.Now()).Int64N(ms)
	}
	*s.gang = gang{giveUp: never, again: d.h.Now() + ms, rounds: s.gang.rounds + 1, most: max(s.gang.most, held)}
	if s.gang.rounds <= master.Repeats {
		d.h.GoesOn(s.gang.again)
	}
	d.h.At(s.gang.again, evAgain, int64(s.st.ID), int64(s.st.ID))
}

// formAgain asks again for what was given back.
func (d *dag) formAgain(s *stage) {
	if s.gang.again == d.h.Now() {
		d.form(s)
	}
}

// withdraw takes back what an attempt asks for, or gives its container back. Its task has none then.
func (d *dag) withdraw(a *attempt) {
	switch a.state {
	case asking:
		d.answered(a)
	case held, assigned, running:
		d.client.Release(d.idOf(a))
	}
	if a.state == asking || a.state == held {
		d.taskOf(a).attempts-- // it has not begun
	}
	a.state = ended
	d.close(a, record.TaskKilled)
}

// scatter ends the gang of an attempt that is over, and forms it again: members that run are killed, and what has succeeded is wasted.
func (d *dag) scatter(s *stage) {
	for i := range s.tasks {
		t, more := &s.tasks[i], &s.more[i]
		if t.over {
			t.over = false
			s.left++
			d.Job.TaskMS -= more.ms
			d.Job.WastedTaskMS += more.ms
		} else if a := d.attempts.of(more.now); a != nil && a.state != ended {
			d.withdraw(a)
		}
	}
	d.form(s)
}
