package live

import (
	"cmp"
	"fmt"
	"slices"
)

// The recorder numbers a call before it makes it. Calls of different threads that begin within overlapMS may therefore take effect
// in the other order, and what a node says of a container may miss a heartbeat that came so soon after. The order of the
// numbers is played first; where that differs, all such exchanges before a difference are tried, and the one is kept after
// which the next difference is the farthest (then: that has the fewest, then: the nearest in time). What was kept is told.
const (
	overlapMS  = 50
	lookBackMS = 1500 // an exchange shows at the next update, sample or heartbeat
	maxMoves   = 20
	maxStuck   = 5 // differences that no exchange explains
	maxPlays   = 300
)

// reportAt is a report's place: the call and the position in its list.
type reportAt struct{ call, report int }

// liveOrder is an order of the calls, and the reports that came with the next heartbeat of their node.
type liveOrder struct {
	calls []int
	late  map[reportAt]bool
}

// liveMove is one change of an order: a call to another position, or a report.
type liveMove struct {
	from, to int // positions; equal for a report
	report   reportAt
	ms       int64
	text     string
}

// settle plays the recording in the order of its calls, and with exchanges where that differs. It returns the play with the
// fewest differences, the one with fewer exchanges first, and what was exchanged.
func (r *recording) settle() (best *liveRun, moved []string, err error) {
	order := liveOrder{calls: make([]int, len(r.calls)), late: map[reportAt]bool{}}
	for i := range order.calls {
		order.calls[i] = i
	}
	plain, err := r.play(order.calls, order.late)
	if err != nil {
		return nil, nil, err
	}
	best = plain
	// An exchange may bring up more differences, where it is one of several that belong together: that is tried last.
	for _, mayGrow := range []bool{false, true} {
		if len(best.differences) == 0 {
			break
		}
		run, texts, err := r.exchange(plain, order, mayGrow)
		if err != nil {
			return nil, nil, err
		}
		if len(run.differences) < len(best.differences) {
			best, moved = run, texts
		}
	}
	if len(moved) > 0 {
		moved = append(moved, fmt.Sprintf("differences in the order of the numbers alone: %d", len(plain.differences)))
	}
	return best, moved, nil
}

// exchange goes from difference to difference and keeps the exchange that carries the farthest. Where there is none, it goes on to the next difference.
func (r *recording) exchange(run *liveRun, order liveOrder, mayGrow bool) (*liveRun, []string, error) {
	var moved []string
	from := -1 // the position up to which differences stay
	stuck := 0
	for plays := 0; plays < maxPlays && len(moved) < maxMoves && stuck < maxStuck; {
		first := run.nextDifference(from)
		if first < 0 {
			break
		}
		best := run
		var bestOrder liveOrder
		var text string
		for _, m := range r.moves(order, first) {
			next := order.with(m)
			got, err := r.play(next.calls, next.late)
			if err != nil {
				return nil, nil, err
			}
			plays++
			if !mayGrow && len(got.differences) >= len(run.differences) {
				continue
			}
			a, b := got.nextDifference(from), best.nextDifference(from)
			if b >= 0 && (a < 0 || a > b) || a == b && best != run && len(got.differences) < len(best.differences) {
				best, bestOrder, text = got, next, m.text
			}
		}
		if best == run {
			from = first
			stuck++
			continue
		}
		run, order, moved = best, bestOrder, append(moved, text)
	}
	return run, moved, nil
}

// nextDifference is the position of the first difference after a position, -1 if there is none.
func (r *liveRun) nextDifference(after int) int {
	for _, at := range r.at {
		if at > after {
			return at
		}
	}
	return -1
}

func (o liveOrder) with(m liveMove) liveOrder {
	next := liveOrder{slices.Clone(o.calls), map[reportAt]bool{}}
	for at := range o.late {
		next.late[at] = true
	}
	if m.from == m.to {
		next.late[m.report] = true
		return next
	}
	call := next.calls[m.from]
	next.calls = slices.Delete(next.calls, m.from, m.from+1)
	next.calls = slices.Insert(next.calls, m.to, call)
	return next
}

// thread tells calls that cannot overlap: the scheduler's events, its updates, and the calls of one application master.
func (c *liveCall) thread() string {
	switch c.Kind {
	case "allocate":
		return c.Attempt
	case "allocate_reply":
		return ""
	}
	return c.Kind
}

func (c *liveCall) String() string {
	switch c.Kind {
	case "event":
		return fmt.Sprintf("seq %d (%s %s%s%s)", c.Seq, c.Type, c.Node, c.App, c.Attempt)
	case "allocate":
		return fmt.Sprintf("seq %d (allocate %s)", c.Seq, c.Attempt)
	}
	return fmt.Sprintf("seq %d (%s)", c.Seq, c.Kind)
}

// moves are the changes of an order that may explain a difference at a position.
func (r *recording) moves(order liveOrder, first int) (list []liveMove) {
	at := r.calls[order.calls[first]].T
	for from, i := range order.calls {
		c := &r.calls[i]
		if c.T < at-lookBackMS || c.T > at+overlapMS {
			continue
		}
		for k, rep := range c.reports {
			if place := (reportAt{i, k}); rep.open && c.T-rep.t <= overlapMS && !order.late[place] {
				list = append(list, liveMove{from: from, to: from, report: place, ms: c.T - rep.t,
					text: fmt.Sprintf("the end of container %d of application %d missed %s, %d ms after it", rep.id.N, rep.id.App, c, c.T-rep.t)})
			}
		}
		if c.Kind != "allocate" && c.Kind != "update" {
			continue // to exchange two calls it is enough to move the one that is no event
		}
		for _, step := range []int{-1, 1} {
			for to := from + step; to >= 0 && to < len(order.calls); to += step {
				other := &r.calls[order.calls[to]]
				ms := max(c.T-other.T, other.T-c.T)
				if ms > overlapMS || other.thread() == c.thread() {
					break
				}
				if other.thread() == "" {
					continue
				}
				when := map[int]string{-1: "before", 1: "after"}[step]
				list = append(list, liveMove{from: from, to: to, ms: ms,
					text: fmt.Sprintf("%s took effect %s %s, %d ms apart", c, when, other, ms)})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b liveMove) int { return cmp.Or(cmp.Compare(a.ms, b.ms), cmp.Compare(b.from, a.from)) })
	return list
}
