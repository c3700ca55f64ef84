package engine

import (
	"replay/engine/fetch"
	"replay/engine/protocol"
	"replay/engine/reuse"
	"replay/engine/yarn"
	"replay/engine/yarn/rm"
)

// Many containers of an application start at one time, as its master asks for their starts with one heartbeat, and many of their processes end at one time, with the
// application. They come one after the other, in the order of their numbers, with nothing else between: so one event is enough for them. The ends of processes have one each where nothing runs
// ahead, and everything has in the dense engine.

// due is a container of which something is to come at a time.
type due struct {
	at, number int64
	done       bool // for its application, where the cluster comes to it later
}

// dues are those of an application, by time and number.
type dues []due

// put takes in a container, and reports whether there are others that are due at this time, and whether one of these is not done.
func (l *dues) put(number, at int64) (others, waiting bool) {
	i := len(*l)
	for ; i > 0 && ((*l)[i-1].at > at || (*l)[i-1].at == at && (*l)[i-1].number > number); i-- {
	}
	if i > 0 && (*l)[i-1].at == at {
		others, waiting = true, !(*l)[i-1].done
	}
	if i < len(*l) && (*l)[i].at == at {
		others, waiting = true, waiting || !(*l)[i].done
	}
	if x := (due{at: at, number: number}); i == len(*l) {
		*l = append(*l, x)
	} else {
		*l = reuse.Insert(*l, i, x)
	}
	return others, waiting
}

// drop takes the first so many out.
func (l *dues) drop(n int) { *l = (*l)[:copy(*l, (*l)[n:])] }

// together reports whether one event is enough for several containers of the application.
func (a *app) together() bool { return !a.s.ahead.off && a.talker != nil }

// startContainer asks the node to start the process of a container; it has accepted at time at.
func (s *sim) startContainer(a *app, n int64, at int64) {
	c := a.containerOf(n)
	c.process = starting
	if c.apart = a.together(); !c.apart {
		if c.joined = a.master != nil && !s.beats.dense; c.joined {
			if others, _ := a.starts.put(n, at); others {
				s.totals.Events++
				return
			}
		}
		s.pushApp(at, evStarted, a, n, n)
		return
	}
	others, begin := a.starts.put(n, at)
	if begin {
		s.totals.Events++
	} else {
		s.pushApp(at, evStarted, a, n, n)
	}
	if others {
		s.totals.Events++
	} else {
		s.schedule(0, at, &kinds[evStartedThere], evStartedThere, int64(a.id), n, int64(a.attempt))
	}
}

// begin is the acceptance of the containers that begin now, one of which is named.
func (a *app) begin(n int64) {
	if c := a.containerOf(n); c.joined {
		a.beginJoined()
		return
	} else if !c.apart {
		a.s.processStarted(a, n)
		return
	}
	a.fetchDue(a.starts, 1, (*rm.RM).FetchStarts)
	a.inRow = true
	for i := 0; i < len(a.starts) && a.starts[i].at <= a.s.now; i++ {
		if x := &a.starts[i]; !x.done {
			x.done = true
			a.s.processStarted(a, x.number)
		}
	}
	a.inRow = false
}

// beginJoined is the acceptance of the containers that begin now, of an application of which nothing runs ahead.
func (a *app) beginJoined() {
	a.fetchDue(a.starts, 1, (*rm.RM).FetchStarts)
	a.inRow = true
	n := 0
	for ; n < len(a.starts) && a.starts[n].at <= a.s.now; n++ {
		a.s.processStarted(a, a.starts[n].number)
	}
	a.starts.drop(n)
	a.inRow = false
}

// mayBegin reports whether the containers of an application with a [master.Talker] that begin at a time are known to do so then: their nodes are there and hear of them by an event of its own, and none
// expires before.
func (a *app) mayBegin(at int64) bool {
	s := a.s
	for i := range a.starts {
		if x := &a.starts[i]; x.at == at && !x.done {
			if c := a.containerOf(x.number); c == nil || at > c.rec.Acquired+int64(s.sc.Site.ContainerExpiry) || s.nodes.isDown(c.node) || !s.rm.Registered(c.node) {
				return false
			}
		}
	}
	return true
}

// startedThere is what nodes have to do with the starts of containers of an application, one of which is named, whether or not it has gone ahead to them. A node that was
// not there refused it.
func (s *sim) startedThere(id protocol.ContainerID) {
	a := s.of(id)
	if a == nil {
		return
	}
	a.fetchDue(a.starts, 2, (*rm.RM).FetchStarts)
	n := 0
	for ; n < len(a.starts) && a.starts[n].at <= s.now; n++ {
		number := a.starts[n].number
		if c := a.containerAt(number); c != nil && (c.process == running || c.departed) {
			s.reportStart(c, a.containerID(number))
		}
	}
	a.starts.drop(n)
}

// ends schedules the end of a process.
func (a *app) ends(n, at int64) {
	if s := a.s; !a.together() {
		if s.turn == a && a.exiting == 0 && at == s.now {
			a.exiting = n
			return
		}
		s.pushApp(at, evExit, a, n, n)
	} else if others, _ := a.exits.put(n, at); others {
		a.s.totals.Events++
	} else {
		a.s.pushApp(at, evExit, a, 0, 0)
	}
}

// exitNow executes the end of a process to which the event of an application has led at its time, and reports whether it has: it comes before that event in the order, and has no place in the
// queue where nothing of the application comes between.
func (s *sim) exitNow(a *app) bool {
	n := a.exiting
	row := &a.kind.rows[evExit]
	if s.q.precedes(a.lane(), s.now, order(row.class, int64(a.id), evExit, n)) {
		a.exitLater()
		return false
	}
	a.exiting = 0
	s.rm.PassesGoOn(s.now)
	s.totals.Events++
	s.doing = row
	s.move()
	s.processExited(a, n)
	s.release(a)
	return true
}

// exitLater gives that end its place in the queue.
func (a *app) exitLater() {
	n := a.exiting
	a.exiting = 0
	a.s.pushApp(a.s.now, evExit, a, n, n)
}

// exit is the end of a process, or, if it is that of several, of those that end now. Where something else comes between two of these, the rest waits for it.
func (a *app) exit(n int64, several bool) {
	s := a.s
	if !several {
		s.processExited(a, n)
		return
	}
	if !s.ahead.on {
		a.fetchDue(a.exits, 2, (*rm.RM).FetchExits)
	}
	a.inRow = true
	all := a.exits
	for len(a.exits) > 0 && a.exits[0].at <= s.now {
		n := a.exits[0].number
		if ord := order(a.kind.rows[evExit].class, int64(a.id), evExit, n); s.q.precedes(a.lane(), s.now, ord) || s.q.precedes(a.behind(), s.now, ord) {
			s.totals.Events--
			s.pushApp(s.now, evExit, a, n, 0)
			break
		}
		a.exits = a.exits[1:] // what is left stays where it is: mostly nothing is in the end
		s.processExited(a, n)
	}
	a.exits = append(all[:0], a.exits...)
	a.inRow = false
}

// fetchDue has fetched what is looked at, in so many steps, of the containers of a list that are due: each of them and its node lie elsewhere in memory, and nothing else is done
// between two of them.
func (a *app) fetchDue(list dues, steps int, fetches func(*rm.RM, protocol.AppID, []yarn.Placed, int)) {
	s, n := a.s, 0
	for ; n < len(list) && list[n].at <= s.now; n++ {
		fetch.Of(a.containerAt(list[n].number))
	}
	s.placed = s.placed[:0]
	for i := range list[:n] {
		number := list[i].number
		if c := a.containerAt(number); c != nil {
			if c.process == running { // and gives back what it used
				fetch.At(s.nodes.usage, int(c.node))
			}
			s.placed = append(s.placed, yarn.Placed{Number: number, Node: c.node})
		}
	}
	for step := 0; step < steps && len(s.placed) > 0; step++ {
		fetches(s.rm, a.id, s.placed, step)
	}
}
